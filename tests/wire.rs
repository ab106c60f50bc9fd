//! Whatever the engine is asked and answers crosses to the page in bytes and comes out as it went in.
#![allow(clippy::unwrap_used, reason = "a failed test is the point of a test")]

use sameruler::engine::import::import;
use sameruler::engine::protocol::{ReportRequest, SaveRequest};
use sameruler::engine::{Answer, JobId, Query, Reply, Request, Said, Session, wire};
use sameruler::model::{Limit, Metric, Stat};
use sameruler::views::Context;
use sameruler::views::curves::CurveAxes;
use sameruler::views::detective::NumberAsk;
use sameruler::views::distributions::DistributionsAsk;
use sameruler::views::explain::{ExplainAsk, SeenAsk, Slot, Source};
use sameruler::views::goodput::GoodputAsk;
use sameruler::views::requests::{RequestsAsk, RowsAsk};
use sameruler::views::server::ServerAsk;
use std::collections::BTreeSet;
use std::path::Path;

/// Two runs with every request, and a server's dump.
fn session() -> Session {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut session = Session::new();
    for file in [
        "public/samples/several-tokens-a-chunk/vllm.json",
        "public/samples/several-tokens-a-chunk/guidellm.json",
        "tests/fixtures/prometheus-dump/synthetic-page.prom",
    ] {
        let bytes = std::fs::read(root.join(file)).unwrap();
        let read = import(file, &mut &*bytes, true, &mut |_, _, _, _| {});
        session.adopt(read.runs);
        for dump in read.dumps {
            session.adopt_dump(dump).unwrap();
        }
    }
    session
}

/// The kinds of answers, counted by [`kind`].
const KINDS: usize = 26;

/// Which kind an answer is. Whoever adds one asks for it in [`questions`] and counts it in [`KINDS`].
fn kind(answer: &Answer) -> usize {
    match answer {
        Answer::Library(_) => 0,
        Answer::Numbers(_) => 1,
        Answer::Compare(_) => 2,
        Answer::Repeats(_) => 3,
        Answer::Goodput(_) => 4,
        Answer::Curves(_) => 5,
        Answer::Arrivals(_) => 6,
        Answer::Definitions(_) => 7,
        Answer::Number(_) => 8,
        Answer::Explain(_) => 9,
        Answer::Suggestion(_) => 10,
        Answer::RunCard(_) => 11,
        Answer::Window(_) => 12,
        Answer::Quality(_) => 13,
        Answer::Server(_) => 14,
        Answer::Slo(_) => 15,
        Answer::Report { .. } => 16,
        Answer::GoodputMaps(_) => 17,
        Answer::Seen(_) => 18,
        Answer::Distributions(_) => 19,
        Answer::Relations(_) => 20,
        Answer::Requests(_) => 21,
        Answer::RequestRows(_) => 22,
        Answer::Saved { .. } => 23,
        Answer::Sizes(_) => 24,
        Answer::Inside(_) => 25,
    }
}

fn questions(session: &Session) -> Vec<Query> {
    let runs: Vec<_> = session.runs().iter().map(|run| run.id.clone()).collect();
    let run = runs.first().unwrap().clone();
    let slot = |run: &_, source| {
        Some(Slot { run: Some(Clone::clone(run)), metric: Metric::Tpot, stat: Stat::Mean, source })
    };
    let explain = ExplainAsk {
        a: slot(&run, Source::Own),
        b: slot(runs.last().unwrap(), Source::Own),
        ..ExplainAsk::default()
    };
    let number = NumberAsk {
        run: Some(run.clone()),
        text: "12.3 ms".into(),
        metric: Some(Metric::Tpot),
        field: None,
    };
    vec![
        Query::Library,
        Query::Distributions { shown: DistributionsAsk::default() },
        Query::Relations,
        Query::GoodputMaps { shown: GoodputAsk::default() },
        Query::Seen(SeenAsk { text: "12.3 ms".into(), run: Some(run.clone()), servers: true }),
        Query::Requests(RequestsAsk { chosen: Some(4), ..RequestsAsk::default() }),
        Query::RequestRows(RowsAsk { count: 9, ..RowsAsk::default() }),
        Query::Numbers,
        Query::Compare,
        Query::Repeats,
        Query::Goodput { shown: GoodputAsk::default() },
        Query::Curves { axes: CurveAxes::default() },
        Query::Arrivals { run: run.clone() },
        Query::Definitions { request: 1 },
        Query::Number(number),
        Query::Explain(explain.clone()),
        Query::Suggestion,
        Query::RunCard { run },
        Query::Window { proposed: Some("brush:0..2".into()) },
        Query::Quality,
        Query::Server(ServerAsk::default()),
        Query::Slo,
        Query::Report(ReportRequest {
            date: "2026-11-30".into(),
            axes: CurveAxes::default(),
            stats: vec![Stat::Mean],
            distributions: DistributionsAsk::default(),
            explain,
            data: Some(SaveRequest::default()),
            ..ReportRequest::default()
        }),
        Query::Save(SaveRequest { date: "2026-11-30".into(), ..SaveRequest::default() }),
        Query::Sizes(SaveRequest::default()),
        Query::Inside(SaveRequest::default()),
    ]
}

#[test]
fn every_question_and_answer_comes_back_from_its_bytes() {
    let session = session();
    let limits: Vec<Limit> = ["ttft<=500ms", "itl.p99<=50ms", "e2e<=1s+output_tokens*20ms"]
        .map(|limit| limit.parse().unwrap())
        .to_vec();
    let mut kinds = BTreeSet::new();
    let context = Context {
        runs: session.runs().iter().map(|run| run.id.clone()).collect(),
        limits,
        ..Context::default()
    };
    for query in questions(&session) {
        let job = JobId(3);
        let asked = Request::Ask { job, context: context.clone(), query: query.clone() };
        assert_eq!(wire::read::<Request>(&wire::write(&asked)).unwrap(), asked);
        let answer = session.answer(&context, &query);
        kinds.insert(kind(&answer));
        let said = Said::Reply(Reply::Answer { job, answer: Box::new(answer) });
        let back: Said<Reply> = wire::read(&wire::write(&said)).unwrap();
        // As text, since what has no number need not equal itself.
        assert_eq!(format!("{back:?}"), format!("{said:?}"), "{query:?}");
    }
    assert_eq!(kinds.len(), KINDS);
}
