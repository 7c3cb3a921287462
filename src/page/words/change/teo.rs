//! Differences between two teos.

use super::Changed;
use crate::cpuidle::teo::binned::{
    self, BusyTwoStates, Demotion, EarlyEnd, Judged, LedToZero, Load, OnlyState, RecentWakeups, Recipe,
    TickBin,
};
use crate::cpuidle::teo::short_idles::{self, Hit, LookUp, Stopped, TickIntercept, TickWakeup, Total};
use crate::cpuidle::teo::{Change, Correction, Decay, Generation, Majority};

pub(super) fn change(change: Change) -> Changed {
    match change {
        Change::Generation(a, b) => Changed::new("what is remembered", (a, b), generation),
        Change::Binned(change) => of_binned(change),
        Change::ShortIdles(change) => of_short_idles(change),
    }
}

const fn generation(generation: Generation) -> &'static str {
    match generation {
        Generation::EarlyHits => "hits, misses and early hits of each state, and the last eight durations",
        Generation::Binned => "hits and intercepts of each bin, by the clock",
        Generation::ShortIdles => "hits and intercepts of each bin, by the residency, and short idle times",
    }
}

fn correction(a: Correction, b: Correction) -> Changed {
    Changed::new(
        "a timer that comes before the choice pays off",
        (a, b),
        |correction| match correction {
            Correction::IfTickAllows => {
                "leads to a shallower state, but to none below one tick while the tick is stopped"
            }
            Correction::Always => "always leads to a shallower state",
        },
    )
}

fn of_binned(change: binned::Change) -> Changed {
    use binned::Change as C;
    match change {
        C::Recipe(a, b) => Changed::new("the timer is looked up", (a, b), |recipe| match recipe {
            Recipe::TimerFirst => "first, and bounds the candidate; a state stands for the middle of its bin",
            Recipe::TimerLast => "last, and only when it can matter; a state stands for its target residency",
        }),
        C::RecentWakeups(a, b) => Changed::new("the last nine wakeups", (a, b), |recent| match recent {
            RecentWakeups::Ignored => "are not remembered",
            RecentWakeups::Count => "lead to a shallower state when most of them were intercepts",
        }),
        C::TickBin(a, b) => Changed::new("timers at least one tick away", (a, b), |bin| match bin {
            TickBin::Absent => "fall into the deepest state's bin",
            TickBin::BeyondStates => "have a bin of their own while no target residency reaches a tick",
        }),
        C::Load(a, b) => Changed::new("the CPU's load", (a, b), |load| match load {
            Load::Ignored => "does not count",
            Load::Counts => "above a sixty-fourth of the capacity leads to a shallower state",
        }),
        C::BusyTwoStates(a, b) => Changed::new("a busy CPU with two states", (a, b), |busy| match busy {
            BusyTwoStates::FirstNotPolling => {
                "takes the first that does not poll and expects the timer's distance"
            }
            BusyTwoStates::ZeroUnlessPolling => {
                "takes state 0 unless it polls or the stopped tick forbids it, and expects what that stands for"
            }
        }),
        C::Demotion(a, b) => Changed::new(
            "what a busy CPU expects of the shallower state",
            (a, b),
            |demotion| match demotion {
                Demotion::KeepsDuration => "what it expected before",
                Demotion::TakesStatesOwn => "what that state stands for; a stopped tick can forbid the state",
            },
        ),
        C::EarlyEnd(a, b) => Changed::new("the tick when a decision ends early", (a, b), |end| match end {
            EarlyEnd::JudgesDuration => "is judged by the duration",
            EarlyEnd::RetainsTick => "is retained",
        }),
        C::OnlyState(a, b) => Changed::new(
            "a state without alternative is expected to last",
            (a, b),
            |only| match only {
                OnlyState::SleepLength => "until the timer",
                OnlyState::TargetResidency => "for its target residency",
            },
        ),
        C::LedToZero(a, b) => {
            Changed::new(
                "when the look-up leads to state 0 the timer",
                (a, b),
                |led| match led {
                    LedToZero::NotAsked => "is not asked for, and the wakeup is booked as an intercept",
                    LedToZero::AsksTimer => "is asked for, so that the wakeup is booked rightly",
                },
            )
        }
        C::Correction(a, b) => correction(a, b),
        C::Judged(a, b) => Changed::new("the tick is judged by", (a, b), |judged| match judged {
            Judged::ByDuration => "the duration expected",
            Judged::ByIntercepts => {
                "half a tick for a choice that pays off within one while more than five eighths were intercepts, else the duration expected"
            }
        }),
    }
}

fn of_short_idles(change: short_idles::Change) -> Changed {
    use short_idles::Change as C;
    match change {
        C::Hit(a, b) => Changed::new("a hit is a stay that ends", (a, b), |hit| match hit {
            Hit::SameBin => "in its timer's bin",
            Hit::CloseToTimer => "in its timer's bin, less than half an exit latency before the timer",
        }),
        C::TickWakeup(a, b) => {
            Changed::new("a wakeup by the tick is booked", (a, b), |wakeup| match wakeup {
                TickWakeup::ReachesTimer => {
                    "as having reached its timer where that is more than a tick away, else as any other"
                }
                TickWakeup::DeepestIfMost => {
                    "as a hit of the deepest state while more than two thirds are by the tick, else as any other"
                }
                TickWakeup::TimerIfFewIntercepts => {
                    "as a hit of the deepest state while more than two thirds are by the tick, else as a hit of its timer while less than two thirds are intercepts within a tick"
                }
            })
        }
        C::TickIntercept(a, b) => {
            Changed::new(
                "intercepts that count for the tick",
                (a, b),
                |intercept| match intercept {
                    TickIntercept::BeyondTick => {
                        "are stays of at least one tick, by a comparison the wrong way round"
                    }
                    TickIntercept::WithinTick => "are stays of at most one tick",
                },
            )
        }
        C::Decay(a, b) => Changed::new("small metrics", (a, b), |decay| match decay {
            Decay::Geometric => "stay for ever once they are below 8",
            Decay::ToZero => "become zero once they are below 8",
        }),
        C::Total(a, b) => Changed::new("intercepts are set against", (a, b), |total| match total {
            Total::OwnCount => "a count of wakeups that fades by itself",
            Total::SumOfBins => "the sum of all bins",
        }),
        C::Correction(a, b) => correction(a, b),
        C::LookUp(a, b) => Changed::new("how far the look-up goes", (a, b), |look_up| match look_up {
            LookUp::ToHalfIfAllowed => {
                "to half of the intercepts; with the tick stopped, only states that reach a tick are taken on the way"
            }
            LookUp::ToHalf => "to half of the intercepts; with the tick stopped, to no state below one tick",
            LookUp::ToFullestBin => {
                "to half of the intercepts and to the fullest bin at least; with the tick stopped, to no state below one tick"
            }
            LookUp::AnyTick => "to half of the intercepts and to the fullest bin, whatever the tick",
        }),
        C::Majority(a, b) => Changed::new(
            "wakeups within a tick that make another likely",
            (a, b),
            |majority| match majority {
                Majority::MoreThanFiveEighths => "more than five eighths of all",
                Majority::TwoThirds => "two thirds of all or more",
            },
        ),
        C::Stopped(a, b) => Changed::new("a stopped tick", (a, b), |stopped| match stopped {
            Stopped::AsAlways => "changes nothing once the timer is known",
            Stopped::DeepestBeforeTimer => {
                "lets the timer be asked for always; one beyond two ticks leads to the deepest state that pays off before it"
            }
        }),
    }
}
