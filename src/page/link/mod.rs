//! Links: the question and where one looks, as `key=value` pairs after `#`.
//!
//! A link restores what its author saw, survives mail, and stays readable for ever. Reading never
//! fails: what is not understood becomes an [`Issue`] and its default holds. Writing leaves out
//! what equals the default. Keys and defaults: design/lessons.md §1; letters and lengths:
//! design.md §5.
//!
//! Laws, in `tests/it/links`: `parse(write(x)) == x`; `write` after `parse` is a fixed point; no
//! text makes `parse` panic; every line of `v1.txt` opens as noted there.

mod issue;
mod machine;
mod pairs;
mod place;
mod read;
mod write;

pub use issue::{Issue, rest_of_link};
pub use pairs::VERSION;
pub use place::{Misfit, Reach, settle};
pub use read::{parse, workload_named};
pub use write::{fragment, write};

use super::costs;
use super::doc::{Doc, Overrides, Side, Workload};
use super::scenarios::{self, is_closed_loop, parameters};
use super::view::{View, Window};
use crate::energy::DEFAULT_TICK_STOP;
use crate::units::{Ns, Time};

/// What a link holds. Always in the form that [`Link::new`] gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Link {
    /// The question.
    pub doc: Doc,
    /// Where one looks.
    pub view: View,
}

/// What the author wants the reader to find open, beside the question itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The question and its results only: the shortest link.
    Question,
    /// Also the CPU and the decision or cursor.
    Place,
    /// Also the visible stretch, the lanes and the panels: all that one sees.
    Everything,
}

/// How long a link is, against what mail bears (spec/mail-and-links.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// At most 78 characters: fits one line and a `Link:` trailer.
    Fits,
    /// At most 160 characters, the longest seen on the lists.
    Long,
    /// Longer: some mail programs will cut it.
    TooLong,
}

impl Length {
    /// How long a whole address is.
    #[must_use]
    pub fn of(url: &str) -> Self {
        match url.chars().count() {
            0..=78 => Self::Fits,
            79..=160 => Self::Long,
            _ => Self::TooLong,
        }
    }
}

impl Link {
    /// The link of a page: settings that say the same twice are said once, what no link carries
    /// (theme, playback) is at its default, what the workload has no use for too, and window edges are rounded outwards to a thousandth
    /// of its length.
    #[must_use]
    pub fn new(doc: &Doc, view: &View, extent: Extent) -> Self {
        let mut doc = doc.clone();
        if !has_clock(&doc) {
            doc.frequency = Doc::default().frequency;
        }
        if !doc.costs.is_empty() {
            let asked = doc.clone();
            doc.costs.retain(|cost, value| {
                costs::applies(&asked, cost) && costs::shown_own(&asked, cost) != Some((value, value))
            });
        }
        if doc.workload != Workload::None && !is_closed_loop(&doc) {
            // What is assumed anyway.
            doc.tick_cost = doc.tick_cost.filter(|cost| *cost != DEFAULT_TICK_STOP);
        }
        for side in Side::ALL {
            let shared = doc.settings.clone();
            let over = &mut doc.variant_mut(side).over;
            *over = Overrides {
                hz: over.hz.filter(|hz| *hz != shared.hz),
                nohz: over.nohz.filter(|nohz| *nohz != shared.nohz),
                rate_limit: over.rate_limit.filter(|limit| *limit != shared.rate_limit),
                latency: over.latency.filter(|limit| *limit != shared.latency),
            };
        }
        Self {
            doc,
            view: seen(view, extent),
        }
    }
}

/// Whether who sets the clock is a question: closed loops on some machines have one that changes, and a workload
/// that is not known may.
fn has_clock(doc: &Doc) -> bool {
    doc.workload == Workload::None || parameters(doc).is_some_and(scenarios::has_clock)
}

fn seen(view: &View, extent: Extent) -> View {
    let mut seen = View::default();
    if extent == Extent::Question {
        return seen;
    }
    seen.cpu = view.cpu;
    seen.lane = view.lane;
    seen.decision = view.decision;
    if view.decision.is_none() {
        seen.cursor = view.cursor.max(Time::ZERO);
    }
    if extent == Extent::Place {
        return seen;
    }
    seen.window = view.window.map(rounded);
    seen.range = view.range.map(positive);
    seen.open_cpus.clone_from(&view.open_cpus);
    seen.open_cpus.sort_unstable();
    seen.open_cpus.dedup();
    seen.hidden.clone_from(&view.hidden);
    seen.hidden.sort_unstable();
    seen.hidden.dedup();
    seen.pin = view.pin;
    seen.panel = view.panel;
    seen.tab = view.tab;
    seen.kernel_names = view.kernel_names;
    seen.embed = view.embed;
    seen
}

fn positive(window: Window) -> Window {
    Window::new(window.from().max(Time::ZERO), window.to().max(Time::ZERO))
}

/// Outwards to the power of ten at or below a thousandth of the length; that of the rounded window, which can be
/// the next one.
fn rounded(window: Window) -> Window {
    let mut window = positive(window);
    loop {
        let wider = rounded_once(window);
        if wider == window {
            return window;
        }
        window = wider;
    }
}

fn rounded_once(window: Window) -> Window {
    let step = 10_i64.pow((window.len().as_ns() / 1_000).max(1).ilog10());
    let down = window.from().as_ns() / step * step;
    let up = window.to().as_ns().saturating_add(step - 1) / step * step;
    Window::new(Time::from_ns(down), Time::ZERO.saturating_add(Ns::new(up)))
}
