//! What one file says of a server: its series, and where they come from. It is no run of requests.

use super::{Digest, Dump, Provenance, RunId};
use serde::{Deserialize, Serialize};

/// The dump of one file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ServerDump {
    /// Id from the content. Never that of a run, also where one file gives both.
    pub id: RunId,
    /// A name for people; editable.
    pub name: String,
    /// Whether the server was scripted rather than a model: said wherever it is shown.
    pub scripted: bool,
    /// Its series.
    pub dump: Dump,
    /// Where they come from.
    pub provenance: Provenance,
}

impl ServerDump {
    /// The dump of a file, called as that is.
    pub fn new(dump: Dump, provenance: Provenance) -> Self {
        let file = provenance.file.rsplit('/').next().unwrap_or_default();
        Self {
            id: Self::id_of(&provenance.sha256),
            name: file.to_owned(),
            scripted: false,
            dump,
            provenance,
        }
    }

    /// The id of the dump in the file with this digest.
    pub fn id_of(file: &Digest) -> RunId {
        RunId::of(&Digest::of(format!("{} server", file.hex()).as_bytes()), 0)
    }

    /// Seconds from the first reading to the last, where both say when they were taken.
    pub fn span(&self) -> Option<f64> {
        let times = || self.dump.scrapes.iter().filter_map(|scrape| scrape.at);
        let (first, last) = (times().next()?, times().next_back()?);
        (self.dump.scrapes.len() > 1).then(|| last.as_secs() - first.as_secs())
    }

    /// How many values it holds.
    pub fn points(&self) -> usize {
        self.dump.series.iter().map(|series| series.points.len()).sum()
    }
}
