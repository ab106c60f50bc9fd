//! A chart as a file: SVG, PNG, CSV.

use super::Shown;
use super::picture::put;
use crate::charts::{Chart as _, Drawing, Mode, Size, Theme, captioned, head, to_captioned_svg};
use crate::ui::parts::menu::Menu;
use crate::ui::state::{State, use_state};
use crate::views::chart_words;
use crate::web::canvas::Extent;
use crate::web::download;
use leptos::prelude::*;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::HtmlCanvasElement;

/// Size of an exported picture in CSS pixels, without its caption. A drawing of rows has the height that
/// its rows need.
const WIDTH: u32 = 960;
const HEIGHT: u32 = 480;

/// A kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Lines and text that scale.
    Svg,
    /// Pixels, two a CSS pixel.
    Png,
    /// The drawn numbers.
    Csv,
}

impl Kind {
    const ALL: [(Self, &'static str); 3] = [
        (Self::Svg, "SVG, for papers and slides"),
        (Self::Png, "PNG, for chats"),
        (Self::Csv, "CSV, the drawn numbers"),
    ];
}

/// Saves a chart. Pictures are light whatever the page is: they leave the page.
fn save(spec: &Drawing, kind: Kind) -> Result<(), JsValue> {
    let name = chart_words::file_name(spec);
    match kind {
        Kind::Csv => download::save(&format!("{name}.csv"), &chart_words::csv(spec), "text/csv"),
        Kind::Svg => {
            let svg = to_captioned_svg(spec, WIDTH, height(spec), &Theme::of(Mode::Light));
            download::save(&format!("{name}.svg"), &svg, "image/svg+xml")
        }
        Kind::Png => png(spec, &format!("{name}.png")),
    }
}

fn height(spec: &Drawing) -> u32 {
    spec.height(f64::from(WIDTH)).map_or(HEIGHT, |height| height.ceil() as u32)
}

fn png(spec: &Drawing, name: &str) -> Result<(), JsValue> {
    let canvas: HtmlCanvasElement = document().create_element("canvas")?.unchecked_into();
    let height = height(spec);
    let extent = Extent { width: WIDTH, height: height + head(spec, WIDTH), ratio: 2.0 };
    let theme = Theme::of(Mode::Light).scaled(extent.scale());
    put(canvas.clone(), &extent, &captioned(spec, Size::new(WIDTH, height), &theme));
    download::save_url(name, &canvas.to_data_url_with_type("image/png")?)
}

/// The button that opens the list of files.
#[component]
pub fn ExportMenu(
    /// The chart.
    #[prop(into)]
    spec: Shown,
    /// Whether the button shows its word or only a sign.
    #[prop(optional)]
    small: bool,
) -> impl IntoView {
    let Shown(spec) = spec;
    let state = use_state();
    let open = RwSignal::new(false);
    let item = move |(kind, words): (Kind, &'static str)| {
        view! {
            <li>
                <button
                    type="button"
                    class="menu-item"
                    on:click=move |_| {
                        open.set(false);
                        spec.with_untracked(|spec| tell(state, save(spec, kind)));
                    }
                >
                    {words}
                </button>
            </li>
        }
    };
    let button = view! {
        <span class="visually-hidden">{move || spec.with(|s| format!("Export “{}”", s.title()))}</span>
        <span aria-hidden="true">{if small { "⋯" } else { "Export" }}</span>
    };
    view! {
        <Menu
            class=if small { "quiet export-small" } else { "button" }
            label="Export"
            edge="right"
            open=open
            button=button.into_any()
        >
            <ul class="menu-items">{Kind::ALL.into_iter().map(item).collect_view()}</ul>
        </Menu>
    }
}

fn tell(state: State, saved: Result<(), JsValue>) {
    if let Err(error) = saved {
        let words = error.as_string().unwrap_or_else(|| format!("{error:?}"));
        state.toasts.say(format!("The chart was not saved: {words}. Try another kind of file."));
    }
}
