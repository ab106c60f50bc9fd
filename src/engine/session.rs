//! The session: the runs and the servers' dumps that are loaded, and the answers to questions about them.

use super::joining::{self, Arrangement, Joined};
use super::protocol::{
    Answer, Duplicate, JobId, Query, Reply, ReportRequest, Request, SaveRequest,
};
use super::{report_input, saving};
use crate::model::{Level, Run, RunId, ServerDump, dump_pack, pack};
use crate::report;
use crate::session_file::{Decided, Places, SessionFile};
use crate::views::detective::NumberAsk;
use crate::views::distributions::DistributionsAsk;
use crate::views::explain::{ExplainAsk, SeenAsk};
use crate::views::requests::{RequestsAsk, RowsAsk};
use crate::views::server::{Beside, ServerAsk};
use crate::views::{self, Context};
use std::collections::BTreeSet;

/// A reply and the buffers that travel beside it.
pub type Outgoing = (Reply, Vec<Vec<u8>>);

/// The runs held, and which of them are hidden. Settings come with each question.
#[derive(Debug, Default)]
pub struct Session {
    /// As they were read. The rows of one that leads a joined run are with that.
    runs: Vec<Run>,
    /// What servers said of themselves, in the order in which it came.
    dumps: Vec<ServerDump>,
    hidden: BTreeSet<RunId>,
    arrangement: Arrangement,
    joined: Vec<Joined>,
}

impl Session {
    /// An empty session.
    pub fn new() -> Self {
        Self::default()
    }

    /// Does what a message asks and says what to send back.
    pub fn handle(&mut self, request: Request, buffers: &[Vec<u8>]) -> Vec<Outgoing> {
        match request {
            Request::Adopt { job } => vec![self.adopt_packs(job, buffers)],
            Request::Ask { job, context, query } => {
                let answer = Box::new(self.answer(&context, &query));
                vec![(Reply::Answer { job, answer }, Vec::new())]
            }
            Request::Rename { id, name } => {
                let joined = self.joined.iter_mut().map(|joined| &mut joined.run);
                for run in self.runs.iter_mut().chain(joined).filter(|run| run.id == id) {
                    run.name.clone_from(&name);
                }
                for dump in self.dumps.iter_mut().filter(|dump| dump.id == id) {
                    dump.name.clone_from(&name);
                }
                Vec::new()
            }
            Request::Remove { ids } => {
                self.hidden.extend(ids);
                Vec::new()
            }
            Request::Arrange { arrangement } => {
                self.arrange(arrangement);
                Vec::new()
            }
            Request::Restore { ids } => {
                self.hidden.retain(|id| !ids.contains(id));
                Vec::new()
            }
        }
    }

    fn adopt_packs(&mut self, job: JobId, buffers: &[Vec<u8>]) -> Outgoing {
        let mut runs = Vec::with_capacity(buffers.len());
        let mut dumps = Vec::new();
        // Which pack each run was, since the dumps among them are counted as well.
        let mut places = Vec::with_capacity(buffers.len());
        let failed = |error: pack::PackError| {
            (Reply::Failed { job, message: error.to_string() }, Vec::new())
        };
        for (at, buffer) in buffers.iter().enumerate() {
            if dump_pack::is_dump(buffer) {
                match dump_pack::decode(buffer) {
                    Ok(dump) => dumps.push((at, dump)),
                    Err(error) => return failed(error),
                }
                continue;
            }
            match pack::decode(buffer) {
                Ok(run) => {
                    places.push(at);
                    runs.push(run);
                }
                Err(error) => return failed(error),
            }
        }
        let (added, mut duplicates) = self.adopt(runs);
        for twin in &mut duplicates {
            twin.pack = places.get(twin.pack).copied().unwrap_or(twin.pack);
        }
        let mut servers = Vec::new();
        for (pack, dump) in dumps {
            match self.adopt_dump(dump) {
                Ok(id) => servers.push(id),
                Err(name) => duplicates.push(Duplicate { pack, name }),
            }
        }
        (Reply::Adopted { job, added, dumps: servers, duplicates }, Vec::new())
    }

    /// Takes a server's dump in, and gives its id.
    ///
    /// # Errors
    /// The name of the same dump, where it is there already.
    pub fn adopt_dump(&mut self, dump: ServerDump) -> Result<RunId, String> {
        let Some(old) = self.dumps.iter().find(|old| old.id == dump.id) else {
            let id = dump.id.clone();
            self.dumps.push(dump);
            return Ok(id);
        };
        if self.hidden.remove(&old.id) { Ok(old.id.clone()) } else { Err(old.name.clone()) }
    }

