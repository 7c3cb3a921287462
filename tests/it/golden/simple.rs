//! Vectors of ladder, haltpoll and mobile: every choice and every counter after reflect.

use idlescope::cpuidle::catalog::Choice;
use idlescope::cpuidle::haltpoll::{Params, Rules, Shrinking};
use idlescope::cpuidle::{
    Decision, Device, Governor, Kernel, SleepLength, Snapshot, StateMask, StateTable, TickChoice, Wakeup,
};
use idlescope::probe::{Off, Steps};
use idlescope::tick::Hz;
use idlescope::tick::irq_timings::{IrqTimings, Watched};
use idlescope::units::{Ns, StateIdx, Time};
use serde::Deserialize;
use serde_json::{Value, json};

use super::governors::{State, table};
use super::{Claim, Difference, File};

/// Which choice answers for which folder.
pub const CLAIMS: &[(&str, &str)] = &[
    ("ladder/v4.19", "ladder-4.19"),
    ("ladder/v6.1", "ladder-5.5"),
    ("ladder/v7.2", "ladder-5.5"),
    ("haltpoll/v5.10", "haltpoll-5.4"),
    ("haltpoll/v6.12", "haltpoll-6.12"),
    ("haltpoll/v7.2", "haltpoll-6.12"),
    ("mobile/2019-06", "mobile-2019"),
];

pub fn claims() -> Vec<Claim> {
    CLAIMS
        .iter()
        .map(|(folder, name)| {
            let choice: Choice = name.parse().unwrap();
            Claim {
                folder: (*folder).to_owned(),
                by: (*name).to_owned(),
                replay: Box::new(move |file| replay(choice, file)),
            }
        })
        .collect()
}

#[derive(Deserialize)]
struct Header {
    hz: u32,
    states: Vec<State>,
    params: Option<GivenParams>,
    #[serde(default)]
    irqs: Vec<u16>,
}

#[derive(Deserialize)]
struct GivenParams {
    guest_halt_poll_ns: u32,
    guest_halt_poll_shrink: u32,
    guest_halt_poll_grow: u32,
    guest_halt_poll_grow_start: u32,
    guest_halt_poll_allow_shrink: bool,
}

#[derive(Deserialize)]
struct Row {
    now: i64,
    r#in: Input,
    out: Value,
    wake: Wake,
    after: Value,
}

#[derive(Deserialize)]
struct Input {
    latency_req: i64,
    disabled_mask: u16,
    #[serde(default)]
    sleep_length: i64,
    #[serde(default)]
    delta_tick: i64,
    #[serde(default)]
    irqs: Vec<(i64, u16)>,
    #[serde(default)]
    jiffies: u64,
    irq_next_event: Option<i64>,
}

#[derive(Deserialize)]
struct Wake {
    entered: i64,
    residency_ns: i64,
    got_tick: bool,
    need_resched: bool,
    poll_limit_ns: Option<i64>,
    poll_time_limit: Option<bool>,
    jiffies: Option<u64>,
}

struct Line<'a> {
    row: &'a Row,
    timings: &'a mut IrqTimings,
    predicted: Option<Option<Time>>,
    queried: bool,
    woken: bool,
}

impl<'a> Line<'a> {
    fn of(row: &'a Row, timings: &'a mut IrqTimings) -> Self {
        Self {
            row,
            timings,
            predicted: None,
            queried: false,
            woken: false,
        }
    }
}

