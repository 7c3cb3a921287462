//! Everything on the timeline that is text or a fine mark: ruler, grid, labels, names of states,
//! wakeup causes, misses, cursor, selection, range. Drawn over the raster.

use web_sys::CanvasRenderingContext2d as Canvas;

use super::geometry::{CpuRow, Layout, Place, RULER, Scale};
use super::raster::{Palette, Raster, Rgba, block_height};
use crate::app::findings::Pieces;
use crate::app::states::depth_step;
use crate::page::session::LaneView;
use crate::page::view::{LaneId, View, Window};
use crate::page::words::number::{Style, stamp_to};
use crate::sim::{Cause, Flags, Row};
use crate::units::{CpuId, Ns, Time};

/// Named colours of the overlay.
#[derive(Clone, Debug, PartialEq)]
pub struct Inks {
    /// Primary text.
    pub ink: String,
    /// Secondary text.
    pub second: String,
    /// Axis labels.
    pub third: String,
    /// Hairlines.
    pub line: String,
    /// Panel borders.
    pub line_strong: String,
    /// Ground.
    pub surface: String,
    /// Ground of labels.
    pub sunken: String,
    /// Cursor, selection, differences.
    pub accent: String,
    /// Text on it.
    pub accent_ink: String,
    /// Variant A.
    pub a: String,
    /// Variant B.
    pub b: String,
    /// Recorded.
    pub recorded: String,
    /// Too deep.
    pub deep: String,
    /// Too shallow.
    pub shallow: String,
    /// Tick stopped.
    pub stopped: String,
    /// Font of the page.
    pub font: String,
}

/// What is drawn.
pub struct Scene<'a> {
    /// Where one looks.
    pub view: &'a View,
    /// Where everything lies.
    pub layout: &'a Layout,
    /// Time and pixels.
    pub scale: Scale,
    /// How far the CPUs are scrolled.
    pub scroll: f64,
    /// Height of the canvas.
    pub height: f64,
    /// Lanes.
    pub pieces: Option<&'a Pieces>,
    /// Names of the states.
    pub states: &'a [String],
    /// Start of the record on its own clock.
    pub start: Time,
    /// Tick period, ns.
    pub tick: Ns,
    /// Colours of lanes.
    pub palette: &'a Palette,
    /// Colours of text.
    pub inks: &'a Inks,
    /// The focused CPU.
    pub cpu: CpuId,
}

/// Blocks narrower than this carry no name.
const NAMED_FROM: f64 = 26.0;
/// Blocks narrower than this carry no glyph.
const GLYPH_FROM: f64 = 7.0;
/// More glyphs than this on one lane are noise: then there are none.
const MOST_GLYPHS: usize = 400;

fn css([r, g, b, a]: Rgba) -> String {
    format!("rgba({r},{g},{b},{})", f64::from(a) / 255.0)
}

