//! The entries of teo, oldest first.

use super::super::{Difference, Entry, Make, Patch, Rule};
use crate::cpuidle::teo::binned::{
    self, BusyTwoStates, Demotion, EarlyEnd, Judged, LedToZero, Load, OnlyState, RecentWakeups, Recipe,
    TickBin,
};
use crate::cpuidle::teo::short_idles::{self, Hit, LookUp, Stopped, TickIntercept, TickWakeup, Total};
use crate::cpuidle::teo::{self, Correction, Decay, Majority};

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
        make: Make::teo(teo::Version::Binned(binned::Rules {
            load: Load::Ignored,
            ..TEO_6_5
        })),
        differences: &[
            Difference {
                source: "5.14",
                what: "Each state has a bin with hits and intercepts instead of hits, misses and early hits, and all bins fade each time.",
                rules: &[GENERATION],
            },
            Difference {
                source: "5.14",
                what: "A shallower state is taken when most weight, or most of the last nine wakeups, speaks against the candidate.",
                rules: &[GENERATION],
            },
            Difference {
                source: "5.5",
                what: "Durations are in nanoseconds and are measured by the residency.",
                rules: &[GENERATION],
            },
        ],
        patches: &[],
    },
    Entry {
        name: "teo-6.5",
        first_release: "6.3",
        kernels: "6.3 to 6.5",
        make: Make::teo(teo::Version::Binned(TEO_6_5)),
        differences: &[Difference {
            source: "6.3",
            what: "A CPU with a load above a sixty-fourth of its capacity takes a shallower state, though it expects as long a stay as before.",
            rules: &[binned(binned::Rule::Load)],
        }],
        patches: AUGUST_2023,
    },
    Entry {
        name: "teo-6.6",
        first_release: "6.6",
        kernels: "6.6 to 6.10, 6.6.0 to 6.6.119",
        make: Make::teo(teo::Version::Binned(TEO_6_6)),
        differences: &[
            Difference {
                source: "August 2023 series, 1/3 to 3/3",
                what: "A busy CPU that takes a shallower state expects a shorter stay, and decisions that end early retain the tick.",
                rules: &[
                    binned(binned::Rule::BusyTwoStates),
                    binned(binned::Rule::Demotion),
                    binned(binned::Rule::EarlyEnd),
                    binned(binned::Rule::OnlyState),
                ],
            },
            Difference {
                source: "6.6 merge window",
                what: "The search starts at the deepest enabled state and the timer is looked up last, not at all for a choice of state 0 or one that pays off within 15 µs beside a polling state.",
                rules: &[binned(binned::Rule::Recipe)],
            },
            Difference {
                source: "6.6 merge window",
                what: "Timers at least one tick away have a bin of their own while no state's target residency reaches one tick.",
                rules: &[binned(binned::Rule::TickBin)],
            },
            Difference {
                source: "6.6 merge window",
                what: "A choice that pays off within a tick retains it when more than five eighths of the wakeups were intercepts.",
                rules: &[binned(binned::Rule::Judged)],
            },
        ],
        patches: &[],
    },
    Entry {
        name: "teo-6.12",
        first_release: "6.11",
        kernels: "6.11 to 6.13, 6.12.0 to 6.12.63",
        make: Make::teo(teo::Version::Binned(TEO_6_12)),
        differences: &[
            Difference {
                source: "6.11",
                what: "The CPU's load no longer counts.",
                rules: &[binned(binned::Rule::Load)],
            },
            Difference {
                source: "6.11",
                what: "The last nine wakeups no longer count.",
                rules: &[binned(binned::Rule::RecentWakeups)],
            },
            Difference {
                source: "6.11",
                what: "When the look-up leads to state 0 the timer is asked for, so that the wakeup is not booked as an intercept by mistake.",
                rules: &[binned(binned::Rule::LedToZero)],
            },
        ],
        patches: &[],
    },
    Entry {
        name: "teo-6.12.117",
        first_release: "6.12.64",
        kernels: "6.12.64 to 6.12.117",
        make: Make::teo(teo::Version::Binned(binned::Rules {
            correction: Correction::Always,
            ..TEO_6_12
        })),
        differences: &[Difference {
            source: "a03b2011808a",
            what: "A timer that comes before the choice pays off leads to a shallower state with the tick stopped too.",
            rules: &[binned(binned::Rule::Correction)],
        }],
        patches: &[],
    },
    Entry {
        name: "teo-6.14",
        first_release: "6.14",
        kernels: "6.14 to 6.18",
        make: Make::teo(teo::Version::ShortIdles(TEO_6_14)),
        differences: &[
            Difference {
                source: "6.14",
                what: "Idle times below 15 µs are counted, and where they are the rule a choice that pays off early is made without the timer.",
                rules: &[GENERATION],
            },
            Difference {
                source: "6.14",
                what: "Intercepts are set against a total that fades by itself, and those that count for the tick are counted apart.",
                rules: &[GENERATION],
            },
            Difference {
                source: "6.14",
                what: "The clock is read no more, and the bin beyond all states is gone.",
                rules: &[GENERATION],
            },
            Difference {
                source: "6.14",
                what: "The stable change of 6.12.64 is not in it: with the tick stopped a timer that comes before the choice pays off does not lead to a shallower state.",
                rules: &[binned(binned::Rule::Correction)],
            },
        ],
        patches: &[],
    },
    Entry {
        name: "teo-6.19",
        first_release: "6.19",
        kernels: "6.19",
        make: Make::teo(teo::Version::ShortIdles(TEO_6_19)),
        differences: &[
            Difference {
                source: "6.19",
                what: "Wakeups by the tick are counted, and while they are most of all the deepest bin is fed, so that the tick is stopped.",
                rules: &[short_idles(short_idles::Rule::TickWakeup)],
            },
            Difference {
                source: "6.19",
                what: "Stays within a tick are counted as such, no longer those beyond it.",
                rules: &[short_idles(short_idles::Rule::TickIntercept)],
            },
            Difference {
                source: "6.19",
                what: "Metrics fade to zero instead of staying at 7, and intercepts are set against the sum of them all.",
                rules: &[
                    short_idles(short_idles::Rule::Decay),
                    short_idles(short_idles::Rule::Total),
                ],
            },
            Difference {
                source: "6.19",
                what: "The look-up moves the choice as it walks, and with the tick stopped it ends at the first state that reaches a tick.",
                rules: &[short_idles(short_idles::Rule::LookUp)],
            },
            Difference {
                source: "a03b2011808a",
                what: "A timer that comes before the choice pays off leads to a shallower state with the tick stopped too.",
                rules: &[short_idles(short_idles::Rule::Correction)],
            },
        ],
        patches: &[],
    },
    Entry {
        name: "teo-7.0",
        first_release: "7.0",
        kernels: "7.0",
        make: Make::teo(teo::Version::ShortIdles(TEO_7_0)),
        differences: &[
            Difference {
                source: "7.0",
                what: "A stay is a hit only if it ends less than half an exit latency before its timer.",
                rules: &[short_idles(short_idles::Rule::Hit)],
            },
            Difference {
                source: "7.0",
                what: "A wakeup by the tick counts as a hit of its timer where few wakeups are intercepts within a tick.",
                rules: &[short_idles(short_idles::Rule::TickWakeup)],
            },
            Difference {
                source: "7.0",
                what: "The look-up goes back to the fullest bin at least.",
                rules: &[short_idles(short_idles::Rule::LookUp)],
            },
            Difference {
                source: "7.0",
                what: "Two thirds of all wakeups within a tick, not five eighths, make another likely.",
                rules: &[short_idles(short_idles::Rule::Majority)],
            },
        ],
        patches: &[],
    },
    Entry {
        name: "teo-7.1",
        first_release: "7.1",
        kernels: "7.2 (7.2.13 checked); posted for 7.1 in February 2026",
        make: Make::teo(teo::Version::ShortIdles(short_idles::Rules {
            look_up: LookUp::AnyTick,
            stopped: Stopped::DeepestBeforeTimer,
            ..TEO_7_0
        })),
        differences: &[
            Difference {
                source: "February 2026",
                what: "The look-up is the same whether the tick is stopped or not.",
                rules: &[short_idles(short_idles::Rule::LookUp)],
            },
            Difference {
                source: "February 2026",
                what: "With the tick stopped the timer is always asked for, and one beyond two ticks leads to the deepest state that pays off before it.",
                rules: &[short_idles(short_idles::Rule::Stopped)],
            },
        ],
        patches: &[],
    },
];

