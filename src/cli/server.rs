//! `server`: what pages of server metrics say, as a table, Markdown, CSV or JSON.

use super::args::{self, Form};
use super::input;
use super::output::{TextTable, write_json};
use super::server_json;
use super::server_pages::{Pages, pages};
use super::{Exit, Failure, Streams, say, say_refused};
use crate::engine::{Cause, Refusal};
use crate::metrics::own;
use crate::model::{Dump, Limit, Run};
use crate::notice::Notices;
use crate::prometheus::identities::{Proof, weigh};
use crate::prometheus::traps::{Caution, cautions};
use crate::prometheus::{
    Account, Ask, Given, Row, ServerHistogram, Stretch, account, joined_told, last_reading,
    strangers,
};
use crate::units::{fixed, significant};
use crate::views::server::{ClientServer, client_server, kept};
use std::io::{self, Write};
use std::path::Path;

/// What the command has to say.
pub(super) struct Answer {
    /// The server's account.
    pub(super) account: Account,
    /// Identities with both sides.
    pub(super) proofs: Vec<Proof>,
    /// Traps that apply.
    pub(super) cautions: Vec<Caution>,
    /// What the reading met.
    pub(super) notices: Notices,
    /// Percentiles from 0 to 100.
    pub(super) percentiles: Vec<f64>,
    /// Limits whose shares are asked for.
    pub(super) limits: Vec<Limit>,
    /// The client beside it, or why it can’t be compared.
    pub(super) client: Option<Result<ClientServer, String>>,
}

/// Runs the subcommand.
pub(super) fn run(args: &args::Server, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let mut refused = Vec::new();
    let mut notices = Notices::new();
    let mut dumps = Vec::new();
    let last_only = args.before.is_some();
    let Pages { read, refused: unread, files, given } = pages(&args.files, streams);
    refused.extend(unread);
    for (dump, met) in read {
        notices.extend(met);
        dumps.push(dump);
    }
    for path in [&args.before, &args.after].into_iter().flatten() {
        match input::dumps(path, streams.input) {
            Ok(read) => {
                for (dump, met) in read {
                    notices.extend(met);
                    dumps.push(last_reading(&dump));
                }
            }
            Err(refusal) => refused.push(refusal),
        }
    }
    if dumps.is_empty() || (last_only && dumps.len() < 2) {
        return Ok(say_refused(&refused, streams));
    }
    let all: Vec<&Dump> = dumps.iter().collect();
    if last_only
        && let [before, after] = all.as_slice()
        && let Some(because) = strangers(before, after)
    {
        refused.push(not_one_server(args.after.as_deref(), &because));
        return Ok(say_refused(&refused, streams));
    }
    let given = if last_only { Given::InOrder } else { given };
    let readings = joined_told(&all, given, &mut notices);
    let account = account(&readings, &Ask { by: args.by.clone() });
    if !args.quiet && files > 1 && account.span.scrapes > 1 {
        let said = "Several files are taken for readings of one server, in order of time as far as it is known.";
        say(streams, said);
    }
    let client = match &args.client {
        None => None,
        Some(path) => match client_run(path, streams) {
            Ok(run) => Some(client_server(&account, &run, &own(&run).settings)),
            Err(refusal) => {
                refused.push(refusal);
                None
            }
        },
    };
    let answer = Answer {
        client,
        proofs: weigh(&account),
        cautions: cautions(&account),
        account,
        notices,
        percentiles: args.percentiles(),
        limits: args.slo.clone(),
    };
    write(args.format, &answer, streams.out)?;
    Ok(say_refused(&refused, streams))
}

/// The second page is of another server than the first.
fn not_one_server(after: Option<&Path>, because: &str) -> Refusal {
    Refusal {
        file: after.map(input::display).unwrap_or_default(),
        kind: Cause::Foreign,
        what: Some("a page of another server".into()),
        error: format!(
            "The pages before and after are of two servers ({because}); expected two readings of one, so nothing is \
             subtracted."
        ),
        place: "whole file".into(),
        advice: "Give two pages of one server, or both files without --before and --after to see them side by side."
            .into(),
        mapping: None,
    }
}

