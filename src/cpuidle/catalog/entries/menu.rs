//! The entries of menu, oldest first.

use super::super::{Difference, Entry, Make, Patch, Rule};
use crate::cpuidle::menu::before_tick::{self, PollUntil, Prediction};
use crate::cpuidle::menu::micros::{self, Load, LookedAt};
use crate::cpuidle::menu::nanos::{self, Latency, Recipe, Stopped, Typical, Waiting};
use crate::cpuidle::menu::{self, FailedEntry, Instead, Leftover};

/// Every menu.
pub(super) const MENU: &[Entry] = &[
    Entry {
        name: "menu-4.5",
        first_release: "4.4",
        kernels: "4.4 and 4.5",
        make: Make::menu(menu::Version::BeforeTick(before_tick::Rules {
            poll_until: PollUntil::LoadedPrediction,
            prediction: Prediction::TypicalInstead,
        })),
        differences: &[],
        patches: WHEN_TO_POLL,
    },
    Entry {
        name: "menu-4.6",
        first_release: "4.6",
        kernels: "4.6 to 4.10",
        make: Make::menu(menu::Version::BeforeTick(before_tick::Rules {
            poll_until: PollUntil::NextTimer,
            prediction: Prediction::Least,
        })),
        differences: &[
            Difference {
                source: "e132b9b3bc7f",
                what: "The least of corrected timer, typical interval and timer is expected, and the spread is judged by the variance.",
                rules: &[before_tick(before_tick::Rule::Prediction)],
            },
            Difference {
                source: "0c313cb20732",
                what: "Whether to poll is decided by the next timer, no longer by what is predicted and what waits.",
                rules: &[before_tick(before_tick::Rule::PollUntil)],
            },
        ],
        patches: &[],
    },
    Entry {
        name: "menu-4.19",
        first_release: "4.17",
        kernels: "4.19 as Android vendors have it; 4.17 to 4.20 nearly so",
        make: Make::menu(menu::Version::Micros(micros::Rules {
            recipe: micros::Recipe::PollingFirst,
            load: Load::ShortensLimit,
            intervals: LookedAt::Always,
        })),
        differences: &[
            Difference {
                source: "4.17",
                what: "The tick is stopped after the choice, and not for a stay below one tick.",
                rules: &[GENERATION],
            },
            Difference {
                source: "4.17",
                what: "A wakeup by the tick counts as a long stay.",
                rules: &[GENERATION],
            },
            Difference {
                source: "4.17",
                what: "The search ends at the first state that does not fit.",
                rules: &[GENERATION],
            },
        ],
        patches: &[],
    },
    Entry {
        name: "menu-5.1",
        first_release: "5.0",
        kernels: "5.0 to 5.3",
        make: Make::menu(menu::Version::Micros(micros::Rules {
            recipe: micros::Recipe::OneSearch,
            load: Load::SaysNothing,
            intervals: LookedAt::WhileShorter,
        })),
        differences: &[
            Difference {
                source: "5.0",
                what: "Polling is no case of its own: one search decides, and a near timer or a strict limit ends it at once.",
                rules: &[micros(micros::Rule::Recipe)],
            },
            Difference {
                source: "5.0",
                what: "The run queue's load no longer counts.",
                rules: &[micros(micros::Rule::Load)],
            },
            Difference {
                source: "5.0",
                what: "Intervals are looked at only while some are shorter than the timer's prediction.",
                rules: &[micros(micros::Rule::LookedAt)],
            },
        ],
        patches: &[],
    },
    Entry {
        name: "menu-6.5",
        first_release: "5.13",
        kernels: "5.13 to 6.5, 6.1.0 to 6.1.140",
        make: Make::menu(menu::Version::Nanos(nanos::Rules {
            recipe: Recipe::TimerFirst,
            ..MENU_6_6
        })),
        differences: &[
            Difference {
                source: "5.5",
                what: "Times are in nanoseconds.",
                rules: &[GENERATION],
            },
            Difference {
                source: "5.4",
                what: "State 0 at once retains the tick only if it polls, and a strict latency limit no longer makes the stay look short.",
                rules: &[GENERATION],
            },
            Difference {
                source: "5.13",
                what: "An overdue timer counts as due now; with the tick stopped the timer is expected, not the tick.",
                rules: &[GENERATION],
            },
        ],
        patches: &[],
    },
    Entry {
        name: "menu-6.1.192",
        first_release: "6.1.158",
        kernels: "6.1.158 to 6.1.192",
        make: Make::menu(menu::Version::Nanos(nanos::Rules {
            recipe: Recipe::TimerFirst,
            failed_entry: FailedEntry::StoresNone,
            ..MENU_6_6
        })),
        differences: &[Difference {
            source: "fa3fa55de0d6",
            what: "After an entry that failed, and at the very first select, \"no interval\" takes the place of the oldest interval.",
            rules: &[nanos(nanos::Rule::FailedEntry)],
        }],
        patches: &[],
    },
    Entry {
        name: "menu-6.6",
        first_release: "6.6",
        kernels: "6.6 to 6.12, 6.12.0 to 6.12.30",
        make: Make::menu(menu::Version::Nanos(MENU_6_6)),
        differences: &[
            Difference {
                source: "6.6",
                what: "The last intervals are looked at first, and when they are typically at most 15 µs the timer is not looked up; a history of nothing but zeroes predicts nothing.",
                rules: &[nanos(nanos::Rule::Recipe)],
            },
            Difference {
                source: "6.6",
                what: "As in mainline before, an entry that failed leaves nothing behind.",
                rules: &[nanos(nanos::Rule::FailedEntry)],
            },
        ],
        patches: &[],
    },
    Entry {
        name: "menu-6.12.117",
        first_release: "6.12.75",
        kernels: "6.12.75 to 6.12.117",
        make: Make::menu(menu::Version::Nanos(nanos::Rules {
            typical: Typical::DropsLongest,
            ..MENU_7_0
        })),
        differences: &[
            Difference {
                source: "38f83090f515",
                what: "Tasks that wait for I/O no longer count: six factors instead of two groups of six.",
                rules: &[nanos(nanos::Rule::Waiting)],
            },
            Difference {
                source: "fa3fa55de0d6",
                what: "After an entry that failed \"no interval\" is stored.",
                rules: &[nanos(nanos::Rule::FailedEntry)],
            },
            Difference {
                source: "779b1a1cb13a",
                what: "A latency limit holds strictly and is looked at first.",
                rules: &[nanos(nanos::Rule::Latency)],
            },
            Difference {
                source: "07d815701274",
                what: "A state that does not pay off replaces polling only if it pays off within 15 µs and its exit is no longer than the stay.",
                rules: &[nanos(nanos::Rule::Instead)],
            },
            Difference {
                source: "80606f4eb8d7",
                what: "With the tick stopped the timer is always looked up.",
                rules: &[nanos(nanos::Rule::Stopped)],
            },
        ],
        patches: &[],
    },
    Entry {
        name: "menu-6.13",
        first_release: "6.13",
        kernels: "6.13 and 6.14",
        make: Make::menu(menu::Version::Nanos(MENU_6_13)),
        differences: &[
            Difference {
                source: "38f83090f515",
                what: "Tasks that wait for I/O no longer count: six factors instead of two groups of six.",
                rules: &[nanos(nanos::Rule::Waiting)],
            },
            Difference {
                source: "6.13",
                what: "None of the stable changes up to 6.12.117 beside that is in it.",
                rules: &[
                    nanos(nanos::Rule::FailedEntry),
                    nanos(nanos::Rule::Latency),
                    nanos(nanos::Rule::Instead),
                    nanos(nanos::Rule::Stopped),
                ],
            },
        ],
        patches: &[],
    },
    Entry {
        name: "menu-6.15",
        first_release: "6.15",
        kernels: "6.15 and 6.16",
        make: Make::menu(menu::Version::Nanos(nanos::Rules {
            typical: Typical::DropsFarthest(Leftover::Longest),
            ..MENU_6_13
        })),
        differences: &[Difference {
            source: "85975daeaa4d",
            what: "Outliers are left out at either end, and where few vary still, the longest of them bounds the stay.",
            rules: &[nanos(nanos::Rule::Typical)],
        }],
        patches: &[],
    },
    Entry {
        name: "menu-6.17",
        first_release: "6.17",
        kernels: "6.17",
        make: Make::menu(menu::Version::Nanos(nanos::Rules {
            typical: Typical::DropsFarthest(Leftover::Longest),
            failed_entry: FailedEntry::StoresNone,
            latency: Latency::AsGiven,
            ..MENU_6_13
        })),
        differences: &[
            Difference {
                source: "fa3fa55de0d6",
                what: "After an entry that failed \"no interval\" is stored.",
                rules: &[nanos(nanos::Rule::FailedEntry)],
            },
            Difference {
                source: "779b1a1cb13a",
                what: "A latency limit holds strictly and is looked at first.",
                rules: &[nanos(nanos::Rule::Latency)],
            },
        ],
        patches: &[],
    },
    Entry {
        name: "menu-6.19",
        first_release: "6.19",
        kernels: "6.19; 6.18 nearly so",
        make: Make::menu(menu::Version::Nanos(nanos::Rules {
            stopped: Stopped::TimerIfAsked,
            ..MENU_7_0
        })),
        differences: &[
            Difference {
                source: "10fad4012234",
                what: "Where few intervals vary still they say nothing again.",
                rules: &[nanos(nanos::Rule::Typical)],
            },
            Difference {
                source: "db86f55bf81a, 07d815701274",
                what: "A state that does not pay off replaces polling only if its exit is no longer than the stay, and only if it pays off within 15 µs.",
                rules: &[nanos(nanos::Rule::Instead)],
            },
        ],
        patches: &[],
    },
    Entry {
        name: "menu-7.0",
        first_release: "7.0",
        kernels: "7.0",
        make: Make::menu(menu::Version::Nanos(MENU_7_0)),
        differences: &[Difference {
            source: "80606f4eb8d7",
            what: "With the tick stopped the timer is always looked up, however short the intervals are.",
            rules: &[nanos(nanos::Rule::Stopped)],
        }],
        patches: &[],
    },
    Entry {
        name: "menu-7.1",
        first_release: "7.1",
        kernels: "7.2 (7.2.13 checked); posted for 7.1 in February 2026",
        make: Make::menu(menu::Version::Nanos(nanos::Rules {
            stopped: Stopped::AlwaysAsksUnlessNear,
            ..MENU_7_0
        })),
        differences: &[Difference {
            source: "February 2026",
            what: "With the tick stopped a short stay is believed if the timer is at most two ticks away.",
            rules: &[nanos(nanos::Rule::Stopped)],
        }],
        patches: &[],
    },
];

