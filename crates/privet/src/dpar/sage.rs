//! SAGE: training on subgraphs of one hop (Daigavane et al. 2021), as a baseline.
//!
//! A row is a person's own features beside the mean of those of their neighbours, and DP-SGD trains on rows. Who
//! is whose neighbour is as secret as the rest, so there is no structure to pay for; but a person is in the rows of all
//! neighbours, and without that person those rows say something else. The noise is for so many rows changed at will:
//! see [`RowShare::Neighbours`](crate::privacy::sgd::RowShare).
//!
//! # Differs from the paper
//! The bound on degrees is a condition, and the guarantee is called conditional wherever it is shown. Enforcing it by dropping neighbours does not make a
//! guarantee: what is dropped depends on who is there, so that one person less changes rows that never held that person,
//! one for every neighbour who has a place to give away. Here surplus neighbours are dropped as well, at random, and that is
//! not covered. The accounting is that of replaced rows under Poisson sampling (claim E6), tighter than the published.

use rand::seq::SliceRandom;

use super::people::OpenPeople;
use super::train::{averaged, network, step_by_step};
use super::{
    Dpar, Inference, NEIGHBOURS, Person, Plan, TrainedClassifier, Training, Visitors, infer,
};
use crate::graph::{Features, Graph, SimRng, SparseBuilder};
use crate::learn::train::{LabelledRows, OptimizerConfig, PrivateMlp};
use crate::privacy::Ledger;
use crate::privacy::aggregation::bounded_lists;
use crate::{Error, Protected, Result, Run};

/// Trains and classifies.
///
/// # Errors
/// If a setting makes no sense, or the ledger refuses.
pub(super) fn classify<U: Person>(
    system: &Dpar,
    plan: &Plan,
    training: &Training,
    visitors: &Visitors,
    mut ledger: Ledger<U>,
    run: &Run<'_>,
) -> Result<Protected<TrainedClassifier>> {
    if system.settings.projection > 0 {
        let expected = "0: sage reads whole rows";
        return Err(Error::invalid("projection", system.settings.projection, expected));
    }
    let most = system.settings.structure.max_degree;
    let config = network(system, 2 * training.columns(), training.class_count(), run.seed);
    let rate = system.settings.model.learning_rate;
    let learner = PrivateMlp::new(config, OptimizerConfig::default(), rate)?;
    let beside = |people: &OpenPeople| {
        let rows = rows(&people.features, &bounded(&people.graph, most, run.seed))?;
        Ok(LabelledRows::new(rows, people.classes.clone())?)
    };
    let (view, why) = (training.all_people(), NEIGHBOURS_ROWS);
    let model = step_by_step(plan, learner, view, &mut ledger, why, run, beside)?;

    let features = rows(&visitors.features, &every(&visitors.graph))?;
    let no_more = Inference { rounds: 0, ..system.settings.inference };
    let trained = model.try_map(|model| -> Result<_> {
        let visitors = Visitors { features, ..visitors.clone() };
        let model = model.into_model();
        let said = infer::answers(&model, &visitors, no_more)?;
        let mut trained =
            TrainedClassifier { most_shared: most as u32 + 1, ..TrainedClassifier::of(model) };
        trained.answer(said);
        Ok(trained)
    })?;
    system.protected(trained, training.name(), &ledger)
}

/// Why one person is in so many rows and no more.
const NEIGHBOURS_ROWS: &str =
    "a row is made of one person and the neighbours on that person's list";

/// At most so many neighbours of each person, surplus ones dropped at random.
pub fn bounded(graph: &Graph, most: usize, seed: u64) -> Vec<Vec<u32>> {
    let mut edges: Vec<(u32, u32)> = graph.edges().collect();
    edges.shuffle(&mut SimRng::stream(seed, NEIGHBOURS));
    bounded_lists(graph.node_count(), edges, most)
}

/// All neighbours of each person.
pub(super) fn every(graph: &Graph) -> Vec<Vec<u32>> {
    bounded_lists(graph.node_count(), graph.edges(), usize::MAX)
}

/// Each person's own features, then the mean of those on their list.
///
/// # Errors
/// If a list names a person who has no row.
pub fn rows(features: &Features, lists: &[Vec<u32>]) -> Result<Features> {
    let width = features.columns() as u32;
    let mut equal = SparseBuilder::new(lists.len());
    for list in lists {
        let mut weights: Vec<(u32, f32)> = list.iter().map(|&node| (node, 1.0)).collect();
        equal.push_row(&mut weights)?;
    }
    let means = averaged(features, &equal.finish())?;
    let mut beside = SparseBuilder::new(2 * features.columns());
    for row in 0..features.rows() {
        let mean = means.nonzero_entries(row).map(|(column, value)| (column + width, value));
        let mut entries: Vec<(u32, f32)> = features.nonzero_entries(row).chain(mean).collect();
        beside.push_row(&mut entries)?;
    }
    Ok(Features::sparse(beside.finish()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{DenseMatrix, Direction, GraphBuilder};

    fn star() -> Graph {
        let edges = (1..7).map(|leaf| (0, leaf));
        GraphBuilder::new(8, Direction::Undirected).edges(edges).build().unwrap().0
    }

    #[test]
    fn a_row_holds_its_own_features_and_the_mean_of_the_list() {
        let features = DenseMatrix::new(3, 2, vec![1.0, 0.0, 0.0, 2.0, 4.0, 4.0]).unwrap();
        let lists = [vec![1, 2], vec![0], vec![]];
        let rows = rows(&Features::dense(features), &lists).unwrap();
        let row = |at| rows.nonzero_entries(at).collect::<Vec<_>>();
        assert_eq!(row(0), [(0, 1.0), (2, 2.0), (3, 3.0)]);
        assert_eq!(row(1), [(1, 2.0), (2, 1.0)]);
        assert_eq!(row(2), [(0, 4.0), (1, 4.0)]);
    }

    #[test]
    fn nobody_is_on_more_lists_than_assumed() {
        let lists = bounded(&star(), 3, 1);
        assert_eq!((lists[0].len(), lists.iter().filter(|list| list.contains(&0)).count()), (3, 3));
        // Where the assumption holds nothing is dropped, whatever the seed.
        assert_eq!(bounded(&star(), 6, 2)[0].len(), 6);
        assert_eq!(every(&star())[0].len(), 6);
    }

    /// Among graphs of bounded degree, one person less changes the rows of neighbours and no other.
    #[test]
    fn only_neighbours_notice() {
        let values = (0..16).map(|at| (at * 7 % 11) as f32 - 4.0).collect();
        let features = Features::dense(DenseMatrix::new(8, 2, values).unwrap());
        let edges = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7)];
        let graph = |gone: Option<u32>| {
            let left = edges.into_iter().filter(|&(u, v)| Some(u) != gone && Some(v) != gone);
            GraphBuilder::new(8, Direction::Undirected).edges(left).build().unwrap().0
        };
        let of = |graph: &Graph| rows(&features, &bounded(graph, 3, 5)).unwrap();
        let (with, without) = (of(&graph(None)), of(&graph(Some(2))));
        let row = |rows: &Features, at| rows.nonzero_entries(at).collect::<Vec<_>>();
        let changed: Vec<usize> =
            (0..8).filter(|&at| row(&with, at) != row(&without, at)).collect();
        assert_eq!(changed, [0, 1, 2, 3]);
    }
}
