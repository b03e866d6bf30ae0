//! `privet embed`: rows with their ids, and the card that comes along.

use crate::ran::Folder;

/// 60 people with 12 features and three classes, as `in.npz`.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.ok("data generate sbm --nodes 60 --classes 3 --features 12 --mean-degree 1.5 -o in.npz");
    folder
}

/// A path ada - bob - cy with a feature each.
fn path() -> Folder {
    Folder::with(&[
        ("friends.csv", b"ada,bob\nbob,cy\n"),
        ("ages.csv", b"id,age\nada,1\nbob,0\ncy,0\n"),
    ])
}

const PATH: &str = "embed friends.csv --features ages.csv --alpha 0.5 --r 0";

#[test]
fn raw_features_are_embedded_with_a_warning() {
    let folder = path();
    let ran = folder.run(&format!("{PATH} -o out.csv --rounds 2"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    insta::assert_snapshot!(ran.stderr, @"note: there is no card beside the input: an embedding of raw features is NOT private");
    insta::assert_snapshot!(ran.stdout, @r"
    wrote out.csv
    3 nodes, 1 dimension; 2 rounds, off by at most 0.0625 in any entry
    NOT private, unless the features are
    ");
    // 1/2 (x + 1/2 P x + 1/4 P^2 x) with P = rows of means: ada 1/2 + 1/16, bob 1/8, cy 1/16.
    let rows = String::from_utf8(folder.read("out.csv")).unwrap();
    assert_eq!(rows, "id,age\nada,0.5625\nbob,0.125\ncy,0.0625\n");
    assert!(!folder.path("out.csv.card.json").exists());
}

#[test]
fn every_form_holds_the_same_rows() {
    let folder = path();
    folder.ok(&format!("{PATH} -o out.vec --rounds 2"));
    let rows = String::from_utf8(folder.read("out.vec")).unwrap();
    assert_eq!(rows, "3 1\nada 0.5625\nbob 0.125\ncy 0.0625\n");
    folder.ok(&format!("{PATH} -o out.npz --rounds 2"));
    folder.ok(&format!("{PATH} -o out.parquet --rounds 2"));
    assert_eq!(&folder.read("out.parquet")[..4], b"PAR1");
    let told = folder.json("data info friends.csv --features out.npz");
    assert_eq!(told["features"]["columns"], 1);
    folder.fails(&format!("{PATH} -o out.graphml"), 2, &["out.graphml", ".parquet"]);
}

#[test]
fn power_and_push_agree() {
    let folder = folder();
    for line in ["-o power.vec", "-o push.vec --method push --rmax 1e-7"] {
        let told = folder.json(&format!("embed in.npz --self-loops {line} --quiet"));
        assert_eq!((&told["nodes"], &told["dimensions"]), (&60.into(), &12.into()));
        assert_eq!((&told["self_loops"], &told["card"]), (&true.into(), &serde_json::Value::Null));
        assert!(told["error_bound"].as_f64().unwrap() <= 1e-6, "{told}");
        assert!(told["rounds"].is_u64() != told["pushes"].is_u64(), "{told}");
    }
    let numbers = |name: &str| -> Vec<f64> {
        let text = String::from_utf8(folder.read(name)).unwrap();
        text.split_whitespace().map(|word| word.parse().unwrap()).collect()
    };
    let (power, push) = (numbers("power.vec"), numbers("push.vec"));
    assert_eq!(power.len(), 2 + 60 * 13);
    assert!(power.iter().zip(&push).all(|(a, b)| (a - b).abs() < 1e-5));
}

#[test]
fn the_card_of_the_input_is_carried_over() {
    let folder = folder();
    folder.ok("protect features in.npz -o noisy.npz --mechanism hds --epsilon 1 --bounds 0,1");
    let ran = folder.run("embed noisy.npz -o emb.npz");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(
        ran.stdout.contains("still protected") && ran.stdout.contains("epsilon 1"),
        "{}",
        ran.stdout
    );
    folder.ok("verify emb.npz.card.json --ledger noisy.npz.ledger");
    let card =
        |name: &str| -> serde_json::Value { serde_json::from_slice(&folder.read(name)).unwrap() };
    let (before, after) = (card("noisy.npz.card.json"), card("emb.npz.card.json"));
    assert_eq!(before["guarantees"], after["guarantees"]);
    assert_eq!(before["unprotected"], after["unprotected"]);
    assert!(after["subject"].as_str().unwrap().starts_with("an embedding of: "));
}

#[test]
fn no_card_vouches_for_what_it_does_not_speak_of() {
    let folder = folder();
    folder.ok("protect features in.npz -o noisy.npz --mechanism hds --epsilon 1 --bounds 0,1");
    folder.ok("embed noisy.npz -o emb.npz");
    // Other features than those the card speaks of; the earlier card must go.
    let other = "embed noisy.npz --features in.npz -o emb.npz --overwrite";
    let ran = folder.run(other);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("does not speak of the features"), "{}", ran.stderr);
    assert!(ran.stdout.contains("NOT private"), "{}", ran.stdout);
    assert!(!folder.path("emb.npz.card.json").exists());
    // A card about edges.
    folder.ok("protect edges in.npz -o edges.npz --epsilon 1");
    let ran = folder.run("embed edges.npz -o other.npz");
    assert!(ran.stderr.contains("protects other things than features"), "{}", ran.stderr);
    // A damaged card is no card.
    folder.write("noisy.npz.card.json", b"{}");
    folder.fails("embed noisy.npz -o broken.npz", 1, &["noisy.npz.card.json"]);
    assert!(!folder.path("broken.npz").exists());
}

#[test]
fn mistakes_are_named() {
    let folder = path();
    folder.fails("embed friends.csv -o out.csv", 2, &["no features", "--features FILE"]);
    let cases = [
        ("--rmax 1", "method push"),
        ("--method push --rounds 3", "method power"),
        ("--method push --rmax 0", "threshold"),
        ("--tolerance 0", "tolerance"),
    ];
    for (options, part) in cases {
        folder.fails(&format!("{PATH} -o out.csv {options}"), 2, &[part]);
    }
    let line = "embed friends.csv --features ages.csv -o out.csv";
    folder.fails(&format!("{line} --alpha 0"), 2, &["alpha", "(0, 1]"]);
    folder.fails(&format!("{line} --alpha 1e-7"), 1, &["did not converge", "10000 rounds"]);
    folder.fails(&format!("{line} --r 2"), 2, &["exponent", "[0, 1]"]);
    assert_eq!(folder.names(), ["ages.csv", "friends.csv"]);
    folder.ok(&format!("{line} --quiet"));
    folder.fails(line, 3, &["out.csv", "exists already"]);
}
