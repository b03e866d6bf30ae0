//! EdgeRR: public edges as they are, private edges redrawn from noisy counts over a tree of groups.
//!
//! # Idea
//! Some edges are public. They show which people belong together, as a [`Dendrogram`]; the curator counts
//! the private edges between and within its groups, adds noise, and draws as many edges anew.
//!
//! # Equation
//! For every block of pairs ([`PairBlocks`]) `e~ = e + DLap(eps2)`. The tree comes from one of
//!
//! | mode | tree | what is charged |
//! |---|---|---|
//! | [`EdgeRr::public_tree`] | any tree made without private edges | nothing |
//! | [`EdgeRr::private_tree`] | `T` heat-bath steps on `exp(L_pub + c L_pri)` | `T` picks of bounded range `2 c Delta` |
//! | [`EdgeRr::paper`] | Metropolis steps on public and private edges in turn, as printed | unproven: infinite |
//! | [`EdgeRr::priv_hrg`] | Metropolis steps on `exp(c L_pri)`, all edges private | unproven: infinite |
//!
//! # Guarantee
//! Unit [`Edge`]: one private edge more or less, between nodes that were declared to be able to have
//! some; public edges, nodes and that declaration are the same for both neighbours.
//!
//! *Counts.* Given the tree, each candidate pair is in one block, and which pairs a block has does not
//! depend on private edges. One edge moves one count by 1, so all noisy counts together cost `eps2`
//! (parallel composition), one draw per block. Repairing counts and drawing edges is post-processing. ∎
//!
//! *Public tree.* The tree is a value of type [`Public`]: the whole budget goes to the counts. ∎
//!
//! *Private tree.* A step picks a node from public randomness and one of three arrangements by the
//! exponential mechanism with the score `c L_pri + L_pub`, of which `L_pub` is the same for both
//! neighbours. `L_pri` moves by at most `Delta` (see [`crate::edges::comparison::hrg::likelihood`]), so the pick has range `2 c Delta`
//! whatever the tree was. `T` is fixed; nothing about the chain but its last tree is released. `T` adaptive
//! picks of range `eta` cost `T eta` in pure terms and `T eta²/8` in zCDP, whether the chain has
//! converged or not. Scores are rounded to a lattice of 2⁻²⁰ nat and [`ExponentialSelection`] is exact; the
//! sensitivity in lattice steps includes 2⁻¹⁰ nat for the rounding of logarithms. ∎
//!
//! *Paper and privHRG.* If the chain had converged to `exp(c L_pri)`, the tree would cost `2 c Delta`.
//! That cannot be checked; after one Metropolis step the true epsilon is infinite (a tree that stays may
//! be impossible under a neighbour). The card says infinite and names the stationary figure.
//!
//! # Paper
//! HeteroRR, section III-B, algorithms 2 and 3; privHRG of Xiao, Chen and Tan, 2014.
//!
//! # Differs from paper
//! Who may have private edges is declared, not read off the data (else epsilon is infinite). All public
//! edges are kept; the printed algorithm overwrites those between private nodes. A lumped subtree is
//! drawn once, not once per child (else 3 eps2 or more). One target instead of two in turn; the factor 2
//! of the exponential mechanism and the appendix's sensitivity in the private tree. Blocks get exactly as
//! many edges as their repaired count says, instead of a coin for each pair.
//!
//! # Cost
//! `O(m log n)` to count, `O(edges drawn)` to draw; a step of the chain see `hrg/chain.rs`.
//!
//! # Numerics
//! Exact. The modes that prove nothing use floats.

mod growth;

use privet_graph::Graph;
use serde_json::json;

use crate::budget::Budget;
use crate::edges::comparison::hrg::likelihood::sensitivity;
use crate::edges::comparison::hrg::{Dendrogram, Lumping, NoisyHrg, PairBlocks, PublicGraph};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::loss::Epsilon;
use crate::mechanism::{Central, Mechanism, MechanismParameters, Permit, Status, Theorem};
use crate::noise::{
    DiscreteLaplace, ExponentialSelection, NoiseSource, Numerics, RandomWords, ScoreChange,
};
use crate::origin::shipped;
use crate::population::{GraphShape, PublicShape};
use crate::public::Public;
use crate::unit::Edge;
use growth::{GRID, GrowthMode, SLACK};