/// As released in 6.6.
const MENU_6_6: nanos::Rules = nanos::Rules {
    recipe: Recipe::IntervalsFirst,
    waiting: Waiting::Counts,
    failed_entry: FailedEntry::Unnoticed,
    typical: Typical::DropsLongest,
    latency: Latency::WithinStay,
    instead: Instead::TimerAllows,
    stopped: Stopped::TimerIfAsked,
};

/// As released in 6.13.
const MENU_6_13: nanos::Rules = nanos::Rules {
    waiting: Waiting::Ignored,
    ..MENU_6_6
};

/// As released in 7.0.
const MENU_7_0: nanos::Rules = nanos::Rules {
    recipe: Recipe::IntervalsFirst,
    waiting: Waiting::Ignored,
    failed_entry: FailedEntry::StoresNone,
    typical: Typical::DropsFarthest(Leftover::SaysNothing),
    latency: Latency::AsGiven,
    instead: Instead::ShortStates,
    stopped: Stopped::AlwaysAsks,
};

const GENERATION: Rule = Rule::Menu(menu::Rule::Generation);

const fn before_tick(rule: before_tick::Rule) -> Rule {
    Rule::Menu(menu::Rule::BeforeTick(rule))
}

const fn micros(rule: micros::Rule) -> Rule {
    Rule::Menu(menu::Rule::Micros(rule))
}

