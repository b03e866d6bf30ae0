//! Random pairs of neighbouring projects: two folders that differ in one protected unit run the same commands with the same
//! noise, and every byte that is written or printed must be the same, except in the releases themselves.
//!
//! A pair is drawn from a seed: people, kinds of columns, missing and odd cells, connections, what is protected, and what the
//! neighbour changes. A refusal counts, too: it must come in both worlds, in the same words.
//!
//! `PRIVET_NEIGHBOURS=300 cargo nextest run -p privet-cli -E 'test(neighbouring_projects)'` is the long search;
//! `PRIVET_NEIGHBOURS_FROM=42` begins at that pair.

use std::collections::BTreeMap;

use crate::ran::{Folder, Ran};

/// Pairs that every run of the tests tries.
const PAIRS: u64 = 5;

/// Numbers that follow from a seed (splitmix64).
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// What a project protects, as `--protects` and `--trust` spell it.
const PROTECTED: [&str; 8] = [
    "people",
    "people",
    "connections",
    "features",
    "labels",
    "features,labels",
    "contacts --trust devices",
    "features,labels,contacts --trust devices",
];

/// A table of people and one of connections.
#[derive(Clone)]
struct Tables {
    ids: Vec<String>,
    /// Age, region, grade: a number, a category, an ordinal.
    features: Vec<[String; 3]>,
    labels: Vec<String>,
    edges: Vec<(usize, usize)>,
    /// Which of two new people each knows.
    calls: Vec<(usize, usize)>,
}

impl Tables {
    fn drawn(protected: &str, draws: &mut Draws) -> Self {
        let people = 12 + draws.below(50);
        let numbered = draws.one_in(3);
        let name =
            |at: usize| if numbered { format!("{}", at + 1) } else { format!("person-{at}") };
        let edges = draws.below(3 * people);
        // Drawn aside, so that the pairs are those that they always were.
        let mut aside = Draws(people as u64 ^ (edges as u64) << 32);
        Self {
            calls: (0..people).map(|at| (aside.below(2), (at + aside.below(3)) % people)).collect(),
            ids: (0..people).map(name).collect(),
            features: (0..people).map(|_| features(draws)).collect(),
            labels: (0..people).map(|_| label(protected, draws)).collect(),
            edges: (0..edges).map(|_| (draws.below(people), draws.below(people))).collect(),
        }
    }

    /// The same tables where one unit that `protected` names is another one.
    fn neighbour(&self, protected: &str, draws: &mut Draws) -> Self {
        let mut other = self.clone();
        let person = draws.below(self.ids.len());
        let whole = protected.starts_with("people");
        if whole || protected.contains("features") {
            other.features[person] = features(draws);
        }
        if whole || (protected.contains("labels") && !protected.contains("features")) {
            other.labels[person] = label(protected, draws);
        }
        if whole {
            // All of the person's connections, whatever they were.
            other.edges.retain(|&(a, b)| a != person && b != person);
            other.calls.retain(|&(_, voter)| voter != person);
            if person.is_multiple_of(2) {
                other.calls.extend([(0, person), (1, person)]);
            }
            for _ in 0..draws.below(self.ids.len()) {
                other.edges.push((person, draws.below(self.ids.len())));
            }
        }
        let lists = protected.contains("connections") || protected.contains("contacts");
        // In a local protocol features and lists are units of their own; one of them changes.
        if lists && (!protected.contains("features") || draws.one_in(2)) {
            if protected.contains("features") {
                other.features.clone_from(&self.features);
            }
            match draws.below(other.edges.len() + 1) {
                at if at < other.edges.len() && draws.one_in(2) => {
                    // An edge may stand in the table more than once.
                    let (a, b) = other.edges[at];
                    other.edges.retain(|&edge| edge != (a, b) && edge != (b, a));
                }
                _ => other.edges.push((person, draws.below(self.ids.len()))),
            }
        }
        other
    }

    fn write(&self, folder: &Folder) {
        let mut people = String::from("who,age,region,grade,class\n");
        for ((id, features), label) in self.ids.iter().zip(&self.features).zip(&self.labels) {
            people += &format!("{id},{},{label}\n", features.join(","));
        }
        let mut edges = String::from("a,b\n");
        for &(a, b) in &self.edges {
            edges += &format!("{},{}\n", self.ids[a], self.ids[b]);
        }
        folder.write("people.csv", people.as_bytes());
        folder.write("edges.csv", edges.as_bytes());
        let mut calls = String::from("a,b\nn1,n2\n");
        for &(new, voter) in &self.calls {
            calls += &format!("n{},{}\n", new + 1, self.ids[voter]);
        }
        folder.write("calls.csv", calls.as_bytes());
        folder.write("new.csv", b"who,age,region,grade\nn1,30,north,low\nn2,77,south,\n");
    }
}

