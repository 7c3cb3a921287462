//! The plain-text table for mail: 72 columns, ASCII, no tabs (spec mail-and-links.md).
//!
//! What the page shows and what the table says come from the same values. Order: what was run,
//! the idle states, a block per run with a total, what the columns mean, tick, energy, the first
//! difference with its reason, agreement with the recording, the link alone on its line.
//!
//! Invariant: no line but the link's is wider than [`WIDTH`]; every letter is ASCII.

pub mod changes;
mod gather;
pub(super) mod lines;

use crate::analysis::summary::{StateUse, Summary};
use crate::cpuidle::{StateMask, StateTable};
use crate::page::costs;
use crate::page::doc::{Doc, LatencyLimit, Settings, Side};
use crate::page::loops;
use crate::page::scenarios;
use crate::page::session::closed::Loops;
use crate::page::words::answer::TickFate;
use crate::page::words::verdict::NO_PERIOD;
use crate::page::words::{Said, Speaker, Style, number};
use crate::sim::Row;
use crate::units::{CpuId, Energy, Ns, Time};

pub use gather::of_session;
pub use lines::WIDTH;
use lines::{ascii, cut, fill};

/// Widths of the columns of results: run, name, time%, usage, avg us, deep%, shal%.
const COLUMNS: [usize; 7] = [12, 12, 6, 8, 9, 6, 6];

/// The idle states of some CPUs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// Which CPUs, such as `0-3`; empty when all CPUs have the same states.
    pub cpus: String,
    /// Their states, with the edits of the question.
    pub table: StateTable,
    /// Their states before edits.
    pub base: StateTable,
    /// States that are switched off.
    pub disabled: StateMask,
}

/// What one run, or the recording, did.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// `recorded`, or the variant's name.
    pub label: &'a str,
    /// Its numbers.
    pub summary: &'a Summary,
}

/// Where A and B first decide differently.
#[derive(Clone, Debug)]
pub struct First {
    /// On which CPU.
    pub cpu: CpuId,
    /// When A decided, as the trace writes it.
    pub at: Time,
    /// A's decision.
    pub a: Row,
    /// B's decision.
    pub b: Row,
    /// The step that made the difference, in ASCII; none where no explanation is at hand.
    pub why: Option<(Option<Said>, Option<Said>)>,
    /// Which patches make it, in words; none where no patch does.
    pub patches: Option<String>,
}

/// How much of the recording a replay of the recorded governor reproduces: hits and all.
///
/// A keep reason (RCU and the like) that the trace does not tell is inferred from the recorded
/// outcome; strictly, none is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreement<'a> {
    /// The governor that recorded it.
    pub governor: &'a str,
    /// Choices, with inferred keep reasons.
    pub choices: (u64, u64),
    /// Tick decisions, with inferred keep reasons.
    pub ticks: (u64, u64),
    /// Choices, strictly.
    pub strict_choices: (u64, u64),
    /// Tick decisions, strictly.
    pub strict_ticks: (u64, u64),
    /// Misses by the kernel's rule.
    pub misses: (u64, u64),
}

/// How well the next timers are known, counts of decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimersKnown {
    /// From events.
    pub exact: u64,
    /// From the timer that ended the episode.
    pub inferred: u64,
    /// Not at all.
    pub unknown: u64,
}

/// Everything that the table says.
#[derive(Clone, Debug)]
pub struct Mail<'a> {
    /// The question.
    pub doc: &'a Doc,
    /// The workload in words: `trace 3f9a02c41be7`, `doorbell gap=150us seed=1`.
    pub workload: &'a str,
    /// The machine's name.
    pub machine: &'a str,
    /// Number of CPUs.
    pub cpus: usize,
    /// Time covered, ns.
    pub span: Ns,
    /// At how many places the recording says that events were lost; none for generated workloads.
    pub lost: Option<u64>,
    /// The idle states, a block for each different set.
    pub clusters: &'a [Cluster],
    /// What the trace says the real kernel did.
    pub recorded: Option<Run<'a>>,
    /// Variant A.
    pub a: Option<Run<'a>>,
    /// Variant B.
    pub b: Option<Run<'a>>,
    /// Only part of the record is summarised.
    pub range: Option<(Time, Time)>,
    /// The powers are the user's, so energies mean more than ratios.
    pub powers_given: bool,
    /// Where A and B first differ.
    pub first: Option<First>,
    /// How many decisions differ, of how many compared.
    pub differences: Option<(u64, u64)>,
    /// Agreement with the recording, where its governor is one we have.
    pub agreement: Option<Agreement<'a>>,
    /// What a closed loop gave in A and in B; none for other workloads.
    pub loops: [Option<Loops>; 2],
    /// How well the timers are known; none for generated workloads.
    pub timers: Option<TimersKnown>,
    /// The whole address of the link.
    pub url: &'a str,
}

