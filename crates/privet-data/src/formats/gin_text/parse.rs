//! The grammar of GIN text, line by line. Declared counts bound loops, never allocations.

use crate::formats::fields::{blank_separated, real, shown, signed, unsigned};
use crate::formats::graph_lists::PairList;
use crate::formats::{Lines, number_text};
use crate::{FoundValue, NodeId, Result, SourceLocation};

/// One graph as the text lists it.
pub(super) struct RawGraph {
    /// The line of node 0.
    pub first_line: u64,
    pub label: i64,
    pub list: PairList,
    pub tags: Vec<u32>,
    /// Rows of [`Parser::width`] values, one after the other.
    pub attributes: Vec<f32>,
}

/// What was parsed so far.
pub(super) struct Parser {
    lines: Lines,
    place: SourceLocation,
    pub graphs: Vec<RawGraph>,
    /// How many attributes a node has; the first node of the text decides.
    pub width: Option<usize>,
    /// What had to come where the text ended.
    pub missing: Option<Missing>,
}

/// What a text that ends too early lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    /// The number of graphs, or the first line of one.
    Graph,
    /// The line of a node.
    Node,
}

impl Parser {
    pub fn new(lines: Lines) -> Self {
        let place = lines.place().clone();
        Self { lines, place, graphs: Vec::new(), width: None, missing: None }
    }

    /// Parses the whole text into [`Parser::graphs`].
    pub fn parse(&mut self) -> Result<()> {
        let Some((_, line)) = self.lines.next_line()? else {
            return Err(self.ends(Missing::Graph, "the number of graphs".into()));
        };
        let Some(count) = unsigned(line.trim_ascii()) else {
            return Err(self.place.line(1).malformed(shown(line), "the number of graphs"));
        };
        for graph in 0..count {
            let nodes = self.parse_header(graph, count)?;
            for node in 0..nodes {
                self.parse_node(node, nodes)?;
            }
        }
        while let Some((number, line)) = self.lines.next_line()? {
            if !line.trim_ascii().is_empty() {
                let expected = format!("the end, after the {count} graphs that line 1 declares");
                return Err(self.place.line(number).malformed(shown(line), expected));
            }
        }
        Ok(())
    }

    /// The line `n label`; returns n.
    fn parse_header(&mut self, graph: u64, count: u64) -> Result<NodeId> {
        let Some((number, line)) = self.lines.next_line()? else {
            return Err(self.ends(
                Missing::Graph,
                format!("graph {graph} of the {count} that line 1 declares"),
            ));
        };
        let mut columns = blank_separated(line);
        let nodes = columns.next().and_then(unsigned);
        let label = columns.next().and_then(signed);
        let (Some(nodes), Some(label), None) = (nodes, label, columns.next()) else {
            let expected = format!("'n label', the number of nodes and the class of graph {graph}");
            return Err(self.place.line(number).malformed(shown(line), expected));
        };
        let Some(nodes) = NodeId::try_from(nodes).ok().filter(|&n| n < NodeId::MAX) else {
            let expected = format!("fewer than {}", NodeId::MAX);
            return Err(self
                .place
                .line(number)
                .malformed(FoundValue::words(format!("{nodes} nodes")), expected));
        };
        self.graphs.push(RawGraph {
            first_line: number + 1,
            label,
            list: PairList::default(),
            tags: Vec::new(),
            attributes: Vec::new(),
        });
        Ok(nodes)
    }

    /// The line `tag d v1 ... vd attributes...` of one of `nodes` nodes.
    fn parse_node(&mut self, node: NodeId, nodes: NodeId) -> Result<()> {
        let Some((number, line)) = self.lines.next_line()? else {
            return Err(self.ends(Missing::Node, format!("node {node} of a graph of {nodes}")));
        };
        let Some(graph) = self.graphs.last_mut() else { return Ok(()) };
        let told =
            |Unexpected { found, expected }| self.place.line(number).malformed(found, expected);
        let mut columns = blank_separated(line);
        let tag = columns.next().and_then(unsigned).and_then(|tag| u32::try_from(tag).ok());
        let (Some(tag), Some(degree)) = (tag, columns.next().and_then(unsigned)) else {
            let expected = "'tag d v1 ... vd', with a tag and a degree from 0".into();
            return Err(told(Unexpected { found: shown(line).into(), expected }));
        };
        take_neighbors(&mut columns, degree, nodes, |neighbor| {
            graph.list.pairs.push([node, neighbor]);
        })
        .map_err(told)?;
        take_attributes(columns, &mut self.width, &mut graph.attributes).map_err(told)?;
        graph.list.node_count += 1;
        graph.tags.push(tag);
        Ok(())
    }

    fn ends(&mut self, missing: Missing, expected: String) -> crate::Error {
        self.missing = Some(missing);
        self.lines.here().malformed("the end of the text", format!("{expected} (truncated?)"))
    }
}

/// Something wrong in a line whose number the caller knows.
struct Unexpected {
    found: FoundValue,
    expected: String,
}

/// Takes `degree` neighbours, all of them below `nodes`.
fn take_neighbors<'a>(
    columns: &mut impl Iterator<Item = &'a [u8]>,
    degree: u64,
    nodes: NodeId,
    mut take: impl FnMut(NodeId),
) -> Result<(), Unexpected> {
    for listed in 0..degree {
        let Some(field) = columns.next() else {
            let found = format!("{listed} neighbours").into();
            return Err(Unexpected { found, expected: format!("{degree}, as declared") });
        };
        match unsigned(field) {
            Some(neighbor) if neighbor < u64::from(nodes) => take(neighbor as NodeId),
            _ => {
                let found = FoundValue::value("neighbour", shown(field));
                let expected = format!("a node from 0 to {}", nodes - 1);
                return Err(Unexpected { found, expected });
            }
        }
    }
    Ok(())
}

/// Takes the rest of a node's line; the first node of the text decides on its width.
fn take_attributes<'a>(
    columns: impl Iterator<Item = &'a [u8]>,
    width: &mut Option<usize>,
    attributes: &mut Vec<f32>,
) -> Result<(), Unexpected> {
    let before = attributes.len();
    for field in columns {
        let Some(value) = real(field) else {
            let found = FoundValue::value("attribute", shown(field));
            return Err(Unexpected { found, expected: number_text::EXPECTED.into() });
        };
        attributes.push(value);
    }
    let found = attributes.len() - before;
    let width = *width.get_or_insert(found);
    if found == width {
        return Ok(());
    }
    let found = FoundValue::words(format!("{found} columns after the neighbours"));
    Err(Unexpected { found, expected: format!("{width}, as for the first node") })
}