/// Which sensitivity the paper's mode divides by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PrintedSensitivity {
    /// The appendix's, which is right.
    #[default]
    Appendix,
    /// Lemma 4 of the main text, which is almost 1 nat too small.
    MainText,
}

/// Redraws private edges from noisy counts over a tree.
///
/// ```
/// use privet_data::synthetic::BarabasiAlbert;
/// use privet_graph::{Direction, Graph};
/// use privet_privacy::edges::comparison::EdgeRr;
/// use privet_privacy::edges::comparison::hrg::{Dendrogram, PublicGraph, PrivateNodes, PublicFit, Repair};
/// use privet_privacy::{Ledger, Loss, Secret, noise::NoiseRng, public::Public};
/// let public = BarabasiAlbert { nodes: 100, edges_per_node: 3 }.generate(1)?.graph().clone();
/// let private = Graph::empty(100, Direction::Undirected)?;              // the curator's secret
/// let ground = PublicGraph::new(public, PrivateNodes::All)?;
/// let fit = PublicFit::default().run(&ground, &Dendrogram::random(100, 1)?)?;
///
/// let edge_rr = EdgeRr::public_tree(1.0, ground.clone(), Public::from_public_data(fit.tree))?;
/// let mut ledger = Ledger::in_memory(Loss::new(1.0, 0.0)?, NoiseRng::from_operating_system()?)?;
/// let noisy = ledger.release(&Secret::new(private), &edge_rr)?;
/// let graph = noisy.map(|noisy| noisy.graph(Repair::Project));
/// assert!(ground.public().edges().all(|(u, v)| graph.get().has_edge(u, v)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct EdgeRr {
    ground: PublicGraph,
    start: Public<Dendrogram>,
    mode: GrowthMode,
    counts: Budget,
    noise: DiscreteLaplace,
    lumping: Lumping,
}

impl EdgeRr {
    /// The rigorous default: a tree that no private edge had a say in, and all of `epsilon` for counts.
    ///
    /// # Errors
    /// If epsilon is out of range, or the tree has not one leaf per node.
    pub fn public_tree(
        epsilon: f64,
        ground: PublicGraph,
        tree: Public<Dendrogram>,
    ) -> Result<Self> {
        Self::new(epsilon, ground, tree, GrowthMode::Public)
    }

    /// `steps` heat-bath steps from `start`, each of range `range`, then counts for `epsilon`.
    ///
    /// # Errors
    /// If a number is out of range, or the tree has not one leaf per node.
    pub fn private_tree(
        range: f64,
        steps: u64,
        epsilon: f64,
        ground: PublicGraph,
        start: Public<Dendrogram>,
    ) -> Result<Self> {
        let range = Budget::from_epsilon(range)?;
        // Scores are rounded to a grid; the sensitivity in grid steps covers that rounding and the floats before it.
        // Scores become integers on a grid. Rounding can move a score by a step at either end, hence the slack and
        // the one.
        let lattice = ((sensitivity(ground.private_count()) + SLACK) * GRID).ceil() as u64 + 1;
        let pick = ExponentialSelection::new(range, lattice, ScoreChange::EitherWay)?;
        Self::new(epsilon, ground, start, GrowthMode::HeatBath { steps, range, pick })
    }

    /// As printed: public and private Metropolis steps in turn with `c = tree / Delta`, then counts for
    /// `epsilon`. What it costs is not known.
    ///
    /// # Errors
    /// If a number is out of range, or the tree has not one leaf per node.
    pub fn paper(
        tree: f64,
        steps: u64,
        epsilon: f64,
        printed: PrintedSensitivity,
        ground: PublicGraph,
        start: Public<Dendrogram>,
    ) -> Result<Self> {
        let budget = Budget::from_epsilon(tree)?;
        let leaves = ground.private_count() as f64;
        let divisor = match printed {
            PrintedSensitivity::Appendix => sensitivity(ground.private_count()),
            // Eq. (15): log N + log(1 + 1/(N-1)).
            PrintedSensitivity::MainText => {
                // Lemma 4 as printed, without the exponent N - 1: only to reproduce the paper's noise.
                let pairs = (leaves * leaves / 4.0).floor();
                libm::log(pairs) + libm::log1p(1.0 / (pairs - 1.0))
            }
        };
        let mode = GrowthMode::Metropolis {
            steps,
            name: "edge-rr-paper",
            rate: budget.as_f64() / divisor.max(f64::MIN_POSITIVE),
            printed: budget,
        };
        Self::new(epsilon, ground, start, mode)
    }

