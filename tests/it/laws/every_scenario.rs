//! The checker of [`super::closed`] over every generated workload, on the machine and with the governors of the question
//! that it opens with: time is conserved, nobody is in two places, every wakeup has a source, no work is lost, energy
//! adds up.

use std::sync::Arc;

use idlescope::energy::{Parts, package};
use idlescope::page::doc::{Doc, Side, Workload};
use idlescope::page::generated::{Generated, Param, Pattern};
use idlescope::page::scenarios;
use idlescope::page::session::{Session, Work};
use idlescope::page::view::LaneId;
use idlescope::probe::Off;
use idlescope::sim::machine::{CoreUse, FrequencyRule, MachineModel};
use idlescope::sim::{Engine, Flags, Progress, Record, Row, Run, Setup};
use idlescope::units::{CpuId, Energy, Ns, Time};

use super::closed::{Audited, nobody_is_in_two_places};

/// The question of a workload, with less of it.
fn question(pattern: Pattern, duration: Ns) -> Doc {
    let mut doc = scenarios::question(pattern);
    let mut generated = Generated::new(pattern);
    assert!(generated.set(Param::Duration, duration.as_ns()), "{pattern:?}");
    doc.workload = Workload::Generated(generated);
    doc
}

/// Runs one variant again with an auditor between engine and workload; the auditor must change nothing.
fn audit(session: &Session, setup: &Arc<Setup>, side: Side) -> Run<Audited<Work>> {
    let work = session.fresh().expect("it is loaded");
    let mut run = Run::new(Arc::clone(setup), Audited::new(work, setup.cpus.len()));
    while run.advance(1_000) != Progress::Done {}
    let answered = session.record(LaneId::of(side)).expect("it ran");
    assert!(run.record() == answered, "the auditor changed what happened");
    run
}

fn check(pattern: Pattern, doc: &Doc) {
    let mut session = Session::new();
    assert_eq!(session.ask(doc), [], "{pattern:?}");
    session.finish();
    for side in Side::ALL {
        let Some(engine) = session.engine(side) else {
            continue;
        };
        let setup = Arc::clone(engine.setup());
        let run = audit(&session, &setup, side);
        let (engine, record) = (run.engine(), run.record());
        let name = format!("{pattern:?} {}", setup.governor);
        nobody_is_in_two_places(record);
        every_wakeup_has_a_source(&name, engine, record);
        match &setup.machine {
            Some(model) => {
                cores_and_cpus_conserve_time(&name, engine, model);
                power_adds_up(&name, &session, side, engine, model);
            }
            None => assert!(session.loops(side).is_none(), "{name}"),
        }
        no_work_is_lost(&name, engine, record);
        parts_of_energy_add_up(&name, &session, side);
    }
}

fn cpus(setup: &Setup) -> impl Iterator<Item = CpuId> + use<> {
    (0..u16::try_from(setup.cpus.len()).expect("few")).map(CpuId::new)
}

/// Whoever runs again was woken since it last ran.
fn every_wakeup_has_a_source(name: &str, engine: &Engine<Audited<Work>>, record: &Record) {
    for cpu in cpus(engine.setup()) {
        let raised = &engine.workload().raised[cpu.index()];
        let mut before = engine.setup().start;
        let lane = record.lane(cpu).expect("a lane for each");
        let ran = lane
            .rows()
            .filter(|row| row.flags.has(Flags::RESCHEDULED) && !row.flags.has(Flags::UNCOUNTED));
        for row in ran {
            let first = raised.partition_point(|at| *at < before);
            let source = raised.get(first).filter(|at| **at <= row.exit);
            assert!(
                source.is_some(),
                "{name} {cpu}: nothing woke it between {before:?} and {row:?}"
            );
            before = row.exit;
        }
    }
}

/// Every nanosecond of every core and of every CPU is somewhere, and nowhere twice.
fn cores_and_cpus_conserve_time(name: &str, engine: &Engine<Audited<Work>>, model: &MachineModel) {
    let (start, end) = (engine.setup().start, engine.setup().end);
    let span = end.saturating_since(start);
    let usage = engine.usage(end).expect("has a clock");
    let mut cores: Vec<u16> = model.cpus.iter().map(|cpu| cpu.core).collect();
    cores.sort_unstable();
    cores.dedup();
    for core in cores {
        let own = |used: &CoreUse| used.core == core;
        let time: Ns = usage.entries().filter(own).map(|used| used.time).sum();
        assert_eq!(time, span, "{name} core {core}");
    }
    for cpu in cpus(engine.setup()) {
        let spent = engine.spent(cpu, end).expect("has a clock");
        assert_eq!(spent.total(), span, "{name} {cpu}: {spent:?}");
    }
}