/// The table; lines end with `\n`.
#[must_use]
pub fn table(mail: &Mail<'_>) -> String {
    let mut out: Vec<String> = Vec::new();
    head(mail, &mut out);
    out.push(String::new());
    states(mail, &mut out);
    out.push(String::new());
    results(mail, &mut out);
    out.extend(loops::mail_lines(
        mail.loops.each_ref().map(Option::as_ref),
        mail.range.is_some(),
    ));
    notes(mail, &mut out);
    out.push(format!("[1] {}", mail.url));
    let mut text = out.join("\n");
    text.push('\n');
    text
}

fn head(mail: &Mail<'_>, out: &mut Vec<String>) {
    let name = |side: Side| mail.doc.variant(side).governor.map(|choice| choice.to_string());
    let variants = match (name(Side::A), name(Side::B)) {
        (Some(a), Some(b)) => format!("{a} vs {b}"),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => "no variant".to_owned(),
    };
    let (a, b) = (mail.doc.settings(Side::A), mail.doc.settings(Side::B));
    let both = mail.a.is_some() && mail.b.is_some();
    let settings = if !both || a == b {
        settings_text(if mail.a.is_some() { &a } else { &b })
    } else {
        format!("A: {}  B: {}", settings_text(&a), settings_text(&b))
    };
    let version = env!("CARGO_PKG_VERSION");
    let clock = if scenarios::is_closed_loop(mail.doc) {
        let start = mail
            .doc
            .start_mhz
            .map_or_else(String::new, |mhz| format!(" from {mhz} MHz"));
        format!("clock={}{start}", scenarios::rule_name(mail.doc.frequency))
    } else {
        String::new()
    };
    wide(
        out,
        &[&format!("idlescope {version}"), &variants, &settings, &clock],
    );
    let paid = costs::shown(mail.doc);
    let paid = paid.iter().filter(|shown| shown.set.is_some());
    let paid: Vec<String> = paid
        .map(|shown| {
            format!(
                "{} {} (own {})",
                shown.label,
                shown.text(),
                shown.was().unwrap_or_default()
            )
        })
        .collect();
    if !paid.is_empty() {
        out.extend(fill(
            &format!("costs set, cycles or times: {}", paid.join(", ")),
            2,
        ));
    }
    let odd = |side: &Side| {
        let choice = mail.doc.variant(*side).governor;
        choice.is_some_and(|choice| choice.is_experimental())
    };
    let odd: Vec<&str> = Side::ALL.into_iter().filter(odd).map(Side::letter).collect();
    if !odd.is_empty() {
        let verb = if odd.len() == 1 { "sets" } else { "set" };
        let names = odd.join(" and ");
        out.extend(fill(
            &format!("{names} {verb} constants, behind ~, that no kernel has"),
            2,
        ));
    }
    let cpus = number::cpus(mail.cpus);
    let seconds = format!("{} s", tenths(mail.span));
    let lost = match mail.lost {
        None => String::new(),
        Some(0) => "0 lost".to_owned(),
        Some(1) => "events lost at 1 place".to_owned(),
        Some(n) => format!("events lost at {n} places"),
    };
    wide(out, &[mail.workload, mail.machine, &cpus, &seconds, &lost]);
    if let Some((from, to)) = mail.range {
        let stamp = |t| number::stamp(t, Style::Ascii);
        out.extend(fill(&format!("only {} to {}", stamp(from), stamp(to)), 2));
    }
}

