//! Files on their way in: a queue, at most two throw-away workers, and runs adopted in the order of the files.
//!
//! A worker that parses hears nothing, so the only certain cancel is to end it; that also gives its
//! memory back. Runs already adopted are safe with the engine.

use super::client::{Adopted, Client, Lost};
use crate::engine::protocol::{Cause, JobId, Phase, Refusal, Reply, Request};
use crate::model::RunId;
use crate::web::files::Named;
use crate::web::worker_link::{Event, Parcel, WorkerLink};
use js_sys::ArrayBuffer;
use leptos::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use web_sys::Blob;

/// Import workers at a time. Two keep a small file from waiting behind a large one.
const WORKERS: usize = 2;

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

/// What came of one drop.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// New runs in the order of the files.
    pub added: Vec<RunId>,
    /// Names of runs that were there already.
    pub duplicates: Vec<String>,
    /// Files, and members of archives, that were not read.
    pub refused: usize,
    /// Whether these were the built-in samples.
    pub sample: bool,
    /// Whether the files were read once more after the engine broke.
    pub again: bool,
}

#[derive(Clone)]
struct Job {
    id: JobId,
    batch: u64,
    name: String,
    blob: Blob,
    sample: bool,
}

enum Outcome {
    Read(Vec<ArrayBuffer>, Vec<Refusal>),
    Cancelled,
}

struct Running {
    job: Job,
    link: WorkerLink,
}

struct Open {
    batch: Batch,
    left: usize,
}

#[derive(Default)]
struct Inner {
    queue: VecDeque<Job>,
    running: BTreeMap<u64, Running>,
    finished: BTreeMap<JobId, (Job, Outcome)>,
    /// Jobs whose runs are not adopted yet, in the order of the files.
    order: VecDeque<JobId>,
    batches: BTreeMap<u64, Open>,
    /// Files whose runs the engine holds, in order, to be read again if it breaks.
    held: Vec<Named>,
    held_samples: Vec<Named>,
    counter: u64,
}

type Land = Rc<dyn Fn(Batch)>;

/// The imports, as the page knows them.
#[derive(Clone, Copy)]
pub struct Imports {
    client: Client,
    inner: StoredValue<Rc<RefCell<Inner>>, LocalStorage>,
    land: StoredValue<Option<Land>, LocalStorage>,
    /// Files on their way in.
    pub rows: RwSignal<Vec<ImportRow>>,
    /// Files that were not read and not dismissed.
    pub refusals: RwSignal<Vec<Refusal>>,
}

impl Imports {
    /// No imports yet; files read will go to `client`.
    pub fn new(client: Client) -> Self {
        let imports = Self {
            client,
            inner: StoredValue::new_local(Rc::default()),
            land: StoredValue::new_local(None),
            rows: RwSignal::new(Vec::new()),
            refusals: RwSignal::new(Vec::new()),
        };
        // A new engine is empty: everything it held is read again.
        Effect::new(move |_| {
            if client.restarts.get() > 0 {
                imports.read_again();
            }
        });
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
        self.begin(files, Batch { sample, ..Batch::default() });
    }

    fn read_again(self) {
        let (files, samples) = self.with(|inner| {
            (std::mem::take(&mut inner.held), std::mem::take(&mut inner.held_samples))
        });
        for (files, sample) in [(samples, true), (files, false)] {
            self.begin(files, Batch { sample, again: true, ..Batch::default() });
        }
    }

    fn begin(self, files: Vec<Named>, batch: Batch) {
        if files.is_empty() {
            return;
        }
        let sample = batch.sample;
        let number = self.with(|inner| {
            inner.counter += 1;
            inner.batches.insert(inner.counter, Open { batch, left: files.len() });
            inner.counter
        });
        for Named { name, blob } in files {
            let id = self.client.job();
            let row = ImportRow {
                job: id,
                file: name.clone(),
                size: blob.size() as u64,
                phase: None,
                done: 0,
                records: 0,
            };
            self.rows.update(|rows| rows.push(row));
            self.with(|inner| {
                inner.order.push_back(id);
                inner.queue.push_back(Job { id, batch: number, name, blob, sample });
            });
        }
        self.pump();
    }

    /// Starts workers while there are files and room.
    fn pump(self) {
        while self.with(|inner| inner.running.len() < WORKERS && !inner.queue.is_empty()) {
            let number = self.with(|inner| {
                inner.counter += 1;
                inner.counter
            });
            let Some(job) = self.with(|inner| inner.queue.pop_front()) else { return };
            match WorkerLink::spawn(move |event| self.hear(number, event)) {
                Ok(link) => {
                    order(&link, &job);
                    self.with(|inner| inner.running.insert(number, Running { job, link }));
                }
                Err(error) => {
                    let refusal = broke(&job.name, &error);
                    self.finish(job, Outcome::Read(Vec::new(), vec![refusal]));
                }
            }
        }
    }

    fn hear(self, worker: u64, event: Event) {
        match event {
            Event::Reply(Reply::Progress { job, phase, done, records, .. }, _) => {
                self.rows.update(|rows| {
                    if let Some(row) = rows.iter_mut().find(|row| row.job == job) {
                        (row.phase, row.done, row.records) = (Some(phase), done, records);
                    }
                });
            }
            Event::Reply(Reply::Imported { job, refused }, packs) => {
                self.next(worker, job, Outcome::Read(packs, refused));
            }
            Event::Reply(..) => {}
            Event::OtherBuild => self.client.dead.set(Some(
                "The page and its engine are of different builds. Reload the page.".into(),
            )),
            Event::Crashed(words) => {
                let Some(running) = self.with(|inner| inner.running.remove(&worker)) else {
                    return;
                };
                let refusal = broke(&running.job.name, &words);
                self.finish(running.job, Outcome::Read(Vec::new(), vec![refusal]));
                self.pump();
            }
        }
    }

