//! How EdgeRR's tree grows where private edges have a say: heat-bath steps, each a pick of bounded range,
//! or Metropolis steps as printed. The proof is the parent's.

use privet_graph::Graph;

use super::EdgeRr;
use crate::budget::Budget;
use crate::edges::comparison::hrg::likelihood::sensitivity;
use crate::edges::comparison::hrg::{Dendrogram, DendrogramChain, Proposal};
use crate::noise::{ExponentialSelection, RandomWords};

/// Lattice steps per nat of a score.
pub(super) const GRID: f64 = (1u64 << 20) as f64;
/// Nats that the rounding of logarithms can never reach.
pub(super) const SLACK: f64 = 1.0 / 1024.0;

/// How the tree is found.
#[derive(Debug, Clone)]
pub(super) enum GrowthMode {
    /// The tree stays as it is.
    Public,
    /// Picks by the exponential mechanism.
    HeatBath { steps: u64, range: Budget, pick: ExponentialSelection },
    /// As printed.
    Metropolis { steps: u64, name: &'static str, rate: f64, printed: Budget },
}

impl EdgeRr {
    /// The probabilities of the three arrangements of a proposal in a private tree's step.
    pub fn step_law(&self, proposal: &Proposal) -> Option<[f64; 3]> {
        let GrowthMode::HeatBath { ref pick, range, .. } = self.mode else { return None };
        let law = pick.probabilities(&self.lattice(proposal, range));
        law.try_into().ok()
    }

    /// The scores of a proposal in lattice steps of `L_pri`; `L_pub` enters divided by `c`.
    fn lattice(&self, proposal: &Proposal, range: Budget) -> [i64; 3] {
        let scores = proposal.scores();
        let now = scores[DendrogramChain::NOW].public;
        // The pick has weights exp(c L_pri + L_pub): dividing the public part by c cancels the pick's own rate.
        let c = range.as_f64() / (2.0 * (sensitivity(self.ground.private_count()) + SLACK));
        // Casts of floats beyond the range saturate.
        scores.map(|score| {
            // The rounding of both neighbours' scores is covered by SLACK and by one extra grid step in the
            // sensitivity.
            let private = (score.private * GRID).round() as i64;
            private.saturating_add(((score.public - now) / c * GRID).round() as i64)
        })
    }

    /// The tree that is counted on.
    pub(super) fn grow(&self, private: &Graph, words: &mut impl RandomWords) -> Dendrogram {
        let tree = self.start.get();
        let Ok(mut chain) = DendrogramChain::new(&self.ground, private, tree) else {
            return tree.clone();
        };
        let choices = chain.choices();
        match self.mode {
            GrowthMode::Public => return tree.clone(),
            _ if choices == 0 => return tree.clone(),
            GrowthMode::HeatBath { steps, range, ref pick } => {
                for _ in 0..steps {
                    let proposal = chain.propose(words.below(choices));
                    if let Some(outside) = pick.choose(&self.lattice(&proposal, range), words) {
                        chain.rearrange(&proposal, outside);
                    }
                }
            }
            GrowthMode::Metropolis { steps, rate, .. } => {
                let public = self.ground.public().edge_count() > 0;
                for _ in 0..steps {
                    if public {
                        metropolis(&mut chain, [1.0, 0.0], words);
                    }
                    metropolis(&mut chain, [0.0, rate], words);
                }
            }
        }
        chain.dendrogram()
    }

    /// What the tree would cost under the law its chain tends to.
    pub(super) fn stationary(&self, rate: f64) -> f64 {
        2.0 * rate * sensitivity(self.ground.private_count())
    }
}

/// Proposes one of the two other arrangements of a random node, and takes it with probability
/// `min(1, exp(gain))` (HeteroRR eq. 12 to 14).
fn metropolis(chain: &mut DendrogramChain, weights: [f64; 2], words: &mut impl RandomWords) {
    let proposal = chain.propose(words.below(chain.choices()));
    let outside = words.below(2) as usize;
    let scores = proposal.scores();
    let score = |at: usize| weights[0] * scores[at].public + weights[1] * scores[at].private;
    let gain = score(outside) - score(DendrogramChain::NOW);
    // Floats decide here, hence `Numerics::Idealized` for this mode.
    let bound = libm::exp(gain.min(0.0));
    if words.bits_in_runs(|bits| (bits as f64 * 2f64.powi(-53)) < bound) {
        chain.rearrange(&proposal, outside);
    }
}
