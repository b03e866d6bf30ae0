//! MUSAE: edges and targets as csv, features as json.
//!
//! `NAME_edges.csv` has a header and `a,b` per line; `NAME_features.json` is one object of
//! `"node": [feature, ...]` in arbitrary order, features being present or not;
//! `NAME_target.csv` has a row per node. Nodes are all those any of the three names, by ascending
//! id: one that no edge mentions is isolated, and kept. How many feature columns there are, and which
//! classes, nothing but the records tells.
//!
//! The target of the Wikipedia graphs is the average monthly traffic of a page, a quantity.
//! [`read`] makes no classes of a quantity; [`read_target`] returns it and [`threshold_labels`]
//! splits it. The customary classes of `crocodile` are the split at the median, 1,226: class 1 is
//! traffic above it (5,815 nodes), class 0 traffic at or below it (5,816, of which two are equal).

use super::choose::{self, Candidate};
use super::fields::{comma_separated, shown, unsigned};
use super::graph_lists::folded;
use super::target_table::{self, Classes, TargetTable};
use super::{Bundle, Header, Lines, ReadOptions, json_entries};
use crate::{
    Bounds, BoundsOrigin, Dataset, Direction, FactOrigin, Features, GraphBuilder, Id, Labels,
    LoadedData, NodeId, NodeIds, Notice, Result, SparseBuilder,
};

const EDGES: &str = "_edges.csv";
const FEATURES: &str = "_features.json";
const TARGET: &str = "_target.csv";

pub(crate) fn recognises(bundle: &Bundle) -> bool {
    let accompanied = |edges: &str| {
        companion(bundle, edges, FEATURES).or(companion(bundle, edges, TARGET)).is_some()
    };
    choose::ending_with(bundle, EDGES).into_iter().any(accompanied)
}

/// Reads a bundle of this format.
///
/// # Errors
/// If the members are not what the format says they are, or hold several datasets of which
/// [`ReadOptions::member`] names none.
pub fn read(bundle: &Bundle, options: &ReadOptions) -> Result<LoadedData> {
    let Candidate { name, member } = choose_edges(bundle, options)?;
    let edges = read_edges(bundle, member, options)?;
    let features = match companion(bundle, member, FEATURES) {
        Some(member) => Some((member, read_features(bundle, member)?)),
        None => None,
    };
    let target = match companion(bundle, member, TARGET) {
        Some(member) => Some(TargetTable::read(bundle, member)?),
        None => None,
    };
    let lists = features.iter().flat_map(|(_, lists)| lists);
    let named = target.iter().flat_map(|table| &table.ids).copied();
    let ids = all_ids(edges.iter().flatten().copied(), lists.map(|&(id, _)| id).chain(named))?;

    let direction = options.direction.unwrap_or(Direction::Undirected);
    let pairs = numbered(&edges, &ids);
    let builder = GraphBuilder::from_pairs(ids.len(), direction, pairs);
    let (graph, report) = builder.self_loops(options.self_loops).build()?;
    let origin = ids_origin(&ids, features.as_ref().map(|(_, lists)| lists), target.as_ref());
    let mut dataset = Dataset::new(name, graph, ids)?
        .with_ids_origin(origin)
        .with_notices(folded(&report, &bundle.member_place(member)));
    if let Some((member, lists)) = features {
        dataset = with_feature_lists(dataset, bundle, member, lists)?;
    }
    if let Some(table) = target {
        dataset = match table.classes(dataset.ids())? {
            Classes::Labels(labels) => dataset.with_labels(labels)?,
            Classes::Quantity(notice) => dataset.with_notices([notice]),
        };
    }
    Ok(LoadedData::Nodes(dataset))
}

/// The target of every node as a number, by id, in the order of the file.
///
/// # Errors
/// If there is no target, or it is not numeric.
pub fn read_target(bundle: &Bundle, options: &ReadOptions) -> Result<Vec<(u64, f64)>> {
    let edges = choose_edges(bundle, options)?.member;
    let missing =
        || bundle.place().malformed("no target beside the edges", format!("a member *{TARGET}"));
    let member = companion(bundle, edges, TARGET).ok_or_else(missing)?;
    TargetTable::read(bundle, member)?.into_quantities()
}

