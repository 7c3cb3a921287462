//! Energy versus duration, on log axes: a thin line per state, thick where it is the cheapest.
//!
//! ```text
//!   energy │                        ╱ C1        o  ring on the envelope: target residency
//!          │                   ___o═══ C2       ◇  diamond in a row: exit latency
//!          │            ___o═══                 ▯  grip at the right edge: power
//!          │      o═══▁▂▅▂▁   ▂▅▇▂              bars: how long idle periods lasted
//!          └───────────────────────────── idle duration, log
//!   C1     ──◇─o
//!   C2     ─────────◇──────o
//! ```
//!
//! The lines follow spec energy.md §3: `E(d) = e + p·d` with `e` such that neighbours meet at the
//! target residency. All energies are estimates.

use super::handles::{Handle, Part};
use super::order::{Disorder, disorder};
use super::press::TOGETHER;
use super::ruler::Ruler;
use super::{Anchor, Dash, Ink, Plot, Shape, label};
use crate::analysis::durations::Histogram;
use crate::page::words::{Style, number};
use crate::units::{Energy, Microwatts, Ns};

/// Height of one row of latency and residency under the chart, px.
const ROW: f64 = 24.0;
/// The same where the name stands above the row's line, px.
const TALL_ROW: f64 = 30.0;
/// Charts narrower than this have no room for names beside the lines, px.
const NARROW: f64 = 400.0;
/// Room for a name on the left and on the right of a wide chart, px.
const NAMES: (f64, f64) = (170.0, 180.0);
/// Height of the labels of the duration axis, px.
const AXIS: f64 = 18.0;
/// Height of the strip that says where each state is best, px.
const STRIP: f64 = 18.0;
/// Share of the chart's height that the highest bar takes.
const BARS: f64 = 0.35;
/// Height of a name with its power below, px.
const LABEL: f64 = 24.0;
/// Points of a line.
const POINTS: usize = 64;

/// One idle state as the chart sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The driver's name.
    pub name: String,
    /// Target residency, ns.
    pub target_residency: Ns,
    /// Exit latency, ns.
    pub exit_latency: Ns,
    /// Power, µW, as given or assumed.
    pub power: Microwatts,
    /// Enabled.
    pub on: bool,
}

/// What the height of the chart means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    /// Energy of a stay of that length.
    #[default]
    Energy,
    /// That energy divided by the length.
    MeanPower,
}

impl Measure {
    /// The height of a line after so many ns: fJ, or fJ a ns, which are µW.
    fn of(self, line: (f64, f64), ns: f64) -> f64 {
        match self {
            Self::Energy => at(line, ns),
            Self::MeanPower => at(line, ns) / ns.max(1.0),
        }
    }

    fn text(self, decade: i32) -> String {
        let value = u32::try_from(decade).map_or(0, |decade| 10_i128.saturating_pow(decade));
        match self {
            Self::Energy => number::energy(Energy::from_fj(value), Style::Page),
            Self::MeanPower => {
                let uw = u32::try_from(value).unwrap_or(u32::MAX);
                number::power(Microwatts::new(uw), Style::Page)
            }
        }
    }
}

/// What the chart is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Width, px.
    pub width: f64,
    /// Height, px, rows included.
    pub height: f64,
    /// The states, shallowest first.
    pub states: Vec<State>,
    /// The states as they were when a drag began; empty without one.
    pub before: Vec<State>,
    /// Idle periods by length, in the bins of [`Histogram`]; empty when unknown.
    pub durations: Vec<u32>,
    /// Rows of latency and residency are drawn.
    pub rows: bool,
    /// What its height means.
    pub measure: Measure,
}

/// Where everything lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layout {
    /// The axis of durations.
    pub ruler: Ruler,
    /// Upper edge of the chart, px.
    pub top: f64,
    /// Lower edge, px.
    pub bottom: f64,
    /// Decade of the least energy or mean power shown, log10 of fJ or µW.
    low: f64,
    /// Decade of the greatest.
    high: f64,
    /// Height of a row below the chart, px.
    row: f64,
}

