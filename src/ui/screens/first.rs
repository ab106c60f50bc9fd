//! First.

use leptos::prelude::*;

/// First.
#[component]
pub fn First() -> impl IntoView {
    view! { <h1>"First"</h1> }
}
