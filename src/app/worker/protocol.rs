//! What page and worker say to each other: two enums, one for each direction.
//!
//! A report about a run carries its number; the page drops what belongs to an older one. A report
//! that answers a question carries the question's ticket; only the newest answer of a kind counts.

use serde::{Deserialize, Serialize};

use crate::analysis::diff::Depth;
use crate::analysis::tick_stops::BUCKETS;
use crate::analysis::why::Tally;
use crate::energy::SharedUse;
use crate::page::doc::Doc;
use crate::page::extras::Extra;
use crate::page::mail::changes::Sides;
use crate::page::plot::timeline::{Chosen, Sent};
use crate::page::session::closed::Loops;
use crate::page::session::{Clock, Shape, Strip};
use crate::page::spread::Row;
use crate::page::sweep::{Point, Swept};
use crate::page::view::LaneId;
use crate::page::words::opening::MachineAsked;
use crate::trace::tables::Tables;
use crate::units::{CpuId, Energy, Microwatts, Ns, Time};

/// What is looked for from a place on the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sought {
    /// Any decision of the lane.
    Decision,
    /// The first or last decision of the CPU.
    Edge,
    /// A decision on any CPU.
    Event,
    /// Where A and B differ.
    Difference,
    /// Where B asked for a deeper or a shallower state than A.
    Depth(Depth),
    /// Too deep or too shallow.
    Miss,
    /// A running tick was stopped.
    TickStop,
}

/// From the page to the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Read the files in `bulk`, one after the other.
    Read {
        /// Their names.
        names: Vec<String>,
    },
    /// Stop reading.
    CancelRead,
    /// Run a question.
    Run {
        /// Number of the run, ascending.
        run: u64,
        /// The question.
        doc: Box<Doc>,
        /// Where the workload's sample lies, if it is one.
        sample: Option<String>,
    },
    /// Stop the run.
    CancelRun,
    /// Pieces of lanes for the timeline.
    Lanes {
        /// Number of the question.
        ticket: u32,
        /// First instant.
        from: Time,
        /// Last instant.
        to: Time,
        /// What of it is seen.
        sight: (Time, Time),
        /// Columns that are drawn, at most.
        columns: u32,
        /// Which CPUs.
        cpus: Vec<CpuId>,
        /// Which lanes.
        lanes: Vec<LaneId>,
        /// Those of them that are drawn in columns at present.
        in_columns: Vec<(CpuId, LaneId)>,
        /// Which strips.
        extras: Vec<Extra>,
        /// Of which CPUs.
        open: Vec<CpuId>,
    },
    /// The whole record in few columns.
    Overview {
        /// Number of the question.
        ticket: u32,
        /// Columns.
        columns: u32,
    },
    /// The next or previous decision of a kind.
    Seek {
        /// Number of the question.
        ticket: u32,
        /// What.
        sought: Sought,
        /// Forward, else back.
        forward: bool,
        /// In which lane.
        lane: LaneId,
        /// From which CPU.
        cpu: CpuId,
        /// From when.
        at: Time,
        /// Only to know where it is, not to go there.
        peek: bool,
    },
    /// The decision under a point.
    At {
        /// Number of the question.
        ticket: u32,
        /// In which lane.
        lane: LaneId,
        /// On which CPU.
        cpu: CpuId,
        /// When.
        at: Time,
        /// For the hover card, else to be selected.
        hover: bool,
    },
    /// Everything about one decision.
    Explain {
        /// Number of the question.
        ticket: u32,
        /// In which lane.
        lane: LaneId,
        /// On which CPU.
        cpu: CpuId,
        /// Which, from 0.
        n: u32,
        /// The range in which differences are counted; none is the whole record.
        range: Option<(Time, Time)>,
        /// It is kept beside the selected one.
        pinned: bool,
    },
    /// The results of the whole record or of a range.
    Results {
        /// Number of the question.
        ticket: u32,
        /// First and last instant; none is the whole record.
        range: Option<(Time, Time)>,
        /// The link that stands under the mail table.
        link: String,
    },
    /// Try the values of a range for one number of the last finished question; the sweep goes on by
    /// itself, and a newer one takes its place.
    Sweep {
        /// Number of the question.
        ticket: u32,
        /// What is varied.
        swept: Swept,
        /// First and last value, ns or µW.
        range: (i64, i64),
        /// The machine's own value.
        own: i64,
    },
    /// Stop the sweep.
    CancelSweep,
    /// Something that takes long; it goes on by itself, and a newer one takes its place.
    Inquire {
        /// Number of the question.
        ticket: u32,
        /// What.
        inquiry: Inquiry,
    },
    /// Stop that.
    CancelInquiry,
    /// Decisions in order, for the table.
    Table {
        /// Number of the question.
        ticket: u32,
        /// How many to leave out.
        skip: u32,
        /// How many to give.
        take: u32,
        /// On which CPU.
        cpu: CpuId,
        /// Only where A and B differ.
        differences: bool,
    },
}

