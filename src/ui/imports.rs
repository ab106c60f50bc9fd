//! Files on their way in: workers that read them, runs adopted in the order of the files, and what is shown.
//!
//! A worker that parses hears nothing, so the only certain cancel is to end it; that also gives its
//! memory back. Runs already adopted are safe with the engine.

use super::client::{Adopted, Client, Lost};
use super::import_queue::{Job, Outcome, Queue};
use crate::engine::protocol::{
    Cause, ImportReply, ImportRequest, JobId, Mapping, Opened, Phase, Refusal,
};
use crate::model::RunId;
use crate::web::files::Named;
use crate::web::worker_link::{Event, Importer, Parcel, WorkerLink};
use js_sys::ArrayBuffer;
use leptos::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;
use web_sys::Blob;

/// Import workers at a time. Two keep a small file from waiting behind a large one.
const WORKERS: usize = 2;

/// A worker that read a file larger than this is replaced: the memory of a Wasm module never shrinks.
const GROWN: u64 = 32 << 20;

/// Up to this many files, each has a row of its own; of more, only those that take long.
const FEW: usize = 4;

/// Time between two looks at what is going on: a thousand files a second must not be a thousand renderings.
const BEAT: Duration = Duration::from_millis(100);

/// When the first worker is started though no file has come: by then the page itself stands.
const WARM: Duration = Duration::from_millis(1500);

/// One file on its way in, as shown.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportRow {
    /// The job.
    pub job: JobId,
    /// File name with folders.
    pub file: String,
    /// Size in bytes.
    pub size: u64,
    /// What is being done; nothing while it waits.
    pub phase: Option<Phase>,
    /// Bytes done.
    pub done: u64,
    /// Requests read so far.
    pub records: u64,
}

/// What is on its way, as shown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    /// Files through since nothing was on its way.
    pub done: usize,
    /// Files in all since then.
    pub total: usize,
    /// Bytes of the files that are through.
    pub done_bytes: u64,
    /// Bytes in all.
    pub total_bytes: u64,
    /// The files that have a row of their own.
    pub rows: Vec<ImportRow>,
}

impl Reading {
    /// Files that are not through.
    pub const fn left(&self) -> usize {
        self.total.saturating_sub(self.done)
    }

    /// Whether there are more files than rows are for.
    pub const fn many(&self) -> bool {
        self.total > FEW
    }
}

/// A file whose runs were there already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Twin {
    /// The file.
    pub file: String,
    /// Name of the run that was there.
    pub run: String,
}

/// Where files come from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Source {
    /// Somebody gave them.
    #[default]
    Given,
    /// They are the data of a link, of which this is all after its `#`.
    Link(String),
    /// They were remembered on this device.
    Device,
}

/// What came of one drop.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// New runs in the order of the files.
    pub added: Vec<RunId>,
    /// New dumps of servers in the order of the files.
    pub servers: Vec<RunId>,
    /// Sessions that were opened, in the order of the files.
    pub opened: Vec<Opened>,
    /// Names of runs that were there already.
    pub duplicates: Vec<String>,
    /// Files, and members of archives, that were not read.
    pub refused: usize,
    /// Files that were cancelled.
    pub cancelled: usize,
    /// Whether these were the built-in samples.
    pub sample: bool,
    /// Whether the files were read once more after the engine broke.
    pub again: bool,
    /// Where it came from, if nobody gave it.
    pub source: Source,
    /// Whether these were refused tables, now that somebody said what their columns are.
    pub mapped: bool,
}

/// A file as it was given, and what was said of its columns.
struct Given {
    file: Named,
    said: Option<Said>,
}

/// What was said of the columns of refused tables: the file itself, or members of an archive.
#[derive(Clone)]
struct Said {
    mapping: Mapping,
    of: BTreeSet<String>,
}

struct Open {
    batch: Batch,
    left: usize,
}

