//! From text to a link and its issues; never fails.

use super::issue::{Issue, nearest, no_such};
use super::pairs::{self, Pair, escape, unescape};
use super::{Extent, Link, machine};
use crate::cpuidle::catalog::{Choice, ChoiceError, ENTRIES, Family};
use crate::page::costs::{self, Cost, CostError};
use crate::page::doc::{
    Doc, LatencyLimit, MachineChoice, Presence, SampleId, Settings, Side, StateEdit, TraceId, Workload,
};
use crate::page::duration::{self, DurationError};
use crate::page::generated::{Beats, Generated, Kind, Pattern};
use crate::page::machines::Machine;
use crate::page::scenarios::is_closed_loop;
use crate::page::view::{LaneId, Panel, Selection, Tab, View, Window};
use crate::sim::machine::FrequencyRule;
use crate::units::{CpuId, Microwatts, Ns, Time};

/// The longest duration a link may name: one hour.
const LONGEST: Ns = Ns::new(3_600_000_000_000);
/// The largest CPU number.
const LAST_CPU: u16 = 4_095;

/// Every key that is neither a parameter nor split by variant.
const KEYS: [&str; 29] = [
    "v", "w", "t", "m", "mt", "st", "a", "b", "hz", "nohz", "rl", "lat", "xe", "tc", "cost", "sp", "sr", "f",
    "fs", "pat", "cpu", "lane", "d", "at", "pin", "win", "range", "panel", "tab",
];

/// Reads the text after `#`, or a whole address. Every part that is not understood is an issue.
#[must_use]
pub fn parse(text: &str) -> (Link, Vec<Issue>) {
    let mut issues = Vec::new();
    let pairs = pairs::read(text, &mut issues);
    let mut reader = Reader { pairs, issues };
    reader.lesson_names();
    let doc = reader.doc();
    let view = reader.view();
    reader.rest(&doc.workload);
    (Link::new(&doc, &view, Extent::Everything), reader.issues)
}

struct Reader {
    pairs: Vec<Pair>,
    issues: Vec<Issue>,
}

/// What is wrong with a value: the reason and valid values close to it.
type Wrong = (String, Vec<String>);

fn wrong(reason: impl Into<String>) -> Wrong {
    (reason.into(), Vec::new())
}

impl Reader {
    fn take(&mut self, key: &str) -> Option<String> {
        let at = self.pairs.iter().position(|(k, _)| k == key)?;
        Some(self.pairs.remove(at).1)
    }

    /// The value of a key, if it is there and understood.
    fn value<T>(
        &mut self,
        key: &str,
        default: &str,
        read: impl FnOnce(&str) -> Result<T, Wrong>,
    ) -> Option<T> {
        let text = self.take(key)?;
        match read(&text) {
            Ok(value) => Some(value),
            Err((reason, near)) => {
                let issue = Issue::new(key, &text, reason).near(near);
                self.issues.push(if default.is_empty() {
                    issue
                } else {
                    issue.used(default)
                });
                None
            }
        }
    }

    /// `pingpong` of the lessons is pipe-test with one pair on two cores, unless `pairs` and `place` say otherwise.
    fn lesson_names(&mut self) {
        let of = |pairs: &[Pair], key: &str| pairs.iter().position(|(k, _)| k == key);
        let Some(at) =
            of(&self.pairs, "w").filter(|at| self.pairs.get(*at).is_some_and(|w| w.1 == "pingpong"))
        else {
            return;
        };
        if let Some((_, name)) = self.pairs.get_mut(at) {
            Pattern::PipeTest.id().clone_into(name);
        }
        if of(&self.pairs, "pairs").is_none() {
            self.pairs.push(("pairs".to_owned(), "1".to_owned()));
        }
        let place = self.value("place", "core", |text| match text {
            "core" => Ok("1"),
            "smt" => Ok("0"),
            _ => Err(wrong("must be core or smt")),
        });
        self.pairs
            .push(("cross".to_owned(), place.unwrap_or("1").to_owned()));
    }

