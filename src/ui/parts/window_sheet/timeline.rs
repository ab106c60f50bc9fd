//! The runs over time with the brush over both pictures, and the two typed ends.

use super::{choose, nudge, spelled};
use crate::charts::layout::Layout;
use crate::charts::spec::Axis;
use crate::charts::{Chart as _, Size, Spec};
use crate::ui::parts::brush::{Brush, grain, settle};
use crate::ui::parts::chart::export::ExportMenu;
use crate::ui::parts::chart::picture::{Picture, use_extent};
use crate::ui::parts::chart_table::Lines;
use crate::ui::parts::marker::Marker;
use crate::ui::state::use_state;
use crate::views::curves::Table;
use crate::views::window::{WindowView, short};
use leptos::html;
use leptos::prelude::*;

/// What is drawn under the brush: the chart without the shading, which the brush itself is, and without
/// the name of y, which stands above it.
fn unshaded(spec: &Spec) -> Spec {
    let y = Axis { title: String::new(), ..spec.y.clone() };
    Spec { stretches: Vec::new(), y, ..spec.clone() }
}

/// Both pictures on one clock, the brush, the typed ends.
#[component]
pub(super) fn TimelinePart(
    /// The sheet.
    view: Memo<Option<WindowView>>,
    /// What is brushed and not let go yet.
    draft: RwSignal<Option<(f64, f64)>>,
) -> impl IntoView {
    let state = use_state();
    let flight = Memo::new(move |_| view.with(|v| v.as_ref()?.flight.as_ref().map(unshaded)));
    let output = Memo::new(move |_| view.with(|v| v.as_ref()?.output.as_ref().map(unshaded)));
    let length = Memo::new(move |_| view.with(|v| v.as_ref().map_or(0.0, |v| v.length)));
    let span = Memo::new(move |_| {
        let held = |(from, to): (f64, f64)| (from.max(0.0), to.min(length.get()));
        draft.get().or_else(|| view.with(|v| v.as_ref()?.span)).map(held)
    });
    let runs = Memo::new(move |_| {
        view.with(|v| {
            let runs =
                v.as_ref().map(|v| v.runs.iter().map(|r| (r.style, r.name.clone())).collect());
            runs.unwrap_or_else(Vec::new)
        })
    });
    let table =
        Memo::new(move |_| view.with(|v| v.as_ref().map(|v| v.table.clone()).unwrap_or_default()));
    let shown = move || flight.with(Option::is_some);
    let place = NodeRef::<html::Div>::new();
    let extent = use_extent(place);
    let plot = Memo::new(move |_| {
        let size = extent.with(|e| Size::new(e.width, e.height));
        flight.with(|spec| {
            let plot = Layout::of(spec.as_ref()?, size).plot;
            Some((plot.left, plot.right))
        })
    });
    let commit = Callback::new(move |ends: (f64, f64)| {
        let window = spelled(ends);
        draft.set(None);
        choose(state, "window", &window, format!("Window: now {}", short(&window)));
    });
    let by_key = Callback::new(move |ends: (f64, f64)| nudge(state, &spelled(ends)));
    let legend = move || {
        let runs = runs.get();
        (runs.len() > 1).then(|| {
            let each = runs
                .into_iter()
                .map(|(style, name)| view! { <li><Marker style=style/> {name}</li> });
            view! { <ul class="chart-legend">{each.collect_view()}</ul> }
        })
    };
    let words = move |spec: Memo<Option<Spec>>| {
        move || {
            spec.with(|spec| {
                let spec = spec.as_ref()?;
                let (unit, stamp) = (spec.y.unit.clone(), spec.stamp.clone());
                Some(view! { <b>{spec.title.clone()}</b> <span>{unit} " · " {stamp}</span> })
            })
        }
    };
    let notes =
        move || output.with(|spec| spec.as_ref().map(|s| s.notes.join(" ")).unwrap_or_default());
    let exported = move |spec: Memo<Option<Spec>>, whole: fn(&WindowView) -> Option<Spec>| {
        spec.with(Option::is_some).then(|| {
            let whole =
                Memo::new(move |_| view.with(|v| v.as_ref().and_then(whole)).unwrap_or_default());
            view! { <ExportMenu spec=whole small=true/> }
        })
    };
    view! {
        <figure class="timeline" aria-label="The runs over time" hidden=move || !shown()>
            {legend}
            <div class="timeline-place">
                <figcaption class="timeline-words">
                    {words(flight)} {move || exported(flight, |v| v.flight.clone())}
                </figcaption>
                <div class="chart-place timeline-picture" node_ref=place>
                    <Picture
                        extent=extent
                        scene=move |size, theme| flight.with(|spec| Some(spec.as_ref()?.scene(size, theme)))
                    />
                </div>
                <div class="timeline-words" hidden=move || output.with(Option::is_none)>
                    {words(output)} {move || exported(output, |v| v.output.clone())}
                </div>
                <div class="chart-place timeline-picture" hidden=move || output.with(Option::is_none)>
                    <Picture
                        extent=extent
                        scene=move |size, theme| output.with(|spec| Some(spec.as_ref()?.scene(size, theme)))
                    />
                </div>
                <Brush clock=Signal::derive(move || (0.0, length.get())) span=span plot=plot draft=draft on_drag=commit on_key=by_key/>
            </div>
            <p class="timeline-note">{notes}</p>
            <p class="visually-hidden">
                {move || flight.with(|s| s.as_ref().map(|s| s.summary.clone()))} " "
                {move || output.with(|s| s.as_ref().map(|s| s.summary.clone()))}
            </p>
            <Ends length=length span=span/>
            <AsTable table=table/>
        </figure>
    }
}

