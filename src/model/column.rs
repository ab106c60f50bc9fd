//! One value a request, some of them missing.

use crate::units::Quantity;
use serde::{Deserialize, Serialize};

/// Where a column's values come from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// The file does not have it.
    #[default]
    Absent,
    /// The file had it, and it was left out when the run was saved at a lower [`super::Level`].
    LeftOut,
    /// As written in the file, in the file's own unit.
    Reported,
    /// As written, converted from another unit.
    Converted {
        /// The file's unit, such as `ms`.
        from: String,
    },
    /// Computed from other columns at import.
    Derived {
        /// How, in words: `ttft + Σ itl`.
        how: String,
    },
}

/// One optional value a request.
///
/// A missing value is not a number: it is skipped by [`Column::get`], never read as zero.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Column<T> {
    values: Vec<T>,
    valid: Vec<bool>,
    /// How many rows have a value: who walks over rows asks for each whether any has.
    present: usize,
    origin: Origin,
}

impl<T: Quantity> Column<T> {
    /// An empty column of the given origin.
    pub const fn new(origin: Origin) -> Self {
        Self { values: Vec::new(), valid: Vec::new(), present: 0, origin }
    }

    /// A column of `len` missing values: the file does not have it.
    pub fn absent(len: usize) -> Self {
        Self::missing(Origin::Absent, len)
    }

    /// A column of `len` missing values of the given origin: the file has the column, but no value.
    pub fn missing(origin: Origin, len: usize) -> Self {
        Self { values: vec![T::from_raw(0.0); len], valid: vec![false; len], present: 0, origin }
    }

    /// A column from optional values.
    pub fn from_options(origin: Origin, values: impl IntoIterator<Item = Option<T>>) -> Self {
        let mut column = Self::new(origin);
        for value in values {
            column.push(value);
        }
        column
    }

    /// Appends one value or a gap. A value that is not finite is a gap.
    pub fn push(&mut self, value: Option<T>) {
        let value = value.filter(|v| v.raw().is_finite());
        self.valid.push(value.is_some());
        self.present += usize::from(value.is_some());
        self.values.push(value.unwrap_or_else(|| T::from_raw(0.0)));
    }

    /// Replaces the value of row `at`; out of range does nothing.
    pub fn set(&mut self, at: usize, value: Option<T>) {
        if let (Some(slot), Some(valid)) = (self.values.get_mut(at), self.valid.get_mut(at)) {
            self.present -= usize::from(*valid);
            self.present += usize::from(value.is_some());
            *valid = value.is_some();
            *slot = value.unwrap_or_else(|| T::from_raw(0.0));
        }
    }

    /// The value of row `at`, or `None` where the file has none.
    pub fn get(&self, at: usize) -> Option<T> {
        (*self.valid.get(at)?).then(|| self.values.get(at).copied()).flatten()
    }

    /// All rows in order.
    pub fn iter(&self) -> impl Iterator<Item = Option<T>> + '_ {
        self.values.iter().zip(&self.valid).map(|(value, valid)| valid.then_some(*value))
    }

    /// Number of rows, missing ones included.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Number of rows that have a value.
    pub const fn present(&self) -> usize {
        self.present
    }

    /// Whether no row has a value.
    pub const fn is_absent(&self) -> bool {
        self.present == 0
    }

    /// Where the values come from.
    pub const fn origin(&self) -> &Origin {
        &self.origin
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Seconds;

    #[test]
    fn missing_is_not_zero() {
        let column = Column::from_options(
            Origin::Reported,
            [Some(Seconds::ZERO), None, Some(Seconds::from_secs(f64::NAN))],
        );
        assert_eq!(column.get(0), Some(Seconds::ZERO));
        assert_eq!(column.get(1), None);
        assert_eq!(column.get(2), None, "NaN is missing");
        assert_eq!(column.get(3), None, "out of range is missing");
        assert_eq!(column.present(), 1);
    }

    #[test]
    fn a_column_is_absent_while_no_row_has_a_value() {
        let mut column = Column::<Seconds>::absent(3);
        assert!(column.is_absent());
        column.set(1, Some(Seconds::ZERO));
        column.set(1, Some(Seconds::from_secs(1.0)));
        column.set(7, Some(Seconds::ZERO));
        assert_eq!((column.is_absent(), column.present()), (false, 1));
        column.set(1, None);
        column.set(1, None);
        assert_eq!((column.is_absent(), column.present()), (true, 0));
        column.push(None);
        assert!(column.is_absent());
        column.push(Some(Seconds::ZERO));
        assert_eq!((column.is_absent(), column.present()), (false, 1));
    }
}
