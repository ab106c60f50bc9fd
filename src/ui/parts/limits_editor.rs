//! The limits of the SLO: a field and a slider each, felt at once on every screen.

use super::limits_sheet::has_field;
use crate::link::Sheet;
use crate::model::{Length, Limit, LimitMetric};
use crate::ui::state::{State, use_state};
use crate::views::goodput::LimitRow;
use crate::views::slo::limits_in_words;
use leptos::html;
use leptos::prelude::*;
use web_sys::{HtmlInputElement, KeyboardEvent};

/// A limit that can be set: its metric, name, and the ends of its slider in milliseconds.
struct Dial {
    metric: LimitMetric,
    name: &'static str,
    long: &'static str,
    short: &'static str,
    key: &'static str,
    low: f64,
    high: f64,
    start: f64,
}

const DIALS: [Dial; 3] = [
    Dial {
        metric: LimitMetric::Ttft,
        name: "TTFT",
        long: "time to first token",
        short: "first token",
        key: "limit-ttft",
        low: 10.0,
        high: 10_000.0,
        start: 250.0,
    },
    Dial {
        metric: LimitMetric::Tpot,
        name: "TPOT",
        long: "time per output token",
        short: "per token",
        key: "limit-tpot",
        low: 1.0,
        high: 200.0,
        start: 50.0,
    },
    Dial {
        metric: LimitMetric::E2e,
        name: "E2E",
        long: "end-to-end latency",
        short: "whole reply",
        key: "limit-e2e",
        low: 100.0,
        high: 60_000.0,
        start: 5_000.0,
    },
];

/// Steps of a slider from end to end.
const STEPS: f64 = 300.0;

impl Dial {
    /// Which of the limits it sets.
    const fn place(&self) -> (LimitMetric, Option<Length>) {
        (self.metric, None)
    }

    /// Where a limit stands on the slider, whose steps are equal ratios.
    fn step_of(&self, millis: f64) -> f64 {
        let share = (millis / self.low).ln() / (self.high / self.low).ln();
        (share.clamp(0.0, 1.0) * STEPS).round()
    }

    /// The limit at a step, rounded to what a person would type.
    fn millis_at(&self, step: f64) -> f64 {
        let millis = self.low * (self.high / self.low).powf(step / STEPS);
        let digit = 10_f64.powf(millis.log10().floor() - 1.0);
        (millis / digit).round() * digit
    }
}

/// A limit moved by a share of itself, 1 % or 10 %, to three digits; never to nothing.
fn nudged(millis: f64, share: f64) -> f64 {
    let unit = 10_f64.powf(millis.log10().floor() - 2.0);
    let step = (millis * share / unit).round();
    // Of a small share at least one unit, or nothing would move.
    let step = if step == 0.0 { share.signum() } else { step };
    let next = ((millis / unit).round() + step) * unit;
    // Whole units of a power of ten carry no more than four decimals.
    let next = (next * 1e4).round() / 1e4;
    if next > 0.0 { next } else { millis }
}

/// Sets or clears one limit; the steps of one slider are one undo.
fn set(state: State, dial: &'static Dial, millis: Option<f64>) {
    let said = match millis {
        Some(millis) => format!("{} limit set to {millis} ms", dial.name),
        None => format!("{} limit cleared", dial.name),
    };
    state.nudge(said, dial.key, |context| {
        context.limits.retain(|limit| limit.place() != dial.place());
        context.limits.extend(millis.map(|millis| Limit::at_most(dial.metric, millis)));
        context.limits.sort_by_key(Limit::place);
    });
}

/// What stands in a limit's field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Typed {
    /// A limit, or none where the field was emptied.
    Limit(Option<f64>),
    /// Neither, as "-5" or "1e" are.
    Unfinished,
}

/// Reads a limit's field.
pub fn typed(field: &HtmlInputElement) -> Typed {
    let text = field.value();
    // A number field with half a number in it has no value either, and is not empty.
    if field.matches(":invalid").unwrap_or(false) {
        return Typed::Unfinished;
    }
    match text.trim().parse::<f64>() {
        _ if text.trim().is_empty() => Typed::Limit(None),
        Ok(millis) if millis.is_finite() && millis > 0.0 => Typed::Limit(Some(millis)),
        _ => Typed::Unfinished,
    }
}

/// Puts the limit in force into its field, unless that says it already in other digits: who types
/// "1.50" or "1e3" is left alone.
pub fn settle(field: &HtmlInputElement, limit: Option<f64>) {
    if typed(field) != Typed::Limit(limit) {
        field.set_value(&limit.map(|millis| millis.to_string()).unwrap_or_default());
    }
}

