//! `privet embed GRAPH -o EMB`: propagation alone.
//!
//! Propagation is post-processing, so a card beside the input is true of the output too. It is so
//! only if the features that are propagated are the input's own: those of another file are not what
//! the card speaks of, and then no card is written.

use std::ops::ControlFlow;
use std::path::PathBuf;

use privet::data::formats::write::{self, Overwrite};
use privet::graph::{Dataset, DenseMatrix, FeatureMatrix, Features};
use privet::learn::propagate::{
    AddedLoops, BackwardPush, ErrorNorm, Operator, Power, Propagation, Rounds,
};
use privet::privacy::Card;
use privet::privacy::card::Key;
use privet::privacy::unit::Part;

use crate::args::{Embed, EmbedMethod};
use crate::cardfile::{self, Retired};
use crate::console::Console;
use crate::embedded::{Embedded, Work};
use crate::failure::{Failure, Kind, Result};
use crate::interrupt::HalfWritten;
use crate::source::Source;
use crate::style::real;

/// What to embed, how, and where it goes.
#[derive(Debug)]
pub struct Plan {
    source: Source,
    output: PathBuf,
    overwrite: Overwrite,
    propagation: Propagation,
    method: Method,
    key: Option<Key>,
}

#[derive(Debug, Clone, Copy)]
enum Method {
    Power(Power),
    Push(BackwardPush),
}

impl Plan {
    /// Finds out what is meant.
    ///
    /// # Errors
    /// If a name is unknown, options contradict each other, or something is in the way.
    pub fn new(typed: Embed, console: &Console) -> Result<Self> {
        let method = method(&typed)?;
        let propagation = Propagation {
            alpha: typed.alpha,
            exponent: typed.r,
            self_loops: if typed.self_loops { AddedLoops::All } else { AddedLoops::None },
            ..Propagation::default()
        };
        write::check_rows(&typed.output)
            .map_err(|error| Failure::from(error).of_kind(Kind::Usage))?;
        let overwrite = if typed.overwrite { Overwrite::Replace } else { Overwrite::Refuse };
        for path in [typed.output.clone(), cardfile::card_of(&typed.output)] {
            if overwrite == Overwrite::Refuse && path.symlink_metadata().is_ok() {
                let message = format!("{}: refused: it exists already", path.display());
                let hint = "name another file, or replace it with --overwrite";
                return Err(Failure::new(Kind::Refused, message).hint(hint));
            }
        }
        cardfile::refuse_part_of_release(&typed.output)?;
        let key = typed.signing.key()?;
        let source = Source::find(&typed.input, typed.reading, console)?;
        Ok(Self { source, output: typed.output, overwrite, propagation, method, key })
    }

    /// Reads, propagates, writes.
    ///
    /// # Errors
    /// If the data cannot be read, there are no features, the iteration does not converge, or the
    /// result cannot be written.
    pub fn run(self, console: &Console) -> Result<()> {
        let card = self.card(console)?;
        let (loaded, _) = self.source.load(console)?;
        match &card {
            Some(_) => console.private_notices(loaded.notices()),
            None => console.notices(loaded.notices()),
        }
        let dataset = loaded.into_nodes()?;
        let features = dataset.features().cloned().ok_or_else(|| {
            Failure::usage("there are no features to embed").hint("give them with --features FILE")
        })?;
        let (names, matrix) = (features.names().map(<[String]>::to_vec), features.matrix().clone());
        drop(features);
        let operator = self.propagation.on(dataset.graph())?;
        let (embedding, work) = self.propagate(&operator, matrix, console)?;
        let norm = operator.error_norm();
        let embedding = match names {
            Some(names) => Features::dense(embedding).with_names(names)?,
            None => Features::dense(embedding),
        };
        drop(operator);
        let dataset = dataset.with_features(embedding)?;
        let (card, files) = self.write(&dataset, card, console)?;
        console.answer(&Embedded::new(&dataset, self.propagation, work, norm, card, files))
    }

