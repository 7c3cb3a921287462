//! What a governor answers, and what it is told afterwards.

use serde::{Deserialize, Serialize};

use crate::units::StateIdx;

/// A governor's advice about the tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TickChoice {
    /// Stop it while the CPU is idle.
    Stop,
    /// Retain it: it will end this idle period at the latest.
    Retain,
}

/// The result of one select.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Decision {
    /// The state asked for.
    pub state: StateIdx,
    /// The advice about the tick; without effect when it is stopped already.
    pub tick: TickChoice,
}

/// What reflect is told about the idle period that has just ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wakeup {
    /// The state really entered; may be shallower than the one asked for.
    pub entered: StateIdx,
    /// The tick ended the period.
    pub got_tick: bool,
}
