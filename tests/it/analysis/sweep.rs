//! Sweeps: their points are those of whole runs, whatever they are cut into, and they leave the
//! session's answers alone.

use idlescope::page::doc::{Doc, StateField, Workload};
use idlescope::page::generated::{Generated, Param, Pattern};
use idlescope::page::session::{Session, Sweep};
use idlescope::page::sweep::{Measure, Point, Swept, values};
use idlescope::units::Ns;

fn doc() -> Doc {
    let mut generated = Generated::new(Pattern::Doorbell);
    generated.set(Param::Duration, Ns::from_ms(400).as_ns());
    let mut doc = Doc {
        workload: Workload::Generated(generated),
        ..Doc::default()
    };
    doc.a.governor = "teo-6.5".parse().ok();
    doc.b.governor = "menu-6.6".parse().ok();
    doc
}

fn answered(doc: &Doc) -> Session {
    let mut session = Session::new();
    session.ask(doc);
    session.finish();
    session
}

fn swept(field: StateField) -> Swept {
    Swept {
        state: "C3".to_owned(),
        field,
    }
}

fn points(session: &Session, doc: &Doc, field: StateField, tried: &[i64], budget: u64) -> Vec<Point> {
    let mut sweep = Sweep::new(doc, swept(field), tried.to_vec());
    while sweep.step(session, budget) {}
    sweep.points().to_vec()
}

#[test]
fn each_point_is_what_a_run_with_that_value_gives() {
    let doc = doc();
    let session = answered(&doc);
    let field = StateField::TargetResidency;
    let tried = [50_000, 345_000, 2_000_000];
    let found = points(&session, &doc, field, &tried, u64::MAX);
    assert_eq!(found.iter().map(|point| point.value).collect::<Vec<_>>(), tried);
    for point in &found {
        let alone = answered(&swept(field).with(&doc, point.value));
        assert_eq!(alone.outcomes(&swept(field)), point.sides, "{}", point.value);
    }
    let misses = |point: &Point| {
        let a = point.sides[0].as_ref().expect("A ran");
        Measure::Misses.of(a, None).expect("there are idle exits")
    };
    assert_ne!(misses(&found[0]), misses(&found[2]), "a residency matters");
}

#[test]
fn a_sweep_in_pieces_equals_a_sweep_at_once_and_changes_no_answer() {
    let doc = doc();
    let session = answered(&doc);
    let before = session.to_json();
    let field = StateField::ExitLatency;
    let tried = values((1_000, 400_000), 104_000);
    let whole = points(&session, &doc, field, &tried[..6], u64::MAX);
    assert_eq!(points(&session, &doc, field, &tried[..6], 37), whole);
    assert_eq!(session.to_json(), before);
}

#[test]
fn power_decides_nothing_and_costs() {
    let doc = doc();
    let session = answered(&doc);
    let found = points(&session, &doc, StateField::Power, &[1_000, 900_000], u64::MAX);
    let [low, high] = [0, 1].map(|n| found[n].sides[1].expect("B ran"));
    assert!(low.energy < high.energy, "{low:?} {high:?}");
    assert_eq!(
        (low.periods, low.too_deep, low.in_state),
        (high.periods, high.too_deep, high.in_state)
    );
}

#[test]
fn a_variant_that_is_off_has_no_curve() {
    let mut doc = doc();
    doc.b.governor = None;
    let session = answered(&doc);
    let found = points(&session, &doc, StateField::TargetResidency, &[9_000], u64::MAX);
    assert!(found[0].sides[0].is_some() && found[0].sides[1].is_none());
}
