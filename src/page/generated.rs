//! Generated workloads as the page offers them: their parameters, ranges and defaults.
//!
//! One table drives the link grammar, the form in the header and the check of typed values.
//! Sources: design/lessons.md §4 (patterns, parameters, defaults) and those named beside the parameters.

mod beats;
mod param;
mod tables;

use serde::{Deserialize, Serialize};

pub use beats::{Beats, BeatsError, MOST_BEATS};
pub use param::{Kind, Param, Spec};

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
    /// A list of pauses, over and over.
    Beats,
    /// Active phases with short gaps, quiet phases between.
    Phases,
    /// Wakeups at a distance that grows.
    Sweep,
    /// All CPUs are woken in a burst and then left alone.
    Nightmare,
    /// Pairs of tasks pass a token as fast as they can.
    PipeTest,
    /// Tasks pass one token around.
    Ring,
    /// Clients ask servers and wait for the answer.
    Tbench,
    /// An idle machine on which tokens are passed in bursts.
    Bursts,
    /// A task reads from a device, again and again.
    Storage,
    /// Requests that a timer holds back.
    Delayed,
    /// Random requests, one queue, several CPUs.
    Queue,
    /// A busy server with many CPUs.
    Server,
    /// A phone that scrolls a light application.
    Jetnews,
    /// A phone that runs a benchmark.
    Geekbench,
    /// A phone that plays a film.
    Video,
    /// A phone whose screen is off.
    IdlePhone,
    /// A desktop at which nobody works.
    Desktop,
    /// Threads that wake at a steady rate.
    Threads,
    /// A load from nothing to all and back.
    LoadSweep,
}

/// What is known of a pattern without its parameters.
struct Facts {
    id: &'static str,
    label: &'static str,
    closed: bool,
    cpus: usize,
    machine: &'static str,
    about: &'static str,
    specs: &'static [Spec],
}

/// Values that are set together, for one press.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// What they stand for.
    pub label: &'static str,
    /// The values; all other parameters stay.
    pub set: &'static [(Param, i64)],
}

const fn preset(label: &'static str, set: &'static [(Param, i64)]) -> Preset {
    Preset { label, set }
}

/// Cycles per stop that an i5-10600K's loop times leave beside the passing of the token (published-results.md P3).
static SPEEDS: [Preset; 3] = [
    preset("fast", &[(Param::Run, 0)]),
    preset("medium", &[(Param::Run, 19_000)]),
    preset("slow", &[(Param::Run, 6_000_000)]),
];
/// Rates and counts of published-results.md P2 and P19.
static THREADS: [Preset; 4] = [
    preset("1 × 73 Hz", &[(Param::HowMany, 1), (Param::Rate, 73)]),
    preset("12 × 73 Hz", &[(Param::HowMany, 12), (Param::Rate, 73)]),
    preset("500 × 10 Hz", &[(Param::HowMany, 500), (Param::Rate, 10)]),
    preset("2000 × 113 Hz", &[(Param::HowMany, 2_000), (Param::Rate, 113)]),
];
static SWEPT: [Preset; 5] = [
    preset("73 Hz", &[(Param::Rate, 73)]),
    preset("113 Hz", &[(Param::Rate, 113)]),
    preset("211 Hz", &[(Param::Rate, 211)]),
    preset("347 Hz", &[(Param::Rate, 347)]),
    preset("401 Hz", &[(Param::Rate, 401)]),
];
static SWEEPS: [Preset; 2] = [
    preset("pipe", &[(Param::ByPipe, 1)]),
    preset("timer", &[(Param::ByPipe, 0)]),
];
static FRAMES: [Preset; 3] = [
    preset("60 Hz", &[(Param::Frames, 60)]),
    preset("90 Hz", &[(Param::Frames, 90)]),
    preset("120 Hz", &[(Param::Frames, 120)]),
];
static FILMS: [Preset; 3] = [
    preset("24 Hz", &[(Param::Frames, 24)]),
    preset("30 Hz", &[(Param::Frames, 30)]),
    preset("60 Hz", &[(Param::Frames, 60)]),
];
/// Device times that the requests per second of published-results.md P5 and P6 suggest.
static DEVICES: [Preset; 3] = [
    preset("NVMe", &[(Param::Device, 40_000)]),
    preset("eMMC", &[(Param::Device, 110_000)]),
    preset("SD card", &[(Param::Device, 420_000)]),
];

