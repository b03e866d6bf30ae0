//! `privet embed GRAPH -o EMB`: propagation alone.
//!
//! Propagation is post-processing, so a card beside the input is true of the output too. It is so
//! only if the features that are propagated are the input's own: those of another file are not what
//! the card speaks of, and then no card is written.

use std::path::{Path, PathBuf};
use std::time::Instant;

use privet::data::formats::write::{self, Overwrite};
use privet::embed::{EmbedProgress, EmbeddedData};
use privet::graph::Dataset;
use privet::out_of_core::BlockProgress;
use privet::privacy::Card;
use privet::privacy::card::CardKey;
use privet::privacy::unit::DataPart;

use crate::args::{Embed, Signing};
use crate::commands::source::Source;
use crate::failure::{Failure, FailureKind, Result};
use crate::interrupt::HalfWritten;
use crate::output::cardfile::{self, RetiredCard, beside};
use crate::output::console::Console;
use crate::output::embed::EmbeddingOutput;
use crate::output::refuse_existing;
use crate::output::style::real;

/// Reads, propagates, writes.
///
/// # Errors
/// If options contradict each other, something is in the way, the data cannot be read, there are no features, the
/// iteration does not converge, or the result cannot be written.
pub(super) fn run(typed: Embed, console: &Console) -> Result<()> {
    let embedder = typed.request.embedder(typed.reading.spill())?;
    let output = Output::new(&typed.output, typed.overwrite, &typed.signing)?;
    super::project::refuse_table(&typed.input)?;
    let source = Source::find(&typed.input, typed.reading, console)?;
    source.keep_apart(&[&output.path])?;
    let card = card(&source, console)?;
    let (loaded, _) = source.load(console)?;
    match &card {
        Some(_) => console.private_notices(loaded.notices()),
        None => console.notices(loaded.notices()),
    }
    let unfinished = output.unfinished();
    let alive = console.spinner("propagating");
    let mut estimate = TimeEstimate::new(embedder.rounds());
    let dataset = loaded.into_nodes()?;
    if dataset.features().is_none() {
        let message = "there are no features to embed";
        return Err(Failure::usage(message).hint("give them with --features FILE"));
    }
    let made = embedder.run(dataset, Some(&unfinished), |progress| {
        alive.say(match progress {
            EmbedProgress::Round(round) => {
                format!("propagating: round {}, error {}", round.done, real(round.error_bound))
            }
            EmbedProgress::Columns(columns) => format!("propagating: {columns} columns done"),
            EmbedProgress::Block(block) => estimate.said(block),
        });
        true
    })?;
    drop(alive);
    let EmbeddedData { dataset, work, norm } = made;
    let (card, files) = output.write(&dataset, card, console)?;
    console.answer(&EmbeddingOutput::new(&dataset, embedder.propagation(), work, norm, card, files))
}

/// How long it will take, from how long it took so far.
struct TimeEstimate {
    begun: Instant,
    /// Rounds of a block: as asked, or as many as the first one took.
    rounds: Option<usize>,
    last: Option<BlockProgress>,
    /// Rounds that were there before this run, finished blocks among them.
    skipped: usize,
}

impl TimeEstimate {
    fn new(rounds: Option<usize>) -> Self {
        Self { begun: Instant::now(), rounds, last: None, skipped: 0 }
    }

    fn said(&mut self, progress: BlockProgress) -> String {
        let BlockProgress { block, blocks, round } = progress;
        match self.last {
            None => self.skipped = block,
            Some(last) if last.block < block => {
                self.rounds = self.rounds.or(Some(last.round.done));
            }
            Some(_) => {}
        }
        self.last = Some(progress);
        let left = self.rounds.map(|rounds| {
            let done = (block - self.skipped.min(block)) * rounds + round.done;
            let all = (blocks - self.skipped.min(blocks)) * rounds;
            let each = self.begun.elapsed().as_secs_f64() / done.max(1) as f64;
            format!(", about {:.0} s left", each * all.saturating_sub(done) as f64)
        });
        format!(
            "propagating: columns {} of {blocks}, round {}, error {}{}",
            block + 1,
            round.done,
            real(round.error_bound),
            left.unwrap_or_default()
        )
    }
}

/// The card that holds for the output, if there is one; says aloud if there is none.
pub(super) fn card(source: &Source, console: &Console) -> Result<Option<Card>> {
    let found = source.path().map(cardfile::of_input).transpose()?.flatten();
    let Some((path, mut card)) = found else {
        console
            .note("there is no card beside the input: an embedding of raw features is NOT private");
        return Ok(None);
    };
    if source.has_other_features() {
        console.note(&format!(
            "{} does not speak of the features from --features: the embedding gets no card, \
             and is NOT private unless they are",
            path.display()
        ));
        return Ok(None);
    }
    if !card.protects(DataPart::Features) {
        console.note(&format!(
            "{} protects other things than features: those are embedded as they are",
            path.display()
        ));
    }
    card.subject = format!("an embedding of: {}", card.subject);
    Ok(Some(card))
}

/// Where an embedding goes, and who issues its card.
pub(super) struct Output {
    path: PathBuf,
    overwrite: Overwrite,
    key: Option<CardKey>,
}

impl Output {
    /// Refuses what would fail after an hour of reading.
    pub(super) fn new(output: &Path, overwrite: bool, signing: &Signing) -> Result<Self> {
        write::check_rows(output)
            .map_err(|error| Failure::from(error).of_kind(FailureKind::Usage))?;
        let overwrite = if overwrite { Overwrite::Replace } else { Overwrite::Refuse };
        for path in [output.to_path_buf(), cardfile::card_of(output)] {
            if overwrite == Overwrite::Refuse {
                refuse_existing(&path, "name another file, or replace it with --overwrite")?;
            }
        }
        cardfile::refuse_part_of_release(output)?;
        Ok(Self { path: output.to_path_buf(), overwrite, key: signing.key()? })
    }

    /// Where finished columns are kept until all are.
    fn unfinished(&self) -> PathBuf {
        beside(&self.path, "unfinished")
    }

    /// The file.
    #[cfg(feature = "cluster")]
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn write(
        &self,
        dataset: &Dataset,
        card: Option<Card>,
        console: &Console,
    ) -> Result<(Option<Card>, Vec<String>)> {
        let _alive = console.spinner(format!("writing {}", self.path.display()));
        let rows = || {
            let _unfinished = write::temporary(&self.path).map(HalfWritten::new);
            // A card of an earlier embedding would vouch for this one.
            let retired = cardfile::retire(&self.path)?;
            let written = write::write_rows(dataset, &self.path, self.overwrite);
            match (&written, retired) {
                (Ok(_), Some(card)) => console.note(&card.note()),
                (Err(_), retired) => retired.into_iter().for_each(RetiredCard::restore),
                _ => {}
            }
            Ok(written?.iter().map(|path| path.display().to_string()).collect())
        };
        match card {
            None => Ok((None, rows()?)),
            Some(card) => {
                let (card, files) = cardfile::issue(&self.path, card, self.key.as_ref(), rows)?;
                Ok((Some(card), files))
            }
        }
    }
}
