//! A sweep: one number of one idle state over its whole allowed range, everything else as the
//! question says, and what each variant does with every value (ui.md §6).
//!
//! A sweep does not depend on the value that the question has now, so it stays while that value is
//! dragged.

use serde::{Deserialize, Serialize};

use super::doc::{Doc, StateField};
use super::plot::energy::State;
use super::plot::handles;
use super::words::{Style, number};
use crate::units::{Microwatts, Ns};

/// Steps of the grid between the ends of the range.
const STEPS: usize = 24;

/// The shortest duration that is tried, ns.
const SHORTEST: i64 = 100;

/// How far beyond the machine's own value the range goes where nothing bounds it.
const REACH: i64 = 10;

/// What is varied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Swept {
    /// The state's name.
    pub state: String,
    /// Which of its numbers.
    pub field: StateField,
}

impl Swept {
    /// The question with another value: ns or µW.
    #[must_use]
    pub fn with(&self, doc: &Doc, value: i64) -> Doc {
        let mut doc = doc.clone();
        doc.edits.change(&self.state, |edit| match self.field {
            StateField::TargetResidency => edit.target_residency = Some(Ns::new(value)),
            StateField::ExitLatency => edit.exit_latency = Some(Ns::new(value)),
            StateField::Power => {
                edit.power = Some(Microwatts::new(u32::try_from(value).unwrap_or(u32::MAX)));
            }
        });
        doc
    }

    /// The question without a value of its own here: questions that are equal in this have the same
    /// sweep.
    #[must_use]
    pub fn without(&self, doc: &Doc) -> Doc {
        let mut doc = doc.clone();
        doc.edits.change(&self.state, |edit| match self.field {
            StateField::TargetResidency => edit.target_residency = None,
            StateField::ExitLatency => edit.exit_latency = None,
            StateField::Power => edit.power = None,
        });
        doc
    }

    /// The value that the question sets, ns or µW; none when the machine's own one holds.
    #[must_use]
    pub fn value(&self, doc: &Doc) -> Option<i64> {
        let edit = doc.edits.get(&self.state)?;
        match self.field {
            StateField::TargetResidency => edit.target_residency.map(Ns::as_ns),
            StateField::ExitLatency => edit.exit_latency.map(Ns::as_ns),
            StateField::Power => edit.power.map(|power| i64::from(power.as_uw())),
        }
    }

    /// What the value means.
    #[must_use]
    pub fn told(&self, now: i64) -> String {
        let (state, value) = (&self.state, self.text(now));
        match self.field {
            StateField::TargetResidency => format!("{state} pays off from {value}"),
            StateField::ExitLatency => format!("Leaving {state} takes up to {value}"),
            StateField::Power => format!("{state} takes {value}, an estimate"),
        }
    }

    /// What the value means, against the machine's `own` one; `between` idle periods of `all` lie between
    /// the two.
    #[must_use]
    pub fn read_out(&self, own: i64, now: i64, between: u64, all: u64) -> String {
        let what = self.told(now);
        if own == now {
            return format!("{what}, the machine's own value.");
        }
        let was = self.text(own);
        if self.field != StateField::TargetResidency || all == 0 {
            return format!("{what}, was {was}.");
        }
        let (count, share) = (
            number::count(between, Style::Page),
            number::share(between, all, 1, Style::Page),
        );
        format!("{what}, was {was}: about {count} idles ({share}) last between the two.")
    }

    /// What it is called: `C2 residency`.
    #[must_use]
    pub fn name(&self) -> String {
        let field = match self.field {
            StateField::TargetResidency => "residency",
            StateField::ExitLatency => "exit latency",
            StateField::Power => "power",
        };
        format!("{} {field}", self.state)
    }

    /// A value with its unit.
    #[must_use]
    pub fn text(&self, value: i64) -> String {
        match self.field {
            StateField::Power => number::power(
                Microwatts::new(u32::try_from(value).unwrap_or(u32::MAX)),
                Style::Page,
            ),
            _ => number::duration(Ns::new(value), Style::Page),
        }
    }

    /// First and last value that is tried, ns or µW: from neighbour to neighbour, and a factor of ten
    /// beyond the machine's `own` value where there is no neighbour. `own` lies within, the first is
    /// above 0 and below the last.
    #[must_use]
    pub fn range(&self, states: &[State], own: i64) -> (i64, i64) {
        let Some(n) = states.iter().position(|state| state.name == self.state) else {
            return (own.max(1), own.max(1).saturating_mul(REACH));
        };
        let (mut low, mut high) = handles::limits(states, n, self.field);
        let last = n + 1 == states.len();
        let unit = if self.field == StateField::Power {
            1
        } else {
            SHORTEST
        };
        match self.field {
            StateField::TargetResidency if last => high = own.saturating_mul(REACH),
            StateField::ExitLatency => low = high / 1_000,
            StateField::Power if last => low = own / REACH,
            StateField::Power if n == 0 => high = own.saturating_mul(REACH),
            _ => {}
        }
        if low <= 0 {
            low = own.min(high) / 100;
        }
        low = low.min(own).max(unit);
        high = high.max(own);
        if high <= low {
            high = low.saturating_mul(REACH);
        }
        (low, high)
    }
}

