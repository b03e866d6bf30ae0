//! Releases that are drawn part by part, and by several processes.

use privet_graph::{Bounds, BoundsOrigin, DenseMatrix, Direction, Features, GraphBuilder};
use proptest::prelude::*;

use super::*;
use crate::Loss;
use crate::edges::local::Rr;
use crate::features::{Hds, Scale};
use crate::population::GraphShape;
use crate::template::CoinFlip;
use crate::unit::{FeatureRow, NeighborBit};

fn account<U: Unit>(epsilon: f64) -> Ledger<U> {
    Ledger::in_memory(Loss::new(epsilon, 0.0).unwrap(), NoiseRng::replay(9)).unwrap()
}

fn answers(people: usize) -> Vec<f32> {
    (0..people).map(|person| (person % 3 == 0) as u8 as f32).collect()
}

proptest! {
    /// However a release is cut, each user sends what they would have sent in one release; in this process and in others.
    #[test]
    fn parts_and_shares_are_the_whole(cuts in prop::collection::vec(0usize..=50, 0..5)) {
        let mut ends = cuts;
        ends.push(50);
        ends.sort_unstable();
        let (coin, all) = (CoinFlip::new(1.0).unwrap(), answers(50));
        let whole = account(9.0).release_each(&Secret::new(all.clone()), &coin).unwrap();
        let mut ledger = account(9.0);
        let mut drawing = ledger.begin_each(&50, 50, &coin).unwrap();
        let (mut parts, mut start) = (Vec::new(), 0);
        for &end in &ends {
            let part = Secret::new(all[start..end].to_vec());
            parts.extend(drawing.draw(&part, 0..end - start).unwrap().into_inner());
            start = end;
        }
        prop_assert_eq!(&parts, whole.get());
        prop_assert_eq!(ledger.entries().len(), 1);
        let mut stepped = Vec::new();
        let drawing = account(9.0).begin_each(&50, 50, &coin).unwrap();
        let done = drawing.draw_in_steps(&Secret::new(all.clone()), ends[0], |part| {
            stepped.extend(part);
            Ok::<_, Error>(())
        });
        let done = done.unwrap();
        prop_assert_eq!(done.sources(), whole.sources());
        prop_assert_eq!(&stepped, whole.get());
        let shares = account(9.0).begin_each(&50, 50, &coin).unwrap().shares(&ends).unwrap();
        let mut carried = Vec::new();
        for share in shares {
            let text = serde_json::to_string(&share).unwrap();
            let share: ReleaseShare = serde_json::from_str(&text).unwrap();
            let people = share.people();
            let drawn = share.draw(&coin, &Secret::new(all.clone()), people).unwrap();
            prop_assert_eq!(drawn.origin(), NoiseOrigin::Simulation { seed: 9 });
            carried.extend(drawn.into_inner());
        }
        prop_assert_eq!(&carried, whole.get());
    }
}

/// The second release of a ledger, too; lists come out of the whole graph.
#[test]
fn later_releases_of_lists_agree() {
    let edges = (0..30u32).flat_map(|u| (1..4).map(move |k| (u, (u * k + 5) % 30)));
    let graph = GraphBuilder::new(30, Direction::Undirected).edges(edges).build().unwrap().0;
    let (rr, shape) =
        (Rr::new(1.0).unwrap(), GraphShape { nodes: 30, direction: Direction::Undirected });
    let secret = Secret::new(graph);
    let mut whole: Ledger<NeighborBit> = account(9.0);
    drop(whole.release_each(&secret, &rr).unwrap());
    let expected = whole.release_each(&secret, &rr).unwrap().into_inner();
    let mut ledger: Ledger<NeighborBit> = account(9.0);
    drop(ledger.begin_each(&shape, 30, &rr).unwrap());
    let mut drawing = ledger.begin_each(&shape, 30, &rr).unwrap();
    let mut found = drawing.draw(&secret, 0..11).unwrap().into_inner();
    for share in drawing.shares(&[20, 30]).unwrap() {
        let people = share.people();
        found.extend(share.draw(&rr, &secret, people).unwrap().into_inner());
    }
    assert_eq!(found, expected);
    let charged = |ledger: &Ledger<NeighborBit>| serde_json::to_string(ledger.entries());
    assert_eq!(charged(&ledger).unwrap(), charged(&whole).unwrap());
}

