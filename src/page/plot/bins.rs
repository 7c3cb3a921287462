//! What a governor remembers, on the one ruler: teo's bins, menu's intervals, and below them where
//! the tick, the estimates and the time really slept lie.
//!
//! ```text
//!        1150 ▯▮1389          428 ▯▮2278   2965 ▯
//!      ─────┴──────────────────────┴────────────┴────
//!          (C1)  ◄──── step 5 ─── (C2) ◄─────── (C3)
//!      ─────────────────────▼B────┃──▼A──────┃───────   1 µs … 10 ms
//!                              TICK        slept
//! ```

use super::ruler::Ruler;
use super::{Anchor, Dash, Ink, Plot, Shape, label};
use crate::page::words::{Style, number};
use crate::units::{Ns, Us};

/// Height of the bars, px.
const BARS: f64 = 76.0;
/// Height of the row of states, px.
const CHIPS: f64 = 24.0;
/// Height of a bar's number, px.
const NUMBER: f64 = 14.0;
/// Size of the text on a chip and of the list of names, px.
const SIZE: f64 = 10.0;
/// Least width of a chip, px.
const CHIP: f64 = 26.0;
/// Least distance of two chips, px: an arrow's head fits.
const GAP: f64 = 10.0;
/// Width of the two bars of a bin, px.
const PAIR: f64 = 36.0;
/// Height of a line of the list of names, px.
const LINE: f64 = 13.0;

/// One state with what is remembered about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Bin {
    /// The state's name.
    pub name: String,
    /// Where its bin begins: its target residency, ns.
    pub from: Ns,
    /// Stays that reached their timer in this bin; none in versions without bins.
    pub hits: Option<u32>,
    /// Stays that ended in this bin before their timer.
    pub intercepts: Option<u32>,
}

/// A pointer on the ruler below the bins.
#[derive(Clone, Debug, PartialEq)]
pub struct Pointer {
    /// Whose: [`Ink::A`], [`Ink::B`] or [`Ink::INK`].
    pub ink: Ink,
    /// What it says.
    pub label: String,
    /// Where, ns.
    pub at: Ns,
}

/// What is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bins {
    /// Width, px.
    pub width: f64,
    /// The states, shallowest first.
    pub bins: Vec<Bin>,
    /// menu's last intervals.
    pub intervals: Vec<Us>,
    /// Intervals above it were left out.
    pub threshold: Option<Us>,
    /// The candidate after each step that changed it, as states, in order.
    pub candidates: Vec<usize>,
    /// The decision did not read the bins, for this reason.
    pub unread: Option<String>,
    /// The tick period.
    pub tick: Option<Ns>,
    /// Both estimates and the time really slept.
    pub pointers: Vec<Pointer>,
}

impl Bins {
    /// The picture; its height follows from what there is to draw.
    #[must_use]
    pub fn plot(&self) -> Plot {
        let has_bars = self.bins.iter().any(|bin| bin.hits.is_some());
        let top = NUMBER + if self.unread.is_some() { 16.0 } else { 0.0 };
        let base =
            top + if has_bars { BARS } else { 0.0 } + if self.intervals.is_empty() { 0.0 } else { 30.0 };
        let rows = (self.pointers.len() as f64 + 1.0) * 12.0;
        let axis = base + CHIPS + 10.0 + rows;
        let legend = self.legend();
        let mut plot = Plot::new(self.width, axis + 18.0 + legend.len() as f64 * LINE);
        plot.name = self.name();
        let longest = self.bins.iter().map(|bin| bin.from).chain(self.tick);
        let pointed = self
            .pointers
            .iter()
            .map(|pointer| pointer.at)
            .filter(|at| *at < Ns::from_ms(10_000));
        let ruler = Ruler::new(
            12.0,
            self.width - 12.0,
            longest.chain(pointed).max().unwrap_or_default(),
        );
        ruler.draw(&mut plot, axis - 4.0, axis);
        self.grounds(&ruler, &mut plot, top, base);
        if let Some(why) = &self.unread {
            plot.text(
                (12.0, 12.0),
                format!("{why}: bins not read"),
                Anchor::Start,
                Ink::INK_2,
            );
        }
        if has_bars {
            self.bars(&ruler, &mut plot, top, base);
        }
        self.dots(&ruler, &mut plot, base - 14.0);
        self.chips(&ruler, &mut plot, base + CHIPS / 2.0 + 2.0);
        self.pointers(&ruler, &mut plot, base + CHIPS + 8.0, axis);
        for (n, line) in legend.into_iter().enumerate() {
            let y = axis + 28.0 + n as f64 * LINE;
            plot.text((12.0, y), line, Anchor::Start, Ink::INK_2);
        }
        plot
    }

