//! What following a governor along the recorded path adds to the rows.

use crate::sim::Keep;
use crate::units::{CpuId, Time};

/// The hidden hrtimer, and where a keep reason held.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// Expiry of an hrtimer that shows no event; [`Time::NEVER`] for none.
    pub hidden: Time,
    /// For each select of each CPU, whether a keep reason held the tick. What is not here had none.
    pub kept_rows: &'a [Vec<bool>],
}

impl Reading<'_> {
    /// Nothing: the recorded governor is not one we have.
    pub const PLAIN: Self = Self {
        hidden: Time::NEVER,
        kept_rows: &[],
    };

    /// What held the tick at a select.
    #[must_use]
    pub fn keep(self, cpu: CpuId, row: usize) -> Keep {
        let kept = self.kept_rows.get(cpu.index()).and_then(|rows| rows.get(row));
        if kept == Some(&true) {
            Keep::Unknown
        } else {
            Keep::None
        }
    }
}
