//! The limits of the SLO: which requests count as good.

use super::further_limits::FurtherLimits;
use super::limit_sets::{LimitSets, ShareField};
use super::limits_editor::{Typed, settle, typed};
use super::sheet::SheetFrame;
use super::slo_written_out::SloWrittenOut;
use crate::model::{Limit, LimitMetric};
use crate::ui::state::use_state;
use crate::views::slo::limit_name;
use leptos::html;
use leptos::prelude::*;
use web_sys::HtmlInputElement;

const LIMITS: [(LimitMetric, &str, &str); 3] = [
    (LimitMetric::Ttft, "limit-ttft", "from the send to the first token"),
    (LimitMetric::Tpot, "limit-tpot", "per output token, under the TPOT of the ruler"),
    (LimitMetric::E2e, "limit-e2e", "from the send to the end of the reply"),
];

/// Whether a limit has a field of its own: one bound for all requests, on a metric with one value each.
pub(super) fn has_field(limit: &Limit) -> bool {
    LIMITS.iter().any(|(metric, ..)| limit.place() == (*metric, None))
}

/// The sheet with one field a limit.
#[component]
pub fn LimitsSheet() -> impl IntoView {
    let state = use_state();
    let field = move |(metric, key, hint): (LimitMetric, &'static str, &'static str)| {
        let limit = move || {
            let limits = state.context.get().limits;
            limits.iter().find(|l| l.place() == (metric, None)).map(|l| l.millis)
        };
        let place = NodeRef::<html::Input>::new();
        Effect::new(move |_| {
            if let Some(place) = place.get() {
                settle(&place, limit());
            }
        });
        let set = move |field: &HtmlInputElement| {
            let Typed::Limit(millis) = typed(field) else { return };
            let said = match millis {
                Some(millis) => format!("{} limit is now {millis} ms", limit_name(metric)),
                None => format!("{} limit taken away", limit_name(metric)),
            };
            state.nudge(said, key, |context| {
                context.limits.retain(|l| l.place() != (metric, None));
                context.limits.extend(millis.map(|millis| Limit::at_most(metric, millis)));
                context.limits.sort_by_key(Limit::place);
            });
        };
        view! {
            <div class="field">
                <label for=key>{limit_name(metric)} " at most"</label>
                <span class="field-unit">
                    <input
                        id=key
                        type="number"
                        min="0"
                        step="any"
                        inputmode="decimal"
                        placeholder="no limit"
                        aria-describedby=format!("{key}-hint")
                        node_ref=place
                        on:input:target=move |event| set(&event.target())
                        on:blur:target=move |event| settle(&event.target(), untrack(limit))
                    />
                    "ms"
                </span>
                <small id=format!("{key}-hint")>{hint}</small>
            </div>
        }
    };
    let clear = move |_| state.edit("All limits taken away", |context| context.limits.clear());
    view! {
        <SheetFrame title="Limits">
            <p class="lead">
                "A request is good when it keeps every limit set here (at most, so equal is good). Goodput is good requests per second; requests in SLO is their share."
            </p>
            <LimitSets/>
            {LIMITS.map(field).collect_view()}
            <ShareField/>
            <FurtherLimits/>
            <SloWrittenOut/>
            <button
                type="button"
                class="button"
                disabled=move || state.context.with(|c| c.limits.is_empty())
                on:click=clear
            >
                "Take all limits away"
            </button>
        </SheetFrame>
    }
}
