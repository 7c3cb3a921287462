//! The page's connection to the worker: what is asked follows from the page's state, and each
//! report becomes an action or a finding.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Array, Uint32Array};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::browser;
use super::findings::{Findings, News};
use super::start::{Opening, sample_facts};
use super::worker::client::Client;
use super::worker::protocol::{GroupView, Report, Request, StateView};
use crate::page::Page;
use crate::page::action::Action;
use crate::page::doc::{Doc, TraceId, Workload};
use crate::page::generated::Generated;
use crate::page::link::Reach;
use crate::page::live::{BaseState, Grade, Message, RunId, StateGroup};
use crate::page::reduce::too_large;
use crate::page::session::{LaneView, Shape};
use crate::page::view::Selection;
use crate::page::words::opening;
use crate::units::Time;

/// Files above this many bytes are refused before any memory is taken.
const LARGEST_FILE: f64 = 536_870_912.0;

/// What components get of the connection.
#[derive(Clone, PartialEq)]
pub struct Engine {
    /// What the worker found.
    pub findings: Rc<Findings>,
    /// Asks the worker; answers the ticket.
    pub ask: Callback<Question>,
    /// Changes findings from the page's side.
    pub news: Callback<News>,
    /// Opens something.
    pub open: Callback<Opening>,
    /// Stops reading.
    pub cancel: Callback<()>,
    /// Stops the run.
    pub stop: Callback<()>,
    /// What the figures are asked of.
    pub standing: Rc<RefCell<Standing>>,
}

/// A stretch of the record.
type Range = Option<(Time, Time)>;

/// The question about figures that every finished run is asked, before all others: they are looked at first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    /// The marked range.
    pub range: Range,
    /// The link that the table for mail ends with; empty until the page has told it.
    pub link: String,
    /// The run and the range that were asked last.
    pub asked: Option<(u64, Range)>,
}

impl Standing {
    /// The question about a run; none when it was asked already.
    pub fn of(&mut self, run: u64) -> Option<Question> {
        let asked = Some((run, self.range));
        if self.link.is_empty() || self.asked == asked {
            return None;
        }
        self.asked = asked;
        let (range, link) = (self.range, self.link.clone());
        Some(Box::new(move |ticket| Request::Results { ticket, range, link }))
    }
}

/// A request that waits for its ticket.
pub type Question = Box<dyn FnOnce(u32) -> Request>;

/// Connects the page with a worker.
#[hook]
pub fn use_engine(page: &Page, act: &Callback<Action>) -> Engine {
    let findings = use_reducer(Findings::default);
    let client = use_mut_ref(|| None::<Client>);
    let tickets = use_mut_ref(Tickets::default);
    let run = use_mut_ref(|| 0_u64);
    let standing = use_mut_ref(Standing::default);

    {
        let (client, act) = (client.clone(), act.clone());
        let (dispatch, tickets) = (findings.dispatcher(), tickets.clone());
        let standing = standing.clone();
        use_effect_with((), move |()| {
            let receive = Rc::new(Receiver {
                act: act.clone(),
                client: client.clone(),
                standing,
                tell: Callback::from(move |news| dispatch.dispatch(news)),
                tickets,
            });
            start(&receive);
        });
    }

    let send = {
        let client = client.clone();
        use_callback((), move |(request, bulk): (Request, Vec<JsValue>), ()| {
            if let Some(client) = &*client.borrow() {
                client.send(&request, &bulk);
            }
        })
    };
    use_runs(page, act, &send, &findings, &run, &tickets);

    let ask = {
        let (send, tickets) = (send.clone(), tickets.clone());
        use_callback((), move |question: Question, ()| {
            let ticket = tickets.borrow_mut().next();
            let request = question(ticket);
            tickets.borrow().note(&request, ticket);
            send.emit((request, Vec::new()));
        })
    };
    let news = {
        let dispatch = findings.dispatcher();
        use_callback((), move |news: News, ()| dispatch.dispatch(news))
    };
    let open = {
        let (act, send) = (act.clone(), send.clone());
        use_callback((), move |opening: Opening, ()| open(opening, &act, &send))
    };
    let cancel = {
        let send = send.clone();
        use_callback((), move |(), ()| send.emit((Request::CancelRead, Vec::new())))
    };
    let stop = use_callback((), move |(), ()| send.emit((Request::CancelRun, Vec::new())));
    Engine {
        findings: Rc::new((*findings).clone()),
        ask,
        news,
        open,
        cancel,
        stop,
        standing,
    }
}