/// The client’s run: the one that the file holds, or the one that is named by `#` and its number.
fn client_run(path: &Path, streams: &mut Streams<'_>) -> Result<Run, Refusal> {
    let text = path.to_string_lossy();
    let numbered =
        text.rsplit_once('#').and_then(|(file, n)| Some((file, n.parse::<usize>().ok()?)));
    let (file, number) = match numbered {
        Some((file, number)) if !path.exists() => (Path::new(file), Some(number)),
        _ => (path, None),
    };
    let name = file.to_string_lossy().into_owned();
    let imported = input::read(file, &name, None, streams.input, &mut |_, _| {});
    let mut runs = imported.whole()?;
    let count = runs.len();
    let at = number.unwrap_or(1).wrapping_sub(1);
    if at < count && (number.is_some() || count == 1) {
        return Ok(runs.swap_remove(at));
    }
    Err(Refusal {
        file: name,
        kind: Cause::Unreadable,
        what: None,
        error: format!("The file holds {count} runs; expected which one is meant."),
        place: "whole file".into(),
        advice: "Add its number, such as FILE#1.".into(),
        mapping: None,
    })
}

fn write(form: Form, answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    match form {
        Form::Json => write_json(out, &server_json::answer(answer)),
        Form::Csv => csv(answer).write_csv(out),
        Form::Table => text(answer, TextTable::write_aligned, out),
        Form::Markdown => text(answer, TextTable::write_markdown, out),
    }
}

/// The length and kind of the window, and the engine, in a sentence each.
fn head(account: &Account) -> Vec<String> {
    let seconds = account.span.seconds.map(|seconds| format!("{} s", significant(seconds, 4)));
    let window = match account.span.stretch {
        Stretch::SinceStart => "One reading: totals since the server’s start, no rate.".to_owned(),
        Stretch::TwoScrapes => match seconds {
            Some(seconds) => format!("Two readings, {seconds} apart."),
            None => "Two readings; the pages say no times, so there is no rate.".to_owned(),
        },
        Stretch::Range => format!(
            "{} readings over {}.",
            account.span.scrapes,
            seconds.unwrap_or_else(|| "an unknown time".to_owned())
        ),
    };
    let engine = match &account.engine {
        None => "The engine is not known: none of the names is in the table.".to_owned(),
        Some(engine) => {
            let version = engine.version.as_deref().map(|v| format!(" {v}")).unwrap_or_default();
            format!("{}{version} ({}).", engine.exporter.name, engine.because)
        }
    };
    let contradiction = account.engine.as_ref().and_then(|engine| engine.contradiction.clone());
    [window, engine].into_iter().chain(contradiction).collect()
}

fn text(
    answer: &Answer,
    write: impl Fn(&TextTable, &mut dyn Write) -> io::Result<()>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let account = &answer.account;
    for line in head(account) {
        writeln!(out, "{line}")?;
    }
    for (title, table) in [
        ("histograms", histograms(answer)),
        ("shares within limits", shares(answer)),
        ("requests within limits", within(answer)),
        ("counters", counters(account)),
        ("gauges", gauges(account)),
        ("summaries", summaries(account)),
        ("identities", identities(answer)),
        ("client against server", against(answer)),
    ] {
        if !table.rows.is_empty() {
            writeln!(out, "\n{title}")?;
            write(&table, out)?;
        }
    }
    let folded = account.folded.iter().map(crate::prometheus::Folded::sentence);
    let notices = answer.notices.iter().map(|notice| notice.text.clone());
    let beside = match &answer.client {
        None => Vec::new(),
        Some(Err(reason)) => vec![format!("The client can’t be put beside the server: {reason}.")],
        Some(Ok(beside)) => beside.sentences.clone(),
    };
    let traps = answer.cautions.iter().map(|c| c.text.clone());
    let lines: Vec<String> = beside.into_iter().chain(traps).chain(folded).chain(notices).collect();
    if !lines.is_empty() {
        writeln!(out, "\nto know")?;
        for line in lines {
            writeln!(out, "- {line}")?;
        }
    }
    Ok(())
}

