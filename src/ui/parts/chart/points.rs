//! The points of a chart as a list that has one place in the order of Tab.

use crate::charts::Drawing;
use crate::ui::parts::unique::unique;
use crate::views::chart_words::groups;
use leptos::prelude::*;
use web_sys::KeyboardEvent;

/// The invisible twin of the marks: a listbox whose chosen option the crosshair shows.
#[component]
pub fn Points(
    /// The chart.
    spec: Signal<Drawing>,
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
    let groups = Memo::new(move |_| spec.with(groups));
    let active = {
        let id = id.clone();
        move || {
            let key = focused.get()?;
            groups.with(|groups| {
                groups.iter().enumerate().find_map(|(s, group)| {
                    let point = group.marks.iter().position(|(own, _)| *own == key)?;
                    Some(id(s, point))
                })
            })
        }
    };
    let options = move || {
        groups.with(|groups| {
            let groups = groups.iter().enumerate().map(|(s, group)| {
                let options = group.marks.iter().enumerate().map(|(p, (key, said))| {
                    let (key, said) = (key.clone(), said.clone());
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
                    <ul role="group" aria-label=group.name.clone()>
                        {options.collect_view()}
                    </ul>
                }
            });
            groups.collect_view()
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
