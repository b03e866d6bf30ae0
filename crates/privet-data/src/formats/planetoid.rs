//! Planetoid: the eight `ind.NAME.*` files in which Cora, Citeseer and Pubmed circulate.
//!
//! Feature row r of `allx` and label row r of `ally` belong to node r; row i of `tx` and `ty`
//! belongs to the node that line i of `test.index` names. Nodes in neither (15 of Citeseer) keep
//! zero features and no label. The neighbour lists in `graph` say how many nodes there are. Values
//! are whatever the publisher weighted them by, so no bounds are declared here.

use super::choose::{base_name, uncompressed};
use super::npy::Array;
use super::parts::Parts;
use super::pickle::Pickle;
use super::{Bundle, Lines, ReadOptions, arcs};
use crate::{
    Dataset, Direction, Features, FoundValue, Graph, Labels, LoadedData, NodeId, NodeIds, Notice,
    Result, SourceLocation, SparseBuilder, SparseMatrix, Split,
};

const PARTS: [&str; 8] = ["x", "y", "tx", "ty", "allx", "ally", "graph", "test.index"];

const COMPLETE: &str = "the eight files ind.NAME.x, y, tx, ty, allx, ally, graph and test.index";

/// The customary number of validation nodes.
const VALIDATION: usize = 500;

pub(crate) fn recognises(bundle: &Bundle) -> bool {
    Parts::exist(bundle, split_name)
}

/// Reads a bundle of this format.
///
/// # Errors
/// If a file is missing, or the members are not what the format says they are.
pub fn read(bundle: &Bundle, options: &ReadOptions) -> Result<LoadedData> {
    let chosen = Parts::choose(bundle, options, split_name, COMPLETE)?;
    let part = |name: &str| chosen.member(name);
    let (graph, notices) = read_graph(bundle, part("graph")?, options)?;
    let rows = |features, labels| Rows::read(bundle, part(features)?, part(labels)?);
    // `x` and `y` repeat the first rows of `allx` and `ally`: only their number is news.
    let train_count = rows("x", "y")?.features.rows();
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
struct Rows {
    features: SparseMatrix,
    labels: OneHot,
    place: SourceLocation,
}

impl Rows {
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

fn one_hot(array: &Array) -> Result<OneHot> {
    let &[_, class_count] = array.shape() else {
        let found = FoundValue::words(format!("labels of shape {:?}", array.shape()));
        return Err(array.place().malformed(found, "one row per node, one column per class"));
    };
    let values: Vec<u8> = array.integers("0 or 1")?;
    let mut classes = Vec::new();
    for (row, values) in values.chunks_exact(class_count.max(1)).enumerate() {
        let class = values.iter().position(|&v| v != 0);
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
    arcs::build(&place, node_count, Direction::Undirected, pairs, options)
}

fn read_test_index(
    bundle: &Bundle,
    member: &str,
    graph: &Graph,
    known: &Rows,
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

fn check_known(known: &Rows, train_count: usize, node_count: usize) -> Result<()> {
    let rows = known.features.rows();
    if !(train_count..=node_count).contains(&rows) {
        let expected = format!("{train_count} (x) to {node_count} (graph)");
        return Err(known.place.malformed(FoundValue::words(format!("{rows} rows")), expected));
    }
    Ok(())
}

fn check_test(test: &Rows, test_nodes: &[NodeId], known: &Rows) -> Result<()> {
    check_rows(&test.place, test.features.rows(), test_nodes.len(), "lines in test.index")?;
    let columns = (known.features.columns(), known.labels.class_count);
    let test_columns = (test.features.columns(), test.labels.class_count);
    if columns != test_columns {
        let told = |(features, classes)| format!("{features} features and {classes} classes");
        let expected = format!("{}, as for allx and ally", told(columns));
        return Err(test.place.malformed(told(test_columns), expected));
    }
    Ok(())
}

fn assemble(
    known: &Rows,
    test: &Rows,
    test_nodes: &[NodeId],
    node_count: usize,
) -> Result<(Features, Labels)> {
    let mut source: Vec<Option<(&Rows, usize)>> =
        (0..known.features.rows()).map(|row| Some((known, row))).collect();
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

fn customary_split(train_count: usize, known: &Rows, mut test: Vec<NodeId>) -> Split {
    let train = train_count as NodeId;
    let end = (train_count + VALIDATION).min(known.features.rows()) as NodeId;
    test.sort_unstable();
    Split { train: (0..train).collect(), validation: (train..end).collect(), test }
}

#[cfg(test)]
mod tests;