/// Edits all limits.
#[component]
pub fn LimitsEditor(
    /// What is known of each limit by itself, to be told under it; with it the limits stand one under
    /// another.
    #[prop(optional)]
    rows: Option<Signal<Vec<LimitRow>>>,
) -> impl IntoView {
    let known = move |place: (LimitMetric, Option<Length>)| {
        Signal::derive(move || {
            rows?.with(|rows| rows.iter().find(|row| row.of.place() == place).cloned())
        })
    };
    let further = move || {
        let all = rows.map(|rows| rows.get()).unwrap_or_default();
        let others = all.into_iter().filter(|row| !has_field(&row.of));
        others
            .map(|row| {
                let (words, place) = (row.limit, row.of.place());
                view! {
                    <div class="limit">
                        <span class="limit-name">{words}</span>
                        <Met row=known(place) />
                    </div>
                }
            })
            .collect_view()
    };
    view! {
        <div class="limits" class:limits-rows=rows.is_some() role="group" aria-label="SLO limits">
            <span class="limits-name" title="A request is good when it stays at or under every limit">
                "SLO"
            </span>
            {DIALS.iter().map(|dial| view! { <Dialled dial=dial row=known(dial.place()) /> }).collect_view()}
            {further}
            <Further/>
        </div>
    }
}

/// How many requests meet a limit, and whether it is the one that fewest do.
#[component]
fn Met(row: Signal<Option<LimitRow>>) -> impl IntoView {
    move || {
        row.get().map(|row| {
            view! {
                <p class="limit-met" title=row.because>
                    <span>{row.met}</span>
                    {row.binds.then(|| view! { <b>"binds"</b> })}
                </p>
            }
        })
    }
}

/// The limits that have no dial, and the way to add one.
#[component]
fn Further() -> impl IntoView {
    let state = use_state();
    let further = move || {
        let limits = state.context.get().limits;
        let others: Vec<Limit> = limits.into_iter().filter(|limit| !has_field(limit)).collect();
        if others.is_empty() { "Add limit".to_owned() } else { limits_in_words(&others) }
    };
    view! {
        <button type="button" class="link limits-further" on:click=move |_| state.toggle(Sheet::Limits)>
            {further}
        </button>
    }
}

#[component]
fn Dialled(dial: &'static Dial, row: Signal<Option<LimitRow>>) -> impl IntoView {
    let state = use_state();
    let limit = Memo::new(move |_| {
        state.context.with(|context| {
            let own = |limit: &&Limit| limit.place() == dial.place();
            context.limits.iter().find(own).map(|limit| limit.millis)
        })
    });
    let step = move || dial.step_of(limit.get().unwrap_or(dial.high)).to_string();
    let field = NodeRef::<html::Input>::new();
    Effect::new(move |_| {
        if let Some(field) = field.get() {
            settle(&field, limit.get());
        }
    });
    let said = move || match limit.get() {
        Some(millis) => format!("{millis} ms"),
        None => "no limit".to_owned(),
    };
    let on_arrow = move |event: KeyboardEvent| {
        let up = match event.key().as_str() {
            "ArrowUp" => 1.0,
            "ArrowDown" => -1.0,
            _ => return,
        };
        event.prevent_default();
        let share = up * if event.shift_key() { 0.1 } else { 0.01 };
        let next = limit.get_untracked().map_or(dial.start, |now| nudged(now, share));
        set(state, dial, Some(next));
    };
    view! {
        <div class="limit" class:unset=move || limit.get().is_none()>
            <span class="limit-name">{dial.name} <small>{dial.short}</small> " ≤"</span>
            <input
                class="limit-slider"
                type="range"
                min="0"
                max=STEPS.to_string()
                aria-label=format!("{} limit slider: {}", dial.name, dial.long)
                aria-valuetext=said
                prop:value=step
                on:keydown=on_arrow
                on:input:target=move |event| {
                    if let Ok(step) = event.target().value().parse() {
                        set(state, dial, Some(dial.millis_at(step)));
                    }
                }
            />
            <input
                class="limit-field num"
                type="number"
                min="0"
                step="any"
                inputmode="decimal"
                placeholder="none"
                aria-label=format!("{} limit in milliseconds", dial.name)
                node_ref=field
                on:keydown=on_arrow
                on:input:target=move |event| {
                    if let Typed::Limit(millis) = typed(&event.target()) {
                        set(state, dial, millis);
                    }
                }
                on:blur:target=move |event| settle(&event.target(), limit.get_untracked())
            />
            <span class="limit-unit">"ms"</span>
            <button
                type="button"
                class="quiet limit-clear"
                aria-label=format!("Clear the {} limit", dial.name)
                disabled=move || limit.get().is_none()
                on:click=move |_| set(state, dial, None)
            >
                "✕"
            </button>
            <Met row=row />
        </div>
    }
}
