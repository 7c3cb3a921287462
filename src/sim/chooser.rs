//! Who chooses: a governor of the catalogue, or a script in a test.

use crate::cpuidle::{self, Decision, Device, Governor, Kernel, StateTable, Wakeup};
use crate::probe::Probe;
use crate::units::Ns;

/// The two calls around an idle period.
pub trait Chooser: Clone {
    /// Chooses a state and what to do with the tick; `tick` is the tick period, ns.
    fn select<K: Kernel, P: Probe<cpuidle::Step>>(
        &mut self,
        table: &StateTable,
        tick: Ns,
        device: &mut Device,
        kernel: &mut K,
        probe: &mut P,
    ) -> Decision;

    /// Learns how the period ended; not called after a failed entry.
    fn reflect<K: Kernel>(
        &mut self,
        table: &StateTable,
        tick: Ns,
        device: &mut Device,
        kernel: &K,
        wakeup: Wakeup,
    );
}

impl Chooser for Governor {
    #[inline]
    fn select<K: Kernel, P: Probe<cpuidle::Step>>(
        &mut self,
        table: &StateTable,
        tick: Ns,
        device: &mut Device,
        kernel: &mut K,
        probe: &mut P,
    ) -> Decision {
        Self::select(self, table, tick, device, kernel, probe)
    }

    #[inline]
    fn reflect<K: Kernel>(
        &mut self,
        table: &StateTable,
        tick: Ns,
        device: &mut Device,
        kernel: &K,
        wakeup: Wakeup,
    ) {
        Self::reflect(self, table, tick, device, kernel, wakeup);
    }
}
