//! The timeline as a table: what its columns hold, whose they are, and in which unit.
//!
//! Invariant: a column has one unit, named in its head, and one number of decimals.

use super::answer::TickFate;
use super::number::{self, Style};
use super::{Speaker, cause};
use crate::page::view::LaneId;
use crate::sim::{Flags, Row};
use crate::units::{Ns, Time};

/// Decimals of an instant: to the nanosecond.
const DECIMALS: usize = 9;

/// The heads, the instant first. `lead` decided when and how long; `beside` says that B stands beside A.
#[must_use]
pub fn heads(lead: LaneId, beside: bool) -> Vec<String> {
    let who = whose(lead);
    let mut heads = vec![
        format!("{who} entry, s"),
        format!("{who} state"),
        format!("{who} tick"),
    ];
    if beside {
        heads.extend(["B state", "B tick"].map(str::to_owned));
    }
    heads.extend(["slept, ns", "woke by", "miss"].map(|what| format!("{who} {what}")));
    heads
}

/// Whose decision, for a head.
const fn whose(lane: LaneId) -> &'static str {
    match lane {
        LaneId::A => "A",
        LaneId::B => "B",
        LaneId::Recorded => "recorded",
        LaneId::Ideal => "ideal",
    }
}

/// An instant as its column has it, in seconds.
#[must_use]
pub fn entry(at: Time, style: Style) -> String {
    let stamp = number::stamp_to(at, DECIMALS, style);
    stamp.trim_end_matches('s').trim_end().to_owned()
}

/// The cells after the instant; `beside` is B's decision of the same period and lap, where there is a column for it.
#[must_use]
pub fn cells(speaker: &Speaker<'_>, row: &Row, beside: Option<Option<&Row>>) -> Vec<String> {
    let style = speaker.style;
    let none = || style.none().to_owned();
    let chosen = |row: &Row| {
        [
            speaker.state(row.entered),
            TickFate::of(row).label().replace("tick ", ""),
        ]
    };
    let mut cells = Vec::from(chosen(row));
    if let Some(beside) = beside {
        cells.extend(beside.map_or_else(|| [none(), none()], chosen));
    }
    // Until the wakeup event, as the inspector says it; the way out is no sleep.
    let slept = row.wake.saturating_since(row.entry).max(Ns::ZERO);
    cells.extend([
        number::count(slept.as_ns().unsigned_abs(), style),
        cause(row.cause).to_owned(),
        miss(row).map_or_else(none, str::to_owned),
    ]);
    cells
}

/// What the kernel's rule says of a decision, if it says something.
#[must_use]
pub const fn miss(row: &Row) -> Option<&'static str> {
    if row.flags.has(Flags::TOO_DEEP) {
        Some("too deep")
    } else if row.flags.has(Flags::TOO_SHALLOW) {
        Some("too shallow")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Cause;
    use crate::units::StateIdx;

    fn row(state: u8, flags: Flags) -> Row {
        Row {
            entry: Time::from_ns(1_000),
            wake: Time::from_ns(2_331_042),
            exit: Time::from_ns(2_400_000),
            selected: StateIdx::new(state),
            entered: StateIdx::new(state),
            cause: Cause::Timer,
            flags,
            sleep_length: Ns::MAX,
            period: 0,
        }
    }

    #[test]
    fn every_column_says_whose_it_is_and_its_unit() {
        let joined = |lead, beside| heads(lead, beside).join(" | ");
        assert_eq!(
            joined(LaneId::A, true),
            "A entry, s | A state | A tick | B state | B tick | A slept, ns | A woke by | A miss"
        );
        assert_eq!(
            joined(LaneId::B, false),
            "B entry, s | B state | B tick | B slept, ns | B woke by | B miss"
        );
        assert_eq!(
            joined(LaneId::Recorded, false),
            "recorded entry, s | recorded state | recorded tick | recorded slept, ns | recorded woke by | recorded miss"
        );
    }

    #[test]
    fn cells_stand_under_their_heads_with_one_number_of_decimals() {
        let speaker = Speaker::new(None, Style::Ascii, false);
        let (own, other) = (row(1, Flags::default()), row(2, Flags::TOO_DEEP));
        assert_eq!(
            cells(&speaker, &own, Some(Some(&other))),
            ["state 1", "kept", "state 2", "kept", "2330042", "timer", "-"]
        );
        assert_eq!(
            cells(&speaker, &other, Some(None)),
            ["state 2", "kept", "-", "-", "2330042", "timer", "too deep"]
        );
        for (lead, beside) in [(LaneId::A, Some(None)), (LaneId::Recorded, None)] {
            let heads = heads(lead, beside.is_some());
            assert_eq!(cells(&speaker, &own, beside).len() + 1, heads.len());
        }
        assert_eq!(entry(Time::from_ns(12_155_772_000), Style::Ascii), "12.155772000");
        assert_eq!(
            entry(Time::from_ns(12_155_772_345), Style::Page),
            "12.155\u{202f}772\u{202f}345"
        );
    }
}
