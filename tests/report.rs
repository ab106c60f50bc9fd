//! The report as a whole: stands alone, escapes, repeats itself, and looks as it did.

use sameruler::charts::spec::{Axis, Flag, Frame, Point, RulerMark, RulerStrip, Series, Spec};
use sameruler::model::{Digest, Limit, LimitMetric, Metric, ReportPlan, RunId, Stat};
use sameruler::notice::Severity;
use sameruler::report::{
    Comparison, ReportInput, SourceFile, file_name, page as whole, section_ids, self_check,
};
use sameruler::views::compare::{
    Cell, CellDifference, CellReported, CellValue, ColumnHead, CompareView, ConfigRow, Reading,
    Row, RowGroup, Sign, SignCounts,
};
use sameruler::views::curves::{CurvesView, Table};
use sameruler::views::definitions::{ChoiceOption, DefinitionsView, DimensionChoice, PresetChoice};
use sameruler::views::library::{Group, LibraryView, RunRow};
use sameruler::views::quality::{
    Counts, Details, EffectLine, FindingRow, Passed, QualityView, RunDetail, Share, State,
    Suggestion,
};
use sameruler::views::raw::RawTable;
use sameruler::views::run_card::{AgreementRow, RunCardView};

fn page(input: &ReportInput) -> String {
    whole(input).html
}

fn id(name: &str) -> RunId {
    RunId::of(&Digest::of(name.as_bytes()), 0)
}

fn plain(text: &str, full: &str) -> CellValue {
    CellValue::Plain { text: text.into(), full: full.into(), weak: false, extreme: false }
}

fn cell(value: CellValue) -> Cell {
    Cell {
        value,
        difference: None,
        no_difference: None,
        reported: None,
        own_words: None,
        support: None,
        card: Vec::new(),
    }
}

fn printed(sign: Sign, text: &str, because: &str) -> CellReported {
    CellReported { sign, text: text.into(), because: because.into(), seek: None }
}

fn row(metric: Metric, stamp: &str, cells: Vec<Cell>) -> Row {
    Row {
        metric,
        name: metric.name().into(),
        stamp: stamp.into(),
        definition: String::new(),
        cells,
        highlighted: metric == Metric::Itl,
    }
}

fn groups() -> Vec<RowGroup> {
    let itl = vec![
        Cell {
            reported: Some(printed(Sign::Equal, "30.60", "mean_itl_ms")),
            ..cell(plain("30.6", "30.5971"))
        },
        Cell {
            difference: Some(CellDifference {
                text: "−1.5 %".into(),
                reading: Reading::NotClear,
                bar: None,
                interval: Some("95 % interval −1.30 to +0.40 ms".into()),
            }),
            reported: Some(printed(Sign::Equal, "13.50", "mean_itl_ms")),
            own_words: Some("its ITL: gap ÷ tokens".into()),
            ..cell(plain("30.1", "30.1385"))
        },
    ];
    let ttft = vec![
        Cell {
            reported: Some(printed(Sign::Close, "84.9", "mean_ttft_ms is 0.5 % above")),
            ..cell(plain("84.5", "84.5"))
        },
        Cell {
            difference: Some(CellDifference {
                text: "−9.8 %".into(),
                reading: Reading::Better,
                bar: None,
                interval: Some("95 % interval −12.1 to −4.3 ms".into()),
            }),
            reported: Some(printed(Sign::Differs, "90.1", "mean_ttft_ms counts the role chunk")),
            ..cell(CellValue::Bound {
                text: "≥ 76.2".into(),
                full: "76.2".into(),
                because: "first chunk size unknown".into(),
            })
        },
    ];
    let e2e = vec![
        cell(CellValue::Reported {
            text: "695".into(),
            full: "695.1".into(),
            because: "the file holds no request rows".into(),
        }),
        Cell {
            no_difference: Some("lengths differ".into()),
            reported: Some(printed(Sign::ReportedOnly, "746", "the file holds no request rows")),
            ..cell(CellValue::Missing { because: "no end time is recorded".into() })
        },
    ];
    let goodput = vec![cell(plain("6.06", "6.0612")), cell(plain("7.39", "7.3931"))];
    let group = |id: &str, title: &str, hint: &str, rows| RowGroup {
        id: id.into(),
        title: title.into(),
        hint: hint.into(),
        rows,
    };
    vec![
        group(
            "user",
            "Speed seen by a user",
            "lower is better",
            vec![
                row(Metric::Itl, "chunk gap · pooled · ms", itl),
                row(Metric::Ttft, "first text − send · ms", ttft),
                row(Metric::E2e, "last token − send · ms", e2e),
            ],
        ),
        group(
            "goodput",
            "Goodput",
            "higher is better",
            vec![row(Metric::Goodput, "all limits · req/s", goodput)],
        ),
    ]
}

