//! Constants on which all kernels agree and people do not, module parameters, and the state of the fixed baseline:
//! numbers that a choice may set.
//!
//! A choice that sets one is written with it, `teo-6.12~decay2`, so nobody takes it for a kernel's. A number that
//! is as usual is never set: equal behaviour has one name.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Choice, Family, Make};
use crate::cpuidle::haltpoll::Shrinking;
use crate::cpuidle::menu::nanos::Waiting;
use crate::cpuidle::{Baseline, haltpoll, menu, teo};
use crate::units::StateIdx;

/// A number that may be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Knob {
    /// teo: the share from which intercepts speak against the candidate.
    Intercepts,
    /// teo and menu: how fast the past fades.
    Decay,
    /// teo: what a wakeup counts.
    Pulse,
    /// menu: how many intervals are remembered.
    Intervals,
    /// menu: the deviation that is small whatever the average.
    Deviation,
    /// menu: how many deviations the average of steady intervals exceeds.
    Steadiness,
    /// menu: the interactivity factor.
    Waiting,
    /// haltpoll: the longest window.
    Window,
    /// haltpoll: how the window grows.
    Grow,
    /// haltpoll: its first size.
    Start,
    /// haltpoll: how it shrinks.
    Shrink,
    /// haltpoll: whether it does.
    Shrinking,
    /// fixed: the state.
    State,
}

/// What is to be known about a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnobSpec {
    /// As in links.
    pub key: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its unit; may be empty.
    pub unit: &'static str,
    /// The least that may be set.
    pub min: u32,
    /// The most.
    pub max: u32,
    /// One sentence.
    pub what: &'static str,
}

