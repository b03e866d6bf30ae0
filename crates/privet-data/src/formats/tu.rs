//! TU Dortmund text: graph sets as `NAME_A.txt` and companions.
//!
//! Nodes are numbered from 1 over the whole set. `NAME_A.txt` lists arcs `i, j`, both directions
//! of an edge and sometimes each twice; line i of `NAME_graph_indicator.txt` is the graph of node
//! i, never decreasing; line g of `NAME_graph_labels.txt` is the class of graph g. Optional:
//! `NAME_node_labels.txt` (they become tags) and `NAME_node_attributes.txt`.

use super::choose::{self, Candidate};
use super::fields::{comma_separated, real, shown, signed, unsigned};
use super::graph_lists::{self, Listing, PairList};
use super::{Bundle, Lines, ReadOptions, number_text};
use crate::{
    DenseMatrix, Features, FoundValue, GraphSet, Labels, LoadedData, NodeId, Notice, Result,
    SourceLocation,
};

const ARCS: &str = "_A.txt";
const INDICATOR: &str = "_graph_indicator.txt";
const GRAPH_LABELS: &str = "_graph_labels.txt";
const NODE_LABELS: &str = "_node_labels.txt";
const NODE_ATTRIBUTES: &str = "_node_attributes.txt";
/// Companions that a [`GraphSet`] has no place for.
const IGNORED: [&str; 3] = ["_edge_labels.txt", "_edge_attributes.txt", "_graph_attributes.txt"];

pub(crate) fn recognises(bundle: &Bundle) -> bool {
    let arcs = choose::ending_with(bundle, ARCS);
    arcs.into_iter().any(|arcs| companion(bundle, arcs, INDICATOR).is_some())
}

/// Reads a bundle of this format.
///
/// # Errors
/// If the members are not what the format says they are, or hold several sets of which
/// [`ReadOptions::member`] names none.
pub fn read(bundle: &Bundle, options: &ReadOptions) -> Result<LoadedData> {
    let Candidate { name, member } = choose_arcs(bundle, options)?;
    let Some(indicator) = companion(bundle, member, INDICATOR) else {
        let expected = format!("{name}{INDICATOR} beside it (give the folder or the zip)");
        return Err(bundle
            .place()
            .malformed(FoundValue::words(format!("{name}{ARCS} alone")), expected));
    };
    let labels = read_graph_labels(bundle, member)?;
    let nodes = read_indicator(bundle, indicator, labels.as_ref().map(Vec::len))?;
    let lists = read_arcs(bundle, member, &nodes)?;

    let built = graph_lists::build_all(lists, Listing::BothEnds, options)?;
    let (graphs, notices) = graph_lists::with_notices(built, &bundle.member_place(member));
    let mut set = GraphSet::new(name, graphs).with_notices(notices);
    set = match labels {
        Some(labels) => set.with_labels(Labels::from_integers(&labels)?)?,
        None => {
            let text = format!("no member *{GRAPH_LABELS}: the graphs have no labels");
            set.with_notices([Notice::new(bundle.place(), text)])
        }
    };
    if let Some(member) = companion(bundle, member, NODE_LABELS) {
        set = set.with_node_tags(read_tags(bundle, member, &nodes)?)?;
    }
    if let Some(member) = companion(bundle, member, NODE_ATTRIBUTES) {
        set = set.with_node_attributes(read_attributes(bundle, member, &nodes)?)?;
    }
    let ignored = IGNORED.iter().filter_map(|suffix| companion(bundle, member, suffix));
    let notice = |ignored| Notice::new(&bundle.member_place(ignored), "ignored");
    Ok(LoadedData::Graphs(set.with_notices(ignored.map(notice))))
}

fn choose_arcs<'a>(bundle: &'a Bundle, options: &ReadOptions) -> Result<Candidate<'a>> {
    let candidate = |member| {
        let base = choose::base_name(choose::uncompressed(member));
        Candidate { name: base.trim_end_matches(ARCS).into(), member }
    };
    let candidates = choose::ending_with(bundle, ARCS).into_iter().map(candidate).collect();
    choose::one_of(bundle, options, candidates, "a member named NAME_A.txt")
}

fn companion<'a>(bundle: &'a Bundle, arcs: &str, suffix: &str) -> Option<&'a str> {
    let stem = choose::uncompressed(arcs).strip_suffix(ARCS)?;
    choose::named(bundle, &format!("{stem}{suffix}"))
}

