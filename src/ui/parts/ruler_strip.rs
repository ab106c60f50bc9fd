//! The two-ruler strip: what each tool prints above, the same runs on one ruler below.

use super::chart::picture::{Picture, use_extent};
use crate::charts::{Chart as _, RulerStrip};
use leptos::html;
use leptos::prelude::*;

/// Shows a strip; its summary says the same in words.
#[component]
pub fn RulerStripFigure(
    /// The strip.
    #[prop(into)]
    strip: Signal<RulerStrip>,
) -> impl IntoView {
    let place = NodeRef::<html::Div>::new();
    let extent = use_extent(place);
    let label = move || strip.with(|s| format!("{}. {}", s.title_top, s.title_bottom));
    view! {
        <figure class="ruler-strip">
            <div node_ref=place class="ruler-strip-place" role="img" aria-label=label>
                <Picture
                    extent=extent
                    scene=move |size, theme| Some(strip.with(|strip| strip.scene(size, theme)))
                />
            </div>
            <figcaption class="visually-hidden">
                {move || strip.with(|strip| strip.summary.clone())}
            </figcaption>
        </figure>
    }
}
