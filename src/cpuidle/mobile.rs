//! The governor named mobile, posted in June 2019 and never merged (spec ladder-haltpoll-mobile.md §3).
//!
//! ```text
//!   next timer ────────────────┐
//!   next interrupt, predicted ─┼─ the earliest ─ less exit latencies ─> deepest state that fits
//!   mean time to a task ───────┘
//! ```
//!
//! Three kinds of wakeups are tracked apart and the earliest bounds the stay. The mean is half old, half new;
//! stays no longer than the listed exit latency add nothing to it, and a mean of zero means "unknown".
//! The tick is stopped for every state but state 0, whatever was predicted.

use serde::{Deserialize, Serialize};

use super::rules::rules;
use super::select::tick_rate;
use super::step::steps;
use super::{Decision, Device, Kernel, StateTable, TickChoice, Wakeup};
use crate::probe::Probe;
use crate::units::{Ns, StateIdx};

const MICROSECOND: Ns = Ns::from_us(1);
/// A mean this old is forgotten.
const FORGET_MS: u64 = 100;

/// How exit latencies shorten the stay that a state is measured against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitLatencies {
    /// Those of all states looked at add up, each while the stay is longer than it.
    AddUp,
    /// Only the state's own, and a stay not longer than it ends the search.
    OwnOnly,
}

/// When the tick is retained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retain {
    /// For state 0.
    StateZero,
    /// For state 0, and for a stay below one tick period unless the tick is stopped already.
    ShortStays,
}

rules! {
    /// Where the versions differ.
    struct Rules {
        /// How exit latencies shorten the stay.
        exit_latencies: ExitLatencies,
        /// When the tick is retained.
        retain: Retain,
    }
}

steps! {
    /// What a mobile tells about a decision. Durations in ns.
    enum Step;

    /// The three sources, and the earliest of them.
    Sources {
        /// Time to the next timer; a negative one is ignored.
        timer: Ns,
        /// Time to the predicted interrupt, 0 for one overdue; none without a prediction.
        interrupt: Option<Ns>,
        /// Mean time to a task; none when it is not known.
        task: Option<Ns>,
        /// The earliest, whole microseconds.
        stay: Ns,
    },
    /// The limit that holds.
    Limit {
        /// Strictest latency limit.
        latency_req: Ns,
    },
    /// One state was looked at.
    Considered {
        /// The state.
        state: StateIdx,
        /// Its exit latency.
        exit_latency: Ns,
        /// Its target residency.
        target_residency: Ns,
        /// The stay that is left for it.
        left: Ns,
        /// Why it was not taken; none when it was.
        lost: Option<Lost>,
    },
    /// The tick.
    TickDecision {
        /// The state found.
        state: StateIdx,
        /// The stay that was predicted.
        stay: Ns,
        /// Whether it asks to stop the tick.
        stops: bool,
    },
}

/// Why a state was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Lost {
    /// It is disabled; the search goes on.
    Disabled,
    /// It wakes too slowly; the search ends.
    TooSlow,
    /// The stay does not exceed its exit latency; the search ends.
    ExitTooLong,
    /// The stay is shorter than its target residency; the search ends.
    TooShort,
}

/// What a mobile remembers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Mean idle time up to a task, µs; 0 when it is not known.
    pub mean_us: i32,
    /// Idle time since the last task, µs.
    pub total_us: i64,
    /// When the last task was due, in jiffies.
    pub last_jiffies: u64,
}

/// One CPU's mobile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mobile {
    rules: Rules,
    memory: Snapshot,
}

