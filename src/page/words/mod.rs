//! Words: numbers, steps and answers as people read them.
//!
//! The words of design.md §2 and no others. Every figure comes out of [`number`] in one of two
//! styles: for the page, and in ASCII for mail. Steps become sentences by exhaustive matches, so a
//! new step does not compile until it has words.

pub mod align;
pub mod answer;
pub mod behind;
pub mod change;
pub mod cross;
pub mod decisions;
pub mod decisive;
pub mod entry;
pub mod gaps;
pub mod misses;
pub mod number;
pub mod opening;
pub mod own;
mod step;
pub mod verdict;
pub mod walk;
pub mod why;

pub use number::Style;
pub use step::Said;

use crate::cpuidle::StateTable;
use crate::sim::{Cause, Knowledge, NO_LATENCY_LIMIT};
use crate::units::{Ns, StateIdx};

/// What a speaker needs to know: the states' names, for whom it speaks, and in which terms.
#[derive(Clone, Copy, Debug)]
pub struct Speaker<'a> {
    table: Option<&'a StateTable>,
    /// For the page or for mail.
    pub style: Style,
    /// Kernel names instead of plain words: `sleep_length_ns` for "sleep length".
    pub kernel_names: bool,
}

impl<'a> Speaker<'a> {
    /// Speaks about the states of `table`; without one they are called by number.
    #[must_use]
    pub const fn new(table: Option<&'a StateTable>, style: Style, kernel_names: bool) -> Self {
        Self {
            table,
            style,
            kernel_names,
        }
    }

    /// The name of a state, or its number when the table has no such state.
    #[must_use]
    pub fn state(&self, idx: StateIdx) -> String {
        match self.table.and_then(|table| table.get(idx)) {
            Some(state) => state.name.clone(),
            None => format!("state {idx}"),
        }
    }

    /// A duration with four digits.
    #[must_use]
    pub fn time(&self, d: Ns) -> String {
        number::duration(d, self.style)
    }

    /// A latency limit; `none` when it limits nothing.
    #[must_use]
    pub fn limit(&self, limit: Ns) -> String {
        if limit >= NO_LATENCY_LIMIT {
            "none".to_owned()
        } else {
            self.time(limit)
        }
    }

    /// The plain word or the kernel's name.
    const fn term(&self, plain: &'static str, kernel: &'static str) -> &'static str {
        if self.kernel_names { kernel } else { plain }
    }

    /// A value, in kernel names with its name before it.
    fn named(&self, kernel: &'static str, value: impl std::fmt::Display) -> String {
        if self.kernel_names {
            format!("{kernel} {value}")
        } else {
            value.to_string()
        }
    }
}

/// Where a sleep length comes from. One whose timer is not in the trace is still a number that the governor
/// got: that of the simulation.
#[must_use]
pub const fn known(known: Knowledge) -> &'static str {
    match known {
        Knowledge::Exact => "exact",
        Knowledge::Inferred => "inferred",
        Knowledge::Unknown => "as simulated",
    }
}

/// What ended a stay, as a word.
#[must_use]
pub const fn cause(cause: Cause) -> &'static str {
    match cause {
        Cause::Tick => "tick",
        Cause::Timer => "timer",
        Cause::Interrupt => "interrupt",
        Cause::Ipi => "IPI",
        Cause::PollLimit => "polling limit",
        Cause::Unknown => "unknown",
    }
}
