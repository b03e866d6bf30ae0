//! Runs the cells that are missing, in parallel, storing each as it finishes.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Cells, Key};
use crate::error::Error;

/// How far a sweep is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress<'a> {
    /// How many cells are stored.
    pub done: usize,
    /// How many are wanted.
    pub total: usize,
    /// The cell that just finished.
    pub key: &'a Key,
}

/// Computes the cells that are not stored, `parallelism` at a time, in the order of `keys`, and
/// returns all of them in that order. A key that is listed twice is computed once.
///
/// Once `interrupt` is set, or a cell has failed, no cell is started; those under way finish and are
/// stored. So the same call continues where this one stopped. What `work` returns must follow from
/// its key alone: then results do not depend on what was stored, nor on the number of threads.
///
/// ```
/// use std::{num::NonZeroUsize, sync::atomic::AtomicBool};
/// use privet_lab::experiments::cells::{Cells, Key, run_cells};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("squares.cells");
/// let mut cells = Cells::open(&path, "squares")?;
/// let keys: Vec<Key> = (0..4).map(|n| Key::new().with("n", n)).collect();
/// let square = |key: &Key| key.get("n").unwrap_or("").parse::<u64>().map(|n| n * n);
/// let stop = AtomicBool::new(false);
/// let squares = run_cells(&mut cells, &keys, NonZeroUsize::MIN, &stop, |_| {}, square)?;
/// assert_eq!(squares, [0, 1, 4, 9]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::Interrupted`] if it was; [`Error::Work`] for a cell that failed, the first in the order of
/// `keys` if several did; [`Error::Cells`] if the store refuses.
pub fn run_cells<V, E>(
    cells: &mut Cells,
    keys: &[Key],
    parallelism: NonZeroUsize,
    interrupt: &AtomicBool,
    progress: impl Fn(Progress<'_>) + Sync,
    work: impl Fn(&Key) -> Result<V, E> + Sync,
) -> Result<Vec<V>, Error>
where
    V: Serialize + DeserializeOwned + Send,
    E: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let mut seen = BTreeSet::new();
    let wanted: Vec<&Key> = keys.iter().filter(|key| seen.insert(*key)).collect();
    let missing: Vec<&Key> = wanted.iter().filter(|key| !cells.contains(key)).copied().collect();
    let sweep = Sweep {
        total: wanted.len(),
        stored: wanted.len() - missing.len(),
        missing,
        next: AtomicUsize::new(0),
        state: Mutex::new(State { cells, finished: 0, failed: None }),
    };
    let threads = parallelism.get().min(sweep.missing.len()).max(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Error::cells("threads", error))?;
    pool.scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|_| sweep.run(interrupt, &progress, &work));
        }
    });
    let (total, stored) = (sweep.total, sweep.stored);
    let state = sweep.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, error)) = state.failed {
        return Err(error);
    }
    let done = stored + state.finished;
    if done < total {
        return Err(Error::Interrupted { done, total });
    }
    let read = |key: &Key| match state.cells.get(key)? {
        Some(value) => Ok(value),
        None => Err(state.cells.error(key, "it was stored a moment ago and is gone")),
    };
    keys.iter().map(read).collect()
}

struct Sweep<'a> {
    missing: Vec<&'a Key>,
    total: usize,
    stored: usize,
    /// The next of the missing ones.
    next: AtomicUsize,
    state: Mutex<State<'a>>,
}

struct State<'a> {
    cells: &'a mut Cells,
    finished: usize,
    /// The failure of the earliest key, by its position.
    failed: Option<(usize, Error)>,
}

impl Sweep<'_> {
    /// One worker: takes the next missing cell until there is none, or a reason to stop.
    fn run<V, E>(
        &self,
        interrupt: &AtomicBool,
        progress: &(impl Fn(Progress<'_>) + Sync),
        work: &(impl Fn(&Key) -> Result<V, E> + Sync),
    ) where
        V: Serialize + DeserializeOwned,
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let state = || self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while !interrupt.load(Ordering::Relaxed) && state().failed.is_none() {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(&key) = self.missing.get(at) else { return };
            let result = work(key)
                .map_err(|error| Error::Work { key: key.to_string(), source: error.into() });
            let mut state = state();
            match result.and_then(|value| state.cells.put(key, &value)) {
                Ok(()) => {
                    state.finished += 1;
                    let done = self.stored + state.finished;
                    progress(Progress { done, total: self.total, key });
                }
                Err(error) => {
                    if state.failed.as_ref().is_none_or(|&(earlier, _)| at < earlier) {
                        state.failed = Some((at, error));
                    }
                }
            }
        }
    }
}