/// From the worker to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Report {
    /// Reading goes on.
    Reading {
        /// The file's name.
        name: String,
        /// Bytes read.
        bytes: u64,
        /// Bytes in all.
        total: u64,
        /// Bytes a second.
        rate: u64,
    },
    /// A trace was read.
    Read {
        /// The file's name.
        name: String,
        /// Its twelve digits; for a sample too.
        id: String,
        /// It came from the user, not with the page.
        own: bool,
        /// What became of its lines.
        import: Box<ImportView>,
    },
    /// No trace, but tables of idle states or counters.
    Tables {
        /// The file's name.
        name: String,
        /// What it holds.
        tables: Box<Tables>,
    },
    /// Reading ended without a trace.
    NotRead {
        /// The file's name.
        name: String,
        /// What is wrong; none when it was cancelled.
        why: Option<(String, String)>,
    },
    /// The machine's states before edits, by group of CPUs.
    States(Vec<GroupView>),
    /// A run began.
    Running {
        /// Number of the run.
        run: u64,
        /// Simulated time done, ns.
        done: Ns,
        /// Simulated time in all, ns.
        total: Ns,
    },
    /// A run is complete.
    Finished {
        /// Number of the run.
        run: u64,
        /// How long it took, ms.
        took_ms: u32,
        /// What it covers.
        facts: Box<Facts>,
    },
    /// A run could not be done.
    NotRun {
        /// Number of the run.
        run: u64,
        /// What, and what was expected; none when it was cancelled.
        why: Option<(String, String)>,
    },
    /// Pieces of lanes; their numbers are in `bulk`, one buffer each.
    Lanes {
        /// Number of the question.
        ticket: u32,
        /// First instant covered.
        from: Time,
        /// Last instant covered.
        to: Time,
        /// What their numbers are.
        pieces: Vec<(CpuId, LaneId, Shape)>,
        /// Where A and B differ on each CPU.
        differs: Vec<(CpuId, Vec<(Time, Time)>)>,
        /// Strips of expanded CPUs.
        strips: Vec<(CpuId, Strip)>,
    },
    /// The whole record in few columns.
    Overview {
        /// Number of the question.
        ticket: u32,
        /// Busy share per column, 0 to 1.
        busy: Vec<f32>,
        /// Differences per column.
        differs: Vec<u32>,
    },
    /// What was sought; none when there is no more.
    Found {
        /// Number of the question.
        ticket: u32,
        /// What was sought.
        sought: Sought,
        /// Forward, else back.
        forward: bool,
        /// In which lane.
        lane: LaneId,
        /// Where.
        found: Option<(CpuId, u32, Time)>,
        /// Only to know where it is, not to go there.
        peek: bool,
    },
    /// The decision under a point, for selection.
    Selected {
        /// Number of the question.
        ticket: u32,
        /// In which lane.
        lane: LaneId,
        /// Where.
        found: Option<(CpuId, u32, Time)>,
    },
    /// The decision under a point, for the hover card.
    Hover {
        /// Number of the question.
        ticket: u32,
        /// Lines of the card, the first one is its title.
        lines: Vec<String>,
        /// First and last instant of the block.
        span: Option<(Time, Time)>,
        /// Who sent the interrupt that ended it, where another CPU did and the trace knows which.
        sent: Option<Sent>,
    },
    /// Everything about one decision.
    Explained {
        /// Number of the question.
        ticket: u32,
        /// None when the lane has no such decision.
        view: Option<Box<DecisionView>>,
        /// It is kept beside the selected one.
        pinned: bool,
    },
    /// The results.
    Results {
        /// Number of the question.
        ticket: u32,
        /// The results.
        view: Box<ResultsView>,
    },
    /// How far a sweep is.
    Sweep {
        /// Number of the question.
        ticket: u32,
        /// What has been found.
        view: Box<SweepView>,
    },
    /// How far something that takes long is.
    Inquiry {
        /// Number of the question.
        ticket: u32,
        /// What has been found.
        view: Box<InquiryView>,
    },
    /// A stretch of the table.
    Table {
        /// Number of the question.
        ticket: u32,
        /// The heads of its columns, the instant first.
        heads: Vec<String>,
        /// Rows in all.
        total: u32,
        /// How many were left out.
        skip: u32,
        /// The rows.
        rows: Vec<TableRow>,
    },
}

