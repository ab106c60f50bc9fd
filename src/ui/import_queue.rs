//! The order of work of an import: which worker reads which file next, and what is handed on when.
//!
//! Knows workers by number and files as handles `F`. Must not know browsers: it is tested without one.

use crate::engine::protocol::{ImportRequest, JobId, Refusal};
use std::collections::{BTreeMap, VecDeque};

/// Files sent to a worker ahead, so that it need not wait for the page between small ones.
const HAND: usize = 8;

/// Most bytes in a worker's hand beyond its first file: large files are dealt one at a time, so that
/// two workers share them.
const HAND_BYTES: u64 = 1 << 18;

/// One file to be read.
#[derive(Debug, Clone, PartialEq)]
pub struct Job<F> {
    /// What the worker is asked.
    pub request: ImportRequest,
    /// The drop that it came with.
    pub batch: u64,
    /// Size in bytes.
    pub size: u64,
    /// The file.
    pub file: F,
    /// Whether its runs go to the engine by themselves, because the engine broke on some like them.
    pub alone: bool,
}

impl<F> Job<F> {
    /// The job's number.
    pub const fn id(&self) -> JobId {
        self.request.job
    }
}

/// How the reading of a file ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome<P> {
    /// Packs of its runs, and what was not read.
    Read(Vec<P>, Vec<Refusal>),
    /// The reader wanted it no more.
    Cancelled,
}

/// Files on their way: waiting, in a worker's hand, or read and not yet handed on.
#[derive(Debug)]
pub struct Queue<F, P> {
    waiting: VecDeque<Job<F>>,
    hands: BTreeMap<u64, VecDeque<Job<F>>>,
    finished: BTreeMap<JobId, (Job<F>, Outcome<P>)>,
    /// Files not handed on yet, in the order in which they came.
    order: VecDeque<JobId>,
}

impl<F, P> Default for Queue<F, P> {
    fn default() -> Self {
        Self {
            waiting: VecDeque::new(),
            hands: BTreeMap::new(),
            finished: BTreeMap::new(),
            order: VecDeque::new(),
        }
    }
}

impl<F: Clone, P> Queue<F, P> {
    /// Puts a file at the end.
    pub fn push(&mut self, job: Job<F>) {
        self.order.push_back(job.id());
        self.waiting.push_back(job);
    }

    /// Puts files that were handed on already back to the front.
    pub fn again(&mut self, jobs: Vec<Job<F>>) {
        for job in jobs.into_iter().rev() {
            self.order.push_front(job.id());
            self.waiting.push_front(job);
        }
    }

    /// Whether a file waits for a worker.
    pub fn waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Files not handed on yet.
    pub fn open(&self) -> usize {
        self.order.len()
    }

    /// Whether a worker has nothing to do.
    pub fn idle(&self, worker: u64) -> bool {
        self.hands.get(&worker).is_none_or(VecDeque::is_empty)
    }

    /// The next file for a worker, if one waits and its hand has room. It is the worker's from now on.
    pub fn deal(&mut self, worker: u64) -> Option<Job<F>> {
        let hand = self.hands.entry(worker).or_default();
        let next = self.waiting.front()?;
        let held: u64 = hand.iter().map(|job| job.size).sum();
        if !hand.is_empty() && (hand.len() >= HAND || held + next.size > HAND_BYTES) {
            return None;
        }
        let job = self.waiting.pop_front()?;
        hand.push_back(job.clone());
        Some(job)
    }

    /// A worker is through with a file; says how large it was.
    pub fn done(&mut self, worker: u64, id: JobId, outcome: Outcome<P>) -> Option<u64> {
        let hand = self.hands.get_mut(&worker)?;
        let at = hand.iter().position(|job| job.id() == id)?;
        let job = hand.remove(at)?;
        let size = job.size;
        self.finished.insert(id, (job, outcome));
        Some(size)
    }

    /// A worker is gone. The file it was reading is returned, to be [`Self::finish`]ed; the others in
    /// its hand wait again.
    pub fn gone(&mut self, worker: u64) -> Option<Job<F>> {
        let mut hand = self.hands.remove(&worker)?;
        let broke = hand.pop_front();
        for job in hand.into_iter().rev() {
            self.waiting.push_front(job);
        }
        broke
    }

    /// Says how a file ended that no worker has.
    pub fn finish(&mut self, job: Job<F>, outcome: Outcome<P>) {
        self.finished.insert(job.id(), (job, outcome));
    }

    /// Cancels a file. Returns the worker that must be ended for it, if one has begun it.
    pub fn cancel(&mut self, id: JobId) -> Option<u64> {
        if let Some(at) = self.waiting.iter().position(|job| job.id() == id) {
            let job = self.waiting.remove(at)?;
            self.finish(job, Outcome::Cancelled);
            return None;
        }
        let has = |hand: &VecDeque<Job<F>>| hand.iter().position(|job| job.id() == id);
        let (worker, at) =
            self.hands.iter().find_map(|(worker, hand)| Some((*worker, has(hand)?)))?;
        let mut hand = self.hands.remove(&worker)?;
        let job = hand.remove(at)?;
        self.finish(job, Outcome::Cancelled);
        for job in hand.into_iter().rev() {
            self.waiting.push_front(job);
        }
        Some(worker)
    }

    /// Cancels every file that is not read yet. Returns the workers that must be ended for it.
    pub fn cancel_all(&mut self) -> Vec<u64> {
        let mut busy = Vec::new();
        let mut jobs: Vec<Job<F>> = self.waiting.drain(..).collect();
        for (worker, hand) in std::mem::take(&mut self.hands) {
            if !hand.is_empty() {
                busy.push(worker);
            }
            jobs.extend(hand);
        }
        for job in jobs {
            self.finish(job, Outcome::Cancelled);
        }
        busy
    }