#[derive(Default)]
struct Inner {
    queue: Queue<Blob, ArrayBuffer>,
    workers: BTreeMap<u64, WorkerLink<Importer>>,
    /// What was decided in sessions that were read and are not through.
    opened: BTreeMap<JobId, Vec<Opened>>,
    /// What workers said of the files that take long.
    progress: BTreeMap<JobId, (Phase, u64, u64)>,
    /// Whether runs are with the engine; what is read meanwhile goes to it together.
    adopting: bool,
    batches: BTreeMap<u64, Open>,
    reading: Reading,
    /// The files that were through since the last look, and what was met in them.
    tried: BTreeSet<String>,
    refused: Vec<Refusal>,
    twins: Vec<Twin>,
    looking: bool,
    /// Files whose runs the engine holds, in order, to be read again if it breaks.
    held: Vec<Given>,
    held_samples: Vec<Given>,
    /// By the names of tables that were refused and can be read once somebody says what their columns
    /// are: the file of each.
    offered: BTreeMap<String, Named>,
    /// What was said of the tables in files that are on their way.
    said: BTreeMap<JobId, Said>,
    counter: u64,
}

impl Inner {
    fn number(&mut self) -> u64 {
        self.counter += 1;
        self.counter
    }
}

type Land = Rc<dyn Fn(Batch)>;

/// A file that is read, the number of its packs, and what was not read of it.
type ReadFile = (Job<Blob>, usize, Vec<Refusal>);

/// The imports, as the page knows them.
#[derive(Clone, Copy)]
pub struct Imports {
    client: Client,
    inner: StoredValue<Rc<RefCell<Inner>>, LocalStorage>,
    land: StoredValue<Option<Land>, LocalStorage>,
    /// Files on their way in.
    pub reading: RwSignal<Reading>,
    /// Files that were not read and not dismissed.
    pub refusals: RwSignal<Vec<Refusal>>,
    /// Files that were skipped because their runs were there already, and not dismissed.
    pub twins: RwSignal<Vec<Twin>>,
    /// Whether tables are being read of which somebody said what their columns are.
    pub mapping: RwSignal<bool>,
}

impl Imports {
    /// No imports yet; files read will go to `client`.
    pub fn new(client: Client) -> Self {
        let imports = Self {
            client,
            inner: StoredValue::new_local(Rc::default()),
            land: StoredValue::new_local(None),
            reading: RwSignal::new(Reading::default()),
            refusals: RwSignal::new(Vec::new()),
            twins: RwSignal::new(Vec::new()),
            mapping: RwSignal::new(false),
        };
        // A new engine is empty: everything it held is read again.
        Effect::new(move |_| {
            if client.restarts.get() > 0 {
                imports.read_again();
            }
        });
        set_timeout(move || imports.warm(), WARM);
        imports
    }

    /// Says who is told when all files of a drop are through.
    pub fn on_landed(self, land: impl Fn(Batch) + 'static) {
        self.land.set_value(Some(Rc::new(land)));
    }

    fn with<R>(self, f: impl FnOnce(&mut Inner) -> R) -> R {
        self.inner.with_value(|inner| f(&mut inner.borrow_mut()))
    }

    /// Takes in the files of one drop.
    pub fn add(self, files: Vec<Named>, sample: bool) {
        let files = files.into_iter().map(|file| Given { file, said: None }).collect();
        self.begin(files, Batch { sample, ..Batch::default() });
    }

    /// Takes in a file that nobody dropped, with what is known of it.
    pub fn add_as(self, file: Named, batch: Batch) {
        self.begin(vec![Given { file, said: None }], batch);
    }

    /// Reads refused tables once more, now that somebody said what their columns are.
    pub fn map(self, files: &[String], mapping: &Mapping) {
        let mut given: Vec<Given> = Vec::new();
        let sources = self.with(|inner| {
            let source = |name: &String| Some((name.clone(), inner.offered.get(name)?.clone()));
            files.iter().filter_map(source).collect::<Vec<_>>()
        });
        for (name, file) in sources {
            let same = given.iter_mut().find(|given| given.file.name == file.name);
            if let Some(said) = same.and_then(|given| given.said.as_mut()) {
                said.of.insert(name);
                continue;
            }
            let said = Said { mapping: mapping.clone(), of: BTreeSet::from([name]) };
            given.push(Given { file, said: Some(said) });
        }
        self.mapping.set(!given.is_empty());
        self.begin(given, Batch { mapped: true, ..Batch::default() });
    }

    /// Tells of files that could not even be opened.
    pub fn unopened(self, files: Vec<String>) {
        if !files.is_empty() {
            self.with(|inner| inner.refused.extend(files.into_iter().map(unopened)));
            self.look();
        }
    }

