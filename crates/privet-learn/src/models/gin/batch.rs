//! [`GraphBatch`]: some graphs of a set side by side, as one graph without edges between them. Its
//! nodes are the colours that occur in these graphs.

use privet_graph::DenseMatrix;

use super::{GraphInputs, Readout};
use crate::kernels::RowSums;
use crate::layers::Repeats;

/// The place of a colour that is not in the batch.
const ABSENT: u32 = u32::MAX;

/// A mini-batch; filling it again allocates nothing once it has been as large.
#[derive(Debug, Clone)]
pub struct GraphBatch {
    pub(super) features: DenseMatrix,
    pub(super) levels: Vec<BatchLevel>,
    graphs: usize,
    /// For every level and colour of the set, where it is in the batch being filled.
    places: Vec<Vec<u32>>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct BatchLevel {
    colours: Vec<u32>,
    /// How many nodes have each colour.
    counts: Vec<f32>,
    /// Sums over closed neighbourhoods in the level before; unused in level 0.
    pub sums: RowSums,
    /// Sums or means over the nodes of each graph.
    pub readout: RowSums,
}

impl BatchLevel {
    pub fn repeats(&self) -> Repeats<'_> {
        Repeats::Counts(&self.counts)
    }
}

impl Default for GraphBatch {
    fn default() -> Self {
        let features = DenseMatrix::zeros(0, 0);
        Self { features, levels: Vec::new(), graphs: 0, places: Vec::new() }
    }
}

impl GraphBatch {
    /// Number of graphs.
    pub fn graphs(&self) -> usize {
        self.graphs
    }

    /// Number of rows that each level computes.
    pub fn rows(&self) -> impl Iterator<Item = usize> + '_ {
        self.levels.iter().map(|level| level.colours.len())
    }

    /// Takes some graphs of a set.
    ///
    /// # Panics
    /// If a graph does not exist.
    pub fn fill(&mut self, inputs: &GraphInputs, picked: &[u32], readout: Readout) {
        self.graphs = picked.len();
        self.levels.resize_with(inputs.levels.len(), BatchLevel::default);
        self.places.resize_with(inputs.levels.len(), Vec::new);
        for level in 0..inputs.levels.len() {
            // `places` maps a colour of the whole set to its row in this batch.
            self.places[level].resize(inputs.levels[level].colours, ABSENT);
            self.take_colours(level, inputs, picked, readout);
            if level > 0 {
                self.link(level, inputs);
            }
        }
        self.features.reshape(self.levels[0].colours.len(), inputs.width());
        for (row, &colour) in self.levels[0].colours.iter().enumerate() {
            self.features.row_mut(row).copy_from_slice(inputs.features.row(colour as usize));
        }
        for (places, level) in self.places.iter_mut().zip(&self.levels) {
            // Only the entries that were set are reset: the table is as large as all graphs, a batch is not.
            level.colours.iter().for_each(|&colour| places[colour as usize] = ABSENT);
        }
    }

    /// Gives the colours of the picked graphs places, and fills the readout.
    fn take_colours(
        &mut self,
        level: usize,
        inputs: &GraphInputs,
        picked: &[u32],
        readout: Readout,
    ) {
        let (places, of_batch) = (&mut self.places[level], &mut self.levels[level]);
        of_batch.colours.clear();
        of_batch.counts.clear();
        of_batch.readout.start();
        for &graph in picked {
            let scale = match readout {
                Readout::Sum => 1.0,
                // An empty graph would divide by 0; its readout is empty either way.
                Readout::Mean => 1.0 / inputs.nodes[graph as usize].max(1) as f32,
            };
            for &(colour, count) in inputs.levels[level].graphs.row(graph as usize) {
                let place = &mut places[colour as usize];
                // The first occurrence of a colour in this batch gets the next row.
                if *place == ABSENT {
                    *place = of_batch.colours.len() as u32;
                    of_batch.colours.push(colour);
                    of_batch.counts.push(0.0);
                }
                of_batch.counts[*place as usize] += count as f32;
                of_batch.readout.push(*place, count as f32 * scale);
            }
            of_batch.readout.end_row();
        }
        of_batch.readout.finish(of_batch.colours.len());
    }

    /// Fills the sums over neighbourhoods. The colours they refer to are those of the same graphs, so
    /// all of them have a place.
    fn link(&mut self, level: usize, inputs: &GraphInputs) {
        let (places, below) = (&self.places[level - 1], self.levels[level - 1].colours.len());
        let of_batch = &mut self.levels[level];
        of_batch.sums.start();
        for &colour in &of_batch.colours {
            // Colours below were taken in the same batch: every neighbourhood refers to rows that
            // exist.
            for &(colour, count) in inputs.levels[level].neighbourhoods.row(colour as usize) {
                of_batch.sums.push(places[colour as usize], count as f32);
            }
            of_batch.sums.end_row();
        }
        of_batch.sums.finish(below);
    }
}
