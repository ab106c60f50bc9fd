//! A key as a file spells it, which may break after its underscores and dots.

use leptos::prelude::*;

/// Shows a key; copied text holds no invisible characters.
#[component]
pub fn Key(
    /// The key, such as `total_input_tokens`.
    name: String,
) -> impl IntoView {
    let parts = name.split_inclusive(['_', '.']).map(|part| view! { {part.to_owned()} <wbr /> });
    parts.collect_view()
}