    /// What stands on the chips: whole names where all fit side by side, else those that are long have their
    /// number.
    fn labels(&self) -> Vec<String> {
        let names = self.bins.iter().map(|bin| bin.name.clone());
        let whole: Vec<String> = names.collect();
        let room: f64 = whole.iter().map(|name| chip(name).max(PAIR) + GAP).sum();
        if room <= self.width - 24.0 + GAP {
            return whole;
        }
        whole
            .iter()
            .enumerate()
            .map(|(n, name)| label::short(n, name))
            .collect()
    }

    /// The names behind the numbers on the chips, in lines; none where the chips say them.
    fn legend(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for (n, (bin, short)) in self.bins.iter().zip(self.labels()).enumerate() {
            if short == bin.name {
                continue;
            }
            let entry = label::numbered(n, &bin.name);
            match lines.last_mut() {
                Some(line) if label::width(&format!("{line}   {entry}"), SIZE) <= self.width - 24.0 => {
                    line.push_str("   ");
                    line.push_str(&entry);
                }
                _ => lines.push(entry),
            }
        }
        lines
    }

    fn name(&self) -> String {
        let parts: Vec<String> = self
            .bins
            .iter()
            .filter_map(|bin| {
                let (hits, intercepts) = (bin.hits?, bin.intercepts?);
                Some(format!("{} {hits} hits, {intercepts} intercepts", bin.name))
            })
            .collect();
        let mut name = if parts.is_empty() {
            let list: Vec<String> = self
                .intervals
                .iter()
                .map(|us| match *us {
                    Us::MAX => "none".to_owned(),
                    us => us.as_us().to_string(),
                })
                .collect();
            match list.len() {
                0 => "States by residency".to_owned(),
                _ => format!("Last intervals in µs: {}", list.join(", ")),
            }
        } else {
            parts.join("; ")
        };
        for pointer in &self.pointers {
            let time = number::duration(pointer.at, Style::Page);
            name.push_str(&format!("; {} {time}", pointer.label));
        }
        name
    }

    /// Alternating grounds from residency to residency.
    fn grounds(&self, ruler: &Ruler, plot: &mut Plot, top: f64, base: f64) {
        let count = self.bins.len();
        for (n, bin) in self.bins.iter().enumerate() {
            let from = ruler.x(bin.from);
            let to = self
                .bins
                .get(n + 1)
                .map_or(ruler.right, |next| ruler.x(next.from));
            plot.rect(
                (from, top),
                ((to - from).max(0.0), base - top),
                Ink::depth(n, count),
                0.12,
            );
        }
        plot.line((ruler.left, base), (ruler.right, base), Ink::INK_3, Dash::Solid);
    }

    /// Where the middle of a state's bin stands, px; bins too narrow for their bars or chips move aside.
    fn places(&self, ruler: &Ruler) -> Vec<f64> {
        let count = self.bins.len();
        let share = (ruler.right - ruler.left) / count.max(1) as f64;
        let widths: Vec<f64> = self
            .labels()
            .iter()
            .map(|text| (chip(text).max(PAIR) + GAP).min(chip(text).max(share)))
            .collect();
        let mut places: Vec<f64> = Vec::with_capacity(count);
        let mut free = ruler.left;
        for (n, (bin, width)) in self.bins.iter().zip(&widths).enumerate() {
            let from = ruler.x(bin.from);
            let to = self
                .bins
                .get(n + 1)
                .map_or(ruler.right, |next| ruler.x(next.from));
            let after: f64 = widths.iter().skip(n + 1).sum();
            let wanted = f64::midpoint(from, to).min(ruler.right - after - width / 2.0);
            let place = wanted.max(free + width / 2.0);
            free = place + width / 2.0;
            places.push(place);
        }
        places
    }

