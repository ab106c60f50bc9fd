//! The keyboard of a chart: one key is one act.

use crate::charts::Drawing;
use crate::charts::hit::{Hit, Hits, Step};
use crate::charts::spec::Flag;

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Act {
    /// Moves to a point.
    Go(Hit),
    /// Pins the point that has the focus.
    Pin,
    /// Releases the pinned point.
    Release,
    /// Shows the table.
    Table,
    /// Turns the logarithmic axis on or off.
    Log,
}

/// How many points a Page key skips.
const PAGE: usize = 10;

/// The act of a key; nothing for keys that belong to others, or lead nowhere.
pub fn act(key: &str, drawing: &Drawing, hits: &Hits, from: Option<Hit>) -> Option<Act> {
    let go = |step| Some(Act::Go(hits.step(from?, step)?));
    let far = |step, most: usize| {
        let start = from?;
        let path = std::iter::successors(Some(start), |hit| hits.step(*hit, step));
        Some(Act::Go(path.take(most.saturating_add(1)).last()?))
    };
    match key {
        "ArrowRight" => go(Step::Next),
        "ArrowLeft" => go(Step::Previous),
        "ArrowUp" => go(Step::Up),
        "ArrowDown" => go(Step::Down),
        "Home" => far(Step::Previous, usize::MAX),
        "End" => far(Step::Next, usize::MAX),
        "PageUp" => far(Step::Previous, PAGE),
        "PageDown" => far(Step::Next, PAGE),
        "Enter" | " " => from.map(|_| Act::Pin),
        "Escape" => Some(Act::Release),
        "t" => Some(Act::Table),
        "l" => Some(Act::Log),
        "p" => flagged(drawing, hits, from, |flag| flag.peak().is_some()),
        "k" => flagged(drawing, hits, from, Flag::knee),
        _ => None,
    }
}

/// The next flagged point: of this run first, then of the others in turn.
fn flagged(
    drawing: &Drawing,
    hits: &Hits,
    from: Option<Hit>,
    wanted: impl Fn(&Flag) -> bool,
) -> Option<Act> {
    let Drawing::Plot(spec) = drawing else { return None };
    let here = from.map_or(0, |hit| hit.series);
    let flagged: Vec<Hit> = spec
        .series
        .iter()
        .flat_map(|series| &series.points)
        .filter(|point| point.flag.as_ref().is_some_and(&wanted))
        .filter_map(|point| hits.find(&point.key))
        .collect();
    let after = |hit: &&Hit| from.is_none_or(|f| (hit.series, hit.point) > (f.series, f.point));
    let own = flagged.iter().find(|hit| hit.series == here && Some(**hit) != from);
    let next = own.or_else(|| flagged.iter().find(after)).or_else(|| flagged.first());
    next.copied().map(Act::Go)
}
