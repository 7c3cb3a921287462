//! The hrtimer that shows no event: periodic, with a period longer than the trace, yet it bounds every long sleep
//! (spec replay-inputs.md §2.6.3).
//!
//! Typically the soft-lockup watchdog, 4 s at default settings, on all CPUs within some 60 ms. One common expiry after the
//! end of the trace is fitted: the one under which the governor's strict tick decisions differ least from the recorded ones.

use super::follow::{Explain, KeepRule, Path, follow};
use crate::units::{Ns, Time};

/// The longest period looked for.
const LONGEST_MS: i64 = 4_000;
const COARSE_MS: i64 = 200;
const FINE_MS: i64 = 25;

/// What the fit found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// The common expiry; [`Time::NEVER`] when assuming one does not win by a twentieth.
    pub due: Time,
    /// Tick decisions that differ without it.
    pub differing_without: usize,
    /// Tick decisions that differ with it.
    pub differing_with: usize,
}

/// Fits the expiry. `path.hidden` is ignored.
#[must_use]
pub fn fit(path: &Path, end: Time) -> Hidden {
    let differing = |due: Time| {
        let mut count = 0_usize;
        let candidate = Path { hidden: due, ..*path };
        follow(&candidate, KeepRule::Strict, Explain::Nothing, |followed| {
            count += usize::from(followed.tick_agrees() == Some(false));
        });
        count
    };
    let without = differing(Time::NEVER);
    let nothing = Hidden {
        due: Time::NEVER,
        differing_without: without,
        differing_with: without,
    };
    if without == 0 {
        return nothing;
    }
    let at = |ms: i64| end.saturating_add(Ns::from_ms(ms));
    let plateau = |from: i64, to: i64, step: usize| -> Option<(usize, Vec<i64>)> {
        let costs: Vec<(usize, i64)> = (from..=to)
            .step_by(step)
            .map(|ms| (differing(at(ms)), ms))
            .collect();
        let (least, _) = costs.iter().min()?;
        let on_it = costs
            .iter()
            .filter(|(cost, _)| cost == least)
            .map(|(_, ms)| *ms)
            .collect();
        Some((*least, on_it))
    };
    let Some((coarse, on_it)) = plateau(COARSE_MS, LONGEST_MS, 200) else {
        return nothing;
    };
    if coarse * 20 > without * 19 {
        return nothing;
    }
    let first = on_it.first().copied().unwrap_or(COARSE_MS);
    let last = on_it.last().copied().unwrap_or(LONGEST_MS);
    let from = (first - COARSE_MS).max(FINE_MS);
    let to = (last + COARSE_MS).min(LONGEST_MS);
    let Some((fine, on_it)) = plateau(from, to, 25) else {
        return nothing;
    };
    Hidden {
        due: on_it.get(on_it.len() / 2).map_or(Time::NEVER, |ms| at(*ms)),
        differing_without: without,
        differing_with: fine,
    }
}
