//! What the two offline benchmarks of vLLM share: a run without a server, known by its totals.

use super::documents::Document;
use super::error::{ErrorKind, Fault};
use super::record::{self, Record};
use super::{Input, add_setting};
use crate::model::{
    Load, Memory, Metric, Provenance, Reported, ReportedValue, Run, RunId, Stat, Tool, ToolVersion,
    Workload,
};
use crate::notice::{Notices, Place, Severity};

/// Reads every object of the file into a run by `fill`, which adds what is of its kind.
pub(super) fn read(
    input: Input<'_>,
    format: &str,
    name: &str,
    out: &mut Notices,
    fill: fn(&mut Run, Record) -> Result<(), ErrorKind>,
) -> Result<Vec<Run>, Fault> {
    record::runs(input, format, "label", out, |Document { value, place }, provenance| {
        let mut run = empty(name, provenance);
        fill(&mut run, value).map_err(|kind| Fault::at(place, kind))?;
        Ok(run)
    })
}

pub(super) fn empty(name: &str, mut provenance: Provenance) -> Run {
    provenance.notices.add(
        Severity::Warn,
        "offline",
        Place::WholeFile,
        "An offline benchmark: no server, no stream and no arrivals, so its numbers do not stand \
         beside those of a serving benchmark.",
    );
    Run {
        id: RunId::of(&provenance.sha256, provenance.index),
        name: name.to_owned(),
        tool: Tool::Vllm,
        version: ToolVersion::default(),
        scripted: false,
        load: Load::default(),
        workload: Workload { endpoint: Some("offline".into()), ..Workload::default() },
        requests: None,
        group: None,
        said_gpus: None,
        said_mark: None,
        reported: Reported::default(),
        provenance,
        memory: Memory::default(),
    }
}

/// Adds the printed number of `field`, or says that the key is missing.
pub(super) fn add(
    run: &mut Run,
    record: &Record,
    field: &str,
    metric: Metric,
    stat: Stat,
    scale: f64,
) -> Result<(), ErrorKind> {
    let value =
        record.number(field).ok_or_else(|| ErrorKind::MissingKey { key: field.to_owned() })?;
    push(run, field, metric, stat, value, scale);
    Ok(())
}

/// Adds one printed number given in the file's unit.
pub(super) fn push(run: &mut Run, field: &str, metric: Metric, stat: Stat, value: f64, scale: f64) {
    if value.is_finite() {
        let (field, value) = (field.to_owned(), value * scale);
        run.reported.values.push(ReportedValue { field, metric, stat, value, scale });
    }
}

/// Keeps every value whose key is not among `known` as a setting.
pub(super) fn keep_rest(run: &mut Run, record: &Record, known: &[&str]) {
    for (key, value) in record.values.iter().filter(|(key, _)| !known.contains(&key.as_str())) {
        if key == "model_id" {
            run.workload.model = value.text().map(str::to_owned);
        } else {
            add_setting(&mut run.workload.settings, key, value);
        }
    }
}
