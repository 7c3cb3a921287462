//! The strips under the lanes of a CPU: sleep length, latency limit, utilisation, clock over time.
//!
//! Heights are shares of the strip, on scales that are the same for every trace: durations from 1 µs to 10 s and
//! utilisation from 1 to the whole capacity, both logarithmic, so that a threshold at a sixty-fourth is seen; the clock
//! from 0 to its highest.

use serde::{Deserialize, Serialize};

use super::Session;
use crate::cpuidle::{self, teo};
use crate::page::doc::Side;
use crate::page::extras::Extra;
use crate::page::view::LaneId;
use crate::page::words::number::{Style, duration};
use crate::sim::Step;
use crate::units::{CpuId, Ns, Time};

/// Decisions beyond which a strip says nothing: they would lie on one another.
const MOST: usize = 4_000;

/// One value that held for a while: from, to, and how high, 0 to 1.
pub type Stretch = (Time, Time, f32);

/// What one strip shows of one CPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Strip {
    /// Which strip.
    pub extra: Extra,
    /// What each variant saw.
    pub series: Vec<(LaneId, Vec<Stretch>)>,
    /// A height that matters: one tick, or the threshold.
    pub mark: Option<f32>,
    /// What is said instead of or beside the values.
    pub note: String,
}

impl Session {
    /// The strips of a CPU over a window counted from the start of the record.
    #[must_use]
    pub fn strips(&self, cpu: CpuId, extras: &[Extra], window: (Time, Time)) -> Vec<Strip> {
        let strip = |extra: &Extra| match extra {
            Extra::Ideal => None,
            Extra::SleepLength => self.sleep_lengths(cpu, window),
            Extra::LatencyLimit => self.latency_limits(window),
            Extra::Utilization => self.utilization(cpu, window),
            Extra::Frequency => self.frequency(window),
            Extra::Together => self.together(cpu, window),
        };
        extras.iter().filter_map(strip).collect()
    }

    /// The variants that ran.
    fn ran(&self) -> impl Iterator<Item = (Side, LaneId)> + '_ {
        let sides = Side::ALL.into_iter().map(|side| (side, LaneId::of(side)));
        sides.filter(|(_, lane)| self.record(*lane).is_some())
    }

    fn too_many(&self, lane: LaneId, cpu: CpuId, window: (Time, Time)) -> bool {
        self.decisions_in(lane, cpu, window) > MOST
    }

    fn sleep_lengths(&self, cpu: CpuId, window: (Time, Time)) -> Option<Strip> {
        let (mut series, mut note) = (Vec::new(), String::new());
        for (_, lane) in self.ran() {
            if self.too_many(lane, cpu, window) {
                note = "zoom in".to_owned();
                continue;
            }
            let rows = self.record(lane)?.lane(cpu)?;
            let (from, to) = (self.absolute(window.0)?, self.absolute(window.1)?);
            let first = rows.entries().partition_point(|entry| *entry < from);
            let seen = (first.saturating_sub(1)..rows.len()).filter_map(|n| rows.row(n));
            let stretches = seen.take_while(|row| row.entry < to).filter_map(|row| {
                let (entry, exit) = (self.relative(row.entry)?, self.relative(row.exit)?);
                Some((entry, exit, of_duration(row.sleep_length)))
            });
            series.push((lane, stretches.collect()));
        }
        let (plan, _) = self.plan()?;
        let tick = Side::ALL
            .into_iter()
            .find_map(|side| plan.variant(side))?
            .hz
            .period();
        Some(Strip {
            extra: Extra::SleepLength,
            series,
            mark: Some(of_duration(tick)),
            note,
        })
    }

    fn latency_limits(&self, (from, to): (Time, Time)) -> Option<Strip> {
        let (plan, _) = self.plan()?;
        let limit = |side| Some(plan.variant(side)?.latency);
        let limits: Vec<(LaneId, Option<Ns>)> = self
            .ran()
            .filter_map(|(side, lane)| Some((lane, limit(side)?)))
            .collect();
        let words = |limit: &Option<Ns>| {
            limit.map_or_else(|| "none".to_owned(), |limit| duration(limit, Style::Page))
        };
        let note = match limits.as_slice() {
            [(_, a), (_, b)] if a != b => format!("A {}, B {}", words(a), words(b)),
            [(_, first), ..] => words(first),
            [] => String::new(),
        };
        let line = |(lane, limit): (LaneId, Option<Ns>)| {
            limit.map(|limit| (lane, vec![(from, to, of_duration(limit))]))
        };
        Some(Strip {
            extra: Extra::LatencyLimit,
            series: limits.into_iter().filter_map(line).collect(),
            mark: None,
            note,
        })
    }

    /// From the steps of the decisions in the window, taken again: what is read is nowhere kept.
    fn utilization(&self, cpu: CpuId, window: (Time, Time)) -> Option<Strip> {
        let (mut series, mut mark, mut note) = (Vec::new(), None, String::new());
        for (side, lane) in self.ran() {
            if self.too_many(lane, cpu, window) {
                note = "zoom in".to_owned();
                continue;
            }
            let results = self.results.as_ref()?;
            let run = &results.side(side)?.finished.run;
            let (from, to) = (self.absolute(window.0)?, self.absolute(window.1)?);
            let mut stretches: Vec<Stretch> = Vec::new();
            run.retell(cpu, (from, to), |at, steps| {
                let read = steps.iter().find_map(read_utilization);
                let (Some((utilization, threshold)), Some(at)) = (read, self.relative(at)) else {
                    return;
                };
                // What was read last holds until the next decision reads again.
                if let Some(last) = stretches.last_mut() {
                    last.1 = at;
                }
                mark = Some(of_utilization(threshold));
                stretches.push((at, window.1, of_utilization(utilization)));
            });
            if !stretches.is_empty() {
                series.push((lane, stretches));
            }
        }
        if series.is_empty() && note.is_empty() {
            note = "not read here".to_owned();
        }
        Some(Strip {
            extra: Extra::Utilization,
            series,
            mark,
            note,
        })
    }

    /// Whether the clock of one of the variants changes at all.
    #[must_use]
    pub fn clock_changes(&self) -> bool {
        let changes = |lane| self.record(lane).is_some_and(|record| record.frequency.len() > 1);
        self.ran().any(|(_, lane)| changes(lane))
    }

    /// The clock that all cores share; none where it is not modelled.
    fn frequency(&self, window: (Time, Time)) -> Option<Strip> {
        let (mut series, mut note) = (Vec::new(), String::new());
        for (side, lane) in self.ran() {
            let changes = &self.record(lane)?.frequency;
            let top = self.clock_limit(side)?;
            let (from, to) = (self.absolute(window.0)?, self.absolute(window.1)?);
            let first = changes.partition_point(|change| change.at <= from);
            let seen = changes.get(first.saturating_sub(1)..).unwrap_or_default();
            let seen = &seen[..seen.partition_point(|change| change.at < to)];
            if seen.len() > MOST {
                note = "zoom in".to_owned();
                continue;
            }
            let ends = seen.iter().skip(1).map(|change| change.at).chain([to]);
            let stretches = seen.iter().zip(ends).filter_map(|(change, end)| {
                Some((
                    self.relative(change.at)?,
                    self.relative(end)?,
                    of_clock(change.khz, top),
                ))
            });
            series.push((lane, stretches.collect()));
        }
        Some(Strip {
            extra: Extra::Frequency,
            series,
            mark: None,
            note,
        })
    }
}

