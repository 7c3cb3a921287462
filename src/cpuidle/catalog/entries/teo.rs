//! The entries of teo, oldest first.

use super::super::{Difference, Entry, Make, Patch};
use crate::cpuidle::teo::recent::{self, BusyTwoStates, Demotion, EarlyEnd, Load, OnlyState};
use crate::cpuidle::teo::tick_wakeups::{self, Hit, LookUp, Stopped, TickWakeup};
use crate::cpuidle::teo::{self, Correction, Majority, tick_bin};

/// Every teo.
pub(super) const TEO: &[Entry] = &[
    Entry {
        name: "teo-5.1",
        first_release: "5.1",
        kernels: "5.1 to 5.3",
        make: Make::teo(teo::Version::EarlyHits),
        differences: &[],
        patches: &[],
    },
    Entry {
        name: "teo-5.15",
        first_release: "5.14",
        kernels: "5.14 to 6.2, 6.1.0 to 6.1.192",
        make: Make::teo(teo::Version::Recent(recent::Rules {
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
        make: Make::teo(teo::Version::Recent(TEO_6_5)),
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
        make: Make::teo(teo::Version::RecentTickBin),
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
        make: Make::teo(teo::Version::TickBinOnly(tick_bin::Rules {
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
        make: Make::teo(teo::Version::TickBinOnly(tick_bin::Rules {
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
        make: Make::teo(teo::Version::ShortIdles),
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
        make: Make::teo(teo::Version::TickWakeups(TEO_6_19)),
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
        make: Make::teo(teo::Version::TickWakeups(TEO_7_0)),
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
        make: Make::teo(teo::Version::TickWakeups(tick_wakeups::Rules {
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
];

/// As released in 6.5.
const TEO_6_5: recent::Rules = recent::Rules {
    load: Load::Counts,
    busy_two_states: BusyTwoStates::FirstNotPolling,
    demotion: Demotion::KeepsDuration,
    early_end: EarlyEnd::JudgesDuration,
    only_state: OnlyState::SleepLength,
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
            if let Make::Teo(teo::Version::Recent(rules), _) = make {
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
            if let Make::Teo(teo::Version::Recent(rules), _) = make {
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
