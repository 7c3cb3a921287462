//! Colours of the timeline, read from the style sheet whenever the theme changes.

use std::collections::HashMap;

use crate::app::browser::{resolved_colour, style_value};
use crate::page::plot::Ink;
use crate::page::plot::timeline::{Palette, Rgba};

/// The colours of text and marks by token, and the font of the page.
#[derive(Clone, Debug, PartialEq)]
pub struct Inks {
    colours: HashMap<&'static str, String>,
    /// Font of the page.
    pub font: String,
}

impl Inks {
    /// The value of a token; black for one that the timeline does not use.
    pub fn colour(&self, ink: Ink) -> &str {
        self.colours.get(ink.0).map_or("#000", String::as_str)
    }
}

/// Reads `#rrggbb` or `#rgb`, and the names of the system's colours, which tokens hold where colours are forced; opaque
/// black for anything else.
fn rgba(text: &str) -> Rgba {
    let named = (!text.starts_with('#')).then(|| resolved_colour(text)).flatten();
    let text = named.as_deref().unwrap_or(text);
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
        hatch: colour("--line-strong"),
    }
}

/// The colours of text and marks.
pub fn inks() -> Inks {
    const USED: [Ink; 16] = [
        Ink::INK,
        Ink::INK_2,
        Ink::INK_3,
        Ink::LINE,
        Ink::LINE_STRONG,
        Ink::SURFACE,
        Ink::SUNKEN,
        Ink::ACCENT,
        Ink::ACCENT_INK,
        Ink::A,
        Ink::B,
        Ink::RECORDED,
        Ink::ENERGY,
        Ink::TOO_DEEP,
        Ink::TOO_SHALLOW,
        Ink::STOPPED,
    ];
    let on_depth = (0..10).map(|n| Ink::on_depth(n, 10));
    Inks {
        colours: USED
            .into_iter()
            .chain(on_depth)
            .map(|ink| (ink.0, style_value(&format!("--{}", ink.0))))
            .collect(),
        font: style_value("--font-ui"),
    }
}
