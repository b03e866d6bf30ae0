//! A table of connections, on its way to pairs of people.

use std::path::Path;

use super::cell::TableCell;
use super::moment::{A_TIME, Instant, Moment};
use super::rows::{RowSource, WantedColumn, open};
use super::schema::{EdgeTable, Strangers, Weight};
use crate::formats::Limits;
use crate::{Id, IdInterner, NodeId, Result};

/// Where the columns stand among those wanted.
const SOURCE: usize = 0;
const TARGET: usize = 1;

impl EdgeTable {
    /// Pairs of people, by the order in which the interner met them, one for every record that counts or, with
    /// weights, for every pair that is connected. The file is relative to `base`.
    ///
    /// # Errors
    /// If the file cannot be read, lacks a column, or names an unknown id where strangers are refused.
    pub fn read_pairs(
        &self,
        base: &Path,
        people: &IdInterner,
        limits: &Limits,
    ) -> Result<Vec<[NodeId; 2]>> {
        read_pairs(self, base, people, limits)
    }
}

fn read_pairs(
    table: &EdgeTable,
    base: &Path,
    people: &IdInterner,
    limits: &Limits,
) -> Result<Vec<[NodeId; 2]>> {
    // The first two columns are the ends; what is declared besides follows.
    let mut wanted =
        vec![WantedColumn::required(&table.source), WantedColumn::required(&table.target)];
    let mut want = |name| {
        wanted.push(WantedColumn::required(name));
        wanted.len() - 1
    };
    let weight = table.weight.as_ref().map(|weight| (want(&weight.column), weight));
    let time = table.time.as_ref().map(|window| {
        let instant = |moment: &Option<Moment>| moment.as_ref().and_then(Moment::instant);
        (want(&window.column), instant(&window.from), instant(&window.until), &*window.column)
    });
    let types = table.types.as_ref().map(|types| (want(&types.column), types));
    let mut rows = open(&base.join(&table.file), table.table.as_deref(), &wanted, limits)?;
    let (mut pairs, mut weighted) = (Vec::new(), Vec::new());
    while rows.advance()? {
        if let Some((at, types)) = types
            && !types.keep.iter().any(|kind| *kind == *rows.cell(at).as_text())
        {
            continue;
        }
        if let Some((at, from, until, column)) = time
            && !is_within(&*rows, at, from, until, column)?
        {
            continue;
        }
        let ends = [
            end(&*rows, SOURCE, &table.source, table.strangers, people)?,
            end(&*rows, TARGET, &table.target, table.strangers, people)?,
        ];
        // A stranger whose records are left out.
        let [Some(source), Some(target)] = ends else { continue };
        match weight {
            None => pairs.push([source, target]),
            Some((at, weight)) => {
                // Undirected: weights of both orders belong to one pair.
                let pair = match table.directed {
                    true => [source, target],
                    false => [source.min(target), source.max(target)],
                };
                weighted.push((pair, clipped(&*rows, at, weight)?));
            }
        }
    }
    if let Some((_, weight)) = weight {
        // Weights of a pair are added before the threshold is applied.
        pairs.extend(heavy_pairs(weighted, weight.low));
    }
    Ok(pairs)
}

fn is_within(
    rows: &dyn RowSource,
    at: usize,
    from: Option<Instant>,
    until: Option<Instant>,
    column: &str,
) -> Result<bool> {
    let cell = rows.cell(at);
    let unfit = || rows.place(column).malformed(cell.quoted(), A_TIME);
    let time = cell.as_instant().ok_or_else(unfit)?;
    Ok(from.is_none_or(|from| from <= time) && until.is_none_or(|until| time < until))
}

/// The person at an end of an edge; `None` for a stranger who may be left out.
fn end(
    rows: &dyn RowSource,
    at: usize,
    column: &str,
    strangers: Strangers,
    people: &IdInterner,
) -> Result<Option<NodeId>> {
    let cell = rows.cell(at);
    let node = match cell {
        TableCell::Text(text) => people.node(Id::parse(text)),
        other => people.node(Id::parse(&other.as_text())),
    };
    if node.is_some() || strangers == Strangers::LeaveOut {
        return Ok(node);
    }
    let expected = "an id of the table of people, or strangers = \"leave-out\" in the declaration";
    Err(rows.place(column).malformed(format!("the id {}", cell.quoted()), expected))
}

fn clipped(rows: &dyn RowSource, at: usize, weight: &Weight) -> Result<f64> {
    let cell = rows.cell(at);
    let unfit = || rows.place(&weight.column).malformed(cell.quoted(), "a finite number");
    let value = cell.as_number().ok_or_else(unfit)?;
    Ok(value.clamp(0.0, weight.high.unwrap_or(f64::MAX)))
}

/// The pairs whose weights add up to `low`. Added in ascending order, so that the order of the records does
/// not matter.
fn heavy_pairs(mut weighted: Vec<([NodeId; 2], f64)>, low: f64) -> Vec<[NodeId; 2]> {
    weighted.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let same_pair = weighted.chunk_by(|a, b| a.0 == b.0);
    let heavy =
        same_pair.filter(|records| records.iter().map(|record| record.1).sum::<f64>() >= low);
    heavy.filter_map(|records| records.first()).map(|record| record.0).collect()
}
