//! The worker's own end: one session, one file being read, one run under way.
//!
//! Messages are taken between two pieces of work, so a newer question or a cancel is heard within
//! some 20 ms. The newest question wins; at most one waits.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Array, Date, Uint32Array, global};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::{Blob, DedicatedWorkerGlobalScope, MessageEvent};

use super::inquiry::Inquiring;
use super::pause::pause;
use super::protocol::{Inquiry, Report, Request, SweepView};
use super::{answers, file, wire};
use crate::page::doc::{Doc, SampleId, Workload};
use crate::page::session::{Progress, Session, Sweep};
use crate::page::sweep::{Point, Swept, values};

/// Events of the engine between two looks at the messages.
const BUDGET: u64 = 40_000;

/// The least time between two reports of a sweep, ms.
const SWEEP_EVERY_MS: f64 = 120.0;

/// The least time between two reports of progress, ms.
const REPORT_EVERY_MS: f64 = 60.0;

/// Which trace the session holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Loaded {
    #[default]
    Nothing,
    Own,
    Sample(SampleId),
}

/// A question that waits for its trace or runs.
struct Asked {
    run: u64,
    doc: Doc,
    begun: f64,
}

/// The newest sweep.
struct Sweeping {
    ticket: u32,
    swept: Swept,
    range: (i64, i64),
    own: i64,
    sweep: Sweep,
}

#[derive(Default)]
struct Host {
    session: RefCell<Session>,
    loaded: Cell<Loaded>,
    /// The user's own file, for coming back to it.
    own: RefCell<Option<(String, Blob)>>,
    /// Number of the reading; another one ends it.
    reading: Rc<Cell<u32>>,
    /// The newest run that was asked for.
    newest: Cell<u64>,
    asked: RefCell<Option<Asked>>,
    /// The question of the last finished run.
    answered: RefCell<Doc>,
    stepping: Cell<bool>,
    sweep: RefCell<Option<Sweeping>>,
    sweeping: Cell<bool>,
    inquiring: RefCell<Option<Inquiring>>,
    inquires: Cell<bool>,
}

/// Starts the worker: listens, then says so.
pub fn start(scope: &DedicatedWorkerGlobalScope) {
    let host = Rc::new(Host::default());
    let receive = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        if let Some((request, bulk)) = wire::unpack::<Request>(&event.data()) {
            take(&host, request, &bulk);
        }
    });
    scope.set_onmessage(Some(receive.as_ref().unchecked_ref()));
    receive.forget();
    // The first message only says that the worker listens.
    let _ = scope.post_message(&JsValue::TRUE);
}

/// Sends a report to the page.
fn tell(report: &Report) {
    tell_with(report, &[]);
}

fn tell_with(report: &Report, bulk: &[JsValue]) {
    let Ok(scope) = global().dyn_into::<DedicatedWorkerGlobalScope>() else {
        return;
    };
    if let Some(parcel) = wire::pack(report, bulk) {
        // Only values that cannot be cloned are refused, and none is ever sent.
        let _ = scope.post_message_with_transfer(&parcel.message, &parcel.transfer);
    }
}

fn take(host: &Rc<Host>, request: Request, bulk: &Array) {
    match request {
        Request::Read { names } => {
            let blobs = bulk.iter().filter_map(|blob| blob.dyn_into::<Blob>().ok());
            let files: Vec<(String, Blob)> = names.into_iter().zip(blobs).collect();
            *host.sweep.borrow_mut() = None;
            *host.inquiring.borrow_mut() = None;
            let host = Rc::clone(host);
            spawn_local(async move { read_own(&host, files).await });
        }
        Request::CancelRead => {
            host.reading.set(host.reading.get() + 1);
            host.session.borrow_mut().cancel_reading();
        }
        Request::Run { run, doc, sample } => {
            host.newest.set(run);
            // Another question than that of the sweep, but for the number that it varies.
            host.sweep
                .borrow_mut()
                .take_if(|sweeping| !sweeping.sweep.is_of(&doc, &sweeping.swept));
            let host = Rc::clone(host);
            spawn_local(async move { run_newest(&host, run, *doc, sample).await });
        }
        Request::CancelRun => cancel(host),
        Request::Sweep {
            ticket,
            swept,
            range,
            own,
        } => sweep(host, ticket, swept, range, own),
        Request::CancelSweep => *host.sweep.borrow_mut() = None,
        Request::Inquire { ticket, inquiry } => inquire(host, ticket, inquiry),
        Request::CancelInquiry => {
            let given_up = host.inquiring.borrow_mut().take();
            let ticket = given_up.as_ref().map(|inquiring| inquiring.ticket);
            if let (Some(ticket), Some(view)) = (ticket, given_up.and_then(Inquiring::given_up)) {
                let view = Box::new(view);
                tell(&Report::Inquiry { ticket, view });
            }
        }
        Request::Lanes {
            ticket,
            from,
            to,
            sight,
            columns,
            cpus,
            lanes,
            in_columns,
            extras,
            open,
        } => {
            let session = host.session.borrow();
            let views = answers::lanes(
                &session,
                ((from, to), sight),
                columns,
                (&cpus, &lanes),
                &in_columns,
            );
            let pieces = views
                .iter()
                .map(|(cpu, lane, view)| (*cpu, *lane, view.shape))
                .collect();
            let buffers: Vec<JsValue> = views
                .iter()
                .map(|(_, _, view)| Uint32Array::from(view.data.as_slice()).buffer().into())
                .collect();
            tell_with(
                &Report::Lanes {
                    ticket,
                    from,
                    to,
                    pieces,
                    differs: answers::differing(&session, (from, to), columns, &cpus),
                    strips: answers::strips(&session, &open, &extras, (from, to)),
                },
                &buffers,
            );
        }
        other => {
            if let Some(report) = answers::answer(&host.session.borrow(), &host.answered.borrow(), other) {
                tell(&report);
            }
        }
    }
}

