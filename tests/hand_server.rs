//! Public faults with histograms and counters of servers (retold in the design's hand.md): their
//! arithmetic, and what is said of a page that has them. Each test is named after its id.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test is the point of a test")]

use sameruler::notice::{Notices, Severity};
use sameruler::prometheus::traps::{Caution, cautions};
use sameruler::prometheus::{Account, Ask, ServerHistogram, account, joined, read_text};
use sameruler::stats::{Apart, Histogram, Increase, OverEngines, gauge_of_processes, increase};
use std::fmt::Write as _;

const INF: f64 = f64::INFINITY;

#[track_caller]
fn close(got: Option<f64>, want: f64) {
    let got = got.unwrap();
    assert!((got - want).abs() <= 1e-9 * want.abs().max(1.0), "{got} is not {want}");
}

/// The server's account of pages, one reading each.
fn read(pages: &[&str]) -> Account {
    let dumps: Vec<_> =
        pages.iter().map(|page| read_text(page.as_bytes(), &mut Notices::new())).collect();
    account(&joined(&dumps.iter().collect::<Vec<_>>()), &Ask::default())
}

/// A histogram as a page has it.
fn page(name: &str, labels: &str, buckets: &[(&str, f64)], sum: f64) -> String {
    let count = buckets.last().unwrap().1;
    let comma = if labels.is_empty() { "" } else { "," };
    let mut page = format!("# TYPE {name} histogram\n");
    for (le, n) in buckets {
        let _ = writeln!(page, "{name}_bucket{{{labels}{comma}le=\"{le}\"}} {n}");
    }
    page + &format!("{name}_sum{{{labels}}} {sum}\n{name}_count{{{labels}}} {count}\n")
}

fn only(account: &Account) -> (&ServerHistogram, &Histogram) {
    (&account.histograms[0], account.histograms[0].histogram().unwrap())
}

fn said(account: &Account, trap: &str) -> Caution {
    let all = cautions(account);
    all.iter().find(|c| c.trap == trap).cloned().unwrap_or_else(|| panic!("no {trap}: {all:?}"))
}

#[test]
fn k1() {
    let all = Histogram::new(&[(30.0, 90.0), (60.0, 97.0), (INF, 100.0)], None).unwrap();
    close(all.promql(0.99), 60.0);
    close(all.promql(0.95), 30.0 + 30.0 * 5.0 / 7.0);
    let p99 = all.bounds(0.99).unwrap();
    assert!(p99.above_last_edge);
    assert_eq!((p99.low, p99.high), (60.0, None), "above 60 s, and nothing says how far");
    close(Some(all.above_last_edge()), 3.0);
    let p95 = all.bounds(0.95).unwrap();
    assert!(!p95.above_last_edge);
    assert_eq!((p95.low, p95.high), (30.0, Some(60.0)));
    // With the sum there is an end: 90 at 0, seven at 30, one of the three at 60, and two at the most.
    let all = Histogram::new(&[(30.0, 90.0), (60.0, 97.0), (INF, 100.0)], Some(2000.0)).unwrap();
    close(all.bounds(0.99).unwrap().high, (2000.0 - 7.0 * 30.0 - 60.0) / 2.0);
    let text = page(
        "vllm:e2e_request_latency_seconds",
        "",
        &[("30.0", 90.0), ("60.0", 97.0), ("+Inf", 100.0)],
        2000.0,
    );
    let account = read(&[&text]);
    close(only(&account).1.promql(0.99), 60.0);
    let said = said(&account, "above-last-edge").text;
    assert!(said.starts_with("p99 of vllm:e2e_request_latency_seconds is above 60.0 s"), "{said}");
    assert!(said.contains("3 of 100 observations lie beyond it"), "{said}");
}

#[test]
fn k3() {
    let all = Histogram::new(&[(0.01, 100.0), (INF, 100.0)], Some(0.33)).unwrap();
    close(all.mean(), 0.0033);
    close(all.promql(0.5), 0.005);
    close(all.promql(0.99), 0.0099);
    let p99 = all.bucket(0.99).unwrap();
    assert_eq!((p99.low, p99.high), (0.0, Some(0.01)));
    // The sum allows no p99 below (0.33 − 1 × 0.01) ÷ 99, and no median above 0.33 ÷ 51.
    let p99 = all.bounds(0.99).unwrap();
    close(Some(p99.low), 0.32 / 99.0);
    close(p99.high, 0.01);
    close(all.bounds(0.5).unwrap().high, 0.33 / 51.0);
    close(all.share_in_first(), 1.0);
    let text =
        page("vllm:inter_token_latency_seconds", "", &[("0.01", 100.0), ("+Inf", 100.0)], 0.33);
    let account = read(&[&text]);
    close(only(&account).0.mean(), 0.0033);
    let said = said(&account, "first-bucket-wide").text;
    assert!(said.contains("up to 10.0 ms, holds 100 %") && said.contains("3.30 ms"), "{said}");
}