const fn spec(
    (key, name, unit): (&'static str, &'static str, &'static str),
    (min, max): (u32, u32),
    what: &'static str,
) -> KnobSpec {
    KnobSpec {
        key,
        name,
        unit,
        min,
        max,
        what,
    }
}

impl Knob {
    /// What is to be known about it.
    #[must_use]
    pub const fn spec(self) -> KnobSpec {
        match self {
            Self::Intercepts => spec(
                ("intercepts", "intercept share", "%"),
                (1, 99),
                "The candidate is given up when intercepts below it exceed this share of them, of deeper hits and of deeper intercepts.",
            ),
            Self::Decay => spec(
                ("decay", "decay shift", ""),
                (1, 8),
                "What is remembered loses its 2^-n per period: 3 is an eighth.",
            ),
            Self::Pulse => spec(
                ("pulse", "pulse", ""),
                (16, 65_536),
                "What one wakeup adds to a metric.",
            ),
            Self::Intervals => spec(
                ("intervals", "intervals", ""),
                (4, 16),
                "How many intervals are remembered; a quarter of them may be left out as outliers.",
            ),
            Self::Deviation => spec(
                ("deviation", "small deviation", "us"),
                (0, 1_000),
                "Intervals that deviate no more than this are steady whatever their average.",
            ),
            Self::Steadiness => spec(
                ("ratio", "steady ratio", ""),
                (1, 50),
                "Intervals are steady when their average exceeds so many deviations.",
            ),
            Self::Waiting => spec(
                ("waiting", "interactivity factor", ""),
                (0, 100),
                "What each task that waits for I/O adds to the divisor of the latency limit.",
            ),
            Self::Window => spec(
                ("max", "guest_halt_poll_ns", "ns"),
                (0, 10_000_000),
                "The longest window.",
            ),
            Self::Grow => spec(
                ("grow", "guest_halt_poll_grow", ""),
                (0, 100),
                "The window is multiplied by this.",
            ),
            Self::Start => spec(
                ("start", "guest_halt_poll_grow_start", "ns"),
                (0, 10_000_000),
                "A window that grows becomes at least this.",
            ),
            Self::Shrink => spec(
                ("shrink", "guest_halt_poll_shrink", ""),
                (0, 100),
                "The window is divided by this; 0 closes it.",
            ),
            Self::Shrinking => spec(
                ("shrinking", "guest_halt_poll_allow_shrink", ""),
                (0, 1),
                "Whether long halts shrink the window: 1 is Y.",
            ),
            Self::State => spec(("state", "state", ""), (0, 9), "The state that is always taken."),
        }
    }
}

const OF_TEO: &[Knob] = &[Knob::Intercepts, Knob::Decay, Knob::Pulse];
const OF_MENU: &[Knob] = &[
    Knob::Intervals,
    Knob::Deviation,
    Knob::Steadiness,
    Knob::Decay,
    Knob::Waiting,
];
/// Without the last: tasks that wait for I/O do not count.
const OF_MENU_WITHOUT_WAITING: &[Knob] = &[Knob::Intervals, Knob::Deviation, Knob::Steadiness, Knob::Decay];
const OF_HALTPOLL: &[Knob] = &[
    Knob::Window,
    Knob::Grow,
    Knob::Start,
    Knob::Shrink,
    Knob::Shrinking,
];
/// The most that any governor has.
const MOST: usize = 5;

impl Make {
    /// The numbers that may be set.
    #[must_use]
    pub const fn knobs(self) -> &'static [Knob] {
        match self {
            Self::Teo(teo::Version::EarlyHits, _) | Self::Ladder(_) | Self::Mobile(_) => &[],
            Self::Teo(..) => OF_TEO,
            Self::Menu(menu::Version::Nanos(rules), _) if matches!(rules.waiting, Waiting::Ignored) => {
                OF_MENU_WITHOUT_WAITING
            }
            Self::Menu(..) => OF_MENU,
            Self::Haltpoll(_) => OF_HALTPOLL,
            Self::Baseline(Baseline::Fixed(_)) => &[Knob::State],
            Self::Baseline(_) => &[],
        }
    }

    /// What a number is; none if it is not one of [`Make::knobs`].
    #[must_use]
    pub fn knob(self, knob: Knob) -> Option<u32> {
        if !self.knobs().contains(&knob) {
            return None;
        }
        match (self, knob) {
            (Self::Teo(_, tuning), Knob::Intercepts) => Some(tuning.intercepts_percent),
            (Self::Teo(_, tuning), Knob::Decay) => Some(tuning.decay_shift),
            (Self::Teo(_, tuning), Knob::Pulse) => Some(tuning.pulse),
            (Self::Menu(_, tuning), Knob::Intervals) => Some(tuning.intervals.into()),
            (Self::Menu(_, tuning), Knob::Deviation) => Some(tuning.small_deviation_us),
            (Self::Menu(_, tuning), Knob::Steadiness) => Some(tuning.steady_ratio),
            (Self::Menu(_, tuning), Knob::Decay) => Some(tuning.decay_shift),
            (Self::Menu(_, tuning), Knob::Waiting) => Some(tuning.per_waiting_task),
            (Self::Haltpoll(rules), knob) => of_haltpoll(rules.params, knob),
            (Self::Baseline(Baseline::Fixed(state)), Knob::State) => Some(state.number().into()),
            _ => None,
        }
    }

    /// With a number set; none if it has no such number or may not take that value.
    #[must_use]
    pub fn turned(self, knob: Knob, value: u32) -> Option<Self> {
        let spec = knob.spec();
        if !(spec.min..=spec.max).contains(&value) || !self.knobs().contains(&knob) {
            return None;
        }
        let small = u8::try_from(value).ok();
        Some(match (self, knob) {
            (Self::Teo(version, tuning), Knob::Intercepts) => Self::Teo(
                version,
                teo::Tuning {
                    intercepts_percent: value,
                    ..tuning
                },
            ),
            (Self::Teo(version, tuning), Knob::Decay) => Self::Teo(
                version,
                teo::Tuning {
                    decay_shift: value,
                    ..tuning
                },
            ),
            (Self::Teo(version, tuning), Knob::Pulse) => Self::Teo(
                version,
                teo::Tuning {
                    pulse: value,
                    ..tuning
                },
            ),
            (Self::Menu(version, tuning), knob) => {
                let mut tuning = tuning;
                match knob {
                    Knob::Intervals => tuning.intervals = small?,
                    Knob::Deviation => tuning.small_deviation_us = value,
                    Knob::Steadiness => tuning.steady_ratio = value,
                    Knob::Decay => tuning.decay_shift = value,
                    Knob::Waiting => tuning.per_waiting_task = value,
                    _ => return None,
                }
                Self::Menu(version, tuning)
            }
            (Self::Haltpoll(rules), knob) => Self::Haltpoll(haltpoll::Rules {
                params: with_haltpoll(rules.params, knob, value)?,
                ..rules
            }),
            (Self::Baseline(Baseline::Fixed(_)), Knob::State) => {
                Self::Baseline(Baseline::Fixed(StateIdx::new(small?)))
            }
            _ => return None,
        })
    }
}

