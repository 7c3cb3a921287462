//! The generated workloads as people choose among them: groups, what each models and what it does not, the question
//! it opens with, and whose parameters its machine has (spec closed-loop-model.md §4, §7).
//!
//! Invariant: a question that nobody touched goes with its workload; one that somebody touched is never replaced.

use super::doc::{Doc, MachineChoice, Workload};
use super::generated::{Generated, Pattern};
use super::link;
use super::machines::Machine;
use super::session::closed::Parameters;
use crate::sim::machine::FrequencyRule;

/// Workloads that are listed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// One CPU, one idea; what happens does not depend on decisions.
    Teaching,
    /// Machines on which tasks wake each other or wait for an answer.
    Closed,
    /// What machines do all day.
    Everyday,
}

impl Group {
    /// All groups, from top to bottom.
    pub const ALL: [Self; 3] = [Self::Teaching, Self::Closed, Self::Everyday];

    /// Its heading.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Teaching => "Teaching patterns",
            Self::Closed => "Closed-loop scenarios",
            Self::Everyday => "Everyday loads",
        }
    }

    /// What they have in common.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Teaching => "wakeups come when they come",
            Self::Closed => "machines that answer back: a slow wakeup delays what follows",
            Self::Everyday => "machines with code that takes time, a clock, power",
        }
    }

    /// Its workloads, in display order.
    pub fn patterns(self) -> impl Iterator<Item = Pattern> {
        Pattern::ALL
            .into_iter()
            .filter(move |pattern| Self::of(*pattern) == self)
    }

    /// The group of one.
    #[must_use]
    pub fn of(pattern: Pattern) -> Self {
        match pattern {
            Pattern::Jetnews
            | Pattern::Geekbench
            | Pattern::Video
            | Pattern::IdlePhone
            | Pattern::Desktop
            | Pattern::Threads
            | Pattern::LoadSweep => Self::Everyday,
            _ if pattern.is_closed_loop() => Self::Closed,
            _ => Self::Teaching,
        }
    }
}

/// What a scenario is good for and where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    /// What it models.
    pub models: &'static str,
    /// What it does not model, and what of the published figures it does not reach.
    pub leaves_out: &'static str,
}

