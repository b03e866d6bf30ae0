//! [`LinkScorer`]: how likely two nodes are linked, from their embeddings.
//!
//! As in LDP-GE (section VI-B): the edge vector is the Hadamard product of the two nodes' vectors, and a
//! logistic model scores it; `score(u, v) = w' (f(z_u) * f(z_v)) + b`, with f an MLP or the identity.
//! Training compares a link with a pair that is none, see [`crate::losses::pairwise()`].

use std::path::Path;

use privet_graph::{DenseMatrix, NodeId, SimRng};
use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::{GatherBuffer, ItemRows, Mlp, MlpConfig, Network, file};
use crate::kernels::each_block;
use crate::layers::{Initialization, Linear};
use crate::losses::{Pairwise, pairwise};
use crate::metrics::roc_auc;
use crate::parameters::{Parameter, Parameters};
use crate::train::Trainable;
use crate::{Error, Result};

const KIND: &str = "link";

/// Two nodes.
pub type NodePair = (NodeId, NodeId);

/// The shape of a [`LinkScorer`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkConfig {
    /// Length of an embedding.
    pub inputs: usize,
    /// What embeddings go through first, if anything; its outputs are multiplied.
    pub encoder: Option<MlpConfig>,
    /// Decides the first weights.
    pub seed: u64,
}

/// Scores pairs of nodes.
#[derive(Debug, Clone)]
pub struct LinkScorer {
    config: LinkConfig,
    encoder: Option<Mlp>,
    output: Linear,
    /// The pairs' ends after the encoder, first ends above second ends, and their products.
    encoded: DenseMatrix,
    products: DenseMatrix,
    by_product: DenseMatrix,
    by_encoded: DenseMatrix,
}

impl LinkScorer {
    /// A scorer with random weights.
    ///
    /// # Errors
    /// If there are no inputs, or the encoder takes rows of another length.
    pub fn new(config: LinkConfig) -> Result<Self> {
        Self::with_at_most(config, super::mlp::MOST_WEIGHTS)
    }

    fn with_at_most(config: LinkConfig, most_weights: usize) -> Result<Self> {
        let encoder_inputs = config.encoder.as_ref().map(|encoder| encoder.inputs);
        if encoder_inputs.is_some_and(|inputs| inputs != config.inputs) {
            let found = encoder_inputs.unwrap_or_default();
            return Err(Error::invalid("inputs of the encoder", found, config.inputs));
        }
        if config.inputs == 0 || config.inputs > most_weights {
            let expected = format!("1 to {most_weights}");
            return Err(Error::invalid("length of embeddings", config.inputs, expected));
        }
        let start = Initialization::FanIn;
        let encoder = config.encoder.clone();
        let encoder =
            encoder.map(|e| Mlp::with_initialization(e, start, most_weights)).transpose()?;
        let width = encoder.as_ref().map_or(config.inputs, Network::outputs);
        // A stream of its own: the encoder's weights do not change when the output layer does.
        let output = Linear::new("link", width, 1, start, &mut SimRng::stream(config.seed, 1));
        let empty = || DenseMatrix::zeros(0, 0);
        let (encoded, products) = (empty(), empty());
        let (by_product, by_encoded) = (empty(), empty());
        Ok(Self { config, encoder, output, encoded, products, by_product, by_encoded })
    }

    /// The scores of pairs: the higher, the likelier a link.
    ///
    /// # Panics
    /// If a node is out of range, or embeddings have another length than the scorer takes.
    pub fn scores(&self, embeddings: ItemRows<'_>, pairs: &[NodePair]) -> Vec<f32> {
        // Blocks bound the memory that gathered ends take, whatever the number of pairs.
        const BLOCK: usize = 4096;
        let mut scores = Vec::with_capacity(pairs.len());
        let empty = || DenseMatrix::zeros(0, 0);
        let (mut encoded, mut products, mut output) = (empty(), empty(), empty());
        let (mut gathered, mut ends) = (GatherBuffer::default(), Vec::new());
        for pairs in pairs.chunks(BLOCK) {
            // One gather for both ends: first ends of all pairs, then second ends.
            write_ends(pairs, &[], &mut ends);
            let batch = gathered.batch(embeddings, &ends);
            match &self.encoder {
                Some(encoder) => encoder.evaluate(batch, &mut encoded),
                None => batch.write_dense(&mut encoded),
            }
            hadamard(&encoded, &mut products);
            self.output.forward(&products, &mut output);
            scores.extend_from_slice(output.values());
        }
        scores
    }

    /// Training: the scores of the pairs whose ends are `ends`, first ends before second ends.
    fn forward(&mut self, batch: super::ModelBatch<'_>, step: u64, scores: &mut DenseMatrix) {
        match &mut self.encoder {
            Some(encoder) => encoder.forward(batch, step, &mut self.encoded),
            None => batch.write_dense(&mut self.encoded),
        }
        hadamard(&self.encoded, &mut self.products);
        self.output.forward(&self.products, scores);
    }

