//! Answers as JSON: Prometheus's HTTP API, VictoriaMetrics's export, Grafana's panels and data frames.
//!
//! People save what surrounds a result as they come by it: the whole answer, its `data`, the bare list, a
//! map from query to answer, one answer a line, what Python prints of it. So no shape is asked for: wherever
//! an object has `metric` beside values, it is a series. Sources: prometheus.io/docs/prometheus/latest/
//! querying/api, docs.victoriametrics.com (`/api/v1/export`), grafana.com data frame JSON.

use super::scanner;
use super::store::Store;
use crate::model::DumpShape;
use crate::units::UnixTime;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;

/// What was met beside series.
#[derive(Debug, Default)]
pub(super) struct Met {
    /// What the server said in place of an answer.
    pub errors: Vec<String>,
    /// Series of names and labels without values.
    pub names_only: u64,
    /// Series that had no name, so an expression made them.
    pub nameless: u64,
    /// Values that are text.
    pub texts: u64,
    /// Whether it is a dashboard: queries without their results.
    pub dashboard: bool,
    /// Which shapes were met.
    pub answers: u64,
    pub exports: u64,
    pub frames: u64,
}

impl Met {
    /// The shape of most series.
    pub(super) const fn shape(&self) -> DumpShape {
        if self.frames > 0 {
            DumpShape::Grafana
        } else if self.exports > 0 {
            DumpShape::VictoriaMetrics
        } else if self.answers == 0 && self.names_only > 0 {
            DumpShape::SeriesList
        } else {
            DumpShape::Query
        }
    }
}

/// Reads one JSON document into the store.
pub(super) fn read(text: &str, store: &mut Store, met: &mut Met) -> Result<(), serde_json::Error> {
    let mut document = serde_json::Deserializer::from_str(text);
    let walk = Walk { store, met, query: None, key: "" };
    walk.deserialize(&mut document)?;
    document.end()
}

/// Words of the answers' frame; any other key above a series is the query that it answers.
const FRAME: &[&str] = &[
    "data", "result", "results", "response", "request", "frames", "series", "queries", "answers",
    "metrics", "values",
];

/// A name for series that have none.
const NAMELESS: &str = "expression";

/// A piece of JSON that is looked through.
struct Walk<'w> {
    store: &'w mut Store,
    met: &'w mut Met,
    /// The query that the piece answers, where a key above says it.
    query: Option<&'w str>,
    /// The key under which it stands.
    key: &'w str,
}

/// What a piece was, for the one that holds it.
enum Node {
    Number(f64),
    Text(String),
    /// `values` without a `metric`: the columns of a data frame.
    Columns(Vec<Cell>),
    Other,
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Other)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Node, E> {
        Ok(Node::Other)
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Number(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Number(value as f64))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        let Walk { store, met, query, key } = self;
        let mut first = Vec::new();
        let mut length = 0_usize;
        while let Some(node) =
            list.next_element_seed(Walk { store: &mut *store, met: &mut *met, query, key })?
        {
            length += 1;
            if length <= 2 {
                first.push(node);
            }
        }
        // A scalar or a string: a time and a value.
        if key == "result"
            && let ([Node::Number(time), Node::Text(value)], 2) = (first.as_slice(), length)
        {
            met.answers += 1;
            match scanner::number(value) {
                Some(value) => {
                    let name = query.unwrap_or(NAMELESS);
                    if let Some(number) = store.series::<&str, &str>(name, &[], name) {
                        store.value(number, value, Some(UnixTime::from_secs(*time)));
                    }
                }
                None => met.texts += 1,
            }
        }
        Ok(Node::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let Walk { store, met, query, key: _ } = self;
        let mut entry = Entry::default();
        let mut texts: Vec<(String, String)> = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "metric" => entry.metric = Some(map.next_value::<Labels>()?.0),
                "value" => entry.value = Some(map.next_value()?),
                "values" => entry.values = Some(map.next_value()?),
                "timestamps" => entry.timestamps = Some(map.next_value()?),
                "histogram" | "histograms" => {
                    map.next_value::<IgnoredAny>()?;
                    entry.native = true;
                }
                "fields" => entry.fields = Some(map.next_value()?),
                "schema" => entry.fields = map.next_value::<Schema>()?.fields,
                "panels" => {
                    map.next_value::<IgnoredAny>()?;
                    met.dashboard = true;
                }
                _ => {
                    let inner = if FRAME.contains(&key.as_str()) { query } else { Some(&*key) };
                    let walk = Walk { store: &mut *store, met: &mut *met, query: inner, key: &key };
                    match map.next_value_seed(walk)? {
                        Node::Text(text) => texts.push((key, text)),
                        Node::Columns(columns) => entry.columns = Some(columns),
                        Node::Number(_) | Node::Other => {}
                    }
                }
            }
        }
        let text = |key: &str| texts.iter().find(|(k, _)| k == key).map(|(_, text)| text.as_str());
        if let Some(error) = text("error").filter(|_| text("status") == Some("error")) {
            let kind = text("errorType").unwrap_or_default();
            met.errors.push(format!("{kind} {error}").trim().to_owned());
        }
        if let Some(fields) = entry.fields.take() {
            let named = text("refId").or(query);
            frame(fields, entry.columns.take(), named, store, met);
            return Ok(Node::Other);
        }
        if entry.metric.is_none() && text("__name__").is_some() {
            met.names_only += 1;
            entry.metric = Some(texts);
        } else if entry.metric.is_none() {
            return Ok(match entry.values {
                Some(Cell::Many(columns)) => Node::Columns(columns),
                _ => Node::Other,
            });
        }
        entry.take(query, store, met);
        Ok(Node::Other)
    }
}

