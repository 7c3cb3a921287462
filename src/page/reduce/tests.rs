use super::*;
use crate::page::doc::SampleId;
use crate::page::link::parse;
use crate::page::live::StateGroup;
use crate::page::view::Selection;
use crate::units::{CpuId, Time};

fn after(actions: impl IntoIterator<Item = Action>) -> Page {
    actions
        .into_iter()
        .fold(Page::default(), |page, action| reduce(&page, action))
}

fn c2() -> Action {
    Action::StatesArrived(vec![group(0, 360)])
}

fn group(cpu: u16, residency: i64) -> StateGroup {
    StateGroup {
        cpus: vec![CpuId::new(cpu)],
        states: vec![BaseState {
            name: "C2".to_owned(),
            target_residency: Ns::from_us(residency),
            exit_latency: Ns::from_us(120),
            power: Microwatts::new(600_000),
            on: true,
            polling: false,
            timer_stop: false,
        }],
    }
}

fn drag(us: i64) -> Action {
    Action::StateDragged("C2".to_owned(), StateField::TargetResidency, us * 1_000)
}

#[test]
fn a_drag_is_one_step() {
    let page = after([c2(), drag(400), drag(500), drag(640), Action::DragReleased]);
    let residency = |page: &Page| page.doc.edits.get("C2").and_then(|edit| edit.target_residency);
    assert_eq!(residency(&page), Some(Ns::from_us(640)));
    let back = reduce(&page, Action::Undo);
    assert_eq!(residency(&back), None);
    assert!(!back.history.can_undo());
    assert_eq!(residency(&reduce(&back, Action::Redo)), Some(Ns::from_us(640)));
}

#[test]
fn a_drag_given_up_leaves_nothing() {
    let page = after([c2(), drag(400), Action::DragCancelled]);
    assert!(page.doc.edits.is_empty() && !page.history.can_undo());
}

#[test]
fn the_machines_own_value_is_no_edit() {
    assert!(after([c2(), drag(400), drag(360)]).doc.edits.is_empty());
    let toggled = |on| Action::StateToggled("C2".to_owned(), on);
    assert!(after([c2(), toggled(false), toggled(true)]).doc.edits.is_empty());
}

#[test]
fn a_value_that_only_some_cpus_have_by_themselves_is_an_edit() {
    let both = Action::StatesArrived(vec![group(0, 360), group(1, 500)]);
    assert_eq!(after([both.clone()]).live.group_of(CpuId::new(1)), 1);
    for us in [360, 500] {
        let page = after([both.clone(), drag(us)]);
        let edit = page.doc.edits.get("C2").and_then(|edit| edit.target_residency);
        assert_eq!(edit, Some(Ns::from_us(us)));
    }
}

#[test]
fn what_was_done_can_be_taken_back_after_going_back_in_the_browser() {
    let sample = || Action::WorkloadChosen(Workload::Sample(SampleId::Arm64Ftrace));
    let page = after([opened("w=doorbell&hz=1000"), sample()]);
    let visit = |text: &str| {
        let (link, issues) = parse(text);
        Action::LinkVisited(Box::new(link), issues)
    };
    let back = reduce(&page, visit("w=doorbell&hz=1000"));
    assert_eq!(back.doc.settings.hz, 1_000);
    assert!(back.history.can_redo() && !back.history.can_undo());
    assert_eq!(reduce(&back, Action::Redo).doc, page.doc);
    // A link typed by hand is a step like any other.
    let typed = reduce(&page, visit("w=metronome"));
    assert_eq!(reduce(&typed, Action::Undo).doc, page.doc);
}

#[test]
fn another_workload_forgets_the_place() {
    let page = after([
        Action::CpuFocused(CpuId::new(3)),
        Action::CursorMoved(Time::from_ns(5)),
        Action::WorkloadChosen(Workload::Sample(SampleId::Arm64Ftrace)),
    ]);
    assert_eq!((page.view.cpu, page.view.cursor), (CpuId::new(0), Time::ZERO));
}

