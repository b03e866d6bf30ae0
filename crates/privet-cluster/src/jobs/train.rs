//! Training of a classifier on rows that several processes hold: logistic regression, or an MLP.
//!
//! Every process has the same model. In an epoch each computes the gradient of its blocks of nodes, the blocks are
//! summed in a fixed tree (`TreeSum`), and every process takes the same step of Adam with the same sum. The gradient of
//! a block is computed the same way wherever it is, so the weights have the same bytes for any number of processes.

use privet::graph::{Dataset, DenseMatrix, FeatureMatrix, Graph, Labels, Split, SplitShares};
use privet::learn::losses::{SoftmaxCrossEntropy, Targets};
use privet::learn::metrics::ConfusionMatrix;
use privet::learn::models::{Logistic, Mlp, MlpConfig, ModelBatch, Network};
use privet::learn::parameters::Parameters;
use privet::learn::train::{Adam, AdamConfig, Optimizer, WeightDecay};

use super::pagerank::check_rows;
use crate::checkpoint::{CheckpointState, CheckpointUse};
use crate::engine::Exchange;
use crate::partition::{BLOCK, Partition};
use crate::reduce::TreeSum;
use crate::session::{JobResult, JobSession, JobStart, missing};
use crate::{Error, Result, checkpoint};

/// What is trained, and how.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ClusterTraining {
    /// Widths of hidden layers; none is logistic regression.
    pub hidden: Vec<usize>,
    /// Passes over all rows, each one step.
    pub epochs: usize,
    /// Of Adam.
    pub learning_rate: f64,
    /// Pulls weights towards zero, by Adam's L2 term.
    pub weight_decay: f32,
    /// Decides the first weights of an MLP.
    pub seed: u64,
}

impl Default for ClusterTraining {
    /// Logistic regression, 200 epochs.
    fn default() -> Self {
        let hidden = Vec::new();
        Self { hidden, epochs: 200, learning_rate: 0.01, weight_decay: 5e-4, seed: 0 }
    }
}

/// A trained head.
#[derive(Debug, Clone)]
pub enum Head {
    /// A linear score for every class.
    Logistic(Logistic),
    /// With hidden layers.
    Mlp(Mlp),
}

impl Head {
    /// The network.
    pub fn network(&self) -> &dyn Network {
        match self {
            Self::Logistic(network) => network,
            Self::Mlp(network) => network,
        }
    }

    fn network_mut(&mut self) -> &mut dyn Network {
        match self {
            Self::Logistic(network) => network,
            Self::Mlp(network) => network,
        }
    }

    fn parameters(&self) -> &dyn Parameters {
        match self {
            Self::Logistic(network) => network,
            Self::Mlp(network) => network,
        }
    }

    /// All weights, one after the other.
    pub fn weights(&self) -> Vec<f32> {
        let mut all = Vec::new();
        self.network().visit(&mut |parameter| all.extend_from_slice(parameter.value.values()));
        all
    }
}

/// A trained head, and its loss in the last epoch.
#[derive(Debug, Clone)]
pub struct TrainedHead {
    /// The head; the same in every process.
    pub head: Head,
    /// The mean loss before the last step; none without epochs.
    pub loss: Option<f32>,
    /// The epoch from which it was resumed; 0 if from the beginning.
    pub resumed: usize,
}

/// What was learned so far; the same in every process.
struct TrainingState {
    weights: Vec<f32>,
    /// Of Adam.
    moments: Vec<f32>,
    loss: [f32; 1],
}

impl TrainingState {
    fn zeros(network: &dyn Network) -> Self {
        let (mut all, trained) = (0, network.trained_count());
        network.visit(&mut |parameter| all += parameter.value.values().len());
        Self { weights: vec![0.0; all], moments: vec![0.0; 2 * trained], loss: [0.0] }
    }
}

impl CheckpointState for TrainingState {
    fn parts(&self) -> Vec<&[u8]> {
        let all = [&self.weights[..], &self.moments, &self.loss];
        all.map(bytemuck::cast_slice).to_vec()
    }

