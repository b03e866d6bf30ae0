//! Who trains and who asks: an inductive split. Connections between the two groups are part of the secret: each person
//! trained on keeps a list of the visitors they know, which [`votes`](super::votes) alone reads. What the visitors later show
//! of themselves does not hold them, so that it says nothing about those who were trained on.

use crate::graph::{Dataset, FeatureMatrix, Features, Graph, Labels, NodeId, SparseBuilder};
use crate::graph::{Split, SplitShares};
use crate::labels::one_each;
use crate::privacy::Secret;
use crate::{Error, Result};

pub(crate) mod descent_rows;
mod open;
mod view;

pub use open::{OpenPeople, OpenPeopleShape, PeopleWithSecretEdges};
pub(super) use view::View;
pub(crate) use view::released;

/// The people whose graph is secret. Nothing in here can be read from outside, nor in this crate: mechanisms get it out
/// of the ledger's hands, after the charge.
pub struct Training {
    name: String,
    secret: Secret<OpenPeople>,
}

/// The people who are classified later. Their features and connections are not protected; their classes are
/// for the evaluation only. Whom they know in [`Training`] is not in here.
#[derive(Debug, Clone)]
pub struct Visitors {
    /// Who knows whom among them.
    pub graph: Graph,
    /// One row each, of norm 1.
    pub features: Features,
    /// The same around the middles of declared ranges, for gradient descent; none without such ranges.
    pub centred: Option<Features>,
    /// The truth, for the evaluation; [`UNKNOWN`] where it is unknown.
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
pub enum HeldOut {
    /// A fifth of the people: for reporting.
    Test,
    /// A fifth of those that are left once the test people are gone: for choosing settings.
    Validation,
}

impl Inductive {
    /// Chosen people to train on, each of whom has a class, and others to classify, who may have none. Connections
    /// between the two are left to votes alone; rows are scaled to norm 1, each on its own.
    ///
    /// # Errors
    /// If there are no features or no list of classes, a group is empty, a person is in both, or
    /// a person to train on has no class.
    pub fn new(dataset: &Dataset, training: &[NodeId], visitors: &[NodeId]) -> Result<Self> {
        required(dataset)?;
        let mut both: Vec<NodeId> = training.iter().chain(visitors).copied().collect();
        both.sort_unstable();
        if both.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(Error::invalid(
                "people",
                "a person twice",
                "each person in one group, once",
            ));
        }
        let (training, visitors) = OpenPeople::chosen(dataset, training, visitors)?;
        Ok(Self { training: training.seal(), visitors })
    }

    /// 80 % to train on and 20 % to classify, at random; rows are scaled to norm 1, each on its own. People without
    /// a class are in neither group.
    ///
    /// # Errors
    /// If there are no features or no labels.
    pub fn split(dataset: &Dataset, held: HeldOut, seed: u64) -> Result<Self> {
        let (training, visitors) = OpenPeople::split(dataset, held, seed)?;
        Ok(Self { training: training.seal(), visitors })
    }

    /// The largest share of visitors in one class: what knowing nothing about them achieves.
    pub fn majority(&self) -> f64 {
        self.visitors.majority(self.training.class_count())
    }
}

impl Visitors {
    /// All people of a dataset, who may have no class; rows are scaled to norm 1, each on its own.
    ///
    /// # Errors
    /// If there are no features.
    pub fn of(dataset: &Dataset) -> Result<Self> {
        in_the_open(dataset)
    }

    /// The rows that gradient descent reads, a constant among their columns.
    ///
    /// # Errors
    /// Never in practice.
    pub fn descent_rows(&self) -> Result<Features> {
        match &self.centred {
            Some(rows) => Ok(rows.clone()),
            None => descent_rows::beside_constant(&self.features),
        }
    }

    /// The largest share of them in one of so many classes.
    pub fn majority(&self, class_count: usize) -> f64 {
        let sizes = self.class_sizes(class_count);
        let most = sizes.iter().copied().max().unwrap_or(0);
        most as f64 / sizes.iter().sum::<usize>().max(1) as f64
    }