/// Parts two blanks apart, on as many lines as they need.
fn wide(out: &mut Vec<String>, parts: &[&str]) {
    let mut line = String::new();
    for part in parts.iter().filter(|part| !part.is_empty()) {
        let part = cut(part, WIDTH);
        if !line.is_empty() && line.len() + 2 + part.len() > WIDTH {
            out.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push_str("  ");
        }
        line.push_str(&part);
    }
    out.push(line);
}

fn settings_text(settings: &Settings) -> String {
    let mut text = format!(
        "HZ={} nohz={}",
        settings.hz,
        if settings.nohz { "idle" } else { "off" }
    );
    let plain = |d: Ns| number::duration(d, Style::Ascii).replace(' ', "");
    if settings.rate_limit > Ns::ZERO {
        text.push_str(&format!(" ratelimit={}", plain(settings.rate_limit)));
    }
    if let LatencyLimit::Max(limit) = settings.latency {
        text.push_str(&format!(" latency={}", plain(limit)));
    }
    text
}

/// Seconds with one decimal; below 10 s with three.
fn tenths(span: Ns) -> String {
    let ms = span.as_ns().max(0) / 1_000_000;
    if ms < 10_000 {
        format!("{}.{:03}", ms / 1_000, ms % 1_000)
    } else {
        format!("{}.{}", ms / 1_000, ms % 1_000 / 100)
    }
}

fn states(mail: &Mail<'_>, out: &mut Vec<String>) {
    let named = mail.clusters.iter().any(|cluster| !cluster.cpus.is_empty());
    let lead = |text: &str| {
        if named {
            format!("{:<8}", cut(text, 8))
        } else {
            String::new()
        }
    };
    out.push(format!(
        "{}idx {:<12} {:>8} {:>10}",
        lead("cpus"),
        "name",
        "lat us",
        "res us"
    ));
    for cluster in mail.clusters {
        let mut cpus = cluster.cpus.as_str();
        for idx in cluster.table.indices() {
            let Some(state) = cluster.table.get(idx) else {
                continue;
            };
            let own = cluster.base.states().iter();
            let base = own.clone().find(|base| base.name == state.name);
            let mut line = format!(
                "{}{:>3} {:<12} {:>8} {:>10}",
                lead(cpus),
                idx.number(),
                cut(&state.name, 12),
                number::micros(state.exit_latency),
                number::micros(state.target_residency)
            );
            if cluster.disabled.contains(idx) {
                line.push_str("  off");
            }
            if base.is_none() {
                line.push_str("  added");
            }
            if let Some(base) = base.filter(|base| *base != state) {
                let was = |now: Ns, was: Ns, what: &str| {
                    (now != was).then(|| format!("  {what} was {}", number::micros(was)))
                };
                line.extend(was(state.exit_latency, base.exit_latency, "lat"));
                line.extend(was(state.target_residency, base.target_residency, "res"));
            }
            out.push(line.get(..WIDTH).unwrap_or(&line).to_owned());
            cpus = "";
        }
        let has = |name: &str| cluster.table.states().iter().any(|state| state.name == name);
        let gone: Vec<&str> = cluster
            .base
            .states()
            .iter()
            .map(|state| state.name.as_str())
            .filter(|name| !has(name))
            .collect();
        if !gone.is_empty() {
            let line = format!("{}    removed: {}", lead(""), gone.join(" "));
            out.push(line.get(..WIDTH).unwrap_or(&line).to_owned());
        }
    }
}

fn results(mail: &Mail<'_>, out: &mut Vec<String>) {
    let [run, name, time, usage, avg, deep, shal] = COLUMNS;
    out.push(format!(
        "{:<run$} idx {:<name$} {:>time$} {:>usage$} {:>avg$} {:>deep$} {:>shal$}",
        "run", "name", "time%", "usage", "avg us", "deep%", "shal%"
    ));
    // The longest table names the states: sums go by index.
    let table = mail
        .clusters
        .iter()
        .map(|cluster| &cluster.table)
        .max_by_key(|table| table.len());
    for run in [mail.recorded, mail.a, mail.b].into_iter().flatten() {
        block(&run, table, out);
    }
    out.push("deep% = kernel \"above\" / usage, shal% = kernel \"below\" / usage".to_owned());
}

