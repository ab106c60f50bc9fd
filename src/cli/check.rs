//! `check`: what the checks find in each run and between runs, as a table, Markdown, CSV or JSON.

use super::args::{self, Form};
use super::check_server::Server;
use super::input::{Loaded, Naming, load};
use super::metrics::{ask, shown, unit_symbol};
use super::metrics_json::{Json, Members, Object, Source};
use super::output::{TextTable, write_json};
use super::ruler::Ruler;
use super::{Exit, Failure, Streams, say_refused};
use crate::checks::{self, Advice, Between, Blocked, CHECKS, Effect, Examined, Finding, Verdict};
use crate::engine::Refusal;
use crate::metrics::Value as Known;
use crate::model::{Run, Stat};
use crate::notice::Severity;
use serde::Serialize;
use serde_json::Value;
use std::io::{self, Write};

/// One run with what was found in it.
struct Checked<'a> {
    run: &'a Run,
    blocked: Option<Blocked>,
    /// The verdicts; findings with what they do to the numbers.
    examined: Vec<(Examined, Vec<Effect>)>,
}

/// Runs the subcommand.
pub(super) fn run(args: &args::Check, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let ruler = Ruler::new(&args.ruler, "own")?;
    let ask = ask(&args.ruler);
    let loaded = load(&args.input, Naming::AsGiven, streams);
    let mut all = Vec::with_capacity(loaded.runs.len());
    for run in &loaded.runs {
        let (_, settings) = ruler.of(run)?;
        let examined = checks::examine(run).into_iter().map(|examined| {
            let effects = examined.verdict.found().map_or_else(Vec::new, |finding| {
                checks::effects(run, finding, &settings, &ask, Stat::Mean)
            });
            (examined, effects)
        });
        all.push(Checked { run, blocked: checks::blocked(run), examined: examined.collect() });
    }
    let runs: Vec<&Run> = loaded.runs.iter().collect();
    let between = checks::between(&runs);
    let servers: Vec<Server<'_>> = loaded.dumps.iter().map(Server::of).collect();
    write(args.format, &all, &servers, &between, &loaded, streams.out)?;
    let blocking = all.iter().any(|checked| checked.blocked.is_some())
        || servers.iter().any(|server| server.blocked().is_some())
        || between.iter().any(|found| found.severity == Severity::Block);
    Ok(match say_refused(&loaded.refused, streams) {
        Exit::Read if blocking => Exit::Blocked,
        exit => exit,
    })
}

fn write(
    form: Form,
    all: &[Checked<'_>],
    servers: &[Server<'_>],
    between: &[Between],
    loaded: &Loaded,
    out: &mut dyn Write,
) -> io::Result<()> {
    match form {
        Form::Json => write_json(out, &answer(all, servers, between, &loaded.refused)),
        Form::Csv => table(all, servers, between).write_csv(out),
        Form::Markdown => table(all, servers, between).write_markdown(out),
        Form::Table => {
            for (at, checked) in all.iter().enumerate() {
                if at > 0 {
                    writeln!(out)?;
                }
                block(checked, out)?;
            }
            for (at, server) in servers.iter().enumerate() {
                if at > 0 || !all.is_empty() {
                    writeln!(out)?;
                }
                server.block(out)?;
            }
            if !between.is_empty() {
                writeln!(out, "\nbetween the runs")?;
            }
            for found in between {
                writeln!(out, "  {}: {}", found.severity.word(), found.name)?;
                writeln!(out, "    {}", found.text)?;
            }
            Ok(())
        }
    }
}

/// Findings, the gravest first, in the order of the checks.
fn findings<'a>(
    checked: &'a Checked<'_>,
) -> impl Iterator<Item = (&'a Examined, &'a Finding, &'a [Effect])> {
    [Severity::Block, Severity::Warn, Severity::Note].into_iter().flat_map(|severity| {
        checked.examined.iter().filter_map(move |(examined, effects)| {
            let finding = examined.verdict.found().filter(|f| f.severity == severity)?;
            Some((examined, finding, effects.as_slice()))
        })
    })
}

/// One run for a terminal.
fn block(checked: &Checked<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Checked { run, blocked, .. } = checked;
    writeln!(out, "{}", run.name)?;
    let state = match blocked {
        Some(_) => " · blocked: it wins no comparison and is on no curve until somebody has looked",
        None => "",
    };
    writeln!(out, "{} · {}{state}", run.provenance.file, run.provenance.format)?;
    for (examined, finding, effects) in findings(checked) {
        writeln!(
            out,
            "  {}: {}{}",
            finding.severity.word(),
            examined.name,
            concerned(finding).map_or_else(String::new, |rows| format!(" · {rows}"))
        )?;
        writeln!(out, "    {}", finding.text)?;
        for effect in effects {
            writeln!(out, "    {}", changed(effect))?;
        }
        if let Some(advice) = advised(finding) {
            writeln!(out, "    do: {advice}")?;
        }
    }
    let passed: Vec<&str> = passed(checked).map(|(_, passes)| passes).collect();
    writeln!(out, "  passed {}: {}", passed.len(), passed.join(" · "))?;
    let untold: Vec<String> =
        untold(checked).map(|(examined, reason)| format!("{}, {reason}", examined.id)).collect();
    if !untold.is_empty() {
        writeln!(out, "  can’t tell {}: {}", untold.len(), untold.join(" · "))?;
    }
    Ok(())
}

fn passed<'a>(checked: &'a Checked<'_>) -> impl Iterator<Item = (&'a str, &'static str)> {
    checked.examined.iter().filter_map(|(examined, _)| match (&examined.verdict, examined.about) {
        (Verdict::Passed, Some(about)) => Some((&*examined.id, about.passes)),
        _ => None,
    })
}

