use privet::graph::homophily::edge_homophily;

use super::*;

fn town() -> LookAlike {
    LookAlike {
        people: 2000,
        mean_degree: 6.0,
        columns: 200,
        filled: None,
        classes: 5,
        shares: None,
        homophily: 0.8,
        labelled: 0.75,
        level: Level { readable: 0.9, signal: 0.4, misplaced: 1.0 },
    }
}

#[test]
fn it_follows_the_facts() {
    for homophily in [0.5, 0.8, 0.95] {
        let made = LookAlike { homophily, ..town() }.generate(1).unwrap();
        let labels = made.labels().unwrap();
        let found = edge_homophily(made.graph(), labels).unwrap();
        assert!((found - homophily).abs() < 0.06, "{homophily}: {found}");
        assert_eq!(made.graph().edge_count(), 6000);
        assert_eq!((made.features().unwrap().columns(), labels.class_count()), (200, 5));
        let alone = made.graph().nodes().filter(|&node| made.graph().degree(node) == 0).count();
        assert!(alone <= 20, "at most one in a hundred knows nobody: {alone}");
        let filled = made.features().unwrap().nonzeros() as f64 / 2000.0;
        assert!((15.0..=20.0).contains(&filled), "{filled}");
    }
}

#[test]
fn people_differ_in_whom_they_know() {
    let made = town().generate(2).unwrap();
    let (graph, labels) = (made.graph(), made.labels().unwrap());
    let among_others = |node: u32| {
        let friends = graph.neighbors(node);
        let like = friends.iter().filter(|&&f| labels.class(f) == labels.class(node)).count();
        friends.len() >= 3 && 2 * like < friends.len()
    };
    let known: Vec<u32> = graph.nodes().filter(|&node| graph.degree(node) >= 3).collect();
    let share =
        known.iter().filter(|&&node| among_others(node)).count() as f64 / known.len() as f64;
    assert!((0.1..0.3).contains(&share), "{share}");
}

#[test]
fn few_columns_are_all_filled_and_fewer_labels_are_shown() {
    let made = LookAlike { columns: 6, labelled: 0.3, ..town() }.generate(3).unwrap();
    assert!(made.features().unwrap().nonzeros() > 11_000);
    let shown = 2000 - made.labels().unwrap().unlabelled_count();
    assert!((700..900).contains(&shown), "{shown}");
    assert_eq!(town().generate(4).unwrap(), town().generate(4).unwrap());
}
