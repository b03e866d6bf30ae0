//! What to expect before anyone sends anything: the predicted error of reports and of embeddings.
//!
//! The paper's Theorem 2 says the error of an embedding is `O(log(d/delta))`, which reporting nothing
//! also achieves. Here it is a number, for the graph at hand: with `v`'s row of the propagation matrix
//! `Pi(v, .)` and independent reports,
//!
//! ```text
//! deviation of z(v,j)  =  |Pi(v,.)|_2 sqrt(Var x~)                                     (exact)
//! max over j of |z~ - E z~| <= M L/3 + sqrt((M L/3)^2 + 2 s^2 L),   L = ln(2d/delta)   (Bernstein)
//! ```
//! where `s` is that deviation and `M = |Pi(v,.)|_max` times the largest distance of a report from its
//! mean. All inputs are public: the mechanism, the graph and the declared range of the columns.

use crate::Result;
use crate::graph::{DenseMatrix, FeatureMatrix, Graph};
use crate::learn::propagate::{Orientation, Power, Propagation, Rounds};
use crate::privacy::features::{Decoding, FeatureMechanism, FeatureSettings, Scale};

/// How many nodes' rows of the propagation matrix are computed: enough for quartiles.
const SAMPLED_NODES: usize = 200;

/// Mean and spread of one decoded entry.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct EntryError {
    /// The true value.
    pub truth: f64,
    /// Mean of the decoded entry minus the truth, on the decoder's scale.
    pub bias: f64,
    /// Its standard deviation.
    pub deviation: f64,
}

/// Least, median and largest over nodes.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct NodeSpread {
    /// The smallest.
    pub least: f64,
    /// The middle one.
    pub median: f64,
    /// The largest.
    pub largest: f64,
}

/// What theory says about a run.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Forecast {
    /// How many columns each user reports.
    pub k: usize,
    /// The k with the least worst-case variance.
    pub recommended_k: usize,
    /// At the two ends of the declared range and in its middle.
    pub entries: Vec<EntryError>,
    /// `|Pi(v,.)|_2`: what averaging leaves of the noise (1 would be none).
    pub averaging: NodeSpread,
    /// The sum of `Pi(v,.)`: 1 only for r = 0.
    pub row_sum: NodeSpread,
    /// The standard deviation of an embedding's entry.
    pub embedding_deviation: NodeSpread,
    /// Bernstein's bound on all columns of a node at once, with probability 1 - `delta`; infinite for
    /// mechanisms whose reports have no end.
    pub embedding_bound: NodeSpread,
    /// The probability with which that bound may fail for a node.
    pub delta: f64,
    /// The difference between two groups' column means that a median node's embedding could show:
    /// its deviation over the square root of the number of columns.
    pub visible_contrast: f64,
    /// The epsilon at which a difference of `contrast` in every column would equal that, if one up
    /// to 1000 does.
    pub epsilon_for_contrast: Option<f64>,
}

/// What to forecast.
#[derive(Debug, Clone)]
pub struct Forecaster<'a> {
    /// A name out of [`FeatureMechanism::NAMES`].
    pub mechanism: &'a str,
    /// The budget of a row.
    pub epsilon: f64,
    /// k and what else it takes.
    pub settings: &'a FeatureSettings,
    /// How reports are read.
    pub decoding: Decoding,
    /// Columns and their public range.
    pub scale: &'a Scale,
    /// How far the means of two groups are assumed to differ in every column, as a share of the range.
    pub contrast: f64,
}

