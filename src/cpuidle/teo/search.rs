//! The steps of selecting a state that all recipes share (spec teo.md §1.4, §3.2, §6).
//!
//! ```text
//!   shallow                                  deep
//!     0     1     2     3     4     5     6
//!           ^first      ^choice     ^candidate
//!                 <----- walk ------|
//! ```
//!
//! The candidate is the deepest state that the timer (if it counts yet) and
//! the user's switches permit. The walk goes back from it while most wakeups
//! came before it would have paid off.

use super::NO_RECENT;
use super::bins::{Bins, PerState, Tuning, at};
use super::step::{Bail, Step};
use super::timer::unasked;
use crate::cpuidle::select::{Now, finish};
use crate::cpuidle::{Decision, StateTable, TickChoice};
use crate::probe::Probe;
use crate::units::{Ns, StateIdx};

/// Recent intercepts that must be exceeded, more than half of the nine remembered.
const RECENT_LIMIT: u32 = 4;

/// The middle of a state's bin; half of the target residency for the deepest (spec §12.9).
pub(super) fn midpoint(table: &StateTable, idx: StateIdx) -> Ns {
    let next = StateIdx::new(idx.number().saturating_add(1));
    Ns::new((table.target_residency(idx) + table.target_residency(next)).as_ns() / 2)
}

/// Sums over the bins below a state.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    pub intercepts: u32,
    pub hits: u32,
    pub recent: u32,
}

impl Sums {
    fn add(&mut self, bins: &Bins, recent: &PerState, idx: StateIdx) {
        self.intercepts = self.intercepts.wrapping_add(at(&bins.intercepts, idx));
        self.hits = self.hits.wrapping_add(at(&bins.hits, idx));
        self.recent = self.recent.wrapping_add(at(recent, idx));
    }
}

/// The outcome of looking for a candidate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// The candidate; none when no state is enabled.
    pub state: Option<StateIdx>,
    /// The shallowest enabled state; 0 when none is.
    pub first: StateIdx,
    /// The deepest state within the latency limit; 0 when none is, even a disabled 0.
    pub deepest_allowed: StateIdx,
    /// Sums over the bins below the candidate, those of disabled states included.
    pub below: Sums,
    /// Intercepts over all bins but the deepest, when the search looked at all states.
    pub intercepts: u32,
}

/// Walks from the shallowest state to the deepest one that pays off within `sleep_length`, or to
/// the deepest of all when the timer does not count yet (spec §3.2 step 4, §6 step 4).
pub(super) fn find_candidate<P: Probe<Step>>(
    now: &Now<'_>,
    bins: &Bins,
    recent: &PerState,
    sleep_length: Option<Ns>,
    probe: &mut P,
) -> Candidate {
    let mut found = Candidate {
        state: now.enabled(StateIdx::ZERO).then_some(StateIdx::ZERO),
        first: StateIdx::ZERO,
        deepest_allowed: StateIdx::ZERO,
        below: Sums::default(),
        intercepts: 0,
    };
    let mut sums = Sums::default();
    let mut previous = StateIdx::ZERO;
    for idx in now.table.indices().skip(1) {
        sums.add(bins, recent, previous);
        previous = idx;
        if !now.enabled(idx) {
            continue;
        }
        if found.state.is_none() {
            found.state = Some(idx);
            found.first = idx;
        }
        let target_residency = now.target_residency(idx);
        let exit_latency = now.table.exit_latency(idx);
        let fits = sleep_length.is_none_or(|sleep_length| target_residency <= sleep_length);
        let allowed = exit_latency <= now.latency_req;
        probe.step(|| Step::Considered {
            state: idx,
            target_residency,
            sleep_length,
            fits,
            exit_latency,
            latency_req: now.latency_req,
            allowed,
        });
        if !fits {
            break;
        }
        found.state = Some(idx);
        if allowed {
            found.deepest_allowed = idx;
        }
        found.below = sums;
    }
    found.intercepts = sums.intercepts;
    found
}

/// The candidate among all states; or the decision, where there is nothing to choose.
pub(super) fn candidate_or_end<P: Probe<Step>>(
    now: &Now<'_>,
    bins: &Bins,
    probe: &mut P,
) -> Result<(StateIdx, Candidate), Decision> {
    if now.table.len() < 2 {
        return Err(bail_out(StateIdx::ZERO, Bail::OneState, probe));
    }
    let found = find_candidate(now, bins, NO_RECENT, None, probe);
    match found.state {
        None => Err(bail_out(StateIdx::ZERO, Bail::NoneEnabled, probe)),
        Some(state) if state == found.first => {
            let duration = now.target_residency(state);
            probe.step(|| Step::OnlyState { state, duration });
            Err(finish(now, state, state, duration, unasked(now.tick), probe))
        }
        Some(candidate) => Ok((candidate, found)),
    }
}

