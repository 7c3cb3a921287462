//! Timers that were armed before the trace began (spec replay-inputs.md §2.2).
//!
//! A timer whose first event is its expiry was pending from the beginning. One whose first event is a cancel was
//! pending too, but until when is unknown: it is left out. (The kernel prints `timer_cancel` before every
//! `timer_expire_entry`, so a cancel decides for hrtimers only.)

use std::collections::HashSet;

use super::constants::{Constants, WALL_CLOCK_NS};
use crate::trace::event::{Event, Kind, TimerId};
use crate::units::{CpuId, Time};

/// One timer that was pending at the first event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Armed {
    /// The tick of a CPU.
    Tick { cpu: CpuId, due: Time },
    /// Any other hrtimer.
    Hrtimer { timer: TimerId, cpu: CpuId, due: Time },
    /// A timer of the wheel.
    Wheel { timer: TimerId, cpu: CpuId, due: Time },
}

/// All of them, in the order in which they expire.
pub(super) fn before_the_trace(events: &[Event], constants: &Constants) -> Vec<Armed> {
    let mut hrtimers: HashSet<TimerId> = HashSet::new();
    let mut wheel: HashSet<TimerId> = HashSet::new();
    let mut armed = Vec::new();
    for event in events {
        let cpu = event.cpu;
        match event.kind {
            Kind::HrtimerStart { timer, .. } | Kind::HrtimerCancel { timer } => {
                hrtimers.insert(timer);
            }
            Kind::TimerStart { timer, .. } => {
                wheel.insert(timer);
            }
            Kind::HrtimerExpireEntry { timer, now_ns, .. } if hrtimers.insert(timer) => {
                let due = constants.clock.from_monotonic(now_ns);
                if constants.tick_timers.contains_key(&timer) {
                    let due = constants.clock.grid_at_or_before(due);
                    armed.push(Armed::Tick { cpu, due });
                } else if now_ns <= WALL_CLOCK_NS {
                    armed.push(Armed::Hrtimer { timer, cpu, due });
                }
            }
            Kind::TimerExpireEntry {
                timer,
                now_jiffies,
                bucket_jiffies,
            } if wheel.insert(timer) => {
                if let Some(due) = constants.bucket(bucket_jiffies.unwrap_or(now_jiffies)) {
                    armed.push(Armed::Wheel { timer, cpu, due });
                }
            }
            _ => {}
        }
    }
    armed
}