    /// The class of most of them, the first of equals.
    pub fn largest_class(&self, class_count: usize) -> u32 {
        let sizes = self.class_sizes(class_count);
        let largest = (0u32..).zip(&sizes).max_by_key(|(class, size)| (**size, u32::MAX - class));
        largest.map_or(0, |(class, _)| class)
    }

    fn class_sizes(&self, class_count: usize) -> Vec<usize> {
        let mut sizes = vec![0; class_count];
        let known = self.classes.iter().filter(|&&class| class != UNKNOWN);
        known.for_each(|&class| sizes[class as usize] += 1);
        sizes
    }
}

/// The class of a visitor whose class is unknown, and of people who are not there: no network answers it.
pub const UNKNOWN: u32 = u32::MAX;

/// The classes of a dataset that has features, too.
fn required(dataset: &Dataset) -> Result<&Labels> {
    let missing = |what, remedy| Error::Missing { dataset: dataset.name().into(), what, remedy };
    let remedy = "they are what is to be predicted";
    let labels = one_each(dataset.labels(), dataset.name(), remedy)?;
    match dataset.features() {
        Some(_) => Ok(labels),
        None => Err(missing("features", "DPAR learns from them")),
    }
}

/// Who is trained on, and who is held out.
fn chosen(dataset: &Dataset, held: HeldOut, seed: u64) -> Result<(Vec<NodeId>, Vec<NodeId>)> {
    let labels = required(dataset)?;
    let labelled = dataset.graph().nodes().filter(|&node| labels.class(node).is_some());
    let shares = SplitShares { train: 0.64, validation: 0.16, test: 0.2 };
    let mut split = Split::random(labelled, shares, seed)?;
    let visitors = match held {
        HeldOut::Validation => split.validation,
        HeldOut::Test => {
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
        centred: centred_rows(part)?,
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
    let class = |node| part.labels().and_then(|labels| labels.class(node)).unwrap_or(UNKNOWN);
    part.graph().nodes().map(class).collect()
}

/// A row over its norm.
pub(crate) fn to_unit(row: &mut [f32]) {
    let factor = factor(row);
    row.iter_mut().for_each(|value| *value *= factor);
}

fn factor(values: &[f32]) -> f32 {
    let norm = values.iter().map(|&v| f64::from(v).powi(2)).sum::<f64>().sqrt();
    if norm > 0.0 && norm.is_finite() { (1.0 / norm) as f32 } else { 0.0 }
}

/// Rows around the middles of declared ranges, where there are some.
fn centred_rows(part: &Dataset) -> Result<Option<Features>> {
    part.features().map_or(Ok(None), descent_rows::centred)
}

/// Every row over its norm: a function of that row alone.
fn unit_rows(part: &Dataset) -> Result<Features> {
    let missing =
        || Error::Missing { dataset: part.name().into(), what: "features", remedy: "give them" };
    let features = part.features().ok_or_else(missing)?;
    Ok(match features.matrix() {
        FeatureMatrix::Dense(matrix) => {
            let mut scaled = matrix.clone();
            (0..scaled.rows()).for_each(|row| to_unit(scaled.row_mut(row)));
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
    /// All people of a dataset, with so many classes; rows are scaled to norm 1, each on its own.
    ///
    /// # Errors
    /// If there are no features, or a person has no class.
    pub fn of(dataset: &Dataset, class_count: usize) -> Result<Self> {
        Ok(OpenPeople::of(dataset, class_count)?.seal())
    }

    /// What the data are called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many people: public.
    pub fn len(&self) -> usize {
        self.secret.shape().people
    }

    /// Whether there are no people.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many features: public.
    pub fn columns(&self) -> usize {
        self.secret.shape().columns
    }

    /// How many classes: public.
    pub fn class_count(&self) -> usize {
        self.secret.shape().classes
    }

    /// All of them, with their rows as they are.
    pub(super) fn all_people(&self) -> View<'_> {
        View { training: self, only: None, short: None }
    }
}
