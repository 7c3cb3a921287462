//! A list of shapes as SVG text, for export and for pages.

use std::fmt::Write;

use super::{Anchor, Dash, Ink, Plot, Shape, Topic};

/// The whole picture as one `<svg>` element. `colour` gives a token's value, such as `#1e59cd` or
/// `var(--accent)`.
#[must_use]
pub fn svg(plot: &Plot, colour: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    let (width, height) = (plot.width, plot.height);
    // Writing to a string cannot fail, so the results say nothing.
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"sans-serif\"><title>{}</title>",
        escape(&plot.name)
    );
    let ink = |ink: Ink| match ink {
        Ink::NONE => "none".to_owned(),
        Ink(token) => colour(token),
    };
    let filled = |(from, to, _): &&(usize, usize, Topic)| from < to;
    let mut parts = plot.parts.iter().filter(filled).peekable();
    for (n, shape) in plot.shapes.iter().enumerate() {
        while let Some((.., part)) = parts.next_if(|(from, ..)| *from <= n) {
            let _ = write!(out, "<g data-part=\"{}\">", part.name());
        }
        draw(&mut out, shape, &ink);
        if plot.parts.iter().filter(filled).any(|(_, to, _)| *to == n + 1) {
            out.push_str("</g>");
        }
    }
    out.push_str("</svg>");
    out
}

/// A picture for a page, `var(--token)` and all, as one that stands alone: each token with its value.
#[must_use]
pub fn with_values(text: &str, value: impl Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("var(--") {
        out.push_str(before);
        let Some((token, tail)) = after.split_once(')') else {
            out.push_str("var(--");
            rest = after;
            continue;
        };
        out.push_str(&value(token).replace('"', "'"));
        rest = tail;
    }
    out.push_str(rest);
    out
}

fn draw(out: &mut String, shape: &Shape, ink: &impl Fn(Ink) -> String) {
    let _ = match shape {
        Shape::Rect {
            x,
            y,
            width,
            height,
            fill,
            stroke,
            opacity,
        } => write!(
            out,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{}\" \
             stroke=\"{}\" opacity=\"{opacity}\"/>",
            ink(*fill),
            ink(*stroke)
        ),
        Shape::Path {
            points,
            stroke,
            width,
            dash,
            fill,
            opacity,
        } => {
            let dash = match dash {
                Dash::Solid => "",
                Dash::Dotted => " stroke-dasharray=\"2 2\"",
            };
            write!(
                out,
                "<path d=\"{}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"{width}\" opacity=\"{opacity}\"{dash}/>",
                path(points),
                ink(*fill),
                ink(*stroke)
            )
        }
        Shape::Mark {
            x,
            y,
            r,
            diamond,
            fill,
            stroke,
        } => {
            let colours = format!(
                "fill=\"{}\" stroke=\"{}\" stroke-width=\"1.5\"",
                ink(*fill),
                ink(*stroke)
            );
            if *diamond {
                let points = [(*x, y - r), (x + r, *y), (*x, y + r), (x - r, *y)];
                write!(out, "<path d=\"{}Z\" {colours}/>", path(&points))
            } else {
                write!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r}\" {colours}/>")
            }
        }
        Shape::Text {
            x,
            y,
            text,
            anchor,
            ink: colour,
            size,
            strong,
        } => {
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            let weight = if *strong { " font-weight=\"600\"" } else { "" };
            write!(
                out,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-size=\"{size}\" fill=\"{}\"{weight}>{}</text>",
                ink(*colour),
                escape(text)
            )
        }
    };
}

/// `M1.0 2.0L3.0 4.0`: the value of a path's `d`.
#[must_use]
pub fn path(points: &[(f64, f64)]) -> String {
    let mut out = String::new();
    for (n, (x, y)) in points.iter().enumerate() {
        let letter = if n == 0 { 'M' } else { 'L' };
        let _ = write!(out, "{letter}{x:.1} {y:.1}");
    }
    out
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_the_picture() {
        let mut plot = Plot::new(10.0, 5.0);
        plot.name = "<C1 & \"C2\">".to_owned();
        plot.text((1.0, 2.0), "</svg>", Anchor::End, Ink::ACCENT);
        let text = svg(&plot, |token| format!("var(--{token})"));
        assert_eq!(text.matches("</svg>").count(), 1);
        assert!(text.contains("&lt;C1 &amp; &quot;C2&quot;&gt;"));
        assert!(text.contains("fill=\"var(--accent)\""));
    }

    #[test]
    fn what_a_step_speaks_of_is_a_group_with_its_name() {
        let mut plot = Plot::new(10.0, 5.0);
        plot.rect((0.0, 0.0), (1.0, 1.0), Ink::INK, 1.0);
        plot.part(Topic::State(2), |plot| {
            plot.rect((1.0, 0.0), (1.0, 1.0), Ink::INK, 1.0);
            plot.rect((2.0, 0.0), (1.0, 1.0), Ink::INK, 1.0);
        });
        plot.part(Topic::Tick, |_| {});
        plot.part(Topic::Slept, |plot| {
            plot.rect((3.0, 0.0), (1.0, 1.0), Ink::INK, 1.0)
        });
        let text = svg(&plot, |token| token.to_owned());
        let (_, body) = text.split_once("</title>").expect("a title");
        let tags: Vec<&str> = body
            .split('<')
            .filter_map(|tag| tag.split(['>', ' ']).next())
            .collect();
        assert_eq!(
            tags,
            ["", "rect", "g", "rect", "rect", "/g", "g", "rect", "/g", "/svg"]
        );
        assert!(body.contains("<g data-part=\"state-2\">") && body.contains("<g data-part=\"slept\">"));
    }

    #[test]
    fn a_picture_that_stands_alone_has_values_instead_of_tokens() {
        for (text, expect) in [
            (
                "fill=\"var(--ink)\" stroke=\"var(--a)\"",
                "fill=\"<ink>\" stroke=\"<a>\"",
            ),
            ("style=\"font: var(--font)\"", "style=\"font: <font>\""),
            ("var(--open", "var(--open"),
            ("none", "none"),
        ] {
            assert_eq!(with_values(text, |token| format!("<{token}>")), expect);
        }
        assert_eq!(
            with_values("\"var(--font)\"", |_| "\"DejaVu\"".to_owned()),
            "\"'DejaVu'\""
        );
    }
}