/// Begins a sweep, or goes on with the same one, and tells what is known at once.
fn sweep(host: &Rc<Host>, ticket: u32, swept: Swept, range: (i64, i64), own: i64) {
    {
        let doc = host.answered.borrow();
        let mut sweeping = host.sweep.borrow_mut();
        match &mut *sweeping {
            Some(same) if same.sweep.is_of(&doc, &swept) && (same.range, same.own) == (range, own) => {
                same.ticket = ticket;
            }
            other => {
                *other = Some(Sweeping {
                    ticket,
                    range,
                    own,
                    sweep: Sweep::new(&doc, swept.clone(), values(range, own)),
                    swept,
                });
            }
        }
    }
    tell_sweep(host);
    if !host.sweeping.replace(true) {
        let host = Rc::clone(host);
        spawn_local(async move {
            run_sweep(&host).await;
            host.sweeping.set(false);
        });
    }
}

/// Works on the newest sweep until it is complete or given up; a run goes before it.
async fn run_sweep(host: &Rc<Host>) {
    let mut told = Date::now();
    loop {
        pause().await;
        if host.stepping.get() {
            continue;
        }
        let more = match &mut *host.sweep.borrow_mut() {
            Some(sweeping) => sweeping.sweep.step(&host.session.borrow(), BUDGET),
            None => return,
        };
        if !more || Date::now() - told >= SWEEP_EVERY_MS {
            told = Date::now();
            tell_sweep(host);
        }
        if !more {
            return;
        }
    }
}

/// Takes a question that takes long.
fn inquire(host: &Rc<Host>, ticket: u32, inquiry: Inquiry) {
    let inquiring = Inquiring::new(&host.session.borrow(), &host.answered.borrow(), ticket, inquiry);
    *host.inquiring.borrow_mut() = Some(inquiring);
    if !host.inquires.replace(true) {
        let host = Rc::clone(host);
        spawn_local(async move {
            run_inquiry(&host).await;
            host.inquires.set(false);
        });
    }
}

/// Works on the newest one until it is complete or given up; a run goes before it.
async fn run_inquiry(host: &Rc<Host>) {
    let mut told = Date::now();
    loop {
        pause().await;
        if host.stepping.get() {
            continue;
        }
        let report = {
            let session = host.session.borrow();
            let mut inquiring = host.inquiring.borrow_mut();
            let Some(inquiring) = &mut *inquiring else { return };
            let more = inquiring.step(&session);
            let due = !more || Date::now() - told >= SWEEP_EVERY_MS;
            let report = due.then(|| Report::Inquiry {
                ticket: inquiring.ticket,
                view: Box::new(inquiring.view(&session)),
            });
            (report, more)
        };
        if let Some(report) = report.0 {
            told = Date::now();
            tell(&report);
        }
        if !report.1 {
            host.inquiring.borrow_mut().take();
            return;
        }
    }
}

fn tell_sweep(host: &Host) {
    let sweeping = host.sweep.borrow();
    let Some(sweeping) = &*sweeping else { return };
    let swept = sweeping.swept.clone();
    let now = Point {
        value: swept.value(&host.answered.borrow()).unwrap_or(sweeping.own),
        sides: host.session.borrow().outcomes(&swept),
    };
    tell(&Report::Sweep {
        ticket: sweeping.ticket,
        view: Box::new(SweepView {
            swept,
            range: sweeping.range,
            own: sweeping.own,
            now,
            points: sweeping.sweep.points().to_vec(),
            left: sweeping.sweep.left(),
        }),
    });
}

fn cancel(host: &Host) {
    host.session.borrow_mut().cancel();
    if let Some(asked) = host.asked.borrow_mut().take() {
        tell(&Report::NotRun {
            run: asked.run,
            why: None,
        });
    }
}

