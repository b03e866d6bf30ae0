//! [`PreparedMechanism`]: work that a mechanism needs done on a secret first, done inside the release.
//!
//! # Idea
//! A curator holds people; a mechanism wants a matrix. Turning one into the other reads every record, so it happens behind
//! the wall, after the charge: only the mechanism holds the matrix.
//!
//! # Equation
//! `Prepared(P, M)(data) = M(P(data))`.
//!
//! # Guarantee
//! That of the mechanism inside. *Proof.* A [`Preparation`] maps neighbours to neighbours, for the reason that it states,
//! and what it holds besides is public. ∎
//!
//! # Paper
//! None.
//!
//! # Differs from paper
//! Nothing.
//!
//! # Cost
//! That of the mechanism inside.
//!
//! # Numerics
//! Those of the mechanism inside.

use crate::error::Result;
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::mechanism::{Central, Mechanism, MechanismParameters, Permit, Status, Theorem};
use crate::noise::{NoiseSource, Numerics};
use crate::origin::{FirstParty, sealed::MechanismOrigin};
use crate::population::PublicShape;

/// What is made of a secret for a mechanism. It is handed raw records, so only Privet's own are accepted:
///
/// ```compile_fail
/// use privet_privacy::prepared::Preparation;
/// struct Mine;
/// impl Preparation for Mine {
///     type Raw = Vec<f32>;
///     type Ready = Vec<f32>;
///     type Error = ();
///     fn reason(&self) -> &'static str { "none" }
///     fn shape(&self, raw: &usize) -> usize { *raw }
///     fn prepare(&self, raw: &Vec<f32>) -> Result<Vec<f32>, ()> { Ok(raw.clone()) }
/// }
/// ```
pub trait Preparation: FirstParty + Sync {
    /// The secret.
    type Raw: PublicShape;
    /// What the mechanism reads.
    type Ready: PublicShape;
    /// What can go wrong. It happens after the charge, so that a failure tells no more than a release does.
    type Error;

    /// Why neighbours stay neighbours: a clause for the theorem.
    fn reason(&self) -> &'static str;

    /// What is public about the result.
    fn shape(&self, raw: &<Self::Raw as PublicShape>::Shape)
    -> <Self::Ready as PublicShape>::Shape;

    /// The work itself: a function of the secret and of what is public, with no other effect.
    ///
    /// # Errors
    /// If it cannot be done.
    fn prepare(&self, raw: &Self::Raw) -> Result<Self::Ready, Self::Error>;
}

/// A mechanism on what a preparation makes of a secret.
#[derive(Debug)]
pub struct PreparedMechanism<P, M> {
    preparation: P,
    mechanism: M,
}

impl<P: Preparation, M: Central<Input = P::Ready>> PreparedMechanism<P, M> {
    /// The mechanism, after the preparation.
    pub fn new(preparation: P, mechanism: M) -> Self {
        Self { preparation, mechanism }
    }
}

impl<P: FirstParty, M: Mechanism> MechanismOrigin for PreparedMechanism<P, M> {
    const AUDITED: bool = P::AUDITED && M::AUDITED;
}

impl<P: Preparation, M: Mechanism> Mechanism for PreparedMechanism<P, M> {
    type Unit = M::Unit;

    fn name(&self) -> &'static str {
        self.mechanism.name()
    }

    fn event(&self) -> Event {
        if fault::on(Fault::PreparedIsFree) {
            return Event::Nothing;
        }
        self.mechanism.event()
    }

    fn theorem(&self) -> Theorem {
        let Theorem { statement, proof } = self.mechanism.theorem();
        Theorem { statement: format!("{statement}; {}", self.preparation.reason()), proof }
    }

    fn numerics(&self) -> Numerics {
        self.mechanism.numerics()
    }

    fn parameters(&self) -> MechanismParameters {
        self.mechanism.parameters()
    }

    fn status(&self) -> Status {
        self.mechanism.status()
    }

    fn assumes_public(&self) -> Vec<String> {
        self.mechanism.assumes_public()
    }
}

impl<P: Preparation, M: Central<Input = P::Ready>> Central for PreparedMechanism<P, M> {
    type Input = P::Raw;
    type Output = Result<M::Output, P::Error>;

    fn check(&self, raw: &<P::Raw as PublicShape>::Shape) -> Result<()> {
        self.mechanism.check(&self.preparation.shape(raw))
    }

    fn sample<N: NoiseSource>(
        &self,
        raw: &P::Raw,
        noise: N,
        permit: Permit<'_>,
    ) -> Result<M::Output, P::Error> {
        let ready = self.preparation.prepare(raw)?;
        Ok(self.mechanism.sample(&ready, noise, permit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aggregation::{AttributedGraph, AttributedShape, NoisySums, SumSettings};
    use crate::noise::NoiseRng;
    use crate::unit::Edge;
    use crate::{Error, Ledger, Loss, Secret};
    use privet_data::synthetic::karate_club;
    use privet_graph::{DenseMatrix, Graph};

    /// All people hold the same row.
    struct Ones(usize);

    impl FirstParty for Ones {}

    impl Preparation for Ones {
        type Raw = Graph;
        type Ready = AttributedGraph;
        type Error = Error;

        fn reason(&self) -> &'static str {
            "rows are public"
        }

        fn shape(&self, graph: &crate::population::GraphShape) -> AttributedShape {
            AttributedShape { nodes: graph.nodes, rows: self.0 }
        }

        fn prepare(&self, graph: &Graph) -> Result<AttributedGraph> {
            let rows = DenseMatrix::zeros(self.0, 1);
            Ok(AttributedGraph { graph: graph.clone(), rows })
        }
    }

    fn sums() -> NoisySums<Edge> {
        let settings = SumSettings { hops: 1, max_degree: 1, clip: 9.0, noise_multiplier: 2.0 };
        NoisySums::new(settings, 34).unwrap()
    }

    #[test]
    fn the_price_is_that_of_the_mechanism_inside() {
        let limit = Loss::new(9.0, 1e-5).unwrap();
        let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(1)).unwrap();
        let club = Secret::new(karate_club().unwrap().graph().clone());
        // What does not fit is refused by its shape, before anything is charged or prepared.
        assert!(ledger.release(&club, &PreparedMechanism::new(Ones(33), sums())).is_err());
        assert!(ledger.entries().is_empty());
        let prepared = PreparedMechanism::new(Ones(34), sums());
        assert_eq!(prepared.event(), sums().event());
        let hops = ledger.release(&club, &prepared).unwrap().transpose().unwrap();
        assert_eq!(hops.get()[0].rows(), 34);
        let entry = &ledger.entries()[0];
        assert!(entry.audited && entry.theorem.statement.ends_with("rows are public"));
        assert_eq!(entry.charges[0].event, sums().event());
    }
}
