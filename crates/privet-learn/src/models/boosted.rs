//! [`BoostedTrees`]: gradient boosting over histograms, for tables of few rows and columns of any scale.
//!
//! Written here because the crates there are would not do: `gbdt` is abandoned, `nanogbm` knows two classes and needs a
//! processor with AES, `hessboost` needs a newer compiler and a C library, `perpetual` is a release candidate.
//!
//! # Equation
//! Every round adds a tree per output to the scores. With gradients `g` and curvatures `h` of the log loss, a leaf's value
//! is `-rate sum g / (sum h + l2)`, and a split is worth
//! `G_l^2 / (H_l + l2) + G_r^2 / (H_r + l2) - G^2 / (H + l2)` (Newton's step, as in XGBoost).
//!
//! # Cost
//! `O(rounds depth rows columns)`; 1,500 rows of 60 columns take about a second.

use std::path::Path;

use privet_graph::{DenseMatrix, Labels, SimRng};
use rand::seq::{SliceRandom, index};
use serde::{Deserialize, Serialize};

use super::file;
use crate::parameters::{Parameter, Parameters};
use crate::train::Watch;
use crate::{Error, Result};

const KIND: &str = "boosted-trees";
/// Values of a column that a split can tell apart.
const BINS: usize = 64;
/// No value is above it: everything goes left.
const NO_SPLIT: f32 = f32::MAX;

/// How trees are grown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BoostConfig {
    /// Rounds at most; validation rows say after which the trees stop.
    pub rounds: usize,
    /// Questions from the root to a leaf.
    pub depth: usize,
    /// The share of a Newton step that is taken.
    pub learning_rate: f64,
    /// The share of rows that a tree sees.
    pub row_share: f64,
    /// The share of columns that a level of a tree may ask about.
    pub column_share: f64,
    /// Curvature added to every leaf.
    pub l2: f64,
    /// Fewest rows of a leaf.
    pub smallest_leaf: usize,
    /// Which rows and columns trees see.
    pub seed: u64,
}

impl Default for BoostConfig {
    /// As good as any on validation graphs (reports about REDDIT-BINARY and IMDB-BINARY at epsilon 1).
    fn default() -> Self {
        Self {
            rounds: 300,
            depth: 4,
            learning_rate: 0.03,
            row_share: 0.5,
            column_share: 0.4,
            l2: 1.0,
            smallest_leaf: 5,
            seed: 0,
        }
    }
}

/// What a file says besides the trees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct TreesShape {
    inputs: usize,
    classes: usize,
    depth: usize,
    trees: usize,
}

/// Complete trees of one depth: node `k` asks, and goes on to `2k + 1` (not above the threshold) or `2k + 2`.
///
/// ```
/// use privet_graph::{DenseMatrix, Labels};
/// use privet_learn::models::{BoostConfig, BoostedTrees, likeliest};
/// use privet_learn::train::NoWatch;
/// // A class is told by two columns together, by neither alone.
/// let rows: Vec<f32> = (0..200).flat_map(|at| [(at % 2) as f32, (at / 2 % 2) as f32]).collect();
/// let class = |at: i64| Some((at % 2 + at / 2 % 2) % 2);
/// let labels = Labels::from_integers(&(0..200).map(class).collect::<Vec<_>>())?;
/// let (rows, train) = (DenseMatrix::new(200, 2, rows)?, (0..200).collect::<Vec<_>>());
/// let config = BoostConfig { column_share: 1.0, ..BoostConfig::default() };
/// let trees = BoostedTrees::fit(&config, &rows, &labels, &train, &[], &NoWatch)?;
/// assert_eq!(likeliest(&trees.scores(&rows)?)[..4], [0, 1, 1, 0]);
/// # Ok::<(), privet_learn::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct BoostedTrees {
    shape: TreesShape,
    /// One row: the scores before any tree.
    base: Parameter,
    /// One row a tree: which column each node asks about.
    columns: Parameter,
    /// One row a tree: the value at which each node divides.
    thresholds: Parameter,
    /// One row a tree: what each leaf adds.
    leaves: Parameter,
}

