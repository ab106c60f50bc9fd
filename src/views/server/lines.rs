//! The lists of the Server screen: facts, the table of both sides, traps, identities, counters, names.

use super::client::{ClientServer, Compared};
use super::screen::{Against, Line, Mark};
use crate::model::Run;
use crate::notice::Severity;
use crate::prometheus::identities::{Outcome, weigh};
use crate::prometheus::names::Measure;
use crate::prometheus::traps::cautions;
use crate::prometheus::words::{counted, number, percent};
use crate::prometheus::{Account, Folded, Row, Stretch};
use crate::units::significant;
use crate::views::curves::Table;

fn line(name: &str, text: impl Into<String>, mark: Mark) -> Line {
    Line { name: name.into(), text: text.into(), mark }
}

/// Window, engine, dumps and run, each with its reason.
pub(super) fn facts(
    account: &Account,
    paired: &str,
    run: Option<&Run>,
    attached: String,
    client: Option<&ClientServer>,
) -> Vec<Line> {
    let seconds = account.span.seconds.map(|seconds| format!("{} s", significant(seconds, 4)));
    let window = match (account.span.stretch, seconds) {
        (Stretch::SinceStart, _) => "Since the server’s start, no rate.".to_owned(),
        (Stretch::TwoScrapes, Some(seconds)) => format!("Two scrapes, {seconds} apart."),
        (Stretch::TwoScrapes, None) => "Two scrapes without times, so no rate.".to_owned(),
        (Stretch::Range, Some(seconds)) => {
            format!("{} readings over {seconds}.", account.span.scrapes)
        }
        (Stretch::Range, None) => format!("{} readings without times.", account.span.scrapes),
    };
    let single = account.span.stretch == Stretch::SinceStart;
    let mut facts = vec![
        line("Window", format!("{window} {paired}"), if single { Mark::Warn } else { Mark::Note }),
        match &account.engine {
            None => line("Engine", "Not known: none of the names is in the table.", Mark::Warn),
            Some(engine) => {
                let version =
                    engine.version.as_deref().map(|v| format!(" {v}")).unwrap_or_default();
                let contradiction =
                    engine.contradiction.as_deref().map(|c| format!(" {c}")).unwrap_or_default();
                let text = format!(
                    "{}{version}: {}.{contradiction}",
                    engine.exporter.name, engine.because
                );
                line("Engine", text, Mark::Note)
            }
        },
        match run {
            Some(run) => line("Client", format!("{}. {attached}", run.name), Mark::Note),
            None => line("Client", attached, Mark::Note),
        },
    ];
    if let Some(client) = client {
        match &client.offset {
            Ok(offset) => facts.push(line(
                "Clocks",
                format!(
                    "The client’s first send is at Unix time {:.2} on the server’s clock, between {:+.2} and {:+.2} s \
                     of that, by the best match of requests in flight.",
                    offset.at,
                    offset.low - offset.at,
                    offset.high - offset.at
                ),
                Mark::Note,
            )),
            Err(reason) if account.span.stretch == Stretch::Range => {
                facts.push(line("Clocks", format!("Not matched: {reason}."), Mark::Note));
            }
            Err(_) => {}
        }
    }
    facts.extend(account.folded.iter().map(|f| line("Added up", Folded::sentence(f), Mark::Note)));
    facts
}

/// Means this share apart are about the same.
const ABOUT: f64 = 0.02;

/// Client against server, measure by measure.
pub(super) fn against(client: &ClientServer) -> Vec<Against> {
    client.rows.iter().map(one).collect()
}

fn one(row: &Compared) -> Against {
    let millis =
        |secs: Option<f64>| secs.map_or_else(|| "–".to_owned(), |secs| significant(secs * 1e3, 4));
    let p99 = row.quantiles.iter().find(|of| of.q > 0.98);
    let difference = row.client_mean - row.server_mean;
    let near = difference.abs() <= ABOUT * row.server_mean.abs();
    let same_n = (row.server_n - row.client_n as f64).abs() < 0.5;
    let counts = format!("{} on the server, {} at the client", number(row.server_n), row.client_n);
    let (reading, mark) = match (row.as_expected, same_n) {
        (Some(true), _) => ("as expected".to_owned(), Mark::Fine),
        (Some(false), true) => ("the client is below the server".to_owned(), Mark::Warn),
        (Some(false), false) => (format!("not the same requests: {counts}"), Mark::Warn),
        (None, _) if near => ("as expected".to_owned(), Mark::Fine),
        (None, true) => {
            (format!("{} apart", percent(difference.abs() / row.server_mean)), Mark::Note)
        }
        (None, false) => (format!("apart: {counts}"), Mark::Note),
    };
    let expected = if row.as_expected.is_some() { "+ client later" } else { "≈ equal" };
    let plain = row.mean_difference();
    Against {
        name: row.name.clone(),
        cells: [
            millis(Some(row.client_mean)),
            millis(Some(row.server_mean)),
            plain.strip_suffix(" ms").unwrap_or(&plain).to_owned(),
            millis(p99.map(|of| of.client)),
            millis(p99.and_then(|of| of.client_binned)),
            millis(p99.and_then(|of| of.server_shown)),
        ],
        expected: format!("{expected}: {}", row.expected),
        reading,
        mark,
    }
}