/// The values to try, from coarse to fine, so that a curve that is not complete already has its shape:
/// equal steps on a log axis with both ends, and the machine's own value first.
#[must_use]
pub fn values((low, high): (i64, i64), own: i64) -> Vec<i64> {
    let (low, high) = (low.max(1), high.max(low.max(1) + 1));
    let mut values = vec![own];
    let factor = high as f64 / low as f64;
    for step in [STEPS, STEPS / 2, STEPS / 4, STEPS / 8, 1] {
        for n in (0..=STEPS).step_by(step) {
            let value = low as f64 * factor.powf(n as f64 / STEPS as f64);
            let value = (value.round() as i64).clamp(low, high);
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    values
}

/// What one variant does with one value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Idle periods.
    pub periods: u64,
    /// Of these too deep.
    pub too_deep: u64,
    /// Of these too shallow.
    pub too_shallow: u64,
    /// Entries during which the tick kept running.
    pub ticks_kept: u64,
    /// Time in the state that is varied, ns.
    pub in_state: Ns,
    /// Time in all states, ns.
    pub idle: Ns,
    /// The wake latency that 99 of 100 wakeups do not exceed, ns; none without wakeups.
    pub latency: Option<Ns>,
    /// Idle energy, fJ, an estimate; none without a known machine.
    pub energy: Option<f64>,
}

/// What both variants do with one value: A, then B.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The value, ns or µW.
    pub value: i64,
    /// A and B; none for a variant that is off.
    pub sides: [Option<Outcome>; 2],
}

/// What is drawn over the values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    /// Idle energy, in per cent of the first variant's at the machine's own value.
    #[default]
    Energy,
    /// Too deep and too shallow together, per cent of idle exits.
    Misses,
    /// Too deep, per cent of idle exits.
    TooDeep,
    /// Too shallow, per cent of idle exits.
    TooShallow,
    /// Time in the state, per cent of idle time.
    InState,
    /// Wake latency, 99th percentile, ns.
    Latency,
    /// Entries with the tick kept running, per cent.
    TickKept,
}

impl Measure {
    /// The two that the large plot offers.
    pub const LARGE: [Self; 2] = [Self::Energy, Self::Misses];
    /// The five small ones.
    pub const SMALL: [Self; 5] = [
        Self::TooDeep,
        Self::TooShallow,
        Self::InState,
        Self::Latency,
        Self::TickKept,
    ];

    /// Its name, and of what it is a share.
    #[must_use]
    pub fn words(self, swept: &Swept) -> (String, &'static str) {
        match self {
            Self::Energy => ("idle energy".to_owned(), "estimate"),
            Self::Misses => ("too deep or too shallow".to_owned(), "of idle exits"),
            Self::TooDeep => ("too deep".to_owned(), "of idle exits"),
            Self::TooShallow => ("too shallow".to_owned(), "of idle exits"),
            Self::InState => (format!("time in {}", swept.state), "of idle time"),
            Self::Latency => ("wake latency".to_owned(), "99 of 100 at most"),
            Self::TickKept => ("tick kept".to_owned(), "of idle entries"),
        }
    }

