//! One decision in words: the answer, what followed, what the governor read, the steps of A beside
//! those of B.

use super::answers::{PAGE, relative, speaker};
use super::protocol::{CardView, DecisionView, MemoryView, StepRow, StepText};
use crate::cpuidle::catalog::Choice;
use crate::page::doc::Side;
use crate::page::memory::{Drawing, Scene, drawing, lights};
use crate::page::plot::bins::Pointer;
use crate::page::plot::svg::svg;
use crate::page::plot::timeline::Chosen;
use crate::page::plot::{Ink, Topic};
use crate::page::session::{DecisionAnswer, LaneDecision, Session};
use crate::page::view::LaneId;
use crate::page::words::align::{self, align};
use crate::page::words::answer::TickFate;
use crate::page::words::behind::behind;
use crate::page::words::decisions::miss;
use crate::page::words::decisive::{decisive, estimate, moved_on};
use crate::page::words::number::{count, duration, energy};
use crate::page::words::{self, Speaker};
use crate::sim::steps::LoopStep;
use crate::sim::{Cause, ExplainError, Explained, Knowledge, Row, Step};
use crate::units::{CpuId, Ns, StateIdx, Time};

/// Everything about decision `n` of a lane; none when it has no such decision. Differences are counted
/// within `range` when it holds the decision.
pub fn decision(
    session: &Session,
    (lane, cpu, n): (LaneId, CpuId, u32),
    range: Option<(Time, Time)>,
) -> Option<DecisionView> {
    let answer = session.decision(lane, cpu, n)?;
    let own = answer.lane(lane)?;
    let plain = speaker(session, cpu, PAGE, false);
    let (a, b) = (answer.lane(LaneId::A), answer.lane(LaneId::B));
    let told = told(&answer);
    let slept = told.map_or(Ns::ZERO, |decision| decision.stretch);
    let ideal = told.and_then(|decision| decision.ideal);
    let periods = told.map_or(1, |decision| decision.followers.len() + 1);
    let chosen: Vec<StateIdx> = [a, b]
        .into_iter()
        .flatten()
        .map(|side| side.row.selected)
        .collect();
    let sentence = if a.is_none() && b.is_none() {
        format!("The recorded kernel chose {}.", plain.state(own.row.selected))
    } else {
        let is_off = |side| {
            session
                .plan()
                .is_some_and(|(plan, _)| plan.variant(side).is_none())
        };
        match (a, b) {
            (Some(a), None) if is_off(Side::B) => plain.sole("A", &a.row),
            (None, Some(b)) if is_off(Side::A) => plain.sole("B", &b.row),
            _ => plain.answer(a.map(|a| &a.row), b.map(|b| &b.row)),
        }
    };
    let (steps, no_steps) = steps(session, cpu, &answer);
    let decisive = answer.differs.and_then(|_| decisive_rows(session, cpu, &answer));
    let own_of_b = b.filter(|_| answer.differs.is_some());
    let patches = own_of_b.and_then(|b| session.patches_behind(cpu, b.n));
    let patches = patches.map(|sets| behind(&sets));
    let span = (
        relative(session, own.row.entry)?,
        relative(session, own.row.exit)?,
    );
    let last = || {
        let n = usize::try_from(*own.followers.last()?).ok()?;
        relative(session, session.record(lane)?.lane(cpu)?.row(n)?.exit)
    };
    Some(DecisionView {
        lane,
        cpu,
        n,
        place: place(session, &answer, own, range),
        span,
        whole: (span.0, last().unwrap_or(span.1)),
        answer: sentence,
        then: plain.aftermath(slept, periods, ideal, &chosen),
        chosen: answer
            .lanes
            .iter()
            .filter_map(|decision| block(session, decision))
            .collect(),
        cards: answer
            .lanes
            .iter()
            .map(|decision| card(session, cpu, &plain, decision))
            .collect(),
        memories: memories(session, cpu, &answer, slept),
        inputs: inputs(&answer, &plain),
        decisive: decisive.unwrap_or_default(),
        patches,
        steps,
        no_steps,
    })
}

