//! The step that made A and B decide differently, and what each expected the stay to last.
//!
//! Two decisions part long before they differ: their memories do, and with them the numbers of most
//! steps. Decisive is the step after which the candidates stay apart; where the states are the same,
//! the step that settles the tick.

use super::align::{Row, pairs};
use crate::cpuidle::{self, baseline, haltpoll, ladder, menu, mobile, teo};
use crate::sim::Step;
use crate::units::{Ns, StateIdx};

/// The places of the decisive steps in A's and B's list; `None` on a side that has none there. `None`
/// where nothing differs.
#[must_use]
pub fn decisive(a: &[Step], b: &[Step]) -> Option<(Option<usize>, Option<usize>)> {
    let rows: Vec<(Option<usize>, Option<usize>)> = pairs(a, b)
        .into_iter()
        .filter_map(|row| match row {
            Row::Same { a, b } => Some((Some(a), Some(b))),
            Row::Split { a, b } => Some((a, b)),
            Row::Collapsed { .. } => None,
        })
        .collect();
    let steps = |row: &(Option<usize>, Option<usize>)| {
        (
            row.0.and_then(|n| a.get(n)).copied(),
            row.1.and_then(|n| b.get(n)).copied(),
        )
    };
    let governor = |step: Option<Step>| matches!(step, Some(Step::Governor(_)));
    let related = rows
        .iter()
        .map(steps)
        .any(|(one, other)| governor(one) && governor(other));
    let settled = (settles(a), settles(b));
    if !related {
        return Some(settled).filter(|(one, other)| one.is_some() || other.is_some());
    }
    if let Some(at) = parts(rows.iter().map(steps)) {
        let row = rows.get(at)?;
        if row.0.is_some() && row.1.is_some() {
            return Some(*row);
        }
        // Only one of them took this step: the last question that both asked and answered differently
        // is why.
        let asked = rows.iter().take(at).rfind(|row| answered_differently(steps(row)));
        // No such question: beside it stands what the other one chose by.
        return Some(
            asked
                .copied()
                .unwrap_or_else(|| (row.0.or_else(|| chose(a)), row.1.or_else(|| chose(b)))),
        );
    }
    let verdicts = (
        settled.0.and_then(|n| verdict(a.get(n)?)),
        settled.1.and_then(|n| verdict(b.get(n)?)),
    );
    if verdicts.0 != verdicts.1 {
        return Some(settled);
    }
    if let Some(row) = rows.iter().rfind(|row| answered_differently(steps(row))) {
        return Some(*row);
    }
    rows.iter()
        .find(|row| {
            let (one, other) = steps(row);
            one != other
                && (governor(one) || governor(other))
                && ![one, other].into_iter().flatten().any(|step| is_learning(&step))
        })
        .copied()
}

/// The places of the steps that moved A and B on from where the decisive ones had left them: by these each chose in
/// the end. `None` on a side that stayed there.
#[must_use]
pub fn moved_on(
    a: &[Step],
    b: &[Step],
    (one, other): (Option<usize>, Option<usize>),
) -> (Option<usize>, Option<usize>) {
    let moved = |steps: &[Step], from: Option<usize>| {
        let (until, after) = steps.split_at_checked(from? + 1)?;
        let left = until.iter().rev().find_map(candidate)?;
        let (mut now, mut at) = (left, None);
        for (n, state) in after
            .iter()
            .enumerate()
            .filter_map(|(n, step)| Some((n, candidate(step)?)))
        {
            if state != now {
                (now, at) = (state, Some(until.len() + n));
            }
        }
        at.filter(|_| now != left)
    };
    (moved(a, one), moved(b, other))
}

/// The row after which the candidates stay apart, if they do.
fn parts(rows: impl Iterator<Item = (Option<Step>, Option<Step>)>) -> Option<usize> {
    let (mut a, mut b, mut parted) = (None, None, None);
    for (at, (one, other)) in rows.enumerate() {
        let together = a == b;
        a = one.and_then(|step| candidate(&step)).or(a);
        b = other.and_then(|step| candidate(&step)).or(b);
        match (together, a == b) {
            (true, false) => parted = Some(at),
            (_, true) => parted = None,
            (false, false) => {}
        }
    }
    parted
}

fn answered_differently((one, other): (Option<Step>, Option<Step>)) -> bool {
    let (Some(one), Some(other)) = (one, other) else {
        return false;
    };
    match (verdict(&one), verdict(&other)) {
        (Some(one), Some(other)) => one != other,
        _ => false,
    }
}

