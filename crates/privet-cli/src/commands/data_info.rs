//! `privet data info NAME|PATH`.

use crate::console::Console;
use crate::facts::Facts;
use crate::failure::Result;
use crate::source::Source;

/// Something to look at.
#[derive(Debug)]
pub struct Plan {
    /// What and how to read it.
    pub source: Source,
}

impl Plan {
    /// Reads it and shows its facts.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn run(self, console: &Console) -> Result<()> {
        let (loaded, origin) = self.source.load(console)?;
        console.notices(loaded.notices());
        let facts = {
            let _alive = console.spinner("counting");
            Facts::of(&loaded, origin)
        };
        console.answer(&facts)
    }
}
