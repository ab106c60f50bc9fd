//! A whole JSON value in memory, for documents whose shape is deep and whose size is bounded by what is
//! skipped: reports, and one line or element at a time of the long lists.
//!
//! Integers stay exact: clocks in nanoseconds have nineteen digits, which no double holds.

use super::Input;
use super::documents::{self, Ticker};
use super::error::Fault;
use super::json::number_of;
use super::repair::INFINITE;
use crate::model::{Provenance, Run};
use crate::notice::Notices;
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use std::fmt;

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Tree {
    Null,
    Bool(bool),
    /// A whole number, exact.
    Int(i128),
    Float(f64),
    Text(String),
    List(Vec<Tree>),
    /// Members in file order.
    Object(Vec<(String, Tree)>),
}

impl Tree {
    /// The member of a key; the last one wins, as in Python.
    pub(super) fn get(&self, key: &str) -> Option<&Tree> {
        match self {
            Self::Object(members) => {
                members.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// The member at the end of a path of keys.
    pub(super) fn at(&self, path: &[&str]) -> Option<&Tree> {
        path.iter().try_fold(self, |tree, key| tree.get(key))
    }

    /// The number it is or spells, infinities included; `None` for a missing one.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Int(value) => Some(*value as f64),
            Self::Float(value) => Some(*value),
            Self::Text(text) => number_of(text),
            _ => None,
        }
        .filter(|value| !value.is_nan())
    }

    /// The finite number at the end of a path.
    pub(super) fn number_at(&self, path: &[&str]) -> Option<f64> {
        self.at(path)?.number().filter(|value| value.is_finite())
    }

    /// The whole number it is or spells, exact.
    pub(super) fn int(&self) -> Option<i128> {
        match self {
            Self::Int(value) => Some(*value),
            Self::Float(value) if value.fract().abs() == 0.0 && value.abs() < 1e15 => {
                Some(*value as i128)
            }
            Self::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// The text it is.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The text at the end of a path, unless it is empty.
    pub(super) fn text_at(&self, path: &[&str]) -> Option<&str> {
        self.at(path)?.text().filter(|text| !text.is_empty())
    }

    /// Its elements; none of anything but a list.
    pub(super) fn list(&self) -> &[Tree] {
        match self {
            Self::List(elements) => elements,
            _ => &[],
        }
    }

    /// Its members in file order; none of anything but an object.
    pub(super) fn members(&self) -> &[(String, Tree)] {
        match self {
            Self::Object(members) => members,
            _ => &[],
        }
    }

    /// Whether nothing is recorded: `null`.
    pub(super) fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The value in words for a list of settings; `None` where there is nothing to show.
    pub(super) fn words(&self) -> Option<String> {
        match self {
            Self::Null | Self::List(_) | Self::Object(_) => None,
            Self::Bool(value) => Some(value.to_string()),
            Self::Int(value) => Some(value.to_string()),
            Self::Float(value) => Some(value.to_string()),
            Self::Text(text) => match text.strip_suffix(INFINITE) {
                Some(sign) => Some(format!("{sign}inf")),
                None if text.is_empty() => None,
                None => Some(text.clone()),
            },
        }
    }
}

/// Reads a [`Tree`], leaving out members that are long and not needed.
#[derive(Clone, Copy)]
pub(super) struct TreeSeed<'s> {
    /// Keys whose values are passed over without being built, at any depth: texts, prompts, headers.
    pub(super) skip: &'s [&'s str],
    /// Told how far the parse is.
    pub(super) ticker: &'s Ticker<'s>,
}

impl<'de> DeserializeSeed<'de> for TreeSeed<'_> {
    type Value = Tree;
    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<Tree, D::Error> {
        de.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for TreeSeed<'_> {
    type Value = Tree;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }
    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Bool(value))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree::Int(value.into()))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree::Int(value.into()))
    }
    fn visit_f64<E>(self, value: f64) -> Result<Tree, E> {
        Ok(Tree::Float(value))
    }
    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Tree, E> {
        self.ticker.reached(text);
        Ok(Tree::Text(text.to_owned()))
    }
    fn visit_str<E>(self, text: &str) -> Result<Tree, E> {
        Ok(Tree::Text(text.to_owned()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Tree, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = seq.next_element_seed(self)? {
            elements.push(element);
        }
        Ok(Tree::List(elements))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree, A::Error> {
        let mut members = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            if self.skip.contains(&key.as_str()) {
                map.next_value::<IgnoredAny>()?;
            } else {
                members.push((key, map.next_value_seed(self)?));
            }
        }
        Ok(Tree::Object(members))
    }
}

/// Reads a [`Tree`] and turns it into something smaller at once, so that a list of a million elements
/// never holds a million trees.
pub(super) struct Each<'s, T> {
    /// How the trees are read.
    pub(super) seed: TreeSeed<'s>,
    /// What becomes of one; an error is a wrong value, said in words.
    pub(super) convert: &'s dyn Fn(Tree) -> Result<T, String>,
}