    fn backward(&mut self, batch: super::ModelBatch<'_>, step: u64, by_score: &DenseMatrix) {
        let Some(encoder) = &mut self.encoder else {
            return self.output.backward(&self.products, by_score, None);
        };
        self.output.backward(&self.products, by_score, Some(&mut self.by_product));
        // d(a * b) = b da + a db
        self.by_encoded.reshape(self.encoded.rows(), self.encoded.columns());
        // First ends of all pairs stand before their second ends.
        let half = self.encoded.values().len() / 2;
        let (firsts, seconds) = self.encoded.values().split_at(half);
        let (by_firsts, by_seconds) = self.by_encoded.values_mut().split_at_mut(half);
        multiply(self.by_product.values(), seconds, by_firsts);
        multiply(self.by_product.values(), firsts, by_seconds);
        encoder.backward(batch, step, &self.by_encoded, None);
    }

    /// Its shape.
    pub fn config(&self) -> &LinkConfig {
        &self.config
    }

    /// Writes shape and weights to a safetensors file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        file::save(path, KIND, &self.config, self)
    }

    /// Reads what [`LinkScorer::save`] wrote.
    ///
    /// # Errors
    /// If the file cannot be read, or is not that of a link scorer.
    pub fn load(path: &Path) -> Result<Self> {
        file::load(path, KIND, Self::with_at_most)
    }
}

impl Parameters for LinkScorer {
    fn visit<'a>(&'a self, visitor: &mut dyn FnMut(&'a Parameter)) {
        self.encoder.iter().for_each(|encoder| encoder.visit(visitor));
        self.output.visit(visitor);
    }

    fn visit_mut(&mut self, visitor: &mut dyn FnMut(&mut Parameter)) {
        self.encoder.iter_mut().for_each(|encoder| encoder.visit_mut(visitor));
        self.output.visit_mut(visitor);
    }
}

/// First ends, then second ends: of `links`, then of `others`.
fn write_ends(links: &[NodePair], others: &[NodePair], ends: &mut Vec<NodeId>) {
    ends.clear();
    ends.extend(links.iter().chain(others).map(|pair| pair.0));
    ends.extend(links.iter().chain(others).map(|pair| pair.1));
}

/// The upper half of the rows times the lower half, entry by entry.
fn hadamard(encoded: &DenseMatrix, products: &mut DenseMatrix) {
    let columns = encoded.columns();
    products.reshape(encoded.rows() / 2, columns);
    let (firsts, seconds) = encoded.values().split_at(encoded.values().len() / 2);
    each_block(
        products,
        #[inline(always)]
        |first, out| {
            let at = first * columns..first * columns + out.len();
            multiply(&firsts[at.clone()], &seconds[at], out);
        },
    );
}

#[inline(always)]
fn multiply(a: &[f32], b: &[f32], out: &mut [f32]) {
    out.iter_mut().zip(a.iter().zip(b)).for_each(|(out, (a, b))| *out = a * b);
}

/// What to learn links from: embeddings, links, and pairs that are none. Validation measures the area
/// under the ROC curve.
pub struct LinkPrediction<'a> {
    scorer: &'a mut LinkScorer,
    embeddings: ItemRows<'a>,
    train: (&'a [NodePair], &'a [NodePair]),
    validation: (&'a [NodePair], &'a [NodePair]),
    form: Pairwise,
    gathered: GatherBuffer,
    links: Vec<NodePair>,
    others: Vec<NodePair>,
    ends: Vec<NodeId>,
    scores: DenseMatrix,
    by_score: DenseMatrix,
}

impl<'a> LinkPrediction<'a> {
    /// A task for `scorer`: each side is (links, pairs that are none).
    ///
    /// # Errors
    /// If a node has no embedding, or there are links to train on but no other pairs.
    pub fn new(
        scorer: &'a mut LinkScorer,
        embeddings: ItemRows<'a>,
        train: (&'a [NodePair], &'a [NodePair]),
        validation: (&'a [NodePair], &'a [NodePair]),
        form: Pairwise,
    ) -> Result<Self> {
        let pairs = [train.0, train.1, validation.0, validation.1];
        let largest = pairs.into_iter().flatten().map(|pair| pair.0.max(pair.1)).max();
        if let Some(node) = largest.filter(|&node| node as usize >= embeddings.rows()) {
            return Err(Error::invalid("node", node, format!("below {}", embeddings.rows())));
        }
        if embeddings.columns() != scorer.config.inputs {
            let expected = scorer.config.inputs;
            return Err(Error::invalid("length of embeddings", embeddings.columns(), expected));
        }
        if train.1.is_empty() && !train.0.is_empty() {
            return Err(Error::invalid("pairs that are no links", 0, "at least 1"));
        }
        let empty = || DenseMatrix::zeros(0, 0);
        Ok(Self {
            scorer,
            embeddings,
            train,
            validation,
            form,
            gathered: GatherBuffer::default(),
            links: Vec::new(),
            others: Vec::new(),
            ends: Vec::new(),
            scores: empty(),
            by_score: empty(),
        })
    }
}

