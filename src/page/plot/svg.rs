//! A list of shapes as SVG text, for export and for pages.

use std::fmt::Write;

use super::{Anchor, Dash, Ink, Plot, Shape};

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
    for shape in &plot.shapes {
        draw(&mut out, shape, &ink);
    }
    out.push_str("</svg>");
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
}
