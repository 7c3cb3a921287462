//! Generated workloads as the page offers them: their parameters, ranges and defaults.
//!
//! One table drives the link grammar, the form in the header and the check of typed values.
//! Sources: design/lessons.md §4 (patterns, parameters, defaults).

use serde::{Deserialize, Serialize};

use crate::units::Ns;

/// Which pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Pattern {
    /// Every pause is ended by a timer armed when the work ends.
    Metronome,
    /// Every pause is ended by an interrupt; timers lie on a grid of their own.
    Doorbell,
    /// Each pause is ended by an interrupt with a given probability, else by its own timer.
    Mixed,
    /// Interrupts close together, then silence, and again.
    Burst,
    /// Steady timers, and a few early interrupts at the start.
    Knock,
    /// Pairs of tasks pass a token as fast as they can.
    PipeTest,
    /// Clients ask servers and wait for the answer.
    Tbench,
    /// An idle machine on which tokens are passed in bursts.
    Bursts,
    /// A phone that scrolls a light application.
    Jetnews,
    /// A phone that runs a benchmark.
    Geekbench,
    /// A busy server with many CPUs.
    Server,
}

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
}

const fn time(param: Param, default: Ns, min: Ns, max: Ns) -> Spec {
    Spec {
        param,
        kind: Kind::Time { min, max },
        default: default.as_ns(),
        or_zero: false,
    }
}

const fn switch(param: Param, default: i64) -> Spec {
    Spec {
        param,
        kind: Kind::Switch,
        default,
        or_zero: false,
    }
}

const US: Ns = Ns::from_us(1);
const SECOND: Ns = Ns::from_ms(1_000);
const MINUTE: Ns = Ns::from_ms(60_000);

const SEED: Spec = Spec {
    param: Param::Seed,
    kind: Kind::Count {
        min: 0,
        max: 4_294_967_295,
    },
    default: 1,
    or_zero: false,
};

static METRONOME: [Spec; 5] = [
    time(Param::Gap, Ns::from_ms(5), US, MINUTE),
    time(Param::Run, Ns::from_us(50), US, SECOND),
    time(Param::Jitter, Ns::ZERO, Ns::ZERO, MINUTE),
    time(Param::Duration, SECOND, Ns::from_ms(1), MINUTE),
    SEED,
];

static DOORBELL: [Spec; 8] = [
    time(Param::Gap, Ns::from_us(150), US, MINUTE),
    switch(Param::Fixed, 1),
    time(Param::Run, Ns::from_us(50), US, SECOND),
    Spec {
        or_zero: true,
        ..time(Param::TimerGrid, Ns::from_ms(100), US, MINUTE)
    },
    switch(Param::WakesTask, 1),
    time(Param::First, Ns::ZERO, Ns::ZERO, MINUTE),
    time(Param::Duration, Ns::from_ms(200), Ns::from_ms(1), MINUTE),
    SEED,
];

const fn count(param: Param, default: i64, min: i64, max: i64) -> Spec {
    Spec {
        param,
        kind: Kind::Count { min, max },
        default,
        or_zero: false,
    }
}

static MIXED: [Spec; 6] = [
    count(Param::Percent, 50, 0, 100),
    time(Param::Gap, Ns::from_us(150), US, MINUTE),
    time(Param::OwnTimer, Ns::from_ms(4), Ns::from_us(2), MINUTE),
    time(Param::Run, Ns::from_us(50), US, SECOND),
    time(Param::Duration, SECOND, Ns::from_ms(1), MINUTE),
    SEED,
];

static BURST: [Spec; 7] = [
    count(Param::HowMany, 12, 1, 1_000_000),
    time(Param::Gap, Ns::from_us(20), US, MINUTE),
    time(Param::Silence, Ns::from_ms(500), US, MINUTE),
    time(Param::Run, Ns::from_us(20), US, SECOND),
    Spec {
        or_zero: true,
        ..time(Param::TimerGrid, Ns::ZERO, US, MINUTE)
    },
    time(Param::Duration, Ns::from_ms(5_000), Ns::from_ms(1), MINUTE),
    SEED,
];

static KNOCK: [Spec; 6] = [
    count(Param::HowMany, 1, 0, 1_000_000),
    time(Param::Gap, Ns::from_us(200), US, MINUTE),
    time(Param::Quiet, Ns::from_ms(62), US, MINUTE),
    time(Param::Run, Ns::from_us(100), US, SECOND),
    time(Param::Duration, Ns::from_ms(3_000), Ns::from_ms(1), MINUTE),
    SEED,
];

