use std::fs;
use std::path::Path;

use super::*;
use crate::formats::write::{Overwrite, write};
use crate::formats::{Format, Limits, ReadOptions, Spill, read as read_path};
use crate::{Bounds, BoundsOrigin, Features, GraphBuilder, SparseBuilder, Split};

fn people(multi: bool, sparse: bool, text: bool) -> Dataset {
    let edges = (0..40u32).flat_map(|u| (1..4).map(move |k| (u, (u * k + 3) % 40)));
    let graph = GraphBuilder::new(40, Direction::Undirected).edges(edges).build().unwrap().0;
    let ids = match text {
        true => NodeIds::texts((0..40).map(|at| format!("p {at}é"))).unwrap(),
        false => NodeIds::integers((0..40).map(|at| at * 7 + 1).collect()).unwrap(),
    };
    let matrix = if sparse {
        let mut rows = SparseBuilder::new(12);
        (0..40u32).for_each(|at| rows.push_row(&mut [(at % 9, 0.5), (9 + at % 3, 2.0)]).unwrap());
        FeatureMatrix::Sparse(rows.finish())
    } else {
        let values = (0..40 * 3).map(|at| at as f32 / 7.0).collect();
        FeatureMatrix::Dense(DenseMatrix::new(40, 3, values).unwrap())
    };
    let bounds = Bounds::uniform(0.0, 20.0, BoundsOrigin::Declared).unwrap();
    let features = Features::new(matrix).with_bounds(bounds).unwrap();
    let classes = vec!["a".to_owned(), "b; c".to_owned()];
    let labels = match multi {
        true => Labels::multi((0..40).map(|at| (0..at % 3).collect()).collect(), classes),
        false => {
            Labels::single((0..40).map(|at| (at % 3 < 2).then_some(at % 3)).collect(), classes)
        }
    };
    let split = Split { train: vec![0, 5], validation: vec![], test: vec![7] };
    let dataset = Dataset::new("people", graph, ids).unwrap().with_features(features).unwrap();
    dataset.with_labels(labels.unwrap()).unwrap().with_split(split).unwrap()
}

fn save(dataset: &Dataset, path: &Path) {
    let loaded = LoadedData::Nodes(dataset.clone());
    write(&loaded, path, Some(Format::CsrFolder), Overwrite::Refuse).unwrap();
}

fn load(path: &Path) -> Result<Dataset> {
    read_path(path, &ReadOptions::default())?.into_nodes()
}

#[test]
fn everything_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    for case in 0..8 {
        let dataset = people(case & 1 > 0, case & 2 > 0, case & 4 > 0);
        let path = folder.path().join(format!("p{case}.csr"));
        save(&dataset, &path);
        assert_eq!(load(&path).unwrap(), dataset, "{case}");
    }
}

/// Every byte of every file counts: changed or cut, it is noticed, and the file is named.
#[test]
fn damage_is_noticed_wherever_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.csr");
    save(&people(true, true, true), &path);
    let mut files: Vec<_> = fs::read_dir(&path).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), 11);
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let whole = fs::read(&file).unwrap();
        // The manifest is JSON for people to edit, and has checks of its own.
        if name != manifest::FILE && name != FILE {
            for at in [0, whole.len() / 2, whole.len() - 1] {
                let mut damaged = whole.clone();
                damaged[at] ^= 1;
                fs::write(&file, damaged).unwrap();
                let told = load(&path).unwrap_err().to_string();
                assert!(told.contains(&name) && told.contains("from 0 on"), "{told}");
            }
        }
        for length in [0, 1, whole.len() / 2, whole.len() - 2] {
            fs::write(&file, &whole[..length]).unwrap();
            assert!(load(&path).is_err(), "{name} cut at {length}");
        }
        fs::remove_file(&file).unwrap();
        assert!(load(&path).is_err(), "{name} removed");
        fs::write(&file, &whole).unwrap();
    }
    assert!(load(&path).is_ok());
}

#[test]
fn a_newer_version_and_rows_that_are_no_graph_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.csr");
    save(&people(false, false, false), &path);
    let header = path.join(FILE);
    let text = fs::read_to_string(&header).unwrap();
    fs::write(&header, text.replace("\"version\": 1", "\"version\": 2")).unwrap();
    assert!(load(&path).unwrap_err().to_string().contains("privet-csr version 2"));
    // Somebody who writes checksums, too, does not get past the check of rows.
    let mut array = header::Array::default();
    let targets: Vec<u8> = fs::read(path.join("targets.u32")).unwrap();
    let backwards: Vec<u8> = targets.chunks(4).rev().flatten().copied().collect();
    array.add(&backwards);
    let mut forged = Header::parse(&SourceLocation::file("x"), text.as_bytes()).unwrap();
    forged.files.insert("targets.u32".into(), array);
    fs::write(&header, serde_json::to_string(&forged).unwrap()).unwrap();
    fs::write(path.join("targets.u32"), backwards).unwrap();
    assert!(load(&path).unwrap_err().to_string().contains("row"));
}

/// A folder in an archive is unpacked into memory, and is the same.
#[test]
fn archives_hold_them_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.csr");
    let dataset = people(false, true, false);
    save(&dataset, &path);
    let members: Vec<(String, Vec<u8>)> = fs::read_dir(&path)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|p| (p.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(p).unwrap()))
        .collect();
    let bundle = Bundle::from_memory("p.csr", members, Limits::default());
    let found = read(&bundle, &ReadOptions::default()).unwrap().into_nodes().unwrap();
    assert_eq!(found, dataset);
}

/// An edge list that does not fit into the memory allowed gives the same graph, and leaves nothing behind.
#[test]
fn edge_lists_are_sorted_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("edges.csv");
    let mut text = String::from("source,target\n");
    for at in 0..200_000u64 {
        let (u, v) = (at * 7919 % 3001, at * at % 2999);
        text += &format!("{},{}\n", u * 5, v);
    }
    fs::write(&path, text).unwrap();
    let aside = tempfile::tempdir().unwrap();
    let spill = Spill { folder: aside.path().into(), memory: 1 << 20 };
    let bounded = ReadOptions { spill: Some(spill), ..ReadOptions::default() };
    let found = read_path(&path, &bounded).unwrap();
    assert_eq!(found, read_path(&path, &ReadOptions::default()).unwrap());
    assert_eq!(fs::read_dir(aside.path()).unwrap().count(), 0);
}
