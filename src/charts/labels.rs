//! Words beside marks. Each kind in its turn, the most needed first; what finds no place is left out
//! or, for a run's name, handed back for a legend.

use super::draw::Sheet;
use super::grounds::{band_edges, guide_ends, hatched_area};
use super::layout::NAME_LEAD;
use super::markers::{self, Marker};
use super::place::{Candidate, Placed};
use super::scene::{Anchor, Paint, Pt, Rect, text_box};
use super::spec::{Flag, Frame, Limit, Series, Side, Which};
use super::text::{self, LINE};

/// Places all words of a chart and returns the series whose name found no place.
pub(crate) fn all(sheet: &mut Sheet) -> Vec<usize> {
    if sheet.spec.frame == Frame::Spark {
        return Vec::new();
    }
    above(sheet);
    for limit in &sheet.spec.limits {
        limit_label(sheet, limit);
    }
    if !sheet.layout.labelled {
        return named(sheet);
    }
    flags(sheet);
    let mut unlabelled = tags(sheet);
    unlabelled.extend(names(sheet));
    unlabelled.sort_unstable();
    loads(sheet);
    grounds(sheet);
    unlabelled
}

/// The series that carry a name.
fn named(sheet: &Sheet) -> Vec<usize> {
    let series = sheet.spec.series.iter().enumerate();
    let carries = |s: &Series| s.strong && (s.end_label.is_some() || s.tag.is_some());
    series.filter(|(_, s)| carries(s)).map(|(i, _)| i).collect()
}

/// The series whose name stands at their line's end.
fn named_at_end(sheet: &Sheet) -> Vec<usize> {
    let series = sheet.spec.series.iter().enumerate();
    let at_end = |s: &Series| s.strong && s.tag.is_none() && s.end_label.is_some();
    series.filter(|(_, s)| at_end(s)).map(|(i, _)| i).collect()
}

/// Names that stand beside a point with their value in bold. Returns who found no place.
fn tags(sheet: &mut Sheet) -> Vec<usize> {
    let mut homeless = Vec::new();
    for (index, series) in sheet.spec.series.iter().enumerate().filter(|(_, s)| s.strong) {
        let Some((point, value)) = &series.tag else { continue };
        let place = series.points.get(*point).and_then(|p| sheet.layout.place(p.x, p.y));
        if !place.is_some_and(|at| tag(sheet, series, at, value)) {
            homeless.push(index);
        }
    }
    homeless
}

/// Room of the marker in front of a name.
const MARKED: f64 = 13.0;

/// Places one name with its value: below the point and right of it, then around it, ever farther.
fn tag(sheet: &mut Sheet, series: &Series, at: Pt, value: &str) -> bool {
    let ink: Paint = sheet.theme.ink.into();
    let room = sheet.layout.frame.width() * 0.4;
    let name = text::fitted(&series.name, room);
    let pieces: Vec<Piece> = [(value, true, ink), (name.as_str(), false, ink)]
        .into_iter()
        .filter(|p| !p.0.is_empty())
        .collect();
    let wide = pieces_width(&pieces) + MARKED;
    let rows = (0..6).map(f64::from);
    let tries: Vec<Candidate> = rows
        .flat_map(|row| {
            let (near, far) = (at.0 + 10.0, at.0 - 10.0 - wide);
            let (below, above) = (at.1 + 14.0 + LINE * row, at.1 - 14.0 - LINE * row);
            let places = [(near, below), (far, above), (near, above), (far, below)];
            (0..).zip(places).map(move |(i, place)| Candidate {
                area: text_box(place, Anchor::Start, wide),
                cost: 4.0 * row + f64::from(i),
            })
        })
        .collect();
    let within = Rect { right: sheet.layout.frame.right, ..sheet.layout.plot };
    let Some(placed) = sheet.ground.settle(&within, &tries, 6) else { return false };
    if placed.crossed {
        sheet.plate(placed.area);
    }
    if !series.neutral {
        let paint = sheet.theme.run(series.style).into();
        let marker = Marker { style: series.style, radius: markers::SMALL, hollow: false, paint };
        let middle = (placed.area.left + 4.0, placed.area.centre().1);
        marker.shapes(middle, sheet.theme, &mut sheet.shapes);
    }
    let area = Rect { left: placed.area.left + MARKED, ..placed.area };
    put(sheet, &Placed { area, crossed: false, ..placed }, &pieces);
    true
}

