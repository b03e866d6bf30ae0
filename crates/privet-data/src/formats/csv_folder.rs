//! A folder (or zip) of `edges.csv`, `nodes.csv`, `features.csv` and `dataset.json`, as Privet
//! writes it and as people make it by hand.
//!
//! | file | columns | needed |
//! |---|---|---|
//! | `edges.csv` | `source,target` (or src/dst, from/to, u/v, the first two) | yes |
//! | `nodes.csv` | `id`, then `label`, or `labels` with `;` or blanks between them | for isolated nodes |
//! | `features.csv` | `id` and a column per feature, or `id,feature,value` | no |
//! | `dataset.json` | see `manifest.rs` | no |
//!
//! Without the manifest: undirected, classes in order of name, blanks around cells dropped. With it
//! every cell counts to the last blank, and -0 stays -0 in dense features (in sparse ones it is a
//! zero like any other, and not stored).

mod write;

pub(crate) use write::{label_cell, write_edges, write_features, write_nodes};

use csv::Trim;

use super::assemble::Assembly;
use super::csv_table::{CsvTable, Style, cell};
use super::feature_rows::{FeatureRows, LongRows, WideRows};
use super::label_cells::{Counted, LabelCells};
use super::manifest::{CLASS_SEPARATOR, LabelKind, Manifest, Storage};
use super::table_files::{TableFiles, edge_columns, id_column, label_column, long_columns, unused};
use super::{Bundle, ColumnNames, Header, ReadOptions, number_text};
use crate::{FoundValue, Id, LoadedData, Result, SourceLocation};

const ENDINGS: [&str; 1] = ["csv"];

pub(crate) fn recognises(bundle: &Bundle) -> bool {
    TableFiles::recognises(bundle, &ENDINGS)
}

/// Reads a bundle of this format.
///
/// # Errors
/// If the members are not what the format says they are.
pub fn read(bundle: &Bundle, options: &ReadOptions) -> Result<LoadedData> {
    let files = TableFiles::find(bundle, options, &ENDINGS)?;
    let (manifest, notice) = files.manifest()?;
    let mut assembly = Assembly::new(options);
    assembly.notices.extend(notice);
    let style = match manifest {
        Some(_) => Style { delimiter: b',', trim: Trim::None, header: Header::Present },
        None => Style {
            delimiter: options.delimiter.unwrap_or(b','),
            trim: Trim::All,
            header: options.header,
        },
    };
    if let Some(nodes) = files.beside("nodes", &ENDINGS) {
        let looks = |first: &[&str], _: &[&str]| id_column(first).is_some();
        let table = CsvTable::open(bundle, nodes, style, looks)?;
        read_nodes(table, manifest.as_ref(), &options.columns, &mut assembly)?;
        assembly.expect_listed_nodes();
    }
    let named = options.columns.name_edges();
    let edge_style = if named { Style { header: Header::Present, ..style } } else { style };
    let table = CsvTable::open(bundle, files.edges, edge_style, looks_like_edge_names)?;
    read_edges(table, manifest.as_ref(), &options.columns, &mut assembly)?;
    if let Some(features) = files.beside("features", &ENDINGS) {
        let looks = |first: &[&str], _: &[&str]| {
            id_column(first).is_some()
                || first.iter().all(|cell| number_text::parse(cell).is_none())
        };
        let table = CsvTable::open(bundle, features, style, looks)?;
        read_features(table, manifest.as_ref(), &mut assembly)?;
    }
    Ok(LoadedData::Nodes(assembly.finish(bundle.place(), manifest.as_ref(), options)?))
}

/// Names we know, or words above numbers.
fn looks_like_edge_names(first: &[&str], second: &[&str]) -> bool {
    let numbers =
        |record: &[&str]| record.iter().take(2).filter(|cell| cell.parse::<u64>().is_ok()).count();
    edge_columns(first).is_some() || (numbers(first) == 0 && numbers(second) == 2)
}

/// The id in a cell. In what people wrote an empty cell is a mistake; in what we wrote it is a name.
fn id_cell<'a>(
    text: &'a str,
    manifest: Option<&Manifest>,
    place: impl Fn() -> SourceLocation,
) -> Result<Id<'a>> {
    if text.is_empty() && manifest.is_none() {
        return Err(place().malformed("an empty cell", "a node id"));
    }
    Ok(Id::parse(text))
}

fn read_edges(
    mut table: CsvTable,
    manifest: Option<&Manifest>,
    chosen: &ColumnNames,
    assembly: &mut Assembly,
) -> Result<()> {
    let place = table.place.clone();
    let mut columns = [0, 1];
    if let Some(names) = table.names() {
        columns = chosen.edges(&names, edge_columns(&names).unwrap_or(columns), &place)?;
        if let Some(text) = unused(&names, &columns) {
            assembly.note(&place, text);
        }
    }
    while let Some((line, record)) = table.next()? {
        let mut ends = [0; 2];
        for (end, (column, name)) in
            ends.iter_mut().zip(columns.into_iter().zip(["source", "target"]))
        {
            let here = || place.line(line).field(name);
            let id = id_cell(cell(record, column, name, here)?, manifest, here)?;
            *end = assembly.node(id, here)?;
        }
        assembly.push_edge(ends[0], ends[1]);
    }
    Ok(())
}