    /// The next file in order, once it is read and if `take` wants it.
    pub fn ready(&mut self, take: impl FnOnce(&Job<F>) -> bool) -> Option<(Job<F>, Outcome<P>)> {
        let first = *self.order.front()?;
        if !take(&self.finished.get(&first)?.0) {
            return None;
        }
        self.order.pop_front();
        self.finished.remove(&first)
    }

    /// The files that are not read yet: those in a worker's hand, then those that wait.
    pub fn unread(&self) -> impl Iterator<Item = &Job<F>> {
        self.hands.values().flatten().chain(&self.waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(id: u64, size: u64) -> Job<()> {
        let (job, file) = (JobId(id), format!("{id}"));
        let request = ImportRequest { job, file, sample: false, mapping: None };
        Job { request, batch: 1, size, file: (), alone: false }
    }

    fn queue(sizes: &[u64]) -> Queue<(), u64> {
        let mut queue = Queue::default();
        for (id, size) in sizes.iter().enumerate() {
            queue.push(job(id as u64, *size));
        }
        queue
    }

    fn dealt(queue: &mut Queue<(), u64>, worker: u64) -> Vec<u64> {
        std::iter::from_fn(|| queue.deal(worker)).map(|job| job.id().0).collect()
    }

    fn read(queue: &mut Queue<(), u64>, worker: u64, id: u64) {
        assert!(queue.done(worker, JobId(id), Outcome::Read(vec![id], Vec::new())).is_some());
    }

    fn handed_on(queue: &mut Queue<(), u64>) -> Vec<u64> {
        std::iter::from_fn(|| queue.ready(|_| true)).map(|(job, _)| job.id().0).collect()
    }

    #[test]
    fn small_files_are_dealt_ahead_and_large_ones_one_at_a_time() {
        let mut small = queue(&[10; 12]);
        assert_eq!(dealt(&mut small, 1), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(dealt(&mut small, 2), [8, 9, 10, 11]);
        read(&mut small, 1, 0);
        assert_eq!(dealt(&mut small, 1), [] as [u64; 0], "nothing waits");
        let mut large = queue(&[10, 1 << 30, 10, 1 << 30]);
        assert_eq!(dealt(&mut large, 1), [0]);
        assert_eq!(dealt(&mut large, 2), [1]);
        read(&mut large, 1, 0);
        assert_eq!(dealt(&mut large, 1), [2]);
    }

    #[test]
    fn files_are_handed_on_in_their_order_whoever_reads_faster() {
        let mut queue = queue(&[1 << 30, 1 << 30, 1 << 30]);
        assert_eq!((dealt(&mut queue, 1), dealt(&mut queue, 2)), (vec![0], vec![1]));
        read(&mut queue, 2, 1);
        assert_eq!(dealt(&mut queue, 2), [2]);
        read(&mut queue, 2, 2);
        assert_eq!(handed_on(&mut queue), [] as [u64; 0]);
        read(&mut queue, 1, 0);
        assert_eq!(handed_on(&mut queue), [0, 1, 2]);
        assert_eq!(queue.open(), 0);
    }

    #[test]
    fn a_worker_that_breaks_takes_one_file_with_it() {
        let mut queue = queue(&[10; 3]);
        dealt(&mut queue, 1);
        let broke = queue.gone(1).unwrap();
        assert_eq!(broke.id(), JobId(0));
        queue.finish(broke, Outcome::Cancelled);
        assert_eq!(dealt(&mut queue, 2), [1, 2]);
        assert!(queue.gone(1).is_none() && queue.idle(1));
    }

    #[test]
    fn a_cancelled_file_ends_its_worker_and_no_other_file_is_lost() {
        let mut queue = queue(&[10; 10]);
        assert_eq!(dealt(&mut queue, 1).len(), 8);
        assert_eq!(queue.cancel(JobId(9)), None, "it only waited");
        assert_eq!(queue.cancel(JobId(3)), Some(1));
        assert_eq!(queue.cancel(JobId(3)), None, "once");
        assert_eq!(dealt(&mut queue, 2), [0, 1, 2, 4, 5, 6, 7, 8]);
        for id in [0, 1, 2, 4, 5, 6, 7, 8] {
            read(&mut queue, 2, id);
        }
        assert_eq!(handed_on(&mut queue), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }

    #[test]
    fn cancelling_all_keeps_what_is_read() {
        let mut queue = queue(&[10; 20]);
        dealt(&mut queue, 1);
        read(&mut queue, 1, 0);
        assert_eq!(queue.cancel_all(), [1]);
        let ends: Vec<bool> = std::iter::from_fn(|| queue.ready(|_| true))
            .map(|(_, outcome)| outcome == Outcome::Cancelled)
            .collect();
        assert_eq!(ends.len(), 20);
        assert_eq!(ends.iter().filter(|cancelled| !**cancelled).count(), 1);
        assert!(!queue.waits() && queue.unread().next().is_none());
    }

    #[test]
    fn what_must_be_read_again_comes_first() {
        let mut queue = queue(&[10; 3]);
        dealt(&mut queue, 1);
        read(&mut queue, 1, 0);
        let (first, _) = queue.ready(|_| true).unwrap();
        queue.again(vec![first]);
        assert_eq!(dealt(&mut queue, 2), [0]);
        assert_eq!(queue.open(), 3);
    }
}