/// Two classes from a quantity such as [`read_target`] returns: class 0 up to the threshold,
/// class 1 above it. Nodes without a quantity have no class.
///
/// ```
/// use privet_data::formats::musae::threshold_labels;
/// use privet_graph::NodeIds;
/// let traffic = [(0, 15_947.0), (1, 11.0), (2, 1_226.0)];
/// let labels = threshold_labels(&NodeIds::sequential(4), &traffic, 1_226.0)?;
/// assert_eq!(labels.class_names(), ["at most 1226", "above 1226"]);
/// assert_eq!([0, 1, 2, 3].map(|node| labels.class(node)), [Some(1), Some(0), Some(0), None]);
/// # Ok::<(), privet_graph::Error>(())
/// ```
///
/// # Errors
/// If the threshold is not finite.
pub fn threshold_labels(ids: &NodeIds, values: &[(u64, f64)], threshold: f64) -> Result<Labels> {
    target_table::threshold(ids, values, threshold)
}

fn choose_edges<'a>(bundle: &'a Bundle, options: &ReadOptions) -> Result<Candidate<'a>> {
    let candidate = |member| {
        let stem = choose::base_name(choose::uncompressed(member)).trim_end_matches(EDGES);
        Candidate { name: stem.strip_prefix("musae_").unwrap_or(stem).into(), member }
    };
    let candidates = choose::ending_with(bundle, EDGES).into_iter().map(candidate).collect();
    choose::one_of(bundle, options, candidates, "a member named NAME_edges.csv")
}

/// The member beside `edges` with the same stem, or else the only one of its kind in that folder.
fn companion<'a>(bundle: &'a Bundle, edges: &str, suffix: &str) -> Option<&'a str> {
    let stem = choose::uncompressed(edges).strip_suffix(EDGES)?;
    if let Some(member) = choose::named(bundle, &format!("{stem}{suffix}")) {
        return Some(member);
    }
    let beside = |kind| {
        let mut members = choose::ending_with(bundle, kind);
        members.retain(|member| choose::folder(member) == choose::folder(edges));
        members
    };
    match (beside(suffix).as_slice(), beside(EDGES).as_slice()) {
        (&[only], [_]) => Some(only),
        _ => None,
    }
}

fn read_edges(bundle: &Bundle, member: &str, options: &ReadOptions) -> Result<Vec<[u64; 2]>> {
    let mut lines = Lines::new(bundle.open(member)?, bundle.limits());
    let place = lines.place().clone();
    let mut edges = Vec::new();
    while let Some((number, line)) = lines.next_line()? {
        let is_header = match options.header {
            Header::Detect => !line.trim_ascii().first().is_some_and(u8::is_ascii_digit),
            Header::Present => true,
            Header::Absent => false,
        };
        if (number == 1 && is_header) || line.trim_ascii().is_empty() {
            continue;
        }
        let mut columns = comma_separated(line).map(unsigned);
        match (columns.next().flatten(), columns.next().flatten(), columns.next()) {
            (Some(from), Some(to), None) => edges.push([from, to]),
            _ => {
                let expected = "two node numbers with a comma between them";
                return Err(place.line(number).malformed(shown(line), expected));
            }
        }
    }
    Ok(edges)
}

fn read_features(bundle: &Bundle, member: &str) -> Result<Vec<(u64, Vec<u32>)>> {
    let mut lists = Vec::new();
    let expected = "an object of \"node\": [feature, ...], all of them integers from 0";
    json_entries::for_each(bundle.open(member)?, expected, |id, list| lists.push((id, list)))?;
    Ok(lists)
}

