//! Idle-state tables and counters that people paste, recognised by what they contain.
//!
//! `grep .` and `head` over sysfs, bare `cat`, cpupower, pepc, devicetree source and blob, states of a driver in C, turbostat (spec
//! trace-text-formats.md, D10), and energy models of idlestat (spec energy.md §2). One text may hold several:
//! an attribute that comes a second time begins the next [`Sheet`], so that a dump from before and one from
//! after stay apart. What mail did to the text is undone first.
//!
//! Invariants: what a text does not say is `None`, never zero; CPUs keep tables of their own; the
//! number of sheets, CPUs and states is bounded; no input panics.

mod blob;
mod columns;
mod devicetree;
mod driver;
mod listing;
mod model;
mod sysfs;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::mail;
use super::remark::shown;

/// Which tool wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// `grep .` or `head` over `cpuidle/state*/*`.
    Sysfs,
    /// `cat state*/*`: values alone, in the order of the files' names.
    Cat,
    /// `cpupower idle-info`.
    IdleInfo,
    /// `cpupower monitor`.
    Monitor,
    /// `pepc cstates info`.
    Pepc,
    /// Devicetree source or blob with `idle-states`.
    DeviceTree,
    /// The array of states of a driver, in C.
    Driver,
    /// An energy model of idlestat; each cluster is a sheet of its own.
    EnergyModel,
    /// turbostat.
    Turbostat,
}

impl Form {
    /// What its users call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sysfs => "cpuidle sysfs attributes",
            Self::Cat => "values of cpuidle/state*/* without names",
            Self::IdleInfo => "cpupower idle-info",
            Self::Monitor => "cpupower monitor",
            Self::Pepc => "pepc cstates info",
            Self::DeviceTree => "devicetree idle-states",
            Self::Driver => "states of a driver in C",
            Self::EnergyModel => "idlestat energy model",
            Self::Turbostat => "turbostat",
        }
    }
}

/// A number that a table may give for a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Attr {
    /// Exit latency, µs.
    Latency,
    /// Target residency, µs.
    Residency,
    /// As sysfs prints it.
    Power,
    /// Not 0 when the state is switched off.
    Disable,
    /// How often it was requested.
    Usage,
    /// Time in it, µs.
    Time,
    /// Too deep.
    Above,
    /// Too shallow.
    Below,
    /// How often the request was refused.
    Rejected,
    /// Share of the interval, 1/100 of a per cent.
    Share,
    /// Power of a cluster in it, in a unit that the text does not name.
    ClusterPower,
    /// Power of a core in it, in the same unit.
    CorePower,
}

impl Attr {
    /// What sysfs gives, by the name of its file.
    pub const SYSFS: [(&'static str, Self); 9] = [
        ("latency", Self::Latency),
        ("residency", Self::Residency),
        ("power", Self::Power),
        ("disable", Self::Disable),
        ("usage", Self::Usage),
        ("time", Self::Time),
        ("above", Self::Above),
        ("below", Self::Below),
        ("rejected", Self::Rejected),
    ];
}

/// One state; what is absent was not said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// The driver's name.
    pub name: Option<String>,
    /// The driver's description.
    pub desc: Option<String>,
    /// Whether the driver switched it on by itself.
    pub default_on: Option<bool>,
    /// Whether the CPU's own timer stops in it.
    pub timer_stop: Option<bool>,
    numbers: BTreeMap<Attr, u64>,
}

impl State {
    /// A number; none when the text does not give it.
    #[must_use]
    pub fn get(&self, attr: Attr) -> Option<u64> {
        self.numbers.get(&attr).copied()
    }
}

/// The states of one CPU, by the kernel's index; by their place where the text has no index.
pub type States = BTreeMap<u8, State>;

/// One table, or the counters of one moment or interval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sheet {
    /// Who wrote it.
    pub form: Form,
    /// The cpuidle driver.
    pub driver: Option<String>,
    /// The governor.
    pub governor: Option<String>,
    /// The interval that counters cover, µs.
    pub interval_us: Option<u64>,
    /// The cluster that it is about, where it is about one.
    pub cluster: Option<String>,
    /// By CPU; `None` where the text names no CPU.
    pub cpus: BTreeMap<Option<u16>, States>,
}

