//! The server’s buckets, one row a measure, on one axis.

use super::View;
use crate::ui::parts::chart::{Chart, ChartLinks};
use crate::ui::parts::marker::Marker;
use crate::ui::parts::unique::unique;
use crate::views::server::HistogramRow;
use leptos::prelude::*;

/// Shows a chart’s table in place of the picture.
#[component]
pub(super) fn TableButton(
    /// The chart’s title.
    title: String,
    /// What the chart shares.
    links: ChartLinks,
) -> impl IntoView {
    view! {
        <button
            type="button"
            class="quiet export-small"
            aria-label=format!("Table of “{title}”")
            aria-pressed=move || links.table.get().to_string()
            on:click=move |_| links.table.update(|t| *t = !*t)
        >
            "Table"
        </button>
    }
}

/// All histograms.
#[component]
pub(super) fn Buckets(view: View) -> impl IntoView {
    let rows = Memo::new(move |_| {
        view.with(|v| v.as_ref().map(|v| v.histograms.clone()).unwrap_or_default())
    });
    let client =
        Memo::new(move |_| rows.with(|rows| rows.iter().any(|row| row.spec.series.len() > 1)));
    view! {
        <Show when=move || rows.with(|rows| !rows.is_empty())>
            <section class="buckets" aria-labelledby="buckets-title">
                <header class="buckets-head">
                    <h2 id="buckets-title">"What the buckets can and cannot say"</h2>
                    <p class="caption">"Height: share of the observations in the bucket. Dotted: the mean."</p>
                    <ul class="buckets-legend">
                        <li><Marker style=0/> "server"</li>
                        <Show when=move || client.get()>
                            <li><Marker style=1/> "client, same edges"</li>
                        </Show>
                    </ul>
                </header>
                <div class="bucket-heads" aria-hidden="true">
                    <span></span>
                    <span></span>
                    <span>"mean, exact"</span>
                    <span>"quantile lies in"</span>
                </div>
                {move || rows.get().into_iter().map(|row| view! { <Row row/> }).collect_view()}
            </section>
        </Show>
    }
}

/// One histogram: name, picture, mean, what is certain of its quantiles.
#[component]
fn Row(row: HistogramRow) -> impl IntoView {
    let HistogramRow { name, series, counted, mean, quantiles, refuted, spec } = row;
    let id = unique("chart");
    let figure = id.clone();
    let links = ChartLinks::alone();
    let quantiles = quantiles
        .into_iter()
        .map(|(name, lies)| view! { <div><dt>{name}</dt><dd>{lies}</dd></div> })
        .collect_view();
    view! {
        <figure class="bucket-row figure" aria-labelledby=figure>
            <div class="bucket-name">
                <h3 id=id.clone()>{name.clone()}</h3>
                <p class="mono" title=series.clone()>{series.clone()}</p>
                <p>{counted}</p>
                <TableButton title=name links/>
            </div>
            <Chart spec=Signal::stored(spec) links=links named_by=id tip_when_pinned=true/>
            <p class="bucket-mean"><span class="bucket-word">"mean "</span>{mean}</p>
            <dl class="bucket-quantiles">{quantiles}</dl>
            {refuted.map(|said| view! { <p class="bucket-refuted">{said}</p> })}
        </figure>
    }
}
