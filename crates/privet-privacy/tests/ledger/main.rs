//! The ledger's promises, each tried from outside.
#![expect(clippy::unwrap_used, reason = "in the helpers of tests a panic is a failed test")]

mod cards;
mod files;
mod mechanisms;
mod several;

use std::sync::atomic::{AtomicUsize, Ordering};

use files::{count_of, two_entries};
use mechanisms::{Foreign, OpenCoin, Suspicious, looks};
use privet_graph::{Direction, Graph};
use privet_privacy::edges::comparison::EdgeRand;
use privet_privacy::ledger::{Contents, remove_if_unused};
use privet_privacy::mechanism::Status;
use privet_privacy::noise::{NoiseOrigin, NoiseRng};
use privet_privacy::template::CoinFlip;
use privet_privacy::unit::{Edge, FeatureRow};
use privet_privacy::{
    AsPrinted, Card, Epsilon, Error, Event, Ledger, Loss, Secret, UserChoice, UserChoices,
};

fn limit(epsilon: f64) -> Loss {
    Loss::new(epsilon, 0.0).unwrap()
}

fn answers() -> Secret<Vec<f32>> {
    Secret::new(vec![1.0, 0.0, 1.0, 1.0, 0.0])
}

fn account(epsilon: f64) -> Ledger<FeatureRow> {
    Ledger::in_memory(limit(epsilon), NoiseRng::replay(1)).unwrap()
}

#[test]
fn many_users_cost_one_event_and_the_same_users_twice_cost_two() {
    let mut ledger = account(10.0);
    ledger.release_each(&answers(), &CoinFlip::new(1.0).unwrap()).unwrap();
    assert_eq!(ledger.spent().unwrap()[0].loss, limit(1.0));
    ledger.release_each(&answers(), &CoinFlip::new(0.5).unwrap()).unwrap();
    assert_eq!(ledger.spent().unwrap()[0].loss, limit(1.5));
    assert_eq!(ledger.entries().len(), 2);
}

#[test]
fn a_spend_over_the_limit_is_refused_and_leaves_no_trace() {
    let mut ledger = account(1.0);
    ledger.release_each(&answers(), &CoinFlip::new(0.75).unwrap()).unwrap();
    let chain = ledger.chain().to_owned();
    let error = ledger.release_each(&answers(), &CoinFlip::new(0.5).unwrap()).unwrap_err();
    assert!(matches!(error, Error::OverLimit { .. }));
    assert!(error.to_string().contains("nothing was released"), "{error}");
    assert_eq!((ledger.entries().len(), ledger.chain()), (1, chain.as_str()));
    ledger.release_each(&answers(), &CoinFlip::new(0.25).unwrap()).unwrap();
}

#[test]
fn the_entry_is_on_disk_before_a_report_is_drawn() {
    let release = |ledger: &mut Ledger<_>, mechanism: &_| {
        ledger.release_each(&answers(), mechanism).unwrap();
    };
    assert_eq!(looks(release), 5);
}

#[test]
fn the_entry_is_on_disk_before_a_curator_draws() {
    let release = |ledger: &mut Ledger<_>, mechanism: &_| {
        ledger.release(&answers(), mechanism).unwrap();
    };
    assert_eq!(looks(release), 1);
}

#[test]
fn the_entry_is_on_disk_before_a_user_publishes() {
    let release = |ledger: &mut Ledger<_>, mechanism: &Suspicious| {
        let seen = AtomicUsize::new(0);
        let chosen = Suspicious { ledger: mechanism.ledger.clone(), seen };
        let of_user =
            [UserChoice::Private(0), UserChoice::Public].into_iter().cycle().take(5).collect();
        let choices = UserChoices::new(vec![chosen], of_user).unwrap();
        ledger.release_chosen(&answers(), &choices).unwrap();
        let looked = choices.mechanism(0).seen.load(Ordering::Relaxed);
        mechanism.seen.store(looked, Ordering::Relaxed);
    };
    assert_eq!(looks(release), 5);
}

