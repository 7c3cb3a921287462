//! What a step of a decision speaks of in the drawings of memory: hovering the step lights it up (ui.md §8).

use crate::cpuidle::{self, StateMask, menu, teo};
use crate::page::plot::Topic;
use crate::sim::{Step, steps::LoopStep};

/// The parts of the drawing that `step` of the decision with the steps `all` speaks of; `states` are those that
/// its sentence names.
#[must_use]
pub fn lights(step: &Step, all: &[Step], states: StateMask) -> Vec<Topic> {
    let bits = states.bits();
    let named = (0..16).filter(|n| bits & (1 << n) != 0);
    let mut parts: Vec<Topic> = named.map(Topic::State).collect();
    if is_look(step) {
        let looks = all.iter().filter(|other| is_look(other));
        parts.push(Topic::Look(looks.take_while(|other| *other != step).count()));
    }
    match step {
        Step::Governor(cpuidle::Step::Menu(step)) => match step {
            menu::Step::Predicted { .. } | menu::Step::Considered { .. } => parts.push(Topic::Estimate),
            menu::Step::TickStopped { .. }
            | menu::Step::TickDecision { .. }
            | menu::Step::TickCorrection { .. } => parts.extend([Topic::Estimate, Topic::Tick]),
            _ => {}
        },
        Step::Governor(cpuidle::Step::Teo(
            teo::Step::TickDecision { .. } | teo::Step::TickCorrection { .. },
        )) => parts.extend([Topic::Estimate, Topic::Tick]),
        Step::Tick(_) => parts.push(Topic::Tick),
        Step::Loop(LoopStep::Ended { .. }) => parts.push(Topic::Slept),
        Step::Governor(_) | Step::Loop(_) => {}
    }
    parts
}

/// Whether a step is a row of dots in the drawing.
const fn is_look(step: &Step) -> bool {
    matches!(
        step,
        Step::Governor(
            cpuidle::Step::Menu(menu::Step::Intervals { .. } | menu::Step::IntervalsBetween { .. })
                | cpuidle::Step::Teo(teo::Step::ShortIntervals { .. })
        )
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpuidle::menu::{Slots, Verdict};
    use crate::units::{Ns, StateIdx, Us};

    fn look(count: u32) -> Step {
        Step::Governor(cpuidle::Step::Menu(menu::Step::Intervals {
            intervals: Slots::from([Us::new(4); 8]),
            threshold: Us::MAX,
            count,
            shortest: Us::new(1),
            longest: Us::new(9),
            average: Us::new(4),
            variance: 7,
            verdict: Verdict::DropLongest,
        }))
    }

    fn decided() -> Step {
        Step::Governor(cpuidle::Step::Teo(teo::Step::TickDecision {
            state: StateIdx::new(2),
            duration: Ns::from_us(40),
            tick: Ns::from_ms(4),
            polling: false,
            stopped: false,
            choice: cpuidle::TickChoice::Retain,
        }))
    }

    #[test]
    fn a_step_lights_its_states_its_own_look_the_estimate_and_the_tick() {
        let all = [look(8), decided(), look(7)];
        let two = StateMask::NONE.with(StateIdx::new(0)).with(StateIdx::new(2));
        for (step, states, expect) in [
            (&all[0], StateMask::NONE, vec![Topic::Look(0)]),
            (&all[2], StateMask::NONE, vec![Topic::Look(1)]),
            (
                &all[1],
                two,
                vec![Topic::State(0), Topic::State(2), Topic::Estimate, Topic::Tick],
            ),
        ] {
            assert_eq!(lights(step, &all, states), expect);
        }
    }
}
