//! Curves: latency against load.

use leptos::prelude::*;

/// Curves: latency against load.
#[component]
pub fn Curves() -> impl IntoView {
    view! { <h1>"Curves"</h1> }
}
