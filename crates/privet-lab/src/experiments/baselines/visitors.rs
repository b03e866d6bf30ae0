//! Classes of people who come later, with a graph of their own: models of those who were there, and counts of whom they
//! know among them, without any noise.

use privet::dpar::votes::{KnownVotes, posterior};
use privet::dpar::{Inference, OpenPeople, Structure, Visitors, infer, train};
use privet::graph::subgraph::induced;
use privet::graph::{DenseMatrix, Features, Graph, SimRng, Split, SplitShares};
use privet::ldp_ge::Learner;
use privet::learn::models::Mlp;
use privet::learn::propagate::top_k;
use privet::{Result, Run};
use rand::seq::SliceRandom;

use super::NamedLearner;
use crate::experiments::trial::{Classified, TrialScores, VALIDATION};

/// Up to so many people, every one of [`FOLDS`] parts chooses once; of more, one part is enough.
const FEW: usize = 3000;
const FOLDS: usize = 5;
/// Four in five train, one in five chooses: as many as there are visitors.
const SHARES: SplitShares = SplitShares { train: 0.8, validation: 0.2, test: 0.0 };

/// People in the open, and those who come later.
#[derive(Clone, Copy)]
pub struct KnownPeople<'a> {
    /// Who is trained on.
    pub people: &'a OpenPeople,
    /// Who is classified.
    pub visitors: &'a Visitors,
    /// How the nearest people are found.
    pub structure: &'a Structure,
}

/// Columns are standardised up to so many: more are words or categories, whose rows are sparse.
const FEW_COLUMNS: usize = 512;

/// What a learner reads of the graph.
#[derive(Debug, Clone, Copy)]
struct GraphAccess {
    /// Whether columns are brought to mean 0 and deviation 1 first.
    standard: bool,
    /// Whether rows are averaged over the nearest people.
    around: bool,
    /// How answers are spread over the graph of those who are asked about.
    inference: Inference,
    /// Whether it has a hidden layer.
    deep: bool,
}

/// The fixed set; without connections, those that read none among the people trained on.
pub fn learners<'a>(
    known: KnownPeople<'a>,
    connections: bool,
    run: &'a Run<'a>,
) -> Vec<NamedLearner<'a>> {
    let some = Inference { rounds: 2, alpha: 0.5, agreement: 0.0 };
    let none = Inference { rounds: 0, ..some };
    let reads = |around, inference, deep| GraphAccess { standard: false, around, inference, deep };
    let standard =
        |inference, deep| GraphAccess { standard: true, ..reads(false, inference, deep) };
    let set = [
        ("features", reads(false, none, true)),
        ("features, answers spread", reads(false, some, true)),
        ("a linear model, answers spread", reads(false, some, false)),
        ("features around", reads(true, none, true)),
        ("features around, answers spread", reads(true, some, true)),
        ("a linear model of standardised columns", standard(none, false)),
        ("a linear model of standardised columns, answers spread", standard(some, false)),
        ("standardised columns", standard(none, true)),
    ];
    let few = known.people.features.columns() <= FEW_COLUMNS;
    let allowed = set
        .into_iter()
        .filter(|(_, reads)| (connections || !reads.around) && (few || !reads.standard));
    let named = |(name, reads): (&'static str, GraphAccess)| -> NamedLearner<'a> {
        (name, Box::new(move || known.learned(reads, run)))
    };
    let mut learners: Vec<NamedLearner<'a>> = allowed.map(named).collect();
    if connections && known.people.known_visitors.iter().any(|known| !known.is_empty()) {
        learners.push(("classes of the people they know", Box::new(move || known.counted(run))));
    }
    learners
}

