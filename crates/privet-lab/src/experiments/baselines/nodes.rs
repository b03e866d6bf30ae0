//! Classes of people in one graph, by what is known of them.

use privet::graph::{FeatureMatrix, Graph, Labels, Split};
use privet::ldp_ge::{Embedding, Ground, LabelSpread, Learner, Preset, Spreading, Ties, Way, Ways};
use privet::{Result, Run};

use super::Named;
use crate::experiments::trial::data::accuracy_on;
use crate::experiments::trial::{Scores, TEST, VALIDATION};

/// What learners may read; labels outside the training part are for choosing and for scoring.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// Who knows whom, if that is known.
    pub graph: Option<&'a Graph>,
    /// Rows of numbers, if they are known; zeros for people whose row is not.
    pub features: Option<&'a FeatureMatrix>,
    /// The truth.
    pub labels: &'a Labels,
    /// Whose labels train; nobody's if labels are private.
    pub split: &'a Split,
    /// Whether labels of training people are known.
    pub labelled: bool,
}

/// The fixed set: as much of it as what is known allows.
pub fn learners<'a>(known: Known<'a>, run: &'a Run<'a>) -> Vec<Named<'a>> {
    let mut list: Vec<Named<'a>> = vec![("majority", Box::new(move || Ok(known.majority())))];
    if !known.labelled {
        return list;
    }
    let mut add = |name, way, embedding: Option<Embedding>| {
        let learn = move || known.learned(way, embedding.as_ref(), run);
        list.push((name, Box::new(learn)));
    };
    if known.graph.is_some() {
        add("label propagation", Way::Propagation, None);
        add("neighbours' labels", Way::Labels, None);
    }
    let Some(features) = known.features else { return list };
    let columns = match features {
        FeatureMatrix::Dense(rows) => rows.columns(),
        FeatureMatrix::Sparse(rows) => rows.columns(),
    };
    let sketch = sketch(columns);
    let embedding = Embedding { sketch, method: Spreading::None, ..Embedding::default() };
    let spread = Embedding { alpha: 0.15, exponent: 0.5, method: Spreading::Power, ..embedding };
    add("features", Way::Features, Some(embedding));
    if known.graph.is_none() {
        add("features as they are", Way::Joint, None);
    }
    if known.graph.is_some() {
        add("features around", Way::Features, Some(spread.clone()));
        add("features and labels around", Way::Both, Some(spread));
    }
    list
}

/// Columns to project to where there are many: a model of a thousand tells as much as one of all.
fn sketch(columns: usize) -> usize {
    const WIDE: usize = 1024;
    const SKETCH: usize = 512;
    if columns > WIDE { SKETCH } else { 0 }
}

impl Known<'_> {
    /// The largest class among training people; of everybody where no label is known, which flatters it.
    fn majority(&self) -> Scores {
        let Self { labels, split, .. } = self;
        let all: Vec<u32> = (0..labels.len() as u32).collect();
        let counted = if self.labelled { &split.train } else { &all };
        let mut counts = vec![0usize; labels.class_count()];
        counted
            .iter()
            .filter_map(|&node| labels.class(node))
            .for_each(|class| counts[class as usize] += 1);
        let largest =
            (0u32..).zip(&counts).max_by_key(|(class, count)| (**count, u32::MAX - class));
        let predicted = vec![largest.map_or(0, |(class, _)| class); labels.len()];
        self.scored(&predicted)
    }

    /// One way to everybody's class, with settings that follow from the size of the data.
    ///
    /// # Errors
    /// If the way reads features and there are none, or training fails.
    pub fn learned(
        &self,
        way: Way,
        embedding: Option<&Embedding>,
        run: &Run<'_>,
    ) -> Result<Scores> {
        let people = self.labels.len();
        let nobody;
        let graph = match self.graph {
            Some(graph) => graph,
            None => {
                nobody = Graph::empty(people, privet::graph::Direction::Undirected)?;
                &nobody
            }
        };
        let ties = Ties { graph: graph.clone(), confidence: None };
        let fitting = Preset::fitting(people, 0).learner;
        let learner = Learner { weight_decay: 5e-4, ..fitting };
        let (labels, list) = (LabelSpread::default(), [way]);
        let ways = Ways { list: &list, labels: &labels, learner: &learner };
        let (features, split) = (self.features, self.split);
        let ground = Ground { ties: &ties, features, labels: self.labels, keep: 1.0, split };
        let embed = || match (embedding, self.features) {
            (Some(embedding), Some(rows)) => embedding.run(graph, rows, run.seed),
            _ => Err(privet::Error::invalid("features", "none", "those that a learner reads")),
        };
        let found = ways.choose(ground, embed, run)?;
        Ok(self.scored(&found.predicted))
    }

    fn scored(&self, predicted: &[u32]) -> Scores {
        let share = |items: &[u32]| accuracy_on(items, predicted, self.labels);
        Scores::new([(VALIDATION, share(&self.split.validation)), (TEST, share(&self.split.test))])
    }
}
