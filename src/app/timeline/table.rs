//! The timeline as a table: the same decisions, for reading and for assistive technology.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::control::{Button, Dialog};
use crate::app::engine::Engine;
use crate::app::pilot::focused_cpu;
use crate::app::worker::protocol::Request;
use crate::page::action::Action;
use crate::page::view::{LaneId, Panel, Selection, View};
use crate::page::words::Style;
use crate::page::words::decisions::entry;
use crate::units::Time;

/// Rows on one page of the table.
const PAGE: u32 = 100;

/// What the table needs.
#[derive(Properties, PartialEq)]
pub struct DecisionTableProps {
    /// Where one looks.
    pub view: Rc<View>,
    /// The connection to the worker.
    pub engine: Engine,
    /// Takes actions.
    pub act: Callback<Action>,
}

/// The table.
#[component]
pub fn DecisionTable(props: &DecisionTableProps) -> Html {
    let only = use_state_eq(|| false);
    let skip = use_state_eq(|| 0_u32);
    let facts = props.engine.findings.facts.clone();
    let cpu = facts
        .as_ref()
        .map_or(props.view.cpu, |facts| focused_cpu(&props.view, &facts.cpus));
    {
        let engine = props.engine.clone();
        use_effect_with(
            (engine.findings.run, cpu, *only, *skip),
            move |(run, cpu, differences, skip)| {
                let (cpu, differences, skip) = (*cpu, *differences, *skip);
                if *run > 0 {
                    engine.ask.emit(Box::new(move |ticket| Request::Table {
                        ticket,
                        skip,
                        take: PAGE,
                        cpu,
                        differences,
                    }));
                }
            },
        );
    }
    let start = facts.as_ref().map_or(Time::ZERO, |facts| facts.start);
    let toggle = {
        let (only, skip, now) = (only.setter(), skip.setter(), *only);
        Callback::from(move |_: Event| {
            only.set(!now);
            skip.set(0);
        })
    };
    let turn = |by: i64| {
        let (skip, now) = (skip.setter(), *skip);
        Callback::from(move |()| skip.set(u32::try_from(i64::from(now) + by).unwrap_or(0)))
    };
    let lead = facts
        .as_ref()
        .and_then(|facts| {
            [LaneId::A, LaneId::B, LaneId::Recorded]
                .into_iter()
                .find(|lane| facts.lanes.contains(lane))
        })
        .unwrap_or(LaneId::A);
    let table = props.engine.findings.table.clone();
    let total = table.as_ref().map_or(0, |table| table.total);
    // Figures stand right, so that their digits are under each other.
    let figures = |head: &str| head.ends_with(", s") || head.ends_with(", ns");
    let numeric: Vec<bool> = table
        .iter()
        .flat_map(|table| table.heads.iter().map(|head| figures(head)))
        .collect();
    let class = |n: usize| numeric.get(n).is_some_and(|numeric| *numeric).then_some("num");
    html! {
        <Dialog title={format!("Decisions of {cpu}")} onclose={props.act.reform(|()| Action::PanelOpened(Panel::None))} testid="decisions-dialog" wide=true>
            <div class="row" style="margin-bottom: 8px">
                <label class="check"><input type="checkbox" checked={*only} onchange={toggle} data-testid="only-differences" />{ "differences only" }</label>
                <span class="space"></span>
                <span class="caption">{ format!("{} – {} of {total}", (*skip + 1).min(total), (*skip + PAGE).min(total)) }</span>
                <Button small=true refused={(*skip == 0).then(|| AttrValue::from("this is the first page"))} onpress={turn(-i64::from(PAGE))}>{ "Previous" }</Button>
                <Button small=true refused={(*skip + PAGE >= total).then(|| AttrValue::from("this is the last page"))} onpress={turn(i64::from(PAGE))}>{ "Next" }</Button>
            </div>
            <table class="figures" data-testid="decisions">
                <thead><tr>{ for table.iter().flat_map(|table| table.heads.iter().enumerate()).map(|(n, head)| html! { <th scope="col" class={classes!(class(n))}>{ head }</th> }) }</tr></thead>
                <tbody>
                    { for table.iter().flat_map(|table| table.rows.iter()).map(|row| {
                        let select = Action::DecisionSelected(Selection { lane: lead, cpu, n: row.n }, row.entry);
                        let on = props.view.decision == Some(row.n);
                        let at = start.saturating_add(row.entry.saturating_since(Time::ZERO));
                        html! {
                            <tr key={row.n} class={classes!(on.then_some("chosen"))}>
                                <th scope="row" class={classes!(class(0))}><button type="button" class="btn small quiet" onclick={props.act.reform(move |_: MouseEvent| select.clone())}>{ entry(at, Style::Page) }</button></th>
                                { for row.cells.iter().enumerate().map(|(n, cell)| html! { <td class={classes!(class(n + 1))}>{ cell }</td> }) }
                            </tr>
                        }
                    }) }
                </tbody>
            </table>
        </Dialog>
    }
}
