//! What the page's state asks of the worker: explanations, results, the overview.

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use crate::app::address;
use crate::app::engine::Engine;
use crate::app::findings::News;
use crate::app::worker::protocol::{Inquiry, Request};
use crate::page::Page;
use crate::page::link::Extent;
use crate::page::view::{Selection, Tab};

/// Columns of the strip above the timeline.
const OVERVIEW_COLUMNS: u32 = 320;

/// A view that has been the same for so long rests, ms: what takes long is not asked while it moves.
const RESTS_MS: u32 = 250;

/// Asks what the page's state needs: the explanation of the selected decision, and the results.
#[hook]
pub fn use_questions(page: &Page, engine: &Engine) {
    let run = engine.findings.run;
    let view = &page.view;
    let range = view.range.map(|range| (range.from(), range.to()));
    {
        let engine = engine.clone();
        let before = use_mut_ref(|| (0_u64, None::<Selection>));
        let cursor = view.cursor;
        use_effect_with((run, view.selection(), range), move |(run, selection, range)| {
            let range = *range;
            let (last_run, last) = before.replace((*run, *selection));
            if *run == 0 {
                return;
            }
            let Some(Selection { lane, cpu, n }) = *selection else {
                engine.news.emit(News::Deselected);
                return;
            };
            engine.ask.emit(Box::new(move |ticket| Request::Explain {
                ticket,
                lane,
                cpu,
                n,
                range,
                pinned: false,
            }));
            if last_run != 0 && last_run != *run && last == *selection {
                // Another run numbers its decisions anew: the place in time is what stays.
                engine.ask.emit(Box::new(move |ticket| Request::At {
                    ticket,
                    lane,
                    cpu,
                    at: cursor,
                    hover: false,
                }));
            }
        });
    }
    {
        let engine = engine.clone();
        use_effect_with((run, view.pin, range), move |(run, pin, range)| match *pin {
            None => engine.news.emit(News::Unpinned),
            Some(Selection { lane, cpu, n }) if *run > 0 => {
                let range = *range;
                engine.ask.emit(Box::new(move |ticket| Request::Explain {
                    ticket,
                    lane,
                    cpu,
                    n,
                    range,
                    pinned: true,
                }));
            }
            Some(_) => {}
        });
    }
    {
        let engine = engine.clone();
        use_effect_with(run, move |run| {
            if *run > 0 {
                engine.ask.emit(Box::new(|ticket| Request::Overview {
                    ticket,
                    columns: OVERVIEW_COLUMNS,
                }));
            }
        });
    }
    {
        let engine = engine.clone();
        let link = address::address_of(&address::fragment_of(page, Extent::Question));
        let seen = view.window.map(|window| (window.from(), window.to()));
        let inquiry = match view.tab {
            Tab::Why => Some(Inquiry::Why {
                range: range.or(seen),
            }),
            Tab::Changes => Some(Inquiry::Changes {
                range,
                link: link.clone(),
            }),
            _ => None,
        };
        use_inquiry(run, inquiry, &engine);
        {
            let mut standing = engine.standing.borrow_mut();
            standing.range = range;
            standing.link = link;
        }
        use_effect_with((run, range), move |(run, _)| {
            if *run == 0 {
                return;
            }
            // Of a run that has just finished it is asked already.
            let question = engine.standing.borrow_mut().of(*run);
            if let Some(question) = question {
                engine.ask.emit(question);
            }
        });
    }
}

/// Asks what the open tab needs, when that takes long; gives it up when the tab is left. The first question of
/// a tab is asked at once, later ones when the view rests: the older answer stays until then.
#[hook]
fn use_inquiry(run: u64, inquiry: Option<Inquiry>, engine: &Engine) {
    let ask = engine.ask.clone();
    let before = use_mut_ref(|| None::<(u64, std::mem::Discriminant<Inquiry>)>);
    use_effect_with((run, inquiry), move |(run, inquiry)| {
        let asked = inquiry.clone().filter(|_| *run > 0);
        let kind = asked
            .as_ref()
            .map(|inquiry| (*run, std::mem::discriminant(inquiry)));
        let moved = kind.is_some() && before.replace(kind) == kind;
        let waits = asked.map(|inquiry| {
            let ask = ask.clone();
            let delay = if moved { RESTS_MS } else { 0 };
            Timeout::new(delay, move || {
                ask.emit(Box::new(move |ticket| Request::Inquire { ticket, inquiry }));
            })
        });
        move || {
            if let Some(waits) = waits {
                waits.cancel();
                ask.emit(Box::new(|_| Request::CancelInquiry));
            }
        }
    });
}
