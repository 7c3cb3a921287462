//! Where the candidate went: the state after each step that changed it, and why in a word or two.
//!
//! The way up through states that fit is left out: it ends at the deepest of them.

use super::decisive::candidate;
use crate::cpuidle::{self, menu, teo};
use crate::sim::Step;
use crate::units::StateIdx;

/// The candidates of a decision in order, the chosen state last; each with the reason why it followed
/// the one before, empty for the first. Empty where no step names a candidate.
#[must_use]
pub fn walk(steps: &[Step]) -> Vec<(StateIdx, &'static str)> {
    let mut found: Vec<(StateIdx, &'static str)> = Vec::new();
    let mut climbing = false;
    for step in steps {
        let Some(state) = candidate(step) else { continue };
        let climbs = climbs(step);
        match found.last_mut() {
            Some(last) if last.0 == state => {}
            Some(last) if climbs && climbing => last.0 = state,
            Some(_) => found.push((state, reason(step))),
            None => found.push((state, "")),
        }
        climbing = climbs;
    }
    found
}

/// Whether a step only looks whether the next state fits.
const fn climbs(step: &Step) -> bool {
    matches!(
        step,
        Step::Governor(
            cpuidle::Step::Teo(teo::Step::Considered { .. })
                | cpuidle::Step::Menu(menu::Step::Considered { .. })
                | cpuidle::Step::Mobile(cpuidle::mobile::Step::Considered { .. })
                | cpuidle::Step::Baseline(_)
        )
    )
}

const fn reason(step: &Step) -> &'static str {
    match step {
        Step::Governor(cpuidle::Step::Teo(step)) => match step {
            teo::Step::LookedUp { .. } => "intercepts",
            teo::Step::Constrained { .. } => "latency limit",
            teo::Step::Demoted { .. } | teo::Step::BusyTwoStates { .. } => "busy",
            teo::Step::TimerCorrection { .. } | teo::Step::TimerTooFar { .. } => "timer",
            teo::Step::EarlyHits { .. } => "early hits",
            teo::Step::ShortIntervals { .. } => "intervals",
            teo::Step::TickCorrection { .. } | teo::Step::TickDecision { .. } => "tick",
            _ => "",
        },
        Step::Governor(cpuidle::Step::Menu(step)) => match step {
            menu::Step::Left { why, .. } => match why {
                menu::Left::InsteadOfPolling => "not to poll",
                menu::Left::TickStopped => "tick stopped",
                menu::Left::ExitLatency | menu::Left::WithinTick | menu::Left::TickRunning => "",
            },
            menu::Step::TickCorrection { .. } | menu::Step::TickDecision { .. } => "tick",
            _ => "",
        },
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Ns;

    fn considered(state: u8, fits: bool) -> Step {
        Step::Governor(cpuidle::Step::Teo(teo::Step::Considered {
            state: StateIdx::new(state),
            target_residency: Ns::ZERO,
            sleep_length: None,
            fits,
            exit_latency: Ns::ZERO,
            latency_req: Ns::MAX,
            allowed: true,
        }))
    }

    fn looked_up(from: u8, to: u8) -> Step {
        Step::Governor(cpuidle::Step::Teo(teo::Step::LookedUp {
            from: StateIdx::new(from),
            to: StateIdx::new(to),
            duration: None,
        }))
    }

    fn corrected(from: u8, to: u8) -> Step {
        Step::Governor(cpuidle::Step::Teo(teo::Step::TickCorrection {
            from: StateIdx::new(from),
            target_residency: Ns::ZERO,
            to_event_or_tick: Ns::ZERO,
            to: StateIdx::new(to),
        }))
    }

    #[track_caller]
    fn check(steps: &[Step], expect: &[(u8, &str)]) {
        let found: Vec<(u8, &str)> = walk(steps)
            .into_iter()
            .map(|(state, why)| (state.number(), why))
            .collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn the_walk_begins_at_the_deepest_that_fits_and_tells_each_reason() {
        let climb = [considered(0, true), considered(1, true), considered(2, true)];
        check(&climb, &[(2, "")]);
        let mut all = climb.to_vec();
        all.extend([
            considered(3, false),
            looked_up(2, 2),
            looked_up(2, 1),
            corrected(1, 0),
        ]);
        check(&all, &[(2, ""), (1, "intercepts"), (0, "tick")]);
        check(&[], &[]);
    }
}
