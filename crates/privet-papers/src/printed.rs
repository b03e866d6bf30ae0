//! What the papers print, and what is true: numbers and claims that no correct code could keep.
//!
//! These are statements about formulas and printed algorithms, not about code that ships: mistakes in code are
//! [faults](privet::privacy::fault), switched on in the code itself. Each has the number that its witness shows.

use privet::Method;
use privet::dpar::{self, Dpar};
use privet::privacy::accountant::{Accountant, Optimal, Pld, amplification};
use privet::privacy::edges::local::{BudgetSplit, Dprr};
use privet::privacy::noise::DiscreteLaplace;
use privet::privacy::sgd::RowShare;
use privet::privacy::unit::Node;
use privet::privacy::{Budget, Delta, Epsilon, Event, Loss, Mechanism, accountant, audit};
use privet_lab::Result;
use privet_lab::audit::finding::{AuditMethod, Finding};
use privet_lab::audit::law::FloatLaw;
use privet_lab::audit::neighbourhood::Neighbourhood;
use privet_lab::audit::seeds::Seeds;
use privet_lab::audit::support;
use privet_lab::audit::toy_dprr::{ReportedPairs, ToyDprr, relationship_dp};
use privet_lab::audit::toy_hrg::{
    Step, ToyHrg, first_edge, log_ratio, printed_sensitivity, stationary, steps, then,
};
use privet_lab::audit::trainer::{Other, Trainer};

/// A printed claim, and what is true instead.
#[derive(Debug, Clone, Copy)]
pub struct PrintedClaim {
    /// Its number in the catalogue of claims.
    pub number: u32,
    /// What is printed.
    pub claim: &'static str,
    /// What must come out, if that is one number.
    pub expected: Option<f64>,
    /// Computes or measures the truth.
    pub run: fn() -> Result<Finding>,
}

/// All of them, by number.
pub fn all() -> Vec<PrintedClaim> {
    let mut all = Vec::new();
    all.extend(LISTS);
    all.extend(TREES);
    all.extend(FEATURES);
    all.extend(ACCOUNTING);
    all.extend(TRAINING);
    all.sort_by_key(|printed| printed.number);
    all
}

fn exact(subject: &str, claimed: f64, measured: f64) -> Result<Finding> {
    found(subject, AuditMethod::Exact, claimed, measured)
}

fn theorem(subject: &str, claimed: f64, measured: f64) -> Result<Finding> {
    found(subject, AuditMethod::Theorem, claimed, measured)
}

fn found(subject: &str, method: AuditMethod, claimed: f64, measured: f64) -> Result<Finding> {
    Ok(Finding { subject: subject.into(), method, claimed, measured, tolerance: 1e-9 })
}

// Wrong numbers for right noise: amplification, sampling rates, sensitivities.

const ACCOUNTING: [PrintedClaim; 9] = [
    PrintedClaim {
        number: 25,
        claim: "amplification by subsampling as q times epsilon",
        expected: Some(8.703_317),
        run: || {
            let (rate, before) = (0.09, 1.0 / 0.09);
            let after = amplification::amplified_epsilon(rate, Epsilon::new(before)?)?;
            theorem("9 % of the nodes, epsilon 11.11 before", rate * before, after.get())
        },
    },
    PrintedClaim {
        number: 26,
        claim: "two stages on one subsample amplified separately",
        expected: Some(8.703_317),
        run: || {
            let half = amplification::amplified_epsilon(0.09, Epsilon::new(0.5 / 0.09)?)?;
            let whole = amplification::amplified_epsilon(0.09, Epsilon::new(1.0 / 0.09)?)?;
            theorem("the sum of the amplified halves", 2.0 * half.get(), whole.get())
        },
    },
    PrintedClaim {
        number: 27,
        claim: "sampling rate B/N although rows come from the M drawn nodes",
        expected: Some(90.15),
        run: || theorem("batches of 60 of 70 rows", 1.0, rows(1.127, 1, 60.0 / 70.0, 200)?),
    },
    PrintedClaim {
        number: 29,
        claim: "a node's own row not counted",
        // On a grid of 1e-3 the same accountant says 1.6398.
        expected: Some(1.6365),
        run: || theorem("three rows, two counted", 1.0, rows(10.713, 3, 60.0 / 2396.0, 8000)?),
    },
    PrintedClaim {
        number: 30,
        claim: "the batches of the first epoch used again in every epoch",
        // Each row takes part 200 times, for certain: nothing is sampled.
        expected: Some(12.7856),
        run: || {
            let event = Event::Gaussian { noise_multiplier: 4.162 }.repeated(200);
            let truth = Pld::default().epsilon(&event, Delta::new(0.0111)?)?;
            theorem("sigma 4.162, 200 epochs of fixed batches", 1.0 / 0.18, truth.get())
        },
    },
    PrintedClaim {
        number: 31,
        claim: "Gumbel noise of scale C/eps charged as eps per pick",
        expected: Some(1.989_146),
        run: || {
            // One entry rises by C while all others fall: e^eps (1 + (N-1) e^eps) / (e^eps + N-1).
            let (n, e) = (216.0f64, 1f64.exp());
            theorem("one pick among 216", 1.0, (e * (1.0 + (n - 1.0) * e) / (e + n - 1.0)).ln())
        },
    },
    PrintedClaim {
        number: 32,
        claim: "only the nodes that are present can be picked",
        expected: Some(0.4786),
        run: || {
            // An index that exists on one side only: delta is at least the chance to name it.
            let (nodes, k, vectors) = (216.0f64, 2.0, 70);
            theorem("delta of 70 vectors, top 2 each", 1e-3, 1.0 - (1.0 - k / nodes).powi(vectors))
        },
    },
    PrintedClaim {
        number: 33,
        claim: "sensitivity C1 for rows clipped to norm C1",
        expected: Some(1.3384),
        run: || theorem("distance over C1, star with 400 leaves", 1.0, star_distance(400, 0.05)),
    },
    PrintedClaim {
        number: 37,
        claim: "the closed formula for equal shares beyond its range",
        expected: Some(0.010_707),
        run: || {
            // eps0 = eps_g / (2 sqrt(M log(e + eps_g/delta_g))), delta0 = delta_g / (2M).
            let (epsilon, delta, vectors) = (80.0f64, 1e-3f64, 70u64);
            let m = vectors as f64;
            let one = epsilon / (2.0 * (m * (1f64.exp() + epsilon / delta).ln()).sqrt());
            let event = Event::Approximate {
                epsilon: Epsilon::new(one)?,
                delta: Delta::new(delta / (2.0 * m))?,
            };
            let truth = Optimal.delta(&event.repeated(vectors), Epsilon::new(epsilon)?)?;
            theorem("delta of 70 shares of epsilon 80", delta, truth.get())
        },
    },
];

