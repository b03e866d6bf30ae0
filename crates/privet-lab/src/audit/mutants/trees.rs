//! Broken hierarchical random graphs.

use privet::privacy::edges::central::EdgeRr;
use privet::privacy::edges::hrg::{Dendrogram, Ground, Repair};
use privet::privacy::noise::{DiscreteLaplace, NoiseRng};
use privet::privacy::public::Public;
use privet::privacy::{Budget, Ledger, Loss, Secret};

use super::Mutant;
use crate::Result;
use crate::audit::finding::{Finding, Method};
use crate::audit::mechanisms::trees::graph;
use crate::audit::toy_hrg::{
    Step, ToyHrg, first_edge, log_ratio, printed_sensitivity, stationary, steps, then,
};

pub(super) const MUTANTS: [Mutant; 8] = [
    Mutant {
        number: 11,
        mutation: "EdgeRR without the factor 2 of the exponential mechanism, 6 nodes",
        expected: Some(2.331_576),
        run: || exact("c = eps / Delta", 2.0, target(6, 2.0 / first_edge(9))),
    },
    Mutant {
        number: 12,
        mutation: "EdgeRR with the main text's sensitivity, 6 nodes",
        expected: Some(3.441_336),
        run: || exact("c = eps / Delta as printed", 2.0, target(6, 2.0 / printed_sensitivity(9))),
    },
    Mutant {
        number: 13,
        mutation: "the printed minus sign of the log-likelihood",
        expected: None,
        run: || {
            // Two triangles: the best tree separates them and explains everything, at L = 0.
            let scores = ToyHrg::new(6).scores(triangles());
            let worst = scores.iter().copied().fold(0.0, f64::min);
            exact("log-likelihood lost by the mode of exp(-L)", 0.0, -worst)
        },
    },
    Mutant {
        number: 14,
        mutation: "private nodes read off the private edges",
        expected: Some(f64::INFINITY),
        run: nodes_from_data,
    },
    Mutant {
        number: 15,
        mutation: "fresh noise for the children of a lumped node",
        expected: Some(1.5),
        run: || {
            // One edge is counted at the node and again at both children.
            let noise = DiscreteLaplace::new(Budget::from_epsilon(0.5)?, 1)?;
            let once = (noise.probability(0) / noise.probability(1)).ln();
            exact("three draws of one count, epsilon 0.5 each", 0.5, 3.0 * once)
        },
    },
    Mutant {
        number: 16,
        mutation: "four public steps and one private step in turn, 4 nodes, as printed",
        expected: Some(1.171_44),
        run: alternating,
    },
    Mutant {
        number: 17,
        mutation: "a single Metropolis step",
        expected: Some(f64::INFINITY),
        run: one_metropolis_step,
    },
    Mutant {
        number: 18,
        mutation: "public edges between private nodes overwritten",
        expected: Some(1.0),
        run: public_edges_lost,
    },
];

fn exact(subject: &str, claimed: f64, measured: f64) -> Result<Finding> {
    let method = Method::Exact;
    Ok(Finding { subject: subject.into(), method, claimed, measured, tolerance: 1e-9 })
}

/// The epsilon of the law proportional to `exp(c L)`.
fn target(leaves: usize, c: f64) -> f64 {
    let toy = ToyHrg::new(leaves);
    let base = vec![0.0; toy.tree_count()];
    toy.epsilon(|graph| toy.target(&base, c, graph))
}

/// Pairs (1,0), (2,0), (2,1) and (4,3), (5,3), (5,4).
fn triangles() -> u32 {
    let place = |u: u32, v: u32| 1 << (u * (u - 1) / 2 + v);
    [(1, 0), (2, 0), (2, 1), (4, 3), (5, 3), (5, 4)].map(|(u, v)| place(u, v)).iter().sum()
}

/// On three nodes, {01} against {01, 02}: only with the second edge is node 2 a private node, and only
/// private nodes get edges.
fn nodes_from_data() -> Result<Finding> {
    let noise = DiscreteLaplace::new(Budget::from_epsilon(0.5)?, 1)?;
    // Node 2 gets an edge if its count is at least 1: its true count is 1.
    let with: f64 = (1..200).map(|count| noise.probability(count - 1)).sum();
    let without = 0.0;
    exact("node 2 gets an edge", 0.5, log_ratio(&[with, 1.0 - with], &[without, 1.0 - without]))
}

/// The law that the alternating chain tends to, for the worst public graph.
fn alternating() -> Result<Finding> {
    let toy = ToyHrg::new(4);
    let c = 1.0 / first_edge(4);
    let scaled = |graph: u32| toy.scores(graph).iter().map(|score| c * score).collect::<Vec<_>>();
    let private: Vec<_> =
        (0..64).map(|graph| toy.kernel(Step::Metropolis, &scaled(graph))).collect();
    let worst = toy.graphs().into_iter().map(|public| {
        let four = steps(&toy.kernel(Step::Metropolis, &toy.scores(public)), 4);
        toy.epsilon_of_all(|graph| stationary(&then(&four, &private[graph as usize])))
    });
    exact("stationary law of steps in turn", 1.0, worst.fold(0.0, f64::max))
}

fn one_metropolis_step() -> Result<Finding> {
    let toy = ToyHrg::new(4);
    let c = 1.0 / (2.0 * first_edge(4));
    let kernel = |graph: u32| {
        let scores: Vec<f64> = toy.scores(graph).iter().map(|score| c * score).collect();
        toy.kernel(Step::Metropolis, &scores)
    };
    let starts = (0..toy.tree_count()).map(|start| {
        toy.epsilon_of_all(|graph| kernel(graph).into_iter().nth(start).unwrap_or_default())
    });
    exact("one step from the worst tree", 1.0, starts.fold(0.0, f64::max))
}

/// The printed algorithm redraws every pair of private nodes, public edges included: with exact counts
/// of private edges, of which there are none, nothing remains.
fn public_edges_lost() -> Result<Finding> {
    let public = graph(4, 0b101101)?;
    let tree = Public::declared(Dendrogram::from_merges(4, &[[0, 1], [2, 3], [4, 5]])?);
    let mechanism = EdgeRr::public_tree(40.0, Ground::all_private(4)?, tree)?;
    let mut ledger = Ledger::in_memory(Loss::new(40.0, 0.0)?, NoiseRng::replay(1))?;
    let drawn = ledger.release(&Secret::new(graph(4, 0)?), &mechanism)?;
    let drawn = drawn.get().graph(Repair::Clamp);
    let lost = public.edges().filter(|&(u, v)| !drawn.has_edge(u, v)).count();
    exact("share of public edges lost", 0.0, lost as f64 / public.edge_count() as f64)
}
