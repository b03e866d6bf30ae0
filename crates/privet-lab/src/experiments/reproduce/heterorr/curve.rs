//! [`Curve`]: what stands at a place of a figure, and how it is measured.

use std::sync::atomic::AtomicBool;

use privet::graph::{Bounds, BoundsOrigin, DenseMatrix, FeatureMatrix, Features};
use privet::hetero_rr::{EdgeMethod, EdgeProtection, FeatureProtection, GcnLearner, Start};
use privet::privacy::edges::comparison::hrg::Wiring;
use privet::privacy::features::{DecodeRows, Decoding, FeatureMechanism, FeatureSettings, Scale};
use privet::privacy::noise::NoiseRng;
use privet::privacy::{Ledger, Loss, Secret};
use privet::{Error, Result};

use crate::attacks::linkteller::LinkTeller;
use crate::experiments::cells::Key;
use crate::experiments::hetero_rr::HeteroRrTrial;
use crate::experiments::structure::walks;
use crate::experiments::trial::{Data, Outcome, Subject, Variant};

/// Values drawn for an expected error.
const DRAWS: usize = 20_000;

/// What is measured at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Accuracy under feature protection.
    FeatureAccuracy,
    /// Accuracy under edge protection.
    EdgeAccuracy,
    /// Expected error of mechanisms for one number.
    ExpectedError,
    /// Distance of random walks.
    WalkDistance,
    /// LinkTeller against models on published graphs.
    LinkTeller,
}

impl Measure {
    /// Whether features are what is protected, and else edges.
    pub fn is_about_features(self) -> bool {
        matches!(self, Self::FeatureAccuracy | Self::ExpectedError)
    }

    /// What its numbers are called.
    pub fn scores(self) -> &'static [&'static str] {
        match self {
            Self::FeatureAccuracy | Self::EdgeAccuracy => &["test accuracy"],
            Self::ExpectedError => {
                &["mean absolute error", "the same, reports clamped to the range"]
            }
            Self::WalkDistance => &["1 hop", "2 hops", "3 hops", "4 hops"],
            Self::LinkTeller => &["AUC", "AUC, pairs with equally many public friends in common"],
        }
    }
}

/// What stands at a place.
#[derive(Debug, Clone)]
pub struct Curve<'a> {
    /// What is measured.
    pub measure: Measure,
    /// On which data, if the figure needs any.
    pub data: Option<Data<'a>>,
    /// A mechanism, a method for edges, or something to compare with.
    pub name: String,
    /// The share of private edges.
    pub share: f64,
    /// The budget.
    pub epsilon: f64,
}

/// A method for edges by its name.
pub fn edge_method(name: &str) -> Option<EdgeMethod> {
    Some(match name {
        "public-tree" | "closing" | "closing-only" | "attribute-tree" => EdgeMethod::PublicTree,
        "public-only" | "control" | "ceiling" => EdgeMethod::PublicTree,
        "private-tree" => EdgeMethod::PrivateTree,
        "paper" => EdgeMethod::Paper,
        "priv-hrg" => EdgeMethod::PrivHrg,
        "edge-rand" => EdgeMethod::EdgeRand,
        "lap-graph" => EdgeMethod::LapGraph,
        _ => return None,
    })
}

impl Subject for Curve<'_> {
    /// Epsilon has no part in what has no noise.
    fn key(&self, _: Variant) -> Key {
        let noiseless = matches!(self.name.as_str(), "ceiling" | "public-only" | "no-features");
        let epsilon = if noiseless { f64::INFINITY } else { self.epsilon };
        let key = Key::new().with("curve", &self.name).with("epsilon", epsilon);
        let key = key.with("share", self.share);
        match &self.data {
            Some(data) => {
                let learner = serde_json::to_string(&GcnLearner::default()).unwrap_or_default();
                key.and(Key::of(&data.key())).with("learner", learner)
            }
            None => key.with("draws", DRAWS),
        }
    }

    fn run(&self, _: Variant, seed: u64, interrupt: &AtomicBool) -> Result<Outcome> {
        let numbers = self.numbers(seed, interrupt)?;
        let names = self.measure.scores().iter().copied();
        Ok(Outcome { scores: names.zip(numbers).collect(), card: None })
    }
}

