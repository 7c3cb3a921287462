//! Long questions about the answered run: why states were not chosen, and what each difference between A and B did.
//!
//! One at a time: the newest takes the place of the one before it, and a new run ends it.

use super::answers::PAGE;
use super::protocol::{ChangeRow, ChangesView, Inquiry, InquiryView, WhyView};
use crate::page::changes::Item;
use crate::page::doc::Side;
use crate::page::mail::changes::{changes, counted_in, mattered, shared, tell};
use crate::page::session::{Counted, Session, Undoing, Why};
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
}

impl Inquiring {
    /// Nothing is done yet.
    pub fn new(session: &Session, ticket: u32, inquiry: Inquiry) -> Self {
        let work = match inquiry {
            Inquiry::Why { range } => Work::Why(Why::new(session, range), inquiry),
            Inquiry::Changes { range, link } => {
                Work::Changes(Undoing::new(session, range).map(Box::new), range, link)
            }
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
        }
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
        }
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
