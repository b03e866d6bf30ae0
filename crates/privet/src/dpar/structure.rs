//! From a secret graph to weights that may be known: DP-APPR, bounds, and what each training row reads.

use rand::seq::SliceRandom;

use super::columns::{self, Rows};
use super::people::{OpenPeople, View};
use super::{Dpar, Mode, Person, Plan, Structure};
use crate::Result;
use crate::graph::{Direction, Graph, SimRng, SparseBuilder, SparseMatrix};
use crate::learn::propagate::{Ista, ScoreWorkspace};
use crate::privacy::appr::{DpAppr, Picks, Ranking, RowNoise, RowSettings};
use crate::privacy::population::GraphShape;
use crate::privacy::{AsPrinted, FirstParty, Ledger, Release};

/// Scores by ISTA.
#[derive(Debug, Clone, Copy)]
pub struct ByIsta(pub Ista);

impl FirstParty for ByIsta {}

impl Ranking for ByIsta {
    type Data = Graph;

    fn universe(&self, graph: &GraphShape) -> usize {
        graph.nodes
    }

    fn scores(&self, graph: &Graph, source: u32) -> Vec<(u32, f64)> {
        // Whether it converged would be a message from the data: then there are no scores.
        let scores = self.0.run(graph, source, &mut ScoreWorkspace::default()).unwrap_or_default();
        scores.nodes.into_iter().zip(scores.values).collect()
    }
}

/// What the training rows read, one row per person: released, and bounded as the plan says.
#[derive(Debug)]
pub struct Weights {
    /// The weights.
    pub matrix: SparseMatrix,
    /// The most rows that read from one node.
    pub most_shared: u32,
}

/// Releases picks for the plan's sources and turns them into weights; all other people stand for themselves.
///
/// # Errors
/// If a setting makes no sense, or the ledger refuses.
pub(super) fn weights<U: Person>(
    system: &Dpar,
    plan: &Plan,
    noise: RowNoise,
    people: View<'_>,
    ledger: &mut Ledger<U>,
    rng: &mut SimRng,
) -> Result<Release<Weights, U>> {
    let structure = &system.settings.structure;
    let mut ids: Vec<u32> = (0..people.len() as u32).collect();
    ids.shuffle(rng);
    ids.truncate(plan.sources);
    ids.sort_unstable();
    let settings = RowSettings {
        sources: ids.clone(),
        universe: people.len() as u32,
        keep: structure.keep,
        clip: structure.clip,
        noise,
    };
    let mechanism = DpAppr::<_, U>::new(settings, ByIsta(structure.ista()))?;
    let shape = GraphShape { nodes: people.len(), direction: Direction::Undirected };
    let reason = "the graph is that of the people";
    let graph = |people: &OpenPeople| Ok(people.graph.clone());
    let picks = match &plan.printed {
        None => people.release(ledger, mechanism, reason, shape, graph)?,
        Some(printed) => {
            let flaw = "the ids of present nodes are no public list";
            let printed = AsPrinted::new(mechanism, printed.structure, flaw);
            people.release(ledger, printed, reason, shape, graph)?
        }
    };
    let rows = picks.map(|picks| ids.into_iter().zip(picks).collect());
    rows.try_map(|rows| from_rows(people.len(), bounded(rows, system.mode, structure)))
}

/// Rows of which each node is read by few, or has little weight.
fn bounded(mut rows: Rows, mode: Mode, structure: &Structure) -> Rows {
    match mode {
        Mode::Rigorous => {
            columns::cap(&mut rows, structure.cap as usize);
            rows.iter_mut().for_each(|(source, picks)| with_self(*source, picks));
        }
        Mode::Paper => {
            rows.iter_mut().for_each(|(_, picks)| normalize(picks, 1.0));
            columns::clip(&mut rows, structure.tau);
        }
    }
    rows
}

/// Every source reads itself: its own row counts in any case. The weight is that of an equal share.
fn with_self(source: u32, picks: &mut Picks) {
    picks.retain(|(node, _)| *node != source);
    let own = 1.0 / (picks.len() + 1) as f64;
    normalize(picks, 1.0 - own);
    picks.push((source, if picks.is_empty() { 1.0 } else { own }));
}

/// Weights that are not negative and sum to `total`, equal ones if no score is positive.
fn normalize(picks: &mut Picks, total: f64) {
    picks.iter_mut().for_each(|(_, score)| *score = score.max(0.0));
    let sum: f64 = picks.iter().map(|(_, score)| score).sum();
    let count = picks.len().max(1) as f64;
    for (_, score) in picks.iter_mut() {
        *score = if sum > 0.0 { *score * total / sum } else { total / count };
    }
}

fn from_rows(people: usize, rows: Rows) -> Result<Weights> {
    let most_shared = columns::most_shared(&rows);
    let mut of_person: Vec<Vec<(u32, f32)>> =
        (0..people as u32).map(|person| vec![(person, 1.0)]).collect();
    for (source, picks) in rows {
        of_person[source as usize] =
            picks.into_iter().map(|(node, weight)| (node, weight as f32)).collect();
    }
    let mut matrix = SparseBuilder::new(people);
    for mut row in of_person {
        matrix.push_row(&mut row)?;
    }
    Ok(Weights { matrix: matrix.finish(), most_shared })
}
