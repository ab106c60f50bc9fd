//! Pages of servers and what they say: every pair of scrapes around a client's run against independent
//! values, the server's own log, and the public dumps.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test is the point of a test")]

use sameruler::model::Dump;
use sameruler::notice::Notices;
use sameruler::prometheus::{
    Account, Ask, ServerHistogram, account, identities, joined, read_text, traps,
};

fn read(text: &str) -> Dump {
    read_text(text.as_bytes(), &mut Notices::new())
}

fn by(text: &[&str], by: &[&str]) -> Account {
    let dumps: Vec<Dump> = text.iter().map(|text| read(text)).collect();
    let all: Vec<&Dump> = dumps.iter().collect();
    account(&joined(&all), &Ask { by: by.iter().map(|by| (*by).to_owned()).collect() })
}

fn of(text: &[&str]) -> Account {
    by(text, &[])
}

fn histogram<'a>(account: &'a Account, key: &str) -> &'a ServerHistogram {
    account.histograms.iter().find(|h| h.row.key == key).unwrap()
}

fn delta(account: &Account, key: &str) -> Option<f64> {
    account.counters.iter().find(|c| c.row.key == key).map(|counter| counter.delta)
}

fn caution(account: &Account, trap: &str) -> traps::Caution {
    let all = traps::cautions(account);
    let ids: Vec<&str> = all.iter().map(|caution| caution.trap).collect();
    all.iter().find(|c| c.trap == trap).cloned().unwrap_or_else(|| panic!("no {trap}: {ids:?}"))
}

#[test]
fn a_window_has_the_length_of_its_time_stamps() {
    let before = "vllm:generation_tokens_total{engine=\"0\"} 100 1700000000000\n";
    let after = "vllm:generation_tokens_total{engine=\"0\"} 400 1700000010000\n";
    let account = of(&[after, before]);
    assert_eq!(account.span.seconds, Some(10.0), "sorted by time");
    let tokens = &account.counters[0];
    assert_eq!((tokens.delta, tokens.rate), (300.0, Some(30.0)));
    let account = of(&["a_total 3\n", "a_total 5\n"]);
    assert_eq!((account.counters[0].delta, account.counters[0].rate), (2.0, None));
}

#[test]
fn labels_with_a_meaning_stay_and_engines_are_added_up() {
    let page = |a: f64, b: f64| {
        format!(
            "# TYPE vllm:request_success_total counter\n\
             vllm:request_success_total{{engine=\"0\",finished_reason=\"stop\",model_name=\"m\"}} {a}\n\
             vllm:request_success_total{{engine=\"1\",finished_reason=\"stop\",model_name=\"m\"}} {b}\n\
             vllm:request_success_total{{engine=\"0\",finished_reason=\"abort\",model_name=\"m\"}} 1\n"
        )
    };
    let (before, after) = (page(1.0, 2.0), page(11.0, 22.0));
    let account = of(&[&before, &after]);
    assert_eq!(delta(&account, "vllm:request_success_total{finished_reason=\"stop\"}"), Some(30.0));
    assert_eq!(delta(&account, "vllm:request_success_total{finished_reason=\"abort\"}"), Some(0.0));
    let rule = account.folded[0].sentence();
    assert_eq!(rule, "Counters and histograms are added up over engine (0, 1).");
    let account = by(&[&before, &after], &["engine"]);
    let key = "vllm:request_success_total{engine=\"1\",finished_reason=\"stop\"}";
    assert_eq!(delta(&account, key), Some(20.0));
}

#[test]
fn two_models_are_never_added_up() {
    let page = "# TYPE vllm:generation_tokens_total counter\n\
                vllm:generation_tokens_total{model_name=\"a\"} 1\n\
                vllm:generation_tokens_total{model_name=\"b\"} 2\n";
    let account = of(&[page]);
    assert_eq!(delta(&account, "vllm:generation_tokens_total{model_name=\"b\"}"), Some(2.0));
}

