//! The audits of what releases sums in other ways than all at once: sums by class (`class-sums`), sums that several processes
//! take (`sums-in-shares`), and the release that users ask for (`protect-sums`).

use privet::Run;
use privet::doubts::Doubt;
use privet::graph::{Dataset, DenseMatrix, Direction, Features, Graph, GraphBuilder, NodeIds};
use privet::learn::train::{ClassSums, LabelledRows, PrivateSums};
use privet::privacy::aggregation::{AttributedGraph, NoisySums, SumSettings};
use privet::privacy::event::BatchSampling;
use privet::privacy::sgd::{DpSgd, RowShare, SgdSettings};
use privet::privacy::unit::{Edge, Record};
use privet::privacy::{Error, Secret};
use privet::protect::{Sums, Terms};

use super::{Audit, Procedure};
use crate::Result;
use crate::audit::clopper_pearson::epsilon_lower_bound;
use crate::audit::enumerated::{moved, price};
use crate::audit::finding::Finding;
use crate::audit::refused;
use crate::audit::seeds::Seeds;
use crate::audit::toy_graphs::{DELTA, gaussian, norm};
use crate::audit::trials::{CONFIDENCE, account, best_bound, statistical};

pub(super) const AUDITS: [Audit; 3] = [
    Audit { name: "class-sums", of: &["DpSgd"], tight: false, run: Procedure::Seeded(class_sums) },
    Audit {
        name: "sums-in-shares",
        of: &["NoisySums"],
        tight: false,
        run: Procedure::Seeded(in_shares),
    },
    Audit {
        name: "protect-sums",
        of: &["NoisySums"],
        tight: false,
        run: Procedure::Seeded(protected),
    },
];

/// Sums by class of one step on all rows.
#[derive(Debug, Clone, Copy)]
struct ClassSumsRelease {
    people: usize,
    columns: usize,
    classes: usize,
    noise_multiplier: f64,
}

impl ClassSumsRelease {
    fn mechanism(self) -> Result<DpSgd<PrivateSums, Record>> {
        let Self { people, columns, classes, noise_multiplier } = self;
        let settings = SgdSettings {
            steps: 1,
            rows: people as u64,
            batch: BatchSampling::Poisson { rate: 1.0 },
            share: RowShare::Alone,
            clip_norm: 1.0,
            noise_multiplier,
        };
        DpSgd::new(settings, PrivateSums::new(people, columns, classes).map_err(refused)?)
    }

    /// The sums and counts of rows of these lengths, each person in the class of its number or in none: as gradients, in
    /// which noise has the same deviation everywhere.
    fn released(self, row: &[f32], present: bool, seeds: Seeds) -> Result<Vec<Vec<f64>>> {
        let rows = DenseMatrix::new(self.people, self.columns, row.repeat(self.people));
        let class = |person| if present { person } else { u32::MAX };
        let classes = (0..self.people as u32).map(class).collect();
        let data = LabelledRows::new(Features::dense(rows.map_err(refused)?), classes);
        let mut ledger = account::<Record>(DELTA, seeds)?;
        let released = ledger.release(&Secret::new(data.map_err(refused)?), &self.mechanism()?)?;
        let ClassSums { sums, counts } = released.into_inner()?;
        let of_class = |class: usize| {
            let sum = |column| f64::from(sums.row(column)[class]);
            let sums = (0..self.columns).map(|c| sum(c) / PrivateSums::deviation_of_sums(1.0));
            sums.chain([counts[class] / PrivateSums::deviation_of_counts(1.0)]).collect()
        };
        Ok((0..self.classes).map(of_class).collect())
    }
}

