//! What a server says of itself: pages of `/metrics`, answers of Prometheus, exports of what stores them.
//!
//! Thin on purpose: `prometheus` reads the text. A dump is no run and gives none.

use super::error::{ErrorKind, Fault};
use super::{About, Format, Head, Input, Phase, Progress, Verdict};
use crate::model::{Dump, Run};
use crate::notice::{Notices, Place};
use crate::prometheus::{self, Looks, Unread};

/// A dump of a server's metrics.
pub(super) struct PrometheusDump;

static ABOUT: About = About {
    name: "server metrics",
    file: "`curl …/metrics`, once or again and again into one file; `/federate`; answers of `query` and \
           `query_range`; `promtool tsdb dump` and `dump-openmetrics`; VictoriaMetrics’ `/api/v1/export`; a \
           panel of Grafana as CSV or JSON",
    versions: "Prometheus text 0.0.4, OpenMetrics 1.0, the HTTP API of Prometheus 2 and 3; metrics of any \
               server, those of vLLM, SGLang, TGI, TensorRT-LLM, Triton, Dynamo, llama.cpp and the llm-d \
               router by name",
    recognised: "`# TYPE` lines or lines of `name{labels} value`; JSON with `resultType`, or objects with \
                 `metric` beside values; frames of Grafana, or a table whose first column is `Time`",
    reads: &[
        "every series with its labels; counters, gauges, histograms, summaries, by TYPE and without",
        "several scrapes of one file apart, with the dates, headings or timestamps between them",
        "answers bare, wrapped, one a line, as a map from query to answer, and as Python prints them",
        "what was pasted around a page (prompts, fences, `...`) is left out line by line, counted and named",
        "of more than a million values the readings between the first and the last are thinned; rises and \
         restarts of counters stay exact",
    ],
    limits: &[
        "a dump is no run of requests: it stands beside runs and never among them",
        "native histograms are recognised and not supported; exemplars are not kept",
        "answers and panels may be what an expression made: their buckets are weights, no counts",
        "`/api/v1/series` and `promtool … --format json` hold names without values",
        "a panel’s times have no zone and its values are rounded",
    ],
}
.lean();

impl Format for PrometheusDump {
    fn id(&self) -> &'static str {
        "prometheus-dump"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        let Some(text) = head.text.as_deref() else { return Verdict::No };
        if let Some(why) = json(head) {
            return Verdict::Certain(why.into());
        }
        let whole = head.size <= head.bytes.len() as u64;
        let text = text.trim_start();
        if text.starts_with("{'") || text.starts_with("[{'") {
            let answer = text.contains("'metric':") || text.contains("'resultType':");
            return if answer {
                Verdict::Certain("it is an answer of Prometheus as Python prints it".into())
            } else {
                Verdict::No
            };
        }
        match prometheus::looks(text, whole) {
            Some(Looks::Certain(why)) => Verdict::Certain(why.into()),
            Some(Looks::Likely(why)) => Verdict::Likely(why.into()),
            None => Verdict::No,
        }
    }

    /// No run: [`Format::dump`] is what there is.
    fn parse(&self, _: Input<'_>, _: &mut Notices) -> Result<Vec<Run>, Fault> {
        Ok(Vec::new())
    }

    fn dump(&self, input: &mut Input<'_>, out: &mut Notices) -> Result<Option<Dump>, Fault> {
        let total = input.size;
        let progress = &mut input.progress;
        let read = prometheus::read_told(input.text, out, &mut |done, records| {
            progress(Progress { phase: Phase::Parsing, done: done.min(total), total, records });
        });
        read.map(Some).map_err(fault)
    }
}

/// Why JSON is one of these, if it is.
fn json(head: &Head<'_>) -> Option<&'static str> {
    let json = head.json.as_ref()?;
    let has = |keys: &[&str]| json.has_all(keys);
    if head.contains("\"resultType\"") && (head.contains("\"result\"") || !json.complete) {
        return Some("it has resultType, as an answer of Prometheus");
    }
    if json.has("__name__") || (has(&["status", "data"]) && head.contains("\"__name__\"")) {
        return Some("it lists series by __name__");
    }
    if has(&["metric", "values", "timestamps"]) {
        return Some("it has metric, values and timestamps, as VictoriaMetrics exports");
    }
    if json.has("metric") && json.has_any(&["value", "values", "histogram", "histograms"]) {
        return Some("it has metric beside values, as an answer of Prometheus");
    }
    if has(&["status", "errorType", "error"]) {
        return Some("it is an error of Prometheus");
    }
    let frames = json.has_any(&["schema", "series", "results", "response", "frames"]);
    if frames && head.contains("\"fields\"") && head.contains("\"type\":") {
        let time = head.contains("\"time\"");
        return time.then_some("it has fields of a data frame of Grafana");
    }
    None
}

fn fault(unread: Unread) -> Fault {
    match unread {
        Unread::Json { line, column, said } => {
            Fault::at(Place::LineColumn { line, column }, ErrorKind::BrokenJson { said })
        }
        other => Fault::whole(ErrorKind::NoSeries { said: other.to_string() }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Head, recognise};

    #[test]
    fn each_wrapping_is_recognised() {
        let texts = [
            "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[]}}",
            "{\"resultType\":\"matrix\",\"result\":[]}",
            "[{\"metric\":{},\"value\":[1,\"2\"]}]",
            "{\"ttft p99\":{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[]}}}",
            "{'status': 'success', 'data': {'resultType': 'vector', 'result': []}}",
            "{\"metric\":{\"__name__\":\"up\"},\"values\":[1],\"timestamps\":[1000]}\n",
            "{\"__name__\":\"up\",\"job\":\"a\"}\n",
            "{\"status\":\"success\",\"data\":[{\"__name__\":\"up\"}]}",
            "{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"x\"}",
            "{\"schema\":{\"fields\":[{\"name\":\"Time\",\"type\":\"time\"}]},\"data\":{\"values\":[[]]}}",
            "\u{feff}# HELP a b\r\n# TYPE a gauge\r\na 1\r\n",
            "StatusCode        : 200\r\nContent           : # TYPE a gauge\r\n                    a 1\r\n",
        ];
        for text in texts {
            let head = Head::new("x", text.as_bytes(), text.len() as u64);
            let found = recognise(&head).map(|found| found.format.id());
            assert_eq!(found.ok(), Some("prometheus-dump"), "{text}");
        }
    }
}
