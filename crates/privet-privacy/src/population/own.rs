//! A part of a population: on a person's own device there is no other person's data.

use privet_graph::{Direction, Graph, NodeId};

use super::{GraphShape, NeighborList, Population};
use crate::error::{Error, Result};

/// One person's own list of contacts among many people: as large as the list, however many people there are.
#[derive(Debug, Clone)]
pub struct OwnList {
    owner: NodeId,
    neighbors: Vec<NodeId>,
    node_count: usize,
}

impl OwnList {
    /// The list of `owner` among `node_count` people.
    ///
    /// # Errors
    /// If it does not ascend, or names the owner or a node that does not exist. The message does not show what it names.
    pub fn new(owner: NodeId, neighbors: Vec<NodeId>, node_count: usize) -> Result<Self> {
        let ascends = neighbors.windows(2).all(|pair| pair[0] < pair[1]);
        let there = |node: NodeId| (node as usize) < node_count;
        let others = neighbors.last().is_none_or(|&last| there(last));
        if !(ascends && others && there(owner) && neighbors.binary_search(&owner).is_err()) {
            let expected = "of other people, each once, in the order of their places";
            return Err(Error::range("list", "something else", expected));
        }
        Ok(Self { owner, neighbors, node_count })
    }
}

/// Data that holds some records of a population, whose other people need not be there.
pub trait RecordsOf<P: Population> {
    /// What is public about the population.
    fn of_shape(&self) -> P::Shape;

    /// How many records are there.
    fn records(&self) -> usize;

    /// One of them, below [`RecordsOf::records`].
    fn own<'a>(&'a self, record: usize) -> P::Record<'a>
    where
        P: 'a;
}

/// All of it is a part of it.
impl<P: Population> RecordsOf<P> for P {
    fn of_shape(&self) -> P::Shape {
        self.shape()
    }

    fn records(&self) -> usize {
        self.user_count()
    }

    fn own<'a>(&'a self, record: usize) -> P::Record<'a>
    where
        P: 'a,
    {
        self.record(record)
    }
}

impl RecordsOf<Graph> for OwnList {
    /// An arc stands in the list of whom it goes out from.
    fn of_shape(&self) -> GraphShape {
        GraphShape { nodes: self.node_count, direction: Direction::Directed }
    }

    fn records(&self) -> usize {
        1
    }

    fn own<'a>(&'a self, _: usize) -> NeighborList<'a>
    where
        Graph: 'a,
    {
        let Self { owner, neighbors, node_count } = self;
        NeighborList { owner: *owner, neighbors, node_count: *node_count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_ones_own_is_of_others_in_order() {
        let list = OwnList::new(2, vec![0, 3], 4).unwrap();
        let NeighborList { owner, neighbors, node_count } = list.own(0);
        assert_eq!((owner, neighbors, node_count, list.records()), (2, &[0, 3][..], 4, 1));
        assert_eq!(list.of_shape(), GraphShape { nodes: 4, direction: Direction::Directed });
        for (owner, wrong) in
            [(2, vec![3, 0]), (2, vec![0, 0]), (2, vec![0, 2]), (2, vec![4]), (4, vec![])]
        {
            let message = OwnList::new(owner, wrong, 4).unwrap_err().to_string();
            assert!(message.contains("something else"), "{message}");
        }
    }
}
