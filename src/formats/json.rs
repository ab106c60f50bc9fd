//! Pieces for reading big JSON straight into columns.
//!
//! Python writes numbers as `null`, as text and as words; [`Number`] takes them all. Nothing here
//! knows a tool's keys.

use super::repair::INFINITE;
use crate::model::Ragged;
use crate::units::Seconds;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// A number: missing values (`null`, empty text, `nan`) are NaN.
pub(super) struct Number(pub(super) f64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(de: D) -> Result<Self, D::Error> {
        struct Visit;
        impl Visitor<'_> for Visit {
            type Value = Number;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number")
            }
            fn visit_f64<E>(self, value: f64) -> Result<Number, E> {
                Ok(Number(value))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Number, E> {
                Ok(Number(value as f64))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Number, E> {
                Ok(Number(value as f64))
            }
            fn visit_unit<E>(self) -> Result<Number, E> {
                Ok(Number(f64::NAN))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Number, E> {
                number_of(text).map(Number).ok_or_else(|| E::custom("text where a number belongs"))
            }
        }
        de.deserialize_any(Visit)
    }
}

/// The number that a text spells, NaN for the usual words of absence.
pub(super) fn number_of(text: &str) -> Option<f64> {
    match text.trim() {
        "" | "-" | "None" | "none" | "null" | "NULL" | "N/A" | "n/a" => Some(f64::NAN),
        INFINITE => Some(f64::INFINITY),
        text if text.strip_prefix('-') == Some(INFINITE) => Some(f64::NEG_INFINITY),
        text => text.parse().ok(),
    }
}

/// A list of numbers, or `null`.
pub(super) struct Numbers(pub(super) Option<Vec<f64>>);

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(de: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = Numbers;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of numbers")
            }
            fn visit_unit<E>(self) -> Result<Numbers, E> {
                Ok(Numbers(None))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Numbers, A::Error> {
                let mut values = Vec::new();
                while let Some(Number(value)) = seq.next_element()? {
                    values.push(value);
                }
                Ok(Numbers(Some(values)))
            }
        }
        de.deserialize_any(Visit)
    }
}

/// A list of numbers where there is one; what is none is NaN in it, and anything else is no list.
pub(super) struct LooseNumbers(pub(super) Option<Vec<f64>>);

impl<'de> Deserialize<'de> for LooseNumbers {
    fn deserialize<D: Deserializer<'de>>(de: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = LooseNumbers;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of numbers")
            }
            fn visit_unit<E>(self) -> Result<LooseNumbers, E> {
                Ok(LooseNumbers(None))
            }
            fn visit_bool<E>(self, _: bool) -> Result<LooseNumbers, E> {
                Ok(LooseNumbers(None))
            }
            fn visit_f64<E>(self, _: f64) -> Result<LooseNumbers, E> {
                Ok(LooseNumbers(None))
            }
            fn visit_u64<E>(self, _: u64) -> Result<LooseNumbers, E> {
                Ok(LooseNumbers(None))
            }
            fn visit_i64<E>(self, _: i64) -> Result<LooseNumbers, E> {
                Ok(LooseNumbers(None))
            }
            fn visit_str<E>(self, _: &str) -> Result<LooseNumbers, E> {
                Ok(LooseNumbers(None))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<LooseNumbers, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(LooseNumbers(None))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<LooseNumbers, A::Error> {
                let mut values = Vec::new();
                while let Some(Flat(value)) = seq.next_element()? {
                    values.push(value.and_then(|value| value.number()).unwrap_or(f64::NAN));
                }
                Ok(LooseNumbers(Some(values)))
            }
        }
        de.deserialize_any(Visit)
    }
}

/// A list of lists of seconds, stored flat, or `null`. A row with a negative or missing value is not
/// recorded, and counted.
pub(super) struct Gaps(pub(super) Option<(Ragged<Seconds>, Vec<usize>)>);

impl<'de> Deserialize<'de> for Gaps {
    fn deserialize<D: Deserializer<'de>>(de: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = Gaps;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of lists of numbers")
            }
            fn visit_unit<E>(self) -> Result<Gaps, E> {
                Ok(Gaps(None))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Gaps, A::Error> {
                let mut rows = Ragged::new(crate::model::Origin::Reported);
                let mut unusable = Vec::new();
                while let Some(good) = seq.next_element_seed(Row(&mut rows))? {
                    if !good {
                        unusable.push(rows.len() - 1);
                    }
                }
                Ok(Gaps(Some((rows, unusable))))
            }
        }
        de.deserialize_any(Visit)
    }
}

/// Reads one row into a ragged column; false where the row can't be used.
struct Row<'a>(&'a mut Ragged<Seconds>);

