//! Explain with numbers that are none of rows: a quantile of a server's histogram, and numbers as printed.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed test is the point of a test"
)]

mod handed;

use handed::cases;
use sameruler::charts::waterfall::BarKind;
use sameruler::engine::import::import;
use sameruler::engine::{Answer, Query, Session};
use sameruler::metrics::disagreements::Applies;
use sameruler::model::{Metric, RunId, Stat};
use sameruler::views::Context;
use sameruler::views::explain::{ExplainAsk, ExplainView, SeenAsk, Slot, Source};
use serde_json::Value as Json;
use std::path::Path;

/// A session with these files of the handed clients.
fn session(root: &Path, files: &[&str]) -> Session {
    let mut session = Session::new();
    for file in files {
        let bytes = std::fs::read(root.join(file)).unwrap();
        let read = import(file, &mut bytes.as_slice(), false, &mut |_, _, _, _| {});
        assert!(read.refused.is_empty(), "{file}: {:?}", read.refused);
        session.adopt(read.runs);
        for dump in read.dumps {
            session.adopt_dump(dump).unwrap();
        }
    }
    session
}

fn slot(run: Option<&RunId>, metric: Metric, stat: Stat, source: Source) -> Slot {
    Slot { run: run.cloned(), metric, stat, source }
}

fn explained(session: &Session, a: Slot, b: Slot) -> ExplainView {
    let ask = ExplainAsk { a: Some(a), b: Some(b), ..ExplainAsk::default() };
    match session.answer(&Context::default(), &Query::Explain(ask)) {
        Answer::Explain(view) => *view,
        other => panic!("{other:?}"),
    }
}

/// Every bar of a waterfall that lies on the way: A, what the pieces lead to one after the other, B.
fn assert_leads(view: &ExplainView) {
    let moves = |kind: BarKind| matches!(kind, BarKind::Step | BarKind::Remainder);
    let on_way = view.waterfall.rows.iter().filter(|row| moves(row.kind) && row.mark != "?");
    let mut at = end(view, BarKind::A);
    for row in on_way {
        let (from, to) = row.span.unwrap();
        assert!((from - at).abs() < 1e-9, "{:#?}", view.waterfall);
        at = to;
    }
    let last = end(view, BarKind::B);
    assert!((at - last).abs() < 1e-6 * last.abs(), "{at} does not reach {last}");
}

fn end(view: &ExplainView, kind: BarKind) -> f64 {
    view.waterfall.rows.iter().find(|row| row.kind == kind).unwrap().span.unwrap().1
}

const PAGES: [&str; 2] = ["S1/vllm/metrics_run_before.txt", "S1/vllm/metrics_run_after.txt"];

#[test]
fn a_clients_p99_leads_over_the_servers_buckets_to_the_servers_own() {
    let Some(cases) = cases() else { return };
    let root = cases.join("clients");
    let session = session(&root, &["S1/vllm/run.json", PAGES[0], PAGES[1]]);
    let text = std::fs::read_to_string(root.join("expected.json")).unwrap();
    let expected: Json = serde_json::from_str(&text).unwrap();
    let server = &expected["metrics"]["S1/vllm/metrics_run"]["histograms"];
    let run = session.runs()[0].id.clone();
    for (metric, name) in [
        (Metric::Ttft, "vllm:time_to_first_token_seconds"),
        (Metric::E2e, "vllm:e2e_request_latency_seconds"),
        (Metric::Itl, "vllm:inter_token_latency_seconds"),
    ] {
        for (stat, field, places) in
            [(Stat::Percentile(99.0), "p99_estimate", 3), (Stat::Mean, "mean", 2)]
        {
            // Either page of the pair stands for both.
            for dump in session.dumps() {
                let a = slot(Some(&run), metric, stat, Source::Own);
                let b = slot(Some(&dump.id), metric, stat, Source::Own);
                let view = explained(&session, a, b);
                assert_eq!(view.trouble, None);
                let want = server[name][field].as_f64().unwrap() * 1e3;
                let got = end(&view, BarKind::B);
                assert!((got - want).abs() < 1e-6 * want, "{name} {field}: {got} {want}");
                assert_leads(&view);
                let steps: Vec<&str> = view.steps.iter().map(|step| step.id.as_str()).collect();
                assert_eq!(steps.contains(&"percentile"), stat != Stat::Mean, "{steps:?} {places}");
                assert!(view.text.contains("the server counted"), "{}", view.text);
                assert!(view.text.contains("Clock start: send → server-arrival"), "{}", view.text);
                assert_eq!(view.slots[1].hollow, stat != Stat::Mean);
            }
        }
    }
    let view = explained(
        &session,
        slot(Some(&run), Metric::Ttft, Stat::Percentile(99.0), Source::Own),
        slot(Some(&session.dumps()[0].id), Metric::Ttft, Stat::Percentile(99.0), Source::Own),
    );
    assert!(view.steps.iter().any(|step| step.because.contains("100 ms to 250 ms")), "{view:#?}");
    // The pages are the library's too: one engine, and a bucket that is wide.
    let applies = &view.library.iter().find(|g| g.applies == Applies::Applies).unwrap().entries;
    assert!(applies.iter().any(|entry| entry.id == "bucket-edges"), "{applies:#?}");
    assert!(applies.iter().all(|entry| entry.id != "sum-over-engines"), "{applies:#?}");
}

