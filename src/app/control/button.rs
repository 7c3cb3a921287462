//! Buttons with their looks, names and keys.

use yew::prelude::*;

use crate::app::icon::{Glyph, Icon};

/// How much a button asks for attention; one primary per view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Look {
    /// Outlined.
    #[default]
    Plain,
    /// Filled with the accent.
    Primary,
    /// Without outline until it is hovered.
    Quiet,
}

impl Look {
    const fn class(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Primary => Some("primary"),
            Self::Quiet => Some("quiet"),
        }
    }
}

/// What a text button shows and does.
#[derive(Properties, PartialEq)]
pub struct ButtonProps {
    /// The label; sentence case, a verb.
    pub children: Children,
    /// What a press does.
    pub onpress: Callback<()>,
    /// A picture before the label.
    #[prop_or_default]
    pub glyph: Option<Glyph>,
    /// Attention.
    #[prop_or_default]
    pub look: Look,
    /// The 24 px size.
    #[prop_or_default]
    pub small: bool,
    /// More classes.
    #[prop_or_default]
    pub class: Classes,
    /// Why it cannot be used now; also its tooltip.
    #[prop_or_default]
    pub refused: Option<AttrValue>,
    /// Tooltip, with the key if there is one.
    #[prop_or_default]
    pub hint: Option<AttrValue>,
    /// On or off, for a toggle.
    #[prop_or_default]
    pub pressed: Option<bool>,
    /// Name for end-to-end tests.
    #[prop_or_default]
    pub testid: Option<AttrValue>,
}

/// A button with a text.
#[component]
pub fn Button(props: &ButtonProps) -> Html {
    let refused = props.refused.is_some();
    let onclick = props.onpress.reform(|_: MouseEvent| ());
    html! {
        <button
            type="button"
            class={classes!("btn", props.look.class(), props.small.then_some("small"), props.class.clone())}
            disabled={refused}
            title={props.refused.clone().or_else(|| props.hint.clone())}
            aria-pressed={props.pressed.map(|on| if on { "true" } else { "false" })}
            data-testid={props.testid.clone()}
            {onclick}
        >
            if let Some(glyph) = props.glyph { <Icon {glyph} /> }
            { for props.children.iter() }
        </button>
    }
}

/// What an icon button shows and does.
#[derive(Properties, PartialEq)]
pub struct IconButtonProps {
    /// The picture.
    pub glyph: Glyph,
    /// Its name for assistive technology, and its tooltip.
    pub name: AttrValue,
    /// The key that does the same.
    #[prop_or_default]
    pub key_hint: Option<AttrValue>,
    /// What a press does.
    pub onpress: Callback<()>,
    /// The 24 px size.
    #[prop_or_default]
    pub small: bool,
    /// Attention.
    #[prop_or(Look::Quiet)]
    pub look: Look,
    /// More classes.
    #[prop_or_default]
    pub class: Classes,
    /// Why it cannot be used now.
    #[prop_or_default]
    pub refused: Option<AttrValue>,
    /// On or off, for a toggle.
    #[prop_or_default]
    pub pressed: Option<bool>,
    /// Name for end-to-end tests.
    #[prop_or_default]
    pub testid: Option<AttrValue>,
}

/// A button with a picture only.
#[component]
pub fn IconButton(props: &IconButtonProps) -> Html {
    let title = match (&props.refused, &props.key_hint) {
        (Some(why), _) => format!("{}: {why}", props.name),
        (None, Some(key)) => format!("{} ({key})", props.name),
        (None, None) => props.name.to_string(),
    };
    let onclick = props.onpress.reform(|_: MouseEvent| ());
    html! {
        <button
            type="button"
            class={classes!("btn", "square", props.look.class(), props.small.then_some("small"), props.class.clone())}
            aria-label={props.name.clone()}
            disabled={props.refused.is_some()}
            {title}
            aria-pressed={props.pressed.map(|on| if on { "true" } else { "false" })}
            data-testid={props.testid.clone()}
            {onclick}
        >
            <Icon glyph={props.glyph} />
        </button>
    }
}