    /// privHRG: every edge is private, Metropolis steps with `c = tree / (2 Delta)`, then counts for
    /// `epsilon`. What it costs is not known.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn priv_hrg(
        tree: f64,
        steps: u64,
        epsilon: f64,
        start: Public<Dendrogram>,
    ) -> Result<Self> {
        let ground = PublicGraph::all_private(start.get().leaf_count())?;
        let budget = Budget::from_epsilon(tree)?;
        // Twice the sensitivity, as in the exponential mechanism: a pick changes numerator and normaliser.
        let divisor = 2.0 * sensitivity(ground.private_count()).max(f64::MIN_POSITIVE);
        // exp(c L) with c = epsilon / (2 Delta): the exponential mechanism's rate, if the chain had converged to it.
        let rate = budget.as_f64() / divisor;
        let mode = GrowthMode::Metropolis { steps, name: "priv-hrg", rate, printed: budget };
        Self::new(epsilon, ground, start, mode)
    }

    fn new(
        epsilon: f64,
        ground: PublicGraph,
        start: Public<Dendrogram>,
        mode: GrowthMode,
    ) -> Result<Self> {
        let (found, expected) = (start.get().leaf_count(), ground.node_count());
        if found != expected {
            return Err(Error::shape("leaves", found, "edge-rr", expected));
        }
        let counts = Budget::from_epsilon(epsilon)?;
        let noise = DiscreteLaplace::new(counts, 1)?;
        Ok(Self { ground, start, mode, counts, noise, lumping: Lumping::default() })
    }

    /// With another rule for lumping small subtrees.
    #[must_use]
    pub fn lumping(mut self, lumping: Lumping) -> Self {
        self.lumping = lumping;
        self
    }

    /// What is public.
    pub fn ground(&self) -> &PublicGraph {
        &self.ground
    }

    /// The blocks of the tree it starts with: those that are counted, if the tree is public.
    pub fn blocks(&self) -> PairBlocks {
        PairBlocks::new(&self.ground, self.start.get(), self.counts.as_f64(), self.lumping)
    }

    /// The probability of noisy counts given private edges, for the blocks of [`EdgeRr::blocks`].
    ///
    /// # Errors
    /// If the private edges do not fit on the ground.
    pub fn probability(&self, private: &Graph, noisy: &[i64]) -> Result<f64> {
        self.ground.check(&private.shape())?;
        let counts = self.blocks().count(&self.ground, private);
        let each = counts.iter().zip(noisy);
        Ok(each.map(|(&count, &noisy)| self.noise.probability(noisy - count as i64)).product())
    }
}

shipped!(EdgeRr);

impl Mechanism for EdgeRr {
    type Unit = Edge;