/// The best of several runs on the same data has been paid for by all of them.
#[test]
fn five_runs_cost_five_times_as_much_as_one() {
    let mut ledger = account(10.0);
    for _ in 0..5 {
        ledger.release_each(&answers(), &CoinFlip::new(0.5).unwrap()).unwrap();
    }
    assert_eq!(ledger.spent().unwrap()[0].loss, limit(2.5));
}

/// A crash leaves a prefix of the ledger's bytes, and a count that is right or one behind.
#[test]
fn a_cut_at_any_byte_never_under_counts() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole.ledger");
    let mut ledger: Ledger<FeatureRow> =
        Ledger::create(&whole, limit(10.0), NoiseRng::replay(1)).unwrap();
    let length = || std::fs::metadata(&whole).unwrap().len();
    let count = || std::fs::read(count_of(&whole)).unwrap();
    let (mut lengths, mut counts) = (vec![length()], vec![count()]);
    for epsilon in [0.5, 1.0] {
        ledger.release_each(&answers(), &CoinFlip::new(epsilon).unwrap()).unwrap();
        lengths.push(length());
        counts.push(count());
    }
    let bytes = std::fs::read(&whole).unwrap();
    let cut = folder.path().join("cut.ledger");
    for (end, behind) in (0..=bytes.len()).flat_map(|end| [(end, 1), (end, 2)]) {
        std::fs::write(&cut, &bytes[..end]).unwrap();
        // Noise of an entry is drawn only once all of its line is on disk.
        let drawn = lengths.iter().filter(|&&length| length <= end as u64).count();
        std::fs::write(count_of(&cut), &counts[drawn.saturating_sub(behind)]).unwrap();
        match Ledger::<FeatureRow>::open(&cut, NoiseRng::replay(1)) {
            Err(error) => assert_eq!(drawn, 0, "cut at {end}: {error}"),
            Ok(mut ledger) => {
                assert_eq!(ledger.entries().len() + 1, drawn, "cut at {end}");
                // And it goes on from there.
                ledger.release_each(&answers(), &CoinFlip::new(0.25).unwrap()).unwrap();
                let entries = Contents::read(&cut).unwrap().entries;
                assert_eq!(entries.len(), drawn);
            }
        }
    }
}

/// What no crash can do: whole lines are gone. Wherever the ledger is cut, fewer entries than were counted
/// are noticed.
#[test]
fn a_ledger_that_lost_entries_does_not_open() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.ledger");
    let lengths = two_entries(&path);
    let (bytes, count) = (std::fs::read(&path).unwrap(), std::fs::read(count_of(&path)).unwrap());
    let open = || Ledger::<FeatureRow>::open(&path, NoiseRng::replay(1)).map(drop);
    for end in 0..lengths[2] as usize {
        std::fs::write(&path, &bytes[..end]).unwrap();
        let error = open().unwrap_err().to_string();
        assert!(end < lengths[0] as usize || error.contains("knows of 2"), "{end}: {error}");
        assert!(Contents::read(&path).map_or(true, |cut| cut.check_count(&path).is_err()));
    }
    // As many entries, but others.
    std::fs::remove_file(&path).unwrap();
    std::fs::remove_file(count_of(&path)).unwrap();
    let mut other: Ledger<FeatureRow> =
        Ledger::create(&path, limit(10.0), NoiseRng::replay(1)).unwrap();
    for _ in 0..2 {
        other.release_each(&answers(), &CoinFlip::new(0.01).unwrap()).unwrap();
    }
    drop(other);
    std::fs::write(count_of(&path), &count).unwrap();
    assert!(open().unwrap_err().to_string().contains("replaced"));
    // None at all: an account with charges does not begin anew.
    std::fs::remove_file(&path).unwrap();
    let anew = Ledger::<FeatureRow>::create(&path, limit(10.0), NoiseRng::replay(1));
    assert!(anew.err().unwrap().to_string().contains("2 charges"));
    // The ledger itself, unharmed.
    std::fs::write(&path, &bytes).unwrap();
    open().unwrap();
}

