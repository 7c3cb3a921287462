//! The explorer: idle states, timeline with results, decision.

use std::rc::Rc;

use gloo::events::{EventListener, EventListenerOptions};
use gloo::utils::window;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::KeyboardEvent;
use yew::prelude::*;

use super::address;
use super::browser;
use super::counters::CountersPanel;
use super::engine::{Engine, Question};
use super::header::{EmbedHead, Export, Head};
use super::icon::{Glyph, Icon};
use super::inspector::Inspector;
use super::keys::{self, Command};
use super::phone::{PhoneTabs, Shows};
use super::pilot::{self, Pilot};
use super::playback::Playback;
use super::report::ImportReport;
use super::results::Results;
use super::states::{StateEditor, StateNames, States, shown_states, use_fold};
use super::status::Status;
use super::timeline::{LaneBar, OverviewStrip, Timeline};
use super::validation::Validation;
use super::worker::protocol::{Facts, Inquiry, Request};
use crate::page::Page;
use crate::page::action::Action;
use crate::page::doc::{Doc, Side, Workload};
use crate::page::link::Extent;
use crate::page::live::{Run, StateGroup};
use crate::page::machines::Machine;
use crate::page::plot::label::numbered;
use crate::page::plot::timeline::CpuStates;
use crate::page::spread::SEEDS;
use crate::page::view::{Panel, Tab};
use crate::page::words::number::{Style, cpus, duration, stamp};
use crate::units::{CpuId, Ns};

/// What the explorer needs.
#[derive(Properties, PartialEq)]
pub struct ExplorerProps {
    /// The page.
    pub page: Page,
    /// Messages.
    pub notes: Html,
    /// Takes actions.
    pub act: Callback<Action>,
    /// The connection to the worker.
    pub engine: Engine,
    /// Tells something short.
    pub onsay: Callback<String>,
    /// Copies the link of what is seen.
    pub oncopy: Callback<()>,
}

