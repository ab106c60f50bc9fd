//! `session`: runs, servers' dumps and the view as one file that the page and the command open again.

use super::args;
use super::input::{Naming, load};
use super::ruler::Ruler;
use super::{Exit, Failure, Streams, say, say_refused};
use crate::engine::protocol::SaveRequest;
use crate::engine::{Answer, Query, Session};
use crate::link::{Link, Screen};
use crate::views::Context;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Runs the subcommand.
pub(super) fn run(args: &args::Session, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let ruler = Ruler::new(&args.ruler, "common")?.for_views()?;
    let loaded = load(&args.input, Naming::Shared, streams);
    let refused = say_refused(&loaded.refused, streams);
    let mut session = Session::new();
    session.adopt(loaded.runs);
    for dump in loaded.dumps {
        // The same dump twice is one.
        let _ = session.adopt_dump(dump);
    }
    if session.runs().is_empty() && session.dumps().is_empty() {
        say(streams, "No session was written, since no file could be read.");
        return Ok(refused);
    }
    let context = Context {
        runs: session.runs().iter().map(|run| run.id.clone()).collect(),
        ruler,
        limits: args.ruler.slo.clone(),
        ..Context::default()
    };
    let request = SaveRequest {
        level: args.data.into(),
        view: view(&context),
        date: args.date.clone().unwrap_or_else(|| streams.today.clone()),
        names: BTreeMap::new(),
    };
    let Answer::Saved { file, bytes } = session.answer(&context, &Query::Save(request)) else {
        return Err(Failure::Other("The engine answered another question.".into()));
    };
    let path = args.output.clone().unwrap_or_else(|| PathBuf::from(file));
    if path == Path::new("-") {
        streams.out.write_all(&bytes)?;
        return Ok(refused);
    }
    fs::write(&path, &bytes).map_err(|error| {
        let path = path.display();
        Failure::Other(format!("{path}: the session could not be written: {error}."))
    })?;
    if !args.input.quiet {
        let size = crate::units::bytes(bytes.len() as u64);
        say(streams, &format!("{}: written, {size}.", path.display()));
    }
    Ok(refused)
}

/// The view of a comparison under this context, as the text of its link.
pub(super) fn view(context: &Context) -> String {
    Link { screen: Screen::Compare, context: context.clone(), ..Link::default() }.encode()
}
