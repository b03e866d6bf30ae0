//! Figures that were recorded once: the same seeds must give the same numbers and the same words, whatever
//! becomes of the code between a command and its answer.
//!
//! `PRIVET_RECORD=1` writes the files of `tests/recorded` anew; a change in them is a change that users
//! would notice. Times are left out, other numbers may differ by rounding.

use std::path::PathBuf;

use serde_json::Value;

use crate::ran::Folder;

/// What depends on the clock or the machine.
const TIMES: [&str; 6] = ["seconds", "collecting", "learning", "timings", "versions", "peak_bytes"];

/// 100 people with 10 features in 3 classes, as `in.npz`.
fn people() -> Folder {
    let folder = Folder::new();
    folder.ok("data generate sbm --nodes 100 --classes 3 --features 10 --mean-degree 3 --seed 5 -o in.npz");
    folder
}

fn recorded(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/recorded").join(name)
}

/// Without what the clock decides.
fn timeless(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !TIMES.contains(&name.as_str()));
            fields.values_mut().for_each(timeless);
        }
        Value::Array(items) => items.iter_mut().for_each(timeless),
        _ => {}
    }
}

/// The first place where `found` lacks or contradicts something that was recorded. What is new is no
/// contradiction.
fn difference(before: &Value, found: &Value, place: &str) -> Option<String> {
    match (before, found) {
        (Value::Object(before), Value::Object(found)) => before.iter().find_map(|(name, value)| {
            let place = format!("{place}.{name}");
            match found.get(name) {
                Some(other) => difference(value, other, &place),
                None => Some(format!("{place} is gone")),
            }
        }),
        (Value::Array(before), Value::Array(found)) if before.len() == found.len() => {
            let pairs = before.iter().zip(found).enumerate();
            pairs.into_iter().find_map(|(at, (a, b))| difference(a, b, &format!("{place}[{at}]")))
        }
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64()?, b.as_f64()?);
            let near = (a - b).abs() <= 1e-9 * a.abs().max(1.0);
            (!near).then(|| format!("{place} was {a}, is {b}"))
        }
        (a, b) => (a != b).then(|| format!("{place} was {a}, is {b}")),
    }
}

/// Compares the JSON of a command with what was recorded under a name.
fn keeps(folder: &Folder, name: &str, line: &str) {
    let mut found = folder.json(line);
    timeless(&mut found);
    let path = recorded(&format!("{name}.json"));
    if std::env::var_os("PRIVET_RECORD").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, format!("{found}\n")).unwrap();
    }
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
    let before: Value = serde_json::from_str(&text).unwrap();
    if let Some(difference) = difference(&before, &found, name) {
        panic!("privet {line}\n{difference}");
    }
}

/// Compares the words of a command, too.
fn keeps_all(folder: &Folder, name: &str, line: &str) {
    keeps(folder, name, line);
    let found = folder.ok(line);
    let path = recorded(&format!("{name}.txt"));
    if std::env::var_os("PRIVET_RECORD").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let before = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(found, before, "privet {line}");
}

#[test]
fn runs_of_ldp_ge() {
    let folder = people();
    let line =
        "run ldp-ge --dataset in.npz --bounds 0,1 --epsilon 2 --runs 3 --epochs 6 --hidden 8";
    keeps_all(&folder, "run-ldp-ge", line);
    keeps_all(&folder, "run-ldp-ge-links", &format!("{line} --task links"));
    keeps_all(&folder, "run-ldp-ge-volunteers", &format!("{line} --volunteers 0.3"));
    let line = format!("{line} --private features,labels,edges --label-epsilon 1 --edge-epsilon 2");
    keeps_all(&folder, "run-ldp-ge-all", &line);
}

#[test]
fn runs_of_hetero_rr() {
    let folder = people();
    let line = "run hetero-rr --dataset in.npz --bounds 0,1 --epsilon-edges 1 --runs 2";
    keeps(&folder, "run-hetero-rr-votes", line);
    let line = format!("{line} --edges-as graph");
    keeps(&folder, "run-hetero-rr", &format!("{line} --baselines"));
    keeps(&folder, "run-hetero-rr-features", &format!("{line} --epsilon-features 20 --seed 4"));
}

#[test]
fn runs_of_dprr() {
    let folder = Folder::new();
    let line = "run dprr --dataset synthetic --epsilon 1 --epochs 2 --hidden 4 --runs 2";
    keeps_all(&folder, "run-dprr", line);
    keeps_all(
        &folder,
        "run-dprr-plain",
        &format!("{line} --public-share 0.2 --reading plain --seed 2"),
    );
}

#[test]
fn runs_of_dpar() {
    let folder = people();
    let line = "run dpar --dataset in.npz --runs 2 --steps 4 --sources 10 --delta 1e-3";
    keeps_all(&folder, "run-dpar", &format!("{line} --epsilon 4 --method smoothed-sgd"));
    // So few people: sums by class unless something else is asked for.
    let sums = "run dpar --dataset in.npz --runs 2 --delta 1e-3 --epsilon 1";
    keeps_all(&folder, "run-dpar-means", sums);
    keeps_all(&folder, "run-dpar-paper", &format!("{line} --epsilon 1 --mode paper --method gm"));
    let line = format!("{line} --epsilon 1 --method gap --relation edge-dp");
    keeps_all(&folder, "run-dpar-edges", &line);
}

