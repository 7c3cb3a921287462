//! Differences between governors in words: what a rule is about, and what A and B do.
//!
//! Every match is exhaustive, so a new rule does not compile until it has words.

mod menu;
mod teo;

use crate::cpuidle::Baseline;
use crate::cpuidle::catalog::{Change, Family};
use crate::cpuidle::haltpoll::{self, Params, Shrinking, SmallWindow};
use crate::cpuidle::ladder::{self, Clock};
use crate::cpuidle::mobile::{self, ExitLatencies, Retain};

/// A difference in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// What differs.
    pub what: &'static str,
    /// What A does.
    pub a: String,
    /// What B does.
    pub b: String,
}

impl Changed {
    fn new<T>(what: &'static str, (a, b): (T, T), words: impl Fn(T) -> &'static str) -> Self {
        Self {
            what,
            a: words(a).to_owned(),
            b: words(b).to_owned(),
        }
    }
}

/// A difference between two governors in words.
#[must_use]
pub fn change(change: &Change) -> Changed {
    match *change {
        Change::Family(a, b) => Changed::new("the governor", (a, b), family),
        Change::Teo(change) => teo::change(change),
        Change::Menu(change) => menu::change(change),
        Change::Ladder(ladder::Change::Clock(a, b)) => {
            Changed::new("the clock", (a, b), |clock| match clock {
                Clock::Microseconds => "compares stays and latencies in whole microseconds",
                Clock::Nanoseconds => "compares stays and latencies in nanoseconds",
            })
        }
        Change::Haltpoll(haltpoll::Change::SmallWindow(a, b)) => {
            Changed::new("a window below the first size", (a, b), |window| match window {
                SmallWindow::Stays => "shrinks on",
                SmallWindow::Closes => "closes",
            })
        }
        Change::Haltpoll(haltpoll::Change::Params(a, b)) => Changed {
            what: "the module's parameters",
            a: params(a),
            b: params(b),
        },
        Change::Mobile(mobile::Change::ExitLatencies(a, b)) => {
            Changed::new("exit latencies", (a, b), |latencies| match latencies {
                ExitLatencies::AddUp => "those of all states looked at shorten the stay",
                ExitLatencies::OwnOnly => "only the state's own shortens the stay",
            })
        }
        Change::Mobile(mobile::Change::Retain(a, b)) => {
            Changed::new("when the tick is retained", (a, b), |retain| match retain {
                Retain::StateZero => "for state 0",
                Retain::ShortStays => "for state 0, and for a stay below one tick",
            })
        }
        Change::Baseline(a, b) => Changed::new("the baseline", (a, b), |baseline| match baseline {
            Baseline::Shallowest => "always the shallowest state",
            Baseline::Deepest => "always the deepest state within the limit",
            Baseline::Ideal => "the deepest state that will have paid off",
        }),
    }
}

const fn family(family: Family) -> &'static str {
    match family {
        Family::Teo => "teo: books wakeups by the timer they came before",
        Family::Menu => "menu: corrects the timer by experience and looks at the last intervals",
        Family::Ladder => "ladder: one rung at a time, by the last stays",
        Family::Haltpoll => "haltpoll: polls for a window before it halts",
        Family::Mobile => "mobile: the earliest of timer, interrupt and task",
        Family::Baseline => "a baseline, no kernel's governor",
    }
}

fn params(params: Params) -> String {
    let Params {
        max_ns,
        grow,
        grow_start_ns,
        shrink,
        shrinking,
    } = params;
    let shrinking = match shrinking {
        Shrinking::Allowed => "Y",
        Shrinking::Forbidden => "N",
    };
    format!(
        "guest_halt_poll_ns {max_ns}, grow {grow}, grow_start {grow_start_ns}, shrink {shrink}, allow_shrink {shrinking}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpuidle::Choice;
    use crate::cpuidle::catalog::Make;

    #[test]
    fn every_difference_of_any_two_choices_has_two_sides() {
        for a in Choice::all_patched() {
            for b in Choice::all_patched() {
                for found in Make::changes(a.make(), b.make()) {
                    let said = change(&found);
                    assert!(!said.what.is_empty());
                    assert_ne!(said.a, said.b, "{a} and {b}: {found:?}");
                }
            }
        }
    }
}
