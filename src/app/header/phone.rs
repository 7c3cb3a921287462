//! The menu of narrow screens: what the head has no room for.

use std::rc::Rc;

use yew::prelude::*;

use super::actions::Export;
use super::machine::MachinePicker;
use crate::app::control::Menu;
use crate::app::icon::{Glyph, Icon};
use crate::page::action::Action;
use crate::page::doc::Doc;
use crate::page::history::History;
use crate::page::view::Panel;

/// What the menu needs.
#[derive(Properties, PartialEq)]
pub struct PhoneMenuProps {
    /// The question.
    pub doc: Rc<Doc>,
    /// The machine that the newest run took.
    pub own: Option<AttrValue>,
    /// For undo and redo.
    pub history: Rc<History>,
    /// A file was read, so there is an import report.
    pub imported: bool,
    /// Takes actions.
    pub act: Callback<Action>,
    /// Shows the mail table.
    pub onmail: Callback<()>,
    /// Exports something.
    pub onexport: Callback<Export>,
}

/// The menu.
#[component]
pub fn PhoneMenu(props: &PhoneMenuProps) -> Html {
    let act = &props.act;
    let item = |label: &'static str, testid: &'static str, can: bool, action: Action| {
        let onclick = act.reform(move |_: MouseEvent| action.clone());
        html! { <button type="button" class="item" disabled={!can} data-testid={testid} {onclick}>{ label }</button> }
    };
    html! {
        <Menu anchor="phone-menu" class="btn quiet square" right=true name="Menu" testid="phone-menu" face={html! { <Icon glyph={Glyph::Menu} /> }}>
            <div class="head">{ "Machine" }</div>
            <MachinePicker doc={Rc::clone(&props.doc)} own={props.own.clone()} act={act.clone()} anchor="phone-machine" testid="phone-machine" />
            <hr />
            { item("Swap A and B", "phone-swap", true, Action::VariantsSwapped) }
            { item("Undo", "phone-undo", props.history.can_undo(), Action::Undo) }
            { item("Redo", "phone-redo", props.history.can_redo(), Action::Redo) }
            <hr />
            <button type="button" class="item" data-testid="phone-mail" onclick={props.onmail.reform(|_: MouseEvent| ())}>{ "Mail table" }</button>
            if props.imported { { item("Import report", "phone-import", true, Action::PanelOpened(Panel::Import)) } }
            { item("Keys", "phone-keys", true, Action::PanelOpened(Panel::Keys)) }
            <div class="head">{ "Export" }</div>
            { for Export::ALL.into_iter().map(|(what, label, kind)| html! {
                <button type="button" class="item" onclick={props.onexport.reform(move |_: MouseEvent| what)}>
                    { label }<span class="note">{ kind }</span>
                </button>
            }) }
        </Menu>
    }
}
