//! A card belongs to its files, says first who is not protected, and no charge gets lost.

use crate::ran::Folder;

/// 60 people with 6 features between 0 and 1, and labels.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.ok("data generate sbm --nodes 60 --classes 2 --features 6 --mean-degree 2.5 -o in.npz");
    folder
}

const FEATURES: &str = "protect features in.npz -o z.npz --mechanism hds --epsilon 1 --bounds 0,1";

/// All members of the karate club chooses to publish.
fn all_public(people: usize) -> String {
    (1..=people).map(|person| format!("{person},public\n")).collect()
}

fn edit(folder: &Folder, file: &str, from: &str, to: &str) {
    let text = String::from_utf8(folder.read(file)).unwrap();
    assert!(text.contains(from), "no {from} in {text}");
    folder.write(file, text.replacen(from, to, 1).as_bytes());
}

/// `verify` must say no, and why.
fn differs(folder: &Folder, line: &str, parts: &[&str]) {
    let ran = folder.run(line);
    assert_eq!(ran.code, 1, "{line}\n{}{}", ran.stdout, ran.stderr);
    for part in parts {
        assert!(ran.stdout.contains(part), "'{part}' is missing: {}", ran.stdout);
    }
}

#[test]
fn raw_data_does_not_inherit_a_card() {
    let folder = folder();
    folder.ok(FEATURES);
    folder.ok("verify z.npz.card.json");
    folder.fails("data convert in.npz z.npz", 3, &["z.npz", "exists already"]);
    // A conversion that fails leaves file and card alone.
    folder.fails("data convert no.npz z.npz --overwrite", 1, &["no.npz"]);
    folder.ok("verify z.npz.card.json");
    let told = folder.ok("data convert in.npz z.npz --overwrite");
    assert!(told.contains("retired z.npz.card.json"), "{told}");
    assert!(!folder.path("z.npz.card.json").exists());
    differs(&folder, "verify z.npz.card.json.retired --ledger z.npz.ledger", &["z.npz"]);
    let told = folder.run("embed z.npz -o emb.npz");
    assert!(told.stdout.contains("NOT private"), "{}", told.stdout);
}

/// Another format is post-processing: the promise goes on, and is checked like any other.
#[test]
fn a_card_goes_on_to_another_format() {
    let folder = folder();
    folder.write("key", &[7; 32]);
    folder.ok(&format!("{FEATURES} --key key"));
    let told = folder.ok("data convert z.npz folder");
    assert!(told.contains("folder.card.json"), "{told}");
    let told = folder.ok("verify folder.card.json");
    assert!(told.contains("not signed"), "the signer did not see this file: {told}");
    let card = String::from_utf8(folder.read("folder.card.json")).unwrap();
    assert!(card.contains("\"subject\": \"converted: "), "{card}");
    let ran = folder.run("data convert z.npz other.npz --features folder/nodes.csv");
    assert!(ran.stderr.contains("gets no card"), "{}{}", ran.stdout, ran.stderr);
    assert!(!folder.path("other.npz.card.json").exists());
}

/// The same, by hand: whatever changed the file, nothing trusts the card any more.
#[test]
fn a_card_of_another_file_is_trusted_by_nothing() {
    let folder = folder();
    folder.ok(FEATURES);
    folder.write("z.npz", &folder.read("in.npz"));
    differs(&folder, "verify z.npz.card.json", &["DIFFERS", "z.npz"]);
    let refused = ["z.npz.card.json", "not issued for this file"];
    folder.fails("embed z.npz -o emb.npz", 3, &refused);
    folder.fails("protect labels z.npz -o more.npz --epsilon 1", 3, &refused);
    assert!(!folder.names().iter().any(|name| name.starts_with("emb") || name.starts_with("more")));
}

#[test]
fn the_card_of_the_first_release_is_not_that_of_the_second() {
    let folder = folder();
    let line = "protect labels in.npz --epsilon 1 --ledger year.ledger";
    folder.ok(&format!("{line} --limit 2 -o 1.npz"));
    folder.ok(&format!("{line} -o 2.npz"));
    let told = folder.ok("verify 1.npz.card.json");
    assert!(told.contains("1 later release from this ledger is not included"), "{told}");
    folder.ok("verify 2.npz.card.json");
    folder.write("2.npz.card.json", &folder.read("1.npz.card.json"));
    folder.write("1.npz", &folder.read("2.npz"));
    differs(&folder, "verify 1.npz.card.json", &["1.npz"]);
}

