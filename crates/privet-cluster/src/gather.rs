//! The rows of all processes, joined by worker 0; and the check that all have the same data.

use std::ops::Range;

use privet::data::formats::Spill;
use privet::data::scratch::DenseScratch;
use privet::graph::{Dataset, DenseMatrix, FeatureMatrix, Graph};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::engine::Exchange;
use crate::halo::Panels;
use crate::partition::Partition;
use crate::{Error, Result};

/// Rows that travel at a time: bounded room, whatever the number of rows.
const AT_A_TIME: usize = 4096;

/// All rows in order, for worker 0; nothing for the others. They lie in a file without a name, so that worker 0 needs no
/// more memory than the others.
///
/// # Errors
/// If other rows arrive than were expected, or the disk is full.
pub fn gather(
    rows: Panels,
    partition: &Partition,
    exchange: &mut Exchange,
) -> Result<Option<DenseMatrix>> {
    let columns = rows.columns();
    let chief = exchange.index() == 0;
    let scratch = || DenseScratch::new(&Spill::within(0), columns);
    // In a file without a name: the whole matrix may be larger than the memory of one process.
    let mut all = chief.then(scratch).transpose()?;
    let start = partition.range(exchange.index()).start;
    let mut arrived_rows = vec![0.0; if chief { AT_A_TIME * columns } else { 0 }];
    for part in 0..partition.parts() {
        for nodes in stretches(partition.range(part)) {
            if part == exchange.index() {
                // Panels hold columns; the output is written by rows.
                let whole = rows.whole_rows(nodes.start - start..nodes.end - start);
                exchange.send(0, bytemuck::cast_slice(&whole))?;
            }
            for arrived in exchange.arrive() {
                let room = &mut arrived_rows[..nodes.len() * columns];
                arrived.copy_into(bytemuck::cast_slice_mut(room))?;
                if let Some(all) = &mut all {
                    all.push(room)?;
                }
            }
        }
    }
    drop(rows);
    Ok(all.map(DenseScratch::finish).transpose()?)
}

/// The rows of all nodes, in every process: the rows of each, joined.
///
/// # Errors
/// If other rows arrive than were expected.
pub fn all_rows(
    own: &DenseMatrix,
    partition: &Partition,
    exchange: &mut Exchange,
) -> Result<DenseMatrix> {
    let (me, width) = (exchange.index(), own.columns() * 4);
    let mut all = DenseMatrix::zeros(partition.nodes(), own.columns());
    let room: &mut [u8] = bytemuck::cast_slice_mut(all.values_mut());
    let place = |part: usize| {
        let nodes = partition.range(part);
        nodes.start * width..nodes.end * width
    };
    room[place(me)].copy_from_slice(bytemuck::cast_slice(own.values()));
    let mut left: Vec<Range<usize>> = (0..partition.parts()).map(place).collect();
    let mut put = |from: usize, bytes: &[u8]| {
        let place = left.get_mut(from).filter(|place| place.len() >= bytes.len());
        let place = place.ok_or_else(|| Error::message(from, "more rows than it has"))?;
        room[place.start..place.start + bytes.len()].copy_from_slice(bytes);
        place.start += bytes.len();
        Ok(())
    };
    // All take part in the same number of rounds, the shorter parts with nothing to send.
    let longest = (0..partition.parts()).map(|part| partition.range(part).len()).max();
    for rows in stretches(0..longest.unwrap_or(0)) {
        let rows = rows.start.min(own.rows())..rows.end.min(own.rows());
        let rows = &own.values()[rows.start * own.columns()..rows.end * own.columns()];
        for to in (0..partition.parts()).filter(|&to| to != me) {
            exchange.send(to, bytemuck::cast_slice(rows))?;
            exchange.take_arrived(&mut put)?;
        }
        exchange.arrive_into(&mut put)?;
    }
    // Own rows were copied, not received.
    left[me] = 0..0;
    match left.iter().position(|left| !left.is_empty()) {
        Some(part) => Err(Error::message(part, "its rows did not come")),
        None => Ok(all),
    }
}

/// A range of nodes, a few at a time.
pub(crate) fn stretches(range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(AT_A_TIME).map(move |start| start..(start + AT_A_TIME).min(end))
}

/// Fails unless all processes have read the same data: nodes, arcs, and columns.
///
/// # Errors
/// If a process has other data; every process gets the list of those that differ from worker 0.
pub fn same_data(dataset: &Dataset, exchange: &mut Exchange) -> Result<()> {
    let graph = dataset.graph();
    let columns = dataset.features().map_or(0, privet::graph::Features::columns);
    let mut hash = Sha256::new();
    // Row lengths catch another graph of the same size; contents are left to `check_data` where they are
    // private.
    hash.update(bytemuck::cast_slice::<usize, u8>(graph.offsets()));
    let shown = format!(
        "{} nodes, {} arcs, {columns} columns, degrees {}",
        graph.node_count(),
        graph.arc_count(),
        hex(&hash.finalize()[..4])
    );
    let all = exchange.all_hear(shown.as_bytes())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match all.iter().enumerate().find(|(_, other)| **other != all[0]) {
        None => Ok(()),
        Some((index, other)) => {
            let (what, found) =
                ("data of the workers", format!("{} (worker {index})", text(other)));
            Err(Error::invalid(what, found, format!("{} (worker 0)", text(&all[0]))))
        }
    }
}

/// What a process holds of the data: its arcs and its rows of features, as a hash.
pub fn own_data(graph: &Graph, x: &FeatureMatrix, own: &Range<usize>) -> [u8; 32] {
    let mut hash = Sha256::new();
    // Only own rows: the hash costs each process its part.
    let offsets = &graph.offsets()[own.start..=own.end];
    hash.update(bytemuck::cast_slice::<usize, u8>(offsets));
    hash.update(bytemuck::cast_slice::<u32, u8>(&graph.targets()[offsets[0]..offsets[own.len()]]));
    put_rows(&mut hash, x, own.clone());
    hash.finalize().into()
}

/// Rows of features, as a part of a hash.
pub(crate) fn put_rows(hash: &mut Sha256, x: &FeatureMatrix, rows: Range<usize>) {
    for row in rows {
        match x {
            FeatureMatrix::Dense(x) => hash.update(bytemuck::cast_slice::<f32, u8>(x.row(row))),
            FeatureMatrix::Sparse(x) => {
                let (columns, values) = x.row(row);
                // Where a row ends would not be seen otherwise.
                hash.update((columns.len() as u64).to_le_bytes());
                hash.update(bytemuck::cast_slice::<u32, u8>(columns));
                hash.update(bytemuck::cast_slice::<f32, u8>(values));
            }
        }
    }
}

/// The hash of a job's description.
///
/// # Errors
/// Never in practice: descriptions are plain numbers and words.
pub fn job_hash(description: &impl Serialize) -> Result<[u8; 32]> {
    let text = serde_json::to_vec(description).map_err(|error| Error::Broken(error.to_string()))?;
    Ok(Sha256::new().chain_update(env!("CARGO_PKG_VERSION")).chain_update(text).finalize().into())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
