//! The same work natively and in the browser, timed: `cargo xtask bench` runs both and prints the ratio.
//!
//! Not a test of anything, and no part of `cargo test`: a test target is what runs in both places.
//! Each piece prints `speed NAME MILLISECONDS`, the least of five rounds after one to warm up.

#[cfg(target_family = "wasm")]
use wasm_bindgen_test::wasm_bindgen_test as test;

mod pipe;

use idlescope::page::link;
use idlescope::page::session::Session;
use idlescope::probe::Off;
use idlescope::sim::Progress;
use idlescope::trace::{Limits, Reader};
use std::fmt::Write as _;

#[cfg(target_family = "wasm")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

#[cfg(target_family = "wasm")]
mod clock {
    use wasm_bindgen::prelude::wasm_bindgen;

    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(js_namespace = performance)]
        pub fn now() -> f64;
    }

    pub fn say(line: &str) {
        wasm_bindgen_test::console_log!("{line}");
    }
}

#[cfg(not(target_family = "wasm"))]
mod clock {
    use std::sync::OnceLock;
    use std::time::Instant;

    /// Milliseconds since the first call.
    pub fn now() -> f64 {
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed().as_secs_f64() * 1e3
    }

    pub fn say(line: &str) {
        println!("{line}");
    }
}

const ROUNDS: u32 = 5;

fn time<T>(name: &str, mut work: impl FnMut() -> T) {
    std::hint::black_box(work());
    let least = (0..ROUNDS)
        .map(|_| {
            let start = clock::now();
            std::hint::black_box(work());
            clock::now() - start
        })
        .fold(f64::MAX, f64::min);
    clock::say(&format!("speed {name} {least:.1}"));
}

/// Runs one variant over the link's workload, in slices as the worker does.
fn run(fragment: &str) -> usize {
    let (link, _) = link::parse(fragment);
    let mut session = Session::new();
    session.ask(&link.doc);
    session.finish();
    session.cpus().len()
}

/// An ftrace text of nothing but idle events.
fn idle_file(events: u32) -> String {
    let mut text = String::from("# tracer: nop\n#\n");
    for n in 0..events {
        let us = u64::from(n) * 7 + 69_038_757;
        let state = if n % 2 == 0 { n / 16 % 3 } else { u32::MAX };
        let cpu = n / 2 % 8;
        let (seconds, rest) = (us / 1_000_000, us % 1_000_000);
        let _ = writeln!(
            text,
            "          <idle>-0       [00{cpu}] d..1.  {seconds:4}.{rest:06}: cpu_idle: state={state} cpu_id={cpu}"
        );
    }
    text
}

#[test]
fn speed_of_a_run_with_a_hundred_thousand_periods() {
    for governor in ["teo-6.12", "menu-6.6"] {
        time(&format!("run-100k-{governor}"), || {
            run(&format!(
                "w=metronome&gap=40us&jit=30us&run=10us&dur=5s&a={governor}"
            ))
        });
    }
}

/// The name says how much is simulated: `cargo xtask bench browser` prints it as simulated seconds per second.
#[test]
fn speed_of_pipe_test() {
    for cpus in [2, 12] {
        let ms = pipe::SIMULATED.as_ns() / 1_000_000;
        time(&format!("{ms}ms-of-pipe-test-on-{cpus}-CPUs"), || {
            let mut engine = pipe::engine("teo-6.12", cpus);
            let mut record = engine.record();
            while engine.run(u64::MAX, &mut record, &mut Off) != Progress::Done {}
            record.decisions()
        });
    }
}

#[test]
fn speed_of_the_text_reader() {
    let text = idle_file(400_000);
    time("read-400k-events", || {
        let mut reader = Reader::new(Limits::default());
        for chunk in text.as_bytes().chunks(1 << 20) {
            reader.feed(chunk).expect("a sound trace");
        }
        reader.finish().expect("a sound trace").events.len()
    });
}
