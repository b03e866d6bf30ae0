//! [`System`]: what all four systems, and the randomizers alone, have in common. Each says what it reads, what it
//! promises before any data is there, and runs once, to something [`Protected`].
//!
//! ```
//! use privet::data::synthetic::karate_club;
//! use privet::system::{Facts, System};
//! use privet::{Run, protect};
//! let (club, edges) = (karate_club()?, protect::Edges::dprr(2.0)?);
//! let promise = edges.promise(&Facts::of(&club))?;
//! let noisy = edges.run(club, &Run::simulation(1))?;
//! assert_eq!(promise.guarantees[0].loss, noisy.card().guarantees[0].loss);
//! assert_eq!(promise.guarantees[0].also, noisy.card().guarantees[0].also);
//! # Ok::<(), privet::Error>(())
//! ```

mod curated;
mod local;

use crate::graph::{Bounds, Dataset, Direction, GraphSet};
use crate::ldp_ge::Private;
use crate::privacy::Card;
use crate::privacy::features::Scale;
use crate::privacy::population::{GraphShape, LabelsShape, TableShape};
use crate::privacy::unit::DataPart;
use crate::{Error, Protected, Result, Run};

/// Something that turns people's data into something that may be known, at a price.
pub trait System {
    /// What it reads; what of it is secret is wrapped.
    type Input;
    /// What comes out.
    type Output;

    /// What commands, cards and tables call it.
    fn name(&self) -> &'static str;

    /// The parts of a dataset that it reads and that others must not see: the threat model.
    fn protects(&self) -> Vec<DataPart>;

    /// The card of a run on any data of which this is known, before any of it is read. It names no ledger, so that
    /// it is not mistaken for the card of a release.
    ///
    /// # Errors
    /// If a mechanism refuses its settings, or a fact is missing.
    fn promise(&self, facts: &Facts) -> Result<Card>;

    /// One run: charges, draws, and learns from what was released.
    ///
    /// # Errors
    /// If the data lacks something, a mechanism refuses its settings, or a ledger refuses.
    fn run(&self, input: Self::Input, run: &Run<'_>) -> Result<Protected<Self::Output>>;
}

/// What is public about data: how much of it there is, of which kind, and which of it is secret.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// What the data are called.
    pub name: String,
    /// How many people there are; in several graphs, in each.
    pub people: Vec<usize>,
    /// How many of them are trained on, where a system trains on some and classifies others; `None`: all of them.
    pub learners: Option<usize>,
    /// Whether an edge stands in two lists or in one.
    pub direction: Direction,
    /// How many columns a row of features has.
    pub columns: usize,
    /// Their declared range.
    pub bounds: Option<Bounds>,
    /// How many classes there are.
    pub classes: usize,
    /// Which parts only their owners know, where a system leaves that open.
    pub secret: Private,
}

impl Facts {
    /// What is public about a dataset. Whether its ids, columns and classes were stated is asked by the code that releases
    /// something.
    pub fn of(dataset: &Dataset) -> Self {
        let features = dataset.features();
        Self {
            name: dataset.name().to_owned(),
            people: vec![dataset.graph().node_count()],
            learners: None,
            direction: dataset.graph().direction(),
            columns: features.map_or(0, |features| features.columns()),
            bounds: features.and_then(|features| features.bounds()).cloned(),
            classes: dataset.labels().map_or(0, |labels| labels.class_count()),
            secret: Private::FEATURES,
        }
    }

    /// What is public about many graphs.
    pub fn of_set(set: &GraphSet) -> Self {
        let undirected = set.graphs().iter().any(|g| g.direction() == Direction::Undirected);
        Self {
            name: set.name().to_owned(),
            people: set.graphs().iter().map(|graph| graph.node_count()).collect(),
            learners: None,
            direction: if undirected { Direction::Undirected } else { Direction::Directed },
            columns: 0,
            bounds: None,
            classes: set.labels().map_or(0, |labels| labels.class_count()),
            secret: Private { features: false, labels: false, edges: true },
        }
    }

    /// The same with other parts secret.
    #[must_use]
    pub fn with_secret(self, secret: Private) -> Self {
        Self { secret, ..self }
    }

    /// The same where so many are trained on.
    #[must_use]
    pub fn with_learners(self, learners: usize) -> Self {
        Self { learners: Some(learners), ..self }
    }

    /// How many people are trained on.
    pub fn learner_count(&self) -> usize {
        self.learners.unwrap_or_else(|| self.total())
    }

    /// How many people there are in all.
    pub fn total(&self) -> usize {
        self.people.iter().sum()
    }

    pub(crate) fn table(&self) -> TableShape {
        TableShape { rows: self.total(), columns: self.columns }
    }

    pub(crate) fn labels(&self) -> LabelsShape {
        LabelsShape { users: self.total(), classes: self.classes }
    }

    pub(crate) fn graph(&self) -> GraphShape {
        GraphShape { nodes: self.total(), direction: self.direction }
    }

    pub(crate) fn scale(&self) -> Result<Scale> {
        let bounds = self.bounds.as_ref().filter(|bounds| bounds.is_public());
        Ok(Scale::new(self.columns, Some(bounds.ok_or(Error::UndeclaredRange)?))?)
    }
}

#[cfg(test)]
mod tests;
