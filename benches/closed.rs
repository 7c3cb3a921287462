//! Closed loops: simulated time per second, for tokens between two CPUs and between six pairs of twelve.
//!
//! `cargo bench --bench closed`; the throughput is simulated nanoseconds per second.

#![allow(missing_docs, reason = "criterion's macros make public items")]
#![allow(clippy::expect_used, reason = "a bench that cannot go on has failed")]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use idlescope::probe::Off;
use idlescope::sim::Progress;

#[path = "../tests/speed/pipe.rs"]
mod pipe;

use pipe::{SIMULATED, engine};

fn closed_loops(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pipe-test, simulated ns per second");
    group.sample_size(20);
    group.throughput(Throughput::Elements(SIMULATED.as_u64()));
    for cpus in [2, 12] {
        for governor in ["teo-6.12", "mobile-2019"] {
            group.bench_function(format!("{governor} on {cpus} CPUs"), |bencher| {
                bencher.iter_batched(
                    || engine(governor, cpus),
                    |mut engine| {
                        let mut record = engine.record();
                        while engine.run(u64::MAX, &mut record, &mut Off) != Progress::Done {}
                        black_box(record)
                    },
                    BatchSize::PerIteration,
                );
            });
        }
    }
    group.finish();
}

criterion_group!(benches, closed_loops);
criterion_main!(benches);
