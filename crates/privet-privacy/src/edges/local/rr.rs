//! Randomised response on every bit of a neighbour list.
//!
//! # Idea
//! Warner's randomised response, for each of the `n - 1` people one could know.
//!
//! # Equation
//! Each bit is flipped with probability `f = 1 / (1 + e^eps)`, independently.
//!
//! # Guarantee
//! Unit [`NeighborBit`], `eps` exactly.
//! *Proof.* Two lists that differ in one bit give the same law to all other answers; the one answer has
//! ratio at most `e^eps` (see [`BitResponse`]). ∎
//!
//! # Paper
//! Warner 1965; for neighbour lists e.g. Imola, Murakami and Chaudhuri 2021. A baseline of the DPRR
//! paper.
//!
//! # Differs from paper
//! Rational odds, rounded to the private side.
//!
//! # Cost
//! `n / 64` words of 64 answers each per user. A report has `d (1 - 2f) + (n-1) f` ones on average:
//! at `eps = 1` every fourth bit is set, and the reports of `n` users need `n^2 / 4` list entries but
//! only `n^2 / 64` words as [`BitRow`]s. The degree estimate `(ones - (n-1) f) / (1 - 2f)` is unbiased
//! with variance `(n-1) f (1-f) / (1-2f)^2`.
//!
//! # Numerics
//! Exact.

use privet_graph::{Graph, NodeId};
use serde_json::json;

use super::ListMechanism;
use super::list::{Agreement, known};
use crate::budget::Budget;
use crate::edges::merge::ListCost;
use crate::error::Result;
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::ledger::PairCost;
use crate::loss::Epsilon;
use crate::mechanism::{Disclose, Local, Mechanism, MechanismParameters, Permit, Theorem};
use crate::noise::{BitResponse, Numerics, RandomWords};
use crate::origin::shipped;
use crate::population::{GraphShape, NeighborList};
use crate::unit::NeighborBit;

/// Randomised response on a neighbour list; a report is a list.
///
/// ```
/// use privet_privacy::edges::local::Rr;
/// let rr = Rr::new(1.0)?;
/// assert!((rr.expected_degree(2, 1001) - 269.9).abs() < 0.1);   // 2 friends, 270 reported
/// # Ok::<(), privet_privacy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Rr {
    budget: Budget,
    response: BitResponse,
}

/// Randomised response on a neighbour list; a report is a row of bits.
#[derive(Debug, Clone)]
pub struct PackedRr(pub Rr);

/// One bit for every node, 64 to a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BitRow {
    words: Vec<u64>,
}

impl Rr {
    /// The mechanism that costs `epsilon`.
    ///
    /// # Errors
    /// If epsilon is out of range.
    pub fn new(epsilon: f64) -> Result<Self> {
        let budget = Budget::from_epsilon(epsilon)?;
        Ok(Self { budget, response: BitResponse::new(budget) })
    }

    /// What a report gives away about one bit.
    pub fn cost(&self) -> ListCost {
        ListCost { degree: Epsilon::ZERO, bits: self.budget.into() }
    }

    /// The probability that an answer is wrong.
    pub fn flip_probability(&self) -> f64 {
        self.response.flip_probability()
    }

    /// The mean number of reported neighbours of a user with `degree` of them.
    pub fn expected_degree(&self, degree: usize, node_count: usize) -> f64 {
        let flip = self.response.flip_probability();
        degree as f64 * (1.0 - 2.0 * flip) + node_count.saturating_sub(1) as f64 * flip
    }

    /// The unbiased estimate of a user's degree from the number of reported neighbours.
    pub fn degree_estimate(&self, reported: usize, node_count: usize) -> f64 {
        let flip = self.response.flip_probability();
        // E[reported] = d (1 - p) + (n - 1 - d) p, solved for d.
        let invented = node_count.saturating_sub(1) as f64 * flip;
        // Inverts the mean of `expected_degree`: unbiased.
        (reported as f64 - invented) / (1.0 - 2.0 * flip)
    }

    /// The probability of a report about a list; 0 if no user could send it.
    pub fn probability(&self, list: &NeighborList<'_>, report: &[NodeId]) -> f64 {
        let Some(agreement) = Agreement::of(list, report) else { return 0.0 };
        let flip = self.response.flip_probability();
        let wrong = (agreement.lost + agreement.invented) as f64;
        let right = (agreement.kept + agreement.absent) as f64;
        flip.powf(wrong) * (1.0 - flip).powf(right)
    }

