//! Rows that several processes made, written by worker 0.

use privet::graph::Dataset;
use privet::privacy::Card;

use super::Stopped;
use crate::commands::embed::{Output, card};
use crate::commands::source::Source;
use crate::failure::Result;
use crate::output::console::Console;

/// Where rows go, and the card that comes along. Only worker 0 has any.
pub(super) struct Written {
    output: Option<Output>,
    card: Option<Card>,
}

impl Written {
    /// Refuses what would write over what is read.
    pub fn new(output: Option<Output>, source: &Source, console: &Console) -> Result<Self> {
        let card = match &output {
            Some(output) => {
                source.keep_apart(&[output.path()])?;
                card(source, console)?
            }
            None => None,
        };
        Ok(Self { output, card })
    }

    /// Writes a dataset whose features are the rows; the card and the files.
    pub fn write(
        self,
        dataset: &Dataset,
        console: &Console,
    ) -> Result<(Option<Card>, Vec<String>), Stopped> {
        match self.output {
            Some(output) => Ok(output.write(dataset, self.card, console)?),
            None => Ok((None, Vec::new())),
        }
    }
}