#[test]
fn k5() {
    for sum in [None, Some(22.5)] {
        let engine =
            Histogram::new(&[(0.1, 0.0), (0.2, 0.0), (0.4, 100.0), (INF, 100.0)], sum).unwrap();
        let router =
            Histogram::new(&[(0.1, 0.0), (0.25, 100.0), (0.5, 100.0), (INF, 100.0)], sum).unwrap();
        close(engine.promql(0.5), 0.30);
        close(router.promql(0.5), 0.175);
        let (engine, router) = (engine.bounds(0.5).unwrap(), router.bounds(0.5).unwrap());
        assert_eq!(engine.to(&router), Apart::CannotTell, "and no −0.125 s");
    }
    // Brackets that don't touch do tell, within bounds.
    let slow = Histogram::new(&[(0.5, 0.0), (1.0, 10.0)], None).unwrap();
    let fast = Histogram::new(&[(0.1, 10.0), (1.0, 10.0)], None).unwrap();
    match fast.bounds(0.5).unwrap().to(&slow.bounds(0.5).unwrap()) {
        Apart::By(by) => assert_eq!((by.low, by.high), (0.4, 1.0)),
        Apart::CannotTell => panic!("0 to 0.1 and 0.5 to 1"),
    }
    let engine = page(
        "vllm:time_to_first_token_seconds",
        "",
        &[("0.1", 0.0), ("0.2", 0.0), ("0.4", 100.0), ("+Inf", 100.0)],
        22.5,
    );
    let router = page(
        "inference_objective_request_ttft_seconds",
        "",
        &[("0.1", 0.0), ("0.25", 100.0), ("0.5", 100.0), ("+Inf", 100.0)],
        22.5,
    );
    let account = read(&[&(engine + &router)]);
    let said = said(&account, "two-vantages").text;
    assert!(said.contains("can’t be subtracted") && said.contains("mean 225 ms"), "{said}");
}

#[test]
fn k6() {
    let all = Histogram::new(&[(0.001, 8000.0), (0.1, 8000.0), (INF, 8000.0)], Some(0.6)).unwrap();
    close(all.mean(), 0.075e-3);
    // No token comes within a tenth of a millisecond.
    let because = all.credible(1e-4).unwrap_err();
    assert!(because.contains("first bucket holds all"), "{because}");
    close(Some(all.count() / 3900.0), 8000.0 / 3900.0);
    assert!(all.credible(1e-6).is_ok());
    let text = page(
        "vllm:time_to_first_token_seconds",
        "",
        &[("0.001", 8000.0), ("0.1", 8000.0), ("+Inf", 8000.0)],
        0.6,
    ) + "# TYPE vllm:request_success_total counter\nvllm:request_success_total{finished_reason=\"stop\"} 3900\n";
    let said = said(&read(&[&text]), "not-credible");
    assert_eq!(said.severity, Severity::Block);
    assert!(
        said.text.contains("75.0 µs") && said.text.contains("first bucket holds all"),
        "{}",
        said.text
    );
    assert!(said.text.contains("2.05 first tokens a finished request"), "{}", said.text);
}

#[test]
fn l1() {
    let engines = OverEngines::of(&[1000.0, 1500.0]).unwrap();
    close(Some(engines.total / 10.0), 250.0);
    assert_eq!(engines.shares, [0.4, 0.6]);
    let (slow, fast) = ([(0.1, 10.0), (INF, 40.0)], [(0.1, 90.0), (INF, 160.0)]);
    let both = [slow, fast].map(|buckets| Histogram::new(&buckets, None).unwrap());
    let merged = Histogram::merged(&both).unwrap();
    close(Some(merged.count()), 200.0);
    close(merged.promql(0.5), 0.1);
    let tokens = |at: u64, a: u64, b: u64| {
        format!(
            "# TYPE vllm:generation_tokens_total counter\n\
             vllm:generation_tokens_total{{engine=\"0\"}} {a} {at}\n\
             vllm:generation_tokens_total{{engine=\"1\"}} {b} {at}\n"
        )
    };
    let (before, after) =
        (tokens(1_700_000_000_000, 500, 900), tokens(1_700_000_010_000, 1500, 2400));
    let account = read(&[&before, &after]);
    assert_eq!((account.counters[0].delta, account.counters[0].rate), (2500.0, Some(250.0)));
    let said = said(&account, "uneven-engines").text;
    assert!(said.contains("engine=\"0\" 40 %, engine=\"1\" 60 %"), "{said}");
}

