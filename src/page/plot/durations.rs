//! How long idle periods lasted: step lines on the one ruler.

use super::ruler::Ruler;
use super::{Anchor, Dash, Ink, Plot, Shape, label};
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
    for (_, residency) in residencies {
        let x = ruler.x(*residency);
        plot.line((x, top), (x, bottom), Ink::INK_3, Dash::Dotted);
    }
    if let Some(tick) = tick {
        let x = ruler.x(tick);
        plot.line((x, top), (x, bottom), Ink::INK, Dash::Solid);
    }
    names(&mut plot, &ruler, residencies, tick);
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

/// Size of the names, px.
const SIZE: f64 = 10.0;

/// Name of the tick's line.
const TICK: &str = "tick";

/// Names above their lines, none over another: what has no room for its name has its number, what has
/// no room for that has nothing; only the tick is then named beside its line.
fn names(plot: &mut Plot, ruler: &Ruler, residencies: &[(String, Ns)], tick: Option<Ns>) {
    let tick = tick.map(|tick| (TICK, ruler.x(tick)));
    let states = residencies.iter().map(|(name, at)| (name.as_str(), ruler.x(*at)));
    let mut all: Vec<(&str, f64)> = states.chain(tick).collect();
    all.sort_by(|one, other| one.1.total_cmp(&other.1));
    let mut free = 0.0_f64;
    for (n, (name, x)) in all.iter().enumerate() {
        let next = all.get(n + 1).map_or(plot.width, |(_, next)| *next);
        let short = name.split(' ').next().unwrap_or(name);
        // Half of what the next name needs at least.
        let need = all.get(n + 1).map_or(0.0, |(name, _)| {
            label::width(name.split(' ').next().unwrap_or(name), SIZE) / 2.0 + 3.0
        });
        // Over its line, else before it, where that leaves room for the next one.
        let fits = |text: &str, room: f64| {
            let wide = label::width(text, SIZE);
            [x - wide / 2.0, x - wide + 3.0]
                .map(|left| left.max(free).min(plot.width - wide))
                .into_iter()
                .find(|left| *left >= free && left - 3.0 <= *x && left + wide + room <= next)
                .map(|left| (left, wide))
        };
        let tries = [(*name, need), (short, need), (short, 1.0)];
        let found = tries
            .into_iter()
            .find_map(|(text, room)| Some((text, fits(text, room)?)));
        let Some((text, (left, wide))) = found else {
            if *name == TICK {
                plot.text((x - 3.0, NAMES + 12.0), TICK, Anchor::End, Ink::INK_2);
            }
            continue;
        };
        plot.text((left, NAMES - 3.0), text, Anchor::Start, Ink::INK_2);
        free = left + wide + 4.0;
    }
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

    #[test]
    fn names_never_touch_each_other_nor_the_edge() {
        let names = [("WFI", 1), ("1 cpu-sleep-0", 2_000), ("2 cluster-sleep-0", 6_500)];
        let residencies = names.map(|(name, us)| (name.to_owned(), Ns::from_us(us)));
        for width in [140.0, 190.0, 260.0, 700.0] {
            for tick in [1_000, 4_000, 10_000] {
                let plot = plot(width, 150.0, &[], &residencies, Some(Ns::from_us(tick)));
                let mut seen: Vec<(f64, f64, &str)> = plot
                    .shapes
                    .iter()
                    .filter_map(|shape| match shape {
                        Shape::Text { x, y, text, .. } if *y < NAMES => {
                            Some((*x, x + label::width(text, SIZE), text.as_str()))
                        }
                        _ => None,
                    })
                    .collect();
                seen.sort_by(|one, other| one.0.total_cmp(&other.0));
                assert!(seen.len() > 1, "{width} px: {seen:?}");
                assert!(
                    seen.windows(2).all(|pair| pair[0].1 < pair[1].0),
                    "{width} px: {seen:?}"
                );
                assert!(
                    seen.iter()
                        .all(|(left, right, _)| *left >= 0.0 && *right <= width),
                    "{width} px: {seen:?}"
                );
            }
        }
    }
}
