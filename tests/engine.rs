//! The whole flow without a browser: import, adopt, ask, remove, report.
#![expect(clippy::expect_used, clippy::panic, reason = "helpers of tests fail loudly")]

use sameruler::engine::import::import;
use sameruler::engine::protocol::{Phase, ReportRequest};
use sameruler::engine::{Answer, ByteSource, JobId, Query, Refusal, Reply, Request, Session};
use sameruler::model::{FamilyKind, Limit, LimitMetric, Metric, Run, RunId, Stat, dump_pack, pack};
use sameruler::views::compare::{CellValue, CompareView, Sign};
use sameruler::views::curves::{CurveAxes, CurvesView};
use sameruler::views::distributions::DistributionsAsk;
use sameruler::views::explain::ExplainAsk;
use sameruler::views::{Context, Ruler};

/// A result with requests: `rows` of TTFT in seconds, gaps in seconds, output tokens.
fn vllm_file(rate: f64, duration: f64, rows: &[(f64, &[f64], u32)]) -> Vec<u8> {
    let list = |items: Vec<String>| format!("[{}]", items.join(","));
    let total: u32 = rows.iter().map(|r| r.2).sum();
    let mean_ttft = 1e3 * rows.iter().map(|r| r.0).sum::<f64>() / rows.len() as f64;
    format!(
        r#"{{"date":"20260101-000000","endpoint_type":"openai","backend":"openai","label":null,
        "model_id":"m","tokenizer_id":"m","num_prompts":{n},"request_rate":{rate},"burstiness":1.0,
        "max_concurrency":null,"duration":{duration},"completed":{n},"failed":0,
        "total_input_tokens":{input},"total_output_tokens":{total},
        "request_throughput":{throughput},"output_throughput":{output},
        "total_token_throughput":{both},"mean_ttft_ms":{mean_ttft},
        "input_lens":{inputs},"output_lens":{outputs},"ttfts":{ttfts},"itls":{itls},
        "generated_texts":{texts},"errors":{texts}}}"#,
        n = rows.len(),
        input = 10 * rows.len(),
        throughput = rows.len() as f64 / duration,
        output = f64::from(total) / duration,
        both = (f64::from(total) + 10.0 * rows.len() as f64) / duration,
        inputs = list(rows.iter().map(|_| "10".to_owned()).collect()),
        outputs = list(rows.iter().map(|r| r.2.to_string()).collect()),
        ttfts = list(rows.iter().map(|r| r.0.to_string()).collect()),
        itls = list(rows.iter().map(|r| format!("{:?}", r.1)).collect()),
        texts = list(rows.iter().map(|_| "\"\"".to_owned()).collect()),
    )
    .into_bytes()
}

fn read(file: &str, bytes: &[u8]) -> Result<Vec<Run>, Refusal> {
    let mut source = bytes;
    import(file, &mut source, false, &mut |_, _, _, _| {}).whole()
}

/// A sweep of three loads whose middle one has the best goodput under TTFT ≤ 150 ms.
fn sweep() -> Session {
    let gaps: &[f64] = &[0.02, 0.03];
    let loads = [(2.0, 5.0, [0.1; 10]), (4.0, 2.5, [0.12; 10]), (8.0, 2.0, [0.9; 10])];
    let mut session = Session::new();
    for (rate, duration, ttfts) in loads {
        let rows: Vec<_> = ttfts.iter().map(|ttft| (*ttft, gaps, 3)).collect();
        let file = format!("sweep/rate{rate}.json");
        session.adopt(read(&file, &vllm_file(rate, duration, &rows)).expect("a good file"));
    }
    session
}

fn all(session: &Session) -> Vec<RunId> {
    session.runs().iter().map(|run| run.id.clone()).collect()
}

fn compare(session: &Session, context: &Context) -> CompareView {
    match session.answer(context, &Query::Compare) {
        Answer::Compare(view) => view,
        other => panic!("{other:?}"),
    }
}