fn untold<'a>(checked: &'a Checked<'_>) -> impl Iterator<Item = (&'a Examined, &'a str)> {
    checked.examined.iter().filter_map(|(examined, _)| match &examined.verdict {
        Verdict::CannotTell(reason) => Some((examined, reason.as_str())),
        _ => None,
    })
}

/// "6 of 75 requests", "12 times", or nothing of the run as a whole.
fn concerned(finding: &Finding) -> Option<String> {
    match (finding.count, finding.of) {
        (0, _) => None,
        (count, 0) if count > 1 => Some(format!("{count} times")),
        (_, 0) => None,
        (count, of) => Some(format!("{count} of {of} requests")),
    }
}

/// "TTFT mean 81.8 → 88.9 ms".
fn changed(effect: &Effect) -> String {
    let Effect { metric, stat, before, after } = effect;
    let stat = match stat {
        Stat::Value => String::new(),
        stat => format!(" {}", stat.name()),
    };
    let after = match after {
        Known::Missing(reason) => format!("not to be had ({reason})"),
        known => format!("{} {}", shown(*metric, known), unit_symbol(*metric)),
    };
    format!("{}{stat} {} → {}", metric.name(), shown(*metric, before), after.trim_end())
}

/// What can be done, as a sentence.
fn advised(finding: &Finding) -> Option<String> {
    match &finding.advice {
        Advice::Exclude => Some("leave these requests out".into()),
        Advice::Set { dimension, choice } => Some(format!("--set {dimension}={choice}")),
        Advice::Say(sentence) => Some(sentence.clone()),
        Advice::Look => None,
    }
}

/// One line a finding, for CSV and Markdown.
fn table(all: &[Checked<'_>], servers: &[Server<'_>], between: &[Between]) -> TextTable {
    let head =
        ["run", "file", "severity", "id", "finding", "rows", "of", "text", "effect", "advice"];
    let mut table = TextTable::new(&head, &[5, 6]);
    for checked in all {
        for (examined, finding, effects) in findings(checked) {
            let number = |n: usize| if n > 0 { n.to_string() } else { String::new() };
            table.row([
                checked.run.name.clone(),
                checked.run.provenance.file.clone(),
                finding.severity.word().to_owned(),
                examined.id.to_string(),
                examined.name.to_string(),
                number(finding.count),
                number(finding.of),
                finding.text.clone(),
                effects.iter().map(changed).collect::<Vec<_>>().join("; "),
                advised(finding).unwrap_or_default(),
            ]);
        }
        let mut line = |state: &str, id: &str, name: &str, text: &str| {
            let none = String::new;
            table.row([
                checked.run.name.clone(),
                checked.run.provenance.file.clone(),
                state.to_owned(),
                id.to_owned(),
                name.to_owned(),
                none(),
                none(),
                text.to_owned(),
                none(),
                none(),
            ]);
        };
        for (id, passes) in passed(checked) {
            line("passed", id, "", passes);
        }
        for (examined, reason) in untold(checked) {
            line("cannot-tell", &examined.id, &examined.name, reason);
        }
    }
    for server in servers {
        server.rows(&mut table);
    }
    for found in between {
        let none = String::new;
        table.row([
            "between the runs".to_owned(),
            none(),
            found.severity.word().to_owned(),
            found.id.to_owned(),
            found.name.to_owned(),
            none(),
            none(),
            found.text.clone(),
            none(),
            none(),
        ]);
    }
    table
}

/// `check --format json`: the object of schema `sameruler.check/1`, whose names are a contract.
#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    checks: usize,
    runs: Vec<RunAnswer<'a>>,
    /// Pages of server metrics with the traps that apply.
    dumps: Vec<Object>,
    between: Vec<Object>,
    refused: &'a [Refusal],
}