/// A person in a sum and in a count, there or not: how far both move together, and by samples of one person in each of many
/// classes.
fn class_sums(seeds: Seeds) -> Result<Vec<Finding>> {
    let noise_multiplier = 1.2;
    let one = ClassSumsRelease { people: 1, columns: 2, classes: 1, noise_multiplier };
    let claimed = price(&one.mechanism()?, DELTA)?;
    // The row alone has norm 1 as a gradient: without clipping, the count would come on top of it.
    let length = PrivateSums::deviation_of_sums(1.0) as f32;
    let row = [0.6 * length, 0.8 * length];
    let silent = ClassSumsRelease { noise_multiplier: 1e-9, ..one };
    let [with, without] = [true, false].map(|present| silent.released(&row, present, seeds));
    let (with, without) = (with?.concat(), without?.concat());
    let apart: Vec<f64> = with.iter().zip(&without).map(|(a, b)| a - b).collect();
    let subject = "a person in a sum and a count, how far they move";
    let mut findings = vec![moved(subject, claimed, gaussian(noise_multiplier / norm(&apart))?)];

    const CLASSES: usize = 500;
    const RELEASES: u64 = 16;
    let many = ClassSumsRelease { people: CLASSES, columns: 1, classes: CLASSES, noise_multiplier };
    let direction = {
        let few = ClassSumsRelease { noise_multiplier: 1e-9, people: 1, classes: 1, ..many };
        few.released(&[1.0], true, seeds)?.concat()
    };
    // Two deviations, and one, which shows noise that is too small.
    let passed = |present, part: u64| -> Result<[u64; 2]> {
        let mut passed = [0; 2];
        for release in 0..RELEASES {
            let seeds = seeds.part(part).part(release);
            for of_class in many.released(&[1.0], present, seeds)? {
                let along: f64 = of_class.iter().zip(&direction).map(|(a, b)| a * b).sum();
                for (passed, line) in passed.iter_mut().zip([1.0, 2.0]) {
                    *passed += u64::from(along > line * noise_multiplier);
                }
            }
        }
        Ok(passed)
    };
    let trials = RELEASES * CLASSES as u64;
    let bound = best_bound(&passed(true, 1)?, &passed(false, 2)?, trials, DELTA);
    findings.push(statistical("a person in a sum and a count, as sampled", claimed, bound));
    Ok(findings)
}

fn graph(nodes: usize, edges: impl IntoIterator<Item = (u32, u32)>) -> Result<Graph> {
    let builder = GraphBuilder::new(nodes, Direction::Undirected).edges(edges);
    builder.build().map(|(graph, _)| graph).map_err(refused)
}

/// Edges between the first process's nodes and the third's, present or not, while the second process has nodes without
/// edges: noise of its own must not give away that of others.
fn in_shares(seeds: Seeds) -> Result<Vec<Finding>> {
    const TRIALS: usize = 10_000;
    let settings = SumSettings { hops: 1, max_degree: 1, clip: 1e6, noise_multiplier: 1.2 };
    let mechanism = NoisySums::<Edge>::new(settings, 3 * TRIALS)?;
    let sums = |present: bool, part| -> Result<Vec<f32>> {
        let edges =
            (0..if present { TRIALS as u32 } else { 0 }).map(|u| (u, u + 2 * TRIALS as u32));
        let rows = DenseMatrix::new(3 * TRIALS, 1, vec![1.0; 3 * TRIALS]).map_err(refused)?;
        let data = Secret::new(AttributedGraph { graph: graph(3 * TRIALS, edges)?, rows });
        let mut ledger = account::<Edge>(DELTA, seeds.part(part))?;
        let drawing = ledger.begin_sums(&data, &mechanism)?;
        let mut all = Vec::new();
        for share in drawing.shares(&[TRIALS, 2 * TRIALS, 3 * TRIALS])? {
            share.draw_sums(&mechanism, &data, |own| {
                all.extend_from_slice(own.get().values());
                Ok::<_, Error>(DenseMatrix::zeros(3 * TRIALS, 1))
            })?;
        }
        Ok(all)
    };
    let (with, without) = (sums(true, 0)?, sums(false, 1)?);
    let count = |sums: &[f32], shown: fn(f64, f64, f64) -> bool| {
        let of = |at: usize| f64::from(sums[at]);
        let trial = |&at: &usize| shown(of(at), of(at + TRIALS), of(at + 2 * TRIALS));
        (0..TRIALS).filter(trial).count() as u64
    };
    let claimed = price(&mechanism, DELTA)?;
    let finding = |what: &str, shown| {
        let counts = (count(&with, shown), count(&without, shown));
        let bound = epsilon_lower_bound(counts.0, counts.1, TRIALS as u64, DELTA, CONFIDENCE);
        statistical(format!("an edge between two processes' nodes, {what}"), claimed, bound)
    };
    Ok(vec![
        // Both ends' sums over √2: two deviations of 1.2 √2.
        finding("by both sums", |u, _, w| (u + w) / 2f64.sqrt() > 2.4 * 2f64.sqrt()),
        finding("by a third's noise", |u, other, _| u - other > 0.5),
    ])
}

