//! Published figures beside a workload: what was measured, what the documented parameters give, the ratio of the two,
//! the verdict, and what the run on the page gives where a row compares just what A and B are.
//!
//! Ours are the committed findings of [`published`](super::published), each of one documented set of parameters for its
//! machine, whatever is set on the page. What is set on the page shows in the last column alone.

use super::doc::{Doc, MachineChoice, Settings, Side, Workload};
use super::generated::{Generated, Param, Pattern};
use super::link;
use super::published::{self, Experiment, Finding};
use super::session::closed::Loops;
use super::validation::{self, Row};
use crate::cpuidle::catalog::Choice;
use crate::units::{Energy, Ns};

/// Said above the table: whose figures they are.
pub const WHOSE: &str = "Ours are what the documented parameters of each machine give, as on the validation page, \
                         whatever is set here.";

/// Said where the run on the page has figures of its own.
pub const THIS_RUN: &str =
    "This run is what A and B give with all that is set now: one seed, a shorter span.";

/// By state: periods, time ns, too deep, too shallow, idle energy; as results have them.
pub type StateSums = [(u64, Ns, u64, u64, Energy)];

/// What a variant gave over the whole record.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ran<'a> {
    /// Of its closed loop; none for other workloads.
    pub loops: Option<&'a Loops>,
    /// Of all CPUs together.
    pub states: &'a StateSums,
}

/// The rows of one experiment that this workload reproduces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The experiment.
    pub name: String,
    /// Its rows, each with what the run on the page gives for it; none where it does not compare the same.
    pub rows: Vec<(Row, Option<String>)>,
}

/// The published figures that a workload reproduces; empty where there are none.
#[must_use]
pub fn parts(doc: &Doc, ran: [Ran; 2]) -> Vec<Part> {
    let Workload::Generated(generated) = &doc.workload else {
        return Vec::new();
    };
    let pattern = generated.pattern();
    let part = |experiment: Experiment| {
        let own = experiment.findings.iter().filter_map(|finding| {
            let docs = documents(finding);
            let here = docs.iter().any(|doc| pattern_of(doc) == Some(pattern));
            here.then(|| (validation::row(finding), this_run(finding, &docs, doc, ran)))
        });
        let rows: Vec<_> = own.collect();
        (!rows.is_empty()).then_some(Part {
            name: experiment.name,
            rows,
        })
    };
    published::results().into_iter().filter_map(part).collect()
}

/// How many rows are met, of how many.
#[must_use]
pub fn met(parts: &[Part]) -> (usize, usize) {
    let rows = || parts.iter().flat_map(|part| &part.rows);
    (rows().filter(|(row, _)| row.met).count(), rows().count())
}

/// What is said of a workload that reproduces nothing published, and where figures of its kind stand.
#[must_use]
pub const fn none(pattern: Pattern) -> &'static str {
    match pattern {
        Pattern::Sweep => {
            "No published figures have this workload: the same distances, one by one, stand beside doorbell and metronome."
        }
        Pattern::Ring => {
            "No published figures can be compared: the published ring ran on a machine of which no parameters are known. \
             Tokens between two tasks stand beside pipe-test."
        }
        Pattern::Video | Pattern::IdlePhone => {
            "No published figures stand beside this workload; those of a phone stand beside jetnews and geekbench."
        }
        _ => "No published figures stand beside this workload.",
    }
}

fn documents(finding: &Finding) -> Vec<Doc> {
    let links = finding.link.split(' ');
    links.map(|text| link::parse(text).0.doc).collect()
}

fn pattern_of(doc: &Doc) -> Option<Pattern> {
    match &doc.workload {
        Workload::Generated(generated) => Some(generated.pattern()),
        Workload::None | Workload::Trace(_) | Workload::Sample(_) => None,
    }
}

/// What a row compares, by the A and the B of its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quantity {
    /// The clock at the end, GHz.
    Clock(Side),
    /// A's clock at the end, B's being 1.
    ClockOfA,
    /// B's, A's being 1.
    LoopTime,
    Power,
    LoopEnergy,
    Requests,
    /// How much more B has than A, per cent.
    MoreLoops,
    MorePower,
    MoreLoopEnergy,
    /// B's less A's, W.
    Watts,
    /// B's tick stops, per cent of A's.
    StopsLeft,
    /// Per cent of the exits.
    TooDeep(Side),
    /// B's share less A's, points.
    MoreTooDeep,
    MoreTooShallow,
}