    fn read_again(self) {
        let (files, samples) = self.with(|inner| {
            (std::mem::take(&mut inner.held), std::mem::take(&mut inner.held_samples))
        });
        for (files, sample) in [(samples, true), (files, false)] {
            self.begin(files, Batch { sample, again: true, ..Batch::default() });
        }
    }

    fn begin(self, files: Vec<Given>, batch: Batch) {
        if files.is_empty() {
            return;
        }
        let sample = batch.sample;
        self.with(|inner| {
            let number = inner.number();
            inner.batches.insert(number, Open { batch, left: files.len() });
            for Given { file: Named { name, blob }, said } in files {
                let job = self.client.job();
                let size = blob.size() as u64;
                inner.reading.total += 1;
                inner.reading.total_bytes += size;
                let mapping = said.as_ref().map(|said| said.mapping.clone());
                inner.said.extend(said.map(|said| (job, said)));
                let request = ImportRequest { job, file: name, sample, mapping };
                inner.queue.push(Job { request, batch: number, size, file: blob, alone: false });
            }
        });
        self.look();
        self.pump();
    }

    /// Starts the first worker before it is needed, so that the first file is read at once.
    fn warm(self) {
        if self.with(|inner| inner.workers.is_empty()) {
            // Nobody waits for it: a file that comes tries again and tells.
            let _ = self.spawn();
        }
    }

    fn spawn(self) -> Result<u64, String> {
        let number = self.with(Inner::number);
        let link = WorkerLink::spawn(move |event| self.hear(number, event))?;
        self.with(|inner| inner.workers.insert(number, link));
        Ok(number)
    }

    /// Gives files to workers while there are files and room.
    fn pump(self) {
        loop {
            self.with(|inner| {
                for (number, link) in &inner.workers {
                    while let Some(job) = inner.queue.deal(*number) {
                        link.send(&job.request, Parcel::Blob(job.file));
                    }
                }
            });
            let more = |inner: &mut Inner| inner.queue.waits() && inner.workers.len() < WORKERS;
            if !self.with(more) {
                break;
            }
            if let Err(error) = self.spawn() {
                if self.with(|inner| !inner.workers.is_empty()) {
                    break;
                }
                self.with(|inner| {
                    let number = inner.number();
                    if let Some(job) = inner.queue.deal(number) {
                        inner.queue.gone(number);
                        let refused = vec![broke(&job.request.file, &error)];
                        inner.queue.finish(job, Outcome::Read(Vec::new(), refused));
                    }
                });
                self.settle();
            }
        }
    }

    fn hear(self, worker: u64, event: Event<ImportReply>) {
        match event {
            Event::Reply(ImportReply::Progress { job, phase, done, records, .. }, _) => {
                self.with(|inner| inner.progress.insert(job, (phase, done, records)));
                self.look_later();
            }
            Event::Reply(ImportReply::Imported { job, refused, opened }, packs) => {
                self.with(|inner| {
                    if !opened.is_empty() {
                        inner.opened.insert(job, opened);
                    }
                    let size = inner.queue.done(worker, job, Outcome::Read(packs, refused));
                    // One idle worker stays for the next drop; a grown one gives its memory back.
                    let spare =
                        inner.queue.idle(worker) && !inner.queue.waits() && inner.workers.len() > 1;
                    if spare || size.is_some_and(|size| size > GROWN) {
                        inner.workers.remove(&worker);
                        inner.queue.gone(worker);
                    }
                });
                self.settle();
                self.pump();
            }
            Event::OtherBuild => self.client.dead.set(Some(
                "The page and its engine are of different builds. Reload the page.".into(),
            )),
            Event::Crashed(words) => {
                self.with(|inner| {
                    inner.workers.remove(&worker);
                    if let Some(job) = inner.queue.gone(worker) {
                        let refused = vec![broke(&job.request.file, &words)];
                        inner.queue.finish(job, Outcome::Read(Vec::new(), refused));
                    }
                });
                self.settle();
                self.pump();
            }
        }
    }

    /// Stops reading a file. Nothing of it stays.
    pub fn cancel(self, job: JobId) {
        self.with(|inner| {
            if let Some(worker) = inner.queue.cancel(job) {
                inner.workers.remove(&worker);
            }
        });
        self.settle();
        self.pump();
    }

    /// Stops reading all files. What is read already stays.
    pub fn cancel_all(self) {
        self.with(|inner| {
            for worker in inner.queue.cancel_all() {
                inner.workers.remove(&worker);
            }
        });
        self.settle();
        self.warm();
    }

