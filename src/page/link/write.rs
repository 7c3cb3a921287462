//! From a link to its text.

use super::pairs::escape;
use super::read::SPELLED_OUT;
use super::{Extent, Link, machine};
use crate::cpuidle::catalog::Choice;
use crate::page::doc::{Doc, LatencyLimit, MachineChoice, Presence, Side, StateEdit, Workload};
use crate::page::duration;
use crate::page::generated::Kind;
use crate::page::view::{LaneId, Panel, Selection, Tab, View, Window};
use crate::sim::machine::FrequencyRule;
use crate::units::{CpuId, Microwatts, Time};

/// The text after `#`; letters `[A-Za-z0-9._~=&;,-]` only, defaults left out.
#[must_use]
pub fn write(link: &Link) -> String {
    let link = Link::new(&link.doc, &link.view, Extent::Everything);
    let mut pairs = Pairs::default();
    question(&link.doc, &mut pairs);
    place(&link.view, &mut pairs);
    pairs.0
}

/// What the address bar says of a page; empty as long as nothing was chosen. A link whose workload was not
/// understood keeps everything else that it asked for.
#[must_use]
pub fn fragment(doc: &Doc, view: &View, extent: Extent) -> String {
    if *doc == Doc::default() {
        return String::new();
    }
    write(&Link::new(doc, view, extent))
}

#[derive(Default)]
struct Pairs(String);

impl Pairs {
    fn add(&mut self, key: &str, value: impl AsRef<str>) {
        if !self.0.is_empty() {
            self.0.push('&');
        }
        self.0.push_str(key);
        self.0.push('=');
        self.0.push_str(value.as_ref());
    }

    fn add_if(&mut self, differs: bool, key: &str, value: impl FnOnce() -> String) {
        if differs {
            self.add(key, value());
        }
    }
}

fn question(doc: &Doc, pairs: &mut Pairs) {
    let plain = Doc::default();
    match &doc.workload {
        Workload::None => {}
        Workload::Trace(id) => pairs.add("t", id.to_string()),
        Workload::Sample(sample) => pairs.add("w", sample.id()),
        Workload::Generated(generated) => {
            pairs.add("w", generated.pattern().id());
            for (param, value) in generated.changed() {
                let kind = generated.pattern().spec(param).map(|spec| spec.kind);
                pairs.add(param.key(), param_text(kind, value));
            }
            if let Some(beats) = generated.changed_beats() {
                pairs.add("pat", beats.to_string());
            }
        }
    }
    match &doc.machine {
        Some(MachineChoice::Preset(id)) => pairs.add("m", escape(id)),
        Some(MachineChoice::Given(given)) => pairs.add("mt", machine::to_link(given)),
        None => {}
    }
    let edits: Vec<String> = doc
        .edits
        .iter()
        .flat_map(|(state, edit)| state_texts(state, edit))
        .collect();
    pairs.add_if(!edits.is_empty(), "st", || edits.join(","));
    pairs.add("a", governor_text(doc.a.governor));
    pairs.add_if(doc.b.governor.is_some(), "b", || governor_text(doc.b.governor));
    settings(doc, &plain, pairs);
    pairs.add_if(doc.exit_percent != plain.exit_percent, "xe", || {
        doc.exit_percent.to_string()
    });
    if let Some(cost) = doc.tick_cost {
        pairs.add("tc", duration::to_link(cost));
    }
    let costs: Vec<String> = doc
        .costs
        .iter()
        .map(|(cost, value)| format!("{}.{}", cost.key(), cost.text(value)))
        .collect();
    pairs.add_if(!costs.is_empty(), "cost", || costs.join(","));
    if let Some(power) = doc.shared_power {
        pairs.add("sp", power_text(power));
    }
    if let Some(from) = doc.shared_residency {
        pairs.add("sr", duration::to_link(from));
    }
    pairs.add_if(doc.frequency != plain.frequency, "f", || {
        let named = FrequencyRule::NAMED
            .iter()
            .find(|(_, rule)| *rule == doc.frequency);
        named.map_or_else(String::new, |(name, _)| (*name).to_owned())
    });
    if let Some(mhz) = doc.start_mhz {
        pairs.add("fs", mhz.to_string());
    }
}

fn param_text(kind: Option<Kind>, value: i64) -> String {
    match kind {
        Some(Kind::Time { .. }) => duration::to_link(crate::units::Ns::new(value)),
        _ => value.to_string(),
    }
}

/// The name of the state before an added one. `af` in front of it must not read as the word `after`.
fn place_after(name: &str) -> String {
    match name.strip_prefix(SPELLED_OUT) {
        Some(rest) => format!("~74er{}", escape(rest)),
        None => escape(name),
    }
}

fn governor_text(governor: Option<Choice>) -> String {
    governor.map_or_else(|| "off".to_owned(), |choice| choice.to_string())
}

