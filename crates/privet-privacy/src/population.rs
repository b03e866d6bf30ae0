//! [`Population`]: data that belongs to users, one record each.
//!
//! A local mechanism sees one record at a time and nothing else: no column ranges, no neighbours of
//! neighbours, nothing another user could have influenced.

use std::ops::Range;

use privet_graph::{Direction, FeatureMatrix, Features, Graph, Labels, NodeId};

use crate::error::{Error, Result};
use crate::ledger::PairCost;

/// Data of which some facts are public: how much of it there is and of which kind, never what it says.
pub trait PublicShape {
    /// Those facts. The holder of a [`Secret`](crate::Secret) may ask for them, at no cost.
    type Shape;

    /// Those facts about this data.
    fn shape(&self) -> Self::Shape;
}

/// The public facts about a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableShape {
    /// How many people have a row.
    pub rows: usize,
    /// How many columns a row has.
    pub columns: usize,
}

/// The public facts about a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphShape {
    /// How many nodes there are.
    pub nodes: usize,
    /// Whether an edge stands in two lists or in one.
    pub direction: Direction,
}

impl GraphShape {
    /// What a release costs a pair of users: in a directed graph an arc stands in one list, and there is no pair.
    pub(crate) fn pair(self, cost: PairCost) -> Option<PairCost> {
        (self.direction == Direction::Undirected).then_some(cost)
    }
}

/// The public facts about labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LabelsShape {
    /// Number of people.
    pub users: usize,
    /// How many classes there are.
    pub classes: usize,
}

/// Data of many users, handed out one record at a time.
pub trait Population: PublicShape + Sync {
    /// What one user holds.
    type Record<'a>
    where
        Self: 'a;

    /// How many users there are.
    fn user_count(&self) -> usize;

    /// The record of one user, below [`Population::user_count`].
    fn record(&self, user: usize) -> Self::Record<'_>;

    /// These users' records will not be asked for again soon: if they lie in a file, they need not stay in memory.
    fn release(&self, _users: Range<usize>) {}
}

/// One user's feature row: a value for every column, found in O(log of its nonzeros) if sparse;
/// ascending columns are found faster in one [`walk`](FeatureRecord::walk).
#[derive(Debug, Clone, Copy)]
pub struct FeatureRecord<'a> {
    columns: usize,
    row: RecordRow<'a>,
}

#[derive(Debug, Clone, Copy)]
enum RecordRow<'a> {
    Dense(&'a [f32]),
    Sparse(&'a [u32], &'a [f32]),
}

impl FeatureRecord<'_> {
    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The value in `column`.
    #[inline]
    pub fn value(&self, column: u32) -> f32 {
        match self.row {
            RecordRow::Dense(values) => values[column as usize],
            RecordRow::Sparse(columns, values) => {
                let at = columns.partition_point(|&at| at < column);
                match (columns.get(at), values.get(at)) {
                    (Some(&found), Some(&value)) if found == column => value,
                    _ => 0.0,
                }
            }
        }
    }
}

impl<'a> FeatureRecord<'a> {
    /// Columns and values, zeros of a sparse row left out.
    pub fn entries(&self) -> impl Iterator<Item = (u32, f32)> + 'a {
        let (dense, columns, values): (&[f32], &[u32], &[f32]) = match self.row {
            RecordRow::Dense(values) => (values, &[], &[]),
            RecordRow::Sparse(columns, values) => (&[], columns, values),
        };
        let sparse = columns.iter().copied().zip(values.iter().copied());
        (0..).zip(dense.iter().copied()).chain(sparse)
    }

    /// A walk through the row, for columns asked in ascending order.
    pub fn walk(&self) -> RowWalk<'a> {
        RowWalk { row: self.row }
    }
}

/// A walk through a feature row.
#[derive(Debug, Clone)]
pub struct RowWalk<'a> {
    row: RecordRow<'a>,
}

/// So many stored values are passed one by one; farther ahead, halving is faster.
const NEAR: usize = 8;

impl RowWalk<'_> {
    /// The value in `column`, which must not be below a column asked before.
    #[inline]
    pub fn value(&mut self, column: u32) -> f32 {
        let (columns, values) = match &mut self.row {
            RecordRow::Dense(values) => return values[column as usize],
            RecordRow::Sparse(columns, values) => (columns, values),
        };
        let near = columns.len().min(NEAR);
        let mut passed = columns[..near].iter().take_while(|&&at| at < column).count();
        if passed == NEAR {
            passed += columns[NEAR..].partition_point(|&at| at < column);
        }
        (*columns, *values) = (&columns[passed..], &values[passed..]);
        match (columns.first(), values.first()) {
            (Some(&at), Some(&value)) if at == column => value,
            _ => 0.0,
        }
    }
}

impl PublicShape for Features {
    type Shape = TableShape;

    fn shape(&self) -> TableShape {
        TableShape { rows: self.rows(), columns: self.columns() }
    }
}

impl Population for Features {
    type Record<'a> = FeatureRecord<'a>;

    fn user_count(&self) -> usize {
        self.rows()
    }

    fn record(&self, user: usize) -> FeatureRecord<'_> {
        let row = match self.matrix() {
            FeatureMatrix::Dense(matrix) => RecordRow::Dense(matrix.row(user)),
            FeatureMatrix::Sparse(matrix) => {
                let (columns, values) = matrix.row(user);
                RecordRow::Sparse(columns, values)
            }
        };
        FeatureRecord { columns: self.columns(), row }
    }

    fn release(&self, users: Range<usize>) {
        match self.matrix() {
            FeatureMatrix::Dense(matrix) => matrix.release(users),
            FeatureMatrix::Sparse(matrix) => matrix.release(users),
        }
    }
}