/// Without its count a ledger is still held to what the cards beside it say.
#[test]
fn cards_remember_what_a_ledger_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.ledger");
    let lengths = two_entries(&path);
    let ledger = Ledger::<FeatureRow>::open(&path, NoiseRng::replay(1)).unwrap();
    let card = Card::new("two surveys").with_ledger(&ledger).unwrap();
    drop(ledger);
    let text = serde_json::to_vec(&card).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::remove_file(count_of(&path)).unwrap();
    let open = || Ledger::<FeatureRow>::open(&path, NoiseRng::replay(1)).map(drop);
    for name in ["people.npz.card.json", "card.json"] {
        let beside = folder.path().join(name);
        std::fs::write(&beside, &text).unwrap();
        std::fs::write(&path, &bytes[..lengths[1] as usize]).unwrap();
        assert!(open().unwrap_err().to_string().contains(&format!("{name} knows of 2")));
        std::fs::write(&path, &bytes).unwrap();
        open().unwrap();
        std::fs::remove_file(beside).unwrap();
        let _ = std::fs::remove_file(count_of(&path));
    }
    // What is no card by its name says nothing.
    std::fs::write(folder.path().join("people.json"), &text).unwrap();
    std::fs::write(&path, &bytes[..lengths[1] as usize]).unwrap();
    open().unwrap();
}

#[test]
fn only_an_account_without_charges_can_go() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.ledger");
    let create = || Ledger::<FeatureRow>::create(&path, limit(1.0), NoiseRng::replay(1)).unwrap();
    let ledger = create();
    assert!(remove_if_unused(&path).is_err(), "another account is open on it");
    drop(ledger);
    assert!(remove_if_unused(&path).unwrap());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    create().release_each(&answers(), &CoinFlip::new(1.0).unwrap()).unwrap();
    assert!(!remove_if_unused(&path).unwrap());
    assert_eq!(Contents::read(&path).unwrap().entries.len(), 1);
}

#[test]
fn asking_costs_nothing() {
    let ledger = account(1.0);
    ledger.would_allow(&CoinFlip::new(1.0).unwrap()).unwrap();
    let error = ledger.would_allow(&CoinFlip::new(1.5).unwrap()).unwrap_err();
    assert!(matches!(error, Error::OverLimit { .. }));
    assert!(ledger.entries().is_empty());
}

#[test]
fn an_edited_ledger_does_not_open() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("edited.ledger");
    two_entries(&path);
    let text = std::fs::read_to_string(&path).unwrap();
    let open = || Ledger::<FeatureRow>::open(&path, NoiseRng::replay(1)).err().unwrap().to_string();

    std::fs::write(&path, text.replacen("\"epsilon\":1.0", "\"epsilon\":0.1", 1)).unwrap();
    assert!(open().contains("edited"), "{}", open());

    let without_first: Vec<&str> =
        text.lines().enumerate().filter(|(at, _)| *at != 1).map(|(_, line)| line).collect();
    std::fs::write(&path, without_first.join("\n") + "\n").unwrap();
    assert!(open().contains("line 2"), "{}", open());

    let future = text.replacen("\"format\":", "\"format\":9", 1);
    for first_line in ["not a ledger\n", "", "{}", &future, &text.replacen("10.0", "11.0", 1)] {
        std::fs::write(&path, first_line).unwrap();
        assert!(open().contains("line 1"), "{first_line}: {}", open());
    }
}

#[test]
fn a_ledger_belongs_to_one_unit_and_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.ledger");
    let ledger: Ledger<FeatureRow> =
        Ledger::create(&path, limit(1.0), NoiseRng::replay(1)).unwrap();
    let busy = Ledger::<FeatureRow>::open(&path, NoiseRng::replay(1)).err().unwrap().to_string();
    assert!(busy.contains("another process"), "{busy}");
    drop(ledger);
    let other = Ledger::<Edge>::open(&path, NoiseRng::replay(1)).err().unwrap().to_string();
    assert!(other.contains("feature-row, not for edge"), "{other}");
    assert!(Ledger::<FeatureRow>::create(&path, limit(1.0), NoiseRng::replay(1)).is_err());
}