/// A question that takes long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Inquiry {
    /// Why states were not chosen.
    Why {
        /// First and last instant; none is the whole record.
        range: Option<(Time, Time)>,
    },
    /// What changed between A and B, and how often that mattered.
    Changes {
        /// First and last instant; none is the whole record.
        range: Option<(Time, Time)>,
        /// The link that stands under the text.
        link: String,
    },
    /// What so many seeds give, from the question's own on.
    Spread {
        /// How many.
        seeds: u32,
    },
}

/// What a question that takes long has led to so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum InquiryView {
    /// Why states were not chosen.
    Why(WhyView),
    /// What changed between A and B.
    Changes(ChangesView),
    /// What several seeds give.
    Spread(SpreadView),
}

/// What several seeds give.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpreadView {
    /// The first and the last seed that is done; none before that.
    pub seeds: Option<(u64, u64)>,
    /// How many are done.
    pub done: u32,
    /// Of how many.
    pub of: u32,
    /// The figures.
    pub rows: Vec<Row>,
    /// More is to come.
    pub under_way: bool,
}

impl SpreadView {
    /// How far it is, in words.
    #[must_use]
    pub fn said(&self) -> String {
        let (done, of) = (self.done, self.of);
        match (self.under_way, self.seeds) {
            (true, _) => format!("{done} of {of} seeds"),
            (false, None) => "given up before the first seed was done".to_owned(),
            (false, Some((first, last))) if done < of => {
                format!("seeds {first} to {last}, given up after {done} of {of}")
            }
            (false, Some((first, last))) => format!("seeds {first} to {last}"),
        }
    }
}

/// Why states were not chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WhyView {
    /// First and last instant; none is the whole record.
    pub range: Option<(Time, Time)>,
    /// Each variant: decisions in the range, and what was found about those looked at.
    pub lanes: Vec<(LaneId, u64, Tally)>,
    /// More is to come.
    pub under_way: bool,
}

/// What changed between A and B.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangesView {
    /// A and B; none unless both were run.
    pub names: Option<(String, String)>,
    /// First and last instant; none is the whole record.
    pub range: Option<(Time, Time)>,
    /// Which decisions count, in words.
    pub place: String,
    /// Decisions that differ, and decisions compared.
    pub counts: Option<(u64, u64)>,
    /// How the differences share the decisions, in sentences.
    pub shared: Vec<String>,
    /// The differences.
    pub rows: Vec<ChangeRow>,
    /// How many are left to be counted.
    pub left: usize,
    /// The same for mail.
    pub text: String,
}

/// One difference between A and B.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeRow {
    /// Where it comes from; may be empty.
    pub source: String,
    /// What differs.
    pub what: String,
    /// What A and what B does in each respect; none where it is one sentence.
    pub sides: Vec<Sides>,
    /// How often it mattered.
    pub mattered: String,
}

