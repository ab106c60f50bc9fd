//! A picture on a canvas: drawn again when its data, its size, the pixel ratio or the palette change.

use crate::charts::scene::Scene;
use crate::charts::{Medium, Size, Theme, paint};
use crate::ui::parts::theme::use_mode;
use crate::web::canvas::{self, Extent};
use leptos::html;
use leptos::prelude::*;
use plotters_canvas::CanvasBackend;
use web_sys::HtmlCanvasElement;

/// The extent of an element for as long as the component lives.
pub fn use_extent(element: NodeRef<html::Div>) -> RwSignal<Extent> {
    let extent = RwSignal::new(Extent::default());
    let watch = StoredValue::new_local(None);
    Effect::new(move |_| {
        let Some(element) = element.get() else { return };
        // Without an observer the first size stays, which is better than no picture.
        let told = move |now| {
            extent.maybe_update(|extent| std::mem::replace(extent, now) != now);
        };
        watch.set_value(canvas::watch(element.into(), told).ok());
    });
    extent
}

/// Draws a scene on a canvas whose backing store fits the extent.
pub fn put(canvas: HtmlCanvasElement, extent: &Extent, scene: &Scene) {
    extent.prepare(&canvas);
    if let Some(mut backend) = CanvasBackend::with_canvas_object(canvas) {
        // Painting on a canvas fails only where the canvas is gone.
        let _ = paint(scene, extent.scale(), Medium::Canvas, &mut backend);
    }
}

/// A canvas that shows what `scene` lays out for its size and palette; nothing where it gives none.
#[component]
pub fn Picture(
    /// The extent of the place it fills.
    extent: RwSignal<Extent>,
    /// Lays the picture out.
    scene: impl Fn(Size, &Theme) -> Option<Scene> + 'static,
) -> impl IntoView {
    let canvas = NodeRef::<html::Canvas>::new();
    let mode = use_mode();
    Effect::new(move |_| {
        let (Some(canvas), extent, mode) = (canvas.get(), extent.get(), mode.get()) else { return };
        let theme = Theme::of(mode).scaled(extent.scale());
        let size = Size::new(extent.width, extent.height);
        match (!extent.is_empty()).then(|| scene(size, &theme)).flatten() {
            Some(scene) => put(canvas, &extent, &scene),
            None => extent.prepare(&canvas),
        }
    });
    view! { <canvas node_ref=canvas class="picture" aria-hidden="true"></canvas> }
}
