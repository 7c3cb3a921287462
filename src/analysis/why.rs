//! "Why never?": for each state, the reason for which one decision did not take it.
//!
//! The steps of a decision are walked in order. A state that the search passed by keeps the reason of the step that
//! last spoke against it; what the search did not come to any more is measured as it would have been.
//!
//! ```text
//!   C0        C1              C2           C3           C4
//!   shallower chosen          intercepts   off          timer
//!             <-- look-up --------|                     did not fit
//! ```
//!
//! Invariants: every match over steps is exhaustive, so a new step does not compile until it has a reason here; a
//! state that was not chosen has exactly one reason.

use serde::{Deserialize, Serialize};

use crate::cpuidle::{
    MAX_STATES, StateMask, StateTable, Step, baseline, haltpoll, ladder, menu, mobile, teo,
};
use crate::units::{Ns, StateIdx};

/// Why a state was not chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Reason {
    /// It is switched off.
    Disabled,
    /// It wakes too slowly for the latency limit.
    ExitLatency,
    /// The timer comes before it pays off.
    Timer,
    /// The stay predicted ends before it pays off.
    Prediction,
    /// Wakeups before it pays off outweigh the rest.
    Intercepts,
    /// Most of the last wakeups, or stays, ended before it pays off.
    Recent,
    /// The CPU is busy.
    Load,
    /// The retained tick comes before it pays off.
    TickRetained,
    /// With the tick stopped, no state this shallow is risked.
    TickStopped,
    /// A deeper one was taken.
    Deeper,
    /// The search ended at a shallower one.
    SearchEnded,
    /// The last stay was too short for it.
    ShortStay,
    /// Not enough long stays in a row.
    FewStays,
    /// Out of reach of this governor: more than a rung away, or a state it does not know.
    OutOfReach,
    /// Polling comes first.
    PollsFirst,
    /// The polling window is closed or used up.
    PolledOut,
    /// The CPU is woken before it pays off, as only an ideal governor knows.
    Wakeup,
}

impl Reason {
    /// All of them, in display order.
    pub const ALL: [Self; 17] = [
        Self::Disabled,
        Self::ExitLatency,
        Self::Timer,
        Self::Prediction,
        Self::Intercepts,
        Self::Recent,
        Self::Load,
        Self::TickRetained,
        Self::TickStopped,
        Self::ShortStay,
        Self::FewStays,
        Self::OutOfReach,
        Self::PollsFirst,
        Self::PolledOut,
        Self::Wakeup,
        Self::SearchEnded,
        Self::Deeper,
    ];
}

/// How often one state was chosen, and why it was not otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateTally {
    /// Decisions that chose it.
    pub chosen: u64,
    /// Decisions that did not, by reason; reasons that never held are left out.
    pub lost: Vec<(Reason, u64)>,
}

impl StateTally {
    /// Decisions on CPUs that have this state.
    #[must_use]
    pub fn decisions(&self) -> u64 {
        self.lost
            .iter()
            .fold(self.chosen, |sum, (_, count)| sum.saturating_add(*count))
    }
}

/// The reasons of many decisions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// How many decisions.
    pub decisions: u64,
    /// By state.
    pub states: Vec<StateTally>,
}

impl Tally {
    /// Adds one decision on a CPU with these states.
    pub fn add(&mut self, table: &StateTable, disabled: StateMask, chosen: StateIdx, steps: &[Step]) {
        self.decisions += 1;
        let reasons = reasons(table, disabled, chosen, steps);
        if self.states.len() < table.len() {
            self.states.resize(table.len(), StateTally::default());
        }
        for (idx, (state, reason)) in table.indices().zip(self.states.iter_mut().zip(reasons)) {
            if idx == chosen {
                state.chosen += 1;
                continue;
            }
            let reason = reason.unwrap_or(Reason::SearchEnded);
            match state.lost.iter_mut().find(|(own, _)| *own == reason) {
                Some((_, count)) => *count += 1,
                None => state.lost.push((reason, 1)),
            }
        }
    }
}