/// Height of a sleep that all share but that is too short to pay off, of one that does.
const TOO_SHORT: f32 = 0.4;
const PAYS_OFF: f32 = 0.9;

impl Session {
    /// When all CPUs that share a state with this one slept in their deepest one: then it can be entered.
    fn together(&self, cpu: CpuId, window: (Time, Time)) -> Option<Strip> {
        let rig = self.results.as_ref()?.plan.rig.as_ref()?;
        let domain = rig.domain(cpu)?;
        let within = (self.absolute(window.0)?, self.absolute(window.1)?);
        let (mut series, mut counts) = (Vec::new(), Vec::new());
        for (side, lane) in self.ran() {
            if domain.cpus.iter().any(|cpu| self.too_many(lane, *cpu, window)) {
                return Some(Strip {
                    extra: Extra::Together,
                    series: Vec::new(),
                    mark: None,
                    note: "zoom in".to_owned(),
                });
            }
            let votes = self.votes(lane, &domain, within);
            let pays_off = |(from, to): &(Time, Time)| to.saturating_since(*from) >= domain.target_residency;
            let short = votes.iter().filter(|vote| !pays_off(vote)).count();
            counts.push(format!("{} {} ({short} short)", side.letter(), votes.len()));
            let stretches = votes.iter().filter_map(|vote| {
                let height = if pays_off(vote) { PAYS_OFF } else { TOO_SHORT };
                Some((self.relative(vote.0)?, self.relative(vote.1)?, height))
            });
            series.push((lane, stretches.collect()));
        }
        Some(Strip {
            extra: Extra::Together,
            series,
            mark: None,
            note: format!(
                "{} of {}, pays off from {}: {}",
                domain.noun(),
                domain.cpus.len(),
                duration(domain.target_residency, Style::Page),
                counts.join(", ")
            ),
        })
    }
}

fn read_utilization(step: &Step) -> Option<(u64, u64)> {
    match step {
        Step::Governor(cpuidle::Step::Teo(teo::Step::Utilization {
            utilization,
            threshold,
            ..
        })) => Some((*utilization, *threshold)),
        _ => None,
    }
}

/// 1 µs at the bottom, 10 s at the top; no timer is above all.
fn of_duration(d: Ns) -> f32 {
    let decades = (d.as_ns().max(1) as f64 / 1e3).log10();
    (decades / 7.0).clamp(0.0, 1.0) as f32
}

/// 1 at the bottom, the capacity of the largest CPU (1024) at the top.
fn of_utilization(utilization: u64) -> f32 {
    ((utilization.max(1) as f64).log2() / 10.0).clamp(0.0, 1.0) as f32
}

/// Nothing at the bottom, the highest clock at the top.
fn of_clock(khz: u32, top: u32) -> f32 {
    (f64::from(khz) / f64::from(top.max(1))).clamp(0.0, 1.0) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_are_logarithmic_and_end_at_the_edges() {
        assert_eq!(of_duration(Ns::ZERO), 0.0);
        assert_eq!(of_duration(Ns::from_us(1)), 0.0);
        assert!((of_duration(Ns::from_ms(1)) - 3.0 / 7.0).abs() < 1e-6);
        assert_eq!(of_duration(Ns::MAX), 1.0);
        assert_eq!(of_utilization(0), 0.0);
        assert!((of_utilization(16) - 0.4).abs() < 1e-6);
        assert_eq!(of_utilization(5_000), 1.0);
        assert_eq!(of_clock(3_700_000, 3_700_000), 1.0);
        assert!((of_clock(1_600_000, 3_700_000) - 16.0 / 37.0).abs() < 1e-6);
        assert_eq!(of_clock(1, 0), 1.0);
    }
}
