//! [`Several`]: who draws a release, this process [alone](SingleProcess) or several together.
//!
//! One of them leads. It has the ledger, charges the whole release before any process draws, and gets the part of every process. The
//! others follow: each draws for its own people, with a [`Share`](crate::privacy::ledger::ReleaseShare) of the release, and
//! hands over what it drew. What a seed replays is the same in either case.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Strengths;
use crate::graph::DenseMatrix;
use crate::privacy::aggregation::{AttributedGraph, NoisySums};
use crate::privacy::unit::Edge;
use crate::privacy::{Disclose, Ledger, Local, Release, Secret};
use crate::{Error, Result};

/// The processes that draw a release.
pub trait Several {
    /// How many there are.
    fn count(&self) -> usize;

    /// Charges a report of each person, and hands over all of them in the order of the people, at most about `step` at a
    /// time.
    ///
    /// # Errors
    /// If the ledger refuses (then nothing was drawn), another process fails, and those of `take`.
    fn lead<M>(
        &mut self,
        ledger: &mut Ledger<M::Unit>,
        people: &Secret<M::Population>,
        mechanism: &M,
        step: usize,
        take: impl FnMut(Vec<M::Report>) -> Result<()>,
    ) -> Result<Release<(), M::Unit>>
    where
        M: Local,
        M::Report: Serialize + DeserializeOwned;

    /// Draws for this process's own people, once the one that leads has charged.
    ///
    /// # Errors
    /// If the release was charged for something else, or another process fails.
    fn follow<M>(&mut self, people: &Secret<M::Population>, mechanism: &M) -> Result<()>
    where
        M: Local,
        M::Report: Serialize + DeserializeOwned;

    /// Charges noisy sums over neighbours, and gives those of all nodes, hop by hop.
    ///
    /// # Errors
    /// If the ledger refuses (then nothing was drawn), or another process fails.
    fn lead_sums(
        &mut self,
        ledger: &mut Ledger<Edge>,
        people: &Secret<AttributedGraph>,
        mechanism: &NoisySums<Edge>,
    ) -> Result<Release<Vec<DenseMatrix>, Edge>>;

    /// Takes the sums of this process's own nodes, once the one that leads has charged.
    ///
    /// # Errors
    /// If the release was charged for something else, or another process fails.
    fn follow_sums(
        &mut self,
        people: &Secret<AttributedGraph>,
        mechanism: &NoisySums<Edge>,
    ) -> Result<()>;
}

/// One process, which leads, and has no others to wait for.
#[derive(Debug, Clone, Copy, Default)]
pub struct SingleProcess;

impl Several for SingleProcess {
    fn count(&self) -> usize {
        1
    }

    fn lead<M>(
        &mut self,
        ledger: &mut Ledger<M::Unit>,
        people: &Secret<M::Population>,
        mechanism: &M,
        step: usize,
        take: impl FnMut(Vec<M::Report>) -> Result<()>,
    ) -> Result<Release<(), M::Unit>>
    where
        M: Local,
        M::Report: Serialize + DeserializeOwned,
    {
        let drawing = ledger.begin_each(&people.shape(), people.user_count(), mechanism)?;
        drawing.draw_in_steps(people, step, take)
    }

    fn follow<M>(&mut self, _: &Secret<M::Population>, _: &M) -> Result<()>
    where
        M: Local,
        M::Report: Serialize + DeserializeOwned,
    {
        Err(nobody_leads())
    }

    fn lead_sums(
        &mut self,
        ledger: &mut Ledger<Edge>,
        people: &Secret<AttributedGraph>,
        mechanism: &NoisySums<Edge>,
    ) -> Result<Release<Vec<DenseMatrix>, Edge>> {
        Ok(ledger.release(people, mechanism)?)
    }

    fn follow_sums(&mut self, _: &Secret<AttributedGraph>, _: &NoisySums<Edge>) -> Result<()> {
        Err(nobody_leads())
    }
}

fn nobody_leads() -> Error {
    Error::invalid("processes", 1, "one that leads, to follow")
}

/// The reports of all people, each at the strength that was chosen. Several processes serve one strength.
///
/// # Errors
/// If the ledger refuses, or another process fails.
pub(super) fn all_reports<M>(
    by: &mut impl Several,
    ledger: &mut Ledger<M::Unit>,
    people: &Secret<M::Population>,
    strengths: &Strengths<M>,
) -> Result<Release<Vec<M::Report>, M::Unit>>
where
    M: Disclose,
    M::Report: Serialize + DeserializeOwned,
{
    match strengths {
        Strengths::Alike(mechanism) => {
            let mut all = Vec::new();
            let drawn = by.lead(ledger, people, mechanism, people.user_count(), |reports| {
                all.extend(reports);
                Ok(())
            })?;
            Ok(drawn.map(|()| all))
        }
        Strengths::Chosen(choices) => Ok(ledger.release_chosen(people, choices)?),
    }
}
