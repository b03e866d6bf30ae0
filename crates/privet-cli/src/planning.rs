//! What `privet plan` asks, with a word on what to type. For the command, and for other languages.

use privet::{Error, Project};
use privet_lab::plan::{PlanQuestion, StatedFacts};

use crate::failure::{Failure, Result};

/// What is asked: what was typed, over a dataset that resembles it, or over a project.
///
/// # Errors
/// If a fact is missing, or facts contradict each other.
pub fn question(typed: &StatedFacts, project: Option<&Project>) -> Result<PlanQuestion> {
    typed.question(project).map_err(|error| match error {
        Error::Unsaid { name: "protects", .. } => Failure::from(error).hint(
            "people, or connections, for a curator who holds the data; features, labels or contacts (several with \
             commas) for people's own devices",
        ),
        Error::Unsaid { .. } => Failure::from(error).hint(
            "for example privet plan --people 20000 --mean-degree 8 --columns 30 --classes 4 --protects people",
        ),
        error => error.into(),
    })
}
