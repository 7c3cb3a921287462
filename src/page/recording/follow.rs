//! A governor on the recorded path (spec replay-inputs.md §1).
//!
//! The governor is asked at every recorded select with the rebuilt inputs. Afterwards it is told what the RECORDED kernel
//! did: state, residency, tick. A wrong choice thus does not steer later ones; a wrong input does, through the
//! governor's memory, so disagreements come in runs.
//!
//! ```text
//!   row n:  inputs ──> select ──> compared with the recorded state and tick
//!                        ^                       │
//!           reflect <── recorded state, residency, got_tick of row n
//! ```

use crate::cpuidle::{
    Choice, Decision, Device, Governor, Kernel, SleepLength, StateMask, StateTable, Step, TickChoice, Wakeup,
    poll,
};
use crate::probe::{Off, Probe, Steps};
use crate::sim::{Keep, NO_LATENCY_LIMIT};
use crate::units::{CpuId, Ns, Time};
use crate::workload::replay::{Clock, Inputs, Machine, Replay, Select, Tuning};

/// Whether an unexplained running tick counts as held by a keep reason (spec §2.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeepRule {
    /// Never: nothing but the evaluation at stops is taken from the recorded tick decisions.
    Strict,
    /// When the governor asks to stop and the recorded kernel did not: the select is done again with the tick held.
    /// This explains any missed stop.
    Inferred,
}

/// What to follow, and how.
#[derive(Clone, Copy, Debug)]
pub struct Path<'a> {
    /// The rows of each CPU.
    pub rows: &'a [Vec<Select>],
    /// The tick grid.
    pub clock: Clock,
    /// The machine that recorded.
    pub machine: &'a Machine,
    /// The governor that is thought to have run there.
    pub governor: Choice,
    /// See [`super::hidden`].
    pub hidden: Time,
    /// Constants of the machine.
    pub tuning: &'a Tuning,
}

impl<'a> Path<'a> {
    /// The path of a whole trace, without a hidden hrtimer.
    #[must_use]
    pub fn of(replay: &'a Replay, machine: &'a Machine, governor: Choice) -> Self {
        Self {
            rows: &replay.selects,
            clock: replay.constants.clock,
            machine,
            governor,
            hidden: Time::NEVER,
            tuning: &replay.tuning,
        }
    }
}

/// One row's select, done again.
#[derive(Clone, Debug)]
pub struct Followed<'a> {
    /// The CPU.
    pub cpu: CpuId,
    /// Which select of this CPU.
    pub row: usize,
    /// The recorded select.
    pub select: &'a Select,
    /// What the governor read.
    pub inputs: Inputs,
    /// A keep reason was inferred.
    pub kept: bool,
    /// What it chose.
    pub decision: Decision,
    /// Its steps, where they were asked for and the states differ.
    pub steps: Vec<Step>,
}

impl Followed<'_> {
    /// Whether the state is the recorded one.
    #[must_use]
    pub fn state_agrees(&self) -> bool {
        self.decision.state == self.select.state
    }

    /// Whether the tick is stopped or retained as recorded; none when it was stopped before.
    #[must_use]
    pub fn tick_agrees(&self) -> Option<bool> {
        let stops = self.decision.tick == TickChoice::Stop && !self.inputs.must_keep;
        (!self.select.was_stopped).then_some(stops == self.select.stopped_now)
    }
}

/// Whether the steps of differing decisions are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Explain {
    /// No.
    Nothing,
    /// Yes.
    Differences,
}

/// The governor around one select.
#[derive(Clone, Copy, Debug)]
pub struct Minds<'g> {
    /// After the last reflect, with nothing learnt from it yet.
    pub before: &'g Governor,
    /// After the select, which began with learning.
    pub after: &'g Governor,
}

/// Does every select again and shows each to `see`, CPU by CPU, in time order.
pub fn follow<'a>(path: &Path<'a>, rule: KeepRule, explain: Explain, mut see: impl FnMut(&Followed<'a>)) {
    follow_minds(path, rule, explain, |followed, _| see(followed));
}

/// The same, and the governor with it.
pub fn follow_minds<'a>(
    path: &Path<'a>,
    rule: KeepRule,
    explain: Explain,
    mut see: impl FnMut(&Followed<'a>, Minds<'_>),
) {
    for (cpu, rows) in (0..=u16::MAX).map(CpuId::new).zip(path.rows) {
        let mut one = OneCpu::new(path, cpu);
        let mut previous: Option<&Select> = None;
        for (row, select) in rows.iter().enumerate() {
            one.reflect(previous.filter(|_| select.after_reflect));
            one.select(row, select, rule, explain, &mut see);
            previous = Some(select);
        }
    }
}

