//! `.pairs`: one edge list per graph, `u<TAB>v` per line, nodes `0..n` in each.
//!
//! A single file is a graph; a folder or archive of them is a set of graphs, called by their file
//! names: `ppi_0`, ..., `ppi_19` to train, then `*_val` to validate, then `*_test`. Published files
//! list a self-loop per node, so that every node occurs; otherwise the largest id tells `n`.

mod order;

use self::order::{Role, natural_order, role};
use super::edge_list::stem;
use super::limits::LimitExceeded;
use super::pair_lines::{PairSink, Separator, read_pairs};
use super::{Bundle, ReadOptions};
use crate::{
    BuildReport, Dataset, Direction, Graph, GraphBuilder, GraphSet, Loaded, NodeId, NodeIds,
    Notice, Place, Result, Split,
};

/// Whether the first member is a `.pairs` file, or the bundle is a collection that has some.
pub(crate) fn recognises(bundle: &Bundle) -> bool {
    !chosen_members(bundle).is_empty()
}

/// The file itself if the bundle is one file (and its siblings), else all `.pairs` members.
fn chosen_members(bundle: &Bundle) -> Vec<&str> {
    let mut found = bundle.find(".pairs");
    if let Some(first) = bundle.members().first()
        && bundle.member_place(first) == *bundle.place()
    {
        found.retain(|name| name == first);
    }
    found
}

/// One file on its way to pairs of nodes.
struct PairsLines {
    place: Place,
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
            return Err(LimitExceeded::nodes(self.node_limit).at(&self.place.line(number)));
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
        node_limit: bundle.limits().nodes.min(u64::from(NodeId::MAX) - 1),
        pairs: Vec::new(),
        node_count: 0,
    };
    read_pairs(input, bundle.limits(), &mut lines)?;
    let direction = options.direction.unwrap_or(Direction::Undirected);
    GraphBuilder::from_pairs(lines.node_count as usize, direction, lines.pairs)
        .self_loops(options.self_loops)
        .build()
}

/// Reads one graph or a set of them.
///
/// # Errors
/// If a line does not hold two integers, or the input cannot be read.
pub fn read(bundle: &Bundle, options: &ReadOptions) -> Result<Loaded> {
    let mut members = chosen_members(bundle);
    match *members {
        [] => Err(bundle.place().malformed("no such file", "files that end with .pairs")),
        [member] => {
            let (graph, report) = read_graph(bundle, member, options)?;
            let ids = NodeIds::sequential(graph.node_count());
            let notices = Notice::folded(&bundle.member_place(member), &report);
            let dataset = Dataset::new(stem(member), graph, ids)?;
            Ok(Loaded::Nodes(dataset.with_notices(notices)))
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

fn read_set(bundle: &Bundle, members: &[&str], options: &ReadOptions) -> Result<Loaded> {
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
        .with_splits(shipped_split(members).into_iter().collect())?
        .with_notices(Notice::folded(bundle.place(), &folded));
    Ok(Loaded::Graphs(set))
}

/// The split that the file names tell, if they tell one.
fn shipped_split(members: &[&str]) -> Option<Split> {
    let of = |wanted: Role| -> Vec<NodeId> {
        let roles = (0..).zip(members).map(|(at, member)| (at, role(stem(member))));
        roles.filter(|&(_, role)| role == wanted).map(|(at, _)| at).collect()
    };
    let split =
        Split { train: of(Role::Train), validation: of(Role::Validation), test: of(Role::Test) };
    (split.train.len() < members.len()).then_some(split)
}
