//! Long questions about the answered run: why states were not chosen, what each difference between A and B did, what
//! other seeds give.
//!
//! One at a time: the newest takes the place of the one before it, and a new run ends it.

use super::answers::PAGE;
use super::protocol::{ChangeRow, ChangesView, Inquiry, InquiryView, SpreadView, WhyView};
use crate::page::changes::Item;
use crate::page::doc::{Doc, Side};
use crate::page::mail::changes::{changes, counted_in, mattered, shared, tell};
use crate::page::session::{Counted, Seeds, Session, Undoing, Why};
use crate::page::spread;
use crate::page::view::LaneId;
use crate::units::Time;

/// Events of the engine between two looks at the messages, while somebody listens to each decision.
const LISTENING: u64 = 10_000;
/// The same while nobody does.
const BUDGET: u64 = 40_000;

/// A question being worked on.
pub struct Inquiring {
    /// The question it answers.
    pub ticket: u32,
    work: Work,
}

enum Work {
    Why(Why, Inquiry),
    Changes(Option<Box<Undoing>>, Option<(Time, Time)>, String),
    Spread(Option<Box<Seeds>>),
}

impl Inquiring {
    /// Nothing is done yet.
    pub fn new(session: &Session, doc: &Doc, ticket: u32, inquiry: Inquiry) -> Self {
        let work = match inquiry {
            Inquiry::Why { range } => Work::Why(Why::new(session, range), inquiry),
            Inquiry::Changes { range, link } => {
                Work::Changes(Undoing::new(session, range).map(Box::new), range, link)
            }
            Inquiry::Spread { seeds } => Work::Spread(Seeds::new(doc, seeds).map(Box::new)),
        };
        Self { ticket, work }
    }

    /// Some 20 ms of work; answers whether anything is left.
    pub fn step(&mut self, session: &Session) -> bool {
        match &mut self.work {
            Work::Why(why, _) => why.step(LISTENING),
            Work::Changes(undoing, ..) => undoing
                .as_mut()
                .is_some_and(|undoing| undoing.step(session, BUDGET)),
            Work::Spread(seeds) => seeds.as_mut().is_some_and(|seeds| seeds.step(BUDGET)),
        }
    }

    /// What there is to say when it is given up: of several seeds those that are done.
    pub fn given_up(self) -> Option<InquiryView> {
        let Work::Spread(seeds) = &self.work else {
            return None;
        };
        let view = SpreadView {
            under_way: false,
            ..spread_of(seeds.as_deref())
        };
        Some(InquiryView::Spread(view))
    }

    /// What has been found.
    pub fn view(&self, session: &Session) -> InquiryView {
        match &self.work {
            Work::Why(why, Inquiry::Why { range }) => InquiryView::Why(WhyView {
                range: *range,
                lanes: why
                    .tallies()
                    .map(|(side, within, tally)| (lane(side), within, tally.clone()))
                    .collect(),
                under_way: why.is_under_way(),
            }),
            Work::Why(..) => InquiryView::Why(WhyView::default()),
            Work::Changes(None, range, _) => InquiryView::Changes(ChangesView {
                range: *range,
                ..ChangesView::default()
            }),
            Work::Changes(Some(undoing), range, link) => {
                InquiryView::Changes(list(session, undoing, *range, link))
            }
            Work::Spread(seeds) => InquiryView::Spread(spread_of(seeds.as_deref())),
        }
    }
}

fn spread_of(seeds: Option<&Seeds>) -> SpreadView {
    let Some(seeds) = seeds else {
        return SpreadView::default();
    };
    let done = seeds.done();
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    SpreadView {
        seeds: done
            .first()
            .zip(done.last())
            .map(|(first, last)| (first.seed, last.seed)),
        done: count(done.len()),
        of: count(seeds.of()),
        rows: spread::rows(done, PAGE),
        under_way: done.len() < seeds.of(),
    }
}

fn list(session: &Session, undoing: &Undoing, range: Option<(Time, Time)>, link: &str) -> ChangesView {
    let counts = session
        .differences_in(range)
        .map(|counts| (u64::from(counts.differences), u64::from(counts.compared)));
    let plan = undoing.plan();
    let (Some(a), Some(b)) = (plan.variant(Side::A), plan.variant(Side::B)) else {
        return ChangesView::default();
    };
    // As the trace's own clock says it, like every stamp.
    let own = range.and_then(|(from, to)| Some((session.absolute(from)?, session.absolute(to)?)));
    let row = |(item, counted): &(Item, Counted)| {
        let told = tell(item, a, b, PAGE);
        ChangeRow {
            source: told.source,
            what: told.what,
            sides: told.sides,
            mattered: mattered(item, *counted, PAGE),
        }
    };
    ChangesView {
        names: Some((a.governor.to_string(), b.governor.to_string())),
        range,
        place: counted_in(own, PAGE),
        counts,
        shared: undoing
            .overlap()
            .map(|overlap| shared(overlap, PAGE))
            .unwrap_or_default(),
        rows: undoing.items().iter().map(row).collect(),
        left: undoing.left(),
        text: changes(undoing, counts, own, link),
    }
}

const fn lane(side: Side) -> LaneId {
    match side {
        Side::A => LaneId::A,
        Side::B => LaneId::B,
    }
}