impl Forecaster<'_> {
    /// The forecast for one graph; `None` for mechanisms without closed moments.
    ///
    /// # Errors
    /// If the mechanism refuses its settings.
    pub fn forecast(&self, graph: &Graph, propagation: Propagation) -> Result<Option<Forecast>> {
        let mechanism = self.build(self.epsilon, self.settings)?;
        let Some(worst) = self.worst_deviation(&mechanism) else { return Ok(None) };
        let rows = sampled_rows(graph, propagation)?;
        let (delta, columns) = (1e-3, self.scale.columns() as f64);
        // L of Bernstein's bound, over all columns at once.
        let log = (2.0 * columns / delta).ln();
        // No entry is further from its mean than the largest report plus the largest value.
        let [low, _, high] = self.places();
        let largest = mechanism.largest_entry(0, Decoding::Unbiased).unwrap_or(f64::INFINITY);
        let reach = largest + low.abs().max(high.abs());
        let bernstein = |row: &MatrixRowNorms| {
            let (step, deviation) = (row.largest * reach * log / 3.0, row.euclidean * worst);
            // The positive root of x^2 = (2 M L/3) x + 2 s^2 L.
            step + (step * step + 2.0 * deviation * deviation * log).sqrt()
        };
        let averaging = NodeSpread::of(rows.iter().map(|row| row.euclidean));
        // The contrast between two classes must exceed the deviation by as much as columns cannot
        // average out.
        let visible = |worst: f64| averaging.median * worst / columns.sqrt();
        let recommended = FeatureSettings { k: None, ..self.settings.clone() };
        Ok(Some(Forecast {
            k: mechanism.k(),
            recommended_k: self.build(self.epsilon, &recommended)?.k(),
            entries: self
                .places()
                .map(|place| self.entry(&mechanism, place))
                .into_iter()
                .flatten()
                .collect(),
            averaging,
            row_sum: NodeSpread::of(rows.iter().map(|row| row.sum)),
            embedding_deviation: NodeSpread::of(rows.iter().map(|row| row.euclidean * worst)),
            embedding_bound: NodeSpread::of(rows.iter().map(bernstein)),
            delta,
            visible_contrast: visible(worst),
            epsilon_for_contrast: self
                .epsilon_where(|worst| visible(worst) <= self.contrast_size())?,
        }))
    }

    fn build(&self, epsilon: f64, settings: &FeatureSettings) -> Result<FeatureMechanism> {
        Ok(FeatureMechanism::build(self.mechanism, epsilon, self.scale.clone(), settings)?)
    }

    /// The declared range of the first column, low, middle and high: columns with other ranges only
    /// scale.
    fn places(&self) -> [f64; 3] {
        // The ends and the middle of the range: variances of all mechanisms are largest at one of
        // them.
        [-1.0, 0.0, 1.0].map(|place| self.scale.original(0, place))
    }

    fn contrast_size(&self) -> f64 {
        let [low, _, high] = self.places();
        self.contrast * (high - low)
    }

    fn entry(&self, mechanism: &FeatureMechanism, truth: f64) -> Option<EntryError> {
        let moments = mechanism.moments(0, truth as f32, self.decoding)?;
        let on_scale = match self.decoding {
            // The paper's decoding works on [-1, 1]; what is compared with it must be there, too.
            Decoding::Paper => self.scale.normalized(0, truth as f32),
            Decoding::Unbiased => truth,
        };
        Some(EntryError {
            truth,
            bias: moments.mean - on_scale,
            deviation: moments.variance.sqrt(),
        })
    }

    /// The largest deviation of an unbiased entry over the range: the scale on which mechanisms can
    /// be compared, whatever the decoder does afterwards.
    fn worst_deviation(&self, mechanism: &FeatureMechanism) -> Option<f64> {
        let variance =
            |place| mechanism.moments(0, place as f32, Decoding::Unbiased).map(|m| m.variance);
        let variances: Option<Vec<f64>> = self.places().into_iter().map(variance).collect();
        variances.map(|variances| variances.into_iter().fold(0.0, f64::max).sqrt())
    }

    /// The least epsilon, each with its best k, whose worst deviation is small enough.
    fn epsilon_where(&self, enough: impl Fn(f64) -> bool) -> Result<Option<f64>> {
        let best_k = FeatureSettings { k: None, ..self.settings.clone() };
        let reached = |epsilon: f64| -> Result<bool> {
            let mechanism = self.build(epsilon, &best_k)?;
            Ok(self.worst_deviation(&mechanism).is_some_and(&enough))
        };
        // Bisection on a logarithmic scale, over six orders of epsilon.
        let (mut low, mut high) = (1e-3f64, 1e3f64);
        if !reached(high)? {
            return Ok(None);
        }
        for _ in 0..40 {
            let middle = (low * high).sqrt();
            if reached(middle)? { high = middle } else { low = middle }
        }
        Ok(Some(high))
    }
}

struct MatrixRowNorms {
    euclidean: f64,
    largest: f64,
    sum: f64,
}

