//! What a card says of the ledger that it comes from.

use super::*;

#[test]
fn a_card_is_recomputed_from_its_ledger() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.ledger");
    two_entries(&path);
    let mut ledger = Ledger::<FeatureRow>::open(&path, NoiseRng::replay(1)).unwrap();
    let card = Card::new("two surveys").with_ledger(&ledger).unwrap();
    let card: Card = serde_json::from_str(&serde_json::to_string_pretty(&card).unwrap()).unwrap();
    let differences = |card: &Card| {
        card.differences(std::slice::from_ref(&Contents::read(&path).unwrap())).unwrap()
    };
    assert_eq!(differences(&card), Vec::<String>::new());

    // More spending later does not make the card wrong.
    ledger.release_each(&answers(), &CoinFlip::new(0.25).unwrap()).unwrap();
    assert_eq!(differences(&card), Vec::<String>::new());

    let mut flattering = card.clone();
    flattering.guarantees[0].loss = limit(0.1);
    assert!(differences(&flattering)[0].contains("the card says (epsilon 0.1"));
    let mut foreign = card.clone();
    foreign.guarantees[0].ledger.chain = "0".repeat(64);
    assert!(differences(&foreign)[0].contains("not the one the card was made from"));
    let mut longer = card.clone();
    longer.guarantees[0].ledger.entries = 9;
    assert!(differences(&longer)[0].contains("9 entries"));
    assert_eq!(card.differences(&[]).unwrap(), ["no ledger for the unit feature-row"]);
}
