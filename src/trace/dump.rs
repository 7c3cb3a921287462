//! A governor's own numbers: what somebody had it print with `trace_printk`.
//!
//! No kernel prints this by itself, so the format is one that a single line of C makes (spec
//! trace-text-formats.md, D11, knows the frame only):
//!
//! ```text
//! <idle>-0 [002] d..1. 812.000099: teo_select: hits=512,0,37 intercepts=0,64,0 total=613
//! <idle>-0 [002] d..1. 812.000099: bprint:     teo_update: cpu=2 state=1 hits=0 intercepts=64
//! ```
//!
//! A function whose name begins with `teo_` or `menu_`, as the event or in front of a `bprint`, then
//! `key=value` between blanks: a number, or numbers by state or slot with commas between. `cpu=`
//! names the CPU if it is not the recording one; `state=` says where lists by state begin. What
//! `*_reflect` prints is what was remembered before the next select learns, anything else after.
//!
//! Invariants: a line gives all its values or none; keys that are not known here are counted by
//! name; values are kept up to a limit of their own, since one line may hold many.

use serde::Serialize;

use super::args::any_number;
use super::head::is_blank;
use super::names::Known;
use crate::units::{CpuId, Time};

/// Whose numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// A teo.
    Teo,
    /// A menu.
    Menu,
}

/// When it was printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// While a state was selected, after the last period was learnt.
    Select,
    /// When a period ended, before it was learnt.
    Reflect,
}

/// What a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Key {
    /// teo, by state.
    Hits,
    /// teo, by state.
    Intercepts,
    /// teo, by state: intercepts among the last wakeups.
    Recent,
    /// The first teo, by state.
    Misses,
    /// The first teo, by state.
    EarlyHits,
    /// teo.
    Total,
    /// teo.
    TickHits,
    /// teo.
    TickIntercepts,
    /// teo.
    TickWakeups,
    /// teo.
    ShortIdles,
    /// menu: which factor is in use.
    Bucket,
    /// menu: the factor in use, in 1/8192.
    Factor,
    /// menu, by bucket, in 1/8192.
    Factors,
    /// menu and the first teo, by slot, µs.
    Intervals,
}

impl Key {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Hits,
        Self::Intercepts,
        Self::Recent,
        Self::Misses,
        Self::EarlyHits,
        Self::Total,
        Self::TickHits,
        Self::TickIntercepts,
        Self::TickWakeups,
        Self::ShortIdles,
        Self::Bucket,
        Self::Factor,
        Self::Factors,
        Self::Intervals,
    ];

    /// As printed.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hits => "hits",
            Self::Intercepts => "intercepts",
            Self::Recent => "recent",
            Self::Misses => "misses",
            Self::EarlyHits => "early_hits",
            Self::Total => "total",
            Self::TickHits => "tick_hits",
            Self::TickIntercepts => "tick_intercepts",
            Self::TickWakeups => "tick_wakeups",
            Self::ShortIdles => "short_idles",
            Self::Bucket => "bucket",
            Self::Factor => "factor",
            Self::Factors => "factors",
            Self::Intervals => "intervals",
        }
    }

    /// Whether its numbers go by idle state.
    #[must_use]
    pub const fn is_by_state(self) -> bool {
        matches!(
            self,
            Self::Hits | Self::Intercepts | Self::Recent | Self::Misses | Self::EarlyHits
        )
    }

    /// Whether it has more than one number.
    #[must_use]
    pub const fn is_list(self) -> bool {
        self.is_by_state() || matches!(self, Self::Factors | Self::Intervals)
    }

    fn of(name: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.name().as_bytes() == name)
    }
}

/// One number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// What it is.
    pub key: Key,
    /// Which one of a list, from 0, below [`MOST_IN_LIST`]; 0 where there is no list.
    pub at: u8,
    /// The number; one printed with a sign is its low 32 bits.
    pub number: u32,
}

/// Numbers in one list, at most.
pub const MOST_IN_LIST: u8 = 16;

/// One line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dump {
    /// The stamp, ns on the trace's own clock.
    pub time: Time,
    /// The CPU whose governor printed it.
    pub cpu: CpuId,
    /// Whose numbers.
    pub family: Family,
    /// When.
    pub moment: Moment,
    /// The line, from 1.
    pub line: u64,
    first: u32,
    values: u32,
}

/// All dumps of a trace, sorted by time, stable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dumps {
    list: Vec<Dump>,
    values: Vec<Value>,
}

impl Dumps {
    /// The lines.
    #[must_use]
    pub fn list(&self) -> &[Dump] {
        &self.list
    }

    /// The numbers of a line; empty for a dump of another trace.
    #[must_use]
    pub fn values(&self, dump: &Dump) -> &[Value] {
        let range = |first: u32, count: u32| {
            let first = usize::try_from(first).ok()?;
            Some(first..first.checked_add(usize::try_from(count).ok()?)?)
        };
        range(dump.first, dump.values)
            .and_then(|range| self.values.get(range))
            .unwrap_or_default()
    }

