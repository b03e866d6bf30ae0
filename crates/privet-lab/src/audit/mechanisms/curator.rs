//! The audits of a curator's releases about a graph: `dp-appr` (names of near nodes) and `noisy-sums`; and about people:
//! `tally` (how many there are of each kind).

use privet::privacy::aggregation::{SumSettings, SummedUnit};
use privet::privacy::appr::RowNoise;
use privet::privacy::audit;
use privet::privacy::tally::{Ballots, CountedUnit, Tally};
use privet::privacy::unit::{Edge, Node, ReplacedNode};

use super::{Audit, Procedure};
use crate::Result;
use crate::audit::enumerated::{exact, moved, price, worst};
use crate::audit::finding::Finding;
use crate::audit::seeds::Seeds;
use crate::audit::toy_graphs::{Apart, DELTA, Near, turned};
use crate::audit::trials::statistical;

pub(super) const AUDITS: [Audit; 4] = [
    Audit { name: "tally", of: &["Tally"], tight: true, run: Procedure::Exact(tally) },
    Audit { name: "dp-appr", of: &["DpAppr"], tight: false, run: Procedure::Exact(names) },
    Audit {
        name: "dp-appr-sampled",
        of: &["DpAppr"],
        tight: false,
        run: Procedure::Seeded(sampled),
    },
    Audit { name: "noisy-sums", of: &["NoisySums"], tight: false, run: Procedure::Seeded(sums) },
];

/// Draws from each side.
const TRIALS: usize = 20_000;

/// Two people and two boxes, in every way: one person more or less, one person replaced.
fn tally() -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for epsilon in [1.0, 4.0] {
        let absent = |a: usize, b: usize| one_apart(a, b, |x, y| (x == 0) != (y == 0));
        let what = format!("counts of 2 boxes, a person more or less, epsilon {epsilon}");
        findings.push(counts::<Node>(what, epsilon, absent)?);
        let what = format!("counts of 2 boxes, one replaced, epsilon {epsilon}");
        let replaced = |a: usize, b: usize| one_apart(a, b, |x, y| x != y);
        findings.push(counts::<ReplacedNode>(what, epsilon, replaced)?);
    }
    Ok(findings)
}

/// Two people, each in no box, the first or the second: a number in base 3. Whether they differ so in one person.
fn one_apart(a: usize, b: usize, differs: impl Fn(usize, usize) -> bool) -> bool {
    let [(a, c), (b, d)] = [a, b].map(|votes| (votes / 3, votes % 3));
    (a == b && differs(c, d)) || (c == d && differs(a, b))
}

fn counts<U: CountedUnit>(
    subject: String,
    epsilon: f64,
    neighbours: impl Fn(usize, usize) -> bool,
) -> Result<Finding> {
    let mechanism = Tally::<U>::new(2, epsilon)?;
    let vote = |vote: usize| vote.checked_sub(1).map(|at| at as u32);
    let law = |votes: usize| {
        let ballots = Ballots(vec![vote(votes / 3), vote(votes % 3)]);
        audit::sampled(&mechanism, &ballots, |counts| counts)
    };
    let laws = (0..9).map(law).collect::<Result<Vec<_>>>()?;
    Ok(exact(subject, price(&mechanism, 0.0)?, worst(&laws, neighbours)))
}

/// Names by Gumbel noise, of which the whole law is walked through, on a graph with its hub and without.
fn names() -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for (epsilon, keep, sources) in
        [(1.0, 2, vec![1]), (0.5, 2, vec![1, 2]), (1.5, 1, vec![1, 2, 3])]
    {
        let near = Near { clip: 0.1, keep, noise: RowNoise::Gumbel { epsilon } };
        let [with, without] = near.laws(sources.clone())?;
        let rows = sources.len();
        for (delta, measured) in
            [(0.0, with.loss(&without)), (DELTA, with.loss_at(&without, DELTA))]
        {
            let subject =
                format!("{rows} rows name {keep} of 5, a hub with and without, delta {delta}");
            findings.push(exact(subject, near.claimed(sources.clone(), delta)?, measured));
        }
    }
    Ok(findings)
}

