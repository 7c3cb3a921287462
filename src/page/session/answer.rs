//! Answers from the last finished question.

use serde_json::{Map, Value, json};

use super::json;
use super::lane_view::LaneView;
use super::run::summarise;
use super::{Results, Session, Summarised};
use crate::analysis::diff::{self, Counts, Depth, Difference, Differs};
use crate::analysis::seek::{self, Found, Mark};
use crate::analysis::summary::Summary;
use crate::energy::{self, Account};
use crate::page::doc::Side;
use crate::page::view::LaneId;
use crate::sim::{ExplainError, Explained, Lane, Record, Row};
use crate::units::{CpuId, Ns, StateIdx, Time};

/// Stretches in which the clock over time is told.
const CLOCK_STRETCHES: u32 = 256;

/// One lane's decision about an idle period.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneDecision {
    /// Whose.
    pub lane: LaneId,
    /// Which decision of the lane, from 0.
    pub n: u32,
    /// The decision, on the record's own clock.
    pub row: Row,
    /// How long the idle time that begins here lasted, the periods that retained ticks cut it into together.
    pub stretch: Ns,
    /// The cheapest allowed state for all of that; none without a known machine.
    pub ideal: Option<StateIdx>,
    /// What this decision cost, and what the ideal one would have; none without a known machine.
    pub energy: Option<Account>,
    /// Its steps; none for the recording, whose kernel told none.
    pub steps: Option<Result<Box<Explained>, ExplainError>>,
    /// The decisions after it that belong to the same idle period: what a retained tick leads to.
    pub followers: Vec<u32>,
}

/// One decision with what the other lanes decided about the same idle period and lap.
#[derive(Clone, Debug, PartialEq)]
pub struct DecisionAnswer {
    /// The CPU.
    pub cpu: CpuId,
    /// Recorded, A, B, as far as they have such a decision.
    pub lanes: Vec<LaneDecision>,
    /// In what A and B differ, if both decided and they do.
    pub differs: Option<Differs>,
    /// Differences of the whole record that come before it, and all of them; when both ran.
    pub place: Option<(usize, usize)>,
}

impl DecisionAnswer {
    /// The decision of one lane.
    #[must_use]
    pub fn lane(&self, lane: LaneId) -> Option<&LaneDecision> {
        self.lanes.iter().find(|decision| decision.lane == lane)
    }
}

impl Session {
    /// What one lane did, on one CPU or on all, in the whole record or within a range of it.
    #[must_use]
    pub fn summary(&self, lane: LaneId, cpu: Option<CpuId>, range: Option<(Time, Time)>) -> Option<Summary> {
        let (record, _, models) = self.lane_parts(lane)?;
        if cpu.is_some() {
            return Some(summarise(record, models, cpu, range));
        }
        let mut kept = self.results.as_ref()?.summaries.borrow_mut();
        if let Some(same) = kept.iter().find(|own| (own.lane, own.range) == (lane, range)) {
            return Some(same.summary.clone());
        }
        let summary = summarise(record, models, None, range);
        // Ranges follow the hand: what is asked more than once is asked of the newest.
        kept.retain(|own| own.range.is_none() || own.range == range);
        kept.push(Summarised {
            lane,
            range,
            summary: summary.clone(),
        });
        Some(summary)
    }

    /// One lane over a stretch of time: its decisions if there are at most `most_rows`, else columns of at
    /// most a `columns`-th of it.
    #[must_use]
    pub fn view(
        &self,
        lane: LaneId,
        cpu: CpuId,
        window: (Time, Time),
        columns: usize,
        most_rows: usize,
    ) -> Option<LaneView> {
        let (record, drawn, _) = self.lane_parts(lane)?;
        drawn.view(record, cpu, window, columns, most_rows)
    }

    /// How many decisions of a lane were taken within a stretch counted from the start of the record.
    #[must_use]
    pub fn decisions_in(&self, lane: LaneId, cpu: CpuId, (from, to): (Time, Time)) -> usize {
        let rows = self.record(lane).and_then(|record| record.lane(cpu));
        let (Some(rows), Some(from), Some(to)) = (rows, self.absolute(from), self.absolute(to)) else {
            return 0;
        };
        let before = |t: Time| rows.entries().partition_point(|entry| *entry < t);
        before(to).saturating_sub(before(from))
    }