fn has_focus(field: &web_sys::HtmlInputElement) -> bool {
    document().active_element().is_some_and(|active| active == ***field)
}

/// The two ends as numbers: what can be dragged can be typed.
#[component]
fn Ends(length: Memo<f64>, span: Memo<Option<(f64, f64)>>) -> impl IntoView {
    let state = use_state();
    let wrong = RwSignal::new(None::<&'static str>);
    let from = NodeRef::<html::Input>::new();
    let to = NodeRef::<html::Input>::new();
    let shown = move |end: fn((f64, f64)) -> f64| {
        move || {
            let places = (-grain(length.get()).log10()).round().max(1.0) as usize;
            span.get().map_or_else(String::new, |span| {
                let text = format!("{:.places$}", end(span));
                text.trim_end_matches('0').trim_end_matches('.').to_owned()
            })
        }
    };
    let read = move |field: NodeRef<html::Input>, missing: f64| {
        let text = field.get_untracked().map(|field| field.value()).unwrap_or_default();
        if text.trim().is_empty() { Some(missing) } else { text.trim().parse::<f64>().ok() }
    };
    let take = move |_| {
        let end = length.get_untracked();
        let ends = (read(from, 0.0), read(to, settle(end, (0.0, end))));
        let (Some(a), Some(b)) = ends else {
            wrong.set(Some("Both ends are numbers of seconds."));
            return;
        };
        if !(a.is_finite() && b.is_finite() && a < b) {
            wrong.set(Some("The end must lie after the start."));
            return;
        }
        wrong.set(None);
        nudge(state, &spelled((a, b)));
    };
    let field = move |id: &'static str,
                      words: &'static str,
                      place: NodeRef<html::Input>,
                      end: fn((f64, f64)) -> f64| {
        let shown = shown(end);
        // Who types is left alone: the window in force comes back into a field that is left.
        Effect::new(move |_| {
            let text = shown();
            if let Some(field) = place.get().filter(|field| !has_focus(field)) {
                field.set_value(&text);
            }
        });
        view! {
            <label for=id>{words}</label>
            <input
                id=id
                class="input"
                type="number"
                step="any"
                inputmode="decimal"
                node_ref=place
                aria-invalid=move || wrong.get().is_some().to_string()
                aria-describedby="window-ends-note"
                on:change=take
            />
        }
    };
    view! {
        <div class="window-ends" role="group" aria-label="Window in seconds">
            {field("window-from", "From", from, |span| span.0)}
            {field("window-to", "to", to, |span| span.1)}
            <span id="window-ends-note" class:trouble=move || wrong.get().is_some() role="status">
                {move || wrong.get().unwrap_or("s after each run’s first send")}
            </span>
        </div>
    }
}

#[component]
fn AsTable(table: Memo<Table>) -> impl IntoView {
    view! {
        <details class="timeline-table">
            <summary>"As a table"</summary>
            <div class="chart-table" tabindex="0" role="region" aria-label="The runs over time as a table">
                <Lines table/>
            </div>
        </details>
    }
}