/// “84.3 (80 to 100)”, “> 60”, “–”.
pub(super) fn quantile(histogram: &ServerHistogram, p: f64) -> String {
    let Some((buckets, bounds)) =
        histogram.histogram().and_then(|h| Some((h, h.bounds(p / 100.0)?)))
    else {
        return "–".to_owned();
    };
    if bounds.above_last_edge {
        let high = bounds.high.map(|high| format!(" (≤ {})", significant(high, 3)));
        return format!("> {}{}", significant(bounds.low, 3), high.unwrap_or_default());
    }
    let shown = buckets.promql(p / 100.0).map_or_else(|| "–".to_owned(), |v| significant(v, 3));
    let high = bounds.high.map_or_else(|| "∞".to_owned(), |high| significant(high, 3));
    format!("{shown} ({} to {high})", significant(bounds.low, 3))
}

fn histograms(answer: &Answer) -> TextTable {
    let mut head: Vec<String> =
        ["series", "means", "unit", "n", "mean"].map(str::to_owned).to_vec();
    head.extend(answer.percentiles.iter().map(|p| format!("p{p}")));
    let numbers = (3..head.len()).collect();
    let mut table = TextTable { head, rows: Vec::new(), numbers };
    for histogram in &answer.account.histograms {
        let number = |v: Option<f64>, show: &dyn Fn(f64) -> String| {
            v.map_or_else(|| "–".to_owned(), |v| at_least(&histogram.row, show(v)))
        };
        let mut row = lead(&histogram.row);
        row.push(number(histogram.count, &whole));
        row.push(histogram.mean().map_or_else(|| "–".to_owned(), |mean| significant(mean, 4)));
        row.extend(answer.percentiles.iter().map(|p| quantile(histogram, *p)));
        table.row(row);
    }
    table
}

fn shares(answer: &Answer) -> TextTable {
    let mut table = TextTable::new(&["series", "limit", "share at least", "at most"], &[2, 3]);
    for histogram in &answer.account.histograms {
        for limit in &answer.limits {
            if let Some((_, share)) = server_json::share(histogram, limit) {
                let percent = |share: f64| format!("{} %", fixed(share * 100.0, 1));
                table.row([
                    histogram.row.key.clone(),
                    limit.to_string(),
                    percent(share.low),
                    percent(share.high),
                ]);
            }
        }
    }
    table
}

/// Each limit and all together, out of requests, with the edges that tell it.
fn within(answer: &Answer) -> TextTable {
    let mut table = TextTable::new(&["limit", "by the buckets"], &[]);
    let Some(kept) = kept(&answer.account, &answer.limits) else { return table };
    for (limit, found) in &kept.each {
        let said = match found {
            Ok(found) => found.sentence(),
            Err(because) => format!("Not known: {because}."),
        };
        table.row([limit.to_string(), said]);
    }
    if kept.each.len() > 1 || kept.per_second.is_some() {
        table.row(["all limits".to_owned(), kept.sentence()]);
    }
    table
}

fn counters(account: &Account) -> TextTable {
    let single = account.span.stretch == Stretch::SinceStart;
    let rose = if single { "total" } else { "rose by" };
    let mut table = TextTable::new(&["series", "means", "unit", rose, "a second"], &[3, 4]);
    for counter in &account.counters {
        let mut row = lead(&counter.row);
        row.push(at_least(&counter.row, whole(counter.delta)));
        row.push(counter.rate.map_or_else(|| "–".to_owned(), |rate| significant(rate, 4)));
        table.row(row);
    }
    table
}

fn gauges(account: &Account) -> TextTable {
    let mut table = TextTable::new(&["series", "means", "unit", "first", "last"], &[3, 4]);
    for gauge in &account.gauges {
        let mut row = lead(&gauge.row);
        let number = |v: Option<f64>| v.map_or_else(|| "–".to_owned(), whole);
        row.extend([number(gauge.first()), number(gauge.last())]);
        table.row(row);
    }
    table
}

fn summaries(account: &Account) -> TextTable {
    let mut table = TextTable::new(&["series", "means", "unit", "n", "mean"], &[3, 4]);
    for summary in &account.summaries {
        let mut row = lead(&summary.row);
        let mean = summary.count.filter(|n| *n > 0.0).zip(summary.sum).map(|(n, sum)| sum / n);
        row.push(summary.count.map_or_else(|| "–".to_owned(), whole));
        row.push(mean.map_or_else(|| "–".to_owned(), |mean| significant(mean, 4)));
        table.row(row);
    }
    table
}