/// The state that would be chosen if this were the last step; none where a step leaves that alone.
pub(super) fn candidate(step: &Step) -> Option<StateIdx> {
    let Step::Governor(step) = step else { return None };
    match step {
        cpuidle::Step::Teo(step) => match *step {
            teo::Step::Considered {
                state, fits, allowed, ..
            } => (fits && allowed).then_some(state),
            teo::Step::BusyTwoStates { state, .. }
            | teo::Step::OnlyState { state, .. }
            | teo::Step::BailedOut { state, .. }
            | teo::Step::TickDecision { state, .. } => Some(state),
            teo::Step::LookedUp { to, .. }
            | teo::Step::Constrained { to, .. }
            | teo::Step::Demoted { to, .. }
            | teo::Step::TimerCorrection { to, .. }
            | teo::Step::EarlyHits { to, .. }
            | teo::Step::ShortIntervals { to, .. }
            | teo::Step::TimerTooFar { to, .. }
            | teo::Step::TickCorrection { to, .. } => Some(to),
            _ => None,
        },
        cpuidle::Step::Menu(step) => match *step {
            menu::Step::Considered {
                state,
                pays_off,
                allowed,
                ..
            } => (pays_off && allowed).then_some(state),
            menu::Step::Left { state, .. }
            | menu::Step::PollOrNot { state, .. }
            | menu::Step::TickDecision { state, .. } => Some(state),
            menu::Step::TickCorrection { to, .. } => Some(to),
            _ => None,
        },
        cpuidle::Step::Ladder(step) => match *step {
            ladder::Step::Measured { rung, .. } | ladder::Step::Kept { rung } => Some(rung),
            ladder::Step::Forced { to, .. } => Some(to),
            ladder::Step::Promotion { to, .. } | ladder::Step::Demotion { to, .. } => {
                moves(step).unwrap_or_default().then_some(to)
            }
            ladder::Step::Limit { .. } => None,
        },
        cpuidle::Step::Haltpoll(haltpoll::Step::Polls { polls, .. }) => Some(StateIdx::new(u8::from(!polls))),
        cpuidle::Step::Mobile(
            mobile::Step::Considered {
                state, lost: None, ..
            }
            | mobile::Step::TickDecision { state, .. },
        ) => Some(*state),
        cpuidle::Step::Baseline(
            baseline::Step::Considered {
                state, fits: true, ..
            }
            | baseline::Step::Priced {
                state,
                cheapest: true,
                ..
            }
            | baseline::Step::Wanted { to: state, .. },
        ) => Some(*state),
        cpuidle::Step::Haltpoll(_) | cpuidle::Step::Mobile(_) | cpuidle::Step::Baseline(_) => None,
    }
}

/// Whether a rung of the ladder is left by this step; none for steps that do not ask.
const fn moves(step: &ladder::Step) -> Option<bool> {
    match *step {
        ladder::Step::Promotion {
            exceeds,
            disabled,
            within_limit,
            count,
            needed,
            ..
        } => Some(exceeds && !disabled && within_limit && count >= needed),
        ladder::Step::Demotion {
            below, count, needed, ..
        } => Some(below && count >= needed),
        _ => None,
    }
}

/// How a step answers its own question; none for steps that ask none.
fn verdict(step: &Step) -> Option<bool> {
    use crate::cpuidle::TickChoice;
    match step {
        Step::Governor(cpuidle::Step::Teo(step)) => match *step {
            teo::Step::Utilization { utilized, .. } => Some(utilized),
            teo::Step::Considered { fits, allowed, .. } => Some(fits && allowed),
            teo::Step::Intercepts { outweigh, .. } | teo::Step::Recent { outweigh, .. } => Some(outweigh),
            teo::Step::Walked {
                reached,
                enabled,
                tick_allows,
                ..
            } => Some(reached && enabled && tick_allows),
            teo::Step::MostlyIntercepted { exceeds, .. } => Some(exceeds),
            teo::Step::InterceptedWithinTick { reached, .. } => Some(reached),
            teo::Step::ShortIdles { skips, .. } => Some(skips),
            teo::Step::EarlyHits { state, to, .. } => Some(state != to),
            teo::Step::ShortIntervals { from, to, .. } => Some(from != to),
            teo::Step::TickDecision { choice, .. } => Some(choice == TickChoice::Stop),
            // Who bails out says nothing of the tick; versions differ in what that means.
            teo::Step::BailedOut { .. } => None,
            _ => None,
        },
        Step::Governor(cpuidle::Step::Menu(step)) => match *step {
            menu::Step::Considered {
                pays_off, allowed, ..
            } => Some(pays_off && allowed),
            menu::Step::PollOrNot { far, allowed, .. } => Some(far && allowed),
            menu::Step::TickDecision { choice, .. } => Some(choice == TickChoice::Stop),
            menu::Step::AtOnce { tick, .. } => Some(tick == TickChoice::Stop),
            _ => None,
        },
        Step::Governor(cpuidle::Step::Ladder(step)) => moves(step),
        Step::Governor(cpuidle::Step::Haltpoll(haltpoll::Step::Polls { polls, .. })) => Some(*polls),
        Step::Governor(cpuidle::Step::Mobile(step)) => match *step {
            mobile::Step::Considered { lost, .. } => Some(lost.is_none()),
            mobile::Step::TickDecision { stops, .. } => Some(stops),
            _ => None,
        },
        _ => None,
    }
}