impl Curve<'_> {
    /// One number per metric of the figure.
    fn numbers(&self, seed: u64, interrupt: &AtomicBool) -> Result<Vec<f64>> {
        match (self.measure, &self.data) {
            (Measure::ExpectedError, _) => expected_error(&self.name, self.epsilon, seed),
            (Measure::FeatureAccuracy, Some(data)) => self.features(data, seed, interrupt),
            (Measure::EdgeAccuracy, Some(data)) => {
                let trial = self.edges(data)?;
                Ok(vec![trial.run(self.variant(), seed, interrupt)?.scores.test()])
            }
            (Measure::WalkDistance, Some(data)) => {
                let world = self.edges(data)?.world(self.variant(), seed)?;
                Ok(walks::distance(&world.truth, &world.graph, 4, 3000, seed))
            }
            (Measure::LinkTeller, Some(data)) => {
                let attack = LinkTeller::default();
                let found = attack.on(&self.edges(data)?, self.variant(), seed, interrupt)?;
                Ok(vec![found.any.unwrap_or(0.5), found.matched.unwrap_or(0.5)])
            }
            (_, None) => Err(Error::invalid("data", "none", "a dataset")),
        }
    }

    fn variant(&self) -> Variant {
        match self.name.as_str() {
            "ceiling" => Variant::Clear,
            "public-only" => Variant::PublicOnly,
            "control" => Variant::Control,
            _ => Variant::Private,
        }
    }

    fn edges<'d>(&self, data: &Data<'d>) -> Result<HeteroRrTrial<'d>> {
        let method = edge_method(&self.name)
            .ok_or_else(|| Error::invalid("method", &self.name, "a method for edges"))?;
        let mut edges = EdgeProtection { method, delta: 1e-6, ..EdgeProtection::new(self.epsilon) };
        match self.name.as_str() {
            "closing" => edges.wiring = Wiring::Closing,
            "closing-only" => edges.wiring = Wiring::ClosingOnly,
            "attribute-tree" => {
                (edges.wiring, edges.tree.start) = (Wiring::Uniform, Start::Features);
            }
            _ => edges.wiring = Wiring::Uniform,
        }
        Ok(HeteroRrTrial { edges, ..HeteroRrTrial::new(*data, self.share) })
    }

    /// All edges are public; features are randomised, in the clear, or all alike.
    fn features(&self, data: &Data<'_>, seed: u64, interrupt: &AtomicBool) -> Result<Vec<f64>> {
        let mut trial = HeteroRrTrial::new(*data, 0.0);
        // No private edge: no tree is needed.
        (trial.edges.method, trial.edges.epsilon) = (EdgeMethod::EdgeRand, 30.0);
        let blank = HeteroRrTrial::without_features(data.dataset)?;
        let variant = match self.name.as_str() {
            "ceiling" => Variant::Clear,
            "no-features" => {
                trial.data = Data::new(data.name, &blank);
                Variant::Clear
            }
            mechanism => {
                let mechanism = mechanism.to_owned();
                let how = FeatureProtection::new(self.epsilon);
                trial.features = Some(FeatureProtection { mechanism, ..how });
                Variant::PublicOnly
            }
        };
        Ok(vec![trial.run(variant, seed, interrupt)?.scores.test()])
    }
}

/// `E|z - z~|` for a number of [0, 1], averaged over its places, of reports as each paper reads them, and
/// with all reports clamped to the range, which costs nothing.
fn expected_error(mechanism: &str, epsilon: f64, seed: u64) -> Result<Vec<f64>> {
    let bounds = Bounds::uniform(0.0, 1.0, BoundsOrigin::Declared)?;
    let scale = Scale::new(1, Some(&bounds))?;
    let built = FeatureMechanism::build(mechanism, epsilon, scale, &FeatureSettings::default())?;
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
