//! Turns a spec into a scene: grounds first, then lines and marks, then words on what is left free.

use super::adapter::{self, Medium};
use super::layout::Layout;
use super::place::Ground;
use super::scene::{Anchor, Paint, Pt, Rect, Scene, Shape, Size};
use super::spec::{Frame, Series, Spec, Zone};
use super::theme::{self, Theme};
use super::{axes, grounds, labels, markers, text};
use plotters_backend::{DrawingBackend, DrawingErrorKind};

/// A picture this room can lay out and draw.
pub trait Chart {
    /// The finding.
    fn title(&self) -> &str;
    /// The definition stamp; empty where the picture needs none.
    fn stamp(&self) -> &str;
    /// The paragraph that says what the picture shows.
    fn summary(&self) -> &str;
    /// Lays the picture out for a size.
    fn scene(&self, size: Size, theme: &Theme) -> Scene;
    /// The height that the picture needs at a width; nothing where it fits any.
    fn height(&self, _width: f64) -> Option<f64> {
        None
    }
}

/// The words of a [`Chart`] that is a struct with the fields `title`, `stamp` and `summary`.
macro_rules! words_of_fields {
    () => {
        fn title(&self) -> &str {
            &self.title
        }
        fn stamp(&self) -> &str {
            &self.stamp
        }
        fn summary(&self) -> &str {
            &self.summary
        }
    };
}
pub(super) use words_of_fields;

/// Draws a chart on a backend whose pixels are `theme.scale` times those of `size`, and returns what
/// was drawn.
pub fn draw<B: DrawingBackend>(
    chart: &dyn Chart,
    size: Size,
    theme: &Theme,
    medium: Medium,
    backend: &mut B,
) -> Result<Scene, DrawingErrorKind<B::ErrorType>> {
    let scene = chart.scene(size, theme);
    adapter::paint(&scene, theme.scale, medium, backend)?;
    Ok(scene)
}

impl Chart for Spec {
    words_of_fields!();
    fn scene(&self, size: Size, theme: &Theme) -> Scene {
        let mut sheet = Sheet::new(self, size, theme);
        sheet.rect(sheet.layout.frame, theme.page.into());
        grounds::zones(&mut sheet);
        grounds::stretches(&mut sheet);
        grounds::hatched(&mut sheet);
        if self.frame != Frame::Spark {
            axes::grid(&mut sheet);
            axes::gap(&mut sheet);
        }
        grounds::bands(&mut sheet);
        grounds::limits(&mut sheet);
        grounds::guides(&mut sheet);
        if self.frame != Frame::Spark {
            axes::axes(&mut sheet);
        }
        lines(&mut sheet);
        marks(&mut sheet);
        let unlabelled = labels::all(&mut sheet);
        Scene { size, shapes: sheet.shapes, unlabelled }
    }
}

/// A chart in the making.
pub(crate) struct Sheet<'a> {
    pub spec: &'a Spec,
    pub theme: &'a Theme,
    pub layout: Layout,
    pub shapes: Vec<Shape>,
    pub ground: Ground,
}

impl<'a> Sheet<'a> {
    pub(crate) fn new(spec: &'a Spec, size: Size, theme: &'a Theme) -> Self {
        let layout = Layout::of(spec, size);
        Self { spec, theme, layout, shapes: Vec::new(), ground: Ground::default() }
    }

    pub(crate) fn rect(&mut self, area: Rect, paint: Paint) {
        self.shapes.push(Shape::Rect { area, paint });
    }

    pub(crate) fn line(
        &mut self,
        path: Vec<Pt>,
        width: f64,
        dash: Option<(f64, f64)>,
        paint: Paint,
    ) {
        self.shapes.push(Shape::Line { path, width, dash, paint });
    }

    pub(crate) fn text(&mut self, at: Pt, anchor: Anchor, text: &str, bold: bool, paint: Paint) {
        if !text.is_empty() {
            let (text, size) = (text.to_owned(), text::SIZE);
            self.shapes.push(Shape::Text { at, anchor, text, bold, size, paint });
        }
    }

    /// Lays the ground's own colour under a label, so that lines don't run through its words.
    pub(crate) fn plate(&mut self, area: Rect) {
        let (x, _) = area.centre();
        let reached = |z: &&Zone| self.layout.x.px(z.from).is_some_and(|from| from < x);
        let zones = self.spec.zones.iter().filter(reached).count();
        let tint = 1.0 - (1.0 - grounds::ZONE).powi(zones.min(64) as i32);
        let inside = self.layout.plot.encloses(&area);
        let ground = self.theme.page.mixed(self.theme.ink, if inside { tint } else { 0.0 });
        self.rect(area, ground.at(0.88));
    }

