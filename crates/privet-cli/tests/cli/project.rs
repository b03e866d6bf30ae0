//! Projects from the outside: two worlds, kills and races. The walk-through of the documentation is run by
//! `cargo xtask book`.

use std::process::Stdio;
use std::time::Duration;

use crate::ran::{Folder, Ran};

/// A shop of 80 people, of whom the seventh has this record and these payments.
fn shop(seventh: &str, payments: &str) -> Folder {
    let mut people = String::from("customer,age,region,segment\n");
    let mut paid = String::from("payer,payee\n");
    for at in 0..80 {
        let region = ["north", "south"][at % 2];
        let segment = ["retail", "business"][usize::from(at > 40)];
        match at {
            7 => people += &format!("c07,{seventh}\n"),
            _ => people += &format!("c{at:02},{},{region},{segment}\n", 20 + at % 50),
        }
        if at != 7 && (at * 7 + 1) % 80 != 7 {
            paid += &format!("c{at:02},c{:02}\n", (at * 7 + 1) % 80);
        }
    }
    paid += payments;
    let new = "customer,age,region\nn1,30,north\nn2,70,south\n";
    Folder::with(&[
        ("customers.csv", people.as_bytes()),
        ("payments.csv", paid.as_bytes()),
        ("new.csv", new.as_bytes()),
    ])
}

const INIT: &str = "init --people customers.csv --id customer --label segment --classes retail,business \
    --column age=number:18..100 --column region=category:north|south --edges payments.csv:payer:payee \
    --name shop --delta 1e-4";

fn init(protects: &str) -> String {
    format!("{INIT} --protects {protects}")
}

/// What a run says, without dates and without the folder it ran in.
fn masked(folder: &Folder, text: &str) -> String {
    let text = text.replace(&folder.path("").canonicalize().unwrap().display().to_string(), "HERE");
    let text = text.replace(folder.path("").display().to_string().trim_end_matches('/'), "HERE");
    let mut masked = String::new();
    for line in text.lines() {
        // `2026-11-16T09:30:00Z`
        let at = line.find('T').filter(|&at| at >= 10 && line.get(at + 9..at + 10) == Some("Z"));
        match at {
            Some(at) => masked += &format!("{}DATE{}\n", &line[..at - 10], &line[at + 10..]),
            None => masked += &format!("{line}\n"),
        }
    }
    masked
}

/// Whoever changes everything about one person changes no byte of what is said, but for the releases themselves.
#[test]
fn one_person_shows_in_the_model_and_in_noisy_counts_alone() {
    let worlds = [
        shop("33,north,retail", "c07,c01\nc02,c07\nc03,c07\n"),
        // No features, no label, no payments.
        shop(",,", ""),
    ];
    let lines = [
        format!("{} --epsilon 4", init("people")),
        "train -o model --epsilon 1 --seed 3".into(),
        "status".into(),
        "status --json".into(),
        "train -o model --epsilon 1".into(),
        "train -o more --epsilon 9 --seed 3".into(),
        "train -o more --epsilon 1 --method ldp-ge".into(),
        "protect edges -o noisy --epsilon 1".into(),
        "protect edges payments.csv -o noisy --epsilon 1".into(),
        "forget c07".into(),
        "train -o again --epsilon 1 --seed 3".into(),
        "status".into(),
    ];
    for line in &lines {
        let [one, other] = [&worlds[0], &worlds[1]].map(|folder| {
            let Ran { stdout, stderr, code } = folder.run(line);
            (code, masked(folder, &stdout), masked(folder, &stderr))
        });
        assert_eq!(one, other, "privet {line}");
    }
    let read = |name: &str| [worlds[0].read(name), worlds[1].read(name)];
    for name in
        [".privet/ledgers/node.ledger", "model/model.json", "model/README.md", "privet.toml"]
    {
        let [one, other] = read(name);
        assert_eq!(one, other, "{name}");
    }
    let [one, other] = read("model/model.safetensors");
    assert_ne!(one, other, "the release itself is made from people");
    // An evaluation is a release of counts, told in two lines; all else that is said is the same.
    let [one, other] =
        [&worlds[0], &worlds[1]].map(|folder| folder.ok("evaluate model --epsilon 0.5 --seed 5"));
    let rest = |text: &str| text.lines().skip(2).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(rest(&one), rest(&other));
}