fn place(
    session: &Session,
    answer: &DecisionAnswer,
    own: &LaneDecision,
    range: Option<(Time, Time)>,
) -> String {
    let number = format!(
        "{}, {} no. {}",
        answer.cpu,
        own.lane.label(),
        count(u64::from(own.n) + 1, PAGE)
    );
    let among = || {
        let entry = relative(session, answer.lane(LaneId::A)?.row.entry)?;
        session.place_among(entry, answer.cpu, range)
    };
    match among().filter(|_| answer.differs.is_some()) {
        Some((before, all, in_range)) => format!(
            "{number}, difference {} of {}{}{}",
            count(before as u64 + 1, PAGE),
            count(all as u64, PAGE),
            if in_range { " in the range" } else { "" },
            if before > 0 && session.loops(Side::A).is_some() {
                ", everything after the first shifts"
            } else {
                ""
            }
        ),
        None => number,
    }
}

/// The decision whose idle time the sentence is about: A's, else B's, else the recorded one.
fn told(answer: &DecisionAnswer) -> Option<&LaneDecision> {
    let first = || answer.lanes.first();
    answer
        .lane(LaneId::A)
        .or_else(|| answer.lane(LaneId::B))
        .or_else(first)
}

fn card(session: &Session, cpu: CpuId, plain: &Speaker<'_>, decision: &LaneDecision) -> CardView {
    let lane = session.record(decision.lane).and_then(|record| record.lane(cpu));
    let rows: Vec<Row> = std::iter::once(decision.row)
        .chain(
            decision
                .followers
                .iter()
                .filter_map(|n| lane?.row(usize::try_from(*n).ok()?)),
        )
        .collect();
    // By cause, as the table of decisions says it: a tick may also run beside what woke the CPU.
    let ticks = rows.iter().filter(|row| row.cause == Cause::Tick).count();
    let mut parts = vec![match rows.len() {
        1 => "1 period".to_owned(),
        n => format!("{n} periods"),
    }];
    if ticks > 0 {
        parts.push(format!("{ticks} by tick"));
    }
    for what in ["too deep", "too shallow"] {
        let n = rows.iter().filter(|row| miss(row) == Some(what)).count();
        if n > 0 {
            parts.push(format!("{n} {what}"));
        }
    }
    let asked = plain.state(decision.row.selected);
    let state = if decision.row.entered == decision.row.selected {
        asked
    } else {
        format!("{asked}, entered {}", plain.state(decision.row.entered))
    };
    CardView {
        lane: decision.lane,
        state,
        tick: TickFate::of(&decision.row).label().to_owned(),
        outcome: parts.join(", "),
        energy: decision.energy.as_ref().map(|account| {
            // The base that regret compares: without the way out at active power, without ticks.
            let own = format!(
                "est. stay and transition {}",
                energy(account.parts.in_states(), PAGE)
            );
            if account.regret.as_fj() == 0 {
                format!("{own}, as ideal")
            } else {
                format!("{own}, {} over ideal", energy(account.regret, PAGE))
            }
        }),
    }
}

/// What the governor read, from the steps of the first lane that has any.
fn inputs(answer: &DecisionAnswer, plain: &Speaker<'_>) -> Vec<(String, String)> {
    let explained = answer
        .lanes
        .iter()
        .find_map(|decision| decision.steps.as_ref()?.as_ref().ok());
    let Some(explained) = explained else {
        return Vec::new();
    };
    let mut read = Vec::new();
    let mut known = Knowledge::Unknown;
    for step in &explained.steps {
        match step {
            Step::Loop(LoopStep::Began { inputs, tick }) => {
                read.push(("latency limit".to_owned(), plain.limit(inputs.latency_req)));
                read.push((
                    "tick stopped".to_owned(),
                    if tick.stopped { "yes" } else { "no" }.to_owned(),
                ));
                read.push(("utilisation, est.".to_owned(), inputs.utilization.to_string()));
                read.push(("waiting for I/O".to_owned(), inputs.nr_iowait.to_string()));
                known = inputs.known();
            }
            Step::Loop(LoopStep::Chose {
                lengths: Some(lengths),
                ..
            }) => {
                let to_event = duration(lengths.to_event, PAGE);
                read.push((
                    "sleep length".to_owned(),
                    format!("{to_event}, {}", words::known(known)),
                ));
                read.push((
                    "with the tick".to_owned(),
                    duration(lengths.to_event_or_tick, PAGE),
                ));
            }
            Step::Loop(LoopStep::Chose { lengths: None, .. }) => {
                read.push(("sleep length".to_owned(), "not asked for".to_owned()));
            }
            _ => {}
        }
    }
    read
}