const fn of_haltpoll(params: haltpoll::Params, knob: Knob) -> Option<u32> {
    Some(match knob {
        Knob::Window => params.max_ns,
        Knob::Grow => params.grow,
        Knob::Start => params.grow_start_ns,
        Knob::Shrink => params.shrink,
        Knob::Shrinking => match params.shrinking {
            Shrinking::Forbidden => 0,
            Shrinking::Allowed => 1,
        },
        _ => return None,
    })
}

const fn with_haltpoll(mut params: haltpoll::Params, knob: Knob, value: u32) -> Option<haltpoll::Params> {
    match knob {
        Knob::Window => params.max_ns = value,
        Knob::Grow => params.grow = value,
        Knob::Start => params.grow_start_ns = value,
        Knob::Shrink => params.shrink = value,
        Knob::Shrinking => {
            params.shrinking = if value == 0 {
                Shrinking::Forbidden
            } else {
                Shrinking::Allowed
            };
        }
        _ => return None,
    }
    Some(params)
}

/// Which numbers of a choice are set, by their place among [`Make::knobs`] of its entry.
///
/// A choice travels by value with every question, so this is kept small: [`UNSET`] instead of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tuning([u32; MOST]);

/// A number that is as usual; no number may be this large.
const UNSET: u32 = u32::MAX;

impl Tuning {
    /// None.
    pub const NONE: Self = Self([UNSET; MOST]);

    /// The numbers set, of a choice that is made like `make`.
    fn set(self, make: Make) -> impl Iterator<Item = (Knob, u32)> {
        let knobs = make.knobs().iter().zip(self.0);
        knobs
            .filter(|(_, value)| *value != UNSET)
            .map(|(knob, value)| (*knob, value))
    }

    pub(super) fn apply(self, make: Make) -> Make {
        self.set(make).fold(make, |make, (knob, value)| {
            make.turned(knob, value).unwrap_or(make)
        })
    }

    pub(super) fn write(self, make: Make, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.set(make)
            .try_for_each(|(knob, value)| write!(f, "~{}{value}", knob.spec().key))
    }
}

impl Choice {
    /// Every number that may be set, what it is, and whether that is as usual.
    pub fn knobs(self) -> impl Iterator<Item = (Knob, u32, Usual)> {
        let (usual, made) = (self.entry().make, self.make());
        usual.knobs().iter().filter_map(move |knob| {
            let (before, value) = (usual.knob(*knob)?, made.knob(*knob)?);
            Some((
                *knob,
                value,
                if before == value {
                    Usual::Is
                } else {
                    Usual::Was(before)
                },
            ))
        })
    }

    /// With a number set; the usual one takes it back. None if it has no such number or may not take that value.
    #[must_use]
    pub fn with_knob(self, knob: Knob, value: u32) -> Option<Self> {
        let usual = self.entry().make;
        usual.turned(knob, value)?;
        let place = usual.knobs().iter().position(|own| *own == knob)?;
        let mut tuning = self.tuning;
        *tuning.0.get_mut(place)? = if usual.knob(knob) == Some(value) {
            UNSET
        } else {
            value
        };
        Some(Self { tuning, ..self })
    }

    /// Without any number set.
    #[must_use]
    pub const fn untuned(self) -> Self {
        Self {
            tuning: Tuning::NONE,
            ..self
        }
    }

    /// Whether a constant is set on which all kernels agree: then it is no kernel's. Module parameters are a kernel's.
    #[must_use]
    pub fn is_experimental(self) -> bool {
        self.tuning != Tuning::NONE && matches!(self.family(), Family::Teo | Family::Menu)
    }
}

/// Whether a number is as usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usual {
    /// It is.
    Is,
    /// Usually it is this.
    Was(u32),
}