    /// Differences of A and B per column, and the busy share of each column (0 to 1, all CPUs together, of
    /// the first lane there is), over the whole record.
    #[must_use]
    pub fn overview(&self, columns: usize) -> (Vec<f32>, Vec<u32>) {
        let differs = match (&self.results, self.span()) {
            (Some(Results { diff: Some(diff), .. }), Some((start, end))) => diff.density(start, end, columns),
            _ => vec![0; columns],
        };
        let mut busy = vec![0.0; columns];
        let lane = LaneId::ALL.into_iter().find_map(|lane| self.lane_parts(lane));
        if let Some((record, drawn, _)) = lane {
            let cpus = self.cpus();
            for cpu in &cpus {
                add_busy(&mut busy, record, drawn.pyramid(record, *cpu), record.lane(*cpu));
            }
            let share = 1.0 / cpus.len().max(1) as f32;
            busy.iter_mut().for_each(|sum| *sum *= share);
        }
        (busy, differs)
    }

    /// How much A and B have in common; none unless both ran.
    #[must_use]
    pub fn differences(&self) -> Option<Counts> {
        Some(self.results.as_ref()?.diff.as_ref()?.counts())
    }

    /// The same within a range counted from the start of the record.
    #[must_use]
    pub fn differences_in(&self, range: Option<(Time, Time)>) -> Option<Counts> {
        let diff = self.results.as_ref()?.diff.as_ref()?;
        Some(match range {
            Some((from, to)) => diff.counts_within(self.absolute(from)?, self.absolute(to)?),
            None => diff.counts(),
        })
    }

    /// The next difference after, or the last before, a place on the timeline.
    #[must_use]
    pub fn seek_difference(&self, forward: bool, cpu: CpuId, at: Time) -> Option<Difference> {
        let diff = self.results.as_ref()?.diff.as_ref()?;
        let at = self.absolute(at)?;
        let found = if forward {
            diff.next(at, cpu)
        } else {
            diff.previous(at, cpu)
        }?;
        Some(Difference {
            entry: self.relative(found.entry)?,
            ..found
        })
    }

    /// The same for decisions in which B asked for a deeper or a shallower state than A.
    #[must_use]
    pub fn seek_depth(&self, depth: Depth, forward: bool, cpu: CpuId, at: Time) -> Option<Difference> {
        let diff = self.results.as_ref()?.diff.as_ref()?;
        let found = diff.seek_depth(depth, forward, self.absolute(at)?, cpu)?;
        Some(Difference {
            entry: self.relative(found.entry)?,
            ..found
        })
    }

    /// The first difference of the whole record, or within a range counted from its start.
    #[must_use]
    pub fn first_difference(&self, range: Option<(Time, Time)>) -> Option<Difference> {
        let diff = self.results.as_ref()?.diff.as_ref()?;
        let found = match range {
            Some((from, to)) => diff.first_within(self.absolute(from)?, self.absolute(to)?),
            None => diff.first(),
        }?;
        Some(Difference {
            entry: self.relative(found.entry)?,
            ..found
        })
    }

    /// The next decision of a kind after, or the last before, a place on the timeline; with `only`, on
    /// that CPU alone.
    #[must_use]
    pub fn seek(
        &self,
        lane: LaneId,
        mark: Mark,
        forward: bool,
        (at, cpu): (Time, CpuId),
        only: Option<CpuId>,
    ) -> Option<Found> {
        let record = self.record(lane)?;
        let at = self.absolute(at)?;
        let find = if forward { seek::next } else { seek::previous };
        let found = find(record, mark, at, cpu, only)?;
        Some(Found {
            entry: self.relative(found.entry)?,
            ..found
        })
    }

    /// The last decision of a lane that began at or before `at`.
    #[must_use]
    pub fn at(&self, lane: LaneId, cpu: CpuId, at: Time) -> Option<Found> {
        let at = self.absolute(at)?;
        let lane = self.record(lane)?.lane(cpu)?;
        let n = lane.at(at)?;
        let entry = self.relative(*lane.entries().get(n)?)?;
        Some(Found {
            cpu,
            n: u32::try_from(n).ok()?,
            entry,
        })
    }