    pub(super) fn push(&mut self, dump: Dump, values: &[Value]) {
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        self.list.push(Dump {
            first: count(self.values.len()),
            values: count(values.len()),
            ..dump
        });
        self.values.extend_from_slice(values);
    }

    /// Whether so many numbers more stay within the limit.
    pub(super) fn has_room(&self, more: usize, limit: usize) -> bool {
        self.values.len().saturating_add(more) <= limit
    }

    pub(super) fn sort(&mut self) {
        self.list.sort_by_key(|dump| dump.time);
    }
}

/// Why a line that looks like a dump is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// No key that is known.
    NoKey,
    /// The value of this key is no number of 32 bits.
    Value(&'static str),
    /// A list with too many numbers, or beyond the last state.
    Long,
    /// A CPU number beyond the limit.
    Cpu,
    /// More numbers than are kept.
    Full,
}

/// What a line says, the numbers apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Said<'a> {
    pub(super) family: Family,
    pub(super) moment: Moment,
    pub(super) message: &'a [u8],
}

/// The function and its message, where the line is of a governor.
pub(super) fn said<'a>(event: Known, name: &'a [u8], args: &'a [u8]) -> Option<Said<'a>> {
    let (function, message) = if event == Known::Printk {
        let end = args.iter().position(is_blank).unwrap_or(args.len());
        let (function, rest) = args.split_at_checked(end)?;
        (function.strip_suffix(b":")?, rest)
    } else {
        (name, args)
    };
    let moment = if memchr::memmem::find(function, b"_reflect").is_some() {
        Moment::Reflect
    } else {
        Moment::Select
    };
    Some(Said {
        family: family(function)?,
        moment,
        message,
    })
}

/// By the beginning of the function's name.
pub(super) fn family(function: &[u8]) -> Option<Family> {
    if function.starts_with(b"teo_") {
        Some(Family::Teo)
    } else if function.starts_with(b"menu_") {
        Some(Family::Menu)
    } else {
        None
    }
}

/// The pairs of a message: numbers go to `values`, names of unknown keys to `unknown`; both are
/// emptied before. Answers the CPU that the message names.
pub(super) fn pairs<'a>(
    message: &'a [u8],
    max_cpus: u32,
    values: &mut Vec<Value>,
    unknown: &mut Vec<&'a [u8]>,
) -> Result<Option<CpuId>, Fault> {
    values.clear();
    unknown.clear();
    let (mut cpu, mut state) = (None, 0);
    for word in message.split(is_blank).filter(|word| !word.is_empty()) {
        let Some(equals) = memchr::memchr(b'=', word) else {
            // `teo_update:` once more, or a word between.
            if !word.ends_with(b":") {
                unknown.push(word);
            }
            continue;
        };
        let (name, value) = (
            word.get(..equals).unwrap_or_default(),
            word.get(equals + 1..).unwrap_or_default(),
        );
        match (name, Key::of(name)) {
            (b"cpu", _) => {
                let number = number(value).ok_or(Fault::Value("cpu"))?;
                let in_range = number < max_cpus;
                let id = u16::try_from(number).ok().filter(|_| in_range);
                cpu = Some(CpuId::new(id.ok_or(Fault::Cpu)?));
            }
            (b"state", _) => {
                let number = number(value).ok_or(Fault::Value("state"))?;
                let idx = u8::try_from(number).ok().filter(|idx| *idx < MOST_IN_LIST);
                state = idx.ok_or(Fault::Long)?;
            }
            (_, Some(key)) => list(key, value, values)?,
            (_, None) => unknown.push(name),
        }
    }
    for value in values.iter_mut().filter(|value| value.key.is_by_state()) {
        value.at = value.at.saturating_add(state);
        if value.at >= MOST_IN_LIST {
            return Err(Fault::Long);
        }
    }
    if values.is_empty() {
        return Err(Fault::NoKey);
    }
    Ok(cpu)
}

fn list(key: Key, value: &[u8], values: &mut Vec<Value>) -> Result<(), Fault> {
    let most = if key.is_list() { MOST_IN_LIST } else { 1 };
    for (at, text) in trimmed(value).split(|byte| *byte == b',').enumerate() {
        let at = u8::try_from(at).ok().filter(|at| *at < most).ok_or(Fault::Long)?;
        let number = number(text).ok_or(Fault::Value(key.name()))?;
        values.push(Value { key, at, number });
    }
    Ok(())
}

/// Without brackets around it, and a comma or semicolon behind.
fn trimmed(value: &[u8]) -> &[u8] {
    let value = value
        .strip_suffix(b",")
        .or_else(|| value.strip_suffix(b";"))
        .unwrap_or(value);
    let inner = |open: u8, close: u8| value.strip_prefix(&[open])?.strip_suffix(&[close]);
    let inside = inner(b'[', b']').or_else(|| inner(b'{', b'}')).unwrap_or(value);
    inside.strip_suffix(b",").unwrap_or(inside)
}