/// A piece of a label: its words, whether bold, its colour.
type Piece<'a> = (&'a str, bool, Paint);

fn pieces_width(pieces: &[Piece]) -> f64 {
    pieces.iter().map(|(t, bold, _)| text::width(t, *bold)).sum::<f64>()
        + 3.0 * pieces.len().saturating_sub(1) as f64
}

fn put(sheet: &mut Sheet, placed: &Placed, pieces: &[Piece]) {
    if placed.crossed {
        sheet.plate(placed.area);
    }
    let (mut x, y) = (placed.area.left, placed.area.centre().1);
    for (words, bold, paint) in pieces {
        sheet.text((x, y), Anchor::Start, words, *bold, *paint);
        x += text::width(words, *bold) + 3.0;
    }
}

/// The rows above the plot: onset markers with their caption, then brackets.
fn above(sheet: &mut Sheet) {
    let mut rows = sheet.layout.rows.clone().into_iter();
    if sheet.spec.zones.iter().any(|z| z.style.is_some())
        && let Some(row) = rows.next()
    {
        onsets(sheet, row);
    }
    for bracket in &sheet.spec.brackets {
        let Some(row) = rows.next() else { break };
        let plot = sheet.layout.plot;
        let ends = sheet.layout.x.px(bracket.low).zip(sheet.layout.x.px(bracket.high));
        let Some((low, high)) = ends.filter(|(a, b)| *b >= plot.left && *a <= plot.right) else {
            continue;
        };
        let (low, high) = (low.max(plot.left), high.min(plot.right));
        let paint: Paint = if bracket.worse { sheet.theme.worse } else { sheet.theme.ink }.into();
        sheet.line(vec![(low, row), (high, row)], 1.5, None, paint);
        for x in [low, high] {
            sheet.line(vec![(x, row - 4.0), (x, row + 4.0)], 1.5, None, paint);
        }
        sheet.ground.take(Rect { left: low, right: high, top: row - 5.0, bottom: row + 5.0 });
        let words: Paint = if bracket.worse { sheet.theme.worse } else { sheet.theme.ink2 }.into();
        beside(sheet, row, (low, high), &bracket.text, words);
    }
}

/// Words in a row above the plot, right of a stretch or else left of it, cut where both are short.
fn beside(sheet: &mut Sheet, row: f64, (low, high): (f64, f64), words: &str, paint: Paint) {
    let frame = sheet.layout.frame;
    let wide = text::width(words, false);
    let (before, after) = (low - 8.0, frame.right - high - 8.0);
    let right = wide <= after || (wide > before && after >= before);
    let words = text::fitted(words, if right { after } else { before });
    let (at, anchor) = if right { (high + 8.0, Anchor::Start) } else { (low - 8.0, Anchor::End) };
    let area = text_box((at, row), anchor, text::width(&words, false));
    let within = Rect { left: 0.0, ..frame };
    if let Some(placed) = sheet.ground.settle(&within, &[Candidate { area, cost: 0.0 }], 0) {
        put(sheet, &placed, &[(&words, false, paint)]);
    }
}

fn onsets(sheet: &mut Sheet, row: f64) {
    let plot = sheet.layout.plot;
    let mut onsets: Vec<(f64, u8)> = sheet
        .spec
        .zones
        .iter()
        .filter_map(|z| Some((sheet.layout.x.px(z.from)?, z.style?)))
        .filter(|(x, _)| (plot.left..=plot.right).contains(x))
        .collect();
    onsets.sort_by(|a, b| a.0.total_cmp(&b.0));
    let Some(&(first, _)) = onsets.first() else { return };
    let mut last = f64::NEG_INFINITY;
    for &(x, style) in &onsets {
        // Markers of runs that saturate at one load stand side by side.
        last = x.max(last + 10.0).min(sheet.layout.frame.right - 5.0);
        let paint = sheet.theme.run(style).into();
        let marker = Marker { style, radius: markers::SMALL, hollow: false, paint };
        marker.shapes((last, row), sheet.theme, &mut sheet.shapes);
        sheet.ground.take(Rect::around((last, row), 9.0, 9.0));
    }
    let words = sheet.spec.zones.iter().find_map(|z| z.style.and(z.text.as_deref()));
    if let (true, Some(words)) = (sheet.layout.labelled, words) {
        let ink3: Paint = sheet.theme.ink3.into();
        let wide = text::width(words, false);
        let left = text_box((first - 12.0, row), Anchor::End, wide);
        let right = text_box((last + 12.0, row), Anchor::Start, wide);
        let tries = [Candidate { area: left, cost: 0.0 }, Candidate { area: right, cost: 1.0 }];
        if let Some(placed) = sheet.ground.settle(&sheet.layout.frame, &tries, 0) {
            put(sheet, &placed, &[(words, false, ink3)]);
        }
    }
}

