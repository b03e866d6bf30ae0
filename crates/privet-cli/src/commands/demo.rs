//! `privet demo`.

use crate::console::Console;
use crate::demo;
use crate::failure::Result;

/// A tour to take.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// The seed of everything random in it.
    pub seed: u64,
}

impl Plan {
    /// Takes the tour and shows it.
    ///
    /// # Errors
    /// If a step fails.
    pub fn run(self, console: &Console) -> Result<()> {
        console.answer(&demo::tour(self.seed)?)
    }
}
