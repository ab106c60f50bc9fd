//! One run at length.

use super::sheet::SheetFrame;
use crate::model::RunId;
use leptos::prelude::*;

/// The sheet of one run.
#[component]
pub fn RunCardSheet(
    /// The run.
    run: RunId,
) -> impl IntoView {
    view! { <SheetFrame title="Run"><p>{run.as_str().to_owned()}</p></SheetFrame> }
}
