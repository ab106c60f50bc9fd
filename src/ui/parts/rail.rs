//! The way between screens: a rail on the left, a bar at the bottom of a phone.

use super::icons::{Glyph, Icon};
use crate::link::Screen;
use crate::ui::state::use_state;
use leptos::prelude::*;

/// A screen's name, its key after `g`, and its icon.
pub const fn entry(screen: Screen) -> (&'static str, char, Glyph) {
    match screen {
        Screen::Library => ("Library", 'l', Glyph::Library),
        Screen::Compare => ("Compare", 'c', Glyph::Compare),
        Screen::Curves => ("Curves", 'u', Glyph::Curves),
        Screen::Goodput => ("Goodput", 'o', Glyph::Goodput),
        Screen::Distributions => ("Distributions", 'd', Glyph::Distributions),
        Screen::Requests => ("Requests", 'r', Glyph::Requests),
        Screen::Explain => ("Explain", 'e', Glyph::Explain),
        Screen::Server => ("Server metrics", 's', Glyph::Server),
        Screen::Quality => ("Quality", 'q', Glyph::Quality),
        Screen::Report => ("Report", 'p', Glyph::Report),
    }
}

/// How many screens stand in the bar of a phone; the others are behind More.
const IN_BAR: usize = 4;

/// The rail.
#[component]
pub fn Rail() -> impl IntoView {
    let state = use_state();
    let more_open = RwSignal::new(false);
    let count = move || state.rows().len();
    let open = Memo::new(move |_| state.open_findings());
    let item = move |screen: Screen| {
        let (name, key, glyph) = entry(screen);
        // A phone has room for one word; readers who can’t see it hear both.
        let (word, more) = name.split_once(' ').unwrap_or((name, ""));
        let more = (!more.is_empty())
            .then(|| view! { <span class="rail-more">{format!(" {more}")}</span> });
        let current = move || (state.screen.get() == screen).then_some("page");
        view! {
            <li>
                <button
                    type="button"
                    class="rail-item"
                    aria-current=current
                    title=format!("{name} (g {key})")
                    on:click=move |_| {
                        more_open.set(false);
                        state.go(screen);
                    }
                >
                    <Icon name=glyph/>
                    <span>{word}{more}</span>
                    {(screen == Screen::Quality).then(|| view! { <OpenBadge open/> })}
                    {(screen == Screen::Library)
                        .then(|| view! { <span class="rail-count" aria-hidden="true">{count}</span> })}
                </button>
            </li>
        }
    };
    let (in_bar, behind) = Screen::ALL.split_at(IN_BAR);
    let behind_more = behind.to_vec();
    let on_key = move |event: web_sys::KeyboardEvent| {
        if event.key() == "Escape" && more_open.get_untracked() {
            event.stop_propagation();
            more_open.set(false);
        }
    };
    view! {
        <aside class="rail" aria-label="Same Ruler">
            <div class="brand">
                <img src="favicon.svg" width="26" height="26" alt=""/>
                <span>"Same Ruler"</span>
            </div>
            <nav aria-label="Screens" on:keydown=on_key>
                <ul>{in_bar.iter().copied().map(item).collect_view()}</ul>
                <button
                    type="button"
                    class="rail-item rail-knob"
                    aria-expanded=move || more_open.get().to_string()
                    aria-controls="rail-behind"
                    class:within=move || behind_more.contains(&state.screen.get())
                    on:click=move |_| more_open.update(|open| *open = !*open)
                >
                    <Icon name=Glyph::More/>
                    <span>"More"</span>
                    <OpenBadge open/>
                </button>
                <ul id="rail-behind" class="rail-behind" class:open=move || more_open.get()>
                    {behind.iter().copied().map(item).collect_view()}
                </ul>
            </nav>
            <p class="rail-foot">
                <Icon name=Glyph::Lock/>
                <span>"Files stay on this computer"</span>
            </p>
        </aside>
    }
}

/// How many findings ask for a decision.
#[component]
fn OpenBadge(open: Memo<usize>) -> impl IntoView {
    move || {
        (open.get() > 0).then(|| {
            view! {
                <span class="rail-badge">
                    {open.get()}
                    <span class="visually-hidden">" open"</span>
                </span>
            }
        })
    }
}
