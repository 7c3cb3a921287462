//! The governor's memory before and after a decision: picture, table and answer agree, for every entry.

use idlescope::cpuidle::{Choice, Snapshot};
use idlescope::page::doc::{Doc, Workload};
use idlescope::page::generated::{Generated, Param, Pattern};
use idlescope::page::memory::{Drawing, Scene, drawing};
use idlescope::page::plot::{Ink, Plot, Shape};
use idlescope::page::session::Session;
use idlescope::page::view::LaneId;
use idlescope::units::{CpuId, Ns};

/// Pauses of equal and of random lengths.
const WORKLOADS: [(Pattern, i64); 3] = [
    (Pattern::Metronome, 1),
    (Pattern::Doorbell, 1),
    (Pattern::Doorbell, 0),
];

fn answered((pattern, fixed): (Pattern, i64), choice: Choice) -> Session {
    let mut generated = Generated::new(pattern);
    generated.set(Param::Fixed, fixed);
    generated.set(Param::Duration, Ns::from_ms(200).as_ns());
    let mut doc = Doc {
        workload: Workload::Generated(generated),
        ..Doc::default()
    };
    doc.a.governor = Some(choice);
    doc.b.governor = None;
    let mut session = Session::new();
    session.ask(&doc);
    session.finish();
    session
}

/// The drawings of the first decisions, and whether the governor remembers anything.
fn drawings(workload: (Pattern, i64), choice: Choice) -> (Vec<Drawing>, bool) {
    let session = answered(workload, choice);
    let rig = session.plan().and_then(|(plan, _)| plan.rig.as_ref());
    let own = rig.and_then(|rig| rig.cpu(CpuId::new(0))).expect("a machine");
    let (mut found, mut remembers) = (Vec::new(), false);
    for n in 0..90 {
        let Some(answer) = session.decision(LaneId::A, CpuId::new(0), n) else {
            break;
        };
        let decision = answer.lane(LaneId::A).expect("A decided");
        let explained = decision.steps.as_ref().expect("a lane that is simulated");
        let explained = explained.as_ref().expect("it comes out again");
        let scene = Scene {
            states: &own.table,
            tick: Some(Ns::from_ms(4)),
            pointers: Vec::new(),
            width: 366.0,
        };
        remembers |= explained.chosen.governor.snapshot() != Snapshot::Nothing;
        found.extend(drawing(explained, &scene));
    }
    (found, remembers)
}

fn is_inside(plot: &Plot, (x, y): (f64, f64)) -> bool {
    x.is_finite()
        && y.is_finite()
        && (-1.0..=plot.width + 1.0).contains(&x)
        && (-1.0..=plot.height + 1.0).contains(&y)
}

#[track_caller]
fn check(drawing: &Drawing) {
    let (plot, table) = (&drawing.plot, &drawing.table);
    assert!(plot.name.starts_with(&drawing.answer), "{}", plot.name);
    assert!(!drawing.answer.is_empty() && !table.rows.is_empty());
    for row in &table.rows {
        assert_eq!(row.len(), table.head.len(), "{row:?}");
    }
    for shape in &plot.shapes {
        let inside = match shape {
            Shape::Rect {
                x, y, width, height, ..
            } => {
                *width >= 0.0
                    && *height >= 0.0
                    && is_inside(plot, (*x, *y))
                    && is_inside(plot, (x + width, y + height))
            }
            Shape::Path { points, .. } => points.iter().all(|point| is_inside(plot, *point)),
            Shape::Mark { x, y, .. } | Shape::Text { x, y, .. } => is_inside(plot, (*x, *y)),
        };
        assert!(inside, "{shape:?} in {}", plot.name);
    }
}

#[test]
fn every_entry_draws_what_it_remembers() {
    for choice in Choice::all() {
        for workload in WORKLOADS {
            let (drawings, remembers) = drawings(workload, choice);
            assert_eq!(!drawings.is_empty(), remembers, "{choice}");
            drawings.iter().for_each(check);
        }
    }
}

fn of(name: &str) -> Vec<Drawing> {
    let choice = name.parse().expect("a choice");
    WORKLOADS
        .into_iter()
        .flat_map(|workload| drawings(workload, choice).0)
        .collect()
}

#[track_caller]
fn says(name: &str, parts: &[&str]) {
    let drawings = of(name);
    for part in parts {
        assert!(
            drawings.iter().any(|drawing| drawing.plot.name.contains(part)),
            "{name}: nothing says {part}, the first is {:?}",
            drawings.first().map(|drawing| &drawing.plot.name)
        );
    }
}

#[test]
fn each_family_answers_in_its_own_terms() {
    says(
        "ladder-5.5",
        &[
            "Stays on ",
            "Goes deeper, from ",
            "Goes back, from ",
            "cleared at 4",
        ],
    );
    says(
        "haltpoll-6.12",
        &[
            "The window grows from closed to ",
            "The window stays ",
            "polled",
            "window after",
        ],
    );
    says("teo-6.5", &["Candidate ", "Intercepts below ", ", was "]);
    says(
        "menu-6.6",
        &[
            "left out by look 1: the longest",
            "is typical",
            "factor of bucket",
        ],
    );
    says("menu-6.15", &["left out by look 1: the shortest"]);
    says(
        "mobile-2019",
        &["is expected, by the next timer", "the earliest", "mean to a task"],
    );
}

#[test]
fn an_interval_left_out_is_hollow_once_and_gone_from_later_looks() {
    let mut seen = 0;
    for drawing in of("menu-6.15") {
        let out = |row: &&Vec<String>| row[2].starts_with("left out by look");
        let dropped = drawing.table.rows.iter().filter(out).count();
        let hollow = |shape: &&Shape| {
            matches!(
                shape,
                Shape::Mark {
                    diamond: false,
                    fill: Ink::SURFACE,
                    ..
                }
            )
        };
        let rings = drawing.plot.shapes.iter().filter(hollow).count();
        assert!(
            rings <= dropped && (rings > 0) == (dropped > 0),
            "{}",
            drawing.plot.name
        );
        seen += dropped;
    }
    assert!(seen > 20, "{seen} intervals were left out");
}
