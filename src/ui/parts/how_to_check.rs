//! Two dialogs of the first page: how to check the promise, and what exactly is read.

use crate::ui::told::{self, READS};
use leptos::html;
use leptos::prelude::*;

/// A native dialog that opens when `open` turns true.
#[component]
pub fn Dialog(
    /// Heading.
    title: &'static str,
    /// Whether it is open.
    open: RwSignal<bool>,
    /// What stands in it.
    children: Children,
) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        if open.get() && !dialog.open() {
            // Fails only for a dialog outside the document.
            let _ = dialog.show_modal();
        } else if !open.get() {
            dialog.close();
        }
    });
    view! {
        <dialog class="dialog" node_ref=dialog aria-label=title on:close=move |_| open.set(false)>
            <h2>{title}</h2>
            {children()}
            <form method="dialog">
                <button class="button">"Close"</button>
            </form>
        </dialog>
    }
}

/// How a reader can see for themselves that nothing is sent.
#[component]
pub fn HowToCheck(
    /// Whether it is open.
    open: RwSignal<bool>,
) -> impl IntoView {
    view! {
        <Dialog title="How to check that nothing is sent" open>
            <ol>
                <li>"Open the network panel of your browser’s developer tools (F12, then Network)."</li>
                <li>"Drop a file. No line appears: the file is read by this page, in your browser."</li>
                <li>"Or cut the connection first, then drop files and save a report. All of it works."</li>
            </ol>
            <p>
                "The browser enforces it too. The page’s content policy, in the first lines of its source, allows connections to this site alone, and the page makes none with your data."
            </p>
            <p>"There are no accounts, no cookies, no statistics. Only the choice of theme is kept on this device, and the session once you turn that on in the Library."</p>
        </Dialog>
    }
}

/// Which files are read.
#[component]
pub fn WhatExactly(
    /// Whether it is open.
    open: RwSignal<bool>,
) -> impl IntoView {
    let lines = told::names()
        .into_iter()
        .map(|name| {
            let files = READS
                .iter()
                .filter(|reads| reads.name == name)
                .map(|reads| view! { <dd>{reads.files}</dd> })
                .collect_view();
            view! {
                <div>
                    <dt>{name}</dt>
                    {files}
                </div>
            }
        })
        .collect_view();
    view! {
        <Dialog title="What is read" open>
            <dl class="exactly">{lines}</dl>
            <p>
                "Files are told apart by what is in them, never by their name. A file that is not read is named with the reason and what to do."
            </p>
        </Dialog>
    }
}
