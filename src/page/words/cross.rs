//! Words for the cross-checks of a recording against itself.

use super::Style;
use super::number::{count, stamp};
use crate::page::recording::cross::{Apart, Check, CrossChecks, Difference, Verdict};

/// Sentences, each with whether it is good news; empty when nothing could be compared.
#[must_use]
pub fn sentences(checks: &CrossChecks, style: Style) -> Vec<(String, bool)> {
    let both = [
        ("cpu_idle_miss", "stays", &checks.misses),
        ("tick_stop", "stopped ticks", &checks.tick_stops),
    ];
    let mut told = Vec::new();
    for (event, what, check) in both {
        let Some(check) = check else { continue };
        told.push((whole(event, what, check, style), check.alike == check.compared));
        told.extend(
            check
                .differences
                .iter()
                .map(|one| (difference(one, style), false)),
        );
    }
    told
}

fn whole(event: &str, what: &str, check: &Check, style: Style) -> String {
    if check.alike == check.compared {
        return format!(
            "{event}: the recorded lane says the same of all {} {what}",
            count(check.compared, style)
        );
    }
    format!(
        "{event}: the recorded lane says the same of {} of {} {what}",
        count(check.alike, style),
        count(check.compared, style)
    )
}

fn difference(one: &Difference, style: Style) -> String {
    let verdict = |verdict: Verdict| match verdict {
        Verdict::Match => "a match",
        Verdict::TooDeep => "too deep",
        Verdict::TooShallow => "too shallow",
    };
    let how = match one.apart {
        Apart::Miss { kernel, ours } => format!("{} for the kernel, {} here", verdict(kernel), verdict(ours)),
        Apart::OnlyRecorded => "tick_stop recorded, not stopped here".to_owned(),
        Apart::OnlyOurs => "stopped here, no tick_stop recorded".to_owned(),
    };
    format!(
        "{} × {how}; the first on {} at {}, state {}",
        count(one.count, style),
        one.first.cpu,
        stamp(one.first.at, style),
        one.first.state.number()
    )
}
