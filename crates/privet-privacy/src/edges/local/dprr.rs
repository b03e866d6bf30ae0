//! Degree-preserving randomised response: bits as by Warner, thinned to about the user's degree.
//!
//! # Idea
//! Randomised response on a sparse list drowns the few ones in false ones. Each user first draws a
//! noisy degree `d*`, then keeps each reported one with a probability `q` at which about `d*` ones
//! remain. The server gets rows about as long as the true ones.
//!
//! # Equation
//! With `p = e^eps2 / (1 + e^eps2)`, `m = n - 1`, `d* = clip(d + DLap(eps1), 0, m/2)`:
//! `q = d* / (d* (2p - 1) + m (1 - p))` (eq. 6), `P(report j) = p q` for a neighbour, `(1 - p) q` for
//! anyone else (eq. 7).
//!
//! # Guarantee
//! Unit [`NeighborBit`], `eps1 + eps2`, tight.
//! *Proof.* The sampler draws three things in turn: `d*`; a set of kept positions, whose law is a
//! function of `d*` alone; for each kept position the randomised response of its bit. The report is a
//! function of these. For two lists that differ in one bit, the probability of `d*` differs by at most
//! `e^eps1` (the degree moves by 1, see [`DiscreteLaplace`]), that of the set given `d*` not at all, and
//! that of the answers given both by at most `e^eps2` (at most one answer has another truth). ∎
//! Nothing is assumed about the law of the set, so `q` and the skipping may use floats: an error there
//! changes the length of the report, never the guarantee. Noise for the degree, the set and the
//! answers are successive words of one stream, so they are independent.
//!
//! # Paper
//! Hidano and Murakami, "Degree-Preserving Randomized Response for Graph Neural Networks under Local
//! Differential Privacy", algorithm 1 and section 4.4.
//!
//! # Differs from paper
//! * The printed split (eq. 8) spends `eps1 + eps2 > eps` where its first branch is taken. Ours stays
//!   within `eps`; the printed one is [`BudgetSplit::Paper`] and is charged with its true sum.
//! * `d*` is clipped *before* the division. As printed, a very negative `d*` passes a pole and gives
//!   `q = 1`, the densest report.
//! * Discrete instead of continuous Laplace noise: exact, and of smaller variance.
//! * The printed claim of an almost unbiased degree fails for small degrees: clipping at 0 adds about
//!   `e^(-eps1 d) / (2 eps1)`. [`Dprr::expected_degree`] is exact.
//!
//! # Cost
//! `O(d + m q)` per user, about `d + d / (1 - p)`: independent of `n`. A report has about
//! `max(d, 1/(2 eps1))` entries. The bench: 200 times faster than bit by bit at 10^5 nodes and 10^6
//! edges, linear up to 10^7; with the size of Orkut (3 M nodes, 115 M edges) 2.9 GB at the peak, true
//! graph, reports and collected graph together.
//!
//! # Numerics
//! Exact: integer noise and rational coins carry the guarantee, floats only post-process `d*`.

mod with_degree;

use privet_graph::{Graph, NodeId};
use serde_json::json;

use super::ListMechanism;
use super::list::{Agreement, ListWalk, degree, known, node_at, others};
use crate::budget::Budget;
use crate::edges::merge::ListCost;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::ledger::PairCost;
use crate::loss::Epsilon;
use crate::mechanism::{Disclose, Local, Mechanism, MechanismParameters, Permit, Status, Theorem};
use crate::noise::{BitResponse, DiscreteLaplace, Numerics, RandomWords};
use crate::origin::shipped;
use crate::population::{GraphShape, NeighborList};
use crate::unit::NeighborBit;

pub use with_degree::{DegreeReport, DprrWithDegree};

/// Degree-preserving randomised response.
///
/// ```
/// use privet_privacy::edges::local::Dprr;
/// let dprr = Dprr::from_parts(0.1, 0.9)?;
/// // Clipping the noisy degree at 0 lengthens short lists: this is no unbiased degree.
/// assert!((dprr.expected_degree(2, 509) - 5.797).abs() < 1e-3);
/// assert!((dprr.expected_degree(50, 509) - 49.599).abs() < 1e-3);
/// # Ok::<(), privet_privacy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Dprr {
    /// What the user asked for.
    asked: Budget,
    split: BudgetSplit,
    degree: Budget,
    bits: Budget,
    total: Budget,
    degree_noise: DiscreteLaplace,
    response: BitResponse,
}

impl Dprr {
    /// The share of the budget that the bits get where the graph is large enough: 0.9.
    pub const ALPHA: f64 = 0.9;

