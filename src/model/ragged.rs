//! A list of values a request: gaps, tokens per event.

use super::Origin;
use crate::units::Quantity;

/// One list a request, stored flat. A row may be absent (not recorded), which is not an empty list.
#[derive(Debug, Clone, PartialEq)]
pub struct Ragged<T> {
    ends: Vec<usize>,
    present: Vec<bool>,
    /// Whether any row was recorded: who walks over rows asks it for each.
    any: bool,
    values: Vec<T>,
    origin: Origin,
}

impl<T> Default for Ragged<T> {
    fn default() -> Self {
        Self {
            ends: Vec::new(),
            present: Vec::new(),
            any: false,
            values: Vec::new(),
            origin: Origin::Absent,
        }
    }
}

impl<T: Quantity> Ragged<T> {
    /// No rows yet, of the given origin.
    pub fn new(origin: Origin) -> Self {
        Self { origin, ..Self::default() }
    }

    /// `len` absent rows: the file does not have it.
    pub fn absent(len: usize) -> Self {
        Self {
            ends: vec![0; len],
            present: vec![false; len],
            any: false,
            values: Vec::new(),
            origin: Origin::Absent,
        }
    }

    /// `len` absent rows: the file had them, and they were left out when the run was saved.
    pub fn left_out(len: usize) -> Self {
        Self { origin: Origin::LeftOut, ..Self::absent(len) }
    }

    /// Appends a value to the row that [`Ragged::end_row`] will close.
    pub fn push(&mut self, value: T) {
        self.values.push(value);
    }

    /// Closes the current row; `present` false marks it as not recorded and drops its values.
    pub fn end_row(&mut self, present: bool) {
        if !present {
            self.values.truncate(self.ends.last().copied().unwrap_or(0));
        }
        self.ends.push(self.values.len());
        self.present.push(present);
        self.any |= present;
    }

    /// Appends a whole row.
    pub fn push_row(&mut self, row: Option<&[T]>) {
        self.values.extend_from_slice(row.unwrap_or(&[]));
        self.end_row(row.is_some());
    }

    /// Row `at`, or `None` where it was not recorded.
    pub fn row(&self, at: usize) -> Option<&[T]> {
        if !*self.present.get(at)? {
            return None;
        }
        let start =
            at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.values.get(start..*self.ends.get(at)?)
    }

    /// All rows in order.
    pub fn rows(&self) -> impl Iterator<Item = Option<&[T]>> {
        (0..self.len()).map(|at| self.row(at))
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Whether no row was recorded.
    pub const fn is_absent(&self) -> bool {
        !self.any
    }

    /// Whether the file holds rows, also where they were left out of what was saved.
    pub fn was_recorded(&self) -> bool {
        !self.is_absent() || self.origin == Origin::LeftOut
    }

    /// All values of all rows, flat.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// Where the values come from.
    pub const fn origin(&self) -> &Origin {
        &self.origin
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Tokens;

    #[test]
    fn an_absent_row_is_not_an_empty_one() {
        let mut ragged = Ragged::new(Origin::Reported);
        ragged.push_row(Some(&[Tokens::from_count(1.0), Tokens::from_count(2.0)]));
        ragged.push_row(None);
        ragged.push_row(Some(&[]));
        ragged.push(Tokens::from_count(9.0));
        ragged.end_row(false);
        assert_eq!(ragged.row(0).map(<[_]>::len), Some(2));
        assert_eq!(ragged.row(1), None);
        assert_eq!(ragged.row(2), Some(&[][..]));
        assert_eq!(ragged.row(3), None);
        assert_eq!(ragged.row(4), None);
        assert_eq!(ragged.values().len(), 2);
    }
}