impl Layout {
    /// The height of an energy, fJ, or a mean power, µW: px inside the chart.
    #[must_use]
    pub fn y(&self, value: f64) -> f64 {
        let share = (value.max(1.0).log10() - self.low) / (self.high - self.low);
        self.bottom - share.clamp(0.0, 1.0) * (self.bottom - self.top)
    }

    /// The energy at a height, fJ, or the mean power, µW.
    #[must_use]
    pub fn value(&self, y: f64) -> f64 {
        let share = (self.bottom - y) / (self.bottom - self.top);
        10_f64.powf(self.low + share * (self.high - self.low))
    }

    /// The line in the row of a state below the chart, px; a name above it is what makes a row tall.
    fn row(&self, n: usize) -> f64 {
        self.bottom + AXIS + n as f64 * self.row - ROW / 2.0
    }
}

/// Height of all rows below a chart of this width, px.
#[must_use]
pub fn rows_height(states: usize, width: f64) -> f64 {
    states.saturating_sub(1) as f64 * row_height(width)
}

const fn row_height(width: f64) -> f64 {
    if width < NARROW { TALL_ROW } else { ROW }
}

/// Energy of a stay in each state as `(transition fJ, power µW)`.
fn lines(states: &[State]) -> Vec<(f64, f64)> {
    let mut lines: Vec<(f64, f64)> = Vec::with_capacity(states.len());
    for state in states {
        let power = f64::from(state.power.as_uw());
        let transition = lines.last().map_or(0.0, |(transition, before)| {
            transition + (before - power) * state.target_residency.as_ns() as f64
        });
        lines.push((transition, power));
    }
    lines
}

fn at((transition, power): (f64, f64), ns: f64) -> f64 {
    transition + power * ns
}

/// The cheapest of the states that are on.
fn best(states: &[State], lines: &[(f64, f64)], ns: f64) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (n, (state, line)) in states.iter().zip(lines).enumerate() {
        let energy = at(*line, ns);
        if state.on && best.is_none_or(|(_, least)| energy <= least) {
            best = Some((n, energy));
        }
    }
    best.map(|(n, _)| n)
}

impl Chart {
    /// Where everything lies. During a drag the axes stay as they were when it began: a scale that
    /// follows the value would run away from the pointer.
    #[must_use]
    pub fn layout(&self) -> Layout {
        let states = if self.before.is_empty() {
            &self.states
        } else {
            &self.before
        };
        let longest = states
            .iter()
            .flat_map(|state| [state.target_residency, state.exit_latency])
            .max()
            .unwrap_or_default();
        let (left, right) = self.margins();
        let ruler = Ruler::new(left, self.width - right, longest);
        let rows = if self.rows {
            rows_height(self.states.len(), self.width)
        } else {
            0.0
        };
        let bottom = (self.height - AXIS - rows).max(STRIP + 40.0);
        let lines = lines(states);
        let cheapest = |ns: f64| {
            best(states, &lines, ns)
                .and_then(|n| lines.get(n))
                .map_or(1.0, |line| at(*line, ns))
                .max(1.0)
        };
        let dearest = |ns: f64| lines.iter().map(|line| at(*line, ns)).fold(1.0, f64::max);
        // Energies grow with the stay, mean powers fall; those of short stays in deep states have no bound
        // worth a decade.
        let (least, most) = match self.measure {
            Measure::Energy => (cheapest(ruler.from), dearest(ruler.to)),
            Measure::MeanPower => {
                let (least, most) = (cheapest(ruler.to) / ruler.to, cheapest(ruler.from) / ruler.from);
                (least.max(1.0), most.max(1.0) * 2.0)
            }
        };
        let low = least.log10().floor();
        let high = most.log10().ceil().max(low + 1.0);
        Layout {
            ruler,
            top: STRIP + 8.0,
            bottom,
            low,
            high,
            row: row_height(self.width),
        }
    }