    /// All bits, the owner's own cleared.
    fn row(&self, list: &NeighborList<'_>, words: &mut impl RandomWords) -> BitRow {
        let mut row = BitRow::of(list);
        for (word, first) in row.words.iter_mut().zip((0..list.node_count).step_by(64)) {
            let lanes = (list.node_count - first).min(64) as u32;
            let spared = u64::from(fault::on(Fault::LastBitKept)) << (lanes - 1);
            let kept = *word & spared;
            // All bits are drawn, 64 at a time: an absent pair needs the same noise as one that is there.
            *word = self.response.draw_64(*word, lanes, words) & !spared | kept;
        }
        // Lanes that are no bit of the list were drawn like the others, and are dropped.
        // The owner's own bit was drawn with the others, and is no pair.
        row.clear(list.owner);
        // Bits beyond the last node belong to no pair either.
        let spare = row.words.len() * 64 - list.node_count;
        if let Some(last) = row.words.last_mut() {
            *last &= u64::MAX >> spare;
        }
        row
    }
}

impl BitRow {
    fn of(list: &NeighborList<'_>) -> Self {
        let mut words = vec![0u64; list.node_count.div_ceil(64)];
        known(list).for_each(|node| words[node as usize / 64] |= 1 << (node % 64));
        Self { words }
    }

    fn clear(&mut self, node: NodeId) {
        if let Some(word) = self.words.get_mut(node as usize / 64) {
            *word &= !(1 << (node % 64));
        }
    }

    /// Whether the bit of `node` is set.
    pub fn contains(&self, node: NodeId) -> bool {
        self.words.get(node as usize / 64).is_some_and(|word| word >> (node % 64) & 1 == 1)
    }

    /// How many bits are set.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The nodes whose bit is set, ascending.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        (0..).step_by(64).zip(&self.words).flat_map(|(first, &word): (NodeId, _)| {
            // x & (x - 1) clears the lowest set bit.
            // x & (x - 1) clears the lowest bit that is set: the loop takes as long as there are neighbours, not nodes.
            std::iter::successors(Some(word), |rest| Some(rest & rest.wrapping_sub(1)))
                .take_while(|&rest| rest != 0)
                .map(move |rest| first + rest.trailing_zeros())
        })
    }
}

shipped!(Rr, PackedRr);

impl Mechanism for Rr {
    type Unit = NeighborBit;

    fn name(&self) -> &'static str {
        "rr"
    }

    fn event(&self) -> Event {
        Event::RandomizedResponse { epsilon: Epsilon::from(self.budget), categories: 2 }
    }

    fn theorem(&self) -> Theorem {
        Theorem {
            statement: "the answer about one bit changes by at most a factor e^epsilon".into(),
            proof: "privet_privacy::edges::local::rr, Guarantee".into(),
        }
    }

    fn numerics(&self) -> Numerics {
        Numerics::Exact
    }

    fn parameters(&self) -> MechanismParameters {
        MechanismParameters::from([("epsilon".into(), json!(self.budget.as_f64()))])
    }

    fn assumes_public(&self) -> Vec<String> {
        vec!["the number of nodes and their ids".into()]
    }
}

impl Local for Rr {
    type Population = Graph;
    type Report = Vec<NodeId>;

    fn pair(&self, graph: &GraphShape) -> Option<PairCost> {
        graph.pair(PairCost::told_by_both(self.cost().total()))
    }

    fn randomize<W: RandomWords>(
        &self,
        list: NeighborList<'_>,
        noise: &mut W,
        _permit: Permit<'_>,
    ) -> Vec<NodeId> {
        let row = self.row(&list, noise);
        let mut report = Vec::with_capacity(row.count());
        report.extend(row.nodes());
        report
    }
}

impl ListMechanism for Rr {
    fn cost(&self) -> ListCost {
        self.cost()
    }
}

impl Disclose for Rr {
    fn disclose(&self, list: NeighborList<'_>, _permit: Permit<'_>) -> Vec<NodeId> {
        known(&list).collect()
    }
}

impl Mechanism for PackedRr {
    type Unit = NeighborBit;

    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn event(&self) -> Event {
        self.0.event()
    }

    fn theorem(&self) -> Theorem {
        self.0.theorem()
    }

    fn numerics(&self) -> Numerics {
        self.0.numerics()
    }

    fn parameters(&self) -> MechanismParameters {
        self.0.parameters()
    }

    fn assumes_public(&self) -> Vec<String> {
        self.0.assumes_public()
    }
}

impl Local for PackedRr {
    type Population = Graph;
    type Report = BitRow;

    fn pair(&self, graph: &GraphShape) -> Option<PairCost> {
        graph.pair(PairCost::told_by_both(self.0.cost().total()))
    }

