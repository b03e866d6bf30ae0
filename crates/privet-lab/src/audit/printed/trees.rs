//! What is printed about hierarchical random graphs.

use privet::privacy::Budget;
use privet::privacy::noise::DiscreteLaplace;

use super::Printed;
use crate::Result;
use crate::audit::finding::{AuditMethod, Finding};
use crate::audit::toy_hrg::{
    Step, ToyHrg, first_edge, log_ratio, printed_sensitivity, stationary, steps, then,
};

pub(super) const PRINTED: [Printed; 5] = [
    Printed {
        number: 12,
        claim: "EdgeRR with the main text's sensitivity, 6 nodes",
        expected: Some(3.441_336),
        run: || exact("c = eps / Delta as printed", 2.0, target(6, 2.0 / printed_sensitivity(9))),
    },
    Printed {
        number: 13,
        claim: "the printed minus sign of the log-likelihood",
        expected: None,
        run: || {
            // Two triangles: the best tree separates them and explains everything, at L = 0.
            let scores = ToyHrg::new(6).scores(triangles());
            let worst = scores.iter().copied().fold(0.0, f64::min);
            exact("log-likelihood lost by the mode of exp(-L)", 0.0, -worst)
        },
    },
    Printed {
        number: 14,
        claim: "private nodes read off the private edges",
        expected: Some(f64::INFINITY),
        run: nodes_from_data,
    },
    Printed {
        number: 16,
        claim: "four public steps and one private step in turn, 4 nodes, as printed",
        expected: Some(1.171_44),
        run: alternating,
    },
    Printed {
        number: 17,
        claim: "a single Metropolis step",
        expected: Some(f64::INFINITY),
        run: one_metropolis_step,
    },
];

fn exact(subject: &str, claimed: f64, measured: f64) -> Result<Finding> {
    let method = AuditMethod::Exact;
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