    fn doc(&mut self) -> Doc {
        let mut doc = Doc {
            workload: self.workload(),
            ..Doc::default()
        };
        doc.machine = self.machine();
        self.edits(&mut doc);
        let default_a = doc
            .a
            .governor
            .map_or_else(|| "off".to_owned(), |choice| choice.to_string());
        if let Some(governor) = self.governor("a", &default_a) {
            doc.a.governor = governor;
        }
        if let Some(governor) = self.governor("b", "off") {
            doc.b.governor = governor;
        }
        self.settings(&mut doc);
        if let Some(percent) = self.value("xe", "100", |text| whole(text, 0, 100)) {
            doc.exit_percent = u8::try_from(percent).unwrap_or(100);
        }
        let own = if is_closed_loop(&doc) {
            "the machine's own"
        } else {
            "1us"
        };
        doc.tick_cost = self.value("tc", own, |text| time(text, Ns::ZERO, Ns::from_ms(1)));
        self.costs(&mut doc);
        doc.shared_power = self.value("sp", "not counted", power);
        doc.shared_residency = self.value("sr", "the machine's own", |text| {
            time(text, Ns::ZERO, Ns::new(10_000_000_000))
        });
        if let Some(rule) = self.value("f", "performance", frequency) {
            if super::has_clock(&doc) {
                doc.frequency = rule;
            } else {
                let name = FrequencyRule::NAMED.iter().find(|(_, named)| *named == rule);
                let reason = if is_closed_loop(&doc) {
                    "this machine has one clock in closed loops: it has no effect"
                } else {
                    "who sets the clock is asked only in closed loops, and this workload is none: it has no effect"
                };
                self.issues
                    .push(Issue::new("f", name.map_or("", |(name, _)| name), reason));
            }
        }
        doc.start_mhz = self
            .value("fs", "the machine's own", |text| whole(text, 1, 100_000))
            .and_then(|mhz| u32::try_from(mhz).ok());
        doc
    }

    /// A preset, or a table that the user gave.
    fn machine(&mut self) -> Option<MachineChoice> {
        let given = self.value("mt", "", |text| machine::from_link(text).map_err(wrong));
        let preset = self.value("m", "", preset);
        let Some(given) = given else {
            return preset.map(MachineChoice::Preset);
        };
        if let Some(preset) = preset {
            let reason = "a link has one machine, the table of states holds";
            self.issues.push(Issue::new("m", &preset, reason));
        }
        Some(MachineChoice::Given(given))
    }

    /// A governor, or nobody. What is wrong with one of its constants leaves the governor and the others.
    fn governor(&mut self, key: &str, default: &str) -> Option<Option<Choice>> {
        let text = self.take(key)?;
        let mut parts = text.split('~');
        let name = parts.next().unwrap_or_default();
        let mut choice = match governor(name) {
            Ok(Some(choice)) => choice,
            Ok(None) => {
                for part in parts {
                    let issue = Issue::new(
                        key,
                        &text,
                        format!("off has no constants to set; ~{part} left out"),
                    );
                    self.issues.push(issue);
                }
                return Some(None);
            }
            Err((reason, near)) => {
                self.issues
                    .push(Issue::new(key, &text, reason).near(near).used(default));
                return None;
            }
        };
        let mut set: Vec<&str> = Vec::new();
        for part in parts {
            let constant = constant_of(part);
            match format!("{choice}~{part}").parse::<Choice>() {
                Ok(turned) => {
                    choice = turned;
                    if let Some(before) = set.iter_mut().find(|before| constant_of(before) == constant) {
                        let reason = format!(
                            "{constant} given twice, the last one holds: ~{part} instead of ~{before}"
                        );
                        self.issues.push(Issue::new(key, &text, reason));
                        *before = part;
                    } else {
                        set.push(part);
                    }
                }
                Err(error) => {
                    let (reason, near) = constant_wrong(&error, part);
                    self.issues.push(Issue::new(key, &text, reason).near(near));
                }
            }
        }
        Some(Some(choice))
    }

