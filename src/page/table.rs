//! The idle-state table of a question: the machine's own with the edits applied.
//!
//! States are added and removed by name, so that an edit reaches every CPU that has the state it stands
//! after, and a link means the same on each of them.
//!
//! Invariants: one to [`MAX_STATES`] states; powers that an edit sets lie between those of the neighbours
//! (an edit that would break this is left out and told); times may be in any order, as real tables have
//! them.

use super::doc::{Edits, Presence};
use super::live::BaseState;
use super::plot::energy::State;
use super::plot::handles::three_digits;
use super::plot::order;
use crate::cpuidle::MAX_STATES;
use crate::units::{Microwatts, Ns};

/// Where a state of an edited table comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The machine's own state of this index.
    Own(usize),
    /// The user's.
    Added,
}

/// A power that was not taken, since it lies out of the order of its neighbours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The state's name.
    pub state: String,
    /// What was asked for.
    pub power: Microwatts,
    /// What would have been taken, in words.
    pub allowed: String,
}

/// A table with its edits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edited {
    /// The states, shallowest first.
    pub states: Vec<State>,
    /// Where each comes from.
    pub origins: Vec<Origin>,
    /// Powers that were not taken.
    pub refused: Vec<Refused>,
}

impl Edited {
    /// Whether it has the machine's own states, all of them and no other.
    #[must_use]
    pub fn is_own(&self, states: usize) -> bool {
        self.origins.len() == states && self.origins.iter().all(|origin| matches!(origin, Origin::Own(_)))
    }
}

impl From<&BaseState> for State {
    fn from(base: &BaseState) -> Self {
        Self {
            name: base.name.clone(),
            target_residency: base.target_residency,
            exit_latency: base.exit_latency,
            power: base.power,
            on: base.on,
        }
    }
}

/// Names and origins of the states, shallowest first; never none while there is an own one, never more than
/// [`MAX_STATES`].
fn composition<'a>(own: &'a [State], edits: &'a Edits) -> Vec<(&'a str, Origin)> {
    let gone = |name: &str| {
        let edit = edits.get(name);
        edit.is_some_and(|edit| edit.presence == Presence::Removed)
    };
    let kept = own.iter().filter(|state| !gone(&state.name)).count();
    // The last state that is left stays: a CPU without any has nobody to ask.
    let all_gone = kept == 0;
    let mut room = MAX_STATES.saturating_sub(kept.max(1));
    let mut rows: Vec<(&str, Origin)> = own
        .iter()
        .enumerate()
        .map(|(n, state)| (state.name.as_str(), Origin::Own(n)))
        .collect();
    let mut waiting: Vec<(&str, &str)> = edits
        .iter()
        .filter_map(|(name, edit)| match &edit.presence {
            Presence::Added { after } => Some((name, after.as_str())),
            Presence::Own | Presence::Removed => None,
        })
        .filter(|(name, _)| own.iter().all(|state| state.name != *name))
        .collect();
    // What stands after an added state has to wait for that one.
    while let Some(next) = waiting
        .iter()
        .position(|(_, after)| rows.iter().any(|(name, _)| name == after))
    {
        let (name, after) = waiting.remove(next);
        let at = rows.iter().position(|(other, _)| *other == after);
        if room > 0 {
            rows.insert(at.map_or(rows.len(), |at| at + 1), (name, Origin::Added));
            room -= 1;
        }
    }
    rows.retain(|(name, origin)| match origin {
        Origin::Own(n) => !gone(name) || (all_gone && *n == 0),
        Origin::Added => true,
    });
    rows
}

/// A state between two others: times and power in the middle on a log scale, in three digits. Behind the deepest one it is
/// three times as long and takes the share of the power that the default rule gives (energy.md §3).
#[must_use]
pub fn between(name: &str, shallower: &State, deeper: Option<&State>) -> State {
    let middle = |one: i64, other: i64| {
        let exact = ((one.max(1) as f64) * (other.max(1) as f64)).sqrt().round() as i64;
        three_digits(exact).clamp(one.min(other), one.max(other))
    };
    // Whole microseconds, as drivers write them.
    let time = |one: Ns, other: Option<Ns>| {
        let us = |ns: Ns| ns.as_ns() / 1_000;
        Ns::from_us(match other {
            Some(other) => middle(us(one), us(other)).max(1),
            None => (us(one).saturating_mul(3)).clamp(1, 3_600_000_000),
        })
    };
    let own = i64::from(shallower.power.as_uw());
    let power = match deeper {
        Some(deeper) => middle(own, i64::from(deeper.power.as_uw())),
        None => three_digits(own * i64::from(crate::energy::DEFAULT_RATIO_PER_MILLE) / 1_000),
    };
    State {
        name: name.to_owned(),
        target_residency: time(
            shallower.target_residency,
            deeper.map(|deeper| deeper.target_residency),
        ),
        exit_latency: time(shallower.exit_latency, deeper.map(|deeper| deeper.exit_latency)),
        power: Microwatts::new(u32::try_from(power).unwrap_or(u32::MAX)),
        on: true,
    }
}

