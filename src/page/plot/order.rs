//! What is out of order in a table of idle states, in words.
//!
//! Nothing of it is forbidden: real tables have exit latencies above residencies, and the governors define what
//! follows. It is told wherever the state stands, since it is hardly ever meant.

use super::energy::State;
use super::handles::limits;
use crate::page::doc::StateField;
use crate::page::words::{Style, number};
use crate::units::Ns;

/// One thing that is out of order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disorder {
    /// In few words: `residency below C1's`.
    pub short: String,
    /// With the numbers: `residency 300 µs is below the 360 µs of C1`.
    pub long: String,
}

/// All that is out of order between state `n`, itself and the next shallower one; empty when nothing is.
#[must_use]
pub fn disorder(states: &[State], n: usize) -> Vec<Disorder> {
    let Some(state) = states.get(n) else {
        return Vec::new();
    };
    let time = |ns: Ns| number::duration(ns, Style::Page);
    let mut found = Vec::new();
    let mut tell = |wrong: bool, short: String, long: String| {
        if wrong {
            found.push(Disorder { short, long });
        }
    };
    let (latency, residency) = (state.exit_latency, state.target_residency);
    tell(
        latency > residency,
        "exit above residency".to_owned(),
        format!(
            "exit latency {} is above its residency of {}",
            time(latency),
            time(residency)
        ),
    );
    let Some(shallower) = n.checked_sub(1).and_then(|n| states.get(n)) else {
        return found;
    };
    let name = &shallower.name;
    tell(
        residency < shallower.target_residency,
        format!("residency below {name}"),
        format!(
            "residency {} is below the {} of {name}",
            time(residency),
            time(shallower.target_residency)
        ),
    );
    tell(
        latency < shallower.exit_latency,
        format!("exit below {name}"),
        format!(
            "exit latency {} is below the {} of {name}",
            time(latency),
            time(shallower.exit_latency)
        ),
    );
    tell(
        state.power >= shallower.power,
        format!("power not below {name}"),
        format!(
            "power {} is not below the {} of {name}",
            number::power(state.power, Style::Page),
            number::power(shallower.power, Style::Page)
        ),
    );
    found
}

/// The powers that state `n` may have, µW, and the same in words: below that of the next shallower state and
/// above that of the next deeper one, since with others the estimated energies mean nothing.
#[must_use]
pub fn powers(states: &[State], n: usize) -> ((i64, i64), String) {
    let (least, most) = limits(states, n, StateField::Power);
    let most = most.min(MOST_POWER);
    let bound = |n: Option<usize>, words: &str| {
        let state = states.get(n?)?;
        let power = number::power(state.power, Style::Page);
        Some(format!("{words} the {power} of {}", state.name))
    };
    let below = bound(n.checked_sub(1), "below").unwrap_or_else(|| "up to 1000000\u{202f}mW".to_owned());
    let words = match bound(Some(n + 1), "above") {
        Some(above) => format!("a power {above} and {below}"),
        None => format!("a power from 0, {below}"),
    };
    ((least, most), words)
}

/// The greatest power that a field takes, µW.
const MOST_POWER: i64 = 1_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Microwatts;

    fn state(name: &str, latency: i64, residency: i64, mw: u32) -> State {
        State {
            name: name.to_owned(),
            target_residency: Ns::from_us(residency),
            exit_latency: Ns::from_us(latency),
            power: Microwatts::new(mw * 1_000),
            on: true,
        }
    }

    #[track_caller]
    fn check(deeper: State, expect: &[&str]) {
        let states = [state("C1", 2, 20, 500), deeper];
        let found: Vec<String> = disorder(&states, 1)
            .into_iter()
            .map(|disorder| disorder.long.replace('\u{202f}', " "))
            .collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn what_is_in_order_or_equal_is_not_told() {
        check(state("C2", 2, 20, 499), &[]);
        check(state("C2", 50, 50, 499), &[]);
        assert_eq!(disorder(&[state("POLL", 0, 0, 1)], 0), []);
        assert_eq!(disorder(&[], 0), []);
    }

    #[test]
    fn each_disorder_is_told_with_its_numbers() {
        check(
            state("C2", 60, 50, 400),
            &["exit latency 60 µs is above its residency of 50 µs"],
        );
        check(
            state("C2", 1, 10, 600),
            &[
                "residency 10 µs is below the 20 µs of C1",
                "exit latency 1 µs is below the 2 µs of C1",
                "power 600 mW is not below the 500 mW of C1",
            ],
        );
    }

    #[test]
    fn a_power_lies_between_its_neighbours() {
        let states = [
            state("C1", 2, 20, 500),
            state("C2", 2, 20, 400),
            state("C3", 2, 20, 100),
        ];
        let check = |n, range, words: &str| {
            let (found, said) = powers(&states, n);
            assert_eq!((found, said.replace('\u{202f}', " ").as_str()), (range, words));
        };
        check(
            0,
            (400_001, 1_000_000_000),
            "a power above the 400 mW of C2 and up to 1000000 mW",
        );
        check(
            1,
            (100_001, 499_999),
            "a power above the 100 mW of C3 and below the 500 mW of C1",
        );
        check(2, (0, 399_999), "a power from 0, below the 400 mW of C2");
    }
}
