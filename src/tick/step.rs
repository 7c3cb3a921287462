//! What the tick tells about a decision: operands and results, no prose.

use super::{Advice, Keep};
use crate::units::{Ns, Time};

/// One step of the tick's part of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The next event without the tick was looked for (spec idle-loop-and-tick.md §5.2).
    Evaluated {
        /// What keeps the tick, if anything.
        keep: Keep,
        /// From where "within one tick" is measured: the last jiffies update.
        base: Time,
        /// The earliest wheel timer; [`Time::NEVER`] when there is none.
        wheel: Time,
        /// The next event that is found, `base + period` when the tick is kept.
        next: Time,
        /// The tick period, ns.
        period: Ns,
        /// The latest instant that the timekeeping duty allows; [`Time::NEVER`] when it does not limit.
        limit: Time,
        /// Until when the tick may be stopped; none when it may not.
        until: Option<Time>,
    },
    /// The governor asked for the sleep length (§5.10).
    SleepLength {
        /// From where it counts.
        entry: Time,
        /// The earliest high-resolution timer; [`Time::NEVER`] when there is none.
        hrtimer: Time,
        /// The running, or the programmed, tick; [`Time::NEVER`] when neither.
        tick: Time,
        /// Time to the next event without the tick, ns.
        to_event: Ns,
        /// Time to the next event, the tick included, ns.
        to_event_or_tick: Ns,
    },
    /// The tick was stopped or retained (§5.3, §5.4).
    Settled {
        /// What was asked; none when the tick is decided on before the governor.
        asked: Option<Advice>,
        /// What became of it.
        result: Settled,
    },
}

/// What became of the tick in one iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Settled {
    /// It runs on, since nobody asked to stop it.
    RetainedAsAsked,
    /// It runs on, since it may never be stopped.
    RetainedImpossible,
    /// It runs on, since the next event is within one tick of the last jiffies update.
    RetainedNextEvent,
    /// It runs on, since the kernel needs it.
    RetainedKeepReason(Keep),
    /// It was stopped now.
    StoppedNow {
        /// What the timer is programmed for instead; [`Time::NEVER`] for nothing.
        until: Time,
    },
    /// It was stopped before and stays so.
    StaysStopped {
        /// As above; none when nothing needed to be looked up.
        until: Time,
    },
}

impl Settled {
    /// It runs on, since it is needed; `keep` is what needs it besides the next event.
    pub(super) const fn retained(keep: Keep) -> Self {
        match keep {
            Keep::None => Self::RetainedNextEvent,
            keep => Self::RetainedKeepReason(keep),
        }
    }

    /// Whether the tick is stopped now.
    #[must_use]
    pub const fn is_stopped(self) -> bool {
        matches!(self, Self::StoppedNow { .. } | Self::StaysStopped { .. })
    }
}

/// [`Step`] without its numbers: two decisions are aligned by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepKind {
    /// [`Step::Evaluated`].
    Evaluated,
    /// [`Step::SleepLength`].
    SleepLength,
    /// [`Step::Settled`].
    Settled,
}

impl Step {
    /// For aligning two decisions.
    #[must_use]
    pub const fn kind(&self) -> StepKind {
        match self {
            Self::Evaluated { .. } => StepKind::Evaluated,
            Self::SleepLength { .. } => StepKind::SleepLength,
            Self::Settled { .. } => StepKind::Settled,
        }
    }
}