    /// The colour of a series' marks.
    pub(crate) fn colour(&self, series: &Series) -> Paint {
        match (series.strong, series.neutral) {
            (false, _) => self.theme.ink3.at(0.4),
            (true, _) if series.worse => self.theme.worse.into(),
            (true, true) => self.theme.ink3.into(),
            (true, false) => self.theme.run(series.style).into(),
        }
    }

    /// The radius of a series' markers.
    pub(crate) fn radius(&self, series: &Series) -> f64 {
        match self.spec.frame {
            Frame::Spark => 2.0,
            Frame::Main if series.strong && !series.neutral => markers::RADIUS,
            Frame::Main | Frame::Small => markers::SMALL,
        }
    }

    fn width(&self, series: &Series) -> f64 {
        let (baseline, other) = match self.spec.frame {
            Frame::Main => (3.0, 2.0),
            Frame::Small | Frame::Spark => (2.5, 1.75),
        };
        if series.worse {
            other
        } else if series.dashed || series.neutral {
            1.5
        } else if series.baseline {
            baseline
        } else {
            other
        }
    }
}

/// The corners of a series' line, with the extra ones of steps. A value without a place breaks it.
fn corners(layout: &Layout, series: &Series) -> Vec<Vec<Pt>> {
    if !series.path.is_empty() {
        return run_of(layout, series.path.iter().copied(), false);
    }
    run_of(layout, series.points.iter().map(|point| (point.x, point.y)), series.step)
}

fn run_of(layout: &Layout, values: impl Iterator<Item = Pt>, step: bool) -> Vec<Vec<Pt>> {
    let mut runs = vec![Vec::new()];
    for (x, y) in values {
        let at = layout.x.px(x).zip(layout.y.px(y));
        match (at, runs.last_mut()) {
            (Some(at), Some(run)) => {
                if let (true, Some(&before)) = (step, run.last()) {
                    let (_, y): Pt = before;
                    run.push((at.0, y));
                }
                run.push(at);
            }
            _ => runs.push(Vec::new()),
        }
    }
    runs
}

/// The parts of a line before, in and behind the gap of a log axis with a column of 0; those in it are
/// marked.
fn parted(gap: Option<(f64, f64)>, corners: Vec<Pt>) -> Vec<(Vec<Pt>, bool)> {
    let Some((left, right)) = gap else { return vec![(corners, false)] };
    let Some(at) =
        corners.windows(2).position(|w| matches!(w, [a, b] if a.0 <= left && b.0 >= right))
    else {
        return vec![(corners, false)];
    };
    let (mut before, mut after) = (corners, Vec::new());
    after.extend(before.split_off(at + 1));
    let (Some(&a), Some(&b)) = (before.last(), after.first()) else { return vec![(before, false)] };
    let cut = |x: f64| (x, a.1 + (x - a.0) / (b.0 - a.0) * (b.1 - a.1));
    before.push(cut(left));
    after.insert(0, cut(right));
    vec![(before, false), (vec![cut(left), cut(right)], true), (after, false)]
}

/// Cuts a line at the plot's edges; what lies outside is left out, not bent.
fn clipped(plot: &Rect, corners: &[Pt]) -> Vec<Vec<Pt>> {
    let mut pieces: Vec<Vec<Pt>> = Vec::new();
    let mut joined = false;
    for (&a, &b) in corners.iter().zip(corners.iter().skip(1)) {
        let Some((from, to)) = plot.clip(a, b) else {
            joined = false;
            continue;
        };
        match pieces.last_mut() {
            Some(piece) if joined => piece.push(to),
            _ => pieces.push(vec![from, to]),
        }
        joined = plot.holds(b);
    }
    pieces
}

fn lines(sheet: &mut Sheet) {
    // From the last to the first: the first lies on top.
    for series in sheet.spec.series.iter().rev() {
        let paint = sheet.colour(series);
        intervals(sheet, series, paint);
        if series.bars {
            bars(sheet, series, paint);
            continue;
        }
        if !(series.line || series.step) {
            continue;
        }
        let dash = match (series.dashed, series.neutral) {
            (true, _) => Some((4.0, 3.0)),
            (false, true) => None,
            (false, false) => theme::dash(series.style),
        };
        let width = sheet.width(series);
        let gap = sheet.layout.x.gap();
        for run in corners(&sheet.layout, series) {
            for (part, inside) in parted(gap, run) {
                let dash = if inside { Some((3.0, 3.0)) } else { dash };
                stroke(sheet, &part, width, dash, paint);
            }
        }
        for run in run_of(&sheet.layout, series.tail.iter().copied(), false) {
            stroke(sheet, &run, 1.5, Some((4.0, 3.0)), paint);
        }
    }
}

