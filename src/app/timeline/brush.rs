//! Shapes onto a canvas, in the colours of the theme.

use std::f64::consts::TAU;

use web_sys::CanvasRenderingContext2d as Canvas;

use crate::page::plot::{Anchor, Dash, Ink, Shape};

use super::inks::Inks;

/// A canvas that remembers what was set: setting a font or colour again costs as much as drawing.
pub struct Brush<'a> {
    canvas: &'a Canvas,
    inks: &'a Inks,
    fill: Ink,
    stroke: Ink,
    font: (f64, bool),
    anchor: Option<Anchor>,
}

impl<'a> Brush<'a> {
    /// For one frame.
    pub fn new(canvas: &'a Canvas, inks: &'a Inks) -> Self {
        canvas.set_line_join("round");
        canvas.set_line_cap("round");
        Self {
            canvas,
            inks,
            fill: Ink::NONE,
            stroke: Ink::NONE,
            font: (0.0, false),
            anchor: None,
        }
    }

    /// Draws one shape.
    pub fn draw(&mut self, shape: &Shape) {
        let canvas = self.canvas;
        match shape {
            Shape::Rect {
                x,
                y,
                width,
                height,
                fill,
                stroke,
                opacity,
            } => {
                canvas.set_global_alpha(*opacity);
                if self.fills(*fill) {
                    canvas.fill_rect(*x, *y, *width, *height);
                }
                if self.strokes(*stroke, 1.0) {
                    canvas.stroke_rect(*x, *y, *width, *height);
                }
                canvas.set_global_alpha(1.0);
            }
            Shape::Path {
                points,
                stroke,
                width,
                dash,
                fill,
                opacity,
            } => {
                canvas.set_global_alpha(*opacity);
                canvas.begin_path();
                for (x, y) in points {
                    canvas.line_to(*x, *y);
                }
                if points.len() > 2 && points.first() == points.last() {
                    canvas.close_path();
                }
                if self.fills(*fill) {
                    canvas.fill();
                }
                if self.strokes(*stroke, *width) {
                    self.dash(*dash);
                    canvas.stroke();
                    if *dash == Dash::Dotted {
                        self.dash(Dash::Solid);
                    }
                }
                canvas.set_global_alpha(1.0);
            }
            Shape::Mark {
                x,
                y,
                r,
                diamond,
                fill,
                stroke,
            } => {
                canvas.begin_path();
                if *diamond {
                    canvas.move_to(*x, y - r);
                    canvas.line_to(x + r, *y);
                    canvas.line_to(*x, y + r);
                    canvas.line_to(x - r, *y);
                    canvas.close_path();
                } else {
                    // Refused only for a negative radius.
                    let _ = canvas.arc(*x, *y, r.max(0.0), 0.0, TAU);
                }
                if self.fills(*fill) {
                    canvas.fill();
                }
                if self.strokes(*stroke, 1.3) {
                    canvas.stroke();
                }
            }
            Shape::Text {
                x,
                y,
                text,
                anchor,
                ink,
                size,
                strong,
            } => {
                self.write(*anchor, (*size, *strong));
                if self.fills(*ink) {
                    // Refused text would only mean a missing label.
                    let _ = canvas.fill_text(text, *x, *y);
                }
            }
        }
    }

    fn fills(&mut self, ink: Ink) -> bool {
        if ink != Ink::NONE && ink != self.fill {
            self.fill = ink;
            self.canvas.set_fill_style_str(self.inks.colour(ink));
        }
        ink != Ink::NONE
    }

    fn strokes(&mut self, ink: Ink, width: f64) -> bool {
        if ink != Ink::NONE && ink != self.stroke {
            self.stroke = ink;
            self.canvas.set_stroke_style_str(self.inks.colour(ink));
        }
        if ink != Ink::NONE {
            self.canvas.set_line_width(width);
        }
        ink != Ink::NONE
    }

    fn dash(&self, dash: Dash) {
        let pattern = js_sys::Array::new();
        if dash == Dash::Dotted {
            pattern.push(&1.5.into());
            pattern.push(&2.5.into());
        }
        // Refused only for what is no list of numbers.
        let _ = self.canvas.set_line_dash(&pattern);
    }

    fn write(&mut self, anchor: Anchor, font: (f64, bool)) {
        if self.anchor != Some(anchor) {
            self.anchor = Some(anchor);
            self.canvas.set_text_align(match anchor {
                Anchor::Start => "left",
                Anchor::Middle => "center",
                Anchor::End => "right",
            });
        }
        if self.font != font {
            self.font = font;
            let (size, strong) = font;
            let weight = if strong { "600 " } else { "" };
            self.canvas
                .set_font(&format!("{weight}{size}px {}", self.inks.font));
        }
    }
}
