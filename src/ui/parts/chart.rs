//! A chart on screen: picture, crosshair, card beside the point, keys, words for who can't see it.

pub mod export;
pub mod keys;
pub mod picture;
mod points;
mod tip;

use super::chart_table::ChartTable;
use super::marker::Marker;
use crate::charts::hit::{Hit, Hits};
use crate::charts::spec::Series;
use crate::charts::{Chart as _, Drawing, Heat, Lanes, Size, Spec, Stream, Waterfall};
use crate::views::chart_words;
use crate::views::curves::Table;
use keys::{Act, act};
use leptos::html;
use leptos::prelude::*;
use picture::{Picture, use_extent};
use points::Points;
use tip::Tip;
use wasm_bindgen::JsCast as _;
use web_sys::{KeyboardEvent, PointerEvent};

/// How near the pointer must come to a point, in pixels.
const REACH: f64 = 24.0;

/// What a chart shows: any picture. A spec, a waterfall or a stream is one by itself.
#[derive(Clone, Copy)]
pub struct Shown(pub Signal<Drawing>);

impl From<Signal<Drawing>> for Shown {
    fn from(drawing: Signal<Drawing>) -> Self {
        Self(drawing)
    }
}

impl From<Memo<Drawing>> for Shown {
    fn from(drawing: Memo<Drawing>) -> Self {
        Self(drawing.into())
    }
}

impl From<Signal<Spec>> for Shown {
    fn from(spec: Signal<Spec>) -> Self {
        Self::of(spec)
    }
}

impl From<Memo<Spec>> for Shown {
    fn from(spec: Memo<Spec>) -> Self {
        Self::of::<Spec>(spec.into())
    }
}

impl From<Signal<Waterfall>> for Shown {
    fn from(waterfall: Signal<Waterfall>) -> Self {
        Self::of(waterfall)
    }
}

impl From<Signal<Stream>> for Shown {
    fn from(stream: Signal<Stream>) -> Self {
        Self::of(stream)
    }
}

impl From<Signal<Heat>> for Shown {
    fn from(heat: Signal<Heat>) -> Self {
        Self::of(heat)
    }
}

impl From<Signal<Lanes>> for Shown {
    fn from(lanes: Signal<Lanes>) -> Self {
        Self::of(lanes)
    }
}

impl Shown {
    /// One kind of picture, copied when it changes and not each time it is read.
    fn of<T>(picture: Signal<T>) -> Self
    where
        T: Clone + Into<Drawing> + Send + Sync + 'static,
    {
        Self(Memo::new(move |_| picture.get().into()).into())
    }
}

/// What a chart shares with what stands around it.
#[derive(Clone, Copy)]
pub struct ChartLinks {
    /// Key of the pinned point.
    pub pinned: RwSignal<Option<String>>,
    /// Key of the point that the pointer is on.
    pub hovered: RwSignal<Option<String>>,
    /// Key of the point whose like in what stands beside the chart the pointer is on.
    pub raised: RwSignal<Option<String>>,
    /// Whether the table stands in place of the picture.
    pub table: RwSignal<bool>,
    /// Turns the logarithmic axis on and off, where the chart can.
    pub toggle_log: Option<Callback<()>>,
}

impl ChartLinks {
    /// A chart that stands for itself.
    pub fn alone() -> Self {
        Self {
            pinned: RwSignal::new(None),
            hovered: RwSignal::new(None),
            raised: RwSignal::new(None),
            table: RwSignal::new(false),
            toggle_log: None,
        }
    }
}

