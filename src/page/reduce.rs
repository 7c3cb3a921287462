//! The one place where the page changes: a pure function of page and action.

use std::rc::Rc;

use super::Page;
use super::action::{Action, Setting};
use super::costs::Costs;
use super::doc::{Doc, MachineChoice, Side, StateEdit, StateField, TraceId, Workload};
use super::history::History;
use super::link::{self, Issue, Link, Reach};
use super::live::{BaseState, File, Grade, Live, Message, Run, RunId};
use super::plot::energy::State;
use super::scenarios;
use super::table;
use super::view::{LaneId, View, Window};
use crate::cpuidle::MAX_STATES;
use crate::tick::RateLimit;
use crate::units::{Microwatts, Ns, Time};

/// The slowest and fastest playback: simulated time per second.
const SPEED: (Ns, Ns) = (Ns::from_us(1), Ns::from_ms(1_000));

/// The page after an action.
#[must_use]
pub fn reduce(page: &Page, action: Action) -> Page {
    let mut page = page.clone();
    match action {
        Action::LinkOpened(link, issues) => {
            page.history = Rc::new(History::new(Rc::new(link.doc.clone())));
            visit(&mut page, *link, issues);
        }
        Action::LinkVisited(link, issues) => {
            Rc::make_mut(&mut page.history).visit(Rc::new(link.doc.clone()));
            visit(&mut page, *link, issues);
        }
        Action::RecordKnown(id, reach) if id == page.live.run_id => {
            Rc::make_mut(&mut page.live).reach = Some(reach);
            settle(&mut page);
        }
        Action::DecisionExplained(selection, from, to) if page.view.selection() == Some(selection) => {
            explained(&mut page, from, to);
        }
        Action::Undo | Action::Redo => {
            let history = Rc::make_mut(&mut page.history);
            let doc = if action == Action::Undo {
                history.undo()
            } else {
                history.redo()
            };
            if let Some(doc) = doc {
                page.doc = doc;
                ask_for_trace(&mut page);
            }
        }
        Action::DragReleased => {
            let doc = Rc::clone(&page.doc);
            Rc::make_mut(&mut page.history).push(doc);
        }
        Action::DragCancelled => page.doc = Rc::clone(page.history.current()),
        Action::StateDragged(state, field, value) => {
            let live = Rc::clone(&page.live);
            set_number(Rc::make_mut(&mut page.doc), &live, &state, field, value);
        }
        Action::GovernorDragged(side, choice) => {
            Rc::make_mut(&mut page.doc).variant_mut(side).governor = Some(choice);
        }
        Action::TablesRead(name, read) => tables::take(&mut page, name, *read),
        Action::FitAsked => Rc::make_mut(&mut page.live).unfitted = true,
        action => {
            if matches!(action, Action::WindowMoved(_)) {
                // Whoever moves the window wants it there.
                Rc::make_mut(&mut page.live).unfitted = false;
            }
            let moves = matches!(
                action,
                Action::CursorMoved(_) | Action::Played(_) | Action::DecisionSelected(..)
            );
            if !edit(&mut page, &action) && !look(Rc::make_mut(&mut page.view), &action) {
                arrive(&mut page, action);
            }
            if moves {
                follow(&mut page);
            }
        }
    }
    page
}

/// Shows what a link says; the history already stands there.
fn visit(page: &mut Page, link: Link, issues: Vec<Issue>) {
    let live = Rc::make_mut(&mut page.live);
    live.issues = issues;
    live.misfits.clear();
    live.unsettled = true;
    live.unfitted = link.view.decision.is_some() && link.view.window.is_none();
    if link.doc.workload != page.doc.workload {
        live.run = Run::None;
        // What a run still under way will tell is about the old one.
        live.run_id = RunId(live.run_id.0.saturating_add(1));
        live.groups = Rc::default();
    }
    if link.doc != *page.doc {
        live.reach = None;
    }
    page.doc = Rc::clone(page.history.current());
    // What no link carries stays as the reader has it.
    let View { theme, extras, .. } = *page.view;
    page.view = Rc::new(View {
        theme,
        extras,
        ..link.view
    });
    ask_for_trace(page);
    settle(page);
}

