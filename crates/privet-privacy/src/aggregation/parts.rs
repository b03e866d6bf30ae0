//! Noisy sums that several processes take, each those of its own nodes, where connections alone are secret.
//!
//! The rows that are summed are public (those of the first hop) or released (the noisy sums of the hop before), and a
//! process reads nothing else but the connections of its own nodes. It adds its own noise, so what it hands on is a part of
//! the release: no sum without noise ever leaves a process. In a simulation the noise of a place follows from the seed,
//! so that parts are the whole to the bit.
//!
//! There are no parts where people are protected as a whole: which neighbours each node keeps would have to be
//! agreed on by all processes.

use privet_graph::DenseMatrix;

use super::{AttributedGraph, NoisySums, neighbours};
use crate::error::{Error, Result};
use crate::ledger::{Drawing, Ledger, ReleaseShare};
use crate::mechanism::Central;
use crate::noise::NoiseSource;
use crate::release::Release;
use crate::secret::Secret;
use crate::unit::Edge;

impl Ledger<Edge> {
    /// Charges the noisy sums of all nodes, to be drawn by [shares](Drawing::shares).
    ///
    /// # Errors
    /// If the data has another shape than the mechanism, it would pass the limit (then nothing can be drawn), or the
    /// entry cannot be written.
    pub fn begin_sums<'m>(
        &mut self,
        data: &Secret<AttributedGraph>,
        mechanism: &'m NoisySums<Edge>,
    ) -> Result<Drawing<'m, NoisySums<Edge>>> {
        mechanism.check(&data.shape())?;
        self.begin_parts(mechanism, None, (None, data.shape().nodes))
    }
}

