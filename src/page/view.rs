//! Where one looks: in the link, not undoable.

use serde::{Deserialize, Serialize};

use super::doc::Side;
use super::extras::Extras;
use crate::units::{CpuId, Ns, Time};

/// One of the things drawn for a CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum LaneId {
    /// What the trace says the real kernel did.
    Recorded,
    /// Variant A.
    #[default]
    A,
    /// Variant B.
    B,
    /// What a governor that knows the future would have entered: drawn of generated workloads, decides nothing.
    Ideal,
}

impl LaneId {
    /// All lanes that decided something, from top to bottom.
    pub const ALL: [Self; 3] = [Self::Recorded, Self::A, Self::B];

    /// Its letter in links.
    #[must_use]
    pub const fn letter(self) -> &'static str {
        match self {
            Self::Ideal => "I",
            Self::Recorded => "R",
            Self::A => "A",
            Self::B => "B",
        }
    }

    /// Its label beside the lane.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Ideal => "ideal",
            Self::Recorded => "rec",
            Self::A => "A",
            Self::B => "B",
        }
    }

    /// The variant drawn in it; none for the recording.
    #[must_use]
    pub const fn side(self) -> Option<Side> {
        match self {
            Self::Ideal | Self::Recorded => None,
            Self::A => Some(Side::A),
            Self::B => Some(Side::B),
        }
    }

    /// What the variants are compared with: the recording of a trace, the ideal of a generated workload.
    #[must_use]
    pub const fn is_reference(self) -> bool {
        matches!(self, Self::Ideal | Self::Recorded)
    }

    /// The lane of a variant.
    #[must_use]
    pub const fn of(side: Side) -> Self {
        match side {
            Side::A => Self::A,
            Side::B => Self::B,
        }
    }
}

/// A stretch of time, `from` before `to`, both counted from the start of the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Window {
    from: Time,
    to: Time,
}

impl Window {
    /// The stretch between two instants, whichever comes first; at least 1 ns long.
    #[must_use]
    pub fn new(one: Time, other: Time) -> Self {
        let (from, to) = if one <= other { (one, other) } else { (other, one) };
        Self {
            from,
            to: to.max(from.saturating_add(Ns::new(1))),
        }
    }

    /// First instant.
    #[must_use]
    pub const fn from(self) -> Time {
        self.from
    }

    /// Last instant.
    #[must_use]
    pub const fn to(self) -> Time {
        self.to
    }

    /// Its length, at least 1 ns.
    #[must_use]
    pub const fn len(self) -> Ns {
        self.to.saturating_since(self.from)
    }

    /// Never: a window is at least 1 ns long.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        false
    }

    /// Whether the instant lies in it.
    #[must_use]
    pub fn contains(self, t: Time) -> bool {
        self.from <= t && t <= self.to
    }

    /// Zoomed about `pivot`: its length times `factor`, kept between 1 ns and the whole record.
    #[must_use]
    pub fn zoomed(self, pivot: Time, factor: f64, whole: Self) -> Self {
        let old = ns_to_f64(self.len());
        let len = (old * factor).clamp(1.0, ns_to_f64(whole.len()));
        let left = ns_to_f64(pivot.saturating_since(self.from)) / old * len;
        let from = pivot.saturating_add(Ns::new(-(left.round() as i64)));
        Self::new(from, from.saturating_add(Ns::new(len.round() as i64))).within(whole)
    }

    /// The stretch between two instants with half its length of room on each side.
    #[must_use]
    pub fn around(from: Time, to: Time, whole: Self) -> Self {
        let room = Ns::new(to.saturating_since(from).as_ns() / 2 + 1);
        Self::new(from - room, to.saturating_add(room)).within(whole)
    }

    /// The window in which a period that a jump led to is seen whole, with a margin on each side: as it is where
    /// that is so already, moved where it is long enough, else, or where the period would be narrower than
    /// `least` of its length, fitted to the period.
    #[must_use]
    pub fn showing(self, (from, to): (Time, Time), least: f64, whole: Self) -> Self {
        let (own, period) = (self.len(), to.saturating_since(from));
        let margin = Ns::new(own.as_ns() / MARGIN);
        let room = own.as_ns().saturating_sub(margin.as_ns().saturating_mul(2));
        if period.as_ns() > room || ns_to_f64(period) < ns_to_f64(own) * least {
            return Self::around(from, to, whole);
        }
        // At the ends of the record there is no margin to be had.
        let (first, last) = (
            (from - margin).max(whole.from),
            to.saturating_add(margin).min(whole.to),
        );
        if self.from <= first && last <= self.to {
            return self;
        }
        let start = if first < self.from { first } else { last - own };
        Self::new(start, start.saturating_add(own)).within(whole)
    }

    /// Moved by `by`, stopping at the ends of the record.
    #[must_use]
    pub fn panned(self, by: Ns, whole: Self) -> Self {
        Self::new(self.from.saturating_add(by), self.to.saturating_add(by)).within(whole)
    }

    /// Moved, and cut if longer, so that it lies inside `whole`.
    #[must_use]
    pub fn within(self, whole: Self) -> Self {
        if self.len() >= whole.len() {
            return whole;
        }
        if self.from < whole.from {
            Self::new(whole.from, whole.from.saturating_add(self.len()))
        } else if self.to > whole.to {
            let from = whole
                .to
                .saturating_add(Ns::new(self.len().as_ns().saturating_neg()));
            Self::new(from, whole.to)
        } else {
            self
        }
    }
}