#[test]
fn attacks() {
    let folder = people();
    let line =
        "attack linkteller --dataset in.npz --bounds 0,1 --epsilon-edges 1 --runs 2 --probes 20";
    keeps(&folder, "attack-linkteller", line);
    let line =
        "attack reconstruct --dataset in.npz --bounds 0,1 --epsilon-features 1 --runs 2 --width 4";
    keeps(&folder, "attack-reconstruct", line);
    let line = "attack membership --dataset in.npz --epsilon 1 --methods em0 --shadows 8 --targets 20 \
                --steps 3 --sources 10 --delta 1e-3";
    keeps_all(&folder, "attack-membership", line);
    let line =
        "attack poison --dataset synthetic --epsilon 1 --beta 0.3 --epochs 2 --hidden 4 --runs 2";
    keeps_all(&folder, "attack-poison", line);
    let line = format!("{line} --attack matched --against handshake");
    keeps_all(&folder, "attack-poison-matched", &line);
}

#[test]
fn a_search() {
    let line = "tune ldp-ge --dataset in.npz --bounds 0,1 --epsilon 1 --trials 4 --runs 2 -o out";
    keeps_all(&people(), "tune-ldp-ge", line);
}

#[test]
fn figures_of_ldp_ge() {
    let folder = people();
    keeps(&folder, "ldp-ge-fig1", "reproduce ldp-ge/fig1 --quick --epsilons 1,5 -o fig1");
    let data = "--datasets in.npz --bounds 0,1 --quick";
    for item in ["fig2", "table3", "fig3"] {
        let line =
            format!("reproduce ldp-ge/{item} {data} --mechanisms hds,laplace --epsilons 1,3");
        let line = if item == "fig3" { line.replace(",laplace", "") } else { line };
        keeps(&folder, &format!("ldp-ge-{item}"), &format!("{line} -o l{item}"));
    }
}

#[test]
fn figures_of_hetero_rr() {
    let folder = people();
    let data = "--datasets in.npz --bounds 0,1 --quick --epsilons 1";
    let edges = "--mechanisms closing,edge-rand --points 0.2";
    for (item, more) in [
        ("fig6", "--mechanisms feature-rr,hds"),
        ("fig7", edges),
        ("fig11", edges),
        ("linkteller", edges),
    ] {
        let line = format!("reproduce heterorr/{item} {data} {more} -o h{item}");
        keeps(&folder, &format!("heterorr-{item}"), &line);
    }
    let line = "reproduce heterorr/fig10 --quick --mechanisms feature-rr,laplace -o hfig10";
    keeps(&folder, "heterorr-fig10", line);
}

#[test]
fn figures_of_dprr() {
    let folder = Folder::new();
    keeps(&folder, "dprr-fig7", "reproduce dprr/fig7 --quick -o fig7");
    // Six threads of users: a file of the format that the paper's sets have.
    folder.write("threads.txt", THREADS.as_bytes());
    let data = "--datasets threads.txt --quick --runs 2";
    for (item, points) in [
        ("fig4", "0,0.5"),
        ("fig5", "0.5,2"),
        ("fig6", "0.5"),
        ("fig10", "0,0.3"),
        ("adaptive", "0.3"),
    ] {
        let line = format!("reproduce dprr/{item} {data} --points {points} -o {item}");
        keeps(&folder, &format!("dprr-{item}"), &line);
    }
}

#[test]
fn figures_of_dpar() {
    let folder = people();
    let data = "--datasets in.npz --epsilons 8 --runs 2";
    for item in ["table1", "fig3"] {
        let line = format!("reproduce dpar/{item} {data} -o d{item}");
        keeps(&folder, &format!("dpar-{item}"), &line);
    }
    keeps(&folder, "dpar-fig9", "reproduce dpar/fig9 --datasets in.npz --epsilons 8 -o dfig9");
}

/// Stars and paths in turn, in the text format of graph benchmarks.
const THREADS: &str = "\
12
5 0\n0 4 1 2 3 4\n0 1 0\n0 1 0\n0 1 0\n0 1 0
5 1\n0 1 1\n0 2 0 2\n0 2 1 3\n0 2 2 4\n0 1 3
6 0\n0 5 1 2 3 4 5\n0 1 0\n0 1 0\n0 1 0\n0 1 0\n0 1 0
6 1\n0 1 1\n0 2 0 2\n0 2 1 3\n0 2 2 4\n0 2 3 5\n0 1 4
5 0\n0 4 1 2 3 4\n0 1 0\n0 1 0\n0 1 0\n0 1 0
5 1\n0 1 1\n0 2 0 2\n0 2 1 3\n0 2 2 4\n0 1 3
6 0\n0 5 1 2 3 4 5\n0 1 0\n0 1 0\n0 1 0\n0 1 0\n0 1 0
6 1\n0 1 1\n0 2 0 2\n0 2 1 3\n0 2 2 4\n0 2 3 5\n0 1 4
4 0\n0 3 1 2 3\n0 1 0\n0 1 0\n0 1 0
4 1\n0 1 1\n0 2 0 2\n0 2 1 3\n0 1 2
7 0\n0 6 1 2 3 4 5 6\n0 1 0\n0 1 0\n0 1 0\n0 1 0\n0 1 0\n0 1 0
7 1\n0 1 1\n0 2 0 2\n0 2 1 3\n0 2 2 4\n0 2 3 5\n0 2 4 6\n0 1 5
";
