//! [`Sweep`]: measures the cells that are missing, in parallel, storing each as it finishes.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Cells, Key};
use crate::error::Error;

/// How cells are measured.
pub struct Sweep<'a> {
    /// Where finished cells are.
    pub cells: &'a mut Cells,
    /// How many at a time, at most.
    pub threads: NonZeroUsize,
    /// Set it to stop early.
    pub interrupt: &'a AtomicBool,
    /// Hears how many cells are there, out of how many: once before the first, then after each.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

impl std::fmt::Debug for Sweep<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sweep").field("threads", &self.threads).finish_non_exhaustive()
    }
}

impl Sweep<'_> {
    /// Does the work of every job whose key is not stored, `threads` at a time, in order, and returns what came
    /// of all of them in that order. Jobs with the same key are done once.
    ///
    /// Once `interrupt` is set, or a job has failed, none is started; those under way finish and are
    /// stored. So the same call continues where this one stopped. What `work` returns must follow from
    /// the key alone: then results do not depend on what was stored, nor on the number of threads.
    ///
    /// ```
    /// use std::{num::NonZeroUsize, sync::atomic::AtomicBool};
    /// use privet_lab::experiments::cells::{Cells, Key, Sweep};
    /// let (mut cells, interrupt) = (Cells::in_memory(), AtomicBool::new(false));
    /// let threads = NonZeroUsize::MIN;
    /// let mut sweep = Sweep { cells: &mut cells, threads, interrupt: &interrupt, progress: &|_, _| {} };
    /// let square = |n: &u64| Ok::<_, std::fmt::Error>(n * n);
    /// let squares: Vec<u64> = sweep.measure(&[0, 1, 2, 3], |n| Key::new().with("n", n), square)?;
    /// assert_eq!(squares, [0, 1, 4, 9]);
    /// # Ok::<(), privet_lab::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Interrupted`] if it was; [`Error::Work`] for a job that failed, the first in order
    /// if several did; [`Error::Cells`] if the store refuses.
    pub fn measure<J, V, E>(
        &mut self,
        jobs: &[J],
        key: impl Fn(&J) -> Key,
        work: impl Fn(&J) -> Result<V, E> + Sync,
    ) -> Result<Vec<V>, Error>
    where
        J: Sync,
        V: Serialize + DeserializeOwned + Send,
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        // The key decides what is measured: equal keys are measured once.
        let keys: Vec<Key> = jobs.iter().map(key).collect();
        let mut seen = BTreeSet::new();
        let wanted = keys.iter().zip(jobs).filter(|(key, _)| seen.insert(*key));
        // What is stored already is not measured again, and so a stopped sweep goes on where it
        // was.
        let (stored, missing): (Vec<_>, Vec<_>) =
            wanted.partition(|(key, _)| self.cells.contains(key));
        let missing: Vec<(&Key, &J)> = missing;
        let (total, stored) = (stored.len() + missing.len(), stored.len());
        (self.progress)(stored, total);
        let crew = Crew {
            missing,
            stored,
            total,
            next: AtomicUsize::new(0),
            interrupt: self.interrupt,
            progress: self.progress,
            state: Mutex::new(State { cells: self.cells, finished: 0, failed: BTreeMap::new() }),
        };
        crew.work(self.threads, &work)?;
        let state = crew.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let done = stored + state.finished;
        // The first failure by position, whichever thread met it first.
        match state.failed.into_iter().next() {
            // A run that was stopped half-way is no failure: it is measured when the sweep continues.
            Some((_, error)) if is_interruption(&error) => {
                return Err(Error::Interrupted { done, total });
            }
            Some((_, error)) => return Err(error),
            None if done < total => return Err(Error::Interrupted { done, total }),
            None => {}
        }
        let read = |key: &Key| match state.cells.get(key)? {
            Some(value) => Ok(value),
            None => Err(state.cells.error(key, "it was stored a moment ago and is gone")),
        };
        keys.iter().map(read).collect()
    }
}

fn is_interruption(error: &Error) -> bool {
    let Error::Work { source, .. } = error else { return false };
    let error = source.downcast_ref::<privet::Error>();
    matches!(error, Some(privet::Error::Learn(privet::learn::Error::Interrupted)))
}

/// Those who do the work.
struct Crew<'a, J> {
    missing: Vec<(&'a Key, &'a J)>,
    stored: usize,
    total: usize,
    /// The next of the missing ones.
    next: AtomicUsize,
    interrupt: &'a AtomicBool,
    progress: &'a (dyn Fn(usize, usize) + Sync),
    state: Mutex<State<'a>>,
}

struct State<'a> {
    cells: &'a mut Cells,
    finished: usize,
    /// Failures, by position.
    failed: BTreeMap<usize, Error>,
}

impl<J: Sync> Crew<'_, J> {
    /// A thread that waits for a part of its own cell never starts another cell, so no more of them are in
    /// memory than threads.
    fn work<V, E>(
        &self,
        threads: NonZeroUsize,
        work: &(impl Fn(&J) -> Result<V, E> + Sync),
    ) -> Result<(), Error>
    where
        V: Serialize + DeserializeOwned,
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let threads = threads.get().min(self.missing.len()).max(1);
        // A pool of its own: a job may use rayon itself without waiting for this loop.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| Error::cells("threads", error))?;
        pool.scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|_| self.one(work));
            }
        });
        Ok(())
    }

    /// One worker: takes the next missing cell until there is none, or a reason to stop.
    fn one<V, E>(&self, work: &(impl Fn(&J) -> Result<V, E> + Sync))
    where
        V: Serialize + DeserializeOwned,
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let state = || self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // No new job after an interruption or a failure; running ones finish.
        while !self.interrupt.load(Ordering::Relaxed) && state().failed.is_empty() {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(&(key, job)) = self.missing.get(at) else { return };
            let result = work(job)
                .map_err(|error| Error::Work { key: key.to_string(), source: error.into() });
            let mut state = state();
            // Stored as soon as it is measured: an interruption loses at most the running jobs.
            match result.and_then(|value| state.cells.put(key, &value)) {
                Ok(()) => {
                    state.finished += 1;
                    (self.progress)(self.stored + state.finished, self.total);
                }
                Err(error) => {
                    state.failed.insert(at, error);
                }
            }
        }
    }
}