/// The explorer.
#[component]
pub fn Explorer(props: &ExplorerProps) -> Html {
    let (page, act, engine) = (&props.page, &props.act, &props.engine);
    let findings = &engine.findings;
    let shows = use_state_eq(Shows::default);
    let (fold, onfold) = use_fold();
    let command = pilot::use_pilot(&Pilot {
        page: page.clone(),
        act: act.clone(),
        engine: engine.clone(),
        say: props.onsay.clone(),
        copy_link: props.oncopy.clone(),
    });
    use_keys(&command);
    pilot::use_questions(page, engine);

    let facts = findings.facts.clone();
    let stale = !matches!(page.live.run, Run::Done { .. }) || findings.run != page.live.run_id.0;
    let alike = alike(&page.doc, facts.as_deref());
    let extent = facts.as_ref().map(|facts| {
        let span = facts.end.saturating_since(facts.start);
        AttrValue::from(format!(
            "{}, {}",
            cpus(facts.cpus.len()),
            duration(span, Style::Page)
        ))
    });
    let machine = facts.as_ref().map(|facts| AttrValue::from(facts.machine.clone()));
    let states = use_memo((Rc::clone(&page.doc), Rc::clone(&page.live)), |(doc, live)| {
        // The CPUs with the most states have a name for every state that is drawn.
        let most = |group: &usize| live.groups.get(*group).map_or(0, |group| group.states.len());
        let group = (0..live.groups.len()).rev().max_by_key(most).unwrap_or(0);
        shown_states(doc, live, group)
    });
    let tables = use_memo((Rc::clone(&page.doc), Rc::clone(&page.live)), |(doc, live)| {
        let table = |(n, group): (usize, &StateGroup)| CpuStates {
            cpus: group.cpus.clone(),
            names: shown_states(doc, live, n)
                .into_iter()
                .map(|state| state.base.name)
                .collect(),
        };
        live.groups.iter().enumerate().map(table).collect::<Vec<_>>()
    });
    let names = use_memo((Rc::clone(&states), Rc::clone(&tables)), |(states, tables)| {
        let mut counts: Vec<usize> = tables.iter().map(|table| table.names.len()).collect();
        counts.sort_unstable_by(|one, other| other.cmp(one));
        counts.dedup();
        let names = states
            .iter()
            .map(|state| AttrValue::from(state.base.name.clone()));
        StateNames {
            names: names.collect(),
            counts,
        }
    });
    let tick = Ns::new(1_000_000_000 / i64::from(page.doc.settings.hz.max(1)));
    let marks = use_memo((Rc::clone(&states), tick), |(states, tick)| {
        let mut marks: Vec<(AttrValue, i64)> = states
            .iter()
            .enumerate()
            .filter(|(_, state)| state.target_residency() > Ns::ZERO)
            .map(|(n, state)| {
                let name = numbered(n, &state.base.name);
                (AttrValue::from(name), state.target_residency().as_ns())
            })
            .collect();
        marks.push((AttrValue::from("tick"), tick.as_ns()));
        marks
    });
    let short_link: AttrValue = address::address_of(&address::fragment_of(page, Extent::Question)).into();
    let mail = findings
        .results
        .as_ref()
        .map(|results| results.mail.clone())
        .unwrap_or_default();
    let copy_table = copy(mail.clone(), "Table copied", &props.onsay);
    let changes = findings.changes.as_ref().map(|changes| changes.text.clone());
    let copy_changes = copy(changes.unwrap_or_default(), "List copied", &props.onsay);
    let copy_short = copy(short_link.to_string(), "Link copied", &props.onsay);
    let copy_both = command.reform(|()| Command::CopyTable);
    let decision_link = {
        let link = address::address_of(&address::fragment_of(page, Extent::Place));
        copy(link, "Link to this decision copied", &props.onsay)
    };
    let onexport = {
        let (engine, say) = (engine.clone(), props.onsay.clone());
        Callback::from(move |what: Export| super::export::export(what, &engine.findings, &say))
    };
    let onspread = engine.ask.reform(|run: bool| -> Question {
        if run {
            let inquiry = Inquiry::Spread { seeds: SEEDS };
            Box::new(move |ticket| Request::Inquire { ticket, inquiry })
        } else {
            Box::new(|_| Request::CancelInquiry)
        }
    });
    let onstart = act.reform(|()| Action::WorkloadChosen(Workload::None));
    let choose_tab = {
        let shows = shows.setter();
        Callback::from(move |to: Shows| shows.set(to))
    };
    let onmail = {
        let (act, shows) = (act.clone(), shows.setter());
        Callback::from(move |()| {
            act.emit(Action::PanelOpened(Panel::None));
            act.emit(Action::TabChosen(Tab::Mail));
            shows.set(Shows::Summary);
        })
    };
    let waits = page.live.wanted.is_some();
    let imported = findings.import.is_some() && page.doc.workload.is_trace() && !waits;
    let head = if page.view.embed {
        html! { <EmbedHead href={full_page(page)} page={page.clone()} /> }
    } else {
        html! {
            <Head page={page.clone()} machine={machine.clone()} {extent} {imported} {onmail} act={act.clone()} onopen={engine.open.clone()} {onstart} onsay={props.onsay.clone()} oncopy={props.oncopy.clone()} {onexport} />
        }
    };
    if page.view.panel == Panel::Import {
        return html! {
            <div class="app">
                { head }
                <ImportReport import={findings.import.clone().filter(|_| page.doc.workload.is_trace())} facts={findings.facts.clone()} onclose={act.reform(|()| Action::PanelOpened(Panel::None))} />
                <Status live={Rc::clone(&page.live)} {imported} {facts} act={act.clone()} onstop={engine.stop.clone()} />
            </div>
        };
    }
    if page.view.panel == Panel::Validation {
        return html! {
            <div class="app">
                { head }
                <Validation onclose={act.reform(|()| Action::PanelOpened(Panel::None))} />
                <Status live={Rc::clone(&page.live)} {imported} {facts} act={act.clone()} onstop={engine.stop.clone()} />
            </div>
        };
    }
    if page.view.panel == Panel::Counters {
        return html! {
            <div class="app">
                { head }
                <CountersPanel readings={Rc::clone(&page.live.readings)} notes={props.notes.clone()} act={act.clone()} onsay={props.onsay.clone()}
                    onclose={act.reform(|()| Action::PanelOpened(Panel::None))} />
                <Status live={Rc::clone(&page.live)} {imported} {facts} act={act.clone()} onstop={engine.stop.clone()} />
            </div>
        };
    }
    if page.view.panel == Panel::States {
        return html! {
            <div class="app">
                { head }
                <StateEditor page={page.clone()} engine={engine.clone()} {stale} onsay={props.onsay.clone()} notes={props.notes.clone()} act={act.clone()} {command} />
                <Status live={Rc::clone(&page.live)} {imported} {facts} act={act.clone()} onstop={engine.stop.clone()} />
            </div>
        };
    }
    html! {
        <div class={classes!("app", page.view.embed.then_some("embed"))}>
            { head }
            <main class="explorer" id="main" data-show={shows.name()} data-left={fold.name()}>
                <h1 class="sr">{ "Idle decisions, compared and explained" }</h1>
                <States doc={Rc::clone(&page.doc)} live={Rc::clone(&page.live)} results={findings.results.clone()} cpu={page.view.cpu} act={act.clone()} {fold} {onfold} />
                <div class="panel-centre" data-tab="timeline">
                    <div class="notes">{ props.notes.clone() }{ machine_asked(facts.as_deref(), act) }{ issues(facts.as_deref()) }</div>
                    <OverviewStrip view={Rc::clone(&page.view)} facts={facts.clone()} overview={findings.overview.clone()} act={act.clone()} />
                    <LaneBar view={Rc::clone(&page.view)} lanes={facts.as_ref().map(|facts| facts.lanes.clone()).unwrap_or_default()} clock={facts.as_ref().is_some_and(|facts| facts.clock_changes)} states={Rc::clone(&names)} act={act.clone()} command={command.clone()} />
                    <Timeline view={Rc::clone(&page.view)} {tables} engine={engine.clone()} act={act.clone()} command={command.clone()} {tick}
                        running={running(page.live.run)} {waits} />
                    <Playback view={Rc::clone(&page.view)} now={now(page, findings)} speed={format!("{} per s", duration(page.view.speed, Style::Page))}
                        alike={alike.clone()} absent={absent(&page.doc)} ready={facts.is_some()} lanes={facts.as_ref().map(|facts| facts.lanes.clone()).unwrap_or_default()}
                        clock={facts.as_ref().is_some_and(|facts| facts.clock_changes)} act={act.clone()} command={command.clone()} />
                    <Results view={Rc::clone(&page.view)} doc={Rc::clone(&page.doc)} states={names} {marks} results={findings.results.clone()} why={findings.why.clone()} changes={findings.changes.clone()} oncopy_changes={copy_changes} spread={findings.spread.clone()} {onspread} {stale} {waits} link={short_link} act={act.clone()}
                        oncopy={copy_both} oncopy_table={copy_table} oncopy_link={copy_short} />
                </div>
                <Inspector view={Rc::clone(&page.view)} decision={findings.decision.clone()} pinned={findings.pinned.clone()} ready={facts.is_some()} {alike} absent={absent(&page.doc)} act={act.clone()}
                    {command} onlink={decision_link} onsay={props.onsay.clone()} />
                <div class="sr" role="status" aria-live="polite" data-testid="announcement">
                    { findings.decision.as_ref().filter(|_| !page.view.playing).map(|decision| format!("{}. {} {}", decision.place, decision.answer, decision.then)) }
                </div>
            </main>
            <PhoneTabs shows={*shows} onchoose={choose_tab} />
            <Status live={Rc::clone(&page.live)} {imported} {facts} act={act.clone()} onstop={engine.stop.clone()} />
            if page.view.panel == Panel::Decisions {
                <super::timeline::DecisionTable view={Rc::clone(&page.view)} engine={engine.clone()} act={act.clone()} />
            }
        </div>
    }
}