impl BoostedTrees {
    /// Grows trees on some rows, and keeps the rounds that are best on others.
    ///
    /// # Errors
    /// If there are no classes or rows, a row to learn from has no class, a setting makes no sense, or the watch stops.
    pub fn fit(
        config: &BoostConfig,
        rows: &DenseMatrix,
        labels: &Labels,
        train: &[u32],
        validation: &[u32],
        watch: &dyn Watch,
    ) -> Result<Self> {
        let classes = labels.class_count();
        if classes == 0 || train.is_empty() || rows.columns() == 0 {
            return Err(Error::invalid("rows to learn from", train.len(), "some, with classes"));
        }
        if !(1..=8).contains(&config.depth) || config.rounds == 0 {
            return Err(Error::invalid("depth", config.depth, "1 to 8, and at least one round"));
        }
        let class = |row: &u32| {
            let class = (*row < rows.rows() as u32).then(|| labels.class(*row)).flatten();
            class.ok_or_else(|| Error::invalid("row", row, "a row of the table, with a class"))
        };
        let known: Vec<u32> = train.iter().map(class).collect::<Result<_>>()?;
        let held: Vec<u32> = validation.iter().map(class).collect::<Result<_>>()?;
        let base = base_scores(&known, classes);
        let mut forest = Forest::new(config, rows, train, base.len());
        let mut scores = Scores::new(&base, train.len());
        let mut of_held = Scores::new(&base, validation.len());
        let (mut best, mut least) = (config.rounds, f64::INFINITY);
        for round in 0..config.rounds {
            if watch.stops() {
                return Err(Error::Interrupted);
            }
            // One gradient for all trees of a round: trees of different outputs do not see each other (as in XGBoost).
            let steps = scores.gradients(&known);
            for (output, steps) in steps.iter().enumerate() {
                let tree = forest.grow(round * base.len() + output, steps);
                // Scores grow with each tree, so that a round walks one tree per row and not all of them.
                for (at, &row) in train.iter().enumerate() {
                    scores.of_row(at)[output] += f64::from(tree.value(rows.row(row as usize)));
                }
                for (at, &row) in validation.iter().enumerate() {
                    of_held.of_row(at)[output] += f64::from(tree.value(rows.row(row as usize)));
                }
                forest.trees.push(tree);
            }
            if !held.is_empty() {
                let loss = of_held.loss(&held);
                // Early stopping looks at rows that no tree has seen.
                if loss < least {
                    (best, least) = (round + 1, loss);
                }
            }
            watch.sees(round + 1, config.rounds);
        }
        // Trees after the best round say nothing, but stay: how large a model is does not follow from what it learned.
        forest.trees[best * base.len()..].iter_mut().for_each(|tree| tree.leaves.fill(0.0));
        let shape = TreesShape {
            inputs: rows.columns(),
            classes,
            depth: config.depth,
            trees: forest.trees.len(),
        };
        let mut model = Self::empty(shape);
        model.base.value.values_mut().copy_from_slice(&base);
        for (at, tree) in forest.trees.iter().enumerate() {
            model.columns.value.row_mut(at).copy_from_slice(&tree.columns);
            model.thresholds.value.row_mut(at).copy_from_slice(&tree.thresholds);
            model.leaves.value.row_mut(at).copy_from_slice(&tree.leaves);
        }
        Ok(model)
    }

    fn empty(shape: TreesShape) -> Self {
        let (trees, leaves) = (shape.trees, 1 << shape.depth);
        let table = |name, columns| Parameter::buffer(name, DenseMatrix::zeros(trees, columns));
        Self {
            base: Parameter::buffer("base", DenseMatrix::zeros(1, outputs(shape.classes))),
            columns: table("columns", leaves - 1),
            thresholds: table("thresholds", leaves - 1),
            leaves: table("leaves", leaves),
            shape,
        }
    }

