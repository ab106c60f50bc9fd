//! Finds free ground for labels: inside the frame, on no other label or marker, off the lines.

use super::scene::{Pt, Rect};

/// The ground already taken, and the lines a label had better not cross.
#[derive(Debug, Default)]
pub(crate) struct Ground {
    taken: Vec<Rect>,
    lines: Vec<(Pt, Pt)>,
    /// Dotted lines: a label may lie on or close beside one, if nothing better is near.
    soft: Vec<(Pt, Pt)>,
}

/// Dots closer than this to a label read as a part of it.
const BESIDE: f64 = 3.0;
/// How little a label is liked on a dotted line.
const SOFT: f64 = 5.0;

/// A place a label could have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    /// The ground it would cover.
    pub area: Rect,
    /// How little it is liked, against a crossed line at 10.
    pub cost: f64,
}

/// A place a label got.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placed {
    /// The ground it covers.
    pub area: Rect,
    /// Index of the candidate taken.
    pub candidate: usize,
    /// A line runs under it, so it needs a plate.
    pub crossed: bool,
}

impl Ground {
    /// Takes ground that no label may cover.
    pub(crate) fn take(&mut self, area: Rect) {
        self.taken.push(area);
    }

    /// Notes a line that labels avoid.
    pub(crate) fn line(&mut self, from: Pt, to: Pt) {
        self.lines.push((from, to));
    }

    /// Notes a dotted line.
    pub(crate) fn soft_line(&mut self, from: Pt, to: Pt) {
        self.soft.push((from, to));
    }

    /// How many taken grounds the way from a mark to a label runs through, the mark's own left out.
    pub(crate) fn taken_between(&self, mark: Pt, label: Pt) -> usize {
        let others = self.taken.iter().filter(|t| !t.holds(mark));
        others.filter(|t| t.clip(mark, label).is_some()).count()
    }

    fn free(&self, within: &Rect, area: &Rect) -> bool {
        within.encloses(area) && !self.taken.iter().any(|t| t.overlaps(area))
    }

    /// Takes the best free candidate inside `within`; nothing when each is blocked or crosses more
    /// than `crossings` lines.
    pub(crate) fn settle(
        &mut self,
        within: &Rect,
        candidates: &[Candidate],
        crossings: usize,
    ) -> Option<Placed> {
        let open = candidates.iter().enumerate().filter(|(_, c)| self.free(within, &c.area));
        let scored = open.filter_map(|(candidate, c)| {
            let hard = crossed(&self.lines, &c.area);
            let soft = crossed(&self.soft, &c.area.grown(BESIDE));
            let on = hard + crossed(&self.soft, &c.area);
            let placed = Placed { area: c.area, candidate, crossed: on > 0 };
            let cost = c.cost + 10.0 * hard as f64 + SOFT * soft as f64;
            (hard <= crossings).then_some((placed, cost))
        });
        let (placed, _) = scored.min_by(|a, b| a.1.total_cmp(&b.1))?;
        self.take(placed.area);
        Some(placed)
    }
}

fn crossed(lines: &[(Pt, Pt)], area: &Rect) -> usize {
    lines.iter().filter(|(a, b)| area.clip(*a, *b).is_some()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_keeps_clear_of_a_dotted_line_and_lies_on_it_where_there_is_nothing_else() {
        let within = Rect { left: 0.0, top: 0.0, right: 100.0, bottom: 100.0 };
        let at = |x: f64, cost| Candidate { area: Rect::around((x, 50.0), 20.0, 10.0), cost };
        let mut ground = Ground::default();
        ground.soft_line((42.0, 0.0), (42.0, 100.0));
        // The first ends 2 px before the line, the second 4 px.
        let tries = [at(30.0, 0.0), at(28.0, 1.0)];
        let first = ground.settle(&within, &tries, 0).unwrap();
        assert_eq!((first.candidate, first.crossed), (1, false));
        let on_it = ground.settle(&within, &[at(50.0, 0.0)], 0).unwrap();
        assert!(on_it.crossed, "it gets a plate");
    }

    #[test]
    fn a_label_avoids_taken_ground_first_and_lines_second() {
        let within = Rect { left: 0.0, top: 0.0, right: 100.0, bottom: 100.0 };
        let at = |x: f64, y: f64, cost| Candidate { area: Rect::around((x, y), 20.0, 10.0), cost };
        let mut ground = Ground::default();
        ground.take(Rect::around((30.0, 30.0), 10.0, 10.0));
        ground.line((0.0, 50.0), (100.0, 50.0));
        let tries =
            [at(30.0, 30.0, 0.0), at(60.0, 50.0, 1.0), at(60.0, 70.0, 2.0), at(95.0, 5.0, 0.0)];
        let first = ground.settle(&within, &tries, 9).unwrap();
        assert_eq!((first.candidate, first.crossed), (2, false));
        let second = ground.settle(&within, &tries, 9).unwrap();
        assert_eq!((second.candidate, second.crossed), (1, true));
        assert!(ground.settle(&within, &tries, 9).is_none());
    }
}
