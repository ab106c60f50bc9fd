//! The page's end of the engine: questions in, the newest answer out, and a new engine when one breaks.

use crate::engine::protocol::{
    Answer, Duplicate, Inside, JobId, LevelSize, OutlineRow, Query, Reply, Request,
};
use crate::model::RunId;
use crate::views::Context;
use crate::views::compare::{CompareView, NumbersView};
use crate::views::curves::{ArrivalsView, CurvesView};
use crate::views::definitions::DefinitionsView;
use crate::views::detective::NumberView;
use crate::views::distributions::{DistributionsView, RelationsView};
use crate::views::explain::{ExplainView, SeenView, Suggestion};
use crate::views::goodput::{GoodputMaps, GoodputView};
use crate::views::library::LibraryView;
use crate::views::quality::QualityView;
use crate::views::repeats::RepeatsView;
use crate::views::requests::{RequestsView, RowsView};
use crate::views::run_card::RunCardView;
use crate::views::server::ServerView;
use crate::views::slo::SloView;
use crate::views::window::WindowView;
use crate::web::worker_link::{Engine, Event, Parcel, WorkerLink};
use leptos::prelude::*;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// An answer that may be on its way. While it is, the last good one stays.
#[derive(Debug, PartialEq)]
pub struct Loaded<T> {
    /// The newest answer that came.
    pub value: Option<Arc<T>>,
    /// Whether a newer one is awaited.
    pub pending: bool,
    /// Why the newest question has no answer.
    pub error: Option<String>,
}

impl<T> Clone for Loaded<T> {
    fn clone(&self) -> Self {
        Self { value: self.value.clone(), pending: self.pending, error: self.error.clone() }
    }
}

impl<T> Default for Loaded<T> {
    fn default() -> Self {
        Self { value: None, pending: false, error: None }
    }
}

/// A view that an [`Answer`] may hold.
pub trait View: Sized + PartialEq + Send + Sync + 'static {
    /// The view, if the answer is of its kind.
    fn of(answer: Answer) -> Option<Self>;
}

macro_rules! views {
    ($($variant:ident: $view:ty),* $(,)?) => {$(
        impl View for $view {
            fn of(answer: Answer) -> Option<Self> {
                match answer {
                    Answer::$variant(view) => Some(view),
                    _ => None,
                }
            }
        }
    )*};
}

views! {
    Library: LibraryView,
    Numbers: NumbersView,
    Compare: CompareView,
    Repeats: RepeatsView,
    Curves: CurvesView,
    Goodput: GoodputView,
    GoodputMaps: GoodputMaps,
    Distributions: DistributionsView,
    Relations: RelationsView,
    Arrivals: ArrivalsView,
    Definitions: DefinitionsView,
    Number: NumberView,
    Seen: SeenView,
    RunCard: RunCardView,
    Window: WindowView,
    Quality: QualityView,
    RequestRows: RowsView,
    Server: ServerView,
    Slo: SloView,
    Suggestion: Option<Suggestion>,
    Sizes: Vec<LevelSize>,
    Inside: Inside,
}

impl View for ExplainView {
    fn of(answer: Answer) -> Option<Self> {
        match answer {
            Answer::Explain(view) => Some(*view),
            _ => None,
        }
    }
}

impl View for RequestsView {
    fn of(answer: Answer) -> Option<Self> {
        match answer {
            Answer::Requests(view) => Some(*view),
            _ => None,
        }
    }
}

/// A saved report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// File name.
    pub file: String,
    /// The whole HTML.
    pub html: String,
    /// Its sections.
    pub outline: Vec<OutlineRow>,
    /// What is inside, in sentences.
    pub inside: Vec<String>,
    /// The report in short, as Markdown.
    pub markdown: String,
    /// Every metric of every run, comma-separated.
    pub csv: String,
}

impl View for Report {
    fn of(answer: Answer) -> Option<Self> {
        match answer {
            Answer::Report { file, html, outline, inside, markdown, csv } => {
                Some(Self { file, html, outline, inside, markdown, csv })
            }
            _ => None,
        }
    }
}

/// A saved session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    /// File name.
    pub file: String,
    /// The whole file.
    pub bytes: Vec<u8>,
}

impl View for Saved {
    fn of(answer: Answer) -> Option<Self> {
        match answer {
            Answer::Saved { file, bytes } => Some(Self { file, bytes }),
            _ => None,
        }
    }
}

/// What became of packs that came together.
#[derive(Debug, Clone, Default)]
pub struct Adopted {
    /// New runs.
    pub added: Vec<RunId>,
    /// New dumps of servers.
    pub dumps: Vec<RunId>,
    /// Packs whose runs were there already.
    pub duplicates: Vec<Duplicate>,
}

