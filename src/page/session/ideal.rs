//! What a governor that knows the future would have entered: the reference lane of generated workloads.
//!
//! Invariants: the idle stretches are those of the variant that leads, with the periods that retained ticks cut
//! them into joined; the state of each is the one that the ideal account of energy charges.

use super::run::{Drawn, Models};
use crate::sim::{Flags, Lane, Record, Row};
use crate::units::{CpuId, Ns};

/// The lane, ready to be drawn.
#[derive(Debug)]
pub(super) struct Ideal {
    pub(super) record: Record,
    pub(super) drawn: Drawn,
}

impl Ideal {
    /// Of the variant whose record and costs these are.
    pub(super) fn of(record: &Record, models: &Models) -> Self {
        let lanes = (0..).map(CpuId::new).zip(&record.lanes);
        let lanes = lanes.map(|(cpu, lane)| of_lane(lane, models, cpu)).collect();
        let record = Record {
            start: record.start,
            end: record.end,
            lanes,
            frequency: record.frequency.clone(),
        };
        Self {
            drawn: Drawn::new(&record),
            record,
        }
    }
}

fn of_lane(lane: &Lane, models: &Models, cpu: CpuId) -> Lane {
    let mut ideal = Lane::default();
    let Some(costs) = models.costs(cpu) else {
        return ideal;
    };
    let rows: Vec<Row> = lane.rows().collect();
    for period in rows.chunk_by(|one, other| one.period == other.period) {
        let (Some(first), Some(last)) = (period.first(), period.last()) else {
            continue;
        };
        let stretch = last.wake.saturating_since(first.entry);
        let Some(state) = costs.model.best(stretch, costs.allowed) else {
            continue;
        };
        ideal.push(Row {
            entry: first.entry,
            wake: last.wake,
            exit: last.exit,
            sleep_length: Ns::MAX,
            period: first.period,
            selected: state,
            entered: state,
            cause: last.cause,
            flags: Flags::NONE.and_if(last.flags.has(Flags::UNCOUNTED), Flags::UNCOUNTED),
        });
    }
    ideal
}