fn limit_label(sheet: &mut Sheet, limit: &Limit) {
    let plot = sheet.layout.plot;
    let bad: Paint = sheet.theme.bad.into();
    let scale = if limit.axis == Which::Y { &sheet.layout.y } else { &sheet.layout.x };
    let Some(px) = scale.px(limit.value) else { return };
    let (low, high) = scale.domain();
    let arrow = match (limit.axis, limit.value > high, limit.value < low) {
        (_, false, false) => "",
        (Which::Y, true, _) => "↑ ",
        (Which::Y, false, true) => "↓ ",
        (Which::X, true, _) => "→ ",
        (Which::X, false, true) => "← ",
    };
    let words = format!("{arrow}{}", limit.label);
    let wide = text::width(&words, false);
    let tries: Vec<Candidate> = match limit.axis {
        Which::Y => {
            let failing = if limit.fails == Side::Above { -1.0 } else { 1.0 };
            let y = px.clamp(plot.top, plot.bottom);
            let ys = [15.0 * failing, -12.0 * failing].map(|d| y + d);
            let xs = [
                plot.left + 8.0,
                plot.right - 8.0 - wide,
                plot.centre().0 - wide / 2.0,
                plot.left + plot.width() * 0.25,
            ];
            candidates(&xs, &ys, wide)
        }
        Which::X => {
            let right = px.clamp(plot.left, plot.right) + 10.0;
            let left = right - 20.0 - wide;
            let xs = if limit.fails == Side::Above { [right, left] } else { [left, right] };
            let ys = [plot.top + 9.0, plot.top + 25.0, plot.centre().1, plot.bottom - 9.0];
            candidates(&xs, &ys, wide)
        }
    };
    // The hatch runs beside the line, so the label gets its plate always.
    if let Some(placed) = sheet.ground.settle(&plot, &tries, 9) {
        put(sheet, &Placed { crossed: true, ..placed }, &[(&words, false, bad)]);
    }
}

/// All pairs of left ends and middles, in the order of liking.
fn candidates(xs: &[f64], ys: &[f64], wide: f64) -> Vec<Candidate> {
    let pairs = ys.iter().flat_map(|y| xs.iter().map(move |x| (*x, *y)));
    let area = |at| text_box(at, Anchor::Start, wide);
    pairs.enumerate().map(|(i, at)| Candidate { area: area(at), cost: i as f64 }).collect()
}

/// "P 8.86", "K" or "P K 8.86" beside its mark.
fn flags(sheet: &mut Sheet) {
    let series = sheet.spec.series.iter();
    let points = series.filter(|s| s.strong).flat_map(|s| &s.points);
    for point in points {
        let Some(flag) = &point.flag else { continue };
        let Some(at) = sheet.layout.place(point.x, point.y) else { continue };
        let ink: Paint = sheet.theme.ink.into();
        let letters = match flag {
            Flag::Peak { .. } => "P",
            Flag::Knee => "K",
            Flag::PeakAndKnee { .. } => "P K",
        };
        let mut pieces = vec![(letters, true, ink)];
        if point.ceiling {
            pieces.push(("T", true, ink));
        }
        if let Some(words) = flag.peak().filter(|w| !w.is_empty()) {
            pieces.push((words, false, ink));
        }
        // Clear of the ring around a selected point.
        let reach = if flag.knee() { markers::RINGS[1] + 5.0 } else { markers::STAR + 7.0 };
        // Right, then left, each also a little lower and higher; then the corners, above and below.
        let wide = pieces_width(&pieces);
        let side = |dx: f64, dy: f64| {
            Rect::around((at.0 + dx * (reach + wide / 2.0), at.1 + dy), wide, LINE)
        };
        let sides = [1.0, -1.0].into_iter().flat_map(|dx| [0.0, 6.0, -6.0].map(|dy| side(dx, dy)));
        let corners = [(-1, -1), (1, -1), (1, 1), (-1, 1), (0, -1), (0, 1)];
        let tries: Vec<Candidate> = sides
            .chain(around(at, reach, wide, &corners))
            .enumerate()
            .map(|(i, area)| Candidate { area, cost: i as f64 * 0.7 })
            .collect();
        if let Some(placed) = sheet.ground.settle(&sheet.layout.frame, &tries, 9) {
            put(sheet, &placed, &pieces);
        }
    }
}

