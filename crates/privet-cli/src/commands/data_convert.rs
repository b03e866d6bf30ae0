//! `privet data convert IN OUT`.

use crate::console::Console;
use crate::failure::Result;
use crate::output::Target;
use crate::source::Source;

/// Something to read, and where to write it.
#[derive(Debug)]
pub struct Plan {
    /// What and how to read.
    pub source: Source,
    /// Where and how to write.
    pub target: Target,
}

impl Plan {
    /// Reads, then writes.
    ///
    /// # Errors
    /// If either fails, or the format cannot hold everything that was read.
    pub fn run(self, console: &Console) -> Result<()> {
        let (loaded, _) = self.source.load(console)?;
        console.notices(loaded.notices());
        let written = {
            let _alive = console.spinner(format!("writing {}", self.target.path.display()));
            self.target.write(&loaded)?
        };
        console.answer(&written)
    }
}
