//! DP-SGD for a network whose answers are averaged over a few nodes: DPAR's model.
//!
//! # Equation
//! Training row i reads the nodes of its row of weights Π (the top K by personalised PageRank), and predicts
//! `softmax(Σ_u Π_iu f(x_u))` with f an MLP (DPAR, eq. 1). With p the prediction and y the class,
//! the gradient by `f(x_u)` is `Π_iu (p - y)`, and that by a layer's weights is the sum over the K nodes of what
//! went in times what came back: K terms, clipped as one.
//!
//! # What the caller answers for
//! Π comes from a mechanism that was paid for (or is public), and no node is read by more rows than
//! [`RowShare`](privet_privacy::sgd::RowShare) declares: see [`AggregatedRows::most_shared`].

use privet_graph::{DenseMatrix, Features, SparseMatrix};
use privet_privacy::sgd::{Factors, RowTerms};
use privet_privacy::{FirstParty, PublicShape};

use super::{PrivateNetwork, SecretRows, by_cross_entropy, factors};
use crate::models::Mlp;
use crate::{Error, Result};

/// Training rows that aggregate over nodes, with a class each: what is secret.
#[derive(Debug, Clone)]
pub struct AggregatedRows {
    features: Features,
    weights: SparseMatrix,
    classes: Vec<u32>,
}

impl AggregatedRows {
    /// `features` of all nodes; for every training row its class, and in `weights` the nodes it reads.
    ///
    /// # Errors
    /// If `weights` has not one row per class and one column per node.
    pub fn new(features: Features, weights: SparseMatrix, classes: Vec<u32>) -> Result<Self> {
        let expect = |what, found: usize, expected: usize| match found == expected {
            true => Ok(()),
            false => Err(Error::invalid(what, found, expected)),
        };
        expect("rows of weights, one per class", weights.rows(), classes.len())?;
        expect("columns of weights, one per node", weights.columns(), features.rows())?;
        Ok(Self { features, weights, classes })
    }

    /// How many rows read from the node that most read from. A node's own row counts where its weights
    /// name the node, or where `own` says whose row each is.
    ///
    /// # Panics
    /// If `own` is there and has not one node per row.
    pub fn most_shared(&self, own: Option<&[u32]>) -> u32 {
        assert!(own.is_none_or(|own| own.len() == self.classes.len()), "one owner per row");
        let mut readers = vec![0u32; self.features.rows()];
        for row in 0..self.weights.rows() {
            let (nodes, _) = self.weights.row(row);
            nodes.iter().for_each(|&node| readers[node as usize] += 1);
            // A row's own node counts once, whether or not it is among the nodes it reads.
            let owner = own.map(|own| own[row]).filter(|owner| !nodes.contains(owner));
            owner.into_iter().for_each(|owner| readers[owner as usize] += 1);
        }
        readers.into_iter().max().unwrap_or(0)
    }
}

/// An MLP to be trained by [`privet_privacy::sgd::DpSgd`] on aggregated answers.
///
/// ```
/// use privet_graph::{DenseMatrix, Features, SparseBuilder};
/// use privet_learn::models::{MlpConfig, Network};
/// use privet_learn::train::{AggregatedRows, OptimizerConfig, PrivateTopK};
/// use privet_privacy::event::BatchSampling;
/// use privet_privacy::noise::NoiseRng;
/// use privet_privacy::sgd::{DpSgd, RowShare, SgdSettings};
/// use privet_privacy::unit::Node;
/// use privet_privacy::{Ledger, Loss, Secret};
///
/// // Node i reads itself and the node after next, which is of the same class.
/// let features = DenseMatrix::new(400, 1, (0..400).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect())?;
/// let mut weights = SparseBuilder::new(400);
/// for node in 0..400 {
///     weights.push_row(&mut [(node, 0.6), ((node + 2) % 400, 0.4)])?;
/// }
/// let classes = (0..400).map(|i| i % 2).collect();
/// let data = AggregatedRows::new(Features::dense(features.clone()), weights.finish(), classes)?;
/// assert_eq!(data.most_shared(None), 2);
/// let config = MlpConfig { dropout: 0.0, hidden: vec![8], ..MlpConfig::new(1, 2) };
/// let learner = PrivateTopK::new(config, OptimizerConfig::default(), 0.05)?;
/// let settings = SgdSettings {
///     steps: 40,
///     rows: 400,
///     batch: BatchSampling::Poisson { rate: 0.2 },
///     share: RowShare::UpTo(2),
///     clip_norm: 1.0,
///     noise_multiplier: 2.0,
/// };
/// let training = DpSgd::<_, Node>::new(settings, learner)?;
/// let mut ledger = Ledger::in_memory(Loss::new(16.0, 1e-5)?, NoiseRng::from_operating_system()?)?;
/// let trained = ledger.release(&Secret::new(data), &training)?.into_inner()?;
/// assert_eq!(trained.model().predict((&features).into(), &[0, 1]), [0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type PrivateTopK = PrivateNetwork<AggregatedRows>;

impl PublicShape for AggregatedRows {
    type Shape = usize;

    fn shape(&self) -> usize {
        self.classes.len()
    }
}

impl FirstParty for AggregatedRows {}

impl SecretRows for AggregatedRows {
    fn factors(&self, model: &Mlp, rows: &[u32]) -> Vec<Factors> {
        let (mut nodes, mut weights, mut starts) = (Vec::new(), Vec::new(), vec![0]);
        for &row in rows {
            let (nodes_of_row, weights_of_row) = self.weights.row(row as usize);
            nodes.extend_from_slice(nodes_of_row);
            weights.extend_from_slice(weights_of_row);
            starts.push(nodes.len());
        }
        let inputs = self.features.select(&nodes).into_matrix();
        let terms = RowTerms::Several { starts: starts.clone() };
        factors(model, inputs, &terms, |mut answers| {
            let combined = combine(&answers, &weights, &starts);
            let classes = rows.iter().map(|&row| self.classes[row as usize]);
            let by_scores = by_cross_entropy(combined, classes);
            for (row, terms) in starts.windows(2).enumerate() {
                for (term, weight) in (terms[0]..).zip(&weights[terms[0]..terms[1]]) {
                    let gradient = answers.row_mut(term).iter_mut().zip(by_scores.row(row));
                    // score = sum_t w_t answer_t, so the gradient of term t is w_t times that of the score.
                    gradient.for_each(|(answer, g)| *answer = weight * g);
                }
            }
            answers
        })
    }
}

/// `Σ_u Π_iu f(x_u)` for every row.
fn combine(answers: &DenseMatrix, weights: &[f32], starts: &[usize]) -> DenseMatrix {
    let mut combined = DenseMatrix::zeros(starts.len() - 1, answers.columns());
    for (row, terms) in starts.windows(2).enumerate() {
        for (term, weight) in (terms[0]..).zip(&weights[terms[0]..terms[1]]) {
            let scores = combined.row_mut(row).iter_mut().zip(answers.row(term));
            scores.for_each(|(score, answer)| *score += weight * answer);
        }
    }
    combined
}

#[cfg(test)]
mod tests;