impl Pattern {
    /// All patterns, in the picker's order.
    pub const ALL: [Self; 24] = [
        Self::Metronome,
        Self::Doorbell,
        Self::Mixed,
        Self::Burst,
        Self::Knock,
        Self::Beats,
        Self::Phases,
        Self::Sweep,
        Self::Nightmare,
        Self::PipeTest,
        Self::Ring,
        Self::Tbench,
        Self::Bursts,
        Self::Storage,
        Self::Delayed,
        Self::Queue,
        Self::Server,
        Self::Jetnews,
        Self::Geekbench,
        Self::Video,
        Self::IdlePhone,
        Self::Desktop,
        Self::Threads,
        Self::LoadSweep,
    ];

    fn facts(self) -> Facts {
        let facts = |(id, label), closed, (cpus, machine), about, specs| Facts {
            id,
            label,
            closed,
            cpus,
            machine,
            about,
            specs,
        };
        let open = |name, on, about, specs| facts(name, false, on, about, specs);
        let closed = |name, on, about, specs| facts(name, true, on, about, specs);
        match self {
            Self::Metronome => open(
                ("metronome", "Metronome"),
                (1, "snb"),
                "Every pause is ended by a timer that is armed when the work ends",
                &tables::METRONOME,
            ),
            Self::Doorbell => open(
                ("doorbell", "Doorbell"),
                (1, "snb"),
                "Every pause is ended by an interrupt that nobody announced",
                &tables::DOORBELL,
            ),
            Self::Mixed => open(
                ("mixed", "Mixed"),
                (1, "snb"),
                "Each pause is ended by an interrupt or by its own timer, as chance has it",
                &tables::MIXED,
            ),
            Self::Burst => open(
                ("burst", "Burst and silence"),
                (1, "snb"),
                "Interrupts close together, then silence: what a governor believes after a burst",
                &tables::BURST,
            ),
            Self::Knock => open(
                ("knock", "Knock"),
                (1, "mt8196-little"),
                "Steady timers, and one early interrupt at the start: a phone that never sleeps deeply again",
                &tables::KNOCK,
            ),
            Self::Beats => open(
                ("pattern", "Pattern"),
                (1, "snb"),
                "Pauses as you write them, each ended by an interrupt or a timer, over and over",
                &tables::BEATS,
            ),
            Self::Phases => open(
                ("phases", "Phases"),
                (1, "pixel6-little"),
                "Busy for a while, quiet for a while: how long a governor still believes in the past",
                &tables::PHASES,
            ),
            Self::Sweep => open(
                ("sweep", "Sweep of distances"),
                (1, "power10-lpar"),
                "One CPU woken every 6 µs, every 16 µs, up to every millisecond, by a pipe or by a timer",
                &tables::SWEEP,
            ),
            Self::Nightmare => open(
                ("nightmare", "Powernightmare"),
                (8, "snb"),
                "A burst on all CPUs, then nothing: who still sleeps lightly when nobody comes any more",
                &tables::NIGHTMARE,
            ),
            Self::PipeTest => closed(
                ("pipe-test", "pipe-test"),
                (8, "snb"),
                "Pairs of tasks pass a token as fast as they can; a slow wakeup delays the partner",
                &tables::PIPE_TEST,
            ),
            Self::Ring => closed(
                ("token-ring", "Token ring"),
                (8, "snb"),
                "One token goes around over several CPUs: each sleeps until all others have had it",
                &tables::RING,
            ),
            Self::Tbench => closed(
                ("tbench", "tbench"),
                (8, "hsw5"),
                "Clients ask servers and wait for the answer, all on one machine",
                &tables::TBENCH,
            ),
            Self::Bursts => closed(
                ("bursts", "Bursts on an idle machine"),
                (8, "hsw5"),
                "An idle machine on which two pairs exchange tokens now and then",
                &tables::BURSTS,
            ),
            Self::Storage => closed(
                ("storage", "Storage waits"),
                (1, "rk3399"),
                "A task waits for a device again and again: a slow wakeup is a lost request",
                &tables::STORAGE,
            ),
            Self::Delayed => closed(
                ("dm-delay", "Delayed requests"),
                (1, "rk3399"),
                "A device that answers after 50 ms, by a timer, with short timers behind it",
                &tables::DELAYED,
            ),
            Self::Queue => closed(
                ("poisson", "Poisson server"),
                (8, "intel-skx"),
                "Random requests to several CPUs: in turn they all sleep a little, packed some sleep long",
                &tables::QUEUE,
            ),
            Self::Server => closed(
                ("server", "Busy server"),
                (16, "intel-skx"),
                "Many busy CPUs with gaps from microseconds to seconds: how long ticks stay stopped",
                &tables::SERVER,
            ),
            Self::Jetnews => closed(
                ("jetnews", "Phone, light application"),
                (8, "pixel6"),
                "A light application scrolls on a phone: a job per frame, short wakes, quiet phases",
                &tables::JETNEWS,
            ),
            Self::Geekbench => closed(
                ("geekbench", "Phone, benchmark"),
                (8, "pixel6"),
                "A benchmark on all CPUs of a phone, with quiet phases between",
                &tables::GEEKBENCH,
            ),
            Self::Video => closed(
                ("video", "Phone, film"),
                (8, "pixel6"),
                "A film on a phone: frames, display and sound, each at its own beat",
                &tables::VIDEO,
            ),
            Self::IdlePhone => closed(
                ("idle-phone", "Phone, screen off"),
                (8, "pixel6"),
                "A phone in a pocket: a few timers, tasks and interrupts on each CPU",
                &tables::IDLE_PHONE,
            ),
            Self::Desktop => closed(
                ("idle-desktop", "Idle desktop"),
                (8, "hsw5"),
                "A desktop at which nobody works: timers, background tasks, small trains of packets",
                &tables::DESKTOP,
            ),
            Self::Threads => closed(
                ("threads", "Periodic threads"),
                (8, "snb"),
                "Some threads that each wake at a steady rate, by timers, and run a little",
                &tables::THREADS,
            ),
            Self::LoadSweep => closed(
                ("load-sweep", "Load sweep"),
                (8, "snb"),
                "One periodic thread whose load goes from nothing to all of a CPU and back",
                &tables::LOAD_SWEEP,
            ),
        }
    }

