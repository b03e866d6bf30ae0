//! What noise cannot hide must be stated, numbers that give no protection are questioned, and messages about secret
//! records do not quote them.

use crate::ran::Folder;

/// Three friends by name, with no list of everyone.
fn friends() -> Folder {
    Folder::with(&[
        ("friends.csv", b"ada,bob\nbob,cy\n"),
        ("teams.csv", b"id,label\nada,red\nbob,red\ncy,blue\n"),
        ("ages.csv", b"id,age\nada,1\nbob,0\ncy,0.5\n"),
        ("everyone.txt", b"ada\nbob\ncy\n"),
    ])
}

#[test]
fn facts_that_only_the_records_tell_are_refused_until_stated() {
    let folder = friends();
    let edges = "protect edges friends.csv -o out --epsilon 1";
    folder.fails(edges, 3, &["the list of ids", "--nodes FILE", "--assume-public ids"]);
    let labels =
        "protect labels friends.csv --labels teams.csv --nodes everyone.txt -o out --epsilon 1";
    folder.fails(labels, 3, &["the list of classes", "--classes", "--assume-public classes"]);
    folder.write("in/edges.csv", b"source,target\n1,2\n");
    folder.write("in/nodes.csv", b"id,label\n1,red\n2,blue\n");
    folder.fails("protect labels ./in -o out --epsilon 1", 3, &["the list of classes"]);
    folder.write("in/features.csv", b"id,feature,value\n1,4,1\n");
    let features = "protect features ./in -o out --mechanism hds --bounds 0,1 --epsilon 1";
    folder.fails(
        features,
        3,
        &["the list of feature columns", "--columns", "--assume-public columns"],
    );
    let publish = "publish friends.csv --all-private --epsilon-edges 1 -o out";
    folder.fails(publish, 3, &["the list of ids", "--nodes FILE"]);
    let run = "run ldp-ge --dataset friends.csv --features ages.csv --labels teams.csv --bounds 0,1 \
               --epsilon 1 --runs 1 -o out";
    folder.fails(run, 3, &["the list of ids", "--nodes FILE"]);
    assert_eq!(folder.names(), ["ages.csv", "everyone.txt", "friends.csv", "in", "teams.csv"]);

    folder.ok(&format!("{edges} --nodes everyone.txt"));
    folder.ok(&format!("{} --classes blue,red", labels.replace("out", "two")));
    folder.ok(&format!("{} --columns 5", features.replace("-o out", "-o three")));
}

#[test]
fn what_is_taken_for_public_is_on_the_card_and_stays_there() {
    let folder = friends();
    let told = folder.json("protect edges friends.csv -o out --epsilon 1 --assume-public ids");
    let unprotected = told["card"]["unprotected"].to_string();
    assert!(unprotected.contains("the list of ids, read off the records"), "{unprotected}");
    // Writing it as something else does not make it public.
    folder.ok("data convert friends.csv friends.npz");
    folder.ok("data convert friends.npz folder");
    folder.fails("protect edges friends.npz -o no --epsilon 1", 3, &["the list of ids"]);
    folder.fails("protect edges ./folder -o no --epsilon 1", 3, &["the list of ids"]);
    // What was stated needs no confirmation.
    let line =
        "protect edges friends.csv -o two --epsilon 1 --nodes everyone.txt --assume-public ids";
    let unprotected = folder.json(line)["card"]["unprotected"].to_string();
    assert!(!unprotected.contains("on the word of"), "{unprotected}");
}

#[test]
fn a_record_outside_what_was_stated_is_an_error_without_a_name() {
    let folder = friends();
    folder.write("few.txt", b"ada\nbob\n");
    let line = "protect edges friends.csv -o out --epsilon 1 --nodes few.txt";
    let told = folder.fails(line, 1, &["an id that was stated", "--show-values"]);
    assert!(!told.contains("'cy'"), "{told}");
    folder.fails(&format!("{line} --show-values"), 1, &["'cy'"]);
    let line = "protect labels friends.csv --labels teams.csv --nodes everyone.txt --classes red,green \
                -o out --epsilon 1";
    let told = folder.fails(line, 1, &["a class that was stated"]);
    assert!(!told.contains("blue"), "{told}");
    folder.fails(&line.replace("red,green", ","), 2, &["--classes"]);
}