/// What part of a window is kept free on each side of a period that is shown whole: one in so many.
const MARGIN: i64 = 20;

fn ns_to_f64(ns: Ns) -> f64 {
    ns.as_ns() as f64
}

/// One decision of one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Selection {
    /// Which lane.
    pub lane: LaneId,
    /// Which CPU.
    pub cpu: CpuId,
    /// Which decision of that lane, from 0.
    pub n: u32,
}

/// What covers the page beside the timeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Panel {
    /// The explorer itself.
    #[default]
    None,
    /// The idle-state editor.
    States,
    /// The table for mail.
    Mail,
    /// The import report.
    Import,
    /// The list of keys.
    Keys,
    /// The timeline as a table.
    Decisions,
    /// The assumptions behind energy figures.
    Assumptions,
    /// Published measurements beside ours.
    Validation,
    /// Counters and tables that were opened.
    Counters,
}

impl Panel {
    /// All panels that a link can open, with their names in links.
    pub const NAMED: [(&'static str, Self); 8] = [
        ("states", Self::States),
        ("mail", Self::Mail),
        ("import", Self::Import),
        ("keys", Self::Keys),
        ("decisions", Self::Decisions),
        ("assumptions", Self::Assumptions),
        ("validation", Self::Validation),
        ("counters", Self::Counters),
    ];
}

/// A tab of the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tab {
    /// The answer, the states, durations and energy.
    #[default]
    Summary,
    /// Time in each state.
    Residency,
    /// How long idle periods lasted.
    Durations,
    /// Too deep and too shallow.
    Misses,
    /// Wake delays.
    Latency,
    /// Energy by part, an estimate.
    Energy,
    /// What kept each state from being chosen.
    Why,
    /// What changed between A and B.
    Changes,
    /// The table for mail.
    Mail,
}

impl Tab {
    /// All tabs in order, with their names in links and their labels.
    pub const NAMED: [(&'static str, &'static str, Self); 9] = [
        ("summary", "Summary", Self::Summary),
        ("residency", "Residency", Self::Residency),
        ("durations", "Durations", Self::Durations),
        ("misses", "Misses", Self::Misses),
        ("latency", "Latency", Self::Latency),
        ("energy", "Energy", Self::Energy),
        ("why", "Why never?", Self::Why),
        ("changes", "Changes", Self::Changes),
        ("mail", "Mail table", Self::Mail),
    ];
}

/// Light, dark or high contrast. Kept per browser, never in a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Theme {
    /// As the system says.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
    /// High contrast.
    Contrast,
}

/// What one sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The stretch on the timeline; `None` is the whole record.
    pub window: Option<Window>,
    /// The stretch that the results are about; `None` is the whole record.
    pub range: Option<Window>,
    /// Start of a range whose end is not set yet (key `r`).
    pub range_from: Option<Time>,
    /// The focused CPU, drawn expanded.
    pub cpu: CpuId,
    /// CPUs pinned open, ascending.
    pub open_cpus: Vec<CpuId>,
    /// The cursor, counted from the start of the record.
    pub cursor: Time,
    /// The lane that keys and the inspector speak of.
    pub lane: LaneId,
    /// The selected decision of `lane` on `cpu`, from 0.
    pub decision: Option<u32>,
    /// A decision kept beside the selected one.
    pub pin: Option<Selection>,
    /// What covers the page.
    pub panel: Panel,
    /// The open results tab.
    pub tab: Tab,
    /// Lanes that are hidden.
    pub hidden: Vec<LaneId>,
    /// Steps speak the kernel's names.
    pub kernel_names: bool,
    /// Timeline, playback and inspector only.
    pub embed: bool,
    /// The cursor moves by itself.
    pub playing: bool,
    /// Simulated time per second of playback, ns; 1 µs to 1 s.
    pub speed: Ns,
    /// Playback stops at the next difference.
    pub stop_at_difference: bool,
    /// Colours.
    pub theme: Theme,
    /// Lanes beside those of the decisions; kept per browser, never in a link.
    pub extras: Extras,
}