/// Kills at any moment: what is shown as spent never falls, and is never less than what came out.
#[test]
fn a_killed_release_stays_charged_and_a_project_stays_whole() {
    let folder = shop("33,north,retail", "");
    folder.ok(&format!("{} --epsilon 19", init("people")));
    let spent = || folder.json("status")["relations"][0]["spent_epsilon"].as_f64().unwrap();
    let mut before = 0.0;
    for round in 0..24 {
        let model = format!("m{round}");
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("privet"));
        command.env_clear().env("HOME", folder.path("")).current_dir(folder.path(""));
        command.args(["train", "-o", &model, "--epsilon", "0.3", "--method", "features"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(3 + 9 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        let after = spent();
        assert!(after >= before, "round {round}: {after} after {before}");
        if folder.path(&model).join("card.json").exists() {
            assert!(after > before, "round {round}: a model came out and nothing was charged");
            folder.ok(&format!("verify {model}/card.json --ledger .privet/ledgers/node.ledger"));
        }
        before = after;
    }
    folder.ok("train -o whole --epsilon 0.3");
    assert!(spent() > before);
}

/// Whoever comes at the same time waits or is refused; nobody spends what another one has spent.
#[test]
fn processes_do_not_spend_the_same_budget() {
    let folder = shop("33,north,retail", "");
    folder.ok(&format!("{} --epsilon 2.5", init("people")));
    let spawn = |at: usize| {
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("privet"));
        command.env_clear().env("HOME", folder.path("")).current_dir(folder.path(""));
        command.args(["train", "-o", &format!("m{at}"), "--epsilon", "1", "--method", "features"]);
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = (0..8).map(spawn).collect();
    let codes: Vec<_> = children
        .into_iter()
        .map(|child| child.wait_with_output().unwrap())
        .map(|output| (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap()))
        .collect();
    let done = codes.iter().filter(|(code, _)| *code == 0).count();
    assert!(codes.iter().all(|(code, _)| [0, 3].contains(code)), "{codes:?}");
    let status = folder.json("status");
    let spent = status["relations"][0]["spent_epsilon"].as_f64().unwrap();
    assert!((1..=3).contains(&done) && spent <= 2.5, "{done} done, {spent} spent");
    assert_eq!(status["charges"].as_array().unwrap().len(), done);
    assert_eq!((0..8).filter(|at| folder.path(&format!("m{at}/card.json")).exists()).count(), done);
}

#[test]
fn what_goes_wrong_is_said_and_nothing_is_half_made() {
    let folder = shop("33,north,retail", "");
    folder.fails("status", 2, &["no project here", "privet init"]);
    folder.fails("train -o model --epsilon 1", 2, &["no project here"]);
    folder.fails("protect edges -o noisy --epsilon 1", 2, &["no project here"]);
    folder.fails("init", 2, &["--people is missing"]);
    folder.fails(
        &format!("{} --epsilon 4 --column x=date:1", init("people")),
        2,
        &["expected number:LOW..HIGH"],
    );
    folder.fails(
        &format!("{} --epsilon 400", init("people")),
        2,
        &["privet.toml, line", "at most 20"],
    );
    assert!(!folder.names().contains(&"privet.toml".to_owned()));
    let elsewhere = init("people").replace("customers.csv", "absent.csv");
    folder.fails(&format!("{elsewhere} --epsilon 4"), 1, &["absent.csv"]);
    assert!(
        !folder.names().iter().any(|name| name.starts_with("privet.toml") || name == ".privet")
    );
    folder.ok(&format!("{} --epsilon 4", init("people")));
    folder.fails(&format!("{} --epsilon 4", init("people")), 3, &["there is a project already"]);
    folder.fails("evaluate model", 1, &["model"]);
    folder.fails("predict model new.csv", 1, &["model"]);
    folder.ok("train -o model --epsilon 1");
    folder.fails("train -o model --epsilon 1", 3, &["exists already"]);
    folder.fails("evaluate model", 2, &["--epsilon"]);
    folder.fails("predict model new.csv --top 3", 2, &["the number of classes"]);
    folder.fails("predict model payments.csv", 1, &["payments.csv", "customer"]);
    folder.write("model/model.json", b"{}");
    folder.fails("predict model new.csv", 3, &["was not issued for this model"]);
    for line in [
        "run dpar --dataset customers.csv --epsilon 1",
        "embed payments.csv -o e.npz",
        "publish payments.csv -o p --epsilon-edges 1 --private-edges payments.csv",
    ] {
        folder.fails(line, 3, &["a table of this project"]);
    }
    folder.fails(
        "protect features -o f --mechanism hds --epsilon 1 --ledger x",
        2,
        &["--ledger is not for projects"],
    );
}

#[test]
fn predictions_are_for_people_who_were_not_there() {
    let folder = shop("33,north,retail", "");
    folder.ok(&format!("{} --epsilon 4", init("people")));
    folder.ok("train -o model --epsilon 2");
    let piped = folder.ok("predict model new.csv");
    folder.ok("predict model new.csv -o out.csv");
    assert_eq!(piped.as_bytes(), folder.read("out.csv"));
    assert!(piped.starts_with("customer,class,probability\nn1,"), "{piped}");
    folder.fails("predict model new.csv -o out.csv", 3, &["exists already"]);
    folder.write("among.csv", b"a,b\nn1,n2\n");
    let spread = folder.ok("predict model new.csv --edges among.csv:a:b --probabilities");
    assert_eq!(spread.lines().count(), 3);
    let from_standard_input =
        folder.command("predict model -").write_stdin(folder.read("new.csv")).output().unwrap();
    assert_eq!(from_standard_input.stdout, piped.as_bytes());
    assert!(folder.ok("verify model/card.json").starts_with("OK"), "its ledger is the project's");
    let public = folder.json("evaluate model --public customers.csv");
    assert_eq!(public["tested"], 80);
}

/// One command, many charges: all of them are its own, whichever candidate won.
#[test]
fn tuning_is_one_release_of_many_charges() {
    let folder = shop("33,north,retail", "c07,c01\n");
    folder.ok(&format!("{} --epsilon 6", init("people")));
    folder.ok("train -o first --epsilon 1");
    let told = folder.ok("tune project -o tuned --epsilon 3 --trials 3");
    assert!(told.contains("gained") && told.contains("budget epsilon 3 in all"), "{told}");
    let status = folder.json("status");
    let charges = status["charges"].as_array().unwrap();
    assert_eq!(charges.len(), 7);
    let by = |charge: &serde_json::Value| {
        charge["release"]["command"].as_str().unwrap().contains("tune")
    };
    assert_eq!(
        charges.iter().map(by).collect::<Vec<_>>(),
        [false, true, true, true, true, true, true]
    );
    assert!(folder.ok("verify tuned/card.json").starts_with("OK"));
}

#[test]
fn a_graph_is_published_out_of_the_same_budget() {
    let folder = shop("33,north,retail", "c07,c01\n");
    folder.ok(&format!("{} --epsilon 2", init("features,connections")));
    folder.fails(
        "publish -o out --epsilon-edges 1 --public-features",
        3,
        &["the project hides features"],
    );
    folder.fails(
        "publish -o out --epsilon-edges 1 --utility-report u.json",
        2,
        &["--utility-report is not for projects"],
    );
    folder.ok("publish -o out --epsilon-edges 1 --epsilon-features 1.5");
    assert!(folder.ok("verify out.card.json").starts_with("OK"));
    let status = folder.json("status");
    let spent = |at: usize| status["relations"][at]["spent_epsilon"].as_f64().unwrap();
    let about = |spent: f64, asked: f64| spent <= asked && spent > 0.999 * asked;
    assert!(about(spent(0), 1.5) && about(spent(1), 1.0), "{status}");
    folder.fails("publish -o more --epsilon-edges 1 --epsilon-features 1", 3, &["limit"]);
    folder.fails("train -o model --epsilon 1", 3, &["both private to a curator"]);
    assert_eq!(
        folder.json("status")["charges"].as_array().unwrap().len(),
        2,
        "all parts are priced before one is drawn"
    );
}