impl<T> Clone for Each<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Each<'_, T> {}

impl<'de, T> DeserializeSeed<'de> for Each<'_, T> {
    type Value = T;
    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<T, D::Error> {
        let tree = self.seed.deserialize(de)?;
        self.seed.ticker.add(1);
        (self.convert)(tree).map_err(D::Error::custom)
    }
}

/// Reads every object of a file, or every element of its one list, into a run.
pub(super) fn runs(
    mut input: Input<'_>,
    format: &str,
    out: &mut Notices,
    run: fn(&Tree, Provenance) -> Run,
) -> Result<Vec<Run>, Fault> {
    let found = {
        let ticker = Ticker::new(input.text.len() as u64, &mut input.progress);
        let seed = TreeSeed { skip: &[], ticker: &ticker };
        documents::read(input.text, seed, &ticker, out)?
    };
    let of = found.len();
    let runs = found.iter().enumerate();
    Ok(runs.map(|(at, found)| run(&found.value, input.provenance(format, at, of))).collect())
}

#[cfg(test)]
mod tests {
    use super::super::documents;
    use super::*;
    use crate::notice::Notices;

    fn trees(text: &str, skip: &[&str]) -> Vec<Tree> {
        let mut silent = |_| {};
        let ticker = Ticker::new(text.len() as u64, &mut silent);
        let seed = TreeSeed { skip, ticker: &ticker };
        let read = documents::read(text, seed, &ticker, &mut Notices::new());
        read.unwrap_or_default().into_iter().map(|one| one.value).collect()
    }

    #[test]
    fn nanoseconds_stay_exact() {
        let tree = trees("{\"a\": {\"b\": 1768000000123456789, \"c\": 18446744073709551615}}", &[]);
        assert_eq!(tree[0].at(&["a", "b"]).and_then(Tree::int), Some(1_768_000_000_123_456_789));
        assert_eq!(tree[0].at(&["a", "c"]).and_then(Tree::int), Some(u64::MAX.into()));
    }

    #[test]
    fn missing_null_and_zero_are_three_things() {
        let tree = &trees("{\"a\": null, \"b\": 0}", &[])[0];
        assert_eq!(tree.get("a"), Some(&Tree::Null));
        assert_eq!(tree.number_at(&["b"]), Some(0.0));
        assert_eq!(tree.get("c"), None);
    }

    #[test]
    fn skipped_members_are_not_there() {
        let tree =
            &trees("{\"a\": 1, \"text\": {\"deep\": [1, 2]}, \"b\": {\"text\": \"x\"}}", &["text"])
                [0];
        assert_eq!(tree.members().len(), 2);
        assert_eq!(tree.at(&["b", "text"]), None);
    }

    #[test]
    fn elements_are_converted_one_by_one() {
        let text = "{\"a\": 1}\n{\"a\": 2}\n";
        let mut silent = |_| {};
        let ticker = Ticker::new(text.len() as u64, &mut silent);
        let seed = TreeSeed { skip: &[], ticker: &ticker };
        let convert = |tree: Tree| tree.number_at(&["a"]).ok_or_else(|| "no a".to_owned());
        let each = Each { seed, convert: &convert };
        let read = documents::read(text, each, &ticker, &mut Notices::new()).unwrap_or_default();
        assert_eq!(read.iter().map(|one| one.value).collect::<Vec<_>>(), [1.0, 2.0]);
    }
}