    /// Its name in links.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.facts().id
    }

    /// For people.
    #[must_use]
    pub fn label(self) -> &'static str {
        self.facts().label
    }

    /// Whether a decision changes what comes after it: a slow wakeup delays what waits for it.
    #[must_use]
    pub fn is_closed_loop(self) -> bool {
        self.facts().closed
    }

    /// How many CPUs it drives, unless a parameter says so.
    #[must_use]
    pub fn cpus(self) -> usize {
        self.facts().cpus
    }

    /// The machine that it was made for: the preset taken when none is named.
    #[must_use]
    pub fn machine(self) -> &'static str {
        self.facts().machine
    }

    /// The pattern of that name, if there is one.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pattern| pattern.id() == id)
    }

    /// What happens in it, one sentence.
    #[must_use]
    pub fn about(self) -> &'static str {
        self.facts().about
    }

    /// Its parameters, in the form's order.
    #[must_use]
    pub fn specs(self) -> &'static [Spec] {
        self.facts().specs
    }

    /// Whether it has a list of pauses.
    #[must_use]
    pub const fn has_beats(self) -> bool {
        matches!(self, Self::Beats)
    }

    /// Values worth a press of their own.
    #[must_use]
    pub fn presets(self) -> &'static [Preset] {
        match self {
            Self::PipeTest | Self::Ring => &SPEEDS,
            Self::Threads => &THREADS,
            Self::LoadSweep => &SWEPT,
            Self::Sweep => &SWEEPS,
            Self::Jetnews => &FRAMES,
            Self::Video => &FILMS,
            Self::Storage => &DEVICES,
            _ => &[],
        }
    }

    /// One parameter, if the pattern has it.
    #[must_use]
    pub fn spec(self, param: Param) -> Option<&'static Spec> {
        self.specs().iter().find(|spec| spec.param == param)
    }
}

