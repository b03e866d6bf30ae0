//! Item A1: a project's people are not read as public ones, whatever their tables are called. The guard's own tests are in
//! `privet::project::guard`; these are the command lines.

use crate::ran::Folder;

/// A shop of 60 people, by text ids or by numbers, with a trained model; `elsewhere/` is no part of it.
fn shop(ids: impl Fn(usize) -> String, protects: &str) -> Folder {
    let mut people = String::from("customer,age,region,segment\n");
    let mut paid = String::from("payer,payee\n");
    for at in 0..60 {
        let (region, segment) = (["north", "south"][at % 2], ["retail", "business"][at / 31]);
        people += &format!("{},{},{region},{segment}\n", ids(at), 20 + at);
        paid += &format!("{},{}\n", ids(at), ids((at * 7 + 1) % 60));
    }
    let new = "customer,age,region,segment\nn1,30,north,retail\nn2,70,south,business\n";
    let folder = Folder::with(&[
        ("shop/customers.csv", people.as_bytes()),
        ("shop/payments.csv", paid.as_bytes()),
        ("elsewhere/new.csv", new.as_bytes()),
        ("elsewhere/among.csv", b"a,b\nn1,n2\n"),
    ]);
    folder.ok(&format!(
        "init shop --people customers.csv --id customer --label segment --classes retail,business \
         --column age=number:18..100 --column region=category:north|south \
         --edges payments.csv:payer:payee --name shop --delta 1e-4 --epsilon 8 --protects {protects}"
    ));
    folder
}

fn text_ids(at: usize) -> String {
    format!("c{at:02}")
}

fn trained(folder: &Folder) {
    let mut command = folder.command("train -o model --epsilon 2 --seed 1 --method features");
    let told = command.current_dir(folder.path("shop")).output().unwrap();
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
}

/// Lines of a table: its header, and these rows.
fn rows(folder: &Folder, table: &str, rows: &[usize]) -> String {
    let text = String::from_utf8(folder.read(table)).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let rows: Vec<&str> = [0].iter().chain(rows).map(|&at| lines[at]).collect();
    rows.join("\n") + "\n"
}

fn charges(folder: &Folder) -> usize {
    let mut command = folder.command("status --json");
    let told = command.current_dir(folder.path("shop")).output().unwrap();
    let status: serde_json::Value = serde_json::from_slice(&told.stdout).unwrap();
    status["charges"].as_array().unwrap().len()
}

#[test]
fn a1_evaluate_public_refuses_the_projects_people() {
    let folder = shop(text_ids, "people");
    trained(&folder);
    let before = charges(&folder);
    let at = |name: &str| folder.path(name);
    std::fs::copy(at("shop/customers.csv"), at("elsewhere/copy.csv")).unwrap();
    folder.write("elsewhere/one.csv", rows(&folder, "shop/customers.csv", &[8]).as_bytes());
    folder.write("elsewhere/some.csv", rows(&folder, "shop/customers.csv", &[1, 9, 30]).as_bytes());
    let edited = rows(&folder, "shop/customers.csv", &[8]).replace(",retail", ",business");
    folder.write("elsewhere/edited.csv", edited.as_bytes());
    let mut files = vec!["shop/customers.csv", "shop/../shop/customers.csv", "elsewhere/copy.csv"];
    files.extend(["elsewhere/one.csv", "elsewhere/some.csv", "elsewhere/edited.csv"]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(at("shop/customers.csv"), at("elsewhere/link.csv")).unwrap();
        std::fs::hard_link(at("shop/customers.csv"), at("elsewhere/second.csv")).unwrap();
        files.extend(["elsewhere/link.csv", "elsewhere/second.csv"]);
    }
    for file in files {
        let told = folder.fails(
            &format!("evaluate shop/model --public {file}"),
            3,
            &["refused", "the project 'shop'", "volunteers"],
        );
        assert!(!told.contains("c07") && !told.contains("accuracy"), "{told}");
    }
    assert_eq!(charges(&folder), before);
    let public = folder.json("evaluate shop/model --public elsewhere/new.csv");
    assert_eq!(public["tested"], 2);
}

#[test]
fn a1_predict_refuses_the_projects_people_and_their_payments() {
    let folder = shop(text_ids, "people");
    trained(&folder);
    let half: Vec<usize> = (1..30).collect();
    folder.write("elsewhere/half.csv", rows(&folder, "shop/customers.csv", &half).as_bytes());
    for people in ["shop/customers.csv", "elsewhere/half.csv"] {
        let line = format!("predict shop/model {people} --probabilities");
        folder.fails(&line, 3, &["refused", "the project 'shop'"]);
        folder.fails(&format!("{line} -o out.csv"), 3, &["refused"]);
        folder.fails(&format!("{line} --edges shop/payments.csv:payer:payee"), 3, &["refused"]);
    }
    assert!(!folder.names().contains(&"out.csv".to_owned()), "nothing is half-written");
    let command = &mut folder.command("predict shop/model -");
    let told = command.write_stdin(folder.read("elsewhere/half.csv")).output().unwrap();
    assert!(told.status.code() == Some(3) && told.stdout.is_empty());
    let lines = folder.ok("predict shop/model elsewhere/new.csv --edges elsewhere/among.csv:a:b");
    assert_eq!(lines.lines().count(), 3);
}

