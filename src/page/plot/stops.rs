//! How long ticks stayed stopped: eleven buckets, A beside B, as shares of each one's stops.

use super::{Anchor, Dash, Ink, Plot};
use crate::analysis::tick_stops::{BOUNDS, BUCKETS};
use crate::page::words::number::{Style, share};

/// Room for the labels below, px.
const AXIS: f64 = 26.0;
/// Room above the highest bar, px.
const TOP: f64 = 14.0;

/// One series of the picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// Its colour.
    pub ink: Ink,
    /// What it is called.
    pub name: String,
    /// Idle times by bucket, the longest first.
    pub counts: [u64; BUCKETS],
}

/// The bounds of a bucket in words, the longest being 0: `≥ 4 ms`, `25 to 50 µs`, `< 5 µs`.
#[must_use]
pub fn bucket(n: usize) -> String {
    let time = |ns: i64| {
        if ns >= 1_000_000 {
            format!("{}\u{202f}ms", ns / 1_000_000)
        } else {
            format!("{}\u{202f}µs", ns / 1_000)
        }
    };
    let below = n.checked_sub(1).and_then(|n| BOUNDS.get(n));
    match (BOUNDS.get(n), below) {
        (Some(from), None) => format!("≥\u{202f}{}", time(*from)),
        (Some(from), Some(below)) => format!("{} to {}", time(*from), time(*below)),
        (None, Some(below)) => format!("<\u{202f}{}", time(*below)),
        (None, None) => String::new(),
    }
}

/// The picture, short idle times on the left; its name says the shares.
#[must_use]
pub fn plot(width: f64, height: f64, series: &[Series]) -> Plot {
    let mut plot = Plot::new(width, height);
    let (top, bottom) = (TOP, (height - AXIS).max(TOP + 10.0));
    let column = width / BUCKETS as f64;
    let shares: Vec<Vec<f64>> = series.iter().map(shares_of).collect();
    let most = shares.iter().flatten().copied().fold(0.0, f64::max);
    plot.line((0.0, bottom), (width, bottom), Ink::LINE_STRONG, Dash::Solid);
    let bar = (column - 5.0) / series.len().max(1) as f64;
    for (n, (one, shares)) in series.iter().zip(&shares).enumerate() {
        for (bucket, share) in shares.iter().enumerate() {
            if *share <= 0.0 {
                continue;
            }
            let column_at = column * (BUCKETS - 1 - bucket) as f64;
            let length = ((bottom - top) * share / most).max(1.0);
            let left = column_at + 2.5 + bar * n as f64;
            plot.rect((left, bottom - length), (bar - 0.5, length), one.ink, 0.88);
        }
    }
    // The largest share of each column, where there is room for it.
    for bucket in 0..BUCKETS {
        let largest = shares
            .iter()
            .filter_map(|shares| shares.get(bucket))
            .fold(0.0_f64, |one, other| one.max(*other));
        if largest >= 0.01 {
            let x = column * (BUCKETS - 1 - bucket) as f64 + column / 2.0;
            let y = bottom - (bottom - top) * largest / most - 3.0;
            plot.text(
                (x, y),
                format!("{:.0}", largest * 100.0),
                Anchor::Middle,
                Ink::INK_3,
            );
        }
    }
    for (n, bound) in BOUNDS.iter().rev().enumerate() {
        let x = column * (n + 1) as f64;
        plot.line((x, bottom), (x, bottom + 3.0), Ink::LINE_STRONG, Dash::Solid);
        let label = if *bound >= 1_000_000 {
            (bound / 1_000_000).to_string()
        } else {
            (bound / 1_000).to_string()
        };
        plot.text((x, bottom + 13.0), label, Anchor::Middle, Ink::INK_2);
    }
    // Units stand under the first bound that is in them.
    let micro = BOUNDS.iter().filter(|bound| **bound < 1_000_000).count();
    plot.text((column, bottom + 24.0), "µs", Anchor::Middle, Ink::INK_3);
    plot.text(
        (column * (micro + 1) as f64, bottom + 24.0),
        "ms",
        Anchor::Middle,
        Ink::INK_3,
    );
    plot.name = name(series);
    plot
}

fn shares_of(series: &Series) -> Vec<f64> {
    let all: u64 = series.counts.iter().sum();
    let of = |count: &u64| *count as f64 / (all.max(1)) as f64;
    series.counts.iter().map(of).collect()
}

fn name(series: &[Series]) -> String {
    let one = |series: &Series| {
        let all: u64 = series.counts.iter().sum();
        let some = series.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let said: Vec<String> = some
            .map(|(n, count)| format!("{} {}", bucket(n), share(*count, all, 1, Style::Page)))
            .collect();
        format!("{} {}", series.name, said.join(", "))
    };
    let all: Vec<String> = series.iter().map(one).collect();
    format!("How long ticks stayed stopped: {}", all.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::plot::{Shape, is_inside};

    #[test]
    fn buckets_are_named_by_their_bounds() {
        let plain = |n| bucket(n).replace('\u{202f}', " ");
        assert_eq!(plain(0), "≥ 4 ms");
        assert_eq!(plain(3), "500 µs to 1 ms");
        assert_eq!(plain(7), "25 µs to 50 µs");
        assert_eq!(plain(10), "< 5 µs");
    }

    #[test]
    fn bars_are_shares_of_their_own_series_and_short_times_stand_left() {
        let mut counts = [[0; BUCKETS]; 2];
        (counts[0][0], counts[0][10]) = (1, 3);
        counts[1][0] = 1_000;
        let series = |n: usize, ink| Series {
            ink,
            name: ["A", "B"][n].to_owned(),
            counts: counts[n],
        };
        let plot = plot(330.0, 140.0, &[series(0, Ink::A), series(1, Ink::B)]);
        let bars: Vec<(f64, f64)> = plot
            .shapes
            .iter()
            .filter_map(|shape| match shape {
                Shape::Rect { x, height, .. } => Some((*x, *height)),
                _ => None,
            })
            .collect();
        assert_eq!(bars, [(302.5, 25.0), (2.5, 75.0), (315.0, 100.0)]);
        assert!(plot.shapes.iter().all(|shape| is_inside(shape, &plot)));
        let name = plot.name.replace('\u{202f}', " ");
        assert_eq!(
            name,
            "How long ticks stayed stopped: A ≥ 4 ms 25.0 %, < 5 µs 75.0 %; B ≥ 4 ms 100.0 %"
        );
    }

    #[test]
    fn without_stops_nothing_but_the_axis_is_drawn() {
        let none = Series {
            ink: Ink::A,
            name: "A".to_owned(),
            counts: [0; BUCKETS],
        };
        let plot = plot(330.0, 140.0, &[none]);
        let bars = plot
            .shapes
            .iter()
            .filter(|shape| matches!(shape, Shape::Rect { .. }));
        assert_eq!(bars.count(), 0);
        assert!(plot.shapes.iter().all(|shape| is_inside(shape, &plot)));
    }
}