/// As released in 6.5.
const TEO_6_5: binned::Rules = binned::Rules {
    recipe: Recipe::TimerFirst,
    recent: RecentWakeups::Count,
    tick_bin: TickBin::Absent,
    load: Load::Counts,
    busy_two_states: BusyTwoStates::FirstNotPolling,
    demotion: Demotion::KeepsDuration,
    early_end: EarlyEnd::JudgesDuration,
    only_state: OnlyState::SleepLength,
    led_to_zero: LedToZero::NotAsked,
    correction: Correction::IfTickAllows,
    judged: Judged::ByDuration,
};

/// As released in 6.6.
const TEO_6_6: binned::Rules = binned::Rules {
    recipe: Recipe::TimerLast,
    recent: RecentWakeups::Count,
    tick_bin: TickBin::BeyondStates,
    load: Load::Counts,
    busy_two_states: BusyTwoStates::ZeroUnlessPolling,
    demotion: Demotion::TakesStatesOwn,
    early_end: EarlyEnd::RetainsTick,
    only_state: OnlyState::TargetResidency,
    led_to_zero: LedToZero::NotAsked,
    correction: Correction::IfTickAllows,
    judged: Judged::ByIntercepts,
};

/// As released in 6.11.
const TEO_6_12: binned::Rules = binned::Rules {
    recent: RecentWakeups::Ignored,
    load: Load::Ignored,
    led_to_zero: LedToZero::AsksTimer,
    ..TEO_6_6
};

