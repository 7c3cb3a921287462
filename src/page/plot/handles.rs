//! Handles of the energy chart: what they move, where they stop, what they stick to (ui.md §7).
//!
//! A drag is a pure function of where it began and where the pointer is, so it can be previewed at
//! any rate and given up at no cost.

use super::energy::{Chart, State};
use crate::page::doc::StateField;
use crate::page::words::{Style, number};
use crate::units::{Microwatts, Ns};

/// Distance within which a value sticks to a mark, px.
const STICKY: f64 = 5.0;
/// How far the pointer must go past a soft stop, px.
const RESISTANCE: f64 = 6.0;

/// What a handle looks like and moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The ring on the envelope: target residency.
    Residency,
    /// The ring in the state's row: target residency.
    ResidencyRow,
    /// The diamond in the state's row: exit latency.
    Latency,
    /// The grip at the right edge: power.
    Power,
}

impl Part {
    /// The number it moves.
    #[must_use]
    pub const fn field(self) -> StateField {
        match self {
            Self::Residency | Self::ResidencyRow => StateField::TargetResidency,
            Self::Latency => StateField::ExitLatency,
            Self::Power => StateField::Power,
        }
    }
}

/// One handle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Handle {
    /// The state's place in the table.
    pub state: usize,
    /// What it moves.
    pub part: Part,
    /// Middle, px.
    pub x: f64,
    /// Middle, px.
    pub y: f64,
}

/// Keys held during a drag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Ten times finer, nothing sticks.
    pub shift: bool,
    /// Past a stop.
    pub alt: bool,
}

/// A key on a focused handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nudge {
    /// Arrow: 1 %.
    Arrow,
    /// Arrow with Shift: 0.1 %.
    Fine,
    /// Page up or down: 10 %.
    Page,
}

impl Handle {
    pub(super) const fn new(state: usize, part: Part, (x, y): (f64, f64)) -> Self {
        Self { state, part, x, y }
    }
}

/// A drag under way.
#[derive(Clone, Debug, PartialEq)]
pub struct Drag {
    /// What is dragged.
    pub handle: Handle,
    start: (f64, f64),
    /// The chart as it was.
    chart: Chart,
    /// The tick period, to which residencies stick.
    tick: Ns,
}

impl Drag {
    /// Begins with the pointer at `start`.
    #[must_use]
    pub fn new(handle: Handle, start: (f64, f64), chart: Chart, tick: Ns) -> Self {
        Self {
            handle,
            start,
            chart,
            tick,
        }
    }

    /// The value while the pointer is at `(x, y)`: ns or µW.
    ///
    /// `fineness` divides the way of the pointer: 1 for a mouse; a finger that has moved away from
    /// the handle gets 4 or 16.
    #[must_use]
    pub fn value(&self, (x, y): (f64, f64), held: Held, fineness: f64) -> i64 {
        let fine = fineness.max(1.0) * if held.shift { 10.0 } else { 1.0 };
        let (dx, dy) = ((x - self.start.0) / fine, (y - self.start.1) / fine);
        let Some(old) = value(&self.chart, self.handle) else {
            return 0;
        };
        let raw = match self.handle.part {
            Part::Power => self
                .chart
                .power_at(self.handle.state, self.handle.y + dy)
                .round()
                .clamp(0.0, 4e9) as i64,
            _ => {
                let layout = self.chart.layout();
                let base = layout.ruler.duration(layout.ruler.x(Ns::new(old)));
                let moved = base.as_ns() as f64 * layout.ruler.factor(dx);
                // No further than the axis goes: beyond it the handle would not be under the pointer.
                moved.round().clamp(0.0, layout.ruler.to) as i64
            }
        };
        let snapped = if held.shift {
            raw
        } else {
            self.stuck(raw).unwrap_or_else(|| three_digits(raw))
        };
        // A power out of its order would make energies negative: no key goes past its stop.
        if held.alt && self.handle.part != Part::Power {
            snapped.max(0)
        } else {
            self.stopped(snapped)
        }
    }

    /// A mark close enough to stick to.
    fn stuck(&self, raw: i64) -> Option<i64> {
        if self.handle.part == Part::Power {
            return None;
        }
        let layout = self.chart.layout();
        let place = layout.ruler.x(Ns::new(raw));
        let n = self.handle.state;
        let state = self.chart.states.get(n)?;
        let mut marks = vec![value(&self.chart, self.handle)?, self.tick.as_ns()];
        if self.handle.part != Part::Latency {
            let near = [n.checked_sub(1), Some(n + 1)];
            let neighbours = near
                .into_iter()
                .flatten()
                .filter_map(|n| self.chart.states.get(n));
            marks.extend(neighbours.map(|state| state.target_residency.as_ns()));
            marks.extend([2, 3].map(|times| state.exit_latency.as_ns().saturating_mul(times)));
        }
        let distance = |mark: &i64| (layout.ruler.x(Ns::new(*mark)) - place).abs();
        marks
            .into_iter()
            .filter(|mark| *mark > 0 && distance(mark) <= STICKY)
            .min_by(|one, other| distance(one).total_cmp(&distance(other)))
    }

