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
        .fold(Elements::default(), Elements::and)
        .into_text()
}

/// A corner, or a width and a height.
type Pair = (i64, i64);

/// Elements in their order, with lines of one pen, or boxes of one paint, that follow each other as one path:
/// a dashed line comes as a line for each of its dashes, and was the most part of a report.
#[derive(Default)]
struct Elements {
    done: Vec<String>,
    /// The attributes of pen or paint, and the path so far.
    open: Option<(String, Path)>,
}

impl Elements {
    fn and(mut self, element: String) -> Self {
        if let Some((pen, corners)) = element.strip_prefix("<polyline").and_then(line) {
            // Where see-through lines cross they are darker, which one path would not be: only dashes, which
            // go on where the last one ended, are one.
            let near = |(_, path): &(String, Path)| {
                corners.first().is_some_and(|first| distance(*first, path.at, path.at) <= DASH)
            };
            if pen.contains(" opacity=") && !self.open.as_ref().is_some_and(near) {
                self.close();
            }
            self.path(pen).stroke(&seen(&corners));
        } else if let Some((paint, corner, size)) = element.strip_prefix("<rect").and_then(filled) {
            self.path(paint).fill(corner, size);
        } else {
            self.close();
            self.done.push(element);
        }
        self
    }

    /// The path of these attributes, begun anew if another is open.
    fn path(&mut self, attributes: &str) -> &mut Path {
        if self.open.as_ref().is_some_and(|(of, _)| of != attributes) {
            self.close();
        }
        &mut self.open.get_or_insert_with(|| (attributes.to_owned(), Path::default())).1
    }

    fn close(&mut self) {
        if let Some((attributes, path)) = self.open.take() {
            self.done.push(format!("<path{attributes} d=\"{}\"/>", path.steps));
        }
    }

    fn into_text(mut self) -> String {
        self.close();
        self.done.join("\n")
    }
}

/// The gap between two dashes is at most so long.
const DASH: f64 = 12.0 * FINE as f64;
/// Lines of more corners than this have some that nobody sees.
const CORNERS: usize = 24;
/// A corner is seen that lies further than this from the line without it: half a pixel.
const SEEN: f64 = 0.5 * FINE as f64;

/// The corners of a long line that are seen (Douglas and Peucker): a staircase of a thousand steps has as
/// many corners as its picture can show.
fn seen(corners: &[Pair]) -> Vec<Pair> {
    let last = corners.len().saturating_sub(1);
    if last < CORNERS {
        return corners.to_vec();
    }
    let mut kept = vec![false; corners.len()];
    let mut open = vec![(0, last)];
    while let Some((from, to)) = open.pop() {
        for end in [from, to] {
            if let Some(kept) = kept.get_mut(end) {
                *kept = true;
            }
        }
        let (Some(a), Some(b)) = (corners.get(from), corners.get(to)) else { continue };
        let between = corners.iter().enumerate().take(to).skip(from + 1);
        let far = between
            .map(|(at, corner)| (at, distance(*corner, *a, *b)))
            .max_by(|x, y| x.1.total_cmp(&y.1));
        if let Some((at, _)) = far.filter(|(_, distance)| *distance > SEEN) {
            open.extend([(from, at), (at, to)]);
        }
    }
    corners.iter().zip(kept).filter_map(|(corner, kept)| kept.then_some(*corner)).collect()
}

/// How far a corner lies from the stretch between two others.
fn distance(corner: Pair, a: Pair, b: Pair) -> f64 {
    let of = |from: Pair, to: Pair| ((to.0 - from.0) as f64, (to.1 - from.1) as f64);
    let ((px, py), (dx, dy)) = (of(a, corner), of(a, b));
    let length = dx * dx + dy * dy;
    let along = if length > 0.0 { ((px * dx + py * dy) / length).clamp(0.0, 1.0) } else { 0.0 };
    (px - along * dx).hypot(py - along * dy)
}

/// The attributes of a line before its corners, and the corners.
fn line(rest: &str) -> Option<(&str, Vec<Pair>)> {
    let (pen, corners) = rest.strip_suffix("\"/>")?.split_once(" points=\"")?;
    let corner = |pair: &str| {
        let (x, y) = pair.split_once(',')?;
        Some((x.parse().ok()?, y.parse().ok()?))
    };
    Some((pen, corners.split_whitespace().map(corner).collect::<Option<_>>()?))
}

/// The paint of a box, its corner and its size.
fn filled(rest: &str) -> Option<(&str, Pair, Pair)> {
    let number = |rest: &'_ str, name: &str| {
        let (value, _) = rest.strip_prefix(name)?.split_once('"')?;
        Some((value.parse::<i64>().ok()?, name.len() + value.len() + 1))
    };
    let mut at = 0;
    let mut next = |name: &str| {
        let (value, length) = number(rest.get(at..)?, name)?;
        at += length;
        Some(value)
    };
    let corner = (next(" x=\"")?, next(" y=\"")?);
    let size = (next(" width=\"")?, next(" height=\"")?);
    let paint = rest.get(at..)?.strip_suffix("/>")?;
    let whole =
        paint.starts_with(" fill=\"") && !paint.contains("stroke") && !paint.contains("opacity");
    whole.then_some((paint, corner, size))
}

