//! [`Case`]: one cell of a figure, and how it is measured.

use std::sync::atomic::AtomicBool;

use privet::graph::{Bounds, BoundsOrigin, DenseMatrix, FeatureMatrix, Features};
use privet::hetero_rr::publish::Chain;
use privet::hetero_rr::{EdgeMethod, EdgeProtection, FeatureProtection, Learner, Start};
use privet::privacy::edges::hrg::Wiring;
use privet::privacy::features::{DecodeRows, Decoding, FeatureMechanism, Scale, Settings};
use privet::privacy::noise::NoiseRng;
use privet::privacy::{Ledger, Loss, Secret};
use privet::{Error, Result};

use super::item::Item;
use crate::attacks::linkteller::{LinkTeller, Truth};
use crate::experiments::cells::Key;
use crate::experiments::hetero_rr::{Experiment, Variant};
use crate::experiments::measure::Data;
use crate::experiments::structure::walks;

/// Values drawn for an expected error.
const DRAWS: usize = 20_000;

/// One cell.
#[derive(Debug, Clone)]
pub struct Case<'a> {
    /// Of which figure.
    pub item: Item,
    /// On which data, if the figure needs any.
    pub data: Option<Data<'a>>,
    /// A mechanism, a method for edges, or something to compare with.
    pub curve: String,
    /// The share of private edges.
    pub share: f64,
    /// The budget.
    pub epsilon: f64,
    /// Decides split, private edges, noise and learner.
    pub seed: u64,
}

/// A method for edges by its name.
pub fn edge_method(name: &str) -> Option<EdgeMethod> {
    let chain = Chain::default();
    Some(match name {
        "public-tree" | "closing" | "closing-only" | "attribute-tree" => EdgeMethod::PublicTree,
        "public-only" | "control" | "ceiling" => EdgeMethod::PublicTree,
        "private-tree" => EdgeMethod::PrivateTree(chain),
        "paper" => EdgeMethod::Paper(chain),
        "priv-hrg" => EdgeMethod::PrivHrg(chain),
        "edge-rand" => EdgeMethod::EdgeRand,
        "lap-graph" => EdgeMethod::LapGraph,
        _ => return None,
    })
}

impl Case<'_> {
    /// Everything its numbers follow from. Epsilon has no part in what has no noise.
    pub fn key(&self) -> Key {
        let noiseless = matches!(self.curve.as_str(), "ceiling" | "public-only" | "no-features");
        let epsilon = if noiseless { f64::INFINITY } else { self.epsilon };
        let key = Key::new().with("curve", &self.curve).with("epsilon", epsilon);
        let key = key.with("share", self.share).with("seed", self.seed);
        match &self.data {
            Some(data) => key.with("dataset", data.name),
            None => key,
        }
    }

    /// Measures it: one number per metric of the figure.
    ///
    /// # Errors
    /// Those of the system.
    pub fn measure(&self, interrupt: &AtomicBool) -> Result<Vec<f64>> {
        match (self.item, &self.data) {
            (Item::Fig10, _) => expected_error(&self.curve, self.epsilon, self.seed),
            (Item::Fig6, Some(data)) => self.features(data, interrupt),
            (Item::Fig7, Some(data)) => {
                Ok(vec![self.edges(data)?.run(self.variant(), self.seed, interrupt)?.test])
            }
            (Item::Fig11, Some(data)) => {
                let world = self.edges(data)?.world(self.variant(), self.seed)?;
                Ok(walks::distance(&world.truth, &world.graph, 4, 3000, self.seed))
            }
            (Item::LinkTeller, Some(data)) => self.link_teller(data, interrupt),
            (_, None) => Err(Error::invalid("data", "none", "a dataset")),
        }
    }

    fn variant(&self) -> Variant {
        match self.curve.as_str() {
            "ceiling" => Variant::Ceiling,
            "public-only" => Variant::PublicOnly,
            "control" => Variant::Control,
            _ => Variant::Published,
        }
    }

    fn edges<'d>(&self, data: &Data<'d>) -> Result<Experiment<'d>> {
        let method = edge_method(&self.curve)
            .ok_or_else(|| Error::invalid("method", &self.curve, "a method for edges"))?;
        let mut edges = EdgeProtection { method, delta: 1e-6, ..EdgeProtection::new(self.epsilon) };
        match self.curve.as_str() {
            "closing" => edges.wiring = Wiring::Closing,
            "closing-only" => edges.wiring = Wiring::ClosingOnly,
            "attribute-tree" => {
                (edges.wiring, edges.tree.start) = (Wiring::Uniform, Start::Attributes);
            }
            _ => edges.wiring = Wiring::Uniform,
        }
        let learner = Learner::default();
        Ok(Experiment { dataset: data.dataset, share: self.share, edges, features: None, learner })
    }

    /// All edges are public; features are randomised, in the clear, or all alike.
    fn features(&self, data: &Data<'_>, interrupt: &AtomicBool) -> Result<Vec<f64>> {
        let (variant, protected) = match self.curve.as_str() {
            "ceiling" => (Variant::Ceiling, None),
            mechanism => {
                let name = if mechanism == "no-features" { "feature-rr" } else { mechanism };
                let how = FeatureProtection {
                    mechanism: name.into(),
                    ..FeatureProtection::new(if mechanism == "no-features" {
                        1.0
                    } else {
                        self.epsilon
                    })
                };
                (Variant::PublicOnly, Some(how))
            }
        };
        let mut experiment = Experiment {
            dataset: data.dataset,
            share: 0.0,
            edges: EdgeProtection::new(1.0),
            features: protected,
            learner: Learner::default(),
        };
        // No private edge: no tree is needed.
        experiment.edges.method = EdgeMethod::EdgeRand;
        experiment.edges.epsilon = 30.0;
        let blank = self.curve == "no-features";
        let score = match blank {
            true => experiment.run_without_features(self.seed, interrupt)?,
            false => experiment.run(variant, self.seed, interrupt)?,
        };
        Ok(vec![score.test])
    }

    fn link_teller(&self, data: &Data<'_>, interrupt: &AtomicBool) -> Result<Vec<f64>> {
        let experiment = self.edges(data)?;
        let world = experiment.world(self.variant(), self.seed)?;
        let split = experiment.split(self.seed)?;
        let gcn = experiment.train(&world, &split, self.seed, interrupt)?;
        let attack = LinkTeller { seed: self.seed, ..LinkTeller::default() };
        let truth = Truth { public: &world.public, private: &world.private };
        let found = attack.attack(&gcn, &world.graph, &world.rows, truth)?;
        Ok(vec![found.any.unwrap_or(0.5), found.matched.unwrap_or(0.5)])
    }
}

