//! Long questions about the answered run: why states were not chosen, and what each difference between A and B did.
//!
//! One at a time: the newest takes the place of the one before it, and a new run ends it.

use super::answers::PAGE;
use super::protocol::{ChangeRow, ChangesView, Inquiry, InquiryView, WhyView};
use crate::page::changes::Item;
use crate::page::doc::Side;
use crate::page::mail::changes::{changes, mattered, tell};
use crate::page::session::{Counted, Session, Undoing, Why};
use crate::page::view::LaneId;

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
    Changes(Option<Box<Undoing>>, String),
}

impl Inquiring {
    /// Nothing is done yet.
    pub fn new(session: &Session, ticket: u32, inquiry: Inquiry) -> Self {
        let work = match inquiry {
            Inquiry::Why { range } => Work::Why(Why::new(session, range), inquiry),
            Inquiry::Changes { link } => Work::Changes(Undoing::new(session).map(Box::new), link),
        };
        Self { ticket, work }
    }

    /// Some 20 ms of work; answers whether anything is left.
    pub fn step(&mut self, session: &Session) -> bool {
        match &mut self.work {
            Work::Why(why, _) => why.step(LISTENING),
            Work::Changes(undoing, _) => undoing
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
            Work::Changes(None, _) => InquiryView::Changes(ChangesView::default()),
            Work::Changes(Some(undoing), link) => InquiryView::Changes(list(session, undoing, link)),
        }
    }
}

fn list(session: &Session, undoing: &Undoing, link: &str) -> ChangesView {
    let counts = session
        .differences()
        .map(|counts| (u64::from(counts.differences), u64::from(counts.compared)));
    let plan = undoing.plan();
    let (Some(a), Some(b)) = (plan.variant(Side::A), plan.variant(Side::B)) else {
        return ChangesView::default();
    };
    let row = |(item, counted): &(Item, Counted)| {
        let told = tell(item, a, b, PAGE);
        ChangeRow {
            source: told.source,
            what: told.what,
            sides: told.sides,
            mattered: (!matches!(item, Item::Entry { .. })).then(|| mattered(*counted, PAGE)),
        }
    };
    ChangesView {
        names: Some((a.governor.to_string(), b.governor.to_string())),
        counts,
        rows: undoing.items().iter().map(row).collect(),
        left: undoing.left(),
        text: changes(undoing, counts, link),
    }
}

const fn lane(side: Side) -> LaneId {
    match side {
        Side::A => LaneId::A,
        Side::B => LaneId::B,
    }
}
