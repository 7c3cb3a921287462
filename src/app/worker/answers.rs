//! The session's answers in the shape in which they cross to the page.

use super::protocol::{
    Facts, GroupView, ImportView, LaneSummary, Report, Request, ResultsView, SharedView, Sought, StateView,
    TableRow,
};
use super::{explain, sentences};
use crate::analysis::diff::{differs, partner};
use crate::analysis::seek::Mark;
use crate::analysis::summary::Summary;
use crate::cpuidle::IdleState;
use crate::energy::Assumptions;
use crate::page::doc::{Doc, Side};
use crate::page::extras::Extra;
use crate::page::loops::{AFTER_THE_FIRST, power_ratio};
use crate::page::mail;
use crate::page::plot::timeline::{Decisions, Sent};
use crate::page::session::{LaneView, PlanIssue, Session, Strip, Traced, machine};
use crate::page::view::LaneId;
use crate::page::words::answer::TickFate;
use crate::page::words::decisions::{self, miss};
use crate::page::words::misses::split_by_ticks;
use crate::page::words::number::{Style, count, cpu_list, cpus, duration, exact, stamp};
use crate::page::words::opening::MachineAsked;
use crate::page::words::{self, Speaker, cross, own, verdict};
use crate::sim::{Flags, Knowledge, Row};
use crate::trace::report::Purpose;
use crate::units::{CpuId, Energy, Ns, StateIdx, Time};

pub(super) const PAGE: Style = Style::Page;

/// The answer to a question about the last finished run, which was that of `doc`; none for requests that are no questions.
pub fn answer(session: &Session, doc: &Doc, request: Request) -> Option<Report> {
    Some(match request {
        Request::Overview { ticket, columns } => {
            let (busy, differs) = session.overview(usize::try_from(columns).ok()?);
            Report::Overview {
                ticket,
                busy,
                differs,
            }
        }
        Request::Seek {
            ticket,
            sought,
            forward,
            lane,
            cpu,
            at,
            peek,
        } => {
            let (lane, found) = seek(session, sought, forward, lane, cpu, at);
            Report::Found {
                ticket,
                sought,
                forward,
                lane,
                found,
                peek,
            }
        }
        Request::At {
            ticket,
            lane,
            cpu,
            at,
            hover: true,
        } => {
            let (lines, span, sent) = hover(session, lane, cpu, at).unwrap_or_default();
            Report::Hover {
                ticket,
                lines,
                span,
                sent,
            }
        }
        Request::At {
            ticket,
            lane,
            cpu,
            at,
            ..
        } => Report::Selected {
            ticket,
            lane,
            found: session
                .at(lane, cpu, at)
                .map(|found| (found.cpu, found.n, found.entry)),
        },
        Request::Explain {
            ticket,
            lane,
            cpu,
            n,
            range,
            pinned,
        } => Report::Explained {
            ticket,
            view: explain::decision(session, (lane, cpu, n), range).map(Box::new),
            pinned,
        },
        Request::Results { ticket, range, link } => Report::Results {
            ticket,
            view: Box::new(results(session, doc, range, &link)),
        },
        Request::Table {
            ticket,
            skip,
            take,
            cpu,
            differences,
        } => {
            let (heads, total, rows) = table(session, cpu, skip, take, differences);
            Report::Table {
                ticket,
                heads,
                total,
                skip,
                rows,
            }
        }
        Request::Read { .. }
        | Request::CancelRead
        | Request::Run { .. }
        | Request::CancelRun
        | Request::Sweep { .. }
        | Request::CancelSweep
        | Request::Inquire { .. }
        | Request::CancelInquiry
        | Request::Lanes { .. } => return None,
    })
}

