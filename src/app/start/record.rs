//! The card with commands that record a trace this page can explain.

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::app::browser;
use crate::app::control::{Choice, IconButton, Segments};
use crate::app::icon::Glyph;

/// Tool and commands. The events are those that the replay uses.
const RECIPES: [(&str, &str); 3] = [
    (
        "trace-cmd",
        "trace-cmd record -C mono -b 20000 -e cpu_idle -e cpu_idle_miss \\\n  -e tick_stop -e 'hrtimer_*' -e 'timer_*' \\\n  -e 'irq_handler_*' -e 'ipi_*' -e 'softirq_*' \\\n  -e sched_switch -e sched_wakeup sleep 15\ntrace-cmd report -t > idle.txt",
    ),
    (
        "ftrace",
        "cd /sys/kernel/tracing\necho mono > trace_clock; echo 20000 > buffer_size_kb\nfor e in power/cpu_idle power/cpu_idle_miss timer \\\n  irq ipi sched/sched_switch sched/sched_wakeup\ndo echo 1 > events/$e/enable; done\nsleep 15; cat trace > /tmp/idle.txt; echo 0 > events/enable",
    ),
    (
        "perf",
        "perf record -a -k mono -m 8M -e power:cpu_idle \\\n  -e power:cpu_idle_miss -e 'timer:*' -e 'irq:*' -e 'ipi:*' \\\n  -e sched:sched_switch -e sched:sched_wakeup sleep 15\nperf script --ns > idle.txt",
    ),
];

/// What the card needs.
#[derive(Properties, PartialEq)]
pub struct RecordProps {
    /// Tells what was copied, or that it was not.
    pub onsay: Callback<String>,
}

/// The card.
#[component]
pub fn RecordCard(props: &RecordProps) -> Html {
    let chosen = use_state_eq(|| 0_usize);
    let recipe = RECIPES[*chosen];
    let copy = {
        let onsay = props.onsay.clone();
        Callback::from(move |()| {
            let onsay = onsay.clone();
            spawn_local(async move {
                let said = if browser::copy(recipe.1).await {
                    "Command copied"
                } else {
                    "The browser refused the clipboard; select the command instead"
                };
                onsay.emit(said.to_owned());
            });
        })
    };
    let onchoose = {
        let chosen = chosen.setter();
        Callback::from(move |n| chosen.set(n))
    };
    html! {
        <section class="command" aria-label="Record a trace">
            <div class="row" style="padding: 6px 6px 0 12px">
                <h2 class="strong">{ "Record one, 15 s" }</h2>
                <span class="space"></span>
                <Segments name="Tool" chosen={Some(*chosen)} {onchoose}
                    choices={RECIPES.iter().map(|(tool, _)| Choice::new(*tool)).collect::<Vec<_>>()} />
                <IconButton small=true glyph={Glyph::Copy} name="Copy command" onpress={copy} testid="copy-command" />
            </div>
            <pre class="block" tabindex="0">{ recipe.1 }</pre>
        </section>
    }
}
