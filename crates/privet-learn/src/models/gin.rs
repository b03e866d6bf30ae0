//! [`Gin`]: the graph isomorphism network GIN-0 (Xu, Hu, Leskovec and Jegelka, 2019), which classifies
//! whole graphs; DPRR trains it on graphs whose edges were randomised.
//!
//! ```text
//! h_u(0) = features of u
//! h_u(l) = MLP_l( h_u(l-1) + sum over neighbours v of h_v(l-1) )          (epsilon = 0)
//! scores = sum over l = 0.. of dropout( linear_l( readout over u of h_u(l) ) )
//! ```
//! Each MLP has two linear layers, both normalised over the batch and rectified.
//!
//! A batch does not hold nodes but *colours*: nodes that no such network can tell apart share one row
//! (see [`GraphInputs`]). On threads of Reddit, full of leaves, that is a fourth of the rows, for the
//! same scores and gradients.

mod batch;
mod inputs;
mod layer;
mod refine;
mod task;

use std::path::Path;

use privet_graph::memory::{self, ask_width};
use privet_graph::{DenseMatrix, SimRng};
use serde::{Deserialize, Serialize};

pub use batch::GraphBatch;
pub use inputs::{GraphInputs, NodeFeatures};
pub use layer::GinLayer;
pub use task::GraphClassification;

use super::mlp::COPIES;
use super::{file, likeliest};
use crate::kernels::Write;
use crate::layers::{Dropout, Initialization, Linear};
use crate::parameters::{Parameter, Parameters};
use crate::{Error, Result};

const KIND: &str = "gin";
/// Graphs that are scored at a time.
const SCORED: usize = 64;

/// How the rows of a graph's nodes become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Readout {
    /// Their sum, which tells sizes apart.
    Sum,
    /// Their mean, which the authors (and DPRR) use for threads of Reddit.
    Mean,
}

/// The shape of a [`Gin`], and the seed of its first weights and of dropout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GinConfig {
    /// Features per node.
    pub inputs: usize,
    /// Width of every hidden layer.
    pub hidden: usize,
    /// Rounds of summing over neighbours. (The authors count the input as a layer too.)
    pub rounds: usize,
    /// Number of classes.
    pub outputs: usize,
    /// How the rows of a graph's nodes become one.
    pub readout: Readout,
    /// Share of scores dropped in training.
    pub dropout: f32,
    /// Decides the first weights and what dropout drops.
    pub seed: u64,
}

impl GinConfig {
    /// The authors' setting for Reddit: four rounds of width 64, mean readout, dropout one half.
    pub fn new(inputs: usize, outputs: usize) -> Self {
        let readout = Readout::Mean;
        Self { inputs, hidden: 64, rounds: 4, outputs, readout, dropout: 0.5, seed: 0 }
    }

    /// Checks the shape, and that it has at most so many values.
    fn check(&self, most: usize) -> Result<()> {
        for width in [self.inputs, self.hidden, self.outputs] {
            if width == 0 {
                return Err(Error::invalid("width of a layer", width, "at least 1"));
            }
        }
        // The same counts as the layers below: a hidden and a readout matrix a round, and those of
        // the first width.
        let values = || {
            let per_round = self.hidden.checked_mul(self.hidden.checked_add(self.outputs)?)?;
            let first = self.inputs.checked_mul(self.hidden.checked_add(self.outputs)?)?;
            per_round.checked_mul(self.rounds)?.checked_add(first)
        };
        match values().filter(|&values| values <= most) {
            Some(_) => Ok(()),
            None => {
                let found = format!("{} x {}, {} rounds", self.inputs, self.hidden, self.rounds);
                Err(Error::invalid("layers", found, format!("at most {most} weights")))
            }
        }
    }
}