/// Which nodes each graph has.
struct Nodes {
    /// The graph of each node.
    graph_of: Vec<u32>,
    /// Where each graph's nodes start, and one end.
    starts: Vec<usize>,
}

impl Nodes {
    /// Cuts one value per node into one list per graph.
    fn per_graph<T: Clone>(&self, values: &[T], width: usize) -> impl Iterator<Item = Vec<T>> {
        let cut = move |graph: &[usize]| values[graph[0] * width..graph[1] * width].to_vec();
        self.starts.windows(2).map(cut)
    }
}

/// Calls `parse` with every line; blank lines are allowed at the end.
fn for_each_line(
    bundle: &Bundle,
    member: &str,
    mut parse: impl FnMut(&[u8], &dyn Fn() -> SourceLocation) -> Result<()>,
) -> Result<()> {
    let mut lines = Lines::new(bundle.open(member)?, bundle.limits());
    let place = lines.place().clone();
    let mut blank = None;
    while let Some((number, line)) = lines.next_line()? {
        if line.trim_ascii().is_empty() {
            blank = blank.or(Some(number));
            continue;
        }
        if let Some(number) = blank {
            return Err(place.line(number).malformed("an empty line", "none before the end"));
        }
        parse(line, &|| place.line(number))?;
    }
    Ok(())
}

fn read_graph_labels(bundle: &Bundle, arcs: &str) -> Result<Option<Vec<Option<i64>>>> {
    let Some(member) = companion(bundle, arcs, GRAPH_LABELS) else { return Ok(None) };
    let mut labels = Vec::new();
    for_each_line(bundle, member, |line, here| {
        let Some(label) = signed(line.trim_ascii()) else {
            return Err(here().malformed(shown(line), "an integer, the class of a graph"));
        };
        labels.push(Some(label));
        Ok(())
    })?;
    Ok(Some(labels))
}

/// Graphs without nodes are possible only if their labels show that they exist.
fn read_indicator(bundle: &Bundle, member: &str, labelled: Option<usize>) -> Result<Nodes> {
    let (mut graph_of, mut starts) = (Vec::new(), Vec::new());
    for_each_line(bundle, member, |line, here| {
        let (last, most) = (starts.len(), labelled.unwrap_or(starts.len() + 1));
        let graph = unsigned(line.trim_ascii()).and_then(|graph| usize::try_from(graph).ok());
        let Some(graph) = graph.filter(|graph| (last.max(1)..=most).contains(graph)) else {
            let expected = format!("a graph from {} to {most}, never decreasing", last.max(1));
            return Err(here().malformed(shown(line), expected));
        };
        starts.resize(graph, graph_of.len());
        graph_of.push((graph - 1) as u32);
        Ok(())
    })?;
    let place = bundle.member_place(member);
    if graph_of.len() >= NodeId::MAX as usize {
        let expected = format!("fewer than {}", NodeId::MAX);
        return Err(
            place.malformed(FoundValue::words(format!("{} nodes", graph_of.len())), expected)
        );
    }
    starts.resize(labelled.unwrap_or(starts.len()) + 1, graph_of.len());
    Ok(Nodes { graph_of, starts })
}

fn read_arcs(bundle: &Bundle, member: &str, nodes: &Nodes) -> Result<Vec<PairList>> {
    let empty = |graph: &[usize]| PairList { node_count: graph[1] - graph[0], pairs: Vec::new() };
    let mut lists: Vec<PairList> = nodes.starts.windows(2).map(empty).collect();
    let node_count = nodes.graph_of.len();
    for_each_line(bundle, member, |line, here| {
        let node = |field| {
            let number = unsigned(field).filter(|&number| number <= node_count as u64)?;
            (number as usize).checked_sub(1)
        };
        let mut columns = comma_separated(line).map(node);
        let (Some(Some(from)), Some(Some(to)), None) =
            (columns.next(), columns.next(), columns.next())
        else {
            let expected = format!("'i, j', two nodes from 1 to {node_count}");
            return Err(here().malformed(shown(line), expected));
        };
        let (graph, other) = (nodes.graph_of[from] as usize, nodes.graph_of[to] as usize);
        if graph != other {
            let found = format!("an arc from graph {} to graph {}", graph + 1, other + 1);
            return Err(here().malformed(found, "arcs within one graph"));
        }
        let start = nodes.starts[graph];
        lists[graph].pairs.push([(from - start) as NodeId, (to - start) as NodeId]);
        Ok(())
    })?;
    Ok(lists)
}

