//! [`Stage`]: one release about one part of people's data, described once. A promise prices the description and a run
//! walks it, so that what was promised is what is drawn.

use crate::privacy::ledger::Foreseen;
use crate::privacy::population::PublicShape;
use crate::privacy::unit::DataPart;
use crate::privacy::{Disclose, Ledger, Local, Loss, Mechanism, Unit, UserChoices};
use crate::{LedgerStore, Noise, Result};

/// What is released, and what its account allows.
#[derive(Debug, Clone)]
pub(crate) struct Stage<M> {
    /// The part of the data that it is about.
    pub part: DataPart,
    /// What a new account must allow.
    pub limit: Loss,
    /// What turns the data into the release.
    pub mechanism: M,
}

impl<M> Stage<M> {
    /// A stage whose guarantee needs no delta.
    pub fn pure(part: DataPart, epsilon: f64, mechanism: M) -> Result<Self> {
        Ok(Self { part, limit: Loss::new(epsilon, 0.0)?, mechanism })
    }

    /// A new account for it. Each part has a noise stream of its own among the three of a run.
    pub fn open<U: Unit>(&self, ledgers: &LedgerStore, noise: Noise) -> Result<Ledger<U>> {
        let stream = match self.part {
            DataPart::Features => 0,
            DataPart::Labels => 1,
            DataPart::Edges => 2,
        };
        ledgers.open(account(self.part), self.limit, noise, (stream, 3))
    }

    /// The same where people run something made of the mechanism.
    pub fn map<N>(self, wrap: impl FnOnce(M) -> N) -> Stage<N> {
        Stage { part: self.part, limit: self.limit, mechanism: wrap(self.mechanism) }
    }

    /// What the account will say, where every person runs the mechanism on data of this shape.
    pub fn foreseen_each(&self, shape: &PopulationShape<M>) -> Result<Foreseen<M::Unit>>
    where
        M: Local,
    {
        Ok(Foreseen::new(self.limit).each(&self.mechanism, shape)?)
    }

    /// What the account will say, where a curator runs the mechanism once.
    pub fn foreseen_once(&self) -> Result<Foreseen<M::Unit>>
    where
        M: Mechanism,
    {
        Ok(Foreseen::new(self.limit).curated(&self.mechanism)?)
    }
}

impl<M: Disclose> Stage<UserChoices<M>> {
    /// What the account will say, where people chose how strongly they are protected.
    pub fn foreseen_chosen(&self, shape: &PopulationShape<M>) -> Result<Foreseen<M::Unit>> {
        Ok(Foreseen::new(self.limit).chosen(&self.mechanism, shape)?)
    }
}

/// What is public about the data that a mechanism reads.
type PopulationShape<M> = <<M as Local>::Population as PublicShape>::Shape;

/// What an account of a part is called in a folder.
pub(crate) fn account(part: DataPart) -> &'static str {
    match part {
        DataPart::Features => "features",
        DataPart::Labels => "labels",
        DataPart::Edges => "edges",
    }
}
