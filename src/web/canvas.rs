//! A canvas at its true size: CSS pixels times device pixels, kept up to date.

use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{HtmlCanvasElement, HtmlElement, MediaQueryList, ResizeObserver};

/// How large an element is and how many device pixels a CSS pixel has.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Extent {
    /// Width in CSS pixels.
    pub width: u32,
    /// Height in CSS pixels.
    pub height: u32,
    /// Device pixels per CSS pixel.
    pub ratio: f64,
}

/// Backends count in whole pixels, so lines are smooth only with at least this many a CSS pixel.
const FINEST: f64 = 2.0;

impl Extent {
    /// The present extent of an element.
    pub fn of(element: &HtmlElement) -> Self {
        let ratio = web_sys::window().map_or(1.0, |w| w.device_pixel_ratio());
        Self {
            width: u32::try_from(element.client_width()).unwrap_or(0),
            height: u32::try_from(element.client_height()).unwrap_or(0),
            ratio,
        }
    }

    /// Says whether there is anything to draw on.
    pub fn is_empty(&self) -> bool {
        self.width == 0 || self.height == 0
    }

    /// Pixels of the backing store per CSS pixel.
    pub fn scale(&self) -> f64 {
        self.ratio.max(FINEST)
    }

    /// Gives a canvas a backing store of this extent, which also wipes it.
    pub fn prepare(&self, canvas: &HtmlCanvasElement) {
        canvas.set_width((f64::from(self.width) * self.scale()).round() as u32);
        canvas.set_height((f64::from(self.height) * self.scale()).round() as u32);
    }
}

/// Watches the extent of an element until dropped.
pub struct Watch {
    observer: ResizeObserver,
    _on_resize: Closure<dyn FnMut()>,
    ratio: Rc<RefCell<Option<RatioQuery>>>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.observer.disconnect();
        if let Some(query) = self.ratio.borrow_mut().take() {
            query.list.set_onchange(None);
        }
    }
}

/// A media query that changes when the pixel ratio leaves the one it was made for.
struct RatioQuery {
    list: MediaQueryList,
    _on_change: Closure<dyn FnMut()>,
}

/// Calls back with the extent of an element: at once, on resize, and when the pixel ratio changes.
///
/// # Errors
/// Where the browser has no `ResizeObserver`.
pub fn watch(element: HtmlElement, tell: impl Fn(Extent) + 'static) -> Result<Watch, JsValue> {
    let tell = Rc::new(move |element: &HtmlElement| tell(Extent::of(element)));
    tell(&element);
    let on_resize = Closure::<dyn FnMut()>::new({
        let (element, tell) = (element.clone(), tell.clone());
        move || tell(&element)
    });
    let observer = ResizeObserver::new(on_resize.as_ref().unchecked_ref())?;
    observer.observe(&element);
    let ratio = Rc::new(RefCell::new(None));
    watch_ratio(&ratio, Rc::new(move || tell(&element)));
    Ok(Watch { observer, _on_resize: on_resize, ratio })
}

fn watch_ratio(slot: &Rc<RefCell<Option<RatioQuery>>>, tell: Rc<dyn Fn()>) {
    let Some(window) = web_sys::window() else { return };
    let query = format!("(resolution: {}dppx)", window.device_pixel_ratio());
    let Ok(Some(list)) = window.match_media(&query) else { return };
    let on_change = Closure::<dyn FnMut()>::new({
        let slot = slot.clone();
        move || {
            tell();
            // A query knows one ratio only; the next one is made for the new ratio. The running
            // closure must not be dropped from inside itself, so that waits for the next turn.
            let (slot, tell) = (slot.clone(), tell.clone());
            wasm_bindgen_futures::spawn_local(async move { watch_ratio(&slot, tell) });
        }
    });
    list.set_onchange(Some(on_change.as_ref().unchecked_ref()));
    if let Some(old) = slot.borrow_mut().replace(RatioQuery { list, _on_change: on_change }) {
        old.list.set_onchange(None);
    }
}