/// The grounds of a label of some width at directions around a point, just out of its reach.
fn around(at: Pt, reach: f64, wide: f64, directions: &[(i8, i8)]) -> Vec<Rect> {
    let area = |&(dx, dy): &(i8, i8)| {
        let (dx, dy) = (f64::from(dx), f64::from(dy));
        // At a corner the box may come nearer on each axis.
        let near = if dx != 0.0 && dy != 0.0 { 0.72 } else { 1.0 };
        let x = at.0 + dx * (reach * near + wide / 2.0);
        let y = at.1 + dy * (reach * near + LINE / 2.0 - 1.0);
        Rect::around((x, y), wide, LINE)
    };
    directions.iter().map(area).collect()
}

/// Names at line ends: beside the last point, else shifted with a leader. Returns who found no place.
fn names(sheet: &mut Sheet) -> Vec<usize> {
    // A name beside the end of a line at the bottom would be struck by the axis.
    let plot = sheet.layout.plot;
    sheet.ground.line((plot.left, plot.bottom), (plot.right, plot.bottom));
    let (mut ends, mut homeless) = (Vec::new(), Vec::new());
    for index in named_at_end(sheet) {
        let Some(series) = sheet.spec.series.get(index) else { continue };
        let mut last = series.points.iter().rev();
        match last.find_map(|p| sheet.layout.place(p.x, p.y)) {
            Some(end) => ends.push((index, end)),
            None => homeless.push(index),
        }
    }
    let lowest = plot.bottom - LINE / 2.0 - 1.0;
    let mut wanted = side_by_side(ends, lowest);
    // From below: above there is room to give way, at the axis there is none.
    wanted.sort_by(|a, b| b.2.total_cmp(&a.2));
    for (index, end, wanted) in wanted {
        if !name(sheet, index, end, wanted) {
            homeless.push(index);
        }
    }
    homeless.sort_unstable();
    homeless
}

/// The heights at which names of ends that lie near each other stand one under another, in the order
/// of their ends, so that leaders don't cross, and above the axis.
fn side_by_side(mut ends: Vec<(usize, Pt)>, lowest: f64) -> Vec<(usize, Pt, f64)> {
    ends.sort_by(|a, b| a.1.1.total_cmp(&b.1.1).then(a.0.cmp(&b.0)));
    // Groups of names without a gap: members and the height of the first.
    let mut groups: Vec<(Vec<(usize, Pt)>, f64)> = Vec::new();
    for end in ends {
        let mut group = (vec![end], end.1.1.min(lowest));
        while let Some((mut members, _)) = groups.pop_if(|(before, top)| {
            let near = before.iter().any(|(_, at)| (at.0 - end.1.0).abs() < 48.0);
            near && *top + LINE * before.len() as f64 > group.1
        }) {
            members.extend(group.0);
            let mean = members.iter().map(|(_, at)| at.1).sum::<f64>() / members.len() as f64;
            let tall = LINE * (members.len() as f64 - 1.0);
            group = (members, (mean - tall / 2.0).min(lowest - tall));
        }
        groups.push(group);
    }
    let heights = |(members, top): (Vec<(usize, Pt)>, f64)| {
        (0..).zip(members).map(move |(i, (index, end))| (index, end, top + LINE * f64::from(i)))
    };
    groups.into_iter().flat_map(heights).collect()
}