fn read_tags(bundle: &Bundle, member: &str, nodes: &Nodes) -> Result<Vec<Vec<u32>>> {
    let mut tags = Vec::new();
    for_each_line(bundle, member, |line, here| {
        let Some(tag) = unsigned(line.trim_ascii()).and_then(|tag| u32::try_from(tag).ok()) else {
            return Err(here().malformed(shown(line), "one node label, an integer from 0"));
        };
        tags.push(tag);
        Ok(())
    })?;
    check_count(bundle, member, tags.len(), nodes)?;
    Ok(nodes.per_graph(&tags, 1).collect())
}

fn read_attributes(bundle: &Bundle, member: &str, nodes: &Nodes) -> Result<Vec<Features>> {
    let (mut values, mut rows, mut width) = (Vec::new(), 0, 0);
    for_each_line(bundle, member, |line, here| {
        let before = values.len();
        for field in comma_separated(line) {
            let Some(value) = real(field) else {
                return Err(here().malformed(shown(field), number_text::EXPECTED));
            };
            values.push(value);
        }
        let found = values.len() - before;
        if rows == 0 {
            width = found;
        }
        if found != width {
            let expected = format!("{width}, as in the first line");
            return Err(
                here().malformed(FoundValue::words(format!("{found} attributes")), expected)
            );
        }
        rows += 1;
        Ok(())
    })?;
    check_count(bundle, member, rows, nodes)?;
    let per_graph = nodes.per_graph(&values, width).zip(nodes.starts.windows(2));
    let features = |(values, graph): (Vec<f32>, &[usize])| {
        Ok(Features::dense(DenseMatrix::new(graph[1] - graph[0], width, values)?))
    };
    per_graph.map(features).collect()
}