/// Rows whose quantity a run on the page has; the others compare what it does not keep, or several runs.
const ON_THE_PAGE: [(&str, Quantity); 40] = [
    (
        "mobile-2019: clock at the end, started at the highest, GHz",
        Quantity::Clock(Side::B),
    ),
    (
        "mobile-2019: clock at the end, started at the lowest, GHz",
        Quantity::Clock(Side::B),
    ),
    (
        "teo-5.1: clock at the end, started at the highest, GHz",
        Quantity::Clock(Side::A),
    ),
    (
        "teo-5.1: clock at the end, started at the lowest, GHz",
        Quantity::Clock(Side::A),
    ),
    (
        "menu-5.1: clock at the end, started at the highest, GHz",
        Quantity::Clock(Side::B),
    ),
    (
        "menu-5.1: clock at the end, started at the lowest, GHz",
        Quantity::Clock(Side::B),
    ),
    ("loop time, mobile to teo", Quantity::LoopTime),
    ("loop time, menu to teo", Quantity::LoopTime),
    ("power, mobile to teo", Quantity::Power),
    ("energy per loop, mobile to teo", Quantity::LoopEnergy),
    ("ondemand: loop time, mobile to teo", Quantity::LoopTime),
    (
        "ondemand: mobile's clock at the end, GHz",
        Quantity::Clock(Side::B),
    ),
    ("rate, polling to C1, %", Quantity::MoreLoops),
    ("power, polling to C1, %", Quantity::MorePower),
    ("energy per exchange, polling to C1, %", Quantity::MoreLoopEnergy),
    (
        "rate, polling to C1, with a driver that looks at C0, %: more than the above",
        Quantity::MoreLoops,
    ),
    ("clock with C1 to clock with polling", Quantity::ClockOfA),
    ("tbench 1: rate, polling to C1, %", Quantity::MoreLoops),
    ("tbench 4: rate, polling to C1, %", Quantity::MoreLoops),
    ("tbench 8: rate, polling to C1, %", Quantity::MoreLoops),
    (
        "idle machine with bursts of 40 tokens: power, polling less C1, W",
        Quantity::Watts,
    ),
    ("tick stops left by the rate limit, %", Quantity::StopsLeft),
    ("rate, with the rate limit to without, %", Quantity::MoreLoops),
    ("nvme0n1: requests a second, menu to teo", Quantity::Requests),
    ("mmcblk2: requests a second, menu to teo", Quantity::Requests),
    ("mmcblk1: requests a second, menu to teo", Quantity::Requests),
    (
        "all CPUs: change of too shallow, points",
        Quantity::MoreTooShallow,
    ),
    ("all CPUs: change of too deep, points", Quantity::MoreTooDeep),
    (
        "at HZ 1000: change of too shallow, points: none or the other way",
        Quantity::MoreTooShallow,
    ),
    ("too deep, with the series, %", Quantity::TooDeep(Side::B)),
    ("change of too deep, points", Quantity::MoreTooDeep),
    ("change of CPU power, %", Quantity::MorePower),
    (
        "pipe, every 6 us: menu too deep, % of exits",
        Quantity::TooDeep(Side::A),
    ),
    (
        "pipe, every 21 us: menu too deep, % of exits",
        Quantity::TooDeep(Side::A),
    ),
    (
        "pipe, every 51 us: menu too deep, % of exits",
        Quantity::TooDeep(Side::A),
    ),
    (
        "pipe, every 81 us: menu too deep, % of exits",
        Quantity::TooDeep(Side::A),
    ),
    (
        "pipe, every 151 us: menu too deep, % of exits",
        Quantity::TooDeep(Side::A),
    ),
    (
        "pipe, every 501 us: menu too deep, % of exits",
        Quantity::TooDeep(Side::A),
    ),
    (
        "pipe, every 21 us: teo too deep, % of exits",
        Quantity::TooDeep(Side::B),
    ),
    (
        "pipe, every 501 us: teo too deep, % of exits",
        Quantity::TooDeep(Side::B),
    ),
];

/// What the page's run gives for a row; none where it compares something else.
fn this_run(finding: &Finding, docs: &[Doc], doc: &Doc, ran: [Ran; 2]) -> Option<String> {
    let (_, quantity) = ON_THE_PAGE.iter().find(|(what, _)| *what == finding.what)?;
    let [link] = docs else {
        return None;
    };
    let ran = paired(link, doc, ran)?;
    Some(validation::number(quantity.of(ran)?))
}

