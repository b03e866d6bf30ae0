//! Two worlds that differ in one person's record, the same noise: whatever a releasing command writes or says
//! beside the release must be the same to the byte. What differs would be an unpaid release.

use std::collections::BTreeMap;

use crate::ran::{Folder, Ran};

/// What a command made of one world.
struct World {
    folder: Folder,
    ran: Ran,
    files: BTreeMap<String, Vec<u8>>,
}

type Files<'a> = &'a [(&'a str, &'a str)];

fn world(common: Files<'_>, own: Files<'_>, line: &str) -> World {
    let folder = Folder::new();
    common.iter().chain(own).for_each(|(name, text)| folder.write(name, text.as_bytes()));
    let ran = folder.run(line);
    let files = all_files(&folder, "out");
    World { folder, ran, files }
}

/// Every file whose name begins with `prefix`, folders included.
fn all_files(folder: &Folder, prefix: &str) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut left: Vec<String> =
        folder.names().into_iter().filter(|name| name.starts_with(prefix)).collect();
    while let Some(name) = left.pop() {
        let path = folder.path(&name);
        if path.is_dir() {
            left.extend(crate::ran::names_in(&path).iter().map(|inner| format!("{name}/{inner}")));
        } else {
            found.insert(name.clone(), folder.read(&name));
        }
    }
    found
}

/// Both succeed and differ in nothing but `release`; gives whether that differs at all.
fn same_but_for(release: &[&str], one: &World, other: &World) -> bool {
    assert_eq!(one.ran.code, 0, "{}", one.ran.stderr);
    assert_eq!(one.ran.code, other.ran.code, "{}", other.ran.stderr);
    assert_eq!(one.ran.stderr, other.ran.stderr);
    assert_eq!(one.ran.stdout, other.ran.stdout);
    same_files(release, &one.files, &other.files)
}

fn same_files(
    release: &[&str],
    one: &BTreeMap<String, Vec<u8>>,
    other: &BTreeMap<String, Vec<u8>>,
) -> bool {
    let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(one), names(other));
    assert!(release.iter().all(|name| one.contains_key(*name)), "{:?}", names(one));
    for (name, bytes) in one {
        if !release.contains(&name.as_str()) {
            assert_eq!(text(name, bytes), text(name, &other[name]), "{name}");
        }
    }
    release.iter().any(|name| one[*name] != other[*name])
}