/// The epsilon, at delta 2e-3, of noisy sums over rows of which a node owns `max_rows`.
fn rows(noise_multiplier: f64, max_rows: u32, rate: f64, steps: u64) -> Result<f64> {
    let event = Event::MixtureOfGaussians { noise_multiplier, max_rows, rate }.repeated(steps);
    Ok(Pld::default().epsilon(&event, Delta::new(2e-3)?)?.get())
}

/// How far the PageRank vector of an isolated node moves when a hub with many leaves joins it, both
/// scaled to norm 1: `p = a e_seed + (1 - a) W^T p`, an isolated node keeping its mass.
fn star_distance(leaves: usize, alpha: f64) -> f64 {
    // By symmetry all leaves are alike: masses of the seed, the hub and each leaf.
    let (mut seed, mut hub, mut leaf) = (1.0, 0.0, 0.0);
    let spread = 1.0 / (leaves as f64 + 1.0);
    for _ in 0..2000 {
        let keep = 1.0 - alpha;
        (seed, hub, leaf) = (
            alpha + keep * hub * spread,
            keep * (seed + leaves as f64 * leaf),
            keep * hub * spread,
        );
    }
    let norm = (seed * seed + hub * hub + leaves as f64 * leaf * leaf).sqrt();
    let (s, h, l) = (seed / norm, hub / norm, leaf / norm);
    ((1.0 - s).powi(2) + h * h + leaves as f64 * l * l).sqrt()
}

// What is printed about features.

const FEATURES: [PrintedClaim; 4] = [
    PrintedClaim {
        number: 9,
        claim: "FeatureRR with budget shares computed from the record",
        expected: Some(1.045_315),
        run: || exact("10 bins, 10 columns, epsilon 1", 1.0, per_record_shares(10, 10, 1.0)),
    },
    PrintedClaim {
        number: 20,
        claim: "square wave in floating point",
        expected: None,
        run: || {
            let share = support::float_square_wave_share(0.3, 0.31, 1.0, 20_000);
            found("outputs one input can give and the other cannot", AuditMethod::Exact, 0.0, share)
        },
    },
    PrintedClaim {
        number: 21,
        claim: "multi-bit mechanism as printed",
        expected: Some(f64::INFINITY),
        run: || {
            let e = 1f64.exp();
            let slope = |x: f64| (x + 1.0) / 2.0 * (e - 1.0) / (e + 1.0);
            let row = |x: f64| vec![1.0 / (e + 1.0) + slope(x), (e - 1.0) / (e + 1.0) - slope(x)];
            exact("eq. 6 at epsilon 1", 1.0, FloatLaw::new(vec![row(-1.0), row(1.0)]).epsilon())
        },
    },
    PrintedClaim {
        number: 40,
        claim: "width of the square wave by the printed formula at epsilon 1e-8",
        expected: None,
        run: || {
            let (x, e) = (1e-8f64, 1e-8f64.exp());
            let printed = (x * e - e + 1.0) / (e * (e - x - 1.0));
            // The true width is 1 - 2 eps / 3.
            exact("relative error of the width", 1e-9, (printed - 1.0).abs())
        },
    },
];