struct OneCpu<'p> {
    path: &'p Path<'p>,
    cpu: CpuId,
    table: &'p StateTable,
    governor: Governor,
    device: Device,
}

impl<'p> OneCpu<'p> {
    fn new(path: &'p Path<'p>, cpu: CpuId) -> Self {
        Self {
            path,
            cpu,
            table: path.machine.table(cpu),
            governor: path.governor.build(1024),
            device: Device {
                // The kernel did not boot at the first event: no entry has failed.
                last_residency: Ns::new(1),
                ..Device::default()
            },
        }
    }

    fn reflect(&mut self, previous: Option<&Select>) {
        let Some(previous) = previous else {
            return;
        };
        let tuning = self.path.tuning;
        let Some(residency) = previous.residency(tuning.residency) else {
            return;
        };
        let tick = self.path.clock.tick;
        self.device.last_residency = residency.max(Ns::new(1));
        self.device.poll_timed_out = self.table.is_polling(previous.state)
            && residency
                >= poll::PollLimit::FirstWorthwhileState.limit(
                    self.table,
                    self.path.machine.disabled,
                    tick,
                    None,
                );
        let wakeup = Wakeup {
            entered: previous.state,
            got_tick: previous.got_tick,
        };
        let told = Told::of(
            self.path,
            previous,
            previous.inputs(self.path.clock, self.path.hidden, Keep::None),
        );
        self.governor
            .reflect(self.table, tick, &mut self.device, &told, wakeup);
    }

    fn select<'a>(
        &mut self,
        row: usize,
        select: &'a Select,
        rule: KeepRule,
        explain: Explain,
        see: &mut impl FnMut(&Followed<'a>, Minds<'_>),
    ) {
        let before = (self.governor.clone(), self.device.clone());
        let mut kept = false;
        let mut inputs = self.inputs(select, Keep::None);
        let mut decision = self.ask(select, inputs, &mut Off);
        let missed_stop = decision.tick == TickChoice::Stop
            && !inputs.must_keep
            && !select.was_stopped
            && !select.stopped_now;
        if missed_stop && rule == KeepRule::Inferred {
            kept = true;
            inputs = self.inputs(select, Keep::Unknown);
            (self.governor, self.device) = before.clone();
            decision = self.ask(select, inputs, &mut Off);
        }
        let mut steps = Steps::default();
        if explain == Explain::Differences && decision.state != select.state {
            let after = (self.governor.clone(), self.device.clone());
            (self.governor, self.device) = before.clone();
            self.ask(select, inputs, &mut steps);
            (self.governor, self.device) = after;
        }
        let followed = Followed {
            cpu: self.cpu,
            row,
            select,
            inputs,
            kept,
            decision,
            steps: steps.0,
        };
        let minds = Minds {
            before: &before.0,
            after: &self.governor,
        };
        see(&followed, minds);
    }

    fn inputs(&self, select: &Select, keep: Keep) -> Inputs {
        select.inputs(self.path.clock, self.path.hidden, keep)
    }

    fn ask<P: Probe<Step>>(&mut self, select: &Select, inputs: Inputs, probe: &mut P) -> Decision {
        let mut told = Told::of(self.path, select, inputs);
        let tick = self.path.clock.tick;
        self.governor
            .select(self.table, tick, &mut self.device, &mut told, probe)
    }
}

/// The kernel as the rebuilt inputs show it.
struct Told {
    now: Time,
    tick_stopped: bool,
    sleep: SleepLength,
    disabled: StateMask,
    to_wakeup: Option<Ns>,
}

impl Told {
    fn of(path: &Path, select: &Select, inputs: Inputs) -> Self {
        Self {
            now: select.now,
            tick_stopped: select.was_stopped,
            sleep: inputs.sleep,
            disabled: path.machine.disabled,
            to_wakeup: select.exit.map(|exit| exit.saturating_since(select.now)),
        }
    }
}

impl Kernel for Told {
    fn now(&self) -> Time {
        self.now
    }
    fn latency_req(&self) -> Ns {
        NO_LATENCY_LIMIT
    }
    fn disabled(&self) -> StateMask {
        self.disabled
    }
    fn tick_stopped(&self) -> bool {
        self.tick_stopped
    }
    fn sleep_length(&mut self) -> SleepLength {
        self.sleep
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
        None
    }
    fn jiffies(&self) -> u64 {
        0
    }
    fn need_resched(&self) -> bool {
        false
    }
    fn time_to_wakeup(&self) -> Option<Ns> {
        self.to_wakeup
    }
}