/// What an object may hold of a series.
#[derive(Default)]
struct Entry {
    metric: Option<Vec<(String, String)>>,
    value: Option<Cell>,
    values: Option<Cell>,
    timestamps: Option<Cell>,
    native: bool,
    fields: Option<Vec<Field>>,
    columns: Option<Vec<Cell>>,
}

impl Entry {
    fn take(self, query: Option<&str>, store: &mut Store, met: &mut Met) {
        let mut labels = self.metric.unwrap_or_default();
        let at = labels.iter().position(|(label, _)| label == "__name__");
        let own = at.map(|at| labels.remove(at).1);
        met.nameless += u64::from(own.is_none());
        let name = own.as_deref().or(query).unwrap_or(NAMELESS);
        let Some(number) = store.series(name, &labels, name) else { return };
        if self.native {
            store.native();
        }
        let secs = |time: f64| Some(UnixTime::from_secs(time));
        if let Some(Cell::Many(times)) = &self.timestamps {
            met.exports += 1;
            let values = self.values.as_ref().map(Cell::many).unwrap_or_default();
            for (time, value) in times.iter().zip(values) {
                if let Some(time) = time.one() {
                    store.value(number, value.one().unwrap_or(f64::NAN), secs(time / 1e3));
                }
            }
            return;
        }
        let many = self.values.as_ref().map(Cell::many).unwrap_or_default();
        met.answers += u64::from(self.value.is_some() || self.values.is_some() || self.native);
        for pair in self.value.iter().chain(many) {
            match pair.many() {
                [time, value] => {
                    if let Some(time) = time.one() {
                        store.value(number, value.one().unwrap_or(f64::NAN), secs(time));
                    }
                }
                // A saved mapping of labels to a bare number.
                _ => {
                    if let Some(value) = pair.one() {
                        store.value(number, value, None);
                    }
                }
            }
        }
    }
}

/// A field of a data frame: a column with its labels.
#[derive(Deserialize)]
struct Field {
    #[serde(default)]
    name: String,
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    labels: Option<Labels>,
    #[serde(default)]
    config: Option<Config>,
    #[serde(default)]
    values: Option<Cell>,
}

#[derive(Deserialize)]
struct Config {
    #[serde(default, rename = "displayNameFromDS")]
    from_source: Option<String>,
    #[serde(default, rename = "displayName")]
    chosen: Option<String>,
}

#[derive(Deserialize)]
struct Schema {
    #[serde(default)]
    fields: Option<Vec<Field>>,
}

