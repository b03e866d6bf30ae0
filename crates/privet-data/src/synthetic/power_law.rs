//! Heavy-tailed degrees: the configuration model, and power-law degrees to feed it.

use privet_graph::memory;
use rand::RngExt;
use rand::seq::SliceRandom;

use super::{BYTES_PER_EDGE, bare, check_nodes};
use crate::{Dataset, Direction, Error, Graph, GraphBuilder, NodeId, Result, SimRng};

/// Degrees with a power-law tail `P(degree >= d) ~ d^(1 - exponent)` and a given mean, joined at
/// random by the configuration model.
///
/// ```
/// use privet_data::synthetic::PowerLaw;
/// let graph = PowerLaw { nodes: 5000, mean_degree: 8.0, exponent: 2.5 }.generate(1)?;
/// let mean = 2.0 * graph.graph().edge_count() as f64 / 5000.0;
/// assert!((7.0..=8.1).contains(&mean));   // a little is lost to repeats and self-loops
/// # Ok::<(), privet_graph::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct PowerLaw {
    /// Number of nodes.
    #[cfg_attr(feature = "clap", arg(long))]
    pub nodes: usize,
    /// Mean degree.
    #[cfg_attr(feature = "clap", arg(long))]
    pub mean_degree: f64,
    /// Exponent of the degree distribution; above 2, so that the mean exists.
    #[cfg_attr(feature = "clap", arg(long))]
    pub exponent: f64,
}

impl Default for PowerLaw {
    fn default() -> Self {
        Self { nodes: 1000, mean_degree: 10.0, exponent: 2.5 }
    }
}

impl PowerLaw {
    /// Draws a graph.
    ///
    /// # Errors
    /// Unless the exponent exceeds 2 and the mean degree is positive and below the node count.
    pub fn generate(&self, seed: u64) -> Result<Dataset> {
        check_nodes(self.nodes, 2)?;
        // Stubs stand beside the pairs they become.
        let per_node = self.mean_degree.max(0.0) / 2.0 * (BYTES_PER_EDGE + 8) as f64;
        memory::ask("nodes", self.nodes as u64, 48 + per_node as u64, 0)?;
        let weights = self.weights()?;
        // Each weight is rounded up or down at random, so its mean stays what it is.
        let mut rng = SimRng::stream(seed, 1);
        let round = |weight: f64| (weight + rng.random::<f64>()).floor() as usize;
        let degrees: Vec<usize> = weights.into_iter().map(round).collect();
        bare("power-law", configuration_model(&degrees, seed)?)
    }

    /// Expected degrees, descending: `w_i = c (i + i0)^(-1 / (exponent - 1))`, with `c` set by the
    /// mean, cut where repeats would otherwise eat the largest.
    pub(super) fn weights(&self) -> Result<Vec<f64>> {
        let Self { nodes, mean_degree, exponent } = *self;
        if exponent.is_nan() || exponent <= 2.0 {
            return Err(Error::invalid("exponent", exponent, "a number above 2"));
        }
        if !(mean_degree > 0.0 && mean_degree < nodes as f64) {
            let expected = format!("above 0 and below {nodes} (the number of nodes)");
            return Err(Error::invalid("mean degree", mean_degree, expected));
        }
        // Chung and Lu (2002): weights i^(-1/(β - 1)) give degrees whose tail falls as k^-β.
        let decay = -1.0 / (exponent - 1.0);
        let raw: Vec<f64> = (1..=nodes).map(|i| (i as f64).powf(decay)).collect();
        let scale = mean_degree * nodes as f64 / raw.iter().sum::<f64>();
        // Above sqrt(sum of degrees) a pair of hubs would expect more than one edge.
        let cut = (mean_degree * nodes as f64).sqrt().min(nodes as f64 - 1.0);
        Ok(raw.into_iter().map(|weight| (scale * weight).min(cut)).collect())
    }
}

/// A random graph with (almost) these degrees: every node gets as many stubs as its degree, the
/// stubs are paired at random, and self-loops and repeats are dropped. If the sum is odd, one stub
/// stays single.
///
/// # Errors
/// If there are more nodes than `u32` counts.
pub fn configuration_model(degrees: &[usize], seed: u64) -> Result<Graph> {
    let mut stubs: Vec<NodeId> = Vec::with_capacity(degrees.iter().sum());
    for (node, &degree) in degrees.iter().enumerate() {
        // A stub for each half of an edge; shuffled and paired in order, every matching is equally likely.
        stubs.extend(std::iter::repeat_n(node as NodeId, degree));
    }
    stubs.shuffle(&mut SimRng::new(seed));
    let pairs = stubs.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
    drop(stubs);
    Ok(GraphBuilder::from_pairs(degrees.len(), Direction::Undirected, pairs).build()?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configuration_keeps_degrees_up_to_folded_edges() {
        let degrees = [3, 2, 2, 1, 0, 1];
        let graph = configuration_model(&degrees, 1).unwrap();
        assert!(graph.nodes().all(|u| graph.degree(u) <= degrees[u as usize]));
        assert_eq!(graph.node_count(), 6);
    }

    #[test]
    fn tail_follows_the_exponent() {
        let model = PowerLaw { nodes: 200_000, mean_degree: 6.0, exponent: 2.5 };
        let dataset = model.generate(7).unwrap();
        let graph = dataset.graph();
        let share =
            |d: usize| graph.nodes().filter(|&u| graph.degree(u) >= d).count() as f64 / 200_000.0;
        // P(degree >= 40) / P(degree >= 10) = 4^-1.5 = 0.125 for a pure power law.
        let ratio = share(40) / share(10);
        assert!((0.10..0.15).contains(&ratio), "{ratio}");
    }

    #[test]
    fn impossible_parameters_are_refused() {
        let model = PowerLaw::default();
        for bad in [
            PowerLaw { exponent: 2.0, ..model },
            PowerLaw { exponent: f64::NAN, ..model },
            PowerLaw { mean_degree: 0.0, ..model },
            PowerLaw { mean_degree: 1e9, ..model },
            PowerLaw { nodes: 1, ..model },
        ] {
            assert!(bad.generate(0).is_err(), "{bad:?}");
        }
    }
}