    fn name(&self) -> &'static str {
        match self.mode {
            GrowthMode::Public => "edge-rr",
            GrowthMode::HeatBath { .. } => "edge-rr-private-tree",
            GrowthMode::Metropolis { name, .. } => name,
        }
    }

    fn event(&self) -> Event {
        let counts = Event::Pure { epsilon: Epsilon::from(self.counts) };
        match self.mode {
            GrowthMode::Public => counts,
            GrowthMode::HeatBath { steps, range, .. } => {
                Event::BoundedRange { eta: range.as_f64() }.repeated(steps).then(counts)
            }
            GrowthMode::Metropolis { printed, .. } if fault::on(Fault::ChainTakenForConverged) => {
                Event::Pure { epsilon: Epsilon::from(printed) }.then(counts)
            }
            // A finite Metropolis chain samples some other law than its target; no bound on that law is known.
            GrowthMode::Metropolis { .. } => Event::Pure { epsilon: Epsilon::INFINITE },
        }
    }

    fn theorem(&self) -> Theorem {
        let statement = match self.mode {
            GrowthMode::Public => {
                "the tree is public and each private edge is counted once, with noise for epsilon"
            }
            GrowthMode::HeatBath { .. } => {
                "each step of the tree is a pick of bounded range, converged or not; then each \
                 private edge is counted once, with noise for epsilon"
            }
            GrowthMode::Metropolis { .. } => {
                "none: a Metropolis chain of finite length has no known bound"
            }
        };
        Theorem {
            statement: statement.into(),
            proof: "privet_privacy::edges::comparison::edge_rr, Guarantee".into(),
        }
    }

    fn numerics(&self) -> Numerics {
        match self.mode {
            GrowthMode::Metropolis { .. } => Numerics::Idealized,
            _ => Numerics::Exact,
        }
    }

    fn parameters(&self) -> MechanismParameters {
        let mut parameters = MechanismParameters::from([
            ("epsilon for the counts".into(), json!(self.counts.as_f64())),
            ("nodes that may have private edges".into(), json!(self.ground.private_count())),
            ("public edges".into(), json!(self.ground.public().edge_count())),
            ("tree-from".into(), json!(self.start.origin())),
        ]);
        if let Lumping::Thresholds { between, within } = self.lumping {
            parameters.insert("lumping thresholds".into(), json!([between, within]));
        }
        match self.mode {
            GrowthMode::Public => {}
            GrowthMode::HeatBath { steps, range, .. } => {
                parameters.insert("steps of the tree".into(), json!(steps));
                parameters.insert("range of a step".into(), json!(range.as_f64()));
            }
            GrowthMode::Metropolis { steps, rate, .. } => {
                let total = self.stationary(rate) + self.counts.as_f64();
                parameters.insert("steps of the tree".into(), json!(steps));
                parameters.insert("epsilon if the chain had converged".into(), json!(total));
            }
        }
        parameters
    }

    fn status(&self) -> Status {
        let GrowthMode::Metropolis { printed, rate, .. } = self.mode else { return Status::Holds };
        let total = self.stationary(rate) + self.counts.as_f64();
        Status::PaperMode {
            printed: Epsilon::from(printed) + Epsilon::from(self.counts),
            flaw: format!(
                "unproven: a Metropolis chain that has not converged has no bound; at its target it \
                 would be at most {total}"
            ),
        }
    }

    fn assumes_public(&self) -> Vec<String> {
        vec![
            "the nodes and their ids".into(),
            "all public edges, and that they are public".into(),
            "which nodes may have private edges: declared, not read off the private edges".into(),
            format!("the tree of groups it starts with: {}", self.start.origin()),
        ]
    }
}

impl Central for EdgeRr {
    /// The private edges.
    type Input = Graph;
    type Output = NoisyHrg;

    fn check(&self, shape: &GraphShape) -> Result<()> {
        self.ground.check(shape)
    }

    fn sample<N: NoiseSource>(&self, private: &Graph, noise: N, _permit: Permit<'_>) -> NoisyHrg {
        let mut words = noise.into_stream();
        let tree = self.grow(private, &mut words);
        // Blocks follow from the tree and public facts alone; a private edge is in exactly one block, so one edge
        // moves one count by one.
        let blocks = PairBlocks::new(&self.ground, &tree, self.counts.as_f64(), self.lumping);
        let counts = blocks.count(&self.ground, private);
        // Empty blocks get noise as well: an exact zero would reveal that no edge is there.
        let noisy = |count: u64| match count == 0 && fault::on(Fault::EmptyBlocksWithoutNoise) {
            true => 0,
            false => (count as i64).saturating_add(self.noise.draw(&mut words)),
        };
        let counts = counts.into_iter().map(noisy).collect();
        NoisyHrg::new(self.ground.clone(), blocks, counts, words.seed())
    }
}

#[cfg(test)]
mod tests {
    //! EdgeRR's claims, taken apart on a few nodes.

    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::edges::comparison::hrg::{DendrogramChain, PrivateNodes, Repair};
    use crate::loss::Loss;
    use crate::noise::NoiseRng;
    use crate::noise::testing::assert_fits;
    use crate::{Ledger, Secret};
    use privet_graph::{Direction, GraphBuilder, NodeId};

    fn graph(nodes: usize, edges: &[(NodeId, NodeId)]) -> Graph {
        let builder = GraphBuilder::new(nodes, Direction::Undirected).edges(edges.iter().copied());
        builder.build().unwrap().0
    }

    fn tree(merges: &[[u32; 2]]) -> Public<Dendrogram> {
        Public::declared(Dendrogram::from_merges(merges.len() + 1, merges).unwrap())
    }

