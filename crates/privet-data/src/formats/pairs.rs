//! `.pairs`: one edge list per graph, `u<TAB>v` per line, nodes `0..n` in each.
//!
//! A single file is a graph; a folder or archive of them is a set of graphs, called by their file
//! names: `ppi_0`, ..., `ppi_19` to train, then `*_val` to validate, then `*_test`. Published files
//! list a self-loop per node, so that every node occurs; otherwise the largest id tells `n`.

use std::cmp::Ordering;

use super::edge_list::stem;
use super::limits::many_nodes;
use super::pair_lines::{PairSink, Separator, read_pairs};
use super::{Bundle, ReadOptions};
use crate::{
    BuildReport, Dataset, Direction, FactOrigin, Graph, GraphBuilder, GraphSet, LoadedData, NodeId,
    NodeIds, Notice, Result, SourceLocation, Split,
};

/// Whether the first member is a `.pairs` file, or the bundle is a collection that has some.
pub(crate) fn recognises(bundle: &Bundle) -> bool {
    !chosen_members(bundle).is_empty()
}

/// The file itself if the bundle is one file (and its siblings), else all `.pairs` members.
fn chosen_members(bundle: &Bundle) -> Vec<&str> {
    let mut found = bundle.find(".pairs");
    // A path to one member reads that member alone.
    if let Some(first) = bundle.members().first()
        && bundle.member_place(first) == *bundle.place()
    {
        found.retain(|name| name == first);
    }
    found
}

/// One file on its way to pairs of nodes.
struct PairsLines {
    place: SourceLocation,
    node_limit: u64,
    pairs: Vec<[NodeId; 2]>,
    node_count: u64,
}

impl PairSink for PairsLines {
    fn separator(&self) -> Option<Separator> {
        // Published files have a tab; one space more or less is no reason to fail.
        Some(Separator::Blanks)
    }

    fn pair(&mut self, number: u64, ids: [u64; 2]) -> Result<()> {
        let largest = ids[0].max(ids[1]);
        if largest >= self.node_limit {
            return Err(many_nodes(self.node_limit).at(&self.place.line(number)));
        }
        self.node_count = self.node_count.max(largest + 1);
        self.pairs.push(ids.map(|id| id as NodeId));
        Ok(())
    }

    fn line(&mut self, number: u64, line: &[u8]) -> Result<()> {
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        let expected = "two node numbers separated by a tab";
        Err(self.place.line(number).malformed("something else", expected))
    }
}

fn read_graph(
    bundle: &Bundle,
    member: &str,
    options: &ReadOptions,
) -> Result<(Graph, BuildReport)> {
    let input = bundle.open(member)?;
    let mut lines = PairsLines {
        place: input.place.clone(),
        // One number is kept free for "no node".
        node_limit: bundle.limits().nodes.min(u64::from(NodeId::MAX) - 1),
        pairs: Vec::new(),
        node_count: 0,
    };
    read_pairs(input, bundle.limits(), &mut lines)?;
    // The format has no direction; the caller may know better.
    let direction = options.direction.unwrap_or(Direction::Undirected);
    GraphBuilder::from_pairs(lines.node_count as usize, direction, lines.pairs)
        .self_loops(options.self_loops)
        .build()
}

/// Reads one graph or a set of them.
///
/// # Errors
/// If a line does not hold two integers, or the input cannot be read.
pub fn read(bundle: &Bundle, options: &ReadOptions) -> Result<LoadedData> {
    let mut members = chosen_members(bundle);
    match *members {
        [] => Err(bundle.place().malformed("no such file", "files that end with .pairs")),
        [member] => {
            // Node numbers are read off the lines, so that which there are is a fact about the
            // records.
            let (graph, report) = read_graph(bundle, member, options)?;
            let ids = NodeIds::sequential(graph.node_count());
            let notices = Notice::folded(&bundle.member_place(member), &report);
            let dataset = Dataset::new(stem(member), graph, ids)?;
            let dataset = dataset.with_ids_origin(FactOrigin::ReadOff);
            Ok(LoadedData::Nodes(dataset.with_notices(notices)))
        }
        _ => {
            members.sort_by(|a, b| {
                let (a, b) = (stem(a), stem(b));
                role(a).cmp(&role(b)).then_with(|| natural_order(a, b))
            });
            read_set(bundle, &members, options)
        }
    }
}

