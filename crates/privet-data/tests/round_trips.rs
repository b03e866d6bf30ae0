//! Whatever is written reads back the same: ids, edges, features to the last bit, bounds, names,
//! labels, split.
#![expect(clippy::unwrap_used, reason = "clippy knows no test outside a function marked #[test]")]
#![expect(clippy::panic, reason = "clippy knows no test outside a function marked #[test]")]

use std::path::Path;

use privet_data::formats::write::{Overwrite, write};
use privet_data::formats::{Format, ReadOptions, read};
use privet_graph::{
    Bounds, BoundsOrigin, Dataset, DenseMatrix, Direction, FeatureMatrix, Features, GraphBuilder,
    Labels, LoadedData, NodeIds, SelfLoops, SparseBuilder, Split,
};
use proptest::prelude::*;
use proptest::sample::select;

/// Every format that holds a whole dataset, with a name whose ending tells it.
fn formats() -> Vec<(&'static str, Option<Format>)> {
    let mut formats = vec![
        ("folder", None),
        ("data.graphml", None),
        ("data.npz", None),
        ("packed.graphml.gz", None),
        ("pyg.npz", Some(Format::EdgeIndex)),
    ];
    if cfg!(feature = "tables") {
        formats.push(("tables", Some(Format::Parquet)));
    }
    formats
}

fn awkward_float() -> impl Strategy<Value = f32> {
    let known =
        vec![0.0, -0.0, 1.0, 0.1, -1e-45, f32::MIN_POSITIVE, f32::MAX, f32::MIN, 16777216.0];
    prop_oneof![
        2 => select(known),
        1 => prop::num::f32::NORMAL,
        1 => prop::num::f32::SUBNORMAL,
    ]
}

/// Text that a careless writer would break: separators, quotes, markup, blanks, other scripts.
fn awkward_text() -> impl Strategy<Value = String> {
    let pieces = vec![
        "a", "b", "0", "7", ",", "\"", ";", " ", "\t", "\n", "\r", "<&>'", "ü", "名", "#", "-",
        "e5", "]]>", "\\", "null", "NaN",
    ];
    prop::collection::vec(select(pieces), 0..5).prop_map(|pieces| pieces.concat())
}

fn ids(count: usize) -> impl Strategy<Value = NodeIds> {
    let distinct = |mut names: Vec<String>| {
        for (at, name) in names.iter_mut().enumerate() {
            name.push_str(&at.to_string());
        }
        names
    };
    let texts = prop::collection::vec(awkward_text(), count)
        .prop_map(move |names| NodeIds::texts(distinct(names)).unwrap());
    let gaps = prop::collection::vec(1u64..1000, count).prop_map(|gaps| {
        let sum = gaps.iter().scan(0, |sum, gap| {
            *sum += gap;
            Some(*sum)
        });
        NodeIds::integers(sum.collect::<Vec<_>>().into_iter().rev().collect()).unwrap()
    });
    let large = (0..count as u64).map(|node| u64::MAX - node).collect();
    let zeros = NodeIds::texts((0..count).map(|node| format!("{node:04}"))).unwrap();
    prop_oneof![
        3 => texts,
        2 => gaps,
        1 => Just(NodeIds::sequential(count)),
        1 => Just(NodeIds::integers(large).unwrap()),
        1 => Just(zeros),
    ]
}

fn bounds(columns: usize) -> impl Strategy<Value = Option<Bounds>> {
    let range = (awkward_float(), awkward_float())
        .prop_map(|(a, b)| (a.min(b), a.max(b)))
        .prop_map(|(low, high)| if low < high { (low, high) } else { (-1.5, 0.1) });
    let origin =
        select(vec![BoundsOrigin::Declared, BoundsOrigin::Format, BoundsOrigin::MeasuredFromData]);
    (0..3, prop::collection::vec(range, columns.max(1)), origin).prop_map(
        move |(kind, ranges, origin)| match kind {
            0 => None,
            1 => Some(Bounds::uniform(ranges[0].0, ranges[0].1, origin).unwrap()),
            _ => Some(Bounds::per_column(ranges[..columns].to_vec(), origin).unwrap()),
        },
    )
}