/// `E|z - z~|` for a number of [0, 1], averaged over its places, of reports as each paper reads them, and
/// with all reports clamped to the range, which costs nothing.
fn expected_error(mechanism: &str, epsilon: f64, seed: u64) -> Result<Vec<f64>> {
    let bounds = Bounds::uniform(0.0, 1.0, BoundsOrigin::Declared)?;
    let scale = Scale::new(1, Some(&bounds))?;
    let built = FeatureMechanism::build(mechanism, epsilon, scale, &Settings::default())?;
    let truth: Vec<f32> = (0..DRAWS).map(|at| (at as f32 + 0.5) / DRAWS as f32).collect();
    let people = Features::dense(DenseMatrix::new(DRAWS, 1, truth.clone())?).with_bounds(bounds)?;
    let mut ledger = Ledger::in_memory(Loss::new(epsilon, 0.0)?, NoiseRng::replay(seed))?;
    let reports = ledger.release_each(&Secret::new(people), &built)?;
    // FeatureRR's own values u/k lie in [0, 1]; the others are unbiased estimates.
    let decoding = if mechanism == "feature-rr" { Decoding::Paper } else { Decoding::Unbiased };
    let decoded = match built.decode(reports.get(), decoding)? {
        FeatureMatrix::Dense(rows) => rows.into_values(),
        FeatureMatrix::Sparse(rows) => {
            (0..DRAWS).map(|row| rows.row(row).1.first().copied().unwrap_or(0.0)).collect()
        }
    };
    let mean = |read: &dyn Fn(f32) -> f32| {
        let errors = decoded.iter().zip(&truth).map(|(&z, &x)| f64::from((read(z) - x).abs()));
        errors.sum::<f64>() / DRAWS as f64
    };
    Ok(vec![mean(&|z| z), mean(&|z| z.clamp(0.0, 1.0))])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without information the best guess of a uniform number is off by 1/4; FeatureRR tends to a
    /// uniform guess, which is off by 1/3.
    #[test]
    fn errors_have_the_right_size() {
        let low = expected_error("feature-rr", 0.01, 1).unwrap();
        assert!((low[0] - 1.0 / 3.0).abs() < 0.02, "{low:?}");
        let high = expected_error("feature-rr", 9.0, 1).unwrap();
        assert!(high[0] < 0.2 && high[0] == high[1], "{high:?}");
        let laplace = expected_error("laplace", 1.0, 1).unwrap();
        assert!((laplace[0] - 1.0).abs() < 0.05 && laplace[1] < 0.5, "{laplace:?}");
    }
}