#[test]
fn no_line_of_a_card_can_be_edited() {
    let folder = Folder::new();
    folder.ok("data generate karate -o in.npz");
    folder.ok("protect edges in.npz -o out.npz --epsilon 1");
    folder.ok("verify out.npz.card.json");
    let card = folder.read("out.npz.card.json");
    for (from, to, said) in [
        ("\"epsilon\": 2.0", "\"epsilon\": 1.0", "under other relations"),
        ("\"trust\": \"nobody\"", "\"trust\": \"curator\"", "trust"),
        ("each entry of", "every thought of", "protects"),
        ("\"accountant\": \"", "\"accountant\": \"very ", "accountant"),
        ("\"users\": 34", "\"users\": 35", "groups"),
        ("\"published\": 0", "\"published\": 1", "chose to publish"),
        ("\"sha256\": \"", "\"sha256\": \"0", "out.npz"),
    ] {
        folder.write("out.npz.card.json", &card);
        edit(&folder, "out.npz.card.json", from, to);
        differs(&folder, "verify out.npz.card.json", &[said]);
    }
}

#[test]
fn publishing_is_not_epsilon_zero() {
    let folder = Folder::new();
    folder.ok("data generate karate -o in.npz");
    folder.write("all_public.csv", all_public(34).as_bytes());
    let line = "protect edges in.npz --epsilon 1 --budgets all_public.csv";
    let told = folder.ok(&format!("{line} -o out.npz"));
    let warning = told.find("NO PROTECTION for 34 people").expect(&told);
    assert!(warning < told.find("edge-ldp: (epsilon inf").expect(&told), "{told}");
    assert!(!told.contains("epsilon 0"), "{told}");
    let explained = folder.ok("verify out.npz.card.json --explain");
    assert!(explained.contains("NO PROTECTION for 34 people"), "{explained}");
    assert!(!explained.contains("50.0 % sure"), "{explained}");

    // An account that is used up does not lend its epsilon to people who publish.
    folder.ok("protect edges in.npz --epsilon 1 --ledger year.ledger -o year.npz");
    let told = folder.json(&format!("{line} --ledger year.ledger -o public.npz"));
    let guarantee = &told["card"]["guarantees"][0];
    assert_eq!(
        (&guarantee["published"], &guarantee["loss"]["epsilon"]),
        (&34.into(), &"inf".into())
    );
    assert_eq!(guarantee["groups"].as_array().unwrap().len(), 1, "{guarantee}");
    folder.ok("verify public.npz.card.json");
}

#[test]
fn a_run_without_privacy_says_so() {
    let folder = Folder::new();
    let told = folder.ok(
        "run dprr --dataset synthetic --epsilon 1 --mechanism nonpriv-full --epochs 2 --hidden 4 \
         --runs 1 --accept large-epsilon -o out",
    );
    assert!(
        told.contains("NO PROTECTION for") && told.contains("No other person is in the data"),
        "{told}"
    );
    assert!(!told.contains("edge-ldp: (epsilon 0"), "{told}");
}

/// 1 for features and 1 for the label are 2 for the record.
#[test]
fn the_record_costs_the_sum_of_its_parts() {
    let folder = folder();
    folder.ok(FEATURES);
    let told = folder.ok("protect labels z.npz -o both.npz --epsilon 1");
    let all = told.find("in all, for one person").expect(&told);
    assert!(told[all..].contains("record-ldp: (epsilon 2"), "{told}");
    assert!(all < told.find("record-ldp: (epsilon 1").expect(&told), "{told}");
    folder.ok("verify both.npz.card.json");
    let card = folder.read("both.npz.card.json");
    edit(&folder, "both.npz.card.json", "\"epsilon\": 2.0", "\"epsilon\": 1.0");
    differs(&folder, "verify both.npz.card.json", &["not their sum"]);
    folder.write("both.npz.card.json", &card);
    folder.ok("embed both.npz -o emb.vec");
    let told = folder.ok("verify emb.vec.card.json --details");
    assert!(told.contains("In all, for one person (record-ldp): (epsilon 2"), "{told}");
}