/// Pairs of people who know each other, or do not: what the release says, scaled to norm 1, of either side. In 64 columns
/// the length of the noise is known well, so that scaling hides little.
fn protected(seeds: Seeds) -> Result<Vec<Finding>> {
    const PAIRS: usize = 20_000;
    const COLUMNS: usize = 64;
    let terms = Terms { accepted: Doubt::ALL.to_vec(), ..Terms::alike(1.0) };
    let sums = Sums { hops: 1, delta: DELTA, terms };
    let passed = |present: bool, part| -> Result<(u64, f64)> {
        let edges =
            (0..if present { PAIRS as u32 } else { 0 }).map(|pair| (2 * pair, 2 * pair + 1));
        let rows = DenseMatrix::new(2 * PAIRS, COLUMNS, vec![0.125; 2 * PAIRS * COLUMNS]);
        let (rows, ids) = (rows.map_err(refused)?, NodeIds::sequential(2 * PAIRS));
        let dataset = Dataset::new("pairs", graph(2 * PAIRS, edges)?, ids)
            .and_then(|people| people.with_features(Features::dense(rows)))
            .map_err(refused)?;
        let noisy =
            sums.run(dataset, &Run::simulation(seeds.part(part).seed())).map_err(refused)?;
        let claimed = noisy.card().guarantees[0].loss.epsilon.get();
        let released = noisy.get().features().map(|rows| rows.matrix().clone());
        let Some(privet::graph::FeatureMatrix::Dense(rows)) = released else {
            return Err(refused("sums are dense"));
        };
        // Of a direction drawn at random, the part along a given one has a variance of 1/64.
        let along = |node: usize| -> f64 {
            rows.row(node)[COLUMNS..].iter().map(|&value| f64::from(value)).sum()
        };
        let hit = |&pair: &usize| along(2 * pair) + along(2 * pair + 1) > 2.0 * 2f64.sqrt();
        Ok(((0..PAIRS).filter(hit).count() as u64, claimed))
    };
    let ((with, claimed), (without, _)) = (passed(true, 0)?, passed(false, 1)?);
    let bound = epsilon_lower_bound(with, without, PAIRS as u64, DELTA, CONFIDENCE);
    Ok(vec![statistical("two people who know each other, or not, 64 columns", claimed, bound)])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The audit holds, and is not blind.
    fn holds(name: &str) {
        let audit = AUDITS.into_iter().find(|audit| audit.name == name).unwrap();
        let findings = audit.findings(1).unwrap();
        assert!(findings.iter().all(Finding::holds), "{findings:?}");
        assert!(findings.iter().any(|finding| finding.measured > 0.3), "{findings:?}");
    }

    #[test]
    fn b9_sums_by_class_are_audited() {
        holds("class-sums");
    }

    #[test]
    fn b9_sums_in_shares_are_audited() {
        holds("sums-in-shares");
    }

    #[test]
    fn b9_sums_for_users_are_audited() {
        holds("protect-sums");
    }
}
