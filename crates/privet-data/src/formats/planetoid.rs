//! Planetoid: the eight `ind.NAME.*` files in which Cora, Citeseer and Pubmed circulate.
//!
//! Feature row r of `allx` and label row r of `ally` belong to node r; row i of `tx` and `ty`
//! belongs to the node that line i of `test.index` names. Nodes in neither (15 of Citeseer) keep
//! zero features and no label. The neighbour lists in `graph` say how many nodes there are. Values
//! are whatever the publisher weighted them by, so no bounds are declared here.

use super::choose::DatasetParts;
use super::choose::{base_name, uncompressed};
use super::npy::NpyArray;
use super::pickle::Pickle;
use super::{Bundle, Lines, ReadOptions, graph_lists};
use crate::{
    Dataset, Direction, Features, FoundValue, Graph, Labels, LoadedData, NodeId, NodeIds, Notice,
    Result, SourceLocation, SparseBuilder, SparseMatrix, Split,
};

const PARTS: [&str; 8] = ["x", "y", "tx", "ty", "allx", "ally", "graph", "test.index"];

const COMPLETE: &str = "the eight files ind.NAME.x, y, tx, ty, allx, ally, graph and test.index";

/// The customary number of validation nodes.
const VALIDATION: usize = 500;

pub(crate) fn recognises(bundle: &Bundle) -> bool {
    DatasetParts::exist(bundle, split_name)
}

/// Reads a bundle of this format.
///
/// # Errors
/// If a file is missing, or the members are not what the format says they are.
pub fn read(bundle: &Bundle, options: &ReadOptions) -> Result<LoadedData> {
    let chosen = DatasetParts::choose(bundle, options, split_name, COMPLETE)?;
    let part = |name: &str| chosen.member(name);
    let (graph, notices) = read_graph(bundle, part("graph")?, options)?;
    let rows = |features, labels| PlanetoidRows::read(bundle, part(features)?, part(labels)?);
    // `x` and `y` repeat the first rows of `allx` and `ally`: only their number is news.
    let train_count = rows("x", "y")?.features.rows();
    // `allx` holds the rows of all nodes but the tested ones, which follow in the order of `test.index`.
    let (known, test) = (rows("allx", "ally")?, rows("tx", "ty")?);
    check_known(&known, train_count, graph.node_count())?;
    let test_nodes = read_test_index(bundle, part("test.index")?, &graph, &known)?;
    check_test(&test, &test_nodes, &known)?;

    let (features, labels) = assemble(&known, &test, &test_nodes, graph.node_count())?;
    let split = customary_split(train_count, &known, test_nodes);
    let ids = NodeIds::sequential(graph.node_count());
    let dataset = Dataset::new(chosen.name, graph, ids)?
        .with_features(features)?
        .with_labels(labels)?
        .with_split(split)?
        .with_notices(notices);
    Ok(LoadedData::Nodes(dataset))
}

/// Feature and label rows that belong to the same nodes.
struct PlanetoidRows {
    features: SparseMatrix,
    labels: OneHot,
    place: SourceLocation,
}

impl PlanetoidRows {
    fn read(bundle: &Bundle, features: &str, labels: &str) -> Result<Self> {
        let place = bundle.member_place(features);
        let bytes = bundle.open(features)?.into_bytes()?;
        let matrix = Pickle::parse(&bytes, &place)?.matrix()?;
        let label_place = bundle.member_place(labels);
        let bytes = bundle.open(labels)?.into_bytes()?;
        let one_hot = one_hot(&Pickle::parse(&bytes, &label_place)?.array()?)?;
        check_rows(&label_place, one_hot.classes.len(), matrix.rows(), features)?;
        Ok(Self { features: matrix, labels: one_hot, place })
    }
}

/// The class of each row, if it has one.
struct OneHot {
    classes: Vec<Option<u32>>,
    class_count: usize,
}

/// `planetoid/ind.cora.test.index.gz` -> (`planetoid/ind.cora.`, `cora`, `test.index`)
fn split_name(member: &str) -> Option<(&str, &str, &str)> {
    let plain = uncompressed(member);
    let name = base_name(plain).strip_prefix("ind.")?;
    let cut = |part: &&'static str| name.strip_suffix(part)?.strip_suffix('.').map(|n| (n, *part));
    let (dataset, part) = PARTS.iter().find_map(cut)?;
    Some((&plain[..plain.len() - part.len()], dataset, part))
}

