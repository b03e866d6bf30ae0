//! Statistical audits: the running code itself, through a ledger, with nothing but its outputs.
//!
//! The event is fixed beforehand; the bound on epsilon is wrong with probability at most 1e-6.

use privet::graph::{Bounds, BoundsOrigin, DenseMatrix, Direction, Features, GraphBuilder};
use privet::privacy::edges::local::Dprr;
use privet::privacy::features::{FeatureReport, Hds, Scale};
use privet::privacy::noise::NoiseRng;
use privet::privacy::{Delta, Epsilon, Ledger, Local, Loss, Secret};

use super::Audit;
use crate::Result;
use crate::audit::clopper_pearson::epsilon_lower_bound;
use crate::audit::finding::{Finding, Method};
use crate::audit::refused;

/// Users per side; enough to see an epsilon that is too large by a tenth.
const TRIALS: usize = 200_000;
/// How often the bound may be wrong.
const CONFIDENCE: f64 = 1e-6;

pub(super) const AUDITS: [Audit; 3] = [
    Audit { name: "hds-sampled", tight: false, run: hds },
    Audit { name: "hds-every-column", tight: false, run: every_column_is_randomised },
    Audit { name: "dprr-sampled", tight: false, run: dprr },
];

fn statistical(subject: &str, claimed: f64, measured: f64) -> Finding {
    let method = Method::Statistical;
    Finding { subject: subject.into(), method, claimed, measured, tolerance: 0.0 }
}

/// How many of the reports show the event.
fn count<M: Local>(
    mechanism: &M,
    people: &Secret<M::Population>,
    seed: u64,
    event: impl Fn(&M::Report) -> bool,
) -> Result<u64> {
    let limit = Loss { epsilon: Epsilon::INFINITE, delta: Delta::ZERO };
    let mut ledger = Ledger::<M::Unit>::in_memory(limit, NoiseRng::replay(seed))?;
    let reports = ledger.release_each(people, mechanism)?;
    Ok(reports.get().iter().filter(|report| event(report)).count() as u64)
}

/// The reported levels, by column.
fn levels(report: &FeatureReport) -> Vec<i64> {
    match report {
        FeatureReport::Sampled(entries) => entries.iter().map(|&(_, level)| level).collect(),
        FeatureReport::All(levels) => levels.clone(),
        FeatureReport::Disclosed(_) => Vec::new(),
    }
}

/// The same row for everybody.
fn rows(value: f32, columns: usize) -> Result<Features, privet::graph::Error> {
    let matrix = DenseMatrix::new(TRIALS, columns, vec![value; TRIALS * columns])?;
    Features::dense(matrix).with_bounds(Bounds::uniform(-1.0, 1.0, BoundsOrigin::Declared)?)
}

fn scale(columns: usize) -> Result<Scale> {
    let bounds = Bounds::uniform(-1.0, 1.0, BoundsOrigin::Declared).map_err(refused)?;
    Scale::new(columns, Some(&bounds))
}

/// Both columns all the way up against both all the way down; the event: both reports are high.
fn hds() -> Result<Vec<Finding>> {
    let mechanism = Hds::with_k(2.0, scale(2)?, 2)?;
    let high = |value: f32, seed: u64| {
        let people = Secret::new(rows(value, 2).map_err(refused)?);
        count(&mechanism, &people, seed, |report| levels(report).iter().all(|&level| level > 0))
    };
    let bound = epsilon_lower_bound(high(1.0, 1)?, high(-1.0, 2)?, TRIALS as u64, 0.0, CONFIDENCE);
    Ok(vec![statistical("HDS, 2 of 2 columns, epsilon 2", 2.0, bound)])
}

/// A column that is passed through would show its value in every report. Here each column of a
/// constant row must move by itself: the share of reports that equal the input is that of the law.
fn every_column_is_randomised() -> Result<Vec<Finding>> {
    const COLUMNS: usize = 5;
    let mechanism = Hds::with_k(5.0, scale(COLUMNS)?, COLUMNS)?;
    let mut findings = Vec::new();
    for column in 0..COLUMNS {
        let people = Secret::new(rows(0.5, COLUMNS).map_err(refused)?);
        // Without noise the level would be positive every time; with it, it often is not.
        let positive = count(&mechanism, &people, 3, |report| levels(report)[column] > 0)?;
        let share = positive as f64 / TRIALS as f64;
        findings.push(statistical(
            &format!("share of positive reports in column {column}"),
            0.9,
            share,
        ));
    }
    Ok(findings)
}

/// Nobody against one neighbour, among 4 nodes; the event: a full report.
fn dprr() -> Result<Vec<Finding>> {
    const RELEASES: u64 = 20_000;
    let mechanism = Dprr::from_parts(0.5, 1.5)?;
    let full = |edges: &[(u32, u32)], side: u64| {
        let (graph, _) = GraphBuilder::new(4, Direction::Directed)
            .edges(edges.iter().copied())
            .build()
            .map_err(refused)?;
        let people = Secret::new(graph);
        let seeds = (0..RELEASES).map(|release| 2 * release + side);
        seeds.map(|seed| count(&mechanism, &people, seed, |r| r.len() == 3)).sum::<Result<u64>>()
    };
    let with = full(&[(0, 1), (1, 2), (2, 3), (3, 0)], 0)?;
    let without = full(&[], 1)?;
    let bound = epsilon_lower_bound(with, without, 4 * RELEASES, 0.0, CONFIDENCE);
    Ok(vec![statistical("DPRR, full reports among 4 nodes, 0.5 + 1.5", 2.0, bound)])
}
