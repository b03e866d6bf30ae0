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