    fn stopped(&self, value: i64) -> i64 {
        let (low, high) = stops(&self.chart, self.handle);
        if self.handle.part == Part::Latency {
            // Real tables have exit latencies above the residency: a soft stop.
            let layout = self.chart.layout();
            let past = layout.ruler.x(Ns::new(value)) - layout.ruler.x(Ns::new(high));
            return if value > high && past <= RESISTANCE {
                high
            } else {
                value.max(low)
            };
        }
        value.clamp(low, high.max(low))
    }
}

/// The value of a handle: ns or µW.
#[must_use]
pub fn value(chart: &Chart, handle: Handle) -> Option<i64> {
    let state = chart.states.get(handle.state)?;
    Some(match handle.part.field() {
        StateField::TargetResidency => state.target_residency.as_ns(),
        StateField::ExitLatency => state.exit_latency.as_ns(),
        StateField::Power => i64::from(state.power.as_uw()),
    })
}

/// Where a handle stops: see [`limits`].
#[must_use]
pub fn stops(chart: &Chart, handle: Handle) -> (i64, i64) {
    limits(&chart.states, handle.state, handle.part.field())
}

/// The least and the greatest value of a number of state `n`, ns or µW: between its neighbours for
/// residency and power, 0 and its own residency for latency.
#[must_use]
pub fn limits(states: &[State], n: usize, field: StateField) -> (i64, i64) {
    let shallower = n.checked_sub(1).and_then(|n| states.get(n));
    let deeper = states.get(n + 1);
    match field {
        StateField::TargetResidency => (
            shallower.map_or(0, |state| state.target_residency.as_ns()),
            deeper.map_or(3_600_000_000_000, |state| state.target_residency.as_ns()),
        ),
        StateField::ExitLatency => (0, states.get(n).map_or(0, |state| state.target_residency.as_ns())),
        StateField::Power => (
            deeper.map_or(0, |state| i64::from(state.power.as_uw()) + 1),
            shallower.map_or(4_000_000_000, |state| {
                i64::from(state.power.as_uw()).saturating_sub(1)
            }),
        ),
    }
}

/// The value after a key; `up` makes it larger. At least one unit away, 1 µs or 1 µW from zero.
#[must_use]
pub fn nudged(chart: &Chart, handle: Handle, nudge: Nudge, up: bool) -> i64 {
    let old = value(chart, handle).unwrap_or(0);
    let per_mille = match nudge {
        Nudge::Fine => 1,
        Nudge::Arrow => 10,
        Nudge::Page => 100,
    };
    let unit = match handle.part.field() {
        StateField::Power => 1,
        _ if old == 0 => 1_000,
        _ => 1,
    };
    let step = (old.saturating_mul(per_mille) / 1_000).max(unit);
    let (low, high) = stops(chart, handle);
    let moved = if up { old + step } else { old - step };
    moved.clamp(low.min(old), high.max(old))
}

/// What assistive technology reads: `C2 target residency 640 µs`.
#[must_use]
pub fn value_text(chart: &Chart, handle: Handle) -> String {
    let name = chart.states.get(handle.state).map_or("", |state| &state.name);
    let value = value(chart, handle).unwrap_or(0);
    let time = || number::duration(Ns::new(value), Style::Page);
    match handle.part.field() {
        StateField::TargetResidency => format!("{name} target residency {}", time()),
        StateField::ExitLatency => format!("{name} exit latency {}", time()),
        StateField::Power => {
            let power = Microwatts::new(u32::try_from(value).unwrap_or(u32::MAX));
            format!("{name} power {}", number::power(power, Style::Page))
        }
    }
}