impl<'de> serde::de::DeserializeSeed<'de> for Row<'_> {
    type Value = bool;
    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<bool, D::Error> {
        de.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Row<'_> {
    type Value = bool;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of numbers")
    }
    fn visit_unit<E>(self) -> Result<bool, E> {
        self.0.end_row(false);
        Ok(true)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<bool, A::Error> {
        let mut good = true;
        while let Some(Number(value)) = seq.next_element()? {
            good &= value >= 0.0 && value.is_finite();
            self.0.push(Seconds::from_secs(value));
        }
        self.0.end_row(good);
        Ok(good)
    }
}

/// A small value of any kind; what is nested deeper than one level is skipped unread.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// `null`.
    Null,
    /// True or false.
    Bool(bool),
    /// A number.
    Number(f64),
    /// Text.
    Text(String),
    /// A list: the numbers of a short list of numbers, else nothing.
    List(Vec<f64>),
    /// The values of an object that are not nested themselves.
    Object(Vec<(String, Value)>),
}

impl Value {
    /// Longest list and text worth keeping.
    const MOST: usize = 16;
    const LONGEST: usize = 300;

    /// The number it is or spells; `None` for a missing one.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Number(value) => Some(*value),
            Self::Text(text) => number_of(text),
            _ => None,
        }
        .filter(|value| !value.is_nan())
    }

    /// The text it is.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value in words for a list of settings; `None` where there is nothing to show.
    pub(super) fn words(&self) -> Option<String> {
        match self {
            Self::Null | Self::Object(_) => None,
            Self::Bool(value) => Some(value.to_string()),
            Self::Number(value) => Some(value.to_string()),
            Self::Text(text) => match text.strip_suffix(INFINITE) {
                Some(sign) => Some(format!("{sign}inf")),
                None if text.is_empty() => None,
                None => Some(text.chars().take(Self::LONGEST).collect()),
            },
            Self::List(values) if values.is_empty() => None,
            Self::List(values) => {
                Some(values.iter().map(f64::to_string).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(de: D) -> Result<Self, D::Error> {
        de.deserialize_any(AnyValue { nested: true })
    }
}

/// A value inside an object: not nested any further.
struct Flat(Option<Value>);

impl<'de> Deserialize<'de> for Flat {
    fn deserialize<D: Deserializer<'de>>(de: D) -> Result<Self, D::Error> {
        de.deserialize_any(AnyValue { nested: false }).map(|value| match value {
            Value::Object(_) | Value::List(_) => Self(None),
            value => Self(Some(value)),
        })
    }
}

struct AnyValue {
    nested: bool,
}

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }
    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Number(value))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value as f64))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value as f64))
    }
    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        if !self.nested {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(Value::List(Vec::new()));
        }
        let mut numbers = Vec::new();
        let mut short = true;
        while let Some(Flat(value)) = seq.next_element()? {
            match value {
                Some(Value::Number(value)) if numbers.len() < Value::MOST => numbers.push(value),
                _ => short = false,
            }
        }
        Ok(Value::List(if short { numbers } else { Vec::new() }))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Vec::new();
        if self.nested {
            while let Some(key) = map.next_key::<String>()? {
                if let Flat(Some(value)) = map.next_value()? {
                    entries.push((key, value));
                }
            }
        } else {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        }
        Ok(Value::Object(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_may_be_null_or_text() {
        let Numbers(values) = serde_json::from_str(r#"[1, 2.5, null, "3", "", "nan"]"#).unwrap();
        let values = values.unwrap();
        assert_eq!(format!("{values:?}"), "[1.0, 2.5, NaN, 3.0, NaN, NaN]");
        assert!(serde_json::from_str::<Numbers>(r#"["x"]"#).is_err());
        assert!(serde_json::from_str::<Numbers>("null").unwrap().0.is_none());
    }

    #[test]
    fn a_row_of_gaps_with_a_negative_is_not_recorded() {
        let Gaps(gaps) = serde_json::from_str("[[0.1, 0.2], [0.1, -1], [], null]").unwrap();
        let (rows, unusable) = gaps.unwrap();
        assert_eq!(unusable, [1]);
        assert_eq!(rows.len(), 4);
        assert_eq!(rows.row(0).map(<[_]>::len), Some(2));
        assert_eq!(rows.row(1), None);
        assert_eq!(rows.row(2).map(<[_]>::len), Some(0));
        assert_eq!(rows.row(3), None);
        assert_eq!(rows.values().len(), 2);
    }

    #[test]
    fn deep_values_are_skipped() {
        let value: Value =
            serde_json::from_str(r#"{"a": 1, "b": {"c": [1]}, "d": [1], "e": "x"}"#).unwrap();
        assert_eq!(
            value,
            Value::Object(vec![
                ("a".into(), Value::Number(1.0)),
                ("e".into(), Value::Text("x".into()))
            ])
        );
    }
}
