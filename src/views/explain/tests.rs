use super::*;
use crate::metrics::testing::run;

/// Chunks of several tokens: 40 ms a gap between chunks, 16 ms a token.
fn chunked() -> Run {
    run(&[(100.0, &[40.0, 40.0], 6.0)])
}

fn slot(metric: Metric, changes: &[(&str, &str)]) -> Slot {
    let changes = changes.iter().map(|(d, c)| ((*d).to_owned(), (*c).to_owned())).collect();
    let ruler = Ruler::Same { preset: "common".into(), changes };
    Slot { run: None, metric, stat: Stat::Mean, source: Source::Ruler(ruler) }
}

fn ask(a: Slot, b: Slot) -> ExplainAsk {
    ExplainAsk { a: Some(a), b: Some(b), ..ExplainAsk::default() }
}

#[test]
fn two_definitions_of_one_run_are_explained_without_a_rest() {
    let run = chunked();
    let tpot = slot(Metric::Tpot, &[]);
    let whole = slot(Metric::Tpot, &[("tpot", "whole-over-n")]);
    let view = explain(&[&run], &[], &Context::default(), &ask(tpot, whole));
    assert_eq!(view.trouble, None);
    assert_eq!(view.mode, Some(Mode::SameRows));
    assert_eq!(view.steps.len(), 1, "{:?}", view.steps);
    // (180 − 100) ÷ 5 = 16 ms and 180 ÷ 6 = 30 ms.
    for text in [&view.text, &view.markdown] {
        assert!(text.contains("16.0") && text.contains("30.0") && text.contains("+14.0"), "{text}");
    }
    assert!(!view.library.is_empty());
}

#[test]
fn one_definition_twice_is_no_step() {
    let run = chunked();
    let (a, b) = (slot(Metric::Tpot, &[]), slot(Metric::Tpot, &[]));
    let view = explain(&[&run], &[], &Context::default(), &ask(a, b));
    assert!(view.steps.is_empty(), "{:?}", view.steps);
}

#[test]
fn a_run_that_is_not_loaded_is_asked_for() {
    let run = chunked();
    let other = RunId::parse("0123456789ab");
    let a = Slot { run: other, ..slot(Metric::Tpot, &[]) };
    let view = explain(&[&run], &[], &Context::default(), &ask(a, slot(Metric::Tpot, &[])));
    assert!(view.trouble.is_some_and(|said| said.contains("drop its file")));
    assert!(view.steps.is_empty());
}

#[test]
fn loads_that_differ_stand_beside_what_no_definition_explains() {
    let loaded = |at: u8, cap: u32, gap: f64| {
        let mut run = run(&[(100.0, &[gap, gap], 3.0), (110.0, &[gap, gap], 3.0)]);
        run.id = RunId::parse(&format!("0123456789a{at}")).unwrap();
        run.name = format!("run {at}");
        run.load.max_concurrency = Some(cap.into());
        run
    };
    let (one, other) = (loaded(1, 1, 13.0), loaded(2, 16, 15.0));
    let of = |run: &Run| Slot { run: Some(run.id.clone()), ..slot(Metric::Tpot, &[]) };
    let asked = ask(of(&one), of(&other));
    let view = explain(&[&one, &other], &[], &Context::default(), &asked);
    let says = "The load differs: at most 1 in flight against 16.";
    assert!(view.paragraph.iter().any(|said| said.contains(says)), "{:?}", view.paragraph);
    for text in [&view.text, &view.markdown] {
        assert!(text.contains(says), "{text}");
    }
    let same = loaded(3, 1, 15.0);
    let view = explain(&[&one, &same], &[], &Context::default(), &ask(of(&one), of(&same)));
    assert!(!view.text.contains("The load differs"), "{}", view.text);
}
