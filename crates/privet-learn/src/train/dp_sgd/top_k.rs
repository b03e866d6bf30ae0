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
    // DPAR aggregates answers, not features: the scores of a row are its near nodes' answers, weighted by proximity.
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
mod tests {
    use privet_graph::{FeatureMatrix, SparseBuilder};
    use privet_privacy::event::BatchSampling;
    use privet_privacy::noise::NoiseRng;
    use privet_privacy::sgd::{DpSgd, Learner, RowShare, SgdSettings};
    use privet_privacy::unit::Node;
    use privet_privacy::{Ledger, Loss, Secret};

    use super::*;
    use crate::models::{MlpConfig, Network};
    use crate::parameters::Parameters;
    use crate::train::{OptimizerConfig, SgdConfig};

    const NODES: u32 = 7;

    fn config() -> MlpConfig {
        MlpConfig { hidden: vec![5, 4], dropout: 0.0, seed: 3, ..MlpConfig::new(6, 3) }
    }

    fn learner() -> PrivateTopK {
        PrivateTopK::new(config(), OptimizerConfig::default(), 0.1).unwrap()
    }

    /// Rows that read three nodes, two, one, and none.
    fn data(sparse: bool) -> AggregatedRows {
        let value = |node: u32, column: u32| ((node * 31 + column * 17) % 13) as f32 / 4.0 - 1.5;
        let features = if sparse {
            let mut rows = SparseBuilder::new(6);
            for node in 0..NODES {
                let column = |at: u32| (node + at * 2) % 6;
                let mut entries = [0, 1].map(|at| (column(at), value(node, column(at))));
                rows.push_row(&mut entries).unwrap();
            }
            Features::sparse(rows.finish())
        } else {
            let values = (0..NODES * 6).map(|at| value(at / 6, at % 6)).collect();
            Features::dense(DenseMatrix::new(NODES as usize, 6, values).unwrap())
        };
        let mut weights = SparseBuilder::new(NODES as usize);
        weights.push_row(&mut [(0, 0.5), (3, 0.3), (4, 0.2)]).unwrap();
        weights.push_row(&mut [(1, 0.9), (3, -0.4)]).unwrap();
        weights.push_row(&mut [(6, 1.0)]).unwrap();
        weights.push_row(&mut []).unwrap();
        AggregatedRows::new(features, weights.finish(), vec![0, 2, 1, 1]).unwrap()
    }

    /// The loss of one row, from the definition: scores of its nodes, weighted, against its class.
    fn loss(model: &Mlp, data: &AggregatedRows, row: usize) -> f64 {
        let mut scores = [0f64; 3];
        let (nodes, weights) = data.weights.row(row);
        for (&node, &weight) in nodes.iter().zip(weights) {
            let picked = data.features.select(&[node]);
            let answers = model.scores(picked.matrix().into(), &[0]);
            for (score, &answer) in scores.iter_mut().zip(answers.row(0)) {
                *score += f64::from(weight) * f64::from(answer);
            }
        }
        let total: f64 = scores.iter().map(|score| score.exp()).sum();
        total.ln() - scores[data.classes[row] as usize]
    }

    /// The gradient of one row, term by term, as the trusted base would see it written out.
    fn written_out(factors: &[Factors], row: usize) -> Vec<f32> {
        let mut all = Vec::new();
        for factor in factors {
            let RowTerms::Several { starts } = &factor.terms else { panic!("one term") };
            let columns = factor.output_gradients.columns();
            let mut bias = vec![0f32; columns];
            let mut matrix = match &factor.inputs {
                FeatureMatrix::Dense(inputs) => vec![0f32; inputs.columns() * columns],
                FeatureMatrix::Sparse(inputs) => vec![0f32; inputs.columns() * columns],
            };
            for term in starts[row]..starts[row + 1] {
                let gradient = factor.output_gradients.row(term);
                let entries: Vec<(usize, f32)> = match &factor.inputs {
                    FeatureMatrix::Dense(m) => m.row(term).iter().copied().enumerate().collect(),
                    FeatureMatrix::Sparse(m) => {
                        let (columns, values) = m.row(term);
                        columns.iter().map(|&c| c as usize).zip(values.iter().copied()).collect()
                    }
                };
                for (input, value) in entries {
                    for (output, g) in gradient.iter().enumerate() {
                        matrix[input * columns + output] += value * g;
                    }
                }
                bias.iter_mut().zip(gradient).for_each(|(sum, g)| *sum += g);
            }
            all.extend(matrix);
            all.extend(bias);
        }
        all
    }

