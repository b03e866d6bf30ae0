//! npz: a zip of numpy arrays with a CSR adjacency, features, labels and names.
//!
//! Three ways to state the edges are read: `adj_data`, `adj_indices`, `adj_indptr`, `adj_shape`; the
//! same as `adj_matrix.data` and so on; and `edge_index`, two rows of nodes. Rows need not be sorted.
//! The graph is undirected unless a member `directed` is true. Members that are not needed are left
//! alone and named in a notice; object arrays are pickles and are never opened.
//!
//! [`write()`] keeps everything a [`Dataset`] has, and [`read`] gives it back; [`write_edge_index`] writes what PyTorch
//! Geometric takes.

mod arrays;
mod edges;
mod node_data;
mod write;

pub(crate) use arrays::NpzArrays;
pub use edges::write_edge_index;
pub(crate) use node_data::{FeatureKeys, LABELS, dense_matrix, feature_matrix, labels_of};
pub use write::write;
pub(crate) use write::write_rows;

use super::choose::{DatasetCandidate, base_name, ending_with, one_of, single_file};
use super::{Bundle, ReadOptions, graph_lists};
use crate::formats::manifest::with_fact_lines;
use crate::{Dataset, LoadedData, Notice, Result, SourceLocation};

/// The masks of PyG's splits: who trains, who validates, who tests.
const MASKS: [&str; 3] = ["train_mask", "val_mask", "test_mask"];

/// Facts that were read off the records and stated nowhere, see [`privet_graph::facts`].
const FACTS: &str = "facts";

pub(crate) fn recognises(bundle: &Bundle) -> bool {
    let archives = archives(bundle);
    if archives.is_empty() {
        return NpzArrays::new(bundle).has_edges();
    }
    // In a folder, arrays may accompany another format: only one with edges is a graph.
    // Opened, not only looked at: an npz says nothing of its content in its first bytes.
    let has_edges = |member| open(bundle, member).is_ok_and(|i| NpzArrays::new(&i).has_edges());
    single_file(bundle).is_some() || archives.iter().any(|candidate| has_edges(candidate.member))
}

/// Reads a bundle of this format.
///
/// # Errors
/// If the members are not what the format says they are.
pub fn read(bundle: &Bundle, options: &ReadOptions) -> Result<LoadedData> {
    let archives = archives(bundle);
    if archives.is_empty() {
        // The bundle's own members are arrays: an npz under another name, or a folder of them.
        return read_arrays(NpzArrays::new(bundle), stem(bundle.place().file_name()), options);
    }
    let chosen = one_of(bundle, options, archives, "an npz file")?;
    let inner = open(bundle, chosen.member)?;
    read_arrays(NpzArrays::new(&inner), stem(chosen.member), options)
}

/// The `.npz` files of a bundle; if it is a single file, only that one.
fn archives(bundle: &Bundle) -> Vec<DatasetCandidate<'_>> {
    let mut members = ending_with(bundle, ".npz");
    members.retain(|&member| single_file(bundle).is_none_or(|file| file == member));
    members.into_iter().map(|member| DatasetCandidate { name: stem(member), member }).collect()
}

/// `d/cora.npz` is called `cora`.
fn stem(member: &str) -> String {
    let name = base_name(member);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned()
}

/// The arrays of the `.npz` file that a bundle is or has.
pub(crate) fn open(bundle: &Bundle, member: &str) -> Result<Bundle> {
    let bytes = bundle.open(member)?.into_bytes()?;
    // An npz inside an archive keeps its own name in errors about its arrays.
    let place = SourceLocation::file(bundle.member_place(member).to_string());
    Bundle::from_zip(place, bytes, *bundle.limits())
}

