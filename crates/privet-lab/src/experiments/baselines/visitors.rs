//! Classes of people who come later, with a graph of their own: models of those who were there, without any noise.

use privet::dpar::{Inference, Open, Structure, Visitors, infer, train};
use privet::graph::{DenseMatrix, Features, Graph, Split, SplitShares};
use privet::ldp_ge::Learner;
use privet::learn::metrics::accuracy;
use privet::learn::propagate::top_k;
use privet::{Result, Run};

use super::Named;
use crate::experiments::trial::{Scores, TEST, VALIDATION};

/// Nine in ten train, one in ten chooses.
const SHARES: SplitShares = SplitShares { train: 0.9, validation: 0.1, test: 0.0 };

/// People in the open, and those who come later.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// Who is trained on.
    pub people: &'a Open,
    /// Who is classified.
    pub visitors: &'a Visitors,
    /// How the nearest people are found.
    pub structure: &'a Structure,
}

/// What a learner reads of the graph.
#[derive(Debug, Clone, Copy)]
struct Reads {
    /// Whether rows are averaged over the nearest people.
    around: bool,
    /// How answers are spread over the graph of those who are asked about.
    inference: Inference,
    /// Whether it has a hidden layer.
    deep: bool,
}

/// The fixed set; without connections, those that read none among the people trained on.
pub fn learners<'a>(known: Known<'a>, connections: bool, run: &'a Run<'a>) -> Vec<Named<'a>> {
    let (none, some) = (Inference { rounds: 0, alpha: 1.0 }, Inference { rounds: 2, alpha: 0.5 });
    let reads = |around, inference, deep| Reads { around, inference, deep };
    let set = [
        ("features", reads(false, none, true)),
        ("features, answers spread", reads(false, some, true)),
        ("a linear model, answers spread", reads(false, some, false)),
        ("features around", reads(true, none, true)),
        ("features around, answers spread", reads(true, some, true)),
    ];
    let allowed = set.into_iter().filter(|(_, reads)| connections || !reads.around);
    let named = |(name, reads): (&'static str, Reads)| -> Named<'a> {
        (name, Box::new(move || known.learned(reads, run)))
    };
    allowed.map(named).collect()
}

impl Known<'_> {
    fn learned(&self, reads: Reads, run: &Run<'_>) -> Result<Scores> {
        let Self { people, visitors, .. } = self;
        let split = Split::random(people.present().into_iter(), SHARES, run.seed)?;
        let learner = Learner {
            hidden: if reads.deep { vec![64] } else { Vec::new() },
            dropout: 0.5,
            weight_decay: 1e-4,
            batch: (people.classes.len() / 32).next_power_of_two().clamp(16, 512),
            patience: 8,
            ..Learner::default()
        };
        let rows = self.rows(reads, &people.graph, &people.features)?;
        let (labels, matrix) = (people.labels()?, rows.matrix());
        let model = learner.classify(matrix.into(), &labels, 1.0, &split, run.seed, run.watch)?;
        let answers = |graph: &Graph, rows: &Features| -> Result<Vec<u32>> {
            let spread = infer::spread(graph, infer::scores(&model, rows), reads.inference)?;
            Ok((0..spread.rows()).map(|row| largest(&spread, row)).collect())
        };
        let said = answers(&people.graph, &rows)?;
        let right =
            split.validation.iter().filter(|&&n| said[n as usize] == people.classes[n as usize]);
        let validation = right.count() as f64 / split.validation.len().max(1) as f64;
        let later = self.rows(reads, &visitors.graph, &visitors.features)?;
        let test = accuracy(&answers(&visitors.graph, &later)?, &visitors.classes).unwrap_or(0.0);
        Ok(Scores::new([(VALIDATION, validation), (TEST, test)]))
    }

    /// Rows as they are, or averaged over the nearest people.
    fn rows(&self, reads: Reads, graph: &Graph, features: &Features) -> Result<Features> {
        if !reads.around {
            return Ok(features.clone());
        }
        let (sources, keep) = (graph.nodes().collect::<Vec<u32>>(), self.structure.keep.max(32));
        let best = top_k(graph, &sources, keep, self.structure.ista())?;
        train::averaged(features, &best)
    }
}

fn largest(scores: &DenseMatrix, row: usize) -> u32 {
    let row = scores.row(row);
    (0..row.len()).fold(0, |best, class| if row[class] > row[best] { class } else { best }) as u32
}