/// One user's neighbour list.
#[derive(Debug, Clone, Copy)]
pub struct NeighborList<'a> {
    /// The user.
    pub owner: NodeId,
    /// The user's neighbours, ascending, without the user.
    pub neighbors: &'a [NodeId],
    /// How many nodes the graph has; public.
    pub node_count: usize,
}

impl PublicShape for Graph {
    type Shape = GraphShape;

    fn shape(&self) -> GraphShape {
        GraphShape { nodes: self.node_count(), direction: self.direction() }
    }
}

impl Population for Graph {
    type Record<'a> = NeighborList<'a>;

    fn user_count(&self) -> usize {
        self.node_count()
    }

    fn record(&self, user: usize) -> NeighborList<'_> {
        let owner = user as NodeId;
        NeighborList { owner, neighbors: self.neighbors(owner), node_count: self.node_count() }
    }

    fn release(&self, users: Range<usize>) {
        Self::release(self, users);
    }
}

/// The users of many graphs, one graph after the other. A person in several graphs is a user
/// of each: what is promised is promised for each list.
#[derive(Debug, Clone)]
pub struct ManyGraphs {
    graphs: Vec<Graph>,
    /// The first user of each graph, and the number of all users.
    starts: Vec<usize>,
}

impl ManyGraphs {
    /// Numbers the users of graph 0 first, then those of graph 1, ...
    pub fn new(graphs: Vec<Graph>) -> Self {
        let mut starts = vec![0];
        for graph in &graphs {
            starts.push(starts.last().copied().unwrap_or(0) + graph.node_count());
        }
        Self { graphs, starts }
    }

    pub(crate) fn graphs(&self) -> &[Graph] {
        &self.graphs
    }
}

impl PublicShape for ManyGraphs {
    type Shape = Vec<GraphShape>;

    fn shape(&self) -> Vec<GraphShape> {
        self.graphs().iter().map(PublicShape::shape).collect()
    }
}

impl Population for ManyGraphs {
    type Record<'a> = NeighborList<'a>;

    fn user_count(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    fn record(&self, user: usize) -> NeighborList<'_> {
        // An empty graph shares its start with the next one: the last start that is not above the user is the
        // user's own.
        let graph = self.starts.partition_point(|&start| start <= user) - 1;
        self.graphs[graph].record(user - self.starts[graph])
    }
}

impl PublicShape for Labels {
    type Shape = LabelsShape;

    fn shape(&self) -> LabelsShape {
        LabelsShape { users: self.len(), classes: self.class_count() }
    }
}

impl Population for Labels {
    /// The user's class; `None` if the user has none to report.
    type Record<'a> = Option<u32>;

    fn user_count(&self) -> usize {
        self.len()
    }

    fn record(&self, user: usize) -> Option<u32> {
        self.class(user as NodeId)
    }
}

impl PublicShape for Vec<f32> {
    type Shape = usize;

    fn shape(&self) -> usize {
        self.len()
    }
}

/// Plain numbers, one per user: for one-dimensional mechanisms and for audits.
impl Population for Vec<f32> {
    type Record<'a> = f32;

    fn user_count(&self) -> usize {
        self.len()
    }

    fn record(&self, user: usize) -> f32 {
        self[user]
    }
}

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
    /// An arc stands in the list of its first node.
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
    use privet_graph::{DenseMatrix, SparseBuilder};
    use proptest::prelude::*;

    use super::*;

    /// Users are those of the graphs in order, empty graphs passed over.
    #[test]
    fn users_of_many_graphs_are_numbered_through() {
        let path = |nodes: usize| {
            let edges = (1..nodes as u32).map(|v| (v - 1, v));
            let builder = privet_graph::GraphBuilder::new(nodes, Direction::Undirected);
            builder.edges(edges).build().unwrap().0
        };
        let many = ManyGraphs::new(vec![path(3), path(0), path(2)]);
        let cost: Vec<(u32, Vec<u32>, usize)> = (0..many.user_count())
            .map(|user| many.record(user))
            .map(|list| (list.owner, list.neighbors.to_vec(), list.node_count))
            .collect();
        let expected = [
            (0, vec![1], 3),
            (1, vec![0, 2], 3),
            (2, vec![1], 3),
            (0, vec![1], 2),
            (1, vec![0], 2),
        ];
        assert_eq!(cost, expected);
    }

    proptest! {
        /// A walk finds what a search finds, near and far, in columns that repeat or are skipped.
        #[test]
        fn walking_is_searching(
            values in prop::collection::vec(prop::option::of(1f32..2.0), 1..200),
            mut asked in prop::collection::vec(any::<prop::sample::Index>(), 0..40)
        ) {
            let columns = values.len();
            let mut builder = SparseBuilder::new(columns);
            let mut stored: Vec<(u32, f32)> =
                (0..).zip(&values).filter_map(|(at, value)| Some((at, (*value)?))).collect();
            builder.push_row(&mut stored).unwrap();
            let sparse = Features::sparse(builder.finish());
            let row = values.iter().map(|value| value.unwrap_or(0.0)).collect();
            let dense = Features::dense(DenseMatrix::new(1, columns, row).unwrap());
            asked.sort_by_key(|index| index.index(columns));
            for features in [&sparse, &dense] {
                let (record, mut walk) = (features.record(0), features.record(0).walk());
                for index in &asked {
                    let column = index.index(columns) as u32;
                    prop_assert_eq!(walk.value(column), record.value(column));
                    prop_assert_eq!(record.value(column), values[column as usize].unwrap_or(0.0));
                }
            }
        }
    }

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
