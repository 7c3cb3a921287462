//! The four tabs of the narrow layout.

use yew::prelude::*;

use crate::app::icon::{Glyph, Icon};

/// What a narrow screen shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shows {
    /// The timeline with the decision under it.
    #[default]
    Timeline,
    /// Idle states, tick and latency limit.
    States,
    /// The decision alone.
    Decision,
    /// The results.
    Summary,
}

impl Shows {
    const ALL: [(Self, &'static str, Glyph); 4] = [
        (Self::Timeline, "Timeline", Glyph::Timeline),
        (Self::States, "States", Glyph::Curve),
        (Self::Decision, "Decision", Glyph::Steps),
        (Self::Summary, "Summary", Glyph::Bars),
    ];

    /// Its name in the style sheet.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Timeline => "timeline",
            Self::States => "states",
            Self::Decision => "decision",
            Self::Summary => "summary",
        }
    }
}

/// What the tabs need.
#[derive(Properties, PartialEq)]
pub struct PhoneTabsProps {
    /// The chosen one.
    pub shows: Shows,
    /// Chooses another.
    pub onchoose: Callback<Shows>,
}

/// The tabs.
#[component]
pub fn PhoneTabs(props: &PhoneTabsProps) -> Html {
    html! {
        <nav class="phone-tabs" aria-label="Views">
            { for Shows::ALL.into_iter().map(|(shows, label, glyph)| html! {
                <button type="button" aria-current={(shows == props.shows).then_some("true")} data-testid={format!("phone-{}", shows.name())}
                    onclick={props.onchoose.reform(move |_: MouseEvent| shows)}>
                    <Icon {glyph} />{ label }
                </button>
            }) }
        </nav>
    }
}
