//! Lanes as pixels: rectangles into an RGBA buffer that the canvas takes at once.
//!
//! A million fillRects cost half a second; this costs milliseconds (toolchain.md §3).

use crate::page::plot::depth_step;

/// A colour, red first.
pub type Rgba = [u8; 4];

/// The colours that lanes are made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Palette {
    /// From the shallowest to the deepest, ten steps.
    pub depth: [Rgba; 10],
    /// Text on them.
    pub on_depth: [Rgba; 10],
    /// Lower edge of an idle block.
    pub floor: Rgba,
    /// CPU busy.
    pub busy: Rgba,
    /// Ground.
    pub surface: Rgba,
    /// Hairlines.
    pub line: Rgba,
    /// The waterline.
    pub line_strong: Rgba,
    /// Tick running or retained.
    pub running: Rgba,
    /// Tick stopped.
    pub stopped: Rgba,
    /// Where A and B differ.
    pub accent: Rgba,
    /// Not known.
    pub unknown: Rgba,
    /// Behind the selected decision.
    pub wash: Rgba,
    /// Lines of a marked range.
    pub hatch: Rgba,
}

impl Palette {
    /// The colour of state `n` of `count`.
    #[must_use]
    pub fn state(&self, n: usize, count: usize) -> Rgba {
        self.depth
            .get(depth_step(n, count))
            .copied()
            .unwrap_or(self.floor)
    }
}

/// A picture in device pixels.
pub struct Raster {
    /// Width.
    pub width: usize,
    /// Height.
    pub height: usize,
    /// Rows of RGBA.
    pub pixels: Vec<u8>,
    ratio: f64,
}

impl Raster {
    /// An empty picture of so many CSS pixels.
    #[must_use]
    pub fn new(width: f64, height: f64, ratio: f64, ground: Rgba) -> Self {
        let size = |css: f64| whole((css * ratio).round().max(1.0));
        let (width, height) = (size(width), size(height));
        Self {
            width,
            height,
            pixels: ground.repeat(width * height),
            ratio,
        }
    }

    /// Fills a rectangle given in CSS pixels, edges snapped to device pixels, at least one wide and
    /// high.
    pub fn fill(&mut self, x: f64, y: f64, width: f64, height: f64, colour: Rgba) {
        let edge = |css: f64| (css * self.ratio).round();
        let (left, top) = (edge(x), edge(y));
        let (right, bottom) = (edge(x + width).max(left + 1.0), edge(y + height).max(top + 1.0));
        let (left, right) = (whole(left.max(0.0)), whole(right.max(0.0)).min(self.width));
        let (top, bottom) = (whole(top.max(0.0)), whole(bottom.max(0.0)).min(self.height));
        if left >= right {
            return;
        }
        for line in top..bottom {
            let start = (line * self.width + left) * 4;
            let end = (line * self.width + right) * 4;
            if let Some(span) = self.pixels.get_mut(start..end) {
                for pixel in span.chunks_exact_mut(4) {
                    pixel.copy_from_slice(&colour);
                }
            }
        }
    }

    /// Thin diagonal lines, 8 px apart, over a rectangle given in CSS pixels.
    pub fn hatch(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), colour: Rgba) {
        let edge = |css: f64| whole((css * self.ratio).round().max(0.0));
        let (left, right) = (edge(x), edge(x + width).min(self.width));
        let (top, bottom) = (edge(y), edge(y + height).min(self.height));
        let apart = edge(8.0).max(2);
        let thick = edge(1.0).max(1);
        for line in top..bottom {
            for column in left..right {
                if (line + column) % apart < thick {
                    let at = (line * self.width + column) * 4;
                    if let Some(pixel) = self.pixels.get_mut(at..at + 4) {
                        pixel.copy_from_slice(&colour);
                    }
                }
            }
        }
    }

    /// The colour at a device pixel; none outside.
    #[must_use]
    pub fn pixel(&self, x: usize, y: usize) -> Option<Rgba> {
        let at = (y * self.width + x) * 4;
        let pixel = self.pixels.get(at..at + 4).filter(|_| x < self.width)?;
        pixel.try_into().ok()
    }

    /// One device pixel in CSS pixels.
    #[must_use]
    pub fn hair(&self) -> f64 {
        1.0 / self.ratio
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "pixel counts, never negative here"
)]
fn whole(pixels: f64) -> usize {
    pixels as usize
}