/// Places one name as near to the wanted height as can be; says whether there was a place.
fn name(sheet: &mut Sheet, index: usize, end: Pt, wanted: f64) -> bool {
    let Some(series) = sheet.spec.series.get(index) else { return false };
    let words =
        text::fitted(series.end_label.as_deref().unwrap_or_default(), sheet.layout.name_room());
    let wide = text::width(&words, false);
    let lead = if series.neutral { 10.0 } else { NAME_LEAD };
    let ground = |x: f64, y: f64| Rect {
        left: x + if series.neutral { 9.0 } else { 10.0 },
        right: x + lead + wide,
        top: y - LINE / 2.0,
        bottom: y + LINE / 2.0,
    };
    // Ever farther up and down; right of the point, then at the plot's edge, where the margin is
    // kept free for names.
    let edge = sheet.layout.plot.right.max(end.0);
    let heights = (-8..=8).map(|i| wanted + f64::from(i) * LINE).chain([end.1]);
    let tries: Vec<Pt> = heights.flat_map(|y| [(end.0, y), (edge, y)]).collect();
    let scored: Vec<Candidate> = tries
        .iter()
        .map(|&(x, y)| {
            let far = if x > end.0 { 3.0 } else { 0.0 };
            let area = ground(x, y);
            // A leader that runs through other words is worse than a longer way.
            let leader = sheet.ground.taken_between(end, (area.left, y));
            let cost = (y - wanted).abs() / LINE * 2.0 + far + 8.0 * leader as f64;
            Candidate { area, cost }
        })
        .collect();
    let placed = sheet.ground.settle(&sheet.layout.frame, &scored, 3);
    let Some((placed, &(x, y))) = placed.and_then(|p| tries.get(p.candidate).map(|at| (p, at)))
    else {
        return false;
    };
    if placed.crossed {
        sheet.plate(placed.area);
    }
    if x > end.0 || (y - end.1).abs() > 3.0 {
        let path = vec![(end.0 + 6.0, end.1), (placed.area.left - 1.0, y)];
        sheet.line(path, 1.0, None, sheet.theme.ink3.at(0.7));
    }
    if !series.neutral {
        let paint = sheet.theme.run(series.style).into();
        let marker = Marker { style: series.style, radius: markers::SMALL, hollow: false, paint };
        marker.shapes((x + 16.0, y), sheet.theme, &mut sheet.shapes);
    }
    sheet.text((x + lead, y), Anchor::Start, &words, false, sheet.theme.ink.into());
    true
}

