//! Traces without timer events: the next timer is guessed from what ended the idle episode (spec replay-inputs.md §3).
//!
//! ```text
//!   task | select … select … select, timer interrupt | task
//!          '-------- T ------- T -------'  expiry T := exit − lag, for every select of the episode
//! ```
//!
//! Never past a running task: a timer that ends a later episode was as a rule armed after this select. Where
//! nothing tells what ended a stay, its own exit is taken as the timer; that is no more than a guess.

use super::constants::Constants;
use super::select::{Interrupt, Select};
use super::tuning::Tuning;
use crate::units::{Ns, Time};

/// Fills in timers and tick wakeups that no event told.
pub(super) fn guess(rows: &mut [Vec<Select>], constants: &Constants, tuning: &Tuning) {
    let clock = constants.clock;
    for rows in rows {
        for row in rows.iter_mut() {
            let ticking = !row.was_stopped && !row.stopped_now;
            row.got_tick = ticking && row.exit.is_some_and(|exit| clock.phase(exit) < tuning.grid_band);
        }
        let mut start = 0;
        while start < rows.len() {
            let ran = rows.iter().skip(start).position(|row| row.task_ran);
            let end = ran.map_or(rows.len(), |n| start + n + 1);
            if let Some(episode) = rows.get_mut(start..end) {
                guess_episode(episode, constants, tuning);
            }
            start = end;
        }
    }
}

fn guess_episode(episode: &mut [Select], constants: &Constants, tuning: &Tuning) {
    let lag = Ns::ZERO.saturating_sub(tuning.timer_lag);
    let expiry = |row: &Select| row.exit.map_or(Time::NEVER, |exit| exit.saturating_add(lag));
    if !constants.has.interrupt_entry {
        for row in episode {
            row.hrtimer = expiry(row).max(row.now);
        }
        return;
    }
    let by_timer = episode
        .last()
        .filter(|last| last.wake.first == Some(Interrupt::Timer));
    let due = by_timer.map_or(Time::NEVER, expiry);
    for row in episode {
        row.hrtimer = due.max(row.now);
    }
}
