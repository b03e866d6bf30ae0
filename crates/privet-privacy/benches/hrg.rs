//! Proposals of the tree chain per second, against recounting the edges of all three groups, in one run.
//!
//! `cargo bench -p privet-privacy --bench hrg`; real graphs are used where PRIVET_DATA_DIR has them.

use std::hint::black_box;
use std::time::Instant;

use privet_data::catalog;
use privet_data::formats::ReadOptions;
use privet_data::synthetic::BarabasiAlbert;
use privet_graph::{Direction, Graph, GraphBuilder, NodeId, SimRng};
use privet_privacy::edges::comparison::hrg::likelihood::log_likelihood;
use privet_privacy::edges::comparison::hrg::{
    Dendrogram, DendrogramChain, PrivateNodes, PublicFit, PublicGraph,
};
use rand_core::Rng;

type AnyError = Box<dyn std::error::Error>;

/// A tree by its children, in the obvious representation.
struct Plain<'a> {
    graph: &'a Graph,
    children: Vec<[u32; 2]>,
    parent: Vec<u32>,
    /// Which of the three groups a leaf is in; 3 for none.
    group: Vec<u8>,
}

impl<'a> Plain<'a> {
    fn new(graph: &'a Graph, tree: &Dendrogram) -> Self {
        let leaves = tree.leaf_count();
        let mut parent = vec![0; leaves + tree.internal_count()];
        for (index, pair) in tree.children().iter().enumerate() {
            pair.iter().for_each(|&child| parent[child as usize] = (leaves + index) as u32);
        }
        Self { graph, children: tree.children().to_vec(), parent, group: vec![3; leaves] }
    }

    fn leaves(&self, node: u32) -> Vec<NodeId> {
        let (mut open, mut leaves) = (vec![node], Vec::new());
        while let Some(node) = open.pop() {
            match (node as usize).checked_sub(self.group.len()) {
                None => leaves.push(node),
                Some(index) => open.extend(self.children[index]),
            }
        }
        leaves
    }

    /// The likelihood of the arrangement as it is, by recounting.
    fn propose(&mut self, choice: u64) -> f64 {
        let index = choice as usize + 1;
        let node = (self.group.len() + index) as u32;
        let parent = self.parent[node as usize] as usize - self.group.len();
        let [a, b] = self.children[index];
        let [left, right] = self.children[parent];
        let groups = [a, b, if left == node { right } else { left }].map(|g| self.leaves(g));
        for (at, leaves) in groups.iter().enumerate() {
            leaves.iter().for_each(|&leaf| self.group[leaf as usize] = at as u8);
        }
        let mut ties = [[0u64; 4]; 3];
        for (at, leaves) in groups.iter().enumerate() {
            for &leaf in leaves {
                for &other in self.graph.neighbors(leaf) {
                    ties[at][self.group[other as usize] as usize] += 1;
                }
            }
        }
        groups.iter().flatten().for_each(|&leaf| self.group[leaf as usize] = 3);
        let [a, b, c] = groups.map(|leaves| leaves.len() as u64);
        log_likelihood(ties[0][1], a * b) + log_likelihood(ties[0][2] + ties[1][2], (a + b) * c)
    }
}

fn seconds<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let out = black_box(work());
    (start.elapsed().as_secs_f64(), out)
}

fn compare(name: &str, graph: Graph) -> Result<(), AnyError> {
    let (nodes, edges) = (graph.node_count(), graph.edge_count());
    let ground = PublicGraph::new(graph.clone(), PrivateNodes::All)?;
    let start = Dendrogram::random(nodes, 1)?;
    let fit = PublicFit { steps_per_leaf: 10, seed: 1 };
    let (time, fitted) = seconds(|| fit.run(&ground, &start));
    let fitted = fitted?;
    let chain = DendrogramChain::public(&ground, &fitted.tree)?;
    let mut plain = Plain::new(&graph, &fitted.tree);
    // The same proposals for both; fewer for the slow one. Labels of internal nodes differ, so totals
    // over all nodes are what must agree.
    let mut rng = SimRng::new(5);
    let choices: Vec<u64> = (0..100_000).map(|_| rng.next_u64() % chain.choices()).collect();
    let (fast, sum) = seconds(|| {
        choices.iter().map(|&c| chain.propose(c).scores()[DendrogramChain::NOW].public).sum::<f64>()
    });
    let few = &choices[..(30_000_000 / nodes).clamp(100, 5_000)];
    let (slow, recounted) = seconds(|| few.iter().map(|&c| plain.propose(c)).sum::<f64>());
    let kept: f64 =
        few.iter().map(|&c| chain.propose(c).scores()[DendrogramChain::NOW].public).sum();
    assert!((kept - recounted).abs() < 1e-6 * kept.abs().max(1.0), "{kept} {recounted}");
    black_box(sum);
    let (fast, slow) = (choices.len() as f64 / fast, few.len() as f64 / slow);
    println!(
        "{name}: {nodes} nodes, {edges} edges: {fast:.0} proposals/s, recounting {slow:.0}/s, {:.0} times; \
         a step with its move {:.2} us ({:.0} % changed the tree)",
        fast / slow,
        1e6 * time / fitted.steps as f64,
        100.0 * fitted.changes as f64 / fitted.steps as f64,
    );
    Ok(())
}

fn real(name: &str) -> Option<Graph> {
    let folders = catalog::data_dirs(None);
    let loaded = catalog::select(name).ok()?.load(&folders, &ReadOptions::default()).ok()?;
    let dataset = loaded.into_nodes().ok()?;
    let edges = dataset.graph().edges();
    let builder = GraphBuilder::new(dataset.graph().node_count(), Direction::Undirected);
    Some(builder.edges(edges).build().ok()?.0)
}

fn main() -> Result<(), AnyError> {
    for name in ["cora", "facebook"] {
        match real(name) {
            Some(graph) => compare(name, graph)?,
            None => println!("{name}: skipped, it is not on this machine"),
        }
    }
    let grown = BarabasiAlbert { nodes: 100_000, edges_per_node: 5 }.generate(1)?;
    compare("preferential attachment", grown.graph().clone())
}
