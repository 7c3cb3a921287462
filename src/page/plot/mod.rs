//! Plots as lists of shapes: what is drawn where, in which token's colour, without a canvas.
//!
//! Durations are always on a log axis from 1 µs rightwards, with the states' residencies on it
//! ([`ruler`]). Coordinates are CSS pixels from the upper left corner. Colours are names of design
//! tokens, so one list serves every theme; [`svg`] turns a list into a picture of its own.

pub mod bins;
pub mod chips;
pub mod clock;
pub mod cut;
pub mod durations;
pub mod energy;
pub mod handles;
pub mod label;
pub mod order;
pub mod press;
pub mod ruler;
pub mod rungs;
pub mod shares;
pub mod sources;
pub mod stops;
pub mod svg;
pub mod sweep;
pub mod timeline;
pub mod window;

/// The name of a colour token, such as `accent` or `depth-3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ink(pub &'static str);

impl Ink {
    /// No colour at all.
    pub const NONE: Self = Self("none");
    /// Text and data.
    pub const INK: Self = Self("ink");
    /// Secondary text.
    pub const INK_2: Self = Self("ink-2");
    /// Axis labels.
    pub const INK_3: Self = Self("ink-3");
    /// Hairlines.
    pub const LINE: Self = Self("line");
    /// Strong hairlines.
    pub const LINE_STRONG: Self = Self("line-strong");
    /// The one accent.
    pub const ACCENT: Self = Self("accent");
    /// Its wash.
    pub const ACCENT_WASH: Self = Self("accent-wash");
    /// Ground of a panel.
    pub const SURFACE: Self = Self("surface");
    /// Lower edge of an idle block.
    pub const FLOOR: Self = Self("floor");
    /// Variant A.
    pub const A: Self = Self("var-a");
    /// Variant B.
    pub const B: Self = Self("var-b");
    /// The recording.
    pub const RECORDED: Self = Self("recorded");
    /// The ideal, and estimates of energy.
    pub const ENERGY: Self = Self("energy");
    /// Ground of labels.
    pub const SUNKEN: Self = Self("sunken");
    /// Text on the accent.
    pub const ACCENT_INK: Self = Self("accent-ink");
    /// Too deep.
    pub const TOO_DEEP: Self = Self("too-deep");
    /// Too shallow.
    pub const TOO_SHALLOW: Self = Self("too-shallow");
    /// Caution.
    pub const WARN: Self = Self("warn");
    /// The tick is stopped.
    pub const STOPPED: Self = Self("tick-stopped");

    /// The colour of state `n` of `count`: shallow is light, deep is dark (ui.md §2).
    #[must_use]
    pub fn depth(n: usize, count: usize) -> Self {
        const RAMP: [&str; 10] = [
            "depth-0", "depth-1", "depth-2", "depth-3", "depth-4", "depth-5", "depth-6", "depth-7",
            "depth-8", "depth-9",
        ];
        Self(RAMP.get(depth_step(n, count)).copied().unwrap_or("depth-9"))
    }

    /// The colour of text on [`Ink::depth`].
    #[must_use]
    pub fn on_depth(n: usize, count: usize) -> Self {
        const RAMP: [&str; 10] = [
            "on-depth-0",
            "on-depth-1",
            "on-depth-2",
            "on-depth-3",
            "on-depth-4",
            "on-depth-5",
            "on-depth-6",
            "on-depth-7",
            "on-depth-8",
            "on-depth-9",
        ];
        Self(RAMP.get(depth_step(n, count)).copied().unwrap_or("on-depth-9"))
    }
}

/// The step of the ten-step ramp for state `n` of `count`: `round(n · 9 / (count - 1))`, 0 to 9.
#[must_use]
pub fn depth_step(n: usize, count: usize) -> usize {
    let last = count.saturating_sub(1).max(1);
    ((n.min(last) * 18 + last) / (2 * last)).min(9)
}

/// The steps that state `n` has where tables of so many states are side by side, each once: one, unless their
/// CPUs go to different depths.
#[must_use]
pub fn depth_steps(n: usize, counts: &[usize]) -> Vec<usize> {
    let mut steps = Vec::new();
    for count in counts.iter().filter(|count| n < **count) {
        let step = depth_step(n, *count);
        if !steps.contains(&step) {
            steps.push(step);
        }
    }
    steps
}

/// Where a text stands on its point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Anchor {
    /// It begins there.
    #[default]
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dash {
    /// Through.
    #[default]
    Solid,
    /// Dots.
    Dotted,
}