    /// The scores of every row, a column a class.
    ///
    /// # Errors
    /// If rows have another length than those it learned from.
    pub fn scores(&self, rows: &DenseMatrix) -> Result<DenseMatrix> {
        if rows.columns() != self.shape.inputs {
            let expected = format!("{}, as it learned from", self.shape.inputs);
            return Err(Error::invalid("columns", rows.columns(), expected));
        }
        let outputs = outputs(self.shape.classes);
        let mut scores = DenseMatrix::zeros(rows.rows(), self.shape.classes);
        let mut sums = vec![0f64; outputs];
        for at in 0..rows.rows() {
            for (sum, base) in sums.iter_mut().zip(self.base.value.values()) {
                *sum = f64::from(*base);
            }
            for tree in 0..self.shape.trees {
                let value = descend(
                    self.columns.value.row(tree),
                    self.thresholds.value.row(tree),
                    self.leaves.value.row(tree),
                    rows.row(at),
                );
                sums[tree % outputs] += f64::from(value);
            }
            // Of two classes the first has score 0.
            let first = self.shape.classes - outputs;
            for (score, sum) in scores.row_mut(at)[first..].iter_mut().zip(&sums) {
                *score = *sum as f32;
            }
        }
        Ok(scores)
    }

    /// Writes the trees to a safetensors file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        file::save(path, KIND, &self.shape, self)
    }

    /// Reads what [`BoostedTrees::save`] wrote.
    ///
    /// # Errors
    /// If the file cannot be read, or is not one of trees.
    pub fn load(path: &Path) -> Result<Self> {
        file::load(path, KIND, |shape: TreesShape, stored| {
            // A declared size must be covered by the numbers that the file really holds: nothing is allocated on
            // its word.
            let fits = (1..=8).contains(&shape.depth)
                && shape.classes > 0
                && shape.trees.saturating_mul(1 << shape.depth).saturating_add(shape.classes)
                    <= stored.saturating_add(1);
            match fits {
                true => Ok(Self::empty(shape)),
                false => Err(Error::invalid("trees", shape.trees, "as many as the file holds")),
            }
        })
    }
}

impl Parameters for BoostedTrees {
    fn visit<'a>(&'a self, visitor: &mut dyn FnMut(&'a Parameter)) {
        [&self.base, &self.columns, &self.thresholds, &self.leaves].into_iter().for_each(visitor);
    }

    fn visit_mut(&mut self, visitor: &mut dyn FnMut(&mut Parameter)) {
        let all = [&mut self.base, &mut self.columns, &mut self.thresholds, &mut self.leaves];
        all.into_iter().for_each(visitor);
    }
}

/// Trees per round: one tells two classes apart.
fn outputs(classes: usize) -> usize {
    if classes == 2 { 1 } else { classes }
}

/// The logarithms of shares of classes; of two, of their odds.
fn base_scores(known: &[u32], classes: usize) -> Vec<f32> {
    // One made-up row in every class: a class that is absent would have the logarithm of 0.
    let mut counts = vec![1.0f64; classes];
    known.iter().for_each(|&class| counts[class as usize] += 1.0);
    let total: f64 = counts.iter().sum();
    match classes {
        2 => vec![(counts[1] / counts[0]).ln() as f32],
        _ => counts.iter().map(|count| (count / total).ln() as f32).collect(),
    }
}

/// The leaf that a row ends in.
fn descend(columns: &[f32], thresholds: &[f32], leaves: &[f32], row: &[f32]) -> f32 {
    let mut node = 0;
    while node < columns.len() {
        // The column's number comes out of a model file: one that is out of range reads 0 and does not panic.
        let value = row.get(columns[node] as usize).copied().unwrap_or(0.0);
        node = 2 * node + 1 + usize::from(value > thresholds[node]);
    }
    leaves[node - columns.len()]
}

/// Scores of rows while trees grow.
struct Scores {
    outputs: usize,
    values: Vec<f64>,
}

impl Scores {
    fn new(base: &[f32], rows: usize) -> Self {
        let values = (0..rows).flat_map(|_| base.iter().map(|&base| f64::from(base))).collect();
        Self { outputs: base.len(), values }
    }

