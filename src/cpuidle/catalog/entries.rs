//! The list: every behaviour that some kernel had, with what it changed.

use super::{Difference, Entry, Make, Patch};
use crate::cpuidle::haltpoll::SmallWindow;
use crate::cpuidle::menu::before_tick::{self, PollUntil, Prediction};
use crate::cpuidle::menu::plain::{self, Latency, Stopped as MenuStopped, Typical};
use crate::cpuidle::menu::{FailedEntry, Instead, Leftover, io_groups, micros};
use crate::cpuidle::mobile::{ExitLatencies, Retain};
use crate::cpuidle::teo::recent::{self, BusyTwoStates, Demotion, EarlyEnd, Load, OnlyState};
use crate::cpuidle::teo::tick_wakeups::{self, Hit, LookUp, Stopped, TickWakeup};
use crate::cpuidle::teo::{Correction, Majority, tick_bin};
use crate::cpuidle::{Baseline, haltpoll, ladder, menu, mobile, teo};

/// Every entry, grouped by family, oldest first.
pub static ENTRIES: &[Entry] = &[
    Entry {
        name: "teo-5.1",
        first_release: "5.1",
        kernels: "5.1 to 5.3",
        make: Make::Teo(teo::Version::EarlyHits),
        differences: &[],
        patches: &[],
    },
    Entry {
        name: "teo-5.15",
        first_release: "5.14",
        kernels: "5.14 to 6.2, 6.1.0 to 6.1.192",
        make: Make::Teo(teo::Version::Recent(recent::Rules {
            load: Load::Ignored,
            ..TEO_6_5
        })),
        differences: &[
            Difference {
                source: "5.14",
                what: "Each state has a bin with hits and intercepts instead of hits, misses and early hits, and all bins fade each time.",
            },
            Difference {
                source: "5.14",
                what: "A shallower state is taken when most weight, or most of the last nine wakeups, speaks against the candidate.",
            },
            Difference {
                source: "5.5",
                what: "Durations are in nanoseconds and are measured by the residency.",
            },
        ],
        patches: &[],
    },
    Entry {
        name: "teo-6.5",
        first_release: "6.3",
        kernels: "6.3 to 6.5",
        make: Make::Teo(teo::Version::Recent(TEO_6_5)),
        differences: &[Difference {
            source: "6.3",
            what: "A CPU with a load above a sixty-fourth of its capacity takes a shallower state, though it expects as long a stay as before.",
        }],
        patches: AUGUST_2023,
    },
    Entry {
        name: "teo-6.6",
        first_release: "6.6",
        kernels: "6.6 to 6.10, 6.6.0 to 6.6.119",
        make: Make::Teo(teo::Version::RecentTickBin),
        differences: &[
            Difference {
                source: "August 2023 series, 1/3 to 3/3",
                what: "A busy CPU that takes a shallower state expects a shorter stay, and decisions that end early retain the tick.",
            },
            Difference {
                source: "6.6 merge window",
                what: "The search starts at the deepest enabled state and the timer is looked up last, not at all for a choice of state 0 or one that pays off within 15 µs beside a polling state.",
            },
            Difference {
                source: "6.6 merge window",
                what: "Timers at least one tick away have a bin of their own while no state's target residency reaches one tick.",
            },
            Difference {
                source: "6.6 merge window",
                what: "A choice that pays off within a tick retains it when more than five eighths of the wakeups were intercepts.",
            },
        ],
        patches: &[],
    },
    Entry {
        name: "teo-6.12",
        first_release: "6.11",
        kernels: "6.11 to 6.13, 6.12.0 to 6.12.63",
        make: Make::Teo(teo::Version::TickBinOnly(tick_bin::Rules {
            correction: Correction::IfTickAllows,
        })),
        differences: &[
            Difference {
                source: "6.11",
                what: "The CPU's load no longer counts.",
            },
            Difference {
                source: "6.11",
                what: "The last nine wakeups no longer count.",
            },
            Difference {
                source: "6.11",
                what: "When the look-up leads to state 0 the timer is asked for, so that the wakeup is not booked as an intercept by mistake.",
            },
        ],
        patches: &[],
    },
    Entry {
        name: "teo-6.12.117",
        first_release: "6.12.64",
        kernels: "6.12.64 to 6.12.117",
        make: Make::Teo(teo::Version::TickBinOnly(tick_bin::Rules {
            correction: Correction::Always,
        })),
        differences: &[Difference {
            source: "a03b2011808a",
            what: "A timer that comes before the choice pays off leads to a shallower state with the tick stopped too.",
        }],
        patches: &[],
    },
    Entry {
        name: "teo-6.14",
        first_release: "6.14",
        kernels: "6.14 to 6.18",
        make: Make::Teo(teo::Version::ShortIdles),
        differences: &[
            Difference {
                source: "6.14",
                what: "Idle times below 15 µs are counted, and where they are the rule a choice that pays off early is made without the timer.",
            },
            Difference {
                source: "6.14",
                what: "Intercepts are set against a total that fades by itself, and those that count for the tick are counted apart.",
            },
            Difference {
                source: "6.14",
                what: "The clock is read no more, and the bin beyond all states is gone.",
            },
            Difference {
                source: "6.14",
                what: "The stable change of 6.12.64 is not in it.",
            },
        ],
        patches: &[],
    },
    Entry {
        name: "teo-6.19",
        first_release: "6.19",
        kernels: "6.19",
        make: Make::Teo(teo::Version::TickWakeups(TEO_6_19)),
        differences: &[
            Difference {
                source: "6.19",
                what: "Wakeups by the tick are counted, and while they are most of all the deepest bin is fed, so that the tick is stopped.",
            },
            Difference {
                source: "6.19",
                what: "Metrics fade to zero instead of staying at 7.",
            },
            Difference {
                source: "6.19",
                what: "The look-up moves the choice as it walks, and with the tick stopped it ends at the first state that reaches a tick.",
            },
            Difference {
                source: "a03b2011808a",
                what: "A timer that comes before the choice pays off leads to a shallower state with the tick stopped too.",
            },
        ],
        patches: &[],
    },
    Entry {
        name: "teo-7.0",
        first_release: "7.0",
        kernels: "7.0",
        make: Make::Teo(teo::Version::TickWakeups(TEO_7_0)),
        differences: &[
            Difference {
                source: "7.0",
                what: "A stay is a hit only if it ends less than half an exit latency before its timer.",
            },
            Difference {
                source: "7.0",
                what: "A wakeup by the tick counts as a hit of its timer where few wakeups are intercepts within a tick.",
            },
            Difference {
                source: "7.0",
                what: "The look-up goes back to the fullest bin at least.",
            },
            Difference {
                source: "7.0",
                what: "Two thirds of all wakeups within a tick, not five eighths, make another likely.",
            },
        ],
        patches: &[],
    },
    Entry {
        name: "teo-7.1",
        first_release: "7.1",
        kernels: "7.2 (7.2.13 checked); posted for 7.1 in February 2026",
        make: Make::Teo(teo::Version::TickWakeups(tick_wakeups::Rules {
            look_up: LookUp::AnyTick,
            stopped: Stopped::DeepestBeforeTimer,
            ..TEO_7_0
        })),
        differences: &[
            Difference {
                source: "February 2026",
                what: "The look-up is the same whether the tick is stopped or not.",
            },
            Difference {
                source: "February 2026",
                what: "With the tick stopped the timer is always asked for, and one beyond two ticks leads to the deepest state that pays off before it.",
            },
        ],
        patches: &[],
    },
    Entry {
        name: "menu-4.5",
        first_release: "4.4",
        kernels: "4.4 and 4.5",
        make: Make::Menu(menu::Version::BeforeTick(before_tick::Rules {
            poll_until: PollUntil::LoadedPrediction,
            prediction: Prediction::TypicalInstead,
        })),
        differences: &[],
        patches: EARLY_2016,
    },
    Entry {
        name: "menu-4.6",
        first_release: "4.6",
        kernels: "4.6 to 4.10",
        make: Make::Menu(menu::Version::BeforeTick(before_tick::Rules {
            poll_until: PollUntil::NextTimer,
            prediction: Prediction::Least,
        })),
        differences: &[
            Difference {
                source: "e132b9b3bc7f",
                what: "The least of corrected timer, typical interval and timer is expected, and the spread is judged by the variance.",
            },
            Difference {
                source: "0c313cb20732",
                what: "Whether to poll is decided by the next timer, no longer by what is predicted and what waits.",
            },
        ],
        patches: &[],
    },
    Entry {
        name: "menu-4.19",
        first_release: "4.17",
        kernels: "4.19 as Android vendors have it; 4.17 to 4.20 nearly so",
        make: Make::Menu(menu::Version::Micros(micros::Recipe::PollingFirst)),
        differences: &[
            Difference {
                source: "4.17",
                what: "The tick is stopped after the choice, and not for a stay below one tick.",
            },
            Difference {
                source: "4.17",
                what: "A wakeup by the tick counts as a long stay.",
            },
            Difference {
                source: "4.17",
                what: "The search ends at the first state that does not fit.",
            },
        ],
        patches: &[],
    },
    Entry {
        name: "menu-5.1",
        first_release: "5.0",
        kernels: "5.0 to 5.3",
        make: Make::Menu(menu::Version::Micros(micros::Recipe::OneSearch)),
        differences: &[
            Difference {
                source: "5.0",
                what: "Polling is no case of its own: one search decides, and a near timer or a strict limit ends it at once.",
            },
            Difference {
                source: "5.0",
                what: "The run queue's load no longer counts.",
            },
            Difference {
                source: "5.0",
                what: "Intervals are looked at only while some are shorter than the timer's prediction.",
            },
        ],
        patches: &[],
    },
    Entry {
        name: "menu-6.5",
        first_release: "5.13",
        kernels: "5.13 to 6.5, 6.1.0 to 6.1.140",
        make: Make::Menu(menu::Version::IoGroups(
            io_groups::Recipe::TimerFirst,
            io_groups::Rules {
                failed_entry: FailedEntry::Unnoticed,
            },
        )),
        differences: &[
            Difference {
                source: "5.5",
                what: "Times are in nanoseconds.",
            },
            Difference {
                source: "5.4",
                what: "State 0 at once retains the tick only if it polls, and a strict latency limit no longer makes the stay look short.",
            },
            Difference {
                source: "5.13",
                what: "An overdue timer counts as due now; with the tick stopped the timer is expected, not the tick.",
            },
        ],
        patches: &[],
    },
    Entry {
        name: "menu-6.1.192",
        first_release: "6.1.158",
        kernels: "6.1.158 to 6.1.192",
        make: Make::Menu(menu::Version::IoGroups(
            io_groups::Recipe::TimerFirst,
            io_groups::Rules {
                failed_entry: FailedEntry::StoresNone,
            },
        )),
        differences: &[Difference {
            source: "fa3fa55de0d6",
            what: "After an entry that failed, and at the very first select, \"no interval\" takes the place of the oldest interval.",
        }],
        patches: &[],
    },
    Entry {
        name: "menu-6.6",
        first_release: "6.6",
        kernels: "6.6 to 6.12, 6.12.0 to 6.12.30",
        make: Make::Menu(menu::Version::IoGroups(
            io_groups::Recipe::IntervalsFirst,
            io_groups::Rules {
                failed_entry: FailedEntry::Unnoticed,
            },
        )),
        differences: &[
            Difference {
                source: "6.6",
                what: "The last intervals are looked at first, and when they are typically at most 15 µs the timer is not looked up.",
            },
            Difference {
                source: "6.6",
                what: "A history of nothing but zeroes predicts nothing.",
            },
            Difference {
                source: "6.6",
                what: "As in mainline before, an entry that failed leaves nothing behind.",
            },
        ],
        patches: &[],
    },
    Entry {
        name: "menu-6.12.117",
        first_release: "6.12.75",
        kernels: "6.12.75 to 6.12.117",
        make: Make::Menu(menu::Version::Plain(plain::Rules {
            typical: Typical::DropsLongest,
            ..MENU_7_0
        })),
        differences: &[
            Difference {
                source: "38f83090f515",
                what: "Tasks that wait for I/O no longer count: six factors instead of two groups of six.",
            },
            Difference {
                source: "fa3fa55de0d6",
                what: "After an entry that failed \"no interval\" is stored.",
            },
            Difference {
                source: "779b1a1cb13a",
                what: "A latency limit holds strictly and is looked at first.",
            },
            Difference {
                source: "07d815701274",
                what: "A state that does not pay off replaces polling only if it pays off within 15 µs and its exit is no longer than the stay.",
            },
            Difference {
                source: "80606f4eb8d7",
                what: "With the tick stopped the timer is always looked up.",
            },
        ],
        patches: &[],
    },
    Entry {
        name: "menu-6.13",
        first_release: "6.13",
        kernels: "6.13 and 6.14",
        make: Make::Menu(menu::Version::Plain(MENU_6_13)),
        differences: &[
            Difference {
                source: "38f83090f515",
                what: "Tasks that wait for I/O no longer count: six factors instead of two groups of six.",
            },
            Difference {
                source: "6.13",
                what: "None of the stable changes up to 6.12.117 beside that is in it.",
            },
        ],
        patches: &[],
    },
    Entry {
        name: "menu-6.15",
        first_release: "6.15",
        kernels: "6.15 and 6.16",
        make: Make::Menu(menu::Version::Plain(plain::Rules {
            typical: Typical::DropsFarthest(Leftover::Longest),
            ..MENU_6_13
        })),
        differences: &[Difference {
            source: "85975daeaa4d",
            what: "Outliers are left out at either end, and where few vary still, the longest of them bounds the stay.",
        }],
        patches: &[],
    },
    Entry {
        name: "menu-6.17",
        first_release: "6.17",
        kernels: "6.17",
        make: Make::Menu(menu::Version::Plain(plain::Rules {
            typical: Typical::DropsFarthest(Leftover::Longest),
            failed_entry: FailedEntry::StoresNone,
            latency: Latency::AsGiven,
            ..MENU_6_13
        })),
        differences: &[
            Difference {
                source: "fa3fa55de0d6",
                what: "After an entry that failed \"no interval\" is stored.",
            },
            Difference {
                source: "779b1a1cb13a",
                what: "A latency limit holds strictly and is looked at first.",
            },
        ],
        patches: &[],
    },
    Entry {
        name: "menu-6.19",
        first_release: "6.19",
        kernels: "6.19; 6.18 nearly so",
        make: Make::Menu(menu::Version::Plain(plain::Rules {
            stopped: MenuStopped::TimerIfAsked,
            ..MENU_7_0
        })),
        differences: &[
            Difference {
                source: "10fad4012234",
                what: "Where few intervals vary still they say nothing again.",
            },
            Difference {
                source: "db86f55bf81a",
                what: "A state that does not pay off replaces polling only if its exit is no longer than the stay.",
            },
            Difference {
                source: "07d815701274",
                what: "And only if it pays off within 15 µs.",
            },
        ],
        patches: &[],
    },
    Entry {
        name: "menu-7.0",
        first_release: "7.0",
        kernels: "7.0",
        make: Make::Menu(menu::Version::Plain(MENU_7_0)),
        differences: &[Difference {
            source: "80606f4eb8d7",
            what: "With the tick stopped the timer is always looked up, however short the intervals are.",
        }],
        patches: &[],
    },
    Entry {
        name: "menu-7.1",
        first_release: "7.1",
        kernels: "7.2 (7.2.13 checked); posted for 7.1 in February 2026",
        make: Make::Menu(menu::Version::Plain(plain::Rules {
            stopped: MenuStopped::AlwaysAsksUnlessNear,
            ..MENU_7_0
        })),
        differences: &[Difference {
            source: "February 2026",
            what: "With the tick stopped a short stay is believed if the timer is at most two ticks away.",
        }],
        patches: &[],
    },
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
    baseline("ideal", Baseline::Ideal),
];

