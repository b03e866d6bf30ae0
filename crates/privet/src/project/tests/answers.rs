//! Answers of a trained model: in the order of the table, once each, as csv or JSON.

use super::*;
use crate::data::declared::EdgeTable;
use crate::model::question::Question;
use crate::model::{AnswerFormat, Model};

const PEOPLE: &str =
    "customer,age,region\nzed,30,north\nann,90,south\nmid,50,north\nbob,20,south\n";

/// A model, a table of new people in no order of ids, and their connections.
fn asked(tried: &Tried, people: &str) -> (Model, [Question; 2]) {
    let project = tried.create(TEXT).unwrap();
    let run = tried.run(&project).unwrap();
    let target = Loss::new(2.0, 1e-4).unwrap();
    let (model, _) = project.train(Some(Method::ClassSums), target, &run).unwrap().into_parts();
    let path = |name: &str| tried.folder.path().join(name);
    std::fs::write(path("new.csv"), people).unwrap();
    std::fs::write(path("calls.csv"), "from,to\nzed,bob\nann,mid\n").unwrap();
    let plain = Question { people: Some(path("new.csv")), ..Question::default() };
    let calls = EdgeTable::new(path("calls.csv").to_string_lossy(), "from", "to");
    let connected = Question { edges: Some(calls), ..plain.clone() };
    (model, [plain, connected])
}

fn answer(model: &Model, question: &Question, format: AnswerFormat) -> Result<String> {
    let mut out = Vec::new();
    model.answer_as(format, question, &InputGuard::default(), &mut out, &mut |_| ())?;
    Ok(String::from_utf8(out).unwrap())
}

/// Columns that are pasted side by side must be about the same people, with connections and without.
#[test]
fn c11_answers_come_in_the_order_of_the_table() {
    let tried = Tried::new();
    let (model, questions) = asked(&tried, PEOPLE);
    for question in &questions {
        let text = answer(&model, question, AnswerFormat::Csv).unwrap();
        let ids: Vec<&str> =
            text.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
        assert_eq!(ids, ["zed", "ann", "mid", "bob"]);
    }
}

#[test]
fn c11_an_id_that_stands_twice_is_refused_with_its_lines() {
    let tried = Tried::new();
    let (model, questions) = asked(&tried, &format!("{PEOPLE}ann,40,north\n"));
    for question in &questions {
        let told = answer(&model, question, AnswerFormat::Csv).unwrap_err().to_string();
        assert!(told.contains("line 6") && told.contains("line 3"), "{told}");
        assert!(!told.contains("ann"), "ids stay hidden: {told}");
    }
}

/// The same answers in both formats.
#[test]
fn c11_answers_in_json_say_what_the_table_says() {
    let tried = Tried::new();
    let (model, [mut question, _]) = asked(&tried, PEOPLE);
    (question.shown.top, question.shown.probabilities) = (2, true);
    let table = answer(&model, &question, AnswerFormat::Csv).unwrap();
    let json = answer(&model, &question, AnswerFormat::Json).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["about"], "people");
    let answers = json["answers"].as_array().unwrap();
    assert_eq!(answers.len(), 4);
    for (line, answer) in table.lines().skip(1).zip(answers) {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(answer["id"], cells[0]);
        for rank in [0, 1] {
            let class = &answer["classes"][rank];
            assert_eq!(class["class"], cells[1 + 2 * rank]);
            assert_eq!(
                format!("{:.6}", class["probability"].as_f64().unwrap()),
                cells[2 + 2 * rank]
            );
        }
        let retail = answer["probabilities"]["retail"].as_f64().unwrap();
        assert_eq!(format!("{retail:.6}"), cells[5]);
    }
    // No people to answer about: an empty list is JSON, too.
    std::fs::write(question.people.as_ref().unwrap(), "customer,age,region\n").unwrap();
    let none = answer(&model, &question, AnswerFormat::Json).unwrap();
    let none: serde_json::Value = serde_json::from_str(&none).unwrap();
    assert_eq!(none["answers"].as_array().unwrap().len(), 0);
}

/// New people and whom they know: each other, and people of the shop.
fn acquainted(tried: &Tried) -> (Project, Model, Question) {
    let (model, [_, mut question]) = asked(tried, PEOPLE);
    let mut calls = String::from("from,to\nzed,bob\nann,mid\nnobody,zed\n");
    for at in 0..60 {
        calls += &format!("{},c{at:02}\n", ["zed", "ann", "mid", "bob"][at % 4]);
    }
    std::fs::write(tried.folder.path().join("calls.csv"), calls).unwrap();
    question.shown.probabilities = true;
    (Project::open(tried.folder.path()).unwrap(), model, question)
}

fn predicted(
    tried: &Tried,
    project: &Project,
    (model, question): (&Model, &Question),
    epsilon: f64,
    guard: &InputGuard,
) -> Result<crate::model::question::AnswersFile> {
    let run = tried.run(project)?;
    let path = tried.folder.path().join("out.csv");
    project.predict(model, question, &path, Loss::new(epsilon, 1e-4)?, guard, &run)
}

