//! The question that the page asks: undoable, in the link, and all that a run needs.
//!
//! Two equal documents give equal runs. Nothing here says where one looks; that is
//! [`View`](super::view::View).

use serde::{Deserialize, Serialize};

use super::costs::Costs;
use super::generated::Generated;
use super::given::Given;
use crate::cpuidle::catalog::Choice;
use crate::sim::machine::FrequencyRule;
use crate::units::{Microwatts, Ns};

/// Variant A or variant B.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Side {
    /// Variant A.
    #[default]
    A,
    /// Variant B.
    B,
}

impl Side {
    /// Both, in display order.
    pub const ALL: [Self; 2] = [Self::A, Self::B];

    /// Its letter.
    #[must_use]
    pub const fn letter(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
        }
    }

    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }
}

/// The first six bytes of a file's SHA-256: the name of a trace in links and tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TraceId([u8; 6]);

impl TraceId {
    /// The name of the file with this SHA-256.
    #[must_use]
    pub fn from_sha256(digest: [u8; 32]) -> Self {
        let mut id = [0; 6];
        id.copy_from_slice(&digest[..6]);
        Self(id)
    }

    /// Reads twelve lower- or upper-case hexadecimal digits; anything else is `None`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() != 12 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let mut id = [0; 6];
        for (n, byte) in id.iter_mut().enumerate() {
            *byte = u8::from_str_radix(text.get(2 * n..2 * n + 2)?, 16).ok()?;
        }
        Some(Self(id))
    }
}

impl std::fmt::Display for TraceId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A trace that is part of the page and needs no file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SampleId {
    /// `arm64-menu-ftrace`: ftrace text, four arm64 CPUs, menu of Linux 6.1.
    Arm64Ftrace,
    /// `arm64-menu-v7-zstd.report-t`: `trace-cmd report -t`, nanoseconds, the same machine.
    Arm64Report,
    /// `arm64-menu-ftrace-loss-while-idle`: the ring buffer overran while CPUs were idle.
    Arm64Loss,
}

impl SampleId {
    /// All samples, in the picker's order.
    pub const ALL: [Self; 3] = [Self::Arm64Ftrace, Self::Arm64Report, Self::Arm64Loss];

    /// Its name in links.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Arm64Ftrace => "arm64-menu",
            Self::Arm64Report => "arm64-menu-ns",
            Self::Arm64Loss => "arm64-loss",
        }
    }

    /// The sample of that name, if there is one.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|sample| sample.id() == id)
    }
}

/// What makes CPUs busy and wakes them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Workload {
    /// Nothing chosen yet.
    #[default]
    None,
    /// A file that the user has; the link only names it.
    Trace(TraceId),
    /// A trace that comes with the page.
    Sample(SampleId),
    /// A generated workload with its parameters.
    Generated(Generated),
}

impl Workload {
    /// Whether what happens comes from a recording.
    #[must_use]
    pub const fn is_trace(&self) -> bool {
        matches!(self, Self::Trace(_) | Self::Sample(_))
    }
}

/// Whose idle states are meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MachineChoice {
    /// The preset of this id.
    Preset(String),
    /// A table that the user gave.
    Given(Given),
}

impl MachineChoice {
    /// The id of a preset.
    #[must_use]
    pub fn preset(&self) -> Option<&str> {
        match self {
            Self::Preset(id) => Some(id),
            Self::Given(_) => None,
        }
    }

    /// The user's own table.
    #[must_use]
    pub const fn given(&self) -> Option<&Given> {
        match self {
            Self::Preset(_) => None,
            Self::Given(given) => Some(given),
        }
    }
}

/// Which number of an idle state is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum StateField {
    /// Target residency, ns.
    TargetResidency,
    /// Exit latency, ns.
    ExitLatency,
    /// Power, µW.
    Power,
}

/// Whether a state is one of the machine's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Presence {
    /// The machine has it.
    #[default]
    Own,
    /// The machine has it, the question does not.
    Removed,
    /// The question has it, the machine does not.
    Added {
        /// The name of the state that it stands after.
        after: String,
    },
}

/// What the user changed on one idle state; `None` leaves the machine's own value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateEdit {
    /// Target residency, ns.
    pub target_residency: Option<Ns>,
    /// Exit latency, ns.
    pub exit_latency: Option<Ns>,
    /// Power, µW.
    pub power: Option<Microwatts>,
    /// Enabled or not.
    pub on: Option<bool>,
    /// Added or removed.
    pub presence: Presence,
}

impl StateEdit {
    /// Whether nothing is changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// All edits of the idle-state table, by the state's name.
///
/// Sorted by name, at most one entry a name, none of them empty: so equal edits are equal
/// values, whatever the order in which they were made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edits(Vec<(String, StateEdit)>);

impl Edits {
    /// Whether the table is the machine's own.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Every edited state with its changes, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &StateEdit)> {
        self.0.iter().map(|(name, edit)| (name.as_str(), edit))
    }

    /// What was changed on the state of that name, if anything.
    #[must_use]
    pub fn get(&self, state: &str) -> Option<&StateEdit> {
        self.0
            .iter()
            .find(|(name, _)| name == state)
            .map(|(_, edit)| edit)
    }

    /// Replaces the edit of one state; an empty edit removes it.
    pub fn set(&mut self, state: &str, edit: StateEdit) {
        let place = self.0.binary_search_by(|(name, _)| name.as_str().cmp(state));
        match (place, edit.is_empty()) {
            (Ok(at), true) => {
                self.0.remove(at);
            }
            (Ok(at), false) => self.0[at].1 = edit,
            (Err(at), false) => self.0.insert(at, (state.to_owned(), edit)),
            (Err(_), true) => {}
        }
    }