/// A name that no state has yet: `new1`, `new2`, ….
#[must_use]
pub fn free_name(taken: &[&str]) -> String {
    (1_u32..)
        .map(|n| format!("new{n}"))
        .find(|name| !taken.contains(&name.as_str()))
        .unwrap_or_default()
}

/// The table of one CPU: `own` with the edits.
#[must_use]
pub fn edited(own: &[State], edits: &Edits) -> Edited {
    let rows = composition(own, edits);
    let origins: Vec<Origin> = rows.iter().map(|(_, origin)| *origin).collect();
    let mut states: Vec<State> = Vec::with_capacity(rows.len());
    let mut plain: Vec<Microwatts> = Vec::with_capacity(rows.len());
    for (n, (name, origin)) in rows.iter().enumerate() {
        let found = match origin {
            Origin::Own(index) => own.get(*index).cloned(),
            Origin::Added => {
                let next = rows.iter().skip(n + 1).find_map(|(_, origin)| match origin {
                    Origin::Own(index) => own.get(*index),
                    Origin::Added => None,
                });
                states.last().map(|shallower| between(name, shallower, next))
            }
        };
        // An added state stands after another one; after a removed first one it has nothing to go by.
        let Some(mut state) = found.or_else(|| own.first().map(|first| between(name, first, own.get(1))))
        else {
            continue;
        };
        plain.push(state.power);
        if let Some(edit) = edits.get(name) {
            state.target_residency = edit.target_residency.unwrap_or(state.target_residency);
            state.exit_latency = edit.exit_latency.unwrap_or(state.exit_latency);
            state.power = edit.power.unwrap_or(state.power);
            state.on = edit.on.unwrap_or(state.on);
        }
        states.push(state);
    }
    let refused = refuse(&mut states, &plain);
    Edited {
        states,
        origins,
        refused,
    }
}

