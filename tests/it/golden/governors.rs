//! Vectors of teo and menu: every choice, every look at the timer, every counter.

use idlescope::cpuidle::catalog::Choice;
use idlescope::cpuidle::poll::PollLimit;
use idlescope::cpuidle::{
    Decision, Device, Governor, IdleState, Kernel, SleepLength, Snapshot, StateMask, StateTable, TickChoice,
    Wakeup, menu, teo,
};
use idlescope::probe::{Off, Steps};
use idlescope::units::{Ns, StateIdx, Time, Us};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Claim, Difference, File, simple};

/// Which choice answers for which folder.
const CLAIMS: &[(&str, &str)] = &[
    ("teo/v5.1", "teo-5.1"),
    ("teo/v5.15", "teo-5.15"),
    ("teo/v6.5", "teo-6.5"),
    ("teo/v6.5-p1", "teo-6.5-p1"),
    ("teo/v6.5-p12", "teo-6.5-p12"),
    ("teo/v6.5-p123", "teo-6.5-p123"),
    ("teo/v6.6", "teo-6.6"),
    ("teo/v6.12", "teo-6.12"),
    ("teo/v6.12.117", "teo-6.12.117"),
    ("teo/v6.14", "teo-6.14"),
    ("teo/v6.19", "teo-6.19"),
    ("teo/v7.0", "teo-7.0"),
    ("teo/v7.1-next", "teo-7.1"),
    ("menu/v4.5", "menu-4.5"),
    ("menu/v4.6-pre", "menu-4.5-p1"),
    ("menu/v4.6", "menu-4.6"),
    ("menu/v4.19", "menu-4.19"),
    ("menu/v5.1", "menu-5.1"),
    ("menu/v6.5", "menu-6.5"),
    ("menu/v6.1.192", "menu-6.1.192"),
    ("menu/v6.6", "menu-6.6"),
    ("menu/v6.12.117", "menu-6.12.117"),
    ("menu/v6.13", "menu-6.13"),
    ("menu/v6.15", "menu-6.15"),
    ("menu/v6.17", "menu-6.17"),
    ("menu/v6.19", "menu-6.19"),
    ("menu/v7.0", "menu-7.0"),
    ("menu/v7.1-next", "menu-7.1"),
];

pub fn claims() -> Vec<Claim> {
    CLAIMS
        .iter()
        .map(|(folder, name)| {
            let choice: Choice = name.parse().unwrap();
            Claim {
                folder: (*folder).to_owned(),
                by: (*name).to_owned(),
                replay: Box::new(move |file| replay(choice, poll_limit(folder), file)),
            }
        })
        .collect()
}

#[test]
fn every_kernel_governor_of_the_catalogue_has_a_folder() {
    for choice in Choice::all() {
        let name = choice.to_string();
        let has_folder = CLAIMS.iter().chain(simple::CLAIMS).any(|(_, by)| *by == name);
        assert_ne!(has_folder, choice.entry().first_release.is_empty(), "{name}");
    }
}

#[derive(Deserialize)]
pub struct Header {
    pub scenario: String,
    pub tick_ns: i64,
    pub cpus: usize,
    pub max_capacity: u64,
    pub states: Vec<State>,
    pub init: Value,
}

#[derive(Deserialize)]
pub struct State {
    pub name: String,
    pub exit_latency_ns: i64,
    pub target_residency_ns: i64,
    pub polling: bool,
    pub disabled: bool,
    #[serde(default)]
    pub timer_stop: bool,
}

#[derive(Clone, Deserialize)]
struct Row {
    now: i64,
    #[serde(default)]
    cpu: usize,
    r#in: Input,
    out: Output,
    wake: Wake,
    after: Value,
}