/// The text of one workload.
#[must_use]
pub const fn text(pattern: Pattern) -> Text {
    let (models, leaves_out) = match pattern {
        Pattern::Metronome => (
            "One CPU, its timers, its tick, entries and exits of idle states.",
            "Nothing that happens depends on a decision: nobody waits for a late wakeup, no clock changes.",
        ),
        Pattern::Doorbell => (
            "One CPU, interrupts that no timer announces, a grid of timers beside them.",
            "Nothing that happens depends on a decision: nobody waits for a late wakeup, no clock changes.",
        ),
        Pattern::Mixed => (
            "One CPU, a timer for each pause, and by chance an interrupt before it.",
            "Nothing that happens depends on a decision: nobody waits for a late wakeup, no clock changes.",
        ),
        Pattern::Burst => (
            "One CPU, interrupts close together, then silence: what a governor believes after a burst.",
            "Nothing that happens depends on a decision: nobody waits for a late wakeup, no clock changes.",
        ),
        Pattern::Knock => (
            "One CPU with a timer every 62 ms and one early interrupt, on a table whose deepest state is never earned.",
            "That a machine of 2025 had such a state is assumed; that it suffices for what was published is shown.",
        ),
        Pattern::Beats => (
            "One CPU and the pauses of a list, over and over; behind a pause that an interrupt ends a timer is pending.",
            "Nothing that happens depends on a decision: nobody waits for a late wakeup, no clock changes.",
        ),
        Pattern::Phases => (
            "One CPU that has tasks of 0.2 to 2 ms with short gaps for a while, then nothing but timers for a while.",
            "Nothing that happens depends on a decision. Lengths are exponentially distributed, which no application is.",
        ),
        Pattern::Sweep => (
            "One CPU that is woken at a distance that grows from wakeup to wakeup, as a published tool measured distance \
             by distance.",
            "The waking CPU: a late wakeup delays nobody, so the published mean latencies and lost wakeups are not here.",
        ),
        Pattern::Nightmare => (
            "Eight CPUs that see forty short pauses and then silence: a history that says short, and nobody who asks \
             again.",
            "That a burst must hit all CPUs at once is assumed from the first report; no published figures stand beside it.",
        ),
        Pattern::Ring => (
            "One token that passes over several CPUs, kernel code that takes cycles, the clock, package power; idle times \
             grow with the ring.",
            "The published ring ran on six cores of an i5-10600K, of which no parameters are known: its minutes and watts \
             are not compared.",
        ),
        Pattern::Storage => (
            "One task with one request in flight: the device's time, the interrupt, the exit from the idle state, the \
             task's own work.",
            "Queues, several devices, the block layer's threads. Device times are taken from published requests per second, \
             so only the ratio of two governors says something.",
        ),
        Pattern::Delayed => (
            "A request that a timer holds back for 50 ms, and the short timers of the tasks that carry it on.",
            "How many timers follow is taken from the 640 wakeups a second that were published; that they are timers, and \
             how far apart, is assumed.",
        ),
        Pattern::Queue => (
            "Random requests, one queue, so many CPUs: the time from arrival to end, with the wake latency in it.",
            "What a request is. Both distributions are exponential; no published figures stand beside it.",
        ),
        Pattern::Video => (
            "A frame timer, a hardware decoder that answers, the display at 60 Hz, sound every 20 ms, and what an idle \
             phone does.",
            "What becomes of frames that come too late, clock changes, cluster states. All rates but those of frames and display are \
             assumed; no published figures stand beside it.",
        ),
        Pattern::IdlePhone => (
            "What each CPU of a phone does in the quiet phases of the other phone loads: timers, small tasks, interrupts \
             that wake nobody.",
            "Suspend, the modem, clusters. The load is assumed; no published figures stand beside it.",
        ),
        Pattern::Desktop => (
            "Timers and background tasks on every CPU, a clock that blinks, packets that arrive in small trains; package \
             power with all cores asleep. A governor that takes the gaps within a train for what comes next goes shallow \
             for the silence after it, with the tick stopped until the next timer; the package then stays awake with that \
             one core, which can more than double the power. Without interrupts (0 a second) such governors draw the same \
             as the others.",
            "Any particular desktop: all rates are assumed. Published idle powers are of another machine.",
        ),
        Pattern::Threads => (
            "Threads that each wake at a steady rate by a timer of their own, spread over the CPUs in turn, on a machine \
             with a clock and power.",
            "Moving threads between CPUs. Published watts are of an i5-10600K, of which no clock and power are modelled.",
        ),
        Pattern::LoadSweep => (
            "One thread whose work per period goes from nothing to a whole period of the highest clock and back.",
            "Moving the thread, temperature. Published watts are of an i5-10600K, of which no clock and power are \
             modelled.",
        ),
        Pattern::PipeTest => (
            "Both ends of each pipe, kernel code that takes cycles, polling or sleeping until the token comes, stops of the \
             tick, two threads per core, one clock for all cores, package power.",
            "Moving tasks between CPUs, caches, temperature. mobile is taken without timers on these CPUs, where it \
             stays in the deepest state; one timer near a decision moves it to a faster mixed mode for good.",
        ),
        Pattern::Tbench => (
            "Clients and servers that answer one another, placement on idle CPUs or on the waker's, two threads per core.",
            "Load balancing, wake affinity, the network. The published gain at 2 clients and the row with placement on the \
             waker's CPU are not reached.",
        ),
        Pattern::Bursts => (
            "Two pairs that exchange some tokens and then are silent, a timer on each CPU, package power with all cores \
             asleep.",
            "Every other activity of an idle desktop. The outcome depends on tokens per burst and pause; on a silent machine \
             polling or not makes no difference.",
        ),
        Pattern::Jetnews => (
            "A job per frame, follow-up jobs on other CPUs, short wakes, quiet phases, timers, interrupts, utilisation \
             against the capacity of three kinds of CPU.",
            "Drawing (a frame counts when its jobs were done in time), janks, latencies of named tasks, clock changes, cluster states. Load parameters are assumed: \
             published are only occupancies. Too deep stays near 0.1 %, published is 1 %.",
        ),
        Pattern::Geekbench => (
            "Jobs and gaps on every CPU, quiet phases, timers, interrupts, utilisation against the capacity of three kinds \
             of CPU.",
            "Scores, clock changes, cluster states. Load parameters are assumed: published are only occupancies. Too shallow \
             stays near 1 to 6 %, published are 16 to 21 %.",
        ),
        Pattern::Server => (
            "16 CPUs with jobs, short, middle and long gaps, timers, the tick and how long it stays stopped.",
            "What the jobs are. The mixture of gaps is assumed; the clock stands and power is not known. Published is how \
             long ticks stay stopped, nothing else.",
        ),
    };
    Text { models, leaves_out }
}