#[test]
fn a_reopened_simulation_does_not_repeat_its_noise() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.ledger");
    let many = Secret::new(vec![1.0; 200]);
    let coin = CoinFlip::new(0.5).unwrap();
    let mut ledger = Ledger::create(&path, limit(9.0), NoiseRng::replay(7)).unwrap();
    let first = ledger.release_each(&many, &coin).unwrap().into_inner();
    let second = ledger.release_each(&many, &coin).unwrap().into_inner();
    drop(ledger);
    let mut ledger = Ledger::<FeatureRow>::open(&path, NoiseRng::replay(7)).unwrap();
    let third = ledger.release_each(&many, &coin).unwrap().into_inner();
    assert!(first != second && second != third && third != first);
}

#[test]
fn each_user_pays_what_they_chose() {
    let mut ledger = account(2.0);
    let coin = |epsilon| OpenCoin(CoinFlip::new(epsilon).unwrap());
    let of_user = vec![
        UserChoice::Private(0),
        UserChoice::Private(1),
        UserChoice::Public,
        UserChoice::Public,
        UserChoice::Private(0),
    ];
    let choices = UserChoices::new(vec![coin(0.5), coin(2.0)], of_user).unwrap();
    let reports = ledger.release_chosen(&answers(), &choices).unwrap().into_inner();
    assert!(reports[2] && reports[3], "published answers come out as they are");
    let spent = ledger.spent().unwrap();
    let losses: Vec<_> =
        spent.iter().map(|s| (s.users.count(), s.loss.epsilon.get(), s.opted_out)).collect();
    let expected = [(Some(2), 0.5, false), (Some(1), 2.0, false), (Some(2), f64::INFINITY, true)];
    assert_eq!(losses, expected);

    // The strongest user has nothing left, so a second round for everyone is refused.
    assert!(ledger.release_chosen(&answers(), &choices).is_err());
    // A round that leaves user 1 alone is not.
    let rest = vec![UserChoice::Private(0); 4];
    assert!(
        ledger
            .release_chosen(&answers(), &UserChoices::new(vec![coin(0.5)], rest).unwrap())
            .is_err()
    );
    assert!(UserChoices::new(vec![coin(0.5)], vec![UserChoice::Private(1)]).is_err());

    let card = Card::new("survey").with_ledger(&ledger).unwrap();
    assert_eq!(card.guarantees[0].loss, limit(2.0));
    assert!(card.explain().contains("2 users: chose to publish"), "{}", card.explain());
}