fn matrix(rows: usize, columns: usize) -> impl Strategy<Value = FeatureMatrix> {
    let values = prop::collection::vec(awkward_float(), rows * columns);
    (values, any::<bool>()).prop_map(move |(values, dense)| {
        if dense {
            return FeatureMatrix::Dense(DenseMatrix::new(rows, columns, values).unwrap());
        }
        let mut builder = SparseBuilder::new(columns);
        for row in 0..rows {
            let row = &values[row * columns..(row + 1) * columns];
            builder.push_row(&mut (0..).zip(row.iter().copied()).collect::<Vec<_>>()).unwrap();
        }
        FeatureMatrix::Sparse(builder.finish())
    })
}

fn features(rows: usize) -> impl Strategy<Value = Features> {
    (0usize..4).prop_flat_map(move |columns| {
        let names = prop::option::of(prop::collection::vec(awkward_text(), columns));
        (matrix(rows, columns), bounds(columns), names).prop_map(|(matrix, bounds, names)| {
            let mut features = Features::new(matrix);
            if let Some(bounds) = bounds {
                features = features.with_bounds(bounds).unwrap();
            }
            if let Some(names) = names {
                features = features.with_names(names).unwrap();
            }
            features
        })
    })
}

/// Names may repeat or be empty: then cells must not rely on them.
fn labels(count: usize) -> impl Strategy<Value = Labels> {
    (prop::collection::vec(awkward_text(), 1..4), any::<bool>()).prop_flat_map(
        move |(names, plain)| {
            let names: Vec<String> = match plain {
                true => (0..names.len()).rev().map(|class| format!("class {class}")).collect(),
                false => names,
            };
            let class = 0..names.len() as u32;
            let single = prop::collection::vec(prop::option::of(class.clone()), count);
            let multi = prop::collection::vec(prop::collection::vec(class, 0..3), count);
            let (a, b) = (names.clone(), names);
            prop_oneof![
                single.prop_map(move |classes| Labels::single(classes, a.clone()).unwrap()),
                multi.prop_map(move |classes| Labels::multi(classes, b.clone()).unwrap()),
            ]
        },
    )
}

fn split(count: usize) -> impl Strategy<Value = Split> {
    prop::collection::vec(0u8..4, count).prop_map(|parts| {
        let pick = |part| (0..).zip(&parts).filter(move |&(_, &p)| p == part).map(|(node, _)| node);
        Split { train: pick(0).collect(), validation: pick(1).collect(), test: pick(2).collect() }
    })
}

fn dataset() -> impl Strategy<Value = Dataset> {
    (0usize..8).prop_flat_map(|count| {
        let node = 0..count.max(1) as u32;
        let pairs =
            prop::collection::vec((node.clone(), node), if count == 0 { 0..1 } else { 0..12 });
        let direction = select(vec![Direction::Directed, Direction::Undirected]);
        let extras = (
            prop::option::of(features(count)),
            prop::option::of(labels(count)),
            prop::option::of(split(count)),
        );
        (pairs, direction, ids(count), extras).prop_map(
            move |(mut pairs, direction, ids, (features, labels, split))| {
                if count == 0 {
                    pairs.clear();
                }
                let graph = GraphBuilder::new(count, direction)
                    .self_loops(SelfLoops::Keep)
                    .edges(pairs)
                    .build()
                    .unwrap()
                    .0;
                let mut dataset = Dataset::new("any", graph, ids).unwrap();
                if let Some(features) = features {
                    dataset = dataset.with_features(features).unwrap();
                }
                if let Some(labels) = labels {
                    dataset = dataset.with_labels(labels).unwrap();
                }
                if let Some(split) = split {
                    dataset = dataset.with_split(split).unwrap();
                }
                dataset
            },
        )
    })
}

/// The stored values as bits, which tell -0 from 0 where `==` does not.
fn bits(dataset: &Dataset) -> Option<Vec<u32>> {
    dataset.features().map(|features| match features.matrix() {
        FeatureMatrix::Dense(matrix) => matrix.values().iter().map(|v| v.to_bits()).collect(),
        FeatureMatrix::Sparse(matrix) => matrix.values().iter().map(|v| v.to_bits()).collect(),
    })
}

