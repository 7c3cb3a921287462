//! How long idle periods lasted: step lines on the one ruler.

use super::ruler::Ruler;
use super::{Anchor, Dash, Ink, Plot, Shape};
use crate::analysis::durations::Histogram;
use crate::page::words::{Style, number};
use crate::units::Ns;

/// Height of the labels below, px.
const AXIS: f64 = 16.0;
/// Height of the names above, px.
const NAMES: f64 = 14.0;

/// One line of the chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its colour: [`Ink::A`], [`Ink::B`] or [`Ink::RECORDED`].
    pub ink: Ink,
    /// What it is called.
    pub name: String,
    /// Counts in the bins of [`Histogram`].
    pub counts: Vec<u32>,
    /// The area under it is filled.
    pub filled: bool,
}

/// The picture: series on top of each other, `residencies` (name, ns) dotted, the tick solid.
#[must_use]
pub fn plot(
    width: f64,
    height: f64,
    series: &[Series],
    residencies: &[(String, Ns)],
    tick: Option<Ns>,
) -> Plot {
    let mut plot = Plot::new(width, height);
    let longest = residencies.iter().map(|(_, d)| *d).chain(tick).max();
    let ruler = Ruler::new(8.0, width - 8.0, longest.unwrap_or_default());
    let (top, bottom) = (NAMES, (height - AXIS).max(NAMES + 10.0));
    ruler.draw(&mut plot, top, bottom);
    for (name, residency) in residencies {
        let x = ruler.x(*residency);
        plot.line((x, top), (x, bottom), Ink::INK_3, Dash::Dotted);
        plot.text((x, top - 3.0), name, Anchor::Middle, Ink::INK_2);
    }
    if let Some(tick) = tick {
        let x = ruler.x(tick);
        plot.line((x, top), (x, bottom), Ink::INK, Dash::Solid);
        plot.text((x, top + 8.0), "tick", Anchor::Middle, Ink::INK_2);
    }
    let most = series.iter().flat_map(|one| &one.counts).copied().max();
    for one in series {
        let points = steps(one, &ruler, top, bottom, most.unwrap_or(0).max(1));
        if one.filled {
            plot.shapes.push(Shape::Path {
                points: points.clone(),
                stroke: Ink::NONE,
                width: 0.0,
                dash: Dash::Solid,
                fill: one.ink,
                opacity: 0.1,
            });
        }
        plot.path(points, one.ink, 1.5, Dash::Solid);
    }
    plot.name = name(series);
    plot
}

fn steps(series: &Series, ruler: &Ruler, top: f64, bottom: f64, most: u32) -> Vec<(f64, f64)> {
    let edges = Histogram::edges();
    let x = |edge: Option<&i64>| edge.map_or(ruler.right, |ns| ruler.x(Ns::new(*ns)));
    let mut points = vec![(ruler.left, bottom)];
    for (bin, count) in series.counts.iter().enumerate() {
        let y = bottom - (bottom - top) * f64::from(*count) / f64::from(most);
        let from = bin.checked_sub(1).map_or(ruler.left, |at| x(edges.get(at)));
        points.extend([(from, y), (x(edges.get(bin)), y)]);
    }
    points.push((ruler.right, bottom));
    points
}

/// In which bin each series is highest.
fn name(series: &[Series]) -> String {
    let edges = Histogram::edges();
    let parts: Vec<String> = series
        .iter()
        .filter_map(|one| {
            let (bin, most) = one
                .counts
                .iter()
                .enumerate()
                .max_by_key(|(bin, n)| (**n, usize::MAX - bin))?;
            let time = |at: usize| {
                edges
                    .get(at)
                    .map(|ns| number::duration(Ns::new(*ns), Style::Page))
            };
            let from = bin
                .checked_sub(1)
                .and_then(time)
                .unwrap_or_else(|| "0".to_owned());
            let to = time(bin).unwrap_or_else(|| "longer".to_owned());
            let most = number::count(u64::from(*most), Style::Page);
            Some(format!("{} most often {from} to {to}, {most} times", one.name))
        })
        .collect();
    format!("Idle durations: {}", parts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::super::is_inside;
    use super::*;

    #[test]
    fn the_line_covers_every_bin_and_stays_inside() {
        let mut counts = vec![0; crate::analysis::durations::BINS];
        counts[13] = 30_000;
        counts[0] = 5;
        let series = Series {
            ink: Ink::A,
            name: "A".to_owned(),
            counts,
            filled: true,
        };
        let residencies = [("C2".to_owned(), Ns::from_us(360))];
        let plot = plot(300.0, 150.0, &[series], &residencies, Some(Ns::from_ms(4)));
        assert!(plot.shapes.iter().all(|shape| is_inside(shape, &plot)));
        assert_eq!(
            plot.name.replace('\u{202f}', "_"),
            "Idle durations: A most often 100_µs to 146.8_µs, 30_000 times"
        );
        let line = plot.shapes.iter().rev().find_map(|shape| match shape {
            Shape::Path { points, .. } => Some(points.len()),
            _ => None,
        });
        assert_eq!(line, Some(2 * crate::analysis::durations::BINS + 2));
    }
}