fn check_count(bundle: &Bundle, member: &str, found: usize, nodes: &Nodes) -> Result<()> {
    if found == nodes.graph_of.len() {
        return Ok(());
    }
    let expected = format!("{}, one per node", nodes.graph_of.len());
    Err(bundle
        .member_place(member)
        .malformed(FoundValue::words(format!("{found} lines")), expected))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Direction;
    use crate::formats::Limits;

    const ARCS_OF_TWO: &str = "1, 2\r\n2, 1\r\n1, 2\r\n4,5\n5,4\n";

    fn bundle(members: &[(&str, &str)]) -> Bundle {
        let members = members.iter().map(|&(end, text)| (format!("M//M{end}"), text.into()));
        Bundle::from_memory("z", members, Limits::default())
    }

    fn set(members: &[(&str, &str)]) -> Result<GraphSet> {
        read(&bundle(members), &ReadOptions::default())?.into_graphs()
    }

    #[test]
    fn reads_every_companion() {
        let set = set(&[
            (ARCS, ARCS_OF_TWO),
            (INDICATOR, "1\n1\n3\n3\n3\n\n"),
            (GRAPH_LABELS, "1\n-1\n1\n0\n"),
            (NODE_LABELS, "5\n6\n7\n8\n9\n"),
            (NODE_ATTRIBUTES, "0.5, 1\n0,0\n0,0\n0,0\n-1,2e1\n"),
            (IGNORED[0], "0\n"),
        ])
        .unwrap();
        assert_eq!((set.name(), set.len(), set.node_count(), set.edge_count()), ("M", 4, 5, 2));
        let sizes: Vec<_> = set.graphs().iter().map(|graph| graph.node_count()).collect();
        assert_eq!(sizes, [2, 0, 3, 0]);
        assert_eq!(set.graphs()[2].edges().collect::<Vec<_>>(), [(1, 2)]);
        assert_eq!(set.labels().unwrap().class_names(), ["-1", "0", "1"]);
        assert_eq!(set.node_tags().unwrap(), [vec![5, 6], vec![], vec![7, 8, 9], vec![]]);
        let attributes = set.node_attributes().unwrap();
        assert_eq!(attributes[2].nonzero_entries(2).collect::<Vec<_>>(), [(0, -1.0), (1, 20.0)]);
        let told: Vec<_> = set.notices().iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "z, member M//M_A.txt: 1 pairs that repeat an earlier one folded away",
                "z, member M//M_edge_labels.txt: ignored",
            ]
        );
    }

    #[test]
    fn without_labels_there_are_no_labels_and_no_gaps() {
        let unlabelled = set(&[(ARCS, "1,2\n"), (INDICATOR, "1\n1\n2\n")]).unwrap();
        assert_eq!((unlabelled.len(), unlabelled.labels()), (2, None));
        let told: Vec<_> = unlabelled.notices().iter().map(|notice| &*notice.text).collect();
        assert_eq!(told[0], "1 edges are listed at one end only; read as undirected");
        assert!(told[1].contains("no labels"));
        let gap = set(&[(ARCS, ""), (INDICATOR, "1\n3\n")]).unwrap_err().with_values();
        assert!(gap.contains("line 2: found '3'; expected a graph from 1 to 2"), "{gap}");
        let options =
            ReadOptions { direction: Some(Direction::Directed), ..ReadOptions::default() };
        let z = bundle(&[(ARCS, "2,1\n"), (INDICATOR, "1\n1\n")]);
        let directed = read(&z, &options).unwrap().into_graphs().unwrap();
        assert_eq!(directed.graphs()[0].arcs().collect::<Vec<_>>(), [(1, 0)]);
    }

    #[test]
    fn damage_is_told_with_its_line() {
        let good = [(ARCS, ARCS_OF_TWO), (INDICATOR, "1\n1\n2\n2\n2\n"), (GRAPH_LABELS, "0\n1\n")];
        assert!(set(&good).is_ok());
        for (member, text, told) in [
            (ARCS, "1, 2\n2, 3\n", "M//M_A.txt, line 2: found an arc from graph 1 to graph 2"),
            (ARCS, "0, 1\n", "line 1: found '0, 1'; expected 'i, j', two nodes from 1 to 5"),
            (ARCS, "1, 6\n", "line 1: found '1, 6'"),
            (ARCS, "1, -2\n", "line 1: found"),
            (ARCS, "1, 18446744073709551617\n", "line 1: found"),
            (ARCS, "1\n", "line 1: found '1'"),
            (ARCS, "1,2,3\n", "line 1: found '1,2,3'"),
            (ARCS, "1,2\n\n2,1\n", "line 2: found an empty line"),
            (INDICATOR, "1\n2\n1\n2\n2\n", "line 3: found '1'; expected a graph from 2 to 2"),
            (INDICATOR, "1\n1\n2\n2\n3\n", "line 5: found '3'"),
            (INDICATOR, "0\n", "line 1: found '0'; expected a graph from 1 to 2"),
            (INDICATOR, "1000000000000\n", "line 1: found '1000000000000'"),
            (INDICATOR, "", "line 1: found '1, 2'; expected 'i, j', two nodes from 1 to 0"),
            (GRAPH_LABELS, "0\nx\n", "line 2: found 'x'; expected an integer"),
            (NODE_LABELS, "0\n0\n", "found 2 lines; expected 5, one per node"),
            (NODE_LABELS, "0\n-1\n", "line 2: found '-1'; expected one node label"),
            (NODE_ATTRIBUTES, "1\n1\n1\n1\n", "found 4 lines; expected 5"),
            (NODE_ATTRIBUTES, "1\n1,2\n", "line 2: found 2 attributes; expected 1"),
            (NODE_ATTRIBUTES, "1\nNaN\n", "line 2: found 'NaN'; expected a finite number"),
        ] {
            let mut members = good.to_vec();
            members.retain(|&(name, _)| name != member);
            members.push((member, text));
            let error = set(&members).unwrap_err().with_values();
            assert!(error.contains(told), "{error}");
        }
    }

    #[test]
    fn several_sets_and_missing_companions_are_told() {
        let both = [("_A.txt", ""), ("2_A.txt", ""), (INDICATOR, "")];
        assert!(recognises(&bundle(&both)));
        assert!(set(&both).unwrap_err().with_values().contains("2 datasets (M, M2)"));
        assert!(!recognises(&bundle(&[(ARCS, "")])));
        assert!(set(&[(ARCS, "")]).unwrap_err().with_values().contains("M_graph_indicator.txt"));
    }
}