fn compare(names: &[&str]) -> CompareView {
    let columns = names
        .iter()
        .enumerate()
        .map(|(at, name)| ColumnHead {
            id: id(name),
            style: at,
            name: (*name).into(),
            sub: "about 0.33 · chat".into(),
            reproduced: "20 of 20 reproduced".into(),
            reproduced_all: true,
            baseline: at == 0,
            scripted: true,
        })
        .collect();
    CompareView {
        headline: "vLLM shows 2.27 times the ITL of SGLang; on one ruler they do not differ".into(),
        detail: "vLLM books one sample a chunk, and a chunk holds 2.25 tokens.".into(),
        columns,
        groups: groups(),
        signs: SignCounts { equal: 2, close: 1, differs: 1, reported_only: 1 },
        config: vec![ConfigRow {
            name: "Output tokens, mean".into(),
            values: vec![Some("45.9".into()), None],
        }],
        config_note: "1 of 13 rows. E2E is not compared: output lengths differ by more than 5 %."
            .into(),
        withheld: true,
        strip: Some(strip(names)),
        ..CompareView::default()
    }
}

fn strip(names: &[&str]) -> RulerStrip {
    let mark = |style: u8, top: f64, bottom: f64| RulerMark {
        style,
        name: names.get(usize::from(style)).copied().unwrap_or_default().into(),
        top,
        bottom: Some(bottom),
        top_label: format!("{top}"),
        bottom_label: format!("{bottom}"),
    };
    RulerStrip {
        title_top: "Mean ITL as each tool prints it".into(),
        title_bottom: "The same runs under one definition".into(),
        unit: "ms".into(),
        summary: "30.6 and 13.5 ms as printed; 30.6 and 30.1 ms on one ruler.".into(),
        domain: None,
        marks: vec![mark(0, 30.6, 30.6), mark(1, 13.5, 30.1)],
    }
}

fn curves(name: &str) -> CurvesView {
    let loads = [(4.0, 3.71), (8.0, 7.47), (12.0, 8.86), (16.0, 1.77)];
    let points = loads.map(|(x, y)| Point {
        key: format!("{x}"),
        x,
        y,
        flag: (y > 8.0).then(|| Flag::Peak { text: "8.86 req/s".into() }),
        ..Point::default()
    });
    let spec = Spec {
        title: "Goodput peaks at 12 req/s and collapses after it".into(),
        stamp: "requests within all limits per second".into(),
        summary: "Goodput rises to 8.86 req/s at 12 req/s and falls to 1.77 at 16.".into(),
        x: Axis { title: "requested rate".into(), unit: "req/s".into(), ..Axis::default() },
        y: Axis { title: "Goodput".into(), unit: "req/s".into(), ..Axis::default() },
        series: vec![Series {
            name: name.into(),
            strong: true,
            line: true,
            end_label: Some(name.into()),
            points: points.to_vec(),
            ..Series::default()
        }],
        ..Spec::default()
    };
    CurvesView {
        small: vec![Spec { frame: Frame::Small, title: "Throughput".into(), ..spec.clone() }],
        main: Some(spec),
        caption: "P marks the goodput peak.".into(),
        table: Table {
            head: vec!["requested, req/s".into(), "goodput, req/s".into()],
            rows: loads.iter().map(|(x, y)| vec![format!("{x}"), format!("{y}")]).collect(),
        },
        left_out: vec!["One run is left out: it has no load.".into()],
        ..CurvesView::default()
    }
}

fn definitions() -> DefinitionsView {
    let choice = |id: &str, label: &str, chosen| ChoiceOption {
        id: id.into(),
        label: label.into(),
        meaning: "Decode time over the tokens after the first.".into(),
        result: None,
        chosen,
    };
    DefinitionsView {
        presets: vec![PresetChoice {
            id: "common".into(),
            name: "Common ruler".into(),
            note: "what every file of requests can be measured with".into(),
            editions: Vec::new(),
            base: true,
            chosen: true,
        }],
        dimensions: vec![DimensionChoice {
            id: "tpot".into(),
            label: "TPOT".into(),
            question: "what the decode time is divided by".into(),
            changed: true,
            choices: vec![
                choice("after-first", "(E−T) ÷ (N−1)", true),
                choice("whole-over-n", "E ÷ N", false),
            ],
            worked: Some("(982.84 − 96.97) ÷ (59 − 1) = 15.27 ms".into()),
            meaning: String::new(),
        }],
        ..DefinitionsView::default()
    }
}

