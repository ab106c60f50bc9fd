//! Quality: findings of the selected runs, what is decided about them, and what that changes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed test is the point of a test"
)]

mod build;

use build::{Table, run};
use sameruler::model::{Digest, Run, RunId, Tool};
use sameruler::notice::{Place, Severity};
use sameruler::views::compare::compare;
use sameruler::views::quality::{
    FindingRow, QualityView, State, Suggestion, left_out_of, open, quality,
};
use sameruler::views::{Context, Ruler};

/// A vLLM run of ten requests of which the first `empty` have no token: zeros stand for what was not
/// measured.
fn with_empties(name: &str, empty: usize) -> Run {
    let mut table = Table::new();
    for at in 0..10 {
        table =
            if at < empty { table.row(0.0, &[], 0.0) } else { table.row(100.0, &[20.0; 4], 5.0) };
    }
    let starts: Vec<f64> = (0..10).map(f64::from).collect();
    let mut run = run(table.starts(&starts).duration(10.0));
    run.id = RunId::of(&Digest::of(name.as_bytes()), 0);
    name.clone_into(&mut run.name);
    run.provenance.file = format!("{name}/run.json");
    assert_eq!(run.tool, Tool::Vllm);
    run
}

fn ask(runs: &[&Run], context: &Context) -> QualityView {
    quality(runs, context)
}

fn row<'v>(view: &'v QualityView, check: &str) -> &'v FindingRow {
    let found = view.rows.iter().find(|row| row.check == check);
    found.unwrap_or_else(|| panic!("no {check} in {view:#?}"))
}

#[test]
fn a_finding_says_what_it_does_and_can_be_decided_on_and_taken_back() {
    let (bad, good) = (with_empties("bad", 2), with_empties("good", 0));
    let mut context = Context::default();
    let before = ask(&[&bad, &good], &context);
    let found = row(&before, "missing-as-zero");
    assert_eq!(found.place, "bad · bad/run.json", "two files are called run.json");
    assert_eq!((found.share.of_these.as_str(), found.share.of.as_str()), ("2", "of 10"));
    assert!(matches!(&found.suggestion, Suggestion::Do { label, .. } if label == "Exclude 2 rows"));
    assert_eq!(found.state, State::Open);
    assert_eq!(found.severity, Severity::Block);
    assert!(before.headline.starts_with("One finding blocks a comparison"), "{}", before.headline);
    assert!(before.subline.ends_with("Nothing is excluded until you say so."));
    let rows = &found.details.runs[0].table.rows;
    assert_eq!((rows[0][0].as_str(), rows[1][0].as_str()), ("1", "2"), "numbered from 1");
    assert!(found.effects.iter().all(|effect| effect.before != effect.after));
    assert!(!found.effects.is_empty());

    assert!(found.apply(&mut context));
    let after = ask(&[&bad, &good], &context);
    assert_eq!(row(&after, "missing-as-zero").state, State::Excluded);
    assert_eq!((after.counts.block, after.counts.settled), (0, before.counts.settled + 1));
    let words = "Left out by hand: 2 requests of bad (missing written as zero).";
    assert_eq!(after.left_out.as_deref(), Some(words));
    assert!(after.subline.ends_with(words));
    assert_eq!(left_out_of(&[&bad, &good], &context).as_deref(), Some(words));

    row(&after, "missing-as-zero").take_back(&mut context);
    assert_eq!(context, Context::default());
}

#[test]
fn muted_findings_are_listed_apart_and_ask_for_nothing() {
    let bad = with_empties("bad", 2);
    let mut context = Context::default();
    let view = quality(&[&bad], &context);
    let asked = open(&[&bad], &context);
    assert_eq!(asked, view.counts.open(), "the badge counts what the screen counts");
    row(&view, "missing-as-zero").mute(&mut context);
    let view = quality(&[&bad], &context);
    assert!(view.rows.iter().all(|row| row.check != "missing-as-zero"));
    assert_eq!(view.muted.len(), 1);
    assert_eq!(open(&[&bad], &context), asked - 1);
    view.muted[0].take_back(&mut context);
    assert_eq!(context, Context::default());
}

#[test]
fn an_excluded_finding_blocks_no_longer_and_a_run_can_be_let_on() {
    let (bad, good) = (with_empties("bad", 2), with_empties("good", 0));
    let runs = [&bad, &good];
    let ids = vec![bad.id.clone(), good.id.clone()];
    let mut context = Context { runs: ids, ..Context::default() };
    let withheld = |context: &Context| {
        let view = compare(&runs, context);
        let cells = view.groups.iter().flat_map(|g| &g.rows).flat_map(|row| &row.cells);
        let reasons: Vec<_> = cells.filter_map(|cell| cell.no_difference.clone()).collect();
        (view.held_back.len(), reasons.iter().any(|r| r.contains("has to be looked at first")))
    };
    assert_eq!(withheld(&context), (1, true));
    row(&ask(&runs, &context), "missing-as-zero").apply(&mut context);
    assert_eq!(withheld(&context), (0, false), "its requests are left out");
    let mut let_on = Context { runs: context.runs.clone(), ..Context::default() };
    let_on.judged.let_on.insert(bad.id.clone());
    assert_eq!(withheld(&let_on), (0, false), "the reader has looked");
    assert_eq!(row(&ask(&runs, &let_on), "missing-as-zero").state, State::LetOn);
}

#[test]
fn what_all_runs_share_is_one_row() {
    let mut runs: Vec<Run> = ["a", "b", "c"].map(|name| with_empties(name, 0)).into();
    for run in &mut runs {
        let notices = &mut run.provenance.notices;
        notices.add(Severity::Note, "odd-key", Place::WholeFile, "An odd key.");
    }
    let view = ask(&runs.iter().collect::<Vec<_>>(), &Context::default());
    let found = row(&view, "odd-key");
    assert_eq!(found.place, "all three runs");
    assert_eq!((found.share.of_these.as_str(), found.share.of.as_str()), ("3", "of 3 runs"));
    assert_eq!(found.details.runs.len(), 3);
    let ids: std::collections::BTreeSet<_> = view.rows.iter().map(|row| &row.id).collect();
    assert_eq!(ids.len(), view.rows.len(), "no id stands twice");
}

#[test]
fn a_definition_is_set_under_the_common_ruler_where_each_run_had_its_own() {
    let bad = with_empties("bad", 2);
    let view = ask(&[&bad], &Context::default());
    let mut row = row(&view, "missing-as-zero").clone();
    let act = sameruler::views::quality::Act::Set {
        dimension: "tpot".into(),
        choice: "visible-gaps".into(),
        said: "Definition set to “visible gaps”".into(),
    };
    row.suggestion = Suggestion::Do { label: "Use visible gaps".into(), act };
    let mut context = Context { ruler: Ruler::Own, ..Context::default() };
    assert!(row.apply(&mut context));
    let Ruler::Same { preset, changes } = &context.ruler else { panic!("{:?}", context.ruler) };
    assert_eq!((preset.as_str(), changes["tpot"].as_str()), ("common", "visible-gaps"));
    assert!(!row.apply(&mut context), "twice is once");
}