fn one_hot(array: &NpyArray) -> Result<OneHot> {
    let &[_, class_count] = array.shape() else {
        let found = FoundValue::words(format!("labels of shape {:?}", array.shape()));
        return Err(array.place().malformed(found, "one row per node, one column per class"));
    };
    let values: Vec<u8> = array.integers("0 or 1")?;
    let mut classes = Vec::new();
    for (row, values) in values.chunks_exact(class_count.max(1)).enumerate() {
        let class = values.iter().position(|&v| v != 0);
        // A row of zeros is a node without a class: Citeseer has some.
        if values.iter().any(|&v| v > 1) || values.iter().filter(|&&v| v == 1).count() > 1 {
            let found = format!("{values:?} in row {row}");
            return Err(array.place().malformed(found, "a single 1, or none"));
        }
        classes.push(class.map(|class| class as u32));
    }
    Ok(OneHot { classes, class_count })
}

fn read_graph(
    bundle: &Bundle,
    member: &str,
    options: &ReadOptions,
) -> Result<(Graph, Vec<Notice>)> {
    let place = bundle.member_place(member);
    let bytes = bundle.open(member)?.into_bytes()?;
    let lists = Pickle::parse(&bytes, &place)?.integer_lists()?;
    let node_count = lists.len();
    let node = |key: i32, id: i32| {
        // Keys are 0 to n-1; a neighbour beyond them is no node.
        let node = NodeId::try_from(id).ok().filter(|&node| (node as usize) < node_count);
        let expected = format!("a node below {node_count}, the number of keys");
        node.ok_or_else(|| place.field(key.to_string()).malformed(format!("node {id}"), expected))
    };
    let mut pairs = Vec::with_capacity(lists.iter().map(|(_, list)| list.len()).sum());
    for (key, list) in &lists {
        let from = node(*key, *key)?;
        for &to in list {
            pairs.push([from, node(*key, to)?]);
        }
    }
    graph_lists::build_one(&place, node_count, Direction::Undirected, pairs, options)
}

fn read_test_index(
    bundle: &Bundle,
    member: &str,
    graph: &Graph,
    known: &PlanetoidRows,
) -> Result<Vec<NodeId>> {
    let (low, high) = (known.features.rows(), graph.node_count());
    let mut lines = Lines::new(bundle.open(member)?, bundle.limits());
    let mut seen = vec![false; high];
    let mut nodes = Vec::new();
    while let Some((number, text)) = lines.next_text()? {
        let text = text.trim_ascii();
        if text.is_empty() {
            continue;
        }
        let node = text.parse::<NodeId>().ok().filter(|&v| (low..high).contains(&(v as usize)));
        let place = bundle.member_place(member).line(number);
        let Some(node) = node else {
            let expected = format!("a node from {low} (the rows of allx) to below {high}");
            return Err(place.malformed(format!("'{}'", text.escape_debug()), expected));
        };
        if std::mem::replace(&mut seen[node as usize], true) {
            return Err(place.malformed(format!("node {node} again"), "every node once"));
        }
        nodes.push(node);
    }
    Ok(nodes)
}

fn check_rows(place: &SourceLocation, found: usize, expected: usize, other: &str) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(place.malformed(
        FoundValue::words(format!("{found} rows")),
        format!("{expected}, as many as {other}"),
    ))
}

fn check_known(known: &PlanetoidRows, train_count: usize, node_count: usize) -> Result<()> {
    let rows = known.features.rows();
    if !(train_count..=node_count).contains(&rows) {
        let expected = format!("{train_count} (x) to {node_count} (graph)");
        return Err(known.place.malformed(FoundValue::words(format!("{rows} rows")), expected));
    }
    Ok(())
}

fn check_test(test: &PlanetoidRows, test_nodes: &[NodeId], known: &PlanetoidRows) -> Result<()> {
    check_rows(&test.place, test.features.rows(), test_nodes.len(), "lines in test.index")?;
    let columns = (known.features.columns(), known.labels.class_count);
    let test_columns = (test.features.columns(), test.labels.class_count);
    if columns != test_columns {
        let counts = |(features, classes)| format!("{features} features and {classes} classes");
        let expected = format!("{}, as for allx and ally", counts(columns));
        return Err(test.place.malformed(counts(test_columns), expected));
    }
    Ok(())
}

