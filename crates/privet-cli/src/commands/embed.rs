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
use crate::output::refuse_existing;
use crate::source::Source;
use crate::style::real;

/// An algorithm and its settings.
#[derive(Debug, Clone, Copy)]
enum Method {
    Power(Power),
    Push(BackwardPush),
}

/// Reads, propagates, writes.
///
/// # Errors
/// If options contradict each other, something is in the way, the data cannot be read, there are no features, the
/// iteration does not converge, or the result cannot be written.
pub(super) fn run(typed: Embed, console: &Console) -> Result<()> {
    let method = method(&typed)?;
    let propagation = Propagation {
        alpha: typed.alpha,
        exponent: typed.r,
        self_loops: if typed.self_loops { AddedLoops::All } else { AddedLoops::None },
        ..Propagation::default()
    };
    let output = Output::new(&typed)?;
    super::project::refuse_table(&typed.input)?;
    let source = Source::find(&typed.input, typed.reading, console)?;
    source.keep_apart(&[&output.path])?;
    let card = card(&source, console)?;
    let (loaded, _) = source.load(console)?;
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
    let operator = propagation.on(dataset.graph())?;
    let (embedding, work) = propagate(method, &operator, matrix, console)?;
    let norm = operator.error_norm();
    let embedding = match names {
        Some(names) => Features::dense(embedding).with_names(names)?,
        None => Features::dense(embedding),
    };
    drop(operator);
    let dataset = dataset.with_features(embedding)?;
    let (card, files) = output.write(&dataset, card, console)?;
    console.answer(&Embedded::new(&dataset, propagation, work, norm, card, files))
}

fn propagate(
    method: Method,
    operator: &Operator<'_>,
    x: FeatureMatrix,
    console: &Console,
) -> Result<(DenseMatrix, Work)> {
    let alive = console.spinner("propagating");
    match method {
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
fn card(source: &Source, console: &Console) -> Result<Option<Card>> {
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
    if !card.protects(Part::Features) {
        console.note(&format!(
            "{} protects other things than features: those are embedded as they are",
            path.display()
        ));
    }
    card.subject = format!("an embedding of: {}", card.subject);
    Ok(Some(card))
}

/// Where an embedding goes, and who issues its card.
struct Output {
    path: PathBuf,
    overwrite: Overwrite,
    key: Option<Key>,
}

impl Output {
    /// Refuses what would fail after an hour of reading.
    fn new(typed: &Embed) -> Result<Self> {
        write::check_rows(&typed.output)
            .map_err(|error| Failure::from(error).of_kind(Kind::Usage))?;
        let overwrite = if typed.overwrite { Overwrite::Replace } else { Overwrite::Refuse };
        for path in [typed.output.clone(), cardfile::card_of(&typed.output)] {
            if overwrite == Overwrite::Refuse {
                refuse_existing(&path, "name another file, or replace it with --overwrite")?;
            }
        }
        cardfile::refuse_part_of_release(&typed.output)?;
        Ok(Self { path: typed.output.clone(), overwrite, key: typed.signing.key()? })
    }

    fn write(
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
                (Err(_), retired) => retired.into_iter().for_each(Retired::restore),
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
