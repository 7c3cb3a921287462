//! Differences between governors in words: what a rule is about, and what A and B do.
//!
//! Every match is exhaustive, so a new rule does not compile until it has words.

mod menu;
mod teo;

use crate::cpuidle::Baseline;
use crate::cpuidle::catalog::{Change, Family, KnobSpec};
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
        Change::Baseline(a, b) => Changed {
            what: "the baseline",
            a: baseline(a),
            b: baseline(b),
        },
        Change::Knob(knob, a, b) => {
            let KnobSpec { name, unit, .. } = knob.spec();
            let number = |value: u32| format!("{value} {unit}").trim_end().to_owned();
            Changed {
                what: name,
                a: number(a),
                b: number(b),
            }
        }
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

fn baseline(baseline: Baseline) -> String {
    match baseline {
        Baseline::Shallowest => "always the shallowest state".to_owned(),
        Baseline::Deepest => "always the deepest state within the limit".to_owned(),
        Baseline::Fixed(state) => format!("always state {}", state.number()),
        Baseline::LastValue => "expects the last stay again".to_owned(),
        Baseline::Ideal => "the deepest state that will have paid off".to_owned(),
        Baseline::IdealByEnergy => "the state that will have cost least".to_owned(),
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
        let turned = [
            "teo-6.12~decay2",
            "teo-7.0~pulse512",
            "menu-6.5~intervals4",
            "haltpoll-5.4~grow3",
            "fixed~state4",
        ];
        let turned = turned.map(|name| name.parse().unwrap());
        let all: Vec<Choice> = Choice::all_patched().chain(turned).collect();
        for &a in &all {
            for &b in &all {
                for found in Make::changes(a.make(), b.make()) {
                    let said = change(&found);
                    assert!(!said.what.is_empty());
                    assert_ne!(said.a, said.b, "{a} and {b}: {found:?}");
                }
            }
        }
    }
}
