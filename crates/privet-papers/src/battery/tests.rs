use std::collections::BTreeSet;

use super::*;

/// The ranges that the battery is there for.
#[test]
fn the_graphs_span_what_they_should() {
    let span = |of: fn(&graphs::Blocks) -> f64| {
        let all = || MADE_UP.iter().map(of);
        (all().fold(f64::MAX, f64::min), all().fold(f64::MIN, f64::max))
    };
    assert_eq!(span(|b| b.homophily), (0.2, 0.9));
    assert_eq!(span(|b| b.classes as f64), (2.0, 40.0));
    assert_eq!(span(|b| b.columns as f64), (8.0, 5000.0));
    assert_eq!(span(|b| b.degree), (2.0, 60.0));
    assert_eq!(span(|b| b.nodes as f64), (300.0, 50_000.0));
    assert!(MADE_UP.len() >= 20 && MADE_UP.iter().any(|b| b.directed));
    let keys: BTreeSet<String> =
        MADE_UP.iter().map(|blocks| Place::made_up(blocks).key()).collect();
    assert_eq!(keys.len(), MADE_UP.len());
}

/// The graph on which the default scored 41 % where label propagation on public labels and edges reached 92 %.
#[test]
fn the_default_is_not_behind_public_data_where_it_once_was() {
    let issue = MADE_UP.iter().find(|b| b.nodes == 600 && b.homophily == 0.78).unwrap();
    let place = Place::made_up(issue);
    let never = AtomicBool::new(false);
    let test = |variant| {
        let seeds = 0..2;
        let of = |seed| {
            let job = Job { place: 0, system: LDP_GE, variant, seed };
            measured(&job, place.dataset().unwrap(), 1.0, &never).unwrap().test()
        };
        seeds.map(of).sum::<f64>() / 2.0
    };
    let [private, public, ceiling] =
        [Variant::Private, Variant::NoPrivateData, Variant::Ceiling].map(test);
    assert!(public > 0.85, "{public}");
    assert!(private >= public - 0.02, "{private} against {public}");
    assert!(ceiling >= private - 0.02, "{ceiling} against {private}");
}
