//! The head of the page: workload, machine, variants A and B, and what can be taken away.

mod actions;
mod kernels;
mod knobs;
mod machine;
mod phone;
mod variant;
mod workload;

use std::rc::Rc;

use yew::prelude::*;

use crate::app::control::IconButton;
use crate::app::icon::{Glyph, Mark};
use crate::app::start::Opening;
use crate::page::Page;
use crate::page::action::Action;
use crate::page::doc::Side;
use crate::page::view::Panel;

pub use actions::{Export, HeadActions, ThemeMenu};
use machine::MachinePicker;
use phone::PhoneMenu;
use variant::VariantBox;
use workload::WorkloadPicker;

/// What the head needs.
#[derive(Properties, PartialEq)]
pub struct HeadProps {
    /// The page.
    pub page: Page,
    /// CPUs and length of the workload, once known.
    pub extent: Option<AttrValue>,
    /// The machine that the newest run took.
    pub machine: Option<AttrValue>,
    /// A file was read, so there is an import report.
    pub imported: bool,
    /// Takes actions.
    pub act: Callback<Action>,
    /// Shows the mail table.
    pub onmail: Callback<()>,
    /// Opens something.
    pub onopen: Callback<Opening>,
    /// Back to the first visit's screen.
    pub onstart: Callback<()>,
    /// Tells something short.
    pub onsay: Callback<String>,
    /// Copies the link.
    pub oncopy: Callback<()>,
    /// Exports something.
    pub onexport: Callback<Export>,
}

/// The head of the explorer.
#[component]
pub fn Head(props: &HeadProps) -> Html {
    let (page, act) = (&props.page, &props.act);
    let name: AttrValue = workload::name(page).into();
    // CPUs of another group can lack the deepest ones.
    let groups = page.live.groups.iter().max_by_key(|group| group.states.len());
    let states: Vec<AttrValue> = groups
        .map(|group| {
            group
                .states
                .iter()
                .map(|state| state.name.clone().into())
                .collect()
        })
        .unwrap_or_default();
    html! {
        <header class="head explorer-head" role="banner">
            <h1 class="sr">{ "idlescope" }</h1>
            <Logo onpress={props.onstart.clone()} />
            <WorkloadPicker name={name.clone()} extent={props.extent.clone()} doc={Rc::clone(&page.doc)} act={act.clone()}
                onopen={props.onopen.clone()} onsay={props.onsay.clone()} stacked=true anchor="phone-title" testid="phone-workload" />
            <WorkloadPicker {name} extent={props.extent.clone()} doc={Rc::clone(&page.doc)} act={act.clone()}
                onopen={props.onopen.clone()} onsay={props.onsay.clone()} anchor="phone-hide" testid="workload" />
            <MachinePicker doc={Rc::clone(&page.doc)} own={props.machine.clone()} act={act.clone()} anchor="phone-hide machine-anchor" testid="machine" />
            <span class="rule phone-hide"></span>
            <VariantBox side={Side::A} doc={Rc::clone(&page.doc)} states={states.clone()} act={act.clone()} />
            <IconButton class="phone-hide" small=true glyph={Glyph::Swap} name="Swap A and B" key_hint="x" testid="swap"
                onpress={act.reform(|()| Action::VariantsSwapped)} />
            <VariantBox side={Side::B} doc={Rc::clone(&page.doc)} states={states.clone()} act={act.clone()} />
            <span class="space"></span>
            <HeadActions history={Rc::clone(&page.history)} theme={page.view.theme} act={act.clone()} oncopy={props.oncopy.clone()} onexport={props.onexport.clone()} />
            <PhoneMenu doc={Rc::clone(&page.doc)} own={props.machine.clone()} history={Rc::clone(&page.history)} imported={props.imported} act={act.clone()}
                onmail={props.onmail.clone()} onexport={props.onexport.clone()} />
        </header>
    }
}

/// What the logo does.
#[derive(Properties, PartialEq)]
pub struct LogoProps {
    /// Back to the first visit's screen.
    pub onpress: Callback<()>,
}

/// The mark and the name.
#[component]
pub fn Logo(props: &LogoProps) -> Html {
    html! {
        <button type="button" class="logo" aria-label="idlescope, start page" onclick={props.onpress.reform(|_: MouseEvent| ())}>
            <Mark /><span class="logo-text">{ "idlescope" }</span>
        </button>
    }
}

/// What the head of the start page needs.
#[derive(Properties, PartialEq)]
pub struct StartHeadProps {
    /// The chosen theme.
    pub theme: crate::page::view::Theme,
    /// Takes actions.
    pub act: Callback<Action>,
}

/// The head of the first visit's screen.
#[component]
pub fn StartHead(props: &StartHeadProps) -> Html {
    html! {
        <header class="head" role="banner">
            <Logo onpress={Callback::noop()} />
            <span class="space"></span>
            <crate::app::control::Button look={crate::app::control::Look::Quiet} testid="validation-button"
                onpress={props.act.reform(|()| Action::PanelOpened(Panel::Validation))}>{ "Validation" }</crate::app::control::Button>
            <crate::app::control::Button look={crate::app::control::Look::Quiet}
                onpress={props.act.reform(|()| Action::PanelOpened(Panel::Keys))}>{ "Keys" }</crate::app::control::Button>
            <ThemeMenu theme={props.theme} act={props.act.clone()} />
        </header>
    }
}

/// Where the full page is.
#[derive(Properties, PartialEq)]
pub struct EmbedHeadProps {
    /// Its address.
    pub href: AttrValue,
    /// The page: workload and variants are named.
    pub page: Page,
}

/// The head of an embedded page: what is compared, and the way out.
#[component]
pub fn EmbedHead(props: &EmbedHeadProps) -> Html {
    html! {
        <header class="head" role="banner">
            <h1 class="sr">{ "idlescope" }</h1>
            <Mark /><span class="strong clip">{ workload::name(&props.page) }</span>
            { for Side::ALL.into_iter().filter_map(|side| {
                let governor = props.page.doc.variant(side).governor?;
                let class = if side == Side::A { "a" } else { "b" };
                Some(html! { <><span class={classes!("badge", class)}>{ side.letter() }</span><span class="clip">{ governor.to_string() }</span></> })
            }) }
            <span class="space"></span>
            <a class="btn" href={props.href.clone()} target="_blank" rel="noopener" data-testid="full-page">{ "Open in idlescope" }</a>
        </header>
    }
}
