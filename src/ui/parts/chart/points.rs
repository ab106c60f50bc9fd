//! The points of a chart as a list that has one place in the order of Tab.

use crate::charts::Spec;
use crate::ui::parts::unique::unique;
use crate::views::chart_words::spoken;
use leptos::prelude::*;
use web_sys::KeyboardEvent;

/// The invisible twin of the marks: a listbox whose chosen option the crosshair shows.
#[component]
pub fn Points(
    /// The chart.
    spec: Signal<Spec>,
    /// Key of the point that the keyboard is on.
    focused: RwSignal<Option<String>>,
    /// Key of the pinned point.
    pinned: RwSignal<Option<String>>,
    /// The element that names the chart.
    named_by: String,
    /// Takes the keys.
    on_key: Callback<KeyboardEvent>,
    /// The focus came in.
    on_enter: Callback<()>,
) -> impl IntoView {
    let base = unique("points");
    let id = move |series: usize, point: usize| format!("{base}-{series}-{point}");
    let active = {
        let id = id.clone();
        move || {
            let key = focused.get()?;
            spec.with(|spec| {
                spec.series.iter().enumerate().find_map(|(s, series)| {
                    let point = series.points.iter().position(|point| point.key == key)?;
                    Some(id(s, point))
                })
            })
        }
    };
    let options = move || {
        spec.with(|spec| {
            let series = spec.series.iter().enumerate().map(|(s, series)| {
                let options = series.points.iter().enumerate().map(|(p, point)| {
                    let key = point.key.clone();
                    let said = spoken(spec, series, point);
                    view! {
                        <li
                            role="option"
                            id=id(s, p)
                            aria-selected=move || {
                                pinned.with(|pinned| pinned.as_deref() == Some(&key)).to_string()
                            }
                        >
                            {said}
                        </li>
                    }
                });
                view! {
                    <ul role="group" aria-label=series.name.clone()>
                        {options.collect_view()}
                    </ul>
                }
            });
            series.collect_view()
        })
    };
    view! {
        <div
            class="chart-points"
            role="listbox"
            tabindex="0"
            aria-labelledby=named_by
            aria-activedescendant=active
            on:keydown=move |event| on_key.run(event)
            on:focus=move |_| on_enter.run(())
            on:blur=move |_| focused.set(None)
        >
            <div class="visually-hidden" role="presentation">{options}</div>
        </div>
    }
}