impl Scene<'_> {
    /// Draws everything.
    pub fn draw(&self, canvas: &Canvas) {
        for row in &self.layout.rows {
            let y = RULER + row.top - self.scroll;
            if y + row.height < RULER || y > self.height {
                continue;
            }
            self.row(canvas, row);
        }
        self.ruler(canvas);
        self.cursor(canvas);
    }

    fn piece(&self, cpu: CpuId, lane: LaneId) -> Option<&LaneView> {
        let pieces = self.pieces?;
        pieces
            .lanes
            .iter()
            .find(|(of, name, _)| *of == cpu && *name == lane)
            .map(|(_, _, view)| view)
    }

    /// The distance between two grid lines and the decimals of their labels.
    fn step(&self) -> (Ns, usize) {
        let tick_wide =
            self.tick.as_ns() as f64 / self.scale.window.len().as_ns().max(1) as f64 * self.scale.width;
        if (56.0..=260.0).contains(&tick_wide) {
            return (self.tick, 3);
        }
        let wanted = self.scale.distance(76.0).as_ns().max(1);
        let decade = 10_i64.pow(wanted.ilog10());
        let step = [1, 2, 5, 10]
            .into_iter()
            .map(|factor| decade * factor)
            .find(|step| *step >= wanted)
            .unwrap_or(wanted);
        let decimals = 9_usize.saturating_sub(usize::try_from(step.ilog10()).unwrap_or(0));
        (Ns::new(step), decimals)
    }

    /// Instants of the grid, on the trace's own clock so that labels are round.
    fn lines(&self) -> Vec<(Time, f64)> {
        let (step, _) = self.step();
        let first = self.scale.window.from().as_ns() + self.start.as_ns();
        let mut at = (first / step.as_ns()) * step.as_ns();
        let mut lines = Vec::new();
        while lines.len() < 200 {
            let x = self.scale.x(Time::from_ns(at - self.start.as_ns()));
            if x > self.scale.left + self.scale.width {
                break;
            }
            if x >= self.scale.left {
                lines.push((Time::from_ns(at), x));
            }
            at += step.as_ns();
        }
        lines
    }

    /// What lies behind the lanes: grid lines and the marked range.
    pub fn ground(&self, raster: &mut Raster) {
        if let Some(range) = self.view.range {
            let (left, right) = self.clip(range);
            raster.fill(left, RULER, right - left, self.height - RULER, self.palette.wash);
        }
        for (_, x) in self.lines() {
            raster.fill(x, RULER, raster.hair(), self.height - RULER, self.palette.line);
        }
    }

    fn ruler(&self, canvas: &Canvas) {
        let right = self.scale.left + self.scale.width;
        canvas.set_fill_style_str(&self.inks.surface);
        canvas.fill_rect(0.0, 0.0, right + 20.0, RULER);
        canvas.set_fill_style_str(&self.inks.line_strong);
        canvas.fill_rect(0.0, RULER - 1.0, right + 20.0, 1.0);
        canvas.set_font(&format!("10px {}", self.inks.font));
        canvas.set_fill_style_str(&self.inks.third);
        canvas.set_text_align("center");
        let (_, decimals) = self.step();
        let cursor = self.scale.x(self.view.cursor);
        for (t, x) in self.lines() {
            if (x - cursor).abs() > 64.0 {
                // Refused text would only mean a missing label.
                let _ = canvas.fill_text(stamp_to(t, decimals, Style::Page).trim_end_matches(" s"), x, 14.0);
            }
        }
        canvas.set_text_align("left");
        let _ = canvas.fill_text("s", 12.0, 14.0);
    }

    fn clip(&self, window: Window) -> (f64, f64) {
        let edge = |x: f64| x.clamp(self.scale.left, self.scale.left + self.scale.width);
        (edge(self.scale.x(window.from())), edge(self.scale.x(window.to())))
    }

    fn row(&self, canvas: &Canvas, row: &CpuRow) {
        let top = RULER + row.top - self.scroll;
        let focused = row.cpu == self.cpu;
        canvas.set_fill_style_str(if focused {
            &self.inks.sunken
        } else {
            &self.inks.surface
        });
        canvas.fill_rect(0.0, top, self.scale.left - 4.0, row.height);
        if focused {
            canvas.set_fill_style_str(&self.inks.accent);
            canvas.fill_rect(0.0, top, 2.0, row.height);
        }
        canvas.set_fill_style_str(&self.inks.ink);
        let weight = if focused { "600 12px" } else { "11px" };
        canvas.set_font(&format!("{weight} {}", self.inks.font));
        canvas.set_text_align("left");
        let _ = canvas.fill_text(
            &row.cpu.to_string(),
            12.0,
            top + if row.expanded {
                18.0
            } else {
                row.height / 2.0 + 4.0
            },
        );
        for place in &row.lanes {
            self.label(canvas, place);
            if place.detailed
                && let Some(view) = self.piece(row.cpu, place.lane)
            {
                self.details(canvas, place, view, row.cpu);
            }
            if row.cpu == self.view.cpu && self.view.decision.is_some() && place.lane == self.view.lane {
                self.selection(canvas, place, row.cpu);
            }
        }
        if let Some(y) = row.differs {
            self.differs(canvas, row, y);
        }
        canvas.set_fill_style_str(if row.expanded {
            &self.inks.line_strong
        } else {
            &self.inks.line
        });
        canvas.fill_rect(
            0.0,
            top + row.height - 1.0,
            self.scale.left + self.scale.width + 8.0,
            1.0,
        );
    }

    fn label(&self, canvas: &Canvas, place: &Place) {
        let y = RULER + place.waterline() - self.scroll;
        canvas.set_text_align("right");
        canvas.set_font(&format!(
            "600 {}px {}",
            if place.detailed { 11 } else { 9 },
            self.inks.font
        ));
        canvas.set_fill_style_str(match place.lane {
            LaneId::Recorded => &self.inks.recorded,
            LaneId::A => &self.inks.a,
            LaneId::B => &self.inks.b,
        });
        let x = self.scale.left - 10.0;
        let _ = canvas.fill_text(place.lane.label(), x, y + place.depth / 2.0 + 3.0);
        if let Some(rail) = place.rail {
            canvas.set_font(&format!("10px {}", self.inks.font));
            canvas.set_fill_style_str(&self.inks.third);
            let _ = canvas.fill_text("tick", x, RULER + rail - self.scroll + 3.5);
        }
        canvas.set_text_align("left");
    }

    fn details(&self, canvas: &Canvas, place: &Place, view: &LaneView, _cpu: CpuId) {
        let count = self.states.len();
        let right = self.scale.left + self.scale.width;
        let mut glyphs = 0;
        for (_, row) in view.rows() {
            let (from, to) = (self.scale.x(row.entry), self.scale.x(row.exit));
            if to < self.scale.left || from > right || glyphs > MOST_GLYPHS {
                continue;
            }
            let state = row.entered.index();
            let height = block_height(place, state, count);
            let waterline = RULER + place.waterline() - self.scroll;
            let left = from.max(self.scale.left);
            if to.min(right) - left > NAMED_FROM
                && let Some(name) = self.states.get(state)
            {
                let step = depth_step(state, count).min(9);
                canvas.set_fill_style_str(&css(self.palette.on_depth[step]));
                canvas.set_font(&format!(
                    "600 {}px {}",
                    if height < 12.0 { 8.5 } else { 10.0 },
                    self.inks.font
                ));
                let y = waterline + (height - 3.0).min(height / 2.0 + 4.0);
                let _ = canvas.fill_text_with_max_width(name, left + 4.0, y, to.min(right) - left - 6.0);
            }
            if to - from > GLYPH_FROM {
                glyphs += 1;
                self.glyphs(canvas, &row, place, (from, to), waterline, height);
            }
        }
    }

    fn glyphs(
        &self,
        canvas: &Canvas,
        row: &Row,
        place: &Place,
        (from, to): (f64, f64),
        waterline: f64,
        height: f64,
    ) {
        let within = |x: f64| x >= self.scale.left && x <= self.scale.left + self.scale.width;
        if within(to) {
            self.cause(canvas, row.cause, to, waterline - place.busy - 6.0);
            let x = to - 5.5;
            if row.flags.has(Flags::TOO_DEEP) {
                triangle(
                    canvas,
                    x,
                    waterline + height - 7.0,
                    3.6,
                    true,
                    &self.inks.deep,
                    &self.inks.surface,
                );
            } else if row.flags.has(Flags::TOO_SHALLOW) {
                triangle(
                    canvas,
                    x,
                    waterline + height + 6.0,
                    3.6,
                    false,
                    &self.inks.shallow,
                    &self.inks.surface,
                );
            }
        }
        if let Some(rail) = place.rail
            && row.flags.has(Flags::STOPPED_NOW)
            && within(from + 4.5)
            && to - from > 9.0
        {
            canvas.begin_path();
            let _ = canvas.arc(
                from + 4.5,
                RULER + rail - self.scroll,
                2.4,
                0.0,
                std::f64::consts::TAU,
            );
            canvas.set_fill_style_str(&self.inks.surface);
            canvas.fill();
            canvas.set_stroke_style_str(&self.inks.stopped);
            canvas.set_line_width(1.3);
            canvas.stroke();
        }
    }

    fn cause(&self, canvas: &Canvas, cause: Cause, x: f64, y: f64) {
        canvas.set_stroke_style_str(&self.inks.second);
        canvas.set_fill_style_str(&self.inks.second);
        canvas.set_line_width(1.2);
        canvas.begin_path();
        match cause {
            Cause::Timer => {
                let _ = canvas.arc(x, y, 3.0, 0.0, std::f64::consts::TAU);
                canvas.move_to(x, y - 1.8);
                canvas.line_to(x, y);
                canvas.line_to(x + 1.4, y);
                canvas.stroke();
            }
            Cause::Interrupt => {
                let points = [
                    (1.0, -4.5),
                    (-2.9, 0.8),
                    (0.0, 0.8),
                    (-1.0, 4.5),
                    (2.9, -0.8),
                    (0.0, -0.8),
                ];
                for (dx, dy) in points {
                    canvas.line_to(x + dx, y + dy);
                }
                canvas.fill();
            }
            Cause::Ipi => {
                canvas.move_to(x - 3.2, y);
                canvas.line_to(x + 2.6, y);
                canvas.move_to(x + 0.4, y - 2.4);
                canvas.line_to(x + 2.8, y);
                canvas.line_to(x + 0.4, y + 2.4);
                canvas.stroke();
            }
            // The stroke of a tick is on the rail below, and a polling limit is no event.
            Cause::Tick | Cause::PollLimit => {}
            Cause::Unknown => {
                canvas.set_font(&format!("9px {}", self.inks.font));
                let _ = canvas.fill_text("?", x - 2.5, y + 3.5);
            }
        }
    }

    fn selection(&self, canvas: &Canvas, place: &Place, cpu: CpuId) {
        let Some(row) = self
            .piece(cpu, place.lane)
            .and_then(|view| view.rows().find(|(n, _)| Some(*n) == self.view.decision))
            .map(|(_, row)| row)
        else {
            return;
        };
        let (left, right) = self.clip(Window::new(row.entry, row.exit));
        let height = block_height(place, row.entered.index(), self.states.len());
        let y = RULER + place.waterline() - self.scroll;
        let frame = (left - 1.5, y - 1.5, (right - left).max(2.0) + 3.0, height + 3.0);
        for (colour, wide) in [(&self.inks.surface, 5.0), (&self.inks.accent, 2.0)] {
            canvas.set_stroke_style_str(colour);
            canvas.set_line_width(wide);
            canvas.stroke_rect(frame.0, frame.1, frame.2, frame.3);
        }
    }

    /// An accent strip over each stretch in which A and B chose another state or tick.
    fn differs(&self, canvas: &Canvas, row: &CpuRow, y: f64) {
        canvas.set_text_align("right");
        canvas.set_font(&format!("10px {}", self.inks.font));
        canvas.set_fill_style_str(&self.inks.third);
        let y = RULER + y - self.scroll;
        let _ = canvas.fill_text("differs", self.scale.left - 10.0, y + 3.5);
        canvas.set_text_align("left");
        let (Some(a), Some(b)) = (self.piece(row.cpu, LaneId::A), self.piece(row.cpu, LaneId::B)) else {
            return;
        };
        canvas.set_fill_style_str(&self.inks.accent);
        let mut others = b.rows().peekable();
        for (_, one) in a.rows() {
            while others.next_if(|(_, other)| other.exit <= one.entry).is_some() {}
            let same = others.peek().is_some_and(|(_, other)| {
                other.period == one.period
                    && other.selected == one.selected
                    && other.flags.has(Flags::STOPPED) == one.flags.has(Flags::STOPPED)
            });
            if !same && !one.flags.has(Flags::UNCOUNTED) {
                let (left, right) = self.clip(Window::new(one.entry, one.exit));
                if right > left {
                    canvas.fill_rect(left, y - 1.5, (right - left).max(2.0), 4.0);
                }
            }
        }
    }

    fn cursor(&self, canvas: &Canvas) {
        let x = self.scale.x(self.view.cursor);
        if x < self.scale.left || x > self.scale.left + self.scale.width {
            return;
        }
        canvas.set_fill_style_str(&self.inks.accent);
        canvas.fill_rect(x - 0.7, RULER - 2.0, 1.4, self.height - RULER + 2.0);
        let t = self
            .start
            .saturating_add(self.view.cursor.saturating_since(Time::ZERO));
        let text = stamp_to(t, 6, Style::Page);
        canvas.set_font(&format!("600 10px {}", self.inks.font));
        let wide = canvas.measure_text(&text).map_or(76.0, |size| size.width()) + 14.0;
        let left = (x - wide / 2.0).clamp(
            self.scale.left - 20.0,
            (self.scale.left + self.scale.width - wide).max(self.scale.left),
        );
        canvas.begin_path();
        let _ = canvas.round_rect_with_f64(left, 3.0, wide, 16.0, 3.0);
        canvas.fill();
        canvas.set_fill_style_str(&self.inks.accent_ink);
        let _ = canvas.fill_text(&text, left + 7.0, 14.5);
    }
}

/// Filled and pointing up, or hollow and pointing down: misses differ by shape first.
fn triangle(canvas: &Canvas, x: f64, y: f64, size: f64, up: bool, colour: &str, ground: &str) {
    let tip = if up { -size } else { size };
    canvas.begin_path();
    canvas.move_to(x, y + tip);
    canvas.line_to(x + size, y - tip * 0.7);
    canvas.line_to(x - size, y - tip * 0.7);
    canvas.close_path();
    canvas.set_fill_style_str(if up { colour } else { ground });
    canvas.set_stroke_style_str(if up { ground } else { colour });
    canvas.set_line_width(if up { 0.9 } else { 1.4 });
    canvas.fill();
    canvas.stroke();
}