#[test]
fn answers_by_votes_are_charged_to_the_project() {
    let tried = Tried::new();
    let (project, model, question) = acquainted(&tried);
    let guard = InputGuard::of([project.clone()]);
    let before = project.balances_known_to(Some(&tried.outside())).unwrap();
    let answered = predicted(&tried, &project, (&model, &question), 0.5, &guard).unwrap();
    let card = answered.card.unwrap();
    assert_eq!((answered.count, answered.of), (4, "people"));
    assert!(card.unprotected.iter().any(|part| part.what.contains("the new people")), "{card:?}");
    // The card is about the account: the training is in it, too.
    assert!(card.guarantees[0].loss.epsilon.get() <= 2.5 + 1e-9);
    let after = project.balances_known_to(Some(&tried.outside())).unwrap();
    let entries = |balances: &[Balance]| balances[0].contents.as_ref().unwrap().entries.len();
    assert_eq!(entries(&after), entries(&before) + 1, "one charge for one batch");
    assert!(after[0].spent.epsilon.get() > before[0].spent.epsilon.get());
    let text = std::fs::read_to_string(tried.folder.path().join("out.csv")).unwrap();
    let ids: Vec<&str> = text.lines().skip(1).map(|l| l.split(',').next().unwrap()).collect();
    assert_eq!(ids, ["zed", "ann", "mid", "bob"]);
    assert!(tried.folder.path().join("out.csv.card.json").exists());
    // More than is left is refused, and changes nothing.
    let told = predicted(&tried, &project, (&model, &question), 3.9, &guard).unwrap_err();
    assert!(told.to_string().contains("left") || told.to_string().contains("limit"), "{told}");
    let last = project.balances_known_to(Some(&tried.outside())).unwrap();
    assert_eq!(entries(&last), entries(&after));
}

/// With little noise a newcomer has the class of the people who know them, whatever the record says.
#[test]
fn votes_outweigh_a_record() {
    let tried = Tried::new();
    let text = TEXT.replace("epsilon = 4.0", "epsilon = 20.0").replace("1e-4", "1e-3");
    let project = tried.create(&text).unwrap();
    let run = tried.run(&project).unwrap();
    let target = Loss::new(1.0, 1e-3).unwrap();
    let (model, _) = project.train(Some(Method::ClassSums), target, &run).unwrap().into_parts();
    let (mut new, mut calls) = (String::from("customer,age,region\n"), String::from("a,b\n"));
    for at in 0..40 {
        new += &format!("n{at:02},50,north\n");
        // Business people are c31 to c59, but for every eleventh.
        let first = if at % 2 == 0 { 5 } else { 37 };
        (0..3).for_each(|more| calls += &format!("n{at:02},c{:02}\n", first + (at + more) % 8));
    }
    let path = |name: &str| tried.folder.path().join(name);
    std::fs::write(path("new.csv"), new).unwrap();
    std::fs::write(path("calls.csv"), calls).unwrap();
    let edges = EdgeTable::new(path("calls.csv").to_string_lossy(), "a", "b");
    let question =
        Question { people: Some(path("new.csv")), edges: Some(edges), ..Question::default() };
    let target = Loss::new(18.0, 1e-3).unwrap();
    let guard = InputGuard::of([project.clone()]);
    project.predict(&model, &question, &path("out.csv"), target, &guard, &run).unwrap();
    let text = std::fs::read_to_string(path("out.csv")).unwrap();
    let right = text
        .lines()
        .skip(1)
        .enumerate()
        .filter(|(at, line)| line.split(',').nth(1) == Some(["retail", "business"][at % 2]));
    assert!(right.count() >= 34, "{text}");
}

/// A newcomer of the project's own, another kind of question, another model, no connections: refused, uncharged.
#[test]
fn what_cannot_be_answered_by_votes_is_refused_before_a_charge() {
    let tried = Tried::new();
    let (project, model, question) = acquainted(&tried);
    let guard = InputGuard::of([project.clone()]);
    let refused = |question: &Question, guard: &InputGuard| {
        predicted(&tried, &project, (&model, question), 0.5, guard).unwrap_err().to_string()
    };
    let none = Question { edges: None, ..question.clone() };
    assert!(refused(&none, &guard).contains("edges"));
    let other = Question { released: Some("x.npz".into()), ..question.clone() };
    assert!(refused(&other, &guard).contains("votes"));
    std::fs::write(tried.folder.path().join("new.csv"), format!("{PEOPLE}c07,30,north\n")).unwrap();
    // Without the guard the release itself refuses, and names no person.
    for guard in [&guard, &InputGuard::default()] {
        let told = refused(&question, guard);
        assert!(told.contains("new.csv") && !told.contains("c07"), "{told}");
    }
    let balances = project.balances_known_to(Some(&tried.outside())).unwrap();
    assert_eq!(balances[0].contents.as_ref().unwrap().entries.len(), 1, "the training alone");
}

/// Connections to people of another project stay refused, and so is that project's table of them.
#[test]
fn a_price_pays_for_one_project_alone() {
    let tried = Tried::new();
    let (project, model, mut question) = acquainted(&tried);
    let other = Tried::new();
    for name in ["customers.csv", "payments.csv"] {
        let path = other.folder.path().join(name);
        let text = std::fs::read_to_string(&path).unwrap().replace('c', "d");
        std::fs::write(&path, text.replace("dustomer", "customer")).unwrap();
    }
    let guard = InputGuard::of([project.clone(), other.create(TEXT).unwrap()]);
    predicted(&tried, &project, (&model, &question), 0.5, &guard).unwrap();
    let calls = tried.folder.path().join("calls.csv");
    let text = std::fs::read_to_string(&calls).unwrap();
    std::fs::write(&calls, text + "zed,d07\n").unwrap();
    let told = predicted(&tried, &project, (&model, &question), 0.5, &guard);
    // An id that is not of this project is left out; membership in the other project must not show.
    assert!(told.is_ok(), "strangers are left out: {told:?}");
    let theirs = other.folder.path().join("payments.csv");
    question.edges = Some(EdgeTable::new(theirs.to_string_lossy(), "payer", "payee"));
    let told = predicted(&tried, &project, (&model, &question), 0.5, &guard).unwrap_err();
    assert!(told.to_string().contains("it is a table"), "{told}");
}
