//! Who trains and who asks: an inductive split. Connections between the two groups are cut, so that what the
//! visitors later show of themselves says nothing about those who were trained on.

use crate::graph::{
    Dataset, DenseMatrix, FeatureMatrix, Features, Graph, Labels, NodeId, SparseBuilder,
};
use crate::graph::{Direction, Split, SplitShares};
use crate::learn::train::{AggregatedRows, LabelledRows};
use crate::privacy::Secret;
use crate::privacy::aggregation::AttributedGraph;
use crate::{Error, Result};

mod altered;

use altered::ABSENT;

/// The people whose graph is secret. Nothing in here can be read from outside: mechanisms get it wrapped.
pub struct Training {
    pub(super) name: String,
    graph: Graph,
    features: Features,
    /// [`altered::ABSENT`] for people who are not there.
    classes: Vec<u32>,
    class_count: usize,
}

/// The people who are classified later. Their features and connections are not protected; their classes are
/// for the evaluation only. None of them knows anybody in [`Training`].
#[derive(Debug, Clone)]
pub struct Visitors {
    /// Who knows whom among them.
    pub graph: Graph,
    /// One row each.
    pub features: Features,
    /// The truth.
    pub classes: Vec<u32>,
}

/// Both.
pub struct Inductive {
    /// The secret part.
    pub training: Training,
    /// Who asks.
    pub visitors: Visitors,
}

/// Who is held out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// A fifth of the people: for reporting.
    Test,
    /// A fifth of those that are left once the test people are gone: for choosing settings.
    Validation,
}

impl Inductive {
    /// 80 % to train on and 20 % to classify, at random; rows are scaled to norm 1, each on its own.
    ///
    /// # Errors
    /// If there are no features or no labels.
    pub fn split(dataset: &Dataset, held: Held, seed: u64) -> Result<Self> {
        let (inside, outside) = chosen(dataset, held, seed)?;
        let (training, visitors) = (part(dataset, &inside)?, part(dataset, &outside)?);
        let class_count = dataset.labels().map_or(0, |labels| labels.class_count());
        Ok(Self {
            training: Training::of(&training, class_count)?,
            visitors: in_the_open(&visitors)?,
        })
    }

    /// The largest share of visitors in one class: what knowing nothing about them achieves.
    pub fn majority(&self) -> f64 {
        let mut sizes = vec![0usize; self.training.class_count];
        self.visitors.classes.iter().for_each(|&class| sizes[class as usize] += 1);
        let most = sizes.into_iter().max().unwrap_or(0);
        most as f64 / self.visitors.classes.len().max(1) as f64
    }
}

/// Who is trained on, and who is held out.
fn chosen(dataset: &Dataset, held: Held, seed: u64) -> Result<(Vec<NodeId>, Vec<NodeId>)> {
    let missing = |what, remedy| Error::Missing { dataset: dataset.name().into(), what, remedy };
    let labels =
        dataset.labels().ok_or_else(|| missing("labels", "they are what is to be predicted"))?;
    if dataset.features().is_none() {
        return Err(missing("features", "DPAR learns from them; give them with --features FILE"));
    }
    let labelled = dataset.graph().nodes().filter(|&node| labels.class(node).is_some());
    let shares = SplitShares { train: 0.64, validation: 0.16, test: 0.2 };
    let mut split = Split::random(labelled, shares, seed)?;
    let visitors = match held {
        Held::Validation => split.validation,
        Held::Test => {
            split.train.append(&mut split.validation);
            split.test
        }
    };
    Ok((split.train, visitors))
}

fn in_the_open(part: &Dataset) -> Result<Visitors> {
    Ok(Visitors {
        graph: part.graph().to_undirected()?,
        features: unit_rows(part)?,
        classes: classes(part),
    })
}

fn part(dataset: &Dataset, nodes: &[NodeId]) -> Result<Dataset> {
    if nodes.is_empty() {
        return Err(Error::invalid("people with a class", 0, "enough to train on and to classify"));
    }
    Ok(dataset.induced(nodes)?)
}

fn classes(part: &Dataset) -> Vec<u32> {
    let class = |node| part.labels().and_then(|labels| labels.class(node)).unwrap_or(0);
    part.graph().nodes().map(class).collect()
}