    fn workload(&mut self) -> Workload {
        if let Some(id) = self.value("t", "", trace) {
            if let Some(name) = self.take("w") {
                self.issues
                    .push(Issue::new("w", &name, "a link has one workload, the trace holds"));
            }
            return Workload::Trace(id);
        }
        let Some(mut workload) = self.value("w", "", workload) else {
            return Workload::None;
        };
        if let Workload::Generated(generated) = &mut workload {
            for spec in generated.pattern().specs() {
                let default = param_text(spec.kind, spec.default);
                let read = |text: &str| match spec.kind {
                    Kind::Time { .. } if spec.or_zero && duration::from_link(text) == Ok(Ns::ZERO) => Ok(0),
                    Kind::Time { min, max } => time(text, min, max).map(Ns::as_ns),
                    Kind::Count { min, max } => whole(text, min, max),
                    Kind::Switch => switch(text).map(i64::from),
                };
                if let Some(value) = self.value(spec.param.key(), &default, read) {
                    generated.set(spec.param, value);
                }
            }
            if let Some(own) = generated.beats() {
                let read = |text: &str| Beats::parse(text).map_err(|error| wrong(error.to_string()));
                if let Some(beats) = self.value("pat", &own.to_string(), read) {
                    generated.set_beats(beats);
                }
            }
        }
        workload
    }

    fn edits(&mut self, doc: &mut Doc) {
        let Some(text) = self.take("st") else {
            return;
        };
        for part in text.split(',').filter(|part| !part.is_empty()) {
            match state_edit(part) {
                Ok((state, apply)) => doc.edits.change(&state, |edit| apply.to(edit)),
                Err((reason, near)) => self.issues.push(Issue::new("st", part, reason).near(near)),
            }
        }
    }

    fn costs(&mut self, doc: &mut Doc) {
        let Some(text) = self.take("cost") else {
            return;
        };
        for part in text.split(',').filter(|part| !part.is_empty()) {
            match Cost::read(part) {
                Ok((cost, value)) if costs::applies(doc, cost) => doc.costs.set(cost, Some(value)),
                Ok(_) => {
                    let reason = if is_closed_loop(doc) {
                        "this machine and this workload have no such cost: it has no effect"
                    } else {
                        "code has costs only in closed loops, and this workload is none: it has no effect"
                    };
                    self.issues.push(Issue::new("cost", part, reason));
                }
                Err(error) => {
                    let key = part.split('.').next().unwrap_or(part);
                    let near = match error {
                        CostError::NoSuch => nearest(key, costs::SPECS.iter().map(|spec| spec.key)),
                        _ => Vec::new(),
                    };
                    self.issues
                        .push(Issue::new("cost", part, error.to_string()).near(near));
                }
            }
        }
    }

    fn settings(&mut self, doc: &mut Doc) {
        let plain = Settings::default();
        let shared = &mut doc.settings;
        if let Some(hz) = self.value("hz", &plain.hz.to_string(), hz) {
            shared.hz = hz;
        }
        if let Some(nohz) = self.value("nohz", "1", switch) {
            shared.nohz = nohz;
        }
        if let Some(limit) = self.value("rl", "0", |text| time(text, Ns::ZERO, LONGEST)) {
            shared.rate_limit = limit;
        }
        if let Some(limit) = self.value("lat", "none", latency) {
            shared.latency = limit;
        }
        for side in Side::ALL {
            let key = |name: &str| format!("{name}.{}", side.letter().to_ascii_lowercase());
            let shared = doc.settings.clone();
            let over = &mut doc.variant_mut(side).over;
            over.hz = self.value(&key("hz"), &shared.hz.to_string(), hz);
            over.nohz = self.value(&key("nohz"), &u8::from(shared.nohz).to_string(), switch);
            over.rate_limit = self.value(&key("rl"), &duration::to_link(shared.rate_limit), |text| {
                time(text, Ns::ZERO, LONGEST)
            });
            let default = match shared.latency {
                LatencyLimit::None => "none".to_owned(),
                LatencyLimit::Max(limit) => duration::to_link(limit),
            };
            over.latency = self.value(&key("lat"), &default, latency);
        }
    }