    fn of_row(&mut self, row: usize) -> &mut [f64] {
        &mut self.values[row * self.outputs..(row + 1) * self.outputs]
    }

    /// The probability of each output, for every row.
    fn probabilities(&self) -> impl Iterator<Item = Vec<f64>> + '_ {
        self.values.chunks(self.outputs).map(|scores| {
            if let [score] = scores {
                return vec![1.0 / (1.0 + (-score).exp())];
            }
            // Subtracting the largest score changes no ratio, and no exponential overflows.
            let most = scores.iter().copied().fold(f64::MIN, f64::max);
            let weights: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
            let total: f64 = weights.iter().sum();
            weights.into_iter().map(|weight| weight / total).collect()
        })
    }

    /// For every output, the gradient and the curvature of the log loss in every row.
    fn gradients(&self, known: &[u32]) -> Vec<Vec<(f64, f64)>> {
        let mut steps = vec![Vec::with_capacity(known.len()); self.outputs];
        for (row, &class) in self.probabilities().zip(known) {
            for (output, p) in row.into_iter().enumerate() {
                let truth = match self.outputs {
                    1 => f64::from(class),
                    _ => f64::from(u8::from(class as usize == output)),
                };
                // First and second derivative of the log loss by the score: p - y and p (1 - p). The floor keeps
                // Newton's step
                // finite where a row is sure and l2 is 0.
                steps[output].push((p - truth, (p * (1.0 - p)).max(1e-6)));
            }
        }
        steps
    }

    /// The mean log loss.
    fn loss(&self, known: &[u32]) -> f64 {
        let of = |(row, &class): (Vec<f64>, &u32)| {
            let p = match (row.as_slice(), class) {
                ([p], 1) => *p,
                ([p], _) => 1.0 - p,
                (all, class) => all[class as usize],
            };
            // One row that is sure and wrong must not make a whole round's loss infinite.
            -p.max(1e-12).ln()
        };
        self.probabilities().zip(known).map(of).sum::<f64>() / known.len() as f64
    }
}

struct Tree {
    columns: Vec<f32>,
    thresholds: Vec<f32>,
    leaves: Vec<f32>,
}

impl Tree {
    fn value(&self, row: &[f32]) -> f32 {
        descend(&self.columns, &self.thresholds, &self.leaves, row)
    }
}

/// Training rows in bins, and the trees so far.
struct Forest<'a> {
    config: &'a BoostConfig,
    /// Per column, the values between bins, ascending.
    cuts: Vec<Vec<f32>>,
    /// Per column, the bin of every training row.
    bins: Vec<Vec<u8>>,
    rows: usize,
    trees: Vec<Tree>,
}

#[derive(Clone, Copy, Default)]
struct GradientSums {
    gradient: f64,
    curvature: f64,
    rows: usize,
}

impl GradientSums {
    fn add(&mut self, (gradient, curvature): (f64, f64)) {
        self.gradient += gradient;
        self.curvature += curvature;
        self.rows += 1;
    }

    fn plus(self, other: Self) -> Self {
        Self {
            gradient: self.gradient + other.gradient,
            curvature: self.curvature + other.curvature,
            rows: self.rows + other.rows,
        }
    }

    fn minus(self, other: Self) -> Self {
        Self {
            gradient: self.gradient - other.gradient,
            curvature: self.curvature - other.curvature,
            rows: self.rows - other.rows,
        }
    }

    fn worth(self, l2: f64) -> f64 {
        self.gradient * self.gradient / (self.curvature + l2)
    }
}

