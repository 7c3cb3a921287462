//! A list of shapes as SVG elements, in the colours of the theme.

use yew::prelude::*;

use crate::page::plot::svg::path;
use crate::page::plot::{Anchor, Dash, Ink, Plot, Shape};

fn ink(ink: Ink) -> String {
    if ink == Ink::NONE {
        "none".to_owned()
    } else {
        format!("var(--{})", ink.0)
    }
}

fn px(value: f64) -> String {
    format!("{value:.1}")
}

/// The shapes alone, for pictures that carry more than shapes.
pub fn shapes(plot: &Plot) -> Html {
    plot.shapes.iter().map(shape).collect()
}

/// The whole picture; `plot.name` is its name.
pub fn picture(plot: &Plot) -> Html {
    html! {
        <svg width={px(plot.width)} height={px(plot.height)} viewBox={format!("0 0 {:.1} {:.1}", plot.width, plot.height)}
            role="img" aria-label={plot.name.clone()} style="max-width: 100%">{ shapes(plot) }</svg>
    }
}

fn shape(shape: &Shape) -> Html {
    match shape {
        Shape::Rect {
            x,
            y,
            width,
            height,
            fill,
            stroke,
            opacity,
        } => html! {
            <rect x={px(*x)} y={px(*y)} width={px(*width)} height={px(*height)} fill={ink(*fill)} stroke={ink(*stroke)} opacity={opacity.to_string()} />
        },
        Shape::Path {
            points,
            stroke,
            width,
            dash,
            fill,
            opacity,
        } => html! {
            <path d={path(points)} stroke={ink(*stroke)} stroke-width={width.to_string()} stroke-dasharray={(*dash == Dash::Dotted).then_some("1.5 2.5")}
                stroke-linejoin="round" stroke-linecap="round" fill={ink(*fill)} opacity={opacity.to_string()} />
        },
        Shape::Mark {
            x,
            y,
            r,
            diamond,
            fill,
            stroke,
        } => {
            if *diamond {
                let points = [(*x, y - r), (x + r, *y), (*x, y + r), (x - r, *y), (*x, y - r)];
                html! { <path d={path(&points)} fill={ink(*fill)} stroke={ink(*stroke)} stroke-width="1.5" /> }
            } else {
                html! { <circle cx={px(*x)} cy={px(*y)} r={px(*r)} fill={ink(*fill)} stroke={ink(*stroke)} stroke-width="1.5" /> }
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
            let weight = if *strong { "600" } else { "400" };
            html! {
                <text x={px(*x)} y={px(*y)} text-anchor={anchor} style={format!("fill: {}; font-size: {size}px; font-weight: {weight}", ink(*colour))}>{ text }</text>
            }
        }
    }
}