    fn bars(&self, ruler: &Ruler, plot: &mut Plot, top: f64, base: f64) {
        let opacity = if self.unread.is_some() { 0.4 } else { 1.0 };
        let counts = self.bins.iter().flat_map(|bin| [bin.hits, bin.intercepts]);
        let most = counts.flatten().max().unwrap_or(0).max(1);
        for (bin, x) in self.bins.iter().zip(self.places(ruler)) {
            let pairs = [
                (bin.hits, -17.0, Ink::SURFACE, Anchor::End, -1.5),
                (bin.intercepts, 1.0, Ink::INK_2, Anchor::Start, 1.5),
            ];
            for (value, dx, fill, anchor, at) in pairs {
                let Some(value) = value else { continue };
                let height = (base - top - 4.0) * f64::from(value) / f64::from(most);
                plot.shapes.push(Shape::Rect {
                    x: x + dx,
                    y: base - height,
                    width: 16.0,
                    height,
                    fill,
                    stroke: Ink::INK_2,
                    opacity,
                });
                plot.text(
                    (x + at, base - height - 3.0),
                    value.to_string(),
                    anchor,
                    Ink::INK_2,
                );
            }
        }
    }

    /// menu's intervals; those left out are hollow.
    fn dots(&self, ruler: &Ruler, plot: &mut Plot, y: f64) {
        for (n, interval) in self.intervals.iter().enumerate() {
            if *interval == Us::MAX {
                continue;
            }
            let x = ruler.x(Ns::from_us(i64::from(interval.as_us())));
            let dropped = self.threshold.is_some_and(|threshold| *interval > threshold);
            let fill = if dropped { Ink::SURFACE } else { Ink::INK };
            // Two rows, so that equal intervals do not hide each other altogether.
            plot.mark((x, y - (n % 2) as f64 * 8.0), 3.5, false, fill, Ink::INK);
        }
    }

    /// The states as chips, arrows from candidate to candidate.
    fn chips(&self, ruler: &Ruler, plot: &mut Plot, y: f64) {
        let places = self.places(ruler);
        let labels = self.labels();
        let count = self.bins.len();
        let half = |n: usize| labels.get(n).map_or(CHIP, |text| chip(text)) / 2.0;
        for pair in self.candidates.windows(2) {
            let &[from, to] = pair else { continue };
            let (Some(start), Some(end)) = (places.get(from), places.get(to)) else {
                continue;
            };
            let side = half(to) + 1.0;
            let (tip, back) = if end < start {
                (end + side, 5.0)
            } else {
                (end - side, -5.0)
            };
            plot.line((*start, y), (tip, y), Ink::INK, Dash::Solid);
            let head = vec![(tip + back, y - 3.0), (tip, y), (tip + back, y + 3.0)];
            plot.path(head, Ink::INK, 1.0, Dash::Solid);
        }
        let chosen = self.candidates.last();
        for (n, (text, x)) in labels.iter().zip(&places).enumerate() {
            let stroke = if chosen == Some(&n) {
                Ink::ACCENT
            } else {
                Ink::FLOOR
            };
            plot.shapes.push(Shape::Rect {
                x: x - half(n),
                y: y - 8.0,
                width: 2.0 * half(n),
                height: 16.0,
                fill: Ink::depth(n, count),
                stroke,
                opacity: 1.0,
            });
            plot.text((*x, y + 3.5), text, Anchor::Middle, Ink::on_depth(n, count));
        }
    }

    fn pointers(&self, ruler: &Ruler, plot: &mut Plot, top: f64, axis: f64) {
        if let Some(tick) = self.tick {
            let x = ruler.x(tick);
            plot.line((x, top), (x, axis + 3.0), Ink::INK, Dash::Solid);
            plot.text((x - 3.0, top + 8.0), "TICK", Anchor::End, Ink::INK_2);
        }
        for (n, pointer) in self.pointers.iter().enumerate() {
            let x = ruler.x(pointer.at);
            let y = top + (n as f64 + 1.0) * 12.0 + 8.0;
            plot.line((x, y + 2.0), (x, axis), pointer.ink, Dash::Dotted);
            plot.mark((x, axis), 3.0, true, pointer.ink, pointer.ink);
            let label = format!("{} {}", pointer.label, number::duration(pointer.at, Style::Page));
            let anchor = if x > ruler.left + (ruler.right - ruler.left) / 2.0 {
                Anchor::End
            } else {
                Anchor::Start
            };
            plot.text((x, y), label, anchor, pointer.ink);
        }
    }
}

/// Width of the chip that carries this text, px.
fn chip(text: &str) -> f64 {
    (label::width(text, SIZE) + 8.0).max(CHIP)
}

