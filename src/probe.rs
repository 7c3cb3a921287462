//! How a decision tells its steps, at no cost when nobody listens.
//!
//! A probe is write-only: nothing it does can influence the decision, and
//! computing what is told has no effect. The law in `tests/it/laws` holds for
//! every catalogue entry: with and without a listener, the same decision and
//! the same memory afterwards.

/// Receives the steps of a decision.
pub trait Probe<S> {
    /// Told once per step; the closure is only called by probes that listen.
    fn step(&mut self, step: impl FnOnce() -> S);
}

/// Nobody listens.
#[derive(Clone, Copy, Debug, Default)]
pub struct Off;

impl<S> Probe<S> for Off {
    #[inline(always)]
    fn step(&mut self, _: impl FnOnce() -> S) {}
}

/// Keeps every step, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps<T>(pub Vec<T>);

impl<T> Default for Steps<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T, S: Into<T>> Probe<S> for Steps<T> {
    fn step(&mut self, step: impl FnOnce() -> S) {
        self.0.push(step().into());
    }
}
