//! The session: the runs that are loaded, and the answers to questions about them.

use super::protocol::{Answer, JobId, Query, Reply, ReportRequest, Request};
use super::report_input;
use crate::model::{Run, RunId, pack};
use crate::report;
use crate::views::{self, Context};
use std::collections::BTreeSet;

/// A reply and the buffers that travel beside it.
pub type Outgoing = (Reply, Vec<Vec<u8>>);

/// The runs held, and which of them are hidden. Settings come with each question.
#[derive(Debug, Default)]
pub struct Session {
    runs: Vec<Run>,
    hidden: BTreeSet<RunId>,
}

impl Session {
    /// An empty session.
    pub fn new() -> Self {
        Self::default()
    }

    /// Does what a message asks and says what to send back.
    ///
    /// An import is not the session's work: it happens in a worker of its own, by
    /// [`super::import::import`].
    pub fn handle(&mut self, request: Request, buffers: &[Vec<u8>]) -> Vec<Outgoing> {
        match request {
            Request::Import { job, .. } => vec![failed(
                Some(job),
                "An import was sent to the worker that answers questions; reload the page.",
            )],
            Request::Adopt { job } => vec![self.adopt_packs(job, buffers)],
            Request::Ask { job, context, query } => {
                let answer = Box::new(self.answer(&context, &query));
                vec![(Reply::Answer { job, answer }, Vec::new())]
            }
            Request::Rename { id, name } => {
                if let Some(run) = self.runs.iter_mut().find(|run| run.id == id) {
                    run.name = name;
                }
                Vec::new()
            }
            Request::Remove { ids } => {
                self.hidden.extend(ids);
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
        for buffer in buffers {
            match pack::decode(buffer) {
                Ok(run) => runs.push(run),
                Err(error) => return failed(Some(job), error),
            }
        }
        let (added, duplicates) = self.adopt(runs);
        (Reply::Adopted { job, added, duplicates }, Vec::new())
    }

    /// Takes runs in. A run that is there already is skipped and named; one that was hidden comes
    /// back.
    pub fn adopt(&mut self, runs: Vec<Run>) -> (Vec<RunId>, Vec<String>) {
        let (mut added, mut duplicates) = (Vec::new(), Vec::new());
        for run in runs {
            if let Some(old) = self.runs.iter().find(|old| old.id == run.id) {
                if self.hidden.remove(&run.id) {
                    added.push(run.id);
                } else {
                    duplicates.push(old.name.clone());
                }
                continue;
            }
            added.push(run.id.clone());
            self.runs.push(run);
        }
        (added, duplicates)
    }

    /// The runs that are not hidden, in the order in which they came.
    pub fn runs(&self) -> Vec<&Run> {
        self.runs.iter().filter(|run| !self.hidden.contains(&run.id)).collect()
    }

    /// Answers one question.
    pub fn answer(&self, context: &Context, query: &Query) -> Answer {
        let all = self.runs();
        match query {
            Query::Library => Answer::Library(views::library::library(&all, context)),
            Query::Compare => Answer::Compare(views::compare::compare(&all, context)),
            Query::Curves { axes } => Answer::Curves(views::curves::curves(&all, context, *axes)),
            Query::Definitions { request } => {
                Answer::Definitions(views::definitions::definitions(&all, context, *request))
            }
            Query::RunCard { run } => {
                Answer::RunCard(views::run_card::run_card(&all, context, run))
            }
            Query::Notices => Answer::Notices(views::run_card::notices(&all, context)),
            Query::Report(request) => self.report(context, request),
        }
    }

    fn report(&self, context: &Context, request: &ReportRequest) -> Answer {
        let input = report_input::gather(&self.runs(), context, request);
        Answer::Report { file: report::file_name(&input), html: report::page(&input) }
    }
}

fn failed(job: Option<JobId>, message: impl ToString) -> Outgoing {
    (Reply::Failed { job, message: message.to_string() }, Vec::new())
}