/// Why a job has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lost {
    /// The engine said so.
    Failed(String),
    /// The engine broke on this very job.
    Broke(String),
    /// The engine broke on another job; asking again is fine.
    Restarted,
}

type Then = Box<dyn FnOnce(Result<Reply, Lost>)>;

#[derive(Default)]
struct Inner {
    engine: Option<WorkerLink<Engine>>,
    last_job: u64,
    then: BTreeMap<JobId, Then>,
    breaks: usize,
}

/// More breaks than this in one visit, and the page gives up instead of starting over for ever.
const BREAKS: usize = 4;

/// The engine, as the page knows it.
#[derive(Clone, Copy)]
pub struct Client {
    inner: StoredValue<Rc<RefCell<Inner>>, LocalStorage>,
    /// Counts what changes the session's runs, so that open questions are asked again.
    pub revision: RwSignal<u64>,
    /// Counts new engines. Whoever fed the session feeds it again when this changes.
    pub restarts: RwSignal<usize>,
    /// Set when only reloading the page helps, with the reason.
    pub dead: RwSignal<Option<String>>,
}

impl Client {
    /// Starts the engine.
    pub fn new() -> Self {
        let client = Self {
            inner: StoredValue::new_local(Rc::default()),
            revision: RwSignal::new(0),
            restarts: RwSignal::new(0),
            dead: RwSignal::new(None),
        };
        client.start();
        client
    }

    fn start(self) {
        match WorkerLink::spawn(move |event| self.hear(event)) {
            Ok(engine) => self.inner.with_value(|i| i.borrow_mut().engine = Some(engine)),
            Err(error) => self.dead.set(Some(format!("The engine could not start: {error}."))),
        }
    }

    fn hear(self, event: Event<Reply>) {
        match event {
            Event::Reply(reply, _) => {
                let job = match &reply {
                    Reply::Answer { job, .. }
                    | Reply::Adopted { job, .. }
                    | Reply::Failed { job, .. } => *job,
                };
                let then = self.inner.with_value(|i| i.borrow_mut().then.remove(&job));
                if let Some(then) = then {
                    then(match reply {
                        Reply::Failed { message, .. } => Err(Lost::Failed(message)),
                        reply => Ok(reply),
                    });
                }
            }
            Event::OtherBuild => self.dead.set(Some(
                "The page and its engine are of different builds. Reload the page.".into(),
            )),
            Event::Crashed(words) => self.restart(&words),
        }
    }

    /// A worker does one job after the other: the oldest open one is what broke it.
    fn restart(self, words: &str) {
        let (open, breaks) = self.inner.with_value(|inner| {
            let mut inner = inner.borrow_mut();
            inner.engine = None;
            inner.breaks += 1;
            (std::mem::take(&mut inner.then), inner.breaks)
        });
        if breaks > BREAKS {
            self.dead.set(Some(format!(
                "The engine stopped {breaks} times, last with “{words}”. Reload the page; \
                 nothing was sent anywhere."
            )));
            return;
        }
        self.start();
        let mut first = true;
        for then in open.into_values() {
            then(Err(if std::mem::take(&mut first) {
                Lost::Broke(words.to_owned())
            } else {
                Lost::Restarted
            }));
        }
        self.restarts.update(|n| *n += 1);
    }

    /// The next job's number.
    pub fn job(self) -> JobId {
        self.inner.with_value(|inner| {
            let mut inner = inner.borrow_mut();
            inner.last_job += 1;
            JobId(inner.last_job)
        })
    }

    fn post(self, request: &Request, parcel: Parcel) {
        self.inner.with_value(|inner| {
            if let Some(engine) = &inner.borrow().engine {
                engine.send(request, parcel);
            }
        });
    }

    fn ask(self, request: &Request, job: JobId, parcel: Parcel, then: Then) {
        self.inner.with_value(|inner| inner.borrow_mut().then.insert(job, then));
        self.post(request, parcel);
    }

    /// Changes the session in a way that has no reply, such as a rename.
    pub fn tell(self, request: &Request) {
        self.post(request, Parcel::None);
        self.revision.update(|n| *n += 1);
    }

    /// Hands packed runs to the session.
    pub fn adopt(
        self,
        packs: Vec<js_sys::ArrayBuffer>,
        then: impl FnOnce(Result<Adopted, Lost>) + 'static,
    ) {
        let job = self.job();
        let done = move |result: Result<Reply, Lost>| {
            then(result.map(|reply| match reply {
                Reply::Adopted { added, dumps, duplicates, .. } => {
                    Adopted { added, dumps, duplicates }
                }
                _ => Adopted::default(),
            }));
            self.revision.update(|n| *n += 1);
        };
        self.ask(&Request::Adopt { job }, job, Parcel::Buffers(packs), Box::new(done));
    }

