//! One variant on the loaded workload: its run, its costs, and what the timeline draws of it.

use std::cell::OnceCell;

use super::lane_view::LaneView;
use super::plan::{Plan, VariantPlan};
use super::rig::{Rig, RigCpu};
use crate::analysis::pyramid::Pyramid;
use crate::analysis::summary::{self, Costs, Summary};
use crate::cpuidle::StateMask;
use crate::energy::{self, Model};
use crate::sim::{CpuSetup, Driver, NO_LATENCY_LIMIT, Record, Setup, StateCosts};
use crate::tick;
use crate::units::{CpuId, Ns, Time};

/// The setup of the engine for one variant over `span`; `tick` is that of the workload, from which the
/// variant takes all but rate, stopping and rate limit. A governor of a kernel that decides about the tick before
/// asking it brings the tick and the polling of such a kernel along.
#[must_use]
pub fn setup(plan: &Plan, rig: &Rig, variant: &VariantPlan, tick: tick::Config, span: (Time, Time)) -> Setup {
    // Nobody else reads them: another power is no reason to run anybody else again.
    let reads_costs = variant.governor.reads_energy();
    let costs = |cpu: &RigCpu| {
        if !reads_costs {
            return StateCosts::default();
        }
        let model = Model::new(&cpu.table, &cpu.assumptions);
        let states = cpu.table.indices();
        StateCosts::new(states.map(|idx| (model.transition(idx), model.power(idx))))
    };
    let cpus = rig.cpus.iter().map(|cpu| CpuSetup {
        table: cpu.table.clone(),
        disabled: cpu.disabled,
        capacity: cpu.capacity,
        costs: costs(cpu),
    });
    let rules = if variant.governor.is_asked_after_the_tick() {
        tick::catalog::before_governor()
    } else {
        tick.rules
    };
    Setup {
        cpus: cpus.collect(),
        governor: variant.governor,
        tick: tick::Config {
            hz: variant.hz,
            nohz: variant.nohz,
            rate_limit: variant.rate_limit,
            rules,
            phase: Ns::new(tick.phase.as_ns().rem_euclid(variant.hz.period().as_ns())),
            ..tick
        },
        poll_limit: variant.governor.poll_limit(),
        latency_req: variant.latency.unwrap_or(NO_LATENCY_LIMIT),
        exit_latency_percent: plan.exit_percent,
        machine: plan.model.clone(),
        driver: Driver::Present,
        start: span.0,
        end: span.1,
    }
}

/// What energy costs on each CPU, and which states the ideal governor may choose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Models(Vec<(Model, StateMask)>);

impl Models {
    /// Of every CPU of a machine, under the latency limit of a variant.
    #[must_use]
    pub fn new(rig: &Rig, variant: Option<&VariantPlan>) -> Self {
        let limit = variant.and_then(|variant| variant.latency);
        let cpu = rig.cpus.iter().map(|cpu| {
            let model = Model::new(&cpu.table, &cpu.assumptions);
            (model, energy::allowed(&cpu.table, cpu.disabled, limit))
        });
        Self(cpu.collect())
    }

    /// The costs of one CPU.
    #[must_use]
    pub fn costs(&self, cpu: CpuId) -> Option<Costs<'_>> {
        let (model, allowed) = self.0.get(cpu.index())?;
        Some(Costs {
            model,
            allowed: *allowed,
        })
    }
}

/// A record with the pyramids of its lanes, built when they are first looked at.
#[derive(Debug)]
pub struct Drawn {
    pyramids: Vec<OnceCell<Pyramid>>,
}

impl Drawn {
    /// Of a record; nothing is built yet.
    #[must_use]
    pub fn new(record: &Record) -> Self {
        Self {
            pyramids: record.lanes.iter().map(|_| OnceCell::new()).collect(),
        }
    }

    /// The pyramid of one CPU's lane in `record`, which is the one this was made for.
    #[must_use]
    pub fn pyramid(&self, record: &Record, cpu: CpuId) -> Option<&Pyramid> {
        let (cell, lane) = (self.pyramids.get(cpu.index())?, record.lane(cpu)?);
        Some(cell.get_or_init(|| Pyramid::new(lane, record.start, record.end)))
    }

    /// One lane over `from` to `to`, counted from the start of the record; see [`LaneView::new`].
    #[must_use]
    pub fn view(
        &self,
        record: &Record,
        cpu: CpuId,
        window: (Time, Time),
        columns: usize,
        most_rows: usize,
    ) -> Option<LaneView> {
        let pyramid = self.pyramid(record, cpu)?;
        Some(LaneView::new(
            record,
            record.lane(cpu)?,
            pyramid,
            window,
            columns,
            most_rows,
        ))
    }
}

/// Summary of one CPU, or of all, over a range counted from the start of the record.
#[must_use]
pub fn summarise(
    record: &Record,
    models: &Models,
    cpu: Option<CpuId>,
    range: Option<(Time, Time)>,
) -> Summary {
    let since = record.start.saturating_since(Time::ZERO);
    let (from, to) = match range {
        Some((from, to)) => (from.saturating_add(since), to.saturating_add(since)),
        None => (Time::from_ns(i64::MIN), Time::NEVER),
    };
    match cpu {
        Some(cpu) => record
            .lane(cpu)
            .map(|lane| summary::of_lane(lane, models.costs(cpu), from, to))
            .unwrap_or_default(),
        None => summary::of_record(record, |cpu| models.costs(cpu), from, to),
    }
}