impl<'a> Forest<'a> {
    fn new(config: &'a BoostConfig, rows: &DenseMatrix, train: &[u32], outputs: usize) -> Self {
        let (mut cuts, mut bins) = (Vec::new(), Vec::new());
        for column in 0..rows.columns() {
            let values: Vec<f32> =
                train.iter().map(|&row| rows.row(row as usize)[column]).collect();
            let of_column = cuts_of(&values);
            // The bin is the number of cuts below the value, so `bin > b` while growing is `value > cuts[b]` when
            // predicting.
            bins.push(
                values
                    .iter()
                    .map(|value| of_column.partition_point(|cut| value > cut) as u8)
                    .collect(),
            );
            cuts.push(of_column);
        }
        let trees = Vec::with_capacity(config.rounds * outputs);
        Self { config, cuts, bins, rows: train.len(), trees }
    }

    /// One tree; its number decides what it sees.
    fn grow(&self, number: usize, steps: &[(f64, f64)]) -> Tree {
        let Self { config, rows, .. } = self;
        // A stream for each tree: what it sees does not depend on how much the trees before it drew.
        let mut rng = SimRng::stream(config.seed, number as u64);
        let share = |share: f64, of: usize| ((share * of as f64).round() as usize).clamp(1, of);
        let mut seen = index::sample(&mut rng, *rows, share(config.row_share, *rows)).into_vec();
        // Ascending, so that the histograms below read memory from front to back.
        seen.sort_unstable();
        let splits = (1 << config.depth) - 1;
        let mut tree = Tree {
            columns: vec![0.0; splits],
            thresholds: vec![NO_SPLIT; splits],
            leaves: vec![0.0; splits + 1],
        };
        let mut node_of = vec![0usize; seen.len()];
        let mut asked: Vec<usize> = (0..self.cuts.len()).collect();
        for level in 0..config.depth {
            let (first, count) = ((1 << level) - 1, 1 << level);
            // Other columns at every level: a strong column does not decide all levels of all trees.
            asked.shuffle(&mut rng);
            // A gain has to exceed rounding errors. A node without such a split keeps `NO_SPLIT`: all of its rows
            // go left.
            let mut best = vec![(1e-9, 0usize, usize::MAX); count];
            for &column in &asked[..share(config.column_share, asked.len())] {
                // One pass over the rows gives the sums of all bins of all nodes of a level; every cut is then
                // tried without rows.
                let mut histogram = vec![GradientSums::default(); count * BINS];
                for (&row, &node) in seen.iter().zip(&node_of) {
                    histogram[(node - first) * BINS + usize::from(self.bins[column][row])]
                        .add(steps[row]);
                }
                for (node, best) in best.iter_mut().enumerate() {
                    let of_node = &histogram[node * BINS..(node + 1) * BINS];
                    let whole =
                        of_node.iter().fold(GradientSums::default(), |sum, bin| sum.plus(*bin));
                    let mut left = GradientSums::default();
                    for (bin, sums) in of_node.iter().enumerate().take(self.cuts[column].len()) {
                        left = left.plus(*sums);
                        // The right side is what is left of the whole: no second pass.
                        let right = whole.minus(left);
                        if left.rows.min(right.rows) < config.smallest_leaf {
                            continue;
                        }
                        let l2 = config.l2;
                        // Twice the gain of Chen and Guestrin (2016, eq. 7), without its cost per leaf: the order
                        // is the same.
                        let gain = left.worth(l2) + right.worth(l2) - whole.worth(l2);
                        if gain > best.0 {
                            *best = (gain, column, bin);
                        }
                    }
                }
            }
            for (node, &(_, column, bin)) in best.iter().enumerate() {
                if bin != usize::MAX {
                    tree.columns[first + node] = column as f32;
                    tree.thresholds[first + node] = self.cuts[column][bin];
                }
            }
            for (&row, node) in seen.iter().zip(&mut node_of) {
                let (_, column, bin) = best[*node - first];
                let right = bin != usize::MAX && usize::from(self.bins[column][row]) > bin;
                *node = 2 * *node + 1 + usize::from(right);
            }
        }
        let mut sums = vec![GradientSums::default(); splits + 1];
        for (&row, &node) in seen.iter().zip(&node_of) {
            sums[node - splits].add(steps[row]);
        }
        for (leaf, sums) in tree.leaves.iter_mut().zip(sums) {
            // Newton's step -G / (H + l2) (eq. 5 there), of which the learning rate takes a share.
            let step = -config.learning_rate * sums.gradient / (sums.curvature + config.l2);
            *leaf = if sums.rows == 0 { 0.0 } else { step as f32 };
        }
        tree
    }
}