fn steps(session: &Session, cpu: CpuId, answer: &DecisionAnswer) -> (Vec<StepRow>, Option<String>) {
    let of = |lane: LaneId| answer.lane(lane).and_then(|decision| decision.steps.as_ref());
    let (a, b) = (of(LaneId::A), of(LaneId::B));
    if let Some(Err(error)) = [a, b].into_iter().flatten().find(|steps| steps.is_err()) {
        return (Vec::new(), Some(format!("No explanation: {error}.")));
    }
    let list = |steps: Option<&Result<Box<Explained>, ExplainError>>| -> Vec<Step> {
        steps
            .and_then(|steps| steps.as_ref().ok())
            .map(|explained| explained.steps.clone())
            .unwrap_or_default()
    };
    let (a_steps, b_steps) = (list(a), list(b));
    let speakers = [
        speaker(session, cpu, PAGE, false),
        speaker(session, cpu, PAGE, true),
    ];
    if a.is_none() && b.is_none() {
        return (
            Vec::new(),
            Some("The recording says what the kernel chose, not why.".to_owned()),
        );
    }
    if a.is_none() || b.is_none() {
        let only = if a.is_some() { &a_steps } else { &b_steps };
        return (
            only.iter()
                .map(|step| StepRow::Same(text(&speakers, step, only)))
                .collect(),
            None,
        );
    }
    let choices = choices(session);
    let alike = choices.is_none_or(|(a, b)| a.family() == b.family());
    let mut rows = Vec::new();
    let mut apart: [Vec<StepText>; 2] = Default::default();
    for row in align(&a_steps, &b_steps) {
        let (a, b) = match row {
            align::Row::Same { a, .. } => {
                side_by_side(&mut rows, &mut apart);
                rows.extend(
                    a_steps
                        .get(a)
                        .map(|step| StepRow::Same(text(&speakers, step, &a_steps))),
                );
                continue;
            }
            align::Row::Collapsed { a, count, .. } => {
                side_by_side(&mut rows, &mut apart);
                let same = a_steps.iter().skip(a).take(count);
                rows.extend(same.map(|step| StepRow::Same(text(&speakers, step, &a_steps))));
                continue;
            }
            align::Row::Split { a, b } => (a, b),
        };
        let side = |n: Option<usize>, steps: &[Step]| n.and_then(|n| steps.get(n)).copied();
        let (one, other) = (side(a, &a_steps), side(b, &b_steps));
        let mut texts = [
            one.map(|step| text(&speakers, &step, &a_steps)),
            other.map(|step| text(&speakers, &step, &b_steps)),
        ];
        name_patch(&mut texts, [one, other], choices);
        match texts {
            // They differ only in something that the sentence does not speak of.
            [Some(a), Some(b)] if a == b => {
                side_by_side(&mut rows, &mut apart);
                rows.push(StepRow::Same(a));
            }
            // Governors of two families share no steps: theirs stand beside each other in order.
            [a, b] if !alike => {
                apart[0].extend(a);
                apart[1].extend(b);
            }
            [a, b] => rows.push(StepRow::Split(a, b)),
        }
    }
    side_by_side(&mut rows, &mut apart);
    (rows, None)
}

/// The steps that made the difference, side by side, and those that moved either on to what it chose.
fn decisive_rows(session: &Session, cpu: CpuId, answer: &DecisionAnswer) -> Option<Vec<StepRow>> {
    let list = |lane: LaneId| {
        let explained = answer.lane(lane)?.steps.as_ref()?.as_ref().ok()?;
        Some(explained.steps.as_slice())
    };
    let (a, b) = (list(LaneId::A)?, list(LaneId::B)?);
    let (one, other) = decisive(a, b)?;
    let speakers = [
        speaker(session, cpu, PAGE, false),
        speaker(session, cpu, PAGE, true),
    ];
    let said = |n: Option<usize>, all: &[Step]| Some(text(&speakers, all.get(n?)?, all));
    let row = |one, other| StepRow::Split(said(one, a), said(other, b));
    let mut rows = vec![row(one, other)];
    let (one, other) = moved_on(a, b, (one, other));
    if one.is_some() || other.is_some() {
        rows.push(row(one, other));
    }
    Some(rows)
}

/// Moves what A and B did apart from each other into rows, in order.
fn side_by_side(rows: &mut Vec<StepRow>, apart: &mut [Vec<StepText>; 2]) {
    let [mut a, mut b] = std::mem::take(apart).map(Vec::into_iter);
    loop {
        match (a.next(), b.next()) {
            (None, None) => return,
            (one, other) => rows.push(StepRow::Split(one, other)),
        }
    }
}