/// Views of lanes over a stretch of time, as far as `sight` of it is seen; `before` are those that are
/// drawn in columns at present.
pub fn lanes(
    session: &Session,
    (window, sight): ((Time, Time), (Time, Time)),
    columns: u32,
    (cpus, lanes): (&[CpuId], &[LaneId]),
    before: &[(CpuId, LaneId)],
) -> Vec<(CpuId, LaneId, LaneView)> {
    let columns = usize::try_from(columns).unwrap_or(usize::MAX);
    let mut views = Vec::new();
    for cpu in cpus {
        for lane in lanes {
            let decisions = Decisions {
                whole: session.decisions_in(*lane, *cpu, window),
                sight: session.decisions_in(*lane, *cpu, sight),
            };
            let rows = decisions.are_drawn(columns, (window, sight), before.contains(&(*cpu, *lane)));
            let most = if rows { usize::MAX } else { 0 };
            if let Some(view) = session.view(*lane, *cpu, window, columns, most) {
                views.push((*cpu, *lane, view));
            }
        }
    }
    views
}

/// Where A and B differ on each CPU, no finer than a column.
pub fn differing(
    session: &Session,
    (from, to): (Time, Time),
    columns: u32,
    cpus: &[CpuId],
) -> Vec<(CpuId, Vec<(Time, Time)>)> {
    let gap = Ns::new(to.saturating_since(from).as_ns() / i64::from(columns.max(1)));
    let of = |cpu: &CpuId| (*cpu, session.differing(*cpu, (from, to), gap));
    cpus.iter().map(of).collect()
}

/// The strips of some CPUs over a stretch of time.
pub fn strips(
    session: &Session,
    cpus: &[CpuId],
    extras: &[Extra],
    window: (Time, Time),
) -> Vec<(CpuId, Strip)> {
    let of = |cpu: &CpuId| {
        let strips = session.strips(*cpu, extras, window);
        strips.into_iter().map(|strip| (*cpu, strip)).collect::<Vec<_>>()
    };
    cpus.iter().flat_map(of).collect()
}

/// The lanes that the last finished run has, from top to bottom.
fn present(session: &Session) -> Vec<LaneId> {
    LaneId::ALL
        .into_iter()
        .filter(|lane| session.record(*lane).is_some())
        .collect()
}

/// The lane that leads in lists: A, else B, else the recording.
fn leading(session: &Session) -> Option<LaneId> {
    [LaneId::A, LaneId::B, LaneId::Recorded]
        .into_iter()
        .find(|lane| session.record(*lane).is_some())
}

/// The machine's states before edits, once for all CPUs that have the same.
pub fn states(session: &Session, doc: &Doc) -> Vec<GroupView> {
    let needs = session.needs();
    let Some(rig) = session.plan().and_then(|(plan, _)| plan.rig.as_ref()) else {
        return Vec::new();
    };
    let machine = machine(doc, &needs).filter(|machine| machine.id == rig.id);
    let mut groups: Vec<GroupView> = Vec::new();
    for (number, cpu) in (0u16..).map(CpuId::new).zip(&rig.cpus) {
        let powers = Assumptions {
            powers: machine
                .as_ref()
                .and_then(|machine| machine.cluster(number))
                .map(|cluster| cluster.powers.clone())
                .unwrap_or_default(),
            ..cpu.assumptions.clone()
        }
        .powers_of(&cpu.base);
        let state = |(idx, state): (StateIdx, &IdleState)| StateView {
            name: state.name.clone(),
            target_residency: state.target_residency,
            exit_latency: state.exit_latency,
            power: powers.get(idx.index()).copied().unwrap_or_default(),
            on: !cpu.base_off.contains(idx),
            polling: state.polling,
            timer_stop: state.timer_stop,
        };
        let states = cpu.base.indices().zip(cpu.base.states()).map(state).collect();
        match groups.iter_mut().find(|group| group.states == states) {
            Some(group) => group.cpus.push(number),
            None => groups.push(GroupView {
                cpus: vec![number],
                states,
            }),
        }
    }
    groups
}