/// A chart with its picture, points and table.
#[component]
pub fn Chart(
    /// What it shows.
    #[prop(into)]
    spec: Shown,
    /// What it shares.
    links: ChartLinks,
    /// The table twin, where the view has a richer one than the points of the picture.
    #[prop(optional)]
    twin: Option<Signal<Table>>,
    /// The element that names it.
    named_by: String,
    /// Whether the card beside a point also shows for the pinned one, which has no other.
    #[prop(optional)]
    tip_when_pinned: bool,
) -> impl IntoView {
    let place = NodeRef::<html::Div>::new();
    let extent = use_extent(place);
    let hovered = links.hovered;
    let focused = RwSignal::new(None::<String>);
    let Shown(spec) = spec;
    let size = move || extent.with(|e| Size::new(e.width, e.height));
    // The mark that is brought forward: under the pointer, else under the keyboard, else pinned.
    let forward =
        Memo::new(move |_| hovered.get().or_else(|| focused.get()).or_else(|| links.pinned.get()));
    let hits = Memo::new(move |_| {
        spec.with(|spec| {
            let key = if spec.has_pages(size()) { forward.get() } else { None };
            Hits::of(spec, size(), key.as_deref())
        })
    });
    let find = move |key: Option<String>| key.and_then(|key| hits.with(|hits| hits.find(&key)));
    let near = Memo::new(move |_| find(hovered.get()).or_else(|| find(focused.get())));
    let shown = Memo::new(move |_| {
        near.get().or_else(|| find(links.raised.get())).or_else(|| find(links.pinned.get()))
    });
    let tip = Memo::new(move |_| {
        let pinned = find(links.pinned.get());
        let told = spec.with(|spec| spec.shows_card(size()));
        let hit = near.get().or_else(|| pinned.filter(|_| tip_when_pinned));
        hit.filter(|hit| !told && (tip_when_pinned || Some(*hit) != pinned))
    });
    let key_of = move |hit: Hit| hits.with(|hits| hits.key(hit).map(str::to_owned));
    let pin = move |hit: Option<Hit>| {
        let key = hit.and_then(key_of);
        links.pinned.update(|p| *p = if *p == key { None } else { key });
    };

    let under = move |event: &PointerEvent| {
        let element = place.get_untracked()?;
        let area = element.get_bounding_client_rect();
        let at =
            (f64::from(event.client_x()) - area.left(), f64::from(event.client_y()) - area.top());
        hits.with_untracked(|hits| hits.nearest(at, REACH))
    };
    let on_key = move |event: KeyboardEvent| {
        let held = event.ctrl_key() || event.meta_key() || event.alt_key();
        if held || links.table.get_untracked() {
            return;
        }
        let from = find(focused.get_untracked());
        let Some(step) =
            hits.with_untracked(|h| spec.with_untracked(|s| act(&event.key(), s, h, from)))
        else {
            return;
        };
        // Esc with nothing to release belongs to whatever lies around the chart.
        let idle = links.pinned.with_untracked(Option::is_none);
        match step {
            Act::Go(hit) => {
                let key = key_of(hit);
                // One event of a request is always pinned: the arrows move the pin.
                if spec.with_untracked(|s| s.own_key().is_some()) {
                    links.pinned.set(key.clone());
                }
                focused.set(key);
            }
            Act::Pin => pin(from),
            Act::Release if idle => return,
            Act::Release => links.pinned.set(None),
            Act::Table => links.table.set(true),
            Act::Log => match links.toggle_log {
                Some(toggle) => toggle.run(()),
                None => return,
            },
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let enter = move || {
        if focused.with_untracked(Option::is_none) {
            let own = || spec.with_untracked(|s| s.own_key().map(str::to_owned));
            let first = find(links.pinned.get_untracked())
                .or_else(|| find(own()))
                .or_else(|| hits.with_untracked(Hits::first));
            focused.set(first.and_then(key_of));
        }
    };

    let kind = move || spec.with(|s| format!("chart-place chart-{}", frame_word(s)));
    // A drawing of rows is as high as its rows need, whatever the style sheet says.
    let height = move || {
        let width = extent.with(|e| f64::from(e.width));
        let needed = spec.with(|spec| (width >= 1.0).then(|| spec.height(width)).flatten());
        needed.map(|height| format!("{height:.0}px"))
    };
    let table = Signal::derive(move || match twin {
        Some(twin) => twin.get(),
        None => spec.with(chart_words::table),
    });
    let legend = move || unlabelled(&spec.read(), extent.with(|e| Size::new(e.width, e.height)));
    view! {
        <div class="chart">
            <ul class="chart-legend" hidden=move || legend().is_empty()>
                {move || {
                    legend()
                        .into_iter()
                        .map(|(style, name)| {
                            let marker = style.map(|style| view! { <Marker style /> });
                            view! { <li>{marker} {name}</li> }
                        })
                        .collect_view()
                }}
            </ul>
            <div
                class=kind
                style:height=height
                node_ref=place
                hidden=move || links.table.get()
                on:pointermove=move |event| hovered.set(under(&event).and_then(key_of))
                on:pointerleave=move |_| hovered.set(None)
                on:pointerup=move |event| {
                    if let Some(hit) = under(&event) {
                        pin(Some(hit));
                    }
                }
            >
                <Picture
                    extent=extent
                    scene=move |size, theme| {
                        let key = spec.with(|s| matches!(s, Drawing::Stream(_))).then(|| forward.get());
                        let key = key.flatten();
                        Some(spec.with(|spec| spec.scene_at(size, theme, key.as_deref())))
                    }
                />
                <Picture
                    extent=extent
                    scene=move |size, theme| {
                        let hit = shown.get()?;
                        spec.with(|spec| spec.overlay(size, theme, hit))
                    }
                />
                <Points
                    spec=spec
                    focused=focused
                    pinned=links.pinned
                    named_by=named_by.clone()
                    on_key=Callback::new(on_key)
                    on_enter=Callback::new(move |()| enter())
                />
                <Tip spec=spec hit=tip extent=extent />
            </div>
            {move || {
                links
                    .table
                    .get()
                    .then(|| {
                        view! {
                            <ChartTable
                                table=table
                                named_by=named_by.clone()
                                on_close=Callback::new(move |()| back(place, links))
                            />
                        }
                    })
            }}
            <p class="visually-hidden">{move || spec.with(|s| s.summary().to_owned())}</p>
        </div>
    }
}

/// Shows the picture again and puts the focus where the keys of the chart work.
fn back(place: NodeRef<html::Div>, links: ChartLinks) {
    links.table.set(false);
    request_animation_frame(move || {
        let points = place
            .get_untracked()
            .and_then(|place| place.query_selector("[role=listbox]").ok().flatten());
        if let Some(points) = points {
            // An element that is gone takes no focus, which is no trouble.
            let _ = points.unchecked_into::<web_sys::HtmlElement>().focus();
        }
    });
}

fn frame_word(drawing: &Drawing) -> &'static str {
    use crate::charts::spec::Frame;
    match drawing {
        Drawing::Plot(spec) => match spec.frame {
            Frame::Main => "main",
            Frame::Small => "small",
            Frame::Spark => "spark",
        },
        Drawing::Waterfall(_) => "waterfall",
        Drawing::Stream(_) => "stream",
        Drawing::Heat(_) => "heat",
        Drawing::Lanes(_) => "lanes",
    }
}

/// The runs whose names found no place in the picture: they stand in a legend above it.
fn unlabelled(drawing: &Drawing, size: Size) -> Vec<(Option<usize>, String)> {
    use crate::charts::Theme;
    let Drawing::Plot(spec) = drawing else { return Vec::new() };
    if size.width < 1.0 || frame_word(drawing) != "main" {
        return Vec::new();
    }
    let scene = spec.scene(size, &Theme::of(crate::charts::Mode::Light));
    let series = scene.unlabelled.iter().filter_map(|index| spec.series.get(*index));
    // What is no run has no marker of a run.
    let style = |s: &Series| (!s.neutral).then_some(usize::from(s.style));
    series.map(|s| (style(s), s.name.clone())).collect()
}