    fn view(&mut self) -> View {
        let mut view = View::default();
        if let Some(cpu) = self.value("cpu", "0", cpu) {
            view.cpu = cpu;
        }
        if let Some(lane) = self.value("lane", "A", lane) {
            view.lane = lane;
        }
        view.decision = self.value("d", "", decision);
        if let Some(at) = self.value("at", "0", instant)
            && view.decision.is_none()
        {
            view.cursor = at;
        }
        view.pin = self.value("pin", "", pin);
        view.window = self.value("win", "", window);
        view.range = self.value("range", "", window);
        if let Some(cpus) = self.value("open", "", |text| text.split(',').map(cpu).collect()) {
            view.open_cpus = cpus;
        }
        if let Some(lanes) = self.value("hide", "", |text| text.split(',').map(lane).collect()) {
            view.hidden = lanes;
        }
        if let Some(panel) = self.value("panel", "", panel) {
            view.panel = panel;
        }
        if let Some(tab) = self.value("tab", "summary", tab) {
            view.tab = tab;
        }
        view.kernel_names = self.value("names", "plain", names).unwrap_or(false);
        view.embed = self.value("embed", "0", switch).unwrap_or(false);
        view
    }

    /// What no part of the grammar took.
    fn rest(&mut self, workload: &Workload) {
        let patterns = || Pattern::ALL.iter().flat_map(|pattern| pattern.specs());
        for (key, value) in std::mem::take(&mut self.pairs) {
            if key == "pat" {
                self.issues.push(Issue::new(
                    &key,
                    &value,
                    "only the workload named pattern has a list of pauses",
                ));
                continue;
            }
            let param = patterns().find(|spec| spec.param.key() == key);
            self.issues.push(match (param, workload) {
                (Some(_), Workload::Generated(generated)) => {
                    let pattern = generated.pattern();
                    let own = pattern.specs().iter().map(|spec| spec.param.key().to_owned());
                    let reason = format!("{} has no such parameter", pattern.id());
                    Issue::new(&key, &value, reason).near(own.collect())
                }
                (Some(_), Workload::None) => {
                    Issue::new(&key, &value, "a parameter, but no workload that has it is named")
                }
                (Some(_), _) => Issue::new(&key, &value, "only generated workloads have parameters"),
                (None, _) => {
                    let params = patterns().map(|spec| spec.param.key());
                    let more = ["open", "hide", "names", "embed"];
                    pairs::unknown_key(&key, &value, KEYS.into_iter().chain(more).chain(params))
                }
            });
        }
    }
}

fn param_text(kind: Kind, value: i64) -> String {
    match kind {
        Kind::Time { .. } => duration::to_link(Ns::new(value)),
        Kind::Count { .. } | Kind::Switch => value.to_string(),
    }
}

fn trace(text: &str) -> Result<TraceId, Wrong> {
    TraceId::parse(text).ok_or_else(|| wrong("must be 12 hexadecimal digits of the file's SHA-256"))
}

/// The sample or the generated workload, with its own parameters, of that name in links.
#[must_use]
pub fn workload_named(name: &str) -> Option<Workload> {
    let pattern = || Pattern::from_id(name).map(|pattern| Workload::Generated(Generated::new(pattern)));
    SampleId::from_id(name).map(Workload::Sample).or_else(pattern)
}

fn workload(text: &str) -> Result<Workload, Wrong> {
    if let Some(workload) = workload_named(text) {
        return Ok(workload);
    }
    let samples = SampleId::ALL.into_iter().map(SampleId::id);
    let patterns = Pattern::ALL.into_iter().map(Pattern::id);
    Err(no_such("workload", text, samples.chain(patterns)))
}

fn preset(text: &str) -> Result<String, Wrong> {
    if let Some(machine) = unescape(&text.replace('.', "~2e")).filter(|id| Machine::find(id).is_some()) {
        return Ok(machine);
    }
    let ids = Machine::all().iter().map(|machine| machine.id.as_str());
    Err(no_such("machine", text, ids))
}

/// The name in `decay2`.
fn constant_of(part: &str) -> &str {
    part.trim_end_matches(|letter: char| letter.is_ascii_digit())
}

