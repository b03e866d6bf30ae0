//! Audits of what stands around the mechanisms: what an account adds up, that no two accounts have the same key, releases
//! that several processes draw, and the counts of an evaluation.

use privet::dpar::UNKNOWN;
use privet::graph::{DenseMatrix, Direction, GraphBuilder, Labels};
use privet::privacy::audit;
use privet::privacy::edges::local::Rr;
use privet::privacy::features::LabelRr;
use privet::privacy::ledger::ReleaseShare;
use privet::privacy::noise::{NoiseRng, RandomWords};
use privet::privacy::tally::{Ballots, Tally};
use privet::privacy::template::CoinFlip;
use privet::privacy::unit::{FeatureRow, Node};
use privet::privacy::{Delta, Epsilon, Ledger, Local, Loss, Secret};
use privet::project::evaluate::Vote;

use super::{Audit, Procedure};
use crate::Result;
use crate::audit::clopper_pearson::epsilon_lower_bound;
use crate::audit::enumerated::{exact, price};
use crate::audit::finding::Finding;
use crate::audit::refused;
use crate::audit::seeds::Seeds;
use crate::audit::trials::{CONFIDENCE, account, released, spent, statistical};

pub(super) const AUDITS: [Audit; 4] = [
    Audit { name: "ledger-account", of: &[], tight: false, run: Procedure::Exact(accounts) },
    // Both draw noise of the operating system, so that every run has other samples, whatever its seed.
    Audit { name: "noise-keys", of: &[], tight: false, run: Procedure::Seeded(keys) },
    Audit { name: "shares", of: &[], tight: false, run: Procedure::Seeded(shares) },
    Audit {
        name: "evaluation-counts",
        of: &[],
        tight: false,
        run: Procedure::Seeded(evaluation_counts),
    },
];

/// What an account says after each of several releases, against the laws of all of them: losses of independent releases
/// add up, and all of them can be at their largest at once.
fn accounts() -> Result<Vec<Finding>> {
    let mut ledger = account::<FeatureRow>(0.0, Seeds::new(1))?;
    let (mut findings, mut lost) = (Vec::new(), 0.0);
    for (number, epsilon) in [1.0, 0.5, 0.25].into_iter().enumerate() {
        let coin = CoinFlip::new(epsilon)?;
        drop(ledger.release_each(&Secret::new(vec![1.0]), &coin)?);
        let law = |answer: f32| audit::randomized(&coin, answer, |report| report);
        lost += law(1.0)?.loss(&law(0.0)?);
        let subject = format!("an account after {} releases", number + 1);
        findings.push(exact(subject, spent(&ledger)?, lost));
    }
    Ok(findings)
}

/// How many accounts are opened, and releases of each drawn.
const ACCOUNTS: usize = 16;

/// Keys of the operating system: releases of different accounts, as of different runs, have nothing in common.
fn keys(_: Seeds) -> Result<Vec<Finding>> {
    let mut words = Vec::new();
    for _ in 0..ACCOUNTS {
        let mut account = NoiseRng::from_operating_system()?;
        words.extend((0..2).map(|_| account.next_release().into_stream().next_u64()));
    }
    let drawn = words.len();
    words.sort_unstable();
    words.dedup();
    // Two of 32 words of 64 bits are the same with a probability below 2^-54.
    let again = (drawn - words.len()) as f64;
    let subject = "releases of several accounts that begin with the same word";
    Ok(vec![statistical(subject, 0.0, again)])
}

/// People whose reports are drawn by two processes.
const PEOPLE: usize = 500;

/// Releases that two processes draw with noise of the operating system. A permission to draw travels in the clear: who
/// listens may use a copy of it on people of their own making. If that replayed the noise, a report that is the same as for
/// a made-up record would give the true one away.
fn shares(_: Seeds) -> Result<Vec<Finding>> {
    let coin = CoinFlip::new(0.2)?;
    let answers = |answer: f32| Ok(vec![answer; PEOPLE]);
    let features = drawn_apart("features by two processes", &coin, answers)?;
    let response = LabelRr::new(0.2, 2)?;
    let classes = vec!["no".to_owned(), "yes".to_owned()];
    let labels = |answer: f32| {
        Labels::single(vec![Some(answer as u32); PEOPLE], classes.clone()).map_err(refused)
    };
    let labels = drawn_apart("labels by two processes", &response, labels)?;
    let lists = |answer: f32| {
        let edges = (0..PEOPLE as u32).filter(|_| answer > 0.0).map(|u| (u, (u + 1) % 40));
        let built = GraphBuilder::new(PEOPLE, Direction::Undirected).edges(edges).build();
        Ok(built.map_err(refused)?.0)
    };
    let lists = drawn_apart("lists by two processes", &Rr::new(1.0)?, lists)?;
    Ok(vec![features, labels, lists])
}