/// Why each state of the table was not chosen; none for the chosen one, and for one of which no step says anything.
#[must_use]
pub fn reasons(
    table: &StateTable,
    disabled: StateMask,
    chosen: StateIdx,
    steps: &[Step],
) -> [Option<Reason>; MAX_STATES] {
    let mut walk = Walk {
        table,
        above: [None; MAX_STATES],
        below: [None; MAX_STATES],
        against: Reason::Intercepts,
        latency_req: Ns::MAX,
        foresees: false,
        rung: StateIdx::ZERO,
    };
    for step in steps {
        match *step {
            Step::Teo(step) => walk.teo(step),
            Step::Menu(step) => walk.menu(step),
            Step::Ladder(step) => walk.ladder(step),
            Step::Haltpoll(step) => walk.haltpoll(step),
            Step::Mobile(step) => walk.mobile(step),
            Step::Baseline(step) => walk.baseline(step),
        }
    }
    let mut reasons = [None; MAX_STATES];
    for (idx, (reason, (above, below))) in table
        .indices()
        .zip(reasons.iter_mut().zip(walk.above.into_iter().zip(walk.below)))
    {
        *reason = if idx == chosen {
            None
        } else if disabled.contains(idx) {
            Some(Reason::Disabled)
        } else if idx < chosen {
            below.or(Some(Reason::Deeper))
        } else {
            above
        };
    }
    reasons
}

struct Walk<'a> {
    table: &'a StateTable,
    /// What speaks against a state, should a shallower one be chosen.
    above: [Option<Reason>; MAX_STATES],
    /// What speaks against it, should a deeper one be chosen.
    below: [Option<Reason>; MAX_STATES],
    /// What the look-up goes back for.
    against: Reason,
    latency_req: Ns,
    foresees: bool,
    rung: StateIdx,
}