/// A path in steps from where it stands, which are shorter than places.
#[derive(Default)]
struct Path {
    steps: String,
    at: Pair,
}

impl Path {
    fn stroke(&mut self, corners: &[Pair]) {
        for (place, corner) in corners.iter().enumerate() {
            let (dx, dy) = (corner.0 - self.at.0, corner.1 - self.at.1);
            // Writing to a String does not fail.
            let _ = match (place, dx, dy) {
                (0, ..) => write!(self.steps, "m{dx} {dy}"),
                // Nothing that is seen, unless it is the whole line: a dot.
                (_, 0, 0) if corners.len() > 2 => Ok(()),
                (_, _, 0) => write!(self.steps, "h{dx}"),
                (_, 0, _) => write!(self.steps, "v{dy}"),
                _ => write!(self.steps, "l{dx} {dy}"),
            };
            self.at = *corner;
        }
    }

    fn fill(&mut self, (x, y): Pair, (width, height): Pair) {
        let (dx, dy) = (x - self.at.0, y - self.at.1);
        // Writing to a String does not fail. Closing goes back to the corner.
        let _ = write!(self.steps, "m{dx} {dy}h{width}v{height}h{}z", -width);
        self.at = (x, y);
    }
}

/// A text element on one line: the backend breaks it after its tag.
fn joined(element: &str) -> String {
    if element.starts_with("<text") { element.replacen(">\n", ">", 1) } else { element.to_owned() }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_one_pen_are_one_path_and_another_pen_begins_anew() {
        let line =
            |pen: &str, points: &str| format!("<polyline stroke=\"{pen}\" points=\"{points}\"/>");
        let all = [
            line("red", "0,0 8,0 8,5"),
            line("red", "20,5 24,9 "),
            line("blue", "1,1 0,1"),
            "<circle r=\"2\"/>".to_owned(),
            line("blue", "3,3"),
        ];
        assert_eq!(
            all.into_iter().fold(Elements::default(), Elements::and).into_text(),
            "<path stroke=\"red\" d=\"m0 0h8v5m12 0l4 4\"/>\n<path stroke=\"blue\" d=\"m1 1h-1\"/>\n\
             <circle r=\"2\"/>\n<path stroke=\"blue\" d=\"m3 3\"/>"
        );
    }

    #[test]
    fn a_long_line_keeps_the_corners_that_are_seen() {
        let stairs: Vec<Pair> =
            (0..400).flat_map(|step| [(step, step), (step + 1, step)]).collect();
        let kept = seen(&stairs);
        assert!(kept.len() < 10, "{kept:?}");
        assert_eq!((kept.first(), kept.last()), (stairs.first(), stairs.last()));
        let far = |corner: &Pair| {
            let near = kept.windows(2).map(|pair| distance(*corner, pair[0], pair[1]));
            near.fold(f64::INFINITY, f64::min)
        };
        assert!(stairs.iter().all(|corner| far(corner) <= SEEN));
        let mut spike = stairs.clone();
        spike[300] = (150, 900);
        assert!(seen(&spike).contains(&(150, 900)));
        assert_eq!(seen(&stairs[..CORNERS]), &stairs[..CORNERS]);
    }

    #[test]
    fn see_through_lines_that_may_cross_stay_apart_and_their_dashes_do_not() {
        let line = |points: &str| format!("<polyline opacity=\"0.5\" points=\"{points}\"/>");
        let all = [line("0,0 8,0"), line("16,0 24,0"), line("0,90 200,90"), line("100,0 100,200")];
        let text = all.into_iter().fold(Elements::default(), Elements::and).into_text();
        assert_eq!(text.matches("<path").count(), 3, "{text}");
    }

    #[test]
    fn boxes_of_one_paint_are_one_path() {
        let filled = |x: i64, paint: &str| {
            format!("<rect x=\"{x}\" y=\"2\" width=\"4\" height=\"9\" fill=\"{paint}\"/>")
        };
        let outlined =
            "<rect x=\"1\" y=\"2\" width=\"4\" height=\"9\" fill=\"none\" stroke=\"red\"/>";
        let all = [filled(10, "red"), filled(30, "red"), filled(0, "blue"), outlined.to_owned()];
        assert_eq!(
            all.into_iter().fold(Elements::default(), Elements::and).into_text(),
            format!(
                "<path fill=\"red\" d=\"m10 2h4v9h-4zm20 0h4v9h-4z\"/>\n\
                 <path fill=\"blue\" d=\"m0 2h4v9h-4z\"/>\n{outlined}"
            )
        );
    }

    #[test]
    fn what_is_no_line_stays_as_it_is() {
        let odd = "<polyline points=\"1,x\"/>".to_owned();
        assert_eq!(Elements::default().and(odd.clone()).into_text(), odd);
    }
}