/// Load numbers at points, away from the line's direction; dropped where a flag stands.
fn loads(sheet: &mut Sheet) {
    const AROUND: [(i8, i8); 8] =
        [(0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (1, -1), (-1, 1), (1, 1)];
    let ink3: Paint = sheet.theme.ink3.into();
    for series in sheet.spec.series.iter().filter(|s| s.strong) {
        let reach = sheet.radius(series) + 4.0;
        let places: Vec<Option<Pt>> =
            series.points.iter().map(|p| sheet.layout.place(p.x, p.y)).collect();
        for (i, point) in series.points.iter().enumerate() {
            let Some(label) = point.label.as_deref().filter(|_| point.flag.is_none()) else {
                continue;
            };
            let Some(at) = places.get(i).copied().flatten() else { continue };
            let neighbour = |j: Option<usize>| j.and_then(|j| places.get(j).copied().flatten());
            let ways: Vec<Pt> = [neighbour(i.checked_sub(1)), neighbour(Some(i + 1))]
                .into_iter()
                .flatten()
                .map(|n| unit((n.0 - at.0, n.1 - at.1)))
                .collect();
            let mut pieces = vec![(label, false, ink3)];
            if point.ceiling {
                pieces.insert(0, ("T", true, sheet.theme.ink.into()));
            }
            let rise = if point.rising { markers::RISE } else { 0.0 };
            let reach = reach + if point.ceiling { markers::CEILING + rise } else { 0.0 };
            let wide = pieces_width(&pieces);
            let tries: Vec<Candidate> = AROUND
                .iter()
                .zip(around(at, reach, wide, &AROUND))
                .map(|(&(dx, dy), area)| {
                    let side = unit((f64::from(dx), f64::from(dy)));
                    let toward = ways.iter().map(|w| w.0 * side.0 + w.1 * side.1);
                    let corner = if dx != 0 && dy != 0 { 0.4 } else { 0.0 };
                    Candidate { area, cost: toward.fold(-1.0, f64::max) * 2.0 + corner }
                })
                .collect();
            if let Some(placed) = sheet.ground.settle(&sheet.layout.plot, &tries, 0) {
                put(sheet, &placed, &pieces);
            }
        }
    }
}

fn unit((x, y): Pt) -> Pt {
    let length = x.hypot(y).max(1e-9);
    (x / length, y / length)
}

/// Words of zones without a run, of bands and of guides; the first to go when room is short.
fn grounds(sheet: &mut Sheet) {
    let plot = sheet.layout.plot;
    let ink3: Paint = sheet.theme.ink3.into();
    let one = |sheet: &mut Sheet, words: &str, tries: &[Candidate]| {
        if let Some(placed) = sheet.ground.settle(&plot, tries, 0) {
            put(sheet, &placed, &[(words, false, ink3)]);
        }
    };
    for zone in sheet.spec.zones.iter().filter(|z| z.style.is_none()) {
        let (Some(words), Some(x)) = (zone.text.as_deref(), sheet.layout.x.px(zone.from)) else {
            continue;
        };
        let wide = text::width(words, false);
        let xs = [plot.right - 8.0 - wide, x.max(plot.left) + 8.0];
        let ys: Vec<f64> = (0..6).map(|i| plot.top + 11.0 + 16.0 * f64::from(i)).collect();
        one(sheet, words, &candidates(&xs, &ys, wide));
    }
    for guide in &sheet.spec.guides {
        let Some((a, b)) = guide_ends(sheet, guide.from, guide.to) else { continue };
        let wide = text::width(&guide.text, false);
        let tries: Vec<Candidate> = [0.75, 0.6, 0.85, 0.45, 0.3]
            .iter()
            .enumerate()
            .flat_map(|(i, t)| {
                let (x, y) = (a.0 + t * (b.0 - a.0), a.1 + t * (b.1 - a.1));
                let sides = [(x - 8.0 - wide, y), (x + 8.0, y), (x - wide / 2.0, y - 12.0)];
                sides
                    .map(|at| Candidate { area: text_box(at, Anchor::Start, wide), cost: i as f64 })
            })
            .collect();
        one(sheet, &guide.text, &tries);
    }
    for hatched in &sheet.spec.hatched {
        let Some(area) = hatched_area(sheet, hatched) else { continue };
        let (wide, high) = lines_size(&hatched.text);
        let at = |share: f64| (area.centre().0, area.top + area.height() * share);
        let tries: Vec<Candidate> = [0.5, 0.35, 0.65, 0.2, 0.8]
            .into_iter()
            .enumerate()
            .map(|(i, share)| Candidate {
                area: Rect::around(at(share), wide + 12.0, high + 4.0),
                cost: i as f64,
            })
            .filter(|_| wide + 12.0 <= area.width())
            .collect();
        if let Some(placed) = sheet.ground.settle(&plot, &tries, 0) {
            sheet.plate(placed.area);
            lines(sheet, placed.area, &hatched.text);
        }
    }
    for band in &sheet.spec.bands {
        let (lower, upper) = band_edges(sheet, &band.edges);
        let (wide, high) = lines_size(&band.text);
        let tries: Vec<Candidate> = lower
            .iter()
            .zip(&upper)
            .map(|(l, u)| (Rect::around((l.0, f64::midpoint(l.1, u.1)), wide, high), l.1 - u.1))
            .filter(|(_, room)| *room > high)
            .map(|(area, room)| Candidate { area, cost: -room })
            .collect();
        if let Some(placed) = sheet.ground.settle(&plot, &tries, 0) {
            lines(sheet, placed.area, &band.text);
        }
    }
}

/// Width and height of lines one under another.
fn lines_size(words: &[String]) -> (f64, f64) {
    let wide = words.iter().map(|t| text::width(t, false)).fold(0.0, f64::max);
    (wide, LINE * words.len() as f64 + 2.0)
}

/// Lines one under another in the middle of an area.
fn lines(sheet: &mut Sheet, area: Rect, words: &[String]) {
    let (x, y) = area.centre();
    let top = y - LINE * words.len() as f64 / 2.0;
    let ink3: Paint = sheet.theme.ink3.into();
    for (i, words) in words.iter().enumerate() {
        sheet.text((x, top + LINE * (i as f64 + 0.5)), Anchor::Middle, words, false, ink3);
    }
}