    /// Changes the edit of one state.
    pub fn change(&mut self, state: &str, change: impl FnOnce(&mut StateEdit)) {
        let mut edit = self.get(state).cloned().unwrap_or_default();
        change(&mut edit);
        self.set(state, edit);
    }

    /// Removes a state: one that was added is forgotten, and what stands after it moves up to where it stood.
    pub fn remove(&mut self, state: &str) {
        let Some(Presence::Added { after: place }) = self.get(state).map(|edit| edit.presence.clone()) else {
            let presence = Presence::Removed;
            self.set(
                state,
                StateEdit {
                    presence,
                    ..StateEdit::default()
                },
            );
            return;
        };
        self.set(state, StateEdit::default());
        self.follow(state, &place);
    }

    /// Adds a state after another; what was added after that one stands after the new one from now on.
    pub fn add(&mut self, state: &str, after: &str, edit: StateEdit) {
        self.follow(after, state);
        let after = after.to_owned();
        self.set(
            state,
            StateEdit {
                presence: Presence::Added { after },
                ..edit
            },
        );
    }

    /// What was added after one state stands after another.
    fn follow(&mut self, one: &str, other: &str) {
        for (_, edit) in &mut self.0 {
            if let Presence::Added { after } = &mut edit.presence
                && after == one
            {
                other.clone_into(after);
            }
        }
    }

    /// Back to the machine's own table.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// The longest latency the kernel's interface can express, and so "none", is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LatencyLimit {
    /// No limit.
    #[default]
    None,
    /// At most this long, ns.
    Max(Ns),
}

/// Tick and latency settings, shared by A and B unless one of them says otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Ticks a second, 20 to 2 000.
    pub hz: u32,
    /// The tick may be stopped.
    pub nohz: bool,
    /// Rate limit of 2016: the tick is kept while the average idle is below, ns; zero is off.
    pub rate_limit: Ns,
    /// The strictest latency limit.
    pub latency: LatencyLimit,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            hz: 250,
            nohz: true,
            rate_limit: Ns::ZERO,
            latency: LatencyLimit::None,
        }
    }
}

/// Where one variant departs from the shared [`Settings`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overrides {
    /// Ticks a second.
    pub hz: Option<u32>,
    /// The tick may be stopped.
    pub nohz: Option<bool>,
    /// Rate limit, ns.
    pub rate_limit: Option<Ns>,
    /// Latency limit.
    pub latency: Option<LatencyLimit>,
}

/// One side of the comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variant {
    /// Who decides; `None` switches the variant off.
    pub governor: Option<Choice>,
    /// Where it departs from the shared settings.
    pub over: Overrides,
}

/// The whole question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doc {
    /// What makes CPUs busy.
    pub workload: Workload,
    /// The machine; `None` takes the workload's own.
    pub machine: Option<MachineChoice>,
    /// Changes of its idle states.
    pub edits: Edits,
    /// Tick and latency settings of both variants.
    pub settings: Settings,
    /// Variant A.
    pub a: Variant,
    /// Variant B.
    pub b: Variant,
    /// Effective exit latency, per cent of the listed one, 0 to 100.
    pub exit_percent: u8,
    /// Cost of stopping plus restarting the tick, ns; none for what the workload has by itself: the costs of the
    /// machine's parameters in a closed loop, the assumption of energy figures elsewhere.
    pub tick_cost: Option<Ns>,
    /// What else the machine of a closed loop pays otherwise than by its own parameters.
    pub costs: Costs,
    /// Drawn by what CPUs share, a cluster or the package, while it is awake; none to leave it out of the energy.
    pub shared_power: Option<Microwatts>,
    /// From how long on the state that they share pays off; none for what the machine says.
    pub shared_residency: Option<Ns>,
    /// Who sets the clock, in a closed-loop workload.
    pub frequency: FrequencyRule,
    /// The clock at which a closed-loop workload starts, MHz; none for the machine's own.
    pub start_mhz: Option<u32>,
}

impl Default for Doc {
    fn default() -> Self {
        Self {
            workload: Workload::None,
            machine: None,
            edits: Edits::default(),
            settings: Settings::default(),
            a: Variant {
                governor: "teo-6.12".parse().ok(),
                over: Overrides::default(),
            },
            b: Variant::default(),
            exit_percent: 100,
            tick_cost: None,
            costs: Costs::default(),
            shared_power: None,
            shared_residency: None,
            frequency: FrequencyRule::default(),
            start_mhz: None,
        }
    }
}

impl Doc {
    /// One variant.
    #[must_use]
    pub const fn variant(&self, side: Side) -> &Variant {
        match side {
            Side::A => &self.a,
            Side::B => &self.b,
        }
    }

    /// One variant, to be changed.
    pub const fn variant_mut(&mut self, side: Side) -> &mut Variant {
        match side {
            Side::A => &mut self.a,
            Side::B => &mut self.b,
        }
    }

    /// The settings that hold for one variant.
    #[must_use]
    pub fn settings(&self, side: Side) -> Settings {
        let over = &self.variant(side).over;
        Settings {
            hz: over.hz.unwrap_or(self.settings.hz),
            nohz: over.nohz.unwrap_or(self.settings.nohz),
            rate_limit: over.rate_limit.unwrap_or(self.settings.rate_limit),
            latency: over.latency.unwrap_or(self.settings.latency),
        }
    }

    /// Whether a run is possible at all.
    #[must_use]
    pub fn is_runnable(&self) -> bool {
        self.workload != Workload::None && (self.a.governor.is_some() || self.b.governor.is_some())
    }
}
