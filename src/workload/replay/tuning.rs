//! Constants of a machine that no event tells (spec replay-inputs.md §2.9).

use crate::units::Ns;

/// Distances between stamps and the instants at which the kernel read its clock.
///
/// The defaults were fitted to recordings of one emulated machine (the specification found 12 µs for the first; misses
/// confirm the third) and are no properties of hardware. Agreement changes by less than 0.3 points within 4 µs of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// From a switch to the idle task to the idle entry time.
    pub after_switch: Ns,
    /// From the end of an interrupt to the idle entry time.
    pub after_interrupt: Ns,
    /// What stamp-to-stamp residency has too much.
    pub residency: Ns,
    /// From the idle entry time to the stamp where nothing before it was recorded.
    pub bare_entry: Ns,
    /// A gap between exit and entry above this means that a task ran, where switches were not recorded.
    pub busy_gap: Ns,
    /// From a timer's expiry to the exit that it causes.
    pub timer_lag: Ns,
    /// A tick handler this soon after the switch to idle was pending from before: it does not count.
    pub pending_band: Ns,
    /// An exit this soon after a grid point was caused by the tick, where no timer event tells.
    pub grid_band: Ns,
    /// How many selects after a loss are marked uncertain.
    pub uncertain_selects: u8,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            after_switch: Ns::from_us(13),
            after_interrupt: Ns::from_us(8),
            residency: Ns::from_us(6),
            bare_entry: Ns::from_us(25),
            busy_gap: Ns::from_us(150),
            timer_lag: Ns::from_us(40),
            pending_band: Ns::from_us(400),
            grid_band: Ns::from_us(300),
            uncertain_selects: 12,
        }
    }
}