const fn nanos(rule: nanos::Rule) -> Rule {
    Rule::Menu(menu::Rule::Nanos(rule))
}

/// The commits of 2015 and 2016 that changed when to poll (spec menu.md §5, seed-experiments.md §3.1). The second never
/// was without the first; the third, which the entry has, is taken back.
static WHEN_TO_POLL: &[Patch] = &[
    Patch {
        number: 1,
        title: "e132b9b3bc7f: the typical interval decides",
        what: "Polling is left when the typical interval, or a nearer timer, is beyond the target residency of state 1; the least of all predictions is expected.",
        edit: |make| {
            if let Make::Menu(menu::Version::BeforeTick(rules), _) = make {
                rules.prediction = Prediction::Least;
                if rules.poll_until == PollUntil::LoadedPrediction {
                    rules.poll_until = PollUntil::TypicalInterval;
                }
            }
        },
    },
    Patch {
        number: 2,
        title: "0c313cb20732: the next timer decides",
        what: "Polling is left when the next timer is beyond 20 µs and the target residency of state 1.",
        edit: |make| {
            if let Make::Menu(menu::Version::BeforeTick(rules), _) = make {
                rules.poll_until = PollUntil::NextTimer;
            }
        },
    },
    Patch {
        number: 3,
        title: "without a9ceb78bc75c: a timer decides",
        what: "As before 4.4's change of when to poll: polling is left when the next timer is beyond 20 µs, whatever is predicted. Told by that commit's description; no kernel of that time is among the vectors.",
        edit: |make| {
            if let Make::Menu(menu::Version::BeforeTick(rules), _) = make
                && rules.poll_until == PollUntil::LoadedPrediction
            {
                rules.poll_until = PollUntil::TimerBeyond20;
            }
        },
    },
];