    fn is_narrow(&self) -> bool {
        self.width < NARROW
    }

    fn names(&self) -> Vec<String> {
        self.states.iter().map(|state| state.name.clone()).collect()
    }

    /// What the names need on the left, and names and powers on the right, px.
    fn margins(&self) -> (f64, f64) {
        if self.is_narrow() {
            return (40.0, 16.0);
        }
        let widths = self.states.iter().map(|state| label::width(&state.name, 11.0));
        let names = widths.fold(0.0, f64::max);
        (
            (names + 8.0).clamp(40.0, NAMES.0),
            (names + 20.0).clamp(72.0, NAMES.1),
        )
    }

    /// The handles, in the order in which they are reached by keyboard.
    #[must_use]
    pub fn handles(&self) -> Vec<Handle> {
        let layout = self.layout();
        let lines = lines(&self.states);
        let mut handles = Vec::new();
        for (n, (state, line)) in self.states.iter().zip(&lines).enumerate() {
            let residency = layout.ruler.x(state.target_residency);
            if n > 0 {
                let ns = (state.target_residency.as_ns() as f64).max(layout.ruler.from);
                let y = layout.y(self.measure.of(*line, ns));
                handles.push(Handle::new(n, Part::Residency, (residency, y)));
                if self.rows {
                    handles.push(Handle::new(n, Part::ResidencyRow, (residency, layout.row(n))));
                    let latency = layout.ruler.x(state.exit_latency);
                    handles.push(Handle::new(n, Part::Latency, (latency, layout.row(n))));
                }
            }
            let y = layout.y(self.measure.of(*line, layout.ruler.to));
            handles.push(Handle::new(n, Part::Power, (layout.ruler.right, y)));
        }
        handles
    }

    /// The power, µW, with which state `n` would cost the energy at height `y` at the right edge.
    #[must_use]
    pub fn power_at(&self, n: usize, y: f64) -> f64 {
        let layout = self.layout();
        let energy = match self.measure {
            Measure::Energy => layout.value(y),
            Measure::MeanPower => layout.value(y) * layout.ruler.to,
        };
        let before = n
            .checked_sub(1)
            .and_then(|shallower| lines(&self.states).get(shallower).copied());
        let Some(state) = self.states.get(n) else {
            return 0.0;
        };
        let (Some((transition, power)), residency) = (before, state.target_residency.as_ns() as f64) else {
            return energy / layout.ruler.to;
        };
        (energy - transition - power * residency) / (layout.ruler.to - residency).max(1.0)
    }

    /// For each state, how many idle periods it is the cheapest for; about, since the bins are wide.
    #[must_use]
    pub fn best_counts(&self) -> Vec<u64> {
        let lines = lines(&self.states);
        let mut counts = vec![0.0; self.states.len()];
        for (from, to, count) in bins(&self.durations) {
            const PARTS: usize = 8;
            for part in 0..PARTS {
                let share = (part as f64 + 0.5) / PARTS as f64;
                let ns = from * (to / from).powf(share);
                if let Some(sum) = best(&self.states, &lines, ns).and_then(|n| counts.get_mut(n)) {
                    *sum += f64::from(count) / PARTS as f64;
                }
            }
        }
        counts.into_iter().map(|count| count.round() as u64).collect()
    }

    /// How many idle periods lasted between two durations; about.
    #[must_use]
    pub fn between(&self, one: Ns, other: Ns) -> u64 {
        let (low, high) = (one.min(other).as_ns() as f64, one.max(other).as_ns() as f64);
        let count: f64 = bins(&self.durations)
            .map(|(from, to, count)| {
                let (a, b) = (low.clamp(from, to), high.clamp(from, to));
                f64::from(count) * (b / a).ln() / (to / from).ln()
            })
            .sum();
        count.round() as u64
    }