fn block(run: &Run<'_>, table: Option<&StateTable>, out: &mut Vec<String>) {
    let summary = run.summary;
    let idle = summary.idle();
    let seen = summary.states.len().max(table.map_or(0, StateTable::len));
    let mut label = run.label;
    for n in 0..seen {
        let used = summary.states.get(n).copied().unwrap_or_default();
        let name = table
            .and_then(|table| table.states().get(n))
            .map_or("", |state| &state.name);
        out.push(line(label, &n.to_string(), name, &used, idle));
        label = "";
    }
    let total = StateUse {
        count: summary.periods(),
        time: idle,
        too_deep: summary.too_deep(),
        too_shallow: summary.too_shallow(),
        rejected: summary.rejected(),
    };
    out.push(line("", "", "TOTAL", &total, idle));
}

fn line(label: &str, idx: &str, name: &str, used: &StateUse, idle: Ns) -> String {
    let [run, name_width, time, usage, avg, deep, shal] = COLUMNS;
    let ns = |d: Ns| u64::try_from(d.as_ns()).unwrap_or(0);
    let average = match used.count {
        0 => "-".to_owned(),
        count => tenth_micros(ns(used.time) / count, avg),
    };
    let miss = |n: u64| number::per_cent(n, used.count, 2, Style::Ascii);
    format!(
        "{:<run$} {idx:>3} {:<name_width$} {:>time$} {:>usage$} {average:>avg$} {:>deep$} {:>shal$}",
        cut(label, run),
        cut(name, name_width),
        number::per_cent(ns(used.time), ns(idle), 2, Style::Ascii),
        lines::number(used.count, usage),
        miss(used.too_deep),
        miss(used.too_shallow),
    )
}

/// Microseconds with one decimal, without it where there is no room.
fn tenth_micros(ns: u64, width: usize) -> String {
    let tenths = (ns + 50) / 100;
    let text = format!("{}.{}", tenths / 10, tenths % 10);
    if text.len() <= width {
        text
    } else {
        lines::number((ns + 500) / 1_000, width)
    }
}

fn notes(mail: &Mail<'_>, out: &mut Vec<String>) {
    let kept = |run: &Run<'_>| {
        let summary = run.summary;
        number::per_cent(summary.ticks_retained, summary.periods(), 1, Style::Ascii)
    };
    let runs = [&mail.recorded, &mail.a, &mail.b];
    if runs.into_iter().flatten().all(|run| run.summary.periods() == 0) {
        let text = format!("{NO_PERIOD}: there is nothing of which anything could be a share");
        out.extend(fill(&text, 2));
    } else if let Some(change) = change(mail, kept) {
        out.extend(fill(&format!("tick kept: {change} % of idle entries"), 2));
    }
    energy(mail, out);
    difference(mail, out);
    recording(mail, out);
}

/// `61.3 -> 82.7`, or one value, with the recorded one before it.
fn change(mail: &Mail<'_>, value: impl Fn(&Run<'_>) -> String) -> Option<String> {
    let recorded = mail
        .recorded
        .as_ref()
        .map(|run| format!("recorded {}, ", value(run)))
        .unwrap_or_default();
    let text = match (&mail.a, &mail.b) {
        (Some(a), Some(b)) => format!("{recorded}{} -> {}", value(a), value(b)),
        (Some(one), None) | (None, Some(one)) => format!("{recorded}{}", value(one)),
        (None, None) => value(mail.recorded.as_ref()?),
    };
    Some(text)
}

fn energy(mail: &Mail<'_>, out: &mut Vec<String>) {
    // The powers of states know no clock: beside the power of a closed loop they would contradict it.
    if mail.loops.iter().flatten().any(|loops| loops.power.is_some()) {
        return;
    }
    let idle = |run: &Run<'_>| run.summary.energy.as_ref().map(|account| account.parts.idle());
    let ideal = |run: &Run<'_>| run.summary.energy.as_ref().map(|account| account.ideal);
    let powers = if mail.powers_given {
        "powers given"
    } else {
        "powers assumed"
    };
    let one = mail.a.as_ref().or(mail.b.as_ref());
    let known = one.and_then(|run| Some((idle(run)?, ideal(run)?)));
    // Of nothing there is no share.
    let Some((base, best)) = known.filter(|(base, best)| base.as_fj() > 0 && best.as_fj() > 0) else {
        return;
    };
    let ratio = |e: Energy| number::energy_ratio(e, base, Style::Ascii);
    let both = mail.a.as_ref().and(mail.b.as_ref()).and_then(idle);
    let text = match both {
        Some(b) => format!(
            "idle energy, estimate: 100.0 -> {} (ideal {}), {powers}",
            ratio(b),
            ratio(best)
        ),
        None => format!(
            "idle energy, estimate: {} % of the ideal governor's, {powers}",
            number::energy_ratio(base, best, Style::Ascii)
        ),
    };
    out.extend(fill(&text, 2));
}