#[test]
fn news_of_an_older_run_is_dropped() {
    let page = after([Action::RunStarted(RunId(2)), Action::RunFinished(RunId(1), 5)]);
    assert!(matches!(page.live.run, Run::Running { .. }));
    assert_eq!(
        reduce(&page, Action::RunFinished(RunId(2), 7)).live.run,
        Run::Done { took_ms: 7 }
    );
}

fn opened(text: &str) -> Action {
    let (link, issues) = parse(text);
    Action::LinkOpened(Box::new(link), issues)
}

fn file(id: &str) -> Action {
    let id = TraceId::parse(id).expect("twelve digits");
    Action::FileRead("trace.txt".to_owned(), id)
}

#[test]
fn a_link_waits_for_its_trace_and_names_another() {
    let asked = after([opened("t=3f9a02c41be7&at=5us")]);
    assert!(asked.live.wanted.is_some());
    let other = reduce(&asked, file("77c0e1d204aa"));
    assert!(other.live.other_trace().is_some());
    assert_eq!(other.doc, asked.doc);
    let same = reduce(&other, file("3f9a02c41be7"));
    assert_eq!((same.live.wanted, same.live.other_trace()), (None, None));
    assert_eq!(same.view.cursor, Time::from_ns(5_000));
}

#[test]
fn another_file_takes_the_links_place_only_when_it_is_accepted() {
    let other = after([opened("t=3f9a02c41be7&at=5us"), file("77c0e1d204aa")]);
    let taken = reduce(&other, Action::FileAccepted);
    assert_eq!(
        taken.doc.workload,
        other.live.open.map_or(Workload::None, Workload::Trace)
    );
    assert_eq!(
        (taken.live.wanted, taken.view.cursor),
        (None, Time::from_ns(5_000))
    );
    let back = reduce(&taken, Action::Undo);
    assert!(
        back.live.other_trace().is_some(),
        "the link's trace is not the open one"
    );
    assert_eq!(after([Action::FileAccepted]), Page::default());
}

#[test]
fn a_link_without_a_workload_is_not_silent() {
    for (text, parts) in [
        ("a=teo-9.9&hz=0&foo=1", 3),
        ("w=nonsense&m=nope", 2),
        ("W=doorbell", 1),
        ("%%%=", 1),
    ] {
        let page = after([opened(text)]);
        assert_eq!(page.live.issues.len(), parts, "{text}");
        assert_eq!(page.doc.workload, Workload::None, "{text}");
    }
}

#[test]
fn one_file_failure_is_kept_until_something_is_open() {
    let failed = |name: &str| Action::FileFailed(name.to_owned(), too_large(2, 1));
    let told = Action::Told(Message {
        of_file: false,
        ..too_large(4, 3)
    });
    let page = after([told, failed("one"), failed("two")]);
    assert_eq!(page.live.messages.len(), 2);
    let kept = |action| reduce(&page, action).live.messages.len();
    assert_eq!(kept(file("77c0e1d204aa")), 1);
    assert_eq!(
        kept(Action::WorkloadChosen(Workload::Sample(SampleId::Arm64Ftrace))),
        1
    );
}

#[test]
fn a_file_read_again_asks_anew() {
    let once = after([file("77c0e1d204aa")]);
    let twice = reduce(&once, file("77c0e1d204aa"));
    assert_eq!(twice.doc, once.doc);
    assert_ne!(twice.live.reads, once.live.reads);
}

#[test]
fn a_dropped_file_becomes_the_workload() {
    let page = after([file("77c0e1d204aa")]);
    assert!(page.doc.workload.is_trace() && page.history.can_undo());
}

#[test]
fn an_override_equal_to_the_shared_setting_is_none() {
    let set = |hz| Action::SettingEdited(Some(Side::B), Setting::Hz(hz));
    let page = after([set(1000)]);
    assert_eq!(page.doc.settings(Side::B).hz, 1000);
    assert_eq!(reduce(&page, set(250)).doc.b.over.hz, None);
}

#[test]
fn speed_walks_the_1_2_5_row_and_stops_at_its_ends() {
    assert_eq!(step_speed(Ns::from_ms(1), true), Ns::from_ms(2));
    assert_eq!(step_speed(Ns::from_ms(2), true), Ns::from_ms(5));
    assert_eq!(step_speed(Ns::from_ms(1), false), Ns::from_us(500));
    assert_eq!(step_speed(Ns::from_us(1), false), Ns::from_us(1));
    assert_eq!(step_speed(Ns::from_ms(1_000), true), Ns::from_ms(1_000));
}