    /// Removes refusals from the tray.
    pub fn dismiss(self, gone: impl Fn(&Refusal) -> bool) {
        self.refusals.update(|list| list.retain(|refusal| !gone(refusal)));
        let left: BTreeSet<String> =
            self.refusals.with_untracked(|list| list.iter().map(|r| r.file.clone()).collect());
        self.with(|inner| inner.offered.retain(|file, _| left.contains(file)));
    }

    /// Hands on what is read, as far as the order of the files allows: all at once, but for what must
    /// go alone.
    fn settle(self) {
        if self.with(|inner| inner.adopting) {
            return;
        }
        let (mut files, mut packs): (Vec<ReadFile>, Vec<ArrayBuffer>) = (Vec::new(), Vec::new());
        loop {
            let with = files.first().map(|(job, ..)| (job.batch, job.alone));
            let fits = |job: &Job<Blob>| {
                with.is_none_or(|(batch, alone)| job.batch == batch && !alone && !job.alone)
            };
            match self.with(|inner| inner.queue.ready(fits)) {
                Some((job, Outcome::Read(own, refused))) if own.is_empty() => {
                    self.through(job, refused, |_| {});
                }
                Some((job, Outcome::Read(own, refused))) => {
                    files.push((job, own.len(), refused));
                    packs.extend(own);
                }
                Some((job, Outcome::Cancelled)) => {
                    // Of a table that waits for a word, what was said before still holds.
                    self.with(|inner| inner.said.get_mut(&job.id()).map(|said| said.of.clear()));
                    self.through(job, Vec::new(), |batch| batch.cancelled += 1);
                }
                None => break,
            }
        }
        if files.is_empty() {
            return;
        }
        self.with(|inner| inner.adopting = true);
        self.client.adopt(packs, move |result| {
            self.with(|inner| inner.adopting = false);
            self.adopted(files, result);
            self.settle();
        });
    }

    fn adopted(self, files: Vec<ReadFile>, result: Result<Adopted, Lost>) {
        let again = |alone: bool| {
            let jobs = files.iter().map(|(job, ..)| Job { alone, ..job.clone() }).collect();
            self.with(|inner| inner.queue.again(jobs));
            self.pump();
        };
        match result {
            Ok(adopted) => self.keep(files, adopted),
            // The packs went down with the engine; the files are still there.
            Err(Lost::Restarted) => again(false),
            // One of them broke it: by itself, each tells.
            Err(Lost::Failed(_) | Lost::Broke(_)) if files.len() > 1 => again(true),
            Err(Lost::Failed(words) | Lost::Broke(words)) => {
                for (job, _, mut refused) in files {
                    refused.push(broke(&job.request.file, &words));
                    self.through(job, refused, |_| {});
                }
            }
        }
    }

    fn keep(self, files: Vec<ReadFile>, adopted: Adopted) {
        let known: BTreeMap<usize, String> =
            adopted.duplicates.into_iter().map(|twin| (twin.pack, twin.name)).collect();
        let mut added = Some((adopted.added, adopted.dumps));
        let mut first = 0;
        for (job, packs, refused) in files {
            let own = first..first + packs;
            first += packs;
            let twins: Vec<&String> = own.filter_map(|pack| known.get(&pack)).collect();
            self.with(|inner| {
                if twins.len() < packs {
                    let file = Named { name: job.request.file.clone(), blob: job.file.clone() };
                    let samples = job.request.sample;
                    let held = if samples { &mut inner.held_samples } else { &mut inner.held };
                    held.push(Given { file, said: inner.said.get(&job.id()).cloned() });
                }
                // An archive of which one table was meant brings all its runs again.
                if !inner.said.contains_key(&job.id()) {
                    let file = &job.request.file;
                    let twin = |run: &&String| Twin { file: file.clone(), run: (*run).clone() };
                    inner.twins.extend(twins.iter().map(twin));
                }
            });
            let (added, servers) = added.take().unwrap_or_default();
            self.through(job, refused, |batch| {
                batch.added.extend(added);
                batch.servers.extend(servers);
                batch.duplicates.extend(twins.into_iter().cloned());
            });
        }
    }