fn curves(session: &Session, context: &Context) -> CurvesView {
    match session.answer(context, &Query::Curves { axes: CurveAxes::default() }) {
        Answer::Curves(view) => view,
        other => panic!("{other:?}"),
    }
}

fn ttft(millis: f64) -> Vec<Limit> {
    vec![Limit::at_most(LimitMetric::Ttft, millis)]
}

#[test]
fn an_import_reads_reports_progress_and_names_what_it_is() {
    let bytes = vllm_file(2.0, 5.0, &[(0.1, &[0.02], 2)]);
    let mut phases: Vec<Phase> = Vec::new();
    let mut source = bytes.as_slice();
    let runs = import("a.json", &mut source, true, &mut |phase, done, total, _| {
        assert!(done <= total);
        if phases.last() != Some(&phase) {
            phases.push(phase);
        }
    })
    .whole()
    .expect("a good file");
    assert_eq!(phases.first(), Some(&Phase::Recognising));
    assert!(phases.contains(&Phase::Reading) && phases.contains(&Phase::Parsing), "{phases:?}");
    assert!(runs.iter().all(|run| run.scripted), "a sample says that its server was scripted");
}

/// A source that answers in small pieces and then breaks.
struct Breaking(u64);

impl ByteSource for Breaking {
    fn len(&self) -> u64 {
        1 << 20
    }
    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<usize, String> {
        if offset >= self.0 {
            return Err("it changed since it was chosen".into());
        }
        let text = br#"{"duration":1,"completed":1,"total_input_tokens":1,"model_id":"m","#;
        for (at, byte) in into.iter_mut().enumerate() {
            *byte = text.get(offset as usize + at).copied().unwrap_or(b' ');
        }
        Ok(into.len().min(1000))
    }
}

#[test]
fn a_file_that_breaks_while_read_is_refused_with_place_and_advice() {
    let refusal = import("a.json", &mut Breaking(100), false, &mut |_, _, _, _| {})
        .whole()
        .expect_err("it can't be read");
    assert_eq!(refusal.file, "a.json");
    assert!(refusal.error.contains("changed"), "{refusal:?}");
    assert!(refusal.place.starts_with("byte"), "{refusal:?}");
    assert!(!refusal.advice.is_empty());
}

#[test]
fn zeros_are_refused_from_the_head_alone() {
    struct Zeros;
    impl ByteSource for Zeros {
        fn len(&self) -> u64 {
            200_000_000
        }
        fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<usize, String> {
            assert!(offset < 1 << 17, "the rest must not be read");
            into.fill(0);
            Ok(into.len())
        }
    }
    let refusal = import("zeros.json", &mut Zeros, false, &mut |_, _, _, _| {})
        .whole()
        .expect_err("nothing in it");
    assert!(refusal.error.contains("zero"), "{refusal:?}");
}

#[test]
fn packs_are_adopted_once_and_damage_is_said() {
    let mut session = Session::new();
    let run = read("a.json", &vllm_file(2.0, 5.0, &[(0.1, &[0.02], 2)])).expect("good").remove(0);
    let packed = pack::encode(&run).expect("it packs");
    let adopt = |session: &mut Session, bytes: Vec<u8>| {
        session.handle(Request::Adopt { job: JobId(1) }, &[bytes]).remove(0).0
    };
    assert!(
        matches!(adopt(&mut session, packed.clone()), Reply::Adopted { added, .. } if added.len() == 1)
    );
    let again = adopt(&mut session, packed.clone());
    assert!(
        matches!(again, Reply::Adopted { added, duplicates, .. } if added.is_empty() && duplicates.len() == 1)
    );
    let damaged = adopt(&mut session, packed[..packed.len() - 4].to_vec());
    assert!(
        matches!(damaged, Reply::Failed { job: JobId(1), message } if message.contains("damaged"))
    );
    assert_eq!(session.runs().len(), 1, "nothing loaded is lost");
}

