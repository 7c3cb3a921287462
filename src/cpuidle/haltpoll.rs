//! The guests' governor named haltpoll: poll for a while before halting, because a halt wakes slowly through
//! the host (spec ladder-haltpoll-mobile.md §2).
//!
//! ```text
//!   halt longer than the window, not longer than the maximum: the window grows
//!   halt longer than the maximum:                             the window shrinks
//!   polled to the window's end:                               halt next
//! ```
//!
//! The window is the device's polling limit, so that the polling state itself obeys it. No timer is read, no
//! residency compared; the tick is retained while polling and stopped while halted.

use serde::{Deserialize, Serialize};

use super::rules::rules;
use super::step::steps;
use super::{Decision, Device, Kernel, StateTable, TickChoice, Wakeup};
use crate::probe::Probe;
use crate::units::{Ns, StateIdx};

/// State 0 polls.
const POLL: StateIdx = StateIdx::ZERO;
/// State 1 halts.
const HALT: StateIdx = StateIdx::new(1);

/// The module's parameters. Windows in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// The longest window, `guest_halt_poll_ns`.
    pub max_ns: u32,
    /// The window is multiplied by this, `guest_halt_poll_grow`.
    pub grow: u32,
    /// And becomes at least this, `guest_halt_poll_grow_start`.
    pub grow_start_ns: u32,
    /// The window is divided by this, `guest_halt_poll_shrink`; 0 closes it.
    pub shrink: u32,
    /// Whether it shrinks at all, `guest_halt_poll_allow_shrink`.
    pub shrinking: Shrinking,
}

/// Whether long halts shrink the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shrinking {
    /// They do.
    Allowed,
    /// They do not.
    Forbidden,
}

impl Params {
    /// As the module is loaded without options.
    pub const DEFAULT: Self = Self {
        max_ns: 200_000,
        grow: 2,
        grow_start_ns: 50_000,
        shrink: 2,
        shrinking: Shrinking::Allowed,
    };
}

/// What becomes of a window that has shrunk below the first size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmallWindow {
    /// It shrinks on, to 1 ns and less.
    Stays,
    /// It closes.
    Closes,
}

rules! {
    /// Where the versions differ, and the parameters.
    struct Rules {
        /// What becomes of a small window.
        small_window: SmallWindow,
        /// The module's parameters.
        params: Params,
    }
}

steps! {
    /// What a haltpoll tells about a decision. Durations in ns.
    enum Step;

    /// What the last halt did to the window.
    Adjusted {
        /// How long it lasted.
        halted: Ns,
        /// The window before.
        from: Ns,
        /// The window now.
        to: Ns,
        /// The longest window.
        max: Ns,
    },
    /// The limit that holds; 0 forces polling.
    Limit {
        /// Strictest latency limit.
        latency_req: Ns,
    },
    /// The window that is open.
    Window {
        /// How long to poll; 0 for not at all.
        window: Ns,
    },
    /// Whether polling comes first.
    Polls {
        /// The last period polled too.
        polled: bool,
        /// And found nothing until the window's end.
        timed_out: bool,
        /// It polls; otherwise it halts.
        polls: bool,
    },
}

/// What a haltpoll remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The state of the last period.
    pub last: StateIdx,
    /// The last change of the window that no select has told yet: how long the halt was, from, to.
    pub adjusted: Option<(Ns, Ns, Ns)>,
}

/// One CPU's haltpoll. The window itself is in [`Device::poll_limit`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Haltpoll {
    rules: Rules,
    memory: Snapshot,
}

impl Haltpoll {
    /// A haltpoll whose window is closed.
    #[must_use]
    pub const fn new(rules: Rules) -> Self {
        Self {
            rules,
            memory: Snapshot {
                last: POLL,
                adjusted: None,
            },
        }
    }

    /// Where the version differs, and the parameters.
    #[must_use]
    pub const fn rules(&self) -> Rules {
        self.rules
    }

    /// Takes other parameters from now on, as writing to the module's files does.
    pub fn set_rules(&mut self, rules: Rules) {
        self.rules = rules;
    }

    /// What it remembers.
    #[must_use]
    pub const fn snapshot(&self) -> Snapshot {
        self.memory
    }

    /// See [`super::Governor::select`].
    pub fn select<K: Kernel, P: Probe<Step>>(
        &mut self,
        table: &StateTable,
        device: &mut Device,
        kernel: &K,
        probe: &mut P,
    ) -> Decision {
        if let Some((halted, from, to)) = self.memory.adjusted.take() {
            let max = Ns::new(self.rules.params.max_ns.into());
            probe.step(|| Step::Adjusted {
                halted,
                from,
                to,
                max,
            });
        }
        let latency_req = kernel.latency_req();
        probe.step(|| Step::Limit { latency_req });
        if latency_req == Ns::ZERO {
            return poll();
        }
        let window = device.poll_limit.unwrap_or(Ns::ZERO);
        probe.step(|| Step::Window { window });
        if window == Ns::ZERO {
            return halt(table);
        }
        let polled = self.memory.last == POLL;
        let timed_out = device.poll_timed_out;
        let polls = !(polled && timed_out);
        if !polls {
            // The flag is used up: after the halt that follows, files show it cleared.
            device.poll_timed_out = false;
        }
        probe.step(|| Step::Polls {
            polled,
            timed_out,
            polls,
        });
        if polls { poll() } else { halt(table) }
    }

    /// See [`super::Governor::reflect`].
    pub fn reflect(&mut self, device: &mut Device, wakeup: Wakeup) {
        self.memory.last = wakeup.entered;
        if wakeup.entered == POLL {
            return;
        }
        let from = device.poll_limit.unwrap_or(Ns::ZERO);
        let to = self.adjusted(from, device.last_residency);
        // An unset limit and a closed window are one value in the kernel: polling fills in a default.
        device.poll_limit = (to != Ns::ZERO).then_some(to);
        self.memory.adjusted = (to != from).then_some((device.last_residency, from, to));
    }

    /// The window after a halt of `halted`.
    fn adjusted(&self, window: Ns, halted: Ns) -> Ns {
        let params = self.rules.params;
        let max = Ns::new(params.max_ns.into());
        if halted > window && halted <= max {
            let grown = low_32_bits(window).wrapping_mul(params.grow);
            return Ns::new(grown.max(params.grow_start_ns).min(params.max_ns).into());
        }
        if halted <= max || params.shrinking == Shrinking::Forbidden {
            return window;
        }
        let shrunk = low_32_bits(window).checked_div(params.shrink).unwrap_or(0);
        let closes = self.rules.small_window == SmallWindow::Closes && shrunk < params.grow_start_ns;
        if closes { Ns::ZERO } else { Ns::new(shrunk.into()) }
    }
}

/// The kernel computes windows in 32 bits.
fn low_32_bits(window: Ns) -> u32 {
    u32::try_from(window.as_u64() & u64::from(u32::MAX)).unwrap_or(u32::MAX)
}

const fn poll() -> Decision {
    Decision {
        state: POLL,
        tick: TickChoice::Retain,
    }
}

/// On a table of one state there is nothing deeper than that.
fn halt(table: &StateTable) -> Decision {
    Decision {
        state: HALT.min(table.last()),
        tick: TickChoice::Stop,
    }
}
