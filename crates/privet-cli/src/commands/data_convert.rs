//! `privet data convert IN OUT`.
//!
//! Another format of something released is post-processing: a card beside the input goes on to the output, issued
//! anew for its files.

use privet::graph::Loaded;
use privet::privacy::Card;

use crate::cardfile;
use crate::console::Console;
use crate::failure::Result;
use crate::output::{Target, Written};
use crate::source::Source;

/// Something to read, and where to write it.
#[derive(Debug)]
pub struct Conversion {
    /// What and how to read.
    pub source: Source,
    /// Where and how to write.
    pub target: Target,
}

impl Conversion {
    /// Reads, then writes.
    ///
    /// # Errors
    /// If either fails, the format cannot hold everything that was read, or a card beside the input was issued for
    /// something else.
    pub fn run(self, console: &Console) -> Result<()> {
        let card = self.card(console)?;
        let (loaded, _) = self.source.load(console)?;
        console.notices(loaded.notices());
        let written = {
            let _alive = console.spinner(format!("writing {}", self.target.path.display()));
            self.write(&loaded, card)?
        };
        console.answer(&written)
    }

    /// The card that holds for the output, if there is one.
    fn card(&self, console: &Console) -> Result<Option<Card>> {
        let found = self.source.path().map(cardfile::of_input).transpose()?.flatten();
        let Some((path, mut card)) = found else { return Ok(None) };
        if self.source.has_other_features() || self.source.has_other_labels() {
            console.note(&format!(
                "{} does not speak of the features or labels from files of their own: the output gets \
                 no card",
                path.display()
            ));
            return Ok(None);
        }
        card.subject = format!("converted: {}", card.subject);
        Ok(Some(card))
    }

    fn write(&self, loaded: &Loaded, card: Option<Card>) -> Result<Written> {
        let Some(card) = card else { return self.target.write(loaded) };
        let mut rest = None;
        let (_, files) = cardfile::issue(&self.target.path, card, None, || {
            let written = self.target.write(loaded)?;
            let files = written.files.clone();
            rest = Some(written);
            Ok(files)
        })?;
        let retired = rest.as_ref().and_then(|written| written.retired.clone());
        let name = rest.map(|written| written.name).unwrap_or_default();
        Ok(Written { name, files, retired })
    }
}
