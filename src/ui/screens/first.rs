//! The first page: what this is, where to drop, and a sample.

use crate::ui::keys::choose_files;
use crate::ui::parts::how_to_check::{HowToCheck, WhatExactly};
use crate::ui::parts::icons::{Glyph, Icon};
use crate::ui::parts::remember::Remember;
use crate::ui::parts::samples::SamplesRow;
use crate::ui::parts::theme::ThemeButton;
use crate::ui::parts::two_rulers::TwoRulers;
use crate::ui::state::{State, use_state};
use crate::ui::told;
use crate::web::{download, files};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast as _;
use web_sys::HtmlElement;

/// Opens the browser's folder dialog.
pub fn choose_folder() {
    if let Some(input) = document().get_element_by_id("choose-folder") {
        input.unchecked_into::<HtmlElement>().click();
    }
}

/// Takes what is on the clipboard, where the browser lets a button ask for it.
pub fn paste(state: State) {
    spawn_local(async move {
        match download::paste().await {
            Ok(text) if !text.trim().is_empty() => {
                state.take(files::pasted(&text).into_iter().collect());
            }
            Ok(_) => state.toasts.say("The clipboard holds no text."),
            Err(_) => state.toasts.say("The browser did not allow it. Press Ctrl+V instead."),
        }
    });
}

/// The page with nothing loaded.
#[component]
pub fn First() -> impl IntoView {
    let state = use_state();
    let check = RwSignal::new(false);
    let exactly = RwSignal::new(false);
    let reads = told::names().into_iter().map(|name| view! { <dd>{name}</dd> }).collect_view();
    view! {
        <div class="first">
            <header class="first-head">
                <div class="brand">
                    <img src="favicon.svg" width="30" height="30" alt=""/>
                    <span>"Same Ruler"</span>
                </div>
                <nav aria-label="About">
                    <button type="button" class="quiet" on:click=move |_| check.set(true)>
                        "How to check"
                    </button>
                    <button type="button" class="quiet" on:click=move |_| state.help.set(true)>
                        "Help"
                    </button>
                    <ThemeButton/>
                </nav>
            </header>
            <main id="main" tabindex="-1">
                <Wanted/>
                <div class="hero">
                    <div>
                        <h1>"Put LLM serving benchmarks on the same ruler"</h1>
                        <p>
                            "Tools use one name for different sums. Drop their result files: latency, throughput and goodput are computed again, from the recorded requests, under the one definition you choose."
                        </p>
                    </div>
                    <TwoRulers/>
                </div>
                <section class="drop-zone" aria-labelledby="drop-title">
                    <h2 id="drop-title">
                        <Icon name=Glyph::Drop/>
                        "Drop result files or folders here"
                    </h2>
                    <div class="drop-buttons">
                        <button type="button" class="button button-primary" on:click=|_| choose_files()>
                            <Icon name=Glyph::File/>
                            "Choose files"
                        </button>
                        <button type="button" class="button" on:click=|_| choose_folder()>
                            <Icon name=Glyph::Folder/>
                            "Choose folder"
                        </button>
                        <button type="button" class="button" on:click=move |_| paste(state)>
                            <Icon name=Glyph::Paste/>
                            "Paste"
                        </button>
                    </div>
                    <p class="privacy">
                        <Icon name=Glyph::Lock/>
                        <span>"Files stay on this computer. This page makes no network requests with your data."</span>
                        <button type="button" class="link" on:click=move |_| check.set(true)>
                            "How to check"
                        </button>
                    </p>
                    <dl class="reads">
                        <dt>"Reads"</dt>
                        {reads}
                        <dd>
                            <button type="button" class="link" on:click=move |_| exactly.set(true)>
                                "What exactly?"
                            </button>
                        </dd>
                    </dl>
                </section>
                <SamplesRow/>
            </main>
            <footer class="first-foot">
                <div>
                    <span>"No account, no cookies; only the theme is kept on this device, and your session if you ask for it"</span>
                    <Show when=move || state.memory.on.get()>
                        <Remember/>
                    </Show>
                </div>
                <div class="keys">
                    <kbd>"o"</kbd>
                    "choose files"
                    <kbd>"?"</kbd>
                    "keys"
                </div>
            </footer>
            <HowToCheck open=check/>
            <WhatExactly open=exactly/>
        </div>
    }
}

/// Runs of the view whose files are not here, as of a link that was opened: which, and what to do.
#[component]
pub fn Wanted() -> impl IntoView {
    let state = use_state();
    let missing = Memo::new(move |_| {
        // What is being read may be what is missing.
        let busy = state.library.with(|l| l.pending || l.value.is_none())
            || state.imports.reading.with(|reading| reading.total != 0);
        let here = state.rows();
        let wanted = state.context.get().runs;
        let missing = wanted.into_iter().filter(|id| here.iter().all(|row| &row.id != id));
        if busy { Vec::new() } else { missing.collect::<Vec<_>>() }
    });
    let leave_out = move |_| {
        let gone = missing.get_untracked();
        state.edit("Runs without a file left out of the view", |context| {
            context.runs.retain(|id| !gone.contains(id));
            context.baseline = context.baseline.take().filter(|id| !gone.contains(id));
        });
    };
    let words = move || match missing.with(Vec::len) {
        1 => "This view has a run whose file is not here. ".to_owned(),
        n => format!("This view has {n} runs whose files are not here. "),
    };
    let list = move || {
        missing
            .get()
            .iter()
            .map(|id| view! { <code>{id.as_str().to_owned()}</code> " " })
            .collect_view()
    };
    view! {
        <Show when=move || missing.with(|m| !m.is_empty())>
            <section class="wanted" aria-label="Runs whose files are not here">
                <p>
                    <strong>{words}</strong>
                    "This link has settings and no data in it: drop the same files and the view is as it was. By the first digits of the hash of their content, it waits for "
                    {list}
                </p>
                <button type="button" class="button button-small" on:click=leave_out>
                    "Go on without"
                </button>
            </section>
        </Show>
    }
}