    fn propagate(
        &self,
        operator: &Operator<'_>,
        x: FeatureMatrix,
        console: &Console,
    ) -> Result<(DenseMatrix, Work)> {
        let alive = console.spinner("propagating");
        match self.method {
            Method::Power(power) => {
                let found = power.run_watched(operator, x, |round| {
                    let left = real(round.error_bound);
                    alive.say(format!("propagating: round {}, error {left}", round.done));
                    ControlFlow::Continue(())
                })?;
                let work = Work::Power { rounds: found.rounds, error_bound: found.error_bound };
                Ok((found.embedding, work))
            }
            Method::Push(push) => {
                let found = push.run_watched(operator, &x, |columns| {
                    alive.say(format!("propagating: {columns} columns done"));
                    ControlFlow::Continue(())
                })?;
                let work = Work::Push { pushes: found.pushes, error_bound: found.error_bound };
                Ok((found.embedding, work))
            }
        }
    }

    /// The card that holds for the output, if there is one; says aloud if there is none.
    fn card(&self, console: &Console) -> Result<Option<Card>> {
        let found = self.source.path().map(cardfile::of_input).transpose()?.flatten();
        let Some((path, mut card)) = found else {
            console.note(
                "there is no card beside the input: an embedding of raw features is NOT private",
            );
            return Ok(None);
        };
        if self.source.has_other_features() {
            console.note(&format!(
                "{} does not speak of the features from --features: the embedding gets no card, \
                 and is NOT private unless they are",
                path.display()
            ));
            return Ok(None);
        }
        if !card.protects(Part::Features) {
            console.note(&format!(
                "{} protects other things than features: those are embedded as they are",
                path.display()
            ));
        }
        card.subject = format!("an embedding of: {}", card.subject);
        Ok(Some(card))
    }

    fn write(
        &self,
        dataset: &Dataset,
        card: Option<Card>,
        console: &Console,
    ) -> Result<(Option<Card>, Vec<String>)> {
        let _alive = console.spinner(format!("writing {}", self.output.display()));
        let rows = || {
            let _unfinished = write::temporary(&self.output).map(HalfWritten::new);
            // A card of an earlier embedding would vouch for this one.
            let retired = cardfile::retire(&self.output)?;
            let written = write::write_rows(dataset, &self.output, self.overwrite);
            match (&written, retired) {
                (Ok(_), Some(card)) => console.note(&card.note()),
                (Err(_), retired) => retired.into_iter().for_each(Retired::restore),
                _ => {}
            }
            Ok(written?.iter().map(|path| path.display().to_string()).collect())
        };
        match card {
            None => Ok((None, rows()?)),
            Some(card) => {
                let (card, files) = cardfile::issue(&self.output, card, self.key.as_ref(), rows)?;
                Ok((Some(card), files))
            }
        }
    }
}

fn method(typed: &Embed) -> Result<Method> {
    let of_the_other = |option: &str, method: &str| {
        Failure::usage(format!("{option} is an option of --method {method}")).hint("leave it out")
    };
    match typed.method {
        EmbedMethod::Power if typed.rmax.is_some() => Err(of_the_other("--rmax", "push")),
        EmbedMethod::Push if typed.tolerance.is_some() => Err(of_the_other("--tolerance", "power")),
        EmbedMethod::Push if typed.rounds.is_some() => Err(of_the_other("--rounds", "power")),
        EmbedMethod::Power => {
            let default = Power::default();
            let rounds = match (typed.rounds, typed.tolerance) {
                (Some(rounds), _) => Rounds::Exactly(rounds),
                (None, Some(tolerance)) => Rounds::Residual(tolerance),
                (None, None) => default.rounds,
            };
            Ok(Method::Power(Power { rounds, ..default }))
        }
        EmbedMethod::Push => {
            let default = BackwardPush::default();
            let threshold = typed.rmax.unwrap_or(default.threshold);
            Ok(Method::Push(BackwardPush { threshold }))
        }
    }
}

/// What an error bound is measured in.
pub fn in_words(norm: ErrorNorm) -> String {
    match norm {
        ErrorNorm::DegreeWeightedMaximum { exponent } if exponent > 0.0 => {
            format!("times degree^{} in any entry", real(exponent))
        }
        ErrorNorm::DegreeWeightedMaximum { .. } | ErrorNorm::Power { .. } => "in any entry".into(),
    }
}