fn read_set(bundle: &Bundle, members: &[&str], options: &ReadOptions) -> Result<LoadedData> {
    let mut graphs = Vec::with_capacity(members.len());
    let mut folded = BuildReport::default();
    for member in members {
        let (graph, report) = read_graph(bundle, member, options)?;
        folded.duplicates += report.duplicates;
        folded.self_loops += report.self_loops;
        graphs.push(graph);
    }
    let name = stem(bundle.place().file_name()).trim_end_matches(".tar");
    let set = GraphSet::new(name, graphs)
        .with_ids(NodeIds::texts(members.iter().map(|member| stem(member)))?)?
        .with_ids_origin(FactOrigin::ReadOff)
        .with_splits(shipped_split(members).into_iter().collect())?
        .with_notices(Notice::folded(bundle.place(), &folded));
    Ok(LoadedData::Graphs(set))
}

/// The split that the file names tell, if they tell one.
fn shipped_split(members: &[&str]) -> Option<Split> {
    let of = |wanted: SplitRole| -> Vec<NodeId> {
        let roles = (0..).zip(members).map(|(at, member)| (at, role(stem(member))));
        roles.filter(|&(_, role)| role == wanted).map(|(at, _)| at).collect()
    };
    let split = Split {
        train: of(SplitRole::Train),
        // Without names of validation or test graphs there is no split.
        validation: of(SplitRole::Validation),
        test: of(SplitRole::Test),
    };
    (split.train.len() < members.len()).then_some(split)
}

// The order of graphs by file name: what trains first, then as people count (2 before 10).

/// What a graph is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SplitRole {
    Train,
    Validation,
    Test,
}

/// What the end of a graph's name says it is for.
pub(super) fn role(name: &str) -> SplitRole {
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    if ends(&["_val", "_valid", "_validation"]) {
        SplitRole::Validation
    } else if ends(&["_test"]) {
        SplitRole::Test
    } else {
        SplitRole::Train
    }
}

/// Compares names with the numbers in them taken as numbers.
pub(super) fn natural_order(a: &str, b: &str) -> Ordering {
    let (mut a_rest, mut b_rest) = (a.as_bytes(), b.as_bytes());
    while let (Some(&x), Some(&y)) = (a_rest.first(), b_rest.first()) {
        let order = if x.is_ascii_digit() && y.is_ascii_digit() {
            let (x, y) = (take_number(&mut a_rest), take_number(&mut b_rest));
            // Without leading zeros the longer number is the larger.
            x.len().cmp(&y.len()).then(x.cmp(y))
        } else {
            (a_rest, b_rest) = (&a_rest[1..], &b_rest[1..]);
            x.cmp(&y)
        };
        if order.is_ne() {
            return order;
        }
    }
    a_rest.len().cmp(&b_rest.len()).then(a.cmp(b))
}