/// The address of the same place without `embed=1`.
fn full_page(page: &Page) -> AttrValue {
    let mut full = page.clone();
    Rc::make_mut(&mut full.view).embed = false;
    address::address_of(&address::fragment_of(&full, Extent::Everything)).into()
}

/// A variant that is off, so that there is nothing to compare.
fn absent(doc: &Doc) -> Option<Side> {
    let mut sides = Side::ALL.into_iter();
    sides.find(|side| doc.variant(*side).governor.is_none())
}

/// Why there is no difference to go to, if there is none.
fn alike(doc: &Doc, facts: Option<&Facts>) -> Option<AttrValue> {
    if let Some(side) = absent(doc) {
        let letter = side.letter();
        return Some(format!("{letter} is off. Choose a governor for {letter} to compare.").into());
    }
    match facts.map(|facts| facts.differences) {
        Some(Some((0, _))) => Some("A and B decide alike in the whole record.".into()),
        Some(Some(_)) => None,
        _ => Some("Differences are known once a run is complete.".into()),
    }
}

/// The next step for a trace that does not say what recorded it, or whose machine does not fit.
fn machine_asked(facts: Option<&Facts>, act: &Callback<Action>) -> Html {
    /// Machines offered at once; the picker has all.
    const OFFERED: usize = 4;
    let Some(asked) = facts.and_then(|facts| facts.machine_asked.as_ref()) else {
        return Html::default();
    };
    let offer = |machine: &'static Machine| {
        let count = machine
            .cluster(CpuId::new(0))
            .map_or(0, |cluster| cluster.table.len());
        html! {
            <button type="button" class="btn small" title={machine.source.clone()} data-testid={format!("offer-{}", machine.id)}
                onclick={act.reform(move |_: MouseEvent| Action::MachineChosen(Some(machine.id.clone())))}>
                { machine.label() }<span class="note">{ format!("{count} states") }</span>
            </button>
        }
    };
    let fitting = Machine::with_states(asked.states);
    let advice = asked.advice(fitting.len());
    let offered = if fitting.is_empty() {
        Machine::with_most_states()
    } else {
        fitting
    };
    let other = act.reform(|event: Event| {
        let id = event
            .target_unchecked_into::<web_sys::HtmlSelectElement>()
            .value();
        Action::MachineChosen(Some(id))
    });
    html! {
        <div class="card" role="alert" data-testid="machine-needed">
            <div class="title"><Icon glyph={Glyph::Warn} class="warn" />{ &asked.title }</div>
            <div class="body">
                <div>{ &asked.text }</div>
                <div>{ advice }</div>
            </div>
            <div class="actions">
                { for offered.iter().take(OFFERED).copied().map(offer) }
                if offered.len() > OFFERED {
                    <select class="field" aria-label="Another machine" data-testid="needed-machine" onchange={other}>
                        <option value="" selected=true disabled=true>{ format!("{} more", offered.len() - OFFERED) }</option>
                        { for offered.iter().skip(OFFERED).map(|machine| html! { <option value={machine.id.clone()}>{ machine.label() }</option> }) }
                    </select>
                }
            </div>
        </div>
    }
}

