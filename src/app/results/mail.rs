//! The table for mail: what is copied is what the link shows.

use yew::prelude::*;

use crate::app::control::{Button, Look};
use crate::app::icon::Glyph;
use crate::page::link::Length;

/// What the tab needs.
#[derive(Properties, PartialEq)]
pub struct MailProps {
    /// The table, at most 72 columns, ASCII.
    pub mail: AttrValue,
    /// The whole link.
    pub link: AttrValue,
    /// Copies the table and the link.
    pub oncopy: Callback<()>,
    /// Copies the table alone.
    pub oncopy_table: Callback<()>,
    /// Copies the link alone.
    pub oncopy_link: Callback<()>,
}

/// The tab.
#[component]
pub fn MailTab(props: &MailProps) -> Html {
    let length = props.link.chars().count();
    let verdict = match Length::of(&props.link) {
        Length::Fits => "fits a Link: trailer (78)",
        Length::Long => "longer than 78, shorter than the longest seen (160)",
        Length::TooLong => "longer than 160: some mail programs will cut it",
    };
    let longest = props
        .mail
        .lines()
        .map(|line| line.chars().count())
        .max()
        .unwrap_or(0);
    html! {
        <div class="mail-row">
            <pre class="mail" tabindex="0" data-testid="mail">{ &props.mail }</pre>
            <div class="mail-copy">
                <div class="row" style="flex-wrap: wrap">
                    <Button look={Look::Primary} glyph={Glyph::Copy} onpress={props.oncopy.clone()} hint="Copy table and link (c)" testid="copy-both">{ "Copy table and link" }</Button>
                    <Button onpress={props.oncopy_table.clone()} testid="copy-table">{ "Copy table" }</Button>
                    <Button onpress={props.oncopy_link.clone()} testid="copy-short-link">{ "Copy link" }</Button>
                </div>
            </div>
            <div class="mail-link">
                <p class="link-text" data-testid="mail-link">{ &props.link }</p>
                <p class="caption" style="margin-top: 4px">{ format!("{length} characters, {verdict}") }</p>
                <p class="caption" style="margin-top: 8px">{ format!("ASCII, no tabs, longest line {longest} of 72 columns. The names come from the run, never from typing.") }</p>
            </div>
        </div>
    }
}