/// The runs as A and B of a row's link; none unless the page asks the same of the same workload. Costs, states and the
/// share of the exit latency may differ: that they do is what one wants to see.
fn paired<'a>(link: &Doc, doc: &Doc, [a, b]: [Ran<'a>; 2]) -> Option<[Ran<'a>; 2]> {
    let (Workload::Generated(theirs), Workload::Generated(own)) = (&link.workload, &doc.workload) else {
        return None;
    };
    let machine = |doc: &Doc, own: &Generated| {
        let id = doc.machine.clone();
        id.unwrap_or_else(|| MachineChoice::Preset(own.pattern().machine().to_owned()))
    };
    let same = asked(theirs) == asked(own)
        && machine(link, theirs) == machine(doc, own)
        && link.frequency == doc.frequency
        && link.start_mhz == doc.start_mhz;
    let of = |doc: &Doc, side: Side| -> (Option<Choice>, Settings) {
        (doc.variant(side).governor, doc.settings(side))
    };
    let is = |own: Side, side: Side| of(link, side).0.is_none() || of(doc, own) == of(link, side);
    match same {
        true if is(Side::A, Side::A) && is(Side::B, Side::B) => Some([a, b]),
        true if is(Side::B, Side::A) && is(Side::A, Side::B) => Some([b, a]),
        _ => None,
    }
}

/// What a generated workload does, whatever the seed and however long.
fn asked(generated: &Generated) -> (Pattern, Vec<(Param, i64)>, Option<String>) {
    let set = generated.changed();
    let set = set.filter(|(param, _)| !matches!(param, Param::Duration | Param::Seed));
    let beats = generated.changed_beats().map(ToString::to_string);
    (generated.pattern(), set.collect(), beats)
}

impl Quantity {
    /// Its value; none where the runs do not have it.
    fn of(self, ran: [Ran; 2]) -> Option<f64> {
        let [a, b] = ran;
        let one = |side: Side| match side {
            Side::A => a,
            Side::B => b,
        };
        let khz = |ran: Ran| Some(f64::from(ran.loops?.khz));
        let power = |ran: Ran| Some(f64::from(ran.loops?.power?.as_uw()));
        let time = |ran: Ran| Some(real(ran.loops?.loop_time()?.as_ns().into()));
        let energy = |ran: Ran| Some(real(ran.loops?.loop_energy()?.as_fj()));
        let a_second = |count: u64, loops: &Loops| real(count.into()) / real(loops.span.as_ns().into());
        let rate = |ran: Ran| Some(a_second(ran.loops?.sends?, ran.loops?));
        let requests = |ran: Ran| Some(a_second(ran.loops?.requests?, ran.loops?));
        let stops = |ran: Ran| Some(a_second(ran.loops?.tick_stops, ran.loops?));
        let more = |of: f64, to: f64| 100.0 * (of / to - 1.0);
        let value = match self {
            Self::Clock(side) => khz(one(side))? / 1e6,
            Self::ClockOfA => khz(a)? / khz(b)?,
            Self::LoopTime => time(b)? / time(a)?,
            Self::Power => power(b)? / power(a)?,
            Self::LoopEnergy => energy(b)? / energy(a)?,
            Self::Requests => requests(b)? / requests(a)?,
            Self::MoreLoops => more(rate(b)?, rate(a)?),
            Self::MorePower => more(power(b)?, power(a)?),
            Self::MoreLoopEnergy => more(power(b)? / rate(b)?, power(a)? / rate(a)?),
            Self::Watts => (power(b)? - power(a)?) / 1e6,
            Self::StopsLeft => 100.0 * stops(b)? / stops(a)?,
            Self::TooDeep(side) => one(side).missed(|state| state.2)?,
            Self::MoreTooDeep => b.missed(|state| state.2)? - a.missed(|state| state.2)?,
            Self::MoreTooShallow => b.missed(|state| state.3)? - a.missed(|state| state.3)?,
        };
        value.is_finite().then_some(value)
    }
}

impl Ran<'_> {
    /// Misses of a kind, per cent of the exits; none where there were none.
    fn missed(self, of: impl Fn(&(u64, Ns, u64, u64, Energy)) -> u64) -> Option<f64> {
        let exits: u64 = self.states.iter().map(|state| state.0).sum();
        let missed: u64 = self.states.iter().map(of).sum();
        (exits > 0).then(|| 100.0 * real(missed.into()) / real(exits.into()))
    }
}

