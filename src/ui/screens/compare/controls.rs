//! Statistic, ruler, and what to do with the table.

use super::Shown;
use super::finding::copy;
use crate::link::Sheet;
use crate::model::Stat;
use crate::ui::parts::segmented::Segmented;
use crate::ui::state::use_state;
use crate::views::Ruler;
use crate::views::changes::equal;
use crate::views::compare::CompareView;
use leptos::prelude::*;
use std::sync::Arc;

const STATS: [(Stat, &str); 5] = [
    (Stat::Mean, "Mean"),
    (Stat::Median, "p50"),
    (Stat::Percentile(90.0), "p90"),
    (Stat::Percentile(95.0), "p95"),
    (Stat::Percentile(99.0), "p99"),
];

/// The row of controls above the table.
#[component]
pub(super) fn Controls(view: Arc<CompareView>, shown: Shown) -> impl IntoView {
    let state = use_state();
    let stat = Signal::derive(move || Some(state.context.with(|c| c.stat)));
    let own = Signal::derive(move || Some(state.context.with(|c| c.ruler == Ruler::Own)));
    let choose_stat = move |stat: Stat| {
        let words = STATS
            .iter()
            .find(|(s, _)| *s == stat)
            .map_or_else(|| stat.name(), |(_, w)| (*w).into());
        state.edit(format!("Statistic is now {words}"), |context| context.stat = stat);
    };
    let choose_ruler = move |own: bool| {
        let (said, ruler) = if own {
            ("Each run is now in its own tool’s words", Ruler::Own)
        } else {
            ("All runs are now on one ruler", Ruler::default())
        };
        state.edit(said, |context| context.ruler = ruler);
    };
    let hidden = view.groups.iter().flat_map(|group| &group.rows).filter(|row| equal(row)).count();
    let markdown = view.markdown.clone();
    let offered = STATS.map(|(stat, words)| (stat, words.to_owned())).to_vec();
    let rulers = vec![(false, "Same ruler".to_owned()), (true, "Each in its own words".to_owned())];
    view! {
        <div class="controls" role="group" aria-label="Table">
            <Segmented
                label="Statistic"
                labelled=true
                options=offered
                chosen=stat
                on_choose=Callback::new(choose_stat)
            />
            <Segmented
                label="Ruler"
                options=rulers
                chosen=own
                on_choose=Callback::new(choose_ruler)
            />
            <span class="controls-gap"></span>
            <button
                type="button"
                class="button"
                aria-pressed=move || shown.hide_equal.get().to_string()
                disabled=move || hidden == 0 && !shown.hide_equal.get()
                title="Hides rows in which no run clearly differs from the baseline"
                on:click=move |_| shown.hide_equal.update(|hide| *hide = !*hide)
            >
                {move || match (shown.hide_equal.get(), hidden) {
                    (true, n) => format!("{n} equal hidden"),
                    (false, _) => "Hide equal".to_owned(),
                }}
            </button>
            <button
                type="button"
                class="button"
                title="Finds the definitions that give a number somebody saw (n)"
                on:click=move |_| state.toggle(Sheet::Number)
            >
                "Find a number"
            </button>
            <button
                type="button"
                class="button"
                title="Copies the table as Markdown"
                on:click=move |_| copy(markdown.clone(), "The table, as Markdown,")
            >
                "Copy table"
            </button>
        </div>
    }
}
