//! [`NamedData`]: what is measured on, and how cells tell one dataset from another.

use privet::graph::{Dataset, FeatureMatrix, Graph, GraphSet, Labels, Split};
use privet::learn::metrics::accuracy;
use privet::release::SplitData;
use serde::Serialize;

/// A dataset, and what cells call it.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedData<'a, D = Dataset> {
    /// The name.
    pub name: &'a str,
    /// The data in the clear: the experimenter's view, for evaluation.
    pub dataset: &'a D,
    /// Of everything in it: a file that changed under the same name is another dataset.
    checksum: u64,
    /// Which nodes train, validate and test, where that is stated; otherwise each seed draws its own split.
    stated: Option<&'a Split>,
}

// Derived Copy would ask for D: Copy, but only a reference is copied.
impl<D> Copy for NamedData<'_, D> where D: Clone {}

/// What a key says about data.
#[derive(Debug, Serialize)]
pub struct DataKey<'a> {
    dataset: &'a str,
    data: String,
}

impl<'a> From<&'a Dataset> for NamedData<'a> {
    /// Data under its own name.
    fn from(dataset: &'a Dataset) -> Self {
        Self::new(dataset.name(), dataset)
    }
}

impl<'a, D: HashContent> NamedData<'a, D> {
    /// Data under a name; all of it is looked at once.
    pub fn new(name: &'a str, dataset: &'a D) -> Self {
        let mut sum = Checksum::default();
        dataset.add_to(&mut sum);
        Self { name, dataset, checksum: sum.0, stated: None }
    }

    /// The same, measured on a stated split in place of one that each seed draws.
    #[must_use]
    pub fn with_split(self, split: &'a Split) -> Self {
        // Scores depend on the split, so the key must, too.
        let mut sum = Checksum(self.checksum);
        for part in [&split.train, &split.validation, &split.test] {
            sum.number(part.len() as u64);
            part.iter().for_each(|&item| sum.number(item.into()));
        }
        Self { checksum: sum.0, stated: Some(split), ..self }
    }

    /// The same as systems read it.
    pub fn input(&self) -> SplitData<'a, D> {
        SplitData { data: self.dataset, split: self.stated }
    }

    /// What tells it from other data.
    pub fn key(&self) -> DataKey<'a> {
        DataKey { dataset: self.name, data: format!("{:016x}", self.checksum) }
    }
}

/// The share of items whose class was predicted; an item without a class is never right.
pub fn accuracy_on(items: &[u32], predicted: &[u32], labels: &Labels) -> f64 {
    let said: Vec<u32> = items.iter().map(|&item| predicted[item as usize]).collect();
    let truth: Vec<u32> =
        // Items without a class count as wrong.
        items.iter().map(|&item| labels.class(item).unwrap_or(u32::MAX)).collect();
    accuracy(&said, &truth).unwrap_or(0.0)
}

/// What classes are called; nothing without labels.
pub fn class_names(labels: Option<&Labels>) -> Vec<String> {
    labels.map_or_else(Vec::new, |labels| labels.class_names().to_vec())
}

/// What a checksum can be made of.
pub trait HashContent {
    /// Adds all that a figure can follow from.
    fn add_to(&self, sum: &mut Checksum);
}

impl HashContent for Dataset {
    fn add_to(&self, sum: &mut Checksum) {
        self.graph().add_to(sum);
        if let Some(features) = self.features() {
            features.matrix().add_to(sum);
            sum.text(&format!("{:?}", features.bounds()));
        }
        if let Some(labels) = self.labels() {
            labels.add_to(sum);
        }
    }
}

impl HashContent for GraphSet {
    fn add_to(&self, sum: &mut Checksum) {
        self.graphs().iter().for_each(|graph| graph.add_to(sum));
        if let Some(labels) = self.labels() {
            labels.add_to(sum);
        }
    }
}