#[test]
fn removed_runs_come_back_and_names_stay() {
    let mut session = sweep();
    let id = all(&session)[0].clone();
    session.handle(Request::Rename { id: id.clone(), name: "first".into() }, &[]);
    session.handle(Request::Remove { ids: vec![id.clone()] }, &[]);
    assert_eq!(session.runs().len(), 2);
    session.handle(Request::Restore { ids: vec![id] }, &[]);
    assert_eq!(session.runs()[0].name, "first");
}

#[test]
fn a_limit_moves_the_goodput_peak() {
    let session = sweep();
    let under = |millis: f64| {
        let context = Context { runs: all(&session), limits: ttft(millis), ..Context::default() };
        let view = curves(&session, &context);
        let spec = view.main.expect("a chart");
        let series = spec.series.first().expect("one sweep").clone();
        series.points.iter().position(|p| p.flag.as_ref().is_some_and(|f| f.peak().is_some()))
    };
    assert_eq!(under(110.0), Some(0), "only the lowest load is fast enough");
    assert_eq!(under(150.0), Some(1));
    assert_eq!(under(1000.0), Some(2));
    assert_eq!(under(10.0), None, "no request is good, so there is no peak");
}

#[test]
fn saturation_names_the_rate_that_is_known() {
    // No send times in these files: 8 req/s were asked for, 5 are served.
    let spec = curves(&sweep(), &Context::default()).main.expect("a chart");
    let text = spec.zones.first().and_then(|zone| zone.text.clone()).expect("it saturates");
    assert!(text.ends_with("the rate asked for"), "{text}");
}

#[test]
fn two_sweeps_of_one_tool_are_told_apart_on_the_chart() {
    let gaps: &[f64] = &[0.02, 0.03];
    let mut session = sweep();
    for (rate, duration) in [(3.0, 5.0), (6.0, 2.5)] {
        let rows: Vec<_> = [0.2; 10].iter().map(|ttft| (*ttft, gaps, 3)).collect();
        let file = format!("other/rate{rate}.json");
        session.adopt(read(&file, &vllm_file(rate, duration, &rows)).expect("a good file"));
    }
    let spec = curves(&session, &Context::default()).main.expect("a chart");
    let mut names: Vec<_> = spec.series.iter().map(|s| s.name.clone()).collect();
    names.sort();
    assert_eq!(names, ["vLLM other", "vLLM sweep"]);
}

#[test]
fn one_load_is_a_point_with_a_table_and_no_line() {
    let mut session = Session::new();
    session.adopt(read("a.json", &vllm_file(2.0, 5.0, &[(0.1, &[0.02], 2)])).expect("good"));
    let view = curves(&session, &Context::default());
    assert!(view.empty.expect("said").contains("no curve"));
    assert_eq!(view.table.rows.len(), 1);
    let spec = view.main.expect("one dot");
    assert!(!spec.series[0].line);
}

#[test]
fn the_ruler_changes_the_number_and_its_stamp() {
    let session = sweep();
    let runs = vec![all(&session)[0].clone()];
    let tpot = |ruler: Ruler| {
        let view = compare(&session, &Context { runs: runs.clone(), ruler, ..Context::default() });
        let row = view
            .groups
            .iter()
            .flat_map(|g| &g.rows)
            .find(|r| r.metric == Metric::Tpot)
            .expect("a row")
            .clone();
        match &row.cells[0].value {
            CellValue::Plain { full, .. } => (full.parse::<f64>().expect("a number"), row.stamp),
            other => panic!("{other:?}"),
        }
    };
    let (after_first, stamp) = tpot(Ruler::default());
    // (0.15 − 0.10) ÷ 2 = 25 ms; 0.15 ÷ 3 = 50 ms.
    assert!((after_first - 25.0).abs() < 1e-9);
    let (whole, other) = tpot(Ruler::Same {
        preset: "common".into(),
        changes: [("tpot".to_owned(), "whole-over-n".to_owned())].into(),
    });
    assert!((whole - 50.0).abs() < 1e-9);
    assert_ne!(stamp, other);
}