/// Actions that change the question; each is one undo step.
fn edit(page: &mut Page, action: &Action) -> bool {
    let mut doc = (*page.doc).clone();
    let live = &page.live;
    match action {
        Action::WorkloadChosen(workload) => {
            // A link that named no workload that exists may still have named a machine.
            if doc.workload != Workload::None && !keeps_machine(&doc, workload) {
                doc.machine = None;
            }
            match scenarios::chosen(&doc, workload) {
                Some(own) => doc = own,
                None => doc.workload.clone_from(workload),
            }
        }
        Action::ParamEdited(param, value) => {
            if let Workload::Generated(generated) = &mut doc.workload {
                generated.set(*param, *value);
            }
        }
        Action::BeatsEdited(beats) => {
            if let Workload::Generated(generated) = &mut doc.workload {
                generated.set_beats(beats.clone());
            }
        }
        Action::MachineChosen(machine) => {
            doc.machine = machine.clone().map(MachineChoice::Preset);
            doc.edits.clear();
            doc.costs = Costs::default();
        }
        Action::GovernorChosen(side, governor) => doc.variant_mut(*side).governor = *governor,
        Action::VariantsSwapped => std::mem::swap(&mut doc.a, &mut doc.b),
        Action::SettingEdited(side, setting) => set(&mut doc, *side, *setting),
        Action::OverridesReset(side) => doc.variant_mut(*side).over = Default::default(),
        Action::ExitPercentEdited(percent) => doc.exit_percent = (*percent).min(100),
        Action::TickCostEdited(cost) => doc.tick_cost = cost.map(|cost| cost.max(Ns::ZERO)),
        Action::CostEdited(cost, value) => doc.costs.set(*cost, *value),
        Action::CostsReset => doc.costs = Costs::default(),
        Action::SharedPowerEdited(power) => doc.shared_power = *power,
        Action::SharedResidencyEdited(from) => doc.shared_residency = from.map(|from| from.max(Ns::ZERO)),
        Action::StartClockEdited(mhz) => doc.start_mhz = *mhz,
        Action::FrequencyChosen(rule) => doc.frequency = *rule,
        Action::StateEdited(state, field, value) => set_number(&mut doc, live, state, *field, *value),
        Action::StateToggled(state, on) => {
            let own = is_own(live, state, |base| base.on == *on);
            doc.edits.change(state, |edit| edit.on = (!own).then_some(*on));
        }
        Action::StateAdded(after) => add_state(&mut doc, live, after),
        Action::StateRemoved(state) => doc.edits.remove(state),
        Action::StateReset(state) => doc.edits.set(state, StateEdit::default()),
        Action::EditsReset => doc.edits.clear(),
        _ => return false,
    }
    // The place is that of a link whose workload does not exist: it may well be one in this workload.
    let from_link = page.doc.workload == Workload::None && live.unsettled;
    let moved_elsewhere = doc.workload != page.doc.workload;
    page.doc = Rc::new(doc);
    let doc = Rc::clone(&page.doc);
    Rc::make_mut(&mut page.history).push(doc);
    if moved_elsewhere && matches!(action, Action::WorkloadChosen(_)) {
        let live = Rc::make_mut(&mut page.live);
        live.forget_file_failure();
        live.forget_workload_issue();
        if !from_link {
            live.forget_link_place();
            forget_place(Rc::make_mut(&mut page.view));
        }
        ask_for_trace(page);
    }
    true
}

/// Whether a table that the user gave stays the machine: the machine of a sample is known.
fn keeps_machine(doc: &Doc, workload: &Workload) -> bool {
    let given = doc
        .machine
        .as_ref()
        .is_some_and(|machine| machine.given().is_some());
    given && !matches!(workload, Workload::Sample(_))
}

/// When the cursor leaves the window, the window moves so that the cursor stands at 40 % of it.
fn follow(page: &mut Page) {
    let (Some(window), Some(reach)) = (page.view.window, &page.live.reach) else {
        return;
    };
    let cursor = page.view.cursor;
    if !window.contains(cursor) {
        let from = cursor - Ns::new(window.len().as_ns() / 5 * 2);
        let to = Window::new(from, from.saturating_add(window.len())).within(whole(reach));
        Rc::make_mut(&mut page.view).window = Some(to);
    }
}

fn whole(reach: &Reach) -> Window {
    Window::new(Time::ZERO, Time::ZERO.saturating_add(reach.len))
}

/// Compares the place that a link named with what there is, once both are known.
fn settle(page: &mut Page) {
    let Some(reach) = page.live.reach.clone().filter(|_| page.live.unsettled) else {
        return;
    };
    let misfits = link::settle(Rc::make_mut(&mut page.view), &reach);
    let live = Rc::make_mut(&mut page.live);
    live.unsettled = false;
    live.misfits = misfits;
}

