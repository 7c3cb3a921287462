//! The sentence that heads the inspector: what A and B decide, and what then happened (ui.md §8).

use super::{Speaker, number};
use crate::sim::{Flags, Row};
use crate::units::{CpuId, Ns, StateIdx, Time};

/// What one variant's decision does with the tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TickFate {
    /// It is stopped by this decision.
    Stopped,
    /// It runs on.
    Kept,
    /// It was stopped before.
    StoppedBefore,
}

impl TickFate {
    /// Of a decision.
    #[must_use]
    pub const fn of(row: &Row) -> Self {
        if row.flags.has(Flags::WAS_STOPPED) {
            Self::StoppedBefore
        } else if row.flags.has(Flags::STOPPED_NOW) {
            Self::Stopped
        } else {
            Self::Kept
        }
    }

    /// For a card: `tick stopped`.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Stopped => "tick stopped",
            Self::Kept => "tick kept",
            Self::StoppedBefore => "tick stopped before",
        }
    }

    const fn verb(self) -> &'static str {
        match self {
            Self::Stopped => "stops the tick",
            Self::Kept => "keeps the tick",
            Self::StoppedBefore => "finds the tick stopped",
        }
    }

    const fn verb_again(self) -> &'static str {
        match self {
            Self::Stopped => "stops it",
            Self::Kept => "keeps it",
            Self::StoppedBefore => "finds it stopped",
        }
    }
}

