//! K steps of neighbourhood aggregation, as [`Hops`](privet::learn::propagate::Hops) does them on the whole graph.
//!
//! The weights of the three aggregations are `D^(r-1) A D^(-r)` for r = 0 and 1/2, and ones. A round of
//! [`PageRank`](super::pagerank::PageRank)'s kernel at alpha = 0 multiplies by exactly 1 and adds exactly 0, so the
//! same part of a graph serves.

use privet::graph::{FeatureMatrix, Graph};
use privet::learn::propagate::part::{NodeScales, Part};
use privet::learn::propagate::{Aggregation, Propagation};

use super::pagerank::{check_rows, load};
use crate::Result;
use crate::engine::Exchange;
use crate::halo::Halo;
use crate::panels::Panels;
use crate::partition::Partition;

/// The job: `M^K X`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HopSums {
    /// How neighbours are put together.
    pub aggregation: Aggregation,
    /// K.
    pub steps: usize,
    /// Columns that travel at a time.
    pub panel: usize,
}

impl HopSums {
    /// Runs this process's part, and returns its rows.
    ///
    /// # Errors
    /// If the features do not fit the graph, or other processes have another graph.
    pub fn run(
        &self,
        (graph, x): (&Graph, &FeatureMatrix),
        exchange: &mut Exchange,
    ) -> Result<Panels> {
        check_rows(graph, x)?;
        let partition = Partition::of(graph.offsets(), exchange.count())?;
        let halo = Halo::of(graph, &partition, exchange)?;
        let weights = self.weights(graph, &halo)?;
        let part = Part::new(0.0, halo.offsets(), (halo.targets(), &weights), None);
        let mut rows = load(x, &halo.own(), self.panel);
        let width = self.panel.min(rows.columns()).max(1);
        let mut all = vec![0.0; halo.rows() * width];
        // The kernel adds alpha = 0 times every row to something.
        let mut nothing = vec![0.0; halo.own().len() * width];
        for _ in 0..self.steps {
            for panel in rows.panels_mut() {
                let columns = panel.columns();
                let all = &mut all[..halo.rows() * columns];
                halo.swap(panel.values(), columns, all, exchange)?;
                let nothing = &mut nothing[..halo.own().len() * columns];
                part.round(all, columns, panel.values_mut(), nothing);
            }
        }
        Ok(rows)
    }

    fn weights(&self, graph: &Graph, halo: &Halo) -> Result<Vec<f32>> {
        let own = halo.own();
        let offsets = &graph.offsets()[own.start..=own.end];
        let arcs = &graph.targets()[offsets[0]..offsets[own.len()]];
        let exponent = match self.aggregation {
            Aggregation::Sum => return Ok(vec![1.0; arcs.len()]),
            Aggregation::Mean => 0.0,
            Aggregation::Symmetric => 0.5,
        };
        let propagation = Propagation { alpha: 1.0, exponent, ..Propagation::default() };
        let mut weights = Vec::new();
        NodeScales::of(&propagation, graph)?.weigh(offsets, arcs, &mut weights);
        Ok(weights)
    }
}
