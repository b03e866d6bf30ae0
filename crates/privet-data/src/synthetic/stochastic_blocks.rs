//! Communities whose members resemble each other: a degree-corrected stochastic block model with
//! features that speak of the class.

use privet_graph::memory;
use rand::RngExt;
use rand_distr::Distribution;
use rand_distr::weighted::WeightedAliasIndex;
use rustc_hash::FxHashSet;

use super::{BYTES_PER_DRAW, BYTES_PER_EDGE, PowerLaw, check_nodes};
use crate::{
    Bounds, BoundsOrigin, Dataset, Direction, Error, Features, GraphBuilder, Labels, NodeId,
    NodeIds, Result, SimRng, SparseBuilder,
};

/// Words a node draws for its feature row; repeats merge, so most rows have a few fewer.
const WORDS_PER_NODE: usize = 20;
/// A weight, its place in two alias tables, a class, and a row of the graph.
const BYTES_PER_NODE: u64 = 80;

/// A degree-corrected stochastic block model with a binary bag of words per node.
///
/// Nodes take classes in turn. Each edge picks one end by degree weight, decides with probability
/// `homophily` whether to stay in its class, and picks the other end there by degree weight. Each
/// node draws words: from its class's own share of the vocabulary with probability
/// `feature_signal`, else from all of it.
///
/// ```
/// use privet_data::synthetic::StochasticBlocks;
/// let dataset = StochasticBlocks { nodes: 500, ..StochasticBlocks::default() }.generate(1)?;
/// assert_eq!(dataset.features().map(|f| f.columns()), Some(256));
/// # Ok::<(), privet_graph::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct StochasticBlocks {
    /// Number of nodes.
    #[cfg_attr(feature = "clap", arg(long))]
    pub nodes: usize,
    /// Number of classes, of equal size up to one node.
    #[cfg_attr(feature = "clap", arg(long))]
    pub classes: usize,
    /// Mean degree.
    #[cfg_attr(feature = "clap", arg(long))]
    pub mean_degree: f64,
    /// Probability that an edge joins nodes of one class.
    #[cfg_attr(feature = "clap", arg(long))]
    pub homophily: f64,
    /// Exponent of the power law of degrees, above 2; without one, all nodes have about the same degree.
    #[cfg_attr(feature = "clap", arg(long, value_name = "EXPONENT"))]
    pub degree_exponent: Option<f64>,
    /// Number of binary features; 0: none.
    #[cfg_attr(feature = "clap", arg(long))]
    pub features: usize,
    /// Probability that a feature is informative about the class.
    #[cfg_attr(feature = "clap", arg(long))]
    pub feature_signal: f64,
}

impl Default for StochasticBlocks {
    fn default() -> Self {
        Self {
            nodes: 1000,
            classes: 4,
            mean_degree: 8.0,
            homophily: 0.8,
            degree_exponent: Some(2.8),
            features: 256,
            feature_signal: 0.5,
        }
    }
}

impl StochasticBlocks {
    /// Draws a graph with features and labels.
    ///
    /// # Errors
    /// If a probability lies outside [0, 1], there are more classes than nodes or words, or the
    /// edges would not fit.
    pub fn generate(&self, seed: u64) -> Result<Dataset> {
        self.check()?;
        let class_of = |node: usize| node % self.classes;
        let classes = (0..self.nodes).map(|node| Some(class_of(node) as u32)).collect();
        let names = (0..self.classes).map(|class| format!("class {class}")).collect();
        let pairs = self.edges(seed)?;
        let (graph, _) =
            GraphBuilder::from_pairs(self.nodes, Direction::Undirected, pairs).build()?;
        let dataset = Dataset::new("stochastic-blocks", graph, NodeIds::sequential(self.nodes))?
            .with_labels(Labels::single(classes, names)?)?;
        match self.features {
            0 => Ok(dataset),
            _ => dataset.with_features(self.words(seed)?),
        }
    }

    fn check(&self) -> Result<()> {
        check_nodes(self.nodes, 2)?;
        for (what, p) in [("homophily", self.homophily), ("feature signal", self.feature_signal)] {
            if !(0.0..=1.0).contains(&p) {
                return Err(Error::invalid(what, p, "a probability in [0, 1]"));
            }
        }
        let most = if self.features == 0 { self.nodes } else { self.nodes.min(self.features) };
        if !(1..=most).contains(&self.classes) {
            let expected = format!("1 to {most} (the number of nodes, and of features if any)");
            return Err(Error::invalid("classes", self.classes, expected));
        }
        // Beyond a tenth of all pairs, redrawing repeats would no longer be quick.
        let limit = (self.nodes as f64 - 1.0) / (10.0 * self.classes as f64);
        if !(self.mean_degree > 0.0 && self.mean_degree <= limit) {
            let below = (limit * 10.0).floor() / 10.0; // what is printed must be allowed
            let expected = format!("above 0 and at most {below:.1} (a tenth of a class)");
            return Err(Error::invalid("mean degree", self.mean_degree, expected));
        }
        let edges = self.mean_degree / 2.0 * (BYTES_PER_EDGE + BYTES_PER_DRAW) as f64;
        let words = if self.features == 0 { 0 } else { 16 * WORDS_PER_NODE as u64 };
        memory::ask("nodes", self.nodes as u64, BYTES_PER_NODE + words + edges as u64, 0)
    }

