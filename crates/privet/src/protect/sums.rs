//! Sums over neighbours with noise, in place of who is connected to whom: aggregation perturbation, for a curator who may show
//! features and must not show connections.
//!
//! Every node's row is scaled to norm 1; it gets the noisy sum of its neighbours' rows, then that of their noisy sums, hop
//! after hop ([`aggregation`](crate::privacy::aggregation)). What comes out are rows without a graph: a node's own, and
//! each hop's beside it, all of norm 1, as GAP's classifier reads them ([`dpar::gap`](crate::dpar::gap)).

use super::several::{Several, SingleProcess};
use super::unprotected::{always, features, labels};
use super::{Job, Terms};
use crate::dpar::gap::{beside, normalize};
use crate::graph::{Dataset, DenseMatrix, Direction, FeatureMatrix, Features, Graph};
use crate::privacy::accountant::{AnalyticGaussian, calibrate};
use crate::privacy::aggregation::{AttributedGraph, NoisySums, SumSettings};
use crate::privacy::event::Event;
use crate::privacy::unit::{DataPart, Edge};
use crate::privacy::{Loss, Secret};
use crate::{Error, Protected, Result, Run};

/// How sums over neighbours are taken.
#[derive(Debug, Clone)]
pub struct Sums {
    /// How often.
    pub hops: usize,
    /// The chance with which the guarantee may fail.
    pub delta: f64,
    /// How strongly every connection is protected.
    pub terms: Terms,
}

impl Sums {
    /// How often sums are taken unless stated otherwise.
    pub const HOPS: usize = 2;

    /// Two hops at `epsilon` and `delta`.
    pub fn new(epsilon: f64, delta: f64) -> Self {
        Self { hops: Self::HOPS, delta, terms: Terms::alike(epsilon) }
    }

    /// The dataset with noisy sums beside its features, and without connections.
    ///
    /// ```
    /// use privet::data::synthetic::StochasticBlocks;
    /// use privet::{Run, protect};
    /// let blocks = StochasticBlocks { nodes: 600, features: 4, ..Default::default() };
    /// let noisy = protect::Sums::new(1.0, 1e-5).run(blocks.generate(1)?, &Run::simulation(1))?;
    /// let rows = noisy.get().features().map_or(0, |features| features.columns());
    /// assert_eq!((noisy.get().graph().edge_count(), rows), (0, 4 * 3));
    /// assert!(noisy.card().guarantees[0].loss.epsilon.get() <= 1.0);
    /// # Ok::<(), privet::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are no features, the ids were not stated, people have budgets of their own, no noise reaches the target, or
    /// the limit would be passed.
    pub fn run(&self, dataset: Dataset, run: &Run<'_>) -> Result<Protected<Dataset>> {
        self.run_by(dataset, run, &mut SingleProcess)
    }

    /// The same by several processes, of which this one leads.
    ///
    /// # Errors
    /// Those of [`Sums::run`], and if another process fails.
    pub fn run_by(
        &self,
        dataset: Dataset,
        run: &Run<'_>,
        by: &mut impl Several,
    ) -> Result<Protected<Dataset>> {
        let job = Job::new(&dataset, &self.terms, run, DataPart::Edges, self.delta)?;
        let mechanism = self.mechanism(dataset.graph().node_count())?;
        let mut own = self.rows(&dataset)?;
        let secret = attributed(&dataset, own.clone())?;
        let subject = format!("{}, noisy sums over neighbours", dataset.name());
        let released =
            job.charge::<_, Edge>(subject, |ledger| by.lead_sums(ledger, &secret, &mechanism))?;
        drop(secret);
        normalize(&mut own);
        let released = labels(features(released, &dataset), &dataset);
        let released = job.finish(always(released, &dataset));
        released.try_map(|hops| {
            let names = dataset.features().and_then(Features::names).map(|names| self.named(names));
            let rows = Features::dense(beside(own, &hops));
            let rows = match names {
                Some(names) => rows.with_names(names)?,
                None => rows,
            };
            let no_edges = Graph::empty(dataset.graph().node_count(), Direction::Undirected)?;
            Ok(dataset.with_features(rows)?.with_graph(no_edges)?)
        })
    }

    /// Takes this process's part of the sums that another one leads.
    ///
    /// # Errors
    /// If something differs from what was charged, or another process fails.
    pub fn assist(&self, dataset: &Dataset, by: &mut impl Several) -> Result<()> {
        let mechanism = self.mechanism(dataset.graph().node_count())?;
        by.follow_sums(&attributed(dataset, self.rows(dataset)?)?, &mechanism)
    }