/// What could not be done as asked.
fn issues(facts: Option<&Facts>) -> Html {
    let Some(facts) = facts.filter(|facts| !facts.issues.is_empty()) else {
        return Html::default();
    };
    html! {
        <div class="card" role="alert" data-testid="plan-issues">
            <div class="title"><Icon glyph={Glyph::Warn} class="warn" />{ "Not everything could be done as asked" }</div>
            <div class="body">{ for facts.issues.iter().map(|issue| html! { <div>{ issue }</div> }) }</div>
        </div>
    }
}

/// How far a run is, 0 to 1, while it is under way.
fn running(run: Run) -> Option<f64> {
    match run {
        Run::Running { done, total } if total > Ns::ZERO => Some(done.as_ns() as f64 / total.as_ns() as f64),
        Run::Running { .. } => Some(0.0),
        _ => None,
    }
}

/// The cursor as the trace stamps it.
fn now(page: &Page, findings: &super::findings::Findings) -> String {
    let start = findings.facts.as_ref().map(|facts| facts.start);
    start.map_or(String::new(), |start| {
        let at = start.saturating_add(page.view.cursor.saturating_since(crate::units::Time::ZERO));
        stamp(at, Style::Page)
    })
}

/// Copies a text and says so.
fn copy(text: String, done: &'static str, say: &Callback<String>) -> Callback<()> {
    let say = say.clone();
    Callback::from(move |()| {
        let (text, say) = (text.clone(), say.clone());
        spawn_local(async move {
            let copied = browser::copy(&text).await;
            say.emit(
                if copied {
                    done
                } else {
                    "The browser refused the clipboard"
                }
                .to_owned(),
            );
        });
    })
}

/// Keys of the whole page.
#[hook]
fn use_keys(command: &Callback<Command>) {
    let latest = use_mut_ref(|| command.clone());
    latest.borrow_mut().clone_from(command);
    use_effect_with((), move |()| {
        let going = std::cell::Cell::new(f64::MIN);
        let options = EventListenerOptions::enable_prevent_default();
        let listener = EventListener::new_with_options(&window(), "keydown", options, move |event| {
            let Some(event) = event.dyn_ref::<KeyboardEvent>() else {
                return;
            };
            let focus = keys::focus_of(event);
            let found = if browser::now_ms() - going.get() < keys::GO_MS && focus != keys::Focus::Elsewhere {
                going.set(f64::MIN);
                keys::go(event)
            } else {
                keys::command(event, focus)
            };
            let Some(found) = found else { return };
            event.prevent_default();
            if found == Command::Go {
                going.set(browser::now_ms());
            }
            let command = latest.borrow().clone();
            command.emit(found);
        });
        move || drop(listener)
    });
}