#[test]
fn printed_values_carry_their_sign() {
    let session = sweep();
    let view = compare(&session, &Context { runs: all(&session), ..Context::default() });
    let row = |metric| {
        view.groups.iter().flat_map(|g| &g.rows).find(|r| r.metric == metric).expect("a row")
    };
    for cell in &row(Metric::OutputThroughput).cells {
        assert_eq!(cell.reported.as_ref().map(|r| r.sign), Some(Sign::Equal));
    }
    let context = Context { runs: all(&session), stat: Stat::Mean, ..Context::default() };
    let view = compare(&session, &context);
    assert!(view.columns.iter().all(|c| c.reproduced_all), "{:?}", view.columns);
    assert_eq!(view.signs.differs, 0);
}

#[test]
fn a_sweep_is_found_by_its_peak_and_its_loads_have_names() {
    let session = sweep();
    let context = Context { runs: all(&session), limits: ttft(150.0), ..Context::default() };
    let view = compare(&session, &context);
    assert!(view.headline.starts_with("Goodput peaks at 4 req/s"), "{}", view.headline);
    let names: Vec<&str> = view.columns.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["vLLM, 2 req/s", "vLLM, 4 req/s", "vLLM, 8 req/s"]);
    let view = compare(&session, &Context { limits: Vec::new(), ..context });
    assert_eq!(view.headline, "vLLM: 3 loads, 2 to 8 req/s");
    assert_eq!(view.detail, "From 2 to 8 req/s, median TTFT goes from 100 to 900 ms.");
}

#[test]
fn mixed_definitions_take_no_differences() {
    let session = sweep();
    let context = Context { runs: all(&session), ruler: Ruler::Own, ..Context::default() };
    let view = compare(&session, &context);
    assert!(view.banner.is_some());
    let cells = view.groups.iter().flat_map(|g| &g.rows).flat_map(|r| &r.cells);
    assert!(cells.clone().count() > 0);
    assert!(cells.into_iter().all(|c| c.difference.is_none() && c.no_difference.is_none()));
}

#[test]
fn every_question_is_answered_of_an_empty_session() {
    let session = Session::new();
    let gone = RunId::parse("0123456789ab").expect("an id");
    let context = Context { runs: vec![gone.clone()], ..Context::default() };
    for query in [
        Query::Library,
        Query::Compare,
        Query::Curves { axes: CurveAxes::default() },
        Query::Definitions { request: 7 },
        Query::RunCard { run: gone },
        Query::Quality,
    ] {
        session.answer(&context, &query);
    }
}

#[test]
fn the_report_is_the_same_bytes_for_the_same_input() {
    let session = sweep();
    let context = Context { runs: all(&session), limits: ttft(150.0), ..Context::default() };
    let query = Query::Report(ReportRequest {
        date: "2026-11-29".into(),
        axes: CurveAxes::default(),
        stats: vec![Stat::Median, Stat::Percentile(99.0)],
        distributions: DistributionsAsk::default(),
        explain: ExplainAsk::default(),
        data: None,
        ..ReportRequest::default()
    });
    let page = || match session.answer(&context, &query) {
        Answer::Report { html, .. } => html,
        other => panic!("{other:?}"),
    };
    assert_eq!(page(), page());
    assert!(page().contains("<svg"), "the sweep is drawn");
    assert!(!page().contains("<script"), "no script");
}

#[test]
fn what_was_explained_stands_in_the_report_and_nothing_that_was_not() {
    let session = sweep();
    let context = Context { runs: all(&session), ..Context::default() };
    let Answer::Explain(view) = session.answer(&context, &Query::Explain(ExplainAsk::default()))
    else {
        panic!("another answer");
    };
    let page = |explain: ExplainAsk| {
        let request = ReportRequest {
            date: "2026-11-29".into(),
            axes: CurveAxes::default(),
            stats: vec![Stat::Median],
            distributions: DistributionsAsk::default(),
            explain,
            data: None,
            ..ReportRequest::default()
        };
        match session.answer(&context, &Query::Report(request)) {
            Answer::Report { html, .. } => html,
            other => panic!("{other:?}"),
        }
    };
    let with = page(view.ask.clone());
    assert!(with.contains("Why the printed numbers differ"), "{}", view.headline);
    for step in &view.steps {
        assert!(with.contains(&step.change), "{}", step.title);
    }
    // Nothing was chosen, and the runs of one tool's sweep disagree in nothing.
    let none = page(ExplainAsk::default());
    assert!(!none.contains("Why the printed numbers differ"));
}

