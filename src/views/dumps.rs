//! What servers said of themselves, as the Library and the command list it.

use super::numbers::count;
use crate::model::{DumpShape, FamilyKind, RunId, ServerDump};
use crate::notice::Severity;
use crate::units::{bytes, fixed, significant};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// One dump in the Library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerRow {
    /// The dump.
    pub id: RunId,
    /// Editable name.
    pub name: String,
    /// File name with folders.
    pub file: String,
    /// "a metrics page".
    pub what: String,
    /// "40 families, 317 series, 2 scrapes over 30.0 s".
    pub holds: String,
    /// The models that it names.
    pub models: String,
    /// With its unit.
    pub size: String,
    /// First 8 digits of the file's digest.
    pub hash: String,
    /// What to know of it, the gravest first.
    pub notices: Vec<String>,
    /// How many of those are warnings.
    pub warnings: usize,
    /// Whether the server was scripted, not a model.
    pub scripted: bool,
}

/// What a dump holds, counted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Holds {
    /// Families with their series.
    pub families: usize,
    /// Of these, histograms.
    pub histograms: usize,
    /// Counters.
    pub counters: usize,
    /// Gauges.
    pub gauges: usize,
    /// Summaries.
    pub summaries: usize,
    /// Series.
    pub series: usize,
    /// Values.
    pub values: usize,
    /// Readings: pages, or times of a range.
    pub readings: usize,
    /// When the first was taken, in seconds since 1970.
    pub first: Option<f64>,
    /// When the last was taken.
    pub last: Option<f64>,
    /// Models that its labels name.
    pub models: Vec<String>,
}

impl Holds {
    /// What a dump holds.
    pub fn of(server: &ServerDump) -> Self {
        let dump = &server.dump;
        let kinds = |kind| dump.families.iter().filter(|family| family.kind == kind).count();
        let times = || dump.scrapes.iter().filter_map(|scrape| scrape.at);
        let models: BTreeSet<&str> = dump
            .series
            .iter()
            .filter_map(|series| series.label("model_name").or_else(|| series.label("model")))
            .collect();
        Self {
            families: dump.families.len(),
            histograms: kinds(FamilyKind::Histogram),
            counters: kinds(FamilyKind::Counter),
            gauges: kinds(FamilyKind::Gauge),
            summaries: kinds(FamilyKind::Summary),
            series: dump.series.len(),
            values: server.points(),
            readings: dump.scrapes.len(),
            first: times().next().map(super::super::units::UnixTime::as_secs),
            last: times().next_back().map(super::super::units::UnixTime::as_secs),
            models: models.into_iter().map(str::to_owned).collect(),
        }
    }

    /// The same in words: "40 families, 317 series, 2 scrapes over 30.0 s".
    pub fn words(&self, shape: DumpShape) -> String {
        let mut words = vec![
            match self.families {
                1 => "1 family".to_owned(),
                n => format!("{} families", fixed(n as f64, 0)),
            },
            format!("{} series", fixed(self.series as f64, 0)),
        ];
        let what = if shape == DumpShape::Exposition { "scrape" } else { "reading" };
        let span = self.first.zip(self.last).filter(|_| self.readings > 1);
        words.push(match (self.readings, span) {
            (0, _) => "no value".to_owned(),
            (n, Some((first, last))) => {
                format!("{} over {} s", count(n, what), significant(last - first, 3))
            }
            (n, None) => count(n, what),
        });
        words.join(", ")
    }
}

/// The dumps as rows.
pub fn rows(dumps: &[&ServerDump]) -> Vec<ServerRow> {
    dumps.iter().map(|server| row(server)).collect()
}

fn row(server: &ServerDump) -> ServerRow {
    let holds = Holds::of(server);
    let provenance = &server.provenance;
    let mut notices: Vec<_> = provenance.notices.iter().collect();
    notices.sort_by_key(|notice| std::cmp::Reverse(notice.severity));
    let words = |notice: &&crate::notice::Notice| match notice.count {
        1 => notice.text.clone(),
        n => format!("{} ({} times)", notice.text, fixed(n as f64, 0)),
    };
    ServerRow {
        id: server.id.clone(),
        name: server.name.clone(),
        file: provenance.file.clone(),
        what: server.dump.shape.name().to_owned(),
        holds: holds.words(server.dump.shape),
        models: holds.models.join(", "),
        size: bytes(provenance.bytes),
        hash: provenance.sha256.short(8).to_owned(),
        notices: notices.iter().map(words).collect(),
        warnings: provenance.notices.at_least(Severity::Warn),
        scripted: server.scripted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Digest, Provenance};
    use crate::notice::Notices;
    use crate::prometheus;

    #[test]
    fn a_dump_is_told_in_words() {
        let text = "1764410400\n# TYPE a gauge\na{model_name=\"m\"} 1\nb_total 1\n1764410430\n\
                    # TYPE a gauge\na{model_name=\"m\"} 2\nwhat is this\n";
        let mut notices = Notices::new();
        let dump = prometheus::read(text, &mut notices).unwrap();
        let provenance =
            Provenance::new("box/a.prom", 120, Digest::of(b""), "prometheus-dump", "x");
        let server = ServerDump::new(dump, Provenance { notices, ..provenance });
        let row = rows(&[&server]).remove(0);
        assert_eq!(row.holds, "2 families, 2 series, 2 scrapes over 30.0 s");
        assert_eq!((row.name.as_str(), row.models.as_str(), row.warnings), ("a.prom", "m", 1));
        assert!(row.notices[0].starts_with("A line was left out"), "{:?}", row.notices);
        assert!(row.what.contains("metrics page"));
    }
}