/// Cells as people fill them in: missing now and then, and rarely outside of what was declared.
fn features(draws: &mut Draws) -> [String; 3] {
    let age = match draws.below(12) {
        0 => String::new(),
        1 => "400".into(),
        _ => (18 + draws.below(60)).to_string(),
    };
    let region = draws.of(&["north", "south", "east", "west", ""]);
    [age, region.into(), draws.of(&["low", "mid", "high", ""]).into()]
}

/// A class or none; where labels are private, everyone must have one unless the project declares what stands for none.
fn label(protected: &str, draws: &mut Draws) -> String {
    let classes = ["red", "green", "blue", "red", "green", ""];
    let known = if protected.contains("labels") { 5 } else { 6 };
    draws.of(&classes[..known]).into()
}

/// A command, which of the files it writes are its release, and how many of the first lines it prints are.
struct Step {
    line: String,
    released: &'static [&'static str],
    printed: usize,
}

fn steps(protected: &str, draws: &mut Draws) -> Vec<Step> {
    let step = |line: String, released, printed| Step { line, released, printed };
    let quiet = |line: &str| step(line.into(), &[], 0);
    let seed = draws.below(1000);
    let methods = ["features", "class-sums", "smoothed-sgd", "em0", "gap", "ldp-ge"];
    let method = draws.of(&methods);
    let columns = "--column age=number:18..100 --column region=category:north|south|east|west \
                   --column grade=ordinal:low|mid|high";
    let init = format!(
        "init --people people.csv --id who --label class --classes red,green,blue {columns} \
         --edges edges.csv:a:b --name trial --epsilon 12 --delta 1e-4 --protects {protected}"
    );
    // A model of reports answers about the people who sent them, too.
    let model = &["model.safetensors", "answers.json"];
    let mut steps = vec![
        quiet(&init),
        quiet("status"),
        step(format!("train -o model --epsilon 1 --seed {seed}"), model, 0),
        step(format!("train -o second --epsilon 1 --method {method} --seed {seed}"), model, 0),
        quiet("train -o third --epsilon 50 --method features"),
        step(
            format!("protect features -o features --mechanism hds --epsilon 1 --seed {seed}"),
            &["features.csv", "features.npz"],
            0,
        ),
        step(
            format!("protect labels -o labels --epsilon 1 --seed {seed}"),
            &["labels.csv", "nodes.csv"],
            0,
        ),
        step(format!("protect edges -o edges --epsilon 1 --seed {seed}"), &["edges.csv"], 0),
        step(
            format!("publish -o published --epsilon-edges 1 --epsilon-features 1 --seed {seed}"),
            &["edges.csv", "features.csv", "labels.csv"],
            0,
        ),
        step(
            format!(
                "predict model new.csv --edges calls.csv:a:b --epsilon 1 -o answers.csv --seed {seed}"
            ),
            &["answers.csv"],
            0,
        ),
        // Without a price: refused, or made of the model alone.
        step("predict model new.csv --edges calls.csv:a:b -o free.csv".into(), &["free.csv"], 0),
        quiet("protect edges edges.csv -o again --epsilon 1"),
        quiet("run dpar --dataset people.csv --epsilon 1"),
        quiet("status --json"),
        quiet("verify model/card.json"),
    ];
    if draws.one_in(3) {
        steps.push(step(
            format!("tune project -o tuned --epsilon 2 --trials 2 --seed {seed}"),
            model,
            usize::MAX,
        ));
    }
    steps.push(step(format!("evaluate model --epsilon 0.5 --seed {seed}"), &[], usize::MAX));
    steps.push(quiet("status"));
    steps
}

/// What a run said, without dates and without the name of its folder.
fn said(folder: &Folder, ran: &Ran, printed: usize) -> (i32, String, String) {
    let lines = ran.stdout.lines().skip(printed).collect::<Vec<_>>().join("\n");
    let told = masked(folder, &ran.stderr);
    // A cell that is not as declared is told with its line to the custodian, who has the file; nothing is released.
    let told = if ran.code == 1 { without_line(&told) } else { told };
    (ran.code, masked(folder, &lines), told)
}

/// The text without the number of the line that it names.
fn without_line(text: &str) -> String {
    match text.split_once(", line ") {
        Some((file, rest)) => {
            format!("{file}, line{}", rest.trim_start_matches(|digit: char| digit.is_ascii_digit()))
        }
        None => text.to_owned(),
    }
}