    fn randomize<W: RandomWords>(
        &self,
        list: NeighborList<'_>,
        noise: &mut W,
        _permit: Permit<'_>,
    ) -> BitRow {
        let row = self.0.row(&list, noise);
        match fault::on(Fault::PackedBitsNotFlipped) {
            true => BitRow::of(&list),
            false => row,
        }
    }
}

impl Disclose for PackedRr {
    fn disclose(&self, list: NeighborList<'_>, _permit: Permit<'_>) -> BitRow {
        BitRow::of(&list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::NoiseRng;
    use crate::noise::testing::assert_fits;

    fn list(owner: NodeId, neighbors: &[NodeId], node_count: usize) -> NeighborList<'_> {
        NeighborList { owner, neighbors, node_count }
    }

    #[test]
    fn one_bit_costs_epsilon() {
        let rr = Rr::new(1.0).unwrap();
        let reports: [&[NodeId]; 4] = [&[], &[0], &[2], &[0, 2]];
        let law = |neighbors: &[NodeId]| reports.map(|r| rr.probability(&list(1, neighbors, 3), r));
        assert!((law(&[0]).iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let worst = |a: [f64; 4], b: [f64; 4]| {
            a.iter().zip(b).map(|(a, b)| (a / b).ln().abs()).fold(0.0, f64::max)
        };
        assert!((worst(law(&[0]), law(&[])) - 1.0).abs() < 1e-9);
        assert!((worst(law(&[0]), law(&[0, 2])) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn drawn_reports_fit() {
        let mut noise = NoiseRng::replay(71).next_release().into_stream();
        let rr = Rr::new(0.8).unwrap();
        let list = list(1, &[0, 3], 4);
        let mut counts = [0u64; 8];
        for _ in 0..100_000 {
            let report = rr.randomize(list, &mut noise, Permit::new());
            let outcome: usize = report.iter().map(|&v| [1, 0, 2, 4][v as usize]).sum();
            counts[outcome] += 1;
        }
        let law: Vec<f64> = (0..8usize)
            .map(|outcome| {
                let report: Vec<NodeId> = [(0, 1), (2, 2), (3, 4)]
                    .iter()
                    .filter(|b| outcome & b.1 != 0)
                    .map(|b| b.0)
                    .collect();
                rr.probability(&list, &report)
            })
            .collect();
        assert_fits(&counts, &law);
    }

    #[test]
    fn rows_and_lists_say_the_same() {
        let rr = Rr::new(1.5).unwrap();
        for (owner, n) in [(0, 1usize), (0, 64), (63, 64), (64, 65), (3, 130), (129, 130)] {
            let neighbors: Vec<NodeId> = (0..n as NodeId).filter(|v| v % 3 == 0).collect();
            let list = list(owner, &neighbors, n);
            let stream = || NoiseRng::replay(72).next_release().into_stream();
            let report = rr.randomize(list, &mut stream(), Permit::new());
            let row = PackedRr(rr.clone()).randomize(list, &mut stream(), Permit::new());
            assert_eq!(row.nodes().collect::<Vec<_>>(), report);
            assert_eq!(row.count(), report.len());
            assert!((0..n as NodeId + 70).all(|v| row.contains(v) == report.contains(&v)));
            assert!(report.iter().all(|&v| v != owner && (v as usize) < n));
            let public = rr.disclose(list, Permit::new());
            let packed = PackedRr(rr.clone()).disclose(list, Permit::new());
            assert_eq!(packed.nodes().collect::<Vec<_>>(), public);
        }
    }

    #[test]
    fn the_degree_estimate_is_unbiased() {
        let mut noise = NoiseRng::replay(73).next_release().into_stream();
        let rr = Rr::new(1.0).unwrap();
        let neighbors: Vec<NodeId> = (1..=20).collect();
        let list = list(0, &neighbors, 500);
        let draws = 5000;
        let reported = || rr.row(&list, &mut noise).count();
        let sum: f64 =
            std::iter::repeat_with(reported).take(draws).map(|r| rr.degree_estimate(r, 500)).sum();
        let flip = rr.response.flip_probability();
        let variance = 499.0 * flip * (1.0 - flip) / (1.0 - 2.0 * flip).powi(2);
        assert!((sum / draws as f64 - 20.0).abs() < 5.0 * (variance / draws as f64).sqrt());
        let mean = rr.expected_degree(20, 500);
        assert!(
            (rr.degree_estimate(1, 500) - (20.0 + (1.0 - mean) / (1.0 - 2.0 * flip))).abs() < 1e-9
        );
    }
}