    /// The servers' dumps that are not hidden, in the order in which they came.
    pub fn dumps(&self) -> Vec<&ServerDump> {
        self.dumps.iter().filter(|dump| !self.hidden.contains(&dump.id)).collect()
    }

    /// A server's dump by its id, hidden or not.
    pub fn dump(&self, id: &RunId) -> Option<&ServerDump> {
        self.dumps.iter().find(|dump| dump.id == *id)
    }

    /// Takes runs in. A run that is there already is skipped and named; one that was hidden comes
    /// back. Files of one run are put together: then the run's id is told, not its files'.
    pub fn adopt(&mut self, runs: Vec<Run>) -> (Vec<RunId>, Vec<Duplicate>) {
        let (mut added, mut duplicates) = (Vec::new(), Vec::new());
        self.unjoin();
        for (pack, mut run) in runs.into_iter().enumerate() {
            if let Some(old) = self.runs.iter_mut().find(|old| old.id == run.id) {
                // Of a run that was saved with less, the whole is new.
                if old.provenance.level < run.provenance.level {
                    let (name, group) = (std::mem::take(&mut old.name), old.group.take());
                    let (said_gpus, said_mark) = (old.said_gpus, old.said_mark);
                    self.hidden.remove(&run.id);
                    added.push(run.id.clone());
                    *old = Run { name, group, said_gpus, said_mark, ..run };
                } else if self.hidden.remove(&run.id) {
                    added.push(run.id);
                } else {
                    duplicates.push(Duplicate { pack, name: old.name.clone() });
                }
                continue;
            }
            added.push(run.id.clone());
            // What the reader says of a run may be there before it, such as in a link.
            run.group = self.arrangement.groups.get(&run.id).cloned().or(run.group);
            run.said_gpus = self.arrangement.gpus.get(&run.id).copied().or(run.said_gpus);
            run.said_mark = self.arrangement.marks.get(&run.id).copied();
            self.runs.push(run);
        }
        self.join();
        let mut shown: Vec<RunId> = Vec::with_capacity(added.len());
        for id in added {
            let id = self.shown_as(&id);
            if !shown.contains(&id) {
                shown.push(id);
            }
        }
        (shown, duplicates)
    }

    /// Follows the reader's decisions about which files are one run and which runs one group.
    pub fn arrange(&mut self, arrangement: Arrangement) {
        for run in &mut self.runs {
            run.group = arrangement.groups.get(&run.id).cloned();
            run.said_gpus = arrangement.gpus.get(&run.id).copied();
            run.said_mark = arrangement.marks.get(&run.id).copied();
        }
        self.arrangement = arrangement;
        self.join();
    }

    /// Gives the rows of joined runs back to the files that they are of.
    fn unjoin(&mut self) {
        for Joined { run, base, .. } in std::mem::take(&mut self.joined) {
            if let Some(own) = self.runs.get_mut(base) {
                own.requests = run.requests;
            }
        }
    }

    fn join(&mut self) {
        self.unjoin();
        self.joined = joining::joined(&mut self.runs, &self.arrangement);
    }

    /// The id under which a run is shown: that of the run which its file was joined to, or its own.
    fn shown_as(&self, id: &RunId) -> RunId {
        let holds = |joined: &&Joined| {
            joined.members.iter().any(|at| self.runs.get(*at).is_some_and(|run| run.id == *id))
        };
        self.joined.iter().find(holds).map_or_else(|| id.clone(), |joined| joined.run.id.clone())
    }

    /// The runs that are not hidden, in the order in which they came; one of several files stands where
    /// its first file came.
    pub fn runs(&self) -> Vec<&Run> {
        let shown = |at: usize| match self.joined.iter().find(|j| j.members.contains(&at)) {
            Some(joined) => (joined.members.first() == Some(&at)).then_some(&joined.run),
            None => self.runs.get(at),
        };
        (0..self.runs.len())
            .filter_map(shown)
            .filter(|run| !self.hidden.contains(&run.id))
            .collect()
    }

    /// The runs as they are shown, joined ones in place of their files.
    pub fn into_runs(mut self) -> Vec<Run> {
        let mut shown: Vec<Option<Run>> = self.runs.drain(..).map(Some).collect();
        for Joined { run, members, .. } in self.joined {
            for at in &members {
                if let Some(slot) = shown.get_mut(*at) {
                    *slot = None;
                }
            }
            if let Some(slot) = members.first().and_then(|at| shown.get_mut(*at)) {
                *slot = Some(run);
            }
        }
        shown.into_iter().flatten().collect()
    }