/// A graph isomorphism network.
///
/// ```
/// use privet_graph::{Direction, GraphBuilder, GraphSet};
/// use privet_learn::models::gin::{Gin, GinConfig, GraphInputs, NodeFeatures};
/// let ring = GraphBuilder::new(4, Direction::Undirected).edges([(0, 1), (1, 2), (2, 3), (3, 0)]);
/// let star = GraphBuilder::new(4, Direction::Undirected).edges([(0, 1), (0, 2), (0, 3)]);
/// let set = GraphSet::new("two", vec![ring.build()?.0, star.build()?.0]);
/// let config = GinConfig::new(1, 2);
/// let inputs = GraphInputs::new(&set, NodeFeatures::Constant, config.rounds)?;
/// let gin = Gin::new(config)?;
/// let scores = gin.scores(&inputs, &[0, 1])?;
/// assert_ne!(scores.row(0), scores.row(1));
/// # Ok::<(), privet_learn::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Gin {
    config: GinConfig,
    layers: Vec<GinLayer>,
    readouts: Vec<Linear>,
    dropouts: Vec<Dropout>,
    /// What backward needs of the last forward pass, and memory that is used again.
    pooled: Vec<DenseMatrix>,
    part: DenseMatrix,
    by_pooled: DenseMatrix,
    gradient: DenseMatrix,
    next_gradient: DenseMatrix,
}

impl Gin {
    /// A network with random weights.
    ///
    /// # Errors
    /// If a layer has no width, or the dropout rate is not in [0, 1).
    pub fn new(config: GinConfig) -> Result<Self> {
        Self::with_at_most(config, usize::MAX)
    }

    fn with_at_most(config: GinConfig, most: usize) -> Result<Self> {
        config.check(most)?;
        ask_width(
            config.inputs,
            (config.hidden, 2 * config.rounds.min(32)),
            config.outputs,
            COPIES,
        )?;
        let per_round = (config.hidden as u64).saturating_pow(2).saturating_mul(8 * COPIES);
        memory::ask("rounds", config.rounds as u64, per_round, 0)?;
        let mut rng = SimRng::new(config.seed);
        let width = |level: usize| if level == 0 { config.inputs } else { config.hidden };
        // Level 0 reads the features, every later level the output of the round before.
        let layers = (0..config.rounds).map(|round| {
            GinLayer::new(&format!("rounds.{round}"), width(round), config.hidden, &mut rng)
        });
        let layers = layers.collect();
        let readouts = (0..=config.rounds).map(|level| {
            let name = format!("readouts.{level}");
            Linear::new(&name, width(level), config.outputs, Initialization::FanIn, &mut rng)
        });
        let readouts = readouts.collect();
        // Each level drops by its own seed.
        let dropout = |level: usize| {
            let seed = config.seed.wrapping_add((level as u64 + 1) << 32);
            Dropout::new(config.dropout, seed)
        };
        let dropouts = (0..=config.rounds).map(dropout).collect::<Result<_>>()?;
        let empty = || DenseMatrix::zeros(0, 0);
        Ok(Self {
            layers,
            readouts,
            dropouts,
            pooled: vec![empty(); config.rounds + 1],
            part: empty(),
            by_pooled: empty(),
            gradient: empty(),
            next_gradient: empty(),
            config,
        })
    }

    /// Its shape.
    pub fn config(&self) -> &GinConfig {
        &self.config
    }

    /// Training: computes the scores of a batch, and keeps what backward needs. `step` numbers the
    /// batches of a run and decides what dropout drops.
    ///
    /// # Panics
    /// If the batch was made for another number of rounds or features.
    pub fn forward(&mut self, batch: &GraphBatch, step: u64, scores: &mut DenseMatrix) {
        assert_eq!(batch.levels.len(), self.readouts.len(), "rounds of a batch");
        scores.reshape(batch.graphs(), self.config.outputs);
        scores.values_mut().fill(0.0);
        for (level, of_batch) in batch.levels.iter().enumerate() {
            // The round before is read while this one is written: two halves of one list.
            let (before, now) = self.layers.split_at_mut(level.saturating_sub(1));
            let input = before.last().map_or(&batch.features, |layer| &layer.output);
            let hidden = match now.first_mut().filter(|_| level > 0) {
                None => &batch.features,
                Some(layer) => {
                    layer.forward(&of_batch.sums, of_batch.repeats(), input);
                    &layer.output
                }
            };
            of_batch.readout.forward(hidden, &mut self.pooled[level]);
            self.readouts[level].forward(&self.pooled[level], &mut self.part);
            self.dropouts[level].forward(step, &mut self.part);
            // Jumping knowledge: the class scores are the sum of a readout of every level (Xu et
            // al. 2019, eq. 4.2).
            add(scores, &self.part);
        }
    }