/// The question that a workload opens with, as a link: that of the experiment it is modelled on.
const fn opening(pattern: Pattern) -> &'static str {
    match pattern {
        Pattern::Metronome => "w=metronome&a=teo-6.12",
        Pattern::Doorbell => "w=doorbell&a=teo-6.12",
        Pattern::Mixed => "w=mixed&a=teo-6.12",
        Pattern::Burst => "w=burst&a=teo-6.12&b=teo-7.0",
        Pattern::Knock => "w=knock&a=teo-6.12&b=teo-6.6&hz=1000",
        Pattern::Beats => "w=pattern&a=menu-6.6&b=teo-6.12",
        Pattern::Phases => "w=phases&a=teo-6.5&b=teo-6.5-p123",
        Pattern::Sweep => "w=sweep&a=menu-6.13&b=teo-6.12&hz=100",
        Pattern::Nightmare => "w=nightmare&a=menu-4.6&b=menu-6.6",
        Pattern::Ring => "w=token-ring&a=teo-6.12&b=menu-6.12.117&hz=1000",
        Pattern::Storage => "w=storage&a=teo-6.12&b=menu-6.12.117",
        Pattern::Delayed => "w=dm-delay&a=teo-6.6&b=teo-6.12&hz=100",
        Pattern::Queue => "w=poisson&a=teo-6.12&b=menu-6.12.117&hz=1000",
        Pattern::Video => "w=video&a=teo-6.12&b=menu-6.12.117",
        Pattern::IdlePhone => "w=idle-phone&a=teo-6.5&b=teo-6.5-p123",
        Pattern::Desktop => "w=idle-desktop&a=teo-6.12&b=menu-6.12.117&hz=1000",
        Pattern::Threads => "w=threads&a=teo-6.12&b=menu-6.12.117&hz=1000",
        Pattern::LoadSweep => "w=load-sweep&a=teo-6.12&b=menu-6.12.117&hz=1000&f=schedutil",
        Pattern::PipeTest => "w=pipe-test&a=teo-5.1&b=mobile-2019&hz=1000&f=schedutil",
        Pattern::Tbench => "w=tbench&a=menu-4.6&b=menu-4.5-p1&hz=1000",
        Pattern::Bursts => "w=bursts&a=menu-4.6&b=menu-4.5-p1&hz=1000",
        Pattern::Jetnews => "w=jetnews&a=teo-6.5&b=teo-6.5-p123",
        Pattern::Geekbench => "w=geekbench&a=teo-6.5&b=teo-6.5-p123",
        Pattern::Server => "w=server&a=teo-6.5&b=teo-6.5-p123",
    }
}

/// That question.
#[must_use]
pub fn question(pattern: Pattern) -> Doc {
    link::parse(opening(pattern)).0.doc
}

/// The question after a workload was chosen: the workload's own, if nobody touched what was there before.
pub(super) fn chosen(before: &Doc, workload: &Workload) -> Option<Doc> {
    let Workload::Generated(generated) = workload else {
        return None;
    };
    let own = match &before.workload {
        Workload::Generated(old) => *before == question(old.pattern()),
        _ => false,
    };
    let plain = Doc {
        workload: before.workload.clone(),
        ..Doc::default()
    };
    let pattern = generated.pattern();
    (*generated == Generated::new(pattern) && (own || *before == plain)).then(|| question(pattern))
}

/// Whether a question's workload is a closed loop.
#[must_use]
pub fn is_closed_loop(doc: &Doc) -> bool {
    match &doc.workload {
        Workload::Generated(generated) => generated.pattern().is_closed_loop(),
        Workload::None | Workload::Trace(_) | Workload::Sample(_) => false,
    }
}

/// Whose parameters the machine of a closed loop has; none for other workloads.
#[must_use]
pub fn parameters(doc: &Doc) -> Option<Parameters> {
    let Workload::Generated(generated) = &doc.workload else {
        return None;
    };
    let pattern = generated.pattern();
    let preset = match &doc.machine {
        Some(MachineChoice::Preset(id)) => Machine::find(id),
        // Of a table that the user gave, nothing is known of code, clock and power.
        Some(MachineChoice::Given(_)) => None,
        None => Machine::find(pattern.machine()),
    };
    pattern
        .is_closed_loop()
        .then(|| preset.map_or_else(Parameters::default, |machine| machine.parameters))
}