/// What a finished run covers.
pub fn facts(session: &Session) -> Facts {
    let (start, end) = session.span().unwrap_or_default();
    let plan = session.plan();
    let hz = plan.and_then(|(plan, _)| {
        Side::ALL
            .into_iter()
            .find_map(|side| plan.variant(side).map(|variant| variant.hz))
    });
    let machine = plan
        .and_then(|(plan, _)| plan.rig.as_ref())
        .map(|rig| rig.name.clone());
    Facts {
        start,
        end,
        cpus: session.cpus(),
        decisions: decisions(session),
        lanes: present(session),
        tick: hz.map_or(Ns::ZERO, |hz| hz.period()),
        machine: machine.unwrap_or_default(),
        differences: session
            .differences()
            .map(|counts| (u64::from(counts.differences), u64::from(counts.compared))),
        clock_changes: session.clock_changes(),
        agreement: sentences::agreement(session),
        own_numbers: own::sentence(session, PAGE),
        own_brief: own::brief(session, PAGE).unwrap_or_default(),
        own_notes: own::notes(session, PAGE),
        cross: session
            .cross_checks()
            .map_or_else(Vec::new, |checks| cross::sentences(&checks, PAGE)),
        limits: sentences::limits(session),
        inputs: sentences::inputs(session),
        gaps: session
            .traced()
            .map_or_else(Vec::new, |traced| sentences::gaps(session, traced)),
        issues: plan.map_or_else(Vec::new, |(_, issues)| {
            let asks = |issue: &&PlanIssue| {
                matches!(issue, PlanIssue::MachineNeeded | PlanIssue::TooFewStates { .. })
            };
            let told = issues.iter().filter(|issue| !asks(issue));
            told.map(ToString::to_string).collect()
        }),
        machine_asked: plan
            .and_then(|(_, issues)| MachineAsked::of(issues, &session.needs(), session.cpus().len())),
    }
}

/// How many decisions there are on each CPU of each lane.
fn decisions(session: &Session) -> Vec<(LaneId, CpuId, u32)> {
    let mut counts = Vec::new();
    for lane in present(session) {
        for cpu in session.cpus() {
            let record = session.record(lane);
            let count = record
                .and_then(|record| record.lane(cpu))
                .map_or(0, |lane| lane.len());
            counts.push((lane, cpu, u32::try_from(count).unwrap_or(u32::MAX)));
        }
    }
    counts
}

fn seek(
    session: &Session,
    sought: Sought,
    forward: bool,
    lane: LaneId,
    cpu: CpuId,
    at: Time,
) -> (LaneId, Option<(CpuId, u32, Time)>) {
    let lane = if session.record(lane).is_some() {
        lane
    } else {
        leading(session).unwrap_or(lane)
    };
    let by_mark = |mark: Mark, only: Option<CpuId>| {
        let found = session.seek(lane, mark, forward, (at, cpu), only);
        found.map(|found| (found.cpu, found.n, found.entry))
    };
    match sought {
        Sought::Decision => (lane, by_mark(Mark::Decision, Some(cpu))),
        Sought::Event => (lane, by_mark(Mark::Decision, None)),
        Sought::Miss => (lane, by_mark(Mark::Miss, None)),
        Sought::TickStop => (lane, by_mark(Mark::TickStop, None)),
        Sought::Difference | Sought::Depth(_) => {
            // The recording takes part in no difference: go on in A.
            let lane = if lane == LaneId::B { LaneId::B } else { LaneId::A };
            let found = match sought {
                Sought::Depth(depth) => session.seek_depth(depth, forward, cpu, at),
                _ => session.seek_difference(forward, cpu, at),
            };
            let n = |pair: crate::analysis::diff::Pair| if lane == LaneId::B { pair.b } else { pair.a };
            (lane, found.map(|found| (found.cpu, n(found.pair), found.entry)))
        }
        Sought::Edge => {
            let last = session
                .record(lane)
                .and_then(|record| record.lane(cpu))
                .map_or(0, |lane| lane.len());
            let n = if forward { last.saturating_sub(1) } else { 0 };
            let row = row(session, lane, cpu, n);
            let entry = row.and_then(|row| relative(session, row.entry));
            (
                lane,
                entry.and_then(|entry| Some((cpu, u32::try_from(n).ok()?, entry))),
            )
        }
    }
}

fn row(session: &Session, lane: LaneId, cpu: CpuId, n: usize) -> Option<Row> {
    session.record(lane)?.lane(cpu)?.row(n)
}

