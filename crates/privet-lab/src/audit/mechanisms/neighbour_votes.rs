//! The audit of `neighbour-votes`: a voter who leaves, and one who is replaced.

use privet::privacy::Secret;
use privet::privacy::neighbour_votes::{NeighbourVotes, Voters, VotingUnit};
use privet::privacy::unit::{Node, ReplacedNode};

use super::{Audit, Procedure};
use crate::Result;
use crate::audit::clopper_pearson::epsilon_lower_bound;
use crate::audit::enumerated::{moved, price};
use crate::audit::finding::Finding;
use crate::audit::seeds::Seeds;
use crate::audit::toy_graphs::{DELTA, gaussian, norm};
use crate::audit::trials::{CONFIDENCE, account, statistical};

pub(super) const AUDITS: [Audit; 1] = [Audit {
    name: "neighbour-votes",
    of: &["NeighbourVotes"],
    tight: false,
    run: Procedure::Seeded(votes),
}];

/// Draws from each side.
const TRIALS: usize = 10_000;
/// New people beside each voter, of whom a voter knows half.
const RECIPIENTS: usize = 8;
const CLASSES: usize = 2;
const NOISE: f64 = 1.2;

/// A voter's class and the recipients they know.
type Voter = (Option<u32>, &'static [u32]);

/// A voter who knows four new people, one who is not there, and one of the other class who knows the others.
const PRESENT: Voter = (Some(0), &[0, 1, 2, 3]);
const ABSENT: Voter = (None, &[]);
const OTHER: Voter = (Some(1), &[4, 5, 6, 7]);

fn votes(seeds: Seeds) -> Result<Vec<Finding>> {
    let absent = apart::<Node>("a voter with and without", [PRESENT, ABSENT], seeds.part(0))?;
    let other = "a voter who becomes another";
    let replaced = apart::<ReplacedNode>(other, [PRESENT, OTHER], seeds.part(1))?;
    Ok([absent, replaced].concat())
}

/// The counts of so many copies, each with one voter and recipients of its own.
fn counts<U: VotingUnit>(
    (class, recipients): Voter,
    copies: usize,
    noise: f64,
    seeds: Seeds,
) -> Result<Vec<f32>> {
    let of_copy = |copy: usize| {
        recipients.iter().map(|&one| (copy * RECIPIENTS) as u32 + one).collect::<Vec<u32>>()
    };
    let voters =
        Voters { classes: vec![class; copies], recipients: (0..copies).map(of_copy).collect() };
    let mechanism = NeighbourVotes::<U>::new(copies * RECIPIENTS, CLASSES, noise)?;
    let mut ledger = account::<U>(DELTA, seeds)?;
    let released = ledger.release(&Secret::new(voters), &mechanism)?;
    Ok(released.get().values().to_vec())
}

/// How far counts move, on the code that runs with hardly any noise; and samples along that direction.
fn apart<U: VotingUnit>(what: &str, voters: [Voter; 2], seeds: Seeds) -> Result<Vec<Finding>> {
    let mechanism = NeighbourVotes::<U>::new(RECIPIENTS, CLASSES, NOISE)?;
    let claimed = price(&mechanism, DELTA)?;
    let silent = voters.map(|voter| counts::<U>(voter, 1, 1e-9, seeds));
    let [with, without] = silent;
    let (with, without) = (with?, without?);
    let direction: Vec<f64> = with.iter().zip(&without).map(|(a, b)| f64::from(a - b)).collect();
    let exact = gaussian(mechanism.deviation() / norm(&direction))?;
    // Without the voter, two deviations are passed once in 44 trials.
    let line = 2.0 * mechanism.deviation() * norm(&direction);
    let passed = |voter, part| -> Result<u64> {
        let counts = counts::<U>(voter, TRIALS, NOISE, seeds.part(part))?;
        let along = |copy: &[f32]| -> f64 {
            let parts = copy.iter().zip(&without).zip(&direction);
            parts.map(|((count, base), moved)| f64::from(count - base) * moved).sum()
        };
        let copies = counts.chunks_exact(RECIPIENTS * CLASSES);
        Ok(copies.filter(|copy| along(copy) > line).count() as u64)
    };
    let [first, second] = voters;
    let (first, second) = (passed(first, 1)?, passed(second, 2)?);
    let bound = epsilon_lower_bound(first, second, TRIALS as u64, DELTA, CONFIDENCE);
    Ok(vec![
        moved(format!("{what}, how far counts move"), claimed, exact),
        statistical(format!("{what}, as sampled"), claimed, bound),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The audit holds, is not blind, and finds nearly all that the claim allows.
    #[test]
    fn votes_are_audited() {
        let findings = votes(Seeds::new(1)).unwrap();
        assert!(findings.iter().all(Finding::holds), "{findings:?}");
        assert!(findings.iter().all(|finding| finding.measured > 0.3), "{findings:?}");
    }
}
