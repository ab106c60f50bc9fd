//! What a request waited for, one thing after the other.

use super::Worked;
use super::ask::{Align, Colour, RequestsAsk};
use super::list::{length_class, value};
use crate::charts::lanes::{End, Part, Piece};
use crate::model::Outcome;

/// A failure that took no time is drawn as long as this share of the clock.
const LEAST: f64 = 1e-3;

/// How lanes are drawn: where zero is, and what the colours tell.
pub(super) struct Style<'w> {
    worked: &'w Worked,
    pub align: Align,
    colour: Colour,
    /// Output tokens up to which a reply is of the first, second and third fourth.
    pub fourths: Option<[f64; 3]>,
    /// Where the pauses of each request begin in the list of all.
    pauses: &'w [crate::metrics::Pause],
}

impl<'w> Style<'w> {
    /// Without send times every lane begins at its own send.
    pub(super) fn of(worked: &'w Worked, ask: &RequestsAsk, has_starts: bool) -> Self {
        let pauses = worked.stalls.as_ref().map_or(&[][..], |stalls| &stalls.pauses);
        Self {
            worked,
            align: if has_starts || ask.align == Align::First { ask.align } else { Align::Send },
            colour: ask.colour,
            fourths: worked.fourths.filter(|_| ask.colour == Colour::Length),
            pauses,
        }
    }

    /// When the request was sent, on the clock of the lanes; nothing where it can't be put there.
    pub(super) fn zero(&self, at: usize) -> Option<f64> {
        let table = &self.worked.table;
        match self.align {
            Align::Run => value(&table.start, at),
            Align::Send => Some(0.0),
            Align::First => value(&table.first, at).map(|first| -first),
        }
    }

    /// From when to when a request is drawn.
    pub(super) fn span(&self, at: usize) -> Option<(f64, f64)> {
        let table = &self.worked.table;
        let zero = self.zero(at)?;
        let wait = value(&table.wait, at).unwrap_or(0.0).max(0.0);
        let end = value(&table.end, at).or(value(&table.first, at)).unwrap_or(0.0).max(0.0);
        Some((zero - wait, zero + end))
    }

    /// The pieces of a request, and how it ended.
    pub(super) fn pieces(&self, at: usize, clock: f64) -> (Vec<Piece>, Option<(f64, End)>) {
        let table = &self.worked.table;
        let Some(zero) = self.zero(at) else { return (Vec::new(), None) };
        let outcome = table.outcome.get(at).copied().unwrap_or(Outcome::Ok);
        let mut pieces = Vec::new();
        let mut put = |from: f64, to: f64, part| {
            if to > from {
                pieces.push(Piece { from: tidy(from), to: tidy(to), part });
            }
        };
        if let Some(wait) = value(&table.wait, at) {
            put(zero - wait, zero, Part::Client);
        }
        let (first, end) = (value(&table.first, at), value(&table.end, at));
        if outcome == Outcome::Failed {
            let until = end.or(first).unwrap_or(0.0).max(clock * LEAST);
            put(zero, zero + until, Part::Failed);
            return (pieces, Some((tidy(zero + until), End::Failed)));
        }
        let first = first.or(end).unwrap_or(0.0).max(0.0);
        let end = end.unwrap_or(first).max(first);
        let decode = self.decode(at, outcome);
        put(zero, zero + first, if self.colour == Colour::Status { decode } else { Part::First });
        let mut from = zero + first;
        for (a, b) in self.gaps(at) {
            let (a, b) = (zero + a, zero + b);
            put(from, a, decode);
            put(a, b, Part::Gap);
            from = b;
        }
        put(from, zero + end, decode);
        let kind = if outcome == Outcome::Ok { End::Last } else { End::Cut };
        (pieces, Some((tidy(zero + end), kind)))
    }

    fn decode(&self, at: usize, outcome: Outcome) -> Part {
        match (self.colour, outcome) {
            (_, Outcome::Cancelled | Outcome::Unfinished) => Part::Cut,
            (Colour::Length, _) => length_class(self.worked, at).map_or(Part::Decode, Part::Length),
            _ => Part::Decode,
        }
    }

    /// The pauses of a request, in seconds after its send.
    fn gaps(&self, at: usize) -> impl Iterator<Item = (f64, f64)> + '_ {
        let start = value(&self.worked.table.start, at).unwrap_or(0.0);
        let first = self.pauses.partition_point(|pause| pause.row < at);
        let own = self.pauses.get(first..).unwrap_or_default();
        own.iter()
            .take_while(move |pause| pause.row == at)
            .map(move |pause| (pause.from.as_secs() - start, pause.to.as_secs() - start))
    }
}

/// Quartiles of the output tokens.
pub(super) fn fourths(tokens: &[Option<f64>]) -> Option<[f64; 3]> {
    let mut known: Vec<f64> = tokens.iter().flatten().copied().filter(|n| n.is_finite()).collect();
    known.sort_by(f64::total_cmp);
    let at = |share: usize| known.get(known.len().checked_sub(1)? * share / 4).copied();
    Some([at(1)?, at(2)?, at(3)?])
}

/// A time without digits that no clock has: fewer bytes cross to the page.
pub(super) fn tidy(time: f64) -> f64 {
    (time * 1e6).round() / 1e6
}