/// The same through a ledger; names with noisy scores; and rows with Gaussian noise, turned as far as they can be.
fn sampled(seeds: Seeds) -> Result<Vec<Finding>> {
    let one = |subject: &str, noise, part, event: fn(&[(u32, f64)]) -> bool| {
        let near = Near { clip: 0.1, keep: 1, noise };
        let measured = near.sampled(TRIALS, seeds.part(part), |row| event(row))?;
        Ok(statistical(subject, near.claimed(vec![1], DELTA)?, measured))
    };
    let names = RowNoise::Gumbel { epsilon: 1.5 };
    let values = RowNoise::GumbelAndValues { epsilon: 0.5, values: 1.5 };
    let named = one("the hub is named, as sampled", names, 0, |row| row[0].0 == 0)?;
    let large = |row: &[(u32, f64)]| row[0].0 == 0 && row[0].1 > 0.1;
    let scored = one("the hub is named with a large score", values, 1, large)?;
    let (claimed, measured) = turned(1.0, 5 * TRIALS, seeds.part(2))?;
    let subject = "a row with Gaussian noise that turns from one node to another";
    Ok(vec![named, scored, statistical(subject, claimed, measured)])
}

fn sums(seeds: Seeds) -> Result<Vec<Finding>> {
    let degree = 3;
    let clip = f64::from(degree).sqrt();
    let settings =
        SumSettings { hops: 1, max_degree: degree as usize, clip, noise_multiplier: 1.2 };
    let mut findings = Vec::new();
    let (absent, replaced) = (Apart::absent(degree), Apart::replaced(degree));
    let part = |part| (settings, seeds.part(part));
    findings.extend(apart::<Node>("a hub of degree 3 with and without", &absent, part(0))?);
    findings.extend(apart::<ReplacedNode>("a hub of degree 3 among others", &replaced, part(1))?);
    findings.extend(apart::<Edge>("an edge with and without", &Apart::edge(), part(2))?);
    let spread = Apart::spread(16);
    let strict = SumSettings { max_degree: 16, clip: 1.0, ..settings };
    let subject = "a hub of degree 16 whose sum is cut, how far sums move";
    findings.push(moved(subject, spread.claimed::<Node>(strict)?, spread.exact::<Node>(strict)?));
    let faint = Apart::edge_in(64);
    let noisy = SumSettings { noise_multiplier: 4.8, ..settings };
    let measured = faint.low_bits::<Edge>(noisy, TRIALS / 2, seeds.part(3))?;
    let subject = "an edge in 64 columns of 1/8, by the low bits of sums";
    findings.push(statistical(subject, faint.claimed::<Edge>(noisy)?, measured));
    Ok(findings)
}

/// The same two graphs, by how far sums move and by samples.
fn apart<U: SummedUnit>(
    what: &str,
    graphs: &Apart,
    (settings, seeds): (SumSettings, Seeds),
) -> Result<[Finding; 2]> {
    let claimed = graphs.claimed::<U>(settings)?;
    let moved = graphs.exact::<U>(settings)?;
    let sampled = graphs.sampled::<U>(settings, TRIALS / 2, seeds)?;
    Ok([
        self::moved(format!("{what}, how far sums move"), claimed, moved),
        statistical(format!("{what}, as sampled"), claimed, sampled),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What low bits of noisy sums tell of an edge is within the claim: next to nothing.
    #[test]
    fn a3_low_bits_of_sums_tell_nothing() {
        let findings = sums(Seeds::new(1)).unwrap();
        assert!(findings.iter().all(Finding::holds), "{findings:?}");
        assert!(findings[findings.len() - 1].measured < 0.05, "{findings:?}");
    }
}
