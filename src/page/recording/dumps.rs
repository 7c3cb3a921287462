//! A governor's own numbers against those of one that follows the recorded path.
//!
//! ```text
//!   exit      reflect prints        select prints      enter
//!    ==|-----------|----------------------|-------------|=====
//!        memory before learning    memory after learning
//! ```
//!
//! A dump belongs to the first entry of its CPU at or after its stamp. What a kernel printed at the
//! beginning of a trace comes from a memory that we do not have: numbers agree once that has faded,
//! hence the second share.

use std::collections::BTreeMap;

use super::agreement::WARM_UP;
use super::follow::{Explain, KeepRule, Path, follow_minds};
use crate::cpuidle::{self, Choice, Snapshot, teo};
use crate::trace::dump::{Dump, Dumps, Family, Key, Moment, Value};
use crate::units::{CpuId, Time};
use crate::workload::replay::{Select, Share};

/// One number that is not ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Differing {
    /// The CPU.
    pub cpu: CpuId,
    /// When it was printed, on the trace's clock.
    pub time: Time,
    /// The line, from 1.
    pub line: u64,
    /// What was printed.
    pub dumped: Value,
    /// What the follower remembers there.
    pub ours: u32,
    /// Among the first [`WARM_UP`] selects of its CPU.
    pub in_warm_up: bool,
}

/// All numbers of a trace against one governor's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// Whose are compared with the printed ones.
    pub governor: Choice,
    /// Numbers that are equal.
    pub all: Share,
    /// The same after the first [`WARM_UP`] selects of each CPU.
    pub warm: Share,
    /// The same by key, those that occur.
    pub by_key: BTreeMap<Key, Share>,
    /// The first that is not.
    pub first: Option<Differing>,
    /// The first after the warm-up that is not.
    pub first_warm: Option<Differing>,
    /// Numbers that this governor does not remember, by key.
    pub not_remembered: BTreeMap<Key, usize>,
    /// Lines of another family.
    pub of_others: usize,
    /// Lines that belong to no select: no entry follows, or they were printed during a stay.
    pub unplaced: usize,
}

/// The family to which a governor must belong to be compared; none without dumps. Where both
/// printed, that of the most lines.
#[must_use]
pub fn family(dumps: &Dumps) -> Option<Family> {
    let teo = dumps.list().iter().filter(|dump| dump.family == Family::Teo);
    let (teo, all) = (teo.count(), dumps.list().len());
    match (teo, all) {
        (_, 0) => None,
        (teo, all) if teo * 2 >= all => Some(Family::Teo),
        _ => Some(Family::Menu),
    }
}

/// Whether a governor remembers numbers of this family.
#[must_use]
pub fn is_of(governor: Choice, family: Family) -> bool {
    match governor.family() {
        cpuidle::catalog::Family::Teo => family == Family::Teo,
        cpuidle::catalog::Family::Menu => family == Family::Menu,
        _ => false,
    }
}

/// Follows the path and compares every number; keep reasons are inferred.
#[must_use]
pub fn compare(path: &Path, dumps: &Dumps) -> Compared {
    let mut found = Compared {
        governor: path.governor,
        all: Share::default(),
        warm: Share::default(),
        by_key: BTreeMap::new(),
        first: None,
        first_warm: None,
        not_remembered: BTreeMap::new(),
        of_others: 0,
        unplaced: 0,
    };
    let mut waiting: Vec<Vec<&Dump>> = vec![Vec::new(); path.rows.len()];
    for dump in dumps.list() {
        if !is_of(path.governor, dump.family) {
            found.of_others += 1;
        } else if let Some(of_cpu) = waiting.get_mut(dump.cpu.index()) {
            of_cpu.push(dump);
        } else {
            found.unplaced += 1;
        }
    }
    let mut next = vec![0; waiting.len()];
    follow_minds(path, KeepRule::Inferred, Explain::Nothing, |followed, minds| {
        let cpu = followed.cpu.index();
        let (Some(of_cpu), Some(next)) = (waiting.get(cpu), next.get_mut(cpu)) else {
            return;
        };
        let before = followed.row.checked_sub(1);
        let before = before.and_then(|row| path.rows.get(cpu)?.get(row));
        while let Some(dump) = of_cpu
            .get(*next)
            .filter(|dump| dump.time <= followed.select.enter)
        {
            *next += 1;
            if before.is_some_and(|before| is_asleep(before, dump.time)) {
                found.unplaced += 1;
                continue;
            }
            let mind = match dump.moment {
                Moment::Select => minds.after.snapshot(),
                Moment::Reflect => minds.before.snapshot(),
            };
            found.take(dump, dumps.values(dump), &mind, followed.row < WARM_UP);
        }
    });
    let left = waiting
        .iter()
        .zip(&next)
        .map(|(of_cpu, next)| of_cpu.len() - next);
    found.unplaced += left.sum::<usize>();
    found
}

