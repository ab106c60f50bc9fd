//! Library.

use leptos::prelude::*;

/// Library.
#[component]
pub fn Library() -> impl IntoView {
    view! { <h1>"Library"</h1> }
}