impl Walk<'_> {
    fn lost(&mut self, idx: StateIdx, reason: Reason) {
        if let Some(slot) = self.above.get_mut(idx.index()) {
            *slot = Some(reason);
        }
    }

    fn fits(&mut self, idx: StateIdx) {
        if let Some(slot) = self.above.get_mut(idx.index()) {
            *slot = None;
        }
    }

    /// The states deeper than `to`, up to `from`.
    fn back(&mut self, from: StateIdx, to: StateIdx, reason: Reason) {
        for idx in self.table.indices().filter(|idx| *idx > to && *idx <= from) {
            self.lost(idx, reason);
        }
    }

    /// The states from `from` on that are shallower than `to`.
    fn forth(&mut self, from: StateIdx, to: StateIdx, reason: Reason) {
        for idx in self.table.indices().filter(|idx| *idx >= from && *idx < to) {
            if let Some(slot) = self.below.get_mut(idx.index()) {
                *slot = Some(reason);
            }
        }
        self.fits(to);
    }

    /// Every state deeper than `idx`.
    fn deeper(&mut self, idx: StateIdx, reason: impl Fn(&StateTable, StateIdx) -> Reason) {
        let table = self.table;
        for deeper in table.indices().filter(|deeper| *deeper > idx) {
            self.lost(deeper, reason(table, deeper));
        }
    }

    /// A search ended at `idx`, which would not pay off within `stay`.
    fn ends(&mut self, idx: StateIdx, stay: Ns, reason: Reason) {
        self.lost(idx, reason);
        self.deeper(idx, |table, deeper| {
            if table.target_residency(deeper) > stay {
                reason
            } else {
                Reason::SearchEnded
            }
        });
    }

    /// A search ended at `idx`, which wakes too slowly.
    fn too_slow(&mut self, idx: StateIdx) {
        let exit_latency = self.table.exit_latency(idx);
        self.lost(idx, Reason::ExitLatency);
        self.deeper(idx, |table, deeper| {
            if table.exit_latency(deeper) >= exit_latency {
                Reason::ExitLatency
            } else {
                Reason::SearchEnded
            }
        });
    }

    fn all_deeper(&mut self, idx: StateIdx, reason: Reason) {
        self.deeper(idx, |_, _| reason);
    }

    fn teo(&mut self, step: teo::Step) {
        use teo::Step as S;
        match step {
            S::Considered {
                state,
                sleep_length,
                fits,
                allowed,
                ..
            } => match (fits, allowed) {
                (true, true) => self.fits(state),
                // The first design ends here; later ones look on and are constrained at the end.
                (true, false) => self.too_slow(state),
                (false, _) => self.ends(state, sleep_length.unwrap_or(Ns::MAX), Reason::Timer),
            },
            S::NearTimer { first, .. } => {
                if first {
                    self.all_deeper(StateIdx::ZERO, Reason::Timer);
                }
            }
            S::BusyTwoStates { state, .. } => self.all_deeper(state, Reason::Load),
            S::BailedOut { state, why } => match why {
                teo::Bail::TimerBeforeState1 => self.all_deeper(state, Reason::Timer),
                teo::Bail::BusyTwoStates => self.all_deeper(state, Reason::Load),
                teo::Bail::NoneEnabled => self.all_deeper(state, Reason::Disabled),
                teo::Bail::OneState
                | teo::Bail::Shallowest
                | teo::Bail::ShortResidency
                | teo::Bail::ShortIdles => {}
            },
            S::EarlyHits { state, to, .. } => self.back(state, to, Reason::Intercepts),
            S::ShortIntervals { from, to, .. } => self.back(from, to, Reason::Recent),
            S::Intercepts { outweigh, .. } => {
                if outweigh {
                    self.against = Reason::Intercepts;
                }
            }
            S::Recent { outweigh, .. } => {
                if outweigh {
                    self.against = Reason::Recent;
                }
            }
            S::Walked {
                state,
                enabled,
                tick_allows,
                ..
            } => {
                if enabled && !tick_allows {
                    self.bar(state);
                }
            }
            S::LookedUp { from, to, .. } => self.back(from, to, self.against),
            S::Constrained { from, to, .. } => self.back(from, to, Reason::ExitLatency),
            S::Demoted { from, found, to, .. } => {
                self.back(from, to, Reason::Load);
                if found != to {
                    self.bar(found);
                }
            }
            S::TimerCorrection { from, to, .. } => {
                if from == to {
                    // Only the stopped tick keeps the choice where it is.
                    self.forth(StateIdx::ZERO, from, Reason::TickStopped);
                } else {
                    self.back(from, to, Reason::Timer);
                }
            }
            S::TimerTooFar { from, to, .. } => self.forth(from, to, Reason::TickStopped),
            S::TickCorrection { from, to, .. } => self.back(from, to, Reason::TickRetained),
            S::OnlyState { .. }
            | S::Learned { .. }
            | S::LearnedEarly { .. }
            | S::FullestBin { .. }
            | S::ShortIdles { .. }
            | S::InterceptedWithinTick { .. }
            | S::TimerAsked { .. }
            | S::Utilization { .. }
            | S::AskedForBooking { .. }
            | S::MostlyIntercepted { .. }
            | S::TickDecision { .. } => {}
        }
    }

    fn bar(&mut self, idx: StateIdx) {
        if let Some(slot) = self.below.get_mut(idx.index()) {
            *slot = Some(Reason::TickStopped);
        }
    }

    fn menu(&mut self, step: menu::Step) {
        use menu::Step as S;
        match step {
            S::AtOnce { why, .. } => match why {
                menu::AtOnce::OneState => {}
                menu::AtOnce::NoLatency | menu::AtOnce::LatencyBelowState1 => {
                    self.all_deeper(StateIdx::ZERO, Reason::ExitLatency);
                }
                menu::AtOnce::TimerBeforeState1 => self.all_deeper(StateIdx::ZERO, Reason::Timer),
            },
            S::PollOrNot { far, state, .. } => {
                if state == StateIdx::ZERO {
                    let reason = if far {
                        Reason::ExitLatency
                    } else {
                        Reason::Prediction
                    };
                    self.lost(StateIdx::new(1), reason);
                } else {
                    self.fits(state);
                }
            }
            S::Considered {
                state,
                duration,
                pays_off,
                allowed,
                ..
            } => match (pays_off, allowed) {
                (true, true) => self.fits(state),
                (true, false) => self.too_slow(state),
                (false, _) => self.ends(state, duration, Reason::Prediction),
            },
            S::Left { why, at, state, .. } => match why {
                menu::Left::ExitLatency => self.too_slow(at),
                menu::Left::InsteadOfPolling => self.fits(at),
                menu::Left::TickStopped => {
                    if state == at {
                        self.forth(StateIdx::ZERO, at, Reason::TickStopped);
                    }
                }
                menu::Left::WithinTick | menu::Left::TickRunning => {}
            },
            S::TickCorrection { from, to, .. } => self.back(from, to, Reason::TickRetained),
            S::Learned { .. }
            | S::FailedEntry { .. }
            | S::TimerAsked { .. }
            | S::TimerSkipped { .. }
            | S::Bucket { .. }
            | S::CorrectedTimer { .. }
            | S::Intervals { .. }
            | S::IntervalsBetween { .. }
            | S::Predicted { .. }
            | S::TickStopped { .. }
            | S::LatencyLimit { .. }
            | S::TickDecision { .. } => {}
        }
    }

    fn ladder(&mut self, step: ladder::Step) {
        use ladder::Step as S;
        match step {
            // Nothing but a limit of 0 ends the decision here.
            S::Limit { .. } => self.all_deeper(StateIdx::ZERO, Reason::ExitLatency),
            S::Measured { rung, .. } => {
                self.rung = rung;
                self.above = [None; MAX_STATES];
                self.all_deeper(rung, Reason::OutOfReach);
            }
            S::Promotion {
                to,
                exceeds,
                disabled,
                within_limit,
                count,
                needed,
                ..
            } => {
                if disabled {
                    self.lost(to, Reason::Disabled);
                } else if !within_limit {
                    self.lost(to, Reason::ExitLatency);
                } else if !exceeds {
                    self.lost(to, Reason::ShortStay);
                } else if count < needed {
                    self.lost(to, Reason::FewStays);
                } else {
                    self.fits(to);
                }
            }
            S::Forced { disabled, to, .. } => {
                let reason = if disabled {
                    Reason::OutOfReach
                } else {
                    Reason::ExitLatency
                };
                self.back(self.rung, to, reason);
            }
            S::Demotion {
                to,
                below,
                count,
                needed,
                ..
            } => {
                if below && count >= needed {
                    self.back(self.rung, to, Reason::ShortStay);
                }
            }
            S::Kept { .. } => {}
        }
    }

    fn haltpoll(&mut self, step: haltpoll::Step) {
        use haltpoll::Step as S;
        let halt = StateIdx::new(1);
        match step {
            S::Limit { .. } => self.all_deeper(StateIdx::ZERO, Reason::ExitLatency),
            S::Window { .. } => {
                self.all_deeper(StateIdx::ZERO, Reason::OutOfReach);
                self.forth(StateIdx::ZERO, halt, Reason::PolledOut);
            }
            S::Polls { polls, .. } => {
                if polls {
                    self.lost(halt, Reason::PollsFirst);
                }
            }
            S::Adjusted { .. } => {}
        }
    }

    fn mobile(&mut self, step: mobile::Step) {
        use mobile::Step as S;
        match step {
            S::Considered {
                state, left, lost, ..
            } => match lost {
                None => self.fits(state),
                Some(mobile::Lost::Disabled) => self.lost(state, Reason::Disabled),
                Some(mobile::Lost::TooSlow) => self.too_slow(state),
                Some(mobile::Lost::ExitTooLong) => self.all_from(state, Reason::Prediction),
                Some(mobile::Lost::TooShort) => self.ends(state, left, Reason::Prediction),
            },
            S::Sources { .. } | S::Limit { .. } | S::TickDecision { .. } => {}
        }
    }

    /// Deeper states were not looked at, unless something spoke against them before.
    fn settled(&mut self, idx: StateIdx) {
        let before = self.above;
        self.deeper(idx, |_, deeper| {
            before
                .get(deeper.index())
                .copied()
                .flatten()
                .unwrap_or(Reason::SearchEnded)
        });
    }

    fn all_from(&mut self, idx: StateIdx, reason: Reason) {
        self.lost(idx, reason);
        self.all_deeper(idx, reason);
    }

    fn baseline(&mut self, step: baseline::Step) {
        use baseline::Step as S;
        match step {
            S::Limit { latency_req } => self.latency_req = latency_req,
            S::Foreseen { .. } => self.foresees = true,
            S::Considered {
                state,
                exit_latency,
                fits,
                ..
            } => {
                if fits {
                    self.settled(state);
                } else if exit_latency > self.latency_req {
                    self.lost(state, Reason::ExitLatency);
                } else if self.foresees {
                    self.lost(state, Reason::Wakeup);
                }
            }
            S::Wanted { to, .. } => self.settled(to),
            S::LastStay { .. } => self.foresees = true,
            S::Priced { state, cheapest, .. } => {
                self.foresees = true;
                if cheapest {
                    self.settled(state);
                } else {
                    self.lost(state, Reason::Wakeup);
                }
            }
            S::TickBeforeWakeup { .. } | S::TickByStay { .. } => {}
        }
    }
}