    /// Asks once.
    pub fn ask_once<T: View>(
        self,
        context: Context,
        query: Query,
        then: impl FnOnce(Result<T, Lost>) + 'static,
    ) {
        let job = self.job();
        let done = move |result: Result<Reply, Lost>| then(result.and_then(answer));
        self.ask(&Request::Ask { job, context, query }, job, Parcel::None, Box::new(done));
    }

    /// The answer to a question that changes. Asks when its inputs or the session change; at most
    /// one question is open at a time, and of those that come meanwhile only the newest is asked.
    pub fn query<T: View>(
        self,
        ask: impl Fn() -> Option<(Context, Query)> + 'static,
    ) -> Signal<Loaded<T>> {
        self.query_in_turn(ask, false)
    }

    /// The same for what stands beside the screen: asked after what the screen itself asks.
    pub fn query_last<T: View>(
        self,
        ask: impl Fn() -> Option<(Context, Query)> + 'static,
    ) -> Signal<Loaded<T>> {
        self.query_in_turn(ask, true)
    }

    fn query_in_turn<T: View>(
        self,
        ask: impl Fn() -> Option<(Context, Query)> + 'static,
        last: bool,
    ) -> Signal<Loaded<T>> {
        let shown = RwSignal::new(Loaded::<T>::default());
        let site = Rc::new(RefCell::new(Site::default()));
        let alive = Rc::new(());
        let watch = Rc::downgrade(&alive);
        on_cleanup({
            // Rc is not Send: the cleanup must own it through a local store.
            let alive = StoredValue::new_local(alive);
            move || alive.dispose()
        });
        Effect::new(move |_| {
            self.revision.track();
            let question = ask();
            if question.is_none() {
                // Whatever is still open is an answer to something no longer shown.
                site.borrow_mut().withdraw();
                shown.set(Loaded::default());
                return;
            }
            if site.borrow_mut().put(question) {
                let send = {
                    let (site, watch) = (site.clone(), watch.clone());
                    move || send(self, &site, shown, &watch)
                };
                if last {
                    set_timeout(send, std::time::Duration::ZERO);
                } else {
                    send();
                }
            }
            shown.maybe_update(|s| !std::mem::replace(&mut s.pending, site.borrow().busy()));
        });
        shown.into()
    }
}

impl Default for Client {
    fn default() -> Self {
        Self::new()
    }
}

fn answer<T: View>(reply: Reply) -> Result<T, Lost> {
    match reply {
        Reply::Answer { answer, .. } => T::of(*answer),
        _ => None,
    }
    .ok_or_else(|| Lost::Failed("The engine answered another question.".into()))
}

type Question = (Context, Query);

/// One place that asks.
#[derive(Default)]
struct Site {
    open: Option<Question>,
    next: Option<Question>,
    broke_on: Option<Question>,
    round: u64,
}

impl Site {
    /// Takes a new question; says whether it can be sent now.
    fn put(&mut self, question: Option<Question>) -> bool {
        if question.is_some() && question == self.broke_on {
            self.next = None;
            return false;
        }
        self.next = question;
        self.open.is_none()
    }

    fn withdraw(&mut self) {
        (self.open, self.next) = (None, None);
        self.round += 1;
    }

    fn busy(&self) -> bool {
        self.open.is_some() || self.next.is_some()
    }
}

fn send<T: View>(
    client: Client,
    site: &Rc<RefCell<Site>>,
    shown: RwSignal<Loaded<T>>,
    watch: &std::rc::Weak<()>,
) {
    let (context, query, round) = {
        let mut at = site.borrow_mut();
        if at.open.is_some() {
            return;
        }
        let Some((context, query)) = at.next.take() else { return };
        at.open = Some((context.clone(), query.clone()));
        (context, query, at.round)
    };
    let (site, watch) = (site.clone(), watch.clone());
    client.ask_once(context, query, move |result: Result<T, Lost>| {
        // The place that asked may be gone, or ask nothing any more.
        if watch.upgrade().is_none() || site.borrow().round != round {
            return;
        }
        let asked = site.borrow_mut().open.take();
        let error = match result {
            Ok(value) => {
                shown.update(|s| (s.value, s.error) = (Some(Arc::new(value)), None));
                None
            }
            Err(Lost::Failed(message)) => Some(message),
            Err(Lost::Broke(words)) => {
                site.borrow_mut().broke_on = asked;
                Some(format!("The engine stopped on this view (“{words}”). Change a setting."))
            }
            Err(Lost::Restarted) => {
                let mut at = site.borrow_mut();
                if at.next.is_none() {
                    at.next = asked;
                }
                None
            }
        };
        if let Some(error) = error {
            shown.update(|s| s.error = Some(error));
        }
        send(client, &site, shown, &watch);
        let busy = site.borrow().busy();
        shown.maybe_update(|s| std::mem::replace(&mut s.pending, busy) != busy);
    });
}
