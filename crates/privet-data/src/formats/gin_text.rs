//! GIN text: graph sets as integers, as the GIN and DPRR code read them.
//!
//! Line 1 is the number of graphs. Each graph is a line `n label` and n lines, one per node
//! 0..n-1: `tag d v1 ... vd` and then, in some files, real attributes. An undirected edge stands at
//! both its ends. Archives may also hold `10fold_idx/{train,test}_idx-K.txt`, the publisher's folds.

mod parse;
mod write;

pub use write::write;

use super::choose::{self, DatasetCandidate};
use super::graph_lists::{self, EdgeListing};
use super::{Bundle, Lines, NamedInput, ReadOptions};
use crate::{DenseMatrix, Features, GraphSet, Labels, LoadedData, Result, SourceLocation};
use parse::{MissingPart, Parser, RawGraph};

pub(crate) fn recognises(bundle: &Bundle) -> bool {
    texts(bundle).into_iter().any(|member| looks_right(bundle, member))
}

/// Reads a bundle of this format.
///
/// # Errors
/// If the members are not what the format says they are, or hold several sets of which
/// [`ReadOptions::member`] names none. An edge listed at one end only is an error unless
/// [`ReadOptions::direction`] says that the graphs are directed.
pub fn read(bundle: &Bundle, options: &ReadOptions) -> Result<LoadedData> {
    let DatasetCandidate { name, member } = choose_text(bundle, options)?;
    let mut parser = Parser::new(Lines::new(bundle.open(member)?, bundle.limits()));
    parser.parse()?;
    let set = assemble(name, parser, &bundle.member_place(member), options)?;
    let splits = parse::read(bundle, choose::folder(member), set.len())?;
    Ok(LoadedData::Graphs(set.with_splits(splits)?))
}

/// The members that could be a set of graphs by their names.
fn texts(bundle: &Bundle) -> Vec<&str> {
    if let Some(file) = choose::single_file(bundle) {
        return vec![file];
    }
    let mut texts = choose::ending_with(bundle, ".txt");
    texts.retain(|member| !choose::folder(member).ends_with(parse::FOLDER));
    texts
}

fn choose_text<'a>(bundle: &'a Bundle, options: &ReadOptions) -> Result<DatasetCandidate<'a>> {
    let mut members = texts(bundle);
    // A single one, or several of which none looks right: parsing says best what is wrong.
    if members.len() > 1 {
        let right: Vec<_> = members.iter().copied().filter(|m| looks_right(bundle, m)).collect();
        members = if right.is_empty() { members } else { right };
    }
    let candidate = |member| {
        let base = choose::base_name(choose::uncompressed(member));
        let name = base.rsplit_once('.').map_or(base, |(stem, _)| stem);
        DatasetCandidate { name: name.into(), member }
    };
    let candidates = members.into_iter().map(candidate).collect();
    choose::one_of(bundle, options, candidates, "a member named NAME.txt")
}

/// Whether the parser has nothing against the first few thousand bytes but that they end. A node
/// must be among them, or a line too long for them where one is due: a count and then pairs could
/// be an edge list too.
fn looks_right(bundle: &Bundle, member: &str) -> bool {
    let Ok(mut head) = bundle.head(member) else { return false };
    let whole_lines = head.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let is_cut = whole_lines < head.len();
    head.truncate(whole_lines);
    let input = NamedInput::new(bundle.member_place(member), std::io::Cursor::new(head));
    let mut parser = Parser::new(Lines::new(input, bundle.limits()));
    let parsed = parser.parse();
    let has_node = parser.graphs.iter().any(|graph| graph.list.node_count > 0);
    match parser.missing {
        None => parsed.is_ok() && !parser.graphs.is_empty(),
        Some(MissingPart::Graph) => has_node,
        Some(MissingPart::Node) => has_node || is_cut,
    }
}