/// Values between which a column is divided, about as many training rows in each part.
fn cuts_of(values: &[f32]) -> Vec<f32> {
    let mut sorted: Vec<f32> = values.iter().copied().filter(|value| value.is_finite()).collect();
    sorted.sort_by(f32::total_cmp);
    let middle = |below: f32, above: f32| below + (above - below) / 2.0;
    let mut distinct = sorted.clone();
    distinct.dedup();
    // Few different values: each has a bin of its own, with cuts half-way to its neighbours.
    if distinct.len() <= BINS {
        return distinct.windows(2).map(|pair| middle(pair[0], pair[1])).collect();
    }
    // Many: quantiles, about as many rows in each bin. A value of many rows gives the same cut twice.
    let mut cuts: Vec<f32> = (1..BINS)
        .map(|bin| {
            let at = bin * sorted.len() / BINS;
            middle(sorted[at - 1], sorted[at])
        })
        .collect();
    cuts.dedup();
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::likeliest;
    use crate::train::NoWatch;
    use rand::RngExt;

    /// Three classes by the distance from a point; two columns are noise.
    fn rings(rows: usize) -> (DenseMatrix, Labels) {
        let mut rng = SimRng::new(7);
        let (mut values, mut classes) = (Vec::new(), Vec::new());
        for _ in 0..rows {
            let row: [f32; 4] = std::array::from_fn(|_| rng.random::<f32>() * 2.0 - 1.0);
            let distance = (row[0] * row[0] + row[1] * row[1]).sqrt();
            classes.push(Some(if distance < 0.4 {
                0
            } else if distance < 0.8 {
                1
            } else {
                2
            }));
            values.extend(row);
        }
        (DenseMatrix::new(rows, 4, values).unwrap(), Labels::from_integers(&classes).unwrap())
    }

    #[test]
    fn rings_are_learnt_kept_and_repeated() {
        let (rows, labels) = rings(600);
        let parts: [Vec<u32>; 3] = [(0..400).collect(), (400..500).collect(), (500..600).collect()];
        let config = BoostConfig { learning_rate: 0.1, rounds: 80, ..BoostConfig::default() };
        let fit =
            || BoostedTrees::fit(&config, &rows, &labels, &parts[0], &parts[1], &NoWatch).unwrap();
        let trees = fit();
        let scores = trees.scores(&rows).unwrap();
        assert_eq!(fit().scores(&rows).unwrap(), scores);
        let predicted = likeliest(&scores);
        let right =
            parts[2].iter().filter(|&&row| labels.class(row) == Some(predicted[row as usize]));
        assert!(right.count() >= 88);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trees.safetensors");
        trees.save(&path).unwrap();
        assert_eq!(BoostedTrees::load(&path).unwrap().scores(&rows).unwrap(), scores);
        assert!(trees.scores(&DenseMatrix::zeros(1, 3)).is_err());
    }

    #[test]
    fn one_class_and_one_value_are_no_trouble() {
        let labels = Labels::from_integers(&[Some(3); 12]).unwrap();
        let rows = DenseMatrix::zeros(12, 1);
        let all: Vec<u32> = (0..12).collect();
        let config = BoostConfig { rounds: 3, ..BoostConfig::default() };
        let trees = BoostedTrees::fit(&config, &rows, &labels, &all, &[], &NoWatch).unwrap();
        assert_eq!(likeliest(&trees.scores(&rows).unwrap()), [0; 12]);
        let none = BoostedTrees::fit(&config, &rows, &labels, &[], &[], &NoWatch);
        assert!(none.is_err());
        let beyond = BoostedTrees::fit(&config, &rows, &labels, &[12], &[], &NoWatch);
        assert!(beyond.is_err());
    }
}
