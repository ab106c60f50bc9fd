//! The limits with what keeps them at the peak: ready-made sets, a row a limit, all together.

use super::{View, part};
use crate::ui::parts::limits_editor::LimitsEditor;
use crate::ui::parts::segmented::Segmented;
use crate::ui::parts::slo_written_out::copy_slo;
use crate::ui::state::use_state;
use crate::views::limit_sets::LIMIT_SETS;
use crate::views::slo::limits_in_words;
use leptos::prelude::*;

/// The panel of limits.
#[component]
pub(super) fn Limits(view: View) -> impl IntoView {
    let state = use_state();
    let rows = part(view, |v| v.limits.clone());
    let together = part(view, |v| v.together.clone());
    // The sets by their first word, and what is none of them.
    let sets = LIMIT_SETS.iter().enumerate().map(|(at, set)| {
        let word = set.name.split(' ').next().unwrap_or(set.name);
        (Some(at), word.to_owned())
    });
    let options: Vec<(Option<usize>, String)> = sets.chain([(None, "Own".to_owned())]).collect();
    let chosen = Signal::derive(move || {
        let own = |limits: &[_]| LIMIT_SETS.iter().position(|set| set.limits() == limits);
        Some(state.context.with(|context| own(&context.limits)))
    });
    let choose = move |at: Option<usize>| {
        if let Some(set) = at.and_then(|at| LIMIT_SETS.get(at)) {
            let said = format!("Limits of {} set: {}", set.name, limits_in_words(&set.limits()));
            state.edit(said, |context| context.limits = set.limits());
        }
    };
    let all = move || {
        let mut lines = together.get().into_iter();
        lines.next().map(|first| {
            view! {
                <p class="goodput-all" aria-live="polite">
                    <b>"All limits"</b>
                    <span>
                        {first}
                        {lines.map(|line| view! { <small>{line}</small> }).collect_view()}
                    </span>
                </p>
            }
        })
    };
    view! {
        <section class="goodput-limits" aria-labelledby="goodput-limits-title">
            <header>
                <h2 id="goodput-limits-title">"Limits"</h2>
                <small>"a request must meet all"</small>
            </header>
            <Segmented label="Limits to start from" options chosen on_choose=Callback::new(choose) />
            <LimitsEditor rows=rows.into() />
            {all}
            <button type="button" class="link" on:click=move |_| copy_slo(state)>
                "Copy SLO as text"
            </button>
        </section>
    }
}
