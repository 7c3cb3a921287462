//! The entries of ladder, haltpoll and mobile, oldest first in each family, and the baselines.

use super::super::{Difference, Entry, Make, Patch, Rule};
use crate::cpuidle::Baseline;
use crate::cpuidle::haltpoll::{self, SmallWindow};
use crate::cpuidle::ladder;
use crate::cpuidle::mobile::{self, ExitLatencies, Retain};
use crate::units::StateIdx;

/// Every ladder, haltpoll, mobile and baseline.
pub(super) const OTHERS: &[Entry] = &[
    Entry {
        name: "ladder-4.19",
        first_release: "4.19",
        kernels: "4.19 to 5.4",
        make: Make::Ladder(ladder::Rules {
            clock: ladder::Clock::Microseconds,
        }),
        differences: &[],
        patches: &[],
    },
    Entry {
        name: "ladder-5.5",
        first_release: "5.5",
        kernels: "from 5.5 on",
        make: Make::Ladder(ladder::Rules {
            clock: ladder::Clock::Nanoseconds,
        }),
        differences: &[Difference {
            source: "5.5",
            what: "Stays and latencies are compared in nanoseconds instead of whole microseconds.",
            rules: &[Rule::Ladder(ladder::Rule::Clock)],
        }],
        patches: &[],
    },
    Entry {
        name: "haltpoll-5.4",
        first_release: "5.4",
        kernels: "5.4 to 6.11",
        make: Make::Haltpoll(haltpoll::Rules {
            small_window: SmallWindow::Stays,
            params: haltpoll::Params::DEFAULT,
        }),
        differences: &[],
        patches: &[],
    },
    Entry {
        name: "haltpoll-6.12",
        first_release: "6.12",
        kernels: "from 6.12 on",
        make: Make::Haltpoll(haltpoll::Rules {
            small_window: SmallWindow::Closes,
            params: haltpoll::Params::DEFAULT,
        }),
        differences: &[Difference {
            source: "6.12",
            what: "A window that shrinks below its first size closes at once.",
            rules: &[Rule::Haltpoll(haltpoll::Rule::SmallWindow)],
        }],
        patches: &[],
    },
    Entry {
        name: "mobile-2019",
        first_release: "posted in June 2019",
        kernels: "none: posted for 5.2, never merged",
        make: Make::Mobile(mobile::Rules {
            exit_latencies: ExitLatencies::AddUp,
            retain: Retain::StateZero,
        }),
        differences: &[],
        patches: JULY_2019,
    },
    baseline("shallowest", Baseline::Shallowest),
    baseline("deepest", Baseline::Deepest),
    baseline("fixed", Baseline::Fixed(StateIdx::new(1))),
    baseline("last-value", Baseline::LastValue),
    baseline("ideal", Baseline::Ideal),
    baseline("ideal-energy", Baseline::IdealByEnergy),
];

/// What the review of July 2019 agreed on; no second posting is known (spec ladder-haltpoll-mobile.md §3).
static JULY_2019: &[Patch] = &[
    Patch {
        number: 1,
        title: "exit latencies do not add up",
        what: "A state is measured against the stay less its own exit latency, and a stay not longer than that ends the search.",
        edit: |make| {
            if let Make::Mobile(rules) = make {
                rules.exit_latencies = ExitLatencies::OwnOnly;
            }
        },
    },
    Patch {
        number: 2,
        title: "keep the tick for short stays",
        what: "The tick is retained for a stay below one tick period too, not for state 0 alone.",
        edit: |make| {
            if let Make::Mobile(rules) = make {
                rules.retain = Retain::ShortStays;
            }
        },
    },
];

const fn baseline(name: &'static str, which: Baseline) -> Entry {
    Entry {
        name,
        first_release: "",
        kernels: "",
        make: Make::Baseline(which),
        differences: &[],
        patches: &[],
    }
}
