//! The Definitions sheet.

use leptos::prelude::*;

/// The Definitions sheet.
#[component]
pub fn DefinitionsSheet() -> impl IntoView {
    view! { <super::sheet::SheetFrame title="Definitions"><p></p></super::sheet::SheetFrame> }
}