    /// Everything about decision `n` (from 0) of a lane, and what the other lanes decided there.
    #[must_use]
    pub fn decision(&self, lane: LaneId, cpu: CpuId, n: u32) -> Option<DecisionAnswer> {
        let own = self.record(lane)?.lane(cpu)?;
        let n = usize::try_from(n).ok()?;
        own.row(n)?;
        let lanes: Vec<LaneDecision> = LaneId::ALL
            .into_iter()
            .filter_map(|other| {
                let there = self.record(other)?.lane(cpu)?;
                let place = if other == lane {
                    n
                } else {
                    diff::partner(own, n, there)?
                };
                self.lane_decision(other, cpu, place)
            })
            .collect();
        let row = |lane| {
            lanes
                .iter()
                .find(|found| found.lane == lane)
                .map(|found| found.row)
        };
        let differs = match (row(LaneId::A), row(LaneId::B)) {
            (Some(a), Some(b)) => diff::differs(&a, &b),
            _ => None,
        };
        let diff = self.results.as_ref()?.diff.as_ref();
        let place = diff
            .zip(row(LaneId::A))
            .map(|(diff, row)| (diff.ordinal(row.entry, cpu), diff.counts().differences as usize));
        Some(DecisionAnswer {
            cpu,
            lanes,
            differs,
            place,
        })
    }

    fn lane_decision(&self, lane: LaneId, cpu: CpuId, n: usize) -> Option<LaneDecision> {
        let results = self.results.as_ref()?;
        let (record, _, models) = self.lane_parts(lane)?;
        let rows = record.lane(cpu)?;
        let row = rows.row(n)?;
        let costs = models.costs(cpu);
        let steps = lane
            .side()
            .and_then(|side| results.side(side))
            .map(|side| side.finished.run.explain(cpu, n).map(Box::new));
        let mut single = Lane::default();
        single.push(row);
        let after = (n + 1..rows.len()).take_while(|m| rows.periods().get(*m) == Some(&row.period));
        let last = after.clone().last().and_then(|m| rows.row(m)).unwrap_or(row);
        let stretch = last.wake.saturating_since(row.entry);
        Some(LaneDecision {
            lane,
            n: u32::try_from(n).ok()?,
            row,
            stretch,
            ideal: costs.and_then(|costs| costs.model.best(stretch, costs.allowed)),
            energy: costs.map(|costs| {
                energy::account(
                    &single,
                    costs.model,
                    costs.allowed,
                    row.entry,
                    row.entry.saturating_add(Ns::new(1)),
                )
            }),
            steps,
            followers: after.filter_map(|m| u32::try_from(m).ok()).collect(),
        })
    }

    /// An instant counted from the start of the record, on the record's own clock; none without a record.
    #[must_use]
    pub fn absolute(&self, t: Time) -> Option<Time> {
        let (start, _) = self.span()?;
        Some(t.saturating_add(start.saturating_since(Time::ZERO)))
    }

    pub(super) fn relative(&self, t: Time) -> Option<Time> {
        let (start, _) = self.span()?;
        Some(Time::ZERO.saturating_add(t.saturating_since(start)))
    }