fn masked(folder: &Folder, text: &str) -> String {
    let path = folder.path("");
    let mut text = text.replace(&path.canonicalize().unwrap().display().to_string(), "HERE");
    text = text.replace(path.display().to_string().trim_end_matches('/'), "HERE");
    let mut masked = String::new();
    for line in text.lines() {
        // `2026-11-16T09:30:00Z`
        let at = line.find('T').filter(|&at| at >= 10 && line.get(at + 9..at + 10) == Some("Z"));
        let around = at.and_then(|at| line.get(..at - 10).zip(line.get(at + 10..)));
        match around {
            Some((before, after)) => masked += &format!("{before}DATE{after}\n"),
            None => masked += &format!("{line}\n"),
        }
    }
    masked
}

/// All files of a project except the tables it was made from, as they are compared.
fn files(folder: &Folder) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut left = folder.names();
    while let Some(name) = left.pop() {
        let path = folder.path(&name);
        if path.is_dir() {
            left.extend(crate::ran::names_in(&path).iter().map(|inner| format!("{name}/{inner}")));
        } else {
            found.insert(name.clone(), folder.read(&name));
        }
    }
    // Each project has an id of its own, and keyed hashes of its people are kept outside of it, readable by its owner alone.
    let tables = ["people.csv", "edges.csv", "new.csv", "calls.csv"];
    found.retain(|name, _| {
        !tables.contains(&name.as_str()) && name != ".privet/id" && !name.starts_with(".local/")
    });
    found
}

/// A file as it is compared: without dates, and without the digests that cards take of the releases.
fn compared(folder: &Folder, name: &str, bytes: &[u8]) -> String {
    // What is no text holds no date.
    let Ok(text) = std::str::from_utf8(bytes) else { return format!("{bytes:?}") };
    let text = masked(folder, text);
    if !name.ends_with("card.json") {
        return text;
    }
    let mut card: serde_json::Value = serde_json::from_slice(bytes).unwrap();
    for file in card["files"].as_array_mut().into_iter().flatten() {
        for digest in ["bytes", "sha256"] {
            file.as_object_mut().unwrap().remove(digest);
        }
    }
    masked(folder, &card.to_string())
}

/// Runs one pair; says where it differs, and how many commands succeeded.
fn pair(seed: u64) -> Result<usize, String> {
    let mut draws = Draws(seed);
    let protected = draws.of(&PROTECTED);
    let one = Tables::drawn(protected, &mut draws);
    let other = one.neighbour(protected, &mut draws);
    let folders = [one, other].map(|tables| {
        let folder = Folder::new();
        tables.write(&folder);
        folder
    });
    let (mut released, mut succeeded): (Vec<&str>, usize) = (Vec::new(), 0);
    for step in steps(protected, &mut draws) {
        let [a, b] = [&folders[0], &folders[1]].map(|folder| {
            let ran = folder.run(&step.line);
            said(folder, &ran, step.printed)
        });
        if a != b {
            return Err(format!("pair {seed}, {protected}: privet {}\n{a:#?}\n{b:#?}", step.line));
        }
        if a.0 != 0 && step.line.starts_with("init") {
            return Err(format!("pair {seed}, {protected}: no project was made: {}", a.2));
        }
        succeeded += usize::from(a.0 == 0);
        released.extend(step.released);
    }
    let [a, b] = [&folders[0], &folders[1]].map(files);
    if !a.keys().eq(b.keys()) {
        let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
        return Err(format!("pair {seed}, {protected}: {:?}\n{:?}", names(&a), names(&b)));
    }
    for (name, bytes) in &a {
        let is = |release: &&str| name == *release || name.ends_with(&format!("/{release}"));
        let is_release = released.iter().any(is);
        let [one, other] = [(0, bytes), (1, &b[name])]
            .map(|(world, bytes)| compared(&folders[world], name, bytes));
        if !is_release && one != other {
            return Err(format!("pair {seed}, {protected}: {name}\n{one}\n{other}"));
        }
    }
    Ok(succeeded)
}

#[test]
fn neighbouring_projects_differ_in_nothing_but_their_releases() {
    let pairs = std::env::var("PRIVET_NEIGHBOURS").map_or(PAIRS, |count| count.parse().unwrap());
    let first = std::env::var("PRIVET_NEIGHBOURS_FROM").map_or(0, |from| from.parse().unwrap());
    let found: Vec<_> = (first..first + pairs).map(pair).collect();
    let different: Vec<&String> = found.iter().filter_map(|pair| pair.as_ref().err()).collect();
    let first_lines: Vec<_> = different.iter().filter_map(|pair| pair.lines().next()).collect();
    assert!(different.is_empty(), "{}\nof {pairs} pairs\n{}", first_lines.join("\n"), different[0]);
    let succeeded: usize = found.iter().flatten().sum();
    assert!(succeeded as u64 >= 4 * pairs, "only {succeeded} commands of {pairs} pairs succeeded");
}
