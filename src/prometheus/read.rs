//! One file of server metrics, whatever its shape, into a dump.

use super::answers::{self, Met};
use super::documents;
use super::pages::Pages;
use super::panel_table;
use super::store::Store;
use crate::model::{Dump, DumpShape};
use crate::notice::{Notices, Place, Severity};
use std::borrow::Cow;

/// How much is fed at once.
const PIECE: usize = 1 << 20;

/// Why a file gives no dump.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Unread {
    /// Neither a sample nor a series.
    #[error(
        "no sample was found: {}; expected lines of `name{{labels}} value`, such as \
         `vllm:num_requests_running 3`",
        beside_samples(*.left_out)
    )]
    NoSamples {
        /// How many lines were left out.
        left_out: u64,
    },
    /// The server answered that it could not.
    #[error("the file holds an error of the server and no values: {0}")]
    Refused(String),
    /// A dashboard: queries without what they gave.
    #[error("it is a dashboard of Grafana: its queries, and none of their results")]
    Dashboard,
    /// Broken JSON.
    #[error("broken JSON: {said}")]
    Json {
        /// Line of the file, from 1.
        line: u64,
        /// Column, from 1.
        column: u64,
        /// What the JSON reader said.
        said: String,
    },
    /// JSON of something else.
    #[error(
        "it is JSON, and no answer of Prometheus: expected `resultType` and `result`, or objects with \
         `metric` beside `value` or `values`"
    )]
    NoAnswer,
    /// An answer without any series.
    #[error("the answer holds no series: its query found nothing in that range")]
    EmptyAnswer,
}

/// Reads a file of server metrics: pages of `/metrics`, answers of the HTTP API, dumps of `promtool`,
/// exports of VictoriaMetrics and Grafana. What was left out or is to be known stands in `out`.
///
/// # Errors
/// [`Unread`] where the file holds neither a value nor a series.
pub fn read(text: &str, out: &mut Notices) -> Result<Dump, Unread> {
    read_told(text, out, &mut |_, _| {})
}

