//! Differences between two menus.

use super::Changed;
use crate::cpuidle::menu::before_tick::{self, PollUntil, Prediction};
use crate::cpuidle::menu::micros::{self, Load, LookedAt};
use crate::cpuidle::menu::nanos::{self, Latency, Recipe, Stopped, Typical, Waiting};
use crate::cpuidle::menu::{Change, FailedEntry, Generation, Instead, Leftover};

pub(super) fn change(change: Change) -> Changed {
    match change {
        Change::Generation(a, b) => Changed::new("what is remembered, and in what", (a, b), generation),
        Change::BeforeTick(change) => of_before_tick(change),
        Change::Micros(change) => of_micros(change),
        Change::Nanos(change) => of_nanos(change),
    }
}

const fn generation(generation: Generation) -> &'static str {
    match generation {
        Generation::BeforeTick => {
            "twelve factors and eight intervals in µs; the tick is stopped before the choice"
        }
        Generation::Micros => {
            "twelve factors and eight intervals in µs; the tick is stopped after the choice"
        }
        Generation::Nanos => "correction factors and eight intervals, times in ns",
    }
}

fn failed_entry(a: FailedEntry, b: FailedEntry) -> Changed {
    Changed::new("an entry that failed", (a, b), |failed| match failed {
        FailedEntry::Unnoticed => "leaves an old interval where it is",
        FailedEntry::StoresNone => "stores \"no interval\" in place of the oldest",
    })
}

fn of_before_tick(change: before_tick::Change) -> Changed {
    match change {
        before_tick::Change::PollUntil(a, b) => {
            Changed::new("polling is left", (a, b), |until| match until {
                PollUntil::LoadedPrediction => {
                    "when the stay predicted, divided by load and waiting tasks, is beyond 20 µs"
                }
                PollUntil::TypicalInterval => {
                    "when the typical interval, or a nearer timer, is beyond the target residency of state 1"
                }
                PollUntil::TimerBeyond20 => "when the timer is beyond 20 µs",
                PollUntil::NextTimer => "when the timer is beyond 20 µs and the target residency of state 1",
            })
        }
        before_tick::Change::Prediction(a, b) => {
            Changed::new("the stay expected", (a, b), |prediction| match prediction {
                Prediction::TypicalInstead => {
                    "the typical interval, judged by its deviation, instead of the corrected timer"
                }
                Prediction::Least => {
                    "the least of corrected timer, typical interval (judged by its variance) and timer"
                }
            })
        }
    }
}

fn of_micros(change: micros::Change) -> Changed {
    match change {
        micros::Change::Recipe(a, b) => {
            Changed::new("the order of the steps", (a, b), |recipe| match recipe {
                micros::Recipe::PollingFirst => "polling or not is settled first",
                micros::Recipe::OneSearch => "one search decides",
            })
        }
        micros::Change::Load(a, b) => Changed::new("the run queue's load", (a, b), |load| match load {
            Load::ShortensLimit => "shortens the latency limit",
            Load::SaysNothing => "does not count",
        }),
        micros::Change::LookedAt(a, b) => {
            Changed::new("intervals are looked at", (a, b), |looked_at| match looked_at {
                LookedAt::Always => "always",
                LookedAt::WhileShorter => "while some are shorter than the corrected timer",
            })
        }
    }
}

fn of_nanos(change: nanos::Change) -> Changed {
    match change {
        nanos::Change::Recipe(a, b) => {
            Changed::new("the order of the steps", (a, b), |recipe| match recipe {
                Recipe::TimerFirst => "the timer is looked up first, always",
                Recipe::IntervalsFirst => {
                    "the intervals come first, and spare the timer when they are short; nothing but zeroes says nothing"
                }
            })
        }
        nanos::Change::Waiting(a, b) => {
            Changed::new("tasks that wait for I/O", (a, b), |waiting| match waiting {
                Waiting::Counts => "have factors of their own, and each shortens the latency limit",
                Waiting::Ignored => "do not count",
            })
        }
        nanos::Change::FailedEntry(a, b) => failed_entry(a, b),
        nanos::Change::Typical(a, b) => {
            Changed::new("intervals that vary", (a, b), |typical| match typical {
                Typical::DropsLongest => "lose the longest",
                Typical::DropsFarthest(Leftover::Longest) => {
                    "lose the farthest from the average, at either end; of few, the longest bounds the stay"
                }
                Typical::DropsFarthest(Leftover::SaysNothing) => {
                    "lose the farthest from the average, at either end; few say nothing"
                }
            })
        }
        nanos::Change::Latency(a, b) => Changed::new("the latency limit", (a, b), |latency| match latency {
            Latency::WithinStay => "is cut to the stay expected, and looked at after the target residency",
            Latency::AsGiven => "holds as given, and is looked at first",
        }),
        nanos::Change::Instead(a, b) => Changed::new(
            "a state that does not pay off replaces polling",
            (a, b),
            |instead| match instead {
                Instead::Never => "never",
                Instead::TimerAllows => "when the timer is far enough for it",
                Instead::ShortStates => {
                    "when the timer is, it pays off within 15 µs, and its exit is no longer than the stay"
                }
            },
        ),
        nanos::Change::Stopped(a, b) => {
            Changed::new("with the tick stopped", (a, b), |stopped| match stopped {
                Stopped::TimerIfAsked => {
                    "a stay below one tick gives way to the timer, if that was asked for"
                }
                Stopped::AlwaysAsks => {
                    "the timer is always asked for, and takes the place of a stay below one tick"
                }
                Stopped::AlwaysAsksUnlessNear => {
                    "the timer is always asked for; a stay below one tick is believed if that is at most two ticks away"
                }
            })
        }
    }
}