/// Counted from the start of the record.
pub(super) fn relative(session: &Session, t: Time) -> Option<Time> {
    let (start, _) = session.span()?;
    Some(Time::ZERO.saturating_add(t.saturating_since(start)))
}

/// One who knows the states of a CPU.
pub(super) fn speaker(session: &Session, cpu: CpuId, style: Style, kernel_names: bool) -> Speaker<'_> {
    let table = session
        .plan()
        .and_then(|(plan, _)| plan.rig.as_ref())
        .and_then(|rig| rig.cpu(cpu))
        .map(|cpu| &cpu.table);
    Speaker::new(table, style, kernel_names)
}

/// The lines of a hover card, and first and last instant of the block it speaks of.
type Card = (Vec<String>, Option<(Time, Time)>, Option<Sent>);

/// The hover card of what lies under a point.
fn hover(session: &Session, lane: LaneId, cpu: CpuId, at: Time) -> Option<Card> {
    let found = session.at(lane, cpu, at)?;
    let row = row(session, lane, cpu, usize::try_from(found.n).ok()?)?;
    let (entry, exit) = (relative(session, row.entry)?, relative(session, row.exit)?);
    let speaker = speaker(session, cpu, PAGE, false);
    if at > exit {
        return Some((
            vec![format!("{cpu} · {} · busy or not seen idle", lane.label())],
            Some((exit, at)),
            None,
        ));
    }
    let mut lines = vec![
        format!(
            "{cpu} · {} · {}, {}",
            lane.label(),
            speaker.state(row.entered),
            duration(row.residency(), PAGE)
        ),
        format!("{} – {}", stamp(row.entry, PAGE), stamp(row.exit, PAGE)),
    ];
    if row.sleep_length < Ns::MAX {
        let known = if row.flags.has(Flags::TIMER_EXACT) {
            Knowledge::Exact
        } else if row.flags.has(Flags::TIMER_INFERRED) {
            Knowledge::Inferred
        } else {
            Knowledge::Unknown
        };
        lines.push(format!(
            "sleep length {}, {}",
            duration(row.sleep_length, PAGE),
            words::known(known)
        ));
    }
    if lane != LaneId::Ideal {
        lines.push(TickFate::of(&row).label().to_owned());
    }
    let sender = session.sender(lane, cpu, usize::try_from(found.n).ok()?);
    let by = sender.map_or(String::new(), |(from, _)| format!(" of {from}"));
    lines.push(format!("woke by: {}{by}", words::cause(row.cause)));
    if let Some(miss) = miss(&row) {
        lines.push(miss.to_owned());
    }
    if row.flags.has(Flags::UNCOUNTED) {
        lines.push("open at an end of the record or cut by lost events: not counted".to_owned());
    }
    let sent = sender.and_then(|(from, at)| {
        Some(Sent {
            from,
            at,
            to: cpu,
            lane,
            woke: relative(session, row.wake)?,
        })
    });
    Some((lines, Some((entry, exit)), sent))
}

/// Heads, how many rows there are in all, and the rows asked for.
fn table(
    session: &Session,
    cpu: CpuId,
    skip: u32,
    take: u32,
    differences: bool,
) -> (Vec<String>, u32, Vec<TableRow>) {
    let Some(lead) = leading(session) else {
        return Default::default();
    };
    let lane = |lane: LaneId| session.record(lane).and_then(|record| record.lane(cpu));
    let Some(own) = lane(lead) else {
        return Default::default();
    };
    let other = (lead == LaneId::A).then(|| lane(LaneId::B)).flatten();
    let speaker = speaker(session, cpu, PAGE, false);
    let (mut total, mut rows) = (0_u32, Vec::new());
    for (n, row) in own.rows().enumerate() {
        let beside = other.map(|other| partner(own, n, other).and_then(|n| other.row(n)));
        let differs = beside
            .flatten()
            .is_some_and(|beside| differs(&row, &beside).is_some());
        if differences && !differs {
            continue;
        }
        total += 1;
        if total <= skip || rows.len() >= usize::try_from(take).unwrap_or(0) {
            continue;
        }
        rows.push(TableRow {
            n: u32::try_from(n).unwrap_or(u32::MAX),
            entry: relative(session, row.entry).unwrap_or_default(),
            cells: decisions::cells(&speaker, &row, beside.as_ref().map(Option::as_ref)),
        });
    }
    (decisions::heads(lead, other.is_some()), total, rows)
}