impl Kernel for Line<'_> {
    fn now(&self) -> Time {
        Time::from_ns(self.row.now)
    }
    fn latency_req(&self) -> Ns {
        Ns::new(self.row.r#in.latency_req)
    }
    fn disabled(&self) -> StateMask {
        StateMask::from_bits(self.row.r#in.disabled_mask)
    }
    fn tick_stopped(&self) -> bool {
        false
    }
    fn sleep_length(&mut self) -> SleepLength {
        self.queried = true;
        SleepLength {
            to_event: Ns::new(self.row.r#in.sleep_length),
            to_event_or_tick: Ns::new(self.row.r#in.delta_tick),
        }
    }
    fn nr_iowait(&self) -> u32 {
        0
    }
    fn load(&self) -> u64 {
        0
    }
    fn utilization(&self) -> u64 {
        0
    }
    fn next_interrupt(&mut self) -> Option<Time> {
        let next = self.timings.next_event(self.now());
        self.predicted = Some(next);
        next
    }
    fn jiffies(&self) -> u64 {
        let at_wakeup = self.row.wake.jiffies.filter(|_| self.woken);
        at_wakeup.unwrap_or(self.row.r#in.jiffies)
    }
    fn need_resched(&self) -> bool {
        self.woken && self.row.wake.need_resched
    }
    fn time_to_wakeup(&self) -> Option<Ns> {
        None
    }
}

/// One CPU of a file.
struct Cpu {
    table: StateTable,
    tick: Ns,
    governor: Governor,
    device: Device,
    timings: IrqTimings,
}

impl Cpu {
    fn line(&mut self, number: usize, row: &Row) -> Result<(), Difference> {
        for (at, line) in &row.r#in.irqs {
            self.timings.record(*line, Time::from_ns(*at));
        }
        let before = (self.governor.clone(), self.device.clone(), self.timings.clone());
        let limit = self.device.poll_limit.unwrap_or(Ns::ZERO);
        let mut kernel = Line::of(row, &mut self.timings);
        let decision = self
            .governor
            .select(&self.table, self.tick, &mut self.device, &mut kernel, &mut Off);
        check(number, row, &self.governor, limit, decision, &kernel).map_err(|mut difference| {
            let (mut governor, mut device, mut timings) = before;
            let mut again = Line::of(row, &mut timings);
            let mut steps = Steps::<idlescope::cpuidle::Step>::default();
            governor.select(&self.table, self.tick, &mut device, &mut again, &mut steps);
            difference.steps = steps.0.iter().map(|step| format!("{step:?}")).collect();
            difference
        })?;
        kernel.woken = true;
        if let Some(limit) = row.wake.poll_limit_ns {
            self.device.poll_limit = Some(Ns::new(limit));
            self.device.poll_timed_out = row.wake.poll_time_limit == Some(true);
        }
        self.device.last_residency = Ns::new(row.wake.residency_ns);
        if let Ok(entered) = u8::try_from(row.wake.entered) {
            let wakeup = Wakeup {
                entered: StateIdx::new(entered),
                got_tick: row.wake.got_tick,
            };
            self.governor
                .reflect(&self.table, self.tick, &mut self.device, &kernel, wakeup);
        } else {
            self.device.last_residency = Ns::ZERO;
        }
        Difference::check_object(number, "after", &row.after, &self.written(&row.after))
    }

    /// The memory in the words of the files.
    fn written(&self, like: &Value) -> Value {
        let len = self.table.len();
        match self.governor.snapshot() {
            Snapshot::Ladder(ladder) => {
                let mut value = json!({
                    "last_state_idx": ladder.rung.map(StateIdx::number),
                    "promotion_count": &ladder.promotions[..len],
                    "demotion_count": &ladder.demotions[..len],
                });
                let residency = self.device.last_residency;
                if like.get("last_residency_us").is_some() {
                    value["last_residency_us"] = json!(residency.div_floor(Ns::from_us(1)));
                } else {
                    value["last_residency_ns"] = json!(residency.as_ns());
                }
                value
            }
            Snapshot::Haltpoll(haltpoll) => json!({
                "last_state_idx": haltpoll.last.number(),
                "poll_limit_ns": self.device.poll_limit.map_or(0, Ns::as_ns),
                "poll_time_limit": self.device.poll_timed_out,
            }),
            Snapshot::Mobile(mobile) => json!({
                "idle_ema_avg_us": mobile.mean_us,
                "idle_total_us": mobile.total_us,
                "last_jiffies": mobile.last_jiffies,
            }),
            Snapshot::Teo(_) | Snapshot::Menu(_) | Snapshot::LastValue(_) | Snapshot::Nothing => Value::Null,
        }
    }
}

fn check(
    number: usize,
    row: &Row,
    governor: &Governor,
    limit: Ns,
    decision: Decision,
    kernel: &Line<'_>,
) -> Result<(), Difference> {
    let found = json!({
        "state": decision.state.number(),
        "stop_tick": decision.tick == TickChoice::Stop,
        "sleep_length_queried": kernel.queried,
        "poll_limit_ns": matches!(governor, Governor::Haltpoll(_)).then(|| limit.as_ns()),
    });
    Difference::check_object(number, "out", &row.out, &found)?;
    if let Some(predicted) = kernel.predicted {
        let predicted = predicted.map(Time::as_ns);
        Difference::check(number, "in.irq_next_event", &row.r#in.irq_next_event, &predicted)?;
    }
    Ok(())
}

fn replay(choice: Choice, file: &File) -> Result<usize, Difference> {
    let header: Header = file.header();
    let (table, _) = table(&header.states);
    let mut governor = choice.build(1_024);
    if let (Governor::Haltpoll(haltpoll), Some(given)) = (&mut governor, &header.params) {
        haltpoll.set_rules(Rules {
            params: Params {
                max_ns: given.guest_halt_poll_ns,
                grow: given.guest_halt_poll_grow,
                grow_start_ns: given.guest_halt_poll_grow_start,
                shrink: given.guest_halt_poll_shrink,
                shrinking: if given.guest_halt_poll_allow_shrink {
                    Shrinking::Allowed
                } else {
                    Shrinking::Forbidden
                },
            },
            ..haltpoll.rules()
        });
    }
    let mut timings = IrqTimings::new(Watched::Added);
    for line in header.irqs {
        timings.watch(line);
    }
    let mut cpu = Cpu {
        table,
        tick: Hz::new(header.hz).unwrap().period(),
        governor,
        device: Device::default(),
        timings,
    };
    let mut lines = 0;
    for (number, row) in file.rows::<Row>() {
        cpu.line(number, &row)?;
        lines += 1;
    }
    Ok(lines)
}
