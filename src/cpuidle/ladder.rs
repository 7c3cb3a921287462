//! The governor named ladder: one rung up or down at a time, from measured stays alone (spec
//! ladder-haltpoll-mobile.md §1).
//!
//! ```text
//!    residency − exit latency        4 in a row above the threshold: one deeper
//!        |--------------|            1 below it: one shallower
//! ```
//!
//! It reads no timer, never asks to retain the tick and ignores target residencies: the thresholds are exit
//! latencies. A stay shorter than the exit latency makes the difference negative; the kernel compares it as an
//! unsigned number, so that such a stay counts as a very long one. That is kept.

use serde::{Deserialize, Serialize};

use super::rules::rules;
use super::step::steps;
use super::{Decision, Device, Kernel, MAX_STATES, StateMask, StateTable, TickChoice, Wakeup};
use crate::probe::Probe;
use crate::units::{Ns, StateIdx, Us};

/// Stays in a row that lead one rung deeper.
pub const PROMOTIONS: u32 = 4;
/// Stays in a row that lead one rung back.
pub const DEMOTIONS: u32 = 1;
const MICROSECOND: Ns = Ns::from_us(1);

/// In what it measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Whole microseconds in 32 bits: up to 5.4.
    Microseconds,
    /// Nanoseconds in 64 bits: from 5.5 on.
    Nanoseconds,
}

impl Clock {
    /// What remains of the stay without the exit, as the kernel compares it: never negative, huge instead.
    fn surplus(self, residency: Ns, exit_latency: Ns) -> u64 {
        match self {
            Self::Microseconds => {
                let stay = Us::from_ns_low_bits(residency.as_u64()).as_us();
                let exit = Us::from_ns_low_bits(exit_latency.as_u64()).as_us();
                u64::from(stay.wrapping_sub(exit))
            }
            Self::Nanoseconds => residency.as_u64().wrapping_sub(exit_latency.as_u64()),
        }
    }

    fn threshold(self, exit_latency: Ns) -> u64 {
        self.surplus(exit_latency, Ns::ZERO)
    }

    fn is_within(self, exit_latency: Ns, latency_req: Ns) -> bool {
        match self {
            Self::Microseconds => exit_latency.div_floor(MICROSECOND) <= latency_req.div_floor(MICROSECOND),
            Self::Nanoseconds => exit_latency <= latency_req,
        }
    }

    fn is_none(self, latency_req: Ns) -> bool {
        match self {
            Self::Microseconds => latency_req.div_floor(MICROSECOND) == 0,
            Self::Nanoseconds => latency_req == Ns::ZERO,
        }
    }
}

rules! {
    /// Where the versions differ.
    struct Rules {
        /// In what stays are measured.
        clock: Clock,
    }
}

steps! {
    /// What a ladder tells about a decision. Durations in ns.
    enum Step;

    /// The limit that holds; 0 forces state 0.
    Limit {
        /// Strictest latency limit.
        latency_req: Ns,
    },
    /// The last stay, as it is judged.
    Measured {
        /// The rung it stood on.
        rung: StateIdx,
        /// How long it stayed, 0 after a failed entry.
        residency: Ns,
        /// The exit latency that is taken off.
        exit_latency: Ns,
    },
    /// One rung deeper?
    Promotion {
        /// The next rung.
        to: StateIdx,
        /// What the rest of the stay must exceed.
        threshold: Ns,
        /// Whether it does, negative rests included.
        exceeds: bool,
        /// Whether the next rung is disabled.
        disabled: bool,
        /// Whether its exit latency is within the limit.
        within_limit: bool,
        /// Such stays in a row, with this one.
        count: u32,
        /// How many lead there.
        needed: u32,
    },
    /// The rung cannot be kept.
    Forced {
        /// It is disabled; otherwise it wakes too slowly.
        disabled: bool,
        /// Its exit latency.
        exit_latency: Ns,
        /// The rung taken, enabled or not.
        to: StateIdx,
    },
    /// One rung shallower?
    Demotion {
        /// The rung before.
        to: StateIdx,
        /// What the rest of the stay must be below.
        threshold: Ns,
        /// Whether it is.
        below: bool,
        /// Such stays in a row, with this one.
        count: u32,
        /// How many lead there.
        needed: u32,
    },
    /// The rung is kept.
    Kept {
        /// The rung.
        rung: StateIdx,
    },
}

/// What a ladder remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The rung it stands on; none before the first select.
    pub rung: Option<StateIdx>,
    /// Stays in a row that speak for the next rung, per state.
    pub promotions: [u32; MAX_STATES],
    /// Stays in a row that speak for the rung before, per state.
    pub demotions: [u32; MAX_STATES],
}

/// One CPU's ladder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ladder {
    rules: Rules,
    memory: Snapshot,
}

/// What one select reads.
struct Reading<'a> {
    table: &'a StateTable,
    disabled: StateMask,
    latency_req: Ns,
    surplus: u64,
    /// The lowest rung: 1 where state 0 polls.
    first: StateIdx,
    rung: StateIdx,
}

impl Reading<'_> {
    fn exit_latency(&self) -> Ns {
        self.table.exit_latency(self.rung)
    }

    /// How many stays it takes from here; below the lowest rung the kernel's zeroed record says 0.
    fn needed(&self, count: u32) -> u32 {
        if self.rung < self.first { 0 } else { count }
    }
}

