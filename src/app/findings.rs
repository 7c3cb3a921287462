//! What the worker found: the page's copy of its reports, newest of each kind.
//!
//! Invariant: nothing here is computed, only kept; what belongs to an older question is dropped
//! by ticket, and stays shown, paler, until the newer answer is here.

use std::rc::Rc;

use yew::Reducible;

use super::worker::protocol::{
    ChangesView, DecisionView, Facts, ImportView, InquiryView, Report, ResultsView, Sought, SpreadView,
    SweepView, TableRow, WhyView,
};
use crate::page::plot::timeline::{Pieces, Sent};
use crate::page::session::LaneView;
use crate::page::view::{LaneId, Selection};
use crate::units::{CpuId, Time};

/// The whole record in few columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Overview {
    /// Busy share per column, 0 to 1.
    pub busy: Vec<f32>,
    /// Differences per column.
    pub differs: Vec<u32>,
}

/// A hover card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The question it answers.
    pub ticket: u32,
    /// Its lines.
    pub lines: Vec<String>,
    /// The block it speaks of.
    pub span: Option<(Time, Time)>,
    /// Who sent the interrupt that ended it, where that is known.
    pub sent: Option<Sent>,
}

/// A stretch of the timeline as a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The heads of its columns, the instant first.
    pub heads: Vec<String>,
    /// Rows in all.
    pub total: u32,
    /// How many were left out.
    pub skip: u32,
    /// The rows.
    pub rows: Vec<TableRow>,
}

/// Everything the worker has told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// What became of the lines of the open trace.
    pub import: Option<Rc<ImportView>>,
    /// What the newest finished run covers.
    pub facts: Option<Rc<Facts>>,
    /// The run that `facts` and everything below belong to.
    pub run: u64,
    /// Lanes for the timeline.
    pub pieces: Option<Rc<Pieces>>,
    /// The overview.
    pub overview: Option<Rc<Overview>>,
    /// The selected decision.
    pub decision: Option<Rc<DecisionView>>,
    /// The decision that is kept beside it.
    pub pinned: Option<Rc<DecisionView>>,
    /// The results.
    pub results: Option<Rc<ResultsView>>,
    /// The hover card.
    pub hover: Option<Rc<Hover>>,
    /// The table.
    pub table: Option<Rc<Table>>,
    /// The sweep.
    pub sweep: Option<Rc<SweepView>>,
    /// Why states were not chosen.
    pub why: Option<Rc<WhyView>>,
    /// What changed between A and B.
    pub changes: Option<Rc<ChangesView>>,
    /// What several seeds give.
    pub spread: Option<Rc<SpreadView>>,
    /// Where playback is to stop, once that is known; inside none when nothing lies ahead.
    pub ahead: Option<Option<(Selection, Time)>>,
    /// The last search that found nothing.
    pub ended: Option<Ended>,
    /// Runs up to this one were about another workload.
    forgotten: u64,
}

/// A search that found nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The question it answers: asking again is another answer.
    pub ticket: u32,
    /// What was sought.
    pub sought: Sought,
    /// Forward, else back.
    pub forward: bool,
    /// In which lane.
    pub lane: LaneId,
}

/// Something that changes the findings.
pub enum News {
    /// A report with its lanes unpacked.
    Report(Box<Report>, Vec<(CpuId, LaneId, LaneView)>),
    /// Another workload: nothing found so far says anything about it, nor what a run up to this
    /// number will tell.
    Forgotten(u64),
    /// No decision is selected any more.
    Deselected,
    /// No decision is kept any more.
    Unpinned,
    /// The pointer left.
    HoverEnded,
    /// Where playback is to stop is not known.
    AheadForgotten,
}

impl Reducible for Findings {
    type Action = News;

    fn reduce(self: Rc<Self>, news: News) -> Rc<Self> {
        let mut next = (*self).clone();
        match news {
            // The import report of a new trace arrives before the page knows that trace.
            News::Forgotten(run) => {
                next = Self {
                    import: next.import,
                    forgotten: run,
                    ..Self::default()
                }
            }
            News::AheadForgotten => next.ahead = None,
            News::Deselected => next.decision = None,
            News::Unpinned => next.pinned = None,
            News::HoverEnded => next.hover = None,
            News::Report(report, lanes) => next.take(*report, lanes),
        }
        Rc::new(next)
    }
}

impl Findings {
    fn take(&mut self, report: Report, lanes: Vec<(CpuId, LaneId, LaneView)>) {
        match report {
            Report::Read { import, .. } => self.import = Some(Rc::new(*import)),
            Report::Finished { run, facts, .. } if run > self.forgotten => {
                self.run = run;
                self.spread = None;
                self.facts = Some(Rc::new(*facts));
            }
            Report::Lanes {
                from,
                to,
                differs,
                strips,
                ..
            } => {
                let pieces = Pieces {
                    from,
                    to,
                    lanes,
                    differs,
                    strips,
                };
                self.pieces = Some(Rc::new(pieces));
            }
            Report::Overview { busy, differs, .. } => {
                self.overview = Some(Rc::new(Overview { busy, differs }))
            }
            Report::Explained {
                view, pinned: true, ..
            } => self.pinned = view.map(|view| Rc::new(*view)),
            Report::Explained { view, .. } => self.decision = view.map(|view| Rc::new(*view)),
            Report::Results { view, .. } => self.results = Some(Rc::new(*view)),
            Report::Hover {
                ticket,
                lines,
                span,
                sent,
            } => {
                self.hover = Some(Rc::new(Hover {
                    ticket,
                    lines,
                    span,
                    sent,
                }));
            }
            Report::Table {
                heads,
                total,
                skip,
                rows,
                ..
            } => {
                self.table = Some(Rc::new(Table {
                    heads,
                    total,
                    skip,
                    rows,
                }));
            }
            Report::Sweep { view, .. } => self.sweep = Some(Rc::new(*view)),
            Report::Inquiry { view, .. } => {
                // There is one at a time: what came before is given up.
                if let Some(spread) = &mut self.spread {
                    Rc::make_mut(spread).under_way = false;
                }
                match *view {
                    InquiryView::Why(why) => self.why = Some(Rc::new(why)),
                    InquiryView::Changes(changes) => self.changes = Some(Rc::new(changes)),
                    InquiryView::Spread(spread) => self.spread = Some(Rc::new(spread)),
                }
            }
            Report::Found {
                lane,
                found,
                peek: true,
                ..
            } => {
                let selection = |(cpu, n, at)| (Selection { lane, cpu, n }, at);
                self.ahead = Some(found.map(selection));
            }
            Report::Found {
                ticket,
                sought,
                forward,
                lane,
                found: None,
                ..
            } => {
                self.ended = Some(Ended {
                    ticket,
                    sought,
                    forward,
                    lane,
                });
            }
            Report::Finished { .. }
            | Report::Reading { .. }
            | Report::NotRead { .. }
            | Report::Tables { .. }
            | Report::States(_)
            | Report::Running { .. }
            | Report::NotRun { .. }
            | Report::Found { .. }
            | Report::Selected { .. } => {}
        }
    }
}
