//! The menu that copies the edited table for a kernel: `sysfs`, devicetree, driver.

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::Shown;
use crate::app::browser;
use crate::app::control::Menu;
use crate::app::icon::{Glyph, Icon};
use crate::page::table_text::{Form, Row, text};

/// What the menu needs.
#[derive(Properties, PartialEq)]
pub struct CopyTableProps {
    /// The states, shallowest first.
    pub states: Vec<Shown>,
    /// Machine and CPUs.
    pub about: AttrValue,
    /// Tells something short.
    pub onsay: Callback<String>,
}

fn row(state: &Shown) -> Row {
    Row {
        name: state.base.name.clone(),
        exit_latency: state.exit_latency(),
        target_residency: state.target_residency(),
        on: state.on(),
        polling: state.base.polling,
        timer_stop: state.base.timer_stop,
    }
}

/// The menu.
#[component]
pub fn CopyTable(props: &CopyTableProps) -> Html {
    let copy = |form: Form, name: &'static str| {
        let (states, about, onsay) = (props.states.clone(), props.about.clone(), props.onsay.clone());
        Callback::from(move |_: MouseEvent| {
            let rows: Vec<Row> = states.iter().map(row).collect();
            let (text, onsay) = (text(form, &about, &rows), onsay.clone());
            spawn_local(async move {
                let said = if browser::copy(&text).await {
                    format!("{name} copied")
                } else {
                    "The browser refused the clipboard".to_owned()
                };
                onsay.emit(said);
            });
        })
    };
    html! {
        <Menu right=true class="btn small quiet" testid="copy-states" face={html! { <><Icon glyph={Glyph::Copy} />{ "Copy as" }<Icon glyph={Glyph::ChevronDown} /></> }}>
            { for Form::ALL.into_iter().map(|(form, name, note)| html! {
                <button type="button" class="item" onclick={copy(form, name)} data-testid={format!("copy-states-{}", form.id())}>
                    { name }<span class="note">{ note }</span>
                </button>
            }) }
        </Menu>
    }
}