impl HashContent for Graph {
    fn add_to(&self, sum: &mut Checksum) {
        sum.number(self.node_count() as u64);
        for node in self.nodes() {
            // Degrees separate the lists: the same ends in other rows give another sum.
            sum.number(self.degree(node) as u64);
            self.neighbors(node).iter().for_each(|&other| sum.number(other.into()));
        }
    }
}

impl HashContent for FeatureMatrix {
    fn add_to(&self, sum: &mut Checksum) {
        match self {
            Self::Dense(rows) => {
                sum.number(rows.columns() as u64);
                // Bits, not values: 0 and -0, or two NaN, are different data.
                rows.values().iter().for_each(|value| sum.number(value.to_bits().into()));
            }
            Self::Sparse(rows) => {
                for row in 0..rows.rows() {
                    let (columns, values) = rows.row(row);
                    sum.number(columns.len() as u64);
                    columns.iter().for_each(|&column| sum.number(column.into()));
                    values.iter().for_each(|value| sum.number(value.to_bits().into()));
                }
            }
        }
    }
}

impl HashContent for Labels {
    fn add_to(&self, sum: &mut Checksum) {
        sum.text(&format!("{self:?}"));
    }
}

/// FNV-1a over whole numbers: the same on every machine and in every release, which the standard library's
/// hash is not.
#[derive(Debug, Clone, Copy)]
pub struct Checksum(u64);

impl Default for Checksum {
    fn default() -> Self {
        // FNV-1a, 64 bits: no protection against intent, but no accident passes it.
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Checksum {
    fn number(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(0x0100_0000_01b3);
    }

    fn text(&mut self, text: &str) {
        text.bytes().for_each(|byte| self.number(byte.into()));
    }
}

/// FNV-1a of a text, for seeds that differ by name.
pub fn hash(text: &str) -> u64 {
    let mut sum = Checksum::default();
    sum.text(text);
    sum.0
}

#[cfg(test)]
mod tests {
    use privet::data::synthetic::StochasticBlocks;

    use super::*;

    /// From the published test vectors of FNV-1a, 64 bits.
    #[test]
    fn the_checksum_is_that_of_the_standard() {
        assert_eq!((hash(""), hash("a")), (0xcbf2_9ce4_8422_2325, 0xaf63_dc4c_8601_ec8c));
    }

    /// A stated split is what every seed is measured on, and part of what tells data apart.
    #[test]
    fn a8_a_stated_split_takes_the_place_of_drawn_ones() {
        let (nodes, classes, features, mean_degree) = (80, 2, 4, 3.0);
        let blocks =
            StochasticBlocks { nodes, classes, features, mean_degree, ..Default::default() };
        let people = blocks.generate(1).unwrap();
        let split =
            Split { train: (0..20).collect(), validation: vec![], test: (30..40).collect() };
        let drawn = NamedData::new("people", &people);
        assert_eq!(drawn.input().stated(people.labels()).unwrap(), None);
        let stated = drawn.with_split(&split);
        assert_eq!(stated.input().stated(people.labels()).unwrap(), Some(split.clone()));
        assert_ne!(format!("{:?}", stated.key()), format!("{:?}", drawn.key()));
        let empty = Split { test: vec![], ..split.clone() };
        assert!(drawn.with_split(&empty).input().stated(people.labels()).is_err());
    }

    /// Data of the same name and size is still other data.
    #[test]
    fn other_data_has_another_key() {
        let people = |seed| {
            let (nodes, classes, features, mean_degree) = (80, 2, 4, 3.0);
            let blocks =
                StochasticBlocks { nodes, classes, features, mean_degree, ..Default::default() };
            blocks.generate(seed).unwrap()
        };
        let key = |dataset| format!("{:?}", NamedData::new("people", &dataset).key());
        assert_eq!(key(people(1)), key(people(1)));
        assert_ne!(key(people(1)), key(people(2)));
        let one = people(1);
        let (graph, ids) = (one.graph().clone(), one.ids().clone());
        let bare = Dataset::new("people", graph, ids).unwrap();
        assert_ne!(key(bare), key(one), "without features and labels");
    }
}