    /// Everything that the page shows for the last finished question, as one object.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "import": self.traced().map(import_json),
            "recorded": self.recorded_json(),
            "a": self.side_json(Side::A),
            "b": self.side_json(Side::B),
            "differences": self.differences().map(|counts| json!({
                "compared": counts.compared,
                "differences": counts.differences,
                "other_state": counts.states,
                "other_tick": counts.ticks,
                "without_partner": counts.unmatched,
            })),
            "machine": self.plan().and_then(|(plan, _)| plan.rig.as_ref()).map(|rig| json!({
                "id": rig.id,
                "name": rig.name,
            })),
            "costs": self.plan().and_then(|(plan, _)| plan.model.as_ref()).map(json::costs),
            "seed": self.source.seed(),
            "issues": self.plan().map(|(_, issues)| {
                issues.iter().map(ToString::to_string).collect::<Vec<_>>()
            }),
        })
    }

    fn recorded_json(&self) -> Option<Value> {
        let traced = self.traced()?;
        let idle = &traced.idle;
        let of = |cpu| self.summary(LaneId::Recorded, cpu, None);
        let mut map = json::recorded_whole(idle, of(None).as_ref());
        let cpus: Map<String, Value> = idle
            .cpus
            .iter()
            .map(|(cpu, own)| {
                let cpu_json = json::recorded_cpu(idle, *cpu, own, of(Some(*cpu)).as_ref());
                (cpu.number().to_string(), cpu_json)
            })
            .collect();
        map.insert("cpus".to_owned(), Value::Object(cpus));
        let agreement = self
            .rebuilt()
            .and_then(|rebuilt| rebuilt.agreement.as_ref())
            .zip(traced.governor);
        let agreement = agreement.map(|(found, governor)| json::agreement(governor, found));
        map.insert("agreement".to_owned(), json!(agreement));
        let checks = self.cross_checks();
        map.insert(
            "cross_checks".to_owned(),
            json!(checks.as_ref().map(json::cross_checks)),
        );
        map.insert(
            "own_numbers".to_owned(),
            json!(self.own_numbers().map(json::own_numbers)),
        );
        Some(Value::Object(map))
    }

    fn side_json(&self, side: Side) -> Option<Value> {
        let lane = LaneId::of(side);
        let record = self.record(lane)?;
        let mut map = json::summary(&self.summary(lane, None, None)?);
        let (plan, _) = self.plan()?;
        let governor = plan.variant(side)?.governor;
        map.insert("governor".to_owned(), json!(governor.to_string()));
        let agreement = self.traced().zip(plan.rig.as_ref());
        let agreement = agreement.and_then(|(traced, rig)| traced.agreement(rig, governor));
        map.insert(
            "agreement".to_owned(),
            json!(agreement.map(|found| json::agreement(governor, &found))),
        );
        let of = |cpu| self.summary(lane, Some(cpu), None).unwrap_or_default();
        map.insert(
            "states".to_owned(),
            json::states(&self.summary(lane, None, None)?),
        );
        if let Some(clock) = self.clock(side, CLOCK_STRETCHES) {
            map.insert("clock".to_owned(), json::clock(&clock));
        }
        if let Some(loops) = self.loops(side) {
            map.insert("loops".to_owned(), json::loops(&loops));
        }
        let shared = self.shared(lane, None);
        map.insert("shared".to_owned(), shared.iter().map(json::shared).collect());
        map.insert("cpus".to_owned(), Value::Object(json::simulated_cpus(record, of)));
        Some(Value::Object(map))
    }
}

fn import_json(traced: &super::Traced) -> Value {
    let mut map = match serde_json::to_value(&traced.trace.report) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    };
    map.insert("format".to_owned(), json!(traced.trace.format.kind()));
    map.insert("tool".to_owned(), json!(traced.trace.format.name()));
    map.insert("trace".to_owned(), json!(traced.trace.short_hash()));
    map.insert(
        "clock".to_owned(),
        json!({
            "resolution_ns": traced.trace.clock.resolution_ns,
            "relative": traced.trace.clock.relative,
        }),
    );
    if let Ok(Value::Object(own)) = serde_json::to_value(&traced.idle) {
        map.extend(own);
    }
    Value::Object(map)
}

fn add_busy(
    busy: &mut [f32],
    record: &Record,
    pyramid: Option<&crate::analysis::pyramid::Pyramid>,
    lane: Option<&Lane>,
) {
    let (Some(pyramid), Some(lane)) = (pyramid, lane) else {
        return;
    };
    let columns = pyramid.columns(lane, record.start, record.end, busy.len());
    let span = record.end.saturating_since(record.start).as_ns().max(1) as f64;
    let width = span / busy.len().max(1) as f64;
    for (n, bucket) in columns.buckets.iter().enumerate() {
        let begin = columns.begin(n).saturating_since(record.start).as_ns() as f64;
        let at = (begin / width) as usize;
        if let Some(sum) = busy.get_mut(at) {
            *sum += (bucket.busy as f64 / width) as f32;
        }
    }
}
