//! Every step of a decision as one clause and its arithmetic.

mod around;
mod baseline;
mod booked;
mod haltpoll;
mod ladder;
mod menu;
mod mobile;
mod teo;

use super::Speaker;
use crate::cpuidle::{self, StateMask, TickChoice};
use crate::sim::Step;
use crate::units::{Ns, StateIdx};

/// A step in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// One clause.
    pub text: String,
    /// The arithmetic with real values; may be empty.
    pub math: String,
    /// The states it speaks of, to be lit up in chart and table.
    pub states: StateMask,
}

impl Said {
    fn new(text: impl Into<String>, math: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            math: math.into(),
            states: StateMask::NONE,
        }
    }

    fn about(mut self, states: impl IntoIterator<Item = StateIdx>) -> Self {
        self.states = states.into_iter().fold(self.states, StateMask::with);
        self
    }
}

impl Speaker<'_> {
    /// A step in words.
    #[must_use]
    pub fn step(&self, step: &Step) -> Said {
        let said = match step {
            Step::Governor(step) => self.governor_step(step),
            Step::Tick(step) => around::tick(self, step),
            Step::Loop(step) => around::idle_loop(self, step),
        };
        Said {
            text: self.style.plain(said.text),
            math: self.style.plain(said.math),
            states: said.states,
        }
    }

    /// A governor's step in words.
    #[must_use]
    pub fn governor_step(&self, step: &cpuidle::Step) -> Said {
        match step {
            cpuidle::Step::Teo(step) => teo::said(self, step),
            cpuidle::Step::Menu(step) => menu::said(self, step),
            cpuidle::Step::Ladder(step) => ladder::said(self, step),
            cpuidle::Step::Haltpoll(step) => haltpoll::said(self, step),
            cpuidle::Step::Mobile(step) => mobile::said(self, step),
            cpuidle::Step::Baseline(step) => baseline::said(self, step),
        }
    }

    /// `one ≥ other` or `one < other`, whichever is true.
    fn at_least(&self, one: (&'static str, Ns), other: (&'static str, Ns)) -> String {
        let sign = if one.1 >= other.1 { "≥" } else { "<" };
        self.compared(one, sign, other)
    }

    /// `one ≤ other` or `one > other`, whichever is true.
    fn at_most(&self, one: (&'static str, Ns), other: (&'static str, Ns)) -> String {
        let sign = if one.1 <= other.1 { "≤" } else { ">" };
        self.compared(one, sign, other)
    }

    fn compared(&self, one: (&'static str, Ns), sign: &str, other: (&'static str, Ns)) -> String {
        format!(
            "{} {sign} {}",
            self.named(one.0, self.time(one.1)),
            self.named(other.0, self.time(other.1))
        )
    }

    /// The timer was looked up.
    fn timer_asked(&self, to_event: Ns, to_event_or_tick: Ns) -> Said {
        let what = self.term("next timer", "sleep_length_ns");
        let text = if to_event.as_ns() > i64::MAX / 2 {
            "No timer is pending".to_owned()
        } else {
            format!("The {what} is {} away", self.time(to_event))
        };
        let tick = self.term("with the tick", "delta_tick");
        Said::new(text, format!("{tick} {}", self.time(to_event_or_tick)))
    }

    /// Stop or keep, the same rule in teo and menu.
    fn tick_decision(&self, decision: &TickDecision) -> Said {
        let math = self.at_least(("duration_ns", decision.duration), ("TICK_NSEC", decision.tick));
        let state = self.state(decision.state);
        let (text, math) = match (decision.choice, decision.stopped, decision.polling) {
            (TickChoice::Stop, true, _) | (TickChoice::Retain, true, _) => {
                ("The tick is stopped already".to_owned(), math)
            }
            (TickChoice::Stop, false, _) => ("Tick: stop it, the stay reaches one tick".to_owned(), math),
            (TickChoice::Retain, false, true) => (format!("Tick: keep it, {state} polls"), math),
            (TickChoice::Retain, false, false) => (
                "Tick: keep it, it will ask again if the guess is wrong".to_owned(),
                math,
            ),
        };
        Said::new(text, math).about([decision.state])
    }

    /// The choice against the retained tick.
    fn tick_correction(&self, from: StateIdx, residency: Ns, to_event_or_tick: Ns, to: StateIdx) -> Said {
        let math = self.at_most(
            ("target_residency_ns", residency),
            ("delta_tick", to_event_or_tick),
        );
        let text = if from != to {
            format!(
                "The tick comes before {} pays off: {} instead",
                self.state(from),
                self.state(to)
            )
        } else if residency <= to_event_or_tick {
            format!("{} pays off before the tick", self.state(to))
        } else {
            format!(
                "The tick comes before {} pays off, but nothing shallower may be taken",
                self.state(to)
            )
        };
        Said::new(text, math).about([from, to])
    }
}

/// The operands of a tick decision.
struct TickDecision {
    state: StateIdx,
    duration: Ns,
    tick: Ns,
    polling: bool,
    stopped: bool,
    choice: TickChoice,
}

#[cfg(test)]
mod tests;
