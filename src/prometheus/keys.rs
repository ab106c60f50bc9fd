//! Which series are one thing: labels that carry meaning, labels that name a copy, labels that name a place.

use super::names::Name;
use crate::model::{Dump, FamilyKind};
use std::collections::{BTreeMap, BTreeSet};

/// Labels in order of their names.
pub(super) type Labels = Vec<(String, String)>;

/// What a label does to the series that differ in it alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// They are different things and stay apart.
    Meaning,
    /// They are copies of one thing: the largest counts.
    Copy,
    /// They are parts of one thing and are added up.
    Part,
}

/// A label that was taken out of the keys, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folded {
    /// The label.
    pub label: String,
    /// Its values, in order.
    pub values: Vec<String>,
    /// How its series became one.
    pub role: Role,
    /// Of gauges rather than of counters and histograms.
    pub gauges: bool,
}

impl Folded {
    /// The rule as a sentence: “Counters and histograms are added up over engine (0, 1).”
    pub fn sentence(&self) -> String {
        const SHOWN: usize = 4;
        let mut values = self.values.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
        if self.values.len() > SHOWN {
            values = format!("{} values", self.values.len());
        }
        let what = if self.gauges { "Gauges" } else { "Counters and histograms" };
        match self.role {
            Role::Copy => format!(
                "{what} that differ in {} alone ({values}) are copies of one another: the largest is taken, \
                 never a sum or a mean.",
                self.label
            ),
            _ => format!("{what} are added up over {} ({values}).", self.label),
        }
    }
}

/// Copies of one thing: ranks of one engine, which work on the same requests.
const RANKS: &[&str] = &["tp_rank", "pp_rank"];

/// A process of one engine: each exports every gauge, and only one knows.
const PROCESS: &str = "pid";

/// Names of the model served: never added up over two.
const MODELS: &[&str] = &["model_name", "model", "target_model_name", "served_model_name"];

/// Where something runs and who collected it: labels of any family that only name a part.
const PLACES: &[&str] = &[
    "engine",
    "engine_index",
    "engine_type",
    "dp_rank",
    "moe_ep_rank",
    "is_streaming",
    "instance",
    "pod",
    "pod_name",
    "job",
    "namespace",
    "container",
    "endpoint",
    "node",
    "host",
    "hostname",
    "service",
    "cluster",
    "replica",
    "replica_id",
    "ReplicaId",
    "WorkerId",
    "worker_id",
    "deployment",
    "application",
    "prometheus",
    "prometheus_replica",
];

/// The rule by which the labels of a dump become keys.
#[derive(Debug)]
pub(super) struct Keys<'a> {
    by: &'a [String],
    /// Model labels with more than one value: two models are two things.
    models: BTreeSet<&'static str>,
    folded: BTreeMap<(bool, String, Role), BTreeSet<String>>,
}

impl<'a> Keys<'a> {
    /// The rule for `dump`, with labels by which it is to be split.
    pub(super) fn new(dump: &Dump, by: &'a [String]) -> Self {
        let several = |label: &&&str| {
            let values: BTreeSet<&str> =
                dump.series.iter().filter_map(|series| series.label(label)).collect();
            values.len() > 1
        };
        let models = MODELS.iter().filter(several).copied().collect();
        Self { by, models, folded: BTreeMap::new() }
    }

    /// The role of a label in a family.
    pub(super) fn role(&self, label: &str, name: Option<&Name>, kind: FamilyKind) -> Role {
        if self.by.iter().any(|by| by == label) {
            return Role::Meaning;
        }
        let gauge = kind == FamilyKind::Gauge;
        if RANKS.contains(&label) || (gauge && label == PROCESS) {
            return Role::Copy;
        }
        if MODELS.contains(&label) {
            return if self.models.contains(label) { Role::Meaning } else { Role::Part };
        }
        match name {
            Some(name) if name.labels.contains(&label) => Role::Meaning,
            Some(name) if gauge && name.fold == super::names::Fold::Apart => Role::Meaning,
            Some(_) => Role::Part,
            None if label == PROCESS => Role::Part,
            None if PLACES.contains(&label) && !gauge => Role::Part,
            None => Role::Meaning,
        }
    }

    /// Remembers which labels with more than one value were folded in a family.
    pub(super) fn remember(&mut self, name: Option<&Name>, kind: FamilyKind, all: &[&Labels]) {
        let mut values: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (label, value) in all.iter().flat_map(|labels| labels.iter()) {
            values.entry(label).or_default().insert(value);
        }
        for (label, values) in values {
            let role = self.role(label, name, kind);
            if role != Role::Meaning && values.len() > 1 {
                let place = (kind == FamilyKind::Gauge, label.to_owned(), role);
                let so_far = self.folded.entry(place).or_default();
                so_far.extend(values.into_iter().map(str::to_owned));
            }
        }
    }

    /// What was folded, in order of the labels.
    pub(super) fn folded(self) -> Vec<Folded> {
        let folded = self.folded.into_iter().map(|((gauges, label, role), values)| Folded {
            label,
            values: values.into_iter().collect(),
            role,
            gauges,
        });
        folded.collect()
    }
}

/// A series as PromQL writes it: `name{label="value"}`.
pub(super) fn key(family: &str, labels: &Labels) -> String {
    if labels.is_empty() {
        return family.to_owned();
    }
    let escaped =
        |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let labels: Vec<String> =
        labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    format!("{family}{{{}}}", labels.join(","))
}