    /// The mechanism that costs `epsilon`, for graphs of up to `node_count` nodes (public).
    ///
    /// # Errors
    /// If epsilon is out of range.
    pub fn new(epsilon: f64, node_count: usize) -> Result<Self> {
        Self::with_split(epsilon, node_count, BudgetSplit::Corrected { alpha: Self::ALPHA })
    }

    /// The mechanism with another split of epsilon. With [`BudgetSplit::Paper`] it costs more than
    /// `epsilon`, and says so.
    ///
    /// # Errors
    /// If epsilon or the share is out of range.
    pub fn with_split(epsilon: f64, node_count: usize, split: BudgetSplit) -> Result<Self> {
        let asked = Budget::from_epsilon(epsilon)?;
        let (degree, bits) = split.parts(asked, node_count)?;
        Self::build(asked, split, degree, bits)
    }

    /// The mechanism with given budgets for the degree and for the bits.
    ///
    /// # Errors
    /// If their sum is out of range.
    pub fn from_parts(degree: f64, bits: f64) -> Result<Self> {
        let (degree, bits) = (Budget::from_epsilon(degree)?, Budget::from_epsilon(bits)?);
        Self::build(degree.checked_add(bits)?, BudgetSplit::Given, degree, bits)
    }

    fn build(asked: Budget, split: BudgetSplit, degree: Budget, bits: Budget) -> Result<Self> {
        Ok(Self {
            asked,
            split,
            degree,
            bits,
            total: degree.checked_add(bits)?,
            degree_noise: DiscreteLaplace::new(degree, 1)?,
            response: BitResponse::new(if fault::on(Fault::BitsAtWholeBudget) {
                asked
            } else {
                bits
            }),
        })
    }

    /// What a report tells about the degree and about one bit.
    pub fn cost(&self) -> ListCost {
        ListCost { degree: self.degree.into(), bits: self.bits.into() }
    }

    /// `q` of eq. 6, the probability of keeping a position, from a noisy degree.
    fn keep_rate(&self, noisy_degree: i64, others: usize) -> f64 {
        let m = others as f64;
        let flip = self.response.flip_probability();
        // Clipped first: q is 1 at m/2, and has a pole at a negative degree.
        let least = if fault::on(Fault::DividedBeforeClipping) { f64::MIN } else { 0.0 };
        let d = (noisy_degree as f64).clamp(least, m / 2.0);
        // Eq. 6, with p the flip probability: q = d* / (d* (1 - 2p) + m p) makes the expected number of reported
        // neighbours d*, the noisy
        // degree.
        (d / (d * (1.0 - 2.0 * flip) + m * flip)).min(1.0)
    }

    /// The noisy degree, not clipped.
    fn noisy_degree(&self, list: &NeighborList<'_>, words: &mut impl RandomWords) -> i64 {
        let noise = self.degree_noise.draw(words);
        (degree(list) as i64).saturating_add(if fault::on(Fault::DegreeWithoutNoise) {
            0
        } else {
            noise
        })
    }

    /// The report, in the order of the proof: noisy degree, kept positions, answers.
    fn report(&self, list: &NeighborList<'_>, words: &mut impl RandomWords) -> Vec<NodeId> {
        match others(list) {
            0 => Vec::new(),
            others => {
                // Beyond these ends every noisy degree is thinned to alike.
                // q reaches 1 at d* = m/2 and 0 at d* = 0.
                let end = others.div_ceil(2) as i64;
                let degree = words.lumped(|words| self.noisy_degree(list, words).clamp(0, end));
                self.thinned(list, degree, words)
            }
        }
    }

    /// The list, given the noisy degree.
    fn thinned(
        &self,
        list: &NeighborList<'_>,
        noisy_degree: i64,
        words: &mut impl RandomWords,
    ) -> Vec<NodeId> {
        let others = others(list) as u64;
        let mut report = Vec::new();
        let exact = fault::on(Fault::MaskFromTrueDegree);
        let noisy_degree = if exact { degree(list) as i64 } else { noisy_degree };
        let rate = self.keep_rate(noisy_degree, others as usize);
        let Some(mask) = Mask::new(rate) else { return report };
        let mut walk = ListWalk::new(list);
        // Thinning first, then responses for the positions kept: the same law as responding for all, in time
        // proportional to the report.
        let mut position = mask.gap(others, words);
        while position < others {
            let node = node_at(list.owner, position);
            if self.response.draw(walk.has(node), words) {
                report.push(node);
            }
            position += 1 + mask.gap(others, words);
        }
        // Millions of reports lie in memory at once: no spare room.
        report.shrink_to_fit();
        report
    }
}