    /// A file is through; when it was the last of its drop, that has landed.
    fn through(self, job: Job<Blob>, mut refused: Vec<Refusal>, note: impl FnOnce(&mut Batch)) {
        let landed = self.with(|inner| {
            let name = &job.request.file;
            let tried = match inner.said.remove(&job.id()) {
                Some(said) => {
                    refused.retain(|r| said.of.contains(&r.file) || r.file == *name);
                    said.of
                }
                None => BTreeSet::from([name.clone()]),
            };
            inner.progress.remove(&job.id());
            inner.reading.done += 1;
            inner.reading.done_bytes += job.size;
            inner.offered.retain(|file, _| !about(file, &tried));
            for table in refused.iter().filter(|refusal| refusal.mapping.is_some()) {
                let file = Named { name: name.clone(), blob: job.file.clone() };
                inner.offered.insert(table.file.clone(), file);
            }
            let count = refused.len();
            inner.refused.retain(|old| !about(&old.file, &tried));
            inner.refused.extend(refused);
            inner.tried.extend(tried);
            let opened = inner.opened.remove(&job.id());
            let open = inner.batches.get_mut(&job.batch)?;
            open.batch.opened.extend(opened.into_iter().flatten());
            note(&mut open.batch);
            open.batch.refused += count;
            open.left = open.left.saturating_sub(1);
            if open.left > 0 {
                return None;
            }
            inner.batches.remove(&job.batch).map(|open| open.batch)
        });
        let Some(batch) = landed else {
            self.look_later();
            return;
        };
        self.look();
        if batch.mapped {
            self.mapping.set(false);
        }
        if let Some(land) = self.land.get_value() {
            land(batch);
        }
    }

    fn look_later(self) {
        if !self.with(|inner| std::mem::replace(&mut inner.looking, true)) {
            set_timeout(move || self.look(), BEAT);
        }
    }

    /// Shows what is going on now.
    fn look(self) {
        let (reading, tried, refused, twins) = self.with(|inner| {
            inner.looking = false;
            if inner.batches.is_empty() {
                inner.reading = Reading::default();
            }
            let many = inner.reading.many();
            let row = |job: &Job<Blob>| {
                let said = inner.progress.get(&job.id()).copied();
                let (phase, done, records) = said.map_or((None, 0, 0), |(p, d, r)| (Some(p), d, r));
                let (file, size) = (job.request.file.clone(), job.size);
                (said.is_some() || !many).then_some(ImportRow {
                    job: job.id(),
                    file,
                    size,
                    phase,
                    done,
                    records,
                })
            };
            let rows = inner.queue.unread().filter_map(row).collect();
            (
                Reading { rows, ..inner.reading.clone() },
                std::mem::take(&mut inner.tried),
                std::mem::take(&mut inner.refused),
                std::mem::take(&mut inner.twins),
            )
        });
        self.reading.maybe_update(|shown| {
            let changed = *shown != reading;
            *shown = reading;
            changed
        });
        // What an earlier try said about a file is out of date.
        self.refusals.maybe_update(|list| {
            let before = list.len();
            list.retain(|old| !about(&old.file, &tried));
            let changed = list.len() != before || !refused.is_empty();
            list.extend(refused);
            changed
        });
        self.twins.maybe_update(|list| {
            let before = list.len();
            list.retain(|old| !tried.contains(&old.file));
            let changed = list.len() != before || !twins.is_empty();
            list.extend(twins);
            changed
        });
    }
}

/// Whether a refusal is about one of the files or, where that is an archive, about a member of it.
fn about(refused: &str, files: &BTreeSet<String>) -> bool {
    let archives = refused.match_indices('/').filter_map(|(at, _)| refused.get(..at));
    archives.chain([refused]).any(|path| files.contains(path))
}

fn broke(file: &str, words: &str) -> Refusal {
    Refusal {
        file: file.to_owned(),
        kind: Cause::Broken,
        what: None,
        error: format!("The reader stopped while reading this file: {words}"),
        place: "whole file".into(),
        advice:
            "This is a fault of Same Ruler. Report it with the sentence above; the file itself \
                 stays with you."
                .into(),
        mapping: None,
    }
}

fn unopened(file: String) -> Refusal {
    Refusal {
        file,
        kind: Cause::Unreadable,
        what: None,
        error: "The browser could not open the file.".into(),
        place: "whole file".into(),
        advice: "Check that it is still there and may be read, and choose it again.".into(),
        mapping: None,
    }
}