#[test]
fn l3() {
    close(gauge_of_processes(&[0.0, 0.0, 0.65, 0.0]), 0.65);
    let pids: String = [("11", 0.0), ("12", 0.0), ("13", 0.65), ("14", 0.0)]
        .map(|(pid, use_)| {
            format!("vllm:gpu_cache_usage_perc{{engine=\"0\",pid=\"{pid}\"}} {use_}\n")
        })
        .concat();
    let text = format!("# TYPE vllm:gpu_cache_usage_perc gauge\n{pids}");
    let account = read(&[&text]);
    assert_eq!(account.gauges.len(), 1);
    close(account.gauges[0].last(), 0.65);
    assert!(
        account.folded.iter().any(|f| f.label == "pid" && f.sentence().contains("never a sum"))
    );
    let two = format!("{text}vllm:gpu_cache_usage_perc{{engine=\"1\",pid=\"21\"}} 0.2\n");
    let keys: Vec<String> = read(&[&two]).gauges.iter().map(|g| g.row.key.clone()).collect();
    let of = |engine| format!("vllm:gpu_cache_usage_perc{{engine=\"{engine}\"}}");
    assert_eq!(keys, [of(0), of(1)], "engines stay apart");
}

#[test]
fn l4() {
    let got = increase(&[1000.0, 1600.0, 50.0, 650.0]).unwrap();
    assert_eq!(got, Increase { total: 1250.0, resets: 1 });
    assert_eq!(increase(&[1000.0]), None, "one dump has totals since start and no rate");
    let pages = [1000, 1600, 50, 650].map(|n| format!("# TYPE a_total counter\na_total {n}\n"));
    let account = read(&pages.each_ref().map(String::as_str));
    let counter = &account.counters[0];
    assert_eq!((counter.delta, counter.row.resets, counter.row.at_least), (1250.0, 1, true));
    assert!(said(&account, "restarts").text.contains("began anew"));
    let one = read(&[&pages[0]]);
    assert_eq!(one.counters[0].rate, None);
    assert!(said(&one, "since-start").text.contains("there is no rate"));
}

#[test]
fn l6() {
    let (before, after) = ([(0.05, 900.0), (INF, 1000.0)], [(0.05, 990.0), (INF, 1100.0)]);
    let before = Histogram::new(&before, Some(31.0)).unwrap();
    let after = Histogram::new(&after, Some(34.0)).unwrap();
    let (steps, anew) = after.since(&before).unwrap();
    assert!(!anew);
    close(Some(steps.count()), 100.0);
    close(steps.mean(), 0.030);
    close(steps.mean_over(300.0), 0.010);
    let of = |steps: &[(&str, f64)], sum, tokens: u64, first: u64| {
        page("vllm:time_per_output_token_seconds", "", steps, sum)
            + &page(
                "vllm:time_to_first_token_seconds",
                "",
                &[("1", first as f64), ("+Inf", first as f64)],
                1.0,
            )
            + &format!(
                "# TYPE vllm:generation_tokens_total counter\nvllm:generation_tokens_total {tokens}\n"
            )
    };
    let before = of(&[("0.05", 900.0), ("+Inf", 1000.0)], 31.0, 5000, 10);
    let after = of(&[("0.05", 990.0), ("+Inf", 1100.0)], 34.0, 5310, 20);
    let said = said(&read(&[&before, &after]), "step-is-not-token");
    let figure = |id| said.figures.iter().find(|f| f.id == id).map(|f| f.value);
    close(figure("tokens_per_step"), 3.0);
    close(figure("time_per_token"), 0.010);
    assert!(
        said.text.contains("3.00 tokens a step, so its mean of 30.0 ms a step is 10.0 ms a token"),
        "{}",
        said.text
    );
    assert!(said.text.contains("never a TPOT per request"), "{}", said.text);
    assert!(!said.text.contains("Assumed"), "{}", said.text);
}

/// The item as written: no histogram of TTFT counts the first tokens.
#[test]
fn l6_without_first_tokens() {
    let of = |steps: &[(&str, f64)], sum, tokens: u64, finished: Option<u64>| {
        page("vllm:inter_token_latency_seconds", "", steps, sum)
            + &format!(
                "# TYPE vllm:generation_tokens_total counter\nvllm:generation_tokens_total {tokens}\n"
            )
            + &finished.map_or_else(String::new, |n| {
                format!(
                    "# TYPE vllm:request_success_total counter\n\
                     vllm:request_success_total{{finished_reason=\"stop\"}} {n}\n"
                )
            })
    };
    let (early, late) = ([("0.05", 900.0), ("+Inf", 1000.0)], [("0.05", 990.0), ("+Inf", 1100.0)]);
    for (finished, a_step, assumed) in [
        (None, 3.0, "Assumed: nothing here counts first tokens"),
        (Some(20), 2.8, "one is taken off for each of 20 finished requests"),
    ] {
        let before = of(&early, 31.0, 5000, finished.map(|_| 10));
        let after = of(&late, 34.0, 5300, finished.map(|n| n + 10));
        let said = said(&read(&[&before, &after]), "step-is-not-token");
        let figure = |id| said.figures.iter().find(|f| f.id == id).map(|f| f.value);
        close(figure("tokens_per_step"), a_step);
        close(figure("time_per_token"), 3.0 / (100.0 * a_step));
        assert!(said.text.contains(assumed), "{}", said.text);
    }
}