/// The energy of the measured span and that of what came before it are the energy of everything.
fn power_adds_up(
    name: &str,
    session: &Session,
    side: Side,
    engine: &Engine<Audited<Work>>,
    model: &MachineModel,
) {
    let loops = session.loops(side).expect("a closed loop");
    assert_eq!(loops.energy.is_some(), !model.power.cores.is_empty(), "{name}");
    let Some(measured) = loops.energy else { return };
    let (start, end) = (engine.setup().start, engine.setup().end);
    let (span, warm) = (loops.span, end.saturating_since(start) - loops.span);
    let whole = engine.usage(end).expect("has a clock");
    let drawn = |usage, span| package::drawn(&model.power, usage, model.frequency.max_khz, span);
    // The run that was answered has clones; the audited one is run to where the measured span begins.
    let at = start.saturating_add(warm);
    let work = session.fresh().expect("it is loaded");
    let mut again = Engine::new(Arc::clone(engine.setup()), work);
    let mut record = again.record();
    while again.run_to(at, u64::MAX, &mut record, &mut Off) != Progress::Done {}
    let before = again.usage(at).expect("has a clock");
    let after = whole.since(&before);
    assert_eq!(drawn(&after, span), measured, "{name}");
    assert_eq!(
        drawn(&before, warm) + measured,
        drawn(&whole, span + warm),
        "{name}"
    );
}

/// Estimates of states and of parts are two sums of the same.
fn parts_of_energy_add_up(name: &str, session: &Session, side: Side) {
    let summary = session.summary(LaneId::of(side), None, None).expect("it ran");
    let Some(account) = summary.energy else { return };
    let states: Energy = account
        .states
        .iter()
        .map(Parts::idle)
        .fold(Energy::ZERO, |one, other| one + other);
    assert_eq!(states, account.parts.idle(), "{name}");
    assert_eq!(
        account.parts.idle() + account.parts.busy,
        account.parts.total(),
        "{name}"
    );
}

/// Kernel code from the last task to the entry of a state takes less than this in every scenario. What wakes the CPU
/// meanwhile keeps it from sleeping, though a row was begun.
const GOING_IDLE: Ns = Ns::from_us(50);

/// Whether a CPU sleeps at the end, and nothing has woken it since it ran.
fn sleeps_at_the_end(last: Option<Row>, raised: &[Time], start: Time) -> bool {
    let since = last.map_or(start, |row| row.entry);
    let open = last.is_none_or(|row| row.flags.has(Flags::UNCOUNTED) && !row.flags.has(Flags::REJECTED));
    open && raised
        .last()
        .is_none_or(|at| since.saturating_since(*at) > GOING_IDLE)
}

/// What was handed out was run, all of it and nothing else; of a CPU that is busy at the end some may be left.
fn no_work_is_lost(name: &str, engine: &Engine<Audited<Work>>, record: &Record) {
    let (start, end) = (engine.setup().start, engine.setup().end);
    for cpu in cpus(engine.setup()) {
        let audited = engine.workload();
        let (given, pieces) = (audited.work[cpu.index()], audited.pieces[cpu.index()]);
        let lane = record.lane(cpu).expect("a lane for each");
        let last = lane.len().checked_sub(1).and_then(|n| lane.row(n));
        let (least, most) = match &engine.setup().machine {
            None => {
                // Without a machine nothing but tasks takes time between two idle times.
                let idle: Ns = lane.rows().map(|row| row.exit - row.entry).sum();
                let busy = end.saturating_since(start) - idle;
                (busy, busy)
            }
            Some(model) => {
                let ran = engine.spent(cpu, end).expect("has a clock").tasks;
                let slowest = model.smt.beside_running.min(model.smt.beside_polling);
                let fixed = model.frequency.rule == FrequencyRule::Performance;
                let least = if fixed {
                    model.frequency.max_khz
                } else {
                    model.frequency.min_khz
                };
                let at = |khz: u32, per_mille: u16| {
                    ran * i64::from(khz) / 1_000_000 * i64::from(per_mille) / 1_000
                };
                (at(least, slowest), at(model.frequency.max_khz, 1_000))
            }
        };
        // A piece is rounded up to a nanosecond whenever the clock or the other thread of its core changes.
        let rounding = Ns::new(8 * i64::try_from(pieces + 2).expect("few"));
        assert!(
            least <= given + rounding,
            "{name} {cpu} ran more than it was given: {least:?} of {given:?}"
        );
        if sleeps_at_the_end(last, &audited.raised[cpu.index()], start) {
            assert!(
                given <= most + rounding,
                "{name} {cpu} sleeps, with work left: {most:?} of {given:?}, {last:?}"
            );
        }
    }
}

#[test]
fn books_balance_in_every_scenario() {
    for pattern in Pattern::ALL {
        let duration = match pattern {
            Pattern::PipeTest | Pattern::Ring | Pattern::Tbench => Ns::from_ms(40),
            _ => Ns::from_ms(1_200),
        };
        let mut doc = question(pattern, duration);
        check(pattern, &doc);
        // At one clock work is time: the bounds are close.
        doc.frequency = FrequencyRule::Performance;
        check(pattern, &doc);
    }
}
