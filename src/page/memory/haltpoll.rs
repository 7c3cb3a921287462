//! haltpoll's window: how long it polls before it halts, and what the halt did to it.

use super::{Drawing, Scene, finished, table};
use crate::cpuidle::haltpoll::{Params, Shrinking};
use crate::cpuidle::{Device, Governor};
use crate::page::plot::window::Window;
use crate::sim::Explained;
use crate::units::{Ns, StateIdx};

/// None when the governor is no haltpoll.
pub(super) fn drawing(explained: &Explained, scene: &Scene<'_>) -> Option<Drawing> {
    let Governor::Haltpoll(haltpoll) = &explained.chosen.governor else {
        return None;
    };
    let params = haltpoll.rules().params;
    let window = |device: &Device| device.poll_limit.unwrap_or(Ns::ZERO);
    let (before, after) = (window(&explained.before.device), window(&explained.ended.device));
    let stay = explained.ended.device.last_residency;
    let polled = explained.row.entered == StateIdx::ZERO;
    let time = |d: Ns| {
        if d == Ns::ZERO {
            "closed".to_owned()
        } else {
            scene.speaker().time(d)
        }
    };
    let to_the_end = polled && explained.ended.device.poll_timed_out;
    let did = if polled { "polled" } else { "halted" };
    let max = Ns::new(params.max_ns.into());
    let why = if polled {
        "only halts change it"
    } else if stay <= before {
        "the halt was no longer than it"
    } else if stay <= max {
        "the halt was longer, but within the limit"
    } else {
        "the halt was beyond the limit"
    };
    let answer = if after == before {
        format!("The window stays {}: {why}", open(before, scene))
    } else if polled {
        format!(
            "The window was {}, the polling state opened it to {}",
            open(before, scene),
            time(after)
        )
    } else if after > before {
        format!("The window grows from {} to {}: {why}", time(before), time(after))
    } else {
        format!(
            "The window shrinks from {} to {}: {why}",
            time(before),
            time(after)
        )
    };
    let answer = match misfit(scene) {
        Some(why) => format!("{answer}. {why}"),
        None => answer,
    };
    let numbers = table(
        ["what", "value"],
        [
            ["window before", &time(before)],
            [did, &scene.speaker().time(stay)],
            ["polled to the end", if to_the_end { "yes" } else { "no" }],
            ["window after", &time(after)],
            ["limit, guest_halt_poll_ns", &scene.speaker().time(max)],
            [
                "first window, guest_halt_poll_grow_start",
                &scene.speaker().time(start(params)),
            ],
            ["grows, guest_halt_poll_grow", &format!("times {}", params.grow)],
            ["shrinks, guest_halt_poll_shrink", &shrinks(params)],
        ]
        .map(|row| row.map(str::to_owned)),
    );
    let picture = Window {
        width: scene.width,
        before,
        after,
        max,
        start: start(params),
        shrinks: params.shrinking == Shrinking::Allowed,
        did,
        stay,
        to_the_end,
    };
    Some(finished(answer, picture.plot(), numbers))
}

/// What a table does to haltpoll that is no guest's: one state that polls and one that halts.
fn misfit(scene: &Scene<'_>) -> Option<String> {
    let states = scene.states;
    let polls = states.is_polling(StateIdx::ZERO);
    if polls && states.len() == 2 {
        return None;
    }
    let used = match states.get(StateIdx::new(1)) {
        Some(halt) => format!("{} and {}", scene.name(StateIdx::ZERO), halt.name),
        None => scene.name(StateIdx::ZERO),
    };
    let first = if polls {
        ""
    } else {
        ", and takes the first for polling although it does not poll"
    };
    Some(format!(
        "haltpoll is made for guests with a polling state and a halt: of these states it uses only {used}{first}"
    ))
}

fn open(window: Ns, scene: &Scene<'_>) -> String {
    if window == Ns::ZERO {
        "closed".to_owned()
    } else {
        format!("at {}", scene.speaker().time(window))
    }
}

fn start(params: Params) -> Ns {
    Ns::new(params.grow_start_ns.into())
}

fn shrinks(params: Params) -> String {
    match (params.shrinking, params.shrink) {
        (Shrinking::Forbidden, _) => "never".to_owned(),
        (Shrinking::Allowed, 0) => "closes at once".to_owned(),
        (Shrinking::Allowed, by) => format!("divided by {by}"),
    }
}
