use super::*;
use crate::metrics::Dimension;
use crate::metrics::testing::run;
use crate::model::{DumpShape, Family, FamilyKind, Point, Scrape, Series};

fn tested(id: &str, run: &Run, dumps: &[&Dump]) -> Tested {
    let one = DISAGREEMENTS.iter().find(|one| one.id() == id).unwrap();
    let ask = Ask::default();
    one.test(&Case { run, other: None, dumps, ask: &ask })
}

#[test]
fn there_is_one_for_each_kind_and_each_is_whole() {
    for kind in 'A'..='N' {
        assert!(DISAGREEMENTS.iter().any(|one| one.kind() == kind), "{kind}");
    }
    for (at, one) in DISAGREEMENTS.iter().enumerate() {
        assert!(DISAGREEMENTS[at + 1..].iter().all(|other| other.id() != one.id()), "{}", one.id());
        assert!(one.paragraph().ends_with('.') && one.paragraph().len() > 150, "{}", one.id());
        assert!(
            one.formula().contains(", against ") || one.formula().contains(','),
            "{}",
            one.id()
        );
        for (dimension, choice) in one.links() {
            let dimension = Dimension::find(dimension).unwrap();
            assert!(
                choice.is_empty() || dimension.choice(choice).is_some(),
                "{}: {choice}",
                one.id()
            );
        }
    }
}

#[test]
fn chunks_of_several_tokens_are_found_and_single_ones_are_not() {
    let several = run(&[(100.0, &[40.0, 40.0], 6.0)]);
    let found = tested("chunk-or-token", &several, &[]);
    assert_eq!(found.applies, Applies::Applies, "{found:?}");
    let (a, b) = found.numbers.unwrap();
    assert!((a.value - 40.0).abs() < 1e-9 && (b.value - 16.0).abs() < 1e-9);
    let single = run(&[(100.0, &[40.0, 40.0], 3.0)]);
    assert_eq!(tested("chunk-or-token", &single, &[]).applies, Applies::DoesNot);
}

#[test]
fn what_the_file_lacks_is_said() {
    let plain = run(&[(100.0, &[40.0, 40.0], 3.0)]);
    for (id, lack) in [
        ("token-source", "tokenizer"),
        ("coordinated-omission", "wait inside the client"),
        ("reasoning-tokens", "may carry no text"),
        ("one-token-in-goodput", "No limit"),
        ("lengths-differ", "two runs"),
        ("per-accelerator", "accelerators"),
        ("bucket-edges", "histogram"),
        ("sum-over-engines", "metrics of a server"),
    ] {
        let found = tested(id, &plain, &[]);
        assert_eq!(found.applies, Applies::CannotTell, "{id}: {found:?}");
        assert!(found.because.contains(lack), "{id}: {}", found.because);
    }
}

#[test]
fn a_server_with_two_engines_and_wide_buckets() {
    let series = |name: &str, family, labels: &[(&str, &str)], value| Series {
        family,
        name: name.into(),
        labels: labels.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect(),
        points: vec![Point { scrape: 0, at: None, value }],
    };
    let family = |name: &str, kind| Family { name: name.into(), kind, ..Family::default() };
    let dump = Dump {
        shape: DumpShape::default(),
        scrapes: vec![Scrape::default()],
        families: vec![
            family("vllm:generation_tokens_total", FamilyKind::Counter),
            family("vllm:e2e_request_latency_seconds", FamilyKind::Histogram),
        ],
        series: vec![
            series("vllm:generation_tokens_total", 0, &[("engine", "0")], 1000.0),
            series("vllm:generation_tokens_total", 0, &[("engine", "1")], 1500.0),
            series("vllm:e2e_request_latency_seconds_bucket", 1, &[("le", "30")], 90.0),
            series("vllm:e2e_request_latency_seconds_bucket", 1, &[("le", "60")], 97.0),
            series("vllm:e2e_request_latency_seconds_bucket", 1, &[("le", "+Inf")], 100.0),
        ],
    };
    let plain = run(&[(100.0, &[40.0], 2.0)]);
    let engines = tested("sum-over-engines", &plain, &[&dump]);
    assert_eq!(engines.applies, Applies::Applies);
    let (first, sum) = engines.numbers.unwrap();
    assert!((first.value - 1000.0).abs() < 1e-9 && (sum.value - 2500.0).abs() < 1e-9);
    let edges = tested("bucket-edges", &plain, &[&dump]);
    assert!(edges.because.contains("60.0 s"), "{}", edges.because);
}
