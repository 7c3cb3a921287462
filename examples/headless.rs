//! What the page shows for a link, without a browser.
//!
//! ```text
//! cargo run --release --example headless -- [--json] [--seeds N] [--trace FILE]... 'LINK-FRAGMENT'
//! ```
//!
//! Prints the table for mail, or with `--json` one object with the import report, the recording and
//! both variants. With `--seeds N` also what N seeds give, from the link's own on: the least, the
//! middle and the most of each figure. A file may also hold tables of idle states or counters: a table is the
//! machine of the link's workload, two dumps are the counters of A, two more those of B; without a workload they
//! are printed alone. What was not understood goes to standard error. The samples that come with the page
//! need no file.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use idlescope::page::counters::{self, Counters};
use idlescope::page::doc::{MachineChoice, SampleId, TraceId, Workload};
use idlescope::page::link::{self, write};
use idlescope::page::mail;
use idlescope::page::session::{MOST_SEEDS, Seeds, Session};
use idlescope::page::sheets::{self, Reading};
use idlescope::page::spread;
use idlescope::page::words::number::Style;
use idlescope::trace::TraceError;
use serde_json::{Map, Value, json};

/// Bytes read from a file at once.
const CHUNK: usize = 1 << 20;

/// Events of the engine between two looks at whether a seed is done.
const STEP: u64 = 1_000_000;

const USAGE: &str = "usage: headless [--json] [--seeds N] [--trace FILE]... 'LINK-FRAGMENT'";

#[derive(Default)]
struct Arguments {
    json: bool,
    seeds: Option<u32>,
    files: Vec<PathBuf>,
    fragment: Option<String>,
}

/// Why nothing is printed.
#[derive(Debug)]
pub struct Refusal {
    /// For people.
    pub told: String,
    /// For scripts, when they asked and a trace was given that cannot be used.
    pub json: Option<String>,
}

impl From<String> for Refusal {
    fn from(told: String) -> Self {
        Self { told, json: None }
    }
}

impl Refusal {
    fn of_trace(error: &TraceError, path: &Path, json: bool) -> Self {
        let format = match error {
            TraceError::NotTime { .. } | TraceError::NotTimeClock { .. } => "not-time",
            _ => "unreadable",
        };
        let object = || json!({ "import": { "format": format, "error": error.to_string() } });
        Self {
            told: format!("{error}: {}", path.display()),
            json: json.then(|| format!("{:#}", object())),
        }
    }
}

fn arguments(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut arguments = Arguments::default();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--json" => arguments.json = true,
            "--seeds" => {
                let count = words.next().and_then(|text| text.parse().ok());
                let count = count.filter(|count| (1..=MOST_SEEDS).contains(count));
                let expected = || format!("--seeds needs a number from 1 to {MOST_SEEDS}; {USAGE}");
                arguments.seeds = Some(count.ok_or_else(expected)?);
            }
            "--trace" => {
                let file = words
                    .next()
                    .ok_or_else(|| format!("--trace needs a file; {USAGE}"))?;
                arguments.files.push(file.into());
            }
            option if option.starts_with("--") => return Err(format!("unknown option {option}; {USAGE}")),
            fragment if arguments.fragment.is_none() => arguments.fragment = Some(fragment.to_owned()),
            more => return Err(format!("one link is enough, found another: {more}; {USAGE}")),
        }
    }
    if arguments.fragment.is_none() && arguments.files.is_empty() {
        return Err(USAGE.to_owned());
    }
    Ok(arguments)
}

/// Where the sample lies that the page carries.
fn sample_file(sample: SampleId) -> PathBuf {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("static/samples");
    samples.join(format!("{}.txt.gz", sample.id()))
}

/// Reads a file; what was read unless it was a trace.
fn read(session: &mut Session, path: &Path, json: bool) -> Result<Option<Reading>, Refusal> {
    let told = |error: io::Error| format!("{error}: {}", path.display());
    let refused = |error: TraceError| Refusal::of_trace(&error, path, json);
    let mut file = File::open(path).map_err(told)?;
    let mut chunk = vec![0; CHUNK];
    session.begin_trace();
    loop {
        let len = file.read(&mut chunk).map_err(told)?;
        if len == 0 {
            let tables = session.finish_file().map_err(refused)?;
            let name = path.file_name().unwrap_or(path.as_os_str());
            return Ok(tables.map(|tables| Reading {
                name: name.to_string_lossy().into_owned(),
                tables,
                done: Vec::new(),
            }));
        }
        session
            .feed(chunk.get(..len).unwrap_or_default())
            .map_err(refused)?;
    }
}

