//! Energy of one lane, by part and by state.
//!
//! ```text
//!   entry                     wake       exit            next entry
//!     |-------- stay -----------|-- exit --|===== busy =====|
//!     e_i once per entry        active     active
//!     + one handler for each period that the tick ended, one stop and restart for each stopped tick
//! ```

use super::Model;
use super::cheapest::Cheapest;
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
    let mut sums = Sums::new(model, allowed);
    let mut visit: Option<Visit> = None;
    let first = lane.entries().partition_point(|entry| *entry < from);
    let last = lane.entries().partition_point(|entry| *entry < to);
    for n in first..last {
        let Some(row) = lane.row(n) else { break };
        if row.flags.has(Flags::UNCOUNTED) {
            continue;
        }
        match &mut visit {
            Some(visit) if visit.period == row.period => visit.wake = row.wake,
            _ => {
                sums.close(visit);
                visit = Some(Visit {
                    period: row.period,
                    entry: row.entry,
                    wake: row.wake,
                });
            }
        }
        sums.add(&row);
        if let Some(next) = lane.entries().get(n + 1) {
            sums.busy += next.saturating_since(row.exit).max(Ns::ZERO);
        }
    }
    sums.close(visit);
    sums.priced()
}

/// The decisions of one period, as one stay.
#[derive(Clone, Copy)]
struct Visit {
    period: u32,
    entry: Time,
    wake: Time,
}

/// Stays in one state.
#[derive(Clone, Copy, Default)]
struct Stays {
    count: i64,
    time: Ns,
}

impl Stays {
    fn add(&mut self, d: Ns) {
        self.count += 1;
        self.time += d;
    }
}

/// What happened in one state.
#[derive(Clone, Copy, Default)]
struct InState {
    stays: Stays,
    exits: Ns,
    ticks: i64,
    tick_stops: i64,
}

/// Lengths and counts: energy is linear in them, so it is multiplied out once and not for each row.
struct Sums<'a> {
    model: &'a Model,
    allowed: StateMask,
    cheapest: Cheapest,
    states: [InState; MAX_STATES],
    /// The stays in allowed states, had each been in the cheapest.
    least: [Stays; MAX_STATES],
    /// Whole periods in the cheapest.
    ideal: [Stays; MAX_STATES],
    /// Regret of stays in states that are not allowed, which may take less than any that is.
    elsewhere: Energy,
    busy: Ns,
}

impl<'a> Sums<'a> {
    fn new(model: &'a Model, allowed: StateMask) -> Self {
        Self {
            model,
            allowed,
            cheapest: Cheapest::of(model, allowed),
            states: [InState::default(); MAX_STATES],
            least: [Stays::default(); MAX_STATES],
            ideal: [Stays::default(); MAX_STATES],
            elsewhere: Energy::ZERO,
            busy: Ns::ZERO,
        }
    }

    fn add(&mut self, row: &Row) {
        let Some(state) = self.states.get_mut(row.entered.index()) else {
            return;
        };
        state.ticks += i64::from(row.flags.has(Flags::GOT_TICK));
        state.tick_stops += i64::from(row.flags.has(Flags::STOPPED_NOW));
        if row.flags.has(Flags::REJECTED) {
            return;
        }
        let d = row.wake.saturating_since(row.entry);
        state.stays.add(d);
        state.exits += row.exit.saturating_since(row.wake);
        let Some(best) = self.cheapest.at(d) else { return };
        if !self.allowed.contains(row.entered) {
            let beyond = self.model.energy(row.entered, d) - self.model.energy(best, d);
            self.elsewhere += beyond.max(Energy::ZERO);
        } else if let Some(least) = self.least.get_mut(best.index()) {
            least.add(d);
        }
    }

    fn close(&mut self, visit: Option<Visit>) {
        let Some(visit) = visit else { return };
        let d = visit.wake.saturating_since(visit.entry);
        if let Some(ideal) = self
            .cheapest
            .at(d)
            .and_then(|best| self.ideal.get_mut(best.index()))
        {
            ideal.add(d);
        }
    }

    fn priced(&self) -> Account {
        let model = self.model;
        let of = |(idx, stays): (StateIdx, &Stays)| {
            model.transition(idx) * stays.count + model.power(idx) * stays.time
        };
        let all = |stays: &[Stays]| -> Energy { indices().zip(stays).map(of).sum() };
        let mut account = Account {
            regret: self.elsewhere - all(&self.least),
            ideal: all(&self.ideal),
            ..Account::default()
        };
        for (idx, (used, parts)) in indices().zip(self.states.iter().zip(&mut account.states)) {
            *parts = Parts {
                stay: model.power(idx) * used.stays.time,
                transitions: model.transition(idx) * used.stays.count,
                ticks: model.tick() * used.ticks + model.tick_stop() * used.tick_stops,
                exit_latency: model.active() * used.exits,
                busy: Energy::ZERO,
            };
            account.parts.add(parts);
            if self.allowed.contains(idx) {
                account.regret += of((idx, &used.stays));
            }
        }
        account.parts.busy = model.active() * self.busy;
        account
    }
}

fn indices() -> impl Iterator<Item = StateIdx> {
    (0u8..).map(StateIdx::new).take(MAX_STATES)
}
