//! Where the time of a CPU went on a machine whose code takes time.

use serde::{Deserialize, Serialize};

use crate::units::Ns;

/// Time of one CPU by what it did, ns. The parts add up to the span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// In tasks.
    pub tasks: Ns,
    /// In kernel code from the last task to the entry of a state, the tick left out.
    pub going_idle: Ns,
    /// Stopping, restarting and serving the tick: at the clock of the moment when that began.
    pub tick: Ns,
    /// In the polling state.
    pub polling: Ns,
    /// In hardware states, until something wakes it.
    pub asleep: Ns,
    /// On its way out of a state.
    pub exiting: Ns,
    /// In kernel code from there to the task, the tick left out.
    pub waking: Ns,
}

impl Spent {
    /// What was added since `before`, which is an earlier value.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        let parts = self.parts().into_iter().zip(before.parts());
        Self::from_parts(parts.map(|(now, before)| now - before))
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let parts = self.parts().into_iter().zip(other.parts());
        Self::from_parts(parts.map(|(one, other)| one + other))
    }

    /// All parts together.
    #[must_use]
    pub fn total(self) -> Ns {
        self.parts().into_iter().sum()
    }

    /// In the order of an idle period: tasks, going idle, tick, polling, asleep, exiting, waking.
    #[must_use]
    pub const fn parts(self) -> [Ns; 7] {
        [
            self.tasks,
            self.going_idle,
            self.tick,
            self.polling,
            self.asleep,
            self.exiting,
            self.waking,
        ]
    }

    fn from_parts(mut parts: impl Iterator<Item = Ns>) -> Self {
        let mut next = || parts.next().unwrap_or_default();
        Self {
            tasks: next(),
            going_idle: next(),
            tick: next(),
            polling: next(),
            asleep: next(),
            exiting: next(),
            waking: next(),
        }
    }
}
