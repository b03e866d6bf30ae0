use std::collections::BTreeSet;

use privet::data::catalog;

use super::*;

#[test]
fn names_are_found_and_misspellings_noticed() {
    for item in Item::all() {
        assert_eq!(Item::find(item.name).unwrap().title, item.title);
    }
    assert_eq!(Item::all().map(|item| item.name).collect::<BTreeSet<_>>().len(), 36);
    let error = Item::find("ldp-ge/fig5").unwrap_err();
    assert!(
        matches!(&error, GraphError::UnknownName { suggestion: Some(near), .. } if near.starts_with("ldp-ge/fig"))
    );
}

fn cells(name: &str, quick: bool) -> u64 {
    let item = Item::find(name).unwrap();
    item.cells(&item.wanted(quick)).unwrap()
}

#[test]
fn cells_are_counted_once_each() {
    // 4 mechanisms x 6 epsilons, private and control, and a ceiling; 5 datasets, 10 runs.
    assert_eq!(cells("ldp-ge/fig2", false), (2 * 24 + 1) * 5 * 10);
    assert_eq!(cells("ldp-ge/fig4", false), (2 * 21 + 1) * 5 * 10);
    // The square wave is drawn twice: as printed and without bias.
    assert_eq!(cells("ldp-ge/fig1", true), 5 * 3);
    // Three noisy methods and a control at 4 lambdas, one without noise at 3, a ceiling; all of it in two
    // readings; and the largest class. 10 runs.
    assert_eq!(cells("dprr/fig4", false), (2 * (4 * 4 + 3 + 1) + 1) * 10);
    // Three noisy methods, each with its control.
    assert_eq!(cells("dprr/fig5", false), (2 * (2 * 3 * 4 + 1) + 1) * 10);
    // Without attackers (one of 6 shares) it does not matter which attack there is not.
    assert_eq!(cells("dprr/fig10", false), (12 * 5 + 6 + 4) * 10);
    assert_eq!(cells("dprr/adaptive", false), (15 * 3 + 3 + 4) * 10);
    assert_eq!(cells("dprr/fig7", false), 1);
    assert_eq!(cells("dprr/fig8", false), 3 * 5);
    assert_eq!(cells("dprr/fig9", false), 2 * 3 * 4);
    // Five mechanisms at 5 epsilons, and two references that have no noise; two datasets, ten runs.
    assert_eq!(cells("heterorr/fig6", false), (5 * 5 + 2) * 2 * 10);
    // Seven and a control at 3 epsilons and 5 shares, two references at 5 shares.
    assert_eq!(cells("heterorr/fig7", false), (8 * 3 * 5 + 2 * 5) * 2 * 10);
    assert_eq!(cells("heterorr/fig10", true), 10 * 3);
    // Four lines as printed, ten by theorem and five among strangers at two epsilons, two ceilings and the
    // largest class; three datasets, ten runs.
    assert_eq!(cells("dpar/table1", false), 41 * 3 * 10);
    assert_eq!(cells("dpar/fig8", true), (3 * 5 + 1 + 1) * 2);
    assert_eq!(cells("dpar/fig9", false), 3 * 2 + 1);
}

#[test]
fn a_first_look_is_a_part_of_the_whole() {
    for item in Item::all() {
        let (quick, whole) = (item.wanted(true), item.wanted(false));
        assert!(item.cells(&quick).unwrap() <= item.cells(&whole).unwrap(), "{}", item.name);
        assert!(quick.epsilons.iter().all(|epsilon| whole.epsilons.contains(epsilon)));
        assert_eq!(quick.mechanisms, whole.mechanisms, "{}", item.name);
        // The graphs of figure 9 are smaller, and a first look at DPRR has an axis of its own.
        if !item.name.starts_with("dprr/fig") {
            assert!(quick.points.iter().all(|point| whole.points.contains(point)));
        }
    }
}

/// What is declared can be asked for: the same checks that users' options go through.
#[test]
fn declarations_pass_their_own_checks() {
    for item in Item::all() {
        for wanted in [item.wanted(false), item.wanted(true)] {
            let known = item.known;
            let is_known = |name: &String| known.contains(&name.as_str());
            assert!(wanted.mechanisms.iter().all(is_known), "{}", item.name);
            match item.places {
                Some(Places::Epsilons) => assert!(wanted.points.is_empty(), "{}", item.name),
                Some(places) => {
                    let fits = |&point: &f64| places.contains(point);
                    assert!(!wanted.points.is_empty() && wanted.points.iter().all(fits));
                }
                None => {}
            }
            let nothing = matches!(item.reads, Reads::Nothing(_));
            assert_eq!(nothing, wanted.datasets.is_empty(), "{}", item.name);
            assert!(!wanted.epsilons.is_empty() && wanted.runs > 0, "{}", item.name);
            assert!(!item.once || wanted.runs == 1, "{}", item.name);
        }
    }
}

/// Data is named as the catalog names it, but for threads that are made up.
#[test]
fn every_dataset_is_in_the_catalog() {
    for item in Item::all() {
        for name in item.wanted(false).datasets.into_iter().chain(item.wanted(true).datasets) {
            let known = name == "synthetic" || catalog::select(&name).is_ok();
            assert!(known, "{} is measured on {name}", item.name);
        }
    }
}

#[test]
fn places_are_what_they_are_called() {
    assert!(Places::Shares.contains(0.0) && Places::Shares.contains(1.0));
    assert!(!Places::Shares.contains(1.01) && !Places::Shares.contains(f64::NAN));
    assert!(Places::Epsilons.contains(1e-3) && !Places::Epsilons.contains(0.0));
    assert!(!Places::Epsilons.contains(f64::INFINITY) && !Places::Users.contains(9.0));
}