/// How DPRR divides its budget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BudgetSplit {
    /// `eps1 = min(max(sqrt(8 / (n-1)), (1-alpha) eps), eps/2)` and `eps2 = eps - eps1`: the paper's
    /// idea, within the budget.
    Corrected {
        /// The share of the bits where the first term does not rule.
        alpha: f64,
    },
    /// As printed: `eps1 = max(sqrt(8 / (n-1)), (1-alpha) eps)` and `eps2 = alpha eps`, which is more
    /// than eps where the first term rules.
    Paper {
        /// The share of the bits.
        alpha: f64,
    },
    /// Both parts were given.
    Given,
}

impl BudgetSplit {
    /// The budgets of the degree and of the bits, in graphs of up to `node_count` nodes.
    fn parts(self, epsilon: Budget, node_count: usize) -> Result<(Budget, Budget)> {
        let (Self::Corrected { alpha } | Self::Paper { alpha }) = self else {
            return Err(Error::range("split", "given", "given with its two parts"));
        };
        if !(alpha > 0.0 && alpha < 1.0) {
            return Err(Error::range("alpha", alpha, "between 0 and 1"));
        }
        let eps = epsilon.as_f64();
        // Eq. 8. Below sqrt(8 / (n-1)) the noise of the degree outweighs that of the bits.
        let least = (8.0 / node_count.saturating_sub(1) as f64).sqrt();
        let degree = least.max((1.0 - alpha) * eps);
        if matches!(self, Self::Paper { .. }) || fault::on(Fault::SplitAsPrinted) {
            return Ok((Budget::from_epsilon(degree)?, Budget::from_epsilon(alpha * eps)?));
        }
        let degree = Budget::from_epsilon(degree.min(eps / 2.0))?;
        Ok((degree, epsilon.checked_sub(degree)?))
    }

    /// The name on cards.
    fn name(self) -> &'static str {
        match self {
            Self::Corrected { .. } => "corrected",
            Self::Paper { .. } => "paper",
            Self::Given => "given",
        }
    }
}

shipped!(Dprr);

impl Mechanism for Dprr {
    type Unit = NeighborBit;

    fn name(&self) -> &'static str {
        "dprr"
    }

    fn event(&self) -> Event {
        let charged = if fault::on(Fault::SplitAsPrinted) { self.asked } else { self.total };
        Event::Pure { epsilon: Epsilon::from(charged) }
    }

    fn theorem(&self) -> Theorem {
        Theorem {
            statement: "a noisy degree, and bits thinned to it: the two budgets add up".into(),
            proof: "privet_privacy::edges::local::dprr, Guarantee".into(),
        }
    }

    fn numerics(&self) -> Numerics {
        Numerics::Exact
    }

    fn parameters(&self) -> MechanismParameters {
        MechanismParameters::from([
            ("epsilon".into(), json!(self.asked.as_f64())),
            ("epsilon for the degree".into(), json!(self.degree.as_f64())),
            ("epsilon for the bits".into(), json!(self.bits.as_f64())),
            ("split".into(), json!(self.split.name())),
        ])
    }

    fn status(&self) -> Status {
        if self.total <= self.asked {
            return Status::Holds;
        }
        let flaw = format!("its two budgets add up to {}", self.total);
        Status::PaperMode { printed: self.asked.into(), flaw }
    }

    fn assumes_public(&self) -> Vec<String> {
        vec!["the number of nodes and their ids".into()]
    }
}

impl Local for Dprr {
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
        self.report(&list, noise)
    }
}

impl ListMechanism for Dprr {
    fn cost(&self) -> ListCost {
        self.cost()
    }
}

impl Disclose for Dprr {
    fn disclose(&self, list: NeighborList<'_>, _permit: Permit<'_>) -> Vec<NodeId> {
        known(&list).collect()
    }
}

// The exact law of a report, and the exact moments of its length.
//
// `P(s | a) = sum over d* of P(d* | d) (pq)^kept (1-pq)^lost ((1-p)q)^invented (1-(1-p)q)^absent`:
// given the noisy degree the positions are independent, and the clipped noisy degree takes at most
// `(n-1)/2 + 2` values. For audits on toys, and for what a user can expect before collecting.

impl Dprr {
    /// The probability of a report about a list; 0 if no user could send it. O(n).
    pub fn probability(&self, list: &NeighborList<'_>, report: &[NodeId]) -> f64 {
        let Some(agreement) = Agreement::of(list, report) else { return 0.0 };
        let Agreement { kept, lost, invented, absent } = agreement;
        let flip = self.response.flip_probability();
        let power = |base: f64, times: usize| base.powf(times as f64);
        self.rates(degree(list), others(list))
            .map(|(q, probability)| {
                let (one, zero) = ((1.0 - flip) * q, flip * q);
                probability
                    * power(one, kept)
                    * power(1.0 - one, lost)
                    * power(zero, invented)
                    * power(1.0 - zero, absent)
            })
            .sum()
    }