/// All ids there are, ascending.
fn all_ids(edges: impl Iterator<Item = u64>, others: impl Iterator<Item = u64>) -> Result<NodeIds> {
    let mut ids: Vec<u64> = edges.chain(others).collect();
    ids.sort_unstable();
    ids.dedup();
    NodeIds::integers(ids)
}

/// A file that names all nodes, a line each, is a table of them; otherwise edges say who there is.
fn ids_origin(
    ids: &NodeIds,
    lists: Option<&Vec<(u64, Vec<u32>)>>,
    target: Option<&TargetTable>,
) -> FactOrigin {
    let distinct = |mut named: Vec<u64>| {
        named.sort_unstable();
        named.dedup();
        named.len()
    };
    let lists = lists.map(|lists| distinct(lists.iter().map(|&(id, _)| id).collect()));
    // Every id of a table is among `ids`; a table with as many has them all.
    let tables = [lists, target.map(|table| distinct(table.ids.clone()))];
    match tables.contains(&Some(ids.len())) {
        true => FactOrigin::Stated,
        false => FactOrigin::ReadOff,
    }
}

/// The edges among positions instead of ids. `ids` has every one of them.
fn numbered(edges: &[[u64; 2]], ids: &NodeIds) -> Vec<[NodeId; 2]> {
    let index = ids.index();
    let node = |id| index.node(Id::Integer(id));
    edges.iter().filter_map(|&[from, to]| Some([node(from)?, node(to)?])).collect()
}

