//! ReportScreen.

use leptos::prelude::*;

/// ReportScreen.
#[component]
pub fn ReportScreen() -> impl IntoView {
    view! { <h1>"ReportScreen"</h1> }
}
