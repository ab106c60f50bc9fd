//! The command: arguments, files from disk, and answers as text, JSON, CSV or Markdown.
//!
//! Knows the engine's answers and how to print them. Must not know formulas, file formats or
//! browsers. Everything is written to the [`Streams`] it is handed, so tests see what users see.

mod args;
mod axes;
mod companions;
mod input;
mod output;
mod ruler;
mod sweeps;

mod check;
mod check_server;
mod curve;
mod curve_json;
mod curve_table;
mod definitions;
mod dumps;
mod explain;
mod formats;
mod inspect;
mod metrics;
mod metrics_json;
mod repeats_json;
mod report;
mod saved;
mod server;
mod server_json;
mod server_pages;
mod session;

use crate::engine::{Cause, Refusal, plain, refusals};
use args::{Cli, Command};
use clap::Parser as _;
use std::ffi::OsString;
use std::io::{self, Read, Write};

/// Where the command reads and writes.
pub struct Streams<'a> {
    /// Standard input.
    pub input: &'a mut dyn Read,
    /// Standard output: answers only.
    pub out: &'a mut dyn Write,
    /// Standard error: refused files, and progress on a terminal.
    pub err: &'a mut dyn Write,
    /// Whether standard error is a terminal.
    pub terminal: bool,
    /// Today's date, `2026-11-29`; reports print it.
    pub today: String,
}

/// How the command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Everything was read.
    Read = 0,
    /// The answer could not be written.
    NotWritten = 1,
    /// Wrong use.
    WrongUse = 2,
    /// A finding blocks a run, or the comparison of runs.
    Blocked = 3,
    /// At least one file could not be read.
    Refused = 4,
}

/// Why a subcommand ended without an answer.
#[derive(Debug)]
enum Failure {
    /// Wrong use: what, and what would be right.
    Use(String),
    /// The answer could not be written.
    Write(io::Error),
    /// Something else, said in a sentence.
    Other(String),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

/// Runs the command with these arguments, the program's name first.
pub fn run(args: impl IntoIterator<Item = OsString>, streams: &mut Streams<'_>) -> Exit {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => return say_usage(&error, streams),
    };
    let ended = match cli.command {
        Command::Inspect(args) => inspect::run(&args, streams),
        Command::Metrics(args) => metrics::run(&args, streams),
        Command::Explain(args) => explain::run(&args, streams),
        Command::Curve(args) => curve::run(&args, streams),
        Command::Check(args) => check::run(&args, streams),
        Command::Formats(args) => formats::run(args.format, streams.out),
        Command::Definitions(args) => definitions::run(args.format, streams.out),
        Command::Report(args) => report::run(&args, streams),
        Command::Session(args) => session::run(&args, streams),
        Command::Server(args) => server::run(&args, streams),
    };
    match ended.and_then(|exit| Ok(streams.out.flush().map(|()| exit)?)) {
        Ok(exit) => exit,
        // Whoever reads had enough, such as `head`: no fault of anybody.
        Err(Failure::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Read,
        Err(Failure::Write(error)) => {
            say(streams, &format!("The answer could not be written: {error}."));
            Exit::NotWritten
        }
        Err(Failure::Other(sentence)) => {
            say(streams, &sentence);
            Exit::NotWritten
        }
        Err(Failure::Use(sentence)) => {
            say(streams, &sentence);
            Exit::WrongUse
        }
    }
}

/// Help and version go to standard output, a complaint to standard error.
fn say_usage(error: &clap::Error, streams: &mut Streams<'_>) -> Exit {
    let text = error.render();
    if error.use_stderr() {
        say(streams, text.to_string().trim_end());
        return Exit::WrongUse;
    }
    // As for any other answer, a reader that went away is no fault.
    let _ = write!(streams.out, "{text}").and_then(|()| streams.out.flush());
    Exit::Read
}

/// One message on standard error. If that is gone too, there is nobody left to tell.
fn say(streams: &mut Streams<'_>, message: &str) {
    let _ = writeln!(streams.err, "{message}");
}

/// Names each refused file on standard error, and says how the command ends.
fn say_refused(refused: &[Refusal], streams: &mut Streams<'_>) -> Exit {
    let together = refusals::foreign(refused);
    for refusal in refused {
        if together.is_some() && refusal.kind == Cause::Foreign {
            continue;
        }
        // One about a name, such as of a file in a folder, did not pass the import.
        let Refusal { file, error, place, advice, .. } = plain::refusal(refusal.clone());
        say(streams, &format!("{file}: {error}\n  at: {place}\n  do: {advice}"));
    }
    if let Some(sentence) = together {
        say(
            streams,
            &format!("{sentence}\n  do: drop one of them alone to see what to do instead."),
        );
    }
    match refused {
        [] => Exit::Read,
        _ if refused.iter().any(|refusal| refusal.kind == Cause::Mapping) => Exit::WrongUse,
        _ => Exit::Refused,
    }
}

/// The civil date of a number of days since 1970-01-01, as `2026-11-29`.
pub fn date(days: u64) -> String {
    let (mut year, mut left) = (1970, days);
    let leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    while left >= 365 + u64::from(leap(year)) {
        left -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if left < length {
            break;
        }
        left -= length;
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}", left + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_dates() {
        let cases = [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (789, "1972-02-29"),
            (11_016, "2000-02-29"),
            (20_786, "2026-11-29"),
            (20_818, "2026-12-31"),
            (20_819, "2027-01-01"),
        ];
        for (days, want) in cases {
            assert_eq!(date(days), want);
        }
    }
}