    /// The exact mean number of reported neighbours of a user with `degree` of them. The paper's
    /// eq. 11 says `degree`, which is far off for small ones. O(n).
    pub fn expected_degree(&self, degree: usize, node_count: usize) -> f64 {
        let others = node_count.saturating_sub(1);
        let before = self.mean_before_sampling(degree, others);
        self.rates(degree, others).map(|(q, probability)| probability * before * q).sum()
    }

    /// The exact variance of the number of reported neighbours. O(n).
    pub fn degree_variance(&self, degree: usize, node_count: usize) -> f64 {
        let others = node_count.saturating_sub(1);
        let flip = self.response.flip_probability();
        let before = self.mean_before_sampling(degree, others);
        let mean = self.expected_degree(degree, node_count);
        let (ones, zeros) = (degree as f64, others.saturating_sub(degree) as f64);
        // Eq. 12: the variance given d* (eq. 13), and that of the mean given d*.
        self.rates(degree, others)
            .map(|(q, probability)| {
                let (one, zero) = ((1.0 - flip) * q, flip * q);
                let within = ones * one * (1.0 - one) + zeros * zero * (1.0 - zero);
                probability * (within + (before * q - mean).powi(2))
            })
            .sum()
    }

    /// The paper's bound on the variance, eq. 15: `(n-1)/4 + 2/eps1^2`.
    pub fn variance_bound(&self, node_count: usize) -> f64 {
        let eps1 = self.degree.as_f64();
        node_count.saturating_sub(1) as f64 / 4.0 + 2.0 / (eps1 * eps1)
    }

    /// The probability that the answer about a bit is the truth, before thinning (p).
    pub fn keep_probability(&self) -> f64 {
        1.0 - self.response.flip_probability()
    }

    /// `d (2p - 1) + (n-1)(1 - p)`: the mean number of ones after randomised response.
    fn mean_before_sampling(&self, degree: usize, others: usize) -> f64 {
        let flip = self.response.flip_probability();
        degree as f64 * (1.0 - 2.0 * flip) + others as f64 * flip
    }

    /// The law of `q`: its values, each with its probability.
    fn rates(&self, degree: usize, others: usize) -> impl Iterator<Item = (f64, f64)> + '_ {
        let ratio = (-self.degree.as_f64()).exp();
        // P(noise >= t) = ratio^t / (1 + ratio) for t >= 0, and the rest by symmetry.
        let tail = move |t: i64| match t {
            0.. => ratio.powf(t as f64) / (1.0 + ratio),
            _ => 1.0 - ratio.powf((1 - t) as f64) / (1.0 + ratio),
        };
        let point = (self.degree.as_f64() / 2.0).tanh();
        let (degree, last) = (degree as i64, others.div_ceil(2) as i64);
        (0..=last).map(move |noisy| {
            let probability = match noisy {
                0 if last == 0 => 1.0,
                0 => tail(degree),
                _ if noisy == last => tail(last - degree),
                _ => point * ratio.powf((noisy - degree).abs() as f64),
            };
            let q = if others == 0 { 0.0 } else { self.keep_rate(noisy, others) };
            (q, probability)
        })
    }
}

/// Positions kept independently, each with the same probability.
///
/// The gap before the next kept position is geometric: `floor(log(u) / log(1 - q))` for a uniform `u`
/// in (0, 1]. It is computed in floats (with logarithms that are the same on every machine), which
/// the proof of DPRR allows: the mask depends on the data through `q` alone.
struct Mask {
    /// `1 / log(1 - q)`: minus zero where everything is kept.
    scale: f64,
}

impl Mask {
    /// The mask that keeps with probability `rate`; `None` if it keeps nothing.
    fn new(rate: f64) -> Option<Self> {
        let kept = rate.min(1.0);
        (kept > 0.0).then(|| Self { scale: 1.0 / libm::log1p(-kept) })
    }

    /// How many positions to skip before the next kept one; more than `most` are as good as `most`.
    #[inline]
    fn gap(&self, most: u64, words: &mut impl RandomWords) -> u64 {
        words.bits_in_runs(|bits| {
            // In (0, 1], never 0, so the logarithm is finite; floor(log U / log(1 - q)) is geometric. The mask
            // depends on the noisy degree alone: its law is post-processing, and may be a float's.
            let uniform = (bits + 1) as f64 * 2f64.powi(-53);
            // Beyond u64 the cast saturates.
            ((libm::log(uniform) * self.scale) as u64).min(most)
        })
    }
}

#[cfg(test)]
mod tests;
