//! Colours of the timeline, read from the style sheet whenever the theme changes.

use super::overlay::Inks;
use super::raster::{Palette, Rgba};
use crate::app::browser::style_value;

/// Reads `#rrggbb` or `#rgb`; opaque black for anything else, which the tokens never hold.
fn rgba(text: &str) -> Rgba {
    let digits = text.trim_start_matches('#');
    let pair = |n: usize| {
        let part = match digits.len() {
            3 => digits.get(n..=n).map(|digit| digit.repeat(2)),
            _ => digits.get(2 * n..2 * n + 2).map(str::to_owned),
        };
        part.and_then(|part| u8::from_str_radix(&part, 16).ok())
            .unwrap_or(0)
    };
    [pair(0), pair(1), pair(2), 255]
}

/// The colours of lanes.
pub fn palette() -> Palette {
    let colour = |name: &str| rgba(&style_value(name));
    let ramp = |name: &str| std::array::from_fn(|n| colour(&format!("--{name}-{n}")));
    Palette {
        depth: ramp("depth"),
        on_depth: ramp("on-depth"),
        floor: colour("--floor"),
        busy: colour("--busy"),
        surface: colour("--surface"),
        line: colour("--line"),
        line_strong: colour("--line-strong"),
        running: colour("--tick-running"),
        stopped: colour("--tick-stopped"),
        accent: colour("--accent"),
        unknown: colour("--ink-3"),
        wash: colour("--accent-wash"),
    }
}

/// The colours of text and marks.
pub fn inks() -> Inks {
    Inks {
        ink: style_value("--ink"),
        second: style_value("--ink-2"),
        third: style_value("--ink-3"),
        line: style_value("--line"),
        line_strong: style_value("--line-strong"),
        surface: style_value("--surface"),
        sunken: style_value("--sunken"),
        accent: style_value("--accent"),
        accent_ink: style_value("--accent-ink"),
        a: style_value("--var-a"),
        b: style_value("--var-b"),
        recorded: style_value("--recorded"),
        deep: style_value("--too-deep"),
        shallow: style_value("--too-shallow"),
        stopped: style_value("--tick-stopped"),
        font: style_value("--font-ui"),
    }
}
