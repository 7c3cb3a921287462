//! From commands to actions and questions: what keys, buttons and playback do.

mod playback;
mod questions;

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::address;
use super::browser;
use super::engine::Engine;
use super::findings::News;
use super::keys::{Command, Place, Way};
use super::root::focus;
use super::worker::protocol::{Request, Sought};
use crate::analysis::diff::Depth;
use crate::page::Page;
use crate::page::action::Action;
use crate::page::doc::Workload;
use crate::page::link::Extent;
use crate::page::view::{LaneId, Panel, Selection, Tab, View, Window};
use crate::units::{CpuId, Ns, Time};

use playback::use_playback;
pub use questions::use_questions;

/// A decision narrower than this is not seen, px.
const NARROW: f64 = 12.0;

/// A decision that arrives later than this after a jump is not the jump's, ms.
const JUMP_MS: f64 = 3_000.0;

/// Why there is nothing to step through yet.
pub const UNKNOWN: &str = "decisions are known once a run is complete";

/// What the pilot needs.
#[derive(Clone, PartialEq)]
pub struct Pilot {
    /// The page.
    pub page: Page,
    /// Takes actions.
    pub act: Callback<Action>,
    /// The connection to the worker.
    pub engine: Engine,
    /// Tells something short.
    pub say: Callback<String>,
    /// Copies the link of what is seen.
    pub copy_link: Callback<()>,
}

/// The whole record as a window.
pub fn whole(engine: &Engine) -> Window {
    let length = engine
        .findings
        .facts
        .as_ref()
        .map_or(Ns::new(1), |facts| facts.end.saturating_since(facts.start));
    Window::new(Time::ZERO, Time::ZERO.saturating_add(length))
}

/// What the timeline shows.
pub fn window(view: &View, engine: &Engine) -> Window {
    let whole = whole(engine);
    view.window.map_or(whole, |window| window.within(whole))
}

/// Takes commands.
#[hook]
pub fn use_pilot(pilot: &Pilot) -> Callback<Command> {
    use_playback(pilot);
    let jumped = use_mut_ref(|| f64::MIN);
    use_jumps(pilot, &jumped);
    use_fit(pilot);
    use_ends(pilot);
    let latest = use_mut_ref(|| pilot.clone());
    latest.borrow_mut().clone_from(pilot);
    use_callback((), move |command: Command, ()| {
        let pilot = latest.borrow().clone();
        *jumped.borrow_mut() = match command {
            Command::Difference(_) | Command::Depth(..) | Command::Miss(_) | Command::TickStop(_) => {
                browser::now_ms()
            }
            _ => f64::MIN,
        };
        pilot.take(command);
    })
}

/// What a jump led to is seen whole: the view moves, and where the period is longer than it or too narrow to be
/// seen, it is fitted.
#[hook]
fn use_jumps(pilot: &Pilot, jumped: &Rc<RefCell<f64>>) {
    let decision = pilot.engine.findings.decision.as_ref();
    let place = decision.map(|decision| (decision.place.clone(), decision.whole));
    let (pilot, jumped) = (pilot.clone(), Rc::clone(jumped));
    use_effect_with(place, move |place| {
        let Some((_, (from, to))) = place else { return };
        let age = browser::now_ms() - jumped.replace(f64::MIN);
        let width = gloo::utils::document()
            .get_element_by_id("timeline")
            .map_or(0.0, |timeline| f64::from(timeline.client_width()));
        if age >= JUMP_MS {
            return;
        }
        let seen = window(&pilot.page.view, &pilot.engine);
        let least = if width > NARROW { NARROW / width } else { 0.0 };
        let shown = seen.showing((*from, *to), least, whole(&pilot.engine));
        if shown != seen {
            pilot.act.emit(Action::WindowMoved(Some(shown)));
        }
    });
}

/// Fits a decision that was explained before somebody asked for it.
#[hook]
fn use_fit(pilot: &Pilot) {
    let selected = pilot.page.view.selection();
    let explained = pilot.engine.findings.decision.as_ref().and_then(|decision| {
        let own = Selection {
            lane: decision.lane,
            cpu: decision.cpu,
            n: decision.n,
        };
        (selected == Some(own)).then_some((own, decision.span))
    });
    let act = pilot.act.clone();
    use_effect_with(
        (pilot.page.live.unfitted, explained),
        move |(wanted, explained)| {
            if let (true, Some((selection, (from, to)))) = (*wanted, *explained) {
                act.emit(Action::DecisionExplained(selection, from, to));
            }
        },
    );
}

