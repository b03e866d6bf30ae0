//! K steps of neighbourhood aggregation, as [`Hops`](privet::learn::propagate::Hops) does them on the whole graph.
//!
//! The weights of the three aggregations are `D^(r-1) A D^(-r)` for r = 0 and 1/2, and ones. A round of
//! [`PageRank`](super::pagerank::PageRank)'s kernel at alpha = 0 multiplies by exactly 1 and adds exactly 0, so the
//! same part of a graph serves.

use privet::graph::{DenseMatrix, FeatureMatrix, Graph};
use privet::learn::propagate::part::{NodeScales, PropagationPart};
use privet::learn::propagate::{Aggregation, Propagation};

use super::pagerank::{check_rows, columns, load};
use crate::Result;
use crate::checkpoint::{self, CheckpointUse};
use crate::engine::Exchange;
use crate::halo::Halo;
use crate::halo::Panels;
use crate::partition::Partition;

/// The job: `M^K X`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HopSums {
    /// How neighbours are put together.
    pub aggregation: Aggregation,
    /// K.
    pub steps: usize,
    /// Columns that travel at a time; those that [`Halo::panel`] finds room for, if none are given.
    pub panel: Option<usize>,
}

/// This process's rows after the last step.
#[derive(Debug, Clone, PartialEq)]
pub struct HopRows {
    /// The rows.
    pub rows: Panels,
    /// The step from which it was resumed; 0 if from the beginning.
    pub resumed: usize,
}

impl HopSums {
    /// Runs this process's part, and returns its rows. `watch` is called after every step.
    ///
    /// # Errors
    /// If the features do not fit the graph, other processes have another graph, or a checkpoint cannot be written.
    pub fn run(
        &self,
        (graph, x): (&Graph, &FeatureMatrix),
        exchange: &mut Exchange,
        keep: CheckpointUse<'_>,
        mut watch: impl FnMut(usize),
    ) -> Result<HopRows> {
        check_rows(graph, x)?;
        let partition = Partition::of(graph.offsets(), exchange.count())?;
        let halo = Halo::of(graph, &partition, exchange)?;
        let weights = self.weights(graph, &halo)?;
        // What was needed of a graph in files is in `halo` now.
        graph.release(0..graph.node_count());
        let part = PropagationPart::new(0.0, halo.offsets(), (halo.targets(), &weights), None);
        let panel = match self.panel {
            Some(columns) => columns,
            None => halo.panel(columns(x), exchange)?,
        };
        let width = panel.min(columns(x)).max(1);
        let mut rows = Panels::zeros(halo.own().len(), columns(x), panel);
        let resumed = checkpoint::begin(keep, &mut rows, exchange)?;
        if resumed == 0 {
            rows = load(x, &halo.own(), panel);
        }
        let mut all = DenseMatrix::zeros(halo.rows(), width);
        // The kernel adds alpha = 0 times every row to something.
        let mut nothing = vec![0.0; halo.own().len() * width];
        for step in resumed + 1..=self.steps {
            for panel in rows.panels_mut() {
                let columns = panel.columns();
                let all = &mut all.values_mut()[..halo.rows() * columns];
                halo.swap(panel.values(), columns, all, exchange)?;
                let nothing = &mut nothing[..halo.own().len() * columns];
                part.round(all, columns, panel.values_mut(), nothing);
            }
            checkpoint::after(keep, step, &rows)?;
            watch(step);
        }
        Ok(HopRows { rows, resumed })
    }

    fn weights(&self, graph: &Graph, halo: &Halo) -> Result<Vec<f32>> {
        let own = halo.own();
        let offsets = &graph.offsets()[own.start..=own.end];
        let arcs = &graph.targets()[offsets[0]..offsets[own.len()]];
        let exponent = match self.aggregation {
            Aggregation::Sum => return Ok(vec![1.0; arcs.len()]),
            // D^(r-1) A D^-r with r = 0 is D^-1 A, the mean over neighbours; r = 1/2 is the symmetric form.
            Aggregation::Mean => 0.0,
            Aggregation::Symmetric => 0.5,
        };
        let propagation = Propagation { alpha: 1.0, exponent, ..Propagation::default() };
        let mut weights = Vec::new();
        NodeScales::of(&propagation, graph)?.weigh(offsets, arcs, &mut weights);
        Ok(weights)
    }
}