/// Connections are hidden, and features are not: people may be answered about, but not over their payments.
#[test]
fn a1_payments_are_refused_where_only_connections_are_hidden() {
    let folder = shop(text_ids, "connections");
    trained_on_connections(&folder);
    folder.ok("predict shop/model shop/customers.csv -o out.csv");
    std::fs::copy(folder.path("shop/payments.csv"), folder.path("elsewhere/copy.csv")).unwrap();
    let renamed = rows(&folder, "shop/payments.csv", &[3, 5]).replace("payer,payee", "x,y");
    folder.write("elsewhere/renamed.csv", renamed.as_bytes());
    let tables = [
        "shop/payments.csv:payer:payee",
        "elsewhere/copy.csv:payer:payee",
        "elsewhere/renamed.csv:x:y",
    ];
    for edges in tables {
        let line = format!("predict shop/model shop/customers.csv --edges {edges} --probabilities");
        folder.fails(&line, 3, &["refused", "the project 'shop'"]);
    }
}

fn trained_on_connections(folder: &Folder) {
    let mut command = folder.command("train -o model --epsilon 2 --seed 1");
    let told = command.current_dir(folder.path("shop")).output().unwrap();
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
}

/// Ids from 1 are in every table: records tell whose they are.
#[test]
fn a1_numbered_people_are_known_by_their_records() {
    let folder = shop(|at| (at + 1).to_string(), "people");
    trained(&folder);
    folder.write("elsewhere/one.csv", rows(&folder, "shop/customers.csv", &[8]).as_bytes());
    folder.fails("evaluate shop/model --public elsewhere/one.csv", 3, &["refused"]);
    folder.fails("predict shop/model elsewhere/one.csv", 3, &["refused"]);
    // Other columns of other names in another order, for a command that knows no declaration.
    let turned = rows(&folder, "shop/customers.csv", &(1..=40).collect::<Vec<_>>());
    let turned: String = turned
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            format!("{},{},{}\n", cells[1], cells[0], cells[2])
        })
        .collect();
    folder.write("elsewhere/turned.csv", format!("years,no,where\n{turned}").as_bytes());
    folder.fails("data info elsewhere/turned.csv", 3, &["refused"]);
    let new = "customer,age,region,segment\n1,90,north,retail\n2,19,south,business\n";
    folder.write("elsewhere/numbered.csv", new.as_bytes());
    folder.ok("predict shop/model elsewhere/numbered.csv");
}

#[test]
fn a1_volunteers_are_declared_and_nobody_else_is_looked_at() {
    let folder = shop(text_ids, "people");
    trained(&folder);
    folder.write("elsewhere/some.csv", rows(&folder, "shop/customers.csv", &[1, 9]).as_bytes());
    let line = "evaluate shop/model --public elsewhere/some.csv";
    folder.fails(line, 3, &["volunteers"]);
    let text = String::from_utf8(folder.read("shop/privet.toml")).unwrap();
    let text = text.replacen("name = \"shop\"", "name = \"shop\"\nvolunteers = \"agreed.csv\"", 1);
    folder.write("shop/privet.toml", text.as_bytes());
    folder.write("shop/agreed.csv", b"c00\n");
    folder.fails(line, 3, &["volunteers"]);
    folder.write("shop/agreed.csv", b"c00\nc08\n");
    assert_eq!(folder.json(line)["tested"], 2);
}

/// Every other command that takes a file, and the one that reads a project of which nothing but this machine knows.
#[test]
fn a1_other_commands_refuse_copies_too() {
    let folder = shop(text_ids, "people");
    let pairs = String::from_utf8(folder.read("shop/payments.csv")).unwrap();
    let pairs: String = pairs.lines().skip(1).take(30).map(|line| format!("{line}\n")).collect();
    folder.write("elsewhere/pairs.csv", pairs.as_bytes());
    for line in [
        "data info elsewhere/pairs.csv",
        "data convert elsewhere/pairs.csv out.npz",
        "data info shop/payments.csv",
        "protect edges elsewhere/pairs.csv -o out.npz --epsilon 1 --assume-public ids",
        "publish elsewhere/pairs.csv -o out.npz --all-private --epsilon-edges 1 --assume-public ids",
        "run ldp-ge --dataset elsewhere/pairs.csv --epsilon 1",
    ] {
        folder.fails(line, 3, &["refused", "the project 'shop'"]);
    }
    assert!(!folder.names().iter().any(|name| name.starts_with("out")), "{:?}", folder.names());
    folder.write("elsewhere/other.csv", b"x1,x2\nx2,x3\n");
    folder.ok("data info elsewhere/other.csv");
}