/// Says so when there is nothing more in the direction that was asked for.
#[hook]
fn use_ends(pilot: &Pilot) {
    let (say, ended) = (pilot.say.clone(), pilot.engine.findings.ended);
    use_effect_with(ended, move |ended| {
        let Some(ended) = *ended else { return };
        let letter = ended.lane.letter();
        let what = match ended.sought {
            Sought::Difference => "difference between A and B".to_owned(),
            Sought::Depth(Depth::Deeper) => "decision in which B is deeper than A".to_owned(),
            Sought::Depth(Depth::Shallower) => "decision in which B is shallower than A".to_owned(),
            Sought::Miss => format!("miss in lane {letter}"),
            Sought::TickStop => format!("tick stop in lane {letter}"),
            Sought::Event => format!("decision in lane {letter}"),
            Sought::Decision | Sought::Edge => format!("decision of this CPU in lane {letter}"),
        };
        say.emit(format!(
            "No {} {what}",
            if ended.forward { "later" } else { "earlier" }
        ));
    });
}

impl Pilot {
    fn take(&self, command: Command) {
        let act = &self.act;
        match command {
            Command::Play => self.play(),
            Command::Event(way) => self.seek(Sought::Event, way),
            Command::Decision(way) => self.seek(Sought::Decision, way),
            Command::Edge(way) => self.seek(Sought::Edge, way),
            Command::Difference(way) => self.seek(Sought::Difference, way),
            Command::Depth(depth, way) => self.seek(Sought::Depth(depth), way),
            Command::Miss(way) => self.seek(Sought::Miss, way),
            Command::TickStop(way) => self.seek(Sought::TickStop, way),
            Command::Cpu(way) => self.step_cpu(way),
            Command::FitDecision => self.fit_decision(),
            Command::FitAll => act.emit(Action::WindowMoved(None)),
            Command::Zoom(way) => self.zoom(way),
            Command::Pan(way) => self.pan(way),
            Command::ToggleA => act.emit(Action::LaneToggled(LaneId::A)),
            Command::ToggleB => act.emit(Action::LaneToggled(LaneId::B)),
            Command::Swap => act.emit(Action::VariantsSwapped),
            Command::MarkRange => act.emit(Action::RangeMarked),
            Command::Pin => act.emit(Action::PinToggled),
            Command::States => act.emit(Action::PanelOpened(match self.page.view.panel {
                Panel::States => Panel::None,
                _ => Panel::States,
            })),
            Command::Inspector => focus("decision"),
            Command::CopyTable => self.copy_table(),
            Command::CopyLink => self.copy_link.emit(()),
            Command::Speed(way) => act.emit(Action::SpeedStepped {
                faster: way == Way::Next,
            }),
            Command::StopAtDifference => act.emit(Action::StopAtDifferenceToggled),
            Command::Choose(side) => {
                browser::press(&format!("variant-{}", side.letter().to_ascii_lowercase()))
            }
            Command::Keys => act.emit(Action::PanelOpened(Panel::Keys)),
            Command::Table => act.emit(Action::PanelOpened(Panel::Decisions)),
            Command::Escape => self.escape(),
            Command::Undo => act.emit(Action::Undo),
            Command::Redo => act.emit(Action::Redo),
            Command::Go => self.say.emit(
                "g, then t timeline, s states, r results, m mail table, v validation, h start".to_owned(),
            ),
            Command::GoTo(place) => self.go(place),
        }
    }

    fn seek(&self, sought: Sought, way: Way) {
        if self.engine.findings.facts.is_none() {
            self.say.emit(format!("Nothing to go to: {UNKNOWN}"));
            return;
        }
        let view = Rc::clone(&self.page.view);
        let forward = way == Way::Next;
        self.engine.ask.emit(Box::new(move |ticket| Request::Seek {
            ticket,
            sought,
            forward,
            lane: view.lane,
            cpu: view.cpu,
            at: view.cursor,
            peek: false,
        }));
    }

