//! Published measurements beside what the closed-loop model gives: the touchstones (spec seed-experiments.md §1.8,
//! §2.7, §3.7, with the model of closed-loop-model.md), and measurements of one CPU (published-results.md).
//!
//! Invariants: one set of parameters for each machine; no constant here is fitted to one row of a table; what is not
//! met is said, with the reason. All of it is a pure function of the seed.

mod busy;
mod devices;
mod exchange;
mod idle_desk;
mod not_modelled;
mod one_cpu;
mod phone;
mod table;
mod trial;
mod typical;

pub use busy::busy_server;
pub use devices::devices;
pub use exchange::{haswell, sandy_bridge};
pub use idle_desk::{comet_lake, deepest_off, ladder_idle};
pub use not_modelled::NOT_MODELLED;
pub use one_cpu::{power10, power10_2024, steady_timers, stuck_in_wfi};
pub use phone::{phone, staircase};
pub use table::{Experiment, committed, lines, results};
pub use trial::{InState, Outcome, Trial};
pub use typical::typical_intervals;

use crate::cpuidle::{Choice, StateMask, StateTable};
use crate::page::machines::Machine;
use crate::units::CpuId;

/// One criterion, judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Its number in seed-experiments.md, such as `2.7 B`.
    pub id: &'static str,
    /// What is compared.
    pub what: String,
    /// What was published; empty where nothing was.
    pub published: String,
    /// What came out here.
    pub ours: f64,
    /// The range that meets the criterion.
    pub range: (f64, f64),
    /// The question as a link's text, for seeing it happen; two with a blank between where one link cannot hold both
    /// that are compared.
    pub link: String,
    /// Why it is not met, where it is not; else empty.
    pub reason: String,
}

impl Finding {
    /// Whether it is met.
    #[must_use]
    pub fn is_met(&self) -> bool {
        (self.range.0..=self.range.1).contains(&self.ours)
    }

    /// Ours, what was published being 1; none where no number was published, or nothing.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        let published: f64 = self.published.parse().ok()?;
        (published != 0.0).then(|| self.ours / published)
    }
}

/// Findings as they are made.
#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn add(
        &mut self,
        id: &'static str,
        (what, link): (&str, &str),
        (published, ours): (&str, f64),
        range: (f64, f64),
    ) {
        self.0.push(Finding {
            id,
            what: what.to_owned(),
            published: published.to_owned(),
            ours,
            range,
            link: link.to_owned(),
            reason: String::new(),
        });
    }

    /// Why these cannot be met by this model: what is compared, and the reason.
    fn because(&mut self, reasons: &[(&str, &str)]) {
        for (what, reason) in reasons {
            for found in self.0.iter_mut().filter(|found| found.what == *what) {
                (*reason).clone_into(&mut found.reason);
            }
        }
    }
}

/// A governor of the catalogue; none of that name, none here.
fn governor(name: &str) -> Option<Choice> {
    name.parse().ok()
}

/// The table of a preset; none if there is no such preset.
fn table(machine: &str) -> Option<StateTable> {
    Some(Machine::find(machine)?.cluster(CpuId::new(0))?.table.clone())
}

/// The same table for so many CPUs, nothing switched off, at full capacity.
fn cpus(machine: &str, count: usize, disabled: StateMask) -> Option<Vec<(StateTable, StateMask, u64)>> {
    let table = table(machine)?;
    Some(vec![(table, disabled, 1_024); count])
}

#[allow(clippy::cast_precision_loss, reason = "for showing: 53 bits are enough")]
fn ratio(of: u64, to: u64) -> f64 {
    of as f64 / (to as f64).max(f64::MIN_POSITIVE)
}

#[allow(clippy::cast_precision_loss, reason = "for showing: 53 bits are enough")]
fn seconds(time: crate::units::Ns) -> f64 {
    time.as_ns() as f64 / 1e9
}
