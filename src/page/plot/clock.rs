//! The clock of a closed loop over the record: steps of equal length, A over B, from 0 to the highest.

use super::{Anchor, Dash, Ink, Plot};
use crate::page::session::Clock;
use crate::page::words::number;
use crate::units::Ns;

/// Room for the labels on the left, px.
const LEFT: f64 = 26.0;
/// Room above, px.
const TOP: f64 = 8.0;
/// Room for the labels below, px.
const AXIS: f64 = 15.0;

/// The picture; its name says where the clocks end.
#[must_use]
pub fn plot(width: f64, height: f64, sides: [Option<&Clock>; 2]) -> Plot {
    let mut plot = Plot::new(width, height);
    let (top, bottom, right) = (TOP, (height - AXIS).max(TOP + 10.0), width - 10.0);
    let most = sides
        .iter()
        .flatten()
        .map(|clock| clock.max_khz)
        .max()
        .unwrap_or(1)
        .max(1);
    let span = |clock: &Clock| clock.stretch * i64::try_from(clock.mean_khz.len()).unwrap_or(1);
    let longest = sides
        .iter()
        .flatten()
        .map(|clock| span(clock))
        .max()
        .unwrap_or(Ns::ZERO);
    let y = |khz: u32| bottom - (bottom - top) * f64::from(khz) / f64::from(most);
    let x = |time: Ns| LEFT + (right - LEFT) * time.as_ns() as f64 / longest.as_ns().max(1) as f64;
    for khz in [0, most] {
        plot.line((LEFT, y(khz)), (right, y(khz)), Ink::LINE, Dash::Solid);
        let label = if khz == 0 { "0".to_owned() } else { gigahertz(khz) };
        plot.text((LEFT - 4.0, y(khz) + 3.5), label, Anchor::End, Ink::INK_2);
    }
    let mut said = Vec::new();
    let names = [(Ink::A, "A"), (Ink::B, "B")];
    for ((ink, name), clock) in names.into_iter().zip(sides) {
        let Some(clock) = clock else { continue };
        let mut points = Vec::new();
        let mut at = Ns::ZERO;
        for khz in &clock.mean_khz {
            points.push((x(at), y((*khz).min(most))));
            at += clock.stretch;
            points.push((x(at), y((*khz).min(most))));
        }
        plot.path(points, ink, 1.6, Dash::Solid);
        if let (Some(first), Some(last)) = (clock.mean_khz.first(), clock.mean_khz.last()) {
            said.push(format!(
                "{name} from {} to {} GHz",
                gigahertz(*first),
                gigahertz(*last)
            ));
        }
    }
    plot.text((LEFT, bottom + 12.0), "0", Anchor::Middle, Ink::INK_3);
    let end = number::duration(longest, number::Style::Page);
    plot.text((right + 8.0, bottom + 12.0), end, Anchor::End, Ink::INK_3);
    plot.name = format!("Clock over time, of {} GHz: {}", gigahertz(most), said.join(", "));
    plot
}

fn gigahertz(khz: u32) -> String {
    number::fixed(u128::from(khz), 1_000_000, 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::plot::{Shape, is_inside};

    #[test]
    fn a_clock_that_sinks_ends_lower() {
        let clock = |mean_khz: Vec<u32>| Clock {
            changes: 1,
            max_khz: 3_700_000,
            stretch: Ns::from_ms(100),
            mean_khz,
        };
        let (a, b) = (clock(vec![3_700_000; 2]), clock(vec![3_700_000, 1_600_000]));
        let plot = plot(220.0, 80.0, [Some(&a), Some(&b)]);
        assert_eq!(
            plot.name,
            "Clock over time, of 3.7 GHz: A from 3.7 to 3.7 GHz, B from 3.7 to 1.6 GHz"
        );
        let ends: Vec<f64> = plot
            .shapes
            .iter()
            .filter_map(|shape| match shape {
                Shape::Path { points, width, .. } if *width > 1.0 => points.last().map(|(_, y)| *y),
                _ => None,
            })
            .collect();
        assert!(ends.len() == 2 && ends[1] > ends[0] + 20.0, "{ends:?}");
        assert!(plot.shapes.iter().all(|shape| is_inside(shape, &plot)));
    }
}
