//! `session`: runs, servers' dumps and the view as one file that the page and the command open again.

use super::ruler::Ruler;
use super::{Exit, Failure, Streams, args, saved, say};
use crate::engine::protocol::SaveRequest;
use crate::engine::{Answer, Query};
use crate::link::{Link, Screen};
use crate::model::ReportPlan;
use crate::views::Context;
use std::collections::BTreeMap;

/// Runs the subcommand.
pub(super) fn run(args: &args::Session, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let ruler = Ruler::new(&args.saved.ruler, "common")?.for_views()?;
    let (session, refused) = saved::read(&args.saved, streams);
    if session.runs().is_empty() && session.dumps().is_empty() {
        say(streams, "No session was written, since no file could be read.");
        return Ok(refused);
    }
    let context = Context {
        runs: session.runs().iter().map(|run| run.id.clone()).collect(),
        ruler,
        limits: args.saved.ruler.slo.clone(),
        ..Context::default()
    };
    let request = SaveRequest {
        level: args.data.into(),
        view: view(&context),
        date: saved::date(&args.saved, streams),
        names: BTreeMap::new(),
        plan: ReportPlan::default(),
    };
    let Answer::Saved { file, bytes } = session.answer(&context, &Query::Save(request)) else {
        return Err(Failure::Other("The engine answered another question.".into()));
    };
    saved::write(&bytes, file, "session", &args.saved, streams)?;
    Ok(refused)
}

/// The view of a comparison under this context, as the text of its link.
pub(super) fn view(context: &Context) -> String {
    Link { screen: Screen::Compare, context: context.clone(), ..Link::default() }.encode()
}
