//! What happened: the user's deeds and the worker's news. No action says what to set.

use super::costs::Cost;
use super::doc::{LatencyLimit, Side, StateField, TraceId, Workload};
use super::extras::{Extra, Extras};
use super::generated::{Beats, Param};
use std::rc::Rc;

use super::link::{Issue, Link, Reach};
use super::live::{Message, RunId, StateGroup};
use super::view::{LaneId, Panel, Selection, Tab, Theme, Window};
use crate::cpuidle::catalog::Choice;
use crate::sim::machine::FrequencyRule;
use crate::trace::tables::Tables;
use crate::units::{CpuId, Microwatts, Ns, Time};

/// A tick or latency setting with its new value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Ticks a second, 20 to 2 000.
    Hz(u32),
    /// The tick may be stopped.
    Nohz(bool),
    /// Rate limit of 2016, ns.
    RateLimit(Ns),
    /// Latency limit.
    Latency(LatencyLimit),
}

/// Everything that can happen to the page.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// A link was opened.
    LinkOpened(Box<Link>, Vec<Issue>),
    /// Another link was opened in the same tab, or the browser went back or forward.
    LinkVisited(Box<Link>, Vec<Issue>),

    /// A workload was chosen. A file is chosen when it has been read: [`Action::FileRead`].
    WorkloadChosen(Workload),
    /// A parameter of the generated workload was edited: ns, a count, or 0 and 1.
    ParamEdited(Param, i64),
    /// The pauses of a generated workload were edited.
    BeatsEdited(Beats),
    /// A machine was chosen; `None` is the workload's own.
    MachineChosen(Option<String>),
    /// A governor was chosen for one side; `None` switches the side off.
    GovernorChosen(Side, Option<Choice>),
    /// A number of a side's governor moves; one undo step when it is released.
    GovernorDragged(Side, Choice),
    /// A and B changed places.
    VariantsSwapped,
    /// A setting of both sides, or of one, was edited.
    SettingEdited(Option<Side>, Setting),
    /// One side follows the shared settings again.
    OverridesReset(Side),
    /// The effective exit latency was edited, per cent.
    ExitPercentEdited(u8),
    /// The cost of stopping plus restarting the tick was edited, ns.
    TickCostEdited(Option<Ns>),
    /// A cost of the machine of a closed loop was edited; none for the machine's own.
    CostEdited(Cost, Option<u64>),
    /// All costs of that machine are its own again.
    CostsReset,
    /// The power of what CPUs share was edited; none to leave it out.
    SharedPowerEdited(Option<Microwatts>),
    /// From how long on the state that CPUs share pays off was edited; none for what the machine says.
    SharedResidencyEdited(Option<Ns>),
    /// The clock at which a closed loop starts was edited, MHz; none for the machine's own.
    StartClockEdited(Option<u32>),
    /// Who sets the clock of a closed loop was chosen.
    FrequencyChosen(FrequencyRule),
    /// A number of an idle state was edited: ns or µW.
    StateEdited(String, StateField, i64),
    /// A handle moves; one undo step when it is released.
    StateDragged(String, StateField, i64),
    /// The handle was released.
    DragReleased,
    /// The drag was given up.
    DragCancelled,
    /// An idle state was switched on or off.
    StateToggled(String, bool),
    /// A state was added after this one.
    StateAdded(String),
    /// A state was removed.
    StateRemoved(String),
    /// One idle state goes back to the machine's own values; one that was removed comes back.
    StateReset(String),
    /// All idle states go back to the machine's own values.
    EditsReset,
    /// Take the last step back.
    Undo,
    /// Bring it back.
    Redo,

    /// The timeline shows another stretch; `None` is the whole record.
    WindowMoved(Option<Window>),
    /// The selected decision is to be fitted as soon as it is explained.
    FitAsked,
    /// The results are about this stretch; `None` is the whole record.
    RangeChosen(Option<Window>),
    /// The key that marks a range's start, then its end, was pressed.
    RangeMarked,
    /// A CPU got the focus.
    CpuFocused(CpuId),
    /// A CPU was pinned open, or let go.
    CpuPinned(CpuId),
    /// The cursor was moved; the selection goes.
    CursorMoved(Time),
    /// A decision was selected, entered at this instant.
    DecisionSelected(Selection, Time),
    /// The selection was cleared.
    SelectionCleared,
    /// Keep the selected decision, or let the kept one go.
    PinToggled,
    /// A lane was shown or hidden.
    LaneToggled(LaneId),
    /// A panel was opened; [`Panel::None`] closes.
    PanelOpened(Panel),
    /// A results tab was chosen.
    TabChosen(Tab),
    /// A lane of the lane menu was shown or hidden.
    ExtraToggled(Extra),
    /// What this browser showed of them on an earlier visit.
    ExtrasRemembered(Extras),
    /// Plain words or kernel names in steps.
    NamesSwitched,
    /// A theme was chosen.
    ThemeChosen(Theme),
    /// Play or pause.
    PlayToggled,
    /// Playback came to an end: of the record, or at a difference.
    PlayStopped,
    /// Playback moved the cursor.
    Played(Time),
    /// Playback faster or slower by one step of the 1-2-5 row.
    SpeedStepped {
        /// Faster, else slower.
        faster: bool,
    },
    /// Whether playback stops at differences was switched.
    StopAtDifferenceToggled,

    /// A file is being read: name, bytes read, bytes in all, bytes a second.
    FileProgressed(String, u64, u64, u64),
    /// A file was read.
    FileRead(String, TraceId),
    /// The open file is to take the place of the trace that the link names.
    FileAccepted,
    /// A file held no trace, but tables of idle states or counters.
    TablesRead(String, Box<Tables>),
    /// What was said about the last of these was dismissed.
    ReadingDismissed,
    /// One of them, by its place, is not to count any more.
    ReadingForgotten(usize),
    /// Nothing in a file was usable.
    FileFailed(String, Message),
    /// The user stopped the reading.
    FileCancelled(String),
    /// The machine's states before edits became known.
    StatesArrived(Vec<StateGroup>),
    /// A run began.
    RunStarted(RunId),
    /// It got on: simulated time done, and in all.
    RunProgressed(RunId, Ns, Ns),
    /// It is complete, after so many milliseconds.
    RunFinished(RunId, u32),
    /// Where a run that is complete has something to look at.
    RecordKnown(RunId, Rc<Reach>),
    /// The selected decision was explained: when the CPU went idle, and when it ran again.
    DecisionExplained(Selection, Time, Time),
    /// The user stopped it.
    RunCancelled(RunId),
    /// It could not be done.
    RunFailed(RunId, Message),
    /// What computes ended by an error of its own, and with it the open trace; another one was started.
    WorkerLost(Message),
    /// Something is to be told.
    Told(Message),
    /// The message of that place was dismissed.
    MessageDismissed(usize),
    /// The link's issues were dismissed.
    IssuesDismissed,
    /// What was said about places of the link was dismissed.
    MisfitsDismissed,
}