/// As released in 6.5.
const TEO_6_5: recent::Rules = recent::Rules {
    load: Load::Counts,
    busy_two_states: BusyTwoStates::FirstNotPolling,
    demotion: Demotion::KeepsDuration,
    early_end: EarlyEnd::JudgesDuration,
    only_state: OnlyState::SleepLength,
};

/// As released in 6.13.
const MENU_6_13: plain::Rules = plain::Rules {
    failed_entry: FailedEntry::Unnoticed,
    typical: Typical::DropsLongest,
    latency: Latency::WithinStay,
    instead: Instead::TimerAllows,
    stopped: MenuStopped::TimerIfAsked,
};

/// As released in 7.0.
const MENU_7_0: plain::Rules = plain::Rules {
    failed_entry: FailedEntry::StoresNone,
    typical: Typical::DropsFarthest(Leftover::SaysNothing),
    latency: Latency::AsGiven,
    instead: Instead::ShortStates,
    stopped: MenuStopped::AlwaysAsks,
};

/// As released in 6.19.
const TEO_6_19: tick_wakeups::Rules = tick_wakeups::Rules {
    hit: Hit::SameBin,
    tick_wakeup: TickWakeup::DeepestIfMost,
    look_up: LookUp::ToHalf,
    majority: Majority::MoreThanFiveEighths,
    stopped: Stopped::AsAlways,
};