/// Takes a data frame of Grafana: one field of times in milliseconds, the others values at them.
fn frame(
    fields: Vec<Field>,
    columns: Option<Vec<Cell>>,
    query: Option<&str>,
    store: &mut Store,
    met: &mut Met,
) {
    let mut columns = columns.unwrap_or_default().into_iter();
    let fields: Vec<(Field, Option<Cell>)> = fields
        .into_iter()
        .map(|mut field| {
            let own = field.values.take();
            (field, columns.next().or(own))
        })
        .collect();
    let times = fields.iter().find(|(field, _)| field.kind == "time");
    let Some((_, Some(times))) = times else { return };
    for (field, values) in &fields {
        let Some(values) = values.as_ref().filter(|_| field.kind == "number") else { continue };
        met.frames += 1;
        let mut labels = field.labels.as_ref().map(|l| l.0.clone()).unwrap_or_default();
        let at = labels.iter().position(|(label, _)| label == "__name__");
        let own = at.map(|at| labels.remove(at).1);
        let config = field.config.as_ref();
        let legend = config.and_then(|c| c.chosen.as_deref().or(c.from_source.as_deref()));
        let plain = Some(field.name.as_str()).filter(|name| !matches!(*name, "" | "Value"));
        let name = own.as_deref().or(legend).or(plain).or(query).unwrap_or(NAMELESS);
        let Some(number) = store.series(name, &labels, name) else { continue };
        for (time, value) in times.many().iter().zip(values.many()) {
            if let (Some(time), Some(value)) = (time.one(), value.one()) {
                store.value(number, value, Some(UnixTime::from_secs(time / 1e3)));
            }
        }
    }
}

/// Labels: a map of texts. Numbers and truth values are taken as they are spelled.
struct Labels(Vec<(String, String)>);

impl<'de> Deserialize<'de> for Labels {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Text {
            Words(String),
            Number(f64),
            Truth(bool),
            Other(IgnoredAny),
        }
        let map: BTreeMap<String, Text> = BTreeMap::deserialize(deserializer)?;
        let words = |(label, text)| {
            let text = match text {
                Text::Words(text) => text,
                Text::Number(number) => number.to_string(),
                Text::Truth(truth) => truth.to_string(),
                Text::Other(_) => return None,
            };
            Some((label, text))
        };
        Ok(Self(map.into_iter().filter_map(words).collect()))
    }
}

/// A number, also as text, or a list of them.
#[derive(Debug)]
enum Cell {
    One(f64),
    Many(Vec<Cell>),
    None,
}

impl Cell {
    const fn one(&self) -> Option<f64> {
        match self {
            Self::One(value) => Some(*value),
            _ => None,
        }
    }

    fn many(&self) -> &[Self] {
        match self {
            Self::Many(cells) => cells,
            _ => &[],
        }
    }
}

impl<'de> Deserialize<'de> for Cell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Cells;
        impl<'de> Visitor<'de> for Cells {
            type Value = Cell;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("numbers")
            }
            fn visit_unit<E>(self) -> Result<Cell, E> {
                Ok(Cell::None)
            }
            fn visit_bool<E>(self, _: bool) -> Result<Cell, E> {
                Ok(Cell::None)
            }
            fn visit_f64<E>(self, value: f64) -> Result<Cell, E> {
                Ok(Cell::One(value))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Cell, E> {
                Ok(Cell::One(value as f64))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Cell, E> {
                Ok(Cell::One(value as f64))
            }
            fn visit_str<E>(self, value: &str) -> Result<Cell, E> {
                Ok(scanner::number(value).map_or(Cell::None, Cell::One))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Cell, A::Error> {
                let mut cells = Vec::new();
                while let Some(cell) = list.next_element()? {
                    cells.push(cell);
                }
                Ok(Cell::Many(cells))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Cell, A::Error> {
                // Older panels keep a field's values under `buffer`.
                let mut found = Cell::None;
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "buffer" => found = map.next_value()?,
                        _ => _ = map.next_value::<IgnoredAny>()?,
                    }
                }
                Ok(found)
            }
        }
        deserializer.deserialize_any(Cells)
    }
}