/// Strictly within a stay whose end is known.
fn is_asleep(select: &Select, at: Time) -> bool {
    select.enter < at && select.exit.is_some_and(|exit| at < exit)
}

impl Compared {
    fn take(&mut self, dump: &Dump, values: &[Value], mind: &Snapshot, in_warm_up: bool) {
        for value in values {
            let Some(ours) = ours(mind, value) else {
                *self.not_remembered.entry(value.key).or_default() += 1;
                continue;
            };
            let equal = ours == value.number;
            self.all.count(equal);
            self.by_key.entry(value.key).or_default().count(equal);
            if !in_warm_up {
                self.warm.count(equal);
            }
            if equal {
                continue;
            }
            let differing = Differing {
                cpu: dump.cpu,
                time: dump.time,
                line: dump.line,
                dumped: *value,
                ours,
                in_warm_up,
            };
            keep_earlier(&mut self.first, differing);
            if !in_warm_up {
                keep_earlier(&mut self.first_warm, differing);
            }
        }
    }
}

/// CPUs come one after the other; of equal instants the first line counts.
fn keep_earlier(first: &mut Option<Differing>, other: Differing) {
    let place = |one: &Differing| (one.time, one.line);
    if first.as_ref().is_none_or(|first| place(&other) < place(first)) {
        *first = Some(other);
    }
}

/// The number that a governor remembers under a key; none when it remembers no such thing.
fn ours(mind: &Snapshot, value: &Value) -> Option<u32> {
    let at = usize::from(value.at);
    match mind {
        Snapshot::Teo(teo::Snapshot::Bins(bins)) => match value.key {
            Key::Hits => bins.hits.get(at).copied(),
            Key::Intercepts => bins.intercepts.get(at).copied(),
            Key::Recent => bins.recent?.counts.get(at).copied(),
            Key::Total => Some(bins.total),
            Key::TickHits => bins.tick_hits,
            Key::TickIntercepts => Some(bins.short?.tick_intercepts),
            Key::TickWakeups => bins.short?.tick_wakeups,
            Key::ShortIdles => Some(bins.short?.short_idles),
            Key::Misses | Key::EarlyHits | Key::Bucket | Key::Factor | Key::Factors | Key::Intervals => None,
        },
        Snapshot::Teo(teo::Snapshot::EarlyHits(early)) => match value.key {
            Key::Hits => early.hits.get(at).copied(),
            Key::Misses => early.misses.get(at).copied(),
            Key::EarlyHits => early.early_hits.get(at).copied(),
            Key::Intervals => early.intervals.get(at).map(|us| us.as_us()),
            _ => None,
        },
        Snapshot::Menu(menu) => match value.key {
            Key::Bucket => Some(u32::from(menu.bucket)),
            Key::Factor => menu.factors.get(usize::from(menu.bucket)).copied(),
            Key::Factors => {
                let used = menu.factors.get(..usize::from(menu.buckets))?;
                used.get(at).copied()
            }
            Key::Intervals => menu.intervals.as_slice().get(at).map(|us| us.as_us()),
            _ => None,
        },
        Snapshot::Ladder(_)
        | Snapshot::Haltpoll(_)
        | Snapshot::Mobile(_)
        | Snapshot::LastValue(_)
        | Snapshot::Nothing => None,
    }
}
