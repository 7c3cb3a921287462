//! What the core keeps per CPU between the calls to a governor.

use crate::units::{Ns, StateIdx};

/// The per-CPU record that core and governor share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Measured idle duration of the last period, ns; 0 after a failed entry (spec
    /// idle-loop-and-tick.md §2.3).
    pub last_residency: Ns,
    /// The state of the last period that was reflected, or none since the last update.
    pub last_state: Option<StateIdx>,
    /// The last polling period ended because its time limit passed.
    pub poll_timed_out: bool,
    /// The polling limit, once computed; kept when states are disabled later.
    pub poll_limit: Option<Ns>,
}

impl Default for Device {
    /// As the kernel's zeroed record: `last_state` is state 0, not "none".
    fn default() -> Self {
        Self {
            last_residency: Ns::ZERO,
            last_state: Some(StateIdx::ZERO),
            poll_timed_out: false,
            poll_limit: None,
        }
    }
}
