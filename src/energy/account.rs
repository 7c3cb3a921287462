//! Energy of one lane, by part and by state.
//!
//! ```text
//!   entry                     wake       exit            next entry
//!     |-------- stay -----------|-- exit --|===== busy =====|
//!     e_i once per entry        active     active
//!     + one handler for each period that the tick ended, one stop and restart for each stopped tick
//! ```

use super::Model;
use crate::cpuidle::{MAX_STATES, StateMask};
use crate::sim::{Flags, Lane, Row};
use crate::units::{Energy, Ns, StateIdx, Time};

/// Energy by what it was spent on. Estimates, fJ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Staying in idle states: power times entry to wakeup event.
    pub stay: Energy,
    /// Entering and leaving them.
    pub transitions: Energy,
    /// Handlers of ticks that ended idle periods, and stopping and restarting the tick.
    pub ticks: Energy,
    /// Running hardware from the wakeup event until the CPU runs again.
    pub exit_latency: Energy,
    /// Running between idle periods.
    pub busy: Energy,
}

impl Parts {
    /// Everything.
    #[must_use]
    pub fn total(&self) -> Energy {
        self.idle() + self.busy
    }

    /// Everything but busy time: what a governor is answerable for.
    #[must_use]
    pub fn idle(&self) -> Energy {
        self.stay + self.transitions + self.ticks + self.exit_latency
    }

    /// Staying in states, entering and leaving them: what a choice of state decides, and the same sum
    /// that [`Account::regret`] compares. The way out at active power and ticks are beside it.
    #[must_use]
    pub fn in_states(&self) -> Energy {
        self.stay + self.transitions
    }

    /// Adds each part of `other`.
    pub fn add(&mut self, other: &Self) {
        self.stay += other.stay;
        self.transitions += other.transitions;
        self.ticks += other.ticks;
        self.exit_latency += other.exit_latency;
        self.busy += other.busy;
    }
}

/// What one lane spent, and what it could have spent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// By part.
    pub parts: Parts,
    /// Idle energy by state entered.
    pub states: [Parts; MAX_STATES],
    /// Sum over decisions of stay and transitions beyond the cheapest allowed state for the same
    /// stay (energy.md §3, "regret"); never negative.
    pub regret: Energy,
    /// What a governor that knows the future spends on the same periods: one stay from the first
    /// select of a period to its last wakeup event in the cheapest allowed state, no tick.
    pub ideal: Energy,
}

impl Account {
    /// Adds another lane.
    pub fn add(&mut self, other: &Self) {
        self.parts.add(&other.parts);
        for (mine, theirs) in self.states.iter_mut().zip(&other.states) {
            mine.add(theirs);
        }
        self.regret += other.regret;
        self.ideal += other.ideal;
    }
}

/// Stretches `(from, to)` during which the CPU of `lane` is known to run: from the exit of a decision
/// to the next select.
///
/// Nothing is known before the first decision and after the last, and nothing after a decision that
/// is not counted: its end may be where events were lost.
pub fn busy_spans(lane: &Lane) -> impl Iterator<Item = (Time, Time)> + '_ {
    let followers = lane.entries().iter().skip(1);
    lane.exits()
        .iter()
        .zip(lane.flags())
        .zip(followers)
        .filter(|((_, flags), _)| !flags.has(Flags::UNCOUNTED))
        .map(|((exit, _), entry)| (*exit, (*entry).max(*exit)))
}

/// Accounts for the decisions of `lane` taken within `from` to `to` (the end excluded).
///
/// A decision belongs to the range in which it was taken, with all that follows until the next one.
#[must_use]
pub fn account(lane: &Lane, model: &Model, allowed: StateMask, from: Time, to: Time) -> Account {
    let mut sum = Account::default();
    let mut visit: Option<Visit> = None;
    let first = lane.entries().partition_point(|entry| *entry < from);
    let last = lane.entries().partition_point(|entry| *entry < to);
    for n in first..last {
        let Some(row) = lane.row(n) else { break };
        if row.flags.has(Flags::UNCOUNTED) {
            continue;
        }
        if visit.is_none_or(|visit| visit.period != row.period) {
            sum.ideal += ideal_of(visit, model, allowed);
            visit = Some(Visit {
                period: row.period,
                entry: row.entry,
                wake: row.wake,
            });
        }
        if let Some(visit) = &mut visit {
            visit.wake = row.wake;
        }
        let idle = idle_parts(&row, model);
        sum.parts.add(&idle);
        if let Some(state) = sum.states.get_mut(row.entered.index()) {
            state.add(&idle);
        }
        if !row.flags.has(Flags::REJECTED) {
            sum.regret += regret(&row, model, allowed);
        }
        if let Some(next) = lane.entries().get(n + 1) {
            let busy = next.saturating_since(row.exit).max(Ns::ZERO);
            sum.parts.busy += model.active() * busy;
        }
    }
    sum.ideal += ideal_of(visit, model, allowed);
    sum
}

/// The decisions of one period, as one stay.
#[derive(Clone, Copy)]
struct Visit {
    period: u32,
    entry: Time,
    wake: Time,
}

fn ideal_of(visit: Option<Visit>, model: &Model, allowed: StateMask) -> Energy {
    let Some(visit) = visit else { return Energy::ZERO };
    let d = visit.wake.saturating_since(visit.entry);
    model
        .best(d, allowed)
        .map_or(Energy::ZERO, |best| model.energy(best, d))
}

fn idle_parts(row: &Row, model: &Model) -> Parts {
    let mut ticks = Energy::ZERO;
    if row.flags.has(Flags::GOT_TICK) {
        ticks += model.tick();
    }
    if row.flags.has(Flags::STOPPED_NOW) {
        ticks += model.tick_stop();
    }
    if row.flags.has(Flags::REJECTED) {
        return Parts {
            ticks,
            ..Parts::default()
        };
    }
    Parts {
        stay: model.power(row.entered) * row.wake.saturating_since(row.entry),
        transitions: model.transition(row.entered),
        ticks,
        exit_latency: model.active() * row.exit.saturating_since(row.wake),
        busy: Energy::ZERO,
    }
}

fn regret(row: &Row, model: &Model, allowed: StateMask) -> Energy {
    let d = row.wake.saturating_since(row.entry);
    let spent = model.energy(row.entered, d);
    let least = model
        .best(d, allowed)
        .map_or(spent, |best: StateIdx| model.energy(best, d));
    if spent.as_fj() > least.as_fj() {
        spent - least
    } else {
        Energy::ZERO
    }
}
