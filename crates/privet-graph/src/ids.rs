//! [`NodeIds`]: the ids users gave their nodes, mapped once to `0..n` and printed in every output.

use std::fmt;

use rustc_hash::FxHashMap;

use crate::{Error, NodeId, Result};

/// A user's id of a node: a 64-bit integer, or text.
///
/// ```
/// use privet_graph::Id;
/// assert_eq!(Id::parse("17"), Id::Integer(17));
/// assert_eq!(Id::parse("017"), Id::Text("017"));   // would not survive a round trip as a number
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Id<'a> {
    /// An integer.
    Integer(u64),
    /// Anything else.
    Text(&'a str),
}

impl<'a> Id<'a> {
    /// The integer that `text` writes in its plainest form, or else the text itself.
    pub fn parse(text: &'a str) -> Self {
        let plain = text == "0" || (!text.starts_with('0') && !text.starts_with('+'));
        match text.parse() {
            Ok(number) if plain => Self::Integer(number),
            _ => Self::Text(text),
        }
    }
}

impl fmt::Display for Id<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => number.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

/// The users' ids of nodes `0..len`, all distinct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeIds(Repr);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Repr {
    /// Node `u` is called `u`: most published graphs; costs nothing.
    Sequential(usize),
    Integers(Vec<u64>),
    /// All names in one buffer; name `u` ends at `ends[u]`.
    Texts {
        buffer: String,
        ends: Vec<usize>,
    },
}

impl NodeIds {
    /// Nodes called `0, 1, ..., len - 1`.
    pub fn sequential(len: usize) -> Self {
        Self(Repr::Sequential(len))
    }

    /// Integer ids, in node order.
    ///
    /// # Errors
    /// If two are equal.
    pub fn integers(ids: Vec<u64>) -> Result<Self> {
        if ids.iter().enumerate().all(|(node, &id)| node as u64 == id) {
            return Ok(Self::sequential(ids.len()));
        }
        // Ascending ids, as most readers make them, are distinct without a table to prove it.
        let ascending = ids.is_sorted_by(|earlier, later| earlier < later);
        let ids = Self(Repr::Integers(ids));
        if !ascending {
            ids.check_distinct()?;
        }
        Ok(ids)
    }

    /// Ids as text, in node order; if all are plain integers they are kept as integers.
    ///
    /// # Errors
    /// If two are equal.
    pub fn texts<S: AsRef<str>>(ids: impl IntoIterator<Item = S>) -> Result<Self> {
        let (mut buffer, mut ends, mut integers) = (String::new(), Vec::new(), Some(Vec::new()));
        for id in ids {
            if let Some(list) = &mut integers {
                match Id::parse(id.as_ref()) {
                    Id::Integer(number) => list.push(number),
                    Id::Text(_) => integers = None,
                }
            }
            buffer.push_str(id.as_ref());
            ends.push(buffer.len());
        }
        if let Some(integers) = integers {
            return Self::integers(integers);
        }
        let ids = Self(Repr::Texts { buffer, ends });
        ids.check_distinct()?;
        Ok(ids)
    }

    fn check_distinct(&self) -> Result<()> {
        let mut seen = FxHashMap::default();
        for node in 0..self.len() as NodeId {
            if let Some(first) = seen.insert(self.get(node), node) {
                let found = format!("'{}' for nodes {first} and {node}", self.get(node));
                return Err(Error::invalid("node id", found, "distinct ids"));
            }
        }
        Ok(())
    }

    /// How many nodes are named.
    pub fn len(&self) -> usize {
        match &self.0 {
            Repr::Sequential(len) => *len,
            Repr::Integers(ids) => ids.len(),
            Repr::Texts { ends, .. } => ends.len(),
        }
    }

    /// Whether no node is named.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether every node is called by its own position.
    pub fn is_sequential(&self) -> bool {
        matches!(self.0, Repr::Sequential(_))
    }

    /// Whether all ids are integers.
    pub fn are_integers(&self) -> bool {
        !matches!(self.0, Repr::Texts { .. })
    }