    /// The context with the runs as they are shown.
    fn current(&self, context: &Context) -> Context {
        let mut context = context.clone();
        let mut runs: Vec<RunId> = Vec::with_capacity(context.runs.len());
        for id in &context.runs {
            let id = self.shown_as(id);
            if !runs.contains(&id) {
                runs.push(id);
            }
        }
        context.runs = runs;
        context.baseline = context.baseline.map(|id| self.shown_as(&id));
        context
    }

    /// Answers one question.
    pub fn answer(&self, context: &Context, query: &Query) -> Answer {
        let all = self.runs();
        let context = &self.current(context);
        match query {
            Query::Library => {
                Answer::Library(views::library::library(&all, &self.dumps(), context))
            }
            Query::Numbers => Answer::Numbers(views::compare::numbers(&all, context)),
            Query::Compare => {
                let mut view = views::compare::compare(&all, context);
                // What is copied leaves the page; what is shown stays on it.
                let mut places = Places::default();
                for text in [&mut view.markdown, &mut view.text] {
                    if let Some(masked) = places.mask(text) {
                        *text = masked;
                    }
                }
                Answer::Compare(view)
            }
            Query::Repeats => {
                Answer::Repeats(views::repeats::repeats(&all, context).unwrap_or_default())
            }
            Query::Goodput { shown } => {
                Answer::Goodput(views::goodput::goodput(&all, context, shown))
            }
            Query::GoodputMaps { shown } => {
                Answer::GoodputMaps(views::goodput::goodput_maps(&all, context, shown))
            }
            Query::Curves { axes } => Answer::Curves(views::curves::curves(&all, context, *axes)),
            Query::Arrivals { run } => {
                Answer::Arrivals(views::curves::arrivals(&all, context, &self.shown_as(run)))
            }
            Query::Distributions { shown } => {
                let other = shown.other.as_ref().map(|id| self.shown_as(id));
                let ask = DistributionsAsk { other, ..shown.clone() };
                Answer::Distributions(views::distributions::distributions(&all, context, &ask))
            }
            Query::Relations => Answer::Relations(views::distributions::relations(&all, context)),
            Query::Definitions { request } => {
                Answer::Definitions(views::definitions::definitions(&all, context, *request))
            }
            Query::Number(ask) => {
                let run = ask.run.as_ref().map(|id| self.shown_as(id));
                let ask = NumberAsk { run, ..ask.clone() };
                Answer::Number(views::detective::number(&all, context, &ask))
            }
            Query::Explain(ask) => {
                let ask = self.explained(ask);
                Answer::Explain(Box::new(views::explain::explain(
                    &all,
                    &self.dumps(),
                    context,
                    &ask,
                )))
            }
            Query::Seen(ask) => {
                let run = ask.run.as_ref().map(|id| self.shown_as(id));
                let ask = SeenAsk { run, ..ask.clone() };
                Answer::Seen(views::explain::seen(&all, &self.dumps(), context, &ask))
            }
            Query::Suggestion => Answer::Suggestion(views::explain::suggestion(&all, context)),
            Query::RunCard { run } => {
                Answer::RunCard(views::run_card::run_card(&all, context, &self.shown_as(run)))
            }
            Query::Quality => Answer::Quality(views::quality::quality(&all, context)),
            Query::Window { proposed } => {
                Answer::Window(views::window::window(&all, context, proposed.as_deref()))
            }
            Query::Requests(ask) => {
                let ask = self.of_requests(ask);
                Answer::Requests(Box::new(views::requests::requests(&all, context, &ask)))
            }
            Query::RequestRows(ask) => {
                let ask = RowsAsk { of: self.of_requests(&ask.of), ..ask.clone() };
                Answer::RequestRows(views::requests::request_rows(&all, context, &ask))
            }
            Query::Server(ask) => self.server(&all, context, ask),
            Query::Slo => Answer::Slo(views::slo::slo(&all, context)),
            Query::Report(request) => self.report(context, request),
            Query::Save(request) => self.save(request),
            Query::Sizes(request) => Answer::Sizes(saving::sizes(
                &self.saved(None, request),
                &self.saved(Some(context), request),
            )),
            Query::Inside(request) => {
                Answer::Inside(saving::inside(self.saved(Some(context), request)))
            }
        }
    }