impl Sheet {
    const fn new(form: Form) -> Self {
        Self {
            form,
            driver: None,
            governor: None,
            interval_us: None,
            cluster: None,
            cpus: BTreeMap::new(),
        }
    }

    /// CPUs with the same names, descriptions, latencies and residencies, together; in the order of
    /// their first CPU.
    #[must_use]
    pub fn groups(&self) -> Vec<(Vec<Option<u16>>, &States)> {
        let mut groups: Vec<(Vec<Option<u16>>, &States)> = Vec::new();
        for (cpu, states) in &self.cpus {
            match groups.iter_mut().find(|(_, other)| same_table(other, states)) {
                Some((cpus, _)) => cpus.push(*cpu),
                None => groups.push((vec![*cpu], states)),
            }
        }
        groups
    }
}

fn same_table(a: &States, b: &States) -> bool {
    let face = |state: &State| {
        (
            state.name.clone(),
            state.desc.clone(),
            state.get(Attr::Latency),
            state.get(Attr::Residency),
        )
    };
    a.len() == b.len()
        && a.iter()
            .zip(b)
            .all(|((i, a), (j, b))| i == j && face(a) == face(b))
}

/// What was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tables {
    /// In the order of the text; at least one.
    pub sheets: Vec<Sheet>,
    /// Lines that are neither blank nor understood.
    pub unread: u64,
    /// The first of them, from 1; 0 when there is none.
    pub first_unread: u64,
    /// The beginning of that line, escaped; empty when there is none.
    pub first_text: String,
    /// Lines in all that are not blank; 0 of a blob.
    pub lines: u64,
}

/// Why a text is no table.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TablesError {
    /// Longer than any table.
    #[error("{bytes} bytes are too many for a state table: expected at most {MOST_BYTES}")]
    Long {
        /// How long it is.
        bytes: usize,
    },
    /// More lines than any table has.
    #[error("{lines} lines are too many for a state table: expected at most {MOST_LINES}")]
    Lines {
        /// How many there are.
        lines: usize,
    },
    /// Nothing of it is a state.
    #[error(
        "no idle state in this text: expected lines like `cpu0/cpuidle/state1/residency:20`, \
         cpupower, pepc, turbostat or devicetree idle-states"
    )]
    NoState,
    /// A devicetree blob that breaks its own rules.
    #[error("the devicetree blob is damaged: expected {expected} at byte {byte}")]
    Blob {
        /// Where.
        byte: u64,
        /// What should be there.
        expected: &'static str,
    },
    /// The tool says that there are none.
    #[error(
        "cpupower found no idle states at line {line} (driver: {driver}): expected a machine with a cpuidle driver"
    )]
    NoDriver {
        /// The line that says so, from 1.
        line: u64,
        /// As printed; `unknown` when the text does not say.
        driver: String,
    },
}

/// Longest text, bytes: 4096 CPUs with 16 states take less.
pub const MOST_BYTES: usize = 64 << 20;
/// Lines of a text, at most: twelve for each of 16 states of 4096 CPUs are fewer.
pub const MOST_LINES: usize = 1 << 20;
/// States of a CPU, at most.
const MOST_STATES: u8 = 16;
/// CPUs, at most.
const MOST_CPUS: u16 = 4096;
/// Sheets of one text, at most; lines of later ones count as unread.
const MOST_SHEETS: usize = 1024;

/// Reads a table or counters in any of the forms.
///
/// # Errors
///
/// [`TablesError`] when the text is too long or holds no state.
pub fn read(input: &[u8]) -> Result<Tables, TablesError> {
    if input.len() > MOST_BYTES {
        return Err(TablesError::Long { bytes: input.len() });
    }
    // Each line costs memory of its own, however short it is.
    let lines = memchr::memchr_iter(b'\n', input).count();
    if lines > MOST_LINES {
        return Err(TablesError::Lines { lines });
    }
    let mut desk = Desk::default();
    if blob::is_blob(input) {
        blob::read(input, &mut desk)?;
        return done(desk, &[]);
    }
    let lines = mail::plain_lines(input);
    if model::is_model(&lines) {
        model::read(&lines, &mut desk);
    } else if lines.iter().any(|line| line.contains("-latency-us")) {
        devicetree::read(&lines, &mut desk);
    } else if driver::is_driver(&lines) {
        driver::read(&lines, &mut desk);
    } else if lines.iter().any(|line| sysfs::is_line(line)) {
        sysfs::read(&lines, &mut desk);
    } else if lines.iter().any(|line| columns::is_head(line)) {
        columns::read(&lines, &mut desk);
    } else if lines.iter().any(|line| listing::is_line(line)) {
        listing::read(&lines, &mut desk)?;
    } else {
        sysfs::bare(&lines, &mut desk);
    }
    done(desk, &lines)
}