#[test]
fn no_user_is_drawn_twice_and_nothing_without_a_charge() {
    let coin = CoinFlip::new(1.0).unwrap();
    let mut ledger: Ledger<FeatureRow> = account(1.5);
    let mut drawing = ledger.begin_each(&4, 4, &coin).unwrap();
    let all = Secret::new(answers(4));
    assert!(drawing.draw(&all, 0..5).is_err());
    assert!(drawing.draw(&all, 4..5).is_err());
    drawing.draw(&all, 0..3).unwrap();
    // The next person is the fourth, whichever record is handed in: one is left.
    assert!(drawing.draw(&all, 0..2).is_err());
    assert_eq!(drawing.left(), 1);
    for ends in [&[][..], &[2, 4], &[4, 3], &[3, 5], &[3], &[5, 4], &[4, 3, 4]] {
        let mut ledger: Ledger<FeatureRow> = account(9.0);
        let mut drawing = ledger.begin_each(&4, 4, &coin).unwrap();
        drawing.draw(&all, 0..3).unwrap();
        assert!(drawing.shares(ends).is_err(), "{ends:?}");
    }
    assert!(ledger.begin_each(&4, 4, &coin).is_err(), "the limit is 1.5");
    assert_eq!(ledger.entries().len(), 1);
}

/// Rows of other columns are refused: before the charge, and where they are handed in after it.
#[test]
fn data_of_another_shape_is_not_drawn() {
    let bounds = Bounds::uniform(0.0, 10.0, BoundsOrigin::Declared).unwrap();
    let hds = Hds::with_k(2.0, Scale::new(6, Some(&bounds)).unwrap(), 2).unwrap();
    let rows = |columns| Secret::new(Features::dense(DenseMatrix::zeros(4, columns)));
    let mut ledger: Ledger<FeatureRow> = account(9.0);
    assert!(ledger.begin_each(&rows(5).shape(), 4, &hds).is_err());
    assert!(ledger.entries().is_empty());
    let mut drawing = ledger.begin_each(&rows(6).shape(), 4, &hds).unwrap();
    assert!(drawing.draw(&rows(5), 0..4).is_err());
    assert_eq!(drawing.left(), 4);
    assert_eq!(drawing.draw(&rows(6), 0..4).unwrap().get().len(), 4);
}

#[test]
fn steps_are_as_long_as_asked_for() {
    let coin = CoinFlip::new(1.0).unwrap();
    let mut ledger: Ledger<FeatureRow> = account(9.0);
    let (drawing, mut lengths) = (ledger.begin_each(&50, 50, &coin).unwrap(), Vec::new());
    let done = drawing.draw_in_steps(&Secret::new(answers(50)), 20, |part| {
        lengths.push(part.len());
        Ok::<_, Error>(())
    });
    assert!(done.is_ok());
    assert_eq!(lengths, [20, 20, 10]);
}

/// A seed replays noise; the operating system never does. Two draws for the same people, as by two processes or in
/// two runs, must differ, and a share carries no key from one process to another.
#[test]
fn b9_every_share_has_a_key_of_its_own() {
    let coin = CoinFlip::new(0.2).unwrap();
    let people = 400;
    let all = Secret::new(answers(people));
    let noise = NoiseRng::from_operating_system().unwrap();
    let limit = Loss::new(9.0, 0.0).unwrap();
    let mut ledger: Ledger<FeatureRow> = Ledger::in_memory(limit, noise).unwrap();
    let mut share = || {
        let drawing = ledger.begin_each(&people, people, &coin).unwrap();
        drawing.shares(&[people]).unwrap().remove(0)
    };
    let first = share();
    let text = serde_json::to_string(&first).unwrap();
    let copy: ReleaseShare = serde_json::from_str(&text).unwrap();
    let fields: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut names: Vec<&String> = fields.as_object().unwrap().keys().collect();
    names.sort();
    let public =
        ["chain", "entries", "mechanism", "origin", "parameters", "people", "release", "unit"];
    assert_eq!(names, public);
    let draw = |share: ReleaseShare| share.draw(&coin, &all, 0..people).unwrap().into_inner();
    let (one, again, later) = (draw(first), draw(copy), draw(share()));
    // Of 400 coins about half differ; all agree with a probability below 2^-300.
    for (a, b) in [(&one, &again), (&one, &later), (&again, &later)] {
        let differ = a.iter().zip(b).filter(|(a, b)| a != b).count();
        assert!((100..300).contains(&differ), "{differ} of {people} reports differ");
    }
}

#[test]
fn a_share_is_for_its_mechanism_and_its_people() {
    let coin = CoinFlip::new(1.0).unwrap();
    let all = Secret::new(answers(4));
    let share = || {
        let mut ledger: Ledger<FeatureRow> = account(9.0);
        ledger.begin_each(&4, 4, &coin).unwrap().shares(&[4]).unwrap().remove(0)
    };
    assert!(share().draw(&CoinFlip::new(2.0).unwrap(), &all, 0..4).is_err());
    assert!(share().draw(&coin, &all, 0..3).is_err());
    assert!(share().draw(&coin, &all, 0..5).is_err());
    assert!(share().draw(&coin, &all, 0..4).is_ok());
    let mut stolen = share();
    stolen.origin = NoiseOrigin::OperatingSystem;
    let first = share().draw(&coin, &all, 0..4).unwrap();
    assert_eq!(first.origin(), NoiseOrigin::Simulation { seed: 9 });
    assert_eq!(stolen.draw(&coin, &all, 0..4).unwrap().origin(), NoiseOrigin::OperatingSystem);
}