impl Speaker<'_> {
    /// What A and B decide; `None` where a variant made no such decision.
    #[must_use]
    pub fn answer(&self, a: Option<&Row>, b: Option<&Row>) -> String {
        let (a, b) = match (a, b) {
            (Some(a), Some(b)) => (a, b),
            (Some(one), None) => return self.alone("A", one),
            (None, Some(one)) => return self.alone("B", one),
            (None, None) => return "No decision here.".to_owned(),
        };
        let (tick_a, tick_b) = (TickFate::of(a), TickFate::of(b));
        let (state_a, state_b) = (self.state(a.selected), self.state(b.selected));
        match (a.selected == b.selected, tick_a == tick_b) {
            (true, true) => "Same choice, same tick.".to_owned(),
            (true, false) => format!(
                "Both choose {state_a}. A {}, B {}.",
                tick_a.verb(),
                tick_b.verb_again()
            ),
            (false, true) => format!("A chooses {state_a}, B chooses {state_b}."),
            (false, false) => format!(
                "A chooses {state_a} and {}, B chooses {state_b} and {}.",
                tick_a.verb(),
                tick_b.verb_again()
            ),
        }
    }

    /// What the one variant decided whose other one is switched off.
    #[must_use]
    pub fn sole(&self, who: &str, row: &Row) -> String {
        format!(
            "{who} chooses {} and {}.",
            self.state(row.selected),
            TickFate::of(row).verb()
        )
    }

    fn alone(&self, who: &str, row: &Row) -> String {
        format!(
            "Only {who} is asked here: it chooses {} and {}.",
            self.state(row.selected),
            TickFate::of(row).verb()
        )
    }

    /// What then happened: how long the CPU really slept, in how many periods, and which state would have been
    /// ideal for all of that. `chosen` are the states that the variants asked for.
    #[must_use]
    pub fn aftermath(
        &self,
        slept: Ns,
        periods: usize,
        ideal: Option<StateIdx>,
        chosen: &[StateIdx],
    ) -> String {
        let slept = match periods {
            0 | 1 => self.time(slept),
            n => format!("{} in {n} periods", self.time(slept)),
        };
        let whole = if periods > 1 { " for the whole of it" } else { "" };
        match ideal {
            None => format!("The CPU then slept {slept}."),
            Some(ideal) if chosen.iter().all(|state| *state == ideal) => {
                format!(
                    "The CPU then slept {slept}; {} was ideal{whole}.",
                    self.state(ideal)
                )
            }
            Some(ideal) => format!(
                "The CPU then slept {slept}; {} would have been ideal{whole}.",
                self.state(ideal)
            ),
        }
    }

    /// What assistive technology announces when the cursor rests (ui.md §12).
    #[must_use]
    pub fn announcement(
        &self,
        cpu: CpuId,
        t: Time,
        a: Option<&Row>,
        b: Option<&Row>,
        difference: Option<(usize, usize)>,
    ) -> String {
        let mut text = format!(
            "{cpu} {}.",
            number::stamp(t, self.style).replace("\u{202f}s", " seconds")
        );
        for (who, row) in [("A", a), ("B", b)] {
            if let Some(row) = row {
                let state = self.state(row.selected);
                text.push_str(&format!(" {who} {state}, {}.", TickFate::of(row).label()));
            }
        }
        if let Some((k, n)) = difference {
            text.push_str(&format!(" Difference {k} of {n}."));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::super::Style;
    use super::*;
    use crate::sim::Cause;

    fn row(state: u8, flags: Flags) -> Row {
        Row {
            entry: Time::ZERO,
            wake: Time::from_ns(5_745_000),
            exit: Time::from_ns(5_746_000),
            sleep_length: Ns::from_ms(6),
            period: 0,
            selected: StateIdx::new(state),
            entered: StateIdx::new(state),
            cause: Cause::Interrupt,
            flags,
        }
    }

    #[track_caller]
    fn check(a: Option<(u8, Flags)>, b: Option<(u8, Flags)>, expect: &str) {
        let speaker = Speaker::new(None, Style::Ascii, false);
        let row_of = |side: Option<(u8, Flags)>| side.map(|(state, flags)| row(state, flags));
        assert_eq!(speaker.answer(row_of(a).as_ref(), row_of(b).as_ref()), expect);
    }

    #[test]
    fn the_answer_names_what_differs() {
        let stops = Flags::STOPPED_NOW.and(Flags::STOPPED);
        let found = Flags::WAS_STOPPED.and(Flags::STOPPED);
        let keeps = Flags::NONE;
        check(
            Some((1, stops)),
            Some((1, keeps)),
            "Both choose state 1. A stops the tick, B keeps it.",
        );
        check(
            Some((3, keeps)),
            Some((1, keeps)),
            "A chooses state 3, B chooses state 1.",
        );
        check(Some((3, found)), Some((3, found)), "Same choice, same tick.");
        check(
            Some((3, stops)),
            Some((1, keeps)),
            "A chooses state 3 and stops the tick, B chooses state 1 and keeps it.",
        );
        check(
            None,
            Some((1, keeps)),
            "Only B is asked here: it chooses state 1 and keeps the tick.",
        );
    }

    #[test]
    fn a_variant_by_itself_is_not_said_to_be_the_only_one_asked() {
        let speaker = Speaker::new(None, Style::Ascii, false);
        let said = speaker.sole("A", &row(1, Flags::STOPPED_NOW.and(Flags::STOPPED)));
        assert_eq!(said, "A chooses state 1 and stops the tick.");
    }

    #[test]
    fn the_aftermath_names_the_ideal() {
        let speaker = Speaker::new(None, Style::Ascii, false);
        let states = [StateIdx::new(1)];
        assert_eq!(
            speaker.aftermath(Ns::from_us(5745), 1, Some(StateIdx::new(3)), &states),
            "The CPU then slept 5.745 ms; state 3 would have been ideal."
        );
        assert_eq!(
            speaker.aftermath(Ns::from_us(5745), 1, Some(StateIdx::new(1)), &states),
            "The CPU then slept 5.745 ms; state 1 was ideal."
        );
        assert_eq!(
            speaker.aftermath(Ns::from_us(5745), 2, Some(StateIdx::new(3)), &states),
            "The CPU then slept 5.745 ms in 2 periods; state 3 would have been ideal for the whole of it."
        );
    }

    #[test]
    fn the_announcement_is_read_aloud() {
        let speaker = Speaker::new(None, Style::Page, false);
        let (a, b) = (row(1, Flags::STOPPED_NOW), row(1, Flags::NONE));
        assert_eq!(
            speaker.announcement(
                CpuId::new(3),
                Time::from_ns(12_155_772_000),
                Some(&a),
                Some(&b),
                Some((44, 95))
            ),
            "cpu3 12.155\u{202f}772 seconds. A state 1, tick stopped. B state 1, tick kept. Difference 44 of 95."
        );
    }
}