impl KnownPeople<'_> {
    /// Models of several parts of the people, each chosen on the others; visitors get the sum of their answers. So every
    /// person both trains and chooses, which matters where there are few.
    fn learned(&self, reads: GraphAccess, run: &Run<'_>) -> Result<TrialScores> {
        let Self { people, visitors, .. } = self;
        let rows = self.rows(reads, &people.graph, &people.features)?;
        let later = self.rows(reads, &visitors.graph, &visitors.features)?;
        let (labels, present) = (people.labels()?, people.present());
        let learner = self.learner(reads);
        let answers = |model: &Mlp, graph: &Graph, rows: &Features| {
            infer::spread(graph, infer::scores(model, rows), reads.inference)
        };
        let (mut right, mut asked) = (0usize, 0usize);
        let mut said = DenseMatrix::zeros(visitors.classes.len(), people.class_count);
        for split in folds(&present, run.seed)? {
            let matrix = rows.matrix().into();
            let model = learner.classify(matrix, &labels, 1.0, &split, run.seed, run.watch)?;
            // Asked about as visitors are: among themselves, so that no query graph is denser than theirs.
            let asked_of = induced(&people.graph, &split.validation)?;
            let own = self.rows(reads, &asked_of, &people.features.select(&split.validation))?;
            let inside = answers(&model, &asked_of, &own)?;
            let truth = split.validation.iter().map(|&node| people.classes[node as usize]);
            right +=
                (0u32..).zip(truth).filter(|&(at, class)| largest(&inside, at) == class).count();
            asked += split.validation.len();
            let outside = answers(&model, &visitors.graph, &later)?;
            said.values_mut().iter_mut().zip(outside.values()).for_each(|(sum, one)| *sum += one);
        }
        let predicted: Vec<u32> = visitors.graph.nodes().map(|node| largest(&said, node)).collect();
        let found =
            Classified::of_all(people.class_count, &predicted, Some(&said), &visitors.classes);
        Ok(found.and([(VALIDATION, right as f64 / asked.max(1) as f64)]))
    }

    /// Who is classified by the classes of the people they know, all of them counted, by their own features and by each other.
    fn counted(&self, run: &Run<'_>) -> Result<TrialScores> {
        let Self { people, visitors, .. } = self;
        let (classes, mut right, mut asked) = (people.class_count, 0usize, 0usize);
        for split in folds(&people.present(), run.seed)? {
            let mut trains = vec![false; people.classes.len()];
            split.train.iter().for_each(|&node| trains[node as usize] = true);
            let mut counts = DenseMatrix::zeros(split.validation.len(), classes);
            for (at, &node) in split.validation.iter().enumerate() {
                for &other in people.graph.neighbors(node).iter().filter(|&&o| trains[o as usize]) {
                    counts.row_mut(at)[people.classes[other as usize] as usize] += 1.0;
                }
            }
            let graph = induced(&people.graph, &split.validation)?;
            let features = people.features.select(&split.validation);
            let said = posterior(in_the_clear(&counts, &graph, &features))?;
            let truth = split.validation.iter().map(|&node| people.classes[node as usize]);
            right += (0u32..).zip(truth).filter(|&(at, class)| largest(&said, at) == class).count();
            asked += split.validation.len();
        }
        let mut counts = DenseMatrix::zeros(visitors.classes.len(), classes);
        for (known, &class) in people.known_visitors.iter().zip(&people.classes) {
            for &visitor in known {
                if let Some(count) = counts.row_mut(visitor as usize).get_mut(class as usize) {
                    *count += 1.0;
                }
            }
        }
        let said = posterior(in_the_clear(&counts, &visitors.graph, &visitors.features))?;
        let predicted: Vec<u32> = visitors.graph.nodes().map(|node| largest(&said, node)).collect();
        let found =
            Classified::of_all(people.class_count, &predicted, Some(&said), &visitors.classes);
        Ok(found.and([(VALIDATION, right as f64 / asked.max(1) as f64)]))
    }

    fn learner(&self, reads: GraphAccess) -> Learner {
        Learner {
            hidden: if reads.deep { vec![64] } else { Vec::new() },
            dropout: if reads.deep { 0.5 } else { 0.0 },
            weight_decay: 1e-4,
            batch: (self.people.classes.len() / 32).next_power_of_two().clamp(16, 512),
            patience: 8,
            ..Learner::default()
        }
    }

    /// Rows as they are, standardised, or averaged over the nearest people.
    fn rows(&self, reads: GraphAccess, graph: &Graph, features: &Features) -> Result<Features> {
        if reads.standard {
            let OpenPeople { features: known, .. } = self.people;
            return standardised(features, &known.select(&self.people.present()));
        }
        if !reads.around {
            return Ok(features.clone());
        }
        let (sources, keep) = (graph.nodes().collect::<Vec<u32>>(), self.structure.keep.max(32));
        let best = top_k(graph, &sources, keep, self.structure.ista())?;
        train::averaged(features, &best)
    }
}

/// Rows in units of each column's deviation from its mean among `known` people; a constant column becomes 0.
fn standardised(features: &Features, known: &Features) -> Result<Features> {
    let (columns, people) = (features.columns(), known.rows().max(1) as f64);
    let (mut mean, mut square) = (vec![0.0f64; columns], vec![0.0f64; columns]);
    for row in 0..known.rows() {
        for (column, value) in known.nonzero_entries(row) {
            mean[column as usize] += f64::from(value) / people;
            square[column as usize] += f64::from(value).powi(2) / people;
        }
    }
    let scale: Vec<f64> = mean
        .iter()
        .zip(&square)
        .map(|(mean, square)| match square - mean * mean {
            variance if variance > 1e-12 => variance.sqrt().recip(),
            _ => 0.0,
        })
        .collect();
    let mut rows = DenseMatrix::zeros(features.rows(), columns);
    for at in 0..features.rows() {
        let row = rows.row_mut(at);
        for (to, (mean, scale)) in row.iter_mut().zip(mean.iter().zip(&scale)) {
            *to = (-mean * scale) as f32;
        }
        for (column, value) in features.nonzero_entries(at) {
            row[column as usize] += (f64::from(value) * scale[column as usize]) as f32;
        }
    }
    Ok(Features::dense(rows))
}

/// Counts without noise.
fn in_the_clear<'a>(
    votes: &'a DenseMatrix,
    graph: &'a Graph,
    features: &'a Features,
) -> KnownVotes<'a> {
    KnownVotes { votes, deviation: 0.0, graph, features: Some(features), model: None }
}

/// Who trains and who chooses, part by part.
fn folds(people: &[u32], seed: u64) -> Result<Vec<Split>> {
    if people.len() > FEW {
        return Ok(vec![Split::random(people.iter().copied(), SHARES, seed)?]);
    }
    let mut dealt = people.to_vec();
    dealt.shuffle(&mut SimRng::stream(seed, 0xf01d));
    let fold = |at: usize| {
        let of = |part: bool| {
            let dealt = dealt.iter().enumerate().filter(move |(i, _)| (i % FOLDS == at) == part);
            let mut found: Vec<u32> = dealt.map(|(_, node)| *node).collect();
            found.sort_unstable();
            found
        };
        Split { train: of(false), validation: of(true), test: Vec::new() }
    };
    Ok((0..FOLDS).map(fold).collect())
}

fn largest(scores: &DenseMatrix, row: u32) -> u32 {
    let row = scores.row(row as usize);
    (0..row.len()).fold(0, |best, class| if row[class] > row[best] { class } else { best }) as u32
}
