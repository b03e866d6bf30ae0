//! Projects from the outside: two worlds, kills and races. The walk-through of the documentation is run by
//! `cargo xtask book`.

use std::process::Stdio;
use std::time::Duration;

use crate::ran::{Folder, Ran, names_in};

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

/// Changing everything about one person changes no byte of what is said, but for the releases themselves.
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

/// Concurrent commands wait or are refused; none spends what another one has spent.
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
        folder.fails(line, 3, &["a table of the project 'shop'"]);
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
    // The words for programs: JSON on standard output, whichever way it is asked.
    for more in ["", "--edges among.csv:a:b --probabilities --top 2"] {
        let answers = folder.json(&format!("predict model new.csv {more}"));
        assert_eq!(answers["about"], "people");
        let ids: Vec<&str> = answers["answers"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["id"].as_str().unwrap())
            .collect();
        assert_eq!(ids, ["n1", "n2"]);
    }
    folder.write(
        "agreed.csv",
        b"customer,age,region,segment\nn1,30,north,retail\nn2,70,south,business\n",
    );
    let public = folder.json("evaluate model --public agreed.csv");
    assert_eq!(public["tested"], 2);
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

/// `privet` in a folder inside of another, with what the other is home to.
fn inside(folder: &Folder, name: &str, line: &str) -> std::process::Command {
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("privet"));
    command.env_clear().env("HOME", folder.path("")).current_dir(folder.path(name));
    command.args(line.split_whitespace()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

fn ended(child: std::process::Child) -> (i32, String) {
    let output = child.wait_with_output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// Two folders inside of one: `one` is a project, `two` is empty.
fn two_folders(protects: &str, epsilon: &str) -> Folder {
    let (folder, made) = (Folder::new(), shop("33,north,retail", "c07,c01\n"));
    for name in ["customers.csv", "payments.csv"] {
        folder.write(&format!("one/{name}"), &made.read(name));
    }
    std::fs::create_dir(folder.path("two")).unwrap();
    let line = format!("{} --epsilon {epsilon}", init(protects));
    let (code, told) = ended(inside(&folder, "one", &line).spawn().unwrap());
    assert_eq!(code, 0, "{told}");
    folder
}

/// `init`, `cp -r`, and `train` in both at once: a limit of one is one release.
#[test]
fn a4_copies_cannot_both_spend() {
    for round in 0..5 {
        let folder = two_folders("people", "1");
        for name in ["customers.csv", "payments.csv", "privet.toml", ".privet/id"] {
            folder.write(&format!("two/{name}"), &folder.read(&format!("one/{name}")));
        }
        let train = "train -o model --epsilon 1 --method class-sums";
        let both = ["one", "two"].map(|name| inside(&folder, name, train).spawn().unwrap());
        let both = both.map(ended);
        let released =
            ["one", "two"].iter().filter(|name| folder.path(name).join("model").exists());
        assert!(released.count() <= 1, "round {round}: {both:?}");
        assert!(both.iter().all(|(code, _)| [0, 3].contains(code)), "{both:?}");
    }
}

/// A process that is killed while it spends locks no copy: locks end with who holds them.
#[test]
fn a4_a_killed_process_locks_nothing() {
    let folder = two_folders("people", "19");
    for wait in [5, 20, 40, 80] {
        let mut child = inside(&folder, "one", "train -o killed --epsilon 0.5").spawn().unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
        let line = format!("train -o after{wait} --epsilon 0.5 --method class-sums");
        let (code, told) = ended(inside(&folder, "one", &line).spawn().unwrap());
        assert_eq!(code, 0, "{told}");
        // One that was not killed in time has written its model.
        let _ = std::fs::remove_dir_all(folder.path("one/killed"));
    }
}

/// A project's table and a copy of it are not released to another account, wherever the command runs.
#[test]
fn a5_a_release_elsewhere_does_not_go_around_a_project() {
    let folder = two_folders("features,connections", "2");
    folder.write("two/copy.csv", &folder.read("one/payments.csv"));
    folder.write("one/others.csv", b"x1,x2\nx2,x3\n");
    folder.write("two/others.csv", b"x1,x2\nx2,x3\n");
    let release =
        |input: &str| format!("protect edges {input} -o out --epsilon 1 --assume-public ids");
    for (input, part) in [
        ("../one/payments.csv", "is a table of the project 'shop'"),
        ("../one/others.csv", "lies in the folder of the project 'shop'"),
        ("copy.csv", "is a copy of a table of the project 'shop'"),
    ] {
        let (code, told) = ended(inside(&folder, "two", &release(input)).spawn().unwrap());
        assert!(code == 3 && told.contains(part), "{input}: {code} {told}");
        assert_eq!(names_in(&folder.path("two")), ["copy.csv", "others.csv"], "nothing is written");
    }
    let line = "publish copy.csv -o out --epsilon-edges 1 --all-private --assume-public ids";
    let (code, told) = ended(inside(&folder, "two", line).spawn().unwrap());
    assert!(code == 3 && told.contains("a copy of a table of the project"), "{told}");
    let (code, told) = ended(inside(&folder, "two", &release("others.csv")).spawn().unwrap());
    assert_eq!(code, 0, "{told}");
}

#[test]
fn a7_status_shows_what_the_ledgers_enforce() {
    let folder = shop("33,north,retail", "");
    folder.ok(&format!("{} --epsilon 3", init("people")));
    folder.ok("train -o model --epsilon 1 --method class-sums");
    let text = String::from_utf8(folder.read("privet.toml")).unwrap();
    assert!(text.contains("epsilon = 3"), "{text}");
    folder.write("privet.toml", text.replace("epsilon = 3", "epsilon = 10").as_bytes());
    let shown = folder.ok("status");
    assert!(shown.contains("of 3 spent, 2 left"), "{shown}");
    assert!(
        shown.contains("privet.toml says epsilon 10") && shown.contains("made for epsilon 3"),
        "{shown}"
    );
    folder.ok("status --html page.html");
    assert!(
        String::from_utf8(folder.read("page.html"))
            .unwrap()
            .contains("privet.toml says epsilon 10")
    );
    folder.fails("train -o more --epsilon 1 --method class-sums", 3, &["its limit is (epsilon 3"]);
}

#[test]
fn a7_only_people_of_the_project_are_removed() {
    let folder = shop("33,north,retail", "");
    folder.ok(&format!("{} --epsilon 3", init("people")));
    folder.fails("forget C9999", 3, &["'C9999'", "customers.csv"]);
    folder.fails("forget c08 C9999", 3, &["nothing was changed"]);
    assert!(folder.ok("forget c08").contains("the records of 1 person"));
    assert!(!String::from_utf8(folder.read(".privet/forgotten")).unwrap().contains("c08"));
    let told = folder.ok("train -o model --epsilon 1 --method class-sums");
    assert!(told.contains("1 person was removed"), "{told}");
}