/// A link may name a decision by number alone: its place in time is known only now.
fn explained(page: &mut Page, from: Time, to: Time) {
    let view = Rc::make_mut(&mut page.view);
    view.cursor = from;
    let Some(reach) = page.live.reach.clone().filter(|_| page.live.unfitted) else {
        return;
    };
    Rc::make_mut(&mut page.live).unfitted = false;
    view.window = Some(Window::around(from, to, whole(&reach)));
}

/// Whether the question needs a trace other than the one that is open.
fn ask_for_trace(page: &mut Page) {
    let live = Rc::make_mut(&mut page.live);
    live.wanted = match page.doc.workload {
        Workload::Trace(id) if live.open != Some(id) => Some(id),
        _ => None,
    };
}

/// The places of one workload mean nothing in another.
fn forget_place(view: &mut View) {
    let fresh = View::default();
    view.window = fresh.window;
    view.range = fresh.range;
    view.range_from = fresh.range_from;
    view.cpu = fresh.cpu;
    view.open_cpus = fresh.open_cpus;
    view.cursor = fresh.cursor;
    view.decision = fresh.decision;
    view.pin = fresh.pin;
    view.playing = false;
}

fn set(doc: &mut Doc, side: Option<Side>, setting: Setting) {
    let Some(side) = side else {
        match setting {
            Setting::Hz(hz) => doc.settings.hz = hz.clamp(20, 2_000),
            Setting::Nohz(nohz) => doc.settings.nohz = nohz,
            Setting::RateLimit(limit) => doc.settings.rate_limit = rate_limit(limit),
            Setting::Latency(limit) => doc.settings.latency = limit,
        }
        return;
    };
    let shared = doc.settings.clone();
    let over = &mut doc.variant_mut(side).over;
    match setting {
        Setting::Hz(hz) => over.hz = Some(hz.clamp(20, 2_000)).filter(|hz| *hz != shared.hz),
        Setting::Nohz(nohz) => over.nohz = Some(nohz).filter(|nohz| *nohz != shared.nohz),
        Setting::RateLimit(limit) => {
            over.rate_limit = Some(rate_limit(limit)).filter(|limit| *limit != shared.rate_limit);
        }
        Setting::Latency(limit) => over.latency = Some(limit).filter(|limit| *limit != shared.latency),
    }
}

fn rate_limit(limit: Ns) -> Ns {
    limit.clamp(Ns::ZERO, RateLimit::MOST)
}

/// Adds a state after another one, in the middle between that and the next deeper one, with a name and numbers
/// of its own: what is edited later moves neither.
fn add_state(doc: &mut Doc, live: &Live, after: &str) {
    let tables = live.groups.iter().map(|group| {
        let own: Vec<State> = group.states.iter().map(State::from).collect();
        table::edited(&own, &doc.edits).states
    });
    let with = tables.filter(|states| states.iter().any(|state| state.name == after));
    // The CPUs with the most states have the nearest neighbour.
    let Some(states) = with.max_by_key(Vec::len) else {
        return;
    };
    if states.len() >= MAX_STATES {
        return;
    }
    let at = states.iter().position(|state| state.name == after).unwrap_or(0);
    let Some(shallower) = states.get(at) else { return };
    let own = live.groups.iter().flat_map(|group| &group.states);
    let mut taken: Vec<&str> = own.map(|state| state.name.as_str()).collect();
    taken.extend(doc.edits.iter().map(|(name, _)| name));
    let name = table::free_name(&taken);
    let new = table::between(&name, shallower, states.get(at + 1));
    let edit = StateEdit {
        target_residency: Some(new.target_residency),
        exit_latency: Some(new.exit_latency),
        power: Some(new.power),
        ..StateEdit::default()
    };
    doc.edits.add(&name, after, edit);
}

/// Takes powers out of the question that are out of order on the machine that has become known, and tells them
/// as parts of the link: nothing else can have brought them.
fn refuse_powers(doc: &mut Doc, live: &mut Live) {
    for group in live.groups.iter() {
        let own: Vec<State> = group.states.iter().map(State::from).collect();
        for refused in table::edited(&own, &doc.edits).refused {
            doc.edits.change(&refused.state, |edit| edit.power = None);
            let issue = Issue::refused_power(&refused);
            if !live.issues.contains(&issue) {
                live.issues.push(issue);
            }
        }
    }
}

/// Whether every CPU that has the state has this value by itself; then it is no edit.
fn is_own(live: &Live, state: &str, same: impl Fn(&BaseState) -> bool) -> bool {
    live.bases(state).next().is_some() && live.bases(state).all(same)
}