/// Starts the worker, and another one after it should it end by an error of its own.
fn start(receive: &Rc<Receiver>) {
    let (act, report_to, broken_for) = (&receive.act, Rc::clone(receive), Rc::clone(receive));
    let broken = move |had_begun: bool, why: String| {
        if !had_begun {
            broken_for.act.emit(Action::Told(no_worker(&why)));
            return;
        }
        broken_for.act.emit(Action::WorkerLost(lost_worker(&why)));
        let receive = Rc::clone(&broken_for);
        // Later: the listener that calls this goes with the old one.
        spawn_local(async move {
            if let Some(old) = receive.client.take() {
                old.end();
            }
            start(&receive);
        });
    };
    match Client::start(move |report, bulk| report_to.take(report, &bulk), broken) {
        Ok(started) => *receive.client.borrow_mut() = Some(started),
        Err(error) => act.emit(Action::Told(no_worker(&error.as_string().unwrap_or_default()))),
    }
}

fn lost_worker(why: &str) -> Message {
    Message {
        grade: Grade::Error,
        of_file: false,
        what: "The part of the page that computes ended by an error of its own".to_owned(),
        detail: format!(
            "It was started again, and your question is kept: change something, or undo the last change, to run it. \
             A trace of your own has to be opened again. This is a fault of idlescope; the browser said: {why}"
        ),
    }
}

fn no_worker(why: &str) -> Message {
    Message {
        grade: Grade::Error,
        of_file: false,
        what: "The part of the page that computes could not be started".to_owned(),
        detail: format!("Expected a module worker beside the page. The browser said: {why}"),
    }
}

/// Sends the question whenever it or the open file changed, once its trace is there; the newest
/// one wins in the worker.
#[hook]
fn use_runs(
    page: &Page,
    act: &Callback<Action>,
    send: &Callback<(Request, Vec<JsValue>)>,
    findings: &UseReducerHandle<Findings>,
    run: &Rc<RefCell<u64>>,
    tickets: &Rc<RefCell<Tickets>>,
) {
    let (send, act, run, tickets) = (send.clone(), act.clone(), Rc::clone(run), Rc::clone(tickets));
    let dispatch = findings.dispatcher();
    let before = use_mut_ref(|| Workload::None);
    // A link's own trace changes nothing in the question when it arrives: only the file is new.
    let own = page.doc.workload.is_trace();
    let reads = own.then_some(page.live.reads);
    let waits = own && page.live.wanted.is_some();
    let asked = (Rc::clone(&page.doc), reads, waits);
    use_effect_with(asked, move |(doc, _, waits): &(Rc<Doc>, Option<u32>, bool)| {
        if doc.workload != *before.borrow() {
            before.borrow_mut().clone_from(&doc.workload);
            // A run that is still under way, too.
            *run.borrow_mut() += 1;
            tickets.borrow().forget();
            dispatch.dispatch(News::Forgotten(*run.borrow()));
        }
        if *waits || !doc.is_runnable() {
            return;
        }
        let number = {
            let mut run = run.borrow_mut();
            *run += 1;
            *run
        };
        let sample = match &doc.workload {
            Workload::Sample(sample) => Some(browser::beside_page(sample_facts(*sample).path)),
            _ => None,
        };
        let request = Request::Run {
            run: number,
            doc: Box::new((**doc).clone()),
            sample,
        };
        // The worker begins while the page draws that it does.
        send.emit((request, Vec::new()));
        act.emit(Action::RunStarted(RunId(number)));
    });
}