/// What is wrong with a constant behind a governor's name.
fn constant_wrong(error: &ChoiceError, part: &str) -> Wrong {
    match error {
        ChoiceError::NoSuchKnob { entry, valid, .. } if valid == "nothing" => {
            wrong(format!("{entry} has no constants to set; ~{part} left out"))
        }
        ChoiceError::NoSuchKnob { entry, valid, .. } => {
            let names = valid.split(", ~").map(|name| name.trim_start_matches('~'));
            let near = nearest(constant_of(part), names);
            let near = near.iter().map(|name| format!("~{name}"));
            (
                format!("{entry} has no constant ~{part}, only {valid}, each with a number; left out"),
                near.collect(),
            )
        }
        ChoiceError::KnobRange { key, min, max, .. } => wrong(format!(
            "~{part} left out: {key} must be a whole number from {min} to {max}"
        )),
        _ => wrong(format!("~{part} was not understood, left out")),
    }
}

/// A governor's name without constants, or nobody for `off`.
fn governor(text: &str) -> Result<Option<Choice>, Wrong> {
    if text == "off" {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|error| match error {
        ChoiceError::NoPatches { entry, .. } => {
            ("has no patches to switch".to_owned(), vec![entry.to_owned()])
        }
        ChoiceError::BadPatches { entry, valid, .. } => (
            format!("has the patches {valid}, each at most once"),
            vec![entry.to_owned(), format!("{entry}-p{valid}")],
        ),
        _ => ("no such governor".to_owned(), near_governor(text)),
    })
}

/// The versions below and above it in its family, else names that look alike.
fn near_governor(text: &str) -> Vec<String> {
    let names = || ENTRIES.iter().map(|entry| entry.name);
    if let Some(family) = Family::ALL.into_iter().find(|family| family.name() == text) {
        // A family alone: its newest first.
        let own = ENTRIES.iter().rev().filter(|entry| entry.make.family() == family);
        return own.take(2).map(|entry| entry.name.to_owned()).collect();
    }
    let wanted = text
        .split_once('-')
        .map(|(family, version)| (family, numbers(version)));
    let Some((family, Some(wanted))) = wanted else {
        return nearest(text, names());
    };
    let mut family: Vec<(Vec<u32>, &str)> = names()
        .filter_map(|name| {
            let (other, version) = name.split_once('-')?;
            (other == family).then_some((numbers(version)?, name))
        })
        .collect();
    family.sort();
    let above = family.partition_point(|(version, _)| *version < wanted);
    let near = [above.checked_sub(1), Some(above)];
    let near: Vec<String> = near
        .into_iter()
        .flatten()
        .filter_map(|n| family.get(n))
        .map(|(_, name)| (*name).to_owned())
        .collect();
    if near.is_empty() {
        nearest(text, names())
    } else {
        near
    }
}

/// A version as numbers: `6.1.192` is 6, 1, 192; what follows a `-` does not count.
fn numbers(version: &str) -> Option<Vec<u32>> {
    let version = version.split('-').next()?;
    version.split('.').map(|part| part.parse().ok()).collect()
}

fn hz(text: &str) -> Result<u32, Wrong> {
    let hz = whole(text, 20, 2_000)?;
    u32::try_from(hz).map_err(|_| wrong("must be 20 to 2000"))
}

fn whole(text: &str, min: i64, max: i64) -> Result<i64, Wrong> {
    let range = || format!("must be a whole number from {min} to {max}");
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(wrong(range()));
    }
    match text.parse::<i64>() {
        Ok(value) if (min..=max).contains(&value) => Ok(value),
        Ok(value) if value < min => Err((range(), vec![min.to_string()])),
        _ => Err((range(), vec![max.to_string()])),
    }
}

fn switch(text: &str) -> Result<bool, Wrong> {
    match text {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err(wrong("must be 0 or 1")),
    }
}

fn time(text: &str, min: Ns, max: Ns) -> Result<Ns, Wrong> {
    let value = match duration::from_link(text) {
        Ok(value) => value,
        Err(DurationError::Unit) if text.bytes().all(|b| b.is_ascii_digit()) => {
            let near = vec![format!("{text}us"), format!("{text}ms")];
            return Err((DurationError::Unit.to_string(), near));
        }
        Err(error) => return Err(wrong(error.to_string())),
    };
    let (low, high) = (duration::to_link(min), duration::to_link(max));
    let range = format!("must be {low} to {high}");
    if value < min {
        Err((range, vec![low]))
    } else if value > max {
        Err((range, vec![high]))
    } else {
        Ok(value)
    }
}