/// Rounded to three significant digits.
pub(crate) fn three_digits(value: i64) -> i64 {
    let magnitude = value.unsigned_abs().max(1).ilog10();
    let Some(unit) = magnitude.checked_sub(2).map(|zeros| 10_i64.pow(zeros)) else {
        return value;
    };
    value.saturating_add(unit / 2) / unit * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> Chart {
        let state = |name: &str, latency, residency, mw: u32| State {
            name: name.to_owned(),
            target_residency: Ns::from_us(residency),
            exit_latency: Ns::from_us(latency),
            power: Microwatts::new(mw * 1_000),
            on: true,
        };
        Chart {
            width: 900.0,
            height: 520.0,
            states: vec![
                state("POLL", 0, 0, 4_000),
                state("C1", 1, 1, 1_500),
                state("C2", 120, 360, 600),
                state("C3", 1_034, 3_102, 80),
            ],
            before: Vec::new(),
            durations: Vec::new(),
            rows: true,
            measure: Default::default(),
        }
    }

    fn handle(state: usize, part: Part) -> Handle {
        let found = chart()
            .handles()
            .into_iter()
            .find(|handle| handle.state == state && handle.part == part);
        found.expect("every state but the first has all handles")
    }

    /// Drags so far to the right that `us` is reached, and some px more.
    fn drag(state: usize, part: Part, us: i64, more: f64, held: Held) -> i64 {
        let chart = chart();
        let handle = handle(state, part);
        let target = chart.layout().ruler.x(Ns::from_us(us)) + more;
        let drag = Drag::new(handle, (handle.x, handle.y), chart, Ns::from_ms(4));
        drag.value((target, handle.y), held, 1.0)
    }

    #[test]
    fn a_drag_snaps_to_three_digits() {
        assert_eq!(drag(2, Part::Residency, 1_234, 0.0, Held::default()), 1_230_000);
        assert_eq!(drag(2, Part::ResidencyRow, 640, 0.0, Held::default()), 640_000);
    }

    #[test]
    fn a_residency_stops_at_its_neighbours_and_alt_passes() {
        assert_eq!(drag(2, Part::Residency, 50_000, 0.0, Held::default()), 3_102_000);
        let alt = Held {
            alt: true,
            ..Held::default()
        };
        assert_eq!(drag(2, Part::Residency, 50_000, 0.0, alt), 50_000_000);
    }

    #[test]
    fn values_stick_to_marks() {
        // Twice and three times the exit latency, and the value it had.
        assert_eq!(drag(2, Part::Residency, 240, 4.0, Held::default()), 240_000);
        assert_eq!(drag(2, Part::Residency, 360, -4.0, Held::default()), 360_000);
        assert_eq!(drag(3, Part::Residency, 4_000, 3.0, Held::default()), 4_000_000);
    }

    #[test]
    fn the_scale_of_a_drag_stays_and_ends_at_the_axis() {
        let alt = Held {
            alt: true,
            ..Held::default()
        };
        for (part, px) in [
            (Part::Residency, 100.0),
            (Part::Latency, 300.0),
            (Part::Latency, 5_000.0),
        ] {
            let (before, grip) = (chart(), handle(3, part));
            let layout = before.layout();
            let drag = Drag::new(grip, (grip.x, grip.y), before.clone(), Ns::from_ms(4));
            let to = drag.value((grip.x + px, grip.y), alt, 1.0);
            assert!(to as f64 <= layout.ruler.to, "{part:?} {to}");
            let mut now = chart();
            now.before.clone_from(&before.states);
            match part {
                Part::Latency => now.states[3].exit_latency = Ns::new(to),
                _ => now.states[3].target_residency = Ns::new(to),
            }
            assert_eq!(now.layout(), layout);
            let drawn = now
                .handles()
                .into_iter()
                .find(|found| (found.state, found.part) == (3, part));
            let pointer = (grip.x + px).min(layout.ruler.right);
            let off = drawn.map(|drawn| (drawn.x - pointer).abs());
            assert!(off.is_some_and(|off| off <= STICKY), "{part:?} {off:?}");
        }
    }

    #[test]
    fn shift_is_ten_times_finer_and_sticks_to_nothing() {
        let shift = Held {
            shift: true,
            ..Held::default()
        };
        let value = drag(2, Part::Residency, 360, 20.0, shift);
        let plain = chart().layout().ruler.factor(2.0) * 360_000.0;
        assert_eq!(value, plain.round() as i64);
    }

    #[test]
    fn a_latency_may_pass_its_residency_only_on_purpose() {
        let px = 4.0;
        assert_eq!(drag(2, Part::Latency, 360, px, Held::default()), 360_000);
        assert!(drag(2, Part::Latency, 500, 0.0, Held::default()) > 360_000);
    }

    #[test]
    fn power_follows_the_grip_and_stays_in_order() {
        let chart = chart();
        let handle = handle(2, Part::Power);
        let back = chart.power_at(2, handle.y);
        assert!((back - 600_000.0).abs() < 600.0, "{back}");
        let drag = Drag::new(handle, (handle.x, handle.y), chart, Ns::from_ms(4));
        let alt = Held {
            alt: true,
            ..Held::default()
        };
        for held in [Held::default(), alt] {
            assert_eq!(drag.value((handle.x, 0.0), held, 1.0), 1_499_999);
        }
    }

    #[test]
    fn keys_move_by_shares_and_stop() {
        let (chart, handle) = (chart(), handle(2, Part::Residency));
        assert_eq!(nudged(&chart, handle, Nudge::Arrow, true), 363_600);
        assert_eq!(nudged(&chart, handle, Nudge::Fine, false), 359_640);
        assert_eq!(nudged(&chart, handle, Nudge::Page, true), 396_000);
        assert_eq!(stops(&chart, handle), (1_000, 3_102_000));
        assert_eq!(value_text(&chart, handle), "C2 target residency 360\u{202f}µs");
    }
}