static PIPE_TEST: [Spec; 6] = [
    count(Param::Pairs, 2, 1, 4),
    switch(Param::Cross, 0),
    time(Param::Run, Ns::ZERO, Ns::ZERO, Ns::from_ms(10)),
    Spec {
        or_zero: true,
        ..time(Param::Alarms, Ns::ZERO, Ns::from_ms(1), MINUTE)
    },
    time(
        Param::Duration,
        Ns::from_ms(200),
        Ns::from_ms(1),
        Ns::from_ms(2_000),
    ),
    SEED,
];

static TBENCH: [Spec; 4] = [
    count(Param::HowMany, 1, 1, 8),
    switch(Param::Spread, 1),
    time(
        Param::Duration,
        Ns::from_ms(100),
        Ns::from_ms(1),
        Ns::from_ms(2_000),
    ),
    SEED,
];

static BURSTS: [Spec; 4] = [
    count(Param::Tokens, 40, 1, 10_000),
    time(Param::Gap, Ns::from_ms(500), Ns::from_ms(1), MINUTE),
    time(Param::Duration, Ns::from_ms(10_000), Ns::from_ms(1), MINUTE),
    SEED,
];

static JETNEWS: [Spec; 5] = [
    count(Param::Frames, 90, 10, 240),
    time(Param::Timers, Ns::from_ms(700), Ns::from_ms(1), MINUTE),
    Spec {
        or_zero: true,
        ..time(Param::Interrupts, SECOND, Ns::from_ms(1), MINUTE)
    },
    time(Param::Duration, Ns::from_ms(10_000), Ns::from_ms(1), MINUTE),
    SEED,
];

static GEEKBENCH: [Spec; 4] = [
    time(Param::Timers, Ns::from_ms(700), Ns::from_ms(1), MINUTE),
    Spec {
        or_zero: true,
        ..time(Param::Interrupts, SECOND, Ns::from_ms(1), MINUTE)
    },
    time(Param::Duration, Ns::from_ms(10_000), Ns::from_ms(1), MINUTE),
    SEED,
];

static SERVER: [Spec; 4] = [
    time(Param::Gap, Ns::from_ms(300), Ns::from_ms(1), MINUTE),
    time(Param::Timers, SECOND, Ns::from_ms(1), MINUTE),
    time(
        Param::Duration,
        Ns::from_ms(2_000),
        Ns::from_ms(1),
        Ns::from_ms(20_000),
    ),
    SEED,
];

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
            Self::Duration => "simulated time",
            Self::Seed => "seed",
        }
    }
}

impl Pattern {
    /// All patterns, in the picker's order.
    pub const ALL: [Self; 11] = [
        Self::Metronome,
        Self::Doorbell,
        Self::Mixed,
        Self::Burst,
        Self::Knock,
        Self::PipeTest,
        Self::Tbench,
        Self::Bursts,
        Self::Jetnews,
        Self::Geekbench,
        Self::Server,
    ];

