//! Rows that several processes made, written by worker 0.

use privet::graph::{Dataset, DenseMatrix, Features};
use privet::privacy::Card;

use super::Stopped;
use crate::commands::embed::{Output, card};
use crate::console::Console;
use crate::failure::Result;
use crate::source::Source;

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

    /// Writes the rows in place of the features they were made of; the card and the files.
    pub fn write(
        self,
        dataset: Dataset,
        rows: Option<DenseMatrix>,
        console: &Console,
    ) -> Result<(Option<Card>, Vec<String>), Stopped> {
        let (Some(rows), Some(output)) = (rows, self.output) else {
            return Ok((None, Vec::new()));
        };
        let names = dataset.features().and_then(Features::names).map(<[String]>::to_vec);
        let rows = match names {
            Some(names) => Features::dense(rows).with_names(names)?,
            None => Features::dense(rows),
        };
        Ok(output.write(&dataset.with_features(rows)?, self.card, console)?)
    }
}