/// CPUs with the same idle states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupView {
    /// Their numbers, ascending.
    pub cpus: Vec<CpuId>,
    /// Their states, shallowest first.
    pub states: Vec<StateView>,
}

/// What a sweep has found so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepView {
    /// What is varied.
    pub swept: Swept,
    /// First and last value, ns or µW.
    pub range: (i64, i64),
    /// The machine's own value.
    pub own: i64,
    /// The value of the answered question, and what A and B do with it.
    pub now: Point,
    /// What has been found, in the order in which it was.
    pub points: Vec<Point>,
    /// How many values are left.
    pub left: usize,
}

/// One state of the machine before edits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateView {
    /// Its name.
    pub name: String,
    /// Target residency, ns.
    pub target_residency: Ns,
    /// Exit latency, ns.
    pub exit_latency: Ns,
    /// Power, µW.
    pub power: Microwatts,
    /// Enabled.
    pub on: bool,
    /// Polls.
    pub polling: bool,
    /// The CPU's own timer stops in it.
    pub timer_stop: bool,
}

/// What became of the lines of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportView {
    /// Tool, resolution, CPUs, length, lines, size, hash.
    pub headline: String,
    /// Which file of an archive was read, and which were not; empty where there is no choice.
    pub archive: String,
    /// Lines used, kept but not needed, not readable.
    pub lines: [u64; 3],
    /// Event name, lines, what for.
    pub events: Vec<(String, u64, String)>,
    /// Reason, lines, first lines, what stood there, whether something was lost by it.
    pub skipped: Vec<(String, u64, Vec<u64>, String, bool)>,
    /// Where events were lost: CPU, instant, how many.
    pub lost: Vec<(CpuId, Time, Option<u64>)>,
    /// First and last stamp.
    pub span: (Time, Time),
    /// CPUs seen.
    pub cpus: Vec<CpuId>,
}

/// What a finished run covers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// First instant of the record, on its own clock; all other instants here count from it.
    pub start: Time,
    /// Last instant.
    pub end: Time,
    /// CPUs that were seen idle.
    pub cpus: Vec<CpuId>,
    /// How many decisions there are on each CPU of each lane.
    pub decisions: Vec<(LaneId, CpuId, u32)>,
    /// Which lanes there are.
    pub lanes: Vec<LaneId>,
    /// Tick period, ns.
    pub tick: Ns,
    /// Differences between A and B, and decisions compared.
    pub differences: Option<(u64, u64)>,
    /// The clock of A or of B changes.
    pub clock_changes: bool,
    /// How far the replay agrees with the recording: a sentence, and whether it is good news.
    pub agreement: Option<(String, bool)>,
    /// What the recorded governor printed about itself, compared: a sentence, and whether it is good news.
    pub own_numbers: Option<(String, bool)>,
    /// The same in a few words; empty without it.
    pub own_brief: String,
    /// More about it, for the import report.
    pub own_notes: Vec<String>,
    /// The machine's name.
    pub machine: String,
    /// Sentences about the limits of this run.
    pub limits: Vec<String>,
    /// What the kernel recorded against the recorded lane: sentences, and whether each is good news.
    pub cross: Vec<(String, bool)>,
    /// How well each input of the governor is known.
    pub inputs: Vec<String>,
    /// What the trace cannot tell.
    pub gaps: Vec<String>,
    /// What could not be done as asked.
    pub issues: Vec<String>,
    /// What the trace asks about its machine.
    pub machine_asked: Option<MachineAsked>,
}

