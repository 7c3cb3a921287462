//! Text and fine marks on a lane: names of states, wakeup causes, misses, tick stops, the selection
//! with what was expected of it.

use super::{Chosen, Place, Scene, Sent, block_height, ink, misses};
use crate::page::plot::{Anchor, Dash, Ink, Plot, Shape, label};
use crate::page::session::{LaneView, Shape as Kind};
use crate::page::view::{LaneId, Window};
use crate::page::words::{
    self,
    number::{Style, duration},
};
use crate::sim::{Cause, Flags, Row};
use crate::units::{CpuId, Ns, Time};

/// Blocks narrower than this carry no name, px.
const NAMED_FROM: f64 = 26.0;
/// Blocks narrower than this may carry the number of their state, px.
const NUMBERED_FROM: f64 = 14.0;
/// Blocks flatter than this carry no name: it would lie over their edges, px.
const NAMED_DOWN_TO: f64 = 9.0;
/// Thickness of the lower edge of a block, px.
const FLOOR: f64 = 1.2;
/// Half the width of the head of a pin and a gap beside it, px.
const PIN: f64 = 5.0;
/// Blocks narrower than this carry no glyph, px.
const GLYPH_FROM: f64 = 7.0;
/// More causes than this on one lane are noise: then there are none.
const MOST_GLYPHS: usize = 400;
/// Height of the middle of the glyph band over the busy band, px.
const BAND: f64 = 6.0;
/// Size of labels, px.
const SIZE: f64 = 10.0;

/// Stretches of the glyph band that the selected decision takes, px.
#[derive(Clone, Copy, Default)]
struct Taken {
    /// The bracket, which glyphs may interrupt.
    line: Option<(f64, f64)>,
    /// Its end, its label, the pin: no glyph there.
    label: Option<(f64, f64)>,
}

/// Whether a glyph at `x` touches a stretch.
fn touches(stretch: Option<(f64, f64)>, x: f64) -> bool {
    stretch.is_some_and(|(left, right)| x + 5.0 >= left && x - 5.0 <= right)
}

/// One block on the screen.
struct Block {
    /// Its true edges, px; they may lie outside the plot.
    left: f64,
    right: f64,
    /// Height of the block.
    height: f64,
}

