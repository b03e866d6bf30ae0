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
        // "007" and "+7" are texts: as numbers they would be printed differently, and might equal
        // another id.
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
        // 0..n-1 needs no list at all.
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
            // All ids are numbers, or all are kept as texts; the first text decides.
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
                return Err(Error::invalid_data("node id", found, "distinct ids"));
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
                // Texts stand in one buffer, each from the end of the one before.
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
            // The first n nodes in their order keep their ids without a list.
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
        // Ids 0..n-1 are their own places.
        match &self.nodes {
            Some(nodes) => nodes.get(&id).copied(),
            None => match id {
                Id::Integer(at) if at < self.len as u64 => Some(at as NodeId),
                _ => None,
            },
        }
    }

    /// The node that a text names. Ids are all integers or all text, whatever another list of them was taken for,
    /// so at most one of the two is there.
    pub fn named(&self, text: &str) -> Option<NodeId> {
        // A number may be an id of a set of texts.
        self.node(Id::parse(text)).or_else(|| self.node(Id::Text(text)))
    }
}

/// Numbers ids in the order in which they first appear. Integers, however they were written, are
/// hashed as integers; those that come as `0, 1, 2, ...` are not stored at all.
#[derive(Debug, Default)]
pub struct IdInterner {
    /// The first nodes are called by their own position; this many of them.
    counted: NodeId,
    integers: FxHashMap<u64, NodeId>,
    texts: FxHashMap<Box<str>, NodeId>,
}

impl IdInterner {
    /// The node called `id`: the one it had, or the next.
    pub fn intern(&mut self, id: &str) -> NodeId {
        self.intern_id(Id::parse(id))
    }

    /// The node called `id`: the one it had, or the next.
    pub fn intern_id(&mut self, id: Id<'_>) -> NodeId {
        if let Some(node) = self.node(id) {
            return node;
        }
        let next = self.len() as NodeId;
        match id {
            // Ids that come as 0, 1, 2, ... need no table; the first that does not ends this.
            Id::Integer(number) if number == u64::from(next) && next == self.counted => {
                self.counted += 1;
            }
            Id::Integer(number) => {
                self.integers.insert(number, next);
            }
            Id::Text(text) => {
                self.texts.insert(text.into(), next);
            }
        }
        next
    }

    /// The node called `id`, if there is one.
    pub fn node(&self, id: Id<'_>) -> Option<NodeId> {
        match id {
            Id::Integer(number) if number < u64::from(self.counted) => Some(number as NodeId),
            Id::Integer(number) => self.integers.get(&number).copied(),
            Id::Text(text) => self.texts.get(text).copied(),
        }
    }

    /// How many distinct ids were seen.
    pub fn len(&self) -> usize {
        self.counted as usize + self.integers.len() + self.texts.len()
    }

    /// Whether no id was seen.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The ids in an order that says nothing about who was met when: integers ascending, then text
    /// ascending. With them, the new node of each old one.
    pub fn finish_sorted(self) -> Result<(NodeIds, Vec<NodeId>)> {
        let mut integers: Vec<(u64, NodeId)> = self.integers.into_iter().collect();
        integers.extend((0..self.counted).map(|node| (u64::from(node), node)));
        let mut texts: Vec<(Box<str>, NodeId)> = self.texts.into_iter().collect();
        // Numbers first, then texts, each in their order: the result does not depend on the order
        // of the file.
        integers.sort_unstable();
        texts.sort_unstable();
        let mut new = vec![0; integers.len() + texts.len()];
        let old = integers.iter().map(|&(_, old)| old).chain(texts.iter().map(|&(_, old)| old));
        old.zip(0..).for_each(|(old, node)| new[old as usize] = node);
        let ids = if texts.is_empty() {
            NodeIds::integers(integers.into_iter().map(|(id, _)| id).collect())
        } else {
            let numbers = integers.into_iter().map(|(id, _)| id.to_string().into_boxed_str());
            NodeIds::texts(numbers.chain(texts.into_iter().map(|(text, _)| text)))
        };
        Ok((ids?, new))
    }

    /// The ids in the order of their nodes.
    pub fn finish(self) -> Result<NodeIds> {
        let mut integers: Vec<(NodeId, u64)> =
            self.integers.into_iter().map(|(id, node)| (node, id)).collect();
        // What was only counted joins the list in its place.
        integers.extend((0..self.counted).map(|node| (node, u64::from(node))));
        if self.texts.is_empty() {
            integers.sort_unstable();
            return NodeIds::integers(integers.into_iter().map(|(_, id)| id).collect());
        }
        let mut names: Vec<(NodeId, Box<str>)> =
            self.texts.into_iter().map(|(name, node)| (node, name)).collect();
        names.extend(integers.into_iter().map(|(node, id)| (node, id.to_string().into())));
        names.sort_unstable();
        NodeIds::texts(names.into_iter().map(|(_, name)| name))
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
        let error = NodeIds::texts(["a", "b", "a"]).unwrap_err().with_values();
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

    #[test]
    fn sorted_ids_do_not_tell_who_was_met_when() {
        for order in [["b", "10", "a", "9"], ["9", "a", "b", "10"]] {
            let mut interner = IdInterner::default();
            let old = order.map(|id| interner.intern(id));
            let (ids, new) = interner.finish_sorted().unwrap();
            assert_eq!(
                ids.iter().map(|id| id.to_string()).collect::<Vec<_>>(),
                ["9", "10", "a", "b"]
            );
            for (id, node) in order.iter().zip(old) {
                assert_eq!(ids.get(new[node as usize]).to_string(), *id);
            }
        }
        let mut interner = IdInterner::default();
        for id in ["7", "0", "1"] {
            interner.intern(id);
        }
        let (ids, new) = interner.finish_sorted().unwrap();
        assert_eq!((ids, new), (NodeIds::integers(vec![0, 1, 7]).unwrap(), vec![2, 0, 1]));
    }

    #[test]
    fn interner_knows_an_integer_however_it_comes() {
        let mut interner = IdInterner::default();
        let ids = [Id::Integer(0), Id::parse("1"), Id::Integer(7), Id::Integer(3), Id::parse("7")];
        assert_eq!(ids.map(|id| interner.intern_id(id)), [0, 1, 2, 3, 2]);
        assert_eq!(interner.intern("x"), 4);
        assert_eq!((interner.intern("1"), interner.intern("01"), interner.len()), (1, 5, 6));
        let ids = interner.finish().unwrap();
        assert_eq!(ids, NodeIds::texts(["0", "1", "7", "3", "x", "01"]).unwrap());
    }
}
