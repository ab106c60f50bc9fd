//! A chart with its finding and stamp above, its notes below, its table and its files.

use super::chart::export::ExportMenu;
use super::chart::{Chart, ChartLinks, Shown};
use super::unique::unique;
use crate::charts::Chart as _;
use crate::link::Sheet;
use crate::ui::state::use_state;
use crate::views::curves::Table;
use leptos::prelude::*;

/// A chart of its own.
#[component]
pub fn Figure(
    /// What it shows.
    #[prop(into)]
    spec: Shown,
    /// What else it is, for the style sheet.
    #[prop(optional)]
    class: &'static str,
    /// What it shares; by itself it stands alone.
    #[prop(optional)]
    links: Option<ChartLinks>,
    /// The table twin, where the view has a richer one than the marks of the picture.
    #[prop(optional)]
    twin: Option<Signal<Table>>,
    /// More buttons beside its own.
    #[prop(optional, into)]
    tools: ViewFn,
) -> impl IntoView {
    let links = links.unwrap_or_else(ChartLinks::alone);
    let name = unique("chart");
    let labelled = name.clone();
    let chart = match twin {
        Some(twin) => {
            view! { <Chart spec=spec links=links twin=twin named_by=name.clone() tip_when_pinned=true /> }
        }
        None => {
            view! { <Chart spec=spec links=links named_by=name.clone() tip_when_pinned=true /> }
        }
    };
    view! {
        <figure class=format!("figure {class}") aria-labelledby=labelled>
            <div class="figure-top">
                <FigureHead spec=spec name=name />
                {tools.run()}
                <FigureTools spec=spec links=links />
            </div>
            {chart}
            <Notes spec=spec />
        </figure>
    }
}

/// The buttons for the table and the files of a chart, at the end of its heading's line.
#[component]
pub fn FigureTools(
    /// The chart.
    #[prop(into)]
    spec: Shown,
    /// Whether its table is shown.
    links: ChartLinks,
) -> impl IntoView {
    let Shown(drawing) = spec;
    view! {
        <button
            type="button"
            class="quiet export-small"
            title="The chart as a table (t)"
            aria-label=move || drawing.with(|s| format!("Table of “{}”", s.title()))
            aria-pressed=move || links.table.get().to_string()
            on:click=move |_| links.table.update(|t| *t = !*t)
        >
            "Table"
        </button>
        <ExportMenu spec=spec small=true />
    }
}

/// The finding and the stamp above a chart.
#[component]
pub fn FigureHead(
    /// The chart.
    #[prop(into)]
    spec: Shown,
    /// The id of the heading, which names the chart.
    name: String,
) -> impl IntoView {
    let state = use_state();
    let Shown(drawing) = spec;
    view! {
        <header class="figure-head">
            <h2 id=name>{move || drawing.with(|s| s.title().to_owned())}</h2>
            <button
                type="button"
                class="stamp figure-stamp"
                aria-haspopup="dialog"
                title="Definitions (d)"
                on:click=move |_| state.toggle(Sheet::Definitions)
            >
                {move || drawing.with(|s| s.stamp().to_owned())}
            </button>
        </header>
    }
}

/// What the picture can't show, in words.
#[component]
pub fn Notes(
    /// The chart.
    #[prop(into)]
    spec: Shown,
) -> impl IntoView {
    let Shown(drawing) = spec;
    let notes = move || drawing.with(|s| s.notes().to_vec());
    view! {
        <ul class="figure-notes" hidden=move || notes().is_empty()>
            {move || notes().into_iter().map(|note| view! { <li>{note}</li> }).collect_view()}
        </ul>
    }
}