/// Every row over its norm: a function of that row alone.
fn unit_rows(part: &Dataset) -> Result<Features> {
    let missing =
        || Error::Missing { dataset: part.name().into(), what: "features", remedy: "give them" };
    let features = part.features().ok_or_else(missing)?;
    let factor = |values: &[f32]| {
        let norm = values.iter().map(|&v| f64::from(v).powi(2)).sum::<f64>().sqrt();
        if norm > 0.0 && norm.is_finite() { (1.0 / norm) as f32 } else { 0.0 }
    };
    Ok(match features.matrix() {
        FeatureMatrix::Dense(matrix) => {
            let mut scaled = matrix.clone();
            for row in 0..scaled.rows() {
                let factor = factor(scaled.row(row));
                scaled.row_mut(row).iter_mut().for_each(|value| *value *= factor);
            }
            Features::dense(scaled)
        }
        FeatureMatrix::Sparse(matrix) => {
            let mut scaled = SparseBuilder::new(matrix.columns());
            for row in 0..matrix.rows() {
                let (columns, values) = matrix.row(row);
                let factor = factor(values);
                let mut entries: Vec<(u32, f32)> =
                    columns.iter().copied().zip(values.iter().map(|v| v * factor)).collect();
                scaled.push_row(&mut entries)?;
            }
            Features::sparse(scaled.finish())
        }
    })
}

impl Training {
    /// Everybody in a dataset, with so many classes; rows are scaled to norm 1, each on its own.
    ///
    /// # Errors
    /// If there are no features.
    pub fn of(dataset: &Dataset, class_count: usize) -> Result<Self> {
        Ok(Self {
            name: dataset.name().into(),
            graph: dataset.graph().to_undirected()?,
            features: unit_rows(dataset)?,
            classes: classes(dataset),
            class_count,
        })
    }

    /// How many people: public.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Whether there is nobody.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// How many features: public.
    pub fn columns(&self) -> usize {
        self.features.columns()
    }

    /// How many classes: public.
    pub fn class_count(&self) -> usize {
        self.class_count
    }

    /// The same people, who know nobody: a control for what connections contribute.
    ///
    /// # Errors
    /// Never in practice.
    pub fn forget_connections(&mut self) -> Result<()> {
        self.graph = Graph::empty(self.len(), Direction::Undirected)?;
        Ok(())
    }

    /// Some of the people, and the connections among them.
    pub(super) fn induced(&self, nodes: &[NodeId]) -> Result<Self> {
        Ok(Self {
            name: self.name.clone(),
            graph: crate::graph::subgraph::induced(&self.graph, nodes)?,
            features: self.features.select(nodes),
            classes: nodes.iter().map(|&node| self.classes[node as usize]).collect(),
            class_count: self.class_count,
        })
    }

    /// The same people with rows that a public function makes of theirs, each on its own.
    pub(super) fn with_features(&self, each: impl FnOnce(&Features) -> Features) -> Self {
        Self {
            name: self.name.clone(),
            graph: self.graph.clone(),
            features: each(&self.features),
            classes: self.classes.clone(),
            class_count: self.class_count,
        }
    }

    /// For a mechanism that ranks.
    pub(super) fn ranked(&self) -> Secret<Graph> {
        Secret::new(self.graph.clone())
    }

    /// For training on rows that stand for themselves.
    pub(super) fn rows(&self) -> Result<Secret<LabelledRows>> {
        Ok(Secret::new(LabelledRows::new(self.features.clone(), self.classes.clone())?))
    }

    /// For training on rows that average over a released structure.
    pub(super) fn aggregated(
        &self,
        weights: crate::graph::SparseMatrix,
    ) -> Result<Secret<AggregatedRows>> {
        let classes = self.classes_of(&weights);
        Ok(Secret::new(AggregatedRows::new(self.features.clone(), weights, classes)?))
    }

    /// For sums over neighbours: what a public function makes of each row.
    pub(super) fn attributed(
        &self,
        each: impl FnOnce(&Features) -> DenseMatrix,
    ) -> Secret<AttributedGraph> {
        let (graph, rows) = (self.graph.clone(), each(&self.features));
        Secret::new(AttributedGraph { graph, rows })
    }

    /// For training on what a public function makes of each row, and the class.
    pub(super) fn labelled(
        &self,
        each: impl FnOnce(&Features) -> DenseMatrix,
    ) -> Result<Secret<LabelledRows>> {
        let rows = Features::dense(each(&self.features));
        Ok(Secret::new(LabelledRows::new(rows, self.classes.clone())?))
    }

    /// For training on what a public function makes of everybody's row and list of neighbours.
    pub(super) fn beside_neighbours(
        &self,
        lists: impl FnOnce(&Graph) -> Vec<Vec<u32>>,
        rows: impl FnOnce(&Features, &[Vec<u32>]) -> Result<Features>,
    ) -> Result<Secret<LabelledRows>> {
        let rows = rows(&self.features, &lists(&self.graph))?;
        Ok(Secret::new(LabelledRows::new(rows, self.classes.clone())?))
    }

    /// Everything in the clear, for what privacy costs. Not for anything that is released.
    pub(super) fn in_the_clear(&self) -> Result<(&Graph, &Features, Labels)> {
        let names = (0..self.class_count).map(|class| class.to_string()).collect();
        let labels =
            self.classes.iter().map(|&class| Some(class).filter(|&c| c != ABSENT)).collect();
        Ok((&self.graph, &self.features, Labels::single(labels, names)?))
    }
}
