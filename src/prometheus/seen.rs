//! What a dump holds by name: families, labels and edges, which tell an engine and its version.

use crate::model::Dump;
use std::collections::{BTreeMap, BTreeSet};

/// The names, labels and edges of a dump.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Seen {
    families: BTreeSet<String>,
    labels: BTreeSet<String>,
    /// The finite edges of each family, ascending.
    edges: BTreeMap<String, Vec<f64>>,
}

impl Seen {
    /// What `dump` holds.
    pub fn of(dump: &Dump) -> Self {
        let mut seen = Self::default();
        for series in &dump.series {
            let Some(family) = dump.families.get(series.family as usize) else { continue };
            seen.families.insert(family.name.clone());
            for (label, value) in &series.labels {
                if label != "le" {
                    seen.labels.insert(label.clone());
                } else if let Ok(edge) = value.parse::<f64>()
                    && edge.is_finite()
                    && series.name.ends_with("_bucket")
                {
                    seen.edges.entry(family.name.clone()).or_default().push(edge);
                }
            }
        }
        for edges in seen.edges.values_mut() {
            edges.sort_by(f64::total_cmp);
            edges.dedup_by(|a, b| a.total_cmp(b).is_eq());
        }
        seen
    }

    /// Whether there is a family of this name.
    pub fn has(&self, family: &str) -> bool {
        self.families.contains(family)
    }

    /// Whether any series has this label.
    pub fn has_label(&self, label: &str) -> bool {
        self.labels.contains(label)
    }

    /// The families in order of their names.
    pub fn families(&self) -> impl Iterator<Item = &str> {
        self.families.iter().map(String::as_str)
    }

    /// The finite edges of a family; empty of what is no histogram.
    pub fn edges(&self, family: &str) -> &[f64] {
        self.edges.get(family).map_or(&[], Vec::as_slice)
    }
}
