//! Samples of whole releases through a real ledger: what exact laws take for granted (words, streams, the
//! ledger's own steps) is part of it. The claim is what the ledger says was spent.

use privet::graph::{DenseMatrix, Direction, Features, GraphBuilder};
use privet::privacy::Local;
use privet::privacy::edges::local::Dprr;
use privet::privacy::features::{FeatureReport, Gaussian, Hds};

use super::features::{said, scale};
use super::{Audit, Procedure};
use crate::Result;
use crate::audit::clopper_pearson::epsilon_lower_bound;
use crate::audit::finding::Finding;
use crate::audit::refused;
use crate::audit::seeds::Seeds;
use crate::audit::trials::{CONFIDENCE, best_bound, reported, statistical};

pub(super) const AUDITS: [Audit; 3] = [
    Audit {
        name: "hds-sampled",
        of: &["SampledCoordinates"],
        tight: false,
        run: Procedure::Seeded(hds),
    },
    Audit {
        name: "gaussian-features",
        of: &["Gaussian"],
        tight: false,
        run: Procedure::Seeded(gaussian),
    },
    Audit { name: "dprr-sampled", of: &["Dprr"], tight: false, run: Procedure::Seeded(dprr) },
];

/// Reports from each side.
const TRIALS: usize = 50_000;

/// The same row for all people, on both sides; how often each event shows in what they report.
fn rows<M: Local<Population = Features, Report = FeatureReport>, const EVENTS: usize>(
    subject: &str,
    mechanism: &M,
    (columns, delta): (usize, f64),
    seeds: Seeds,
    shown: impl Fn(&[(u32, i64)]) -> [bool; EVENTS],
) -> Result<Finding> {
    let side = |value: f32, part: u64| {
        let matrix = DenseMatrix::new(TRIALS, columns, vec![value; TRIALS * columns]);
        let people = Features::dense(matrix.map_err(refused)?);
        let (reports, claimed) = reported(mechanism, people, delta, seeds.part(part))?;
        let mut counts = [0; EVENTS];
        for report in reports {
            let shown = shown(&said(report));
            counts.iter_mut().zip(shown).for_each(|(count, shown)| *count += u64::from(shown));
        }
        Ok((counts, claimed))
    };
    let ((high, claimed), (low, _)) = (side(1.0, 0)?, side(-1.0, 1)?);
    Ok(statistical(subject, claimed, best_bound(&high, &low, TRIALS as u64, delta)))
}

/// Both columns all the way up against both all the way down; the event: both reports are high.
fn hds(seeds: Seeds) -> Result<Vec<Finding>> {
    let mechanism = Hds::with_k(2.0, scale(2, 1 << 16)?, 2)?;
    let high = |levels: &[(u32, i64)]| [levels.iter().all(|&(_, level)| level > 0)];
    Ok(vec![rows("HDS, 2 of 2 columns, epsilon 2", &mechanism, (2, 0.0), seeds, high)?])
}

/// One column, from one end of its range to the other; the events: beyond lines from the middle to far above the upper
/// end. The near ones show noise that is too small.
fn gaussian(seeds: Seeds) -> Result<Vec<Finding>> {
    const STEPS: u32 = 64;
    let delta = 0.01;
    let mechanism = Gaussian::new(2.0, delta, scale(1, STEPS)?)?;
    // In steps, from the lower end: without the record the last is passed once in 44 reports.
    let deviation = 2.0 * f64::from(STEPS) * mechanism.noise_multiplier();
    let lines = [0.6, 1.0, 1.4, 2.0].map(|line| line * deviation - f64::from(STEPS));
    let beyond = |levels: &[(u32, i64)]| lines.map(|line| levels[0].1 as f64 > line);
    let subject = "Gaussian noise on one column, epsilon 2, delta 0.01";
    Ok(vec![rows(subject, &mechanism, (1, delta), seeds, beyond)?])
}

/// Many lists of a user without neighbours, or one of three others; the event: a full report.
fn dprr(seeds: Seeds) -> Result<Vec<Finding>> {
    const PEOPLE: u32 = 4;
    let mechanism = Dprr::from_parts(0.5, 1.5)?;
    let side = |edges: &[(u32, u32)], part: u64| -> Result<(u64, f64)> {
        let (mut full, mut claimed) = (0, 0f64);
        for release in 0..TRIALS as u64 / u64::from(4 * PEOPLE) {
            let builder = GraphBuilder::new(PEOPLE as usize, Direction::Directed);
            let (people, _) = builder.edges(edges.iter().copied()).build().map_err(refused)?;
            let seeds = seeds.part(part).part(release);
            let (reports, cost) = reported(&mechanism, people, 0.0, seeds)?;
            full += reports.iter().filter(|report| report.len() == 3).count() as u64;
            claimed = claimed.max(cost);
        }
        Ok((full, claimed))
    };
    let (with, claimed) = side(&[(0, 1), (1, 2), (2, 3), (3, 0)], 0)?;
    let (without, _) = side(&[], 1)?;
    let bound = epsilon_lower_bound(with, without, TRIALS as u64 / 4, 0.0, CONFIDENCE);
    Ok(vec![statistical("DPRR, full reports among 4 nodes, 0.5 + 1.5", claimed, bound)])
}
