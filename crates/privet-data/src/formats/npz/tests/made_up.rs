//! Datasets of every kind that a file can hold, for properties.

use proptest::prelude::*;

use crate::{
    Bounds, BoundsOrigin, Dataset, DenseMatrix, Direction, Features, GraphBuilder, Labels, NodeIds,
    SelfLoops, SparseBuilder, Split,
};

fn some_features(rows: usize, columns: usize) -> impl Strategy<Value = Features> {
    let values = prop::collection::vec(prop_oneof![Just(0f32), -9f32..9.0], rows * columns);
    let bounds = prop::option::of((prop::bool::ANY, 0..3usize));
    let names = prop::option::of(prop::collection::vec("[^\0]{0,3}", columns));
    (values, prop::bool::ANY, bounds, names).prop_map(move |(values, dense, bounds, names)| {
        let mut features = if dense {
            Features::dense(DenseMatrix::new(rows, columns, values).unwrap())
        } else {
            let mut builder = SparseBuilder::new(columns);
            for row in values.chunks_exact(columns) {
                let mut row: Vec<_> = (0..).zip(row.iter().copied()).collect();
                builder.push_row(&mut row).unwrap();
            }
            Features::sparse(builder.finish())
        };
        if let Some((uniform, origin)) = bounds {
            let origins =
                [BoundsOrigin::Declared, BoundsOrigin::Format, BoundsOrigin::MeasuredFromData];
            let origin = origins[origin].clone();
            let bounds = if uniform {
                Bounds::uniform(-1.0, 2.5, origin)
            } else {
                Bounds::per_column((0..columns).map(|c| (0.0, 1.0 + c as f32)).collect(), origin)
            };
            features = features.with_bounds(bounds.unwrap()).unwrap();
        }
        match names {
            Some(names) => features.with_names(names).unwrap(),
            None => features,
        }
    })
}

fn some_labels(nodes: usize) -> impl Strategy<Value = Labels> {
    let names = || (0..3).map(|class| format!("class ü{class}")).collect::<Vec<_>>();
    let single = prop::collection::vec(prop::option::of(0..3u32), nodes);
    let multi = prop::collection::vec(prop::collection::vec(0..3u32, 0..4), nodes);
    prop_oneof![
        single.prop_map(move |classes| Labels::single(classes, names()).unwrap()),
        multi.prop_map(move |classes| Labels::multi(classes, names()).unwrap()),
        Just(Labels::multi(vec![vec![]; nodes], vec![]).unwrap()),
    ]
}

fn some_ids(nodes: usize) -> impl Strategy<Value = NodeIds> {
    let integers = prop::collection::hash_set(any::<u64>(), nodes);
    let texts = prop::collection::hash_set("[^\0]{0,5}", nodes);
    prop_oneof![
        Just(NodeIds::sequential(nodes)),
        integers.prop_map(|ids| NodeIds::integers(ids.into_iter().collect()).unwrap()),
        texts.prop_map(|ids| NodeIds::texts(ids).unwrap()),
    ]
}

pub fn some_dataset() -> impl Strategy<Value = Dataset> {
    (0usize..7, 1usize..4).prop_flat_map(|(nodes, columns)| {
        let pair = (0..nodes.max(1) as u32, 0..nodes.max(1) as u32);
        let pairs = prop::collection::vec(pair, 0..=3 * nodes);
        let features = prop::option::of(some_features(nodes, columns));
        let labels = prop::option::of(some_labels(nodes));
        let rest = (prop::bool::ANY, prop::bool::ANY, "[^\0]{1,8}");
        (pairs, some_ids(nodes), features, labels, rest).prop_map(
            move |(pairs, ids, features, labels, (directed, split, name))| {
                let direction = if directed { Direction::Directed } else { Direction::Undirected };
                let builder = GraphBuilder::new(nodes, direction).edges(pairs);
                let (graph, _) = builder.self_loops(SelfLoops::Keep).build().unwrap();
                let mut data = Dataset::new(name, graph, ids).unwrap();
                if let Some(features) = features {
                    data = data.with_features(features).unwrap();
                }
                if let Some(labels) = labels {
                    data = data.with_labels(labels).unwrap();
                }
                if split {
                    let third = |part| (0..nodes as u32).filter(|v| v % 3 == part).collect();
                    let split = Split { train: third(2), validation: third(0), test: third(1) };
                    data = data.with_split(split).unwrap();
                }
                data
            },
        )
    })
}