/// Takes the digits at the beginning, and returns them without leading zeros.
fn take_number<'a>(text: &mut &'a [u8]) -> &'a [u8] {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = text.split_at(digits);
    *text = rest;
    &number[number.iter().take_while(|&&byte| byte == b'0').count()..]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::SelfLoops;
    use crate::formats::Limits;

    fn bundle(members: &[(&str, &[u8])]) -> Bundle {
        let limits = Limits { nodes: 1000, ..Limits::default() };
        let owned = members.iter().map(|&(name, bytes)| (name, bytes.to_vec()));
        Bundle::from_memory("data/ppi.tar.gz", owned, limits)
    }

    #[test]
    fn one_file_is_a_graph_and_gaps_are_nodes() {
        let bundle = bundle(&[("x/net.pairs", b"0\t0\n0\t3\r\n\n3\t0\n")]);
        let data = read(&bundle, &ReadOptions::default()).unwrap().into_nodes().unwrap();
        assert_eq!((data.name(), data.graph().node_count()), ("net", 4));
        assert!(data.ids().is_sequential());
        assert_eq!(data.graph().edges().collect::<Vec<_>>(), [(0, 3)]);
        let message: Vec<_> = data.notices().iter().map(|n| n.text.as_str()).collect();
        assert_eq!(message, ["1 repeated edge folded", "1 self-loop dropped"]);
        let keep = ReadOptions {
            self_loops: SelfLoops::Keep,
            direction: Some(Direction::Directed),
            ..ReadOptions::default()
        };
        let data = read(&bundle, &keep).unwrap().into_nodes().unwrap();
        assert_eq!(data.graph().edges().collect::<Vec<_>>(), [(0, 0), (0, 3), (3, 0)]);
    }

    #[test]
    fn several_files_are_a_set_in_natural_order() {
        let bundle = bundle(&[
            ("g_0_test.pairs", b"0\t1\n1\t2\n"),
            ("g_0_val.pairs", b"0\t0\n"),
            ("g_10.pairs", b"0\t1\n"),
            ("g_2.pairs.gz", b"0\t0\n0\t1\n"),
            ("readme.txt", b"not a graph"),
        ]);
        assert!(recognises(&bundle));
        let set = read(&bundle, &ReadOptions::default()).unwrap().into_graphs().unwrap();
        assert_eq!(set.name(), "ppi");
        let ids: Vec<_> = set.ids().iter().map(|id| id.to_string()).collect();
        assert_eq!(ids, ["g_2", "g_10", "g_0_val", "g_0_test"]);
        assert_eq!((set.node_count(), set.edge_count()), (8, 4));
        let split = Split { train: vec![0, 1], validation: vec![2], test: vec![3] };
        assert_eq!(set.splits(), [split]);
        assert_eq!(set.notices()[0].text, "2 self-loops dropped");
    }

    #[test]
    fn a_set_without_roles_has_no_split() {
        let bundle = bundle(&[("a.pairs", b"0\t1\n"), ("b.pairs", b"0\t1\n")]);
        let set = read(&bundle, &ReadOptions::default()).unwrap().into_graphs().unwrap();
        assert!(set.splits().is_empty());
    }

    #[test]
    fn a_single_file_does_not_take_its_siblings_along() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["net.pairs", "net.x.pairs"] {
            std::fs::write(folder.path().join(name), "0\t1\n").unwrap();
        }
        let open = |path: &std::path::Path| Bundle::from_path(path, Limits::default()).unwrap();
        let file = open(&folder.path().join("net.pairs"));
        assert_eq!(file.members().len(), 1);
        let options = ReadOptions::default();
        assert!(read(&file, &options).unwrap().into_nodes().is_ok());
        assert!(read(&open(folder.path()), &options).unwrap().into_graphs().is_ok());
    }

    #[test]
    fn what_is_no_pair_is_named() {
        for (text, expected) in [
            ("0\t1\n0\n", "line 2: found something else; expected two node numbers"),
            ("0\t1\t2\n", "line 1: found something else"),
            ("a\tb\n", "line 1: found something else"),
            ("0\t-1\n", "line 1: found something else"),
            ("0\t1000\n", "line 1: number of nodes exceeds the limit of 1000"),
            ("0\t18446744073709551616\n", "line 1: found something else"),
        ] {
            let bundle = bundle(&[("g.pairs", text.as_bytes())]);
            let message = read(&bundle, &ReadOptions::default()).unwrap_err().with_values();
            assert!(message.contains(expected), "{text:?}: {message}");
        }
        assert!(!recognises(&bundle(&[("g.txt", b"0\t1\n")])));
        assert!(read(&bundle(&[("g.txt", b"0\t1\n")]), &ReadOptions::default()).is_err());
    }

    proptest! {
        #[test]
        fn no_bytes_panic(
            bytes in proptest::collection::vec(any::<u8>(), 0..100),
            damage in proptest::collection::vec((0usize..20, any::<u8>()), 0..4),
        ) {
            let mut damaged = b"0\t1\n1\t22\n5\t0\n0\t0\n".to_vec();
            for (at, byte) in damage {
                if let Some(slot) = damaged.get_mut(at) {
                    *slot = if byte < 128 { b"0123456789\t\n\r -"[byte as usize % 15] } else { byte };
                }
            }
            let bundle = bundle(&[("a.pairs", &bytes), ("b.pairs", &damaged)]);
            recognises(&bundle);
            read(&bundle, &ReadOptions::default()).ok();
            for member in ["a.pairs", "b.pairs"] {
                read_graph(&bundle, member, &ReadOptions::default()).ok();
            }
        }
    }

    #[test]
    fn numbers_count_and_zeros_do_not() {
        let mut names = ["g10", "g2", "g", "h1", "g02", "g2b", "g100000000000000000000"];
        names.sort_by(|a, b| natural_order(a, b));
        assert_eq!(names, ["g", "g02", "g2", "g2b", "g10", "g100000000000000000000", "h1"]);
    }

    #[test]
    fn roles_by_the_end_of_the_name() {
        assert_eq!(role("ppi_0_val"), SplitRole::Validation);
        assert_eq!(role("ppi_0_test"), SplitRole::Test);
        assert_eq!(role("contest"), SplitRole::Train);
    }
}
