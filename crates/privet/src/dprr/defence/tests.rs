use super::handshake::noise_quantile;
use super::*;
use crate::dprr::poison::{Attack, AttackTargets, Poisoning};
use crate::graph::{GraphBuilder, Labels};
use crate::privacy::edges::local::{Dprr, DprrWithDegree};
use crate::privacy::noise::NoiseRng;
use crate::privacy::{Ledger, Loss, Secret};

const HANDSHAKE: Defence = Defence::Handshake { theta: 0.05, usual_degree: 5 };
const THRESHOLD: Defence = Defence::Threshold { theta: 0.05 };

#[test]
fn the_threshold_of_a_hundred_users() {
    let keep = 1.0 - 1.0 / (1.0 + 0.9f64.exp());
    // The paper's example: 92.5.
    assert!((chernoff_threshold(100, keep, 0.05) - 92.47).abs() < 0.01);
    // Below 63 users nothing can exceed eq. 17.
    assert!(chernoff_threshold(62, keep, 0.05) > 61.0);
    assert!(chernoff_threshold(64, keep, 0.05) <= 63.0);
}

#[test]
fn the_quantile_of_noise_is_the_smallest() {
    for (epsilon, share) in [(0.1, 0.025), (0.5, 0.025), (0.5, 1e-4), (3.0, 0.4)] {
        let ratio: f64 = f64::exp(-epsilon);
        let beyond = |x: f64| ratio.powf(x + 1.0) / (1.0 + ratio);
        let x = noise_quantile(epsilon, share);
        assert!(beyond(x) <= share, "{epsilon}: {x}");
        assert!(x == 0.0 || beyond(x - 1.0) > share, "{epsilon}: {x}");
    }
}

/// Reports about stars of 400 users and a ring among them: one honest hub each connected to all users.
fn reports(count: usize) -> (Vec<Graph>, Vec<Claim>) {
    let leaves = 1..400u32;
    let edges = leaves.clone().map(|v| (0, v)).chain(leaves.map(|v| (v, v % 399 + 1)));
    let star = GraphBuilder::new(400, Direction::Undirected).edges(edges).build().unwrap().0;
    let dprr = Dprr::from_parts(0.5, 0.5).unwrap();
    let flip = 1.0 - dprr.keep_probability();
    let (mut graphs, mut claims) = (Vec::new(), Vec::new());
    for seed in 0..count as u64 {
        let limit = Loss::new(1.0, 0.0).unwrap();
        let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(seed)).unwrap();
        let mechanism = DprrWithDegree(dprr.clone());
        let reports = ledger.release_each(&Secret::new(star.clone()), &mechanism).unwrap();
        let reports = reports.into_inner();
        claims.extend(reports.iter().map(|r| Claim::Degree { said: r.degree, epsilon: 0.5, flip }));
        graphs.push(Graph::from_rows(reports.into_iter().map(|r| r.neighbors).collect()).unwrap());
    }
    (graphs, claims)
}

/// The malicious users of graphs whose classes take turns.
fn poison(
    poisoning: Poisoning,
    graphs: &mut [Graph],
    claims: &mut [Claim],
    attacked: &[u32],
) -> Vec<Vec<NodeId>> {
    poison_in(Direction::Undirected, poisoning, graphs, claims, attacked)
}

fn poison_in(
    direction: Direction,
    poisoning: Poisoning,
    graphs: &mut [Graph],
    claims: &mut [Claim],
    attacked: &[u32],
) -> Vec<Vec<NodeId>> {
    let classes: Vec<Option<i64>> = (0..graphs.len() as i64).map(|at| Some(at % 2)).collect();
    let labels = Labels::from_integers(&classes).unwrap();
    let attacked = AttackTargets { graphs: attacked, direction, labels: &labels };
    poisoning.apply(graphs, claims, &attacked, 2).unwrap()
}

fn judged(defence: Defence, graphs: &[Graph], claims: &[Claim]) -> Vec<Vec<NodeId>> {
    defence.judge(graphs, claims, Direction::Undirected).unwrap()
}

