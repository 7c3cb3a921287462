//! Lanes beside those of the decisions: which there are, and which of them somebody wants to see.
//!
//! A choice of the reader, not of the question: it is kept per browser and never put into a link (ui.md §5).

use serde::{Deserialize, Serialize};

/// A lane that can be shown or hidden in the lane menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Extra {
    /// What a governor that knows the future would have entered: the reference lane of generated workloads.
    Ideal,
    /// How far the next timer was when the governor was asked.
    SleepLength,
    /// The strictest latency limit.
    LatencyLimit,
    /// The CPU's utilisation with the threshold above which it counts, where the governor reads it.
    Utilization,
    /// The clock that all cores share, in closed loops whose clock changes.
    Frequency,
    /// When the CPU and all others with the same states sleep deep enough for the state that they share.
    Together,
}

impl Extra {
    /// All of them, from top to bottom.
    pub const ALL: [Self; 6] = [
        Self::Ideal,
        Self::SleepLength,
        Self::LatencyLimit,
        Self::Utilization,
        Self::Frequency,
        Self::Together,
    ];

    /// Its name where the choice is kept.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ideal => "ideal",
            Self::SleepLength => "sleep-length",
            Self::LatencyLimit => "latency-limit",
            Self::Utilization => "utilisation",
            Self::Frequency => "frequency",
            Self::Together => "together",
        }
    }

    /// Its label in the menu.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Ideal => "ideal",
            Self::SleepLength => "sleep length",
            Self::LatencyLimit => "latency limit",
            Self::Utilization => "utilisation",
            Self::Frequency => "frequency",
            Self::Together => "cluster, package",
        }
    }

    /// Its label beside the lane.
    #[must_use]
    pub const fn short(self) -> &'static str {
        match self {
            Self::Ideal => "ideal",
            Self::SleepLength => "sleep",
            Self::LatencyLimit => "limit",
            Self::Utilization => "util.",
            Self::Frequency => "freq.",
            Self::Together => "all",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// Which of them are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Extras(u8);

impl Default for Extras {
    /// The reference lane only.
    fn default() -> Self {
        Self(Extra::Ideal.bit())
    }
}

impl Extras {
    /// Whether one is shown.
    #[must_use]
    pub const fn shows(self, extra: Extra) -> bool {
        self.0 & extra.bit() != 0
    }

    /// With one switched on or off.
    #[must_use]
    pub const fn toggled(self, extra: Extra) -> Self {
        Self(self.0 ^ extra.bit())
    }

    /// The strips of 16 px that are shown: all but the reference lane.
    #[must_use]
    pub fn strips(self) -> Vec<Extra> {
        let strip = |extra: &Extra| *extra != Extra::Ideal && self.shows(*extra);
        Extra::ALL.into_iter().filter(strip).collect()
    }

    /// The choice as a text to be kept.
    #[must_use]
    pub fn to_text(self) -> String {
        let shown = Extra::ALL.into_iter().filter(|extra| self.shows(*extra));
        shown.map(Extra::name).collect::<Vec<_>>().join(",")
    }

    /// A choice that was kept; names that are no lane's are passed over.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        let named = Extra::ALL
            .into_iter()
            .filter(|extra| text.split(',').any(|name| name == extra.name()));
        Self(named.fold(0, |bits, extra| bits | extra.bit()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_lane_alone_is_shown_at_first() {
        let first = Extras::default();
        assert!(first.shows(Extra::Ideal) && first.strips().is_empty());
    }

    #[test]
    fn every_choice_that_is_kept_comes_back() {
        for bits in 0..64 {
            let extras = Extras(bits);
            assert_eq!(Extras::from_text(&extras.to_text()), extras);
        }
        assert_eq!(
            Extras::from_text("reached,sleep-length").strips(),
            [Extra::SleepLength]
        );
        assert_eq!(Extras::from_text(""), Extras(0));
    }
}
