//! Speed of one decision: select and reflect of two governors over the committed golden files,
//! nobody listening. The kernel's own C takes 31 to 45 ns on such machines; stay within 1.5 times.

use std::fs;
use std::hint::black_box;
use std::io::Read;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use flate2::read::GzDecoder;
use idlescope::cpuidle::{
    Choice, Device, Governor, IdleState, Kernel, SleepLength, StateMask, StateTable, Wakeup,
};
use idlescope::probe::Off;
use idlescope::units::{Ns, StateIdx, Time};
use serde_json::Value;

/// One line, ready to be asked.
struct Line {
    cpu: usize,
    now: Time,
    clock: Time,
    latency_req: Ns,
    disabled: StateMask,
    tick_stopped: bool,
    sleep_length: SleepLength,
    nr_iowait: u32,
    utilization: u64,
    entered: Option<StateIdx>,
    got_tick: bool,
    residency: Ns,
    poll_timed_out: bool,
}

/// A line and the clock that moves from select to reflect.
struct Moment<'a> {
    line: &'a Line,
    now: Time,
}

impl Kernel for Moment<'_> {
    fn now(&self) -> Time {
        self.now
    }
    fn latency_req(&self) -> Ns {
        self.line.latency_req
    }
    fn disabled(&self) -> StateMask {
        self.line.disabled
    }
    fn tick_stopped(&self) -> bool {
        self.line.tick_stopped
    }
    fn sleep_length(&mut self) -> SleepLength {
        self.line.sleep_length
    }
    fn nr_iowait(&self) -> u32 {
        self.line.nr_iowait
    }
    fn load(&self) -> u64 {
        0
    }
    fn utilization(&self) -> u64 {
        self.line.utilization
    }
    fn next_interrupt(&mut self) -> Option<Time> {
        None
    }
    fn jiffies(&self) -> u64 {
        0
    }
    fn need_resched(&self) -> bool {
        false
    }
    fn time_to_wakeup(&self) -> Option<Ns> {
        None
    }
}

struct Recording {
    table: StateTable,
    tick: Ns,
    cpus: Vec<(Governor, Device)>,
    lines: Vec<Line>,
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_default()
}

fn line(row: &Value, always_disabled: u16) -> Line {
    let (input, wake) = (&row["in"], &row["wake"]);
    let disabled = input["disabled_mask"]
        .as_u64()
        .and_then(|mask| u16::try_from(mask).ok());
    Line {
        cpu: usize::try_from(number(&row["cpu"])).unwrap_or_default(),
        now: Time::from_ns(number(&row["now"])),
        clock: Time::from_ns(number(&wake["clock"])),
        latency_req: Ns::new(number(&input["latency_req"])),
        disabled: StateMask::from_bits(disabled.unwrap_or(always_disabled)),
        tick_stopped: input["tick_stopped"] == true,
        sleep_length: SleepLength {
            to_event: Ns::new(number(&input["sleep_length"])),
            to_event_or_tick: Ns::new(number(&input["delta_tick"])),
        },
        nr_iowait: u32::try_from(number(&input["nr_iowait"])).unwrap_or_default(),
        utilization: input["util"].as_u64().unwrap_or_default(),
        entered: u8::try_from(number(&wake["entered"])).ok().map(StateIdx::new),
        got_tick: wake["got_tick"] == true,
        residency: Ns::new(number(&wake["residency_ns"])),
        poll_timed_out: wake["poll_timeout"] == true,
    }
}

fn recording(choice: Choice, path: &Path) -> Recording {
    let mut text = String::new();
    let gz = fs::File::open(path).expect("the committed subset is there");
    GzDecoder::new(gz)
        .read_to_string(&mut text)
        .expect("a golden file is gz and UTF-8");
    let mut rows = text
        .lines()
        .map(|row| serde_json::from_str::<Value>(row).expect("a golden line is JSON"));
    let header = rows.next().expect("a golden file has a header");
    let states = header["states"].as_array().expect("a header has states");
    let always_disabled = states
        .iter()
        .enumerate()
        .filter(|(_, state)| state["disabled"] == true)
        .fold(0, |mask, (idx, _)| mask | (1 << idx));
    let table = states
        .iter()
        .map(|state| IdleState {
            name: String::new(),
            exit_latency: Ns::new(number(&state["exit_latency_ns"])),
            target_residency: Ns::new(number(&state["target_residency_ns"])),
            polling: state["polling"] == true,
            timer_stop: false,
        })
        .collect();
    let cpus = usize::try_from(number(&header["cpus"])).unwrap_or(1);
    let capacity = header["max_capacity"].as_u64().unwrap_or(1024);
    Recording {
        table: StateTable::new(table).expect("a table of a real machine"),
        tick: Ns::new(number(&header["tick_ns"])),
        cpus: vec![(choice.build(capacity), Device::default()); cpus],
        lines: rows.map(|row| line(&row, always_disabled)).collect(),
    }
}

/// Every decision of a recording; the sum of the states keeps the work from being left out.
fn run(recording: &Recording) -> u32 {
    let mut cpus = recording.cpus.clone();
    let mut states = 0;
    for line in &recording.lines {
        let Some((governor, device)) = cpus.get_mut(line.cpu) else {
            continue;
        };
        let mut kernel = Moment { line, now: line.now };
        let decision = governor.select(&recording.table, recording.tick, device, &mut kernel, &mut Off);
        states += u32::from(decision.state.number());
        device.last_residency = line.residency;
        if let Some(entered) = line.entered {
            if recording.table.is_polling(entered) {
                device.poll_timed_out = line.poll_timed_out;
            }
            kernel.now = line.clock;
            let wakeup = Wakeup {
                entered,
                got_tick: line.got_tick,
            };
            governor.reflect(&recording.table, recording.tick, device, &kernel, wakeup);
        }
    }
    states
}

fn decision(c: &mut Criterion) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/golden");
    let mut group = c.benchmark_group("decision");
    for (name, folder) in [("teo-6.12", "teo/v6.12"), ("menu-6.6", "menu/v6.6")] {
        let choice: Choice = name.parse().expect("in the catalogue");
        let mut paths: Vec<_> = fs::read_dir(root.join(folder))
            .expect("the committed subset is there")
            .map(|entry| entry.expect("readable").path())
            .collect();
        paths.sort();
        let recordings: Vec<Recording> = paths.iter().map(|path| recording(choice, path)).collect();
        let decisions: usize = recordings.iter().map(|recording| recording.lines.len()).sum();
        group.throughput(Throughput::Elements(u64::try_from(decisions).unwrap_or(u64::MAX)));
        group.bench_function(name, |b| {
            b.iter(|| {
                recordings
                    .iter()
                    .map(|recording| run(black_box(recording)))
                    .sum::<u32>()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, decision);
criterion_main!(benches);
