//! The left panel as a rail of icons: on narrow windows by itself, elsewhere by its control. From the rail it
//! opens over the timeline (ui.md §3).

use gloo::utils::window;
use yew::prelude::*;

use super::StatesProps;
use crate::app::browser;
use crate::app::control::IconButton;
use crate::app::icon::Glyph;
use crate::app::root::focus;
use crate::page::action::Action;
use crate::page::view::Panel;

/// How the left panel stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fold {
    /// Open where there is room, a rail where there is none.
    #[default]
    Auto,
    /// A rail.
    Folded,
    /// A rail, and the panel over the timeline.
    Over,
}

const KEY: &str = "idlescope.left";

/// Windows that have no room for the panel.
fn is_narrow() -> bool {
    browser::matches_media("(max-width: 1199px)")
}

impl Fold {
    /// Its name in the style sheet.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Folded => "folded",
            Self::Over => "over",
        }
    }

    /// After its control was pressed while the panel is to be seen.
    pub fn closed(self) -> Self {
        if is_narrow() { Self::Auto } else { Self::Folded }
    }

    /// After something on the rail was pressed.
    fn opened(self) -> Self {
        match self {
            Self::Over => self.closed(),
            Self::Auto | Self::Folded => Self::Over,
        }
    }
}

/// The fold as it was left on the last visit, and what changes it.
#[hook]
pub fn use_fold() -> (Fold, Callback<Fold>) {
    let fold = use_state_eq(|| {
        let stored = window().local_storage().ok().flatten();
        let stored = stored.and_then(|storage| storage.get_item(KEY).ok().flatten());
        match stored.as_deref() {
            Some("folded") => Fold::Folded,
            _ => Fold::Auto,
        }
    });
    let set = fold.setter();
    let change = Callback::from(move |to: Fold| {
        set.set(to);
        // Storage may be forbidden; then the choice lasts for this visit.
        if let (Ok(Some(storage)), true) = (window().local_storage(), to != Fold::Over) {
            let _ = storage.set_item(KEY, to.name());
        }
    });
    (*fold, change)
}

/// The rail: hidden while the panel itself stands in its place.
pub fn rail(props: &StatesProps) -> Html {
    let fold = props.fold;
    let open = |id: &'static str| {
        props.onfold.reform(move |()| {
            let to = fold.opened();
            if to == Fold::Over {
                wasm_bindgen_futures::spawn_local(async move { focus(id) });
            }
            to
        })
    };
    let unfold = props
        .onfold
        .reform(move |()| if is_narrow() { fold.opened() } else { Fold::Auto });
    let pressed = Some(fold == Fold::Over);
    html! {
        <nav class="rail" aria-label="Idle states, folded">
            <IconButton glyph={Glyph::ChevronRight} name="Open the idle states" testid="unfold-left" onpress={unfold} />
            <IconButton glyph={Glyph::Curve} name="Idle states" {pressed} testid="rail-states" onpress={open("states")} />
            <IconButton glyph={Glyph::Clock} name="Tick and latency limit" {pressed} testid="rail-tick" onpress={open("tick")} />
            <IconButton glyph={Glyph::Expand} name="Open the idle-state editor" key_hint="e" onpress={props.act.reform(|()| Action::PanelOpened(Panel::States))} />
        </nav>
    }
}