/// [`read`], telling how many bytes are done and samples were read.
///
/// # Errors
/// As [`read`].
pub fn read_told(
    text: &str,
    out: &mut Notices,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Dump, Unread> {
    let text = text.trim_start_matches('\u{feff}');
    if let Some((separator, said)) = panel_table::separator(text) {
        let mut store = Store::new(DumpShape::Grafana);
        panel_table::read(text.get(said..).unwrap_or_default(), separator, &mut store, out);
        derived(out);
        return Some(store.finish(out)).filter(has_series).ok_or(Unread::EmptyAnswer);
    }
    if is_json(text) {
        return read_answers(text, out);
    }
    let mut pages = Pages::new(ends_openmetrics(text.as_bytes()));
    let mut done = 0;
    for piece in text.as_bytes().chunks(PIECE) {
        pages.feed(piece);
        done += piece.len() as u64;
        progress(done, pages.samples());
    }
    let mut said = Notices::new();
    let dump = pages.finish(&mut said);
    if has_series(&dump) {
        out.extend(said);
        return Ok(dump);
    }
    // Answers under headings, such as those of several `curl` in one log.
    if text.contains("\"metric\"") || text.contains("'metric'") {
        return read_answers(text, out);
    }
    let left_out = said.iter().filter(|n| n.kind == "skipped-line").map(|n| n.count).sum();
    Err(Unread::NoSamples { left_out })
}

/// Reads pages of exposition text alone: text 0.0.4, OpenMetrics, a federation page, `promtool tsdb dump`.
/// Never fails: what is no sample is left out, counted and named in `out`.
pub fn read_text(bytes: &[u8], out: &mut Notices) -> Dump {
    let mut pages = Pages::new(ends_openmetrics(bytes));
    pages.feed(bytes);
    pages.finish(out)
}

/// What a file without a sample holds.
fn beside_samples(left_out: u64) -> String {
    match left_out {
        0 => "there are comments alone, or nothing".to_owned(),
        1 => "1 line is something else".to_owned(),
        many => format!("{many} lines are something else"),
    }
}

/// Whether JSON has the words of an answer, a list of series or a data frame.
fn is_answer(text: &str) -> bool {
    const WORDS: &[&str] =
        &["result", "resultType", "metric", "__name__", "fields", "frames", "schema"];
    let quoted =
        |word: &&str| text.contains(&format!("\"{word}\"")) || text.contains(&format!("'{word}'"));
    WORDS.iter().any(quoted)
}

const fn has_series(dump: &Dump) -> bool {
    !dump.series.is_empty()
}

/// Whether the last line is `# EOF`, which ends OpenMetrics.
fn ends_openmetrics(bytes: &[u8]) -> bool {
    bytes.trim_ascii_end().ends_with(b"# EOF")
}

/// Whether a text begins as JSON or as what Python prints of it. `promtool` and UTF-8 names begin with a
/// brace as well.
fn is_json(text: &str) -> bool {
    let text = text.trim_start();
    let Some(inside) = text.strip_prefix('{') else { return text.starts_with('[') };
    let inside = inside.trim_start();
    let Some(quote @ ('"' | '\'')) = inside.chars().next() else { return inside.starts_with('}') };
    let rest = inside.get(1..).unwrap_or_default();
    rest.split_once(quote).is_some_and(|(_, behind)| behind.trim_start().starts_with(':'))
}

fn read_answers(text: &str, out: &mut Notices) -> Result<Dump, Unread> {
    let mut store = Store::new(DumpShape::Query);
    let mut met = Met::default();
    let python = documents::is_python(text);
    let mut broken = None;
    for document in documents::documents(text) {
        let json = if python || documents::is_python(document.text) {
            documents::from_python(document.text)
        } else {
            Cow::Borrowed(document.text)
        };
        if let Err(error) = answers::read(&json, &mut store, &mut met) {
            let line = document.line + error.line().saturating_sub(1) as u64;
            let column = error.column() as u64;
            let place = Place::LineColumn { line, column };
            let said = "An answer was left out from where its JSON is broken.";
            out.add(Severity::Warn, "skipped-line", place, said);
            broken.get_or_insert(Unread::Json { line, column, said: error.to_string() });
        }
    }
    for error in &met.errors {
        let said = format!("The server answered with an error: {error}.");
        out.add(Severity::Warn, "error-answer", Place::WholeFile, said);
    }
    if store.is_empty() {
        return Err(match (met.errors.first(), broken) {
            (Some(error), _) => Unread::Refused(error.clone()),
            (None, Some(broken)) => broken,
            (None, None) if met.dashboard => Unread::Dashboard,
            (None, None) if is_answer(text) => Unread::EmptyAnswer,
            (None, None) => Unread::NoAnswer,
        });
    }
    store.shape = met.shape();
    say(&met, out);
    Ok(store.finish(out))
}

fn say(met: &Met, out: &mut Notices) {
    if met.shape() == DumpShape::SeriesList {
        let said = "The file lists names and labels of series and not one value: scrape `/metrics`, or \
                    ask `query_range` for them.";
        out.add(Severity::Warn, "no-values", Place::WholeFile, said);
    }
    if met.frames > 0 {
        derived(out);
    }
    if met.nameless > 0 && met.shape() == DumpShape::Query {
        let said = "Series without a name are what an expression made, such as a rate: they are read as \
                    curves. Buckets among them are weights, no counts.";
        out.add_many(Severity::Note, "derived", Place::WholeFile, met.nameless, said);
    }
    if met.texts > 0 {
        let said = "An answer is a text and no number; it was left out.";
        out.add_many(Severity::Note, "text-answer", Place::WholeFile, met.texts, said);
    }
}

fn derived(out: &mut Notices) {
    let said = "A panel’s values are what its expressions made of the server’s series, rounded and at its \
                own steps: they are curves to set beside others, no buckets or counters.";
    out.add(Severity::Note, "derived", Place::WholeFile, said);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::FamilyKind;

    fn dump(text: &str) -> (Dump, Vec<String>) {
        let mut out = Notices::new();
        let dump = read(text, &mut out).unwrap();
        (dump, out.iter().map(|n| n.kind.clone()).collect())
    }

    /// Name, labels, points as time and value.
    fn series(dump: &Dump) -> Vec<String> {
        let words = |s: &crate::model::Series| {
            let points: Vec<String> = s
                .points
                .iter()
                .map(|p| {
                    format!("{}@{}", p.value, p.at.map_or(-1.0, crate::units::UnixTime::as_secs))
                })
                .collect();
            let labels: Vec<_> = s.labels.iter().map(|(l, v)| format!("{l}={v}")).collect();
            format!("{}{{{}}} {}", s.name, labels.join(","), points.join(" "))
        };
        dump.series.iter().map(words).collect()
    }

    const VECTOR: &str = "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[\
        {\"metric\":{\"__name__\":\"h_bucket\",\"le\":\"1\"},\"value\":[10.5,\"3\"]},\
        {\"metric\":{\"__name__\":\"h_bucket\",\"le\":\"+Inf\"},\"value\":[10.5,\"+Inf\"]}]}}";

    #[test]
    fn an_answer_reads_in_every_wrapping() {
        let want = ["h_bucket{le=1} 3@10.5", "h_bucket{le=+Inf} inf@10.5"];
        let list = &VECTOR[VECTOR.find('[').unwrap()..VECTOR.len() - 2];
        let python = VECTOR.replace('"', "'");
        let map = format!("{{\"my query\": {VECTOR}}}");
        let lines = format!("# asked twice\n{VECTOR}\n{VECTOR}\n");
        for text in [VECTOR, list, &python, &map] {
            let (dump, _) = dump(text);
            assert_eq!(series(&dump), want, "{text}");
            assert_eq!(dump.shape, DumpShape::Query);
            assert_eq!(dump.families[0].kind, FamilyKind::Histogram);
        }
        assert_eq!(series(&dump(&lines).0)[0], "h_bucket{le=1} 3@10.5 3@10.5");
    }

    #[test]
    fn a_range_has_a_reading_a_step() {
        let text = "{\"data\":{\"resultType\":\"matrix\",\"result\":[{\"metric\":{\"a\":\"b\"},\"values\":\
                    [[10,\"1\"],[20,\"NaN\"]]},{\"metric\":{\"a\":\"c\"},\"values\":[[20,\"2\"]],\
                    \"histograms\":[[20,{\"count\":\"1\"}]]}]}}";
        let (dump, kinds) = dump(&format!("{{\"rate(x[1m])\": {text}}}"));
        assert_eq!(series(&dump), ["rate(x[1m]){a=b} 1@10 NaN@20", "rate(x[1m]){a=c} 2@20"]);
        assert_eq!(dump.scrapes.len(), 2);
        assert_eq!(dump.series[1].points[0].scrape, 1);
        assert_eq!(kinds, ["derived", "native-histogram"]);
    }

    #[test]
    fn scalars_and_errors_are_told() {
        let scalar =
            "{\"status\":\"success\",\"data\":{\"resultType\":\"scalar\",\"result\":[5,\"7\"]}}";
        assert_eq!(series(&dump(scalar).0), ["expression{} 7@5"]);
        let mut out = Notices::new();
        let error = "{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"parse error\"}";
        assert_eq!(read(error, &mut out), Err(Unread::Refused("bad_data parse error".into())));
        assert_eq!(read("{\"data\":{\"result\":[]}}", &mut out), Err(Unread::EmptyAnswer));
        assert_eq!(read("{\"panels\":[{\"targets\":[]}]}", &mut out), Err(Unread::Dashboard));
        assert_eq!(read("{\"p99_ttft_ms\":3}", &mut out), Err(Unread::NoAnswer));
        assert!(matches!(read("{\"data\":{\"result\":[", &mut out), Err(Unread::Json { .. })));
        assert_eq!(read("nothing here", &mut out), Err(Unread::NoSamples { left_out: 1 }));
        let empty = read("# HELP a b\n# EOF\n", &mut out).unwrap_err().to_string();
        assert!(
            empty.contains("comments alone")
                && empty.contains("expected lines of `name{labels} value`"),
            "{empty}"
        );
    }

    #[test]
    fn lists_of_series_have_no_values() {
        for text in [
            "{\"__name__\":\"up\",\"job\":\"a\"}\n{\"__name__\":\"up\",\"job\":\"b\"}\n",
            "{\"status\":\"success\",\"data\":[{\"__name__\":\"up\",\"job\":\"a\"},\
             {\"__name__\":\"up\",\"job\":\"b\"}]}",
        ] {
            let (dump, kinds) = dump(text);
            assert_eq!(series(&dump), ["up{job=a} ", "up{job=b} "]);
            assert_eq!((dump.shape, dump.scrapes.len()), (DumpShape::SeriesList, 0));
            assert_eq!(kinds, ["no-values"]);
        }
    }

    #[test]
    fn victoria_metrics_writes_milliseconds() {
        let line =
            "{\"metric\":{\"__name__\":\"up\"},\"values\":[1,null],\"timestamps\":[1000,2000]}\n";
        let later = "{\"metric\":{\"__name__\":\"up\"},\"values\":[3],\"timestamps\":[3000]}\n";
        let (dump, _) = dump(&[line, later].concat());
        assert_eq!(series(&dump), ["up{} 1@1 NaN@2 3@3"]);
        assert_eq!(dump.shape, DumpShape::VictoriaMetrics);
    }

    #[test]
    fn grafana_is_read_in_each_of_its_forms() {
        let schema = "{\"refId\":\"A\",\"fields\":[{\"name\":\"Time\",\"type\":\"time\"},{\"name\":\"Value\",\
                      \"type\":\"number\",\"labels\":{\"pod\":\"p\"},\"config\":{\"displayNameFromDS\":\"p99\"}}]}";
        let frame =
            format!("{{\"schema\":{schema},\"data\":{{\"values\":[[1000,2000],[0.5,null]]}}}}");
        let inspector =
            format!("{{\"response\":{{\"results\":{{\"A\":{{\"frames\":[{frame}]}}}}}}}}");
        let panel = "{\"state\":\"Done\",\"series\":[{\"refId\":\"A\",\"fields\":[{\"name\":\"Time\",\"type\":\
                     \"time\",\"values\":[1000,2000]},{\"name\":\"p99\",\"type\":\"number\",\"labels\":{\"pod\":\
                     \"p\"},\"values\":{\"buffer\":[0.5,null]}}]}]}";
        for text in [frame.as_str(), &inspector, panel] {
            let (dump, kinds) = dump(text);
            assert_eq!(series(&dump), ["p99{pod=p} 0.5@1"], "{text}");
            assert_eq!((dump.shape, kinds), (DumpShape::Grafana, vec!["derived".to_owned()]));
        }
        let table = "sep=,\n\"Time\",\"up{pod=\"\"p\"\"}\",\"p99 of all\"\n2025-11-29 10:00:00,350 ms,\n\
                     2025-11-29 10:00:15,0.5 s,45%\n";
        let (dump, kinds) = dump(table);
        assert_eq!(
            series(&dump),
            ["up{pod=p} 0.35@1764410400 0.5@1764410415", "p99 of all{} 0.45@1764410415"]
        );
        assert_eq!(dump.families[0].unit.as_deref(), Some("s"));
        assert_eq!(kinds, ["no-time-zone", "derived"]);
    }

    #[test]
    fn braces_before_a_name_are_no_json() {
        for text in ["{__name__=\"a\", b=\"c\"} 1 1000\n", "{\"a\",\"b\"=\"c\"} 1\n"] {
            assert_eq!(dump(text).0.series[0].name, "a");
        }
    }
}
