//! The table's values from a session: what the worker and the headless example both print.

use super::{Agreement, Cluster, First, Mail, Run, TimersKnown, table};
use crate::analysis::summary::Summary;
use crate::cpuidle::Choice;
use crate::page::doc::{Doc, Side, Workload};
use crate::page::duration;
use crate::page::generated::{Generated, Kind, Param};
use crate::page::session::{LaneDecision, Rig, RigCpu, Session};
use crate::page::view::LaneId;
use crate::page::words::behind::behind;
use crate::page::words::decisive::decisive;
use crate::page::words::{Said, Speaker, Style};
use crate::sim::Step;
use crate::units::{CpuId, Ns, Time};
use crate::workload::replay::Share;

/// The table for the last finished question of `session`, which was `doc`; of the whole record or of a
/// range counted from its start. `url` is the whole address of the link.
#[must_use]
pub fn of_session(session: &Session, doc: &Doc, range: Option<(Time, Time)>, url: &str) -> String {
    let plan = session.plan().map(|(plan, _)| plan);
    let rig = plan.and_then(|plan| plan.rig.as_ref());
    let cpus = session.cpus();
    let summary = |lane| session.summary(lane, None, range);
    let sides = Side::ALL.map(|side| {
        let governor = plan?.variant(side)?.governor;
        Some((governor.to_string(), summary(LaneId::of(side))?))
    });
    let [a, b] = &sides;
    let recorded = summary(LaneId::Recorded);
    let (start, end) = session.span().unwrap_or_default();
    let workload = workload_text(session, doc);
    let clusters = rig.map_or_else(Vec::new, |rig| clusters(rig, &cpus));
    let governor = session.traced().and_then(|traced| traced.governor);
    let governor = governor.map(|governor: Choice| governor.to_string());
    table(&Mail {
        doc,
        workload: &workload,
        machine: rig.map_or("machine not known", |rig| &rig.name),
        cpus: cpus.len(),
        span: end.saturating_since(start),
        lost: session.traced().map(|traced| traced.trace.report.lost_markers),
        clusters: &clusters,
        recorded: recorded.as_ref().map(|summary| run("recorded", summary)),
        a: a.as_ref().map(|(label, summary)| run(label, summary)),
        b: b.as_ref().map(|(label, summary)| run(label, summary)),
        range,
        powers_given: rig.is_some_and(|rig| {
            let given = |cpu: &RigCpu| !cpu.assumptions.relative(cpu.table.len());
            !rig.cpus.is_empty() && rig.cpus.iter().all(given)
        }),
        first: first(session, rig, range),
        differences: session
            .differences_in(range)
            .map(|counts| (u64::from(counts.differences), u64::from(counts.compared))),
        agreement: agreement(session, governor.as_deref()),
        loops: Side::ALL.map(|side| session.loops(side)),
        timers: timers(session),
        url,
    })
}

const fn run<'a>(label: &'a str, summary: &'a Summary) -> Run<'a> {
    Run { label, summary }
}

/// `trace 3f9a02c41be7`, `sample arm64-menu, trace 3f9a02c41be7`, `doorbell gap=300us seed=1`.
fn workload_text(session: &Session, doc: &Doc) -> String {
    let hash = session.traced().map(|traced| traced.trace.short_hash());
    match &doc.workload {
        Workload::None => "no workload".to_owned(),
        Workload::Trace(id) => format!("trace {}", hash.unwrap_or_else(|| id.to_string())),
        Workload::Sample(sample) => match hash {
            Some(hash) => format!("sample {}, trace {hash}", sample.id()),
            None => format!("sample {}", sample.id()),
        },
        Workload::Generated(generated) => generated_text(generated),
    }
}

fn generated_text(generated: &Generated) -> String {
    let mut text = generated.pattern().id().to_owned();
    for spec in generated
        .pattern()
        .specs()
        .iter()
        .filter(|spec| spec.param != Param::Duration)
    {
        let value = generated.get(spec.param).unwrap_or(spec.default);
        if value == spec.default && !matches!(spec.param, Param::Gap | Param::Seed) {
            continue;
        }
        let value = match spec.kind {
            Kind::Time { .. } => duration::to_link(Ns::new(value)),
            Kind::Count { .. } | Kind::Switch => value.to_string(),
        };
        text.push_str(&format!(" {}={value}", spec.param.key()));
    }
    if let Some(beats) = generated.beats() {
        text.push_str(&format!(" pat={beats}"));
    }
    text
}

/// Each different set of states once, with the CPUs that have it.
fn clusters(rig: &Rig, cpus: &[CpuId]) -> Vec<Cluster> {
    let mut found: Vec<(Vec<CpuId>, &RigCpu)> = Vec::new();
    for cpu in cpus {
        let Some(own) = rig.cpu(*cpu) else { continue };
        let same = |other: &RigCpu| {
            (&other.table, &other.base, other.disabled) == (&own.table, &own.base, own.disabled)
        };
        match found.iter_mut().find(|(_, other)| same(other)) {
            Some((cpus, _)) => cpus.push(*cpu),
            None => found.push((vec![*cpu], own)),
        }
    }
    let several = found.len() > 1;
    found
        .into_iter()
        .map(|(cpus, own)| Cluster {
            cpus: if several { ranges(&cpus) } else { String::new() },
            table: own.table.clone(),
            base: own.base.clone(),
            disabled: own.disabled,
        })
        .collect()
}