/// As released in 6.14.
const TEO_6_14: short_idles::Rules = short_idles::Rules {
    tick_wakeup: TickWakeup::ReachesTimer,
    hit: Hit::SameBin,
    tick_intercept: TickIntercept::BeyondTick,
    decay: Decay::Geometric,
    total: Total::OwnCount,
    look_up: LookUp::ToHalfIfAllowed,
    correction: Correction::IfTickAllows,
    majority: Majority::MoreThanFiveEighths,
    stopped: Stopped::AsAlways,
};

/// As released in 6.19.
const TEO_6_19: short_idles::Rules = short_idles::Rules {
    tick_wakeup: TickWakeup::DeepestIfMost,
    hit: Hit::SameBin,
    tick_intercept: TickIntercept::WithinTick,
    decay: Decay::ToZero,
    total: Total::SumOfBins,
    look_up: LookUp::ToHalf,
    correction: Correction::Always,
    majority: Majority::MoreThanFiveEighths,
    stopped: Stopped::AsAlways,
};

/// As released in 7.0.
const TEO_7_0: short_idles::Rules = short_idles::Rules {
    tick_wakeup: TickWakeup::TimerIfFewIntercepts,
    hit: Hit::CloseToTimer,
    look_up: LookUp::ToFullestBin,
    majority: Majority::TwoThirds,
    ..TEO_6_19
};

const GENERATION: Rule = Rule::Teo(teo::Rule::Generation);

const fn binned(rule: binned::Rule) -> Rule {
    Rule::Teo(teo::Rule::Binned(rule))
}

const fn short_idles(rule: short_idles::Rule) -> Rule {
    Rule::Teo(teo::Rule::ShortIdles(rule))
}

/// The series "teo: avoid stopping the scheduler tick too often", as posted in August 2023. What
/// 2/3 means without 1/3, which never was a kernel, is in spec teo.md §5.
static AUGUST_2023: &[Patch] = &[
    Patch {
        number: 1,
        title: "update the idle duration estimate",
        what: "A busy CPU that takes a shallower state expects the stay that fits it, so the tick is retained.",
        edit: |make| {
            if let Make::Teo(teo::Version::Binned(rules), _) = make {
                rules.busy_two_states = BusyTwoStates::ZeroUnlessPolling;
                rules.demotion = Demotion::TakesStatesOwn;
            }
        },
    },
    Patch {
        number: 2,
        title: "keep the tick when bailing out",
        what: "Decisions that end early retain the tick, and a state without alternative is expected to be stayed in for its target residency.",
        edit: |make| {
            if let Make::Teo(teo::Version::Binned(rules), _) = make {
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
