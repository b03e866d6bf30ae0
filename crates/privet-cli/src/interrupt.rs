//! Ctrl-C: take away what is half-written, then leave with code 130.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Paths that are being written right now.
static HALF_WRITTEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// What happens at the first Ctrl-C, if it is not leaving.
static INSTEAD: Mutex<Option<Box<dyn FnOnce() + Send>>> = Mutex::new(None);

/// The exit code of an interrupted command: 128 and the number of the signal.
const INTERRUPTED: i32 = 130;

/// Listens for Ctrl-C from now on.
pub fn listen() {
    let leave = || {
        let instead = INSTEAD.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(instead) = instead {
            return instead();
        }
        let paths = HALF_WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
        paths.iter().for_each(|path| remove(path));
        std::process::exit(INTERRUPTED);
    };
    // Without a handler the system's own applies, which ends the process as well.
    let _ = ctrlc::set_handler(leave);
}

/// At the next Ctrl-C, does this in place of leaving; the one after that leaves.
pub fn instead(stop: impl FnOnce() + Send + 'static) {
    *INSTEAD.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(stop));
}

/// Until this is dropped, Ctrl-C removes the path.
#[derive(Debug)]
#[must_use = "the path is protected only while this lives"]
pub struct HalfWritten(PathBuf);

impl HalfWritten {
    /// Says that `path` is about to be written.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        HALF_WRITTEN.lock().unwrap_or_else(PoisonError::into_inner).push(path.clone());
        Self(path)
    }
}

impl Drop for HalfWritten {
    fn drop(&mut self) {
        let mut paths = HALF_WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = paths.iter().position(|path| *path == self.0) {
            paths.swap_remove(at);
        }
    }
}

fn remove(path: &Path) {
    let _ = match path.is_dir() {
        true => std::fs::remove_dir_all(path),
        false => std::fs::remove_file(path),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finished_path_is_forgotten() {
        let path = PathBuf::from("somewhere/half-written");
        let listed = || HALF_WRITTEN.lock().unwrap().contains(&path);
        let writing = HalfWritten::new(&path);
        assert!(listed());
        drop(writing);
        assert!(!listed());
    }
}