    /// Its number for an outcome; `base` is the energy that counts as 100 %, fJ. None where nothing can
    /// be said.
    #[must_use]
    pub fn of(self, outcome: &Outcome, base: Option<f64>) -> Option<f64> {
        let share = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole * 100.0);
        let exits = outcome.periods as f64;
        match self {
            Self::Energy => share(outcome.energy?, base?),
            Self::Misses => share((outcome.too_deep + outcome.too_shallow) as f64, exits),
            Self::TooDeep => share(outcome.too_deep as f64, exits),
            Self::TooShallow => share(outcome.too_shallow as f64, exits),
            Self::InState => share(outcome.in_state.as_ns() as f64, outcome.idle.as_ns() as f64),
            Self::Latency => outcome.latency.map(|latency| latency.as_ns() as f64),
            Self::TickKept => share(outcome.ticks_kept as f64, exits),
        }
    }

    /// A number of this measure with its unit.
    #[must_use]
    pub fn text(self, value: f64) -> String {
        let gap = Style::Page.gap();
        match self {
            Self::Latency => number::duration(Ns::new(value.round() as i64), Style::Page),
            Self::TooDeep | Self::TooShallow | Self::Misses => format!("{value:.2}{gap}%"),
            Self::Energy | Self::InState | Self::TickKept => format!("{value:.1}{gap}%"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states() -> Vec<State> {
        let state = |name: &str, latency, residency, mw: u32| State {
            name: name.to_owned(),
            target_residency: Ns::from_us(residency),
            exit_latency: Ns::from_us(latency),
            power: Microwatts::new(mw * 1_000),
            on: true,
        };
        vec![
            state("POLL", 0, 0, 4_000),
            state("C1", 1, 1, 1_500),
            state("C2", 120, 360, 600),
            state("C3", 1_034, 3_102, 80),
        ]
    }

    fn swept(state: &str, field: StateField) -> Swept {
        Swept {
            state: state.to_owned(),
            field,
        }
    }

    #[track_caller]
    fn check(state: &str, field: StateField, own: i64, expect: (i64, i64)) {
        assert_eq!(
            swept(state, field).range(&states(), own),
            expect,
            "{state} {field:?}"
        );
    }

    #[test]
    fn a_sweep_covers_what_a_handle_may_reach() {
        use StateField::{ExitLatency, Power, TargetResidency};
        check("C2", TargetResidency, 360_000, (1_000, 3_102_000));
        check("C3", TargetResidency, 3_102_000, (360_000, 31_020_000));
        check("C1", TargetResidency, 1_000, (100, 360_000));
        check("C2", ExitLatency, 120_000, (360, 360_000));
        check("C2", Power, 600_000, (80_001, 1_499_999));
        check("C3", Power, 80_000, (8_000, 599_999));
        check("POLL", Power, 4_000_000, (1_500_001, 40_000_000));
    }

    #[test]
    fn the_machines_own_value_is_always_within() {
        // A table whose exit latency is above its residency, and a state nobody has.
        check("C2", StateField::ExitLatency, 700_000, (360, 700_000));
        check("C9", StateField::Power, 5, (5, 50));
        check("POLL", StateField::TargetResidency, 0, (100, 1_000));
    }

    #[test]
    fn values_come_from_coarse_to_fine_with_both_ends_and_the_own_one() {
        let values = values((1_000, 1_000_000), 360_000);
        assert_eq!(values[..4], [360_000, 1_000, 1_000_000, 31_623]);
        assert_eq!(values.len(), 26);
        let mut sorted = values.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), 26, "no value twice");
        assert_eq!((sorted[0], sorted[25]), (1_000, 1_000_000));
    }

    #[test]
    fn a_sweep_stays_while_its_own_value_is_dragged() {
        let swept = swept("C2", StateField::TargetResidency);
        let mut doc = Doc::default();
        doc.edits.change("C2", |edit| edit.on = Some(false));
        let (one, other) = (swept.with(&doc, 5_000), swept.with(&doc, 9_000));
        assert_ne!(one, other);
        assert_eq!(swept.without(&one), swept.without(&other));
        assert_eq!(swept.without(&one), doc, "the other edits of the state stay");
    }

    #[test]
    fn the_read_out_says_what_a_value_means_and_what_it_was() {
        let check = |field, own, now, expect: &str| {
            let text = swept("C2", field).read_out(own, now, 131, 1_000);
            assert_eq!(text.replace('\u{202f}', " "), expect);
        };
        check(
            StateField::TargetResidency,
            360_000,
            640_000,
            "C2 pays off from 640 µs, was 360 µs: about 131 idles (13.1 %) last between the two.",
        );
        check(
            StateField::ExitLatency,
            120_000,
            120_000,
            "Leaving C2 takes up to 120 µs, the machine's own value.",
        );
        check(
            StateField::Power,
            600_000,
            500_000,
            "C2 takes 500 mW, an estimate, was 600 mW.",
        );
    }

    #[test]
    fn shares_have_a_base_and_nothing_is_said_of_none() {
        let outcome = Outcome {
            periods: 200,
            too_deep: 3,
            too_shallow: 7,
            energy: Some(50.0),
            ..Outcome::default()
        };
        assert_eq!(Measure::Misses.of(&outcome, None), Some(5.0));
        assert_eq!(Measure::Energy.of(&outcome, Some(40.0)), Some(125.0));
        assert_eq!(Measure::Energy.of(&outcome, None), None);
        assert_eq!(Measure::InState.of(&outcome, None), None);
        assert_eq!(Measure::TooDeep.text(1.5), "1.50\u{202f}%");
    }
}