/// A file as it is compared. The digests on a card are made from the files it names, each of which is compared
/// itself or is the release.
fn text(name: &str, bytes: &[u8]) -> String {
    if !name.ends_with("card.json") {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    let mut card: serde_json::Value = serde_json::from_slice(bytes).unwrap();
    for file in card["files"].as_array_mut().unwrap() {
        for made_from_it in ["bytes", "sha256"] {
            assert!(file.as_object_mut().unwrap().remove(made_from_it).is_some());
        }
    }
    card.to_string()
}

const EVERYONE: (&str, &str) = ("everyone.txt", "id\ndee\nada\nbob\ncy\neve\n");

#[test]
fn one_more_contact_shows_in_the_noisy_lists_alone() {
    for mechanism in ["dprr", "rr --merge one-sided", "local-lap", "edge-rand", "lap-graph"] {
        let line = format!(
            "protect edges friends.csv -o out --nodes everyone.txt --epsilon 3 --seed 5 --mechanism {mechanism}"
        );
        let without = world(&[EVERYONE], &[("friends.csv", "ada,bob\nbob,cy\ncy,dee\n")], &line);
        // A pendant edge: without a list of everyone, it would bring its end into the world.
        let with =
            world(&[EVERYONE], &[("friends.csv", "ada,eve\nada,bob\nbob,cy\ncy,dee\n")], &line);
        same_but_for(&["out/edges.csv"], &without, &with);
        let nodes = String::from_utf8(with.folder.read("out/nodes.csv")).unwrap();
        assert!(nodes.starts_with("id\ndee\nada\nbob\n"), "the order that was stated: {nodes}");
    }
}

/// Which process draws for whom, and what is said of it, follows from the number of people.
#[test]
fn one_more_contact_shows_in_what_several_workers_drew_alone() {
    let nodes = ("in/nodes.csv", "id\n1\n2\n3\n4\n5\n");
    let rows = ("in/features.csv", "id,x,y\n1,0,1\n2,1,0\n3,1,1\n4,0,1\n5,1,0\n");
    let (few, more) = ("source,target\n1,2\n2,3\n", "source,target\n1,2\n2,3\n1,3\n1,4\n1,5\n");
    for (line, release) in [
        ("cluster run --workers 2 protect edges ./in -o out --epsilon 3", "out/edges.csv"),
        ("protect sums ./in -o out --epsilon 3 --delta 1e-3", "out/features.csv"),
        (
            "cluster run --workers 2 protect sums ./in -o out --epsilon 3 --delta 1e-3",
            "out/features.csv",
        ),
    ] {
        let line = format!("{line} --seed 5 --quiet");
        let one = world(&[nodes, rows], &[("in/edges.csv", few)], &line);
        let other = world(&[nodes, rows], &[("in/edges.csv", more)], &line);
        assert!(same_but_for(&[release], &one, &other), "{line}");
    }
}

/// The lenient places: what a reader folds away is a fact about the records.
#[test]
fn repeats_and_loops_are_dropped_without_a_word() {
    let line = "protect edges friends.csv -o out --nodes everyone.txt --epsilon 1 --seed 5";
    let clean = world(&[EVERYONE], &[("friends.csv", "ada,bob\nbob,cy\n")], line);
    let odd = world(&[EVERYONE], &[("friends.csv", "bob,cy\nada,bob\nbob,ada\ncy,cy\n")], line);
    assert!(!same_but_for(&[], &clean, &odd), "the same graph, the same noise");
    let told = world(
        &[EVERYONE],
        &[("friends.csv", "ada,bob\nbob,cy\ncy,cy\n")],
        &format!("{line} --show-values"),
    );
    assert!(told.ran.stderr.contains("1 self-loop dropped"), "{}", told.ran.stderr);
}

/// Ids that only the records tell come in an order that does not tell which edge stood first.
#[test]
fn the_order_of_the_lines_does_not_show() {
    let line = "protect edges friends.csv -o out --assume-public ids --epsilon 1 --seed 5";
    let sorted = world(&[], &[("friends.csv", "ada,zoe\nbob,cy\n")], line);
    let mixed = world(&[], &[("friends.csv", "cy,bob\nzoe,ada\n")], line);
    assert!(!same_but_for(&[], &sorted, &mixed));
    let nodes = String::from_utf8(sorted.folder.read("out/nodes.csv")).unwrap();
    assert_eq!(nodes, "id\nada\nbob\ncy\nzoe\n");
}

#[test]
fn another_label_shows_in_the_noisy_labels_alone() {
    let friends = ("friends.csv", "ada,bob\nbob,cy\ncy,dee\n");
    let line = "protect labels friends.csv --labels teams.csv --nodes everyone.txt \
                --classes blue,green,red -o out --epsilon 1 --seed 5";
    let teams = |of_dee: &str| format!("id,label\nada,red\nbob,red\ncy,blue\ndee,{of_dee}\n");
    let (blue, green) = (teams("blue"), teams("green"));
    let one = world(&[EVERYONE, friends], &[("teams.csv", &blue)], line);
    let other = world(&[EVERYONE, friends], &[("teams.csv", &green)], line);
    same_but_for(&["out/nodes.csv"], &one, &other);
    let ids = |world: &World| {
        let nodes = String::from_utf8(world.folder.read("out/nodes.csv")).unwrap();
        nodes.lines().map(|line| line.split(',').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&one), ids(&other));
}

/// Long tables and json lists of features have as many columns as the records happen to use.
#[test]
fn a_rare_feature_shows_in_the_noisy_rows_alone() {
    let edges = ("in/edges.csv", "source,target\n1,2\n2,3\n");
    let nodes = ("in/nodes.csv", "id\n1\n2\n3\n");
    let line = "protect features ./in -o out --mechanism hds --columns 10 --bounds 0,1 --epsilon 1 \
                --seed 5";
    let long = |last: &str| format!("id,feature,value\n1,0,1\n2,1,0.5\n3,{last},1\n");
    let (small, large) = (long("2"), long("9"));
    let one = world(&[edges, nodes], &[("in/features.csv", &small)], line);
    let other = world(&[edges, nodes], &[("in/features.csv", &large)], line);
    same_but_for(&["out/features.csv"], &one, &other);
    for world in [&one, &other] {
        assert_eq!(world.folder.json("data info ./out")["features"]["columns"], 10);
    }
    let musae = [
        ("in/x_edges.csv", "id_1,id_2\n0,1\n1,2\n"),
        ("in/x_target.csv", "id,target\n0,a\n1,b\n2,a\n"),
    ];
    let json = |last: &str| format!(r#"{{"0": [0], "1": [1], "2": [{last}]}}"#);
    let (small, large) = (json("2"), json("9"));
    let line = line.replace("--bounds 0,1 ", "");
    let one = world(&musae, &[("in/x_features.json", &small)], &line);
    let other = world(&musae, &[("in/x_features.json", &large)], &line);
    same_but_for(&["out/features.csv"], &one, &other);
}

#[test]
fn one_more_private_edge_shows_in_the_published_edges_alone() {
    let line = "publish friends.csv --private-edges secret.csv --nodes everyone.txt --epsilon-edges 2 \
                --public-steps 5 --seed 5 -o out";
    let public = "ada,bob\nbob,cy\ncy,dee\n";
    let (one_secret, two_secrets) = ("ada,cy\n", "ada,cy\nbob,eve\n");
    let graph = |secret: &str| format!("{public}{secret}");
    let (few, more) = (graph(one_secret), graph(two_secrets));
    let one = world(&[EVERYONE], &[("friends.csv", &few), ("secret.csv", one_secret)], line);
    let other = world(&[EVERYONE], &[("friends.csv", &more), ("secret.csv", two_secrets)], line);
    same_but_for(&["out/edges.csv"], &one, &other);
}

/// Of a run with `-o` the folder `share` is what leaves; everything else is the custodian's.
fn same_share(release: &[&str], one: &World, other: &World) {
    assert_eq!((one.ran.code, other.ran.code), (0, 0), "{}{}", one.ran.stderr, other.ran.stderr);
    let share = |world: &World| -> BTreeMap<String, Vec<u8>> {
        let files = world.files.clone().into_iter();
        files.filter(|(name, _)| name.starts_with("out/share/")).collect()
    };
    let (one, other) = (share(one), share(other));
    same_files(release, &one, &other);
    // Weights are stored as they are: as many in both worlds.
    let model = "out/share/model.safetensors";
    assert_eq!(one[model].len(), other[model].len(), "the shape of a model is public");
}

/// Thirty people in a ring with chords, two features each, two classes.
fn people(changed: bool) -> [(&'static str, String); 3] {
    let mut edges = String::from("source,target\n");
    let mut nodes = String::from("id,label\n");
    let mut features = String::from("id,x,y\n");
    for person in 0..30u32 {
        edges += &format!("{person},{}\n{person},{}\n", (person + 1) % 30, (person + 7) % 30);
        let differs = changed && person == 4;
        let class = if (person < 15) != differs { "left" } else { "right" };
        nodes += &format!("{person},{class}\n");
        let x = if differs { 1.0 } else { f64::from(person % 5) / 5.0 };
        features += &format!("{person},{x},{}\n", f64::from(person % 3) / 3.0);
    }
    if changed {
        edges += "4,20\n";
    }
    [("in/edges.csv", edges), ("in/nodes.csv", nodes), ("in/features.csv", features)]
}

fn people_world(changed: bool, line: &str) -> World {
    let files = people(changed);
    let files: Vec<(&str, &str)> =
        files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    world(&[], &files, line)
}

#[test]
fn a_changed_person_shows_in_the_shared_model_and_embedding_alone() {
    let line = "run ldp-ge --dataset ./in --epsilon 1 --bounds 0,1 --private features,labels,edges \
                --label-epsilon 1 --edge-epsilon 1 --classes left,right --runs 1 --seed 5 --epochs 2 \
                --hidden 4 -o out";
    let [one, other] = [false, true].map(|changed| people_world(changed, line));
    same_share(&["out/share/model.safetensors", "out/share/embedding.npz"], &one, &other);
    let line = "run dpar --dataset ./in --epsilon 4 --classes left,right --runs 1 --seed 5 --steps 3 \
                --batch 8 -o out";
    let [one, other] = [false, true].map(|changed| people_world(changed, line));
    same_share(&["out/share/model.safetensors"], &one, &other);
}

#[test]
fn a_changed_list_shows_in_the_shared_classifier_alone() {
    let line = "run dprr --dataset ./graphs.txt --epsilon 1 --runs 1 --seed 5 --epochs 2 --hidden 4 -o out";
    // Paths and triangles of four people each; the first graph has one contact more in the other world.
    let path = "4 0\n0 1 1\n0 2 0 2\n0 2 1 3\n0 1 2\n";
    let closed = "4 0\n0 2 1 3\n0 2 0 2\n0 2 1 3\n0 2 0 2\n";
    let star = "4 1\n0 3 1 2 3\n0 1 0\n0 1 0\n0 1 0\n";
    let set = |first: &str| format!("12\n{first}{}", format!("{star}{path}").repeat(5) + star);
    let (one, other) = (set(path), set(closed));
    let [one, other] = [one, other].map(|text| world(&[], &[("graphs.txt", &text)], line));
    same_share(&["out/share/model.safetensors", "out/share/predicted.csv"], &one, &other);
}

/// Labels are public there, so they stay as they are.
#[test]
fn a_changed_person_shows_in_the_shared_graph_and_its_model_alone() {
    let line = "run hetero-rr --dataset ./in --epsilon-edges 1 --epsilon-features 5 --private-share 1 \
                --bounds 0,1 --classes left,right --runs 1 --seed 5 -o out";
    let votes = ["class-pairs.csv", "classes.csv", "model.safetensors", "votes.csv"];
    let graph = ["model.safetensors", "published.npz"];
    for (line, files) in
        [(line.to_owned(), &votes[..]), (format!("{line} --edges-as graph"), &graph)]
    {
        let files: Vec<String> = files.iter().map(|name| format!("out/share/{name}")).collect();
        shows_in(&line, &files.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

/// A changed person shows in these files of what is shared, and nowhere else.
fn shows_in(line: &str, changed: &[&str]) {
    let [_, nodes, _] = people(false);
    let [one, other] = [false, true].map(|changed| {
        let [edges, _, features] = people(changed);
        let files = [&edges, &nodes, &features].map(|(name, text)| (*name, text.as_str()));
        world(&[], &files, line)
    });
    same_share(changed, &one, &other);
}

/// Shares of columns are a parameter, and no parameter is charged: they must not follow from the rows.
#[test]
fn b9_a_changed_row_shows_in_the_published_features_alone() {
    let common = "publish ./in -o out --all-private --epsilon-edges 2 --epsilon-features 3 --bounds 0,1 --seed 5";
    let sample = ("sample/nodes.csv", "id,label\n1,a\n2,b\n3,a\n4,b\n");
    let rows = ("sample/features.csv", "id,x,y\n1,0,1\n2,1,0\n3,0,0.5\n4,1,0.25\n");
    let edges = ("sample/edges.csv", "source,target\n1,2\n2,3\n3,4\n");
    for shared in ["--sensitive-columns x", "--sensitive-columns x --public-sample ./sample"] {
        let [one, other] = [false, true].map(|changed| {
            let ([edge_list, nodes, _], [_, _, features]) = (people(false), people(changed));
            let own = [&edge_list, &nodes, &features].map(|(name, text)| (*name, text.as_str()));
            world(&[sample, rows, edges], &own, &format!("{common} {shared}"))
        });
        same_but_for(&["out/features.csv"], &one, &other);
    }
}