#[derive(Serialize)]
struct RunAnswer<'a> {
    id: &'a str,
    name: &'a str,
    source: Source<'a>,
    blocked: Option<Object>,
    findings: Vec<Object>,
    passed: Vec<Object>,
    cannot_tell: Vec<Object>,
}

fn answer<'a>(
    all: &'a [Checked<'a>],
    servers: &[Server<'_>],
    between: &[Between],
    refused: &'a [Refusal],
) -> Answer<'a> {
    Answer {
        schema: "sameruler.check/1",
        checks: CHECKS.len(),
        runs: all.iter().map(run_answer).collect(),
        dumps: servers.iter().map(Server::object).collect(),
        between: between.iter().map(between_object).collect(),
        refused,
    }
}

fn run_answer<'a>(checked: &'a Checked<'a>) -> RunAnswer<'a> {
    let one = |id: &str, key: &str, text: &str| {
        Members::default().with("id", id).with(key, text).object()
    };
    RunAnswer {
        id: checked.run.id.as_str(),
        name: &checked.run.name,
        source: Source::of(checked.run),
        blocked: checked.blocked.as_ref().map(|blocked| {
            Members::default()
                .with("id", &*blocked.id)
                .with("name", &*blocked.name)
                .with("text", blocked.text.as_str())
                .object()
        }),
        findings: findings(checked)
            .map(|(examined, finding, effects)| object(examined, finding, Some(effects)))
            .collect(),
        passed: passed(checked).map(|(id, passes)| one(id, "passes", passes)).collect(),
        cannot_tell: untold(checked).map(|(e, reason)| one(&e.id, "reason", reason)).collect(),
    }
}

/// The findings of a run for `metrics --format json`, without what they do to the numbers.
pub(super) fn objects(run: &Run) -> Vec<Object> {
    let all = checks::examine(run);
    let found = all.iter().filter_map(|e| Some(object(e, e.verdict.found()?, None)));
    found.collect()
}

/// A finding. Requests are numbered from 1, as in places.
fn object(examined: &Examined, finding: &Finding, effects: Option<&[Effect]>) -> Object {
    let touches: Vec<&str> = finding.touches.iter().map(|metric| metric.id()).collect();
    let members = Members::default()
        .with("id", &*examined.id)
        .with("name", &*examined.name)
        .with("severity", finding.severity.word())
        .with("from", if examined.about.is_some() { "check" } else { "import" })
        .with("text", finding.text.as_str())
        .with("count", finding.count)
        .with("of", if finding.of > 0 { Value::from(finding.of) } else { Value::Null })
        .with("touches", touches);
    let members = match effects {
        None => members,
        Some(effects) => members
            .with("requests", finding.rows.iter().map(|at| at + 1).collect::<Vec<_>>())
            .with("places", finding.places.clone())
            .with_json("effects", Json::List(effects.iter().map(effect).collect())),
    };
    members.with_json("advice", advice(&finding.advice)).object()
}

fn effect(effect: &Effect) -> Json {
    Members::default()
        .with("metric", effect.metric.id())
        .with("stat", effect.stat.name())
        .with("unit", unit_symbol(effect.metric))
        .with_json("before", known(&effect.before))
        .with_json("after", known(&effect.after))
        .json()
}

/// A value as far as it is known.
fn known(value: &Known) -> Json {
    let members = Members::default();
    match value {
        Known::Exact(value) => members.with("value", *value).with("origin", "recomputed"),
        Known::Reported(value) => members.with("value", *value).with("origin", "reported"),
        Known::AtLeast(low) => members.with("low", *low),
        Known::AtMost(high) => members.with("high", *high),
        Known::Between(low, high) => members.with("low", *low).with("high", *high),
        Known::Missing(reason) => members.with("unavailable", reason.as_str()),
    }
    .json()
}

fn advice(advice: &Advice) -> Json {
    let members = Members::default();
    match advice {
        Advice::Exclude => members.with("kind", "exclude"),
        Advice::Set { dimension, choice } => members
            .with("kind", "set")
            .with("dimension", dimension.as_str())
            .with("choice", choice.as_str()),
        Advice::Look => members.with("kind", "look"),
        Advice::Say(sentence) => members.with("kind", "say").with("text", sentence.as_str()),
    }
    .json()
}

fn between_object(found: &Between) -> Object {
    let touches: Vec<&str> = found.touches.iter().map(|metric| metric.id()).collect();
    let runs: Vec<&str> = found.runs.iter().map(crate::model::RunId::as_str).collect();
    Members::default()
        .with("id", found.id)
        .with("name", found.name)
        .with("severity", found.severity.word())
        .with("text", found.text.as_str())
        .with("runs", runs)
        .with("touches", touches)
        .object()
}