/// One decision, ready to be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionView {
    /// The lane that was asked about.
    pub lane: LaneId,
    /// The CPU.
    pub cpu: CpuId,
    /// Which decision of the lane, from 0.
    pub n: u32,
    /// Which CPU, number, difference.
    pub place: String,
    /// When it was taken and when the CPU ran again, counted from the start of the record.
    pub span: (Time, Time),
    /// The same for the whole idle time that it began, the periods that retained ticks cut it into together.
    pub whole: (Time, Time),
    /// The answer.
    pub answer: String,
    /// What then happened.
    pub then: String,
    /// What each lane did and expected, for the timeline.
    pub chosen: Vec<Chosen>,
    /// A card for each lane that decided here.
    pub cards: Vec<CardView>,
    /// What A's and B's governors remembered.
    pub memories: Vec<MemoryView>,
    /// What the governor read: name, value.
    pub inputs: Vec<(String, String)>,
    /// The step that made A and B differ, where they do.
    pub decisive: Vec<StepRow>,
    /// Which patches make that difference; none where no patch does.
    pub patches: Option<String>,
    /// The steps of A and B, aligned.
    pub steps: Vec<StepRow>,
    /// Why there are no steps, where there are none.
    pub no_steps: Option<String>,
}

/// What a governor remembered before and after a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryView {
    /// Whose: one, or both where both remember and did the same.
    pub lanes: Vec<LaneId>,
    /// What it led to.
    pub answer: String,
    /// As a picture with `var(--token)` colours.
    pub svg: String,
    /// The same numbers: the names of the columns, then the rows.
    pub table: (Vec<String>, Vec<Vec<String>>),
}

/// What one lane did in a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardView {
    /// Whose.
    pub lane: LaneId,
    /// The state entered.
    pub state: String,
    /// The tick.
    pub tick: String,
    /// What followed.
    pub outcome: String,
    /// Energy, an estimate.
    pub energy: Option<String>,
}

/// One step in words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepText {
    /// In plain words.
    pub plain: String,
    /// With the kernel's names.
    pub kernel: String,
    /// The arithmetic.
    pub sum: String,
    /// What it speaks of in the drawings, by [`crate::page::plot::Topic::name`], blanks in between.
    pub about: String,
}

/// One row of the steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StepRow {
    /// Both took it, with the same numbers.
    Same(StepText),
    /// They part here; either may lack the step.
    Split(Option<StepText>, Option<StepText>),
}

/// One row of the timeline as a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableRow {
    /// Decision of the lane that leads.
    pub n: u32,
    /// When.
    pub entry: Time,
    /// The cells after it.
    pub cells: Vec<String>,
}

/// The results, ready to be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultsView {
    /// The answer in a sentence.
    pub verdict: String,
    /// The mail table.
    pub mail: String,
    /// What the misses are made of, in sentences.
    pub misses: Vec<String>,
    /// One summary per lane.
    pub lanes: Vec<LaneSummary>,
    /// What became of the states that CPUs share, by domain and variant.
    pub shared: Vec<SharedView>,
    /// What a closed loop gave in A and in B, over the whole record; none for other workloads.
    pub loops: [Option<Loops>; 2],
    /// The clock of A and of B over the whole record, where that of one of them changes.
    pub clocks: [Option<Clock>; 2],
}

/// What became of a state that CPUs share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedView {
    /// Of which CPUs.
    pub name: String,
    /// In which variant.
    pub lane: LaneId,
    /// From how long on it pays off.
    pub target_residency: Ns,
    /// What it did.
    pub found: SharedUse,
}

/// What one lane did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneSummary {
    /// Whose; none for a baseline.
    pub lane: Option<LaneId>,
    /// Its name in tables.
    pub name: String,
    /// By state: periods, time ns, too deep, too shallow, idle energy fJ.
    pub states: Vec<(u64, Ns, u64, u64, Energy)>,
    /// Decisions that stopped a running tick.
    pub tick_stops: u64,
    /// Entries during which the tick kept running.
    pub ticks_retained: u64,
    /// How long the CPU stayed idle when a running tick was stopped, by bucket.
    pub stopped: [u64; BUCKETS],
    /// Wakeups by cause.
    pub causes: Vec<u64>,
    /// Busy time, ns.
    pub busy: Ns,
    /// Durations by bin.
    pub durations: Vec<u32>,
    /// Wake latency: count, median, 99th percentile, largest.
    pub latency: Option<(u64, Ns, Ns, Ns)>,
    /// Energy by part, fJ: stay, transitions, ticks, exit latency, busy; then the ideal's.
    pub energy: Option<[Energy; 6]>,
}
