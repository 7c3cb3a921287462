//! Differences between two teos.

use super::Changed;
use crate::cpuidle::teo::recent::{self, BusyTwoStates, Demotion, EarlyEnd, Load, OnlyState};
use crate::cpuidle::teo::tick_wakeups::{self, Hit, LookUp, Stopped, TickWakeup};
use crate::cpuidle::teo::{Change, Correction, Generation, Majority, tick_bin};

pub(super) fn change(change: Change) -> Changed {
    match change {
        Change::Generation(a, b) => Changed::new("what is remembered", (a, b), generation),
        Change::Recent(change) => of_recent(change),
        Change::TickBinOnly(tick_bin::Change::Correction(a, b)) => Changed::new(
            "a timer that comes before the choice pays off",
            (a, b),
            |correction| match correction {
                Correction::IfTickAllows => {
                    "leads to a shallower state, but to none below one tick while the tick is stopped"
                }
                Correction::Always => "always leads to a shallower state",
            },
        ),
        Change::TickWakeups(change) => of_tick_wakeups(change),
    }
}

const fn generation(generation: Generation) -> &'static str {
    match generation {
        Generation::EarlyHits => "hits, misses and early hits of each state, and the last eight durations",
        Generation::Recent => "hits and intercepts of each bin, and the last nine wakeups",
        Generation::RecentTickBin => {
            "hits and intercepts of each bin, a bin beyond all states, and the last nine wakeups"
        }
        Generation::TickBinOnly => "hits and intercepts of each bin, and a bin beyond all states",
        Generation::ShortIdles => "hits and intercepts of each bin, and short idle times",
        Generation::TickWakeups => {
            "hits and intercepts of each bin, short idle times, and wakeups by the tick"
        }
    }
}

fn of_recent(change: recent::Change) -> Changed {
    match change {
        recent::Change::Load(a, b) => Changed::new("the CPU's load", (a, b), |load| match load {
            Load::Ignored => "does not count",
            Load::Counts => "above a sixty-fourth of the capacity leads to a shallower state",
        }),
        recent::Change::BusyTwoStates(a, b) => {
            Changed::new("a busy CPU with two states", (a, b), |busy| match busy {
                BusyTwoStates::FirstNotPolling => {
                    "takes the first that does not poll and expects the timer's distance"
                }
                BusyTwoStates::ZeroUnlessPolling => {
                    "takes state 0 unless it polls or the stopped tick forbids it, and expects the middle of the first bin"
                }
            })
        }
        recent::Change::Demotion(a, b) => Changed::new(
            "what a busy CPU expects of the shallower state",
            (a, b),
            |demotion| match demotion {
                Demotion::KeepsDuration => "what it expected before",
                Demotion::TakesMidpoint => {
                    "the middle of that state's bin; a stopped tick can forbid the state"
                }
            },
        ),
        recent::Change::EarlyEnd(a, b) => {
            Changed::new("the tick when a decision ends early", (a, b), |end| match end {
                EarlyEnd::JudgesDuration => "is judged by the duration",
                EarlyEnd::RetainsTick => "is retained",
            })
        }
        recent::Change::OnlyState(a, b) => Changed::new(
            "a state without alternative is expected to last",
            (a, b),
            |only| match only {
                OnlyState::SleepLength => "until the timer",
                OnlyState::TargetResidency => "for its target residency",
            },
        ),
    }
}

fn of_tick_wakeups(change: tick_wakeups::Change) -> Changed {
    match change {
        tick_wakeups::Change::Hit(a, b) => {
            Changed::new("a hit is a stay that ends", (a, b), |hit| match hit {
                Hit::SameBin => "in its timer's bin",
                Hit::CloseToTimer => "in its timer's bin, less than half an exit latency before the timer",
            })
        }
        tick_wakeups::Change::TickWakeup(a, b) => {
            Changed::new("a wakeup by the tick is booked", (a, b), |wakeup| match wakeup {
                TickWakeup::DeepestIfMost => {
                    "as a hit of the deepest state while more than two thirds are by the tick, else as any other"
                }
                TickWakeup::TimerIfFewIntercepts => {
                    "as a hit of the deepest state while more than two thirds are by the tick, else as a hit of its timer while less than two thirds are intercepts within a tick"
                }
            })
        }
        tick_wakeups::Change::LookUp(a, b) => {
            Changed::new("how far the look-up goes", (a, b), |look_up| match look_up {
                LookUp::ToHalf => {
                    "to half of the intercepts; with the tick stopped, to no state below one tick"
                }
                LookUp::ToFullestBin => {
                    "to half of the intercepts and to the fullest bin at least; with the tick stopped, to no state below one tick"
                }
                LookUp::AnyTick => "to half of the intercepts and to the fullest bin, whatever the tick",
            })
        }
        tick_wakeups::Change::Majority(a, b) => Changed::new(
            "wakeups within a tick that make another likely",
            (a, b),
            |majority| match majority {
                Majority::MoreThanFiveEighths => "more than five eighths of all",
                Majority::TwoThirds => "two thirds of all or more",
            },
        ),
        tick_wakeups::Change::Stopped(a, b) => {
            Changed::new("a stopped tick", (a, b), |stopped| match stopped {
                Stopped::AsAlways => "changes nothing once the timer is known",
                Stopped::DeepestBeforeTimer => {
                    "lets the timer be asked for always; one beyond two ticks leads to the deepest state that pays off before it"
                }
            })
        }
    }
}
