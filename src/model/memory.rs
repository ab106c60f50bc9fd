//! What was worked out of a run, kept while the run is held.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Answers about one run, by question. Whoever asks brings the types of both; this room knows neither.
///
/// It is no part of what a run is: a copy starts without, any two are equal, and no pack holds it. What
/// is kept stays right because the rows of a run never change; a run put together of several files is a
/// new one.
#[derive(Default)]
pub struct Memory(Mutex<BTreeMap<TypeId, Box<dyn Any + Send + Sync>>>);

/// Answers of one kind, the oldest first.
struct Kept<K, V>(Vec<(K, Arc<V>)>);

impl Memory {
    /// How many answers of one kind are kept.
    pub const KEPT: usize = 256;

    /// The answer to `question`: as it was, or by `work` and then kept in place of the oldest.
    pub fn recall<K, V>(&self, question: K, work: impl FnOnce() -> V) -> Arc<V>
    where
        K: PartialEq + Send + Sync + 'static,
        V: Send + Sync + 'static,
    {
        if let Some(known) = self.with(|kept: &mut Kept<K, V>| {
            kept.0.iter().find(|(k, _)| *k == question).map(|(_, answer)| Arc::clone(answer))
        }) {
            return known;
        }
        // Not under the lock: the work may ask for other answers.
        let answer = Arc::new(work());
        self.with(|kept: &mut Kept<K, V>| {
            if kept.0.len() >= Self::KEPT {
                kept.0.remove(0);
            }
            kept.0.push((question, Arc::clone(&answer)));
        });
        answer
    }

    fn with<K, V, R: Default>(&self, use_it: impl FnOnce(&mut Kept<K, V>) -> R) -> R
    where
        K: Send + Sync + 'static,
        V: Send + Sync + 'static,
    {
        // A panic elsewhere leaves whole answers behind, so a poisoned lock is as good as a sound one.
        let mut kinds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = kinds
            .entry(TypeId::of::<Kept<K, V>>())
            .or_insert_with(|| Box::new(Kept::<K, V>(Vec::new())));
        kept.downcast_mut().map_or_else(R::default, use_it)
    }
}

impl Clone for Memory {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Memory {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Memory")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_worked_out_once_for_each_question_and_kind() {
        let memory = Memory::default();
        let mut worked = 0;
        for question in [1, 2, 1, 2, 1] {
            let answer = memory.recall(question, || {
                worked += 1;
                question * 10
            });
            assert_eq!(*answer, question * 10);
        }
        assert_eq!(worked, 2);
        assert_eq!(*memory.recall(1, || "of another kind".to_owned()), "of another kind");
        assert_eq!(*memory.recall(1, || 0), 10);
    }

    #[test]
    fn the_oldest_is_forgotten_and_a_copy_knows_nothing() {
        let memory = Memory::default();
        for question in 0..=Memory::KEPT {
            memory.recall(question, || question);
        }
        assert_eq!(*memory.recall(1_usize, || 99_usize), 1, "the second is still there");
        assert_eq!(*memory.recall(0_usize, || 99_usize), 99, "the first is not");
        assert_eq!(*memory.clone().recall(1_usize, || 7_usize), 7);
    }

    #[test]
    fn work_may_ask_for_other_answers() {
        let memory = Memory::default();
        assert_eq!(*memory.recall("outer", || *memory.recall("inner", || 3) + 1), 4);
    }
}