fn read_arrays(
    mut arrays: NpzArrays<'_>,
    file_name: String,
    options: &ReadOptions,
) -> Result<LoadedData> {
    let place = arrays.place().clone();
    let edges::NpzEdges { node_count, pairs, direction } = edges::read(&mut arrays)?;
    // Everything after this is held against the number of nodes of the adjacency.
    let (graph, folded) = graph_lists::build_one(&place, node_count, direction, pairs, options)?;
    let name = node_data::name(&mut arrays)?.unwrap_or(file_name);
    let ids = node_data::ids(&mut arrays, node_count)?;
    let mut dataset = Dataset::new(name, graph, ids).map_err(|error| error.at(&place))?;
    if let Some(features) = node_data::features(&mut arrays, node_count)? {
        dataset = dataset.with_features(features).map_err(|error| error.at(&place))?;
    }
    if let Some(labels) = node_data::labels(&mut arrays, node_count)? {
        dataset = dataset.with_labels(labels).map_err(|error| error.at(&place))?;
    }
    if let Some(split) = node_data::split(&mut arrays, node_count)? {
        dataset = dataset.with_split(split).map_err(|error| error.at(&place))?;
    }
    if let Some(array) = arrays.optional(FACTS)? {
        dataset = with_fact_lines(dataset, &array.texts()?, &place.field(FACTS))?;
    }
    let notices = arrays.into_notices().into_iter().map(|text| Notice::new(&place, text));
    Ok(LoadedData::Nodes(dataset.with_notices(folded).with_notices(notices)))
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use proptest::prelude::*;

    use super::*;
    use crate::formats::Limits;
    use crate::formats::npy::{Number, write_numbers, write_texts};
    use crate::{
        Bounds, BoundsOrigin, Dataset, DenseMatrix, Direction, Error, Features, GraphBuilder, Id,
        Labels, NodeIds, SelfLoops, SparseBuilder, Split,
    };

    type Members = Vec<(&'static str, Vec<u8>)>;

    fn numbers<T: Number, const N: usize>(shape: &[usize], values: [T; N]) -> Vec<u8> {
        let mut out = Vec::new();
        write_numbers(&mut out, shape, values).unwrap();
        out
    }

    fn texts<const N: usize>(values: [&str; N]) -> Vec<u8> {
        let mut out = Vec::new();
        write_texts(&mut out, &[N], values).unwrap();
        out
    }

    fn object() -> Vec<u8> {
        let mut out = numbers(&[], [1.0f32]);
        let at = out.windows(3).position(|w| w == b"<f4").unwrap();
        out[at..at + 3].copy_from_slice(b"|O ");
        out[at + 2] = b'8';
        out
    }

    fn zip_of(members: &Members, method: zip::CompressionMethod) -> Vec<u8> {
        let options = zip::write::SimpleFileOptions::default().compression_method(method);
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (key, bytes) in members {
            zip.start_file(format!("{key}.npy"), options).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    fn load_bytes(bytes: Vec<u8>, options: &ReadOptions) -> Result<Dataset> {
        let bundle = Bundle::from_memory("m", [("toy.npz", bytes)], options.limits);
        read(&bundle, options)?.into_nodes()
    }

    fn load(members: &Members) -> Result<Dataset> {
        load_bytes(zip_of(members, zip::CompressionMethod::Deflated), &ReadOptions::default())
    }

    fn message(members: &Members) -> String {
        load(members).unwrap_err().with_values()
    }

    /// The path 2 - 0 - 1, rows unsorted, node 3 alone.
    fn path() -> Members {
        vec![
            ("adj_data", numbers(&[3], [1f32; 3])),
            ("adj_indices", numbers(&[3], [2i32, 1, 0])),
            ("adj_indptr", numbers(&[5], [0i32, 2, 3, 3, 3])),
            ("adj_shape", numbers(&[2], [4i64; 2])),
        ]
    }

    fn with(mut members: Members, more: Members) -> Members {
        members.retain(|(key, _)| more.iter().all(|(other, _)| other != key));
        members.extend(more);
        members
    }

    fn edges(data: &Dataset) -> Vec<(u32, u32)> {
        data.graph().edges().collect()
    }

    #[test]
    fn both_spellings_stored_and_deflated() {
        let renamed: Members = path()
            .into_iter()
            .map(|(key, bytes)| match key {
                "adj_data" => ("adj_matrix.data", bytes),
                "adj_indices" => ("adj_matrix.indices", bytes),
                "adj_indptr" => ("adj_matrix.indptr", bytes),
                _ => ("adj_matrix.shape", bytes),
            })
            .collect();
        for members in [path(), renamed] {
            for method in [zip::CompressionMethod::Stored, zip::CompressionMethod::Deflated] {
                let data = load_bytes(zip_of(&members, method), &ReadOptions::default()).unwrap();
                assert_eq!((data.name(), data.graph().node_count()), ("toy", 4));
                assert_eq!(edges(&data), [(0, 1), (0, 2)]);
                assert!(data.ids().is_sequential());
            }
        }
    }

    #[test]
    fn direction_is_as_the_file_or_the_user_says() {
        let directed = with(path(), vec![("directed", numbers(&[], [true]))]);
        assert_eq!(edges(&load(&directed).unwrap()), [(0, 1), (0, 2), (1, 0)]);
        let bytes = zip_of(&directed, zip::CompressionMethod::Stored);
        let options = ReadOptions { direction: Some(Direction::Undirected), ..Default::default() };
        assert_eq!(edges(&load_bytes(bytes, &options).unwrap()), [(0, 1), (0, 2)]);
    }

    #[test]
    fn edge_index_in_either_shape() {
        let wide = ("edge_index", numbers(&[2, 3], [0i64, 1, 4, 1, 2, 0]));
        let data = load(&vec![wide.clone()]).unwrap();
        assert_eq!((edges(&data), data.graph().node_count()), (vec![(0, 1), (0, 4), (1, 2)], 5));
        let tall = ("edge_index", numbers(&[3, 2], [0i64, 1, 1, 2, 4, 0]));
        assert_eq!(edges(&load(&vec![tall]).unwrap()), edges(&data));
        let nodes = |key, bytes| load(&vec![wide.clone(), (key, bytes)]);
        assert_eq!(nodes("num_nodes", numbers(&[], [7i64])).unwrap().graph().node_count(), 7);
        let features = nodes("x", numbers(&[6, 1], [0.5f32; 6])).unwrap();
        assert_eq!((features.graph().node_count(), features.features().unwrap().rows()), (6, 6));
        assert!(
            nodes("num_nodes", numbers(&[], [3i64])).unwrap_err().with_values().contains("4 - 0")
        );
        let over = nodes("num_nodes", numbers(&[], [1i64 << 40])).unwrap_err().with_values();
        assert!(over.contains("--max-nodes"), "{over}");
        assert!(message(&vec![("edge_index", numbers(&[3], [0i64, 1, 2]))]).contains("two rows"));
        assert!(
            message(&vec![("edge_index", numbers(&[2, 1], [-1i64, 0]))]).contains("the value -1")
        );
    }

    #[test]
    fn names_labels_and_features_are_taken() {
        let data = load(&with(
            path(),
            vec![
                ("node_names", texts(["d", "c", "b", "a"])),
                ("attr_matrix", numbers(&[4, 2], [1f32, 0.0, 2.0, 0.0, 3.0, 0.0, 4.0, 0.0])),
                ("attr_names", texts(["height", "weight"])),
                ("labels", numbers(&[4], [1i64, 0, -1, 1])),
                ("class_names", texts(["Z", "A", "unused"])),
            ],
        ))
        .unwrap();
        assert_eq!(data.ids().get(3), Id::Text("a"));
        assert_eq!(data.features().unwrap().names().unwrap(), ["height", "weight"]);
        let labels = data.labels().unwrap();
        assert_eq!(labels.class_names(), ["Z", "A", "unused"]);
        assert_eq!(
            (0..4).map(|v| labels.class(v)).collect::<Vec<_>>(),
            [Some(1), Some(0), None, Some(1)]
        );
        assert!(!data.notices().iter().any(|n| n.text.contains("not used")));
    }

    #[test]
    fn what_is_not_needed_is_skipped_and_named() {
        let data = load(&with(
            path(),
            vec![
                ("class_names", object()),
                ("labels", numbers(&[4], [0i64, 0, 3, 3])),
                ("metadata", object()),
                ("node_names", texts(["a", "b", "c"])),
                ("adj_data", numbers(&[3], [1f32, 0.0, 2.0])),
            ],
        ))
        .unwrap();
        assert_eq!(data.labels().unwrap().class_names(), ["0", "3"]);
        assert_eq!(edges(&data), [(0, 1), (0, 2)]);
        let notices: Vec<String> = data.notices().iter().map(ToString::to_string).collect();
        for part in [
            "m, member toy.npz: class_names is an object array (a pickle) and was not read",
            "node_names has shape [3]",
            "members not used: metadata",
            "edge weights are not used",
        ] {
            assert!(notices.iter().any(|n| n.contains(part)), "{part}: {notices:?}");
        }
        let repeated = with(path(), vec![("node_names", texts(["a", "b", "a", "c"]))]);
        let data = load(&repeated).unwrap();
        assert!(data.ids().is_sequential());
        assert!(
            data.notices()[1]
                .text
                .contains("node_names not used: node id is an invalid value (hidden)"),
            "{:?}",
            data.notices()
        );
    }

    #[test]
    fn objects_where_values_are_needed_are_refused() {
        for key in ["adj_data", "adj_indices", "adj_indptr", "adj_shape", "labels", "attr_matrix"] {
            let error = load(&with(path(), vec![(key, object())])).unwrap_err();
            assert!(matches!(error, Error::Refused { .. }), "{error}");
            assert!(error.to_string().contains(&format!("member {key}.npy: refused")), "{error}");
        }
    }

    #[test]
    fn tables_of_labels_are_multi_labels() {
        let table = |bytes| load(&with(path(), vec![("y", bytes)]));
        let data = table(numbers(&[4, 2], [1f32, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0])).unwrap();
        let labels = data.labels().unwrap();
        assert!(labels.is_multi());
        assert_eq!((labels.classes(1), labels.classes(2)), (&[0, 1][..], &[][..]));
        assert!(!table(numbers(&[4, 1], [0i64, 1, 2, 0])).unwrap().labels().unwrap().is_multi());
        let message = table(numbers(&[4, 2], [2i64; 8])).unwrap_err().with_values();
        assert!(message.contains("the value 2 at position 0"), "{message}");
        // Rows of no columns cost the file nothing, so they must agree with the graph.
        assert!(table(numbers(&[1 << 60, 0], [0f32; 0])).is_err());
        assert!(
            table(numbers(&[4], [-2i64; 4])).unwrap_err().with_values().contains("-1 for none")
        );
        assert!(
            table(numbers(&[4], [0.5f32; 4])).unwrap_err().with_values().contains("a whole number")
        );
        assert!(
            table(numbers(&[3], [0i64; 3])).unwrap_err().with_values().contains("one per node (4)")
        );
    }

    #[test]
    fn masks_make_a_split() {
        let mask = |train: [bool; 4]| numbers(&[4], train);
        let data = load(&with(
            path(),
            vec![
                ("train_mask", mask([true, false, false, true])),
                ("val_mask", mask([false, true, false, false])),
                ("test_mask", mask([false; 4])),
            ],
        ));
        let split = data.unwrap().split().unwrap().clone();
        assert_eq!((split.train, split.validation, split.test), (vec![0, 3], vec![1], vec![]));
    }

    #[test]
    fn arrays_that_do_not_fit_are_named() {
        for (key, bytes, expected) in [
            ("adj_indptr", numbers(&[5], [0i32, 3, 2, 3, 3]), "adj_indptr.npy: found the value 2"),
            ("adj_indptr", numbers(&[4], [0i32, 2, 3, 3]), "4 offsets"),
            ("adj_indptr", numbers(&[5], [0i32, 2, 3, 3, 9]), "3, the number of column indices"),
            ("adj_indices", numbers(&[3], [2i32, 1, 4]), "adj_indices.npy: found the value 4"),
            ("adj_shape", numbers(&[2], [4i64, 5]), "a square adjacency"),
            ("adj_shape", numbers(&[3], [4i64; 3]), "3 lengths"),
            ("adj_shape", numbers(&[2], [-4i64; 2]), "the value -4"),
            ("adj_data", numbers(&[2], [1f32; 2]), "2 values"),
            ("attr_matrix", numbers(&[3, 1], [1f32; 3]), "3 feature rows; expected 4"),
            ("attr_matrix", numbers(&[4, 1], [f32::NAN; 4]), "row 0, column 0 NaN"),
            ("split_test", numbers(&[1], [4i64]), "split item 4"),
        ] {
            let message = message(&with(path(), vec![(key, bytes)]));
            assert!(
                message.starts_with("m, member ") && message.contains(expected),
                "{key}: {message}"
            );
        }
        let mut without = path();
        without.retain(|(key, _)| *key != "adj_shape");
        assert!(message(&without).contains("no array adj_shape"));
        assert!(message(&vec![("z", texts(["a"]))]).contains("the arrays z; expected adj_data"));
    }

    #[test]
    fn detection_tells_graphs_from_other_arrays() {
        let graph = zip_of(&path(), zip::CompressionMethod::Stored);
        let other = zip_of(&vec![("x", texts(["a"]))], zip::CompressionMethod::Stored);
        let limits = Limits::default();
        let bundle = |members: Vec<(&str, Vec<u8>)>| Bundle::from_memory("f", members, limits);
        assert!(recognises(&bundle(vec![("README", vec![]), ("g.npz", graph.clone())])));
        assert!(!recognises(&bundle(vec![("edges.csv", vec![]), ("x.npz", other.clone())])));
        assert!(!recognises(&bundle(vec![("edges.csv", vec![]), ("x.npz", b"PK".to_vec())])));
        // An npz under another name is a zip of arrays.
        let renamed =
            Bundle::from_zip(SourceLocation::file("d/g.bin"), graph.clone(), limits).unwrap();
        assert!(recognises(&renamed));
        assert_eq!(
            read(&renamed, &ReadOptions::default()).unwrap().into_nodes().unwrap().name(),
            "g"
        );
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.npz");
        std::fs::write(&path, other).unwrap();
        std::fs::write(folder.path().join("x.csv"), "1,2\n").unwrap();
        assert!(recognises(&Bundle::from_path(&path, limits).unwrap()));
        assert!(!recognises(&Bundle::from_path(&folder.path().join("x.csv"), limits).unwrap()));
    }

    #[test]
    fn a_bomb_is_stopped() {
        let mut bomb = numbers(&[1], [0i32]);
        bomb.resize(Limits::RATIO_FROM as usize + (4 << 20), 0);
        let members = with(path(), vec![("adj_indices", bomb)]);
        let bytes = zip_of(&members, zip::CompressionMethod::Deflated);
        assert!(bytes.len() < 100_000);
        let limits = Limits { expansion_ratio: 100, ..Limits::default() };
        let error = load_bytes(bytes, &ReadOptions { limits, ..Default::default() }).unwrap_err();
        assert!(matches!(error, Error::OverLimit { .. }), "{error}");
    }

    #[test]
    fn a_file_cut_anywhere_is_an_error() {
        let members = with(path(), vec![("labels", numbers(&[4], [0i64; 4]))]);
        let whole = zip_of(&members, zip::CompressionMethod::Deflated);
        assert!(load_bytes(whole.clone(), &ReadOptions::default()).is_ok());
        for length in 0..whole.len() {
            let cut = load_bytes(whole[..length].to_vec(), &ReadOptions::default());
            assert!(cut.is_err(), "cut at {length}");
        }
    }

    fn written(data: &Dataset) -> Vec<u8> {
        let mut out = Cursor::new(Vec::new());
        write(data, &mut out).unwrap();
        out.into_inner()
    }

    #[test]
    fn equal_datasets_give_equal_bytes() {
        let data = load(&path()).unwrap();
        assert_eq!(written(&data), written(&data.clone()));
        let renamed = data.with_name("ends in NUL\0");
        assert!(write(&renamed, &mut Cursor::new(Vec::new())).is_err());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(data in some_dataset()) {
            let options = ReadOptions { self_loops: SelfLoops::Keep, ..Default::default() };
            prop_assert_eq!(load_bytes(written(&data), &options).unwrap(), data);
        }

        #[test]
        fn arbitrary_and_mutated_bytes_never_panic(
            data in some_dataset(),
            noise in prop::collection::vec(any::<u8>(), 0..200),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        ) {
            let _ = load_bytes(noise.clone(), &ReadOptions::default());
            let mut mutated = written(&data);
            for (at, byte) in changes {
                let at = at.index(mutated.len());
                mutated[at] = byte;
            }
            let _ = load_bytes(mutated, &ReadOptions::default());
            // A checksum guards members against change, so change arrays before they are zipped too.
            let _ = load(&with(path(), vec![("adj_indptr", noise.clone()), ("labels", noise)]));
        }

        #[test]
        fn mutated_arrays_never_panic(
            which in 0usize..4,
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        ) {
            let mut members = path();
            let bytes = &mut members[which].1;
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            let _ = load(&members);
        }
    }

    // Datasets of every kind that a file can hold, for the properties.

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
                    Bounds::per_column(
                        (0..columns).map(|c| (0.0, 1.0 + c as f32)).collect(),
                        origin,
                    )
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

    fn some_dataset() -> impl Strategy<Value = Dataset> {
        (0usize..7, 1usize..4).prop_flat_map(|(nodes, columns)| {
            let pair = (0..nodes.max(1) as u32, 0..nodes.max(1) as u32);
            let pairs = prop::collection::vec(pair, 0..=3 * nodes);
            let features = prop::option::of(some_features(nodes, columns));
            let labels = prop::option::of(some_labels(nodes));
            let rest = (prop::bool::ANY, prop::bool::ANY, "[^\0]{1,8}");
            (pairs, some_ids(nodes), features, labels, rest).prop_map(
                move |(pairs, ids, features, labels, (directed, split, name))| {
                    let direction =
                        if directed { Direction::Directed } else { Direction::Undirected };
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
}