/// A pattern with its parameters.
///
/// Holds only what differs from the defaults, sorted, so equal workloads are equal values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Generated {
    pattern: Pattern,
    set: Vec<(Param, i64)>,
    /// The pauses of [`Pattern::Beats`]; none where they are the default.
    beats: Option<Beats>,
}

impl Generated {
    /// A pattern with its defaults.
    #[must_use]
    pub const fn new(pattern: Pattern) -> Self {
        Self {
            pattern,
            set: Vec::new(),
            beats: None,
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

    /// How many CPUs it drives: 1 to 64.
    #[must_use]
    pub fn cpus(&self) -> usize {
        let set = self.get(Param::Cpus).and_then(|cpus| usize::try_from(cpus).ok());
        set.unwrap_or(self.pattern.cpus())
    }

    /// Its pauses; none for patterns that have no list of them.
    #[must_use]
    pub fn beats(&self) -> Option<Beats> {
        self.pattern
            .has_beats()
            .then(|| self.beats.clone().unwrap_or_default())
    }

    /// Sets its pauses; answers whether the pattern has such a list.
    pub fn set_beats(&mut self, beats: Beats) -> bool {
        let has = self.pattern.has_beats();
        if has {
            self.beats = Some(beats).filter(|beats| *beats != Beats::default());
        }
        has
    }

    /// The pauses, if they differ from the default.
    #[must_use]
    pub const fn changed_beats(&self) -> Option<&Beats> {
        self.beats.as_ref()
    }

    /// This pattern with the values of a preset, everything else as it is.
    #[must_use]
    pub fn with(&self, preset: &Preset) -> Self {
        let mut generated = self.clone();
        for (param, value) in preset.set {
            generated.set(*param, *value);
        }
        generated
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
    fn pauses_belong_to_the_pattern_that_has_them() {
        let mut workload = Generated::new(Pattern::Beats);
        let beats = Beats::parse("i150us,t2ms").expect("is a pattern");
        assert!(workload.set_beats(beats.clone()));
        assert_eq!(workload.beats(), Some(beats.clone()));
        assert!(workload.set_beats(Beats::default()));
        assert_eq!(workload, Generated::new(Pattern::Beats));
        assert!(!Generated::new(Pattern::Burst).set_beats(beats));
    }

    #[test]
    fn every_preset_sets_values_that_its_pattern_allows_and_differs_from_the_others() {
        for pattern in Pattern::ALL {
            let mut seen = Vec::new();
            for preset in pattern.presets() {
                for (param, value) in preset.set {
                    let spec = pattern.spec(*param);
                    assert!(
                        spec.is_some_and(|spec| spec.allows(*value)),
                        "{pattern:?} {preset:?}"
                    );
                }
                let generated = Generated::new(pattern).with(preset);
                assert!(!seen.contains(&generated), "{pattern:?} {preset:?}");
                seen.push(generated);
            }
        }
    }

    #[test]
    fn every_pattern_has_an_id_and_a_label_of_its_own() {
        let ids: std::collections::BTreeSet<&str> = Pattern::ALL.into_iter().map(Pattern::id).collect();
        let labels: std::collections::BTreeSet<&str> = Pattern::ALL.into_iter().map(Pattern::label).collect();
        assert_eq!(
            (ids.len(), labels.len()),
            (Pattern::ALL.len(), Pattern::ALL.len())
        );
        for pattern in Pattern::ALL {
            assert_eq!(Pattern::from_id(pattern.id()), Some(pattern));
        }
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