/// Whether the clock of a machine with these parameters can change.
#[must_use]
pub const fn has_clock(parameters: Parameters) -> bool {
    matches!(parameters, Parameters::SandyBridge | Parameters::Haswell)
}

/// Of what the exit cost that a wakeup pays is a share.
#[must_use]
pub fn exit_cost(doc: &Doc) -> &'static str {
    match parameters(doc) {
        Some(Parameters::Generic) | None => "listed",
        Some(_) => "the machine's own",
    }
}

/// A frequency rule as the page calls it.
#[must_use]
pub const fn rule_label(rule: FrequencyRule) -> &'static str {
    match rule {
        FrequencyRule::Performance => "performance: highest",
        FrequencyRule::Powersave => "powersave: lowest",
        FrequencyRule::Fixed => "fixed: as it starts",
        FrequencyRule::Schedutil => "schedutil",
        FrequencyRule::SchedutilInvariant => "schedutil, invariant",
        FrequencyRule::Ondemand => "ondemand",
        FrequencyRule::C0Residency => "by C0 share",
    }
}

/// A frequency rule's name in links and in the mail table.
#[must_use]
pub fn rule_name(rule: FrequencyRule) -> &'static str {
    let named = FrequencyRule::NAMED.iter().find(|(_, named)| *named == rule);
    named.map_or("performance", |(name, _)| name)
}

/// Why two numbers stand for one exit latency, said where both can be edited.
pub const TWO_LATENCIES: &str = "Closed loops know two exit latencies: governors decide with the listed one, a wakeup \
                                 takes the effective one of the machine's parameters, the listed one where it \
                                 has none. Of that, the exit cost paid is what it takes.";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::doc::Side;

    #[test]
    fn every_workload_is_in_one_group_and_says_what_it_models_and_what_not() {
        let listed: Vec<Pattern> = Group::ALL.into_iter().flat_map(Group::patterns).collect();
        assert_eq!(listed.len(), Pattern::ALL.len());
        for pattern in Pattern::ALL {
            assert!(listed.contains(&pattern));
            let Text { models, leaves_out } = text(pattern);
            assert!(models.len() > 40 && models.ends_with('.'), "{pattern:?}");
            assert!(leaves_out.len() > 40 && leaves_out.ends_with('.'), "{pattern:?}");
        }
    }

    #[test]
    fn every_opening_question_is_understood_and_closed_loops_compare() {
        for pattern in Pattern::ALL {
            let (link, issues) = link::parse(opening(pattern));
            assert_eq!(issues, vec![], "{pattern:?}");
            assert_eq!(link.doc.workload, Workload::Generated(Generated::new(pattern)));
            let compares = Side::ALL
                .into_iter()
                .all(|side| link.doc.variant(side).governor.is_some());
            assert!(compares || !pattern.is_closed_loop(), "{pattern:?}");
            assert_eq!(parameters(&link.doc).is_some(), pattern.is_closed_loop());
            // These have no machine of their own: listed latencies.
            let generic = parameters(&link.doc) == Some(Parameters::Generic);
            let listed = [
                Pattern::Server,
                Pattern::Queue,
                Pattern::Storage,
                Pattern::Delayed,
            ];
            assert_eq!(generic, listed.contains(&pattern), "{pattern:?}");
        }
    }

    #[test]
    fn only_an_untouched_question_goes_with_its_workload() {
        let of = |pattern| Workload::Generated(Generated::new(pattern));
        let fresh = Doc::default();
        let pipe = question(Pattern::PipeTest);
        assert_eq!(chosen(&fresh, &of(Pattern::PipeTest)), Some(pipe.clone()));
        let phone = question(Pattern::Jetnews);
        assert_eq!(chosen(&pipe, &of(Pattern::Jetnews)), Some(phone));
        let mut touched = pipe;
        touched.settings.hz = 250;
        assert_eq!(chosen(&touched, &of(Pattern::Jetnews)), None);
        assert_eq!(chosen(&fresh, &Workload::None), None);
    }

    #[test]
    fn every_rule_has_a_label_and_a_name_of_its_own() {
        let labels: std::collections::BTreeSet<&str> = FrequencyRule::NAMED
            .iter()
            .map(|(_, rule)| rule_label(*rule))
            .collect();
        assert_eq!(labels.len(), FrequencyRule::NAMED.len());
        for (name, rule) in FrequencyRule::NAMED {
            assert_eq!(rule_name(rule), name);
        }
    }
}
