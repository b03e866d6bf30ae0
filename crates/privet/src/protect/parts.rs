//! Reports that are made part by part: kept in files where all of them together would not fit into memory, or drawn by
//! several processes.

use crate::Result;
use crate::data::formats::Spill;
use crate::data::scratch::{FeatureScratch, GraphScratch};
use crate::graph::{self, Direction, FeatureMatrix, Graph, NodeId, SelfLoops};
use crate::privacy::edges::Merge;
use crate::privacy::features::{DecodeRows, Decoding, FeatureReport};
use crate::privacy::unit::{FeatureRow, NeighborBit};
use crate::privacy::{Ledger, Local, Release, Secret};

use super::several::Several;

/// People whose lists are randomised at a time.
const LISTS: usize = 1 << 12;
/// The most people whose rows are randomised at a time.
const MOST_ROWS: usize = 1 << 14;

/// Charges one report of every row, draws them part by part, and decodes each part into a matrix on disk.
///
/// # Errors
/// If the ledger refuses, or the disk.
pub(crate) fn feature_rows<M>(
    ledger: &mut Ledger<FeatureRow>,
    secret: &Secret<graph::Features>,
    mechanism: &M,
    decoding: Decoding,
    (spill, by): (&Spill, &mut impl Several),
) -> Result<Release<FeatureMatrix, FeatureRow>>
where
    M: Local<Unit = FeatureRow, Population = graph::Features, Report = FeatureReport> + DecodeRows,
{
    let shape = secret.shape();
    // A report of all columns has a level of 8 bytes for each, and its decoded row as much again.
    let row = 24 * shape.columns as u64 + 64;
    let step = ((spill.memory / 4 / row) as usize).clamp(1, MOST_ROWS);
    let mut rows = FeatureScratch::new(spill);
    let drawn = by.lead(ledger, secret, mechanism, step, |reports| {
        Ok(rows.push(&mechanism.decode(&reports, decoding)?)?)
    })?;
    drawn.try_map(|()| Ok(rows.finish()?))
}

/// Charges one report of every list, draws them part by part, and sorts what they say into a graph on disk.
///
/// # Errors
/// If the ledger refuses, or the disk.
pub(crate) fn graph_of_lists<M>(
    ledger: &mut Ledger<NeighborBit>,
    secret: &Secret<Graph>,
    mechanism: &M,
    merge: Merge,
    (spill, by): (&Spill, &mut impl Several),
) -> Result<Release<Graph, NeighborBit>>
where
    M: Local<Unit = NeighborBit, Population = Graph, Report = Vec<NodeId>>,
{
    let shape = secret.shape();
    // Who agrees with whom is known once all lists are there.
    let direction = match merge {
        Merge::Directed | Merge::And => Direction::Directed,
        Merge::Or | Merge::OneSided | Merge::LowerTriangle => Direction::Undirected,
    };
    let mut pairs = GraphScratch::new(spill, shape.nodes, direction, SelfLoops::Drop)?;
    let mut owner: NodeId = 0;
    let drawn = by.lead(ledger, secret, mechanism, LISTS, |reports| {
        for list in reports {
            list.into_iter().try_for_each(|node| pairs.push([owner, node]))?;
            owner += 1;
        }
        Ok(())
    })?;
    drawn.try_map(|()| {
        let (rows, _) = pairs.finish()?;
        if merge != Merge::And {
            return Ok(rows);
        }
        let undirected = Direction::Undirected;
        let mut both = GraphScratch::new(spill, shape.nodes, undirected, SelfLoops::Drop)?;
        let agreed = rows.arcs().filter(|&(u, v)| v < u && rows.has_edge(v, u));
        agreed.into_iter().try_for_each(|(u, v)| both.push([v, u]))?;
        Ok(both.finish()?.0)
    })
}