    fn parts_mut(&mut self) -> Vec<&mut [u8]> {
        let all = [&mut self.weights[..], &mut self.moments, &mut self.loss];
        all.map(bytemuck::cast_slice_mut).into()
    }
}

/// Rows to learn from that stand in one block of nodes.
struct BlockRows {
    /// Which of the blocks with such rows it is.
    place: usize,
    rows: DenseMatrix,
    classes: Vec<u32>,
}

impl ClusterTraining {
    /// Runs this process's part: learns the classes of the nodes in `train` from their rows. `watch` is called after every
    /// epoch.
    ///
    /// # Errors
    /// If there is no node to learn from, a node has no row or no class, a setting makes no sense, or a checkpoint cannot
    /// be written.
    pub fn run(
        &self,
        (graph, x): (&Graph, &FeatureMatrix),
        (labels, train): (&Labels, &[u32]),
        exchange: &mut Exchange,
        keep: CheckpointUse<'_>,
        mut watch: impl FnMut(usize),
    ) -> Result<TrainedHead> {
        check_rows(graph, x)?;
        check_labels(labels, train, graph.node_count())?;
        let mut head = self.head(x, labels.class_count())?;
        let decay = match self.weight_decay {
            0.0 => WeightDecay::None,
            factor => WeightDecay::L2(factor),
        };
        let mut adam = Adam::new(AdamConfig { weight_decay: decay, ..AdamConfig::default() })?;
        let partition = Partition::of(graph.offsets(), exchange.count())?;
        let own = partition.range(exchange.index());
        let (lessons, blocks) = lessons(x, labels, train, &own);
        let mut state = TrainingState::zeros(head.network());
        // The order of nodes and blocks follows from the data alone, so a resumed job sums as the first one
        // did.
        let resumed = checkpoint::begin(keep, &mut state, exchange)?;
        let mut loss = None;
        if resumed > 0 {
            set_weights(head.network_mut(), &state.weights);
            adam.resume(head.parameters(), resumed as u64, &state.moments)?;
            loss = Some(state.loss[0]);
        }
        for epoch in resumed + 1..=self.epochs {
            let mut sum = TreeSum::new(blocks);
            for lesson in &lessons {
                // Blocks differ in size: each counts by its share, so that the sum is the mean over all nodes.
                let share = lesson.classes.len() as f32 / train.len() as f32;
                sum.add(0, lesson.place, gradient(head.network_mut(), lesson, share));
            }
            let whole = add_up(sum, blocks, exchange)?;
            // The last number of the sum is the loss, which travels with the gradient.
            loss = whole.last().copied();
            set_gradients(head.network_mut(), &whole);
            match &mut head {
                Head::Logistic(network) => adam.step(network, self.learning_rate),
                Head::Mlp(network) => adam.step(network, self.learning_rate),
            }
            // The state is copied out of the network only when it is written.
            if keep.is_some_and(|(checkpoints, _)| checkpoints.is_due(epoch)) {
                let (weights, moments) = (head.weights(), adam.moments());
                let state = TrainingState { weights, moments, loss: [loss.unwrap_or(0.0)] };
                checkpoint::after(keep, epoch, &state)?;
            }
            watch(epoch);
        }
        Ok(TrainedHead { head, loss, resumed })
    }

    fn head(&self, x: &FeatureMatrix, outputs: usize) -> Result<Head> {
        let inputs = match x {
            FeatureMatrix::Dense(x) => x.columns(),
            FeatureMatrix::Sparse(x) => x.columns(),
        };
        let positive = self.learning_rate > 0.0 && self.learning_rate.is_finite();
        if !positive {
            let expected = "a positive number";
            return Err(Error::invalid("--learning-rate", self.learning_rate, expected));
        }
        if !(self.weight_decay >= 0.0 && self.weight_decay.is_finite()) {
            return Err(Error::invalid("--weight-decay", self.weight_decay, "at least 0"));
        }
        if self.hidden.is_empty() {
            return Ok(Head::Logistic(Logistic::new(inputs, outputs)?));
        }
        // What dropout drops depends on where a row stands among those of a step: blocks would all drop the same.
        let (hidden, seed) = (self.hidden.clone(), self.seed);
        Ok(Head::Mlp(Mlp::new(MlpConfig { inputs, hidden, outputs, dropout: 0.0, seed })?))
    }
}