#[test]
fn a_refused_part_charges_no_other() {
    let folder = folder();
    let line = "publish in.npz --private-share 0.3 --epsilon-edges 1 --epsilon-features 3 --bounds 0,1 \
                --public-steps 5";
    let accounts = "--edges-ledger e.ledger --features-ledger";
    folder.ok(&format!("{line} {accounts} f.ledger -o 1.npz"));
    // The edges' account is used up; that of the features would be new.
    let refused = format!("{line} {accounts} new.ledger -o 2.npz");
    folder.fails(&refused, 3, &["over the limit", "nothing was released"]);
    assert!(!folder.names().iter().any(|name| name.starts_with("new") || name.starts_with("2")));
    // And one that exists is not charged.
    let before = folder.read("f.ledger");
    folder.fails(&format!("{line} {accounts} f.ledger -o 2.npz"), 3, &["over the limit"]);
    assert_eq!(folder.read("f.ledger"), before);
}

#[test]
fn a_ledger_that_lost_a_charge_is_not_spent_from() {
    let folder = folder();
    let line = "protect labels in.npz --epsilon 1 --ledger year.ledger";
    folder.ok(&format!("{line} --limit 2 -o 1.npz"));
    let one = folder.read("year.ledger");
    folder.ok(&format!("{line} -o 2.npz"));
    folder.write("year.ledger", &one);
    folder.fails(&format!("{line} -o 3.npz"), 3, &["year.ledger", "knows of 2", "restore"]);
    differs(&folder, "verify 1.npz.card.json", &["year.ledger", "knows of 2"]);
    // Nor is one that is gone begun anew.
    std::fs::remove_file(folder.path("year.ledger")).unwrap();
    folder.fails(&format!("{line} -o 3.npz"), 3, &["year.ledger", "2 charges"]);
    assert!(!folder.path("3.npz").exists());
}

#[test]
fn one_file_of_a_release_is_not_replaced() {
    let folder = folder();
    folder.ok("protect labels in.npz -o out --epsilon 1");
    folder.ok("verify out.card.json");
    folder.ok("data generate karate -o friends.npz");
    let line = "data convert friends.npz out/edges.csv --overwrite";
    folder.fails(line, 3, &["out/edges.csv", "part of a release"]);
    folder.write("out/more.csv", b"id,a\n0,1\n");
    differs(&folder, "verify out.card.json", &["out/more.csv: not among the files"]);
}

#[test]
fn a_key_shows_who_issued_a_card() {
    let folder = folder();
    folder.write("key", &[7; 32]);
    folder.write("other", &[8; 32]);
    folder.write("short", b"1234");
    let line = "protect labels in.npz -o out.npz --epsilon 1";
    folder.fails(&format!("{line} --key short"), 1, &["short", "16 bytes"]);
    assert!(!folder.path("out.npz.ledger").exists());
    folder.ok(&format!("{line} --key key"));
    let told = folder.ok("verify out.npz.card.json --key key");
    assert!(told.contains("signed with this key"), "{told}");
    let told = folder.ok("verify out.npz.card.json");
    assert!(told.contains("its signature (no key was given)"), "{told}");
    differs(&folder, "verify out.npz.card.json --key other", &["not signed with this key"]);
    folder.ok("protect labels in.npz -o open.npz --epsilon 1");
    differs(&folder, "verify open.npz.card.json --key key", &["not signed"]);
    let told = folder.ok("verify open.npz.card.json");
    assert!(told.contains("not signed: card, ledger and files agree"), "{told}");
}

#[cfg(unix)]
#[test]
fn what_never_ends_is_no_card() {
    let folder = folder();
    folder.fails("verify /dev/zero", 1, &["not a privacy card"]);
    folder.ok(FEATURES);
    folder.fails("verify z.npz.card.json --ledger /dev/zero", 3, &["/dev/zero", "not a ledger"]);
}