#[test]
fn a_process_that_began_anew_is_told_though_nothing_fell() {
    let page = |start: f64, count: f64| {
        format!(
            "# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds {start}\n\
                 # TYPE a_total counter\na_total {count}\n"
        )
    };
    let account = of(&[&page(1000.0, 5.0), &page(2000.0, 9.0)]);
    let counter = account.counters.iter().find(|c| c.row.key == "a_total").unwrap();
    assert_eq!((counter.delta, counter.row.resets, counter.row.at_least), (9.0, 1, true));
    assert!(caution(&account, "restarts").text.contains("at least"));
    let account = of(&[&page(1000.0, 5.0), &page(1000.0, 9.0)]);
    assert_eq!(delta(&account, "a_total"), Some(4.0));
}

#[test]
fn a_series_that_came_or_went_is_told() {
    let page = |lines: &str| format!("# TYPE a_total counter\n{lines}");
    let account = of(&[
        &page("a_total{x=\"1\"} 5\na_total{x=\"2\"} 7\n"),
        &page("a_total{x=\"1\"} 6\na_total{x=\"3\"} 4\n"),
    ]);
    assert_eq!(delta(&account, "a_total{x=\"3\"}"), Some(4.0), "counted from zero");
    let gone = account.counters.iter().find(|c| c.row.key == "a_total{x=\"2\"}").unwrap();
    assert_eq!((gone.delta, gone.row.at_least), (0.0, true));
    let said: Vec<String> = traps::cautions(&account).into_iter().map(|c| c.text).collect();
    assert!(said.iter().any(|text| text.contains("counted from zero")), "{said:?}");
    assert!(said.iter().any(|text| text.contains("lower bounds")), "{said:?}");
}

#[test]
fn histograms_of_other_edges_are_not_subtracted() {
    let page = |edge: &str, n: f64| {
        format!(
            "# TYPE t_seconds histogram\nt_seconds_bucket{{le=\"{edge}\"}} {n}\n\
             t_seconds_bucket{{le=\"+Inf\"}} {n}\nt_seconds_sum {n}\nt_seconds_count {n}\n"
        )
    };
    let account = of(&[&page("1", 3.0), &page("2", 9.0)]);
    let reason = account.histograms[0].buckets.clone().unwrap_err();
    assert!(reason.contains("not the same"), "{reason}");
    assert!(caution(&account, "edges-changed").text.contains("no quantiles"));
    let account = of(&[&page("1", 3.0), &page("1.0", 9.0)]);
    assert_eq!(account.histograms[0].count, Some(6.0), "one edge in two spellings");
}

#[test]
fn ranks_are_copies_and_processes_are_folded_by_the_largest() {
    let page = "# TYPE sglang:num_running_reqs gauge\n\
                sglang:num_running_reqs{model_name=\"m\",tp_rank=\"0\",dp_rank=\"0\"} 7\n\
                sglang:num_running_reqs{model_name=\"m\",tp_rank=\"1\",dp_rank=\"0\"} 7\n\
                sglang:num_running_reqs{model_name=\"m\",tp_rank=\"0\",dp_rank=\"1\"} 2\n\
                # TYPE sglang:generation_tokens_total counter\n\
                sglang:generation_tokens_total{tp_rank=\"0\"} 50\n\
                sglang:generation_tokens_total{tp_rank=\"1\"} 50\n";
    let account = of(&[page]);
    assert_eq!(account.gauges[0].last(), Some(9.0));
    assert_eq!(delta(&account, "sglang:generation_tokens_total"), Some(50.0));
    assert!(account.folded.iter().any(|f| f.label == "tp_rank" && f.sentence().contains("copies")));
}

