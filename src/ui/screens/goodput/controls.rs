//! Which sweep, requests or tokens, out of which requests, and on how many GPUs.

use super::{View, part};
use crate::link::Screen;
use crate::ui::parts::gpus::Gpus;
use crate::ui::parts::segmented::Segmented;
use crate::ui::parts::select::Select;
use crate::ui::state::use_state;
use crate::views::goodput::{Counted, OutOf};
use crate::views::limit_sets::{MISSING_VALUES, missing_value, with_missing};
use leptos::prelude::*;

/// So many sweeps stand side by side, of names up to so many letters in all.
const SIDE_BY_SIDE: usize = 3;
const LETTERS: usize = 48;

/// The title with the row of controls.
#[component]
pub(super) fn Controls(view: View) -> impl IntoView {
    let state = use_state();
    let sweeps = part(view, |v| v.sweeps.clone());
    let shown = part(view, |v| v.shown);
    let show = move |at: usize| {
        if let Some(sweep) = sweeps.with_untracked(|sweeps| sweeps.get(at).cloned()) {
            state.goodput.update(|ask| ask.run = Some(sweep.run));
        }
    };
    let which = move || {
        let sweeps = sweeps.get();
        let named = || sweeps.iter().map(|sweep| sweep.name.clone());
        if sweeps.len() < 2 {
            ().into_any()
        } else if sweeps.len() <= SIDE_BY_SIDE
            && named().map(|name| name.chars().count()).sum::<usize>() <= LETTERS
        {
            let options = sweeps.iter().enumerate();
            let options: Vec<((usize, usize), String)> =
                options.map(|(at, sweep)| ((at, sweep.style), sweep.name.clone())).collect();
            let styles: Vec<usize> = sweeps.iter().map(|sweep| sweep.style).collect();
            let chosen = Signal::derive(move || {
                let at = shown.get()?;
                Some((at, styles.get(at).copied()?))
            });
            view! {
                <Segmented
                    label="Sweep"
                    options
                    chosen
                    marked=|(_, style)| *style
                    on_choose=Callback::new(move |(at, _)| show(at))
                />
            }
            .into_any()
        } else {
            let chosen = Signal::derive(move || shown.get().unwrap_or_default());
            let options: Signal<Vec<String>> = Signal::stored(named().collect());
            view! { <Select short="" label="Sweep" options chosen on_choose=Callback::new(show) /> }
                .into_any()
        }
    };
    let counted = Signal::derive(move || Some(state.goodput.with(|ask| ask.counted)));
    let counts = Counted::ALL.map(|counted| {
        let words = match counted {
            Counted::Requests => "Requests",
            Counted::Tokens => "Tokens",
        };
        (counted, words.to_owned())
    });
    let out_of = Signal::derive(move || {
        let now = state.goodput.with(|ask| ask.out_of);
        OutOf::ALL.iter().position(|out_of| *out_of == now).unwrap_or_default()
    });
    let outs: Vec<String> = OutOf::ALL
        .map(|out_of| match out_of {
            OutOf::Sent => "all sent".to_owned(),
            OutOf::Finished => "finished".to_owned(),
        })
        .into();
    let choose_out_of = move |at: usize| {
        if let Some(out_of) = OutOf::ALL.get(at).copied() {
            state.goodput.update(|ask| ask.out_of = out_of);
        }
    };
    let missing = Memo::new(move |_| state.context.with(|context| missing_value(&context.ruler)));
    let missing_words: Vec<String> =
        MISSING_VALUES.iter().map(|(_, words)| (*words).to_owned()).collect();
    let choose_missing = move |at: usize| {
        let Some((choice, words)) = MISSING_VALUES.get(at).copied() else { return };
        let ruler = state.context.with_untracked(|context| with_missing(&context.ruler, choice));
        if let Some(ruler) = ruler {
            let said = format!("A request without a limited metric {words}");
            state.edit(said, |context| context.ruler = ruler);
        }
    };
    let gpus = part(view, |v| v.gpus.clone());
    let filed = Signal::derive(move || gpus.with(|served| served.filed));
    let said = Signal::derive(move || gpus.with(|served| served.said));
    let counted_gpus = move || filed.get().or(said.get()).is_some();
    let name = Signal::derive(move || {
        let at = shown.get().unwrap_or_default();
        sweeps.with(|sweeps| sweeps.get(at).map(|sweep| sweep.name.clone())).unwrap_or_default()
    });
    let say = move |count: Option<u32>| {
        let runs = gpus.with_untracked(|served| served.runs.clone());
        state.say_gpus(&name.get_untracked(), runs.iter(), count);
    };
    let to_compare = part(view, |v| v.to_compare.clone());
    let compare = move || {
        to_compare.get().map(|(words, runs)| {
            // As short as the row needs; the whole of it to who asks.
            let several = sweeps.with(|sweeps| sweeps.len() > 1);
            let short = if several { "Compare the peaks" } else { "Compare the peak" };
            let act = move |_| {
                state.select_only(runs.clone(), "The loads at the goodput peak selected");
                state.go(Screen::Compare);
            };
            view! {
                <button type="button" class="button" title=words.clone() aria-label=words on:click=act>
                    {short}
                </button>
            }
        })
    };
    view! {
        <header class="controls curves-controls">
            <h1>"Goodput"</h1>
            {which}
            <Segmented
                label="What is counted"
                options=counts.to_vec()
                chosen=counted
                on_choose=Callback::new(move |counted| state.goodput.update(|ask| ask.counted = counted))
            />
            <Select
                short="of"
                label="Out of which requests shares are"
                options=outs
                chosen=out_of
                on_choose=Callback::new(choose_out_of)
            />
            <Show when=move || missing.get().is_some()>
                <Select
                    short="missing"
                    label="What a limit does to a request that lacks the metric"
                    options=missing_words.clone()
                    chosen=Signal::derive(move || missing.get().unwrap_or_default())
                    on_choose=Callback::new(choose_missing)
                />
            </Show>
            <span class="goodput-end">
            <Show when=move || !gpus.with(|served| served.runs.is_empty())>
                <span class="goodput-gpus" role="group" aria-label="GPUs">
                    <Gpus name filed said on_say=Callback::new(say) />
                    <button
                        type="button"
                        class="button"
                        title="Rates ÷ the GPUs that served, where their count is known"
                        disabled=move || !counted_gpus()
                        aria-pressed=move || state.goodput.with(|ask| ask.per_gpu).to_string()
                        on:click=move |_| state.goodput.update(|ask| ask.per_gpu = !ask.per_gpu)
                    >
                        "Per GPU"
                    </button>
                </span>
            </Show>
            {compare}
            </span>
        </header>
    }
}