impl Ladder {
    /// A ladder that stands on the lowest rung.
    #[must_use]
    pub const fn new(rules: Rules) -> Self {
        Self {
            rules,
            memory: Snapshot {
                rung: None,
                promotions: [0; MAX_STATES],
                demotions: [0; MAX_STATES],
            },
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
        device: &Device,
        kernel: &K,
        probe: &mut P,
    ) -> Decision {
        let first = first_rung(table);
        let rung = self.memory.rung.unwrap_or(first).min(table.last());
        let latency_req = kernel.latency_req();
        probe.step(|| Step::Limit { latency_req });
        let next = if self.rules.clock.is_none(latency_req) {
            StateIdx::ZERO
        } else {
            let residency = device.last_residency;
            let exit_latency = table.exit_latency(rung);
            probe.step(|| Step::Measured {
                rung,
                residency,
                exit_latency,
            });
            let reading = Reading {
                table,
                disabled: kernel.disabled(),
                latency_req,
                surplus: self.rules.clock.surplus(residency, exit_latency),
                first,
                rung,
            };
            self.promotion(&reading, probe)
                .or_else(|| self.forced(&reading, probe))
                .or_else(|| self.demotion(&reading, probe))
                .unwrap_or(rung)
        };
        if next == rung && !self.rules.clock.is_none(latency_req) {
            probe.step(|| Step::Kept { rung });
        } else {
            self.set_counts(rung, 0, 0);
        }
        self.memory.rung = Some(next);
        Decision {
            state: next,
            tick: TickChoice::Stop,
        }
    }

    /// See [`super::Governor::reflect`].
    pub fn reflect(&mut self, wakeup: Wakeup) {
        if wakeup.entered > StateIdx::ZERO {
            self.memory.rung = Some(wakeup.entered);
        }
    }

    /// One rung deeper, if the stays say so; otherwise the evidence is counted.
    fn promotion<P: Probe<Step>>(&mut self, reading: &Reading<'_>, probe: &mut P) -> Option<StateIdx> {
        let rung = reading.rung;
        let to = reading.table.indices().find(|idx| *idx > rung)?;
        let threshold = if rung < reading.first {
            Ns::ZERO
        } else {
            reading.exit_latency()
        };
        let exceeds = reading.surplus > self.rules.clock.threshold(threshold);
        let disabled = reading.disabled.contains(to);
        let within_limit = self
            .rules
            .clock
            .is_within(reading.table.exit_latency(to), reading.latency_req);
        let speaks_for = exceeds && !disabled && within_limit;
        let before = self
            .memory
            .promotions
            .get(rung.index())
            .copied()
            .unwrap_or_default();
        let count = before.wrapping_add(u32::from(speaks_for));
        let needed = reading.needed(PROMOTIONS);
        probe.step(|| Step::Promotion {
            to,
            threshold,
            exceeds,
            disabled,
            within_limit,
            count,
            needed,
        });
        if !speaks_for {
            return None;
        }
        self.set_counts(rung, count, 0);
        (count >= needed).then_some(to)
    }

    /// Away from a rung that is disabled or wakes too slowly. Whether the target is disabled is not asked.
    fn forced<P: Probe<Step>>(&self, reading: &Reading<'_>, probe: &mut P) -> Option<StateIdx> {
        let rung = reading.rung;
        let disabled = reading.disabled.contains(rung);
        let is_within = |exit_latency| self.rules.clock.is_within(exit_latency, reading.latency_req);
        let exit_latency = reading.exit_latency();
        if rung <= reading.first || !disabled && is_within(exit_latency) {
            return None;
        }
        let to = reading
            .table
            .indices()
            .rev()
            .filter(|idx| *idx > reading.first && *idx < rung)
            .find(|idx| is_within(reading.table.exit_latency(*idx)))
            .unwrap_or(reading.first);
        probe.step(|| Step::Forced {
            disabled,
            exit_latency,
            to,
        });
        Some(to)
    }

    /// One rung shallower, if the stay says so.
    fn demotion<P: Probe<Step>>(&mut self, reading: &Reading<'_>, probe: &mut P) -> Option<StateIdx> {
        let rung = reading.rung;
        let to = reading.table.indices().rev().find(|idx| *idx < rung)?;
        if rung <= reading.first {
            return None;
        }
        let threshold = reading.exit_latency();
        let below = reading.surplus < self.rules.clock.threshold(threshold);
        let before = self
            .memory
            .demotions
            .get(rung.index())
            .copied()
            .unwrap_or_default();
        let count = before.wrapping_add(u32::from(below));
        let needed = reading.needed(DEMOTIONS);
        probe.step(|| Step::Demotion {
            to,
            threshold,
            below,
            count,
            needed,
        });
        if !below {
            return None;
        }
        self.set_counts(rung, 0, count);
        (count >= needed).then_some(to)
    }

    fn set_counts(&mut self, rung: StateIdx, promotions: u32, demotions: u32) {
        if let Some(count) = self.memory.promotions.get_mut(rung.index()) {
            *count = promotions;
        }
        if let Some(count) = self.memory.demotions.get_mut(rung.index()) {
            *count = demotions;
        }
    }
}

/// The lowest rung that stays lead to: the first that does not poll, if state 0 does.
#[must_use]
pub fn first_rung(table: &StateTable) -> StateIdx {
    let polls = u8::from(table.is_polling(StateIdx::ZERO));
    StateIdx::new(polls).min(table.last())
}