fn settings(doc: &Doc, plain: &Doc, pairs: &mut Pairs) {
    let (set, default) = (&doc.settings, &plain.settings);
    pairs.add_if(set.hz != default.hz, "hz", || set.hz.to_string());
    pairs.add_if(set.nohz != default.nohz, "nohz", || flag(set.nohz));
    pairs.add_if(set.rate_limit != default.rate_limit, "rl", || {
        duration::to_link(set.rate_limit)
    });
    pairs.add_if(set.latency != default.latency, "lat", || {
        latency_text(set.latency)
    });
    for side in Side::ALL {
        let over = &doc.variant(side).over;
        let key = |name: &str| format!("{name}.{}", side.letter().to_ascii_lowercase());
        if let Some(hz) = over.hz {
            pairs.add(&key("hz"), hz.to_string());
        }
        if let Some(nohz) = over.nohz {
            pairs.add(&key("nohz"), flag(nohz));
        }
        if let Some(limit) = over.rate_limit {
            pairs.add(&key("rl"), duration::to_link(limit));
        }
        if let Some(limit) = over.latency {
            pairs.add(&key("lat"), latency_text(limit));
        }
    }
}

fn flag(on: bool) -> String {
    u8::from(on).to_string()
}

fn latency_text(limit: LatencyLimit) -> String {
    match limit {
        LatencyLimit::None => "none".to_owned(),
        LatencyLimit::Max(limit) => duration::to_link(limit),
    }
}

/// `C6.tr290us` and the like.
fn state_texts(state: &str, edit: &StateEdit) -> Vec<String> {
    let state = escape(state);
    let mut texts = Vec::new();
    match &edit.presence {
        Presence::Own => {}
        Presence::Removed => texts.push(format!("{state}.gone")),
        Presence::Added { after } => texts.push(format!("{state}.af{}", place_after(after))),
    }
    if let Some(on) = edit.on {
        texts.push(format!("{state}.{}", if on { "on" } else { "off" }));
    }
    if let Some(residency) = edit.target_residency {
        texts.push(format!("{state}.tr{}", duration::to_link(residency)));
    }
    if let Some(latency) = edit.exit_latency {
        texts.push(format!("{state}.xl{}", duration::to_link(latency)));
    }
    if let Some(power) = edit.power {
        texts.push(format!("{state}.mw{}", power_text(power)));
    }
    texts
}

/// A power in mW, with as many decimals as it needs.
pub(super) fn power_text(power: Microwatts) -> String {
    let uw = power.as_uw();
    let fraction = format!("{:03}", uw % 1_000);
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{}{point}{fraction}", uw / 1_000)
}

fn place(view: &View, pairs: &mut Pairs) {
    let plain = View::default();
    pairs.add_if(view.cpu != plain.cpu, "cpu", || view.cpu.number().to_string());
    pairs.add_if(view.lane != plain.lane, "lane", || view.lane.letter().to_owned());
    match view.decision {
        Some(n) => pairs.add("d", (u64::from(n) + 1).to_string()),
        None => pairs.add_if(view.cursor != plain.cursor, "at", || instant(view.cursor)),
    }
    if let Some(pin) = view.pin {
        pairs.add("pin", pin_text(pin));
    }
    if let Some(window) = view.window {
        pairs.add("win", window_text(window));
    }
    if let Some(range) = view.range {
        pairs.add("range", window_text(range));
    }
    let cpus = |cpus: &[CpuId]| {
        let numbers: Vec<String> = cpus.iter().map(|cpu| cpu.number().to_string()).collect();
        numbers.join(",")
    };
    pairs.add_if(!view.open_cpus.is_empty(), "open", || cpus(&view.open_cpus));
    let lanes = |lanes: &[LaneId]| {
        let letters: Vec<&str> = lanes.iter().map(|lane| lane.letter()).collect();
        letters.join(",")
    };
    pairs.add_if(!view.hidden.is_empty(), "hide", || lanes(&view.hidden));
    if let Some((name, _)) = Panel::NAMED.iter().find(|(_, panel)| *panel == view.panel) {
        pairs.add("panel", name);
    }
    if let Some((name, ..)) = Tab::NAMED
        .iter()
        .find(|(.., tab)| *tab == view.tab && *tab != plain.tab)
    {
        pairs.add("tab", name);
    }
    pairs.add_if(view.kernel_names, "names", || "kernel".to_owned());
    pairs.add_if(view.embed, "embed", || flag(true));
}

fn instant(t: Time) -> String {
    duration::to_link(t.saturating_since(Time::ZERO))
}

fn window_text(window: Window) -> String {
    format!("{}~{}", instant(window.from()), instant(window.to()))
}

fn pin_text(pin: Selection) -> String {
    let n = u64::from(pin.n) + 1;
    format!("{}.{}.{n}", pin.lane.letter(), pin.cpu.number())
}