    /// Adds to the gradients, given the gradient by the scores of the last forward pass, which had the
    /// same batch and step.
    ///
    /// # Panics
    /// If the shapes are not those of the last forward pass.
    pub fn backward(&mut self, batch: &GraphBatch, step: u64, by_scores: &DenseMatrix) {
        let last = batch.levels.len() - 1;
        // Each level's gradient is that of its own readout plus what the level above sent down.
        for (level, of_batch) in batch.levels.iter().enumerate().rev() {
            self.part.reshape(by_scores.rows(), by_scores.columns());
            self.part.values_mut().copy_from_slice(by_scores.values());
            self.dropouts[level].backward(step, &mut self.part);
            let by_pooled = (level > 0).then_some(&mut self.by_pooled);
            self.readouts[level].backward(&self.pooled[level], &self.part, by_pooled);
            if level == 0 {
                return;
            }
            // The top level has nothing above it to add to.
            let write = if level == last { Write::Replace } else { Write::Add };
            of_batch.readout.backward(&self.by_pooled, write, &mut self.gradient);
            // Level 1 reads features, which need no gradient.
            let below = (level > 1).then_some(&mut self.next_gradient);
            let repeats = of_batch.repeats();
            self.layers[level - 1].backward(&of_batch.sums, repeats, &mut self.gradient, below);
            std::mem::swap(&mut self.gradient, &mut self.next_gradient);
        }
    }

    /// Evaluation: computes the scores of a batch, without dropout and with running averages.
    ///
    /// # Panics
    /// If the batch was made for another number of rounds or features.
    pub fn evaluate(&self, batch: &GraphBatch, scores: &mut DenseMatrix) {
        assert_eq!(batch.levels.len(), self.readouts.len(), "rounds of a batch");
        scores.reshape(batch.graphs(), self.config.outputs);
        scores.values_mut().fill(0.0);
        let empty = || DenseMatrix::zeros(0, 0);
        let (mut hidden, mut next, mut pooled, mut part) = (empty(), empty(), empty(), empty());
        for (level, of_batch) in batch.levels.iter().enumerate() {
            // Features serve level 0 and the first round.
            let input = if level <= 1 { &batch.features } else { &hidden };
            if level > 0 {
                self.layers[level - 1].evaluate(&of_batch.sums, input, &mut next);
            }
            of_batch.readout.forward(if level == 0 { input } else { &next }, &mut pooled);
            self.readouts[level].forward(&pooled, &mut part);
            add(scores, &part);
            std::mem::swap(&mut hidden, &mut next);
        }
    }

    /// Replaces the running averages by plain means over batches of some graphs, with the weights as they
    /// are. The degrees of threads have so heavy a tail that the averages of the last few batches of
    /// training, whose weights were others besides, are a poor guess of what evaluation needs.
    ///
    /// # Errors
    /// As [`Gin::scores`].
    pub fn recalibrate(&mut self, inputs: &GraphInputs, picked: &[u32]) -> Result<()> {
        self.check_inputs(inputs, picked)?;
        let (mut batch, mut scores) = (GraphBatch::default(), DenseMatrix::zeros(0, 0));
        for (number, picked) in picked.chunks(SCORED).enumerate() {
            // Momentum 1/k makes the running statistics the plain mean over the batches.
            let momentum = Some(1.0 / (number as f64 + 1.0));
            self.layers.iter_mut().for_each(|layer| layer.set_momentum(momentum));
            batch.fill(inputs, picked, self.config.readout);
            self.forward(&batch, 0, &mut scores);
        }
        self.layers.iter_mut().for_each(|layer| layer.set_momentum(None));
        Ok(())
    }

