//! A brush over a time axis: dragged with the pointer, moved by keys.

use leptos::html;
use leptos::prelude::*;
use web_sys::{KeyboardEvent, PointerEvent};

/// How near the pointer must come to an edge to take it, in pixels.
const REACH: f64 = 12.0;
/// A drag of fewer pixels is a click, which brushes nothing.
const LEAST: f64 = 4.0;

/// The step of the brush: a power of ten of which the run has at least two hundred.
pub fn grain(length: f64) -> f64 {
    if length > 0.0 { 10f64.powf((length / 200.0).log10().floor()) } else { 0.1 }
}

/// A time on the step, without the digits that rounding would add, between the ends of a clock. The end of
/// the run is the first step that holds all of it.
pub fn settle(time: f64, (begin, end): (f64, f64)) -> f64 {
    let grain = grain(end - begin);
    let inverse = (1.0 / grain).round();
    let (least, most) = ((begin / grain).floor(), (end / grain).ceil());
    let steps = if time >= end { most } else { (time / grain).round().min(most).max(least) };
    if grain < 1.0 { steps / inverse } else { steps * grain }
}

/// One of the two edges.
#[derive(Clone, Copy, PartialEq)]
enum Edge {
    From,
    To,
}

/// The brush. It lies over the pictures whose plot it knows.
#[component]
pub fn Brush(
    /// Seconds at both ends of the axis.
    #[prop(into)]
    clock: Signal<(f64, f64)>,
    /// What is chosen, in seconds.
    #[prop(into)]
    span: Signal<Option<(f64, f64)>>,
    /// Where the plot begins and ends, in pixels.
    #[prop(into)]
    plot: Signal<Option<(f64, f64)>>,
    /// Takes what is being brushed.
    draft: RwSignal<Option<(f64, f64)>>,
    /// Takes what was brushed when it is let go.
    on_drag: Callback<(f64, f64)>,
    /// Takes what a key made of it.
    on_key: Callback<(f64, f64)>,
    /// What its ends are the start and the end of.
    #[prop(default = "window")]
    of: &'static str,
) -> impl IntoView {
    let place = NodeRef::<html::Div>::new();
    // The end that stays where it is while the other one follows the pointer, and where that began.
    let anchor = StoredValue::new(None::<(f64, f64)>);
    let whole = move || span.get().unwrap_or_else(|| clock.get());
    let px = move |time: f64| {
        let (left, right) = plot.get()?;
        let (begin, end) = clock.get();
        (end > begin).then(|| left + (time - begin) / (end - begin) * (right - left))
    };
    let under = move |event: &PointerEvent| {
        let area = place.get_untracked()?.get_bounding_client_rect();
        let (left, right) = plot.get_untracked()?;
        let x = f64::from(event.client_x()) - area.left();
        let (begin, end) = clock.get_untracked();
        let time = begin + (x - left) / (right - left) * (end - begin);
        Some((x, settle(time, (begin, end))))
    };
    let on_down = move |event: PointerEvent| {
        if event.button() != 0 {
            return;
        }
        let Some((x, time)) = under(&event) else { return };
        let near = |time: f64| untrack(|| px(time)).is_some_and(|edge| (edge - x).abs() <= REACH);
        let (from, to) = untrack(whole);
        // An edge that is taken leaves the other one as anchor.
        let fixed = match span.get_untracked() {
            Some(_) if near(from) => to,
            Some(_) if near(to) => from,
            _ => time,
        };
        anchor.set_value(Some((fixed, x)));
        if let Some(place) = place.get_untracked() {
            // Without capture the drag ends at the edge of the brush, which is no trouble.
            let _ = place.set_pointer_capture(event.pointer_id());
        }
    };
    let on_move = move |event: PointerEvent| {
        let Some((fixed, began)) = anchor.get_value() else { return };
        let Some((x, time)) = under(&event) else { return };
        if draft.get_untracked().is_none() && (x - began).abs() < LEAST {
            return;
        }
        if (time - fixed).abs() > 0.0 {
            draft.set(Some((time.min(fixed), time.max(fixed))));
        }
    };
    let on_up = move |_: PointerEvent| {
        anchor.set_value(None);
        if let Some(ends) = draft.get_untracked() {
            on_drag.run(ends);
        }
    };
    let cancel = move |_: PointerEvent| {
        anchor.set_value(None);
        draft.set(None);
    };
    let on_key = move |event: KeyboardEvent, edge: Edge| {
        let (begin, end) = clock.get_untracked();
        let length = end - begin;
        let (from, to) = untrack(whole);
        let now = if edge == Edge::From { from } else { to };
        let step = grain(length) * if event.shift_key() { 10.0 } else { 1.0 };
        let time = match event.key().as_str() {
            "ArrowLeft" | "ArrowDown" => now - step,
            "ArrowRight" | "ArrowUp" => now + step,
            "PageDown" => now - grain(length) * 10.0,
            "PageUp" => now + grain(length) * 10.0,
            "Home" => begin,
            "End" => end,
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        let time = settle(time, (begin, end));
        let ends = if edge == Edge::From { (time, to) } else { (from, time) };
        if ends.0 < ends.1 {
            on_key.run(ends);
        }
    };
    let at = move |time: f64| px(time).map_or_else(|| "0".to_owned(), |px| format!("{px:.1}px"));
    let wide = move || {
        let (from, to) = whole();
        let px = px(to).zip(px(from)).map_or(0.0, |(to, from)| (to - from).max(0.0));
        format!("{px:.1}px")
    };
    let handle = move |edge: Edge, words: String| {
        let time = move || if edge == Edge::From { whole().0 } else { whole().1 };
        view! {
            <span
                role="slider"
                class="brush-edge"
                tabindex="0"
                aria-label=words
                aria-valuemin=move || clock.get().0.to_string()
                aria-valuemax=move || clock.get().1.to_string()
                aria-valuenow=move || time().to_string()
                aria-valuetext=move || format!("{:.2} s", time())
                style:left=move || at(time())
                on:keydown=move |event| on_key(event, edge)
            ></span>
        }
    };
    view! {
        <div
            class="brush"
            class:brush-whole=move || span.get().is_none()
            node_ref=place
            on:pointerdown=on_down
            on:pointermove=on_move
            on:pointerup=on_up
            on:pointercancel=cancel
        >
            <span class="brush-span" style:left=move || at(whole().0) style:width=wide></span>
            {handle(Edge::From, format!("Start of the {of}"))}
            {handle(Edge::To, format!("End of the {of}"))}
        </div>
    }
}