    /// The id of `node`.
    ///
    /// # Panics
    /// If `node` is not below [`NodeIds::len`].
    pub fn get(&self, node: NodeId) -> Id<'_> {
        let at = node as usize;
        match &self.0 {
            Repr::Sequential(len) => {
                assert!(at < *len, "node {at} of {len}");
                Id::Integer(at as u64)
            }
            Repr::Integers(ids) => Id::Integer(ids[at]),
            Repr::Texts { buffer, ends } => {
                let start = if at == 0 { 0 } else { ends[at - 1] };
                Id::Text(&buffer[start..ends[at]])
            }
        }
    }

    /// All ids in node order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Id<'_>> + '_ {
        (0..self.len() as NodeId).map(|node| self.get(node))
    }

    /// The ids of some nodes, in the order given.
    pub fn select(&self, nodes: &[NodeId]) -> Self {
        Self(match &self.0 {
            Repr::Texts { .. } => {
                let (mut buffer, mut ends) = (String::new(), Vec::with_capacity(nodes.len()));
                for &node in nodes {
                    if let Id::Text(text) = self.get(node) {
                        buffer.push_str(text);
                    }
                    ends.push(buffer.len());
                }
                Repr::Texts { buffer, ends }
            }
            Repr::Integers(ids) => Repr::Integers(nodes.iter().map(|&u| ids[u as usize]).collect()),
            Repr::Sequential(_) if nodes.iter().enumerate().all(|(i, &u)| i == u as usize) => {
                Repr::Sequential(nodes.len())
            }
            Repr::Sequential(_) => Repr::Integers(nodes.iter().map(|&u| u64::from(u)).collect()),
        })
    }

    /// A table that finds the node of an id; build it once for many look-ups.
    pub fn index(&self) -> IdIndex<'_> {
        let nodes = match self.0 {
            Repr::Sequential(_) => None,
            _ => Some(self.iter().zip(0..).collect()),
        };
        IdIndex { len: self.len(), nodes }
    }
}

/// Finds the node of an id. Made by [`NodeIds::index`].
#[derive(Debug)]
pub struct IdIndex<'a> {
    len: usize,
    /// `None` if every node is called by its position.
    nodes: Option<FxHashMap<Id<'a>, NodeId>>,
}

impl IdIndex<'_> {
    /// The node called `id`, if there is one.
    pub fn node(&self, id: Id<'_>) -> Option<NodeId> {
        match &self.nodes {
            Some(nodes) => nodes.get(&id).copied(),
            None => match id {
                Id::Integer(at) if at < self.len as u64 => Some(at as NodeId),
                _ => None,
            },
        }
    }
}

/// Numbers ids in the order in which they first appear.
#[derive(Debug, Default)]
pub struct IdInterner {
    nodes: FxHashMap<Box<str>, NodeId>,
}

impl IdInterner {
    /// The node called `id`: the one it had, or the next.
    pub fn intern(&mut self, id: &str) -> NodeId {
        if let Some(&node) = self.nodes.get(id) {
            return node;
        }
        let node = self.nodes.len() as NodeId;
        self.nodes.insert(id.into(), node);
        node
    }

    /// How many distinct ids were seen.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether no id was seen.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The ids in the order of their nodes.
    pub fn finish(self) -> Result<NodeIds> {
        let mut names: Vec<(Box<str>, NodeId)> = self.nodes.into_iter().collect();
        names.sort_unstable_by_key(|&(_, node)| node);
        NodeIds::texts(names.into_iter().map(|(name, _)| name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_are_plain_integers_become_integers() {
        assert!(NodeIds::texts(["0", "1", "2"]).unwrap().is_sequential());
        assert!(NodeIds::texts(["5", "18446744073709551615"]).unwrap().are_integers());
        assert!(!NodeIds::texts(["5", "05"]).unwrap().are_integers());
    }

    #[test]
    fn repeats_are_refused_by_name() {
        let error = NodeIds::texts(["a", "b", "a"]).unwrap_err().to_string();
        assert_eq!(error, "node id is 'a' for nodes 0 and 2; expected distinct ids");
        assert!(NodeIds::integers(vec![7, 7]).is_err());
    }

    #[test]
    fn look_up_inverts_get_and_select_keeps_order() {
        for ids in [
            NodeIds::sequential(4),
            NodeIds::integers(vec![9, 2, 7, u64::MAX]).unwrap(),
            NodeIds::texts(["x", "", "yy", "z"]).unwrap(),
        ] {
            let index = ids.index();
            for node in 0..4 {
                assert_eq!(index.node(ids.get(node)), Some(node));
            }
            assert_eq!(index.node(Id::Text("absent")), None);
            let picked = ids.select(&[3, 1]);
            assert_eq!((picked.get(0), picked.get(1)), (ids.get(3), ids.get(1)));
        }
    }

    #[test]
    fn interner_numbers_by_first_appearance() {
        let mut interner = IdInterner::default();
        let nodes: Vec<_> = ["b", "a", "b", "c"].map(|id| interner.intern(id)).into();
        assert_eq!(nodes, [0, 1, 0, 2]);
        let ids = interner.finish().unwrap();
        assert_eq!(ids.iter().map(|id| id.to_string()).collect::<Vec<_>>(), ["b", "a", "c"]);
    }
}
