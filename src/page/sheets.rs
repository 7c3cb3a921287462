//! Tables and counters that were opened, and the report about them: what was read, what was ignored, what is
//! unknown.

use super::given::{self, Given, NoMachine};
use super::words::number::{Style, count, cpus};
use crate::trace::tables::{Attr, Form, Sheet, State, Tables};

/// Readings that are kept; older ones are forgotten.
pub const MOST_READINGS: usize = 16;

/// One file or paste.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub tables: Tables,
    /// What became of it on the page, in sentences.
    pub done: Vec<String>,
}

/// The machine that tables describe: that of the last sheet that says enough of one.
///
/// # Errors
/// Why there is none: of the last sheet that could have been one.
pub fn machine(name: &str, tables: &Tables) -> Result<(Given, Vec<given::Assumed>), NoMachine> {
    let mut why = NoMachine::NoTimes;
    let sheets = tables
        .sheets
        .iter()
        .filter(|sheet| sheet.form != Form::EnergyModel);
    for sheet in sheets.rev() {
        match Given::of(&format!("table of {name}"), sheet) {
            Ok(found) => return Ok(found),
            Err(error) if why == NoMachine::NoTimes => why = error,
            Err(_) => {}
        }
    }
    Err(why)
}

/// What a report says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SheetReport {
    /// Tool, CPUs, states, driver, governor.
    pub headline: String,
    /// What was read, a line each.
    pub read: Vec<String>,
    /// What was left out.
    pub ignored: Vec<String>,
    /// What the text does not say.
    pub unknown: Vec<String>,
}

/// The report about one reading.
#[must_use]
pub fn report(reading: &Reading, style: Style) -> SheetReport {
    let tables = &reading.tables;
    let Some(sheet) = tables.sheets.last() else {
        return SheetReport::default();
    };
    let mut read: Vec<String> = if sheet.form == Form::EnergyModel {
        tables.sheets.iter().flat_map(given::groups).collect()
    } else {
        given::groups(sheet)
    };
    read.extend(reading.done.iter().cloned());
    let ignored = match tables.unread {
        0 => Vec::new(),
        n => vec![format!(
            "{} not understood, the first at line {}: {}",
            plural(n, "line", style),
            count(tables.first_unread, style),
            tables.first_text
        )],
    };
    SheetReport {
        headline: headline(tables, sheet, style),
        read,
        ignored,
        unknown: unknown(sheet),
    }
}

fn plural(n: u64, one: &str, style: Style) -> String {
    match n {
        1 => format!("1 {one}"),
        n => format!("{} {one}s", count(n, style)),
    }
}

fn headline(tables: &Tables, sheet: &Sheet, style: Style) -> String {
    let named = sheet.cpus.keys().flatten().count();
    let states = sheet.cpus.values().map(|states| states.len()).max().unwrap_or(0);
    let mut parts = vec![sheet.form.name().to_owned()];
    if sheet.form == Form::EnergyModel {
        parts.push(plural(len(tables.sheets.len()), "cluster", style));
    } else if named > 0 {
        parts.push(cpus(named));
    }
    parts.push(plural(len(states), "state", style));
    parts.extend(sheet.driver.iter().map(|driver| format!("driver {driver}")));
    parts.extend(
        sheet
            .governor
            .iter()
            .map(|governor| format!("governor {governor}")),
    );
    if sheet.form != Form::EnergyModel && tables.sheets.len() > 1 {
        parts.push(format!(
            "{} of the kind in one text",
            plural(len(tables.sheets.len()), "table", style)
        ));
    }
    if tables.lines > 0 {
        parts.push(plural(tables.lines, "line", style));
    }
    parts.join(", ")
}

fn len(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

/// What no state of the sheet tells, in sentences.
fn unknown(sheet: &Sheet) -> Vec<String> {
    let states = || sheet.cpus.values().flat_map(|states| states.values());
    let lacks = |has: &dyn Fn(&State) -> bool| !states().any(has);
    let lacks_attr = |attr: Attr| lacks(&|state| state.get(attr).is_some());
    let mut said = Vec::new();
    if sheet.form == Form::EnergyModel {
        said.push(
            "the unit of the powers: 1 is taken as 1 mW, so only ratios count; cluster and core power are added up"
                .to_owned(),
        );
        return said;
    }
    said.push("powers: energy figures assume them, as for every machine without measured ones".to_owned());
    if lacks(&|state| state.name.is_some()) {
        said.push("names of the states".to_owned());
    }
    for (attr, what) in [
        (Attr::Latency, "exit latencies"),
        (Attr::Residency, "target residencies"),
        (
            Attr::Disable,
            "which states are switched off: none is taken to be",
        ),
    ] {
        if lacks_attr(attr) {
            said.push(what.to_owned());
        }
    }
    if lacks(&|state| state.timer_stop.is_some()) {
        said.push("in which states the CPU's own timer stops: in none, as taken".to_owned());
    }
    if sheet.cpus.keys().all(Option::is_none) {
        said.push("which CPUs have these states: every CPU is taken to have them".to_owned());
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::tables;

    fn reading(text: &str) -> Reading {
        Reading {
            name: "x".to_owned(),
            tables: tables::read(text.as_bytes()).expect("a table"),
            done: vec!["done".to_owned()],
        }
    }

    #[test]
    fn a_report_says_what_was_read_ignored_and_is_unknown() {
        let text = "hello\ncpu0/cpuidle/state0/name:POLL\ncpu0/cpuidle/state0/latency:0\n\
                    cpu0/cpuidle/state0/residency:0\ncpu0/cpuidle/state0/disable:1\n";
        let report = report(&reading(text), Style::Ascii);
        assert_eq!(
            report.headline,
            "cpuidle sysfs attributes, 1 CPU, 1 state, 5 lines"
        );
        assert_eq!(report.read, ["CPU 0: POLL (off)", "done"]);
        assert_eq!(
            report.ignored,
            ["1 line not understood, the first at line 1: hello"]
        );
        assert_eq!(report.unknown.len(), 2, "{:?}", report.unknown);
    }

    #[test]
    fn the_last_table_with_times_is_the_machine() {
        let dump = |latency: &str| format!("state0/name:A\nstate0/latency:{latency}\nstate0/residency:9\n");
        let text = dump("1") + &dump("2") + "state0/name:A\nstate0/usage:7\n";
        let tables = tables::read(text.as_bytes()).expect("three tables");
        assert_eq!(tables.sheets.len(), 3);
        let (given, assumed) = machine("f", &tables).expect("a machine");
        assert_eq!(given.name(), "table of f");
        assert_eq!(given.clusters()[0].states[0].state.exit_latency.as_ns(), 2_000);
        assert_eq!(assumed, []);
    }
}
