use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use super::*;
use crate::experiments::cells::Cells;

fn take(seed: u64) -> Tour {
    let (mut cells, interrupt) = (Cells::in_memory(), &AtomicBool::new(false));
    let threads = NonZeroUsize::new(2).unwrap();
    tour(seed, &mut Sweep { cells: &mut cells, threads, interrupt, progress: &|_, _| {} }).unwrap()
}

/// What the tour is for: a newcomer sees private data contribute, beside a control and a ceiling, at every stop.
#[test]
fn every_stop_is_told_in_full_and_devices_clearly_contribute() {
    let tour = take(7);
    assert_eq!(tour.stops.len(), 4);
    for stop in &tour.stops {
        assert_eq!(stop.shown().len(), 4, "{}: {:?}", stop.setting.system, stop.scores);
        assert!(stop.card.is_simulation() && !stop.verdict.is_empty());
        assert!(stop.attacker.found_at_most < 100.0, "{:?}", stop.attacker);
    }
    for (stop, least) in tour.stops.iter().zip([1.0, 10.0]) {
        let [_, low, _] = stop.gain.unwrap();
        assert!(low > least, "{}: {:?}", stop.setting.system, stop.gain);
    }
    // A list that both ends send costs a contact twice, and the attacker's number is that of the doubled price.
    let contacts = &tour.stops[1];
    assert_eq!(
        (contacts.cost.loss.epsilon.get(), contacts.cost.relation.name()),
        (2.0, "relationship-dp")
    );
    // e^2 = 7.389...
    assert!((contacts.attacker.found_at_most - 7.389).abs() < 1e-3);
    assert!(contacts.attacker.in_words().contains("at most 7.4 in 100"));
    let report = tour.report("privet demo --html tour.html");
    assert_eq!(report.cards.len(), 4);
    assert!(report.html().matches("<svg").count() >= 4);
}

#[test]
fn a_difference_within_chance_is_not_told_as_one() {
    let setting = TrustSetting {
        system: "x",
        title: "x",
        people: String::new(),
        holds: "x",
        leaves: "x",
        learned: "x",
        private: "answers",
        command: "x",
    };
    let card = Card::new("nothing");
    let comparison = Comparison { rows: Vec::new(), seeds: vec![1, 2, 3], card };
    let of = |first: &[f64], second: &[f64]| {
        let over = (Variant::Control, PairedComparison::of(first, second).unwrap());
        setting.verdict(&comparison, Some(&over))
    };
    assert!(of(&[0.9, 0.91, 0.9], &[0.5, 0.52, 0.5]).starts_with("answers add 39.7 points"));
    assert!(of(&[0.9, 0.5, 0.7], &[0.7, 0.7, 0.7]).contains("cannot be told"));
    assert!(of(&[0.5, 0.51, 0.5], &[0.9, 0.92, 0.9]).contains("worse than noise alone"));
}
