//! What any governor tells about a decision: one enum over the families' steps.
//!
//! Each family declares its steps with [`steps!`] or [`steps_and_end!`], which also makes the enum
//! of their kinds, so that the two cannot part.

use serde::{Deserialize, Serialize};

use super::{baseline, haltpoll, ladder, menu, mobile, teo};
use crate::probe::Probe;

/// Declares a family's `Step` and its `StepKind`.
macro_rules! steps {
    (
        $(#[$of_enum:meta])*
        enum Step;
        $( $(#[$of_step:meta])* $step:ident { $( $(#[$of_field:meta])* $field:ident : $ty:ty ),* $(,)? } ),* $(,)?
    ) => {
        $(#[$of_enum])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub enum Step {
            $( $(#[$of_step])* $step { $( $(#[$of_field])* $field: $ty ),* } ),*
        }

        /// [`Step`] without its numbers: two decisions are aligned by it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        pub enum StepKind {
            $( #[doc = concat!("[`Step::", stringify!($step), "`].")] $step ),*
        }

        impl Step {
            /// For aligning two decisions.
            #[must_use]
            pub const fn kind(&self) -> StepKind {
                match self {
                    $( Self::$step { .. } => StepKind::$step ),*
                }
            }
        }
    };
}
pub(super) use steps;

/// Declares a family's `Step` and `StepKind` with the steps by which [`super::select::finish`] ends
/// a decision behind its own.
macro_rules! steps_and_end {
    ( $(#[$of_enum:meta])* enum Step; $( $own:tt )* ) => {
        $crate::cpuidle::step::steps! {
            $(#[$of_enum])*
            enum Step;
            $( $own )*
            /// The duration against the tick.
            TickDecision {
                /// The choice.
                state: $crate::units::StateIdx,
                /// The duration expected.
                duration: $crate::units::Ns,
                /// The tick period.
                tick: $crate::units::Ns,
                /// Whether the choice polls.
                polling: bool,
                /// Whether the tick is stopped already.
                stopped: bool,
                /// The advice.
                choice: $crate::cpuidle::TickChoice,
            },
            /// The choice against the retained tick.
            TickCorrection {
                /// The choice.
                from: $crate::units::StateIdx,
                /// Its target residency.
                target_residency: $crate::units::Ns,
                /// Time to the next event, the tick included.
                to_event_or_tick: $crate::units::Ns,
                /// The choice now.
                to: $crate::units::StateIdx,
            },
        }

        impl $crate::cpuidle::select::EndSteps for Step {
            fn tick_decision(step: $crate::cpuidle::select::TickDecision) -> Self {
                let $crate::cpuidle::select::TickDecision { state, duration, tick, polling, stopped, choice } = step;
                Self::TickDecision { state, duration, tick, polling, stopped, choice }
            }

            fn tick_correction(step: $crate::cpuidle::select::TickCorrection) -> Self {
                let $crate::cpuidle::select::TickCorrection { from, target_residency, to_event_or_tick, to } = step;
                Self::TickCorrection { from, target_residency, to_event_or_tick, to }
            }
        }
    };
}
pub(super) use steps_and_end;

/// One step of one decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// Of a teo.
    Teo(teo::Step),
    /// Of a menu.
    Menu(menu::Step),
    /// Of a ladder.
    Ladder(ladder::Step),
    /// Of a haltpoll.
    Haltpoll(haltpoll::Step),
    /// Of a mobile.
    Mobile(mobile::Step),
    /// Of a baseline.
    Baseline(baseline::Step),
}

/// [`Step`] without its numbers: two decisions are aligned by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum StepKind {
    /// Of a teo.
    Teo(teo::StepKind),
    /// Of a menu.
    Menu(menu::StepKind),
    /// Of a ladder.
    Ladder(ladder::StepKind),
    /// Of a haltpoll.
    Haltpoll(haltpoll::StepKind),
    /// Of a mobile.
    Mobile(mobile::StepKind),
    /// Of a baseline.
    Baseline(baseline::StepKind),
}

impl Step {
    /// For aligning two decisions.
    #[must_use]
    pub const fn kind(&self) -> StepKind {
        match self {
            Self::Teo(step) => StepKind::Teo(step.kind()),
            Self::Menu(step) => StepKind::Menu(step.kind()),
            Self::Ladder(step) => StepKind::Ladder(step.kind()),
            Self::Haltpoll(step) => StepKind::Haltpoll(step.kind()),
            Self::Mobile(step) => StepKind::Mobile(step.kind()),
            Self::Baseline(step) => StepKind::Baseline(step.kind()),
        }
    }
}

macro_rules! from_families {
    ($( $family:ident: $variant:ident ),* $(,)?) => {
        $(
            impl From<$family::Step> for Step {
                fn from(step: $family::Step) -> Self {
                    Self::$variant(step)
                }
            }
        )*
    };
}
from_families!(teo: Teo, menu: Menu, ladder: Ladder, haltpoll: Haltpoll, mobile: Mobile, baseline: Baseline);

/// Hands a family's steps to a listener of [`Step`].
pub(super) struct Widen<'a, P>(pub &'a mut P);

impl<S: Into<Step>, P: Probe<Step>> Probe<S> for Widen<'_, P> {
    #[inline(always)]
    fn step(&mut self, step: impl FnOnce() -> S) {
        self.0.step(|| step().into());
    }
}
