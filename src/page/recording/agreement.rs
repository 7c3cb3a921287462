//! How many recorded decisions the rebuilt inputs reproduce, and why not all (spec replay-inputs.md §1, §6).

use super::follow::{Explain, Followed, KeepRule, Path, follow};
use super::hidden::{self, Hidden};
use crate::cpuidle::accounting::{self, Miss};
use crate::cpuidle::{Step, menu};
use crate::trace::event;
use crate::units::{CpuId, Ns, Time};
use crate::workload::replay::{Reading, Select, Share};

/// Selects per CPU after which a governor's memory no longer shows where it started.
pub const WARM_UP: usize = 64;

/// Why a state differs; the first that holds, in this order (spec §6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// Events of this CPU were lost not long before.
    Loss,
    /// The governor's memory at the start of the trace is unknown.
    WarmUp,
    /// More than 200 µs passed between the idle entry and the stamp of the entry.
    Stall,
    /// A target residency, or the tick period, lies within 60 µs of what the governor read.
    NearThreshold,
    /// Its prediction lies within 6 % of one of these.
    NearPrediction,
    /// A keep reason was inferred.
    KeepInferred,
    /// The factor of a far timer is so small that one tick more or less decides.
    SmallFactor,
    /// None of these.
    Other,
}

impl Reason {
    /// Every reason, in the order in which they are tried.
    pub const ALL: [Self; 8] = [
        Self::Loss,
        Self::WarmUp,
        Self::Stall,
        Self::NearThreshold,
        Self::NearPrediction,
        Self::KeepInferred,
        Self::SmallFactor,
        Self::Other,
    ];
}

/// The decisions of one way of following.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decisions {
    /// Selects whose state is the recorded one.
    pub states: Share,
    /// The same, by CPU number.
    pub states_by_cpu: Vec<Share>,
    /// The same after the first [`WARM_UP`] of each CPU.
    pub states_warm: Share,
    /// Stop or retain as recorded, of selects that found the tick running.
    pub ticks: Share,
    /// Selects for which a keep reason was inferred.
    pub kept: usize,
}

/// What the page states about a governor and a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// With inferred keep reasons. These explain any missed stop: where timers are unknown they hide ignorance.
    pub inferred: Decisions,
    /// Without.
    pub strict: Decisions,
    /// With inferred keep reasons and without the hidden hrtimer.
    pub without_hidden: Decisions,
    /// Closed periods whose `cpu_idle_miss`, or absence of one, follows from stamps and table; none of none when the
    /// trace holds no such event.
    pub misses: Share,
    /// The hidden hrtimer.
    pub hidden: Hidden,
    /// For each select of each CPU, whether a keep reason was inferred.
    pub kept_rows: Vec<Vec<bool>>,
    /// How many states differ for which reason, in the order of [`Reason::ALL`], with inferred keep reasons.
    pub reasons: [usize; Reason::ALL.len()],
}

impl Agreement {
    /// What the rows lack without it.
    #[must_use]
    pub fn reading(&self) -> Reading<'_> {
        Reading {
            hidden: self.hidden.due,
            kept_rows: &self.kept_rows,
        }
    }
}

/// Compares a governor with the recorded path. `path.hidden` is fitted here; `end` is the last instant of the trace.
#[must_use]
pub fn agreement(path: &Path, end: Time) -> Agreement {
    let hidden = hidden::fit(path, end);
    let found = Path {
        hidden: hidden.due,
        ..*path
    };
    let mut reasons = [0; Reason::ALL.len()];
    let mut kept_rows: Vec<Vec<bool>> = path
        .rows
        .iter()
        .map(|rows| Vec::with_capacity(rows.len()))
        .collect();
    let inferred = decisions(&found, KeepRule::Inferred, Explain::Differences, |followed| {
        if let Some(kept) = kept_rows.get_mut(followed.cpu.index()) {
            kept.push(followed.kept);
        }
        if followed.state_agrees() {
            return;
        }
        let reason = reason(path, followed);
        let count = Reason::ALL.iter().position(|r| *r == reason);
        if let Some(count) = count.and_then(|n| reasons.get_mut(n)) {
            *count += 1;
        }
    });
    let nowhere = Path {
        hidden: Time::NEVER,
        ..*path
    };
    Agreement {
        inferred,
        strict: decisions(&found, KeepRule::Strict, Explain::Nothing, |_| {}),
        without_hidden: decisions(&nowhere, KeepRule::Inferred, Explain::Nothing, |_| {}),
        misses: misses(path),
        hidden,
        kept_rows,
        reasons,
    }
}