fn card(name: &str) -> RunCardView {
    RunCardView {
        further: Vec::new(),
        hints: Vec::new(),
        id: Some(id(name)),
        name: name.into(),
        lines: vec![
            ("Tool".into(), "vLLM, about 0.33: it writes start_times".into()),
            ("Load".into(), "8 req/s Poisson".into()),
            ("Requests".into(), "60 sent, 60 finished, 0 failed".into()),
        ],
        reproduced: "20 of 20 reported values reproduced".into(),
        agreement: vec![AgreementRow {
            explain: None,
            field: "mean_itl_ms".into(),
            reported: "30.5971".into(),
            recomputed: "30.5971".into(),
            sign: Sign::Equal,
            because: "equal within its printed digits".into(),
            seek: None,
        }],
        findings: vec![finding(name, State::Open)],
    }
}

fn finding(name: &str, state: State) -> FindingRow {
    FindingRow {
        id: "one-token-replies-vllm".into(),
        check: "one-token-replies".into(),
        runs: vec![id(name)],
        name: "One-token replies".into(),
        place: format!("{name} · run.json"),
        whose: name.into(),
        severity: Severity::Warn,
        text: "Three replies hold one token and have no TPOT.".into(),
        share: Share { of_these: "3".into(), of: "of 60".into(), part: Some(0.05) },
        effects: vec![EffectLine {
            name: "TPOT mean".into(),
            before: "13.5".into(),
            after: "14.2".into(),
            unit: "ms".into(),
            marks: Some([0.87, 0.92]),
        }],
        touches: String::new(),
        suggestion: Suggestion::Say("Not repairable here".into()),
        undoable: state != State::Open,
        state,
        details: Details {
            runs: vec![RunDetail { places: "request 3, request 9".into(), ..RunDetail::default() }],
            ..Details::default()
        },
    }
}

fn quality(names: &[&str]) -> QualityView {
    QualityView {
        headline: "One finding asks for care".into(),
        subline: "9 checks on two runs. Left out by hand: 3 requests of vLLM.".into(),
        counts: Counts { warn: 1, settled: 1, passed: 1, ..Counts::default() },
        rows: vec![finding(names[0], State::Open), finding(names[0], State::Excluded)],
        muted: vec![finding(names[0], State::Muted)],
        passed: vec![Passed { clause: "no clock steps".into(), but: String::new() }],
        unknown: Vec::new(),
        left_out: Some("Left out by hand: 3 requests of vLLM.".into()),
    }
}

fn library(names: &[&str]) -> LibraryView {
    let row = |style: usize, name: &str| RunRow {
        id: id(name),
        style,
        name: name.into(),
        version: "about 0.33".into(),
        model: "mock-model".into(),
        file: format!("S2/{style}/run.json"),
        pieces: Vec::new(),
        group: None,
        has: [true, true, true, false],
        sent: "60".into(),
        load: "8 req/s".into(),
        duration: "8.08 s".into(),
        size: "47.4 kB".into(),
        hash: "07b8da36".into(),
        note: None,
        warnings: 1,
        left_out: 0,
        scripted: true,
    };
    LibraryView {
        groups: vec![Group {
            id: "g".into(),
            title: "vLLM · mock-model".into(),
            subtitle: String::new(),
            sweep: true,
            chosen: false,
            folded: true,
            finding: Some("Goodput peaks at 12 req/s".into()),
            spark: Vec::new(),
            rows: names.iter().enumerate().map(|(at, name)| row(at, name)).collect(),
        }],
        ..LibraryView::default()
    }
}

fn input(names: &[&str]) -> ReportInput {
    ReportInput {
        plan: ReportPlan {
            title: "Two tools, one server: is ITL 30.6 or 13.5 ms?".into(),
            ..ReportPlan::default()
        },
        date: "2026-11-29".into(),
        limits: vec![
            Limit::at_most(LimitMetric::Ttft, 250.0),
            Limit::at_most(LimitMetric::E2e, 900.0),
        ],
        library: library(names),
        comparisons: vec![
            Comparison { stat: Stat::Mean, view: compare(names), repeats: None },
            Comparison { stat: Stat::Percentile(99.0), view: compare(names), repeats: None },
        ],
        curves: curves(names[0]),
        definitions: definitions(),
        cards: names.iter().map(|name| card(name)).collect(),
        quality: quality(names),
        sources: vec![SourceFile {
            file: "S2/vllm/run.json".into(),
            made_by: "vLLM about 0.33".into(),
            bytes: 47_367,
            sha256: Digest::of(b"a file").hex().into(),
        }],
        ..ReportInput::default()
    }
}