    /// The picture.
    #[must_use]
    pub fn plot(&self) -> Plot {
        let mut plot = Plot::new(self.width, self.height);
        let layout = self.layout();
        plot.name = self.name();
        self.grid(&layout, &mut plot);
        self.band(&layout, &mut plot);
        self.bars(&layout, &mut plot);
        self.strip(&layout, &mut plot);
        self.ghost(&layout, &mut plot);
        self.curves(&layout, &mut plot);
        if self.rows {
            self.draw_rows(&layout, &mut plot);
        }
        self.marks(&mut plot);
        plot
    }

    /// The handles as they look; the one that moves is in the accent.
    fn marks(&self, plot: &mut Plot) {
        let handles = self.handles();
        for (n, handle) in handles.iter().enumerate() {
            let at = (handle.x, handle.y);
            let (now, was) = (self.states.get(handle.state), self.before.get(handle.state));
            let moves = was.is_some() && now != was;
            let stroke = if moves { Ink::ACCENT } else { Ink::INK };
            match handle.part {
                Part::Residency => {
                    // A ring under others shows as a wider one around them.
                    let above = handles.iter().skip(n + 1).filter(|other| {
                        other.part == Part::Residency && (other.x - handle.x).abs() < TOGETHER / 2.0
                    });
                    let radius = 5.0 + 3.0 * above.count() as f64;
                    plot.mark(at, radius, false, Ink::SURFACE, stroke);
                }
                Part::ResidencyRow => plot.mark(at, 5.0, false, Ink::SURFACE, stroke),
                Part::Latency => plot.mark(at, 5.5, true, Ink::SURFACE, stroke),
                Part::Power => plot.shapes.push(Shape::Rect {
                    x: handle.x - 4.0,
                    y: handle.y - 6.0,
                    width: 8.0,
                    height: 12.0,
                    fill: Ink::SURFACE,
                    stroke,
                    opacity: 1.0,
                }),
            }
        }
        if self.is_narrow() {
            self.ring_names(&handles, plot);
        }
    }

    /// Names at the rings, in turns above and under them where they are close; rings at one place share a text.
    fn ring_names(&self, handles: &[Handle], plot: &mut Plot) {
        let rings: Vec<&Handle> = handles
            .iter()
            .filter(|handle| handle.part == Part::Residency)
            .collect();
        // Where the last text above and the last one below end.
        let mut ends = [f64::NEG_INFINITY; 2];
        for group in rings.chunk_by(|one, next| (next.x - one.x).abs() < TOGETHER / 2.0) {
            let texts: Vec<String> = group
                .iter()
                .filter_map(|ring| Some(label::short(ring.state, &self.states.get(ring.state)?.name)))
                .collect();
            let (text, Some(ring)) = (texts.join(" "), group.first()) else {
                continue;
            };
            let half = label::width(&text, 11.0) / 2.0;
            let x = ring.x.min(self.width - half - 2.0);
            let place = [(0, -9.0 - 3.0 * (group.len() - 1) as f64), (1, 18.0)];
            let Some((side, dy)) = place.into_iter().find(|(side, _)| x - half > ends[*side] + 3.0) else {
                continue;
            };
            ends[side] = x + half;
            plot.strong((x, ring.y + dy), text, Anchor::Middle, Ink::INK);
        }
    }

    fn name(&self) -> String {
        let all: u64 = self.durations.iter().map(|count| u64::from(*count)).sum();
        let counts = self.best_counts();
        let parts: Vec<String> = self
            .states
            .iter()
            .zip(counts)
            .map(|(state, count)| {
                let from = number::duration(state.target_residency, Style::Page);
                let share = match all {
                    0 => String::new(),
                    _ => format!(", best for about {}", number::share(count, all, 1, Style::Page)),
                };
                format!("{} from {from}{share}", state.name)
            })
            .collect();
        let what = match self.measure {
            Measure::Energy => "Energy",
            Measure::MeanPower => "Mean power",
        };
        format!("{what} by idle duration, estimate: {}", parts.join("; "))
    }