impl Mobile {
    /// A mobile that has seen nothing yet.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            memory: Snapshot::default(),
        }
    }

    /// What it remembers.
    #[must_use]
    pub const fn snapshot(&self) -> Snapshot {
        self.memory
    }

    /// See [`super::Governor::select`].
    pub fn select<K: Kernel, P: Probe<Step>>(
        &mut self,
        table: &StateTable,
        tick: Ns,
        kernel: &mut K,
        probe: &mut P,
    ) -> Decision {
        let stay = self.stay(kernel, probe);
        let latency_req = kernel.latency_req();
        probe.step(|| Step::Limit { latency_req });
        let state = self.deepest(table, kernel, stay, probe);
        let short = match self.rules.retain {
            Retain::StateZero => false,
            Retain::ShortStays => !kernel.tick_stopped() && stay < tick.div_floor(MICROSECOND).unsigned_abs(),
        };
        let stops = state != StateIdx::ZERO && !short;
        probe.step(|| Step::TickDecision {
            state,
            stay: us(stay),
            stops,
        });
        Decision {
            state,
            tick: if stops {
                TickChoice::Stop
            } else {
                TickChoice::Retain
            },
        }
    }

    /// The earliest of the three sources, µs.
    fn stay<K: Kernel, P: Probe<Step>>(&self, kernel: &mut K, probe: &mut P) -> u64 {
        let now = kernel.now().as_ns().cast_unsigned();
        let predicted = kernel.next_interrupt();
        let interrupt = predicted.map_or(u64::MAX, |at| at.as_ns().cast_unsigned());
        let timer = kernel.sleep_length().to_event;
        let earliest = interrupt.wrapping_sub(now).min(timer.as_u64()) / 1_000;
        let mean = u64::from(self.memory.mean_us.cast_unsigned());
        let stay = if mean == 0 { earliest } else { earliest.min(mean) };
        probe.step(|| Step::Sources {
            timer,
            interrupt: predicted.map(|at| at.saturating_since(kernel.now())),
            task: (mean != 0).then(|| us(mean)),
            stay: us(stay),
        });
        stay
    }

    fn deepest<K: Kernel, P: Probe<Step>>(
        &self,
        table: &StateTable,
        kernel: &K,
        stay: u64,
        probe: &mut P,
    ) -> StateIdx {
        let limit = kernel.latency_req().div_floor(MICROSECOND);
        let disabled = kernel.disabled();
        let mut found = StateIdx::ZERO;
        let mut left = stay;
        for state in table.indices() {
            let exit = whole_us(table.exit_latency(state));
            let target = whole_us(table.target_residency(state));
            let lost = if disabled.contains(state) {
                Some(Lost::Disabled)
            } else if i64::try_from(exit).is_ok_and(|exit| exit > limit) {
                Some(Lost::TooSlow)
            } else {
                self.fits(exit, target, stay, &mut left)
            };
            probe.step(|| Step::Considered {
                state,
                exit_latency: table.exit_latency(state),
                target_residency: table.target_residency(state),
                left: us(left),
                lost,
            });
            match lost {
                None => found = state,
                Some(Lost::Disabled) => {}
                Some(Lost::TooSlow | Lost::ExitTooLong | Lost::TooShort) => break,
            }
        }
        found
    }

    /// Whether a state pays off; `left` is what of the stay is left for it and for later ones.
    fn fits(&self, exit: u64, target: u64, stay: u64, left: &mut u64) -> Option<Lost> {
        match self.rules.exit_latencies {
            ExitLatencies::AddUp => {
                if *left > exit {
                    *left -= exit;
                }
            }
            ExitLatencies::OwnOnly => {
                if exit >= stay {
                    return Some(Lost::ExitTooLong);
                }
                *left = stay - exit;
            }
        }
        (target > *left).then_some(Lost::TooShort)
    }

    /// See [`super::Governor::reflect`].
    pub fn reflect<K: Kernel>(
        &mut self,
        table: &StateTable,
        tick: Ns,
        device: &Device,
        kernel: &K,
        wakeup: Wakeup,
    ) {
        let jiffies = kernel.jiffies();
        let memory = &mut self.memory;
        let forgotten = memory.last_jiffies.wrapping_add(forget_after(tick));
        if jiffies.wrapping_sub(forgotten).cast_signed() > 0 {
            memory.mean_us = 0;
        }
        let exit = table.exit_latency(wakeup.entered).div_floor(MICROSECOND);
        let rest = device.last_residency.div_floor(MICROSECOND).saturating_sub(exit);
        if rest > 0 {
            memory.total_us = memory.total_us.wrapping_add(rest);
        }
        if kernel.need_resched() {
            let mean = i64::from(memory.mean_us);
            let mixed = if mean == 0 {
                memory.total_us
            } else {
                mean.wrapping_add(memory.total_us.wrapping_sub(mean).wrapping_mul(64) >> 7)
            };
            memory.mean_us = low_32_bits(mixed);
            memory.total_us = 0;
            memory.last_jiffies = jiffies;
        }
    }
}

/// A table's times are never negative.
fn whole_us(time: Ns) -> u64 {
    time.div_floor(MICROSECOND).unsigned_abs()
}

/// `us` microseconds for showing; what the kernel takes for unbounded stays the longest duration.
fn us(us: u64) -> Ns {
    us.checked_mul(1_000)
        .and_then(|ns| i64::try_from(ns).ok())
        .map_or(Ns::MAX, Ns::new)
}

/// 100 ms in jiffies, rounded up.
fn forget_after(tick: Ns) -> u64 {
    (FORGET_MS * tick_rate(tick)).div_ceil(1_000)
}

/// As the kernel stores it in 32 bits.
fn low_32_bits(value: i64) -> i32 {
    let low = value.cast_unsigned() & u64::from(u32::MAX);
    u32::try_from(low).unwrap_or(u32::MAX).cast_signed()
}
