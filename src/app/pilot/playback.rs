//! The cursor that moves by itself.

use gloo::render::{AnimationFrame, request_animation_frame};
use std::rc::Rc;
use yew::prelude::*;

use super::{Pilot, whole};
use crate::app::findings::News;
use crate::app::worker::protocol::{Request, Sought};
use crate::page::action::Action;
use crate::units::Ns;

/// Moves the cursor while the page plays, up to the next difference if that was asked for.
#[hook]
pub(super) fn use_playback(pilot: &Pilot) {
    let frame = use_mut_ref(|| None::<AnimationFrame>);
    let last = use_mut_ref(|| None::<f64>);
    let (act, view) = (pilot.act.clone(), Rc::clone(&pilot.page.view));
    let end = whole(&pilot.engine).to();
    let stops = view.playing && view.stop_at_difference;
    use_ahead(pilot, stops);
    // Until it is known where to stop, time stands still.
    let ahead = pilot.engine.findings.ahead;
    let (waits, stop) = (stops && ahead.is_none(), ahead.flatten().filter(|_| stops));
    use_effect_with(
        (view.playing && !waits, view.cursor, view.speed, stop),
        move |(playing, cursor, speed, stop)| {
            if !*playing {
                *last.borrow_mut() = None;
                *frame.borrow_mut() = None;
                return;
            }
            let (cursor, speed) = (*cursor, *speed);
            let stop = stop.filter(|(_, at)| *at > cursor);
            let next = request_animation_frame(move |now| {
                let since = last
                    .borrow_mut()
                    .replace(now)
                    .map_or(0.0, |before| (now - before).min(100.0));
                let by = (speed.as_ns() as f64 * since / 1_000.0).max(1.0);
                #[allow(
                    clippy::cast_possible_truncation,
                    reason = "at most 0.1 s of playback at 1 s per s"
                )]
                let to = cursor.saturating_add(Ns::new(by as i64));
                match stop {
                    // Selecting stops the playback.
                    Some((selection, at)) if to >= at => act.emit(Action::DecisionSelected(selection, at)),
                    _ if to >= end => {
                        act.emit(Action::Played(end));
                        act.emit(Action::PlayStopped);
                    }
                    _ => act.emit(Action::Played(to)),
                }
            });
            *frame.borrow_mut() = Some(next);
        },
    );
}

/// Asks for the difference that playback is to stop at.
#[hook]
fn use_ahead(pilot: &Pilot, stops: bool) {
    let (engine, view) = (pilot.engine.clone(), Rc::clone(&pilot.page.view));
    use_effect_with((stops, engine.findings.run), move |(stops, run)| {
        engine.news.emit(News::AheadForgotten);
        if *stops && *run > 0 {
            let (lane, cpu, at) = (view.lane, view.cpu, view.cursor);
            engine.ask.emit(Box::new(move |ticket| Request::Seek {
                ticket,
                sought: Sought::Difference,
                forward: true,
                lane,
                cpu,
                at,
                peek: true,
            }));
        }
    });
}