    /// The scores of some graphs.
    ///
    /// # Errors
    /// If the inputs were made for another number of rounds or features, or a graph does not exist.
    pub fn scores(&self, inputs: &GraphInputs, picked: &[u32]) -> Result<DenseMatrix> {
        self.check_inputs(inputs, picked)?;
        let outputs = self.config.outputs;
        let mut scores = DenseMatrix::zeros(picked.len(), outputs);
        let (mut batch, mut of_batch) = (GraphBatch::default(), DenseMatrix::zeros(0, 0));
        let blocks = scores.values_mut().chunks_mut(SCORED * outputs);
        for (picked, scores) in picked.chunks(SCORED).zip(blocks) {
            batch.fill(inputs, picked, self.config.readout);
            self.evaluate(&batch, &mut of_batch);
            scores.copy_from_slice(of_batch.values());
        }
        Ok(scores)
    }

    /// The class with the highest score, for some graphs.
    ///
    /// # Errors
    /// As [`Gin::scores`].
    pub fn predict(&self, inputs: &GraphInputs, picked: &[u32]) -> Result<Vec<u32>> {
        Ok(likeliest(&self.scores(inputs, picked)?))
    }

    fn check_inputs(&self, inputs: &GraphInputs, picked: &[u32]) -> Result<()> {
        let (rounds, width) = (self.config.rounds, self.config.inputs);
        if (inputs.rounds(), inputs.width()) != (rounds, width) {
            let described = |rounds, width| format!("{width} features, {rounds} rounds");
            let found = described(inputs.rounds(), inputs.width());
            return Err(Error::invalid("graph inputs", found, described(rounds, width)));
        }
        match picked.iter().find(|&&graph| graph as usize >= inputs.len()) {
            None => Ok(()),
            Some(graph) => Err(Error::invalid("graph", graph, format!("below {}", inputs.len()))),
        }
    }

    /// Writes shape and weights to a safetensors file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        file::save(path, KIND, &self.config, self)
    }

    /// Reads what [`Gin::save`] wrote.
    ///
    /// # Errors
    /// If the file cannot be read, or is not that of a GIN.
    pub fn load(path: &Path) -> Result<Self> {
        file::load(path, KIND, Self::with_at_most)
    }
}

fn add(scores: &mut DenseMatrix, part: &DenseMatrix) {
    scores.values_mut().iter_mut().zip(part.values()).for_each(|(sum, part)| *sum += part);
}

impl Parameters for Gin {
    fn visit<'a>(&'a self, visitor: &mut dyn FnMut(&'a Parameter)) {
        self.layers.iter().for_each(|layer| layer.visit(visitor));
        self.readouts.iter().for_each(|readout| readout.visit(visitor));
    }

    fn visit_mut(&mut self, visitor: &mut dyn FnMut(&mut Parameter)) {
        self.layers.iter_mut().for_each(|layer| layer.visit_mut(visitor));
        self.readouts.iter_mut().for_each(|readout| readout.visit_mut(visitor));
    }
}

#[cfg(test)]
mod tests {
    //! The network against an independent program, finite differences, and itself in other circumstances.

    use privet_data::synthetic::BarabasiAlbert;
    use privet_graph::{Direction, Graph, GraphBuilder, GraphSet, Labels};

    use super::*;
    use crate::finite_differences::{assert_model_gradient, filled, weighted_sum};
    use crate::models::vectors::{assert_near, set_by_formula, vectors};
    use crate::parameters::Snapshot;
    use crate::train::{BatchSize, EarlyStopping, Fit, FitConfig, Schedule};

    fn small() -> GinConfig {
        GinConfig { hidden: 3, rounds: 2, dropout: 0.0, ..GinConfig::new(3, 2) }
    }

    fn vector_set(directed: bool) -> GraphSet {
        let vectors = vectors();
        GraphSet::new("vectors", (0..3).map(|at| vectors.graph(at, directed)).collect())
    }

    fn batch_of(inputs: &GraphInputs, readout: Readout) -> GraphBatch {
        let mut batch = GraphBatch::default();
        let picked: Vec<u32> = (0..inputs.len() as u32).collect();
        batch.fill(inputs, &picked, readout);
        batch
    }

