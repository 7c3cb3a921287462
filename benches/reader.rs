//! Speed of the readers, from bytes to a sorted trace: bytes of text per second, events of a trace.dat per second.
//!
//! Budget: 300 MB/s native on the file of idle events; idlestat's C reads 135 MB/s of it.
//! Budget for trace.dat: 10 M events/s native.
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

/// Adds to the stamp of a page, and to the absolute ones in it.
fn put_off(page: &mut [u8], ns: u64) {
    let word =
        |page: &[u8], at: usize| u32::from_le_bytes(*page[at..].first_chunk().expect("within the page"));
    let stamp = u64::from_le_bytes(*page.first_chunk().expect("a page")) + ns;
    page[..8].copy_from_slice(&stamp.to_le_bytes());
    let end = 16 + word(page, 8) as usize % (1 << 27);
    let mut at = 16;
    while at + 4 <= end {
        let head = word(page, at);
        at += match (head % 32, head / 32) {
            (words @ 1..=28, _) => 4 + 4 * words as usize,
            (29, 0) => return,
            (0 | 29, _) => 4 + word(page, at + 4).next_multiple_of(4) as usize,
            (31, low) => {
                let stamp = (u64::from(low) | u64::from(word(page, at + 4)) << 27) + ns;
                let both = (stamp % (1 << 27)) << 5 | 31 | (stamp >> 27) << 32;
                page[at..at + 8].copy_from_slice(&both.to_le_bytes());
                8
            }
            _ => 8,
        };
    }
}

/// The recorded trace.dat with the pages of each CPU again and again, each time later.
fn dat_file() -> Vec<u8> {
    const TIMES: u64 = 60;
    const PAGE: usize = 4096;
    let packed = include_bytes!("../tests/data/traces/arm64-menu-v6.dat.gz");
    let mut file = Vec::new();
    flate2::read::GzDecoder::new(packed.as_slice())
        .read_to_end(&mut file)
        .expect("a sound gz file");
    let number = |at: usize| u64::from_le_bytes(*file[at..].first_chunk().expect("within the file"));
    let mark = file
        .windows(10)
        .position(|bytes| bytes == b"flyrecord\0")
        .expect("a version 6 file");
    let table = mark + 10;
    let parts: Vec<(usize, usize)> = (0..4)
        .map(|cpu| table + 16 * cpu)
        .map(|at| (number(at) as usize, number(at + 8) as usize))
        .collect();
    let mut whole = file[..parts[0].0].to_vec();
    for (cpu, (start, len)) in parts.iter().enumerate() {
        let place = whole.len() as u64;
        for times in 0..TIMES {
            for page in file[*start..start + len].chunks(PAGE) {
                let mut page = page.to_vec();
                put_off(&mut page, times * 10_000_000_000);
                whole.extend(page);
            }
        }
        let at = table + 16 * cpu;
        let len = whole.len() as u64 - place;
        whole[at..at + 16].copy_from_slice(&[place.to_le_bytes(), len.to_le_bytes()].concat());
    }
    whole
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
    let dat = dat_file();
    group.throughput(Throughput::Elements(read(&dat) as u64));
    group.bench_function("dat", |bencher| bencher.iter(|| black_box(read(black_box(&dat)))));
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
