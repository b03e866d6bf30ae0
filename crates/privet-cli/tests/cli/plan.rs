//! `privet plan`: what it says, that it opens no table, and what it refuses.

use crate::ran::Folder;

const FEW: &str =
    "plan --people 240 --mean-degree 5 --columns 6 --classes 2 --homophily 0.85 --epsilons 1";

/// Numbers by a word, and runs of spaces by two: scores may differ in their last digits between machines.
fn shape(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let words = line.split_whitespace().map(|word| {
            let number = word.chars().any(|c| c.is_ascii_digit());
            let unit = ["ms,", "s,", "B", "KiB", "MiB"].contains(&word);
            match (number, unit) {
                (true, _) => "#",
                (_, true) => "unit",
                _ => word,
            }
        });
        out += &words.collect::<Vec<_>>().join(" ");
        out.push('\n');
    }
    out
}

#[test]
fn a_plan_is_told_in_a_table_and_a_sentence() {
    let told = Folder::new().ok(&format!("{FEW} --protects features -q"));
    let shape = shape(&told);
    let lines: Vec<&str> = shape.lines().collect();
    insta::assert_snapshot!(lines[..9].join("\n"), @r"
    plan for your data: # people, # connections # each), # columns, # classes
    hidden by people's own devices: features; everything else is public

    epsilon # no privacy noise only time, memory
    accuracy to expect, in percent (from to)
    ldp-ge # # to # # # to # # # to # # unit # unit
    label-propagation # # to #
    largest-class # # to #
    of # people, an attacker who accepts # % false accusations finds at most
    ");
    // e times one, never rounded down.
    assert!(told.lines().any(|line| line.split_whitespace().eq(["ldp-ge", "3"])), "{told}");
    assert!(told.contains("no record was read"), "{told}");
}

#[test]
fn programs_get_the_same_numbers_and_the_page_has_a_slider() {
    let folder = Folder::new();
    let told = folder.json(&format!("{FEW} --protects people --html plan.html"));
    let methods: Vec<&str> =
        told["methods"].as_array().unwrap().iter().map(|m| m["method"].as_str().unwrap()).collect();
    assert_eq!(
        methods,
        ["gradient-descent", "smoothed-sgd", "class-sums", "features", "em0", "largest-class"]
    );
    let point = &told["methods"][0]["points"][0];
    let (low, high) = (&point["accuracy"]["low"], &point["accuracy"]["high"]);
    assert!(low.as_f64().unwrap() < high.as_f64().unwrap());
    assert!(point["exposure"]["curve"].as_array().unwrap().len() >= 3);
    let page = String::from_utf8(folder.read("plan.html")).unwrap();
    assert!(page.contains("type=\"range\"") && !page.contains("src=\"http"));
    folder.fails(&format!("{FEW} --protects people --html plan.html"), 3, &["plan.html"]);
}

/// Its tables cannot be read at all, and are not asked for.
#[test]
fn a_project_is_planned_for_without_its_tables() {
    let folder = Folder::with(&[
        ("customers.csv", b"customer,age,segment\na,20,x\n"),
        ("payments.csv", b"payer,payee\n"),
    ]);
    folder.ok("init --people customers.csv --id customer --label segment --classes x,y --column age=number:18..100 \
        --edges payments.csv:payer:payee --protects features --trust devices --epsilon 2 --name shop");
    for table in ["customers.csv", "payments.csv"] {
        std::fs::remove_file(folder.path(table)).unwrap();
        std::fs::create_dir(folder.path(table)).unwrap();
    }
    folder.fails("plan", 2, &["--people is missing", "not opened"]);
    let told = folder.json("plan --people 240 --mean-degree 5 --epsilons 1");
    assert_eq!(
        (&told["question"]["name"], &told["question"]["facts"]["columns"]),
        (&"shop".into(), &1.into())
    );
    assert_eq!(told["question"]["protects"], serde_json::json!(["features"]));
    // What is typed wins, whether it can be or not.
    let said =
        "plan --people 240 --mean-degree 5 --epsilons 1 --columns 4 --classes 3 --trust curator";
    let question = &folder.json(said)["question"];
    let (facts, trust) = (&question["facts"], &question["trust"]);
    assert_eq!(
        (&facts["columns"], &facts["classes"], trust),
        (&4.into(), &3.into(), &"curator".into())
    );
    assert_eq!(question["protects"], serde_json::json!(["features"]));
    let said = "plan --people 240 --mean-degree 5 --classes 12";
    folder.fails(&format!("{said} --labelled 0.3"), 2, &["labelled", "120"]);
    folder.fails(&said.replace("240", "200"), 2, &["people", "200", "12 classes"]);
}

#[test]
fn what_cannot_be_is_refused_with_what_would_be_right() {
    let folder = Folder::new();
    folder.fails("plan", 2, &["--people is missing", "for example"]);
    folder.fails(
        "plan --people 100 --columns 3 --classes 2 --protects people",
        2,
        &["--edges or --mean-degree"],
    );
    folder.fails(
        "plan --people 100 --edges 50 --columns 3 --classes 2",
        2,
        &["--protects is missing", "curator"],
    );
    let facts = "plan --people 100 --columns 3 --classes 2 --protects people";
    folder.fails(&format!("{facts} --edges 5000"), 2, &["edges", "5000", "at most 4950"]);
    folder.fails(&format!("{facts} --edges 50 --trust devices"), 2, &["people", "curator"]);
    folder.fails(&format!("{facts} --edges 50 --epsilons 30"), 2, &["epsilon", "30", "up to 20"]);
    folder.fails("plan --like corra --protects people", 2, &["corra", "cora"]);
    assert!(folder.names().is_empty(), "nothing is written");
}