/// Sets one number of a state; the machine's own value is no edit.
fn set_number(doc: &mut Doc, live: &Live, state: &str, field: StateField, value: i64) {
    doc.edits.change(state, |edit| match field {
        StateField::TargetResidency => {
            let value = Ns::new(value.max(0));
            let own = is_own(live, state, |base| base.target_residency == value);
            edit.target_residency = (!own).then_some(value);
        }
        StateField::ExitLatency => {
            let value = Ns::new(value.max(0));
            let own = is_own(live, state, |base| base.exit_latency == value);
            edit.exit_latency = (!own).then_some(value);
        }
        StateField::Power => {
            let value = Microwatts::new(u32::try_from(value.max(0)).unwrap_or(u32::MAX));
            let own = is_own(live, state, |base| base.power == value);
            edit.power = (!own).then_some(value);
        }
    });
}

/// Actions that change where one looks.
fn look(view: &mut View, action: &Action) -> bool {
    match action {
        Action::WindowMoved(window) => view.window = *window,
        Action::RangeChosen(range) => {
            view.range = *range;
            view.range_from = None;
        }
        Action::RangeMarked => match view.range_from.take() {
            Some(from) => view.range = Some(Window::new(from, view.cursor)),
            None => view.range_from = Some(view.cursor),
        },
        Action::CpuFocused(cpu) => {
            if view.cpu != *cpu {
                view.decision = None;
            }
            view.cpu = *cpu;
        }
        Action::CpuPinned(cpu) => match view.open_cpus.binary_search(cpu) {
            Ok(at) => {
                view.open_cpus.remove(at);
            }
            Err(at) => view.open_cpus.insert(at, *cpu),
        },
        Action::CursorMoved(t) => {
            view.cursor = *t;
            view.decision = None;
            view.playing = false;
        }
        Action::DecisionSelected(selection, entry) => {
            view.lane = selection.lane;
            view.cpu = selection.cpu;
            view.decision = Some(selection.n);
            view.cursor = *entry;
            view.playing = false;
        }
        Action::SelectionCleared => {
            view.decision = None;
            view.range = None;
            view.range_from = None;
        }
        Action::PinToggled => {
            view.pin = match view.pin {
                Some(_) => None,
                None => view.selection(),
            };
        }
        Action::LaneToggled(lane) => toggle_lane(view, *lane),
        Action::ExtraToggled(extra) => view.extras = view.extras.toggled(*extra),
        Action::ExtrasRemembered(extras) => view.extras = *extras,
        Action::PanelOpened(panel) => view.panel = *panel,
        Action::TabChosen(tab) => view.tab = *tab,
        Action::NamesSwitched => view.kernel_names = !view.kernel_names,
        Action::ThemeChosen(theme) => view.theme = *theme,
        Action::PlayToggled => view.playing = !view.playing,
        Action::PlayStopped => view.playing = false,
        Action::Played(t) => {
            view.cursor = *t;
            view.decision = None;
        }
        Action::SpeedStepped { faster } => view.speed = step_speed(view.speed, *faster),
        Action::StopAtDifferenceToggled => view.stop_at_difference = !view.stop_at_difference,
        _ => return false,
    }
    true
}

fn toggle_lane(view: &mut View, lane: LaneId) {
    match view.hidden.binary_search(&lane) {
        Ok(at) => {
            view.hidden.remove(at);
        }
        Err(at) => view.hidden.insert(at, lane),
    }
}

/// The next value of the row 1, 2, 5, 10, … in ns.
fn step_speed(speed: Ns, faster: bool) -> Ns {
    let ns = speed.as_ns().max(1);
    let decade = 10_i64.pow(ns.ilog10());
    let next = match (ns / decade, faster) {
        (1, true) => 2 * decade,
        (2..=4, true) => 5 * decade,
        (_, true) => 10 * decade,
        (1, false) => decade / 2,
        (2..=4, false) => decade,
        (_, false) => 2 * decade,
    };
    Ns::new(next).clamp(SPEED.0, SPEED.1)
}

