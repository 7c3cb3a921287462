//! Closed-loop scenarios through a session: the same figures as the published experiments, in links and in JSON.

use idlescope::page::doc::Side;
use idlescope::page::link;
use idlescope::page::mail;
use idlescope::page::session::Session;
use serde_json::Value;

fn answered(fragment: &str) -> Session {
    let (link, issues) = link::parse(fragment);
    assert!(issues.is_empty(), "{fragment}: {issues:?}");
    assert_eq!(link::write(&link), fragment, "the link is as short as it can be");
    let mut session = Session::new();
    let issues = session.ask(&link.doc).to_vec();
    assert!(issues.is_empty(), "{fragment}: {issues:?}");
    session.finish();
    session
}

#[test]
fn a_pipe_test_tells_time_power_and_clock_of_its_loop() {
    let session = answered("w=pipe-test&dur=600ms&a=teo-5.1&b=mobile-2019&hz=1000&f=schedutil");
    let of = |side| session.loops(side).expect("a closed loop");
    let (teo, mobile) = (of(Side::A), of(Side::B));
    assert_eq!((teo.khz, mobile.khz), (3_700_000, 1_600_000));
    let us = |loops: &idlescope::page::session::closed::Loops| loops.loop_time().expect("loops").as_ns() / 10;
    assert!((480..=495).contains(&us(&teo)), "{:?}", teo.loop_time());
    assert!(us(&mobile) > 3 * us(&teo), "{:?}", mobile.loop_time());
    let power = |loops: &idlescope::page::session::closed::Loops| loops.power.expect("modelled").as_uw();
    assert!(power(&mobile) * 2 < power(&teo));
    assert!(mobile.loop_energy() > teo.loop_energy());
    assert!(mobile.tick_stops > 100 * teo.tick_stops.max(1));
    let json: Value = session.to_json();
    let loops = json.pointer("/b/loops/khz").and_then(Value::as_u64);
    assert_eq!(loops, Some(1_600_000));
}

#[test]
fn the_table_for_mail_tells_the_same_figures_and_who_sets_the_clock() {
    let fragment = "w=pipe-test&a=teo-5.1&b=mobile-2019&hz=1000&f=schedutil";
    let session = answered(fragment);
    let doc = link::parse(fragment).0.doc;
    let table = mail::of_session(&session, &doc, None, "#here");
    let figures = |label: &str| {
        let line = table.lines().find(|line| line.starts_with(label));
        let line = line.unwrap_or_else(|| panic!("{label} in {table}"));
        line.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(
        figures("clock at the end"),
        "clock at the end 3.7 GHz 1.6 GHz of 3.7 x0.43"
    );
    assert!(figures("time per loop").starts_with("time per loop 4.8"));
    let words: Vec<&str> = table.split_whitespace().collect();
    let text = words.join(" ");
    assert!(text.contains("clock=schedutil"), "{table}");
    assert!(
        text.contains("in a closed loop everything shifts after the first"),
        "{table}"
    );
    assert!(!text.contains("open loop"), "{table}");
    let wide = table.lines().filter(|line| line.len() > 72 || !line.is_ascii());
    assert_eq!(wide.count(), 0, "{table}");
}

#[test]
fn every_closed_loop_runs_on_its_own_machine_and_on_any_other() {
    for pattern in ["pipe-test", "tbench", "bursts", "jetnews", "geekbench", "server"] {
        for machine in ["", "&m=gs101-little"] {
            let session = answered(&format!("w={pattern}&dur=50ms{machine}&a=teo-6.5&b=menu-6.6"));
            for side in Side::ALL {
                let loops = session.loops(side).expect("a closed loop");
                let busy = loops.busy_per_mille.iter().filter(|share| **share > 0).count();
                assert!(busy > 0 || pattern == "bursts", "{pattern}{machine}");
                assert!(loops.power.is_some() || !machine.is_empty() || pattern == "server");
            }
        }
    }
}

#[test]
fn a_decision_of_a_closed_loop_is_explained() {
    let session = answered("w=jetnews&dur=300ms&a=teo-6.5&b=teo-6.5-p123");
    let lane = idlescope::page::view::LaneId::of(Side::A);
    let record = session.record(lane).expect("A ran");
    assert!(record.decisions() > 100);
    let cpu = idlescope::units::CpuId::new(0);
    let answer = session.decision(lane, cpu, 3).expect("has that many");
    let own = answer.lanes.iter().find(|own| own.lane == lane).expect("of A");
    assert!(matches!(&own.steps, Some(Ok(explained)) if !explained.steps.is_empty()));
}

#[test]
fn a_machine_without_parameters_pays_the_latencies_that_it_lists() {
    let loop_time = |fragment: &str| {
        let session = answered(fragment);
        let loops = session.loops(Side::A).expect("a closed loop");
        loops.loop_time().expect("loops").as_ns()
    };
    let phone = loop_time("w=pipe-test&dur=400ms&m=mt8196-little&a=deepest");
    assert!(phone >= 20_000_000, "two exits of 10 ms: {phone}");
    let server = loop_time("w=pipe-test&dur=50ms&m=intel-skx&a=deepest");
    assert!(
        (266_000..400_000).contains(&server),
        "two exits of 133 us: {server}"
    );
    let half = loop_time("w=pipe-test&dur=50ms&m=intel-skx&a=deepest&xe=50");
    assert!(half < server * 3 / 5, "{half} of {server}");
}

#[test]
fn a_run_of_too_many_decisions_is_cut_and_says_so() {
    let (link, _) = link::parse("w=metronome&gap=1us&run=1us&dur=60s&a=shallowest");
    let mut session = Session::new();
    session.ask(&link.doc);
    session.finish();
    let (_, issues) = session.plan().expect("answered");
    let said: Vec<String> = issues.iter().map(ToString::to_string).collect();
    assert!(
        said.iter()
            .any(|issue| issue.contains("variant A: only the first")),
        "{said:?}"
    );
    let record = session
        .record(idlescope::page::view::LaneId::of(Side::A))
        .expect("A ran");
    assert!(record.decisions() < idlescope::page::session::MOST_DECISIONS + 200_000);
    assert!(record.end.as_ns() < 20_000_000_000);
}