#[test]
fn o1_it_stands_alone() {
    let html = page(&input(&["vLLM", "SGLang"]));
    assert_eq!(self_check(&html), Ok(()));
    assert!(html.contains("default-src 'none'; style-src 'unsafe-inline'; img-src data:"));
    assert!(!html.contains("<script"), "no script, not even data");
    assert!(html.matches("<svg").count() >= 4, "curve and rulers for sheet and phone");
}

#[test]
fn what_files_say_is_text() {
    let evil = "<script>alert(1)</script>\"><img src=https://example.org/x onerror=alert(1)>&amp;";
    let mut input = input(&[evil, "' onload='x"]);
    input.plan.title = evil.into();
    input.plan.author = evil.into();
    input.plan.change("runs", |runs| (runs.title, runs.note) = (evil.into(), evil.into()));
    input.raw = vec![RawTable { title: evil.into(), rows: 1, csv: evil.into() }];
    input.sources[0].file = evil.into();
    input.cards[0].lines[0].1 = evil.into();
    input.quality.rows[0].text = evil.into();
    input.quality.muted[0].place = evil.into();
    input.quality.passed[0].clause = evil.into();
    input.comparisons[0].view.groups[0].rows[0].cells[0].value =
        CellValue::Missing { because: evil.into() };
    let html = page(&input);
    assert_eq!(self_check(&html), Ok(()));
    assert!(!html.contains("<script") && !html.contains("<img"), "escaped");
    assert!(html.contains("&lt;script&gt;alert(1)"), "and still there to read");
    assert!(html.contains("&amp;amp;"), "what was escaped in the file is escaped again");
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let names = ["vLLM", "SGLang"];
    assert_eq!(page(&input(&names)), page(&input(&names)));
}

#[test]
fn every_link_leads_somewhere_once() {
    let html = page(&input(&["vLLM", "SGLang"]));
    for target in html.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert_eq!(html.matches(&format!("id=\"{target}\"")).count(), 1, "{target}");
    }
}

#[test]
fn reasons_stand_beside_what_they_explain() {
    let html = page(&input(&["vLLM", "SGLang"]));
    for reason in [
        "no end time is recorded",
        "first chunk size unknown",
        "mean_ttft_ms counts the role chunk",
        "lengths differ",
        "its ITL: gap ÷ tokens",
    ] {
        assert!(html.contains(reason), "{reason}");
    }
    assert_eq!(
        html.matches(">the file holds no request rows<").count(),
        1,
        "one note for two cells"
    );
}

#[test]
fn findings_stand_with_what_they_do_and_what_was_decided() {
    let html = page(&input(&["vLLM", "SGLang"]));
    let start = html.find("<section id=\"quality\"").unwrap();
    let section = html[start..].split_once("</section>").unwrap().0;
    for words in [
        "One finding asks for care.",
        "Left out by hand: 3 requests of vLLM.",
        "TPOT mean: 13.5 → <strong>14.2</strong> ms",
        "3 of 60 requests",
        "left out by the reader",
        "1 muted by the reader",
        "no clock steps",
    ] {
        assert!(section.contains(words), "{words}: {section}");
    }
}

/// A sweep's curve says more than the tables of its loads; other runs are compared first.
#[test]
fn the_curve_of_a_sweep_leads() {
    let order = |input: &ReportInput| {
        let html = page(input);
        let at = |id: &str| html.find(&format!("<section id=\"{id}\""));
        (at("curve"), at("comparison"))
    };
    let mut input = input(&["4 req/s", "8 req/s"]);
    let (curve, comparison) = order(&input);
    assert!(curve.is_some() && curve < comparison);
    input.library.groups[0].sweep = false;
    let (curve, comparison) = order(&input);
    assert!(curve.is_none() && comparison.is_some());
}

#[test]
fn settings_beyond_the_first_stand_in_the_appendix() {
    let mut input = input(&["vLLM", "SGLang"]);
    let row = |n: usize| ConfigRow {
        name: format!("setting_{n}"),
        values: vec![Some(n.to_string()), None],
    };
    input.comparisons[0].view.config = (0..30).map(row).collect();
    let html = page(&input);
    let appendix = html.find("id=\"settings\"").expect("an appendix of settings");
    assert!(html.find("setting_0<").expect("first") < appendix);
    assert!(html.find("setting_29<").expect("last") > appendix);
    assert!(html.contains("20 more stand in the"));
}