#[test]
fn what_a_server_can_not_give_is_said() {
    let Some(cases) = cases() else { return };
    let root = cases.join("clients");
    let session = session(&root, &["S1/vllm/run.json", PAGES[0], PAGES[1]]);
    let (run, dump) = (session.runs()[0].id.clone(), session.dumps()[1].id.clone());
    let own = |id: &RunId, metric, stat| slot(Some(id), metric, stat, Source::Own);
    for (a, b, said) in [
        (own(&dump, Metric::Ttft, Stat::Mean), own(&run, Metric::Ttft, Stat::Mean), "stands in B"),
        (
            own(&run, Metric::OutputThroughput, Stat::Value),
            own(&dump, Metric::OutputThroughput, Stat::Value),
            "beside no histogram",
        ),
        (own(&run, Metric::Ttft, Stat::Std), own(&dump, Metric::Ttft, Stat::Std), "holds no"),
    ] {
        let view = explained(&session, a, b);
        assert!(view.trouble.as_ref().is_some_and(|why| why.contains(said)), "{:?}", view.trouble);
    }
}

#[test]
fn a_printed_number_leads_over_its_rows_to_the_servers() {
    let Some(cases) = cases() else { return };
    let root = cases.join("clients");
    let session = session(&root, &["S1/vllm/run.json", PAGES[0], PAGES[1]]);
    let (run, dump) = (session.runs()[0].id.clone(), session.dumps()[1].id.clone());
    for (metric, stat) in [
        (Metric::Ttft, Stat::Mean),
        (Metric::Ttft, Stat::Percentile(99.0)),
        (Metric::Itl, Stat::Mean),
    ] {
        let a = slot(Some(&run), metric, stat, Source::Reported);
        let view = explained(&session, a, slot(Some(&dump), metric, stat, Source::Own));
        assert_eq!(view.trouble, None);
        assert_leads(&view);
        assert_eq!(view.slots[0].stamp, "as printed");
        let printed = session.runs()[0].reported.find(metric, stat).unwrap().value;
        assert!((end(&view, BarKind::A) - printed).abs() < 1e-9, "{:#?}", view.waterfall);
        let rests = view.waterfall.rows.iter().filter(|row| row.kind == BarKind::Remainder);
        assert_eq!(rests.count(), 2, "the printed digits, and what lies between the two sides");
        assert!(view.fixed.is_some_and(|why| why.contains("stands in B")));
    }
}

#[test]
fn a_number_seen_on_a_dashboard_is_found_to_be_the_servers() {
    let Some(cases) = cases() else { return };
    let root = cases.join("clients");
    let session = session(&root, &["S1/vllm/run.json", PAGES[0], PAGES[1]]);
    let (run, dump) = (session.runs()[0].id.clone(), session.dumps()[1].id.clone());
    let (metric, stat) = (Metric::Ttft, Stat::Percentile(99.0));
    let a = slot(Some(&run), metric, stat, Source::Own);
    let view = explained(&session, a, slot(Some(&dump), metric, stat, Source::Own));
    let text = format!("{:.3} ms", end(&view, BarKind::B));
    let looked = |servers| {
        let ask = SeenAsk { text: text.clone(), run: Some(run.clone()), servers };
        match session.answer(&Context::default(), &Query::Seen(ask)) {
            Answer::Seen(view) => view.found,
            other => panic!("{other:?}"),
        }
    };
    let found = looked(true);
    let server = found.iter().find(|number| number.server).unwrap();
    assert_eq!((&server.slot.run, server.slot.metric), (&Some(dump), metric), "{found:#?}");
    assert_eq!(server.slot.stat, stat);
    assert!(server.words.starts_with("TTFT p99, server, "), "{}", server.words);
    assert!(looked(false).iter().all(|number| !number.server));
}