    fn step_cpu(&self, way: Way) {
        let Some(facts) = &self.engine.findings.facts else {
            return;
        };
        let view = &self.page.view;
        let at = facts.cpus.iter().position(|cpu| *cpu == view.cpu).unwrap_or(0);
        let to = match way {
            Way::Next => at + 1,
            Way::Previous => at.wrapping_sub(1),
        };
        let Some(cpu) = facts.cpus.get(to).copied() else {
            return;
        };
        self.act.emit(Action::CpuFocused(cpu));
        let (lane, at) = (view.lane, view.cursor);
        self.engine.ask.emit(Box::new(move |ticket| Request::At {
            ticket,
            lane,
            cpu,
            at,
            hover: false,
        }));
    }

    fn fit_decision(&self) {
        let Some(decision) = &self.engine.findings.decision else {
            return;
        };
        let (from, to) = decision.span;
        let window = Window::around(from, to, whole(&self.engine));
        self.act.emit(Action::WindowMoved(Some(window)));
    }

    fn zoom(&self, way: Way) {
        let (window, whole) = (window(&self.page.view, &self.engine), whole(&self.engine));
        let cursor = self.page.view.cursor;
        let pivot = if window.contains(cursor) {
            cursor
        } else {
            window.from().saturating_add(Ns::new(window.len().as_ns() / 2))
        };
        let factor = if way == Way::Next { 0.5 } else { 2.0 };
        self.act
            .emit(Action::WindowMoved(Some(window.zoomed(pivot, factor, whole))));
    }

    fn pan(&self, way: Way) {
        let (window, whole) = (window(&self.page.view, &self.engine), whole(&self.engine));
        let by = window.len().as_ns() / 4;
        let by = Ns::new(if way == Way::Next { by } else { -by });
        self.act.emit(Action::WindowMoved(Some(window.panned(by, whole))));
    }

    fn play(&self) {
        let whole = whole(&self.engine);
        if !self.page.view.playing && self.page.view.cursor >= whole.to() {
            self.act.emit(Action::CursorMoved(Time::ZERO));
        }
        self.act.emit(Action::PlayToggled);
    }

    fn escape(&self) {
        use crate::page::live::{File, Run};
        let live = &self.page.live;
        if self.engine.findings.hover.is_some() {
            self.engine.news.emit(News::HoverEnded);
        } else if self.page.view.panel != Panel::None {
            self.act.emit(Action::PanelOpened(Panel::None));
        } else if matches!(live.file, File::Reading { .. }) {
            self.engine.cancel.emit(());
        } else if matches!(live.run, Run::Running { .. }) {
            self.engine.stop.emit(());
        } else {
            self.act.emit(Action::SelectionCleared);
        }
    }

    fn copy_table(&self) {
        let Some(results) = self.engine.findings.results.clone() else {
            return;
        };
        let link = address::address_of(&address::fragment_of(&self.page, Extent::Question));
        let say = self.say.clone();
        spawn_local(async move {
            // The table's last line is the link itself; it is added only where it is missing.
            let text = if results.mail.contains(&link) {
                results.mail.clone()
            } else {
                format!("{}\n{link}\n", results.mail.trim_end())
            };
            say.emit(if browser::copy(&text).await {
                "Table and link copied".to_owned()
            } else {
                "The browser refused the clipboard; select the table instead".to_owned()
            });
        });
    }

    fn go(&self, place: Place) {
        match place {
            Place::Timeline => focus("timeline"),
            Place::States => focus("states"),
            Place::Results => focus("results"),
            Place::Mail => self.act.emit(Action::TabChosen(Tab::Mail)),
            Place::Validation => self.act.emit(Action::PanelOpened(Panel::Validation)),
            Place::Start => self.act.emit(Action::WorkloadChosen(Workload::None)),
        }
    }
}

/// The focused CPU, or the first there is when the link named none that was seen.
pub fn focused_cpu(view: &View, cpus: &[CpuId]) -> CpuId {
    if cpus.contains(&view.cpu) {
        view.cpu
    } else {
        cpus.first().copied().unwrap_or(view.cpu)
    }
}