impl Trainable for LinkPrediction<'_> {
    fn examples(&self) -> usize {
        self.train.0.len()
    }

    /// Each link of the batch meets a random pair that is none.
    fn train(&mut self, picked: &[u32], step: u64) -> Result<f64> {
        // Streams 0 and 1 belong to the initial weights.
        let mut rng = SimRng::stream(self.scorer.config.seed, step + 2);
        self.links.clear();
        self.links.extend(picked.iter().map(|&at| self.train.0[at as usize]));
        self.others.clear();
        // A fresh negative for every link and step, from a stream of its own, so that a run can be repeated.
        let other = |_| self.train.1[rng.random_range(0..self.train.1.len())];
        self.others.extend(picked.iter().map(other));
        write_ends(&self.links, &self.others, &mut self.ends);
        let batch = self.gathered.batch(self.embeddings, &self.ends);
        self.scorer.forward(batch, step, &mut self.scores);
        self.by_score.reshape(2 * picked.len(), 1);
        let (links, others) = self.scores.values().split_at(picked.len());
        let (by_link, by_other) = self.by_score.values_mut().split_at_mut(picked.len());
        let loss = pairwise(self.form, links, others, by_link, by_other);
        let batch = self.gathered.batch(self.embeddings, &self.ends);
        self.scorer.backward(batch, step, &self.by_score);
        Ok(loss)
    }

    fn validate(&mut self) -> Result<Option<f64>> {
        let (links, others) = self.validation;
        let mut scores = self.scorer.scores(self.embeddings, links);
        // Links first, then other pairs: `truth` follows that order.
        scores.extend(self.scorer.scores(self.embeddings, others));
        let truth: Vec<bool> = (0..scores.len()).map(|at| at < links.len()).collect();
        Ok(roc_auc(&scores, &truth))
    }

    fn parameters(&self) -> &dyn Parameters {
        self.scorer
    }

    fn parameters_mut(&mut self) -> &mut dyn Parameters {
        self.scorer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finite_differences::{assert_gradient_off_corners, filled};
    use crate::train::{Fit, FitConfig};

    fn config(encoded: bool) -> LinkConfig {
        let encoder = MlpConfig { hidden: vec![5], dropout: 0.2, seed: 3, ..MlpConfig::new(4, 3) };
        LinkConfig { inputs: 4, encoder: encoded.then_some(encoder), seed: 1 }
    }

    #[test]
    fn gradients_match_finite_differences() {
        let embeddings = filled(6, 4, 1);
        let links: Vec<NodePair> = vec![(0, 1), (1, 2), (3, 3)];
        let others: Vec<NodePair> = vec![(0, 5), (4, 2)];
        for encoded in [false, true] {
            let start = LinkScorer::new(config(encoded)).unwrap();
            let loss = |scorer: &mut LinkScorer| {
                let (train, rows) = ((&links[..], &others[..]), (&embeddings).into());
                let mut task =
                    LinkPrediction::new(scorer, rows, train, (&[], &[]), Pairwise::Logistic)
                        .unwrap();
                task.train(&[2, 0, 1], 5).unwrap()
            };
            let mut scorer = start.clone();
            loss(&mut scorer);
            scorer.visit(&mut |parameter| {
                assert_gradient_off_corners(&parameter.value, &parameter.gradient, |value| {
                    let mut changed = start.clone();
                    changed.visit_mut(&mut |p| {
                        if p.name() == parameter.name() {
                            p.value = value.clone();
                        }
                    });
                    loss(&mut changed)
                });
            });
        }
    }

    /// Nodes of two groups, linked within a group: the sign of the first coordinate tells.
    #[test]
    fn it_learns_groups() {
        let mut embeddings = filled(40, 4, 2);
        for node in 0..40 {
            let first = &mut embeddings.row_mut(node)[0];
            *first = if node % 2 == 0 { first.abs() } else { -first.abs() };
        }
        let pairs = |same: bool| -> Vec<NodePair> {
            let all = (0..40).flat_map(|u| (0..u).map(move |v| (u, v)));
            all.filter(|(u, v)| ((u % 2) == (v % 2)) == same).collect()
        };
        let (links, others) = (pairs(true), pairs(false));
        let mut scorer = LinkScorer::new(config(false)).unwrap();
        let train = (&links[..300], &others[..300]);
        let validation = (&links[300..], &others[300..]);
        let mut task = LinkPrediction::new(
            &mut scorer,
            (&embeddings).into(),
            train,
            validation,
            Pairwise::Logistic,
        )
        .unwrap();
        let config = FitConfig { epochs: 40, learning_rate: 0.05, ..FitConfig::default() };
        let report = Fit::new(config).run(&mut task).unwrap();
        assert!(report.best_metric.unwrap() > 0.97, "{report:?}");
    }

    #[test]
    fn files_bring_a_scorer_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("link.safetensors");
        for encoded in [false, true] {
            let scorer = LinkScorer::new(config(encoded)).unwrap();
            scorer.save(&path).unwrap();
            let back = LinkScorer::load(&path).unwrap();
            assert_eq!((back.config(), back.snapshot()), (scorer.config(), scorer.snapshot()));
        }
        assert!(LinkScorer::new(LinkConfig { inputs: 7, ..config(true) }).is_err());
        assert!(LinkScorer::new(LinkConfig { inputs: 0, ..config(false) }).is_err());
    }
}
