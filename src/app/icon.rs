//! Icons: inline SVG on a 14 × 14 box, drawn with `currentColor`, hidden from assistive
//! technology because a text or a name always stands beside them (ui.md §15).

use yew::prelude::*;

/// Which picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is named for what it shows")]
pub enum Glyph {
    File,
    Drop,
    Link,
    Copy,
    Mail,
    Export,
    Theme,
    Swap,
    ChevronDown,
    ChevronRight,
    ChevronLeft,
    Clock,
    Expand,
    Close,
    Check,
    Warn,
    Lock,
    Zoom,
    /// Look for something.
    Search,
    Menu,
    Undo,
    Redo,
    First,
    Previous,
    Play,
    Pause,
    Next,
    Last,
    Timeline,
    Curve,
    Steps,
    Bars,
    Table,
    Pin,
    Plus,
    Minus,
}

impl Glyph {
    const fn path(self) -> &'static str {
        match self {
            Self::File => "M3 1.8h5L11 5v7.2H3zM8 1.8V5h3",
            Self::Drop => "M7 1.8v7M4 6l3 3 3-3M2 12h10",
            Self::Link => {
                "M6 8a2.5 2.5 0 0 0 3.6 0l2-2A2.5 2.5 0 0 0 8 2.4l-.8.8M8 6a2.5 2.5 0 0 0-3.6 0l-2 2A2.5 2.5 0 0 0 6 11.6l.8-.8"
            }
            Self::Copy => "M5 5h6.5v6.5H5zM9 5V2.5H2.5V9H5",
            Self::Mail => "M1.5 3.5h11v7h-11zM1.5 4l5.5 4 5.5-4",
            Self::Export => "M7 9V2M4.5 6.5 7 9l2.5-2.5M2 10v2h10v-2",
            Self::Theme => "M7 2a5 5 0 1 0 5 5A3.8 3.8 0 0 1 7 2z",
            Self::Swap => "M3 5h8M9 3l2 2-2 2M11 9H3M5 7 3 9l2 2",
            Self::ChevronDown => "M4 5.5 7 8.5l3-3",
            Self::ChevronRight => "M5.5 4 8.5 7l-3 3",
            Self::ChevronLeft => "M8.5 4 5.5 7l3 3",
            Self::Clock => "M7 1.8a5.2 5.2 0 1 0 0 10.4 5.2 5.2 0 0 0 0-10.4zM7 4v3l2 1.5",
            Self::Expand => "M8.5 2H12v3.5M12 2 8 6M5.5 12H2V8.5M2 12l4-4",
            Self::Plus => "M7 3v8M3 7h8",
            Self::Minus => "M3 7h8",
            Self::Close => "M3.5 3.5l7 7M10.5 3.5l-7 7",
            Self::Check => "M3 7.4 5.8 10 11 4",
            Self::Warn => "M7 2.2 12.8 12H1.2zM7 6v3M7 10.4v.2",
            Self::Lock => "M3.5 6.5h7V12h-7zM5 6.5V4.4a2 2 0 0 1 4 0v2.1",
            Self::Search => "M6.2 2.2a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM9.2 9.2 12 12",
            Self::Zoom => "M6.2 2.2a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM9.2 9.2 12 12M4.5 6.2h3.4M6.2 4.5v3.4",
            Self::Menu => "M2 4h10M2 7h10M2 10h10",
            Self::Undo => "M3 5.5h5.5a3 3 0 0 1 0 6H6M3 5.5 5.5 3M3 5.5 5.5 8",
            Self::Redo => "M11 5.5H5.5a3 3 0 0 0 0 6H8M11 5.5 8.5 3M11 5.5 8.5 8",
            Self::First => "M3.5 3v8M11 3 6 7l5 4z",
            Self::Previous => "M9.5 3.5 5 7l4.5 3.5z",
            Self::Play => "M4 2.8 11 7l-7 4.2z",
            Self::Pause => "M4.5 3v8M9.5 3v8",
            Self::Next => "M4.5 3.5 9 7l-4.5 3.5z",
            Self::Last => "M10.5 3v8M3 3l5 4-5 4z",
            Self::Timeline => "M1 3h12M2 3v3h3V3M6 3v7h3V3M10 3v5h2V3",
            Self::Curve => "M1.5 12 5 6.5 8.5 5 12.5 2",
            Self::Steps => "M2 3h10M2 6h10M2 9h6M9 10.5l1.5 1.5 2.5-3",
            Self::Bars => "M2.5 12V8M5.5 12V4M8.5 12V6M11.5 12V3",
            Self::Pin => "M7 8.5V13M4 8.5h6L9 6V2H5v4z",
            Self::Table => "M1.8 2.8h10.4v8.4H1.8zM1.8 5.6h10.4M1.8 8.4h10.4M5.4 2.8v8.4",
        }
    }
}

/// What an icon shows, and how it is tinted.
#[derive(Properties, PartialEq)]
pub struct IconProps {
    /// The picture.
    pub glyph: Glyph,
    /// More classes, such as a status colour.
    #[prop_or_default]
    pub class: Classes,
}

/// One icon.
#[component]
pub fn Icon(props: &IconProps) -> Html {
    html! {
        <svg class={classes!("icon", props.class.clone())} viewBox="0 0 14 14" aria-hidden="true" focusable="false">
            <path d={props.glyph.path()} />
        </svg>
    }
}

/// The mark: a waterline, a busy block above it, three deepening blocks below.
#[component]
pub fn Mark() -> Html {
    html! {
        <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true" focusable="false">
            <path d="M1 6h16" stroke="var(--ink)" stroke-width="1.5" />
            <rect x="1" y="2.5" width="3" height="3.5" fill="var(--ink)" />
            <rect x="4.6" y="6.8" width="3.4" height="3.4" fill="var(--depth-2)" />
            <rect x="8.6" y="6.8" width="3.4" height="6.4" fill="var(--depth-5)" />
            <rect x="12.6" y="6.8" width="4.4" height="9.7" fill="var(--depth-8)" />
        </svg>
    }
}
