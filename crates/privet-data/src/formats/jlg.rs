//! `.jlg`, as LightGraphs.jl writes it: gzipped text, a line `n,m,u,name`, then `m` lines `a,b`.
//!
//! `u` (or `d`) says undirected (or directed). Nodes are called `1..=n`, and keep those ids; `m`
//! counts self-loops, too. Later versions append version and integer type to the first line, which
//! change nothing here.

use super::edge_list::stem;
use super::limits::many_nodes;
use super::pair_lines::{PairSink, Separator, read_pairs};
use super::{Bundle, ReadOptions};
use crate::{
    Dataset, Direction, GraphBuilder, LoadedData, NodeId, NodeIds, Notice, Result, SourceLocation,
};

/// Whether the first member begins with a line `n,m,u,name`.
pub(crate) fn recognises(bundle: &Bundle) -> bool {
    let Some(Ok(head)) = bundle.members().first().map(|member| bundle.head(member)) else {
        return false;
    };
    let line = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
    JlgHeader::parse(line.strip_suffix(b"\r").unwrap_or(line)).is_some()
}

/// What the first line declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct JlgHeader {
    nodes: u64,
    edges: u64,
    direction: Direction,
}

impl JlgHeader {
    fn parse(line: &[u8]) -> Option<Self> {
        let mut fields = std::str::from_utf8(line).ok()?.split(',');
        let nodes = fields.next()?.parse().ok()?;
        let edges = fields.next()?.parse().ok()?;
        let direction = match fields.next()? {
            "u" => Direction::Undirected,
            "d" => Direction::Directed,
            _ => return None,
        };
        // A name, of whatever words: it has to be there, and is not kept.
        fields.next()?;
        Some(Self { nodes, edges, direction })
    }
}

/// One file on its way to pairs of nodes.
struct JlgLines {
    place: SourceLocation,
    node_limit: u64,
    declared: Option<JlgHeader>,
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
        let JlgHeader { nodes, edges, .. } = declared;
        if let Some(id) = ids.into_iter().find(|id| !(1..=nodes).contains(id)) {
            let expected = format!("nodes from 1 to {nodes}, as line 1 declares");
            return Err(place().malformed(format!("node {id}"), expected));
        }
        // Declared numbers are compared, never allocated: a first line may declare anything.
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
        let Some(declared) = JlgHeader::parse(line) else {
            let expected =
                "n,m,u,name or n,m,d,name (numbers of nodes and edges; undirected or not)";
            return Err(place.malformed("another first line", expected));
        };
        if declared.nodes > self.node_limit {
            return Err(many_nodes(self.node_limit).at(&place));
        }
        self.declared = Some(declared);
        Ok(())
    }
}