/// Norms of `Pi(v, .)` for evenly spaced nodes: row v of Pi is column v of its transpose.
fn sampled_rows(graph: &Graph, propagation: Propagation) -> Result<Vec<MatrixRowNorms>> {
    let nodes = graph.node_count();
    let count = nodes.min(SAMPLED_NODES);
    let mut units = DenseMatrix::zeros(nodes, count);
    for column in 0..count {
        // Unit vectors at evenly spaced nodes: propagating them backwards gives these nodes' rows
        // of the matrix.
        units.row_mut(column * nodes / count)[column] = 1.0;
    }
    // The row of a node is the column of the transposed operator.
    let orientation = match propagation.orientation {
        Orientation::Forward => Orientation::Transposed,
        Orientation::Transposed => Orientation::Forward,
    };
    let operator = Propagation { orientation, ..propagation }.on(graph)?;
    // Rounds until (1-alpha)^l is a thousandth: what is left of the series is as small.
    let rounds = (1e-3f64.ln() / (-propagation.alpha).ln_1p()).ceil().max(0.0) as usize;
    let power = Power { rounds: Rounds::Exactly(rounds), ..Power::default() };
    let rows = power.run(&operator, FeatureMatrix::Dense(units))?.embedding;
    let norms = |column: usize| {
        let entries = (0..nodes).map(|node| f64::from(rows.row(node)[column]));
        let (square, largest, sum) = entries.fold((0.0f64, 0.0f64, 0.0f64), |(s, m, t), value| {
            (s + value * value, m.max(value.abs()), t + value)
        });
        MatrixRowNorms { euclidean: square.sqrt(), largest, sum }
    };
    Ok((0..count).map(norms).collect())
}

impl NodeSpread {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let last = values.len().saturating_sub(1);
            values.get((share * last as f64).round() as usize).copied().unwrap_or(0.0)
        };
        Self { least: at(0.0), median: at(0.5), largest: at(1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Bounds, BoundsOrigin, Direction, GraphBuilder};

    fn plan<'a>(scale: &'a Scale, settings: &'a FeatureSettings, epsilon: f64) -> Forecaster<'a> {
        let decoding = Decoding::Unbiased;
        Forecaster { mechanism: "hds", epsilon, settings, decoding, scale, contrast: 0.1 }
    }

    /// On a graph without edges Pi = alpha I, so nothing is averaged away.
    #[test]
    fn without_edges_the_embedding_is_the_report() {
        let graph = Graph::empty(5, Direction::Undirected).unwrap();
        let bounds = Bounds::uniform(-1.0, 1.0, BoundsOrigin::Declared).unwrap();
        let scale = Scale::new(100, Some(&bounds)).unwrap();
        let settings = FeatureSettings::default();
        let propagation = Propagation { alpha: 0.5, ..Propagation::default() };
        let forecast = plan(&scale, &settings, 1.0).forecast(&graph, propagation).unwrap().unwrap();
        assert_eq!((forecast.k, forecast.recommended_k), (1, 1));
        assert!((forecast.averaging.median - 0.5).abs() < 1e-6);
        // Claims D4: the unbiased variance at d = 100, epsilon 1 is 650.6 at the worst place.
        let worst = forecast.embedding_deviation.median / 0.5;
        assert!((worst * worst - 650.6).abs() < 0.5, "{}", worst * worst);
        assert!(forecast.entries.iter().all(|entry| entry.bias.abs() < 1e-9));
        assert!(forecast.embedding_bound.median > forecast.embedding_deviation.median);
    }

    #[test]
    fn a_clique_averages_and_more_epsilon_shows_more() {
        let pairs = (0..20).flat_map(|u| (0..u).map(move |v| (u, v)));
        let (clique, _) =
            GraphBuilder::new(20, Direction::Undirected).edges(pairs).build().unwrap();
        let bounds = Bounds::uniform(0.0, 1.0, BoundsOrigin::Declared).unwrap();
        let scale = Scale::new(30, Some(&bounds)).unwrap();
        let settings = FeatureSettings::default();
        let propagation = Propagation { alpha: 0.1, exponent: 0.0, ..Propagation::default() };
        let forecast = |epsilon| {
            plan(&scale, &settings, epsilon).forecast(&clique, propagation).unwrap().unwrap()
        };
        let (weak, strong) = (forecast(0.5), forecast(4.0));
        assert!(weak.averaging.median < 0.35, "{:?}", weak.averaging);
        assert!((weak.row_sum.median - 1.0).abs() < 5e-3, "{:?}", weak.row_sum);
        assert!(strong.visible_contrast < weak.visible_contrast);
        let needed = weak.epsilon_for_contrast.unwrap();
        assert!((forecast(needed).visible_contrast - 0.1).abs() < 0.01);
    }
}