/// `0-1,4` for ascending CPUs.
fn ranges(cpus: &[CpuId]) -> String {
    let runs = cpus.chunk_by(|one, next| one.number() + 1 == next.number());
    let texts: Vec<String> = runs
        .filter_map(|run| {
            let (first, last) = (run.first()?.number(), run.last()?.number());
            Some(if first == last {
                first.to_string()
            } else {
                format!("{first}-{last}")
            })
        })
        .collect();
    texts.join(",")
}

/// The first difference, of the record or of a range, with the step that made it.
fn first(session: &Session, rig: Option<&Rig>, range: Option<(Time, Time)>) -> Option<First> {
    let difference = session.first_difference(range)?;
    let answer = session.decision(LaneId::A, difference.cpu, difference.pair.a)?;
    let (a, b) = (answer.lane(LaneId::A)?, answer.lane(LaneId::B)?);
    let table = rig.and_then(|rig| rig.cpu(difference.cpu)).map(|cpu| &cpu.table);
    let speaker = Speaker::new(table, Style::Ascii, false);
    Some(First {
        cpu: difference.cpu,
        at: a.row.entry,
        a: a.row,
        b: b.row,
        why: steps(a)
            .zip(steps(b))
            .and_then(|(a, b)| parting(&speaker, &a, &b)),
        patches: session
            .patches_behind(difference.cpu, difference.pair.b)
            .map(|sets| behind(&sets)),
    })
}

fn steps(decision: &LaneDecision) -> Option<Vec<Step>> {
    let explained = decision.steps.as_ref()?.as_ref().ok()?;
    Some(explained.steps.clone())
}

/// The decisive steps of A and B in words; see [`decisive`].
fn parting(speaker: &Speaker<'_>, a: &[Step], b: &[Step]) -> Option<(Option<Said>, Option<Said>)> {
    let said = |steps: &[Step], n: Option<usize>| n.and_then(|n| steps.get(n)).map(|step| speaker.step(step));
    let (one, other) = decisive(a, b)?;
    Some((said(a, one), said(b, other)))
}

fn agreement<'a>(session: &Session, governor: Option<&'a str>) -> Option<Agreement<'a>> {
    let found = session.rebuilt()?.agreement.as_ref()?;
    let share = |share: Share| (share.part as u64, share.of as u64);
    Some(Agreement {
        governor: governor?,
        choices: share(found.inferred.states),
        ticks: share(found.inferred.ticks),
        strict_choices: share(found.strict.states),
        strict_ticks: share(found.strict.ticks),
        misses: share(found.misses),
    })
}

fn timers(session: &Session) -> Option<TimersKnown> {
    let shares = session.rebuilt()?.provenance.sleep_length;
    Some(TimersKnown {
        exact: shares.exact as u64,
        inferred: shares.inferred as u64,
        unknown: shares.unknown as u64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpuidle::{self, TickChoice, menu, teo};
    use crate::units::StateIdx;

    fn learned(total: u32) -> Step {
        Step::Governor(cpuidle::Step::Teo(teo::Step::Learned {
            sleep_length: Ns::from_ms(1),
            measured: None,
            timer: teo::TimerBin::Tick,
            duration: StateIdx::ZERO,
            booked: teo::Booked::Hit,
            total,
        }))
    }

    fn tick(us: i64, choice: TickChoice) -> Step {
        Step::Governor(cpuidle::Step::Teo(teo::Step::TickDecision {
            state: StateIdx::new(1),
            duration: Ns::from_us(us),
            tick: Ns::from_ms(1),
            polling: false,
            stopped: false,
            choice,
        }))
    }

    fn menu_tick() -> Step {
        Step::Governor(cpuidle::Step::Menu(menu::Step::TickDecision {
            state: StateIdx::new(1),
            duration: Ns::from_us(3),
            tick: Ns::from_ms(4),
            polling: false,
            stopped: false,
            choice: TickChoice::Retain,
        }))
    }

    #[test]
    fn why_is_the_step_that_made_the_difference() {
        let speaker = Speaker::new(None, Style::Ascii, false);
        let maths = |a: &[Step], b: &[Step]| {
            let (a, b) = parting(&speaker, a, b)?;
            Some((a?.math, b?.math))
        };
        let (stop, keep) = (tick(1731, TickChoice::Stop), tick(180, TickChoice::Retain));
        assert_eq!(
            maths(&[learned(1), stop], &[learned(2), keep]),
            Some(("1.731 ms >= 1 ms".to_owned(), "180 us < 1 ms".to_owned()))
        );
        assert_eq!(
            maths(&[learned(1), stop], &[menu_tick()]),
            Some(("1.731 ms >= 1 ms".to_owned(), "3 us < 4 ms".to_owned()))
        );
    }

    #[test]
    fn neighbours_become_a_range() {
        let text = |cpus: &[u16]| ranges(&cpus.iter().map(|n| CpuId::new(*n)).collect::<Vec<_>>());
        assert_eq!(text(&[0, 1, 2, 4, 6, 7]), "0-2,4,6-7");
        assert_eq!(text(&[3]), "3");
        assert_eq!(text(&[]), "");
    }

    #[test]
    fn a_generated_workload_names_what_makes_it() {
        let doc = crate::page::link::parse("w=doorbell&gap=300us&fix=0&seed=7&a=teo-6.6")
            .0
            .doc;
        assert_eq!(
            workload_text(&Session::new(), &doc),
            "doorbell gap=300us fix=0 seed=7"
        );
    }
}
