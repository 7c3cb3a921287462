//! The right end of the head: undo, mail table, export, theme, copy link.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::browser::THEMES;
use crate::app::control::{Button, IconButton, Look, Menu};
use crate::app::icon::{Glyph, Icon};
use crate::page::action::Action;
use crate::page::history::History;
use crate::page::view::{Tab, Theme};

/// Something that can be taken away as a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export {
    /// The timeline as it is drawn.
    TimelinePng,
    /// The energy chart.
    EnergySvg,
    /// The summary's figures.
    SummaryCsv,
    /// Everything the summary knows.
    SummaryJson,
}

impl Export {
    pub(super) const ALL: [(Self, &'static str, &'static str); 4] = [
        (Self::TimelinePng, "Timeline", "PNG"),
        (Self::EnergySvg, "Energy chart", "SVG"),
        (Self::SummaryCsv, "Summary", "CSV"),
        (Self::SummaryJson, "Summary", "JSON"),
    ];
}

/// What the actions need.
#[derive(Properties, PartialEq)]
pub struct HeadActionsProps {
    /// For undo and redo.
    pub history: Rc<History>,
    /// The chosen theme.
    pub theme: Theme,
    /// Takes actions.
    pub act: Callback<Action>,
    /// Copies the link.
    pub oncopy: Callback<()>,
    /// Exports something.
    pub onexport: Callback<Export>,
}

/// The actions.
#[component]
pub fn HeadActions(props: &HeadActionsProps) -> Html {
    let act = &props.act;
    let mail = act.reform(|()| Action::TabChosen(Tab::Mail));
    let none = |can: bool, why: &'static str| (!can).then(|| AttrValue::from(why));
    html! {
        <>
            <IconButton small=true class="phone-hide" glyph={Glyph::Undo} name="Undo" key_hint="Ctrl Z" testid="undo"
                refused={none(props.history.can_undo(), "nothing to undo")} onpress={act.reform(|()| Action::Undo)} />
            <IconButton small=true class="phone-hide" glyph={Glyph::Redo} name="Redo" key_hint="Ctrl Shift Z" testid="redo"
                refused={none(props.history.can_redo(), "nothing to redo")} onpress={act.reform(|()| Action::Redo)} />
            <Button class="phone-hide mid" look={Look::Quiet} glyph={Glyph::Mail} onpress={mail} hint="Table for mail (g m)" testid="mail-table">
                <span class="wide">{ "Mail table" }</span>
            </Button>
            <Menu anchor="phone-hide low" class="btn quiet" right=true name="Export" testid="export"
                face={html! { <><Icon glyph={Glyph::Export} /><span class="wide">{ "Export" }</span></> }}>
                { for Export::ALL.into_iter().map(|(what, label, kind)| html! {
                    <button type="button" class="item" onclick={props.onexport.reform(move |_: MouseEvent| what)}>
                        { label }<span class="note">{ kind }</span>
                    </button>
                }) }
            </Menu>
            <ThemeMenu theme={props.theme} act={act.clone()} />
            <Button look={Look::Primary} glyph={Glyph::Link} onpress={props.oncopy.clone()} hint="Copy link (l)" testid="copy-link">
                <span class="phone-hide">{ "Copy link" }</span><span class="sr">{ "Copy link" }</span>
            </Button>
        </>
    }
}

/// What the theme menu needs.
#[derive(Properties, PartialEq)]
pub struct ThemeMenuProps {
    /// The chosen theme.
    pub theme: Theme,
    /// Takes actions.
    pub act: Callback<Action>,
}

/// The menu of themes.
#[component]
pub fn ThemeMenu(props: &ThemeMenuProps) -> Html {
    html! {
        <Menu class="btn quiet square" right=true name="Theme" testid="theme" face={html! { <Icon glyph={Glyph::Theme} /> }}>
            { for THEMES.into_iter().map(|(theme, label)| html! {
                <button type="button" class="item" aria-pressed={if theme == props.theme { "true" } else { "false" }}
                    data-testid={format!("theme-{}", label.to_lowercase().replace(' ', "-"))}
                    onclick={props.act.reform(move |_: MouseEvent| Action::ThemeChosen(theme))}>
                    { label }
                    if theme == props.theme { <span class="note"><Icon glyph={Glyph::Check} /></span> }
                </button>
            }) }
        </Menu>
    }
}