/// Width of the pictures, px: that of the inspector without its margins.
const PLOT_WIDTH: f64 = 366.0;

/// What the governors of A and B remembered, before and after; once where they remember and did the same.
fn memories(session: &Session, cpu: CpuId, answer: &DecisionAnswer, slept: Ns) -> Vec<MemoryView> {
    let Some(rig_cpu) = session
        .plan()
        .and_then(|(plan, _)| plan.rig.as_ref())
        .and_then(|rig| rig.cpu(cpu))
    else {
        return Vec::new();
    };
    let tick = session
        .plan()
        .and_then(|(plan, _)| Side::ALL.into_iter().find_map(|side| plan.variant(side)))
        .map(|variant| variant.hz.period());
    let drawn = |explained: &Explained, pointers: Vec<Pointer>| {
        let scene = Scene {
            states: &rig_cpu.table,
            tick,
            pointers,
            width: PLOT_WIDTH,
        };
        drawing(explained, &scene)
    };
    let mut found: Vec<(Drawing, &Explained, Vec<&LaneDecision>)> = Vec::new();
    for decision in &answer.lanes {
        let Some(Ok(explained)) = &decision.steps else {
            continue;
        };
        let Some(bare) = drawn(explained, Vec::new()) else {
            continue;
        };
        match found.iter_mut().find(|(own, ..)| *own == bare) {
            Some((_, _, lanes)) => lanes.push(decision),
            None => found.push((bare, explained, vec![decision])),
        }
    }
    found
        .into_iter()
        .filter_map(|(_, explained, lanes)| {
            let slept = Pointer {
                ink: Ink::INK,
                label: "slept".to_owned(),
                at: slept,
            };
            let estimates = lanes.iter().filter_map(|decision| pointer(decision));
            let drawing = drawn(explained, estimates.chain([slept]).collect())?;
            Some(MemoryView {
                lanes: lanes.iter().map(|decision| decision.lane).collect(),
                answer: drawing.answer,
                svg: svg(&drawing.plot, |token| format!("var(--{token})")),
                table: (drawing.table.head, drawing.table.rows),
            })
        })
        .collect()
}

/// The block of a decision, and what its governor expected.
fn block(session: &Session, decision: &LaneDecision) -> Option<Chosen> {
    let row = &decision.row;
    Some(Chosen {
        lane: decision.lane,
        n: decision.n,
        entry: relative(session, row.entry)?,
        exit: relative(session, row.exit)?,
        state: row.entered.index(),
        estimate: expected(decision),
        timer: (row.sleep_length < Ns::MAX).then_some(row.sleep_length),
    })
}

/// How long a side expected the stay to last.
fn expected(decision: &LaneDecision) -> Option<Ns> {
    estimate(&decision.steps.as_ref()?.as_ref().ok()?.steps)
}

/// The estimate as a mark on the ruler.
fn pointer(decision: &LaneDecision) -> Option<Pointer> {
    let at = expected(decision)?;
    Some(Pointer {
        ink: if decision.lane == LaneId::B {
            Ink::B
        } else {
            Ink::A
        },
        label: decision.lane.label().to_owned(),
        at,
    })
}

fn choices(session: &Session) -> Option<(Choice, Choice)> {
    let (plan, _) = session.plan()?;
    Some((plan.variant(Side::A)?.governor, plan.variant(Side::B)?.governor))
}

/// Says which patch is behind a split, on the side that has it.
fn name_patch(
    texts: &mut [Option<StepText>; 2],
    steps: [Option<Step>; 2],
    choices: Option<(Choice, Choice)>,
) {
    let Some((a, b)) = choices else { return };
    let Some(patch) = steps
        .iter()
        .flatten()
        .find_map(|step| align::patch_behind(step, a, b))
    else {
        return;
    };
    let with = if b.patches().contains(patch.number) { 1 } else { 0 };
    if let Some(text) = &mut texts[with] {
        let note = format!(" (patch {}: {})", patch.number, patch.title);
        text.plain.push_str(&note);
        text.kernel.push_str(&note);
    }
}

/// A step of the decision with the steps `all` in words.
fn text(speakers: &[Speaker<'_>; 2], step: &Step, all: &[Step]) -> StepText {
    let [plain, kernel] = speakers.map(|speaker| speaker.step(step));
    let parts = lights(step, all, plain.states).into_iter().map(Topic::name);
    StepText {
        about: parts.collect::<Vec<_>>().join(" "),
        plain: plain.text,
        kernel: kernel.text,
        sum: kernel.math,
    }
}
