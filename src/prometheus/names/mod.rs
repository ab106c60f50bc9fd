//! What servers' metrics mean: one table, one file an engine.
//!
//! A row says what is measured, from when to when, per what, in which unit, since which version and what
//! came in its place. `docs/server-metrics.md` is written from here. “Since” is the first of the releases
//! that were read in source; a dash is the oldest of them.

mod dynamo;
mod http;
mod llamacpp;
mod llm_d;
mod measure;
mod sglang;
mod tgi;
mod triton;
mod trtllm;
mod version;
mod vllm;

pub use measure::{Measure, Per, UnitOf, Vantage};
pub use version::Version;
pub(super) use version::span as versions;

use super::seen::Seen;
use crate::model::FamilyKind;

/// How series of one gauge become one number where processes or engines each export their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fold {
    /// Added up over engines: requests, tokens. Of the processes of one engine the largest counts.
    Sum,
    /// Kept apart for each engine, since a share of one engine and of another is none of both. Of the
    /// processes of one engine the largest counts.
    Apart,
}

/// One metric of one engine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Name {
    /// The family's name without the engine's prefix; a counter's with `_total` where it has one.
    pub name: &'static str,
    /// Its kind.
    pub kind: FamilyKind,
    /// What is measured.
    pub measure: Measure,
    /// Where the clock stands.
    pub vantage: Vantage,
    /// What one observation is of, or what one count counts.
    pub per: Per,
    /// Its unit.
    pub unit: UnitOf,
    /// From when to when, or what is counted: a clause.
    pub what: &'static str,
    /// First version that has it.
    pub since: Option<Version>,
    /// Last version that has it.
    pub until: Option<Version>,
    /// The name before or after a renaming.
    pub instead: Option<&'static str>,
    /// Labels with a meaning, which are never summed over.
    pub labels: &'static [&'static str],
    /// How copies of a gauge become one.
    pub fold: Fold,
    /// What to know before reading it: sentences, or nothing.
    pub note: &'static str,
}

impl Name {
    const fn new(
        kind: FamilyKind,
        name: &'static str,
        measure: Measure,
        per: Per,
        what: &'static str,
    ) -> Self {
        Self {
            name,
            kind,
            measure,
            vantage: Vantage::Server,
            per,
            unit: measure.unit(),
            what,
            since: None,
            until: None,
            instead: None,
            labels: &[],
            fold: Fold::Sum,
            note: "",
        }
    }

    const fn histogram(name: &'static str, measure: Measure, per: Per, what: &'static str) -> Self {
        Self::new(FamilyKind::Histogram, name, measure, per, what)
    }

    const fn counter(name: &'static str, measure: Measure, per: Per, what: &'static str) -> Self {
        Self::new(FamilyKind::Counter, name, measure, per, what)
    }

    const fn gauge(name: &'static str, measure: Measure, what: &'static str) -> Self {
        Self::new(FamilyKind::Gauge, name, measure, Per::Moment, what)
    }

    const fn since(mut self, major: u32, minor: u32, patch: u32) -> Self {
        self.since = Some(Version::new(major, minor, patch));
        self
    }

    const fn until(mut self, major: u32, minor: u32, patch: u32) -> Self {
        self.until = Some(Version::new(major, minor, patch));
        self
    }

    const fn instead(mut self, name: &'static str) -> Self {
        self.instead = Some(name);
        self
    }

    const fn by(mut self, labels: &'static [&'static str]) -> Self {
        self.labels = labels;
        self
    }

    const fn at(mut self, vantage: Vantage) -> Self {
        self.vantage = vantage;
        self
    }

    const fn unit(mut self, unit: UnitOf) -> Self {
        self.unit = unit;
        self
    }

    const fn apart(mut self) -> Self {
        self.fold = Fold::Apart;
        self
    }

    const fn note(mut self, note: &'static str) -> Self {
        self.note = note;
        self
    }

    /// The stable id of what it means: `ttft/server`.
    pub fn meaning(&self) -> String {
        format!("{}/{}", self.measure.id(), self.vantage.id())
    }

    /// Since which version to which, as text: “0.11.0…”.
    pub fn versions(&self) -> String {
        versions(self.since, self.until)
    }
}

/// A way of writing an engine's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prefix {
    /// What stands before the name; empty for bare names.
    pub text: &'static str,
    /// Who writes it so.
    pub by: &'static str,
    /// A bare name of which one has to be there, where the prefix is empty: else any file would match.
    pub marks: &'static [&'static str],
}

/// An engine, router or layer that exports metrics.
#[derive(Debug, Clone, Copy)]
pub struct Exporter {
    /// Stable id, as in JSON.
    pub id: &'static str,
    /// Its name.
    pub name: &'static str,
    /// How its names may begin.
    pub prefixes: &'static [Prefix],
    /// Its metrics.
    pub names: &'static [Name],
    /// Edges that tell a version.
    pub edges: &'static [Edges],
    /// Labels that tell one, with the first version that writes them.
    pub labels: &'static [(&'static str, Version)],
    /// What to know of all of them: sentences.
    pub note: &'static str,
}

/// Edges that a family has in some versions by default.
#[derive(Debug, Clone, Copy)]
pub struct Edges {
    /// The family's name.
    pub name: &'static str,
    /// The finite edges.
    pub edges: &'static [f64],
    /// First version that has them.
    pub since: Version,
    /// Last version that has them.
    pub until: Option<Version>,
}

/// All exporters. The first that a file has names of is its engine.
pub static EXPORTERS: &[&Exporter] = &[
    &vllm::VLLM,
    &sglang::SGLANG,
    &trtllm::TRTLLM,
    &tgi::TGI,
    &llamacpp::LLAMACPP,
    &triton::TRITON,
    &dynamo::DYNAMO,
    &llm_d::LLM_D,
    &http::HTTP,
];

/// A name of a file, understood.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    /// Whose it is.
    pub exporter: &'static Exporter,
    /// How it was written.
    pub prefix: &'static Prefix,
    /// Its row.
    pub name: &'static Name,
}

/// What a family of a file is. Bare names are taken for an engine's only where the file has one of the
/// names that mark it.
pub fn known(family: &str, seen: &Seen) -> Option<Known> {
    for exporter in EXPORTERS {
        for prefix in exporter.prefixes {
            let Some(rest) = family.strip_prefix(prefix.text) else { continue };
            if prefix.text.is_empty() && !prefix.marks.iter().any(|mark| seen.has(mark)) {
                continue;
            }
            // OpenMetrics names a counter's family without `_total`.
            let is =
                |name: &&Name| name.name == rest || name.name.strip_suffix("_total") == Some(rest);
            if let Some(name) = exporter.names.iter().find(is) {
                return Some(Known { exporter, prefix, name });
            }
        }
    }
    None
}
