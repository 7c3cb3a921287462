//! Going back from the candidate (spec teo.md §8 to §11).

use super::{LookUp, ShortIdles};
use crate::cpuidle::StateTable;
use crate::cpuidle::select::Now;
use crate::cpuidle::teo::bins::at;
use crate::cpuidle::teo::search::{Candidate, intercepts_outweigh, look_up};
use crate::cpuidle::teo::step::Step;
use crate::probe::Probe;
use crate::units::StateIdx;

impl ShortIdles {
    /// Goes back from the candidate if intercepts below it outweigh the rest.
    pub(super) fn look_up<P: Probe<Step>>(
        &self,
        now: &Now<'_>,
        candidate: StateIdx,
        found: &Candidate,
        probe: &mut P,
    ) -> StateIdx {
        let total = self.total();
        if self.rules.look_up == LookUp::ToHalfIfAllowed {
            return look_up(now, (&self.bins, total), None, candidate, found.below, probe);
        }
        if !intercepts_outweigh(candidate, found.below, (total, self.bins.tuning), probe) {
            return candidate;
        }
        let fullest = match self.rules.look_up {
            LookUp::ToHalfIfAllowed | LookUp::ToHalf => None,
            LookUp::ToFullestBin | LookUp::AnyTick => {
                let fullest = self.fullest_bin(now.table);
                probe.step(|| Step::FullestBin {
                    bin: fullest,
                    intercepts: at(&self.bins.intercepts, fullest),
                });
                Some(fullest)
            }
        };
        let shallowest = match self.rules.look_up {
            LookUp::ToHalfIfAllowed | LookUp::ToHalf | LookUp::ToFullestBin => {
                shallowest_with_tick(now, found.first, candidate)
            }
            LookUp::AnyTick => found.first,
        };
        let to = match (self.rules.look_up, fullest) {
            (LookUp::ToFullestBin, Some(_))
                if now.tick_stopped
                    && now.target_residency(shallowest) == now.target_residency(candidate) =>
            {
                candidate
            }
            (LookUp::ToFullestBin, Some(fullest)) if shallowest >= fullest && now.enabled(shallowest) => {
                shallowest
            }
            _ => self.walk(now, candidate, shallowest, fullest, found.below.intercepts, probe),
        };
        probe.step(|| Step::LookedUp {
            from: candidate,
            to,
            duration: None,
        });
        to
    }

    /// Back to the state whose bin holds, with those above, more than half of the intercepts, and to the fullest bin
    /// if that counts; no further than `shallowest`.
    fn walk<P: Probe<Step>>(
        &self,
        now: &Now<'_>,
        candidate: StateIdx,
        shallowest: StateIdx,
        fullest: Option<StateIdx>,
        below: u32,
        probe: &mut P,
    ) -> StateIdx {
        let mut to = candidate;
        let mut intercepts = 0_u32;
        for state in now.shallower_than(candidate).take_while(|idx| *idx >= shallowest) {
            intercepts = intercepts.wrapping_add(at(&self.bins.intercepts, state));
            let enabled = now.enabled(state);
            let half = intercepts.wrapping_mul(2) > below;
            let reached = half && fullest.is_none_or(|fullest| state <= fullest);
            probe.step(|| Step::Walked {
                state,
                intercepts,
                intercepts_of: Some(below),
                recent: 0,
                recent_of: None,
                reached,
                enabled,
                tick_allows: true,
            });
            if !enabled {
                continue;
            }
            to = state;
            if reached {
                break;
            }
        }
        to
    }

    /// The deepest of the bins below the last state that hold the most intercepts.
    fn fullest_bin(&self, table: &StateTable) -> StateIdx {
        table
            .indices()
            .filter(|idx| *idx < table.last())
            .max_by_key(|idx| at(&self.bins.intercepts, *idx))
            .unwrap_or_default()
    }
}

/// With the tick stopped, the first state from `first` on that reaches one tick, `candidate` at most; else `first`.
fn shallowest_with_tick(now: &Now<'_>, first: StateIdx, candidate: StateIdx) -> StateIdx {
    if !now.tick_stopped {
        return first;
    }
    now.table
        .indices()
        .find(|idx| *idx >= first && (*idx >= candidate || now.target_residency(*idx) >= now.tick))
        .unwrap_or(candidate)
}