fn difference(mail: &Mail<'_>, out: &mut Vec<String>) {
    if let Some((differ, compared)) = mail.differences {
        let share = number::per_cent(differ, compared, 1, Style::Ascii);
        let text = match differ {
            _ if compared == 0 => "A and B have no decision to compare".to_owned(),
            0 => format!("A and B decide alike in all of {compared} decisions"),
            _ if scenarios::is_closed_loop(mail.doc) => format!(
                "A and B differ in {differ} of {compared} decisions ({share} %); {}",
                loops::AFTER_THE_FIRST
            ),
            _ => format!("A and B differ in {differ} of {compared} decisions ({share} %)"),
        };
        out.extend(fill(&text, 2));
    }
    let Some(first) = &mail.first else {
        return;
    };
    let cluster = mail.clusters.iter().max_by_key(|cluster| cluster.table.len());
    let speaker = Speaker::new(cluster.map(|cluster| &cluster.table), Style::Ascii, false);
    let at = number::stamp(first.at, Style::Ascii);
    out.extend(fill(&format!("first difference: {} {at}", first.cpu), 2));
    let sides = [("A", &first.a), ("B", &first.b)];
    let reasons = first
        .why
        .as_ref()
        .map_or([None, None], |(a, b)| [a.as_ref(), b.as_ref()]);
    for ((who, row), why) in sides.into_iter().zip(reasons) {
        let fate = TickFate::of(row).label();
        let mut text = format!("{who} {}, {fate}", speaker.state(row.selected));
        if let Some(why) = why {
            text.push_str(&format!(": {}", why.text));
            if !why.math.is_empty() {
                text.push_str(&format!(" ({})", why.math));
            }
        }
        let text = Style::Ascii.plain(text);
        let filled = fill(&format!("__{text}"), 4);
        out.extend(filled.into_iter().map(|line| line.replacen("__", "  ", 1)));
    }
    if let Some(patches) = &first.patches {
        out.extend(lines::fill_from(patches, 2, 4));
    }
}

fn recording(mail: &Mail<'_>, out: &mut Vec<String>) {
    let of = |(hits, all): (u64, u64)| number::per_cent(hits, all, 1, Style::Ascii);
    if let Some(agreement) = mail.agreement.as_ref().filter(|found| found.choices.1 > 0) {
        let part = |found: (u64, u64), strictly: Option<(u64, u64)>, what: &str| {
            let strictly = strictly.map_or_else(String::new, |found| format!(" (strictly {})", of(found)));
            (found.1 > 0).then(|| format!("{} % of the {what}{strictly}", of(found)))
        };
        let parts = [
            part(
                agreement.choices,
                Some(agreement.strict_choices),
                "recorded choices",
            ),
            part(agreement.ticks, Some(agreement.strict_ticks), "tick decisions"),
            part(agreement.misses, None, "misses"),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let text = format!(
            "replay of {} reproduces {}; strictly: without inferred keep reasons",
            ascii(agreement.governor),
            parts.join(", ")
        );
        out.extend(fill(&text, 2));
    }
    if let Some(timers) = mail.timers {
        let all = timers.exact + timers.inferred + timers.unknown;
        if all == 0 {
            out.extend(fill("open loop: arrivals stay as recorded", 2));
            return;
        }
        let text = format!(
            "next timer: exact {} %, inferred {} %, unknown {} %; open loop: arrivals stay as recorded",
            of((timers.exact, all)),
            of((timers.inferred, all)),
            of((timers.unknown, all))
        );
        out.extend(fill(&text, 2));
        if timers.exact == 0 {
            out.extend(fill("no timer events in this trace: the replay is a guess", 2));
        }
    }
}

#[cfg(test)]
mod tests;