/// CPU 0 and 1 with 20 decisions each in A, 1 s long.
fn known(run: u64) -> [Action; 2] {
    let cpus = vec![CpuId::new(0), CpuId::new(1)];
    let reach = Reach {
        len: Ns::from_ms(1_000),
        decisions: cpus.iter().map(|cpu| (LaneId::A, *cpu, 20)).collect(),
        cpus,
    };
    [
        Action::RunStarted(RunId(run)),
        Action::RecordKnown(RunId(run), Rc::new(reach)),
    ]
}

fn explained(cpu: u16, n: u32, from_us: i64, to_us: i64) -> Action {
    let selection = Selection {
        lane: LaneId::A,
        cpu: CpuId::new(cpu),
        n,
    };
    let at = |us: i64| Time::from_ns(us * 1_000);
    Action::DecisionExplained(selection, at(from_us), at(to_us))
}

#[test]
fn a_link_with_a_decision_and_no_window_shows_that_decision() {
    let [started, reach] = known(1);
    let opened = after([opened("w=arm64-menu&cpu=1&d=7"), started, reach]);
    assert_eq!(opened.view.window, None);
    let shown = reduce(&opened, explained(1, 6, 5_000, 7_000));
    let window = shown.view.window.expect("a window around it");
    assert!(window.contains(Time::from_ns(5_000_000)) && window.contains(Time::from_ns(7_000_000)));
    assert!(window.len() < Ns::from_ms(5), "{window:?}");
    assert_eq!(shown.view.cursor, Time::from_ns(5_000_000));
    let next = reduce(&shown, Action::WindowMoved(None));
    let again = reduce(&next, explained(1, 6, 5_000, 7_000));
    assert_eq!(again.view.window, None, "only the link's own decision is fitted");
}

#[test]
fn a_window_in_the_link_is_kept() {
    let [started, reach] = known(1);
    let page = after([
        opened("w=arm64-menu&cpu=1&d=7&win=1ms~9ms"),
        started,
        reach,
        explained(1, 6, 5_000, 7_000),
    ]);
    let window = Window::new(Time::from_ns(1_000_000), Time::from_ns(9_000_000));
    assert_eq!(page.view.window, Some(window));
}

#[test]
fn a_place_that_the_workload_lacks_is_told_when_the_workload_is_there() {
    let [started, reach] = known(1);
    let asked = after([opened("w=arm64-menu&cpu=77&d=999999")]);
    assert_eq!(asked.live.misfits, []);
    let told = [started, reach]
        .into_iter()
        .fold(asked, |page, action| reduce(&page, action));
    assert_eq!(told.live.misfits.len(), 1);
    assert_eq!((told.view.cpu, told.view.decision), (CpuId::new(0), None));
    assert_eq!(reduce(&told, Action::MisfitsDismissed).live.misfits, []);
    // The next run of an edited question says nothing about a link.
    let again = known(2).into_iter().fold(
        reduce(&told, Action::CpuFocused(CpuId::new(40))),
        |page, action| reduce(&page, action),
    );
    assert_eq!(again.live.misfits, told.live.misfits);
}

#[test]
fn a_second_link_of_the_same_question_is_compared_at_once() {
    let [started, reach] = known(1);
    let page = after([
        opened("w=arm64-menu"),
        started,
        reach,
        opened("w=arm64-menu&cpu=1&d=21"),
    ]);
    assert_eq!(page.live.misfits.len(), 1);
    assert_eq!(page.view.decision, Some(19));
}

#[test]
fn another_workload_forgets_what_a_link_said() {
    let [started, reach] = known(1);
    let page = after([
        opened("w=arm64-menu&cpu=77"),
        started,
        reach,
        Action::WorkloadChosen(Workload::None),
    ]);
    assert_eq!((page.live.misfits.len(), page.live.unsettled), (0, false));
}

