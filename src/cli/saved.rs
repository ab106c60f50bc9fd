//! What `report` and `session` share: all files in one session of the engine, and one file that comes of it.

use super::args::Saved;
use super::input::{Naming, load};
use super::{Exit, Failure, Streams, say, say_refused};
use crate::engine::{Request, Session};
use crate::model::{ReportPlan, RunId};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Everything that could be read.
pub(super) struct Read {
    /// It, as the page would hold it.
    pub(super) session: Session,
    /// The names that were given in sessions among the files.
    pub(super) names: BTreeMap<RunId, String>,
    /// What is wanted of the report, as the last session among the files has it.
    pub(super) plan: ReportPlan,
    /// How the command ends for what could not be read.
    pub(super) refused: Exit,
}

/// Reads all files into one session.
pub(super) fn read(args: &Saved, streams: &mut Streams<'_>) -> Read {
    let loaded = load(&args.input, Naming::Shared, streams);
    let refused = say_refused(&loaded.refused, streams);
    let mut session = Session::new();
    let mut arrangement = loaded.arrangement();
    if args.input.alone {
        arrangement.together.clear();
        arrangement.apart.extend(loaded.runs.iter().map(|run| run.id.clone()));
    }
    session.handle(Request::Arrange { arrangement }, &[]);
    let last = loaded.opened.last().map(|opened| opened.decided.report.clone());
    let plan = last.unwrap_or_default();
    let names = loaded.opened.into_iter().flat_map(|opened| opened.decided.names).collect();
    session.adopt(loaded.runs);
    for dump in loaded.dumps {
        // The same dump twice is one.
        let _ = session.adopt_dump(dump);
    }
    Read { session, names, plan, refused }
}

/// The date that was given, or today's.
pub(super) fn date(args: &Saved, streams: &Streams<'_>) -> String {
    args.date.clone().unwrap_or_else(|| streams.today.clone())
}

/// Writes `bytes` where they are wanted, or to a file of this name, and says so; `what` is “report”, “session”.
///
/// # Errors
/// When the place can't be written to.
pub(super) fn write(
    bytes: &[u8],
    name: String,
    what: &str,
    args: &Saved,
    streams: &mut Streams<'_>,
) -> Result<(), Failure> {
    let path = args.output.clone().unwrap_or_else(|| PathBuf::from(name));
    if path == Path::new("-") {
        return Ok(streams.out.write_all(bytes)?);
    }
    fs::write(&path, bytes).map_err(|error| {
        Failure::Other(format!("{}: the {what} could not be written: {error}.", path.display()))
    })?;
    if !args.input.quiet {
        let size = crate::units::bytes(bytes.len() as u64);
        say(streams, &format!("{}: written, {size}.", path.display()));
    }
    Ok(())
}