impl Scene<'_> {
    pub(super) fn lane(&self, plot: &mut Plot, cpu: CpuId, place: &Place, view: &LaneView) {
        let chosen = self.chosen_on(cpu, place.lane);
        self.selection(plot, cpu, place, view, chosen);
        if place.detailed {
            let taken = chosen.map_or_else(Taken::default, |chosen| self.expected(plot, place, chosen));
            self.details(plot, cpu, place, view, taken);
        }
    }

    fn chosen_on(&self, cpu: CpuId, lane: LaneId) -> Option<&Chosen> {
        // Explanations arrive later than selections: one of another decision says nothing here.
        let own = self.chosen.iter().any(|chosen| {
            chosen.lane == self.view.lane && Some(chosen.n) == self.view.decision && cpu == self.view.cpu
        });
        self.chosen.iter().find(|chosen| own && chosen.lane == lane)
    }

    fn details(&self, plot: &mut Plot, cpu: CpuId, place: &Place, view: &LaneView, taken: Taken) {
        let states = self.states(cpu);
        let blocks: Vec<(Block, Row)> = view
            .rows()
            .map(|(_, row)| (self.block(place, &row, states.len()), row))
            .filter(|(block, _)| block.right >= self.scale.left && block.left <= self.right())
            .collect();
        let mut misses: Vec<misses::At> = blocks
            .iter()
            .map(|(block, row)| missed(place, block, row))
            .collect();
        if let Kind::Columns { shift, .. } = view.shape {
            let half = Ns::new(1_i64.checked_shl(shift).unwrap_or(i64::MAX) / 2);
            misses.extend(view.columns().map(|column| misses::At {
                x: self.scale.x(column.begin.saturating_add(half)),
                floor: None,
                too_deep: column.too_deep,
                too_shallow: column.too_shallow,
            }));
        } else {
            let first = view.rows().next().map(|(_, row)| row.entry);
            self.unknown(plot, place, first);
        }
        let counted = self.are_counted(&misses);
        let mut glyphs = 0;
        for (block, row) in &blocks {
            self.name(plot, place, block, (row.entered.index(), states));
            if block.right - block.left > GLYPH_FROM && glyphs < MOST_GLYPHS {
                glyphs += 1;
                if !counted {
                    self.woke_by(plot, place, block.right, row.cause, taken);
                }
                self.stop(plot, place, block, row);
            }
        }
        self.misses(plot, place, &misses, taken.label);
    }

    fn block(&self, place: &Place, row: &Row, states: usize) -> Block {
        Block {
            left: self.scale.x(row.entry),
            right: self.scale.x(row.exit),
            height: block_height(place, row.entered.index(), states),
        }
    }

    /// Says that nothing is known before the first decision.
    fn unknown(&self, plot: &mut Plot, place: &Place, first: Option<Time>) {
        let Some(pieces) = self.pieces else { return };
        let until = first.unwrap_or(pieces.to);
        let (left, right) = self.clip(Window::new(pieces.from, until));
        if until > pieces.from && right - left > label::width("unknown", SIZE) + 12.0 {
            let y = place.waterline() + place.depth / 2.0 + 3.5;
            plot.text((left + 6.0, y), "unknown", Anchor::Start, Ink::INK_3);
        }
    }

    fn name(&self, plot: &mut Plot, place: &Place, block: &Block, (state, states): (usize, &[String])) {
        if block.height < NAMED_DOWN_TO {
            return;
        }
        let left = block.left.max(self.scale.left);
        let wide = block.right.min(self.right()) - left;
        if wide <= NUMBERED_FROM {
            return;
        }
        let size = if block.height < 12.0 { 8.5 } else { SIZE };
        let Some(name) = label::state(states, state, size, wide - 7.0) else {
            return;
        };
        if wide <= NAMED_FROM && name.len() > 2 {
            return;
        }
        plot.shapes.push(Shape::Text {
            x: left + 5.0,
            // In the middle between waterline and floor, by the height of capitals.
            y: place.waterline() + (block.height - FLOOR) / 2.0 + size * 0.36,
            text: name,
            anchor: Anchor::Start,
            ink: Ink::on_depth(state, states.len()),
            size,
            strong: true,
        });
    }

    fn woke_by(&self, plot: &mut Plot, place: &Place, x: f64, by: Cause, taken: Taken) {
        let y = place.top - BAND;
        if !self.is_within(x) || touches(taken.label, x) {
            return;
        }
        if touches(taken.line, x) && !matches!(by, Cause::Tick | Cause::PollLimit) {
            plot.rect((x - 5.0, y - 5.0), (10.0, 10.0), Ink::SURFACE, 1.0);
        }
        cause(plot, by, (x, y));
    }

    /// A ring where the decision stopped a running tick.
    fn stop(&self, plot: &mut Plot, place: &Place, block: &Block, row: &Row) {
        let x = block.left + 4.5;
        if let Some(rail) = place.rail
            && row.flags.has(Flags::STOPPED_NOW)
            && self.is_within(x)
            && block.right - block.left > 9.0
        {
            plot.mark((x, rail), 2.4, false, Ink::SURFACE, Ink::STOPPED);
        }
    }

    /// The selected decision's block, on every lane that has one.
    fn selection(
        &self,
        plot: &mut Plot,
        cpu: CpuId,
        place: &Place,
        view: &LaneView,
        chosen: Option<&Chosen>,
    ) {
        if cpu != self.view.cpu || self.view.decision.is_none() {
            return;
        }
        let found = chosen.map(|chosen| (chosen.entry, chosen.exit, chosen.state));
        let found = found.or_else(|| {
            let own = view
                .rows()
                .find(|(n, _)| place.lane == self.view.lane && Some(*n) == self.view.decision);
            own.map(|(_, row)| (row.entry, row.exit, row.entered.index()))
        });
        let Some((entry, exit, state)) = found else { return };
        if exit < self.scale.window.from() || entry > self.scale.window.to() {
            return;
        }
        let (left, right) = self.clip(Window::new(entry, exit));
        let height = block_height(place, state, self.states(cpu).len());
        // Around the block: a halo that touched it would hide the thin ones.
        let (x, y) = (left - 2.0, place.waterline() - 2.0);
        let (right, bottom) = (x + (right - left).max(2.0) + 4.0, y + height + 4.0);
        let frame = vec![(x, y), (right, y), (right, bottom), (x, bottom), (x, y)];
        plot.path(frame.clone(), Ink::SURFACE, 4.0, Dash::Solid);
        plot.path(frame, Ink::ACCENT, 2.0, Dash::Solid);
    }

    /// The estimate as a bracket over the lane, the next timer as a pin.
    fn expected(&self, plot: &mut Plot, place: &Place, chosen: &Chosen) -> Taken {
        let y = place.top - BAND - 1.0;
        let mut taken = Taken::default();
        let pin = chosen.timer.map(|timer| chosen.entry.saturating_add(timer));
        if let Some(estimate) = chosen.estimate {
            let pin = pin.map(|at| self.scale.x(at)).filter(|x| self.is_within(*x));
            taken = self.bracket(plot, ink(chosen.lane), y, (chosen.entry, estimate), pin);
        }
        if let Some(at) = pin {
            let pin = self.pin(plot, place, y, at, taken.label);
            taken.label = match (taken.label, pin) {
                (Some((left, right)), Some((from, to))) => Some((left.min(from), right.max(to))),
                (one, other) => one.or(other),
            };
        }
        taken
    }

    /// `pin` is where the next timer's pin stands: its line must not strike the label through.
    fn bracket(
        &self,
        plot: &mut Plot,
        ink: Ink,
        y: f64,
        (entry, estimate): (Time, Ns),
        pin: Option<f64>,
    ) -> Taken {
        let (from, to) = (self.scale.x(entry), self.scale.x(entry.saturating_add(estimate)));
        if to < self.scale.left || from > self.right() {
            return Taken::default();
        }
        let (left, right) = (from.max(self.scale.left), to.min(self.right()));
        plot.path(vec![(left, y), (right, y)], ink, 1.4, Dash::Solid);
        for end in [from, to] {
            if self.is_within(end) {
                plot.path(vec![(end, y - 3.0), (end, y + 3.0)], ink, 1.4, Dash::Solid);
            }
        }
        if to > self.right() {
            let tip = vec![(right - 4.0, y - 3.0), (right, y), (right - 4.0, y + 3.0)];
            plot.path(tip, ink, 1.4, Dash::Solid);
        }
        let text = format!("estimate {}", duration(estimate, Style::Page));
        let wide = label::width(&text, SIZE);
        let struck = |x: f64| pin.is_some_and(|pin| (x - PIN..=x + wide + PIN).contains(&pin));
        let fits = |x: &f64| *x >= self.scale.left + 2.0 && *x + wide <= self.right() && !struck(*x);
        let behind = pin.map_or(right, |pin| pin.max(right)) + 8.0;
        let before = pin.map_or(right, |pin| pin.min(right)) - 8.0 - wide;
        let places = [right + 8.0, behind, right - 8.0 - wide, before];
        let x = places.into_iter().find(fits).unwrap_or(self.scale.left + 2.0);
        let inside = x < right;
        if inside {
            // The line is interrupted for its label.
            plot.rect((x - 3.0, y - 6.0), (wide + 4.0, 12.0), Ink::SURFACE, 1.0);
        }
        plot.shapes.push(Shape::Text {
            x,
            y: y + 3.5,
            text,
            anchor: Anchor::Start,
            ink,
            size: SIZE,
            strong: true,
        });
        Taken {
            line: Some((left, right)),
            label: Some((x.min(right - 3.0), x + wide)),
        }
    }

    /// A line from the CPU that sent an interrupt to the end of the block that it ended.
    pub(super) fn sent(&self, plot: &mut Plot, sent: Sent) {
        let place = |cpu: CpuId| {
            let row = self.layout.rows.iter().find(|row| row.cpu == cpu)?;
            let own = row.lanes.iter().find(|place| place.lane == sent.lane);
            own.or(row.lanes.last()).map(|place| self.placed(place))
        };
        let (Some(from), Some(to)) = (place(sent.from), place(sent.to)) else {
            return;
        };
        let (x, end) = (self.scale.x(sent.at), self.scale.x(sent.woke));
        if !self.is_within(x) || !self.is_within(end) {
            return;
        }
        // From the running sender to the mark of the cause; the line bends where both share an instant.
        let (start, tip) = (from.waterline(), to.top - if to.detailed { BAND } else { 0.0 });
        let down = if tip > start { 1.0 } else { -1.0 };
        plot.path(vec![(x, start), (end, tip)], Ink::SURFACE, 4.0, Dash::Solid);
        plot.path(vec![(x, start), (end, tip)], Ink::ACCENT, 1.6, Dash::Solid);
        plot.mark((x, start), 3.0, false, Ink::ACCENT, Ink::SURFACE);
        let head = vec![
            (end - 3.5, tip - 6.0 * down),
            (end, tip),
            (end + 3.5, tip - 6.0 * down),
        ];
        plot.path(head, Ink::ACCENT, 1.6, Dash::Solid);
        let text = format!("IPI of {}", sent.from);
        let wide = label::width(&text, SIZE);
        let left = if end + 10.0 + wide > self.right() {
            end - 10.0 - wide
        } else {
            end + 10.0
        };
        let y = (start + tip) / 2.0;
        plot.rect((left - 3.0, y - 8.0), (wide + 6.0, 14.0), Ink::SURFACE, 0.9);
        plot.text((left, y + 3.0), text, Anchor::Start, Ink::ACCENT);
    }

    fn pin(
        &self,
        plot: &mut Plot,
        place: &Place,
        y: f64,
        at: Time,
        taken: Option<(f64, f64)>,
    ) -> Option<(f64, f64)> {
        let x = self.scale.x(at);
        if !self.is_within(x) {
            return None;
        }
        plot.path(vec![(x, y), (x, place.waterline())], Ink::INK, 1.4, Dash::Solid);
        plot.mark((x, y), 2.8, false, Ink::SURFACE, Ink::INK);
        let text = "next timer";
        let wide = label::width(text, SIZE);
        let from = taken.map_or(x + 7.0, |(left, right)| {
            if x + 7.0 + wide < left {
                x + 7.0
            } else {
                right.max(x) + 8.0
            }
        });
        if from + wide > self.right() {
            return Some((x - 4.0, x + 4.0));
        }
        plot.text((from, y + 3.5), text, Anchor::Start, Ink::INK_2);
        Some((x - 4.0, from + wide))
    }
}

