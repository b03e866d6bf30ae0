use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use crate::experiments::cells::Cells;
use privet::data::synthetic::StochasticBlocks;
use privet::dpar::{Mode, Settings};

use super::*;

fn system(method: Method, epsilon: f64) -> Dpar {
    let mut settings = Settings::rigorous();
    (settings.model.steps, settings.structure.sources) = (10, 20);
    let target = Loss::new(epsilon, 1e-3).unwrap();
    Dpar { method, mode: Mode::Rigorous, target, settings }
}

/// A model without noise that learns its few people by heart is found out; private ones are not above what their
/// cards allow, for every target.
#[test]
fn an_overfit_model_is_found_out_and_a_private_one_is_not() {
    let blocks = StochasticBlocks {
        nodes: 260,
        classes: 3,
        features: 60,
        mean_degree: 4.0,
        ..Default::default()
    };
    let dataset = blocks.generate(3).unwrap();
    let never = AtomicBool::new(false);
    let attack = |sought, method, epsilon| {
        let (hidden, shadows, targets) = (Hidden::NodeAbsent, 32, 50);
        let data = NamedData::new("people", &dataset);
        let attack = MembershipAttack { data, hidden, sought, shadows, targets, seed: 1 };
        let (mut cells, threads) = (Cells::in_memory(), NonZeroUsize::new(2).unwrap());
        let mut sweep =
            Sweep { cells: &mut cells, threads, interrupt: &never, progress: &|_, _| {} };
        attack.on(&system(method, epsilon), &mut sweep).unwrap()
    };
    let open = attack(AttackTarget::People, Method::FeaturesInTheClear, 1.0);
    assert!(open.auc.low > 0.7, "{open:?}");
    assert_eq!((open.ceiling, open.targets, open.trials), (Ceiling::NONE, 50, 1600));
    for (sought, method) in [
        (AttackTarget::People, Method::Features),
        (AttackTarget::People, Method::Em0),
        (AttackTarget::Connections, Method::Gap),
    ] {
        let found = attack(sought, method, 0.5);
        assert!(found.auc.low <= found.ceilings.auc(), "{found:?}");
        assert!(found.ceilings.auc() <= found.ceiling.auc() + 1e-4, "{found:?}");
        for (rate, share) in &found.rates {
            assert!(share.low <= found.ceilings.true_positive_rate(*rate), "{found:?}");
        }
    }
    // A model that reads no connection says nothing about one: whatever is in or out, it is the same.
    let blind = attack(AttackTarget::Connections, Method::Features, 8.0);
    assert_eq!(blind.ceiling.auc(), 0.5);
    assert!(blind.auc.low < 0.5 && blind.auc.high > 0.5, "{blind:?}");
}

fn small(nodes: usize) -> StochasticBlocks {
    StochasticBlocks { nodes, classes: 2, features: 3, mean_degree: 1.5, ..Default::default() }
}

fn attack(
    dataset: &privet::graph::Dataset,
    sought: AttackTarget,
    hidden: Hidden,
) -> MembershipAttack<'_> {
    let data = NamedData::new("people", dataset);
    MembershipAttack { data, hidden, sought, shadows: 8, targets: 50, seed: 1 }
}

/// What a guarantee says about a target depends on what is sought: a connection is one of its ends taken away
/// and put back, and what is not read cannot be told.
#[test]
fn ceilings_are_those_of_what_is_sought() {
    let dataset = privet::data::synthetic::karate_club().unwrap();
    let loss = Loss::new(1.0, 1e-3).unwrap();
    let of = |sought, hidden, method| attack(&dataset, sought, hidden).ceiling(method, loss);
    let own = Ceiling { epsilon: 1.0, delta: 1e-3 };
    assert_eq!(of(AttackTarget::People, Hidden::NodeAbsent, Method::Em0), own);
    assert_eq!(of(AttackTarget::People, Hidden::EdgeDp, Method::Gap), Ceiling::NONE);
    assert_eq!(of(AttackTarget::Connections, Hidden::EdgeDp, Method::Gap), own);
    let both = of(AttackTarget::Connections, Hidden::NodeAbsent, Method::Gap);
    assert!(both.epsilon >= 2.0 && both.delta > 1e-3, "{both:?}");
    let blind = of(AttackTarget::Connections, Hidden::NodeAbsent, Method::Features);
    assert_eq!(blind, Ceiling { epsilon: 0.0, delta: 0.0 });
    let open = attack(&dataset, AttackTarget::People, Hidden::NodeAbsent);
    let infinite = Loss { epsilon: Epsilon::INFINITE, ..loss };
    assert_eq!(open.ceiling(Method::Em0, infinite), Ceiling::NONE);
}

#[test]
fn coins_are_fair_and_each_model_has_its_own() {
    let first = coins(1, 0, 400);
    assert_eq!(first, coins(1, 0, 400));
    assert_ne!(first, coins(1, 1, 400));
    let inside = first.iter().filter(|inside| **inside).count();
    assert!((140..260).contains(&inside), "{inside}");
}

/// People who are outside lose their class and friends and keep their id; connections lose themselves alone.
#[test]
fn what_is_outside_is_gone() {
    let blocks = small(40);
    let (people, _) = Open::split(&blocks.generate(1).unwrap(), Held::Test, 1).unwrap();
    let friends = |people: &Open, node: u32| people.graph.degree(node);
    let node = people.graph.nodes().find(|&node| friends(&people, node) > 0).unwrap();
    let targets = [TargetEntity::Person(node)];
    let same = altered(&people, &targets, &[true]).unwrap();
    assert_eq!((&same.graph, &same.classes), (&people.graph, &people.classes));
    let without = altered(&people, &targets, &[false]).unwrap();
    assert_eq!(without.classes.len(), people.classes.len(), "the id stays");
    assert_eq!(friends(&without, node), 0);
    assert_ne!(without.classes[node as usize], people.classes[node as usize]);
    let other = people.graph.neighbors(node)[0];
    let cut = altered(&people, &[TargetEntity::Connection(node, other)], &[false]).unwrap();
    assert!(!cut.graph.has_edge(node, other) && cut.classes == people.classes);
    assert_eq!(cut.graph.edge_count() + 1, people.graph.edge_count());
}

#[test]
fn targets_are_at_most_a_quarter_and_too_few_models_are_refused() {
    let blocks = small(60);
    let dataset = blocks.generate(1).unwrap();
    let attack = attack(&dataset, AttackTarget::People, Hidden::NodeAbsent);
    let (people, _) = Open::split(&dataset, Held::Test, 1).unwrap();
    let known = Inductive::known(&dataset, Held::Test, 1).unwrap();
    let count = people.classes.len();
    let plan = attack.hidden.plan(&system(Method::Features, 1.0), count).unwrap();
    let most = plan.trained_on(1).len() / 4;
    assert_eq!(attack.pick(&plan, &known).unwrap().len(), most);
    let (mut cells, never) = (Cells::in_memory(), AtomicBool::new(false));
    let (threads, progress) = (NonZeroUsize::MIN, &|_, _| {});
    let mut sweep = Sweep { cells: &mut cells, threads, interrupt: &never, progress };
    let few = MembershipAttack { shadows: 7, ..attack };
    let error = few.on(&system(Method::Features, 1.0), &mut sweep).unwrap_err();
    assert!(error.to_string().contains("at least 8"), "{error}");
}
