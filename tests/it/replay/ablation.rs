//! The same recordings with kinds of event taken away: how much each tells (spec replay-inputs.md §6 (b)).

use idlescope::cpuidle::Choice;
use idlescope::page::recording::agreement::agreement;
use idlescope::page::recording::follow::Path;
use idlescope::trace::Trace;
use idlescope::trace::event::{Event, Kind};
use idlescope::workload::replay::provenance::{Provenance, Shares};
use idlescope::workload::replay::wakes::Wakeups;
use idlescope::workload::replay::{Machine, Names, Reading, Replay, Share, Tuning};

/// Which events stay.
type Keep = fn(&Kind) -> bool;

fn is_hrtimer(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::HrtimerInit { .. }
            | Kind::HrtimerStart { .. }
            | Kind::HrtimerCancel { .. }
            | Kind::HrtimerExpireEntry { .. }
            | Kind::HrtimerExpireExit { .. }
    )
}

fn is_wheel(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::TimerStart { .. } | Kind::TimerCancel { .. } | Kind::TimerExpireEntry { .. }
    )
}

fn is_idle(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::IdleEnter { .. } | Kind::IdleExit { .. } | Kind::IdleMiss { .. }
    )
}

fn is_interrupt(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::IrqEntry { .. }
            | Kind::IrqExit { .. }
            | Kind::VectorEntry { .. }
            | Kind::VectorExit { .. }
            | Kind::IpiEntry
            | Kind::IpiExit
            | Kind::IpiRaise { .. }
            | Kind::SoftirqRaise { .. }
            | Kind::SoftirqEntry { .. }
            | Kind::SoftirqExit { .. }
    )
}

fn is_stop(kind: &Kind) -> bool {
    matches!(kind, Kind::TickStop { .. })
}

fn is_switch(kind: &Kind) -> bool {
    matches!(kind, Kind::SchedSwitch { .. })
}

/// What is taken away, what the specification reached (state and tick, in hundredths of a per cent), and what stays.
const VARIANTS: [(&str, [usize; 2], Keep); 12] = [
    ("nothing", [9842, 9901], |_| true),
    ("wheel timers", [9838, 9900], |kind| !is_wheel(kind)),
    ("hrtimer_cancel", [9840, 9900], |kind| {
        !matches!(kind, Kind::HrtimerCancel { .. })
    }),
    ("hrtimer_expire", [9522, 9892], |kind| {
        !matches!(
            kind,
            Kind::HrtimerExpireEntry { .. } | Kind::HrtimerExpireExit { .. }
        )
    }),
    ("interrupts", [9839, 9904], |kind| !is_interrupt(kind)),
    ("interrupts but irq entry", [9756, 9806], |kind| {
        !is_interrupt(kind) || matches!(kind, Kind::IrqEntry { .. })
    }),
    ("sched_wakeup", [9842, 9901], |kind| {
        !matches!(kind, Kind::SchedWakeup { .. })
    }),
    ("sched_switch", [9430, 9361], |kind| !is_switch(kind)),
    ("tick_stop", [9842, 9901], |kind| !is_stop(kind)),
    ("all timers", [9084, 9586], |kind| {
        !is_hrtimer(kind) && !is_wheel(kind)
    }),
    (
        "all but cpu_idle, tick_stop, sched_switch, irq",
        [9083, 9576],
        |kind| {
            is_idle(kind)
                || is_stop(kind)
                || is_switch(kind)
                || matches!(kind, Kind::IrqEntry { .. } | Kind::IrqExit { .. })
        },
    ),
    ("all but cpu_idle, tick_stop", [6930, 9350], |kind| {
        is_idle(kind) || is_stop(kind)
    }),
];

/// One line per variant, over all `traces` together, with the specification's figures beside.
pub fn table(traces: &[Trace], machine: &Machine, governor: Choice) -> String {
    let mut text = String::from("| taken away | state | spec | tick | spec |\n|---|---|---|---|---|\n");
    for (name, [state_spec, tick_spec], keep) in VARIANTS {
        let (mut states, mut ticks) = (Share::default(), Share::default());
        for trace in traces {
            let events: Vec<Event> = trace
                .events
                .iter()
                .filter(|event| keep(&event.kind))
                .copied()
                .collect();
            let names = Names::of(trace);
            let replay = Replay::from_source(&names.source(&events, trace.span()), Tuning::default());
            let found = agreement(&Path::of(&replay, machine, governor), replay.span.1).inferred;
            states.part += found.states.part;
            states.of += found.states.of;
            ticks.part += found.ticks.part;
            ticks.of += found.ticks.of;
        }
        let percent = |points: Option<usize>| super::percent(points);
        text.push_str(&format!(
            "| {name} | {} | {} | {} | {} |\n",
            percent(states.basis_points()),
            percent(Some(state_spec)),
            percent(ticks.basis_points()),
            percent(Some(tick_spec)),
        ));
    }
    text
}

/// How well one trace tells each input: exact / inferred / unknown, in per cent.
pub fn known(replay: &Replay, machine: &Machine, reading: Reading) -> String {
    use idlescope::sim::Knowledge::{Exact, Inferred, Unknown};
    let wakeups = Wakeups::of(replay, machine);
    let all = Provenance::of(replay, &wakeups, reading);
    let cell = |shares: Shares| {
        [Exact, Inferred, Unknown]
            .map(|known| super::percent(shares.share(known).basis_points()))
            .join(" / ")
    };
    let gaps: Vec<String> = all.gaps.iter().map(|gap| format!("{gap:?}")).collect();
    [
        cell(all.sleep_length),
        cell(all.got_tick),
        cell(all.tick_stopped),
        cell(all.wake_cause),
        cell(all.wake_instant),
        gaps.join(" "),
    ]
    .join(" | ")
}