/// Who sets the clock.
fn frequency(text: &str) -> Result<FrequencyRule, Wrong> {
    let found = FrequencyRule::NAMED.iter().find(|(name, _)| *name == text);
    let names = FrequencyRule::NAMED.iter().map(|(name, _)| *name);
    found
        .map(|(_, rule)| *rule)
        .ok_or_else(|| no_such("frequency rule", text, names))
}

fn latency(text: &str) -> Result<LatencyLimit, Wrong> {
    if text == "none" {
        return Ok(LatencyLimit::None);
    }
    time(text, Ns::ZERO, Ns::from_ms(2_000_000)).map(LatencyLimit::Max)
}

fn instant(text: &str) -> Result<Time, Wrong> {
    let value = duration::from_link(text).map_err(|error| wrong(error.to_string()))?;
    if value < Ns::ZERO {
        return Err(wrong("must not be before the start"));
    }
    Ok(Time::ZERO.saturating_add(value))
}

fn cpu(text: &str) -> Result<CpuId, Wrong> {
    let number = whole(text, 0, i64::from(LAST_CPU))?;
    Ok(CpuId::new(u16::try_from(number).unwrap_or(LAST_CPU)))
}

fn lane(text: &str) -> Result<LaneId, Wrong> {
    LaneId::ALL
        .into_iter()
        .find(|lane| lane.letter() == text)
        .ok_or_else(|| wrong("must be A, B or R"))
}

/// A decision's number from 1, as an index from 0.
fn decision(text: &str) -> Result<u32, Wrong> {
    let number = whole(text, 1, i64::from(u32::MAX) + 1)?;
    u32::try_from(number - 1).map_err(|_| wrong("must be a whole number"))
}

fn pin(text: &str) -> Result<Selection, Wrong> {
    let mut parts = text.split('.');
    let (Some(l), Some(c), Some(d), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
        return Err(wrong("must be lane, CPU and number, such as A.2.17"));
    };
    Ok(Selection {
        lane: lane(l)?,
        cpu: cpu(c)?,
        n: decision(d)?,
    })
}

fn window(text: &str) -> Result<Window, Wrong> {
    let (from, to) = text
        .split_once('~')
        .ok_or_else(|| wrong("must be two instants, such as 1.2s~1.3s"))?;
    let (from, to) = (instant(from)?, instant(to)?);
    if from >= to {
        return Err(wrong("must end after it begins"));
    }
    Ok(Window::new(from, to))
}

fn panel(text: &str) -> Result<Panel, Wrong> {
    let found = Panel::NAMED.iter().find(|(name, _)| *name == text);
    let names = Panel::NAMED.iter().map(|(name, _)| *name);
    found
        .map(|(_, panel)| *panel)
        .ok_or_else(|| no_such("panel", text, names))
}

fn tab(text: &str) -> Result<Tab, Wrong> {
    let found = Tab::NAMED.iter().find(|(name, ..)| *name == text);
    let names = Tab::NAMED.iter().map(|(name, ..)| *name);
    found
        .map(|(.., tab)| *tab)
        .ok_or_else(|| no_such("tab", text, names))
}

fn names(text: &str) -> Result<bool, Wrong> {
    match text {
        "plain" => Ok(false),
        "kernel" => Ok(true),
        _ => Err(wrong("must be plain or kernel")),
    }
}

/// One change of one state.
enum Apply {
    On(bool),
    Gone,
    After(String),
    TargetResidency(Ns),
    ExitLatency(Ns),
    Power(Microwatts),
}

impl Apply {
    fn to(&self, edit: &mut StateEdit) {
        match self {
            Self::On(on) => edit.on = Some(*on),
            Self::Gone => edit.presence = Presence::Removed,
            Self::After(after) => edit.presence = Presence::Added { after: after.clone() },
            Self::TargetResidency(residency) => edit.target_residency = Some(*residency),
            Self::ExitLatency(latency) => edit.exit_latency = Some(*latency),
            Self::Power(power) => edit.power = Some(*power),
        }
    }
}