/// What to know before a number is quoted: the gravest first.
pub(super) fn traps(account: &Account) -> Vec<Line> {
    let mut all = cautions(account);
    all.sort_by_key(|caution| std::cmp::Reverse(caution.severity));
    let mark = |severity| if severity == Severity::Note { Mark::Note } else { Mark::Warn };
    all.into_iter().map(|c| line(&title(c.trap), c.text, mark(c.severity))).collect()
}

/// “First bucket wide” of `first-bucket-wide`.
fn title(id: &str) -> String {
    let words = id.replace('-', " ").replace("ttft", "TTFT");
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The identities that can be weighed.
pub(super) fn identities(account: &Account) -> Vec<Line> {
    let proofs = weigh(account).into_iter();
    let lines = proofs.filter_map(|proof| {
        let weighed = proof.weighed.ok()?;
        let mark = match weighed.outcome {
            Outcome::Holds => Mark::Fine,
            Outcome::Differs => Mark::Note,
            Outcome::Broken => Mark::Warn,
        };
        Some(line(proof.about.formula, weighed.text, mark))
    });
    lines.collect()
}

/// Counters that say something by themselves.
pub(super) fn counters(account: &Account) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut say = |name: &str, text: String| lines.push(line(name, text, Mark::Note));
    let sum = |measure| {
        let of = |c: &&crate::prometheus::ServerCounter| {
            c.row.name.is_some_and(|n| n.measure == measure && n.labels.is_empty())
        };
        let mut all = account.counters.iter().filter(of).map(|c| c.delta).peekable();
        all.peek().is_some().then(|| all.sum::<f64>())
    };
    let rate = account.span.seconds;
    let tokens = |count: f64| match rate {
        Some(secs) => {
            format!("{} tokens, {} a second", number(count), significant(count / secs, 3))
        }
        None => format!("{} tokens", number(count)),
    };
    if let Some(count) = account.counted(Measure::OutputTokens) {
        say("Generated", format!("{}.", tokens(count)));
    }
    if let Some(count) = account.counted(Measure::InputTokens) {
        say("Prompts", format!("{}.", tokens(count)));
    }
    let drafts = sum(Measure::Drafts).filter(|drafts| *drafts > 0.0);
    if let (Some(drafts), Some(drafted), Some(accepted)) =
        (drafts, sum(Measure::DraftTokens), sum(Measure::AcceptedTokens))
        && drafted > 0.0
    {
        say(
            "Speculative decoding",
            format!(
                "{} of {} drafted tokens accepted, {}; 1 + {} ÷ {} = {} tokens a step.",
                number(accepted),
                number(drafted),
                percent(accepted / drafted),
                number(accepted),
                number(drafts),
                significant(1.0 + accepted / drafts, 3)
            ),
        );
    }
    let looked_up = sum(Measure::PrefixQueries).filter(|n| *n > 0.0);
    if let Some((queries, hits)) = looked_up.zip(sum(Measure::PrefixHits)) {
        say(
            "Prefix cache",
            format!(
                "{} of {} tokens looked up were held, {}.",
                number(hits),
                number(queries),
                percent(hits / queries)
            ),
        );
    }
    let reasons: Vec<String> = account
        .counters
        .iter()
        .filter(|c| c.row.name.is_some_and(|n| n.measure == Measure::Finished) && c.delta > 0.0)
        .filter_map(|c| Some(format!("{} {}", number(c.delta), c.row.label("finished_reason")?)))
        .collect();
    if !reasons.is_empty() {
        say("Finished by", format!("{}.", reasons.join(", ")));
    }
    if let Some(count) = sum(Measure::Preemptions) {
        say(
            "Preemptions",
            format!("{}.", counted(count, "request pushed out", "requests pushed out")),
        );
    }
    lines
}

/// The names of the file that the table has, once each.
pub(super) fn names(account: &Account) -> Table {
    let rows = account.histograms.iter().map(|h| &h.row);
    let rows = rows.chain(account.counters.iter().map(|c| &c.row));
    let rows = rows.chain(account.gauges.iter().map(|g| &g.row));
    let mut seen: Vec<&Row> = Vec::new();
    for row in rows {
        if !seen.iter().any(|other| other.family == row.family) {
            seen.push(row);
        }
    }
    let known = seen.into_iter().filter_map(|row| {
        let name = row.name?;
        let versions = name.versions();
        Some(vec![
            row.family.clone(),
            name.measure.label().to_owned(),
            name.what.to_owned(),
            if versions.is_empty() { "all that were read".to_owned() } else { versions },
            name.instead.unwrap_or("–").to_owned(),
        ])
    });
    let head = ["Name", "Measures", "What, from when to when", "Versions", "Renamed from or to"];
    Table { head: head.map(str::to_owned).to_vec(), rows: known.collect() }
}
