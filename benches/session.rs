//! From a changed number to its answers: what happens while a handle is dragged.
//!
//! Aim (design.md §4, issue 2 §6): at 100 000 idle periods, A and B and what the page shows of them within
//! 100 ms.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use idlescope::analysis::pyramid::Pyramid;
use idlescope::page::doc::{Doc, Workload};
use idlescope::page::generated::{Generated, Param, Pattern};
use idlescope::page::session::Session;
use idlescope::page::view::LaneId;
use idlescope::units::{Ns, Time};

/// About 100 000 periods: a doorbell every 150 us, answered within 50 us, for 20 s.
fn question() -> Doc {
    let mut generated = Generated::new(Pattern::Doorbell);
    assert!(generated.set(Param::Duration, 20_000_000_000));
    let mut doc = Doc {
        workload: Workload::Generated(generated),
        ..Doc::default()
    };
    doc.a.governor = "teo-6.12".parse().ok();
    doc.b.governor = "menu-6.6".parse().ok();
    doc
}

fn dragged(c: &mut Criterion) {
    let mut doc = question();
    let mut session = Session::new();
    session.ask(&doc);
    session.finish();
    let periods = session
        .summary(LaneId::A, None, None)
        .map_or(0, |summary| summary.periods());
    println!("{periods} idle periods of A");
    let mut target = 200;
    c.bench_function("dragged residency, A and B, summaries and views", |bencher| {
        bencher.iter(|| {
            target = if target == 200 { 201 } else { 200 };
            doc.edits
                .change("C3", |edit| edit.target_residency = Some(Ns::from_us(target)));
            session.ask(&doc);
            session.finish();
            for lane in [LaneId::A, LaneId::B] {
                black_box(session.summary(lane, None, None));
                for cpu in session.cpus() {
                    black_box(session.view(
                        lane,
                        cpu,
                        (Time::ZERO, Time::from_ns(20_000_000_000)),
                        1_000,
                        300,
                    ));
                }
            }
        });
    });
    c.bench_function("dragged power: energies alone", |bencher| {
        bencher.iter(|| {
            target = if target == 200 { 201 } else { 200 };
            doc.edits.change("C3", |edit| {
                edit.power = Some(idlescope::units::Microwatts::new(target as u32))
            });
            session.ask(&doc);
            session.finish();
            black_box(session.summary(LaneId::A, None, None));
        });
    });
    let record = session.record(LaneId::A).expect("A ran");
    let lane = record.lanes.first().expect("one CPU");
    c.bench_function("pyramid of a lane", |bencher| {
        bencher.iter_batched(
            || (),
            |()| Pyramid::new(lane, record.start, record.end),
            BatchSize::LargeInput,
        );
    });
}

criterion_group!(benches, dragged);
criterion_main!(benches);
