//! [`Mechanism`]: a claim and the sampler it is about, side by side.
//!
//! A mechanism states its guarantee ([`Mechanism::event`]) and samples ([`Local::randomize`] or
//! [`Central::sample`]) in one file, next to the proof. The types make sure that nothing is sampled
//! without a [`Permit`], which only a ledger hands out. What they cannot check is the claim itself:
//! for that there is the proof, the audit, and the [faults](crate::fault) that the audit must catch.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::event::Event;
use crate::ledger::PairCost;
use crate::loss::Epsilon;
use crate::noise::{NoiseSource, Numerics, RandomWords};
use crate::origin::sealed::MechanismOrigin;
use crate::population::{Population, PublicShape};
use crate::unit::Unit;

/// Proof that the cost was written down. Only a ledger makes one.
///
/// ```compile_fail
/// let permit = privet_privacy::Permit { ledger: std::marker::PhantomData };
/// ```
#[derive(Debug)]
pub struct Permit<'l> {
    ledger: PhantomData<&'l ()>,
}

impl Permit<'_> {
    pub(crate) fn new() -> Self {
        Self { ledger: PhantomData }
    }
}

/// A theorem, by the name under which its proof is found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Theorem {
    /// What is proved, in a sentence.
    pub statement: String,
    /// Where the proof stands.
    pub proof: String,
}

/// How far the claim can be trusted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Status {
    /// The theorem is about the code that runs.
    Holds,
    /// True only once a Markov chain has converged, which cannot be checked.
    HoldsAtStationarity,
    /// True only for data of which this is known, by other means than looking: whether it is so is itself private.
    Conditional {
        /// What must be so.
        on: String,
    },
    /// A published algorithm, run as printed: the paper's number is not the true one.
    PaperMode {
        /// What the paper says it costs; the event holds the true cost.
        printed: Epsilon,
        /// What is wrong with it.
        flaw: String,
    },
}

/// Named parameters of a mechanism, for the ledger and the card: public values only.
pub type MechanismParameters = BTreeMap<String, serde_json::Value>;

/// A claim about what a release costs.
///
/// It is handed raw records and believed, so only Privet's own, which are audited, can be charged; with the feature
/// `unaudited` others can too, and everything they make is stamped. Without the mark this does not compile:
///
/// ```compile_fail
/// # use privet_privacy::{Event, Mechanism, mechanism::{MechanismParameters, Theorem}, noise::Numerics};
/// struct Mine;
/// impl Mechanism for Mine {
///     type Unit = privet_privacy::unit::Edge;
///     fn name(&self) -> &'static str { "hds" }
///     fn event(&self) -> Event { Event::Nothing }
///     fn theorem(&self) -> Theorem { Theorem { statement: "trust me".into(), proof: "none".into() } }
///     fn numerics(&self) -> Numerics { Numerics::Exact }
///     fn parameters(&self) -> MechanismParameters { MechanismParameters::new() }
/// }
/// ```
pub trait Mechanism: MechanismOrigin + Sync {
    /// Who is protected.
    type Unit: Unit;

    /// The name in ledgers, cards and on the command line.
    fn name(&self) -> &'static str;

    /// The claim: what one release of one input costs.
    fn event(&self) -> Event;

    /// Why the claim is true.
    fn theorem(&self) -> Theorem;

    /// Whether the claim is about the very arithmetic that runs.
    fn numerics(&self) -> Numerics;

    /// The public settings, for the card.
    fn parameters(&self) -> MechanismParameters;

    /// How far the claim can be trusted.
    fn status(&self) -> Status {
        Status::Holds
    }

    /// What the claim takes for public: bounds, the number of nodes, scores.
    fn assumes_public(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Runs on one user's own record; n users in parallel cost one event.
pub trait Local: Mechanism {
    /// The kind of data whose records it takes.
    type Population: Population;
    /// What one user sends.
    type Report: Send;

    /// Whether the data has the shape the mechanism was made for. The ledger asks before it charges anything, so
    /// the mechanism is shown what is public about the data, and nothing else.
    ///
    /// # Errors
    /// If not.
    fn check(&self, _shape: &<Self::Population as PublicShape>::Shape) -> Result<()> {
        Ok(())
    }

    /// What one report tells about a pair of users, for neighbour lists of an undirected graph.
    fn pair(&self, _shape: &<Self::Population as PublicShape>::Shape) -> Option<PairCost> {
        None
    }

    /// One user's report.
    fn randomize<W: RandomWords>(
        &self,
        record: <Self::Population as Population>::Record<'_>,
        noise: &mut W,
        permit: Permit<'_>,
    ) -> Self::Report;
}

/// A local mechanism whose reports can also carry a record as it is, for users who choose to be
/// non-private.
pub trait Disclose: Local {
    /// The record itself, in the form of a report.
    fn disclose(
        &self,
        record: <Self::Population as Population>::Record<'_>,
        permit: Permit<'_>,
    ) -> Self::Report;
}

/// Runs on the data of all people at once, in a trusted curator's hands.
pub trait Central: Mechanism {
    /// The data.
    type Input: PublicShape;
    /// The result.
    type Output;

    /// Whether the data has the shape the mechanism was made for. The ledger asks before it charges anything, so
    /// the mechanism is shown what is public about the data, and nothing else.
    ///
    /// # Errors
    /// If not.
    fn check(&self, _shape: &<Self::Input as PublicShape>::Shape) -> Result<()> {
        Ok(())
    }

    /// The result, noise included.
    fn sample<N: NoiseSource>(
        &self,
        input: &Self::Input,
        noise: N,
        permit: Permit<'_>,
    ) -> Self::Output;
}
