//! Busy share of each CPU of a closed loop, A over B, against the line below which schedutil lowers the clock, where
//! schedutil sets it.

use super::{Anchor, Dash, Ink, Plot};
use crate::page::loops::Share;

/// Height of a CPU's row, px.
const ROW: f64 = 15.0;
/// Thickness of a bar, px.
const BAR: f64 = 5.0;
/// Room for names on the left, px.
const LEFT: f64 = 36.0;
/// Room for the last figure on the right, px.
const RIGHT: f64 = 34.0;
/// Room for the label of the line, px.
const TOP: f64 = 14.0;

/// The picture; its name says the figures. `line` is a share to compare them with, per mille.
#[must_use]
pub fn plot(width: f64, shares: &[Share], line: Option<i64>) -> Plot {
    let height = TOP + ROW * shares.len() as f64;
    let mut plot = Plot::new(width, height);
    let x = |per_mille: i64| LEFT + (width - LEFT - RIGHT) * per_mille.clamp(0, 1_000) as f64 / 1_000.0;
    let mut y = TOP;
    let mut said = Vec::new();
    for share in shares {
        let number = share.cpu.number();
        plot.text((0.0, y + 9.0), format!("cpu{number}"), Anchor::Start, Ink::INK_2);
        let bars = [(share.sides[0], Ink::A, "A"), (share.sides[1], Ink::B, "B")];
        for (n, (value, ink, letter)) in bars.into_iter().enumerate() {
            let Some(value) = value else { continue };
            let top = y + (BAR + 1.0) * n as f64;
            plot.rect((LEFT, top), ((x(value) - LEFT).max(0.5), BAR), ink, 0.88);
            said.push(format!("cpu{number} {letter} {}", decimal(value)));
        }
        y += ROW;
    }
    if let Some(share) = line {
        let x = x(share);
        plot.line((x, TOP - 2.0), (x, height - 2.0), Ink::INK, Dash::Dotted);
        plot.text((x, TOP - 5.0), decimal(share), Anchor::Middle, Ink::INK_2);
    }
    for (end, text) in [(0, "0"), (1_000, "1")] {
        plot.text((x(end), TOP - 5.0), text, Anchor::Middle, Ink::INK_3);
        plot.line(
            (x(end), TOP - 2.0),
            (x(end), height - 2.0),
            Ink::LINE,
            Dash::Solid,
        );
    }
    let against = line.map_or_else(String::new, |line| format!(" against {}", decimal(line)));
    plot.name = format!("Busy share{against}: {}", said.join(", "));
    plot
}

/// `0.85` of 850 per mille; one decimal where the second is nothing.
fn decimal(per_mille: i64) -> String {
    let hundredths = (per_mille.max(0) + 5) / 10;
    if hundredths % 10 == 0 {
        format!("{}.{}", hundredths / 100, hundredths / 10 % 10)
    } else {
        format!("{}.{:02}", hundredths / 100, hundredths % 100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::plot::{Shape, is_inside};
    use crate::units::CpuId;

    fn share(cpu: u16, a: Option<i64>, b: Option<i64>) -> Share {
        Share {
            cpu: CpuId::new(cpu),
            sides: [a, b],
        }
    }

    #[test]
    fn bars_are_as_long_as_shares_and_the_line_parts_them() {
        let shares = [share(0, Some(850), Some(486)), share(2, None, Some(1_000))];
        let alone = plot(230.0, &shares, None);
        assert!(
            alone.name.starts_with("Busy share: cpu0 A 0.85"),
            "{}",
            alone.name
        );
        let plot = plot(230.0, &shares, Some(800));
        assert_eq!(
            plot.shapes.len(),
            alone.shapes.len() + 2,
            "the line and its label"
        );
        let ends: Vec<f64> = plot
            .shapes
            .iter()
            .filter_map(|shape| match shape {
                Shape::Rect { x, width, .. } => Some(x + width),
                _ => None,
            })
            .collect();
        let line = LEFT + 160.0 * 0.8;
        assert_eq!(ends, [LEFT + 136.0, LEFT + 77.76, LEFT + 160.0]);
        assert!(ends[0] > line && ends[1] < line);
        assert_eq!(
            plot.name,
            "Busy share against 0.8: cpu0 A 0.85, cpu0 B 0.49, cpu2 B 1.0"
        );
        assert!(plot.shapes.iter().all(|shape| is_inside(shape, &plot)));
    }
}