#[test]
fn one_token_replies_are_taken_out_of_the_mean() {
    let page = "# TYPE vllm:request_time_per_output_token_seconds histogram\n\
                vllm:request_time_per_output_token_seconds_bucket{le=\"0.01\"} 4\n\
                vllm:request_time_per_output_token_seconds_bucket{le=\"+Inf\"} 10\n\
                vllm:request_time_per_output_token_seconds_sum 0.3\n\
                vllm:request_time_per_output_token_seconds_count 10\n\
                # TYPE vllm:request_generation_tokens histogram\n\
                vllm:request_generation_tokens_bucket{le=\"1.0\"} 4\n\
                vllm:request_generation_tokens_bucket{le=\"2.0\"} 4\n\
                vllm:request_generation_tokens_bucket{le=\"+Inf\"} 10\n\
                vllm:request_generation_tokens_sum 100\n\
                vllm:request_generation_tokens_count 10\n";
    let account = of(&[page]);
    let said = caution(&account, "one-token-zeros");
    assert!(said.text.starts_with("4 of 10 requests"), "{}", said.text);
    let mean = said.figures.iter().find(|f| f.id == "tpot_mean_without_zeros").unwrap();
    assert!((mean.value - 0.05).abs() < 1e-12);
    assert_eq!(account.engine.as_ref().unwrap().version.as_deref(), Some("0.11.0…"));
    let _ = identities::weigh(&account);
    let _ = histogram(&account, "vllm:request_generation_tokens");
}

/// A range of readings a few seconds apart.
fn range(readings: &[(u64, &str)]) -> Account {
    let pages: Vec<String> = readings
        .iter()
        .map(|(secs, lines)| {
            let stamped = lines.lines().map(|line| {
                if line.starts_with('#') {
                    format!("{line}\n")
                } else {
                    format!("{line} {}\n", 1_700_000_000_000 + secs * 1000)
                }
            });
            stamped.collect()
        })
        .collect();
    of(&pages.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Half of what was observed is below 1 s, and `rate()` says 42 %: each bucket has a factor of its own.
#[test]
fn what_a_dashboard_makes_of_the_buckets_is_told() {
    let page = |below: f64, all: f64| {
        format!(
            "# TYPE vllm:e2e_request_latency_seconds histogram\n\
             vllm:e2e_request_latency_seconds_bucket{{le=\"1\"}} {below}\n\
             vllm:e2e_request_latency_seconds_bucket{{le=\"2\"}} {all}\n\
             vllm:e2e_request_latency_seconds_bucket{{le=\"+Inf\"}} {all}\n\
             vllm:e2e_request_latency_seconds_sum {all}\n\
             vllm:e2e_request_latency_seconds_count {all}"
        )
    };
    let (a, b, c) = (page(0.0, 100.0), page(5.0, 110.0), page(10.0, 120.0));
    let account = range(&[(20, &a), (35, &b), (50, &c)]);
    let histogram = &account.histograms[0];
    assert_eq!(histogram.histogram().unwrap().promql(0.5), Some(1.0));
    let rated = histogram.rated.as_ref().unwrap();
    // From 12.5 to 57.5 s: the lower bucket starts at zero and reaches no further back.
    assert_eq!(rated.factors, (37.5 / 30.0, 45.0 / 30.0));
    let text = caution(&account, "dashboard-extrapolates").text;
    assert!(text.contains("by 1.25 to 1.50"), "{text}");
    assert!(
        text.contains("a dashboard shows 1.14 s for p50 where the raw counters give 1.00 s"),
        "{text}"
    );
}

#[test]
fn a_queue_that_grows_is_told_and_one_that_settles_is_not() {
    let pages = |levels: [u32; 7]| {
        let pages: Vec<String> = levels
            .iter()
            .map(|n| {
                format!("# TYPE vllm:num_requests_waiting gauge\nvllm:num_requests_waiting {n}")
            })
            .collect();
        let stamped: Vec<(u64, &str)> =
            pages.iter().enumerate().map(|(at, page)| (at as u64 * 5, page.as_str())).collect();
        range(&stamped)
    };
    let text = caution(&pages([0, 1, 3, 5, 8, 11, 14]), "queue-does-not-settle").text;
    assert!(text.contains("0.5000 in the first third"), "{text}");
    let settled = traps::cautions(&pages([0, 4, 6, 5, 6, 5, 4]));
    assert!(!settled.iter().any(|c| c.trap == "queue-does-not-settle"), "{settled:?}");
}
