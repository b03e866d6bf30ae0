//! Features from record batches: a column each, one list a row, or a long table.

use super::{Column, Table, node};
use crate::FoundValue;
use crate::Result;
use crate::formats::assemble::Assembly;
use crate::formats::feature_rows::{FeatureRows, LongRows, WideRows};
use crate::formats::manifest::{Manifest, Storage};
use crate::formats::record_batch::{Ids, is_list, is_numeric, lists, numbers};
use crate::formats::table_files::{id_column, long_columns, unused};

pub(super) fn read_features(
    table: Table,
    manifest: Option<&Manifest>,
    assembly: &mut Assembly,
) -> Result<()> {
    let names = table.names();
    let Some(id) = id_column(&names).or((!names.is_empty()).then_some(0)) else {
        return Err(table.place.malformed("no columns", "id, and features"));
    };
    let declared = manifest.map(|manifest| manifest.features.as_ref());
    let storage = match declared {
        Some(None) => {
            assembly.note(&table.place, "ignored: the manifest declares no features");
            return Ok(());
        }
        Some(Some(features)) => Some(features.storage),
        None => None,
    };
    let long = long_columns(&names).filter(|_| storage != Some(Storage::Dense));
    let others = || (0..names.len()).filter(|&column| column != id);
    let list = others().find(|&column| is_list(&table.kind(column)));
    let numeric: Vec<usize> = others().filter(|&c| is_numeric(&table.kind(c))).collect();
    let used: Vec<usize> = match (long, list) {
        (Some(columns), _) => columns.into_iter().chain([id]).collect(),
        (None, Some(list)) => vec![id, list],
        (None, None) => numeric.iter().copied().chain([id]).collect(),
    };
    if let Some(text) = unused(&names, &used) {
        assembly.note(&table.place, text);
    }
    let columns = declared.flatten().map(|features| features.columns);
    assembly.features = Some(match (long, list) {
        (Some(columns), _) => FeatureRows::Long(read_long(table, id, columns, assembly)?),
        (None, Some(list)) => FeatureRows::Wide(read_lists(table, [id, list], columns, assembly)?),
        (None, None) => FeatureRows::Wide(read_wide(table, id, &numeric, assembly)?),
    });
    Ok(())
}

fn read_long(
    table: Table,
    id: usize,
    [feature, value]: [usize; 2],
    assembly: &mut Assembly,
) -> Result<LongRows> {
    let mut rows = LongRows::new(table.place.clone());
    let columns = [id, feature, value];
    let (places, limits) = (columns.map(|column| table.column(column)), table.limits);
    table.for_each(&columns, |batch| {
        let ids = Ids::new(&batch.columns[0], batch.first_row, &places[0].place(), &limits)?;
        let features = Ids::new(&batch.columns[1], batch.first_row, &places[1].place(), &limits)?;
        let values =
            numbers(&batch.columns[2], &places[2].place(), |row| batch.first_row + row as u64)?;
        for (row, value) in values.into_iter().enumerate() {
            let node = node(&ids, row, &batch, &places[0], assembly)?;
            features.with(row, |feature| rows.push(node, feature, value));
        }
        Ok(())
    })?;
    Ok(rows)
}

fn read_wide(
    table: Table,
    id: usize,
    numeric: &[usize],
    assembly: &mut Assembly,
) -> Result<WideRows> {
    let names = numeric.iter().map(|&column| table.names[column].clone()).collect();
    let mut rows = WideRows::new(table.place.clone(), numeric.len(), Some(names));
    let columns: Vec<usize> = [id].into_iter().chain(numeric.iter().copied()).collect();
    let places: Vec<Column> = columns.iter().map(|&column| table.column(column)).collect();
    let limits = table.limits;
    table.for_each(&columns, |batch| {
        let ids = Ids::new(&batch.columns[0], batch.first_row, &places[0].place(), &limits)?;
        let values = batch.columns[1..].iter().zip(&places[1..]);
        let values = values.map(|(column, place)| {
            numbers(column, &place.place(), |row| batch.first_row + row as u64)
        });
        let values = values.collect::<Result<Vec<_>>>()?;
        for row in 0..batch.rows {
            rows.push_node(node(&ids, row, &batch, &places[0], assembly)?);
            values.iter().for_each(|column| rows.push_value(column[row]));
        }
        Ok(())
    })?;
    Ok(rows)
}

fn read_lists(
    table: Table,
    columns: [usize; 2],
    declared: Option<usize>,
    assembly: &mut Assembly,
) -> Result<WideRows> {
    let place = table.place.clone();
    let mut rows = declared.map(|columns| WideRows::new(place.clone(), columns, None));
    let (places, limits) = (columns.map(|column| table.column(column)), table.limits);
    table.for_each(&columns, |batch| {
        let ids = Ids::new(&batch.columns[0], batch.first_row, &places[0].place(), &limits)?;
        let Some((ranges, values)) = lists(&batch.columns[1]) else { return Ok(()) };
        let row_of = |at| batch.first_row + ranges.partition_point(|range| range.end <= at) as u64;
        let values = numbers(values, &places[1].place(), row_of)?;
        for (row, range) in ranges.into_iter().enumerate() {
            let rows = rows.get_or_insert_with(|| WideRows::new(place.clone(), range.len(), None));
            if range.len() != rows.columns() {
                let found = FoundValue::words(format!("a list of {} values", range.len()));
                let expected = format!("{} in every row", rows.columns());
                return Err(places[1].row(&batch, row).malformed(found, expected));
            }
            rows.push_node(node(&ids, row, &batch, &places[0], assembly)?);
            values[range].iter().for_each(|&value| rows.push_value(value));
        }
        Ok(())
    })?;
    Ok(rows.unwrap_or_else(|| WideRows::new(place, 0, None)))
}