#[test]
fn a_link_to_another_trace_leaves_no_run_of_the_old_one() {
    let [started, reach] = known(1);
    let page = after([
        opened("w=arm64-menu"),
        started,
        reach,
        Action::RunFinished(RunId(1), 5),
        opened("t=3f9a02c41be7"),
    ]);
    assert_eq!((page.live.run, page.live.reach.is_none()), (Run::None, true));
    assert!(page.live.groups.is_empty());
    let [_, late] = known(1);
    let after_late = [late, Action::RunFinished(RunId(1), 5)]
        .into_iter()
        .fold(page.clone(), |page, action| reduce(&page, action));
    assert_eq!(after_late, page, "news of the old run is dropped");
}

#[test]
fn a_fit_waits_for_the_explanation_and_ends_when_the_window_is_moved() {
    let [started, reach] = known(1);
    let open = after([opened("w=arm64-menu&cpu=1&d=7&win=1ms~9ms"), started, reach]);
    let asked = reduce(&open, Action::FitAsked);
    let fitted = reduce(&asked, explained(1, 6, 5_000, 7_000));
    let window = fitted.view.window.expect("a window");
    assert!(window.len() < Ns::from_ms(5), "{window:?}");
    let moved = [Action::WindowMoved(None), explained(1, 6, 5_000, 7_000)]
        .into_iter()
        .fold(asked, |page, action| reduce(&page, action));
    assert_eq!(moved.view.window, None);
}

#[test]
fn the_window_follows_the_cursor_and_a_links_window_stays() {
    let [started, reach] = known(1);
    let at = |ms: i64| Time::from_ns(ms * 1_000_000);
    let open = after([opened("w=arm64-menu&win=100ms~110ms"), started, reach]);
    assert_eq!(
        open.view.window,
        Some(Window::new(at(100), at(110))),
        "as its author saw it"
    );
    let inside = reduce(&open, Action::CursorMoved(at(109)));
    assert_eq!(inside.view.window, open.view.window);
    let beyond = reduce(&open, Action::Played(at(500)));
    assert_eq!(beyond.view.window, Some(Window::new(at(496), at(506))));
    let end = reduce(&open, Action::CursorMoved(at(1_000)));
    assert_eq!(end.view.window, Some(Window::new(at(990), at(1_000))));
}

#[test]
fn a_link_whose_workload_does_not_exist_keeps_everything_else() {
    let text = "w=teapot&m=snb&a=teo-6.5&b=teo-6.5-p123&hz=1000&cpu=2&at=1ms";
    let (link, issues) = parse(text);
    let page = after([Action::LinkOpened(Box::new(link), issues)]);
    let kept = "m=snb&a=teo-6.5&b=teo-6.5-p123&hz=1000&cpu=2&at=1ms";
    let fragment = |page: &Page| link::fragment(&page.doc, &page.view, link::Extent::Everything);
    assert_eq!(fragment(&page), kept);
    let id = TraceId::parse("3f9a02c41be7").expect("twelve digits");
    let chosen = [
        (
            Action::WorkloadChosen(Workload::Sample(SampleId::Arm64Ftrace)),
            "w=arm64-menu",
        ),
        (Action::FileRead("a".to_owned(), id), "t=3f9a02c41be7"),
    ];
    for (action, workload) in chosen {
        let page = reduce(&page, action);
        assert_eq!(fragment(&page), format!("{workload}&{kept}"));
        assert_eq!(page.live.issues, []);
        // In another workload the machine and the place mean nothing.
        let other = reduce(
            &page,
            Action::WorkloadChosen(Workload::Sample(SampleId::Arm64Loss)),
        );
        assert_eq!(fragment(&other), "w=arm64-loss&a=teo-6.5&b=teo-6.5-p123&hz=1000");
    }
}

fn sleepers() -> Vec<StateGroup> {
    let state = |name: &str, us: i64, mw: u32| BaseState {
        name: name.to_owned(),
        target_residency: Ns::from_us(4 * us),
        exit_latency: Ns::from_us(us),
        power: Microwatts::new(mw * 1_000),
        on: true,
        polling: false,
        timer_stop: false,
    };
    let states = vec![state("C1", 1, 400), state("C6", 100, 100)];
    vec![
        StateGroup {
            cpus: vec![CpuId::new(0)],
            states: states.clone(),
        },
        StateGroup {
            cpus: vec![CpuId::new(1)],
            states: states.into_iter().take(1).collect(),
        },
    ]
}

