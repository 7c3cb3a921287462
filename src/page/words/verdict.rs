//! The answer of a run in a sentence: what one variant did, or in what two differ.
//!
//! Invariant: a share of nothing is not told; what there is none of is said instead.

use super::number::{self, Style, count, share};
use crate::analysis::summary::Summary;
use crate::units::Energy;

/// Said where no idle period is complete, so that there is nothing of which anything could be a share.
pub const NO_PERIOD: &str = "No idle period was completed";

/// What one variant, or the recording, did.
#[must_use]
pub fn alone(label: &str, one: &Summary, style: Style) -> String {
    let periods = one.periods();
    if periods == 0 {
        return format!("{label}: {}{}.", lower(NO_PERIOD), and_open(one));
    }
    let noun = if periods == 1 { "period" } else { "periods" };
    format!(
        "{label}: {} idle {noun}, too deep {}, too shallow {}, tick kept in {} of entries.",
        count(periods, style),
        share(one.too_deep(), periods, 2, style),
        share(one.too_shallow(), periods, 2, style),
        share(one.ticks_retained, periods, 1, style)
    )
}

/// How often the tick is kept in A and in B.
#[must_use]
pub fn tick_kept(a: &Summary, b: &Summary, style: Style) -> String {
    let kept = |one: &Summary| share(one.ticks_retained, one.periods(), 1, style);
    match (a.periods(), b.periods()) {
        (0, 0) => format!("{NO_PERIOD}{}.", and_open(a)),
        (0, _) => format!(
            "B keeps the tick in {} of idle entries, A completed none.",
            kept(b)
        ),
        (_, 0) => format!(
            "A keeps the tick in {} of idle entries, B completed none.",
            kept(a)
        ),
        _ => format!(
            "B keeps the tick in {} of idle entries, A in {}.",
            kept(b),
            kept(a)
        ),
    }
}

/// How many decisions differ of those compared; `place` says where they are alike, `rest` what to think of it.
#[must_use]
pub fn differences(differ: u64, compared: u64, (place, rest): (&str, &str), style: Style) -> String {
    match (differ, compared) {
        (_, 0) => "A and B have no decision to compare.".to_owned(),
        (0, _) => format!("A and B decide alike {place}."),
        _ => format!(
            "{} of {} decisions differ ({}){rest}.",
            count(differ, style),
            count(compared, style),
            share(differ, compared, 1, style)
        ),
    }
}

/// The idle energy of B against A's; nothing where A's is nothing.
#[must_use]
pub fn energy(a: Energy, b: Energy, style: Style) -> String {
    let ratio = number::energy_share(b, a, style);
    if ratio == style.none() {
        return String::new();
    }
    format!("Idle energy of B {ratio} of A (estimate).")
}

/// Periods that are there and not counted.
fn and_open(one: &Summary) -> String {
    match one.uncounted {
        0 => String::new(),
        1 => ", one is open at an end".to_owned(),
        n => format!(", {n} are open at an end or cut by lost events"),
    }
}

fn lower(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| {
        format!("{}{}", first.to_lowercase(), letters.as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::summary::StateUse;
    use crate::units::Ns;

    fn summary(periods: u64, kept: u64, uncounted: u64) -> Summary {
        Summary {
            states: vec![StateUse {
                count: periods,
                time: Ns::from_us(5),
                too_deep: periods / 4,
                ..StateUse::default()
            }],
            ticks_retained: kept,
            uncounted,
            ..Summary::default()
        }
    }

    const ASCII: Style = Style::Ascii;

    #[test]
    fn one_variant_tells_shares_only_of_something() {
        assert_eq!(
            alone("A", &summary(8, 2, 0), ASCII),
            "A: 8 idle periods, too deep 25.00 %, too shallow 0.00 %, tick kept in 25.0 % of entries."
        );
        assert_eq!(
            alone("teo-6.6", &summary(0, 0, 1), ASCII),
            "teo-6.6: no idle period was completed, one is open at an end."
        );
        assert_eq!(
            alone("recorded", &Summary::default(), ASCII),
            "recorded: no idle period was completed."
        );
        assert!(alone("A", &summary(1, 1, 0), ASCII).starts_with("A: 1 idle period, "));
    }

    #[test]
    fn two_variants_compare_only_what_there_is() {
        let (none, some) = (summary(0, 0, 1), summary(10, 5, 0));
        assert_eq!(
            tick_kept(&some, &summary(4, 1, 0), ASCII),
            "B keeps the tick in 25.0 % of idle entries, A in 50.0 %."
        );
        assert_eq!(
            tick_kept(&none, &some, ASCII),
            "B keeps the tick in 50.0 % of idle entries, A completed none."
        );
        assert_eq!(
            tick_kept(&some, &none, ASCII),
            "A keeps the tick in 50.0 % of idle entries, B completed none."
        );
        assert_eq!(
            tick_kept(&none, &none, ASCII),
            "No idle period was completed, one is open at an end."
        );
        let told = |differ, compared| differences(differ, compared, ("everywhere", "; and so on"), ASCII);
        assert_eq!(told(0, 0), "A and B have no decision to compare.");
        assert_eq!(told(0, 9), "A and B decide alike everywhere.");
        assert_eq!(told(3, 9), "3 of 9 decisions differ (33.3 %); and so on.");
        assert_eq!(energy(Energy::ZERO, Energy::from_fj(3), ASCII), "");
        assert_eq!(
            energy(Energy::from_fj(4), Energy::from_fj(3), ASCII),
            "Idle energy of B 75.0 % of A (estimate)."
        );
    }
}