    fn grid(&self, layout: &Layout, plot: &mut Plot) {
        layout.ruler.draw(plot, layout.top, layout.bottom);
        let decades = (layout.low as i32)..=(layout.high as i32);
        let every = if (layout.high - layout.low) * 14.0 > layout.bottom - layout.top {
            3
        } else {
            1
        };
        for decade in decades.step_by(every) {
            let y = layout.y(10_f64.powi(decade));
            plot.line(
                (layout.ruler.left, y),
                (layout.ruler.right, y),
                Ink::LINE,
                Dash::Solid,
            );
            let label = self.measure.text(decade);
            plot.text((layout.ruler.left - 4.0, y + 3.0), label, Anchor::End, Ink::INK_3);
        }
    }

    fn bars(&self, layout: &Layout, plot: &mut Plot) {
        let most = self.durations.iter().copied().max().unwrap_or(0).max(1);
        let moved = self.moved();
        for (from, to, count) in bins(&self.durations).filter(|(.., count)| *count > 0) {
            let edge = |ns: f64| layout.ruler.x(Ns::new(ns.round() as i64));
            let (left, right) = (edge(from), edge(to));
            let height = (layout.bottom - layout.top) * BARS * f64::from(count) / f64::from(most);
            let within = moved.is_some_and(|(low, high)| to > low && from < high);
            let (fill, opacity) = if within {
                (Ink::ACCENT, 0.6)
            } else {
                (Ink::LINE_STRONG, 0.5)
            };
            plot.rect(
                (left, layout.bottom - height),
                ((right - left - 1.0).max(1.0), height),
                fill,
                opacity,
            );
        }
    }

    /// The stretch between a residency and what it was before the drag, ns.
    fn moved(&self) -> Option<(f64, f64)> {
        let pairs = self.states.iter().zip(&self.before);
        pairs
            .map(|(now, was)| {
                (
                    now.target_residency.as_ns() as f64,
                    was.target_residency.as_ns() as f64,
                )
            })
            .find(|(now, was)| now != was)
            .map(|(now, was)| (now.min(was), now.max(was)))
    }

    /// Stretches in which one state is the cheapest: `(from, to, state)` in px.
    fn stretches(&self, layout: &Layout, lines: &[(f64, f64)]) -> Vec<(f64, f64, usize)> {
        let ruler = &layout.ruler;
        let mut borders: Vec<f64> = vec![ruler.from, ruler.to];
        for (n, one) in lines.iter().enumerate() {
            for other in lines.iter().skip(n + 1) {
                let crossing = (other.0 - one.0) / (one.1 - other.1);
                if crossing > ruler.from && crossing < ruler.to {
                    borders.push(crossing);
                }
            }
        }
        borders.sort_by(f64::total_cmp);
        let edge = |ns: f64| {
            ruler.left + (ns / ruler.from).ln() / (ruler.to / ruler.from).ln() * (ruler.right - ruler.left)
        };
        let mut stretches: Vec<(f64, f64, usize)> = Vec::new();
        for pair in borders.windows(2) {
            let &[from, to] = pair else { continue };
            let Some(n) = best(&self.states, lines, (from * to).sqrt()) else {
                continue;
            };
            match stretches.last_mut() {
                Some((_, end, last)) if *last == n => *end = edge(to),
                _ => stretches.push((edge(from), edge(to), n)),
            }
        }
        stretches
    }