/// The last step that made a state the candidate; what judges the tick only repeats it.
fn chose(steps: &[Step]) -> Option<usize> {
    let judges = |step: &Step| {
        matches!(
            step,
            Step::Governor(
                cpuidle::Step::Teo(teo::Step::TickDecision { .. })
                    | cpuidle::Step::Menu(menu::Step::TickDecision { .. })
                    | cpuidle::Step::Mobile(mobile::Step::TickDecision { .. })
            )
        )
    };
    steps
        .iter()
        .rposition(|step| candidate(step).is_some() && !judges(step))
}

/// The last step that settles a governor's answer, tick included; else its last step at all.
fn settles(steps: &[Step]) -> Option<usize> {
    let governor = |step: &Step| matches!(step, Step::Governor(_));
    let last = |of: &dyn Fn(&Step) -> bool| steps.iter().rposition(of);
    last(&|step| {
        matches!(
            step,
            Step::Governor(
                cpuidle::Step::Teo(
                    teo::Step::TickDecision { .. }
                        | teo::Step::BailedOut { .. }
                        | teo::Step::OnlyState { .. }
                        | teo::Step::TimerTooFar { .. }
                ) | cpuidle::Step::Menu(menu::Step::TickDecision { .. } | menu::Step::AtOnce { .. })
                    | cpuidle::Step::Mobile(mobile::Step::TickDecision { .. })
            )
        )
    })
    .or_else(|| last(&governor))
}

/// Whether a step books the period before instead of deciding.
const fn is_learning(step: &Step) -> bool {
    matches!(
        step,
        Step::Governor(
            cpuidle::Step::Teo(teo::Step::Learned { .. } | teo::Step::LearnedEarly { .. })
                | cpuidle::Step::Menu(menu::Step::Learned { .. } | menu::Step::FailedEntry { .. })
        )
    )
}

