//! Compare: metrics by run.

use leptos::prelude::*;

/// Compare: metrics by run.
#[component]
pub fn Compare() -> impl IntoView {
    view! { <h1>"Compare"</h1> }
}