/// The miss of one block, if it is one.
fn missed(place: &Place, block: &Block, row: &Row) -> misses::At {
    let wide = block.right - block.left > GLYPH_FROM;
    misses::At {
        x: block.right,
        floor: wide.then_some(place.waterline() + block.height),
        too_deep: u32::from(row.flags.has(Flags::TOO_DEEP)),
        too_shallow: u32::from(row.flags.has(Flags::TOO_SHALLOW)),
    }
}

/// The mark of a cause alone, for the legend.
#[must_use]
pub fn cause_mark(by: Cause) -> Plot {
    let mut plot = Plot::new(12.0, 12.0);
    cause(&mut plot, by, (6.0, 6.0));
    plot.name = words::cause(by).to_owned();
    plot
}

/// What woke the CPU, over the end of a block.
fn cause(plot: &mut Plot, cause: Cause, (x, y): (f64, f64)) {
    let at = |points: &[(f64, f64)]| points.iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
    match cause {
        Cause::Timer => {
            plot.mark((x, y), 3.0, false, Ink::NONE, Ink::INK_2);
            plot.path(
                at(&[(0.0, -1.8), (0.0, 0.0), (1.4, 0.0)]),
                Ink::INK_2,
                1.2,
                Dash::Solid,
            );
        }
        Cause::Interrupt => plot.shapes.push(Shape::Path {
            points: at(&[
                (1.0, -4.5),
                (-2.9, 0.8),
                (0.0, 0.8),
                (-1.0, 4.5),
                (2.9, -0.8),
                (0.0, -0.8),
            ]),
            stroke: Ink::NONE,
            width: 0.0,
            dash: Dash::Solid,
            fill: Ink::INK_2,
            opacity: 1.0,
        }),
        Cause::Ipi => {
            plot.path(at(&[(-3.2, 0.0), (2.6, 0.0)]), Ink::INK_2, 1.2, Dash::Solid);
            plot.path(
                at(&[(0.4, -2.4), (2.8, 0.0), (0.4, 2.4)]),
                Ink::INK_2,
                1.2,
                Dash::Solid,
            );
        }
        // The stroke of a tick is on the rail below, and a polling limit is no event.
        Cause::Tick | Cause::PollLimit => {}
        Cause::Unknown => plot.text((x, y + 3.5), "?", Anchor::Middle, Ink::INK_2),
    }
}