#[test]
fn messages_about_records_do_not_quote_them() {
    let folder = friends();
    folder.write("ages.csv", b"id,age\nada,1\nbob,ssn 123-45-6789\ncy,0\n");
    let line = "data info friends.csv --features ages.csv";
    let told = folder.fails(line, 1, &["ages.csv", "line 3", "a finite number", "--show-values"]);
    assert!(!told.contains("123-45"), "{told}");
    folder.fails(&format!("{line} --show-values"), 1, &["found 'ssn 123-45-6789'"]);
    folder.write("secret.csv", b"ada,cy\n");
    let line = "publish friends.csv --private-edges secret.csv --nodes everyone.txt --epsilon-edges 1 -o out";
    let told = folder.fails(line, 1, &["secret.csv", "an edge of the graph"]);
    assert!(!told.contains("cy"), "{told}");
    folder.fails(&format!("{line} --show-values"), 1, &["'ada - cy'"]);
    folder.write("secret.csv", b"ada,bob\n");
    folder.write("few.txt", b"bob\ncy\n");
    let told = folder.fails(&format!("{line} --private-nodes few.txt"), 2, &["private edge"]);
    assert!(!told.contains(" - "), "{told}");
}

#[test]
fn numbers_that_protect_nobody_are_questioned() {
    let folder = Folder::new();
    folder.ok("data generate sbm --nodes 60 --classes 2 --features 4 --mean-degree 2 -o in.npz");
    let line = |more: &str| format!("protect labels in.npz -o out.npz {more}");
    folder.fails(&line("--epsilon 21"), 3, &["epsilon 21", "above 20", "--accept large-epsilon"]);
    let loose = "--epsilon 1 --limit 100";
    folder.fails(&line(loose), 3, &["a limit of", "--accept loose-limit"]);
    folder.fails(&line("--epsilon 1 --limit inf"), 3, &["--accept loose-limit"]);
    folder.fails(&line("--epsilon 1 --accept everything"), 2, &["everything", "weak-delta"]);
    let gaussian =
        "protect features in.npz -o out.npz --mechanism gaussian --bounds 0,1 --epsilon 1";
    folder.fails(&format!("{gaussian} --delta 0.02"), 3, &["1 in 60", "--accept weak-delta"]);
    folder.fails(
        "publish in.npz --all-private --epsilon-edges 30 -o out.npz",
        3,
        &["epsilon 30", "--accept large-epsilon"],
    );
    let run = "run dpar --dataset in.npz --epsilon 4 --steps 2 --batch 8 --runs 1";
    folder.fails(&format!("{run} --delta 0.02 -o out"), 3, &["1 in 60", "--accept weak-delta"]);
    folder.fails(
        "run dprr --dataset synthetic --epsilon 1 --mechanism nonpriv-full -o out",
        3,
        &["large-epsilon"],
    );
    assert_eq!(folder.names(), ["in.npz"], "refused before anything was charged");

    let card = folder.json(&line(&format!("{loose} --accept loose-limit")))["card"].to_string();
    assert!(card.contains("accepted by the operator (loose-limit)"), "{card}");
}

/// One over a hundred people, a power of ten below it: where none is typed, delta follows their number.
#[test]
fn the_default_delta_of_dpar_follows_the_number_of_people() {
    let folder = Folder::new();
    folder.ok("data generate sbm --nodes 120 --classes 2 --features 4 --mean-degree 2 -o in.npz");
    let run = "run dpar --dataset in.npz --epsilon 4 --steps 2 --batch 8 --runs 1 --seed 1";
    let told = folder.json(&format!("{run} -o out"));
    let loss = &told["release"]["card"]["guarantees"][0]["loss"];
    assert_eq!(loss["delta"], 1e-4, "{loss}");
    // The published noise keeps its setting, and has no limit: a release of it must be asked for by name.
    let paper = format!("{run} --mode paper --method gm --sources 4 --sample 0.5 -o paper");
    folder.fails(&paper, 3, &["--accept loose-limit"]);
    let card = folder.json(&format!("{paper} --accept loose-limit"))["release"]["card"].to_string();
    assert!(card.contains("(loose-limit)"), "{card}");
}