/// Takes back edited powers that are out of order, deeper ones first: then the rest is as it would be
/// without them.
fn refuse(states: &mut [State], plain: &[Microwatts]) -> Vec<Refused> {
    let mut refused = Vec::new();
    loop {
        let is_edited = |n: usize| states.get(n).map(|state| state.power) != plain.get(n).copied();
        let wrong = |n: &usize| match (states.get(n - 1), states.get(*n)) {
            (Some(shallower), Some(state)) => state.power >= shallower.power,
            _ => false,
        };
        let pairs = (1..states.len()).rev().filter(wrong);
        let found = pairs.flat_map(|n| [n, n - 1]).find(|n| is_edited(*n));
        let Some(n) = found else {
            return refused;
        };
        let (_, allowed) = order::powers(states, n);
        let (Some(state), Some(own)) = (states.get_mut(n), plain.get(n)) else {
            return refused;
        };
        refused.push(Refused {
            state: state.name.clone(),
            power: state.power,
            allowed,
        });
        state.power = *own;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(name: &str, latency: i64, residency: i64, mw: u32) -> State {
        State {
            name: name.to_owned(),
            target_residency: Ns::from_us(residency),
            exit_latency: Ns::from_us(latency),
            power: Microwatts::new(mw * 1_000),
            on: true,
        }
    }

    fn own() -> Vec<State> {
        vec![
            state("POLL", 0, 0, 4_000),
            state("C1", 2, 4, 1_000),
            state("C6", 100, 400, 90),
        ]
    }

    fn added(edits: &mut Edits, name: &str, after: &str) {
        edits.change(name, |edit| {
            edit.presence = Presence::Added {
                after: after.to_owned(),
            };
        });
    }

    fn removed(edits: &mut Edits, name: &str) {
        edits.change(name, |edit| edit.presence = Presence::Removed);
    }

    #[track_caller]
    fn check(edits: &Edits, expect: &[&str]) {
        let table = edited(&own(), edits);
        let names: Vec<&str> = table.states.iter().map(|state| state.name.as_str()).collect();
        assert_eq!(names, expect);
        assert_eq!(table.origins.len(), names.len());
    }

    #[test]
    fn a_state_is_added_after_another_and_lies_between_its_neighbours() {
        let mut edits = Edits::default();
        added(&mut edits, "new1", "C1");
        check(&edits, &["POLL", "C1", "new1", "C6"]);
        let table = edited(&own(), &edits);
        assert_eq!(table.states[2], state("new1", 14, 40, 300));
        added(&mut edits, "new2", "C6");
        let table = edited(&own(), &edits);
        assert_eq!(table.states[4].exit_latency, Ns::from_us(300));
        assert_eq!(table.states[4].target_residency, Ns::from_us(1_200));
        assert_eq!(table.states[4].power, Microwatts::new(49_500));
        assert!(!table.is_own(3) && edited(&own(), &Edits::default()).is_own(3));
    }

    #[test]
    fn chains_of_added_states_are_followed_and_loose_ends_are_left_out() {
        let mut edits = Edits::default();
        added(&mut edits, "a", "z");
        added(&mut edits, "z", "POLL");
        added(&mut edits, "loose", "nothing");
        added(&mut edits, "C6", "POLL");
        check(&edits, &["POLL", "z", "a", "C1", "C6"]);
        added(&mut edits, "self", "self");
        check(&edits, &["POLL", "z", "a", "C1", "C6"]);
    }

    #[test]
    fn what_is_removed_is_gone_and_the_last_one_stays() {
        let mut edits = Edits::default();
        removed(&mut edits, "C1");
        check(&edits, &["POLL", "C6"]);
        added(&mut edits, "new1", "C1");
        check(&edits, &["POLL", "new1", "C6"]);
        edits.set("new1", Default::default());
        removed(&mut edits, "POLL");
        removed(&mut edits, "C6");
        check(&edits, &["POLL"]);
        assert_eq!(edited(&[], &edits), Edited::default());
    }

    #[test]
    fn a_table_takes_no_more_than_ten() {
        let mut edits = Edits::default();
        for n in 0..9 {
            added(&mut edits, &format!("n{n}"), "C1");
        }
        assert_eq!(edited(&own(), &edits).states.len(), MAX_STATES);
        removed(&mut edits, "POLL");
        assert_eq!(edited(&own(), &edits).states.len(), MAX_STATES);
    }

    #[test]
    fn a_power_out_of_order_is_refused_and_says_what_is_allowed() {
        let power = |mw: &[(&str, u32)]| {
            let mut edits = Edits::default();
            for (name, mw) in mw {
                edits.change(name, |edit| edit.power = Some(Microwatts::new(mw * 1_000)));
            }
            let table = edited(&own(), &edits);
            let powers: Vec<u32> = table
                .states
                .iter()
                .map(|state| state.power.as_uw() / 1_000)
                .collect();
            let refused: Vec<String> = table.refused.into_iter().map(|refused| refused.state).collect();
            (powers, refused)
        };
        assert_eq!(power(&[("C1", 500)]), (vec![4_000, 500, 90], vec![]));
        assert_eq!(
            power(&[("C1", 50)]),
            (vec![4_000, 1_000, 90], vec!["C1".to_owned()])
        );
        assert_eq!(
            power(&[("C6", 5_000)]),
            (vec![4_000, 1_000, 90], vec!["C6".to_owned()])
        );
        assert_eq!(power(&[("C1", 50), ("C6", 40)]), (vec![4_000, 50, 40], vec![]));
        assert_eq!(
            power(&[("C1", 50), ("C6", 60)]),
            (vec![4_000, 1_000, 90], vec!["C6".to_owned(), "C1".to_owned()])
        );
        let mut edits = Edits::default();
        edits.change("C6", |edit| edit.power = Some(Microwatts::new(5_000_000)));
        let allowed = edited(&own(), &edits).refused.remove(0).allowed;
        assert_eq!(
            allowed.replace('\u{202f}', " "),
            "a power from 0, below the 1 W of C1"
        );
    }

    #[test]
    fn names_of_added_states_are_free() {
        assert_eq!(free_name(&["POLL", "C1"]), "new1");
        assert_eq!(free_name(&["new2", "new1"]), "new3");
    }
}