fn check_labels(labels: &Labels, train: &[u32], nodes: usize) -> Result<()> {
    if labels.is_multi() {
        return Err(Error::invalid("labels", "several classes a node", "one class a node"));
    }
    if labels.len() != nodes {
        return Err(Error::invalid("labels", labels.len(), format!("{nodes} (one per node)")));
    }
    if train.is_empty() {
        return Err(Error::invalid("nodes to train on", 0, "at least 1: give a split"));
    }
    let known = |node: u32| (node as usize) < nodes && labels.class(node).is_some();
    match train.iter().find(|&&node| !known(node)) {
        Some(node) => Err(Error::invalid("a node to train on", node, "one with a class")),
        None => Ok(()),
    }
}

/// The lessons of own nodes, and how many there are in all.
fn lessons(
    x: &FeatureMatrix,
    labels: &Labels,
    train: &[u32],
    own: &std::ops::Range<usize>,
) -> (Vec<BlockRows>, usize) {
    let mut nodes = train.to_vec();
    nodes.sort_unstable();
    nodes.dedup();
    let (mut lessons, mut blocks) = (Vec::new(), 0);
    for block in nodes.chunk_by(|a, b| *a as usize / BLOCK == *b as usize / BLOCK) {
        // Parts begin at multiples of a block, so a block has one owner.
        if own.contains(&(block[0] as usize)) {
            let classes = block.iter().filter_map(|&node| labels.class(node)).collect();
            lessons.push(BlockRows { place: blocks, rows: gathered(x, block), classes });
        }
        blocks += 1;
    }
    (lessons, blocks)
}

pub(super) fn gathered(x: &FeatureMatrix, nodes: &[u32]) -> DenseMatrix {
    match x {
        FeatureMatrix::Dense(x) => {
            let mut rows = DenseMatrix::zeros(nodes.len(), x.columns());
            for (at, &node) in nodes.iter().enumerate() {
                rows.row_mut(at).copy_from_slice(x.row(node as usize));
            }
            rows
        }
        FeatureMatrix::Sparse(x) => {
            let mut rows = DenseMatrix::zeros(nodes.len(), x.columns());
            for (at, &node) in nodes.iter().enumerate() {
                let (columns, values) = x.row(node as usize);
                let row = rows.row_mut(at);
                let entries = columns.iter().zip(values);
                entries.for_each(|(&column, &value)| row[column as usize] = value);
            }
            rows
        }
    }
}

/// A block's share of the gradient, and of the loss behind it.
fn gradient(network: &mut dyn Network, lesson: &BlockRows, share: f32) -> Vec<f32> {
    let (mut scores, mut by_scores) = (DenseMatrix::zeros(0, 0), DenseMatrix::zeros(0, 0));
    network.clear_gradients();
    network.forward(ModelBatch::Dense(&lesson.rows), 0, &mut scores);
    let classes = Targets::Classes(&lesson.classes);
    let loss = SoftmaxCrossEntropy::default().loss(&scores, classes, None, &mut by_scores);
    by_scores.values_mut().iter_mut().for_each(|gradient| *gradient *= share);
    // The layers add to their gradients, which were cleared above.
    network.backward(ModelBatch::Dense(&lesson.rows), 0, &by_scores, None);
    let mut all = Vec::with_capacity(network.trained_count() + 1);
    network.visit(&mut |parameter| all.extend_from_slice(parameter.gradient.values()));
    all.push(loss as f32 * share);
    all
}

