//! The page as a whole: shell, screen, sheet, and what listens everywhere.

use super::address;
use super::focus;
use super::keys;
use super::parts::drop::DropEverywhere;
use super::parts::help_sheet::HelpSheet;
use super::parts::limits_sheet::LimitsSheet;
use super::parts::number_sheet::NumberSheet;
use super::parts::rail::Rail;
use super::parts::strip::Strip;
use super::parts::theme;
use super::parts::toast::ToastPlace;
use super::screens::first::{First, Wanted};
use super::screens::library::Library;
use super::screens::report::ReportScreen;
use super::state::State;
use crate::link::{Link, Screen, Sheet};
use crate::web::files;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::HtmlElement;

/// Puts the page into the document.
pub fn mount() {
    mount_to_body(App);
}

/// The page.
#[component]
pub fn App() -> impl IntoView {
    let with_data = address::with_data();
    let (link, trouble) = match address::read() {
        Ok(link) => (link, None),
        Err(reason) => (Link::default(), Some(reason)),
    };
    let state = State::new(link);
    provide_context(state);
    provide_context(theme::keep(state.theme));
    address::follow(state);
    keys::listen(state);
    focus::keep();
    if let Some(reason) = trouble {
        state.toasts.say(reason);
    }
    if let Some(fragment) = with_data {
        state.open_inside(fragment);
    }
    state.remember();
    let early = files::early();
    if !early.is_empty() {
        state.take(early);
    }
    Effect::new(move |_| {
        let name = super::parts::rail::entry(state.screen.get()).0;
        document().set_title(&if state.loaded.get() {
            format!("{name} · Same Ruler")
        } else {
            "Same Ruler".to_owned()
        });
    });

    let empty = Memo::new(move |_| {
        !state.loaded.get()
            && !state.served.get()
            && state.imports.reading.with(|reading| reading.total == 0)
            && state.imports.refusals.with(Vec::is_empty)
    });
    view! {
        <button type="button" class="skip" on:click=move |_| to_main()>"Skip to content"</button>
        <Dead/>
        <Show when=move || empty.get() fallback=Shell>
            <First/>
        </Show>
        <DropEverywhere/>
        <ToastPlace/>
        <HelpSheet/>
    }
}

fn to_main() {
    if let Some(main) = document().get_element_by_id("main") {
        let _ = main.unchecked_into::<HtmlElement>().focus();
    }
}

/// Said when only reloading helps.
#[component]
fn Dead() -> impl IntoView {
    let state = super::state::use_state();
    move || {
        state.client.dead.get().map(|reason| {
            view! {
                <p class="banner banner-bad" role="alert">
                    {reason}
                    <button
                        type="button"
                        class="button"
                        on:click=|_| drop(window().location().reload())
                    >
                        "Reload"
                    </button>
                </p>
            }
        })
    }
}

#[component]
fn Shell() -> impl IntoView {
    let state = super::state::use_state();
    let screen = move || match state.screen.get() {
        Screen::Library => view! { <Library/> }.into_any(),
        Screen::Compare => view! { <super::screens::compare::Compare/> }.into_any(),
        Screen::Curves => view! { <super::screens::curves::Curves/> }.into_any(),
        Screen::Goodput => view! { <super::screens::goodput::Goodput/> }.into_any(),
        Screen::Distributions => {
            view! { <super::screens::distributions::Distributions/> }.into_any()
        }
        Screen::Requests => view! { <super::screens::requests::Requests/> }.into_any(),
        Screen::Explain => view! { <super::screens::explain::Explain/> }.into_any(),
        Screen::Server => view! { <super::screens::server::Server/> }.into_any(),
        Screen::Quality => view! { <super::screens::quality::Quality/> }.into_any(),
        Screen::Report => view! { <ReportScreen/> }.into_any(),
    };
    let sheet = move || {
        Some(match state.sheet.get()? {
            Sheet::Definitions => {
                view! { <super::parts::definitions_sheet::DefinitionsSheet/> }.into_any()
            }
            Sheet::Limits => view! { <LimitsSheet/> }.into_any(),
            Sheet::Window => view! { <super::parts::window_sheet::WindowSheet/> }.into_any(),
            Sheet::Number => view! { <NumberSheet/> }.into_any(),
            Sheet::Run(run) => {
                view! { <super::parts::run_card_sheet::RunCardSheet run/> }.into_any()
            }
        })
    };
    view! {
        <div class="shell">
            <Rail/>
            <div class="column">
                <Strip/>
                <main id="main" tabindex="-1">
                    <Wanted/>
                    {screen}
                </main>
                {sheet}
            </div>
        </div>
    }
}
