//! `.jlg`, as LightGraphs.jl writes it: gzipped text, a line `n,m,u,name`, then `m` lines `a,b`.
//!
//! `u` (or `d`) says undirected (or directed). Nodes are called `1..=n`, and keep those ids; `m`
//! counts self-loops, too. Later versions append version and integer type to the first line, which
//! change nothing here.

use super::edge_list::stem;
use super::limits::LimitExceeded;
use super::pair_lines::{PairSink, Separator, read_pairs};
use super::{Bundle, ReadOptions};
use crate::{Dataset, Direction, GraphBuilder, Loaded, NodeId, NodeIds, Notice, Place, Result};

/// Whether the first member begins with a line `n,m,u,name`.
pub(crate) fn recognises(bundle: &Bundle) -> bool {
    let Some(Ok(head)) = bundle.members().first().map(|member| bundle.head(member)) else {
        return false;
    };
    let line = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
    Declared::parse(line.strip_suffix(b"\r").unwrap_or(line)).is_some()
}

/// What the first line declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Declared {
    nodes: u64,
    edges: u64,
    direction: Direction,
}

impl Declared {
    fn parse(line: &[u8]) -> Option<Self> {
        let mut fields = std::str::from_utf8(line).ok()?.split(',');
        let nodes = fields.next()?.parse().ok()?;
        let edges = fields.next()?.parse().ok()?;
        let direction = match fields.next()? {
            "u" => Direction::Undirected,
            "d" => Direction::Directed,
            _ => return None,
        };
        fields.next()?;
        Some(Self { nodes, edges, direction })
    }
}

/// One file on its way to pairs of nodes.
struct JlgLines {
    place: Place,
    node_limit: u64,
    declared: Option<Declared>,
    pairs: Vec<[NodeId; 2]>,
}

impl PairSink for JlgLines {
    fn separator(&self) -> Option<Separator> {
        self.declared.map(|_| Separator::Byte(b','))
    }

    fn pair(&mut self, number: u64, ids: [u64; 2]) -> Result<()> {
        let place = || self.place.line(number);
        let Some(declared) = self.declared else {
            return Err(place().malformed("an edge", "a line n,m,u,name"));
        };
        let Declared { nodes, edges, .. } = declared;
        if let Some(id) = ids.into_iter().find(|id| !(1..=nodes).contains(id)) {
            let expected = format!("nodes from 1 to {nodes}, as line 1 declares");
            return Err(place().malformed(format!("node {id}"), expected));
        }
        if self.pairs.len() as u64 == edges {
            let expected = format!("{edges} edges, as line 1 declares");
            return Err(place().malformed("one edge more", expected));
        }
        // In range of u32: `nodes` was checked against its limits.
        self.pairs.push(ids.map(|id| (id - 1) as NodeId));
        Ok(())
    }

    fn line(&mut self, number: u64, line: &[u8]) -> Result<()> {
        if self.declared.is_some() {
            if line.trim_ascii().is_empty() {
                return Ok(());
            }
            let found = "something else";
            return Err(self.place.line(number).malformed(found, "an edge a,b of two nodes"));
        }
        let place = self.place.line(number);
        let Some(declared) = Declared::parse(line) else {
            let expected =
                "n,m,u,name or n,m,d,name (numbers of nodes and edges; undirected or not)";
            return Err(place.malformed("another first line", expected));
        };
        if declared.nodes > self.node_limit {
            return Err(LimitExceeded::nodes(self.node_limit).at(&place));
        }
        self.declared = Some(declared);
        Ok(())
    }
}

/// Reads the first member.
///
/// # Errors
/// If it does not hold the nodes and edges its first line declares, or declares too many nodes.
pub fn read(bundle: &Bundle, options: &ReadOptions) -> Result<Loaded> {
    let Some(member) = bundle.members().first() else {
        return Err(bundle.place().malformed("nothing", "a .jlg file"));
    };
    let input = bundle.open(member)?;
    let place = input.place.clone();
    let node_limit = bundle.limits().nodes.min(u64::from(NodeId::MAX) - 1);
    let mut lines =
        JlgLines { place: place.clone(), node_limit, declared: None, pairs: Vec::new() };
    read_pairs(input, bundle.limits(), &mut lines)?;
    let JlgLines { declared, pairs, .. } = lines;
    let Some(Declared { nodes, edges, direction }) = declared else {
        return Err(place.malformed("an empty file", "a line n,m,u,name"));
    };
    if (pairs.len() as u64) < edges {
        let expected = format!("{edges}, as line 1 declares");
        return Err(place.malformed(format!("{} edges", pairs.len()), expected));
    }
    let mut builder = GraphBuilder::from_pairs(nodes as usize, direction, pairs);
    builder = builder.self_loops(options.self_loops);
    let (mut graph, report) = builder.build()?;
    graph = match options.direction {
        Some(Direction::Undirected) => graph.to_undirected()?,
        Some(Direction::Directed) => graph.to_directed(),
        None => graph,
    };
    let ids = NodeIds::integers((1..=nodes).collect())?;
    let dataset = Dataset::new(stem(member), graph, ids)?;
    Ok(Loaded::Nodes(dataset.with_notices(Notice::folded(&place, &report))))
}