#[test]
fn adding_and_removing_a_state_are_one_step_each_and_in_the_link() {
    let add = |after: &str| Action::StateAdded(after.to_owned());
    let st = |page: &Page| {
        let link = Link::new(&page.doc, &page.view, link::Extent::Question);
        let text = link::write(&link);
        let st = text.split('&').find_map(|pair| pair.strip_prefix("st="));
        st.unwrap_or_default().to_owned()
    };
    let page = after([Action::StatesArrived(sleepers()), add("C1")]);
    // Between the neighbours of the CPUs that have a deeper state, not behind the last of the others.
    assert_eq!(st(&page), "new1.afC1,new1.tr40us,new1.xl10us,new1.mw200");
    let page = reduce(&page, add("C1"));
    assert_eq!(
        st(&page),
        "new1.afnew2,new1.tr40us,new1.xl10us,new1.mw200,new2.afC1,new2.tr13us,new2.xl3us,new2.mw283"
    );
    let page = reduce(&page, Action::StateRemoved("new2".to_owned()));
    assert_eq!(st(&page), "new1.afC1,new1.tr40us,new1.xl10us,new1.mw200");
    let page = reduce(&page, Action::StateRemoved("C6".to_owned()));
    assert_eq!(st(&page), "C6.gone,new1.afC1,new1.tr40us,new1.xl10us,new1.mw200");
    let page = reduce(&page, Action::StateReset("C6".to_owned()));
    assert_eq!(st(&page), "new1.afC1,new1.tr40us,new1.xl10us,new1.mw200");
    let back = (0..5).fold(page, |page, _| reduce(&page, Action::Undo));
    assert!(back.doc.edits.is_empty() && !back.history.can_undo());
}

#[test]
fn a_table_that_is_full_takes_no_more_states() {
    let add = || Action::StateAdded("C1".to_owned());
    let page = (0..12).fold(after([Action::StatesArrived(sleepers())]), |page, _| {
        reduce(&page, add())
    });
    assert_eq!(page.doc.edits.iter().count(), crate::cpuidle::MAX_STATES - 2);
    assert_eq!(reduce(&page, Action::StateAdded("C9".to_owned())).doc, page.doc);
}

#[test]
fn a_power_of_a_link_out_of_its_order_is_refused_when_the_machine_is_known() {
    let (link, issues) = parse("w=metronome&a=teo-6.12&st=C6.mw900,C6.tr300us,C1.mw350");
    assert_eq!(issues, []);
    let page = after([
        Action::LinkOpened(Box::new(link), issues),
        Action::StatesArrived(sleepers()),
    ]);
    let told: Vec<String> = page
        .live
        .issues
        .iter()
        .map(|issue| issue.to_string().replace('\u{202f}', " "))
        .collect();
    assert_eq!(
        told,
        ["st=C6.mw900: must be a power from 0, below the 350 mW of C1"]
    );
    let edit = page.doc.edits.get("C6").unwrap();
    assert_eq!(
        (edit.power, edit.target_residency),
        (None, Some(Ns::from_us(300)))
    );
    assert!(!page.history.can_undo(), "it was never a step");
    assert_eq!(page.history.current(), &page.doc);
}

#[test]
fn who_sets_the_clock_is_one_undo_step_and_in_the_link() {
    use crate::page::generated::{Generated, Pattern};
    use crate::sim::machine::FrequencyRule;
    let page = after([
        Action::WorkloadChosen(Workload::Generated(Generated::new(Pattern::PipeTest))),
        Action::FrequencyChosen(FrequencyRule::Ondemand),
    ]);
    let link = link::fragment(&page.doc, &page.view, link::Extent::Everything);
    assert!(link.contains("f=ondemand"), "{link}");
    assert_eq!(parse(&link).0.doc.frequency, FrequencyRule::Ondemand);
    let back = reduce(&page, Action::Undo);
    assert_eq!(back.doc.frequency, FrequencyRule::Schedutil, "as it was opened");
}