#[test]
fn seeded_noise_is_stamped_wherever_it_could_be_seen() {
    let mut ledger = account(1.0);
    let release = ledger.release_each(&answers(), &CoinFlip::new(1.0).unwrap()).unwrap();
    let simulated = NoiseOrigin::Simulation { seed: 1 };
    assert_eq!(release.origin(), simulated);
    assert_eq!(release.map(|reports| reports.len()).origin(), simulated);
    assert_eq!(ledger.entries()[0].noise, simulated);
    let card = Card::new("survey").with_ledger(&ledger).unwrap();
    assert!(card.is_simulation());
    assert!(card.explain().contains("gives no protection"), "{}", card.explain());
    assert!(serde_json::to_string(&card).unwrap().contains(r#""noise":{"simulation":{"seed":1}}"#));

    let mut real =
        Ledger::<FeatureRow>::in_memory(limit(1.0), NoiseRng::from_operating_system().unwrap())
            .unwrap();
    real.release_each(&answers(), &CoinFlip::new(1.0).unwrap()).unwrap();
    assert!(!Card::new("survey").with_ledger(&real).unwrap().is_simulation());
}

#[test]
fn what_was_made_outside_is_stamped_wherever_it_is_shown() {
    let mut ledger = account(2.0);
    ledger.release_each(&answers(), &CoinFlip::new(0.5).unwrap()).unwrap();
    let card = Card::new("ours").with_ledger(&ledger).unwrap();
    assert!(card.is_audited() && !card.explain().contains("NOT AUDITED"));
    let pure = Event::Pure { epsilon: Epsilon::new(0.5).unwrap() };
    ledger.release_each(&answers(), &Foreign(pure)).unwrap();
    assert_eq!(ledger.entries().iter().map(|e| e.audited).collect::<Vec<_>>(), [true, false]);
    let card = Card::new("theirs").with_ledger(&ledger).unwrap();
    assert!(!card.is_audited() && card.explain().contains("NOT AUDITED"), "{}", card.explain());
    let text = serde_json::to_string(&card).unwrap();
    assert!(text.contains(r#""audited":false"#), "{text}");
    let hidden: Card = serde_json::from_str(&text.replace(r#","audited":false"#, "")).unwrap();
    assert!(!hidden.differences(&[ledger.contents().clone()]).unwrap().is_empty());
}

#[test]
fn unaudited_mechanisms_cannot_be_free() {
    let mut ledger = account(2.0);
    for free in [Event::Nothing, Event::Sequence { events: Vec::new() }] {
        let error = ledger.release_each(&answers(), &Foreign(free)).unwrap_err();
        assert!(error.to_string().contains("outside Privet"), "{error}");
    }
    assert!(ledger.entries().is_empty());
}

#[test]
fn a_release_knows_where_it_was_written_down() {
    let mut ledger = account(2.0);
    let coin = CoinFlip::new(0.5).unwrap();
    let first = ledger.release_each(&answers(), &coin).unwrap();
    let after_one = ledger.chain().to_owned();
    let second = ledger.release_each(&answers(), &coin).unwrap();
    let source = &first.sources()[0];
    assert_eq!((source.entries, source.chain.as_str()), (1, after_one.as_str()));
    let both = first.zip(second.map(|reports| reports.len()));
    assert_eq!(both.sources()[1].chain, ledger.chain());
    assert_eq!(both.origin(), NoiseOrigin::Simulation { seed: 1 });
    let both = both.protected(&ledger).unwrap();
    let seal = &both.card().guarantees[0].ledger;
    assert_eq!((seal.entries, seal.chain.as_str()), (2, ledger.chain()));
    let with_it = both.clone().zip(both.clone());
    assert_eq!(with_it.card(), both.card());
}

#[test]
fn a_card_belongs_to_its_releases() {
    let (mut ledger, mut other) = (account(2.0), account(2.0));
    let coin = |epsilon| CoinFlip::new(epsilon).unwrap();
    let release =
        |ledger: &mut Ledger<_>, epsilon| ledger.release_each(&answers(), &coin(epsilon)).unwrap();
    let (first, others) = (release(&mut ledger, 1.0), release(&mut other, 0.5));
    assert!(first.protected(&other).is_err(), "another ledger's card");
    assert!(
        release(&mut ledger, 0.25).zip(others).protected(&ledger).is_err(),
        "half of it is another's"
    );
    let protected = release(&mut ledger, 0.25).protected(&ledger).unwrap();
    assert_eq!(protected.card().guarantees[0].loss.epsilon.get(), 1.5, "all that the ledger paid");
}

#[test]
fn a_printed_price_is_shown_and_the_true_one_charged() {
    let printed = Epsilon::new(0.1).unwrap();
    let mechanism = AsPrinted::new(EdgeRand::new(1.0).unwrap(), printed, "a factor of ten");
    let mut ledger: Ledger<Edge> = Ledger::in_memory(limit(2.0), NoiseRng::replay(1)).unwrap();
    let graph = Graph::empty(3, Direction::Undirected).unwrap();
    ledger.release(&Secret::new(graph), &mechanism).unwrap();
    assert_eq!(ledger.spent().unwrap()[0].loss, limit(1.0));
    let flaw = "a factor of ten".to_owned();
    assert_eq!(ledger.entries()[0].status, Status::PaperMode { printed, flaw });
}