/// Reads the user's files in turn; after a trace the page asks its question anew.
async fn read_own(host: &Rc<Host>, files: Vec<(String, Blob)>) {
    let job = host.reading.get() + 1;
    host.reading.set(job);
    for (name, blob) in files {
        if host.reading.get() != job {
            return;
        }
        read_one(host, job, name, blob).await;
    }
}

async fn read_one(host: &Rc<Host>, job: u32, name: String, blob: Blob) {
    let found = file::read(&blob, &host.session, job, &host.reading, |progress| {
        tell(&Report::Reading {
            name: name.clone(),
            bytes: progress.bytes,
            total: progress.total,
            rate: progress.rate,
        });
    })
    .await;
    match found {
        Ok(Some(tables)) => tell(&Report::Tables {
            name,
            tables: Box::new(tables),
        }),
        Ok(None) => {
            host.loaded.set(Loaded::Own);
            *host.own.borrow_mut() = Some((name.clone(), blob));
            tell_read(host, name, true);
        }
        Err(stop) => tell(&Report::NotRead {
            why: stop.why(&name),
            name,
        }),
    }
}

fn tell_read(host: &Host, name: String, own: bool) {
    let session = host.session.borrow();
    if let Some(traced) = session.traced() {
        tell(&Report::Read {
            name,
            id: traced.trace.short_hash(),
            own,
            import: Box::new(answers::import(traced)),
        });
    }
}

/// Loads what the question needs, then runs it.
async fn run_newest(host: &Rc<Host>, run: u64, doc: Doc, sample: Option<String>) {
    if let Err(stop) = load(host, &doc, sample).await {
        if run == host.newest.get() {
            tell(&Report::NotRun {
                run,
                why: stop.why("the workload"),
            });
        }
        return;
    }
    if run != host.newest.get() {
        return;
    }
    // What could not be done as asked is told with the results.
    host.session.borrow_mut().ask(&doc);
    *host.asked.borrow_mut() = Some(Asked {
        run,
        doc,
        begun: Date::now(),
    });
    if !host.stepping.replace(true) {
        step(host).await;
        host.stepping.set(false);
    }
}

/// Makes sure that the session holds the trace of the question.
async fn load(host: &Rc<Host>, doc: &Doc, sample: Option<String>) -> Result<(), file::Stop> {
    match (&doc.workload, sample) {
        (Workload::Sample(wanted), Some(url)) if host.loaded.get() != Loaded::Sample(*wanted) => {
            let blob = file::fetch(&url).await?;
            let job = host.reading.get() + 1;
            host.reading.set(job);
            file::read(&blob, &host.session, job, &host.reading, |_| {}).await?;
            host.loaded.set(Loaded::Sample(*wanted));
            tell_read(host, wanted.id().to_owned(), false);
        }
        (Workload::Trace(_), _) if host.loaded.get() != Loaded::Own => {
            let own = host.own.borrow().clone();
            let Some((name, blob)) = own else {
                return Err(file::Stop::Missing);
            };
            let job = host.reading.get() + 1;
            host.reading.set(job);
            file::read(&blob, &host.session, job, &host.reading, |_| {}).await?;
            host.loaded.set(Loaded::Own);
            tell_read(host, name, true);
        }
        (Workload::Generated(_), _) => host.loaded.set(Loaded::Nothing),
        _ => {}
    }
    Ok(())
}

/// Works until nothing is pending; a question that is asked meanwhile takes the place of the one
/// that runs.
async fn step(host: &Rc<Host>) {
    let mut reported = Date::now();
    loop {
        let progress = host.session.borrow_mut().step(BUDGET);
        let run = host.asked.borrow().as_ref().map(|asked| asked.run);
        match (progress, run) {
            (Progress::Idle, _) | (_, None) => return,
            (Progress::Running { done, total }, Some(run)) => {
                if Date::now() - reported >= REPORT_EVERY_MS {
                    reported = Date::now();
                    tell(&Report::Running { run, done, total });
                }
            }
            (Progress::Finished, Some(run)) => {
                finished(host, run);
                return;
            }
        }
        pause().await;
    }
}

fn finished(host: &Host, run: u64) {
    let Some(asked) = host.asked.borrow_mut().take() else {
        return;
    };
    *host.inquiring.borrow_mut() = None;
    let session = host.session.borrow();
    tell(&Report::States(answers::states(&session, &asked.doc)));
    tell(&Report::Finished {
        run,
        took_ms: milliseconds(Date::now() - asked.begun),
        facts: Box::new(answers::facts(&session)),
    });
    *host.answered.borrow_mut() = asked.doc;
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a duration in ms, rounded"
)]
fn milliseconds(ms: f64) -> u32 {
    ms.max(0.0).round() as u32
}
