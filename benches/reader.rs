//! Speed of the text readers: bytes of text per second, from bytes to a sorted trace.
//!
//! Budget: 300 MB/s native on the file of idle events; idlestat's C reads 135 MB/s of it.
//! The file's hash is part of it: in a thread of its own, so with a free second core.
//! `cargo bench --bench reader`.

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::Read as _;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use idlescope::trace::{Limits, Reader};

const EVENTS: u32 = 2_000_000;
const CHUNK: usize = 1 << 20;

/// A `trace` file of nothing but idle events on eight CPUs.
fn idle_file() -> String {
    let mut text = String::with_capacity(90 * EVENTS as usize);
    text.push_str("# tracer: nop\n#\n# entries-in-buffer/entries-written: 2000000/2000000   #P:8\n#\n");
    for n in 0..EVENTS {
        let (us, cpu) = (u64::from(n) * 7 + 69_038_757, n / 2 % 8);
        let state = if n % 2 == 0 { n / 16 % 3 } else { u32::MAX };
        let _ = writeln!(
            text,
            "          <idle>-0       [00{cpu}] d..1.  {:4}.{:06}: cpu_idle: state={state} cpu_id={cpu}",
            us / 1_000_000,
            us % 1_000_000
        );
    }
    text
}

/// The recorded sample with timers, interrupts and task switches, again and again, each time later.
fn rich_file() -> Vec<u8> {
    let packed = include_bytes!("../tests/data/traces/arm64-menu-ftrace.txt.gz");
    let mut text = String::new();
    flate2::read::GzDecoder::new(packed.as_slice())
        .read_to_string(&mut text)
        .expect("a sound gz file");
    (0..20)
        .flat_map(|times| text.lines().map(move |line| later(line, times * 1000)))
        .collect::<String>()
        .into_bytes()
}

/// The line with its stamp moved.
fn later(line: &str, seconds: u64) -> String {
    let moved = || {
        let (head, tail) = line.split_once(": ")?;
        let (left, stamp) = head.rsplit_once(' ')?;
        let (whole, fraction) = stamp.split_once('.')?;
        let whole = whole.parse::<u64>().ok()? + seconds;
        Some(format!("{left} {whole}.{fraction}: {tail}\n"))
    };
    moved().unwrap_or_else(|| format!("{line}\n"))
}

fn read(text: &[u8]) -> usize {
    let mut reader = Reader::new(Limits::default());
    for chunk in text.chunks(CHUNK) {
        reader.feed(chunk).expect("a sound trace");
    }
    reader.finish().expect("a sound trace").events.len()
}

fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("reader");
    group.sample_size(10);
    for (name, text) in [("idle_2m", idle_file().into_bytes()), ("rich", rich_file())] {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |bencher| bencher.iter(|| black_box(read(black_box(&text)))));
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