    fn strip(&self, layout: &Layout, plot: &mut Plot) {
        let all: u64 = self.durations.iter().map(|count| u64::from(*count)).sum();
        let (counts, names) = (self.best_counts(), self.names());
        for (from, to, n) in self.stretches(layout, &lines(&self.states)) {
            let count = self.states.len();
            plot.rect(
                (from + 0.5, 2.0),
                ((to - from - 1.0).max(0.5), STRIP - 4.0),
                Ink::depth(n, count),
                1.0,
            );
            let name = names.get(n).map_or("", String::as_str);
            let share = number::share(counts.get(n).copied().unwrap_or(0), all, 1, Style::Page);
            let short = label::short(n, name);
            let texts = match all {
                0 => vec![name.to_owned(), short],
                _ => vec![
                    format!("{name} is best: {share} of idles"),
                    format!("{name}: {share}"),
                    format!("{short}: {share}"),
                    name.to_owned(),
                    short,
                ],
            };
            let fits = |text: &String| label::width(text, 10.0) <= to - from - 4.0;
            let Some(label) = texts.into_iter().find(fits) else {
                continue;
            };
            plot.text(
                ((from + to) / 2.0, STRIP - 5.0),
                label,
                Anchor::Middle,
                Ink::on_depth(n, count),
            );
        }
    }

    /// The stretch between a residency and what it was.
    fn band(&self, layout: &Layout, plot: &mut Plot) {
        if let Some((low, high)) = self.moved() {
            let edge = |ns: f64| layout.ruler.x(Ns::new(ns.round() as i64));
            plot.rect(
                (edge(low), layout.top),
                (edge(high) - edge(low), layout.bottom - layout.top),
                Ink::ACCENT_WASH,
                0.8,
            );
        }
    }

    /// The lines as they were.
    fn ghost(&self, layout: &Layout, plot: &mut Plot) {
        let now = lines(&self.states);
        for (n, line) in lines(&self.before).into_iter().enumerate() {
            if now.get(n) != Some(&line) {
                plot.path(self.curve(layout, line, None), Ink::INK_3, 1.0, Dash::Dotted);
            }
        }
    }

    fn curves(&self, layout: &Layout, plot: &mut Plot) {
        let lines = lines(&self.states);
        let count = self.states.len();
        for (n, (state, line)) in self.states.iter().zip(&lines).enumerate() {
            let dash = if state.on { Dash::Solid } else { Dash::Dotted };
            plot.path(self.curve(layout, *line, None), Ink::depth(n, count), 1.0, dash);
        }
        for (from, to, n) in self.stretches(layout, &lines) {
            if let Some(line) = lines.get(n) {
                let points = self.curve(layout, *line, Some((from, to)));
                plot.path(points.clone(), Ink::FLOOR, 5.0, Dash::Solid);
                plot.path(points, Ink::depth(n, count), 3.0, Dash::Solid);
            }
        }
        if self.is_narrow() {
            return;
        }
        let names = label::distinct(&self.names(), 11.0, NAMES.1 - 14.0);
        let mut free = f64::NEG_INFINITY;
        for ((state, line), name) in self.states.iter().zip(&lines).zip(names) {
            // From the shallowest, highest one down; labels that would overlap move on.
            let y = layout.y(self.measure.of(*line, layout.ruler.to)).max(free);
            free = y + LABEL;
            plot.strong(
                (layout.ruler.right + 12.0, y - 1.0),
                name,
                Anchor::Start,
                Ink::INK,
            );
            let power = number::power(state.power, Style::Page);
            plot.text(
                (layout.ruler.right + 12.0, y + 10.0),
                power,
                Anchor::Start,
                Ink::INK_3,
            );
        }
    }

    /// A state's line between two x (the whole chart if none), cut at the chart's edges.
    fn curve(&self, layout: &Layout, line: (f64, f64), between: Option<(f64, f64)>) -> Vec<(f64, f64)> {
        let ruler = &layout.ruler;
        let (from, to) = between.unwrap_or((ruler.left, ruler.right));
        (0..=POINTS)
            .map(|k| from + (to - from) * k as f64 / POINTS as f64)
            .map(|x| {
                let share = (x - ruler.left) / (ruler.right - ruler.left);
                (
                    x,
                    self.measure
                        .of(line, ruler.from * (ruler.to / ruler.from).powf(share)),
                )
            })
            .filter(|(_, value)| *value > 0.0 && value.log10() <= layout.high + 0.05)
            .map(|(x, value)| (x, layout.y(value)))
            .collect()
    }