    /// The sums with as little noise as keeps the target.
    ///
    /// # Errors
    /// If people have budgets of their own, or no noise reaches the target.
    pub(crate) fn mechanism(&self, nodes: usize) -> Result<NoisySums<Edge>> {
        if !self.terms.budgets.are_alike() {
            let expected = "one for all: a connection is in the sums of two people";
            return Err(Error::invalid("budgets", "several", expected));
        }
        let hops = self.hops;
        let event = |noise_multiplier| Event::Gaussian { noise_multiplier }.repeated(hops as u64);
        Error::unless(hops > 0, "hops", hops, "at least 1")?;
        let noise_multiplier =
            calibrate::noise_multiplier(&AnalyticGaussian, self.target()?, event)?;
        // Nothing is cut: one edge moves sums by the same whatever they are, and degrees need no bound.
        let clip = nodes.max(1) as f64;
        Ok(NoisySums::new(SumSettings { hops, max_degree: 1, clip, noise_multiplier }, nodes)?)
    }

    /// What a new account must allow.
    ///
    /// # Errors
    /// If a number is out of range.
    pub(crate) fn target(&self) -> Result<Loss> {
        Ok(Loss::new(self.terms.budgets.largest(), self.delta)?)
    }

    fn rows(&self, dataset: &Dataset) -> Result<DenseMatrix> {
        let missing = || Error::Missing {
            dataset: dataset.name().to_owned(),
            what: "features",
            remedy: "they are what is summed over neighbours",
        };
        Ok(match dataset.features().ok_or_else(missing)?.matrix() {
            FeatureMatrix::Dense(rows) => rows.clone(),
            FeatureMatrix::Sparse(rows) => rows.to_dense(),
        })
    }

    /// The columns of a node's own row, and of every hop's.
    fn named(&self, names: &[String]) -> Vec<String> {
        let hop = |hop: usize| names.iter().map(move |name| format!("{name} at hop {hop}"));
        names.iter().cloned().chain((1..=self.hops).flat_map(hop)).collect()
    }
}

/// Who knows whom is secret, and that the rows are public stands on the card.
fn attributed(dataset: &Dataset, rows: DenseMatrix) -> Result<Secret<AttributedGraph>> {
    Ok(Secret::new(AttributedGraph { graph: dataset.graph().to_undirected()?, rows }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synthetic::StochasticBlocks;
    use crate::system::{Facts, System};

    fn people() -> Dataset {
        let blocks = StochasticBlocks { nodes: 300, classes: 3, features: 5, ..Default::default() };
        blocks.generate(4).unwrap()
    }

    #[test]
    fn the_card_keeps_the_promise_and_names_what_lies_open() {
        let sums = Sums::new(2.0, 1e-6);
        let promise = sums.promise(&Facts::of(&people())).unwrap();
        let noisy = sums.run(people(), &Run::simulation(3)).unwrap();
        let (promised, kept) = (&promise.guarantees[0], &noisy.card().guarantees[0]);
        assert_eq!(
            (&promised.loss, &promised.releases[0].event),
            (&kept.loss, &kept.releases[0].event)
        );
        let open = serde_json::to_string(noisy.card()).unwrap();
        assert!(open.contains("the features of every node"), "{open}");
        assert!(!open.contains("who is connected to whom:"), "{open}");
    }

    /// With little noise, a hop is about the direction of the sum of neighbours' directions.
    #[test]
    fn hops_are_sums_of_unit_rows() {
        let people = people();
        let sums = Sums { hops: 1, ..Sums::new(200.0, 1e-6) };
        let accepted = crate::doubts::Doubt::ALL.to_vec();
        let sums = Sums { terms: Terms { accepted, ..sums.terms }, ..sums };
        let noisy = sums.run(people.clone(), &Run::simulation(3)).unwrap();
        let FeatureMatrix::Dense(rows) = noisy.get().features().unwrap().matrix() else { panic!() };
        let mut own = sums.rows(&people).unwrap();
        normalize(&mut own);
        for node in people.graph().nodes() {
            let mut sum = [0f64; 5];
            for &other in people.graph().neighbors(node) {
                own.row(other as usize).iter().zip(&mut sum).for_each(|(v, s)| *s += f64::from(*v));
            }
            let norm = sum.iter().map(|v| v * v).sum::<f64>().sqrt().max(1e-9);
            let found = rows.row(node as usize);
            assert_eq!(&found[..5], own.row(node as usize));
            for (found, expected) in found[5..].iter().zip(sum) {
                assert!(norm < 2.0 || (f64::from(*found) - expected / norm).abs() < 0.25);
            }
        }
    }

    #[test]
    fn nonsense_is_refused() {
        let refused = |sums: Sums| sums.run(people(), &Run::simulation(1)).is_err();
        assert!(refused(Sums { hops: 0, ..Sums::new(1.0, 1e-6) }));
        assert!(refused(Sums::new(1.0, 0.0)) && refused(Sums::new(-1.0, 1e-6)));
        assert!(!refused(Sums::new(1.0, 1e-6)));
        assert!(Sums::new(1.0, 1e-6).assist(&people(), &mut SingleProcess).is_err());
    }
}