/// News from the worker and from files.
fn arrive(page: &mut Page, action: Action) {
    let mut live = (*page.live).clone();
    match action {
        Action::FileProgressed(name, bytes, total, rate) => {
            live.file = File::Reading {
                name,
                bytes,
                total,
                rate,
            };
        }
        Action::FileRead(name, id) => {
            live.file = File::Ready {
                name: name.clone(),
                id,
            };
            live.open_name = Some(name);
            live.forget_file_failure();
            live.open = Some(id);
            live.reads = live.reads.wrapping_add(1);
            if live.wanted.is_none_or(|wanted| wanted == id) {
                live.wanted = None;
                match take_trace(page, id) {
                    Moved::Elsewhere => live.forget_link_place(),
                    Moved::Somewhere => live.forget_workload_issue(),
                    Moved::Nowhere => {}
                }
            }
        }
        Action::ReadingDismissed => live.reading_told = false,
        Action::ReadingForgotten(n) => {
            if n < live.readings.len() {
                Rc::make_mut(&mut live.readings).remove(n);
            }
            live.reading_told = false;
        }
        Action::FileAccepted => {
            if let Some((id, _)) = live.other_trace() {
                live.wanted = None;
                // Everything else of the link stays: to see it over this file is what was asked for.
                Rc::make_mut(&mut page.doc).workload = Workload::Trace(id);
                let doc = Rc::clone(&page.doc);
                Rc::make_mut(&mut page.history).push(doc);
            }
        }
        Action::FileFailed(name, message) => {
            live.file = File::Failed { name };
            live.forget_file_failure();
            live.messages.push(Message {
                of_file: true,
                ..message
            });
        }
        Action::FileCancelled(name) => live.file = File::Cancelled { name },
        Action::StatesArrived(groups) => {
            live.groups = Rc::new(groups);
            let mut doc = (*page.doc).clone();
            refuse_powers(&mut doc, &mut live);
            if doc != *page.doc {
                page.doc = Rc::new(doc);
                let doc = Rc::clone(&page.doc);
                Rc::make_mut(&mut page.history).amend(doc);
            }
        }
        Action::RunStarted(id) if id >= live.run_id => {
            live.run_id = id;
            live.reach = None;
            live.run = Run::Running {
                done: Ns::ZERO,
                total: Ns::ZERO,
            };
        }
        Action::RunProgressed(id, done, total) if id == live.run_id => {
            live.run = Run::Running { done, total };
        }
        Action::RunFinished(id, took_ms) if id == live.run_id => live.run = Run::Done { took_ms },
        Action::RunCancelled(id) if id == live.run_id => live.run = Run::Cancelled,
        Action::RunFailed(id, message) if id == live.run_id => {
            live.run = Run::Failed;
            live.messages.push(message);
        }
        Action::WorkerLost(message) => {
            if let Run::Running { .. } = live.run {
                live.run = Run::Failed;
            }
            if let File::Reading { name, .. } = &live.file {
                live.file = File::Failed { name: name.clone() };
            }
            live.open = None;
            live.tell(message);
            page.live = Rc::new(live);
            ask_for_trace(page);
            return;
        }
        Action::Told(message) => live.tell(message),
        Action::MessageDismissed(n) => {
            if n < live.messages.len() {
                live.messages.remove(n);
            }
        }
        Action::IssuesDismissed => live.issues.clear(),
        Action::MisfitsDismissed => live.misfits.clear(),
        _ => return,
    }
    page.live = Rc::new(live);
}

/// What a file did to the workload.
enum Moved {
    /// It is the one already.
    Nowhere,
    /// It is the first one: what a link asked for beside its workload stays.
    Somewhere,
    /// Another one was it: places, machine and edits were about that one.
    Elsewhere,
}

/// Makes the file that was read the workload.
fn take_trace(page: &mut Page, id: TraceId) -> Moved {
    let before = page.doc.workload.clone();
    if before == Workload::Trace(id) {
        return Moved::Nowhere;
    }
    let first = before == Workload::None;
    let doc = Rc::make_mut(&mut page.doc);
    doc.workload = Workload::Trace(id);
    if !first {
        if doc
            .machine
            .as_ref()
            .is_some_and(|machine| machine.given().is_none())
        {
            doc.machine = None;
        }
        doc.edits.clear();
        forget_place(Rc::make_mut(&mut page.view));
    }
    let doc = Rc::clone(&page.doc);
    Rc::make_mut(&mut page.history).push(doc);
    if first { Moved::Somewhere } else { Moved::Elsewhere }
}

/// The message for a limit that was passed before any memory was taken (ui.md §14).
#[must_use]
pub fn too_large(found: u64, limit: u64) -> Message {
    Message {
        grade: Grade::Error,
        of_file: true,
        what: format!(
            "{} MB is more than this tab can hold (limit {} MB)",
            found.div_ceil(1_000_000),
            limit / 1_000_000
        ),
        detail: "Nothing was read. Cut a part first: trace-cmd split -o part.dat 10.0 40.0".to_owned(),
    }
}

mod tables;
#[cfg(test)]
mod tests;