/// Stretches of the chart of the clock: about as many as it is wide, px.
const CLOCK_STRETCHES: u32 = 180;

fn results(session: &Session, doc: &Doc, range: Option<(Time, Time)>, link: &str) -> ResultsView {
    let lanes: Vec<(LaneId, Summary)> = present(session)
        .into_iter()
        .filter_map(|lane| Some((lane, session.summary(lane, None, range)?)))
        .collect();
    let mut clocks = Side::ALL.map(|side| session.clock(side, CLOCK_STRETCHES));
    if clocks.iter().flatten().all(|clock| clock.changes == 0) {
        clocks = [None, None];
    }
    ResultsView {
        verdict: verdict_of(session, &lanes, range),
        mail: mail::of_session(session, doc, range, link),
        misses: lanes
            .iter()
            .filter_map(|(lane, summary)| {
                split_by_ticks(lane.side().map_or("recorded", Side::letter), summary, PAGE)
            })
            .collect(),
        lanes: lanes
            .iter()
            .map(|(lane, summary)| lane_summary(session, *lane, summary))
            .collect(),
        shared: shared(session, range),
        loops: Side::ALL.map(|side| session.loops(side)),
        clocks,
    }
}

/// The states that CPUs share, those of one cluster beside each other.
fn shared(session: &Session, range: Option<(Time, Time)>) -> Vec<SharedView> {
    let variants = present(session).into_iter().filter(|lane| lane.side().is_some());
    let mut views: Vec<(CpuId, SharedView)> = variants
        .flat_map(|lane| {
            session
                .shared(lane, range)
                .into_iter()
                .map(move |found| (lane, found))
        })
        .filter_map(|(lane, (domain, found))| {
            let view = SharedView {
                name: format!("{}, {}", domain.noun(), cpu_list(&domain.cpus)),
                lane,
                target_residency: domain.target_residency,
                found,
            };
            Some((*domain.cpus.first()?, view))
        })
        .collect();
    views.sort_by_key(|(first, view)| (*first, view.lane));
    views.into_iter().map(|(_, view)| view).collect()
}

/// The name of a lane's decider.
pub(super) fn label(session: &Session, lane: LaneId) -> String {
    let variant = lane
        .side()
        .and_then(|side| session.plan().and_then(|(plan, _)| plan.variant(side)));
    variant.map_or_else(|| "recorded".to_owned(), |variant| variant.governor.to_string())
}

fn lane_summary(session: &Session, lane: LaneId, summary: &Summary) -> LaneSummary {
    let state_energy = |n: usize| {
        let parts = summary.energy.as_ref().and_then(|account| account.states.get(n));
        parts.map_or(Energy::ZERO, |parts| parts.idle())
    };
    LaneSummary {
        lane: Some(lane),
        name: label(session, lane),
        states: summary
            .states
            .iter()
            .enumerate()
            .map(|(n, state)| {
                (
                    state.count,
                    state.time,
                    state.too_deep,
                    state.too_shallow,
                    state_energy(n),
                )
            })
            .collect(),
        tick_stops: summary.tick_stops,
        stopped: summary.stopped.counts(),
        ticks_retained: summary.ticks_retained,
        causes: summary.causes.to_vec(),
        busy: summary.busy,
        durations: summary.durations.counts().to_vec(),
        latency: summary
            .wake_latency
            .map(|latency| (latency.count, latency.p50, latency.p99, latency.max)),
        energy: summary.energy.as_ref().map(|account| {
            let parts = &account.parts;
            [
                parts.stay,
                parts.transitions,
                parts.ticks,
                parts.exit_latency,
                parts.busy,
                account.ideal,
            ]
        }),
    }
}