fn decisions<'a>(
    path: &Path<'a>,
    rule: KeepRule,
    explain: Explain,
    mut see: impl FnMut(&Followed<'a>),
) -> Decisions {
    let mut all = Decisions {
        states_by_cpu: vec![Share::default(); path.rows.len()],
        ..Decisions::default()
    };
    follow(path, rule, explain, |followed| {
        let agrees = followed.state_agrees();
        all.states.count(agrees);
        if let Some(share) = all.states_by_cpu.get_mut(followed.cpu.index()) {
            share.count(agrees);
        }
        if followed.row >= WARM_UP {
            all.states_warm.count(agrees);
        }
        if let Some(agrees) = followed.tick_agrees() {
            all.ticks.count(agrees);
        }
        all.kept += usize::from(followed.kept);
        see(followed);
    });
    all
}

/// The verdict of the kernel's rule on a closed period.
#[must_use]
fn miss(path: &Path, cpu: CpuId, select: &Select) -> Option<Miss> {
    let residency = select.residency(path.tuning.residency)?;
    accounting::miss(
        path.machine.table(cpu),
        path.machine.disabled,
        select.state,
        residency,
    )
}

fn misses(path: &Path) -> Share {
    let mut share = Share::default();
    let mut seen = false;
    for (cpu, rows) in (0..=u16::MAX).map(CpuId::new).zip(path.rows) {
        for select in rows.iter().filter(|select| select.exit.is_some()) {
            seen |= select.miss.is_some();
            let recorded = select.miss.map(|miss| match miss {
                event::Miss::Above => Miss::TooDeep,
                event::Miss::Below => Miss::TooShallow,
            });
            share.count(miss(path, cpu, select) == recorded);
        }
    }
    if seen { share } else { Share::default() }
}

fn reason(path: &Path, followed: &Followed) -> Reason {
    let select = followed.select;
    let sleep = followed.inputs.sleep;
    let tick = path.clock.tick;
    let table = path.machine.table(followed.cpu);
    let thresholds = || {
        table
            .indices()
            .map(|idx| table.target_residency(idx))
            .chain([tick])
    };
    let within = |value: Ns, of: Ns, by: i64| value.saturating_sub(of).as_ns().saturating_abs() <= by;
    let near = |value: Ns| thresholds().any(|threshold| within(value, threshold, 60_000));
    if select.uncertain {
        Reason::Loss
    } else if followed.row < WARM_UP {
        Reason::WarmUp
    } else if select.enter.saturating_since(select.now) > Ns::from_us(200) {
        Reason::Stall
    } else if near(sleep.to_event) || near(sleep.to_event_or_tick) {
        Reason::NearThreshold
    } else if predictions(&followed.steps).any(|duration| {
        thresholds().any(|threshold| within(duration, threshold, threshold.as_ns() * 6 / 100))
    }) {
        Reason::NearPrediction
    } else if followed.kept {
        Reason::KeepInferred
    } else if followed.steps.iter().any(small_factor) {
        Reason::SmallFactor
    } else {
        Reason::Other
    }
}

fn predictions(steps: &[Step]) -> impl Iterator<Item = Ns> + '_ {
    steps.iter().filter_map(|step| match step {
        Step::Menu(menu::Step::Predicted { duration, .. }) => Some(*duration),
        _ => None,
    })
}

/// A bucket of 10 ms and more whose factor is below 600/8192.
fn small_factor(step: &Step) -> bool {
    matches!(step, Step::Menu(menu::Step::Bucket { bucket, factor, .. }) if bucket % 6 >= 4 && *factor < 600)
}