/// Which of the two majorities speak against the candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Against {
    pub intercepts: bool,
    pub recent: bool,
}

/// Whether intercepts below the candidate outweigh everything at or above it: whether they are more than half of
/// all but the hits below it, or another share of that in an experiment.
pub(super) fn intercepts_outweigh<P: Probe<Step>>(
    candidate: StateIdx,
    below: Sums,
    (total, tuning): (u32, Tuning),
    probe: &mut P,
) -> bool {
    let twice = below.intercepts.wrapping_mul(2);
    let rest = total.wrapping_sub(below.hits);
    let percent = tuning.intercepts_percent;
    let outweigh = if percent == Tuning::KERNEL.intercepts_percent {
        twice > rest
    } else {
        u64::from(below.intercepts) * 100 > u64::from(rest) * u64::from(percent)
    };
    probe.step(|| Step::Intercepts {
        candidate,
        intercepts: below.intercepts,
        hits: below.hits,
        total,
        twice,
        rest,
        percent,
        outweigh,
    });
    outweigh
}

/// Whether most of the last nine wakeups were intercepts below the candidate.
pub(super) fn recent_outweigh<P: Probe<Step>>(below: Sums, probe: &mut P) -> bool {
    let outweigh = below.recent > RECENT_LIMIT;
    probe.step(|| Step::Recent {
        recent: below.recent,
        limit: RECENT_LIMIT,
        outweigh,
    });
    outweigh
}

/// Walks back from the candidate until half of what speaks against it is reached (spec §3.2
/// step 6). `tick_allows` says whether a state may be taken with the tick as it is.
pub(super) fn walk_back<P: Probe<Step>>(
    now: &Now<'_>,
    bins: &Bins,
    recent: &PerState,
    candidate: StateIdx,
    (against, below): (Against, Sums),
    tick_allows: impl Fn(StateIdx) -> bool,
    probe: &mut P,
) -> StateIdx {
    let mut fit = candidate;
    let mut sums = Sums::default();
    for idx in now.shallower_than(candidate) {
        sums.add(bins, recent, idx);
        let enough_recent = !against.recent || sums.recent.wrapping_mul(2) > below.recent;
        let enough_intercepts = !against.intercepts || sums.intercepts.wrapping_mul(2) > below.intercepts;
        let reached = enough_recent && enough_intercepts;
        let enabled = now.enabled(idx);
        let allowed = tick_allows(idx);
        probe.step(|| Step::Walked {
            state: idx,
            intercepts: sums.intercepts,
            intercepts_of: against.intercepts.then_some(below.intercepts),
            recent: sums.recent,
            recent_of: against.recent.then_some(below.recent),
            reached,
            enabled,
            tick_allows: allowed,
        });
        if reached {
            return if enabled && allowed { idx } else { fit };
        }
        if !enabled {
            continue;
        }
        if allowed {
            fit = idx;
        } else if fit == candidate {
            break;
        }
    }
    candidate
}

/// Goes back from the candidate if a majority is against it; `recent` is none in generations that count no recent
/// wakeups. The sums are set against `total`.
pub(super) fn look_up<P: Probe<Step>>(
    now: &Now<'_>,
    (bins, total): (&Bins, u32),
    recent: Option<&PerState>,
    candidate: StateIdx,
    below: Sums,
    probe: &mut P,
) -> StateIdx {
    let against = Against {
        intercepts: intercepts_outweigh(candidate, below, (total, bins.tuning), probe),
        recent: recent.is_some() && recent_outweigh(below, probe),
    };
    if !against.intercepts && !against.recent {
        return candidate;
    }
    let allows = |idx| now.tick_allows(now.target_residency(idx));
    let recent = recent.unwrap_or(NO_RECENT);
    let to = walk_back(now, bins, recent, candidate, (against, below), allows, probe);
    probe.step(|| Step::LookedUp {
        from: candidate,
        to,
        duration: None,
    });
    to
}

/// The latency limit's last word.
pub(super) fn constrain<P: Probe<Step>>(
    from: StateIdx,
    deepest_allowed: StateIdx,
    probe: &mut P,
) -> StateIdx {
    let to = from.min(deepest_allowed);
    probe.step(|| Step::Constrained {
        from,
        deepest_allowed,
        to,
    });
    to
}

/// Ends a decision early, retaining the tick.
pub(super) fn bail_out<P: Probe<Step>>(state: StateIdx, why: Bail, probe: &mut P) -> Decision {
    probe.step(|| Step::BailedOut { state, why });
    Decision {
        state,
        tick: TickChoice::Retain,
    }
}