/// The same with dense features, as formats have them that know no others.
fn dense(dataset: &Dataset) -> Dataset {
    let Some(features) = dataset.features() else { return dataset.clone() };
    let FeatureMatrix::Sparse(matrix) = features.matrix() else { return dataset.clone() };
    let mut dense = Features::dense(matrix.to_dense());
    if let Some(bounds) = features.bounds() {
        dense = dense.with_bounds(bounds.clone()).unwrap();
    }
    if let Some(names) = features.names() {
        dense = dense.with_names(names.to_vec()).unwrap();
    }
    dataset.clone().with_features(dense).unwrap()
}

fn there_and_back(original: &Dataset, folder: &Path) {
    for (name, format) in formats() {
        let path = folder.join(name);
        let dense =
            if format == Some(Format::EdgeIndex) { dense(original) } else { original.clone() };
        let dataset = &dense;
        write(&LoadedData::Nodes(dataset.clone()), &path, format, Overwrite::Replace).unwrap();
        let options = ReadOptions { self_loops: SelfLoops::Keep, ..ReadOptions::default() };
        let back = read(&path, &options).and_then(LoadedData::into_nodes);
        let back = back.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(back.notices(), [], "{name}");
        assert_eq!(back.graph(), dataset.graph(), "{name}");
        assert_eq!(back.ids(), dataset.ids(), "{name}");
        assert_eq!(back.features(), dataset.features(), "{name}");
        assert_eq!(bits(&back), bits(dataset), "{name}");
        assert_eq!(back.labels(), dataset.labels(), "{name}");
        assert_eq!(back.split(), dataset.split(), "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]
    #[test]
    fn everything_survives(dataset in dataset()) {
        let folder = tempfile::tempdir().unwrap();
        there_and_back(&dataset, folder.path());
    }
}

#[test]
fn a_larger_one_spans_several_batches() {
    let count = 70_000u32;
    let edges = (0..count).map(|node| (node, node * 7 % count));
    let graph = GraphBuilder::new(count as usize, Direction::Directed)
        .self_loops(SelfLoops::Keep)
        .edges(edges)
        .build()
        .unwrap()
        .0;
    let mut builder = SparseBuilder::new(50);
    for node in 0..count {
        let row = &mut [(node % 50, 0.5), ((node + 1) % 50, node as f32)];
        builder.push_row(row).unwrap();
    }
    let classes = (0..count).map(|node| (node % 5 > 0).then_some(node % 5)).collect();
    let names = (0..5).map(|class| format!("c{class}")).collect();
    let dataset = Dataset::new("large", graph, NodeIds::sequential(count as usize))
        .and_then(|d| d.with_features(Features::sparse(builder.finish())))
        .and_then(|d| d.with_labels(Labels::single(classes, names)?))
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    there_and_back(&dataset, folder.path());
}

/// Edges alone, in every text that holds them, compressed or not.
#[test]
fn edges_survive_in_text() {
    let ids = ["a", "b \"q\"", "c,d", "e;f"];
    let graph = GraphBuilder::new(4, Direction::Undirected).edges([(0, 1), (1, 2), (2, 3)]);
    let dataset =
        Dataset::new("e", graph.build().unwrap().0, NodeIds::texts(ids).unwrap()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut names = vec!["e.csv", "e.tsv", "e.csv.gz", "e.tsv.gz"];
    if cfg!(feature = "zstd") {
        names.extend(["e.csv.zst", "e.tsv.zst"]);
    }
    for name in names {
        let path = folder.path().join(name);
        let files =
            write(&LoadedData::Nodes(dataset.clone()), &path, None, Overwrite::Refuse).unwrap();
        assert_eq!(files, std::slice::from_ref(&path));
        let packed = !std::fs::read(&path).unwrap().starts_with(b"source");
        assert_eq!(packed, name.ends_with("gz") || name.ends_with("zst"), "{name}");
        let back = read(&path, &ReadOptions::default()).and_then(LoadedData::into_nodes).unwrap();
        assert_eq!((back.graph(), back.ids()), (dataset.graph(), dataset.ids()), "{name}");
    }
    let tabbed = Dataset::new(
        "t",
        dataset.graph().clone(),
        NodeIds::texts(["a", "b\tc", "d", "e"]).unwrap(),
    );
    let path = folder.path().join("tabbed.tsv");
    let refused = write(&LoadedData::Nodes(tabbed.unwrap()), &path, None, Overwrite::Refuse);
    assert!(refused.unwrap_err().to_string().contains("write .csv"));
    assert!(!path.exists());
}