/// SGLang prints a mean ITL that its rows do not hold: the rest stands at its own end.
#[test]
fn printed_numbers_lead_over_their_rows_on_either_side() {
    let Some(cases) = cases() else { return };
    let root = cases.join("clients");
    let session = session(&root, &["S2/vllm/run.json", "S2/sglang-oai-chat/run.jsonl"]);
    let ids: Vec<RunId> = session.runs().iter().map(|run| run.id.clone()).collect();
    let mean = |id: &RunId, metric, source| slot(Some(id), metric, Stat::Mean, source);
    for (source_a, source_b) in [
        (Source::Reported, Source::Reported),
        (Source::Reported, Source::Own),
        (Source::Own, Source::Reported),
    ] {
        let prints =
            usize::from(source_a == Source::Reported) + usize::from(source_b == Source::Reported);
        let a = mean(&ids[0], Metric::Itl, source_a.clone());
        let b = mean(&ids[1], Metric::Itl, source_b.clone());
        let view = explained(&session, a, b);
        assert_eq!(view.trouble, None);
        assert_leads(&view);
        let rests = view.waterfall.rows.iter().filter(|row| row.kind == BarKind::Remainder);
        assert_eq!(rests.count(), 1 + prints, "{:#?}", view.waterfall);
        let printed = session.runs()[1].reported.find(Metric::Itl, Stat::Mean).unwrap().value;
        let last = end(&view, BarKind::B);
        assert_eq!((last - printed).abs() < 1e-9, source_b == Source::Reported);
        assert_eq!(view.slots[1].stamp == "as printed", source_b == Source::Reported);
        assert_eq!(view.slots[0].stamp == "as printed", source_a == Source::Reported);
    }
    // One run, from its rows to what was printed of them, and from one print to another.
    let view = explained(
        &session,
        mean(&ids[1], Metric::Itl, Source::Own),
        mean(&ids[1], Metric::Itl, Source::Reported),
    );
    assert_eq!(view.trouble, None);
    assert_leads(&view);
    assert!(view.headline.contains("Printed, not in the rows"), "{}", view.headline);
    let view = explained(
        &session,
        mean(&ids[0], Metric::Itl, Source::Reported),
        mean(&ids[0], Metric::Tpot, Source::Reported),
    );
    assert_leads(&view);
    let view = explained(
        &session,
        mean(&ids[0], Metric::Itl, Source::Own),
        slot(Some(&ids[0]), Metric::Itl, Stat::Percentile(12.0), Source::Reported),
    );
    assert!(view.trouble.unwrap().contains("prints no"));
}

/// Both texts hold what the screen says.
#[test]
fn the_texts_hold_all_that_the_screen_says() {
    let Some(cases) = cases() else { return };
    let root = cases.join("clients");
    let inference = "S2/inference-perf/run/per_request_lifecycle_metrics.json";
    let session = session(&root, &["S2/vllm/run.json", inference]);
    let ids: Vec<RunId> = session.runs().iter().map(|run| run.id.clone()).collect();
    let views = [
        explained(
            &session,
            slot(Some(&ids[0]), Metric::Itl, Stat::Mean, Source::Own),
            slot(Some(&ids[0]), Metric::Tpot, Stat::Mean, Source::Own),
        ),
        explained(
            &session,
            slot(Some(&ids[0]), Metric::Itl, Stat::Mean, Source::Own),
            slot(Some(&ids[1]), Metric::Itl, Stat::Mean, Source::Own),
        ),
    ];
    for view in &views {
        let plain = |text: &str| text.replace('\\', "");
        for text in [plain(&view.text), plain(&view.markdown)] {
            let mut wanted: Vec<&str> =
                vec![&view.headline, &view.left_over, &view.equal, &view.order, &view.average];
            for slot in &view.slots {
                wanted
                    .extend([&slot.title, &slot.stamp, &slot.run, &slot.value].map(String::as_str));
            }
            for step in &view.steps {
                wanted.extend(
                    [&step.title, &step.touched, &step.change, &step.because].map(String::as_str),
                );
            }
            wanted.extend(view.story.as_deref());
            wanted.extend(view.paragraph.iter().map(String::as_str).filter(|said| {
                // What is said in other words in the table.
                !said.starts_with("Nothing is left over")
                    && !said.starts_with("There is no average")
                    && !said.starts_with("Token count:")
            }));
            for entry in view
                .library
                .iter()
                .filter(|g| g.applies == Applies::Applies)
                .flat_map(|g| &g.entries)
            {
                wanted.push(&entry.amount);
            }
            for part in wanted {
                assert!(text.contains(part), "“{part}” is not in\n{text}");
            }
        }
    }
}
