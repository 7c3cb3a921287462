//! What a governor printed about itself, compared with ours on the recorded path.
//!
//! The trace says at most the family of its governor. So it is compared with the governor that is
//! known to have recorded, else with A, else with B, whichever remembers such numbers first.
//! Invariant: following the path costs something, so it is done again only for another machine or
//! another governor, and never for a trace in which no governor printed.

use std::rc::Rc;

use super::traced::machine;
use super::{Plan, Session};
use crate::cpuidle::Choice;
use crate::page::doc::Side;
use crate::page::recording::dumps::{self, Compared};
use crate::page::recording::follow::Path;
use crate::page::recording::hidden;
use crate::trace::dump::Family;

/// A governor's own numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnNumbers {
    /// They were compared.
    Compared(Rc<Compared>),
    /// The machine is not known: choose one.
    NoMachine,
    /// Neither the recording's governor is known nor is A or B one of this family: choose one.
    NoGovernor(Family),
}

impl Session {
    /// What the governor of the loaded trace printed about itself; none when it printed nothing.
    #[must_use]
    pub fn own_numbers(&self) -> Option<&OwnNumbers> {
        self.results.as_ref()?.own.as_ref()
    }

    /// For a question that is being finished.
    pub(super) fn own_numbers_of(&self, plan: &Plan) -> Option<OwnNumbers> {
        let traced = self.traced()?;
        let family = dumps::family(&traced.trace.dumps)?;
        let Some(machine) = plan.rig.as_ref().and_then(machine) else {
            return Some(OwnNumbers::NoMachine);
        };
        let sides = Side::ALL.into_iter().filter_map(|side| plan.variant(side));
        let mut choices = traced.governor.into_iter().chain(sides.map(|side| side.governor));
        let Some(governor) = choices.find(|choice| dumps::is_of(*choice, family)) else {
            return Some(OwnNumbers::NoGovernor(family));
        };
        if let Some(kept) = self.kept_numbers(governor) {
            return Some(OwnNumbers::Compared(kept));
        }
        let path = Path::of(&traced.replay, &machine, governor);
        let agreement = self
            .source
            .rebuilt()
            .and_then(|rebuilt| rebuilt.agreement.as_ref());
        let known = agreement.filter(|_| traced.governor == Some(governor));
        let due = known.map_or_else(
            || hidden::fit(&path, traced.replay.span.1).due,
            |agreement| agreement.hidden.due,
        );
        let path = Path { hidden: due, ..path };
        let found = dumps::compare(&path, &traced.trace.dumps);
        Some(OwnNumbers::Compared(Rc::new(found)))
    }

    /// What was found before with the same machine and governor.
    fn kept_numbers(&self, governor: Choice) -> Option<Rc<Compared>> {
        let results = self.results.as_ref()?;
        let before = &results.recording.as_ref()?.rebuilt;
        let OwnNumbers::Compared(found) = results.own.as_ref()? else {
            return None;
        };
        let same = Rc::ptr_eq(before, self.source.rebuilt()?) && found.governor == governor;
        same.then(|| Rc::clone(found))
    }
}