fn assemble(
    name: String,
    parser: Parser,
    place: &SourceLocation,
    options: &ReadOptions,
) -> Result<GraphSet> {
    let width = parser.width.unwrap_or(0);
    let (mut lists, mut lines, mut labels) = (Vec::new(), Vec::new(), Vec::new());
    let (mut tags, mut attributes) = (Vec::new(), Vec::new());
    for RawGraph { first_line, label, list, tags: node_tags, attributes: values } in parser.graphs {
        if width > 0 {
            let matrix = DenseMatrix::new(list.node_count, width, values)?;
            attributes.push(Features::dense(matrix));
        }
        lists.push(list);
        lines.push(first_line);
        labels.push(Some(label));
        tags.push(node_tags);
    }
    let built = graph_lists::build_all(lists, EdgeListing::BothEnds, options)?;
    for (graph, first_line) in built.iter().zip(lines) {
        if let Some(&(from, to)) = graph.one_sided.first() {
            let found = format!("neighbour {to} of node {from}, which {to} does not list");
            let expected = "every edge at both ends (or graphs declared directed)";
            return Err(place.line(first_line + u64::from(from)).malformed(found, expected));
        }
    }
    let (graphs, notices) = graph_lists::with_notices(built, place);
    let set = GraphSet::new(name, graphs)
        .with_labels(Labels::from_integers(&labels)?)?
        .with_node_tags(tags)?
        .with_notices(notices);
    if width > 0 { set.with_node_attributes(attributes) } else { Ok(set) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::formats::Limits;
    use crate::{Direction, GraphBuilder, NodeId, SelfLoops, Split};

    fn bundle(text: impl Into<Vec<u8>>) -> Bundle {
        Bundle::from_memory("z", [("X.txt", text.into())], Limits::default())
    }

    fn set(text: impl Into<Vec<u8>>) -> Result<GraphSet> {
        read(&bundle(text), &ReadOptions::default())?.into_graphs()
    }

    #[test]
    fn reads_graphs_labels_tags_and_attributes() {
        let text = "2\r\n3 -1\r\n5 1 1 0.5\r\n0 2 0 2 -1e2\r\n7 1 1 0\r\n1 4\r\n0 0 3\r\n\r\n";
        let set = set(text).unwrap();
        assert_eq!((set.name(), set.len()), ("X", 2));
        assert_eq!(set.graphs()[0].edges().collect::<Vec<_>>(), [(0, 1), (1, 2)]);
        assert_eq!(set.labels().unwrap().class_names(), ["-1", "4"]);
        assert_eq!(set.node_tags().unwrap(), [vec![5, 0, 7], vec![0]]);
        let attributes = set.node_attributes().unwrap();
        assert_eq!(attributes[0].nonzero_entries(1).collect::<Vec<_>>(), [(0, -100.0)]);
        assert_eq!(attributes[1].nonzero_entries(0).collect::<Vec<_>>(), [(0, 3.0)]);
    }

    #[test]
    fn damage_is_told_with_its_line() {
        for (text, message) in [
            ("", "expected the number of graphs"),
            ("x\n", "z, member X.txt, line 1: found 'x'; expected the number of graphs"),
            ("-1\n", "line 1: found '-1'"),
            ("2\n1 0\n0 0\n", "line 3: found the end of the text; expected graph 1 of the 2"),
            ("18446744073709551615\n1 0\n0 0\n", "expected graph 1 of the 18446744073709551615"),
            ("1\n2 0\n0 0\n", "line 3: found the end of the text; expected node 1 of a graph of 2"),
            ("1\n4000000000 0\n0 0\n", "expected node 1 of a graph of 4000000000"),
            ("1\n4294967295 0\n", "line 2: found 4294967295 nodes; expected fewer"),
            ("1\n99999999999999999999 0\n", "line 2: found '99999999999999999999 0'"),
            ("1\n1\n0 0\n", "line 2: found '1'; expected 'n label'"),
            ("1\n1 0 0\n0 0\n", "line 2: found '1 0 0'; expected 'n label'"),
            ("1\n2 0\n0 1 1\n0 0\n", "line 3: found neighbour 1 of node 0, which 1 does not list"),
            ("1\n2 0\n0 1 2\n0 0\n", "line 3: found neighbour '2'; expected a node from 0 to 1"),
            ("1\n2 0\n0 1 -1\n0 0\n", "line 3: found neighbour '-1'"),
            ("1\n2 0\n0 2 1\n0 0\n", "line 3: found 1 neighbours; expected 2, as declared"),
            ("1\n1 0\n0 18446744073709551615 0\n", "line 3: found 1 neighbours"),
            ("1\n1 0\n-1 0\n", "line 3: found '-1 0'; expected 'tag d"),
            ("1\n1 0\n4294967296 0\n", "line 3: found '4294967296 0'"),
            ("1\n1 0\n\n", "line 3: found ''"),
            ("1\n1 0\n0 0 NaN\n", "line 3: found attribute 'NaN'; expected a finite number"),
            ("1\n2 0\n0 0 1\n0 0\n", "line 4: found 0 columns after the neighbours; expected 1"),
            ("1\n1 0\n0 0\n1 0\n", "line 4: found '1 0'; expected the end, after the 1 graphs"),
        ] {
            let error = set(text).unwrap_err().with_values();
            assert!(error.contains(message), "{text:?}: {error}");
        }
        assert!(set(b"1\n1 \xff\n".to_vec()).unwrap_err().with_values().contains("line 2"));
    }

    #[test]
    fn an_edge_at_one_end_is_an_arc_if_the_user_says_so() {
        let options =
            ReadOptions { direction: Some(Direction::Directed), ..ReadOptions::default() };
        let loaded =
            read(&bundle("1\n2 0\n0 1 1\n0 0\n"), &options).unwrap().into_graphs().unwrap();
        assert_eq!(loaded.graphs()[0].arcs().collect::<Vec<_>>(), [(0, 1)]);
    }

    #[test]
    fn recognised_by_its_grammar() {
        let long = format!(
            "1\n5000 1\n0 4999{}\n",
            (1..5000).map(|v| format!(" {v}")).collect::<String>()
        );
        for text in ["1\n1 0\n0 0\n", "1\n0 1\n", &long, "3\n2 1\n0 1 1\n0 1"] {
            assert!(recognises(&bundle(text)), "{text:.20}");
        }
        for text in ["", "3\n", "0\n", "0 1\n1 2\n", "3\n0 1\n1 2\n", "# c\n1\n", "3\n1,2\n"] {
            assert!(!recognises(&bundle(text)), "{text}");
        }
    }

    #[test]
    fn folds_come_with_the_archive_and_other_members_do_not_disturb() {
        let text = b"2\n1 0\n0 0\n1 1\n0 0\n";
        let read_members = |members: Vec<(&str, &[u8])>| {
            let members = members.into_iter().map(|(name, bytes)| (name, bytes.to_vec()));
            let bundle = Bundle::from_memory("z", members, Limits::default());
            assert!(recognises(&bundle));
            read(&bundle, &ReadOptions::default()).map(|loaded| loaded.into_graphs().unwrap())
        };
        let train = ("X/10fold_idx/train_idx-1.txt", &b"1\r\n"[..]);
        let all = vec![
            ("X/.DS_Store", &b"\0"[..]),
            ("X/README.txt", b"see the paper"),
            ("X/X.mat", b"\0"),
            train,
            ("X/10fold_idx/test_idx-1.txt", b"0\r\n"),
            ("X/X.txt", text),
        ];
        let set = read_members(all.clone()).unwrap();
        assert_eq!(set.splits(), [Split { train: vec![1], validation: vec![], test: vec![0] }]);
        let mut lonely = all.clone();
        lonely.remove(4);
        assert!(read_members(lonely).unwrap_err().with_values().contains("test_idx-1.txt too"));
        for (bad, message) in
            [("2\n", "line 1: found '2'"), ("x\n", "found 'x'"), ("1\n", "item 1 twice")]
        {
            let mut damaged = all.clone();
            damaged[4].1 = bad.as_bytes();
            let error = read_members(damaged).unwrap_err().with_values();
            assert!(error.contains(message), "{error}");
        }
        let two = vec![("a/A.txt", &text[..]), ("b/B.txt", text)];
        assert!(read_members(two).unwrap_err().with_values().contains("2 datasets (A, B)"));
    }

    #[test]
    fn what_the_format_cannot_hold_is_refused() {
        let graph = || crate::Graph::empty(1, Direction::Undirected).unwrap();
        let refuse = |set: &GraphSet| write(set, &mut Vec::new()).unwrap_err().with_values();
        assert!(refuse(&GraphSet::new("s", vec![graph()])).contains("one class for every graph"));
        let labelled = |raw: &[Option<i64>]| {
            let set = GraphSet::new("s", raw.iter().map(|_| graph()).collect());
            set.with_labels(Labels::from_integers(raw).unwrap()).unwrap()
        };
        assert!(refuse(&labelled(&[Some(1), None])).contains("label of graph 1"));
        let wide =
            |columns| Features::dense(DenseMatrix::new(1, columns, vec![0.0; columns]).unwrap());
        let set =
            labelled(&[Some(1), Some(1)]).with_node_attributes(vec![wide(1), wide(2)]).unwrap();
        assert!(refuse(&set).contains("number of attributes in graph 1"));
    }

    #[test]
    fn named_classes_are_written_as_numbers() {
        let graphs = vec![crate::Graph::empty(0, Direction::Undirected).unwrap(); 2];
        let labels = Labels::from_names(&["cat", "ape"]).unwrap();
        let mut text = Vec::new();
        write(&GraphSet::new("s", graphs).with_labels(labels).unwrap(), &mut text).unwrap();
        assert_eq!(text, b"2\n0 1\n0 0\n");
    }

    type RawSet = Vec<(usize, Vec<(NodeId, NodeId)>, i64, Vec<u32>, Vec<f32>)>;

    /// Graphs of up to 6 nodes; tags and attributes are cut to length by [`make_set`].
    fn raw_set() -> impl Strategy<Value = RawSet> {
        let pairs = proptest::collection::vec((0u32..6, 0u32..6), 0..12);
        let values = proptest::collection::vec(proptest::num::f32::NORMAL, 12);
        let tags = proptest::collection::vec(any::<u32>(), 6);
        proptest::collection::vec((0usize..7, pairs, any::<i64>(), tags, values), 0..6)
    }

    fn make_set(raw: &RawSet, direction: Direction, width: usize) -> GraphSet {
        let build = |n: usize, pairs: &[(NodeId, NodeId)]| {
            let inside = pairs.iter().copied().filter(|&(u, v)| (u.max(v) as usize) < n);
            let builder = GraphBuilder::new(n, direction).self_loops(SelfLoops::Keep);
            builder.edges(inside).build().unwrap().0
        };
        let graphs = raw.iter().map(|(n, pairs, ..)| build(*n, pairs)).collect();
        let labels: Vec<_> = raw.iter().map(|graph| Some(graph.2)).collect();
        let tags = raw.iter().map(|(n, _, _, tags, _)| tags[..*n].to_vec()).collect();
        let rows = raw.iter().map(|(n, .., values)| {
            let matrix = DenseMatrix::new(*n, width, values[..n * width].to_vec()).unwrap();
            Features::dense(matrix)
        });
        let set = GraphSet::new("X", graphs)
            .with_labels(Labels::from_integers(&labels).unwrap())
            .and_then(|set| set.with_node_tags(tags))
            .unwrap();
        // Without a node there is nothing to tell how many attributes one would have.
        let has_nodes = raw.iter().any(|graph| graph.0 > 0);
        if width == 0 || !has_nodes {
            set
        } else {
            set.with_node_attributes(rows.collect()).unwrap()
        }
    }

    proptest! {
        #[test]
        fn written_sets_read_back_the_same(raw in raw_set(), directed: bool, width in 0usize..3) {
            let direction = if directed { Direction::Directed } else { Direction::Undirected };
            let set = make_set(&raw, direction, width);
            let mut text = Vec::new();
            write(&set, &mut text).unwrap();
            let options = ReadOptions {
                direction: Some(direction),
                self_loops: SelfLoops::Keep,
                ..ReadOptions::default()
            };
            let back = read(&bundle(text), &options).unwrap().into_graphs().unwrap();
            prop_assert_eq!(back, set);
        }
    }
}