    #[test]
    fn scores_match_an_independent_program() {
        for vector in vectors().gin {
            let set = vector_set(vector.directed);
            let inputs = GraphInputs::new(&set, NodeFeatures::Degree { cap: 2 }, 2).unwrap();
            let mut gin = Gin::new(GinConfig { readout: vector.readout, ..small() }).unwrap();
            set_by_formula(&mut gin);
            assert_near(&gin.scores(&inputs, &[0, 1, 2]).unwrap(), &vector.evaluation);
            let mut scores = DenseMatrix::zeros(0, 0);
            gin.forward(&batch_of(&inputs, vector.readout), 0, &mut scores);
            assert_near(&scores, &vector.training);
        }
    }

    #[test]
    fn gradients_match_finite_differences() {
        for (directed, readout) in [(false, Readout::Mean), (true, Readout::Sum)] {
            let set = vector_set(directed);
            let inputs = GraphInputs::new(&set, NodeFeatures::Degree { cap: 2 }, 2).unwrap();
            let batch = batch_of(&inputs, readout);
            let mut gin =
                Gin::new(GinConfig { readout, dropout: 0.3, seed: 4, ..small() }).unwrap();
            set_by_formula(&mut gin);
            let start = gin.clone();
            let (weights, mut scores) = (filled(3, 2, 7), DenseMatrix::zeros(0, 0));
            gin.forward(&batch, 5, &mut scores);
            gin.backward(&batch, 5, &weights);
            assert_model_gradient(&start, &gin, |mut changed| {
                let mut scores = DenseMatrix::zeros(0, 0);
                changed.forward(&batch, 5, &mut scores);
                weighted_sum(&scores, &weights)
            });
        }
    }

    fn random_graphs(count: u64, nodes: usize) -> Vec<Graph> {
        let graph = |seed: u64| {
            let edges_per_node = 1 + seed as usize % 3;
            let generated = BarabasiAlbert { nodes, edges_per_node }.generate(seed).unwrap();
            generated.graph().clone()
        };
        (0..count).map(graph).collect()
    }

    #[test]
    fn the_order_of_nodes_does_not_matter() {
        let graphs = random_graphs(4, 40);
        let turned: Vec<u32> = (0..40).map(|u| (u * 7 + 3) % 40).collect();
        let relabeled = graphs.iter().map(|graph| graph.relabeled(&turned).unwrap()).collect();
        let sets = [GraphSet::new("a", graphs), GraphSet::new("b", relabeled)];
        let mut gin = Gin::new(GinConfig { hidden: 16, ..GinConfig::new(1, 2) }).unwrap();
        let [a, b] = sets.map(|set| {
            let inputs = GraphInputs::new(&set, NodeFeatures::Constant, 4).unwrap();
            let mut scores = DenseMatrix::zeros(0, 0);
            gin.forward(&batch_of(&inputs, Readout::Sum), 1, &mut scores);
            scores
        });
        for (a, b) in a.values().iter().zip(b.values()) {
            assert!((a - b).abs() < 1e-3 * a.abs().max(1.0), "{a} {b}");
        }
        assert_ne!(a.row(0), a.row(1));
    }

    /// Colours share rows, and more rounds tell more nodes apart.
    #[test]
    fn equal_nodes_share_a_row() {
        let star = |leaves: u32| {
            let builder = GraphBuilder::new(leaves as usize + 1, Direction::Undirected);
            builder.edges((1..=leaves).map(|leaf| (0, leaf))).build().unwrap().0
        };
        let set = GraphSet::new("stars", vec![star(5), star(9), star(5)]);
        let inputs = GraphInputs::new(&set, NodeFeatures::Constant, 2).unwrap();
        assert_eq!([0, 1, 2].map(|round| inputs.colours(round)), [1, 3, 4]);
        let batch = batch_of(&inputs, Readout::Sum);
        assert_eq!(batch.rows().collect::<Vec<_>>(), [1, 3, 4]);
        assert_eq!((batch.graphs(), inputs.width(), inputs.rounds()), (3, 1, 2));
    }

    fn labels(count: usize) -> Labels {
        Labels::from_integers(&(0..count).map(|at| Some((at % 3 == 1) as i64)).collect::<Vec<_>>())
            .unwrap()
    }