#[test]
fn many_runs_stand_below_each_other_and_none_of_their_numbers_twice() {
    let names: Vec<String> = (1..=9).map(|n| format!("run {n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let input = input(&names);
    let html = page(&input);
    let start = html.find("<section id=\"comparison\"").unwrap();
    let section = html[start..].split_once("</section>").unwrap().0;
    let values = |view: &CompareView| {
        let groups = view.groups.iter().filter(|group| group.id != "goodput");
        groups.flat_map(|group| &group.rows).map(|row| row.cells.len()).sum::<usize>()
    };
    // All rows of the first statistic, and of the second those in milliseconds, which are all here.
    let want: usize = input.comparisons.iter().map(|comparison| values(&comparison.view)).sum();
    let got = section.matches("class=\"value").count();
    assert_eq!(got, want, "{section}");
    for name in &names {
        assert!(section.contains(name), "{name}");
    }
}

#[test]
fn a_plan_chooses_orders_names_and_explains_the_sections() {
    let mut input = input(&["vLLM", "SGLang"]);
    let at = |html: &str, id: &str| html.find(&format!("<section id=\"{id}\""));
    let html = page(&input);
    assert!(at(&html, "runs") < at(&html, "quality") && at(&html, "runs").is_some());
    input.plan.author = "A. N. Other".into();
    input.plan.order = vec!["quality".into(), "of-another-version".into()];
    input.plan.change("runs", |runs| runs.shown = false);
    input.plan.change("quality", |quality| {
        quality.title = "What to mind".into();
        quality.note = "Cut off at noon.\n\nRead with care.".into();
    });
    let found = whole(&input);
    assert!(found.html.contains("A. N. Other · "), "author");
    assert!(at(&found.html, "quality") < at(&found.html, "definitions"), "order");
    assert_eq!(at(&found.html, "runs"), None);
    assert!(!found.html.contains("href=\"#runs\""), "not in the contents either");
    assert!(found.html.contains("<span class=\"number\">1</span> What to mind</h2>"));
    assert!(found.html.contains(
        "<p class=\"remark\">Cut off at noon.</p><p class=\"remark\">Read with care.</p>"
    ));
    let rows: Vec<(&str, bool, bool)> =
        found.outline.iter().map(|row| (row.id.as_str(), row.shown, row.filled)).collect();
    assert_eq!(rows[0], ("quality", true, true));
    assert!(rows.contains(&("runs", false, true)) && rows.contains(&("raw", true, false)));
    assert_eq!(rows.len(), section_ids().len());
    assert_eq!(self_check(&found.html), Ok(()));
}

#[test]
fn raw_tables_are_text_to_copy() {
    let csv = "run,metric\nA,ttft\n".to_owned();
    let raw = vec![RawTable { title: "Every metric".into(), rows: 1, csv: csv.clone() }];
    let html = page(&ReportInput { raw, ..input(&["vLLM"]) });
    assert!(html.contains(&format!(">{csv}</pre>")) && html.contains("Every metric, 1 row<"));
}

#[test]
fn one_load_has_no_curve_and_no_limit_no_goodput() {
    let html = page(&ReportInput { limits: Vec::new(), ..input(&["vLLM"]) });
    assert!(html.contains("No limit is set, so there is no goodput."));
    assert!(!html.contains("Load curve"), "one load is no sweep");
    let nothing = page(&ReportInput::default());
    assert_eq!(self_check(&nothing), Ok(()));
}

#[test]
fn its_name_is_made_of_date_and_title() {
    assert_eq!(
        file_name(&input(&["vLLM"])),
        "same-ruler-2026-11-29-two-tools-one-server-is-itl-30-6-or-13-5-ms.html"
    );
}

#[test]
fn a_small_report_looks_as_it_did() {
    let html = page(&input(&["vLLM", "SGLang"]));
    // The style sheet and the drawings have tests of their own; one element a line reads better.
    let body = html.split_once("<body>").unwrap().1;
    let mut text = String::new();
    for (at, part) in body.split("<svg").enumerate() {
        let part = if at == 0 { part } else { part.split_once("</svg>").unwrap().1 };
        text.push_str(part);
        text.push_str("<svg/>");
    }
    insta::assert_snapshot!(text.replace("><", ">\n<"));
}