/// `P(u | t) ~ exp(-rate |u - t|)` on `bins` bins.
fn graded(bins: usize, rate: f64) -> FloatLaw {
    let row = |t: usize| (0..bins).map(|u| (-rate * u.abs_diff(t) as f64).exp()).collect();
    FloatLaw::from_weights((0..bins).map(row).collect())
}

/// The worst ratio when one record puts all of its budget on one column and its neighbour spreads
/// it evenly; columns are independent, so their worst ratios add.
fn per_record_shares(bins: usize, columns: usize, epsilon: f64) -> f64 {
    let law = |share: f64| graded(bins, share * epsilon / (bins - 1) as f64);
    let (all, even, none) = (law(1.0), law(1.0 / columns as f64), law(0.0));
    // One column with an even share against the whole budget, the others against none of it.
    worst(&even, &all) + (columns - 1) as f64 * worst(&even, &none)
}

fn worst(one: &FloatLaw, other: &FloatLaw) -> f64 {
    let ratio = |a: &Vec<f64>, b: &Vec<f64>| {
        a.iter().zip(b).map(|(p, q)| (p / q).ln()).fold(f64::NEG_INFINITY, f64::max)
    };
    let pairs = one.rows.iter().flat_map(|a| other.rows.iter().map(move |b| ratio(a, b)));
    pairs.fold(f64::NEG_INFINITY, f64::max)
}

// What is printed about neighbour lists.

const TOY: ToyDprr = ToyDprr { degree: 0.1, bits: 0.9 };

const LISTS: [PrintedClaim; 5] = [
    PrintedClaim {
        number: 1,
        claim: "DPRR with the printed budget split, epsilon 0.2, 957 nodes",
        expected: Some(0.271_478),
        run: || {
            // eps1 = max(sqrt(8/(n-1)), (1-a) eps), eps2 = a eps, with a = 0.9.
            let dprr = Dprr::with_split(0.2, 957, BudgetSplit::Paper { alpha: 0.9 })?;
            let spent = accountant::best(&dprr.event(), Delta::ZERO)?.value;
            found("printed split", AuditMethod::Theorem, 0.2, spent.get())
        },
    },
    PrintedClaim {
        number: 2,
        claim: "DPRR's edge-LDP epsilon claimed for relationships",
        expected: Some(2.0),
        run: || exact("both reports", 1.0, relationship_dp(TOY, ReportedPairs::Both)),
    },
    PrintedClaim {
        number: 3,
        claim: "lower triangle steered by the full degree, claimed as eps1 + eps2",
        expected: Some(1.1),
        run: || exact("lower triangle", 1.0, relationship_dp(TOY, ReportedPairs::LaterFullDegree)),
    },
    PrintedClaim {
        number: 6,
        claim: "keep probability divided before the noisy degree is clipped",
        expected: Some(1.0),
        run: || {
            // A very negative noisy degree must give the emptiest report, not the fullest.
            let (d, m, p) = (-40.0f64, 9.0, 1.0 / (1.0 + (-0.9f64).exp()));
            let printed = (d / (d * (2.0 * p - 1.0) + m * (1.0 - p))).clamp(0.0, 1.0);
            exact("density at a noisy degree of -40", 0.0, printed)
        },
    },
    PrintedClaim {
        number: 101,
        claim: "an edge with a user who publishes, claimed at the sum of two epsilons",
        expected: Some(f64::INFINITY),
        run: || {
            // A user who publishes sends the list itself, which the edge is a part of.
            let published = |list: &[u32]| audit::drawn(audit::DEPTH, |_| list.to_vec());
            exact("a mixed edge", 2.0, published(&[0])?.loss(&published(&[])?))
        },
    },
];

// What is printed about training.