#[allow(clippy::cast_precision_loss, reason = "for showing: 53 bits are enough")]
fn real(value: i128) -> f64 {
    value as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::session::Session;
    use crate::page::view::LaneId;

    fn doc(fragment: &str) -> Doc {
        let (link, issues) = link::parse(fragment);
        assert_eq!(issues, [], "{fragment}");
        link.doc
    }

    #[test]
    fn every_published_row_stands_beside_the_workload_of_its_link() {
        let mut shown = std::collections::BTreeSet::new();
        for pattern in Pattern::ALL {
            let question = crate::page::scenarios::question(pattern);
            let parts = parts(&question, [Ran::default(); 2]);
            let (kept, all) = met(&parts);
            assert!(kept <= all);
            assert_eq!(all == 0, parts.is_empty());
            for part in parts {
                let rows = part.rows.into_iter();
                shown.extend(rows.map(|(row, _)| (part.name.clone(), row.id, row.what)));
            }
            assert!(none(pattern).starts_with("No published figures"), "{pattern:?}");
        }
        let all: usize = published::results().iter().map(|part| part.findings.len()).sum();
        assert_eq!(shown.len(), all);
    }

    #[test]
    fn every_quantity_belongs_to_a_published_row() {
        let results = published::results();
        let known = |what: &str| {
            let mut findings = results.iter().flat_map(|part| &part.findings);
            findings.any(|finding| finding.what == what)
        };
        for (what, _) in ON_THE_PAGE {
            assert!(known(what), "{what}");
        }
    }

    /// What the page's run gives for each row that it has, by what is compared.
    fn here(fragment: &str) -> Vec<(String, String)> {
        let doc = doc(fragment);
        let mut session = Session::new();
        session.ask(&doc);
        session.finish();
        let loops = Side::ALL.map(|side| session.loops(side));
        let states = Side::ALL.map(|side| {
            let summary = session.summary(LaneId::of(side), None, None);
            let states = summary.map(|summary| summary.states).unwrap_or_default();
            let sum = states.iter().map(|state| {
                (
                    state.count,
                    state.time,
                    state.too_deep,
                    state.too_shallow,
                    Energy::ZERO,
                )
            });
            sum.collect::<Vec<_>>()
        });
        let [a, b] = [0, 1].map(|n| Ran {
            loops: loops[n].as_ref(),
            states: &states[n],
        });
        let rows = parts(&doc, [a, b]).into_iter().flat_map(|part| part.rows);
        rows.filter_map(|(row, here)| Some((row.what, here?))).collect()
    }

    #[track_caller]
    fn check(fragment: &str, what: &str, (least, most): (f64, f64)) {
        let all = here(fragment);
        let found = all.iter().find(|(row, _)| row == what);
        let (_, text) = found.unwrap_or_else(|| panic!("{what} in {all:?}"));
        let value: f64 = text.replace('\u{2212}', "-").parse().expect("a number");
        assert!((least..=most).contains(&value), "{what}: {text}");
    }

    #[test]
    fn a_run_shows_its_own_figure_where_it_compares_the_same() {
        let pipe = "w=pipe-test&dur=300ms&a=teo-5.1&b=mobile-2019&hz=1000&f=schedutil";
        check(pipe, "loop time, mobile to teo", (3.9, 4.2));
        // A and B the other way round compare the same.
        let other = "w=pipe-test&dur=300ms&a=mobile-2019&b=teo-5.1&hz=1000&f=schedutil";
        check(other, "loop time, mobile to teo", (3.9, 4.2));
        check(
            "w=doorbell&gap=21us&run=1us&m=power10-lpar&a=menu-6.13&b=teo-6.12&hz=100&dur=200ms",
            "pipe, every 21 us: menu too deep, % of exits",
            (90.0, 100.0),
        );
    }

    #[test]
    fn a_run_of_something_else_shows_none() {
        // Another clock rule, another rate of ticks, another number of pairs, another governor.
        for fragment in [
            "w=pipe-test&dur=20ms&a=teo-5.1&b=mobile-2019&hz=1000",
            "w=pipe-test&dur=20ms&a=teo-5.1&b=mobile-2019&f=schedutil",
            "w=pipe-test&dur=20ms&pairs=1&a=teo-5.1&b=mobile-2019&hz=1000&f=schedutil",
            "w=pipe-test&dur=20ms&a=teo-6.12&b=menu-6.6&hz=1000&f=schedutil",
        ] {
            let rows = here(fragment);
            let ratios: Vec<_> = rows.iter().filter(|(what, _)| what.contains(" to ")).collect();
            assert!(ratios.is_empty(), "{fragment}: {ratios:?}");
        }
    }
}