#[test]
fn what_a_server_says_of_itself_stands_beside_the_runs_and_never_among_them() {
    let page =
        "# TYPE vllm:num_requests_waiting gauge\nvllm:num_requests_waiting{model_name=\"m\"} 3\n";
    let mut source = page.as_bytes();
    let imported = import("box/after.prom", &mut source, true, &mut |_, _, _, _| {});
    assert!(imported.runs.is_empty() && imported.refused.is_empty(), "{imported:?}");
    let dump = imported.dumps.into_iter().next().expect("a dump");
    let mut session = sweep();
    let runs = session.runs().len();
    let packs: Vec<Vec<u8>> = vec![dump_pack::encode(&dump).expect("a pack"); 2];
    let replies = session.handle(Request::Adopt { job: JobId(1) }, &packs);
    let Some((Reply::Adopted { added, dumps, duplicates, .. }, _)) = replies.into_iter().next()
    else {
        panic!("it is adopted")
    };
    assert_eq!((added, dumps.as_slice()), (Vec::new(), std::slice::from_ref(&dump.id)));
    assert_eq!(
        duplicates.first().map(|twin| (twin.pack, twin.name.as_str())),
        Some((1, "after.prom"))
    );
    assert_eq!(session.runs().len(), runs);
    let library = |session: &Session| match session.answer(&Context::default(), &Query::Library) {
        Answer::Library(view) => view,
        other => panic!("{other:?}"),
    };
    let view = library(&session);
    let row = view.servers.first().expect("a row");
    assert_eq!(row.holds, "1 family, 1 series, 1 scrape");
    assert!(
        row.scripted && view.summary.ends_with("; 1 file of server metrics"),
        "{}",
        view.summary
    );
    assert!(view.groups.iter().all(|group| group.rows.iter().all(|run| run.id != dump.id)));
    session.handle(Request::Remove { ids: vec![dump.id.clone()] }, &[]);
    assert!(library(&session).servers.is_empty() && session.dumps().is_empty());
    session.handle(Request::Restore { ids: vec![dump.id.clone()] }, &[]);
    session.handle(Request::Rename { id: dump.id.clone(), name: "after".into() }, &[]);
    assert_eq!(session.dump(&dump.id).map(|dump| dump.name.as_str()), Some("after"));
}

#[test]
fn scrapes_of_aiperf_are_a_run_of_the_server_and_its_series() {
    let line = |time: u64, tokens: u32| {
        format!(
            "{{\"endpoint_url\": \"http://a\", \"timestamp_ns\": {time}000000000, \"metrics\": {{\"tokens\": \
             [{{\"labels\": {{\"engine\": \"0\"}}, \"value\": {tokens}}}], \"ttft\": [{{\"buckets\": {{\"0.1\": \
             {tokens}, \"+Inf\": {tokens}}}, \"sum\": 1.5, \"count\": {tokens}}}]}}}}\n"
        )
    };
    let text = [line(1_764_410_400, 5), line(1_764_410_430, 9)].concat();
    let imported = import("x.jsonl", &mut text.as_bytes(), false, &mut |_, _, _, _| {});
    assert_eq!((imported.runs.len(), imported.dumps.len()), (1, 1));
    let dump = imported.dumps.first().expect("a dump");
    assert_ne!(imported.runs.first().map(|run| &run.id), Some(&dump.id));
    assert_eq!(dump.span(), Some(30.0));
    let kinds: Vec<_> = dump.dump.families.iter().map(|f| (f.name.as_str(), f.kind)).collect();
    assert_eq!(kinds, [("tokens", FamilyKind::Unknown), ("ttft", FamilyKind::Histogram)]);
}
