//! How teo booked the last stay.

use super::Said;
use crate::cpuidle::teo::{Booked, TimerBin};
use crate::page::words::Speaker;
use crate::units::{Ns, StateIdx};

/// One stay with its timer.
pub(super) struct Stay {
    pub sleep_length: Ns,
    pub measured: Option<Ns>,
}

impl Stay {
    fn math(&self, speaker: &Speaker<'_>) -> String {
        // A decision that does not look the timer up leaves the largest number there.
        let looked_up = self.sleep_length != Ns::MAX;
        let slept = match self.measured {
            Some(measured) => format!("slept {}", speaker.time(measured)),
            None if looked_up => "slept as long".to_owned(),
            None => "the stay counts as longer than any".to_owned(),
        };
        if !looked_up {
            return format!("timer not looked up, {slept}");
        }
        let timer = speaker.named("sleep_length_ns", speaker.time(self.sleep_length));
        format!("timer {timer}, {slept}")
    }
}

/// In bins.
pub(super) fn in_bins(
    speaker: &Speaker<'_>,
    stay: &Stay,
    (timer, duration): (TimerBin, StateIdx),
    booked: Booked,
    total: u32,
) -> Said {
    let name = |idx: StateIdx| speaker.state(idx);
    let text = match (booked, timer) {
        (Booked::Hit, TimerBin::State(idx)) => format!(
            "Learned: the last stay ended in its timer's bin, a hit for {}",
            name(idx)
        ),
        (Booked::Hit, TimerBin::Tick) => {
            "Learned: the last stay ended in its timer's bin, a hit for the tick".to_owned()
        }
        (Booked::Intercept, _) => format!(
            "Learned: something came before the timer, an intercept for {}",
            name(duration)
        ),
        (Booked::TickHit, _) => {
            "Learned: the last stay lasted a tick or more: a hit for the bin beyond all states".to_owned()
        }
        (Booked::MostlyTicks, _) => {
            "Learned: the tick ended the stay, as most of them: a hit for the deepest state".to_owned()
        }
    };
    let total = speaker.term("all bins", "total").to_owned() + &format!(" {total}");
    Said::new(text, format!("{}; {total}", stay.math(speaker))).about([duration])
}

/// In the first design's counters.
pub(super) fn early(
    speaker: &Speaker<'_>,
    stay: &Stay,
    timer: Option<StateIdx>,
    hit: Option<StateIdx>,
) -> Said {
    let text = match (timer, hit) {
        (None, _) => "Learned: the timer allowed no state, so nothing is counted".to_owned(),
        (Some(timer), Some(hit)) if timer == hit => {
            format!(
                "Learned: the last stay was long enough for {}, a hit",
                speaker.state(timer)
            )
        }
        (Some(timer), Some(hit)) => format!(
            "Learned: a miss for {}, which the timer allowed, and an early hit for {}",
            speaker.state(timer),
            speaker.state(hit)
        ),
        (Some(timer), None) => {
            format!(
                "Learned: a miss for {}, which the timer allowed",
                speaker.state(timer)
            )
        }
    };
    Said::new(text, stay.math(speaker)).about(timer.into_iter().chain(hit))
}