/// Decimal, with a sign perhaps, or hex; 32 bits.
fn number(text: &[u8]) -> Option<u32> {
    let text = text
        .strip_suffix(b",")
        .or_else(|| text.strip_suffix(b";"))
        .unwrap_or(text);
    match text.strip_prefix(b"-") {
        Some(magnitude) => {
            let magnitude = i64::try_from(any_number(magnitude)?).ok()?;
            i32::try_from(-magnitude).ok().map(i32::cast_unsigned)
        }
        None => u32::try_from(any_number(text)?).ok(),
    }
}

impl Said<'_> {
    /// The line's entry in the list; its numbers are added by [`Dumps::push`].
    pub(super) const fn dump(&self, time: Time, cpu: CpuId, line: u64) -> Dump {
        Dump {
            time,
            cpu,
            family: self.family,
            moment: self.moment,
            line,
            first: 0,
            values: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::trace::names;

    #[track_caller]
    fn check(event: &str, args: &str, expect: &str) {
        let known = names::known(event.as_bytes()).expect("the test names an event that may be a dump");
        let got = match said(known, event.as_bytes(), args.as_bytes()) {
            None => "none of a governor".to_owned(),
            Some(said) => {
                let (mut values, mut unknown) = (Vec::new(), Vec::new());
                match pairs(said.message, 64, &mut values, &mut unknown) {
                    Err(fault) => format!("{fault:?}"),
                    Ok(cpu) => {
                        let mut text = format!("{:?} {:?}", said.family, said.moment);
                        if let Some(cpu) = cpu {
                            let _ = write!(text, " {cpu}");
                        }
                        for value in &values {
                            let _ = write!(text, " {}[{}]={}", value.key.name(), value.at, value.number);
                        }
                        for name in &unknown {
                            let _ = write!(text, " ?{}", String::from_utf8_lossy(name));
                        }
                        text
                    }
                }
            }
        };
        assert_eq!(got, expect, "{event}: {args}");
    }

    #[test]
    fn the_function_is_the_event_or_stands_before_the_message() {
        let one = "Teo Select hits[0]=5 hits[1]=0";
        check("teo_update", "hits=5,0", one);
        check("bprint", "teo_update: hits=5,0", one);
        check("print", "teo_select.part.0:  hits=5,0", one);
        check("bputs", "teo_update: teo_update: hits=5,0", one);
        check("menu_select", "factor=8192", "Menu Select factor[0]=8192");
        check("teo_reflect", "total=9", "Teo Reflect total[0]=9");
        check("bprint", "do_idle: hits=5", "none of a governor");
        check("print", "B|1234|teo_update", "none of a governor");
        check("bprint", "", "none of a governor");
    }

    #[test]
    fn numbers_are_read_in_every_spelling() {
        check(
            "teo_update",
            "cpu=7, hits=[1,0x2,3], total=6;",
            "Teo Select cpu7 hits[0]=1 hits[1]=2 hits[2]=3 total[0]=6",
        );
        check(
            "teo_update",
            "recent=-1,4294967295,",
            "Teo Select recent[0]=4294967295 recent[1]=4294967295",
        );
        check(
            "menu_select",
            "bucket=3 factors=8192,7 intervals=1,2",
            "Menu Select bucket[0]=3 factors[0]=8192 factors[1]=7 intervals[0]=1 intervals[1]=2",
        );
    }

    #[test]
    fn a_line_per_state_says_where_its_numbers_belong() {
        check(
            "teo_update",
            "hits=9 state=2 intercepts=4 total=13",
            "Teo Select hits[2]=9 intercepts[2]=4 total[0]=13",
        );
        check("teo_update", "state=15 hits=1,2", "Long");
        check("teo_update", "state=16 hits=1", "Long");
    }

    #[test]
    fn unknown_keys_are_named_and_do_no_harm() {
        check(
            "teo_update",
            "now: total=1 foo=bar util=9 here",
            "Teo Select total[0]=1 ?foo ?util ?here",
        );
    }

    #[test]
    fn what_looks_like_a_dump_but_is_none_says_why() {
        check("teo_update", "foo=1", "NoKey");
        check("teo_update", "", "NoKey");
        check("teo_update", "cpu=1", "NoKey");
        check("teo_update", "hits=", r#"Value("hits")"#);
        check("teo_update", "hits=1,,2", r#"Value("hits")"#);
        check("teo_update", "hits=1,2x", r#"Value("hits")"#);
        check("teo_update", "total=4294967296", r#"Value("total")"#);
        check("teo_update", "total=1,2", "Long");
        check("teo_update", "cpu=x total=1", r#"Value("cpu")"#);
        check("teo_update", "cpu=64 total=1", "Cpu");
        let seventeen = ["1"; 17].join(",");
        check("teo_update", &format!("hits={seventeen}"), "Long");
    }
}
