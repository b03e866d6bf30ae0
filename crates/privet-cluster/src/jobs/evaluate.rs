//! How good a classifier is on nodes that several processes hold: counts, which have no order.

use privet::graph::{FeatureMatrix, Graph, Labels};
use privet::learn::metrics::ConfusionMatrix;
use privet::learn::models::Network;

use super::pagerank::check_rows;
use super::train::gathered;
use crate::engine::Exchange;
use crate::partition::Partition;
use crate::{Error, Result};

/// Nodes whose rows are written out at a time.
const AT_A_TIME: usize = 4096;

/// How good it is.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct PartQuality {
    /// How many nodes were asked about.
    pub nodes: u64,
    /// The share of right answers.
    pub accuracy: Option<f64>,
    /// F1 of every class, averaged over classes.
    pub macro_f1: Option<f64>,
}

/// Runs this process's part: asks for the class of those of `nodes` that it holds.
///
/// # Errors
/// If a node has no class, or the labels are not one class a node.
pub fn evaluate(
    network: &dyn Network,
    (graph, x): (&Graph, &FeatureMatrix),
    labels: &Labels,
    nodes: &[u32],
    exchange: &mut Exchange,
) -> Result<PartQuality> {
    check_rows(graph, x)?;
    let classes = labels.class_count();
    let partition = Partition::of(graph.offsets(), exchange.count())?;
    let own = partition.range(exchange.index());
    let own: Vec<u32> = nodes.iter().copied().filter(|&n| own.contains(&(n as usize))).collect();
    let mut counts = vec![0u64; classes * classes];
    for nodes in own.chunks(AT_A_TIME) {
        let rows = gathered(x, nodes);
        let all: Vec<u32> = (0..nodes.len() as u32).collect();
        for (answer, &node) in network.predict((&rows).into(), &all).into_iter().zip(nodes) {
            let truth = labels.class(node);
            let truth = truth.ok_or_else(|| Error::invalid("a node", node, "one with a class"))?;
            counts[truth as usize * classes + answer as usize] += 1;
        }
    }
    let mut sums = vec![0u64; classes * classes];
    for (from, bytes) in exchange.all_hear(bytemuck::cast_slice(&counts))?.into_iter().enumerate() {
        let eights = bytes.as_chunks::<8>().0;
        if eights.len() != sums.len() {
            return Err(Error::message(from, "counts of other classes"));
        }
        for (sum, eight) in sums.iter_mut().zip(eights) {
            *sum += u64::from_ne_bytes(*eight);
        }
    }
    quality(classes, &sums)
}

/// The metrics have one definition, which takes answers one by one.
fn quality(classes: usize, counts: &[u64]) -> Result<PartQuality> {
    let (mut answers, mut truth) = (Vec::new(), Vec::new());
    for (at, &count) in counts.iter().enumerate() {
        for _ in 0..count {
            truth.push((at / classes.max(1)) as u32);
            answers.push((at % classes.max(1)) as u32);
        }
    }
    let matrix = ConfusionMatrix::new(classes, &answers, &truth)?;
    let (accuracy, macro_f1) = (matrix.accuracy(), matrix.macro_f1());
    Ok(PartQuality { nodes: counts.iter().sum(), accuracy, macro_f1 })
}