    /// The worker has done its job: it gets the next file of the same drop, or ends.
    fn next(self, worker: u64, done: JobId, outcome: Outcome) {
        let finished = self.with(|inner| {
            let running = inner.running.get_mut(&worker).filter(|r| r.job.id == done)?;
            let job = running.job.clone();
            if inner.queue.front().is_some_and(|next| next.batch == job.batch) {
                let next = inner.queue.pop_front()?;
                order(&running.link, &next);
                running.job = next;
            } else {
                inner.running.remove(&worker);
            }
            Some(job)
        });
        if let Some(job) = finished {
            self.finish(job, outcome);
        }
        self.pump();
    }

    /// Stops reading a file. Nothing of it stays.
    pub fn cancel(self, job: JobId) {
        let cancelled = self.with(|inner| {
            if let Some(at) = inner.queue.iter().position(|waiting| waiting.id == job) {
                return inner.queue.remove(at);
            }
            let worker = *inner.running.iter().find(|(_, r)| r.job.id == job)?.0;
            inner.running.remove(&worker).map(|running| running.job)
        });
        if let Some(job) = cancelled {
            self.finish(job, Outcome::Cancelled);
        }
        self.pump();
    }

    /// Removes a refusal from the tray.
    pub fn dismiss(self, index: usize) {
        self.refusals.update(|list| {
            if index < list.len() {
                list.remove(index);
            }
        });
    }

    fn finish(self, job: Job, outcome: Outcome) {
        self.with(|inner| inner.finished.insert(job.id, (job, outcome)));
        self.settle();
    }

    /// Hands on what is finished, as far as the order of the files allows.
    fn settle(self) {
        loop {
            let ready = self.with(|inner| {
                let first = inner.order.front()?;
                let ready = inner.finished.remove(first)?;
                inner.order.pop_front();
                Some(ready)
            });
            let Some((job, outcome)) = ready else { return };
            let row = job.id;
            match outcome {
                Outcome::Read(packs, refused) if packs.is_empty() => {
                    self.refuse(&job.name, refused.clone());
                    self.count(job.batch, |batch| batch.refused += refused.len());
                    self.forget(row);
                }
                Outcome::Read(packs, refused) => self.client.adopt(packs, move |result| {
                    self.adopted(job, refused, result);
                    self.forget(row);
                }),
                Outcome::Cancelled => {
                    self.count(job.batch, |_| {});
                    self.forget(row);
                }
            }
        }
    }

    /// Shows what was not read of a file, in place of what an earlier try said about it.
    fn refuse(self, file: &str, refused: Vec<Refusal>) {
        self.refusals.update(|list| {
            list.retain(|old| !of_file(&old.file, file));
            list.extend(refused);
        });
    }

    fn adopted(self, job: Job, refused: Vec<Refusal>, result: Result<Adopted, Lost>) {
        let file = Named { name: job.name, blob: job.blob };
        match result {
            Ok(adopted) => {
                let not_read = refused.len();
                self.refuse(&file.name, refused);
                if !adopted.added.is_empty() {
                    self.with(|inner| {
                        let held =
                            if job.sample { &mut inner.held_samples } else { &mut inner.held };
                        held.push(file);
                    });
                }
                self.count(job.batch, |batch| {
                    batch.refused += not_read;
                    batch.added.extend(adopted.added);
                    batch.duplicates.extend(adopted.duplicates);
                });
            }
            // The packs went down with the engine; the file is still there.
            Err(Lost::Restarted) => {
                self.with(|inner| {
                    inner.order.push_back(job.id);
                    inner.queue.push_back(Job { name: file.name, blob: file.blob, ..job });
                });
                self.pump();
            }
            Err(Lost::Failed(words) | Lost::Broke(words)) => {
                self.refusals.update(|list| list.push(broke(&file.name, &words)));
                self.count(job.batch, |batch| batch.refused += 1);
            }
        }
    }

    fn forget(self, job: JobId) {
        let open = self.with(|inner| inner.order.contains(&job));
        if !open {
            self.rows.update(|rows| rows.retain(|row| row.job != job));
        }
    }

    fn count(self, number: u64, note: impl FnOnce(&mut Batch)) {
        let landed = self.with(|inner| {
            let open = inner.batches.get_mut(&number)?;
            note(&mut open.batch);
            open.left = open.left.saturating_sub(1);
            if open.left > 0 {
                return None;
            }
            inner.batches.remove(&number).map(|open| open.batch)
        });
        if let (Some(batch), Some(land)) = (landed, self.land.get_value()) {
            land(batch);
        }
    }
}

fn order(link: &WorkerLink, job: &Job) {
    let request =
        Request::Import { job: job.id, file: job.name.clone(), sample: job.sample, mapping: None };
    link.send(&request, Parcel::Blob(job.blob.clone()));
}

/// Whether a refusal is about a file or, where it is an archive, about a member of it.
fn of_file(refused: &str, file: &str) -> bool {
    refused.strip_prefix(file).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
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
        mappin,
        mapping: None,
        g: None,
    }
}
