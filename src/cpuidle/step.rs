//! What any governor tells about a decision: one enum over the families' steps.

use super::baseline;
use crate::probe::Probe;

/// One step of one decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Of a baseline.
    Baseline(baseline::Step),
}

/// [`Step`] without its numbers: two decisions are aligned by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepKind {
    /// Of a baseline.
    Baseline(baseline::StepKind),
}

impl Step {
    /// For aligning two decisions.
    #[must_use]
    pub const fn kind(&self) -> StepKind {
        match self {
            Self::Baseline(step) => StepKind::Baseline(step.kind()),
        }
    }
}

impl From<baseline::Step> for Step {
    fn from(step: baseline::Step) -> Self {
        Self::Baseline(step)
    }
}

/// Hands a family's steps to a listener of [`Step`].
pub(super) struct Widen<'a, P>(pub &'a mut P);

impl<S: Into<Step>, P: Probe<Step>> Probe<S> for Widen<'_, P> {
    #[inline(always)]
    fn step(&mut self, step: impl FnOnce() -> S) {
        self.0.step(|| step().into());
    }
}