/// Draws a line as far as it lies inside the plot, and notes it for labels to keep off.
fn stroke(sheet: &mut Sheet, line: &[Pt], width: f64, dash: Option<(f64, f64)>, paint: Paint) {
    for piece in clipped(&sheet.layout.plot, line) {
        // Of a line of very many corners a label sees every few pixels.
        let mut from: Option<Pt> = None;
        for (at, &here) in piece.iter().enumerate() {
            let Some(before) = from else {
                from = Some(here);
                continue;
            };
            let far = (here.0 - before.0).hypot(here.1 - before.1) >= COARSE;
            if far || at + 1 == piece.len() || piece.len() <= FEW {
                sheet.ground.line(before, here);
                from = Some(here);
            }
        }
        sheet.line(piece, width, dash, paint);
    }
}

/// Lines of more corners than this are noted for labels in pieces of [`COARSE`] pixels.
const FEW: usize = 64;
/// See [`FEW`].
const COARSE: f64 = 8.0;

/// Draws bars as one outline with a pale fill, parted where they do not touch.
fn bars(sheet: &mut Sheet, series: &Series, paint: Paint) {
    let plot = sheet.layout.plot;
    let middles: Vec<Pt> = series
        .points
        .iter()
        .filter_map(|point| sheet.layout.x.px(point.x).zip(sheet.layout.y.px(point.y)))
        .collect();
    let gap = sheet.layout.x.gap();
    let behind = |x: f64| gap.is_none_or(|(_, right)| x >= right);
    let apart = middles.windows(2).filter_map(|w| match w {
        [a, b] if behind(a.0) => Some(b.0 - a.0),
        _ => None,
    });
    let apart = apart.filter(|distance| *distance > 0.0);
    let half = apart.fold(f64::INFINITY, f64::min).min(plot.width()) / 2.0;
    let mut pieces: Vec<Vec<Pt>> = Vec::new();
    let mut reached = f64::NEG_INFINITY;
    for (x, y) in middles {
        let half = match gap {
            Some((left, _)) if !behind(x) => left - x,
            _ => half,
        };
        let [left, right] = [x - half, x + half].map(|edge| edge.clamp(plot.left, plot.right));
        if right <= left {
            continue;
        }
        let y = y.clamp(plot.top, plot.bottom);
        match pieces.last_mut() {
            Some(piece) if left - reached < 0.5 => piece.extend([(left, y), (right, y)]),
            _ => pieces.push(vec![(left, plot.bottom), (left, y), (right, y)]),
        }
        reached = right;
    }
    let width = sheet.width(series);
    for mut outline in pieces {
        outline.extend(outline.last().map(|last| (last.0, plot.bottom)));
        for (&a, &b) in outline.iter().zip(outline.iter().skip(1)) {
            sheet.ground.line(a, b);
        }
        let fill = Paint { alpha: paint.alpha * 0.18, ..paint };
        sheet.shapes.push(Shape::Fill { outline: outline.clone(), paint: fill });
        sheet.line(outline, width, None, paint);
    }
}

