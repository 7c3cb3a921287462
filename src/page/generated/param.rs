//! Parameters of generated workloads: their keys, names, ranges and defaults.

use serde::{Deserialize, Serialize};

use crate::units::Ns;

/// A parameter of a generated workload; its key in links is [`Param::key`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Param {
    /// Length of a pause (mean, if random), ns.
    Gap,
    /// Work per wakeup, ns.
    Run,
    /// Half-width of a uniform jitter of the pause, ns.
    Jitter,
    /// 1: every pause is exactly `gap`; 0: exponentially distributed with that mean.
    Fixed,
    /// Period of the timer grid, ns; 0 is no timer.
    TimerGrid,
    /// 1: the interrupt wakes a task; 0: its handler only, the idle visit goes on.
    WakesTask,
    /// Length of the very first pause, ns; 0 is as the others.
    First,
    /// Pairs that pass a token.
    Pairs,
    /// 1: the sides of a pair run on two cores; 0: on the threads of one.
    Cross,
    /// Mean distance of timers on every CPU, ns; 0 is none.
    Alarms,
    /// Clients, each with a server; or interrupts.
    HowMany,
    /// Probability of an interrupt, per cent.
    Percent,
    /// Distance of steady timers, ns.
    Quiet,
    /// The pause after a burst, ns.
    Silence,
    /// The pause's own timer is uniform from half of this to this, ns.
    OwnTimer,
    /// 1: a woken task runs on an idle CPU; 0: on the waker's.
    Spread,
    /// Tokens of one burst.
    Tokens,
    /// Frames per second.
    Frames,
    /// Mean distance of real timers of each CPU, ns.
    Timers,
    /// Mean distance of interrupts of each CPU that wake no task, ns; 0 is none.
    Interrupts,
    /// Wakeups per second of each thread.
    Rate,
    /// Number of CPUs.
    Cpus,
    /// 1: another CPU wakes through a pipe; 0: the CPU's own timer.
    ByPipe,
    /// The first distance of a sweep, ns.
    From,
    /// What is added to it each time, ns.
    Step,
    /// The largest distance, ns.
    To,
    /// How long each distance is kept, ns.
    Hold,
    /// How long a device takes, ns.
    Device,
    /// How many wakeups follow.
    Followers,
    /// Mean length of an active phase, ns.
    Active,
    /// Mean distance of requests, ns.
    Every,
    /// 1: idle CPUs serve in turn; 0: the first one.
    InTurn,
    /// Simulated time, ns.
    Duration,
    /// Seed of the random ones.
    Seed,
}

/// How a parameter is written and which values it may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A duration in ns, written with its unit.
    Time {
        /// Smallest value allowed.
        min: Ns,
        /// Largest value allowed.
        max: Ns,
    },
    /// An integer.
    Count {
        /// Smallest value allowed.
        min: i64,
        /// Largest value allowed.
        max: i64,
    },
    /// 0 or 1.
    Switch,
}

/// One parameter of one pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Which parameter.
    pub param: Param,
    /// Its range.
    pub kind: Kind,
    /// Its value when nothing is said: ns, a count, or 0 and 1.
    pub default: i64,
    /// 0 is allowed beside the range, and means "none".
    pub or_zero: bool,
    /// What it is called in the form.
    pub label: &'static str,
}

impl Param {
    /// Its key in links.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Gap => "gap",
            Self::Run => "run",
            Self::Jitter => "jit",
            Self::Fixed => "fix",
            Self::TimerGrid => "tmr",
            Self::WakesTask => "rs",
            Self::First => "first",
            Self::Pairs => "pairs",
            Self::Cross => "cross",
            Self::Alarms => "alarm",
            Self::HowMany => "n",
            Self::Percent => "p",
            Self::Quiet => "quiet",
            Self::Silence => "q",
            Self::OwnTimer => "own",
            Self::Spread => "spread",
            Self::Tokens => "tok",
            Self::Frames => "fps",
            Self::Timers => "timers",
            Self::Interrupts => "irq",
            Self::Rate => "rate",
            Self::Cpus => "cpus",
            Self::ByPipe => "pipe",
            Self::From => "from",
            Self::Step => "step",
            Self::To => "to",
            Self::Hold => "hold",
            Self::Device => "dev",
            Self::Followers => "wakes",
            Self::Active => "act",
            Self::Every => "every",
            Self::InTurn => "turn",
            Self::Duration => "dur",
            Self::Seed => "seed",
        }
    }

    /// Its label in the form.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Gap => "pause",
            Self::Run => "work per wakeup",
            Self::Jitter => "jitter",
            Self::Fixed => "fixed pause",
            Self::TimerGrid => "timer every",
            Self::WakesTask => "interrupt wakes a task",
            Self::First => "first pause",
            Self::Pairs => "pairs",
            Self::Cross => "on two cores",
            Self::Alarms => "timers every",
            Self::HowMany => "how many",
            Self::Percent => "ended by an interrupt, %",
            Self::Quiet => "timers every",
            Self::Silence => "pause after a burst",
            Self::OwnTimer => "own timer at most",
            Self::Spread => "wake on an idle CPU",
            Self::Tokens => "tokens per burst",
            Self::Frames => "frames per second",
            Self::Timers => "real timers every",
            Self::Interrupts => "interrupts every",
            Self::Rate => "wakeups per second, each",
            Self::Cpus => "CPUs",
            Self::ByPipe => "woken through a pipe",
            Self::From => "distance from",
            Self::Step => "step",
            Self::To => "distance to",
            Self::Hold => "each for",
            Self::Device => "device takes",
            Self::Followers => "wakeups that follow",
            Self::Active => "active for",
            Self::Every => "requests every",
            Self::InTurn => "idle CPUs in turn",
            Self::Duration => "simulated time",
            Self::Seed => "seed",
        }
    }
}

impl Spec {
    /// The same, and 0 allowed for "none".
    pub(super) const fn or_none(self) -> Self {
        Self {
            or_zero: true,
            ..self
        }
    }

    /// The same under another name.
    pub(super) const fn called(self, label: &'static str) -> Self {
        Self { label, ..self }
    }

    /// Whether a value is allowed.
    #[must_use]
    pub const fn allows(&self, value: i64) -> bool {
        if self.or_zero && value == 0 {
            return true;
        }
        match self.kind {
            Kind::Time { min, max } => min.as_ns() <= value && value <= max.as_ns(),
            Kind::Count { min, max } => min <= value && value <= max,
            Kind::Switch => value == 0 || value == 1,
        }
    }
}

pub(super) const fn time(param: Param, default: Ns, min: Ns, max: Ns) -> Spec {
    Spec {
        param,
        kind: Kind::Time { min, max },
        default: default.as_ns(),
        or_zero: false,
        label: param.label(),
    }
}

pub(super) const fn switch(param: Param, default: i64) -> Spec {
    Spec {
        param,
        kind: Kind::Switch,
        default,
        or_zero: false,
        label: param.label(),
    }
}

pub(super) const US: Ns = Ns::from_us(1);
pub(super) const SECOND: Ns = Ns::from_ms(1_000);
pub(super) const MINUTE: Ns = Ns::from_ms(60_000);

pub(super) const SEED: Spec = Spec {
    param: Param::Seed,
    kind: Kind::Count {
        min: 0,
        max: 4_294_967_295,
    },
    default: 1,
    or_zero: false,
    label: Param::Seed.label(),
};

pub(super) const fn count(param: Param, default: i64, min: i64, max: i64) -> Spec {
    Spec {
        param,
        kind: Kind::Count { min, max },
        default,
        or_zero: false,
        label: param.label(),
    }
}
