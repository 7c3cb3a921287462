//! A trace as a workload: what the recorded kernel's governor was told, and what woke it (design.md §3.2).
//!
//! ```text
//!  Trace ──> Constants ──> walk, twice ──> Select per cpu_idle entry ──> Replay
//!            HZ, clocks    phases, timers                                  │
//!                          ┌────────────────────┬─────────────────────────┤
//!                       Wakeups             page::recording         ReplayWorkload
//!                       cause, instant      recorded lane, a        for the engine
//!                       only the tick?      governor on its path
//! ```
//!
//! Follows spec replay-inputs.md; start at [`Replay`], then [`Select`]. Nothing here is a guess without a mark:
//! [`provenance`] says how well each input is known. Invariants: total over any list of events; the recorded
//! stamps and states are copied, never corrected.

mod armed;
mod clock;
mod constants;
mod learned;
mod machine;
mod pending;
mod phases;
pub mod provenance;
mod reading;
mod select;
mod share;
mod source;
mod tuning;
mod untimed;
pub mod wakes;
mod walk;
mod workload;

pub use clock::Clock;
pub use constants::Constants;
pub use machine::Machine;
pub use phases::Opening;
pub use reading::Reading;
pub use select::{Inputs, Interrupt, Select, Wake};
pub use share::Share;
pub use source::{Has, IPI_INTERRUPTS, Source, TICK_FUNCTIONS, TIMER_INTERRUPTS};
pub use tuning::Tuning;
pub use workload::ReplayWorkload;

use crate::trace::Trace;
use crate::trace::event::{Event, NameId};
use crate::units::{CpuId, Time};

/// The names of a trace that carry meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    tick_functions: Vec<NameId>,
    timer_interrupts: Vec<NameId>,
    ipi_interrupts: Vec<NameId>,
}

impl Names {
    /// Looks them up.
    #[must_use]
    pub fn of(trace: &Trace) -> Self {
        let with = |parts: &[&str]| {
            let ids = (0..trace.names())
                .filter_map(|n| u16::try_from(n).ok())
                .map(NameId);
            ids.filter(|id| parts.iter().any(|part| trace.name(*id).contains(part)))
                .collect()
        };
        Self {
            tick_functions: TICK_FUNCTIONS
                .iter()
                .filter_map(|name| trace.find_name(name))
                .collect(),
            timer_interrupts: with(&TIMER_INTERRUPTS),
            ipi_interrupts: with(&IPI_INTERRUPTS),
        }
    }
}

impl Names {
    /// Events of the trace that these names were taken from.
    #[must_use]
    pub fn source<'a>(&'a self, events: &'a [Event], span: (Time, Time)) -> Source<'a> {
        Source {
            events,
            span,
            tick_functions: &self.tick_functions,
            timer_interrupts: &self.timer_interrupts,
            ipi_interrupts: &self.ipi_interrupts,
        }
    }
}

/// What the recorded kernel's governors were told, on every CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// First and last instant of the trace.
    pub span: (Time, Time),
    /// What holds for the whole trace.
    pub constants: Constants,
    /// The constants that no trace tells.
    pub tuning: Tuning,
    /// The selects of every CPU, by number, in time order.
    pub selects: Vec<Vec<Select>>,
    /// By CPU number, the period that was open when the trace began.
    pub openings: Vec<Option<Opening>>,
}

impl Replay {
    /// Rebuilds everything from a trace.
    #[must_use]
    pub fn of(trace: &Trace, tuning: Tuning) -> Self {
        let names = Names::of(trace);
        Self::from_source(&names.source(&trace.events, trace.span()), tuning)
    }

    /// Rebuilds everything from a list of events.
    #[must_use]
    pub fn from_source(source: &Source, tuning: Tuning) -> Self {
        let constants = Constants::of(source);
        let first = walk::walk(source, &constants, &tuning, learned::Learned::default());
        let walk::Walked {
            rows: mut selects,
            openings,
            ..
        } = walk::walk(source, &constants, &tuning, first.learned);
        if !constants.has.hrtimer_start {
            untimed::guess(&mut selects, &constants, &tuning);
        }
        Self {
            span: source.span,
            constants,
            tuning,
            selects,
            openings,
        }
    }

    /// The selects with their CPU.
    pub fn cpus(&self) -> impl Iterator<Item = (CpuId, &Vec<Select>)> {
        (0..=u16::MAX).map(CpuId::new).zip(&self.selects)
    }
}