#[cfg(test)]
mod tests {
    use super::super::is_inside;
    use super::*;

    fn bin(name: &str, us: i64, hits: u32, intercepts: u32) -> Bin {
        Bin {
            name: name.to_owned(),
            from: Ns::from_us(us),
            hits: Some(hits),
            intercepts: Some(intercepts),
        }
    }

    fn bins() -> Bins {
        Bins {
            width: 364.0,
            bins: vec![
                bin("POLL", 0, 0, 0),
                bin("C1", 1, 1150, 1389),
                bin("C2", 360, 428, 2278),
                bin("C3", 3102, 2965, 0),
            ],
            candidates: vec![3, 2, 1],
            tick: Some(Ns::from_ms(1)),
            pointers: vec![
                Pointer {
                    ink: Ink::A,
                    label: "A".to_owned(),
                    at: Ns::new(1_731_000),
                },
                Pointer {
                    ink: Ink::INK,
                    label: "slept".to_owned(),
                    at: Ns::new(5_745_000),
                },
            ],
            ..Bins::default()
        }
    }

    #[test]
    fn every_shape_lies_in_the_picture() {
        let mut many = bins();
        many.bins = (0..10).map(|n| bin("C1E", n, 1, 2)).collect();
        many.unread = Some("two states and utilised".to_owned());
        let intervals = Bins {
            intervals: [150, 0, 900, 4_294_967_295].map(Us::new).to_vec(),
            threshold: Some(Us::new(899)),
            ..bins()
        };
        for bins in [
            bins(),
            many,
            intervals,
            Bins {
                width: 300.0,
                ..Bins::default()
            },
        ] {
            let plot = bins.plot();
            for shape in &plot.shapes {
                assert!(is_inside(shape, &plot), "{shape:?}");
            }
        }
    }

    /// Chips as (left edge, right edge, text).
    fn drawn(bins: &Bins) -> Vec<(f64, f64, String)> {
        let ruler = Ruler::new(12.0, bins.width - 12.0, Ns::from_ms(3));
        let (places, labels) = (bins.places(&ruler), bins.labels());
        let edges = |(text, x): (String, &f64)| (x - chip(&text) / 2.0, x + chip(&text) / 2.0, text);
        labels.into_iter().zip(&places).map(edges).collect()
    }

    #[test]
    fn chips_do_not_overlap_and_say_whole_names_or_numbers() {
        let ten: Vec<String> = (0..10).map(|n| format!("C{n}E")).collect();
        let arm = ["WFI", "cpu-sleep-0", "cluster-sleep-0"].map(str::to_owned);
        let long = ["WFI", "little-rail-power-collapse", "big-rail-power-collapse"].map(str::to_owned);
        for (names, width, expect, listed) in [
            (ten.clone(), 364.0, ten, 0),
            (arm.to_vec(), 364.0, arm.to_vec(), 0),
            (
                arm.to_vec(),
                180.0,
                ["WFI", "1", "2"].map(str::to_owned).to_vec(),
                2,
            ),
            (
                long.to_vec(),
                300.0,
                ["WFI", "1", "2"].map(str::to_owned).to_vec(),
                2,
            ),
        ] {
            let bins = Bins {
                width,
                bins: (0..)
                    .zip(&names)
                    .map(|(n, name)| bin(name, n * n, 1, 2))
                    .collect(),
                ..bins()
            };
            let drawn = drawn(&bins);
            let texts: Vec<&String> = drawn.iter().map(|(.., text)| text).collect();
            assert_eq!(texts, expect.iter().collect::<Vec<_>>());
            assert!(drawn.windows(2).all(|pair| pair[1].0 >= pair[0].1), "{drawn:?}");
            assert!(
                drawn
                    .iter()
                    .all(|(left, right, _)| *left >= 11.0 && *right <= width - 11.0),
                "{drawn:?}"
            );
            assert_eq!(bins.legend().len(), listed, "{:?}", bins.legend());
        }
    }

    #[test]
    fn the_name_holds_the_numbers() {
        assert_eq!(
            bins().plot().name.replace('\u{202f}', "_"),
            "POLL 0 hits, 0 intercepts; C1 1150 hits, 1389 intercepts; C2 428 hits, 2278 intercepts; \
             C3 2965 hits, 0 intercepts; A 1.731_ms; slept 5.745_ms"
        );
    }
}