/// What is printed for these arguments, or why nothing is.
///
/// # Errors
/// When the words are none of ours, or the trace cannot be used.
pub fn answer(words: impl Iterator<Item = String>) -> Result<String, Refusal> {
    let arguments = arguments(words)?;
    let given = arguments.fragment.unwrap_or_default();
    let fragment = given
        .split_once('#')
        .map_or(given.as_str(), |(_, fragment)| fragment);
    let (mut link, issues) = link::parse(fragment);
    for issue in issues {
        eprintln!("link: {issue}");
    }
    let mut session = Session::new();
    let (mut traces, mut readings) = (0, Vec::new());
    for file in &arguments.files {
        match read(&mut session, file, arguments.json)? {
            Some(reading) => readings.push(reading),
            None => traces += 1,
        }
    }
    let machine = readings
        .iter()
        .rev()
        .find_map(|reading| sheets::machine(&reading.name, &reading.tables).ok());
    if let Some((given, assumed)) = machine {
        for assumed in assumed {
            eprintln!("{assumed}");
        }
        link.doc.machine = Some(MachineChoice::Given(given));
    }
    match (traces, &link.doc.workload) {
        (1, _) => {}
        (2.., _) => return Err(format!("one trace is enough, found {traces}; {USAGE}").into()),
        (_, Workload::Sample(sample)) => {
            read(&mut session, &sample_file(*sample), arguments.json)?;
        }
        (_, Workload::None) if !readings.is_empty() => return tables(&readings, arguments.json),
        (_, Workload::Trace(id)) => {
            return Err(format!("the link means trace {id}: give the file with --trace FILE").into());
        }
        (_, Workload::None) => return Err(format!("the link names no workload; {USAGE}").into()),
        (_, Workload::Generated(_)) => {}
    }
    let mut url = if given.contains('#') {
        given
    } else {
        format!("#{given}")
    };
    // As on the page: the file that is opened is the workload, and the link names it.
    let open = session.traced().filter(|_| link.doc.workload == Workload::None);
    if let Some(id) = open.and_then(|traced| TraceId::parse(&traced.trace.short_hash())) {
        link.doc.workload = Workload::Trace(id);
        let (page, _) = url.split_once('#').unwrap_or_default();
        url = format!("{page}#{}", write(&link));
    }
    for issue in session.ask(&link.doc) {
        eprintln!("{issue}");
    }
    session.finish();
    let seeds = arguments.seeds.map(|count| {
        let mut seeds = Seeds::new(&link.doc, count).ok_or("only generated workloads have seeds")?;
        while seeds.step(STEP) {}
        Ok::<_, String>(seeds)
    });
    let seeds = seeds.transpose()?;
    if arguments.json {
        let mut answer = session.to_json();
        if let (Some(seeds), Some(map)) = (&seeds, answer.as_object_mut()) {
            map.insert("spread".to_owned(), spread::to_json(seeds.done()));
        }
        if let (Value::Object(answer), false) = (&mut answer, readings.is_empty()) {
            answer.extend(tables_json(&readings));
        }
        return printed(&answer);
    }
    let table = mail::of_session(&session, &link.doc, None, &url);
    let table = match &seeds {
        Some(seeds) => format!("{}\n\n{table}", spread::lines(seeds.done()).join("\n")),
        None => table,
    };
    Ok(table + &counters::text(&Counters::of(&readings), false))
}

fn printed(answer: &Value) -> Result<String, Refusal> {
    let text = serde_json::to_string_pretty(answer);
    text.map_err(|error| format!("the answer cannot be written: {error}").into())
}

/// What is printed where nothing is to be run.
fn tables(readings: &[Reading], json: bool) -> Result<String, Refusal> {
    if json {
        let mut answer = tables_json(readings);
        // Where the values of a trace stand, too.
        let first = answer
            .get("tables")
            .and_then(|tables| tables.get(0)?.get("cpus"))
            .cloned();
        answer.insert("import".to_owned(), json!(first));
        return printed(&Value::Object(answer));
    }
    let mut text = String::new();
    for reading in readings {
        let report = sheets::report(reading, Style::Ascii);
        text += &format!("{}: {}\n", reading.name, report.headline);
        let parts = [
            ("read", &report.read),
            ("ignored", &report.ignored),
            ("unknown", &report.unknown),
        ];
        for (what, lines) in parts {
            for line in lines {
                text += &format!("  {what}: {line}\n");
            }
        }
    }
    Ok(text + "\n" + &counters::text(&Counters::of(readings), false))
}

/// Every sheet as it was read, and the counters.
fn tables_json(readings: &[Reading]) -> Map<String, Value> {
    let sheets = || {
        readings
            .iter()
            .flat_map(|reading| reading.tables.sheets.iter().map(move |sheet| (reading, sheet)))
    };
    let told = |(reading, sheet): (&Reading, _)| {
        let mut value = counters::sheet_json(sheet);
        if let Value::Object(map) = &mut value {
            map.insert("file".to_owned(), json!(reading.name));
        }
        value
    };
    let tables: Vec<Value> = sheets().map(told).collect();
    let unread = |reading: &Reading| {
        json!({
            "file": reading.name,
            "lines": reading.tables.lines,
            "unread": reading.tables.unread,
            "first_unread": reading.tables.first_unread,
        })
    };
    let mut map = Map::new();
    map.insert("tables".to_owned(), Value::Array(tables));
    map.insert("read".to_owned(), readings.iter().map(unread).collect());
    map.insert("counters".to_owned(), counters::json(&Counters::of(readings)));
    map
}

fn print(text: &str) -> Result<(), Refusal> {
    writeln!(io::stdout(), "{}", text.trim_end()).map_err(|error| error.to_string().into())
}

fn main() -> ExitCode {
    let Err(refusal) = answer(std::env::args().skip(1)).and_then(|text| print(&text)) else {
        return ExitCode::SUCCESS;
    };
    if let Some(json) = refusal.json {
        // What is wrong is told below in any case.
        let _ = print(&json);
    }
    eprintln!("{}", refusal.told);
    ExitCode::FAILURE
}
