use super::*;

fn ring(users: u32) -> Graph {
    Graph::from_rows((0..users).map(|u| vec![(u + 1) % users]).collect()).unwrap()
}

fn apply(
    poisoning: Poisoning,
    graphs: &mut [Graph],
    claims: &mut [Claim],
    attacked: &[u32],
    seed: u64,
) -> Result<Vec<Vec<NodeId>>> {
    let classes: Vec<Option<i64>> = (0..graphs.len() as i64).map(|at| Some(at % 2)).collect();
    let labels = Labels::from_integers(&classes).unwrap();
    let attacked =
        AttackTargets { graphs: attacked, direction: Direction::Undirected, labels: &labels };
    poisoning.apply(graphs, claims, &attacked, seed)
}

#[test]
fn the_ends_of_the_range_are_certain() {
    let poison = |keep, invent, share| {
        let mut graphs = vec![ring(10), ring(10)];
        let attack = Attack::new(keep, invent).unwrap();
        let said = Claim::Degree { said: 1, epsilon: 0.5, flip: 0.3 };
        let mut claims = vec![said; 20];
        let bad = apply(Poisoning { attack, share }, &mut graphs, &mut claims, &[1], 3).unwrap();
        for (user, claim) in (0..).zip(&claims[10..]) {
            let length = graphs[1].degree(user) as i64;
            assert_eq!(*claim, Claim::Degree { said: length, epsilon: 0.5, flip: 0.3 });
        }
        assert_eq!(claims[..10], [said; 10]);
        assert_eq!((&graphs[0], bad[0].len()), (&ring(10), 0));
        let degrees: Vec<usize> = bad[1].iter().map(|&u| graphs[1].degree(u)).collect();
        (degrees, graphs[1].clone())
    };
    let (ones, graph) = poison(1.0, 1.0, 0.3);
    assert_eq!(ones, [9, 9, 9]);
    assert_eq!((graph.arc_count(), graph.self_loop_count()), (7 + 27, 0));
    assert_eq!(poison(0.0, 0.0, 0.5).0, [0; 5]);
    assert_eq!(poison(1.0, 0.0, 1.0).1, ring(10));
    assert!(Attack::new(1.1, 0.0).is_err());
    let random = |share| Poisoning { attack: Attack::RANDOM, share };
    assert!(apply(random(2.0), &mut [], &mut [], &[], 0).is_err());
    assert!(apply(random(0.1), &mut [], &mut [], &[0], 0).is_err());
    assert!(apply(random(0.1), &mut [ring(3)], &mut [], &[0], 0).is_err());
}

/// 300 rows of 999 coins: 149,850 ones, with a deviation of 274.
#[test]
fn the_random_attack_tosses_coins() {
    let mut graphs = vec![ring(1000)];
    let poisoning = Poisoning { attack: Attack::RANDOM, share: 0.3 };
    let mut claims = [Claim::Silent; 1000];
    let bad = apply(poisoning, &mut graphs, &mut claims, &[0], 1).unwrap();
    let ones: usize = bad[0].iter().map(|&user| graphs[0].degree(user)).sum();
    assert!(ones.abs_diff(149_850) < 5 * 274, "{ones}");
}