fn done(mut desk: Desk, lines: &[String]) -> Result<Tables, TablesError> {
    desk.sheets.retain(|sheet| !sheet.cpus.is_empty());
    if desk.sheets.is_empty() {
        return Err(TablesError::NoState);
    }
    let first = desk.first_unread.checked_sub(1);
    let first = first.and_then(|at| lines.get(usize::try_from(at).ok()?));
    Ok(Tables {
        sheets: desk.sheets,
        unread: desk.unread,
        first_unread: desk.first_unread,
        first_text: first.map_or_else(String::new, |line| shown(line.trim().as_bytes())),
        lines: lines.iter().map(|line| u64::from(!line.is_empty())).sum(),
    })
}

/// Where a value belongs.
#[derive(Clone, Copy)]
struct Place {
    cpu: Option<u16>,
    state: u8,
}

/// What the readers write on.
#[derive(Default)]
struct Desk {
    sheets: Vec<Sheet>,
    unread: u64,
    first_unread: u64,
}

impl Desk {
    fn unread(&mut self, at: usize) {
        self.unread += 1;
        if self.first_unread == 0 {
            self.first_unread = u64::try_from(at).map_or(u64::MAX, |at| at.saturating_add(1));
        }
    }

    /// The next sheet, while there is room.
    fn begin(&mut self, form: Form) -> bool {
        let room = self.sheets.len() < MOST_SHEETS;
        if room {
            self.sheets.push(Sheet::new(form));
        }
        room
    }

    fn sheet(&mut self, form: Form) -> Option<&mut Sheet> {
        if self.sheets.is_empty() {
            self.begin(form);
        }
        self.sheets.last_mut()
    }

    fn state(&mut self, form: Form, place: Place) -> Option<&mut State> {
        if place.state >= MOST_STATES || place.cpu.is_some_and(|cpu| cpu >= MOST_CPUS) {
            return None;
        }
        let states = self.sheet(form)?.cpus.entry(place.cpu).or_default();
        Some(states.entry(place.state).or_default())
    }

    /// Whether the last sheet has this attribute already.
    fn has(&self, place: Place, key: &str) -> bool {
        self.sheets
            .last()
            .and_then(|sheet| sheet.cpus.get(&place.cpu)?.get(&place.state))
            .is_some_and(|state| match key {
                "name" => state.name.is_some(),
                "desc" => state.desc.is_some(),
                "default_status" => state.default_on.is_some(),
                _ => attr(key).is_some_and(|attr| state.get(attr).is_some()),
            })
    }

    /// Writes a value as sysfs names it; false when the key or the value is none.
    fn put(&mut self, form: Form, place: Place, key: &str, value: &str) -> bool {
        let number = attr(key).map(|attr| (attr, value.parse().ok()));
        let on = match value {
            "enabled" => Some(true),
            "disabled" => Some(false),
            _ => None,
        };
        let is_sound = match key {
            "name" | "desc" => !value.is_empty(),
            "default_status" => on.is_some(),
            _ => matches!(number, Some((_, Some(_)))),
        };
        if !is_sound {
            return false;
        }
        let Some(state) = self.state(form, place) else {
            return false;
        };
        match (key, number) {
            ("name", _) => state.name = Some(value.to_owned()),
            ("desc", _) => state.desc = Some(value.to_owned()),
            ("default_status", _) => state.default_on = on,
            (_, Some((attr, Some(number)))) => {
                state.numbers.insert(attr, number);
            }
            _ => return false,
        }
        true
    }
}

/// By the name of the sysfs file.
fn attr(key: &str) -> Option<Attr> {
    let found = Attr::SYSFS.iter().find(|(name, _)| *name == key);
    found.map(|(_, attr)| *attr)
}
