//! `privet embed` as the library's [`Embedder`]: what was typed. For the command, and for other languages.

use privet::embed::{EmbedAlgorithm, Embedder};
use privet::learn::propagate::{AddedLoops, BackwardPush, ErrorNorm, Power, Propagation, Rounds};

use crate::args::{Embed, EmbedMethod};
use crate::failure::{Failure, Result};
use crate::output::style::real;

/// As was typed.
///
/// # Errors
/// If options contradict each other.
pub fn embedder(typed: &Embed) -> Result<Embedder> {
    let algorithm = algorithm(typed)?;
    let propagation = Propagation {
        alpha: typed.alpha,
        exponent: typed.r,
        self_loops: if typed.self_loops { AddedLoops::All } else { AddedLoops::None },
        ..Propagation::default()
    };
    let embedder = Embedder::new(propagation, algorithm);
    match typed.reading.spill() {
        None => Ok(embedder),
        Some(_) if matches!(algorithm, EmbedAlgorithm::Push(_)) => {
            let message =
                "--memory is for --method power: push needs all columns of a node at hand";
            Err(Failure::usage(message).hint("leave one of them out"))
        }
        Some(spill) => Ok(embedder.within(spill)?),
    }
}

fn algorithm(typed: &Embed) -> Result<EmbedAlgorithm> {
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
            Ok(EmbedAlgorithm::Power(Power { rounds, ..default }))
        }
        EmbedMethod::Push => {
            let default = BackwardPush::default();
            let threshold = typed.rmax.unwrap_or(default.threshold);
            Ok(EmbedAlgorithm::Push(BackwardPush { threshold }))
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