#[derive(Clone, Deserialize)]
struct Input {
    sleep_length: i64,
    #[serde(default)]
    delta_tick: i64,
    #[serde(default)]
    tick_stopped: bool,
    #[serde(default)]
    load: u64,
    #[serde(default)]
    nr_iowait: u32,
    #[serde(default)]
    util: u64,
    disabled_mask: Option<u16>,
    latency_req: i64,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Output {
    state: u8,
    /// None where the interface has none.
    stop_tick: Option<bool>,
    sleep_length_queried: bool,
    poll_limit_ns: Option<i64>,
}

#[derive(Clone, Deserialize)]
struct Wake {
    entered: i64,
    residency_ns: i64,
    got_tick: bool,
    poll_timeout: bool,
    clock: Option<i64>,
}

/// The table of a header, and the states it says are disabled.
pub fn table(states: &[State]) -> (StateTable, StateMask) {
    let mut disabled = StateMask::NONE;
    for (idx, state) in (0u8..).zip(states) {
        if state.disabled {
            disabled = disabled.with(StateIdx::new(idx));
        }
    }
    let states = states
        .iter()
        .map(|state| IdleState {
            name: state.name.clone(),
            exit_latency: Ns::new(state.exit_latency_ns),
            target_residency: Ns::new(state.target_residency_ns),
            polling: state.polling,
            timer_stop: state.timer_stop,
        })
        .collect();
    (StateTable::new(states).unwrap(), disabled)
}

/// The kernel as one line tells it.
struct Line {
    now: Time,
    disabled: StateMask,
    input: Input,
    queried: bool,
}

impl Kernel for Line {
    fn now(&self) -> Time {
        self.now
    }
    fn latency_req(&self) -> Ns {
        Ns::new(self.input.latency_req)
    }
    fn disabled(&self) -> StateMask {
        self.disabled
    }
    fn tick_stopped(&self) -> bool {
        self.input.tick_stopped
    }
    fn sleep_length(&mut self) -> SleepLength {
        self.queried = true;
        SleepLength {
            to_event: Ns::new(self.input.sleep_length),
            to_event_or_tick: Ns::new(self.input.delta_tick),
        }
    }
    fn nr_iowait(&self) -> u32 {
        self.input.nr_iowait
    }
    fn load(&self) -> u64 {
        self.input.load
    }
    fn utilization(&self) -> u64 {
        self.input.util
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

/// One CPU of a file.
#[derive(Clone)]
struct Cpu {
    governor: Governor,
    device: Device,
}

struct Machine {
    table: StateTable,
    tick: Ns,
    disabled: StateMask,
    poll_limit: PollLimit,
    limit_at: LimitAt,
}

/// When the polling limit was computed and stored. The files show both; no rule of the kernel is behind that.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LimitAt {
    /// At the first period, whatever its state.
    FirstPeriod,
    /// When the polling state was first chosen: files with inputs that do not fit together.
    FirstPolling,
}

impl Machine {
    /// Replays one line on one CPU.
    fn line(&self, cpu: &mut Cpu, number: usize, row: &Row) -> Result<(), Difference> {
        let disabled = row.r#in.disabled_mask.map_or(self.disabled, StateMask::from_bits);
        let mut kernel = Line {
            now: Time::from_ns(row.now),
            disabled,
            input: row.r#in.clone(),
            queried: false,
        };
        let before = cpu.clone();
        let decision = cpu
            .governor
            .select(&self.table, self.tick, &mut cpu.device, &mut kernel, &mut Off);
        if self.limit_at == LimitAt::FirstPeriod || self.table.is_polling(decision.state) {
            let stored = cpu.device.poll_limit;
            let limit = self.poll_limit.limit(&self.table, disabled, self.tick, stored);
            cpu.device.poll_limit = Some(limit);
        }
        self.check_decision(cpu, number, row, decision, kernel.queried)
            .map_err(|mut difference| {
                let mut cpu = before;
                let mut steps = Steps::<idlescope::cpuidle::Step>::default();
                let device = &mut cpu.device;
                cpu.governor
                    .select(&self.table, self.tick, device, &mut kernel, &mut steps);
                difference.steps = steps.0.iter().map(|step| format!("{step:?}")).collect();
                difference
            })?;
        self.wake(cpu, row, &mut kernel);
        self.check_after(cpu, number, row)
    }

    fn check_decision(
        &self,
        cpu: &Cpu,
        line: usize,
        row: &Row,
        decision: Decision,
        queried: bool,
    ) -> Result<(), Difference> {
        let polling = self.table.is_polling(decision.state);
        let limit = cpu.device.poll_limit.map(Ns::as_ns).filter(|_| polling);
        let stop = decision.tick == TickChoice::Stop;
        let expected = &row.out;
        Difference::check(line, "out.state", &expected.state, &decision.state.number())?;
        if let Some(expected) = expected.stop_tick {
            Difference::check(line, "out.stop_tick", &expected, &stop)?;
        }
        let asked = &expected.sleep_length_queried;
        Difference::check(line, "out.sleep_length_queried", asked, &queried)?;
        Difference::check(line, "out.poll_limit_ns", &expected.poll_limit_ns, &limit)
    }

    /// What happens from entry to reflect.
    fn wake(&self, cpu: &mut Cpu, row: &Row, kernel: &mut Line) {
        let entered = u8::try_from(row.wake.entered).ok().map(StateIdx::new);
        if entered.is_some_and(|idx| self.table.is_polling(idx)) {
            cpu.device.poll_timed_out = row.wake.poll_timeout;
        }
        cpu.device.last_residency = Ns::new(row.wake.residency_ns);
        if let Some(clock) = row.wake.clock {
            kernel.now = Time::from_ns(clock);
        }
        if let Some(entered) = entered {
            let wakeup = Wakeup {
                entered,
                got_tick: row.wake.got_tick,
            };
            cpu.governor
                .reflect(&self.table, self.tick, &mut cpu.device, kernel, wakeup);
        }
    }

