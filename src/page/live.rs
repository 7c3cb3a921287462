//! What has arrived: neither in the link nor undoable.

use std::rc::Rc;

use super::doc::TraceId;
use super::link::{Issue, Misfit, Reach};
use super::sheets::Reading;
use crate::units::{CpuId, Microwatts, Ns};

/// One run of one plan. Results of another run than the newest are dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunId(pub u64);

/// How far the newest run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Run {
    /// Nothing was asked yet.
    #[default]
    None,
    /// It is under way.
    Running {
        /// Simulated time done, ns.
        done: Ns,
        /// Simulated time in all, ns.
        total: Ns,
    },
    /// It is complete.
    Done {
        /// How long it took, ms.
        took_ms: u32,
    },
    /// The user stopped it.
    Cancelled,
    /// It could not be done; the message is among [`Live::messages`].
    Failed,
}

/// How far the reading of a file is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum File {
    /// No file yet.
    #[default]
    None,
    /// It is being read.
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
    /// It is read.
    Ready {
        /// The file's name.
        name: String,
        /// Its name in links.
        id: TraceId,
    },
    /// Nothing in it was usable; the message is among [`Live::messages`].
    Failed {
        /// The file's name.
        name: String,
    },
    /// The user stopped the reading.
    Cancelled {
        /// The file's name.
        name: String,
    },
}

/// How grave a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// Good to know.
    Note,
    /// Something was left out.
    Warning,
    /// Something could not be done.
    Error,
}

/// What the page has to tell: what, where, expected and found (ui.md §14).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// How grave.
    pub grade: Grade,
    /// It says why a file could not be read: at most one such message stays.
    pub of_file: bool,
    /// What happened, one line.
    pub what: String,
    /// Expected, found, where, what was kept.
    pub detail: String,
}

/// One idle state as the machine has it, before edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseState {
    /// The driver's name.
    pub name: String,
    /// Target residency, ns.
    pub target_residency: Ns,
    /// Exit latency, ns.
    pub exit_latency: Ns,
    /// Power as assumed, µW.
    pub power: Microwatts,
    /// Enabled.
    pub on: bool,
    /// A loop that polls for work.
    pub polling: bool,
    /// The CPU's own timer stops in it.
    pub timer_stop: bool,
}

/// CPUs with the same idle states, such as those of one cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateGroup {
    /// Their numbers, ascending.
    pub cpus: Vec<CpuId>,
    /// Their states before edits, shallowest first.
    pub states: Vec<BaseState>,
}

/// Everything that has arrived.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Live {
    /// The open file.
    pub file: File,
    /// The last file that was read, by its name in links; it stays open while another is tried.
    pub open: Option<TraceId>,
    /// Its name.
    pub open_name: Option<String>,
    /// Tables and counters that were read, oldest first.
    pub readings: Rc<Vec<Reading>>,
    /// What became of the newest of them is to be told.
    pub reading_told: bool,
    /// How many files were read: each asks the question anew.
    pub reads: u32,
    /// The trace that the question names and that the user has not given yet; nothing runs
    /// before it is there.
    pub wanted: Option<TraceId>,
    /// The newest run.
    pub run_id: RunId,
    /// How far it is.
    pub run: Run,
    /// The machine's states before edits, that of CPU 0 first; empty until known.
    pub groups: Rc<Vec<StateGroup>>,
    /// Where the newest run has something to look at; none until it is complete.
    pub reach: Option<Rc<Reach>>,
    /// The place on the page came from a link and was not compared with `reach` yet.
    pub unsettled: bool,
    /// The selected decision is to be fitted when it is explained: a link named it without a window, or
    /// somebody asked for it.
    pub unfitted: bool,
    /// Parts of the link that were not understood.
    pub issues: Vec<Issue>,
    /// Places in the link that its workload does not have.
    pub misfits: Vec<Misfit>,
    /// Messages, oldest first.
    pub messages: Vec<Message>,
}

impl Live {
    /// Tells something, once.
    pub fn tell(&mut self, message: Message) {
        if !self.messages.contains(&message) {
            self.messages.push(message);
        }
    }

    /// Drops what is said about a file that could not be read.
    pub fn forget_file_failure(&mut self) {
        self.messages.retain(|message| !message.of_file);
    }

    /// Drops what was said about a link's workload: another one is there now.
    pub fn forget_workload_issue(&mut self) {
        self.issues.retain(|issue| !issue.is_of_workload());
    }

    /// What a link said of a place means nothing in another workload.
    pub fn forget_link_place(&mut self) {
        self.unsettled = false;
        self.unfitted = false;
        self.misfits.clear();
    }

    /// The file that is open although the link was made with another one: its name in links,
    /// and the one wanted.
    #[must_use]
    pub fn other_trace(&self) -> Option<(TraceId, TraceId)> {
        match (self.open, self.wanted) {
            (Some(id), Some(wanted)) if id != wanted => Some((id, wanted)),
            _ => None,
        }
    }

    /// The machine's own values of a state, once for each group of CPUs that has it; an edit goes to
    /// all of them.
    pub fn bases(&self, state: &str) -> impl Iterator<Item = &BaseState> {
        let all = self.groups.iter().flat_map(|group| &group.states);
        all.filter(move |base| base.name == state)
    }

    /// Which group a CPU belongs to; the first when none is known.
    #[must_use]
    pub fn group_of(&self, cpu: CpuId) -> usize {
        let found = self.groups.iter().position(|group| group.cpus.contains(&cpu));
        found.unwrap_or(0)
    }
}