fn identities(answer: &Answer) -> TextTable {
    let mut table = TextTable::new(&["identity", "left", "right", "unit", ""], &[1, 2]);
    for proof in &answer.proofs {
        if let Ok(weighed) = &proof.weighed {
            table.row([
                proof.about.formula.to_owned(),
                significant(weighed.left, 6),
                significant(weighed.right, 6),
                weighed.unit.symbol().to_owned(),
                weighed.text.clone(),
            ]);
        }
    }
    table
}

/// Both sides by measure; times in milliseconds.
fn against(answer: &Answer) -> TextTable {
    let heads = [
        "",
        "server n",
        "client n",
        "server mean ms",
        "client mean ms",
        "client − server",
        "server p99",
        "client p99",
        "client p99 in the server’s buckets",
    ];
    let mut table = TextTable::new(&heads, &[1, 2, 3, 4, 5, 6, 7, 8]);
    let Some(Ok(beside)) = &answer.client else { return table };
    let millis =
        |secs: Option<f64>| secs.map_or_else(|| "–".to_owned(), |s| significant(s * 1e3, 4));
    for row in &beside.rows {
        let p99 = row.quantiles.iter().find(|of| of.q > 0.98);
        table.row([
            row.name.clone(),
            whole(row.server_n),
            whole(row.client_n as f64),
            millis(Some(row.server_mean)),
            millis(Some(row.client_mean)),
            row.mean_difference(),
            millis(p99.and_then(|of| of.server_shown)),
            millis(p99.map(|of| of.client)),
            millis(p99.and_then(|of| of.client_binned)),
        ]);
    }
    table
}

/// Series, meaning and unit.
fn lead(row: &Row) -> Vec<String> {
    vec![row.key.clone(), row.meaning().unwrap_or_else(|| "–".to_owned()), row.unit().to_owned()]
}

fn at_least(row: &Row, text: String) -> String {
    if row.at_least { format!("≥ {text}") } else { text }
}

fn whole(value: f64) -> String {
    if value.fract().abs() < 1e-9 { fixed(value, 0) } else { significant(value, 4) }
}

/// One row a series, numbers in full.
fn csv(answer: &Answer) -> TextTable {
    let mut head: Vec<String> = [
        "kind", "series", "meaning", "unit", "count", "sum", "mean", "delta", "rate", "first",
        "last", "resets",
    ]
    .map(str::to_owned)
    .to_vec();
    for p in &answer.percentiles {
        head.extend(["promql", "low", "high"].map(|part| format!("p{p}_{part}")));
    }
    let mut table = TextTable { head, ..TextTable::default() };
    let full = |v: Option<f64>| v.map_or_else(String::new, |v| v.to_string());
    let lead = |kind: &str, row: &Row| {
        let meaning = row.meaning().unwrap_or_default();
        vec![kind.to_owned(), row.key.clone(), meaning, row.unit().to_owned()]
    };
    let account = &answer.account;
    for h in &account.histograms {
        let mut row = lead("histogram", &h.row);
        row.extend([full(h.count), full(h.sum), full(h.mean())]);
        row.extend(std::iter::repeat_n(String::new(), 4));
        row.push(h.row.resets.to_string());
        for p in &answer.percentiles {
            let bounds = h.histogram().and_then(|buckets| buckets.bounds(p / 100.0));
            row.push(full(h.histogram().and_then(|buckets| buckets.promql(p / 100.0))));
            row.push(full(bounds.map(|bounds| bounds.low)));
            row.push(full(bounds.and_then(|bounds| bounds.high)));
        }
        table.row(row);
    }
    for c in &account.counters {
        let mut row = lead("counter", &c.row);
        row.extend(std::iter::repeat_n(String::new(), 3));
        row.extend([full(Some(c.delta)), full(c.rate), String::new(), String::new()]);
        row.push(c.row.resets.to_string());
        table.row(row);
    }
    for g in &account.gauges {
        let mut row = lead("gauge", &g.row);
        row.extend(std::iter::repeat_n(String::new(), 5));
        row.extend([full(g.first()), full(g.last())]);
        table.row(row);
    }
    for s in &account.summaries {
        let mut row = lead("summary", &s.row);
        row.extend([full(s.count), full(s.sum)]);
        table.row(row);
    }
    table
}
