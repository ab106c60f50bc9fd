//! Figures: a chart as inline SVG with its heading, stamp and notes.

use crate::charts::{Chart, Mode, RulerStrip, Spec, Theme, to_svg};
use maud::{Markup, PreEscaped, html};

/// Width and height on a sheet, and on a phone, where shrinking the first would shrink its words.
struct Sizes {
    sheet: (u32, u32),
    phone: (u32, u32),
}

/// A drawing of more bytes than this is not drawn twice: on a phone it is moved to and fro.
const HEAVY: usize = 14_000;

/// The main curve.
pub(super) fn main(spec: &Spec) -> Markup {
    let caption = html! {
        strong { (spec.title) }
        @if !spec.stamp.is_empty() { small { (spec.stamp) } }
    };
    figure(spec, &caption, &spec.notes, &Sizes { sheet: (688, 360), phone: (326, 300) })
}

/// A small multiple: it fits a phone as it is. Its finding is the main curve's.
pub(super) fn small(spec: &Spec) -> Markup {
    let caption = html! { small { (spec.stamp) } };
    figure(spec, &caption, &spec.notes, &Sizes { sheet: (326, 210), phone: (326, 210) })
}

/// A chart of one line over time: wide and low.
pub(super) fn wide(spec: &Spec) -> Markup {
    let caption = html! {
        strong { (spec.title) }
        @if !spec.stamp.is_empty() { small { (spec.y.title) ", " (spec.y.unit) " · " (spec.stamp) } }
    };
    figure(spec, &caption, &spec.notes, &Sizes { sheet: (688, 168), phone: (326, 168) })
}

/// The two rulers, which carry their own titles.
pub(super) fn strip(strip: &RulerStrip) -> Markup {
    let caption = html! {
        @for mark in &strip.marks {
            span.key { span class=(format!("letter s{}", mark.style % 8 + 1)) {} " " (mark.name) }
        }
    };
    let summary = [strip.summary.clone()];
    figure(strip, &caption, &summary, &Sizes { sheet: (688, 132), phone: (326, 132) })
}

/// A drawing of rows, as high as its rows need at either width.
pub(super) fn rows(drawing: &dyn Chart) -> Markup {
    figure(
        drawing,
        &titled(drawing),
        &[],
        &Sizes { sheet: high(drawing, 688), phone: high(drawing, 326) },
    )
}

/// The same where there are many of them: as on a phone everywhere.
pub(super) fn narrow(drawing: &dyn Chart) -> Markup {
    let size = high(drawing, 326);
    figure(drawing, &titled(drawing), &[], &Sizes { sheet: size, phone: size })
}

fn titled(drawing: &dyn Chart) -> Markup {
    html! {
        strong { (drawing.title()) }
        @if !drawing.stamp().is_empty() { small { (drawing.stamp()) } }
    }
}

fn high(drawing: &dyn Chart, width: u32) -> (u32, u32) {
    let height = drawing.height(f64::from(width)).unwrap_or(f64::from(width) / 2.0);
    (width, height.ceil() as u32)
}

/// Charts are drawn in the light palette on a light card, which is also how they print.
fn figure(chart: &dyn Chart, caption: &Markup, notes: &[String], sizes: &Sizes) -> Markup {
    let theme = Theme::of(Mode::Print);
    let draw = |(width, height)| PreEscaped(to_svg(chart, width, height, &theme));
    let sheet = draw(sizes.sheet);
    html! {
        figure {
            figcaption { (caption) }
            @if sizes.sheet == sizes.phone {
                div.paper { (sheet) }
            } @else if sheet.0.len() > HEAVY {
                div.scroll role="region" tabindex="0" aria-label=(chart.title()) { div.paper.broad { (sheet) } }
            } @else {
                div.paper.on-sheet { (sheet) }
                div.paper.on-phone { (draw(sizes.phone)) }
            }
            @for note in notes { @if !note.is_empty() { p.note { (note) } } }
        }
    }
}
