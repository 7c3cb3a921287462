//! The timers that are armed at one moment, per CPU (spec replay-inputs.md §2.3).
//!
//! An hrtimer belongs to the CPU that recorded its start; expiry and cancel take it away wherever it
//! is. A wheel timer belongs to the CPU that its event names.

use std::collections::{BTreeSet, HashMap};

use crate::trace::event::TimerId;
use crate::units::{CpuId, Time};

/// Timers of one kind by CPU, earliest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Pending {
    armed: HashMap<TimerId, (CpuId, Time)>,
    queues: Vec<BTreeSet<(Time, TimerId)>>,
}

impl Pending {
    /// Arms a timer; what was armed under this number before is forgotten.
    pub(super) fn arm(&mut self, timer: TimerId, cpu: CpuId, due: Time) {
        self.remove(timer);
        if self.queues.len() <= cpu.index() {
            self.queues.resize_with(cpu.index() + 1, BTreeSet::new);
        }
        if let Some(queue) = self.queues.get_mut(cpu.index()) {
            queue.insert((due, timer));
            self.armed.insert(timer, (cpu, due));
        }
    }

    /// Takes a timer away; when it was due, if it was armed.
    pub(super) fn remove(&mut self, timer: TimerId) -> Option<Time> {
        let (cpu, due) = self.armed.remove(&timer)?;
        if let Some(queue) = self.queues.get_mut(cpu.index()) {
            queue.remove(&(due, timer));
        }
        Some(due)
    }

    /// The earliest instant on this CPU that is not before `from`; [`Time::NEVER`] without one.
    pub(super) fn earliest(&self, cpu: CpuId, from: Time) -> Time {
        let queue = self.queues.get(cpu.index());
        let first = queue.and_then(|queue| queue.range((from, TimerId(0))..).next());
        first.map_or(Time::NEVER, |(due, _)| *due)
    }

    /// Takes away all timers of this CPU that are due up to `until` and for which `drop` holds.
    pub(super) fn drop_due(&mut self, cpu: CpuId, until: Time, mut drop: impl FnMut(TimerId, Time) -> bool) {
        let Some(queue) = self.queues.get_mut(cpu.index()) else {
            return;
        };
        let due: Vec<(Time, TimerId)> = queue.range(..=(until, TimerId(u32::MAX))).copied().collect();
        for (time, timer) in due {
            if drop(timer, time) {
                queue.remove(&(time, timer));
                self.armed.remove(&timer);
            }
        }
    }
}
