//! A chart as an SVG text for reports and downloads, through the plotters SVG backend.

use super::adapter::Medium;
use super::caption::Caption;
use super::draw::{Chart, draw};
use super::scene::Size;
use super::text;
use super::theme::Theme;
use plotters::prelude::SVGBackend;
use std::fmt::Write as _;

/// Backend pixels per pixel: coordinates are whole numbers, so lines are smooth only when drawn
/// larger than shown.
const FINE: u32 = 4;

/// Draws a chart as one `svg` element of `width` by `height` pixels, the same bytes for the same
/// input. It carries its title and summary for screen readers and no style, script or id.
pub fn to_svg(chart: &dyn Chart, width: u32, height: u32, theme: &Theme) -> String {
    let body = body(chart, width, height, theme);
    format!("{}{body}</svg>\n", head(chart, width, height))
}

/// As [`to_svg`], with the chart's title and stamp written above it: a picture that stands alone.
pub fn to_captioned_svg(chart: &dyn Chart, width: u32, height: u32, theme: &Theme) -> String {
    let caption = Caption::of(chart, f64::from(width));
    let room = caption.height();
    let mut svg = head(chart, width, height + room);
    let (w, h) = (width * FINE, (height + room) * FINE);
    // Writing to a String does not fail.
    let _ = writeln!(svg, "<rect width=\"{w}\" height=\"{h}\" fill=\"{}\"/>", theme.page);
    for line in caption.lines() {
        let (size, weight, colour) =
            if line.title { (14, 600, theme.ink) } else { (12, 400, theme.ink3) };
        let _ = writeln!(
            svg,
            "<text x=\"0\" y=\"{}\" font-size=\"{}\" font-weight=\"{weight}\" fill=\"{colour}\">{}</text>",
            // The line's middle is given; letters stand on their feet.
            (line.y.round() as u32 + size * 36 / 100) * FINE,
            size * FINE,
            escape(line.words),
        );
    }
    let _ = write!(
        svg,
        "<g transform=\"translate(0 {})\">\n{}</g>\n</svg>\n",
        room * FINE,
        body(chart, width, height, theme),
    );
    svg
}

fn head(chart: &dyn Chart, width: u32, height: u32) -> String {
    let title = escape(chart.title());
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\" aria-label=\"{title}\" font-family=\"{}\" \
         font-size=\"{}\" stroke-linejoin=\"round\">\n<title>{title}</title>\n<desc>{}</desc>\n",
        width * FINE,
        height * FINE,
        text::FAMILY,
        text::SIZE * f64::from(FINE),
        escape(chart.summary()),
    )
}

fn body(chart: &dyn Chart, width: u32, height: u32, theme: &Theme) -> String {
    let mut svg = String::new();
    let theme = theme.scaled(f64::from(FINE));
    {
        let mut backend = SVGBackend::with_string(&mut svg, (width * FINE, height * FINE));
        // The backend writes to a string, which does not fail.
        let _ = draw(chart, Size::new(width, height), &theme, Medium::Svg, &mut backend);
    }
    plain(&svg)
}

/// What the backend wrote inside its `svg` element, without the attributes that say nothing.
///
/// Text content is escaped and holds no quote, so a quoted attribute is matched only as one.
fn plain(svg: &str) -> String {
    let inner = svg.split_once(">\n").map_or("", |(_, rest)| rest);
    let inner = inner.trim_end().trim_end_matches("</svg>");
    let size = format!(" font-size=\"{}\"", text::SIZE * f64::from(FINE));
    let family = format!(" font-family=\"{}\"", text::FAMILY);
    inner
        .replace(" opacity=\"1\"", "")
        .replace(" stroke=\"none\"", "")
        .replace(&family, "")
        .replace(&size, "")
        // Half the height of a capital, as on a canvas; half an ex sits too high for numbers.
        .replace(" dy=\"0.5ex\"", " dy=\"0.36em\"")
        .replace(" text-anchor=\"start\"", "")
        .replace(" \"", "\"")
        .replace("\n</text>", "</text>")
        .replace(">\n<", ">\x00<")
        .split('\x00')
        .map(joined)
        .collect::<Vec<_>>()
        .join("\n")
}

/// A text element on one line: the backend breaks it after its tag.
fn joined(element: &str) -> String {
    if element.starts_with("<text") { element.replacen(">\n", ">", 1) } else { element.to_owned() }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
