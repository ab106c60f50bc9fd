//! A brush over a time axis: dragged with the pointer, moved by keys.

use leptos::html;
use leptos::prelude::*;
use web_sys::{KeyboardEvent, PointerEvent};

/// How near the pointer must come to an edge to take it, in pixels.
const REACH: f64 = 12.0;
/// A drag of fewer pixels is a click, which brushes nothing.
const LEAST: f64 = 4.0;

/// The step of the brush: a power of ten of which the run has at least two hundred.
pub(super) fn grain(length: f64) -> f64 {
    if length > 0.0 { 10f64.powf((length / 200.0).log10().floor()) } else { 0.1 }
}

/// A time on the step, without the digits that rounding would add. The end of the run is the first step
/// that holds all of it.
pub(super) fn settle(time: f64, length: f64) -> f64 {
    let grain = grain(length);
    let inverse = (1.0 / grain).round();
    let steps = time.max(0.0) / grain;
    let most = (length / grain).ceil();
    let steps = if time >= length { most } else { steps.round().min(most) };
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
pub(super) fn Brush(
    /// Seconds of the whole axis.
    length: Memo<f64>,
    /// What is chosen, in seconds.
    span: Memo<Option<(f64, f64)>>,
    /// Where the plot begins and ends, in pixels.
    plot: Memo<Option<(f64, f64)>>,
    /// Takes what is being brushed.
    draft: RwSignal<Option<(f64, f64)>>,
    /// Takes what was brushed when it is let go.
    on_drag: Callback<(f64, f64)>,
    /// Takes what a key made of it.
    on_key: Callback<(f64, f64)>,
) -> impl IntoView {
    let place = NodeRef::<html::Div>::new();
    // The end that stays where it is while the other one follows the pointer, and where that began.
    let anchor = StoredValue::new(None::<(f64, f64)>);
    let whole = move || span.get().unwrap_or((0.0, length.get()));
    let px = move |time: f64| {
        let (left, right) = plot.get()?;
        let length = length.get();
        (length > 0.0).then(|| left + time / length * (right - left))
    };
    let under = move |event: &PointerEvent| {
        let area = place.get_untracked()?.get_bounding_client_rect();
        let (left, right) = plot.get_untracked()?;
        let x = f64::from(event.client_x()) - area.left();
        let length = length.get_untracked();
        Some((x, settle((x - left) / (right - left) * length, length)))
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
        let length = length.get_untracked();
        let (from, to) = untrack(whole);
        let now = if edge == Edge::From { from } else { to };
        let step = grain(length) * if event.shift_key() { 10.0 } else { 1.0 };
        let time = match event.key().as_str() {
            "ArrowLeft" | "ArrowDown" => now - step,
            "ArrowRight" | "ArrowUp" => now + step,
            "PageDown" => now - grain(length) * 10.0,
            "PageUp" => now + grain(length) * 10.0,
            "Home" => 0.0,
            "End" => length,
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        let time = settle(time, length);
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
    let handle = move |edge: Edge, words: &'static str| {
        let time = move || if edge == Edge::From { whole().0 } else { whole().1 };
        view! {
            <span
                role="slider"
                class="brush-edge"
                tabindex="0"
                aria-label=words
                aria-valuemin="0"
                aria-valuemax=move || length.get().to_string()
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
            {handle(Edge::From, "Start of the window")}
            {handle(Edge::To, "End of the window")}
        </div>
    }
}