    fn edges(&self, seed: u64) -> Result<Vec<[NodeId; 2]>> {
        let weights = match self.degree_exponent {
            None => vec![1.0; self.nodes],
            Some(exponent) => {
                let law = PowerLaw { nodes: self.nodes, mean_degree: self.mean_degree, exponent };
                law.weights()?
            }
        };
        // Alias tables: O(1) a draw, where a search in cumulated weights would miss the cache.
        let pick_of = |weights: &[f64]| {
            WeightedAliasIndex::new(weights.to_vec())
                .map_err(|error| Error::invalid("degree weights", error, "positive weights"))
        };
        // Class c holds the nodes c, c + classes, c + 2 classes, ...
        let of_class = |class: usize| -> Vec<f64> {
            weights.iter().copied().skip(class).step_by(self.classes).collect()
        };
        let anyone = pick_of(&weights)?;
        let within: Vec<_> =
            (0..self.classes).map(|class| pick_of(&of_class(class))).collect::<Result<_>>()?;
        let mut rng = SimRng::new(seed);
        let wanted = (self.nodes as f64 * self.mean_degree / 2.0).round() as usize;
        let mut seen = FxHashSet::default();
        let mut pairs = Vec::with_capacity(wanted);
        // Hubs repeat: give up on the last few rather than redraw for ever.
        for _ in 0..wanted.saturating_mul(20) {
            if pairs.len() == wanted {
                break;
            }
            // One end by degree; the other in the same class with probability `homophily`, again by degree.
            let one = anyone.sample(&mut rng);
            let class = one % self.classes;
            let other = if self.classes == 1 || rng.random_bool(self.homophily) {
                class + self.classes * within[class].sample(&mut rng)
            } else {
                loop {
                    let other = anyone.sample(&mut rng);
                    if other % self.classes != class {
                        break other;
                    }
                }
            };
            let pair = [one.min(other) as NodeId, one.max(other) as NodeId];
            if one != other && seen.insert(pair) {
                pairs.push(pair);
            }
        }
        Ok(pairs)
    }

    fn words(&self, seed: u64) -> Result<Features> {
        let mut rng = SimRng::stream(seed, 1);
        let mut rows = SparseBuilder::new(self.features);
        let share = self.features / self.classes;
        for node in 0..self.nodes {
            // Each class has a stretch of words of its own, from which `feature_signal` of a node's words come.
            let own = (node % self.classes) * share;
            let mut words: Vec<(u32, f32)> = (0..WORDS_PER_NODE)
                .map(|_| match rng.random_bool(self.feature_signal) {
                    true => (rng.random_range(own..own + share) as u32, 1.0),
                    false => (rng.random_range(0..self.features) as u32, 1.0),
                })
                .collect();
            words.sort_unstable_by_key(|&(word, _)| word);
            // A word drawn twice is there once.
            words.dedup();
            rows.push_row(&mut words)?;
        }
        // Public by construction: a word is there or not.
        let bounds = Bounds::uniform(0.0, 1.0, BoundsOrigin::Declared)?;
        Features::sparse(rows.finish()).with_bounds(bounds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_graph::homophily::edge_homophily;

    #[test]
    fn follows_its_parameters() {
        let model = StochasticBlocks { nodes: 4000, ..StochasticBlocks::default() };
        let dataset = model.generate(2).unwrap();
        let labels = dataset.labels().unwrap();
        assert_eq!(dataset.graph().edge_count(), 16_000);
        assert_eq!(labels.class_sizes(), [1000; 4]);
        let homophily = edge_homophily(dataset.graph(), labels).unwrap();
        assert!((homophily - 0.8).abs() < 0.02, "{homophily}");
        assert!(dataset.features().unwrap().bounds().unwrap().is_public());
        // A class's own 64 words: half the draws, plus a quarter of the other half.
        let features = dataset.features().unwrap();
        let own = (0..4000)
            .flat_map(|node| features.nonzero_entries(node).map(move |(word, _)| (node, word)))
            .filter(|&(node, word)| word as usize / 64 == node % 4)
            .count() as f64;
        let share = own / features.nonzeros() as f64;
        assert!((share - 0.625).abs() < 0.03, "{share}");
    }

    #[test]
    fn the_seed_decides() {
        let model = StochasticBlocks::default();
        assert_eq!(model.generate(1).unwrap(), model.generate(1).unwrap());
        assert_ne!(model.generate(1).unwrap(), model.generate(2).unwrap());
        let bare = StochasticBlocks { features: 0, degree_exponent: None, ..model };
        assert!(bare.generate(1).unwrap().features().is_none());
    }

    #[test]
    fn impossible_parameters_are_refused() {
        let model = StochasticBlocks::default();
        for bad in [
            StochasticBlocks { homophily: 1.5, ..model },
            StochasticBlocks { feature_signal: f64::NAN, ..model },
            StochasticBlocks { classes: 0, ..model },
            StochasticBlocks { classes: 300, ..model },
            StochasticBlocks { mean_degree: 500.0, ..model },
            StochasticBlocks { nodes: 1, ..model },
        ] {
            assert!(bad.generate(0).is_err(), "{bad:?}");
        }
    }
}