impl Default for View {
    fn default() -> Self {
        Self {
            window: None,
            range: None,
            range_from: None,
            cpu: CpuId::default(),
            open_cpus: Vec::new(),
            cursor: Time::ZERO,
            lane: LaneId::A,
            decision: None,
            pin: None,
            panel: Panel::None,
            tab: Tab::Summary,
            hidden: Vec::new(),
            kernel_names: false,
            embed: false,
            playing: false,
            speed: Ns::from_ms(1),
            stop_at_difference: false,
            theme: Theme::System,
            extras: Extras::default(),
        }
    }
}

impl View {
    /// The selected decision, if there is one.
    #[must_use]
    pub fn selection(&self) -> Option<Selection> {
        Some(Selection {
            lane: self.lane,
            cpu: self.cpu,
            n: self.decision?,
        })
    }

    /// Whether a lane is drawn.
    #[must_use]
    pub fn shows(&self, lane: LaneId) -> bool {
        !self.hidden.contains(&lane)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(from: i64, to: i64) -> Window {
        Window::new(Time::from_ns(from), Time::from_ns(to))
    }

    #[test]
    fn zoom_keeps_the_pivot_where_it_is() {
        let whole = window(0, 1_000_000);
        let near = window(0, 1_000_000).zoomed(Time::from_ns(250_000), 0.5, whole);
        assert_eq!(near, window(125_000, 625_000));
    }

    #[test]
    fn zoom_ends_at_the_whole_record_and_at_1_ns() {
        let whole = window(0, 1_000);
        assert_eq!(window(100, 200).zoomed(Time::from_ns(150), 1e9, whole), whole);
        assert_eq!(
            window(100, 200).zoomed(Time::from_ns(150), 1e-9, whole).len(),
            Ns::new(1)
        );
    }

    #[test]
    fn a_period_that_a_jump_led_to_is_seen_whole_with_a_margin() {
        #[track_caller]
        fn check(seen: Window, period: (i64, i64), expect: Window) {
            let (from, to) = (Time::from_ns(period.0), Time::from_ns(period.1));
            let whole = window(0, 100_000);
            let shown = seen.showing((from, to), 0.01, whole);
            assert_eq!(shown, expect);
            assert_eq!(shown.showing((from, to), 0.01, whole), shown, "once is enough");
            assert!(shown.from() <= from && to <= shown.to());
            let free = |edge: bool, gap: Ns| edge || gap.as_ns() >= shown.len().as_ns() / MARGIN;
            assert!(free(shown.from() == whole.from(), from - shown.from()));
            assert!(free(shown.to() == whole.to(), shown.to() - to));
        }
        let seen = window(1_000, 2_000);
        // As it is, moved either way, or fitted: longer than the window, as long, or hardly to be seen.
        check(seen, (1_200, 1_700), seen);
        check(seen, (1_800, 2_100), window(1_150, 2_150));
        check(seen, (990, 1_300), window(940, 1_940));
        check(seen, (1_500, 9_500), window(0, 16_002));
        check(seen, (20_000, 28_000), window(15_999, 32_001));
        check(seen, (1_020, 1_980), window(539, 2_461));
        check(seen, (1_200, 1_205), window(1_197, 1_208));
        // At the ends of the record.
        check(seen, (0, 300), window(0, 1_000));
        check(seen, (99_500, 100_000), window(99_000, 100_000));
    }

    #[test]
    fn pan_stops_at_the_ends() {
        let whole = window(0, 1_000);
        assert_eq!(window(100, 200).panned(Ns::new(5_000), whole), window(900, 1_000));
        assert_eq!(window(100, 200).panned(Ns::new(-5_000), whole), window(0, 100));
    }
}