    fn sample(mechanism: &EdgeRr, private: &Graph, seed: u64) -> NoisyHrg {
        mechanism.sample(private, NoiseRng::replay(seed).next_release(), Permit::new())
    }

    /// Counts cost exactly epsilon on both shapes of trees with four leaves, lumped or not.
    #[test]
    fn counts_cost_epsilon() {
        let pairs: Vec<(NodeId, NodeId)> =
            (0..4).flat_map(|u| (0..u).map(move |v| (u, v))).collect();
        for merges in [[[0, 1], [2, 3], [4, 5]], [[0, 1], [4, 2], [5, 3]]] {
            for lumping in [Lumping::Never, Lumping::default()] {
                let ground = PublicGraph::new(graph(4, &[(0, 2)]), PrivateNodes::All).unwrap();
                let mechanism = EdgeRr::public_tree(0.7, ground, tree(&merges)).unwrap();
                let mechanism = mechanism.lumping(lumping);
                let blocks = mechanism.blocks().count_of_blocks() as u32;
                let mut worst = 0f64;
                for &(u, v) in pairs.iter().filter(|&&pair| pair != (2, 0)) {
                    let (with, without) = (graph(4, &[(u, v)]), graph(4, &[]));
                    for outcome in 0..5i64.pow(blocks) {
                        let noisy: Vec<i64> =
                            (0..blocks).map(|at| outcome / 5i64.pow(at) % 5 - 2).collect();
                        let a = mechanism.probability(&with, &noisy).unwrap();
                        let b = mechanism.probability(&without, &noisy).unwrap();
                        worst = worst.max((a / b).ln().abs());
                    }
                }
                assert!((worst - 0.7).abs() < 1e-9, "{worst}");
            }
        }
    }

    /// The shape of a tree, whatever its nodes are called.
    fn shape(tree: &Dendrogram) -> BTreeSet<u32> {
        let layout = tree.layout();
        let set = |index: usize| {
            let below = layout.below((tree.leaf_count() + index) as u32);
            below.iter().map(|&leaf| 1 << leaf).sum()
        };
        (0..tree.internal_count()).map(set).collect()
    }

    /// Three steps from a fixed tree: what is drawn has the law the steps are charged for, and that law
    /// is the heat bath on `exp(L_pub + c L_pri)`.
    #[test]
    fn the_private_tree_has_the_law_it_is_charged_for() {
        let ground = PublicGraph::new(graph(4, &[(0, 1)]), PrivateNodes::All).unwrap();
        let private = graph(4, &[(0, 2), (2, 3)]);
        let start = tree(&[[0, 1], [4, 2], [5, 3]]);
        let (range, steps) = (1.5, 3);
        let mechanism =
            EdgeRr::private_tree(range, steps, 0.5, ground.clone(), start.clone()).unwrap();
        let c = range / (2.0 * sensitivity(4));
        let mut law = BTreeMap::from([(shape(start.get()), (start.get().clone(), 1.0))]);
        for _ in 0..steps {
            let mut next = BTreeMap::new();
            for (tree, weight) in law.values() {
                let chain = DendrogramChain::new(&ground, &private, tree).unwrap();
                for choice in 0..chain.choices() {
                    let proposal = chain.propose(choice);
                    let ideal = proposal.scores().map(|s| (s.public + c * s.private).exp());
                    let total: f64 = ideal.iter().sum();
                    let found = mechanism.step_law(&proposal).unwrap();
                    for (outside, p) in found.into_iter().enumerate() {
                        assert!((p - ideal[outside] / total).abs() < 1e-3);
                        let mut moved = chain.clone();
                        moved.rearrange(&proposal, outside);
                        let tree = moved.dendrogram();
                        let entry = next.entry(shape(&tree)).or_insert((tree, 0.0));
                        entry.1 += weight * p / chain.choices() as f64;
                    }
                }
            }
            law = next;
        }
        let places: Vec<_> = law.keys().cloned().collect();
        let mut counts = vec![0u64; places.len()];
        for seed in 0..20_000 {
            let drawn = shape(sample(&mechanism, &private, seed).blocks().tree());
            counts[places.binary_search(&drawn).unwrap()] += 1;
        }
        assert_fits(&counts, &law.values().map(|(_, p)| *p).collect::<Vec<_>>());
    }