fn assemble(
    known: &PlanetoidRows,
    test: &PlanetoidRows,
    test_nodes: &[NodeId],
    node_count: usize,
) -> Result<(Features, Labels)> {
    let mut source: Vec<Option<(&PlanetoidRows, usize)>> =
        (0..known.features.rows()).map(|row| Some((known, row))).collect();
    // Citeseer's isolated nodes stand in neither file: empty rows, no class.
    source.resize(node_count, None);
    for (row, &node) in test_nodes.iter().enumerate() {
        source[node as usize] = Some((test, row));
    }
    let mut features = SparseBuilder::new(known.features.columns());
    let mut classes = Vec::with_capacity(node_count);
    let mut entries = Vec::new();
    for place in source {
        entries.clear();
        if let Some((rows, row)) = place {
            let (columns, values) = rows.features.row(row);
            entries.extend(columns.iter().copied().zip(values.iter().copied()));
        }
        features.push_row(&mut entries)?;
        classes.push(place.and_then(|(rows, row)| rows.labels.classes[row]));
    }
    let names = (0..known.labels.class_count).map(|class| class.to_string()).collect();
    Ok((Features::sparse(features.finish()), Labels::single(classes, names)?))
}

fn customary_split(train_count: usize, known: &PlanetoidRows, mut test: Vec<NodeId>) -> Split {
    let train = train_count as NodeId;
    // The split of the paper: first rows to train, the next 500 to validate.
    let end = (train_count + VALIDATION).min(known.features.rows()) as NodeId;
    test.sort_unstable();
    Split { train: (0..train).collect(), validation: (train..end).collect(), test }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::formats::Limits;
    use crate::formats::pickle::samples::{array_bytes, csr_bytes, pickle};

    /// Six nodes, two features, two classes: 0 to 2 known (0 trains), 5 and 3 tested, 4 in neither.
    fn members(name: &str) -> Vec<(String, Vec<u8>)> {
        let one_hot = |rows: u8, values: &[u8]| pickle(&array_bytes(&[rows, 2], "i1", values));
        let mut graph = b"ccollections\ndefaultdict\nc__builtin__\nlist\n\x85R(".to_vec();
        for (node, list) in [
            (0u8, vec![1, 1, 0]),
            (1, vec![0, 2]),
            (2, vec![1, 5]),
            (3, vec![]),
            (4, vec![5]),
            (5, vec![2, 4]),
        ] {
            graph.extend([b'K', node, b']', b'(']);
            list.iter().for_each(|&v| graph.extend([b'K', v]));
            graph.push(b'e');
        }
        graph.push(b'u');
        let allx = csr_bytes([3, 2], &[0, 1, 1, 3], &[1, 0, 1], &[1.0, 2.0, 3.0]);
        let parts = [
            ("x", csr_bytes([1, 2], &[0, 1], &[1], &[1.0])),
            ("y", one_hot(1, &[0, 1])),
            ("tx", csr_bytes([2, 2], &[0, 1, 2], &[0, 1], &[5.0, 3.5])),
            ("ty", one_hot(2, &[1, 0, 0, 1])),
            ("allx", allx),
            ("ally", one_hot(3, &[0, 1, 0, 0, 1, 0])),
            ("graph", pickle(&graph)),
            ("test.index", b"5\r\n3\r\n".to_vec()),
        ];
        parts.map(|(part, bytes)| (format!("data/ind.{name}.{part}"), bytes)).into()
    }

    fn load(members: Vec<(String, Vec<u8>)>, options: &ReadOptions) -> Result<Dataset> {
        read(&Bundle::from_memory("p.zip", members, Limits::default()), options)?.into_nodes()
    }

    /// What reading says once one part is replaced.
    fn message(part: &str, bytes: Vec<u8>) -> String {
        let mut all = members("toy");
        let changed =
            all.iter_mut().find(|(name, _)| name.ends_with(&format!("toy.{part}"))).unwrap();
        changed.1 = bytes;
        load(all, &ReadOptions::default()).unwrap_err().with_values()
    }

    #[test]
    fn test_rows_go_where_the_index_says() {
        let data = load(members("toy"), &ReadOptions::default()).unwrap();
        assert_eq!((data.name(), data.graph().node_count()), ("toy", 6));
        assert_eq!(data.graph().edges().collect::<Vec<_>>(), [(0, 1), (1, 2), (2, 5), (4, 5)]);
        let features = data.features().unwrap();
        let row = |node| features.nonzero_entries(node).collect::<Vec<_>>();
        assert_eq!(row(2), [(0, 2.0), (1, 3.0)]);
        assert_eq!((row(5), row(3), row(4)), (vec![(0, 5.0)], vec![(1, 3.5)], vec![]));
        assert!(features.bounds().is_none());
        let labels = data.labels().unwrap();
        assert_eq!(labels.class_names(), ["0", "1"]);
        let classes: Vec<_> = (0..6).map(|node| labels.class(node)).collect();
        assert_eq!(classes, [Some(1), None, Some(0), Some(1), None, Some(0)]);
        let split = data.split().unwrap();
        assert_eq!(
            (&split.train[..], &split.validation[..], &split.test[..]),
            (&[0][..], &[1, 2][..], &[3, 5][..])
        );
        let notices: Vec<_> = data.notices().iter().map(|n| n.text.as_str()).collect();
        assert_eq!(notices, ["1 self-loops dropped", "9 listed arcs are 4 undirected edges"]);
    }

    #[test]
    fn parts_that_do_not_fit_are_named() {
        let csr = |rows| csr_bytes([rows, 2], &vec![0; usize::from(rows) + 1], &[], &[]);
        let fewer = "data/ind.toy.ally: found 3 rows; expected 4, as many as data/ind.toy.allx";
        assert!(message("allx", csr(4)).contains(fewer));
        assert!(message("tx", csr(1)).contains("ty: found 2 rows; expected 1"));
        let labels = |rows, values: &[u8]| pickle(&array_bytes(&[rows, 2], "i1", values));
        let mut long = members("toy");
        for (name, bytes) in &mut long {
            match name.as_str() {
                "data/ind.toy.x" => *bytes = csr(4),
                "data/ind.toy.y" => *bytes = labels(4, &[0; 8]),
                _ => {}
            }
        }
        let error = load(long, &ReadOptions::default()).unwrap_err().with_values();
        assert!(error.contains("allx: found 3 rows; expected 4 (x) to 6 (graph)"), "{error}");
        let wide = csr_bytes([2, 3], &[0, 0, 0], &[], &[]);
        assert!(message("tx", wide).contains("3 features and 2 classes; expected 2 features"));
        assert!(message("ty", labels(2, &[1, 1, 0, 0])).contains("[1, 1] in row 0"));
        assert!(message("ty", labels(2, &[2, 0, 0, 0])).contains("[2, 0] in row 0"));
        assert!(message("y", labels(2, &[1, 0, 0, 0])).contains("ind.toy.y: found 2 rows"));
        assert!(message("graph", pickle(b"}(K\x00](K\x01eu")).contains("field 0: found node 1"));
        assert!(
            message("graph", pickle(b"}(K\x01]u"))
                .contains("found node 1; expected a node below 1")
        );
    }

    #[test]
    fn the_test_index_is_checked_by_line() {
        assert!(message("test.index", b"5\nx\n".into()).contains("line 2: found 'x'"));
        assert!(message("test.index", b"5\n6\n".into()).contains("line 2: found '6'"));
        assert!(
            message("test.index", b"5\n2\n".into())
                .contains("from 3 (the rows of allx) to below 6")
        );
        assert!(message("test.index", b"5\n5\n".into()).contains("line 2: found node 5 again"));
        assert!(message("test.index", b"5\n".into()).contains("as many as lines in test.index"));
    }

    #[test]
    fn foreign_names_in_any_part_are_refused() {
        for part in ["x", "y", "tx", "ty", "allx", "ally", "graph"] {
            let message = message(part, b"\x80\x02cos\nsystem\nU\x02ls\x85R.".to_vec());
            assert!(message.contains(&format!("ind.toy.{part}: refused")), "{message}");
            assert!(message.contains("os.system"), "{message}");
        }
    }

    #[test]
    fn several_datasets_need_a_name_and_all_files() {
        let both = || members("toy").into_iter().chain(members("other.2")).collect::<Vec<_>>();
        let message = load(both(), &ReadOptions::default()).unwrap_err().with_values();
        assert!(
            message.contains("2 datasets (other.2, toy)") && message.contains("--member NAME"),
            "{message}"
        );
        let options = ReadOptions { member: Some("other.2".into()), ..Default::default() };
        assert_eq!(load(both(), &options).unwrap().name(), "other.2");
        let mut some = members("toy");
        some.retain(|(name, _)| !name.ends_with(".tx"));
        let message = load(some, &ReadOptions::default()).unwrap_err().with_values();
        assert!(message.contains("no member data/ind.toy.tx"), "{message}");
    }

    proptest! {
        #[test]
        fn mutated_parts_never_panic(
            part in 0usize..8,
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        ) {
            let mut all = members("toy");
            for (at, byte) in changes {
                let bytes = &mut all[part].1;
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            let _ = load(all, &ReadOptions::default());
        }
    }
}
