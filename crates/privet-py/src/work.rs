//! [`working`]: long work away from the interpreter. It runs in a thread of its own without the GIL, while the calling
//! thread asks for Ctrl-C and shows how far it is.
//!
//! Training stops before its next batch or step. Work that is asked to stop and does not within [`PATIENCE`] is left alone:
//! Python goes on, the result is dropped, and what was charged stays charged, as after any other interruption.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use privet::learn::train::Watch;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::error::{Failure, PrivetError, interrupted};

/// How often the calling thread looks up.
const TICK: Duration = Duration::from_millis(50);
/// How long work may take to stop.
const PATIENCE: Duration = Duration::from_millis(500);

/// How far work is, and whether it shall stop.
#[derive(Debug, Default)]
pub(crate) struct Board {
    stop: AtomicBool,
    done: AtomicUsize,
    of: AtomicUsize,
}

impl Watch for Board {
    fn stops(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn sees(&self, done: usize, of: usize) {
        self.of.store(of, Ordering::Relaxed);
        self.done.store(done, Ordering::Relaxed);
    }
}

impl Board {
    /// The flag alone, for those who know no other.
    pub(crate) fn flag(&self) -> &AtomicBool {
        &self.stop
    }
}

/// The process that first worked here. Its threads do not come along into a child of `fork`, which would wait for them
/// for ever.
static WORKS: OnceLock<u32> = OnceLock::new();

/// Refuses to work in a fork of a process that has worked.
///
/// # Errors
/// If this is one.
pub(crate) fn not_in_a_fork() -> PyResult<()> {
    let here = std::process::id();
    match *WORKS.get_or_init(|| here) == here {
        true => Ok(()),
        false => Err(PrivetError::new_err(
            "this process is a fork of one that has used privet, whose threads did not come along; start it with \
             multiprocessing's 'spawn' or 'forkserver', or fork before privet is used",
        )),
    }
}

/// Does something long. `progress` is called as `progress(done, of)` whenever that changed.
///
/// # Errors
/// Those of the work; Ctrl-C; those of `progress`.
pub(crate) fn working<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&Board) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    not_in_a_fork()?;
    let board = Arc::new(Board::default());
    let (sender, mut receiver) = channel();
    let seen = Arc::clone(&board);
    let worker = std::thread::Builder::new().name("privet".into());
    worker.spawn(move || {
        let done = catch_unwind(AssertUnwindSafe(|| work(&seen)));
        // There is no receiver if the caller went on.
        let _ = sender.send(done);
    })?;
    let mut shown = 0;
    loop {
        let (back, heard) = wait(py, receiver, TICK);
        receiver = back;
        match heard {
            Ok(done) => {
                show(py, progress.as_ref(), &board, &mut shown)?;
                return finished(done);
            }
            Err(RecvTimeoutError::Disconnected) => return Err(broken()),
            Err(RecvTimeoutError::Timeout) => {}
        }
        let told = py.check_signals();
        let told = told.and_then(|()| show(py, progress.as_ref(), &board, &mut shown));
        if let Err(stopped) = told {
            board.stop.store(true, Ordering::Relaxed);
            let (_, heard) = wait(py, receiver, PATIENCE);
            return Err(after(py, stopped, heard));
        }
    }
}

type Heard<T> = Result<std::thread::Result<Result<T, Failure>>, RecvTimeoutError>;
type Answers<T> = Receiver<std::thread::Result<Result<T, Failure>>>;

fn wait<T: Send>(py: Python<'_>, receiver: Answers<T>, time: Duration) -> (Answers<T>, Heard<T>) {
    py.detach(move || {
        let heard = receiver.recv_timeout(time);
        (receiver, heard)
    })
}

/// What Python is told once work was asked to stop: Ctrl-C in the words of what was stopped, which know what was charged.
fn after<T>(py: Python<'_>, stopped: PyErr, heard: Heard<T>) -> PyErr {
    if !stopped.is_instance_of::<PyKeyboardInterrupt>(py) {
        return stopped;
    }
    match heard {
        Ok(Ok(Err(failure))) => {
            let told = PyErr::from(failure);
            if told.is_instance_of::<PyKeyboardInterrupt>(py) { told } else { interrupted() }
        }
        _ => interrupted(),
    }
}

fn finished<T>(done: std::thread::Result<Result<T, Failure>>) -> PyResult<T> {
    match done {
        Ok(done) => Ok(done?),
        Err(_) => Err(broken()),
    }
}

fn broken() -> PyErr {
    PrivetError::new_err(
        "this is a mistake in privet itself, not in your data; sorry: please report it with what you called",
    )
}

fn show(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    board: &Board,
    shown: &mut usize,
) -> PyResult<()> {
    let (done, of) = (board.done.load(Ordering::Relaxed), board.of.load(Ordering::Relaxed));
    if done == *shown || of == 0 {
        return Ok(());
    }
    *shown = done;
    match progress {
        Some(progress) => progress.call1(py, (done, of)).map(drop),
        None => Ok(()),
    }
}
