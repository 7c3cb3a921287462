//! Where the time of a loop goes: one bar for A and one for B, on one scale.

use super::{Anchor, Dash, Ink, Plot};
use crate::page::loops::{Cut, PARTS};
use crate::page::words::number::Style;

/// Thickness of a bar, px.
const BAR: f64 = 14.0;
/// Distance of two bars, px.
const ROW: f64 = 20.0;
/// Room for the names on the left, px.
const LEFT: f64 = 18.0;

/// The colour of each of the parts.
pub const INKS: [Ink; 7] = [
    Ink("busy"),
    Ink("tick-stopped"),
    Ink("warn"),
    Ink("depth-0"),
    Ink("depth-3"),
    Ink("too-deep"),
    Ink("line-strong"),
];

/// The picture; its name says the figures. Where both loop, lengths are times; else shares.
#[must_use]
pub fn plot(width: f64, sides: [Option<Cut>; 2]) -> Plot {
    let mut plot = Plot::new(width, ROW * 2.0);
    let time = |cut: &Cut| cut.of.map(|time| time.as_ns() as f64);
    let longest = sides.iter().flatten().filter_map(time).fold(0.0, f64::max);
    let mut said = Vec::new();
    let names = [(Ink::A, "A"), (Ink::B, "B")];
    for (n, ((ink, name), cut)) in names.into_iter().zip(&sides).enumerate() {
        let Some(cut) = cut else { continue };
        let top = ROW * n as f64 + 2.0;
        plot.text((0.0, top + 11.0), name, Anchor::Start, ink);
        let whole = match time(cut) {
            Some(time) if longest > 0.0 => (width - LEFT) * time / longest,
            _ => width - LEFT,
        };
        let mut x = LEFT;
        for (part, (share, ink)) in cut.per_mille.into_iter().zip(INKS).enumerate() {
            let length = whole * share as f64 / 1_000.0;
            if length > 0.0 {
                plot.rect((x, top), (length, BAR), ink, 1.0);
                said.push(format!("{name} {} {}", PARTS[part], cut.text(part, Style::Ascii)));
            }
            x += length;
        }
        plot.line(
            (LEFT, top + BAR),
            (LEFT + whole, top + BAR),
            Ink::LINE_STRONG,
            Dash::Solid,
        );
    }
    plot.name = format!("Where the time goes: {}", said.join(", "));
    plot
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::plot::{Shape, is_inside};
    use crate::units::Ns;

    #[test]
    fn bars_share_a_scale_of_time_and_parts_fill_them() {
        let cut = |us: i64| Cut {
            per_mille: [500, 100, 100, 0, 200, 50, 50],
            of: Some(Ns::from_us(us)),
        };
        let plot = plot(218.0, [Some(cut(5)), Some(cut(20))]);
        let ends: Vec<f64> = plot
            .shapes
            .iter()
            .filter_map(|shape| match shape {
                Shape::Rect { x, width, .. } => Some(x + width),
                _ => None,
            })
            .collect();
        assert_eq!(ends.len(), 12, "a part of nothing is not drawn");
        assert!(
            (ends[5] - (LEFT + 50.0)).abs() < 1e-9 && (ends[11] - 218.0).abs() < 1e-9,
            "{ends:?}"
        );
        assert!(plot.shapes.iter().all(|shape| is_inside(shape, &plot)));
    }
}