impl ReleaseShare {
    /// The noisy sums of this share's nodes, hop after hop. `gather` is handed each as soon as it is drawn, and returns
    /// what all processes have drawn of that hop, in the order of the nodes: the next hop sums these.
    ///
    /// # Errors
    /// If the release was charged for another mechanism, the data has another shape, there is no noise to be had, what
    /// was gathered are not the rows of all nodes; and those of `gather`.
    pub fn draw_sums<E: From<Error>>(
        self,
        mechanism: &NoisySums<Edge>,
        data: &Secret<AttributedGraph>,
        mut gather: impl FnMut(Release<DenseMatrix, Edge>) -> std::result::Result<DenseMatrix, E>,
    ) -> std::result::Result<Release<(), Edge>, E> {
        let (noise, nodes) = (self.noise_for(mechanism)?, self.people());
        let shape = data.shape();
        mechanism.check(&shape)?;
        if nodes.end > shape.nodes {
            let expected = "no more than there are";
            return Err(Error::range("nodes of a share", nodes.end, expected).into());
        }
        let data = data.expose();
        let lists = neighbours(&data.graph, nodes.clone());
        let columns = data.rows.columns();
        let steps = mechanism.steps(columns);
        let mut gathered: Option<DenseMatrix> = None;
        let mut rounds = noise.into_rounds();
        // The first round of noise chooses neighbours where there is a bound on them.
        let _unused = rounds.next_release();
        for _ in 0..mechanism.settings.hops {
            let rows = gathered.as_ref().unwrap_or(&data.rows);
            let sums = mechanism.cut_sums(rows, &lists, steps);
            let (first, step) = (nodes.start * columns, NoisySums::<Edge>::step(steps));
            let noisy = mechanism.lattice.noisy_part(sums, first, step, rounds.next_release());
            let mut hop = DenseMatrix::zeros(lists.len(), columns);
            hop.values_mut().copy_from_slice(&noisy);
            let rows = gather(self.release(hop))?;
            if (rows.rows(), rows.columns()) != (shape.rows, columns) {
                let expected = "as many as there are nodes, as long as before";
                return Err(Error::range("gathered rows", rows.rows(), expected).into());
            }
            gathered = Some(rows);
        }
        Ok(self.release(()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::SumSettings;
    use super::*;
    use crate::loss::Loss;
    use crate::noise::NoiseRng;
    use privet_graph::{Direction, GraphBuilder};
    use proptest::prelude::*;

    /// More values than share a stream of noise.
    const NODES: usize = 700;
    const COLUMNS: usize = 50;

    fn people() -> Secret<AttributedGraph> {
        so_many(NODES)
    }

    fn so_many(nodes: usize) -> Secret<AttributedGraph> {
        let edges = (0..700).flat_map(|u: u32| (1..4).map(move |k| (u, (u * k + 5) % 700)));
        let builder = GraphBuilder::new(nodes, Direction::Undirected);
        let graph = builder.edges(edges).build().unwrap().0;
        let value = |at: usize| (at * 7919 % 31) as f32 / 8.0 - 2.0;
        let values = (0..nodes * COLUMNS).map(value).collect();
        let rows = DenseMatrix::new(nodes, COLUMNS, values).unwrap();
        Secret::new(AttributedGraph { graph, rows })
    }

    fn mechanism(hops: usize) -> NoisySums<Edge> {
        let settings = SumSettings { hops, max_degree: 1, clip: 900.0, noise_multiplier: 4.0 };
        NoisySums::new(settings, NODES).unwrap()
    }

    fn account() -> Ledger<Edge> {
        let limit = Loss::new(9.0, 1e-5).unwrap();
        Ledger::in_memory(limit, NoiseRng::replay(3)).unwrap()
    }

    /// What processes with these shares draw together, hop after hop: each waits for the others in a thread of its own.
    fn together(shares: Vec<ReleaseShare>, mechanism: &NoisySums<Edge>) -> Vec<Vec<f32>> {
        let count = shares.len();
        let (barrier, board) = (std::sync::Barrier::new(count), std::sync::Mutex::new(Vec::new()));
        board.lock().unwrap().resize(count, Vec::new());
        let all = std::sync::Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for (at, share) in shares.into_iter().enumerate() {
                let (barrier, board, all) = (&barrier, &board, &all);
                scope.spawn(move || {
                    let drawn = share.draw_sums(mechanism, &people(), |own| {
                        board.lock().unwrap()[at] = own.get().values().to_vec();
                        barrier.wait();
                        let rows = board.lock().unwrap().concat();
                        barrier.wait();
                        if at == 0 {
                            all.lock().unwrap().push(rows.clone());
                        }
                        Ok::<_, Error>(DenseMatrix::new(NODES, COLUMNS, rows).unwrap())
                    });
                    drawn.unwrap();
                });
            }
        });
        all.into_inner().unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]
        /// However the nodes are cut, each node's sums are those that one process takes, and one entry pays for them.
        #[test]
        fn parts_are_the_whole(cuts in prop::collection::vec(0usize..=NODES, 0..3)) {
            let (mechanism, mut one) = (mechanism(2), account());
            let whole = one.release(&people(), &mechanism).unwrap().into_inner();
            let whole: Vec<Vec<f32>> = whole.iter().map(|hop| hop.values().to_vec()).collect();
            let mut ends = cuts;
            ends.push(NODES);
            ends.sort_unstable();
            let mut several = account();
            let shares = several.begin_sums(&people(), &mechanism).unwrap().shares(&ends).unwrap();
            prop_assert!(together(shares, &mechanism) == whole);
            let entries = |ledger: &Ledger<Edge>| serde_json::to_string(ledger.entries()).unwrap();
            prop_assert_eq!(entries(&one), entries(&several));
        }
    }

    #[test]
    fn a_share_is_for_what_was_charged_and_needs_every_row() {
        let charged = mechanism(1);
        let share = || {
            let shares = account().begin_sums(&people(), &charged).unwrap().shares(&[NODES]);
            shares.unwrap().remove(0)
        };
        let draw = |mechanism: &NoisySums<Edge>, rows: usize| {
            let gathered = |_| Ok::<_, Error>(DenseMatrix::zeros(rows, COLUMNS));
            share().draw_sums(mechanism, &people(), gathered).map(|_| ())
        };
        draw(&charged, NODES).unwrap();
        let message = draw(&mechanism(2), NODES).unwrap_err().to_string();
        assert!(message.contains("that which was charged for"), "{message}");
        assert!(draw(&charged, 3).is_err());
        // Other people are refused: before the charge, and where they are handed in after it.
        let (others, mut ledger) = (so_many(NODES + 1), account());
        assert!(ledger.begin_sums(&others, &charged).is_err() && ledger.entries().is_empty());
        let gathered = |_| Ok::<_, Error>(DenseMatrix::zeros(NODES + 1, COLUMNS));
        assert!(share().draw_sums(&charged, &others, gathered).is_err());
        // What passes the limit is not charged at all.
        let limit = Loss::new(0.1, 1e-5).unwrap();
        let mut poor: Ledger<Edge> = Ledger::in_memory(limit, NoiseRng::replay(3)).unwrap();
        assert!(poor.begin_sums(&people(), &charged).is_err() && poor.entries().is_empty());
    }
}