fn state_edit(part: &str) -> Result<(String, Apply), Wrong> {
    let (state, what) = part
        .split_once('.')
        .ok_or_else(|| wrong("must be a state and a change, such as C6.tr290us"))?;
    let state = unescape(state).ok_or_else(|| wrong("does not begin with the name of a state"))?;
    let apply = match what {
        "on" => Apply::On(true),
        "off" => Apply::On(false),
        "gone" => Apply::Gone,
        what => {
            let (field, value) = what.split_at_checked(2).unwrap_or((what, ""));
            match field {
                "tr" => Apply::TargetResidency(time(value, Ns::ZERO, LONGEST)?),
                "xl" => Apply::ExitLatency(time(value, Ns::ZERO, LONGEST)?),
                "mw" => Apply::Power(power(value)?),
                "af" => {
                    let reason = || "af must be followed by the name of a state".to_owned();
                    // No name begins so in a link that the page wrote: somebody spelled "after" out.
                    if let Some(meant) = value.strip_prefix(SPELLED_OUT).filter(|meant| !meant.is_empty()) {
                        return Err((reason(), vec![format!("{}.af{meant}", escape(&state))]));
                    }
                    Apply::After(unescape(value).ok_or_else(|| wrong(reason()))?)
                }
                _ => return Err(no_such_change(&state, what)),
            }
        }
    };
    Ok((state, apply))
}

/// What follows `af` when somebody wrote `after`.
pub(super) const SPELLED_OUT: &str = "ter";

/// What is said of a change that is none.
fn no_such_change(state: &str, what: &str) -> Wrong {
    let meant = match what {
        "del" | "delete" | "deleted" | "rm" | "remove" | "removed" | "absent" => vec!["gone".to_owned()],
        "disable" | "disabled" | "0" => vec!["off".to_owned()],
        "enable" | "enabled" | "1" => vec!["on".to_owned()],
        what => nearest(what, ["on", "off", "gone"].into_iter()),
    };
    let state = escape(state);
    (
        "must change tr, xl or mw, be on, off or gone, or be added after a state with af and its name"
            .to_owned(),
        meant.iter().map(|meant| format!("{state}.{meant}")).collect(),
    )
}

/// A power in mW with up to three decimals.
fn power(text: &str) -> Result<Microwatts, Wrong> {
    let reason = || wrong("must be a power in mW from 0 to 4000000");
    let uw = duration::scaled(text, 1_000).map_err(|_| reason())?;
    u32::try_from(uw)
        .ok()
        .filter(|uw| *uw <= 4_000_000_000)
        .map(Microwatts::new)
        .ok_or_else(reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::generated::Param;

    #[test]
    fn every_parameter_has_a_key_of_its_own() {
        let mut keys: Vec<&str> = KEYS.to_vec();
        keys.extend(["open", "hide", "names", "embed"]);
        let mut params: Vec<Param> = Pattern::ALL
            .iter()
            .flat_map(|pattern| pattern.specs())
            .map(|spec| spec.param)
            .collect();
        params.sort_unstable();
        params.dedup();
        keys.extend(params.iter().map(|param| param.key()));
        let all = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), all);
    }

    #[test]
    fn a_family_alone_names_its_newest_entries() {
        for (text, newest) in [
            ("teo", "teo-7.1 and teo-7.0"),
            ("ladder", "ladder-5.5 and ladder-4.19"),
        ] {
            let (_, issues) = parse(&format!("w=doorbell&b={text}"));
            let told: Vec<String> = issues.iter().map(ToString::to_string).collect();
            let expect = format!("b={text}: no such governor, nearest are {newest}; default off used");
            assert_eq!(told, [expect]);
        }
    }

    #[test]
    fn a_tick_rate_out_of_range_names_the_nearest_one() {
        let check = |value: &str, expect: &str| {
            let (link, issues) = parse(&format!("w=doorbell&hz={value}"));
            let told: Vec<String> = issues.iter().map(ToString::to_string).collect();
            assert_eq!(told, [expect]);
            assert_eq!(link.doc.settings.hz, 250);
        };
        check(
            "7",
            "hz=7: must be a whole number from 20 to 2000, nearest is 20; default 250 used",
        );
        check(
            "1e30",
            "hz=1e30: must be a whole number from 20 to 2000; default 250 used",
        );
        check(
            "99999999999999999999",
            "hz=99999999999999999999: must be a whole number from 20 to 2000, nearest is 2000; default 250 used",
        );
    }
}