    fn server(&self, runs: &[&Run], context: &Context, ask: &ServerAsk) -> Answer {
        let beside = match &ask.beside {
            Beside::Run(id) => Beside::Run(self.shown_as(id)),
            other => other.clone(),
        };
        let ask = ServerAsk { beside, ..ask.clone() };
        Answer::Server(views::server::screen(&self.dumps(), runs, context, &ask))
    }

    /// The question with the run as it is shown.
    fn of_requests(&self, ask: &RequestsAsk) -> RequestsAsk {
        RequestsAsk { run: ask.run.as_ref().map(|id| self.shown_as(id)), ..ask.clone() }
    }

    /// The question with the runs as they are shown.
    fn explained(&self, ask: &ExplainAsk) -> ExplainAsk {
        let mut ask = ask.clone();
        for slot in [&mut ask.a, &mut ask.b].into_iter().flatten() {
            slot.run = slot.run.as_ref().map(|id| self.shown_as(id));
        }
        ask
    }

    /// The session as it is saved: the runs that are not hidden, or of those the ones that `of` selects, as
    /// they were read.
    fn saved(&self, of: Option<&Context>, request: &SaveRequest) -> SessionFile {
        let selected = |id: &RunId| {
            of.is_none_or(|context| context.runs.is_empty() || context.runs.contains(id))
        };
        let mut ids = BTreeSet::new();
        let runs = self.runs.iter().enumerate().filter(|(_, run)| {
            let shown = self.shown_as(&run.id);
            !self.hidden.contains(&shown) && selected(&shown)
        });
        let whole = |(at, run): (usize, &Run)| {
            let leads = self.joined.iter().find(|joined| joined.base == at);
            let requests = leads.map_or(&run.requests, |joined| &joined.run.requests).clone();
            ids.extend([run.id.clone(), self.shown_as(&run.id)]);
            Run { requests, ..run.clone() }
        };
        let runs: Vec<Run> = runs.map(whole).collect();
        let dumps: Vec<ServerDump> = self.dumps().into_iter().cloned().collect();
        ids.extend(dumps.iter().map(|dump| dump.id.clone()));
        let Arrangement { apart, together, groups, gpus, marks } = self.arrangement.clone();
        let decided = Decided {
            made_by: env!("CARGO_PKG_VERSION").to_owned(),
            date: request.date.clone(),
            level: Level::Events,
            view: request.view.clone(),
            names: request.names.clone(),
            apart,
            together,
            groups,
            gpus,
            report: request.plan.clone(),
            marks,
        };
        // Of what is not in it, it doesn't speak either.
        let decided = if of.is_some() { decided.only(&ids) } else { decided };
        SessionFile { decided, runs, dumps }
    }

    fn save(&self, request: &SaveRequest) -> Answer {
        let session = self.saved(None, request);
        let file = saving::file_name(self.runs().len(), request);
        Answer::Saved { file, bytes: saving::bytes(session, request.level) }
    }

    fn report(&self, context: &Context, request: &ReportRequest) -> Answer {
        let request =
            &ReportRequest { explain: self.explained(&request.explain), ..request.clone() };
        let mut places = Places::default();
        let hidden = |dump: &ServerDump| places.hidden_dump(dump.clone());
        let dumps: Vec<ServerDump> = self.dumps().into_iter().map(hidden).collect();
        let dumps: Vec<&ServerDump> = dumps.iter().collect();
        let runs = self.runs();
        let mut input = report_input::gather(&runs, &dumps, context, request);
        input.data = request.data.as_ref().and_then(|save| {
            let session = self.saved(Some(context), save);
            if request.draft {
                return Some(saving::drafted(&session, save.level));
            }
            saving::in_report(session, save.level)
        });
        let page = report::page(&input);
        // Whatever leaves names no machine and no folder; what was compared are the runs as they are.
        let words = places.words(&runs);
        let clear = |text: String| Places::cleared(text, &words, report::escaped);
        Answer::Report {
            file: report::file_name(&input),
            html: clear(page.html),
            outline: page.outline,
            inside: page.inside.into_iter().map(clear).collect(),
            markdown: Places::cleared(page.markdown, &words, views::compare::escape_markdown),
            csv: Places::cleared(
                input.raw.into_iter().next().unwrap_or_default().csv,
                &words,
                str::to_owned,
            ),
        }
    }
}