/// One thing to draw.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A filled rectangle.
    Rect {
        /// Left edge.
        x: f64,
        /// Upper edge.
        y: f64,
        /// Width.
        width: f64,
        /// Height.
        height: f64,
        /// Fill.
        fill: Ink,
        /// Outline, 1 px.
        stroke: Ink,
        /// 0 to 1.
        opacity: f64,
    },
    /// Straight lines from point to point.
    Path {
        /// The points.
        points: Vec<(f64, f64)>,
        /// Colour.
        stroke: Ink,
        /// Width of the line.
        width: f64,
        /// Through or dotted.
        dash: Dash,
        /// Fill between the first and the last point.
        fill: Ink,
        /// 0 to 1.
        opacity: f64,
    },
    /// A circle, or a diamond of that half-width.
    Mark {
        /// Middle.
        x: f64,
        /// Middle.
        y: f64,
        /// Radius.
        r: f64,
        /// A diamond instead.
        diamond: bool,
        /// Fill.
        fill: Ink,
        /// Outline, 1.5 px.
        stroke: Ink,
    },
    /// A text.
    Text {
        /// Its point.
        x: f64,
        /// Baseline.
        y: f64,
        /// What it says.
        text: String,
        /// Where it stands on its point.
        anchor: Anchor,
        /// Colour.
        ink: Ink,
        /// Size in px.
        size: f64,
        /// Bold.
        strong: bool,
    },
}

/// Something that a picture shows and a step of a decision speaks of: it is lit up with that step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// The state with this index: its chip and its bin.
    State(usize),
    /// A look at the last intervals, from 0.
    Look(usize),
    /// What the governor expected.
    Estimate,
    /// The time really slept.
    Slept,
    /// The tick period.
    Tick,
}

impl Topic {
    /// Its name in documents: letters, digits and hyphens.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::State(n) => format!("state-{n}"),
            Self::Look(n) => format!("look-{n}"),
            Self::Estimate => "estimate".to_owned(),
            Self::Slept => "slept".to_owned(),
            Self::Tick => "tick".to_owned(),
        }
    }
}

/// A picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    /// Width, px.
    pub width: f64,
    /// Height, px.
    pub height: f64,
    /// What it says, for those who do not see it.
    pub name: String,
    /// From back to front.
    pub shapes: Vec<Shape>,
    /// Which shapes, first and behind the last, make a part; ascending, none within another.
    pub parts: Vec<(usize, usize, Topic)>,
}

impl Plot {
    fn new(width: f64, height: f64) -> Self {
        Self {
            width,
            height,
            name: String::new(),
            shapes: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// What is drawn by `draw` is that part.
    fn part(&mut self, part: Topic, draw: impl FnOnce(&mut Self)) {
        let from = self.shapes.len();
        draw(self);
        self.parts.push((from, self.shapes.len(), part));
    }

    fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), fill: Ink, opacity: f64) {
        self.shapes.push(Shape::Rect {
            x,
            y,
            width,
            height,
            fill,
            stroke: Ink::NONE,
            opacity,
        });
    }

    fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: Ink, dash: Dash) {
        self.path(vec![from, to], stroke, 1.0, dash);
    }

    fn path(&mut self, points: Vec<(f64, f64)>, stroke: Ink, width: f64, dash: Dash) {
        self.shapes.push(Shape::Path {
            points,
            stroke,
            width,
            dash,
            fill: Ink::NONE,
            opacity: 1.0,
        });
    }

    fn text(&mut self, (x, y): (f64, f64), text: impl Into<String>, anchor: Anchor, ink: Ink) {
        self.shapes.push(Shape::Text {
            x,
            y,
            text: text.into(),
            anchor,
            ink,
            size: 10.0,
            strong: false,
        });
    }

    fn strong(&mut self, (x, y): (f64, f64), text: impl Into<String>, anchor: Anchor, ink: Ink) {
        self.shapes.push(Shape::Text {
            x,
            y,
            text: text.into(),
            anchor,
            ink,
            size: 11.0,
            strong: true,
        });
    }

    fn mark(&mut self, (x, y): (f64, f64), r: f64, diamond: bool, fill: Ink, stroke: Ink) {
        self.shapes.push(Shape::Mark {
            x,
            y,
            r,
            diamond,
            fill,
            stroke,
        });
    }
}

/// Whether a shape lies inside the picture; for tests of charts.
#[cfg(test)]
fn is_inside(shape: &Shape, plot: &Plot) -> bool {
    let within = |x: f64, y: f64| {
        x.is_finite()
            && y.is_finite()
            && x >= -60.0
            && x <= plot.width + 1.0
            && y >= -1.0
            && y <= plot.height + 1.0
    };
    match shape {
        Shape::Rect {
            x, y, width, height, ..
        } => within(*x, *y) && within(x + width, y + height),
        Shape::Path { points, .. } => points.iter().all(|(x, y)| within(*x, *y)),
        Shape::Mark { x, y, .. } | Shape::Text { x, y, .. } => within(*x, *y),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_spreads_over_the_ramp() {
        let steps = |count| (0..count).map(|n| depth_step(n, count)).collect::<Vec<_>>();
        assert_eq!(steps(1), [0]);
        assert_eq!(steps(2), [0, 9]);
        assert_eq!(steps(4), [0, 3, 6, 9]);
        assert_eq!(steps(10), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }

    #[test]
    fn a_state_has_a_step_for_each_place_that_tables_give_it() {
        for (n, counts, expect) in [
            (0, &[3, 2][..], &[0][..]),
            (1, &[3, 2], &[5, 9]),
            (2, &[3, 2], &[9]),
            (1, &[4], &[3]),
            (1, &[], &[]),
        ] {
            assert_eq!(depth_steps(n, counts), expect, "{n} of {counts:?}");
        }
    }
}