    /// Its name in links.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Metronome => "metronome",
            Self::Doorbell => "doorbell",
            Self::Mixed => "mixed",
            Self::Burst => "burst",
            Self::Knock => "knock",
            Self::PipeTest => "pipe-test",
            Self::Tbench => "tbench",
            Self::Bursts => "bursts",
            Self::Jetnews => "jetnews",
            Self::Geekbench => "geekbench",
            Self::Server => "server",
        }
    }

    /// For people.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Metronome => "Metronome",
            Self::Doorbell => "Doorbell",
            Self::Mixed => "Mixed",
            Self::Burst => "Burst and silence",
            Self::Knock => "Knock",
            Self::PipeTest => "pipe-test",
            Self::Tbench => "tbench",
            Self::Bursts => "Bursts on an idle machine",
            Self::Jetnews => "Phone, light application",
            Self::Geekbench => "Phone, benchmark",
            Self::Server => "Busy server",
        }
    }

    /// Whether a decision changes what comes after it: a slow wakeup delays the partner.
    #[must_use]
    pub const fn is_closed_loop(self) -> bool {
        !matches!(
            self,
            Self::Metronome | Self::Doorbell | Self::Mixed | Self::Burst | Self::Knock
        )
    }

    /// How many CPUs it drives.
    #[must_use]
    pub const fn cpus(self) -> usize {
        match self {
            Self::Metronome | Self::Doorbell | Self::Mixed | Self::Burst | Self::Knock => 1,
            Self::PipeTest | Self::Tbench | Self::Bursts | Self::Jetnews | Self::Geekbench => 8,
            Self::Server => 16,
        }
    }

    /// The machine that it was made for: the preset taken when none is named.
    #[must_use]
    pub const fn machine(self) -> &'static str {
        match self {
            Self::Metronome | Self::Doorbell | Self::Mixed | Self::Burst | Self::PipeTest => "snb",
            Self::Knock => "mt8196-little",
            Self::Tbench | Self::Bursts => "hsw5",
            Self::Server => "intel-skx",
            Self::Jetnews | Self::Geekbench => "pixel6",
        }
    }

    /// The pattern of that name, if there is one.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pattern| pattern.id() == id)
    }

    /// What happens in it, one sentence.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Metronome => "Every pause is ended by a timer that is armed when the work ends",
            Self::Doorbell => "Every pause is ended by an interrupt that nobody announced",
            Self::Mixed => "Each pause is ended by an interrupt or by its own timer, as chance has it",
            Self::Burst => "Interrupts close together, then silence: what a governor believes after a burst",
            Self::Knock => {
                "Steady timers, and one early interrupt at the start: a phone that never sleeps deeply again"
            }
            Self::PipeTest => {
                "Pairs of tasks pass a token as fast as they can; a slow wakeup delays the partner"
            }
            Self::Tbench => "Clients ask servers and wait for the answer, all on one machine",
            Self::Bursts => "An idle machine on which two pairs exchange tokens now and then",
            Self::Jetnews => {
                "A light application scrolls on a phone: a job per frame, short wakes, quiet phases"
            }
            Self::Geekbench => "A benchmark on all CPUs of a phone, with quiet phases between",
            Self::Server => {
                "Many busy CPUs with gaps from microseconds to seconds: how long ticks stay stopped"
            }
        }
    }

    /// Its parameters, in the form's order.
    #[must_use]
    pub fn specs(self) -> &'static [Spec] {
        match self {
            Self::Metronome => &METRONOME,
            Self::Doorbell => &DOORBELL,
            Self::Mixed => &MIXED,
            Self::Burst => &BURST,
            Self::Knock => &KNOCK,
            Self::PipeTest => &PIPE_TEST,
            Self::Tbench => &TBENCH,
            Self::Bursts => &BURSTS,
            Self::Jetnews => &JETNEWS,
            Self::Geekbench => &GEEKBENCH,
            Self::Server => &SERVER,
        }
    }

    /// One parameter, if the pattern has it.
    #[must_use]
    pub fn spec(self, param: Param) -> Option<&'static Spec> {
        self.specs().iter().find(|spec| spec.param == param)
    }
}

impl Spec {
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

/// A pattern with its parameters.
///
/// Holds only what differs from the defaults, sorted, so equal workloads are equal values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Generated {
    pattern: Pattern,
    set: Vec<(Param, i64)>,
}

impl Generated {
    /// A pattern with its defaults.
    #[must_use]
    pub const fn new(pattern: Pattern) -> Self {
        Self {
            pattern,
            set: Vec::new(),
        }
    }

    /// Which pattern.
    #[must_use]
    pub const fn pattern(&self) -> Pattern {
        self.pattern
    }

    /// The value of a parameter: ns, a count, or 0 and 1; `None` when the pattern has no such
    /// parameter.
    #[must_use]
    pub fn get(&self, param: Param) -> Option<i64> {
        let spec = self.pattern.spec(param)?;
        let set = self.set.iter().find(|(key, _)| *key == param);
        Some(set.map_or(spec.default, |(_, value)| *value))
    }

    /// The value of a parameter that is a duration; zero when the pattern has no such parameter.
    #[must_use]
    pub fn time(&self, param: Param) -> Ns {
        Ns::new(self.get(param).unwrap_or(0))
    }

    /// Sets a parameter; answers whether the pattern has it and allows the value. A refused
    /// value changes nothing.
    pub fn set(&mut self, param: Param, value: i64) -> bool {
        let Some(spec) = self.pattern.spec(param).filter(|spec| spec.allows(value)) else {
            return false;
        };
        self.set.retain(|(key, _)| *key != param);
        if value != spec.default {
            let at = self.set.partition_point(|(key, _)| *key < param);
            self.set.insert(at, (param, value));
        }
        true
    }

    /// The parameters that differ from their defaults.
    pub fn changed(&self) -> impl Iterator<Item = (Param, i64)> + '_ {
        self.set.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_default_that_is_set_leaves_no_trace() {
        let mut workload = Generated::new(Pattern::Doorbell);
        assert!(workload.set(Param::Gap, 300_000));
        assert!(workload.set(Param::Gap, 150_000));
        assert_eq!(workload, Generated::new(Pattern::Doorbell));
    }

    #[test]
    fn a_value_outside_its_range_changes_nothing() {
        let mut workload = Generated::new(Pattern::Metronome);
        assert!(!workload.set(Param::Gap, 0));
        assert!(!workload.set(Param::WakesTask, 1));
        assert_eq!(workload.time(Param::Gap), Ns::from_ms(5));
    }

    #[test]
    fn every_default_is_allowed() {
        for pattern in Pattern::ALL {
            for spec in pattern.specs() {
                assert!(spec.allows(spec.default), "{pattern:?} {spec:?}");
            }
        }
    }
}