    fn trained(inputs: &GraphInputs, fit: Fit<'_>) -> (Result<()>, Snapshot) {
        let config = GinConfig { hidden: 8, rounds: 2, ..GinConfig::new(1, 2) };
        let mut gin = Gin::new(config).unwrap();
        let (train, validation): (Vec<u32>, Vec<u32>) =
            (0..inputs.len() as u32).partition(|graph| graph % 4 != 0);
        let labels = labels(inputs.len());
        let mut task =
            GraphClassification::new(&mut gin, inputs, &labels, &train, &validation).unwrap();
        let result = fit.run(&mut task).map(|_| ());
        (result, gin.snapshot())
    }

    fn fit_config(epochs: usize) -> FitConfig {
        FitConfig {
            epochs,
            batch: BatchSize::Examples(5),
            schedule: Schedule::Step { every: 2, factor: 0.5 },
            early_stopping: Some(EarlyStopping { patience: 50 }),
            ..FitConfig::default()
        }
    }

    #[test]
    fn the_same_bytes_on_any_number_of_threads() {
        // Wide enough for several blocks of rows, and of arcs.
        let set = GraphSet::new("large", random_graphs(8, 4000));
        let inputs = GraphInputs::new(&set, NodeFeatures::Constant, 2).unwrap();
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let (result, snapshot) = pool.install(|| trained(&inputs, Fit::new(fit_config(2))));
            result.unwrap();
            snapshot
        };
        let one = on(1);
        assert_eq!(one, on(2));
        assert_eq!(one, on(3));
    }

    #[test]
    fn it_comes_back_from_a_file_and_refuses_what_does_not_fit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gin.safetensors");
        let gin = Gin::new(small()).unwrap();
        gin.save(&path).unwrap();
        let loaded = Gin::load(&path).unwrap();
        assert_eq!((loaded.config(), loaded.snapshot()), (gin.config(), gin.snapshot()));
        let inputs = GraphInputs::new(&vector_set(false), NodeFeatures::Constant, 2).unwrap();
        let error = gin.scores(&inputs, &[0]).unwrap_err().to_string();
        assert_eq!(
            error,
            "graph inputs: found 1 features, 2 rounds, expected 3 features, 2 rounds"
        );
        let fitting =
            GraphInputs::new(&vector_set(false), NodeFeatures::Degree { cap: 2 }, 2).unwrap();
        assert!(gin.scores(&fitting, &[3]).is_err());
        assert!(Gin::new(GinConfig { hidden: 0, ..small() }).is_err());
        assert!(Gin::new(GinConfig { rounds: usize::MAX, ..small() }).is_err());
    }

    #[test]
    fn tags_and_attributes_become_features() {
        let set = vector_set(false);
        let tags = vec![vec![0, 1, 0, 1, 1], vec![2; 4], vec![0; 6]];
        let missing = GraphInputs::new(&set, NodeFeatures::Tags { count: 3 }, 1).unwrap_err();
        assert!(missing.to_string().contains("no tags in 'vectors'"), "{missing}");
        let tagged = set.clone().with_node_tags(tags.clone()).unwrap();
        let inputs = GraphInputs::new(&tagged, NodeFeatures::Tags { count: 3 }, 1).unwrap();
        assert!(GraphInputs::new(&tagged, NodeFeatures::Tags { count: 2 }, 1).is_err());
        // The same as attributes: both give the same scores.
        let one_hot = tags.iter().map(|tags| {
            let mut rows = DenseMatrix::zeros(tags.len(), 3);
            tags.iter().enumerate().for_each(|(row, &tag)| rows.row_mut(row)[tag as usize] = 1.0);
            privet_graph::Features::dense(rows)
        });
        let with_rows = set.with_node_attributes(one_hot.collect()).unwrap();
        let attributes = GraphInputs::new(&with_rows, NodeFeatures::Attributes, 1).unwrap();
        let gin = Gin::new(GinConfig { rounds: 1, ..small() }).unwrap();
        let scores = |inputs: &GraphInputs| gin.scores(inputs, &[0, 1, 2]).unwrap();
        assert_eq!(scores(&inputs), scores(&attributes));
    }
}