/// The sums of all processes, joined.
fn add_up(own: TreeSum, blocks: usize, exchange: &mut Exchange) -> Result<Vec<f32>> {
    let mut message = Vec::new();
    for (height, place, sum) in own.parts() {
        let head = [u64::from(height), place as u64, sum.len() as u64];
        message.extend_from_slice(bytemuck::cast_slice(&head));
        message.extend_from_slice(bytemuck::cast_slice(sum));
    }
    let mut all = TreeSum::new(blocks);
    for (from, message) in exchange.all_hear(&message)?.into_iter().enumerate() {
        let mut left = &message[..];
        while !left.is_empty() {
            let cut = || Error::message(from, "a sum that is cut off");
            let (head, rest) = left.split_at_checked(24).ok_or_else(cut)?;
            let number = |at: usize| {
                head.as_chunks::<8>().0.get(at).map_or(0, |eight| u64::from_ne_bytes(*eight))
            };
            // A declared length is cut from what is there, never allocated.
            let (sum, rest) = rest.split_at_checked(4 * number(2) as usize).ok_or_else(cut)?;
            let fours = sum.as_chunks::<4>().0;
            let sum = fours.iter().map(|four| f32::from_ne_bytes(*four)).collect();
            all.add(number(0) as u32, number(1) as usize, sum);
            left = rest;
        }
    }
    all.whole().ok_or_else(|| Error::Broken("a block of nodes belongs to no process".to_owned()))
}

fn set_weights(network: &mut dyn Network, all: &[f32]) {
    let mut left = all;
    network.visit_mut(&mut |parameter| {
        let (here, rest) = left.split_at(parameter.value.values().len());
        parameter.value.values_mut().copy_from_slice(here);
        left = rest;
    });
}

fn set_gradients(network: &mut dyn Network, all: &[f32]) {
    let mut left = all;
    network.visit_mut(&mut |parameter| {
        let (here, rest) = left.split_at(parameter.gradient.values().len());
        parameter.gradient.values_mut().copy_from_slice(here);
        left = rest;
    });
}

// Training and evaluation as one job, from the first message to the last: learn the nodes that are for it, measure on
// those and on the ones that were set aside.

/// What was learned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrainedClassifier {
    /// The mean loss before the last step; none without epochs.
    pub loss: Option<f32>,
    /// The epoch from which it was resumed; 0 if from the beginning.
    pub resumed: usize,
    /// On the nodes it was trained on.
    pub train: PartQuality,
    /// On the nodes it is measured on.
    pub test: PartQuality,
}

impl ClusterTraining {
    /// Trains on the nodes that the dataset's own split says, or a stratified one by the seed, measures, and has worker 0
    /// write the head. `watch` is called after every epoch.
    ///
    /// # Errors
    /// Those of [`ClusterTraining::run`], if there are no features or labels, and those of `write`.
    pub fn teach<W, E: From<Error>>(
        &self,
        dataset: &Dataset,
        beginning: &JobStart,
        exchange: &mut Exchange,
        watch: impl FnMut(usize),
        write: impl FnOnce(&Head) -> Result<W, E>,
    ) -> Result<JobResult<TrainedClassifier, W>, E> {
        let session = JobSession::begin(dataset, beginning, exchange)?;
        let features = dataset.features().ok_or_else(|| missing(dataset, "features"))?;
        let labels = dataset.labels().ok_or_else(|| missing(dataset, "labels"))?;
        let split = match dataset.split() {
            Some(split) => split.clone(),
            None => Split::stratified(labels, SplitShares::HALF_QUARTER_QUARTER, self.seed)
                .map_err(Error::from)?,
        };
        let data = (dataset.graph(), features.matrix());
        let trained = self.run(data, (labels, &split.train), exchange, session.keep(), watch)?;
        let network = trained.head.network();
        let train = evaluate(network, data, labels, &split.train, exchange)?;
        let test = evaluate(network, data, labels, &split.test, exchange)?;
        let written = match exchange.index() {
            0 => Some(write(&trained.head)?),
            _ => None,
        };
        let found = TrainedClassifier { loss: trained.loss, resumed: trained.resumed, train, test };
        let nodes = dataset.graph().node_count();
        Ok(JobResult { found, written, nodes, workers: session.end(exchange)? })
    }
}

// How good a classifier is on nodes that several processes hold: counts, which have no order.

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