    #[test]
    fn every_row_has_its_gradient_by_finite_differences() {
        for sparse in [false, true] {
            let (data, learner) = (data(sparse), learner());
            let start = learner.initial();
            let factors = learner.factors(&start, &data, &[0, 1, 2, 3]);
            for row in 0..4 {
                let found = written_out(&factors, row);
                let moved = |at: usize, by: f32| {
                    let (mut model, mut before) = (start.model.clone(), 0);
                    model.visit_mut(&mut |parameter| {
                        let values = parameter.value.values_mut();
                        if let Some(value) = at.checked_sub(before).and_then(|i| values.get_mut(i))
                        {
                            *value += by;
                        }
                        before += values.len();
                    });
                    loss(&model, &data, row)
                };
                for (at, &slope) in found.iter().enumerate() {
                    let expected = (moved(at, 5e-4) - moved(at, -5e-4)) / 1e-3;
                    assert!(
                        (f64::from(slope) - expected).abs() < 1e-3,
                        "row {row}, {at}: {slope}, not {expected}"
                    );
                }
            }
        }
    }

    /// A step of the trusted base is the sum of gradients clipped one by one, but for a little noise.
    #[test]
    fn a_step_clips_every_row_as_a_whole() {
        let (data, clip) = (data(true), 0.3);
        let optimizer = OptimizerConfig::Sgd(SgdConfig::default());
        let learner = PrivateTopK::new(config(), optimizer, 1.0).unwrap();
        let factors = learner.factors(&learner.initial(), &data, &[0, 1, 2, 3]);
        let mut expected = Vec::new();
        learner.initial().model.visit(&mut |p| expected.extend_from_slice(p.value.values()));
        let mut clipped = 0;
        for row in 0..4 {
            let gradient = written_out(&factors, row);
            let norm = gradient.iter().map(|g| g * g).sum::<f32>().sqrt();
            clipped += usize::from(norm > clip);
            let weight = (clip / norm).min(1.0);
            // Over the expected size of a batch, which is all four rows.
            let moves = gradient.iter().map(|g| weight * g / 4.0);
            expected.iter_mut().zip(moves).for_each(|(value, by)| *value -= by);
        }
        assert!((1..4).contains(&clipped), "{clipped} rows clipped");
        let settings = SgdSettings {
            steps: 1,
            rows: 4,
            batch: BatchSampling::Poisson { rate: 1.0 },
            share: RowShare::UpTo(2),
            clip_norm: f64::from(clip),
            noise_multiplier: 1e-3,
        };
        let training = DpSgd::<_, Node>::new(settings, learner).unwrap();
        let limit = Loss::new(f64::INFINITY, 1e-5).unwrap();
        let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(1)).unwrap();
        let trained = ledger.release(&Secret::new(data), &training).unwrap().into_inner().unwrap();
        let mut found = Vec::new();
        trained.model.visit(&mut |p| found.extend_from_slice(p.value.values()));
        // Six deviations of the noise.
        let allowed = 6.0 * 1e-3 * clip / 4.0;
        assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < allowed));
    }

    /// With one node of weight 1 per row the model is the plain one.
    #[test]
    fn a_row_alone_is_an_mlp() {
        let features = data(false).features;
        let mut weights = SparseBuilder::new(NODES as usize);
        (0..NODES).for_each(|node| weights.push_row(&mut [(node, 1.0)]).unwrap());
        let classes: Vec<u32> = (0..NODES).map(|node| node % 3).collect();
        let rows = [1, 4, 6];
        let plain =
            crate::train::PrivateMlp::new(config(), OptimizerConfig::default(), 0.1).unwrap();
        let labelled = crate::train::LabelledRows::new(features.clone(), classes.clone()).unwrap();
        let expected = plain.factors(&plain.initial(), &labelled, &rows);
        let data = AggregatedRows::new(features, weights.finish(), classes).unwrap();
        let found = learner().factors(&learner().initial(), &data, &rows);
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found.inputs, expected.inputs);
            assert_eq!(found.output_gradients, expected.output_gradients);
        }
    }

    #[test]
    fn rows_per_node_are_counted() {
        let data = data(true);
        assert_eq!(data.most_shared(None), 2);
        // Node 3 owns the last row, and is read by two others.
        assert_eq!(data.most_shared(Some(&[0, 1, 6, 3])), 3);
    }

    #[test]
    fn wrong_shapes_are_refused() {
        let AggregatedRows { features, weights, classes } = data(true);
        assert!(AggregatedRows::new(features.clone(), weights.clone(), vec![0]).is_err());
        assert!(AggregatedRows::new(features.select(&[0]), weights, classes).is_err());
        let dropout = MlpConfig { dropout: 0.5, ..config() };
        assert!(PrivateTopK::new(dropout, OptimizerConfig::default(), 0.1).is_err());
    }
}
