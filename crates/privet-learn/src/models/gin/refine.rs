//! Colour refinement over all graphs of a set at once: equal colours in different graphs are one.

use std::collections::HashMap;
use std::hash::Hash;

use privet_graph::Graph;

/// The colours of one round.
#[derive(Debug, Clone)]
pub(super) struct ColourRound {
    pub colours: usize,
    /// For each colour, the colours of the round before in its closed neighbourhood, and how often.
    /// Empty in round 0.
    pub neighbourhoods: ColourCounts,
    /// For each graph, its colours, and how often.
    pub graphs: ColourCounts,
}

/// Rows of (colour, how often), by ascending colour.
#[derive(Debug, Clone)]
pub(super) struct ColourCounts {
    offsets: Vec<usize>,
    entries: Vec<(u32, u32)>,
}

impl ColourCounts {
    fn new() -> Self {
        Self { offsets: vec![0], entries: Vec::new() }
    }

    fn push_row(&mut self, entries: impl IntoIterator<Item = (u32, u32)>) {
        self.entries.extend(entries);
        self.offsets.push(self.entries.len());
    }

    pub fn row(&self, row: usize) -> &[(u32, u32)] {
        &self.entries[self.offsets[row]..self.offsets[row + 1]]
    }
}

impl ColourRound {
    /// The first level: colours that are given.
    pub fn of_colours(graphs: &[Graph], colours: &[u32]) -> Self {
        Self::new(graphs, colours, ColourCounts::new())
    }

    fn new(graphs: &[Graph], colours: &[u32], neighbourhoods: ColourCounts) -> Self {
        // One buffer is sorted for every graph: only counts of colours are kept.
        let (mut of_graphs, mut left, mut sorted) = (ColourCounts::new(), colours, Vec::new());
        for graph in graphs {
            let (head, tail) = left.split_at(graph.node_count());
            left = tail;
            sorted.clear();
            sorted.extend_from_slice(head);
            of_graphs.push_row(counted(&mut sorted));
        }
        // Colours are numbered without gaps, so the largest number gives their count.
        let count = colours.iter().max().map_or(0, |&most| most as usize + 1);
        Self { colours: count, neighbourhoods, graphs: of_graphs }
    }
}

/// Numbers values in the order in which they are first seen.
pub(super) fn first_colours<T: Hash + Eq + Clone>(
    values: impl Iterator<Item = T>,
) -> (Vec<T>, Vec<u32>) {
    let (mut kinds, mut numbers) = (Vec::new(), HashMap::new());
    let colours = values
        .map(|value| match numbers.get(&value) {
            Some(&number) => number,
            None => {
                let number = kinds.len() as u32;
                kinds.push(value.clone());
                numbers.insert(value, number);
                number
            }
        })
        .collect();
    (kinds, colours)
}

/// One round: the new colour of a node is the multiset of old colours of the node and its neighbours.
pub(super) fn refine(graphs: &[Graph], colours: &mut Vec<u32>) -> ColourRound {
    // Multisets in, colours out: numbered in the order in which they are met, which does not depend
    // on hashing.
    let mut numbers: HashMap<Box<[(u32, u32)]>, u32> = HashMap::new();
    let mut neighbourhoods = ColourCounts::new();
    let mut new = Vec::with_capacity(colours.len());
    let (mut around, mut key) = (Vec::new(), Vec::new());
    let mut start = 0;
    for graph in graphs {
        let of_graph = &colours[start..start + graph.node_count()];
        // Colours of all graphs stand in one array, graph after graph.
        start += graph.node_count();
        for u in graph.nodes() {
            around.clear();
            // One round of colour refinement (Weisfeiler and Leman): nodes with equal multisets in their closed
            // neighbourhoods get one colour, since GIN-0 computes the same row for them.
            around.push(of_graph[u as usize]);
            around.extend(graph.neighbors(u).iter().map(|&v| of_graph[v as usize]));
            key.clear();
            key.extend(counted(&mut around));
            let colour = match numbers.get(&key[..]) {
                Some(&colour) => colour,
                None => {
                    let colour = numbers.len() as u32;
                    neighbourhoods.push_row(key.iter().copied());
                    numbers.insert(key.clone().into(), colour);
                    colour
                }
            };
            new.push(colour);
        }
    }
    *colours = new;
    ColourRound::new(graphs, colours, neighbourhoods)
}

/// The distinct values of a list and how often each occurs; sorts the list.
fn counted(values: &mut [u32]) -> impl Iterator<Item = (u32, u32)> + '_ {
    // Sorting makes equal multisets equal keys.
    values.sort_unstable();
    values.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32))
}

#[cfg(test)]
mod tests {
    use privet_graph::{Direction, GraphBuilder};

    use super::*;

    fn graph(nodes: usize, edges: &[(u32, u32)]) -> Graph {
        let builder = GraphBuilder::new(nodes, Direction::Undirected);
        builder.edges(edges.iter().copied()).build().unwrap().0
    }

    #[test]
    fn a_path_and_a_star_split_as_by_hand() {
        let graphs = [graph(4, &[(0, 1), (1, 2), (2, 3)]), graph(4, &[(0, 1), (0, 2), (0, 3)])];
        let mut colours = vec![0; 8];
        let first = refine(&graphs, &mut colours);
        // By degree + 1: ends 2, inner nodes 3, hub 4.
        assert_eq!(colours, [0, 1, 1, 0, 2, 0, 0, 0]);
        assert_eq!(first.neighbourhoods.row(2), [(0, 4)]);
        assert_eq!(first.graphs.row(1), [(0, 3), (2, 1)]);
        let second = refine(&graphs, &mut colours);
        // An end of the path sees an inner node, a leaf of the star sees the hub.
        assert_eq!(colours, [0, 1, 1, 0, 2, 3, 3, 3]);
        assert_eq!((second.colours, second.neighbourhoods.row(1)), (4, &[(0, 1), (1, 2)][..]));
    }

    #[test]
    fn values_are_numbered_as_they_come() {
        let (kinds, colours) = first_colours(["b", "a", "b"].into_iter());
        assert_eq!((kinds, colours), (vec!["b", "a"], vec![0, 1, 0]));
    }
}
