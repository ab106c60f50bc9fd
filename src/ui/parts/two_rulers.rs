//! One real reply under two rulers: a tick a chunk above, a tick a token below.

use crate::ui::told::{GAPS, SGLANG_ITL, TOKENS, VLLM_ITL};
use crate::units::fixed;
use leptos::prelude::*;

const WIDTH: f64 = 520.0;
const MARGIN: f64 = 20.0;
const UPPER: f64 = 22.0;
const LOWER: f64 = 144.0;
const BODY: f64 = 34.0;
/// The gap that is pointed out: from the seventh chunk to the eighth.
const SHOWN: usize = 6;

fn chunks() -> Vec<f64> {
    let mut at = 0.0;
    let ends = GAPS.iter().map(|gap| {
        at += gap;
        at
    });
    std::iter::once(0.0).chain(ends).collect()
}

/// The picture of the first page.
#[component]
pub fn TwoRulers() -> impl IntoView {
    let times = chunks();
    let total: f64 = GAPS.iter().sum();
    let x = move |millis: f64| MARGIN + millis / total * (WIDTH - 2.0 * MARGIN + 4.0);
    let tokens: u32 = TOKENS.iter().sum();
    let words = format!(
        "One reply under two rulers: {} chunks, {tokens} tokens, {} ms. Scripted server.",
        TOKENS.len(),
        fixed(total, 0),
    );
    let spoken = format!(
        "{words} With one tick a chunk vLLM prints a median ITL of {} ms; with one tick a token SGLang prints {} ms.",
        fixed(VLLM_ITL, 1),
        fixed(SGLANG_ITL, 1),
    );
    let threads = times
        .iter()
        .map(|&t| view! { <line class="thread" x1=x(t) x2=x(t) y1=UPPER + BODY y2=LOWER/> })
        .collect_view();
    let upper = times
        .iter()
        .map(|&t| view! { <line class="chunk-tick" x1=x(t) x2=x(t) y1=UPPER + 20.0 y2=UPPER + BODY/> })
        .collect_view();
    let stacks = times
        .iter()
        .zip(TOKENS)
        .flat_map(|(&t, count)| {
            let middle = f64::midpoint(UPPER + BODY, LOWER);
            (0..count).map(move |i| {
                let y = middle + (f64::from(i) - f64::from(count - 1) / 2.0) * 12.0 - 4.5;
                view! { <rect class="token" x=x(t) - 6.0 y=y width="12" height="9" rx="2"/> }
            })
        })
        .collect_view();
    let lower = times
        .iter()
        .enumerate()
        .flat_map(|(i, &t)| {
            let before = i.checked_sub(1).and_then(|b| GAPS.get(b)).copied().unwrap_or_default();
            let count = TOKENS.get(i).copied().unwrap_or(1);
            // A chunk of n tokens ends n equal shares of the gap before it; the last is the chunk's own tick.
            (0..count).map(move |k| {
                let share = f64::from(k) / f64::from(count);
                let length = if k == 0 { 14.0 } else { 8.0 };
                let at = x(t - before * share);
                view! { <line class="token-tick" x1=at x2=at y1=LOWER y2=LOWER + length/> }
            })
        })
        .collect_view();
    let gap = GAPS.get(SHOWN).copied().unwrap_or_default();
    let start = times.get(SHOWN).copied().unwrap_or_default();
    let count = TOKENS.get(SHOWN + 1).copied().unwrap_or(1);
    let middle = x(start + gap / 2.0);
    let shares = format!("{count} × {}", fixed(gap / f64::from(count), 1));
    view! {
        <figure>
        <svg class="two-rulers" viewBox="0 0 520 202" role="img" aria-label=spoken>
            <rect class="body" x="0.5" y=UPPER width="519" height=BODY rx="3"/>
            <rect class="body" x="0.5" y=LOWER width="519" height=BODY rx="3"/>
            <rect class="gap" x=x(start) y=UPPER + 0.5 width=x(gap) - MARGIN height=LOWER + BODY - UPPER - 1.0/>
            {threads}
            {upper}
            {stacks}
            {lower}
            <text class="accent" x=middle y=UPPER + 14.0 text-anchor="middle">{format!("{} ms", fixed(gap, 1))}</text>
            <text class="accent" x=middle y=LOWER + 29.0 text-anchor="middle">{shares}</text>
            <text class="strong" x="0" y="12">"One tick a chunk"</text>
            <text x="520" y="12" text-anchor="end">
                "vLLM prints ITL "<tspan class="strong">{fixed(VLLM_ITL, 1)} " ms"</tspan>
            </text>
            <text class="strong" x="0" y="196">"One tick a token"</text>
            <text x="520" y="196" text-anchor="end">
                "SGLang prints ITL "<tspan class="strong">{fixed(SGLANG_ITL, 1)} " ms"</tspan>
            </text>
        </svg>
        <figcaption aria-hidden="true">{words}</figcaption>
        </figure>
    }
}