fn open(opening: Opening, act: &Callback<Action>, send: &Callback<(Request, Vec<JsValue>)>) {
    match opening {
        Opening::Sample(sample) => act.emit(Action::WorkloadChosen(Workload::Sample(sample))),
        Opening::Generated(pattern) => {
            act.emit(Action::WorkloadChosen(Workload::Generated(Generated::new(
                pattern,
            ))));
        }
        Opening::Files(mut files) => {
            // As people name them: before and after, old and new.
            files.sort_by_key(web_sys::File::name);
            files.retain(|file| {
                let (name, size) = (file.name(), file.size());
                if size > LARGEST_FILE {
                    let message = too_large(whole(size), whole(LARGEST_FILE));
                    act.emit(Action::FileFailed(name, message));
                }
                size <= LARGEST_FILE
            });
            if let Some(first) = files.first() {
                act.emit(Action::FileProgressed(first.name(), 0, whole(first.size()), 0));
                let names = files.iter().map(web_sys::File::name).collect();
                let blobs = files.into_iter().map(JsValue::from).collect();
                send.emit((Request::Read { names }, blobs));
            }
        }
        Opening::Folder(name) => {
            let (what, detail) = opening::folder(&name);
            act.emit(Action::FileFailed(name, error(&what, &detail)));
        }
        Opening::Text(text) => {
            let name = "pasted text".to_owned();
            let parts = Array::of1(&JsValue::from_str(&text));
            // A blob of a string is only refused when memory is gone.
            let Ok(blob) = web_sys::Blob::new_with_str_sequence(&parts) else {
                return;
            };
            act.emit(Action::FileProgressed(name.clone(), 0, whole(blob.size()), 0));
            send.emit((Request::Read { names: vec![name] }, vec![blob.into()]));
        }
    }
}

/// A size as the browser counts it, in bytes.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sizes are whole and not negative"
)]
fn whole(size: f64) -> u64 {
    size as u64
}

/// The newest ticket of each kind of question.
#[derive(Default)]
struct Tickets {
    last: u32,
    newest: [Cell<u32>; 12],
}

impl Tickets {
    fn next(&mut self) -> u32 {
        self.last += 1;
        self.last
    }

    fn note(&self, request: &Request, ticket: u32) {
        let kind = match request {
            Request::Lanes { .. } => 0,
            Request::Overview { .. } => 1,
            Request::Seek { peek: false, .. } => 2,
            Request::Seek { peek: true, .. } => 9,
            Request::At { hover: false, .. } => 3,
            Request::At { hover: true, .. } => 4,
            Request::Explain { pinned: false, .. } => 5,
            Request::Explain { pinned: true, .. } => 8,
            Request::Results { .. } => 6,
            Request::Table { .. } => 7,
            Request::Sweep { .. } => 10,
            Request::Inquire { .. } => 11,
            _ => return,
        };
        self.newest[kind].set(ticket);
    }

    fn is_newest(&self, report: &Report) -> bool {
        let (kind, ticket) = match report {
            Report::Lanes { ticket, .. } => (0, *ticket),
            Report::Overview { ticket, .. } => (1, *ticket),
            Report::Found {
                ticket, peek: false, ..
            } => (2, *ticket),
            Report::Found { ticket, .. } => (9, *ticket),
            Report::Selected { ticket, .. } => (3, *ticket),
            Report::Hover { ticket, .. } => (4, *ticket),
            Report::Explained {
                ticket,
                pinned: false,
                ..
            } => (5, *ticket),
            Report::Explained { ticket, .. } => (8, *ticket),
            Report::Results { ticket, .. } => (6, *ticket),
            Report::Table { ticket, .. } => (7, *ticket),
            Report::Sweep { ticket, .. } => (10, *ticket),
            Report::Inquiry { ticket, .. } => (11, *ticket),
            _ => return true,
        };
        self.newest[kind].get() == ticket
    }

    /// Answers to what was asked so far say nothing any more.
    fn forget(&self) {
        self.newest.iter().for_each(|newest| newest.set(0));
    }
}

/// Turns reports into actions and findings.
struct Receiver {
    act: Callback<Action>,
    client: Rc<RefCell<Option<Client>>>,
    standing: Rc<RefCell<Standing>>,
    tell: Callback<News>,
    tickets: Rc<RefCell<Tickets>>,
}