/// Whiskers of half strength under the line, with caps.
fn intervals(sheet: &mut Sheet, series: &Series, paint: Paint) {
    if sheet.spec.frame == Frame::Spark {
        return;
    }
    let paint = Paint { alpha: paint.alpha * 0.5, ..paint };
    let plot = sheet.layout.plot;
    for point in &series.points {
        let Some((x, y)) = sheet.layout.place(point.x, point.y) else { continue };
        for value in &point.ticks {
            let Some(tick) = sheet.layout.y.px(*value) else { continue };
            if tick > plot.top && tick < plot.bottom {
                sheet.line(vec![(x - 5.0, tick), (x + 5.0, tick)], 1.5, None, paint);
            }
        }
        if let Some(asked) = point.asked.and_then(|asked| sheet.layout.x.px(asked)) {
            let end = asked.clamp(plot.left, plot.right);
            sheet.line(vec![(x, y), (end, y)], 1.5, Some((2.0, 3.0)), paint);
            sheet.line(vec![(end, y - 3.0), (end, y + 3.0)], 1.5, None, paint);
            sheet.ground.line((x, y), (end, y));
        }
        if let Some((low, high)) = point.across {
            let left = sheet.layout.x.px(low).unwrap_or(plot.left).clamp(plot.left, plot.right);
            let right = sheet.layout.x.px(high).unwrap_or(plot.right).clamp(plot.left, plot.right);
            sheet.line(vec![(left, y), (right, y)], 1.5, None, paint);
            sheet.ground.line((left, y), (right, y));
            for end in [left, right] {
                if end > plot.left && end < plot.right {
                    sheet.line(vec![(end, y - 3.0), (end, y + 3.0)], 1.5, None, paint);
                }
            }
        }
        let (Some(low), Some(high)) = (point.low, point.high) else { continue };
        // The low end may be at or under zero on a log axis: the whisker then ends at the edge.
        let foot = sheet.layout.y.px(low).unwrap_or(plot.bottom).clamp(plot.top, plot.bottom);
        let head = sheet.layout.y.px(high).unwrap_or(plot.top).clamp(plot.top, plot.bottom);
        sheet.line(vec![(x, head), (x, foot)], 1.5, None, paint);
        sheet.ground.line((x, head), (x, foot));
        for y in [head, foot] {
            if y > plot.top && y < plot.bottom {
                sheet.line(vec![(x - 3.0, y), (x + 3.0, y)], 1.5, None, paint);
            }
        }
    }
}

fn marks(sheet: &mut Sheet) {
    let theme = sheet.theme;
    let mut flagged = Vec::new();
    for series in sheet.spec.series.iter().rev().filter(|s| !s.bare) {
        let paint = sheet.colour(series);
        let radius = sheet.radius(series);
        for point in series.points.iter().filter(|p| !p.unmarked) {
            let Some(at) = sheet.layout.place(point.x, point.y) else { continue };
            let marker =
                markers::Marker { style: series.style, radius, hollow: point.hollow, paint };
            let over = match &point.flag {
                Some(flag) if flag.knee() => markers::RINGS[1],
                Some(_) => markers::STAR,
                None => radius,
            };
            if point.ceiling && sheet.layout.labelled {
                // Over the arrow of a value without an end, not across it.
                let rise = if point.rising { markers::RISE } else { 0.0 };
                let y = at.1 - over - rise - markers::CEILING;
                let ink = theme.ink.into();
                sheet.line(vec![(at.0 - 8.0, y), (at.0 + 8.0, y)], 2.0, None, ink);
                sheet.ground.take(Rect::around((at.0, y), 18.0, 4.0));
            }
            if point.rising && sheet.spec.frame == Frame::Main {
                let foot = (at.0, at.1 - over);
                markers::rise(foot, paint, theme, &mut sheet.shapes);
                let reach = markers::RISE / 2.0;
                let middle = (foot.0, foot.1 - reach);
                sheet.ground.take(Rect::around(middle, 8.0, 2.0 * reach));
            }
            match &point.flag {
                Some(flag) => flagged.push((at, flag, marker)),
                None => marker.shapes(at, theme, &mut sheet.shapes),
            }
            let reach = match &point.flag {
                Some(flag) if flag.knee() => markers::RINGS[1] + 1.0,
                Some(_) => markers::STAR,
                None => radius + 1.5,
            };
            sheet.ground.take(Rect::around(at, 2.0 * reach, 2.0 * reach));
        }
    }
    // Flags over all other marks: they are what the chart is about.
    for (at, flag, marker) in flagged {
        if flag.knee() && sheet.layout.labelled {
            markers::rings(at, theme, &mut sheet.shapes);
        }
        if flag.peak().is_some() {
            let size = if sheet.spec.frame == Frame::Spark { 5.0 } else { markers::STAR };
            markers::star(at, size, marker.paint, theme, &mut sheet.shapes);
        } else {
            marker.shapes(at, theme, &mut sheet.shapes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_leaves_the_plot_is_cut_not_bent() {
        let plot = Rect { left: 0.0, top: 0.0, right: 10.0, bottom: 10.0 };
        let path = [(1.0, 1.0), (5.0, 5.0), (5.0, 15.0), (8.0, 15.0), (8.0, 5.0)];
        assert_eq!(
            clipped(&plot, &path),
            vec![vec![(1.0, 1.0), (5.0, 5.0), (5.0, 10.0)], vec![(8.0, 10.0), (8.0, 5.0)]]
        );
    }
}