fn read_nodes(
    mut table: CsvTable,
    manifest: Option<&Manifest>,
    chosen: &ColumnNames,
    assembly: &mut Assembly,
) -> Result<()> {
    let place = table.place.clone();
    let (mut id, mut label) = (0, (table.width() > 1).then_some((1, LabelKind::Single)));
    if let Some(names) = table.names() {
        if id_column(&names).is_none() {
            assembly.guess_ids(&place);
        }
        id = id_column(&names).unwrap_or(0);
        label = match chosen.label(&names, &place)? {
            Some(column) => Some((column, LabelKind::Single)),
            None => label_column(&names),
        };
        let used: Vec<usize> = label.iter().map(|&(column, _)| column).chain([id]).collect();
        if let Some(text) = unused(&names, &used) {
            assembly.note(&place, text);
        }
    }
    if table.names().is_none() {
        assembly.guess_ids(&place);
    }
    if let Some(manifest) = manifest {
        label = label.zip(manifest.labels.as_ref()).map(|((c, _), labels)| (c, labels.kind));
    }
    let mut labels =
        label.map(|(column, kind)| (column, LabelCells::new(kind, place.clone(), Counted::Lines)));
    let mut blanks_separate = Vec::new();
    while let Some((line, record)) = table.next()? {
        let here = || place.line(line).field("id");
        let node = id_cell(cell(record, id, "id", here)?, manifest, here)?;
        assembly.list_node(node, here)?;
        let Some((column, cells)) = &mut labels else { continue };
        let text = record.get(*column).unwrap_or_default();
        match cells.kind() {
            LabelKind::Single => cells.push(line, [text]),
            // Whether blanks separate is known only once no cell has a `;`.
            LabelKind::Multi if manifest.is_none() => blanks_separate.push((line, text.to_owned())),
            LabelKind::Multi => cells.push(line, text.split(CLASS_SEPARATOR)),
        }
    }
    if let Some((_, cells)) = &mut labels {
        push_hand_made(cells, &blanks_separate);
    }
    assembly.labels = labels.map(|(_, cells)| cells);
    Ok(())
}

/// Lists of classes that people wrote: `;` separates if it occurs anywhere, else blanks do.
fn push_hand_made(cells: &mut LabelCells, lists: &[(u64, String)]) {
    let semicolons = lists.iter().any(|(_, text)| text.contains(CLASS_SEPARATOR));
    for (line, text) in lists {
        match semicolons {
            true => cells.push(*line, text.split(CLASS_SEPARATOR).map(str::trim)),
            false => cells.push(*line, text.split_whitespace()),
        }
    }
}

fn read_features(
    table: CsvTable,
    manifest: Option<&Manifest>,
    assembly: &mut Assembly,
) -> Result<()> {
    let names = table.names().unwrap_or_default();
    let declared = manifest.map(|manifest| manifest.features.as_ref());
    let long = match declared {
        Some(None) => {
            assembly.note(&table.place, "ignored: the manifest declares no features");
            return Ok(());
        }
        Some(Some(features)) => (features.storage == Storage::Sparse).then_some([1, 2]),
        None => long_columns(&names),
    };
    let id = if manifest.is_some() { 0 } else { id_column(&names).unwrap_or(0) };
    let rows = match long {
        Some(columns) => FeatureRows::Long(read_long(table, id, columns, manifest, assembly)?),
        None => {
            let columns = if names.is_empty() { table.width() } else { names.len() };
            let columns = columns.saturating_sub(1);
            if let Some(declared) = declared.flatten().filter(|d| d.columns != columns) {
                let expected = format!("{}, as the manifest says", declared.columns);
                return Err(table
                    .place
                    .malformed(FoundValue::words(format!("{columns} feature columns")), expected));
            }
            let without_id = names.iter().enumerate().filter(|&(column, _)| column != id);
            let names = (!names.is_empty())
                .then(|| without_id.map(|(_, name)| (*name).to_owned()).collect());
            let rows = WideRows::new(table.place.clone(), columns, names);
            FeatureRows::Wide(read_wide(table, id, rows, manifest, assembly)?)
        }
    };
    assembly.features = Some(rows);
    Ok(())
}

fn read_wide(
    mut table: CsvTable,
    id: usize,
    mut rows: WideRows,
    manifest: Option<&Manifest>,
    assembly: &mut Assembly,
) -> Result<WideRows> {
    let place = table.place.clone();
    while let Some((line, record)) = table.next()? {
        if record.len() != rows.columns() + 1 {
            let expected = format!("{} (the id and {} values)", rows.columns() + 1, rows.columns());
            return Err(place
                .line(line)
                .malformed(FoundValue::words(format!("{} cells", record.len())), expected));
        }
        let here = || place.line(line).field("id");
        let node = id_cell(cell(record, id, "id", here)?, manifest, here)?;
        rows.push_node(assembly.node(node, here)?);
        for (column, text) in record.iter().enumerate().filter(|&(column, _)| column != id) {
            let place = || place.line(line).field(format!("column {}", column + 1));
            rows.push_value(value_cell(text, place)?);
        }
    }
    Ok(rows)
}

fn read_long(
    mut table: CsvTable,
    id: usize,
    [feature, value]: [usize; 2],
    manifest: Option<&Manifest>,
    assembly: &mut Assembly,
) -> Result<LongRows> {
    let place = table.place.clone();
    let mut rows = LongRows::new(place.clone());
    while let Some((line, record)) = table.next()? {
        let here = || place.line(line).field("id");
        let node = id_cell(cell(record, id, "id", here)?, manifest, here)?;
        let node = assembly.node(node, here)?;
        let here = || place.line(line).field("feature");
        let column = Id::parse(cell(record, feature, "feature", here)?);
        let here = || place.line(line).field("value");
        rows.push(node, column, value_cell(cell(record, value, "value", here)?, here)?);
    }
    Ok(rows)
}

fn value_cell(text: &str, place: impl Fn() -> SourceLocation) -> Result<f32> {
    number_text::parse(text)
        .ok_or_else(|| place().malformed(format!("'{text}'"), number_text::EXPECTED))
}

#[cfg(test)]
mod tests;