const TRAINING: [PrintedClaim; 4] = [
    PrintedClaim {
        number: 28,
        claim: "the sum of a node's weights clipped, instead of the rows that read it counted",
        expected: None,
        run: || {
            // Sixty rows of weight 1/70 each: by the paper the sum of gradients moves by C at most.
            let (rows, weight) = (60, 1.0 / 70.0);
            let measured = column_witness(rows, weight, 1e4);
            let subject = "what one node moves a batch of 60 by, over C".into();
            let method = AuditMethod::Exact;
            Ok(Finding { subject, method, claimed: 1.0, measured, tolerance: 1e-9 })
        },
    },
    PrintedClaim {
        number: 51,
        claim: "subgraphs of people with twelve neighbours, charged as if no person had more than two",
        expected: None,
        run: || {
            let around = Neighbourhood { degree: 12, noise_multiplier: 12.0 };
            around.charged(RowShare::Neighbours(2), Seeds::new(1))
        },
    },
    PrintedClaim {
        number: 57,
        claim: "DPAR as printed: the rows that read a node are not counted",
        expected: None,
        run: || {
            // Sixteen rows name all people, so that each reads the hub at a weight of 1/16: columns sum to 1.
            let mut settings = dpar::Settings { sample: 1.0, ..dpar::Settings::paper() };
            (settings.structure.sources, settings.structure.keep) = (16, 16);
            as_printed(Method::Em0, Loss::new(1.0, 2e-3)?, settings, 16, 900)
        },
    },
    PrintedClaim {
        number: 58,
        claim: "DPAR's training as printed: amplification as q times epsilon",
        expected: None,
        run: || {
            // Rows name no other person; each run trains on 3 of 100 people, drawn anew.
            let settings = dpar::Settings { sample: 0.03, ..dpar::Settings::paper() };
            as_printed(Method::Features, Loss::new(2.0, 1e-4)?, settings, 100, 30_000)
        },
    },
];

/// The whole of DPAR as printed, one step, with and without a hub, against the printed epsilon.
fn as_printed(
    method: Method,
    target: Loss,
    mut settings: dpar::Settings,
    people: usize,
    trials: u64,
) -> Result<Finding> {
    settings.model = dpar::ModelSettings {
        hidden: Vec::new(),
        batch: 1.0,
        steps: 1,
        learning_rate: 1.0,
        ..settings.model
    };
    let system = Dpar { method, mode: dpar::Mode::Paper, target, settings };
    let trainer = Trainer { system, people, other: Other::Absent, trials };
    let found = trainer.audit::<Node>(Seeds::new(1))?;
    Ok(Finding {
        subject: format!("{}, thousands of trainings", method.name()),
        method: AuditMethod::Statistical,
        claimed: found.printed.unwrap_or(f64::INFINITY),
        measured: found.at_least,
        tolerance: 0.0,
    })
}

/// How far a sum of gradients of a linear softmax at W = 0, each clipped to norm 1, moves when a node of weight
/// `weight` in every row goes from nothing to a feature of `size`. Every row has a feature of its own direction
/// of norm 1 - `weight` as well, two classes, and no bias.
fn column_witness(rows: u32, weight: f64, size: f64) -> f64 {
    // p - y = (-1/2, 1/2), so a gradient is that times (weight size, 1 - weight).
    let half = 0.5f64.sqrt();
    let clipped = |hub: f64| {
        let gradient = [half * hub, half * (1.0 - weight)];
        let norm = (gradient[0].powi(2) + gradient[1].powi(2)).sqrt();
        gradient.map(|part| part * (1.0 / norm).min(1.0))
    };
    let (with, without) = (clipped(weight * size), clipped(0.0));
    // The hub's parts add up; all people's own directions are orthogonal to one another.
    let hub = f64::from(rows) * (with[0] - without[0]);
    let own = f64::from(rows) * (with[1] - without[1]).powi(2);
    (hub * hub + own).sqrt()
}

// What is printed about hierarchical random graphs.

const TREES: [PrintedClaim; 5] = [
    PrintedClaim {
        number: 12,
        claim: "EdgeRR with the main text's sensitivity, 6 nodes",
        expected: Some(3.441_336),
        run: || exact("c = eps / Delta as printed", 2.0, target(6, 2.0 / printed_sensitivity(9))),
    },
    PrintedClaim {
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
    PrintedClaim {
        number: 14,
        claim: "private nodes read off the private edges",
        expected: Some(f64::INFINITY),
        run: nodes_from_data,
    },
    PrintedClaim {
        number: 16,
        claim: "four public steps and one private step in turn, 4 nodes, as printed",
        expected: Some(1.171_44),
        run: alternating,
    },
    PrintedClaim {
        number: 17,
        claim: "a single Metropolis step",
        expected: Some(f64::INFINITY),
        run: one_metropolis_step,
    },
];

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_printed_claim_holds_and_the_truth_is_the_known_one() {
        for printed in all() {
            let finding = (printed.run)().unwrap();
            let (number, claim) = (printed.number, printed.claim);
            assert!(!finding.holds(), "claim {number} ({claim}) holds: {finding:?}");
            if let Some(expected) = printed.expected {
                let near = finding.measured == expected
                    || (finding.measured - expected).abs() <= 2e-4 * expected.abs();
                assert!(near, "claim {number} ({claim}): {} is not {expected}", finding.measured);
            }
        }
    }

    #[test]
    fn numbers_are_unique() {
        let numbers: Vec<u32> = all().iter().map(|printed| printed.number).collect();
        assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
    }
}
