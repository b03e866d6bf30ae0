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
use super::csv_table::{CsvStyle, CsvTable, cell};
use super::feature_rows::{FeatureRows, LongRows, WideRows};
use super::label_cells::{CellUnit, LabelCells};
use super::manifest::{CLASS_SEPARATOR, LabelKind, Manifest, Storage};
use super::table_files::{TableFiles, edge_columns, id_column, label_column, long_columns, unused};
use super::{Bundle, ColumnNames, HeaderRow, ReadOptions, number_text};
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
        // A folder of ours: written exactly so, and blanks are part of a cell.
        Some(_) => CsvStyle { delimiter: b',', trim: Trim::None, header: HeaderRow::Present },
        None => CsvStyle {
            delimiter: options.delimiter.unwrap_or(b','),
            trim: Trim::All,
            header: options.header,
        },
    };
    if let Some(nodes) = files.beside("nodes", &ENDINGS) {
        let looks = |first: &[&str], _: &[&str]| id_column(first).is_some();
        let table = CsvTable::open(bundle, nodes, style, looks)?;
        read_nodes(table, manifest.as_ref(), &options.columns, &mut assembly)?;
        // With a table of nodes, an id that only an edge names is an error.
        assembly.expect_listed_nodes();
    }
    let named = options.columns.name_edges();
    // Columns chosen by name need a first line that names them.
    let edge_style = if named { CsvStyle { header: HeaderRow::Present, ..style } } else { style };
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
    // Two words above two numbers can be no edge of numbered nodes.
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
        // The manifest decides whether cells hold one class or several.
        label = label.zip(manifest.labels.as_ref()).map(|((c, _), labels)| (c, labels.kind));
    }
    let mut labels =
        label.map(|(column, kind)| (column, LabelCells::new(kind, place.clone(), CellUnit::Lines)));
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
            // Kept as text: see below.
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
    // One row an entry (id, feature, value), or one row a node.
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
        // A short row would shift the values of all columns behind the gap.
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
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::formats::Limits;
    use crate::{Dataset, Direction, FeatureMatrix};

    fn bundle(members: &[(&str, &str)]) -> Bundle {
        let members = members.iter().map(|&(name, text)| (name, text.as_bytes().to_vec()));
        Bundle::from_memory("people", members, Limits::default())
    }

    fn load(members: &[(&str, &str)]) -> Result<Dataset> {
        read(&bundle(members), &ReadOptions::default())?.into_nodes()
    }

    fn message(members: &[(&str, &str)]) -> String {
        load(members).unwrap_err().with_values()
    }

    #[test]
    fn what_people_make_by_hand() {
        let people = load(&[
            (
                "edges.csv",
                "Source, Target, weight\nada, bob, 3\n\nbob,\"cy, jr\", 1\nada,ada,1\r\n",
            ),
            ("nodes.csv", "id,label\ncy,\n\"cy, jr\",dog\nbob,cat\nada,dog\n"),
            ("features.csv", "height,id,age\n1.5,ada,30\n1.6,bob,31\n0,cy,1\n-2e1,\"cy, jr\",2\n"),
        ])
        .unwrap();
        let ids: Vec<_> = people.ids().iter().map(|id| id.to_string()).collect();
        assert_eq!(ids, ["cy", "cy, jr", "bob", "ada"]);
        assert_eq!(people.name(), "people");
        assert_eq!(people.graph().direction(), Direction::Undirected);
        assert_eq!(people.graph().edges().collect::<Vec<_>>(), [(1, 2), (2, 3)]);
        let labels = people.labels().unwrap();
        assert_eq!(labels.class_names(), ["cat", "dog"]);
        assert_eq!([0, 1, 2, 3].map(|node| labels.class(node)), [None, Some(1), Some(0), Some(1)]);
        let features = people.features().unwrap();
        assert_eq!(features.names().unwrap(), ["height", "age"]);
        let FeatureMatrix::Dense(matrix) = features.matrix() else { panic!() };
        assert_eq!(matrix.values(), [0.0, 1.0, -20.0, 2.0, 1.6, 31.0, 1.5, 30.0]);
        let notices: Vec<_> = people.notices().iter().map(|notice| notice.to_string()).collect();
        assert_eq!(
            notices,
            ["people, member edges.csv: ignored columns: weight", "people: 1 self-loops dropped"]
        );
    }

    #[test]
    fn edges_alone_with_and_without_names() {
        for text in ["5,7\n7,9\n", "who,whom\n5,7\n7,9\n", "u,v\n5,7\n7,9"] {
            let dataset = load(&[("edges.csv", text)]).unwrap();
            assert_eq!(dataset.graph().edge_count(), 2, "{text}");
            assert!(dataset.ids().are_integers());
        }
        let folder = "a/b/edges.csv";
        assert_eq!(load(&[(folder, "1,2"), ("nodes.csv", "id\n9")]).unwrap().ids().len(), 2);
    }

    #[test]
    fn several_classes_with_either_separator() {
        for (text, names) in [
            ("id,labels\n1,b a\n2,\n3,a\n", vec!["a", "b"]),
            ("id,labels\n1,b; a a\n2,\n3,a a\n", vec!["a a", "b"]),
        ] {
            let dataset = load(&[("edges.csv", "1,2\n"), ("nodes.csv", text)]).unwrap();
            let labels = dataset.labels().unwrap();
            assert!(labels.is_multi());
            assert_eq!(labels.class_names(), names);
            assert_eq!((labels.classes(0), labels.classes(2)), (&[0, 1][..], &[0][..]));
        }
    }

    #[test]
    fn long_features_without_a_manifest() {
        let features = "id,feature,value\n2,3,0.5\n1,0,2\n9,1,1\n";
        let dataset = load(&[("edges.csv", "1,2\n"), ("features.csv", features)]).unwrap();
        let features = dataset.features().unwrap();
        assert_eq!((features.rows(), features.columns(), features.nonzeros()), (3, 4, 3));
        assert_eq!(dataset.ids().get(2), Id::Integer(9));
    }

    #[test]
    fn a_manifest_decides() {
        let manifest = r#"{"format": "privet-dataset", "version": 1, "direction": "directed",
        "features": {"storage": "sparse", "columns": 9,
                     "bounds": {"origin": "declared", "ranges": {"uniform": [0, 0.1]}}},
        "labels": {"kind": "single", "cells": "names", "classes": ["z", "unused", "a"]},
        "split": {"train": ["a"], "validation": [], "test": [" 7"]}}"#;
        let members = [
            ("dataset.json", manifest),
            ("edges.csv", "source,target\na, 7\n"),
            ("nodes.csv", "id,label\na,z\n 7,a\n"),
            ("features.csv", "id,feature,value\na,8,1e-45\n"),
        ];
        let dataset = load(&members).unwrap();
        assert_eq!(dataset.graph().direction(), Direction::Directed);
        assert_eq!(dataset.labels().unwrap().class_names(), ["z", "unused", "a"]);
        assert_eq!(dataset.split().unwrap().test, [1]);
        let features = dataset.features().unwrap();
        assert_eq!(features.columns(), 9);
        assert_eq!(features.bounds().unwrap().column(5), (0.0, 0.1));
        assert_eq!(features.nonzero_entries(0).collect::<Vec<_>>(), [(8, f32::from_bits(1))]);
        let mut wrong = members;
        wrong[2].1 = "id,label\na,z\n 7,y\n";
        assert_eq!(
            message(&wrong),
            "people, member nodes.csv, line 3, field label: found 'y'; expected a class of the manifest"
        );
        wrong = members;
        wrong[3].1 = "id,feature,value\na,9,1\n";
        assert!(
            message(&wrong).contains("feature 9; expected a column below 9"),
            "{}",
            message(&wrong)
        );
        wrong = members;
        wrong[0].1 = r#"{"format": "privet-dataset", "version": 2}"#;
        assert!(message(&wrong).contains("version 2"), "{}", message(&wrong));
    }

    #[test]
    fn another_programs_dataset_json_is_left_alone() {
        let dataset = load(&[("edges.csv", "1,2\n"), ("dataset.json", "{\"a\": [1]}")]).unwrap();
        assert!(dataset.notices()[0].text.contains("not a Privet manifest"));
        assert!(message(&[("edges.csv", "1,2\n"), ("dataset.json", "{")]).contains("line 1"));
    }

    #[test]
    fn mistakes_are_named_with_file_and_line() {
        let nodes = ("nodes.csv", "id\na\nb\n");
        for (members, expected) in [
            (
                vec![("edges.csv", "u,v\na\n")],
                "member edges.csv, line 2, field target: found 1 cells",
            ),
            (vec![("edges.csv", "u,v\na,\n")], "line 2, field target: found an empty cell"),
            (
                vec![("edges.csv", "u,v\na,c\n"), nodes],
                "edges.csv, line 2, field target: found 'c'",
            ),
            (
                vec![("edges.csv", "u,v\n"), ("nodes.csv", "id\na\na\n")],
                "member nodes.csv, line 3, field id: found 'a' a second time",
            ),
            (
                vec![("edges.csv", "u,v\n"), nodes, ("features.csv", "id,x\na,1\nb,NaN\n")],
                "member features.csv, line 3, field column 2: found 'NaN'; expected a finite number",
            ),
            (
                vec![("edges.csv", "u,v\n"), nodes, ("features.csv", "id,x\na,1,2\n")],
                "line 2: found 3 cells; expected 2 (the id and 1 values)",
            ),
            (
                vec![("edges.csv", "u,v\n"), nodes, ("features.csv", "id,x\na,1\n")],
                "member features.csv: found no row for node 'b'",
            ),
            (
                vec![("edges.csv", "a,b\n"), ("features.csv", "id,feature,value\na,x,1\na,x,2\n")],
                "found feature 0 of node 'a' twice",
            ),
        ] {
            assert!(message(&members).contains(expected), "{} | {expected}", message(&members));
        }
        let bytes =
            Bundle::from_memory("m", [("edges.csv", b"a,b\nc,\xff\n".to_vec())], Limits::default());
        let message = read(&bytes, &ReadOptions::default()).unwrap_err().with_values();
        assert!(message.contains("line 2: found bytes that are not UTF-8"), "{message}");
    }

    #[test]
    fn recognised_by_its_edges() {
        assert!(recognises(&bundle(&[("x/edges.csv", ""), ("readme", "")])));
        assert!(!recognises(&bundle(&[("my_edges.csv", ""), ("nodes.csv", "")])));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("edges.csv");
        std::fs::write(&path, "1,2").unwrap();
        assert!(recognises(&Bundle::from_path(folder.path(), Limits::default()).unwrap()));
        assert!(!recognises(&Bundle::from_path(&path, Limits::default()).unwrap()));
    }

    /// Pieces of tables, so that random text gets past the first check.
    fn pieces() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "id", "label", "labels", "feature", "value", "source", "target", ",", ",", "\n", "\n",
            "\"", "a", "b", "1", "2", ";", " ", "1e400", "-0", "\r\n", "\u{feff}", "é",
        ]);
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn nothing_panics(edges in pieces(), nodes in pieces(), features in pieces()) {
            let members = [("edges.csv", &*edges), ("nodes.csv", &nodes), ("features.csv", &features)];
            let _ = load(&members);
            let _ = load(&[members[0], members[2]]);
        }

        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            for name in ["edges.csv", "nodes.csv", "features.csv", "dataset.json"] {
                let members = [("edges.csv", b"1,2\n".to_vec()), (name, bytes.clone())];
                let members = members.into_iter().rev().take(if name == "edges.csv" { 1 } else { 2 });
                let bundle = Bundle::from_memory("m", members, Limits::default());
                let _ = read(&bundle, &ReadOptions::default());
            }
        }
    }
}