    #[test]
    fn each_mode_charges_what_is_proved() {
        let ground = PublicGraph::new(graph(6, &[(0, 1)]), PrivateNodes::All).unwrap();
        let start = || Public::declared(Dendrogram::random(6, 1).unwrap());
        let secret = Secret::new(graph(6, &[(2, 3)]));
        let spent = |mechanism: EdgeRr, limit: f64, delta: f64| {
            let limit = Loss {
                epsilon: Epsilon::new(limit).unwrap(),
                delta: crate::Delta::new(delta).unwrap(),
            };
            let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(1)).unwrap();
            ledger.release(&secret, &mechanism)?;
            Ok::<f64, Error>(ledger.spent()?[0].loss.epsilon.get())
        };
        let public = EdgeRr::public_tree(0.5, ground.clone(), start()).unwrap();
        assert_eq!(spent(public, 0.5, 0.0), Ok(0.5));
        let private = || EdgeRr::private_tree(0.25, 10, 0.5, ground.clone(), start()).unwrap();
        assert_eq!(spent(private(), 3.0, 0.0), Ok(3.0));
        assert!(spent(private(), 2.9, 0.0).is_err());
        // T eta²/8 = 0.078 zCDP is worth less than 2.5 pure.
        assert!(spent(private(), 3.0, 1e-6).unwrap() < 2.7);
        let printed = PrintedSensitivity::Appendix;
        let paper = || EdgeRr::paper(0.5, 10, 0.5, printed, ground.clone(), start()).unwrap();
        assert!(spent(paper(), 1000.0, 0.0).is_err());
        assert_eq!(spent(paper(), f64::INFINITY, 0.0), Ok(f64::INFINITY));
        let at_target =
            paper().parameters()["epsilon if the chain had converged"].as_f64().unwrap();
        assert!((at_target - 1.5).abs() < 1e-12, "{at_target}");
        let hrg = EdgeRr::priv_hrg(0.5, 10, 0.5, start()).unwrap();
        let at_target = hrg.parameters()["epsilon if the chain had converged"].as_f64().unwrap();
        assert!((at_target - 1.0).abs() < 1e-12, "{at_target}");
        assert!(matches!(hrg.status(), Status::PaperMode { .. }));
    }

    /// Whether there is a private edge where none was declared is private, so it changes nothing, not even an error.
    #[test]
    fn private_edges_outside_the_declared_nodes_count_nothing() {
        let ground =
            PublicGraph::new(graph(4, &[(0, 1)]), PrivateNodes::Only(vec![0, 1, 2])).unwrap();
        let start = Public::declared(Dendrogram::random(4, 1).unwrap());
        let mechanism = EdgeRr::public_tree(1.0, ground, start).unwrap();
        let release = |private: Graph| {
            let limit = Loss::new(1.0, 0.0).unwrap();
            let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(1)).unwrap();
            Ok::<_, Error>(ledger.release(&Secret::new(private), &mechanism)?.into_inner())
        };
        let drawn = release(graph(4, &[(1, 2)])).unwrap().graph(Repair::Project);
        assert!(drawn.has_edge(0, 1) && drawn.degree(3) == 0);
        for bad in [graph(4, &[(1, 2), (2, 3)]), graph(4, &[(0, 1), (1, 2)])] {
            assert_eq!(release(bad).unwrap().graph(Repair::Project), drawn);
        }
        // How many nodes there are is public.
        assert!(release(graph(5, &[])).is_err());
    }

    /// A large epsilon gives every block its own number of edges.
    #[test]
    fn a_huge_epsilon_keeps_all_counts() {
        let private = graph(30, &(1..30).map(|v| (0, v)).collect::<Vec<_>>());
        let start = || Public::declared(Dendrogram::random(30, 5).unwrap());
        for mechanism in [
            EdgeRr::public_tree(40.0, PublicGraph::all_private(30).unwrap(), start()).unwrap(),
            EdgeRr::priv_hrg(4000.0, 2000, 40.0, start()).unwrap(),
            EdgeRr::private_tree(40.0, 2000, 40.0, PublicGraph::all_private(30).unwrap(), start())
                .unwrap(),
        ] {
            let noisy = sample(&mechanism, &private, 3);
            let truth = noisy.blocks().count(mechanism.ground(), &private);
            assert_eq!(noisy.repaired(Repair::Project), truth);
            assert_eq!(noisy.graph(Repair::Clamp).edge_count(), 29);
        }
    }
}
