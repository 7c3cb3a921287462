//! The idle states of the machine that recorded the trace.

use crate::sim::{StateMask, StateTable};
use crate::units::CpuId;

/// One table per CPU; CPUs of one machine may differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// By CPU number. CPUs beyond the end have the last table.
    tables: Vec<StateTable>,
    /// States that are switched off on every CPU.
    pub disabled: StateMask,
}

impl Machine {
    /// A machine whose CPUs beyond `first` have the tables of `others`, the last one repeated.
    #[must_use]
    pub fn new(first: StateTable, others: impl IntoIterator<Item = StateTable>) -> Self {
        let mut tables = vec![first];
        tables.extend(others);
        Self {
            tables,
            disabled: StateMask::NONE,
        }
    }

    /// The states of `cpu`.
    #[must_use]
    #[allow(clippy::expect_used, reason = "built with at least one table")]
    pub fn table(&self, cpu: CpuId) -> &StateTable {
        let own = self.tables.get(cpu.index()).or(self.tables.last());
        own.expect("a machine has at least one table")
    }
}
