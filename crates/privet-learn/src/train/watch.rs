//! [`Watch`]: who is told how far a training is, and may stop it.

use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, Ordering};

/// Watches something that takes long. A flag is enough where it only has to be stopped.
pub trait Watch: Debug + Sync {
    /// Whether to stop: asked before every batch.
    fn stops(&self) -> bool {
        false
    }

    /// So many epochs, or steps of private training, are done, of so many at most.
    fn sees(&self, _done: usize, _of: usize) {}
}

impl Watch for AtomicBool {
    fn stops(&self) -> bool {
        self.load(Ordering::Relaxed)
    }
}

/// No watch: never stops, reports nothing.
#[derive(Debug, Clone, Copy)]
pub struct NoWatch;

impl Watch for NoWatch {}