fn with_feature_lists(
    dataset: Dataset,
    bundle: &Bundle,
    member: &str,
    lists: Vec<(u64, Vec<u32>)>,
) -> Result<Dataset> {
    let columns = lists.iter().flat_map(|(_, list)| list).max().map_or(0, |&id| id as usize + 1);
    let index = dataset.ids().index();
    let mut by_node = vec![Vec::new(); dataset.ids().len()];
    for (id, list) in lists {
        if let Some(node) = index.node(Id::Integer(id)) {
            by_node[node as usize] = list;
        }
    }
    let (mut builder, mut row, mut repeats) = (SparseBuilder::new(columns), Vec::new(), 0);
    for mut list in by_node {
        let listed = list.len();
        list.sort_unstable();
        list.dedup();
        repeats += listed - list.len();
        row.clear();
        row.extend(list.into_iter().map(|feature| (feature, 1.0)));
        builder.push_row(&mut row)?;
    }
    let bounds = Bounds::uniform(0.0, 1.0, BoundsOrigin::Format)?;
    let features = Features::sparse(builder.finish()).with_columns_origin(FactOrigin::ReadOff);
    let dataset = dataset.with_features(features.with_bounds(bounds)?)?;
    let text = format!("{repeats} feature ids that repeat within a node's list counted once");
    let notice = Notice::new(&bundle.member_place(member), text);
    Ok(dataset.with_notices((repeats > 0).then_some(notice)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::Limits;

    fn bundle(members: &[(&str, &str)]) -> Bundle {
        let members = members.iter().map(|&(name, text)| (name, text.as_bytes().to_vec()));
        Bundle::from_memory("z", members, Limits::default())
    }

    fn dataset(members: &[(&str, &str)]) -> Result<Dataset> {
        read(&bundle(members), &ReadOptions::default())?.into_nodes()
    }

    #[test]
    fn nodes_are_the_union_of_all_members() {
        let data = dataset(&[
            ("x_edges.csv", "id_1,id_2\r\n7,2\r\n2,7\r\n2,2\r\n"),
            ("x_features.json", r#"{"9": [3, 1, 3], "2": []}"#),
            ("x_target.csv", "id,target\n7,b\n11,a\n"),
        ])
        .unwrap();
        assert_eq!(data.name(), "x");
        assert_eq!(data.ids(), &NodeIds::integers(vec![2, 7, 9, 11]).unwrap());
        assert_eq!(data.graph().edges().collect::<Vec<_>>(), [(0, 1)]);
        let features = data.features().unwrap();
        assert_eq!((features.columns(), features.nonzeros()), (4, 2));
        assert_eq!(features.nonzero_entries(2).collect::<Vec<_>>(), [(1, 1.0), (3, 1.0)]);
        assert_eq!(features.bounds().unwrap().origin(), &BoundsOrigin::Format);
        let labels = data.labels().unwrap();
        assert_eq!([0, 1, 2, 3].map(|n| labels.class(n)), [None, Some(1), None, Some(0)]);
        let told: Vec<_> = data.notices().iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "z, member x_edges.csv: 1 self-loops dropped",
                "z, member x_edges.csv: 1 pairs that repeat an earlier one folded away",
                "z, member x_features.json: 1 feature ids that repeat within a node's list counted once",
            ]
        );
    }

    #[test]
    fn edges_alone_are_read_but_not_claimed() {
        let alone = [("x_edges.csv", "0,1\n1,2\n")];
        assert!(!recognises(&bundle(&alone)));
        let data = dataset(&alone).unwrap();
        assert_eq!((data.graph().node_count(), data.graph().edge_count()), (3, 2));
        assert!(data.features().is_none() && data.labels().is_none());
    }

    #[test]
    fn the_target_with_the_same_stem_wins_over_any_other() {
        let edges = ("x_edges.csv", "0,1\n");
        let (own, other) =
            (("x_target.csv", "id,target\n0,a\n"), ("k_target.csv", "id,target\n0,b\n"));
        let classes = |members: &[_]| {
            let labels = dataset(members).unwrap().labels().cloned();
            labels.map(|labels| labels.class_names().to_vec())
        };
        assert_eq!(classes(&[other, edges, own]), Some(vec!["a".into()]));
        assert_eq!(classes(&[other, edges]), Some(vec!["b".into()]));
        assert_eq!(classes(&[other, edges, ("l_target.csv", "id,target\n0,c\n")]), None);
        assert_eq!(classes(&[("d/k_target.csv", "id,target\n0,b\n"), edges]), None);
    }

    #[test]
    fn several_datasets_ask_for_a_choice() {
        let z = bundle(&[
            ("w/a/musae_a_edges.csv", "0,1\n"),
            ("w/a/musae_a_target.csv", "id,target\n0,5\n2,7\n"),
            ("w/b/musae_b_edges.csv", "0,1\n"),
        ]);
        let told = read(&z, &ReadOptions::default()).unwrap_err().with_values();
        assert_eq!(told, "z: found 2 datasets (a, b); expected one; choose it with --member NAME");
        let options = ReadOptions { member: Some("a".into()), ..ReadOptions::default() };
        assert_eq!(read(&z, &options).unwrap().into_nodes().unwrap().graph().node_count(), 3);
        assert_eq!(read_target(&z, &options).unwrap(), [(0, 5.0), (2, 7.0)]);
        let options = ReadOptions { member: Some("b".into()), ..ReadOptions::default() };
        assert!(read_target(&z, &options).unwrap_err().with_values().contains("no target"));
    }

    #[test]
    fn damaged_edges_are_told_with_their_line() {
        for (csv, told) in [
            ("a,b\n0,1\n0\n", "line 3: found '0'; expected two node numbers"),
            ("a,b\n-1,1\n", "line 2: found '-1,1'"),
            ("a,b\n0,1,2\n", "line 2: found '0,1,2'"),
            ("a,b\n0,18446744073709551616\n", "line 2: found"),
            ("0,1\nfrom,to\n", "line 2: found 'from,to'"),
        ] {
            let error = dataset(&[("x_edges.csv", csv)]).unwrap_err().with_values();
            assert!(error.contains(told), "{error}");
        }
    }

    #[test]
    fn huge_ids_cost_nothing() {
        let json = r#"{"18446744073709551615": [4294967295]}"#;
        let data = dataset(&[("x_edges.csv", ""), ("x_features.json", json)]).unwrap();
        assert_eq!(data.graph().node_count(), 1);
        assert_eq!(data.features().unwrap().columns(), 1 << 32);
    }
}