/// How often a report is the same as that of a listener who knows everything but the answer.
fn drawn_apart<M: Local>(
    subject: &str,
    mechanism: &M,
    people: impl Fn(f32) -> Result<M::Population>,
) -> Result<Finding>
where
    M::Report: PartialEq,
{
    let side = |answer: f32| -> Result<(u64, f64)> {
        let limit = Loss { epsilon: Epsilon::INFINITE, delta: Delta::ZERO };
        let mut ledger = Ledger::in_memory(limit, NoiseRng::from_operating_system()?)?;
        let (asked, known) = (Secret::new(people(answer)?), Secret::new(people(0.0)?));
        let drawing = ledger.begin_each(&asked.shape(), asked.user_count(), mechanism)?;
        let mut same = 0;
        for share in drawing.shares(&[PEOPLE / 2, PEOPLE])? {
            let overheard = serde_json::to_string(&share).map_err(refused)?;
            let overheard: ReleaseShare = serde_json::from_str(&overheard).map_err(refused)?;
            let place = share.people();
            let true_ones = share.draw(mechanism, &asked, place.clone())?.into_inner();
            let made_up = overheard.draw(mechanism, &known, place)?.into_inner();
            same += true_ones.iter().zip(&made_up).filter(|(a, b)| a == b).count() as u64;
        }
        Ok((same, spent(&ledger)?))
    };
    let ((no, claimed), (yes, _)) = (side(0.0)?, side(1.0)?);
    let bound = epsilon_lower_bound(no, yes, PEOPLE as u64, 0.0, CONFIDENCE);
    Ok(statistical(subject, claimed, bound))
}

/// Draws from each side.
const TRIALS: u64 = 20_000;

/// The counts of `privet evaluate`: how far one person more or less moves them, and the counts as a ledger releases them.
fn evaluation_counts(seeds: Seeds) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let all = [Vote::Right, Vote::Confusion { classes: 3 }, Vote::Scores { bins: 8 }];
    for (number, vote) in (0..).zip(all) {
        findings.extend(counts_of(vote, seeds.part(number))?);
    }
    Ok(findings)
}

fn counts_of(vote: Vote, seeds: Seeds) -> Result<[Finding; 2]> {
    let epsilon = 1.0;
    let tally = Tally::<Node>::new(vote.boxes(), epsilon)?;
    let claimed = price(&tally, 0.0)?;
    // Two others are there in any case; the third is the person, of some class or none, or not there.
    let rows = [0.9, 0.1, 0.2, 0.8, 0.6, 0.4];
    let ballots = |class: Option<u32>| -> Result<Ballots> {
        let classes: Vec<u32> = [0, 1].into_iter().chain(class).collect();
        let probabilities = DenseMatrix::new(classes.len(), 2, rows[..2 * classes.len()].to_vec())
            .map_err(refused)?;
        Ok(vote.ballots(&classes, &probabilities))
    };
    let cells = |class: Option<u32>| -> Result<Vec<i64>> {
        let mut counts = vec![0i64; vote.boxes() as usize];
        ballots(class)?.0.into_iter().flatten().for_each(|cell| counts[cell as usize] += 1);
        Ok(counts)
    };
    let mut farthest = 0;
    for class in [0, 1, UNKNOWN] {
        let (with, without) = (cells(Some(class))?, cells(None)?);
        let moved: i64 =
            with.iter().zip(without).map(|(with, without)| (with - without).abs()).sum();
        farthest = farthest.max(moved);
    }
    let exactly = exact(
        format!("counts of an evaluation ({vote:?}), how far one person moves them"),
        claimed,
        epsilon * farthest as f64,
    );
    let full = cells(Some(0))?;
    let seen = |class: Option<u32>, part: u64| -> Result<u64> {
        let (input, mut seen) = (ballots(class)?, 0);
        for trial in 0..TRIALS {
            let counts = released(&tally, &input, seeds.part(part).part(trial))?;
            // All cells that this person may be in are at least as full as with them.
            let all = counts.iter().zip(&full).all(|(count, full)| *full == 0 || count >= full);
            seen += u64::from(all);
        }
        Ok(seen)
    };
    let bound = epsilon_lower_bound(seen(Some(0), 0)?, seen(None, 1)?, TRIALS, 0.0, CONFIDENCE);
    let subject = format!("counts of an evaluation ({vote:?}), as sampled");
    Ok([exactly, statistical(subject, claimed, bound)])
}