/// Reads the first member.
///
/// # Errors
/// If it does not hold the nodes and edges its first line declares, or declares too many nodes.
pub fn read(bundle: &Bundle, options: &ReadOptions) -> Result<LoadedData> {
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
    let Some(JlgHeader { nodes, edges, direction }) = declared else {
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
    // The format numbers nodes from 1; users see the numbers of their file.
    let ids = NodeIds::integers((1..=nodes).collect())?;
    let dataset = Dataset::new(stem(member), graph, ids)?;
    Ok(LoadedData::Nodes(dataset.with_notices(Notice::folded(&place, &report))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SelfLoops;
    use crate::formats::Limits;
    use proptest::prelude::*;

    fn bundle(text: impl Into<Vec<u8>>) -> Bundle {
        let limits = Limits { nodes: 1000, ..Limits::default() };
        Bundle::from_memory("m", [("net.jlg", text.into())], limits)
    }

    fn read_text(text: &str, options: &ReadOptions) -> Result<Dataset> {
        read(&bundle(text), options)?.into_nodes()
    }

    #[test]
    fn nodes_keep_their_names_and_isolated_ones_stay() {
        let data = read_text("4,3,u,graph\n1,2\n3,3\n2,1\n", &ReadOptions::default()).unwrap();
        assert_eq!(data.name(), "net");
        assert_eq!(data.graph().edges().collect::<Vec<_>>(), [(0, 1)]);
        assert_eq!(data.ids().iter().map(|id| id.to_string()).collect::<Vec<_>>().join(""), "1234");
        assert_eq!(data.notices().len(), 2);
    }

    #[test]
    fn direction_as_declared_or_as_asked() {
        let ask = |direction| ReadOptions { direction, ..ReadOptions::default() };
        let arcs = |text, direction| {
            let data = read_text(text, &ask(direction)).unwrap();
            (data.graph().direction(), data.graph().arcs().collect::<Vec<_>>())
        };
        use Direction::{Directed, Undirected};
        let directed = "2,1,d,graph,2,Int64,simplegraph\r\n2,1\r\n";
        assert_eq!(arcs(directed, None), (Directed, vec![(1, 0)]));
        assert_eq!(arcs(directed, Some(Undirected)), (Undirected, vec![(0, 1), (1, 0)]));
        let undirected = "2,1,u,graph\n1,2\n";
        assert_eq!(arcs(undirected, Some(Directed)), (Directed, vec![(0, 1), (1, 0)]));
        let keep = ReadOptions { self_loops: SelfLoops::Keep, ..ReadOptions::default() };
        let data = read_text("2,2,u,x\n1,1\n1,2", &keep).unwrap();
        assert_eq!((data.graph().edge_count(), data.graph().self_loop_count()), (2, 1));
    }

    #[test]
    fn what_does_not_hold_is_named() {
        for (text, expected) in [
            ("2,1,u,g\n1,3\n", "line 2: found node 3; expected nodes from 1 to 2"),
            ("2,1,u,g\n0,1\n", "line 2: found node 0; expected nodes from 1 to 2"),
            ("2,2,u,g\n1,2\n", "found 1 edges; expected 2, as line 1 declares"),
            ("2,1,u,g\n1,2\n1,2\n", "line 3: found one edge more; expected 1 edges"),
            ("2,1,u,g\n1;2\n", "line 2: found something else; expected an edge a,b"),
            ("2,1,x,g\n1,2\n", "line 1: found another first line; expected n,m,u,name"),
            ("2,1,u\n1,2\n", "line 1: found another first line"),
            ("-2,1,u,g\n", "line 1: found another first line"),
            (
                "1001,0,u,g\n",
                "line 1: number of nodes exceeds the limit of 1000; raise it with --max",
            ),
            ("18446744073709551615,0,u,g\n", "line 1: number of nodes exceeds"),
            ("", "found an empty file; expected a line n,m,u,name"),
        ] {
            let message = read_text(text, &ReadOptions::default()).unwrap_err().with_values();
            assert!(message.contains(expected), "{text:?}: {message}");
        }
    }

    #[test]
    fn recognised_by_its_first_line() {
        assert!(recognises(&bundle("81306,1342310,u,graph\n1,2\n")));
        assert!(!recognises(&bundle("1,2,3,graph\n")) && !recognises(&bundle("1,2\n")));
        assert!(!recognises(&bundle("")) && !recognises(&bundle(b"\xff".to_vec())));
    }

    proptest! {
        #[test]
        fn no_bytes_panic(
            bytes in proptest::collection::vec(any::<u8>(), 0..100),
            damage in proptest::collection::vec((0usize..40, any::<u8>()), 0..4),
        ) {
            let mut damaged = b"12,4,u,graph\n1,2\n3,4\n12,1\n7,7\n".to_vec();
            for (at, byte) in damage {
                if let Some(slot) = damaged.get_mut(at) {
                    *slot = if byte < 128 { b"0123456789,\n\rud-"[byte as usize % 16] } else { byte };
                }
            }
            for bytes in [bytes, damaged] {
                let bundle = bundle(bytes);
                recognises(&bundle);
                read(&bundle, &ReadOptions::default()).ok();
            }
        }
    }
}