#[test]
fn made_up_lists_are_found_and_honest_users_hardly() {
    for (attack, by_threshold) in [(Attack::RANDOM, false), (Attack::ALL_ONES, true)] {
        let (mut graphs, mut claims) = reports(1);
        let poisoning = Poisoning { attack, share: 0.3 };
        let bad = poison(poisoning, &mut graphs, &mut claims, &[0]).remove(0);
        let flagged = judged(HANDSHAKE, &graphs, &claims).remove(0);
        assert!(bad.iter().all(|user| flagged.contains(user)), "{attack:?}");
        let innocent = flagged.len() - bad.len();
        assert!(innocent * 20 <= 400 - bad.len(), "{innocent} honest users");
        let caught = judged(THRESHOLD, &graphs, &claims).remove(0);
        assert_eq!(bad.iter().any(|user| caught.contains(user)), by_threshold, "{attack:?}");
        Defence::strike(&graphs, &mut claims, std::slice::from_ref(&flagged));
        let struck = |user: &NodeId| claims[*user as usize] == Claim::Struck;
        assert_eq!((0..400).filter(struck).collect::<Vec<_>>(), flagged);
    }
}

/// An honest hub is matched by those who know it.
#[test]
fn without_an_attack_nobody_is_flagged() {
    let (graphs, claims) = reports(20);
    assert!(judged(HANDSHAKE, &graphs, &claims).iter().all(Vec::is_empty));
    assert!(judged(Defence::None, &graphs, &claims).iter().all(Vec::is_empty));
}

#[test]
fn one_bad_graph_of_many_is_judged_alone() {
    let (mut graphs, mut claims) = reports(21);
    let poisoning = Poisoning { attack: Attack::RANDOM, share: 0.3 };
    poison(poisoning, &mut graphs, &mut claims, &[4]);
    let flagged = judged(HANDSHAKE, &graphs, &claims);
    assert!(flagged.iter().enumerate().all(|(at, users)| (at == 4) != users.is_empty()));
    // Two of 21 are more than theta, but honest hubs are nothing like a random half.
    poison(poisoning, &mut graphs, &mut claims, &[5]);
    let flagged = judged(HANDSHAKE, &graphs, &claims);
    assert!(flagged.iter().enumerate().all(|(at, users)| (at == 4 || at == 5) != users.is_empty()));
    // They are like those who claim all other users: such degrees are believed nowhere.
    let all_ones = Poisoning { attack: Attack::ALL_ONES, share: 0.3 };
    let (mut graphs, mut claims) = reports(21);
    poison(all_ones, &mut graphs, &mut claims, &[4, 5]);
    let flagged = judged(HANDSHAKE, &graphs, &claims);
    assert!(flagged.iter().all(|users| users.contains(&0)));
    assert!(flagged.iter().enumerate().all(|(at, users)| at == 4 || at == 5 || users.len() == 1));
}

/// Malicious users who spread what they claim form no crowd, and are too many all the same.
#[test]
fn claims_of_all_sizes_are_refuted_together() {
    let (graphs, mut claims) = reports(1);
    for (user, claim) in claims.iter_mut().enumerate().skip(1).step_by(3) {
        if let Claim::Degree { said, .. } = claim {
            *said = 60 + user as i64 / 2;
        }
    }
    let flagged = judged(HANDSHAKE, &graphs, &claims).remove(0);
    assert!((1..400).step_by(3).all(|user| flagged.contains(&user)), "{flagged:?}");
}

#[test]
fn arcs_need_no_match_and_bad_settings_are_refused() {
    let (mut graphs, mut claims) = reports(1);
    let poisoning = Poisoning { attack: Attack::ALL_ONES, share: 0.3 };
    poison(poisoning, &mut graphs, &mut claims, &[0]);
    let directed = |defence: Defence| defence.judge(&graphs, &claims, Direction::Directed).unwrap();
    assert_eq!(directed(HANDSHAKE), directed(THRESHOLD));
    let published = vec![Claim::Published; 400];
    assert!(judged(THRESHOLD, &graphs, &published)[0].is_empty());
    let nonsense = Defence::Threshold { theta: 0.0 };
    assert!(nonsense.judge(&graphs, &claims, Direction::Directed).is_err());
    assert!(HANDSHAKE.judge(&graphs, &claims[1..], Direction::Directed).is_err());
}

mod passing;