/// As released in 7.0.
const TEO_7_0: tick_wakeups::Rules = tick_wakeups::Rules {
    hit: Hit::CloseToTimer,
    tick_wakeup: TickWakeup::TimerIfFewIntercepts,
    look_up: LookUp::ToFullestBin,
    majority: Majority::TwoThirds,
    stopped: Stopped::AsAlways,
};

/// The series "teo: avoid stopping the scheduler tick too often", as posted in August 2023. What
/// 2/3 means without 1/3, which never was a kernel, is in spec teo.md §5.
static AUGUST_2023: &[Patch] = &[
    Patch {
        number: 1,
        title: "update the idle duration estimate",
        what: "A busy CPU that takes a shallower state expects the stay that fits it, so the tick is retained.",
        edit: |make| {
            if let Make::Teo(teo::Version::Recent(rules)) = make {
                rules.busy_two_states = BusyTwoStates::ZeroUnlessPolling;
                rules.demotion = Demotion::TakesMidpoint;
            }
        },
    },
    Patch {
        number: 2,
        title: "keep the tick when bailing out",
        what: "Decisions that end early retain the tick, and a state without alternative is expected to be stayed in for its target residency.",
        edit: |make| {
            if let Make::Teo(teo::Version::Recent(rules)) = make {
                rules.early_end = EarlyEnd::RetainsTick;
                rules.only_state = OnlyState::TargetResidency;
            }
        },
    },
    Patch {
        number: 3,
        title: "store the utilisation verdict no longer",
        what: "Changes where a value is stored and no decision.",
        edit: |_| {},
    },
];

/// The commits of early 2016 that changed when to poll (spec menu.md §5). The second never was without the first.
static EARLY_2016: &[Patch] = &[
    Patch {
        number: 1,
        title: "e132b9b3bc7f: the typical interval decides",
        what: "Polling is left when the typical interval, or a nearer timer, is beyond the target residency of state 1; the least of all predictions is expected.",
        edit: |make| {
            if let Make::Menu(menu::Version::BeforeTick(rules)) = make {
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
            if let Make::Menu(menu::Version::BeforeTick(rules)) = make {
                rules.poll_until = PollUntil::NextTimer;
            }
        },
    },
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