/// The answer first: where A and B differ most, in numbers.
fn verdict_of(session: &Session, lanes: &[(LaneId, Summary)], range: Option<(Time, Time)>) -> String {
    let of = |lane: LaneId| {
        lanes
            .iter()
            .find(|(name, _)| *name == lane)
            .map(|(_, summary)| summary)
    };
    let (Some(a), Some(b)) = (of(LaneId::A), of(LaneId::B)) else {
        let Some((lane, one)) = lanes
            .iter()
            .rfind(|(lane, _)| *lane != LaneId::Recorded)
            .or(lanes.first())
        else {
            return String::new();
        };
        return verdict::alone(&label(session, *lane), one, PAGE);
    };
    let differ = session.differences_in(range).map_or_else(String::new, |counts| {
        let place = if range.is_some() {
            "in this range"
        } else {
            "everywhere"
        };
        let shifts = if session.loops(Side::A).is_some() {
            format!("; {AFTER_THE_FIRST}")
        } else {
            String::new()
        };
        let (differ, compared) = (u64::from(counts.differences), u64::from(counts.compared));
        verdict::differences(differ, compared, (place, &shifts), PAGE)
    });
    let loops = Side::ALL.map(|side| session.loops(side));
    let power = match &loops {
        [Some(a), Some(b)] => power_ratio(a, b, PAGE),
        _ => None,
    };
    let energy = match (power, &a.energy, &b.energy) {
        // The powers of states know no clock: the two estimates would contradict each other.
        (Some(power), ..) => format!("Power of B {power} of A (estimate, whole record)."),
        (None, Some(a), Some(b)) => verdict::energy(a.parts.idle(), b.parts.idle(), PAGE),
        _ => String::new(),
    };
    let parts = [differ, verdict::tick_kept(a, b, PAGE), energy];
    let said: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    said.join(" ")
}

/// What became of the lines of a file.
pub fn import(traced: &Traced) -> ImportView {
    let (trace, report) = (&traced.trace, &traced.trace.report);
    let (first, last) = trace.span();
    let headline = [
        trace.format.name().to_owned(),
        format!(
            "resolution {}",
            exact(Ns::new(i64::from(trace.clock.resolution_ns)), PAGE)
        ),
        cpus(report.cpus_seen.len()),
        duration(last.saturating_since(first), PAGE),
        match report.lines {
            1 => "1 line".to_owned(),
            lines => format!("{} lines", count(lines, PAGE)),
        },
        format!("{} bytes", count(report.bytes, PAGE)),
        format!("sha256 {}", trace.short_hash()),
    ]
    .join(", ");
    let archive = report
        .member
        .as_ref()
        .filter(|_| report.members > 1)
        .map(|member| {
            let others = report.other_members.join(", ");
            format!(
                "{member} is read, the first trace of the {} files in the archive; not read: {others}",
                report.members
            )
        });
    let used = report.used_lines();
    let bad = report.unreadable_lines();
    ImportView {
        headline,
        archive: archive.unwrap_or_default(),
        lines: [used, report.lines.saturating_sub(used + bad), bad],
        events: report
            .events
            .iter()
            .map(|tally| {
                let purpose = match tally.purpose {
                    Purpose::Used(what) if tally.used == 0 => format!("{what}; none of these lines"),
                    Purpose::Used(what) => what.to_owned(),
                    Purpose::NotNeeded => "not needed".to_owned(),
                    Purpose::Unknown => "not known here".to_owned(),
                };
                (tally.name.clone(), tally.lines, purpose)
            })
            .collect(),
        skipped: report
            .skipped
            .iter()
            .map(|skip| {
                let found = skip.sample.as_ref().map_or_else(String::new, |sample| {
                    format!("column {}: {}", sample.column, sample.found)
                });
                (
                    skip.reason.words().to_owned(),
                    skip.lines,
                    skip.first_lines.clone(),
                    found,
                    skip.reason.is_unreadable(),
                )
            })
            .collect(),
        lost: report
            .lost
            .iter()
            .map(|lost| (lost.cpu, lost.time, lost.events))
            .collect(),
        span: (first, last),
        cpus: report.cpus_seen.clone(),
    }
}
