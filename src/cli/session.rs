//! `session`: runs, servers' dumps and the view as one file that the page and the command open again, or as a link.

use super::ruler::Ruler;
use super::{Exit, Failure, Streams, args, saved, say};
use crate::engine::Session;
use crate::engine::protocol::SaveRequest;
use crate::engine::{Answer, Query};
use crate::link::inside::{LONGEST, with_data};
use crate::link::{Link, Screen};
use crate::units;
use crate::views::Context;

/// Runs the subcommand.
pub(super) fn run(args: &args::Session, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let ruler = Ruler::new(&args.saved.ruler, "common")?.for_views()?;
    let saved::Read { session, names, plan, refused } = saved::read(&args.saved, streams);
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
        names,
        plan,
    };
    if args.link {
        return link(&session, &context, request, args, streams).map(|()| refused);
    }
    let Answer::Saved { file, bytes } = session.answer(&context, &Query::Save(request)) else {
        return Err(Failure::Other("The engine answered another question.".into()));
    };
    saved::write(&bytes, file, "session", &args.saved, streams)?;
    Ok(refused)
}

/// Writes what the tools printed, and the view, as a link to the page: all of it after the address’s `#`.
fn link(
    session: &Session,
    context: &Context,
    request: SaveRequest,
    args: &args::Session,
    streams: &mut Streams<'_>,
) -> Result<(), Failure> {
    if session.runs().is_empty() {
        return Err(Failure::Other(
            "A link holds what clients printed, and no file holds a run.".into(),
        ));
    }
    let view = request.view.clone();
    let Answer::Inside(inside) = session.answer(context, &Query::Inside(request)) else {
        return Err(Failure::Other("The engine answered another question.".into()));
    };
    let link = with_data(&view, &inside.letters);
    if link.len() > LONGEST {
        let [is, most] = [link.len(), LONGEST].map(|length| units::bytes(length as u64));
        return Err(Failure::Other(format!(
            "The link would be {is}; chats and mail cut what is over {most}. Leave --link out and \
             send the session or a report, or name fewer files."
        )));
    }
    let text = format!("#{link}\n");
    if args.saved.output.is_none() {
        return Ok(streams.out.write_all(text.as_bytes())?);
    }
    saved::write(text.as_bytes(), String::new(), "link", &args.saved, streams)
}

/// The view of a comparison under this context, as the text of its link.
pub(super) fn view(context: &Context) -> String {
    Link { screen: Screen::Compare, context: context.clone(), ..Link::default() }.encode()
}