/// How long the governor expected the stay to last when it judged the tick; where it did not come to
/// that, what it had reached. None without an estimate.
#[must_use]
pub fn estimate(steps: &[Step]) -> Option<Ns> {
    let duration = |step: &Step| match *step {
        Step::Governor(cpuidle::Step::Teo(step)) => match step {
            teo::Step::TickDecision { duration, .. }
            | teo::Step::BusyTwoStates { duration, .. }
            | teo::Step::OnlyState { duration, .. } => Some(duration),
            teo::Step::Demoted { duration, .. } | teo::Step::LookedUp { duration, .. } => duration,
            _ => None,
        },
        Step::Governor(cpuidle::Step::Menu(
            menu::Step::TickDecision { duration, .. } | menu::Step::Predicted { duration, .. },
        )) => Some(duration),
        Step::Governor(cpuidle::Step::Mobile(
            mobile::Step::TickDecision { stay, .. } | mobile::Step::Sources { stay, .. },
        )) => Some(stay),
        _ => None,
    };
    steps.iter().rev().find_map(duration)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpuidle::TickChoice;

    fn governor(step: teo::Step) -> Step {
        Step::Governor(cpuidle::Step::Teo(step))
    }

    fn learned(total: u32) -> Step {
        governor(teo::Step::Learned {
            sleep_length: Ns::from_ms(1),
            measured: None,
            timer: teo::TimerBin::Tick,
            duration: StateIdx::ZERO,
            booked: teo::Booked::Hit,
            total,
        })
    }

    fn considered(state: u8, fits: bool) -> Step {
        governor(teo::Step::Considered {
            state: StateIdx::new(state),
            target_residency: Ns::from_us(i64::from(state)),
            sleep_length: Some(Ns::from_ms(1)),
            fits,
            exit_latency: Ns::ZERO,
            latency_req: Ns::MAX,
            allowed: true,
        })
    }

    fn intercepts(total: u32, outweigh: bool) -> Step {
        governor(teo::Step::Intercepts {
            candidate: StateIdx::new(2),
            intercepts: 1,
            hits: 1,
            total,
            twice: 2,
            rest: 3,
            percent: 50,
            outweigh,
        })
    }

    fn looked_up(to: u8) -> Step {
        governor(teo::Step::LookedUp {
            from: StateIdx::new(2),
            to: StateIdx::new(to),
            duration: Some(Ns::from_us(700)),
        })
    }

    fn tick(state: u8, us: i64, choice: TickChoice) -> Step {
        governor(teo::Step::TickDecision {
            state: StateIdx::new(state),
            duration: Ns::from_us(us),
            tick: Ns::from_ms(1),
            polling: false,
            stopped: false,
            choice,
        })
    }

    fn bailed(state: u8) -> Step {
        governor(teo::Step::BailedOut {
            state: StateIdx::new(state),
            why: teo::Bail::BusyTwoStates,
        })
    }

    fn busy(us: i64) -> Step {
        governor(teo::Step::BusyTwoStates {
            state: StateIdx::ZERO,
            duration: Ns::from_us(us),
        })
    }

    #[track_caller]
    fn check(a: &[Step], b: &[Step], expect: Option<(Option<usize>, Option<usize>)>) {
        assert_eq!(decisive(a, b), expect);
    }

    #[test]
    fn what_moves_a_candidate_on_after_the_decisive_step_is_told_too() {
        let a = [considered(1, true), considered(2, false), busy(5)];
        let b = [considered(1, true), considered(2, true), considered(3, true)];
        assert_eq!(moved_on(&a, &b, (Some(1), Some(1))), (Some(2), Some(2)));
        // One that only says the same again moves nothing.
        let same = [considered(1, true), considered(1, true)];
        assert_eq!(moved_on(&same, &a, (Some(0), None)), (None, None));
        // Neither does one that goes and comes back.
        let back = [considered(1, true), considered(2, true), considered(1, true)];
        assert_eq!(moved_on(&back, &[], (Some(0), Some(7))), (None, None));
    }

    #[test]
    fn numbers_that_change_nothing_are_not_decisive() {
        // Memory and totals differ from the start; the states part at the last consideration.
        let a = [
            learned(1),
            considered(1, true),
            intercepts(7, false),
            considered(2, true),
        ];
        let b = [
            learned(2),
            considered(1, true),
            intercepts(9, false),
            considered(2, false),
        ];
        check(&a, &b, Some((Some(3), Some(3))));
    }

    #[test]
    fn a_step_that_only_one_took_points_to_the_question_before_it() {
        let a = [considered(2, true), intercepts(7, true), looked_up(1)];
        let b = [considered(2, true), intercepts(9, false)];
        check(&a, &b, Some((Some(1), Some(1))));
        // Another version does not ask at all: then the step itself, and what the other chose by.
        check(
            &[considered(2, true), looked_up(1)],
            &[considered(2, true)],
            Some((Some(1), Some(0))),
        );
        let early = [busy(700), tick(0, 700, TickChoice::Stop)];
        let late = [
            intercepts(9, false),
            considered(1, true),
            tick(1, 700, TickChoice::Stop),
        ];
        check(&early, &late, Some((Some(0), Some(1))));
    }

    #[test]
    fn candidates_that_meet_again_have_not_parted() {
        let a = [
            considered(2, true),
            looked_up(1),
            tick(1, 1_731, TickChoice::Stop),
        ];
        let b = [
            considered(2, false),
            looked_up(1),
            tick(1, 180, TickChoice::Retain),
        ];
        check(&a, &b, Some((Some(2), Some(2))));
    }

    #[test]
    fn the_tick_is_settled_by_whoever_settles_it() {
        let a = [busy(3_427), tick(0, 3_427, TickChoice::Stop)];
        let b = [busy(1_001), bailed(0)];
        check(&a, &b, Some((Some(1), Some(1))));
    }

    #[test]
    fn two_families_have_their_last_words() {
        let menu = Step::Governor(cpuidle::Step::Menu(menu::Step::TickDecision {
            state: StateIdx::new(1),
            duration: Ns::from_us(3),
            tick: Ns::from_ms(4),
            polling: false,
            stopped: false,
            choice: TickChoice::Retain,
        }));
        let a = [learned(1), tick(1, 1_731, TickChoice::Stop), looked_up(1)];
        check(&a, &[menu], Some((Some(1), Some(0))));
    }

    #[test]
    fn alike_is_not_decided_by_anything() {
        let same = [considered(1, true), tick(1, 5, TickChoice::Stop)];
        check(&same, &same, None);
    }

    #[test]
    fn an_estimate_is_there_even_without_a_judgement_of_the_tick() {
        let of = |steps: &[Step]| estimate(steps).map(Ns::as_ns);
        assert_eq!(of(&[busy(3_427), tick(0, 5, TickChoice::Stop)]), Some(5_000));
        assert_eq!(of(&[busy(1_001), bailed(0)]), Some(1_001_000));
        assert_eq!(of(&[learned(1)]), None);
    }
}