    /// What the next select would begin with, done on a copy.
    fn check_after(&self, cpu: &Cpu, line: usize, row: &Row) -> Result<(), Difference> {
        let mut next = cpu.clone();
        let mut steps = Steps::<idlescope::cpuidle::Step>::default();
        next.governor
            .update(&self.table, self.tick, &mut next.device, &mut steps);
        let found = written(next.governor.snapshot(), self.table.len());
        Difference::check_object(line, "after", &row.after, &found).map_err(|mut difference| {
            difference.steps = steps.0.iter().map(|step| format!("{step:?}")).collect();
            difference
        })
    }
}

/// The polling limit of the folder's kernel.
fn poll_limit(folder: &str) -> PollLimit {
    match folder.rsplit('/').next().unwrap_or_default() {
        "v4.5" | "v4.6-pre" | "v4.6" | "v4.19" => PollLimit::Fixed,
        "v5.1" => PollLimit::FirstState,
        _ => PollLimit::FirstWorthwhileState,
    }
}

fn replay(choice: Choice, poll_limit: PollLimit, file: &File) -> Result<usize, Difference> {
    let header: Header = file.header();
    let (table, disabled) = table(&header.states);
    let machine = Machine {
        table,
        tick: Ns::new(header.tick_ns),
        disabled,
        poll_limit,
        limit_at: if header.scenario.ends_with("adversarial") {
            LimitAt::FirstPolling
        } else {
            LimitAt::FirstPeriod
        },
    };
    let fresh = Cpu {
        governor: choice.build(header.max_capacity),
        device: Device::default(),
    };
    let init = written(fresh.governor.snapshot(), machine.table.len());
    Difference::check_object(1, "init", &header.init, &init)?;
    let mut cpus = vec![fresh; header.cpus];
    let mut lines = 0;
    for (number, row) in file.rows::<Row>() {
        machine.line(&mut cpus[row.cpu], number, &row)?;
        lines += 1;
    }
    Ok(lines)
}

/// A governor's memory in the words of the files.
fn written(snapshot: Snapshot, len: usize) -> Value {
    match snapshot {
        Snapshot::Teo(teo::Snapshot::Bins(bins)) => written_teo(&bins, len),
        Snapshot::Teo(teo::Snapshot::EarlyHits(early)) => json!({
            "early_hits": &early.early_hits[..len],
            "hits": &early.hits[..len],
            "misses": &early.misses[..len],
            "intervals": early.intervals.map(Us::as_us),
            "interval_idx": early.next,
        }),
        Snapshot::Menu(menu) => written_menu(&menu),
        Snapshot::Ladder(_)
        | Snapshot::Haltpoll(_)
        | Snapshot::Mobile(_)
        | Snapshot::LastValue(_)
        | Snapshot::Nothing => Value::Null,
    }
}

fn written_teo(teo: &teo::BinsSnapshot, len: usize) -> Value {
    let mut value = json!({
        "hits": &teo.hits[..len],
        "intercepts": &teo.intercepts[..len],
        "total": teo.total,
    });
    if let Some(recent) = &teo.recent {
        value["recent"] = json!(&recent.counts[..len]);
        value["recent_idx"] = recent
            .slots
            .iter()
            .map(|slot| slot.map_or(-1, |idx| i64::from(idx.number())))
            .collect();
        value["next_recent_idx"] = json!(recent.next);
    }
    if let Some(short) = &teo.short {
        value["short_idles"] = json!(short.short_idles);
        value["tick_intercepts"] = json!(short.tick_intercepts);
        if let Some(tick_wakeups) = short.tick_wakeups {
            value["total_tick"] = json!(tick_wakeups);
        }
    }
    if let Some(tick_hits) = teo.tick_hits {
        value["tick_hits"] = json!(tick_hits);
    }
    value
}

fn written_menu(menu: &menu::Snapshot) -> Value {
    json!({
        "correction_factor": &menu.factors[..menu.buckets.into()],
        "bucket": menu.bucket,
        "intervals": menu.intervals.as_slice().iter().map(|us| us.as_us()).collect::<Vec<_>>(),
        "interval_ptr": menu.next,
    })
}

/// Alters the first `"state":3` of a file's decisions and expects to be told so.
#[test]
fn a_difference_names_line_field_both_values_and_the_steps() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/golden");
    let mut file = File::read(&root.join("teo/v6.12/skl-mixed.jsonl.gz"));
    let line = 1 + file
        .text
        .lines()
        .position(|line| line.contains("\"state\":3"))
        .unwrap();
    file.text = file.text.replacen("\"state\":3", "\"state\":1", 1);
    let difference = replay(
        "teo-6.12".parse().unwrap(),
        PollLimit::FirstWorthwhileState,
        &file,
    )
    .unwrap_err();
    assert_eq!(difference.line, line);
    assert_eq!(difference.field, "out.state");
    assert_eq!((&*difference.expected, &*difference.found), ("1", "3"));
    assert!(difference.steps.iter().any(|step| step.contains("Intercepts")));
}