impl Receiver {
    fn take(&self, report: Report, bulk: &Array) {
        if !self.tickets.borrow().is_newest(&report) {
            return;
        }
        if let Report::Finished { run, facts, .. } = &report {
            self.ask_for_figures(*run);
            let reach = Reach {
                len: facts.end.saturating_since(facts.start),
                cpus: facts.cpus.clone(),
                decisions: facts.decisions.clone(),
            };
            self.act.emit(Action::RecordKnown(RunId(*run), Rc::new(reach)));
        }
        if let Some(action) = self.action(&report) {
            self.act.emit(action);
        }
        let lanes = match &report {
            Report::Lanes { pieces, .. } => {
                let lane_view = |shape: Shape, buffer: &JsValue| LaneView {
                    shape,
                    data: Uint32Array::new(buffer).to_vec(),
                };
                pieces
                    .iter()
                    .zip(bulk.iter())
                    .map(|((cpu, lane, shape), buffer)| (*cpu, *lane, lane_view(*shape, &buffer)))
                    .collect()
            }
            _ => Vec::new(),
        };
        self.tell.emit(News::Report(Box::new(report), lanes));
    }

    /// Asks at once, so that the worker counts while the page draws.
    fn ask_for_figures(&self, run: u64) {
        let Some(question) = self.standing.borrow_mut().of(run) else {
            return;
        };
        let ticket = self.tickets.borrow_mut().next();
        let request = question(ticket);
        self.tickets.borrow().note(&request, ticket);
        if let Some(client) = &*self.client.borrow() {
            client.send(&request, &[]);
        }
    }

    fn action(&self, report: &Report) -> Option<Action> {
        Some(match report {
            Report::Reading {
                name,
                bytes,
                total,
                rate,
            } => Action::FileProgressed(name.clone(), *bytes, *total, *rate),
            Report::Read {
                name, id, own: true, ..
            } => Action::FileRead(name.clone(), TraceId::parse(id)?),
            Report::Tables { name, tables } => Action::TablesRead(name.clone(), tables.clone()),
            Report::NotRead { name, why: None } => Action::FileCancelled(name.clone()),
            Report::NotRead {
                name,
                why: Some((what, detail)),
            } => Action::FileFailed(name.clone(), error(what.as_str(), detail.as_str())),
            Report::States(groups) => Action::StatesArrived(groups.iter().map(group).collect()),
            Report::Running { run, done, total } => Action::RunProgressed(RunId(*run), *done, *total),
            Report::Finished { run, took_ms, .. } => Action::RunFinished(RunId(*run), *took_ms),
            Report::NotRun { run, why: None } => Action::RunCancelled(RunId(*run)),
            Report::NotRun {
                run,
                why: Some((what, detail)),
            } => Action::RunFailed(RunId(*run), error(what, detail)),
            Report::Explained {
                view: Some(view),
                pinned: false,
                ..
            } => {
                let selection = Selection {
                    lane: view.lane,
                    cpu: view.cpu,
                    n: view.n,
                };
                Action::DecisionExplained(selection, view.span.0, view.span.1)
            }
            Report::Found {
                lane,
                found: Some((cpu, n, entry)),
                peek: false,
                ..
            }
            | Report::Selected {
                lane,
                found: Some((cpu, n, entry)),
                ..
            } => Action::DecisionSelected(
                Selection {
                    lane: *lane,
                    cpu: *cpu,
                    n: *n,
                },
                *entry,
            ),
            _ => return None,
        })
    }
}

fn group(group: &GroupView) -> StateGroup {
    let base = |state: &StateView| BaseState {
        name: state.name.clone(),
        target_residency: state.target_residency,
        exit_latency: state.exit_latency,
        power: state.power,
        on: state.on,
        polling: state.polling,
        timer_stop: state.timer_stop,
    };
    StateGroup {
        cpus: group.cpus.clone(),
        states: group.states.iter().map(base).collect(),
    }
}

fn error(what: &str, detail: &str) -> Message {
    Message {
        grade: Grade::Error,
        of_file: false,
        what: what.to_owned(),
        detail: detail.to_owned(),
    }
}