    fn draw_rows(&self, layout: &Layout, plot: &mut Plot) {
        let count = self.states.len();
        let names = label::distinct(&self.names(), 11.0, NAMES.0 - 6.0);
        for ((n, state), name) in self.states.iter().enumerate().zip(names).skip(1) {
            let y = layout.row(n);
            let (latency, residency) = (
                layout.ruler.x(state.exit_latency),
                layout.ruler.x(state.target_residency),
            );
            let wrong = disorder(&self.states, n);
            if self.is_narrow() {
                let name = label::numbered(n, &state.name);
                let after = 8.0 + label::width(&name, 11.0) + 8.0;
                plot.strong((8.0, y - 10.0), name, Anchor::Start, Ink::INK);
                if let Some(text) = told_in(&wrong, self.width - after) {
                    plot.text((after, y - 10.0), text, Anchor::Start, Ink::WARN);
                }
            } else {
                plot.strong((layout.ruler.left - 4.0, y + 3.0), name, Anchor::End, Ink::INK);
            }
            plot.rect(
                (layout.ruler.left, y - 1.5),
                ((latency - layout.ruler.left).max(0.5), 3.0),
                Ink::depth(n, count),
                1.0,
            );
            let told = !self.is_narrow();
            let exit = format!("exit {}", number::duration(state.exit_latency, Style::Page));
            // Before its diamond, unless the ring is there.
            let before = latency - layout.ruler.left > 80.0 && residency >= latency;
            if told && before {
                let text = exit.clone();
                plot.text((latency - 8.0, y - 4.0), text, Anchor::End, Ink::INK_2);
            }
            let was = self.before.get(n).map(|was| layout.ruler.x(was.target_residency));
            if let Some(was) = was.filter(|was| (was - residency).abs() > 0.5) {
                plot.line((was, y), (residency, y), Ink::ACCENT, Dash::Solid);
                plot.mark((was, y), 4.0, false, Ink::SURFACE, Ink::INK_3);
            }
            if told {
                let residency_text = number::duration(state.target_residency, Style::Page);
                let text = if residency < latency {
                    format!("residency {residency_text}, {exit}")
                } else {
                    format!("residency {residency_text}")
                };
                let after = residency.max(latency) + 10.0 + label::width(&text, 10.0) + 8.0;
                plot.text(
                    (residency.max(latency) + 10.0, y + 3.0),
                    text,
                    Anchor::Start,
                    Ink::INK_2,
                );
                if let Some(text) = told_in(&wrong, self.width - after) {
                    plot.text((after, y + 3.0), text, Anchor::Start, Ink::WARN);
                }
            }
        }
    }
}

/// What is out of order, in so much room: all of it, else the first and that there is more, else that
/// something is; none when nothing is.
fn told_in(wrong: &[Disorder], room: f64) -> Option<String> {
    let first = &wrong.first()?.short;
    let all: Vec<&str> = wrong.iter().map(|disorder| disorder.short.as_str()).collect();
    let texts = [all.join(", "), format!("{first}, …"), "out of order".to_owned()];
    let fits = |text: &String| label::width(text, 10.0) <= room;
    texts.iter().find(|text| fits(text)).or(texts.last()).cloned()
}

/// Bins of [`Histogram`] as `(from, to, count)`, ns; the open ends are a third of a decade wide.
fn bins(counts: &[u32]) -> impl Iterator<Item = (f64, f64, u32)> + '_ {
    let edges = Histogram::edges();
    counts.iter().enumerate().map(move |(bin, count)| {
        let edge = |at: usize| edges.get(at).map(|ns| *ns as f64);
        let from = bin.checked_sub(1).and_then(edge);
        let to = edge(bin);
        match (from, to) {
            (Some(from), Some(to)) => (from, to, *count),
            (None, Some(to)) => (to / 2.0, to, *count),
            (Some(from), None) => (from, from * 2.0, *count),
            (None, None) => (1.0, 2.0, *count),
        }
    })
}

#[cfg(test)]
mod tests;
