//! Projects, tried from outside of their modules.

use std::path::{Path, PathBuf};

use super::outside::Outside;
use super::*;
use crate::Method;
use crate::privacy::Loss;
use crate::{Noise, Run, Save, protect};

mod answers;
mod charges;
mod copies;
mod mistakes;
mod recognised;

/// A shop: 60 people with text ids, gaps, a category and payments.
pub(super) fn shop(folder: &Path) {
    let mut people = String::from("customer,age,region,segment\n");
    let mut payments = String::from("payer,payee,amount\n");
    for at in 0..60 {
        let age = if at % 9 == 4 { String::new() } else { (20 + at).to_string() };
        let region = ["north", "south"][at % 2];
        let segment = if at % 11 == 3 { "" } else { ["retail", "business"][usize::from(at > 30)] };
        people += &format!("c{at:02},{age},{region},{segment}\n");
        payments += &format!("c{at:02},c{:02},{}\n", (at * 7 + 1) % 60, at * 3);
    }
    std::fs::write(folder.join("customers.csv"), people).unwrap();
    std::fs::write(folder.join("payments.csv"), payments).unwrap();
}

pub(super) const TEXT: &str = r#"[project]
name = "shop"
trust = "curator"
protects = ["people"]

[budget]
epsilon = 4.0
delta = 1e-4

[people]
file = "customers.csv"
id = "customer"
label = "segment"
classes = ["retail", "business"]

[people.columns.age]
kind = "number"
low = 18
high = 100
missing = "middle"

[people.columns.region]
kind = "category"
values = ["north", "south"]

[[edges]]
file = "payments.csv"
source = "payer"
target = "payee"
"#;

/// A project in a folder, with what is known outside of it in another.
struct Tried {
    folder: tempfile::TempDir,
    outside: tempfile::TempDir,
}

impl Tried {
    fn new() -> Self {
        let tried =
            Self { folder: tempfile::tempdir().unwrap(), outside: tempfile::tempdir().unwrap() };
        shop(tried.folder.path());
        tried
    }

    fn outside(&self) -> Outside {
        Outside::at(self.outside.path().into()).unwrap()
    }

    fn create(&self, text: &str) -> Result<Project> {
        Project::create_known_to(
            self.folder.path(),
            Some(text),
            SecondProject::Refuse,
            Some(&self.outside()),
        )
    }

    fn run(&self, project: &Project) -> Result<Run<'static>> {
        let ledgers =
            LedgerStore::Project(Box::new(project.ledgers_known_to(Some(&self.outside()))?));
        Ok(Run { noise: Noise::Replay(1), ledgers, ..Run::simulation(1) })
    }
}

fn devices() -> String {
    TEXT.replace("\"curator\"", "\"devices\"")
        .replace("[\"people\"]", "[\"features\", \"labels\", \"contacts\"]")
        .replace("[people.columns.age]", "no_label = []\n\n[people.columns.age]")
}

fn everybody_has_a_label(folder: &Path) {
    let path = folder.join("customers.csv");
    let text = std::fs::read_to_string(&path).unwrap();
    let filled: String = text
        .lines()
        .map(|line| match line.ends_with(',') {
            true => format!("{line}retail\n"),
            false => format!("{line}\n"),
        })
        .collect();
    std::fs::write(&path, filled).unwrap();
}

#[test]
fn a_model_is_trained_evaluated_and_used_and_all_of_it_is_charged() {
    let tried = Tried::new();
    let project = tried.create(TEXT).unwrap();
    let run = tried.run(&project).unwrap();
    let chosen = project.choose(None).unwrap();
    assert_eq!(chosen.method, Method::GradientDescent);
    // A table of few columns is trained on however large the noise is; a requested method is taken in any case.
    let little = Loss::new(0.01, 1e-4).unwrap();
    let of = |asked| project.training(asked, little).unwrap().chosen().method;
    assert_eq!(of(None), Method::GradientDescent);
    assert_eq!(of(Some(Method::Features)), Method::Features);
    let model = project.train(None, Loss::new(2.0, 1e-4).unwrap(), &run).unwrap();
    let folder = tried.folder.path().join("model");
    model.save(&folder).unwrap();
    let model = <crate::model::Model as crate::saved::StoredValue>::read(&folder).unwrap();
    let evaluation = project.evaluate(&model, 0.5, &run).unwrap();
    assert!(evaluation.accuracy.low <= evaluation.accuracy.high && evaluation.card.is_some());
    // One vote each, by class and answer or without a class, says all of it.
    let control = evaluation.control.unwrap();
    assert!(control.answers.starts_with("one answer for all people, "));
    assert_eq!(evaluation.counts.len(), 5);
    let by_class = evaluation.by_class.unwrap();
    assert_eq!((by_class.confusion.len(), by_class.auc), (2, None));
    let largest = (0..2).max_by_key(|&class| by_class.confusion[class].iter().sum::<i64>());
    assert!(control.answers.ends_with(&by_class.classes[largest.unwrap()]));
    let model = model.into_classifier().unwrap();
    drop(run);
    let balances = project.balances_known_to(Some(&tried.outside())).unwrap();
    assert_eq!(balances[0].contents.as_ref().unwrap().entries.len(), 2);
    assert!(balances[0].spent.epsilon.get() > 2.0 && balances[0].spent.epsilon.get() <= 2.5 + 1e-9);
    let mut out = Vec::new();
    let new = tried.folder.path().join("new.csv");
    std::fs::write(&new, "customer,age,region\n\"x,1\",30,north\ny,,south\n").unwrap();
    let shown = crate::model::predict::AnswerColumns { top: 2, probabilities: true };
    let people =
        model.predict(&new, None, shown, &InputGuard::default(), &mut out, &mut |_| ()).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert_eq!(people, 2);
    assert!(
        text.starts_with(
            "customer,class,probability,class_2,probability_2,p:retail,p:business\n\"x,1\","
        ),
        "{text}"
    );
    // Too much is refused, and nothing is charged for it.
    let run = tried.run(&project).unwrap();
    let told =
        project.train(Some(Method::Features), Loss::new(3.9, 1e-4).unwrap(), &run).unwrap_err();
    assert!(told.to_string().contains("limit"), "{told}");
    drop(run);
    let balances = project.balances_known_to(Some(&tried.outside())).unwrap();
    assert_eq!(balances[0].contents.as_ref().unwrap().entries.len(), 2);
}

/// A charge of which nothing came is shown as such, whatever is released after it.
#[test]
fn an_interrupted_charge_belongs_to_no_later_release() {
    let tried = Tried::new();
    let project = tried.create(TEXT).unwrap();
    let train = |run: &Run<'_>| {
        project.train(Some(Method::Features), Loss::new(0.5, 1e-4).unwrap(), run).unwrap();
    };
    let run = tried.run(&project).unwrap();
    train(&run);
    // Here the training process was killed.
    drop(run);
    let run = tried.run(&project).unwrap();
    train(&run);
    train(&run);
    let past = Past::now("privet", PathBuf::from("model"), None, &run.ledgers).unwrap();
    project.record(&past).unwrap();
    drop(run);
    let status = project.status_known_to(Some(&tried.outside())).unwrap();
    let came: Vec<bool> = status.charges.iter().map(|charge| charge.release.is_some()).collect();
    assert_eq!(came, [false, true, true]);
}

/// Features and label are parts of one record: what one account has spent is not there for the other.
#[test]
fn accounts_of_one_person_share_one_budget() {
    let tried = Tried::new();
    everybody_has_a_label(tried.folder.path());
    let project = tried.create(&devices()).unwrap();
    let run = tried.run(&project).unwrap();
    let features = |epsilon| {
        let terms = protect::Terms::alike(epsilon);
        let features = protect::Features {
            mechanism: "hds".into(),
            settings: Default::default(),
            decoding: crate::privacy::features::Decoding::Unbiased,
            terms,
        };
        features.run(project.dataset_for(&[DataPart::Features]).unwrap(), &run)
    };
    let labels = |epsilon| {
        let labels = protect::Labels { terms: protect::Terms::alike(epsilon) };
        labels.run(project.dataset_for(&[DataPart::Labels]).unwrap(), &run)
    };
    features(3.0).unwrap();
    let told = labels(1.5).unwrap_err().to_string();
    assert!(told.contains("limit") && told.contains('1'), "{told}");
    labels(1.0).unwrap();
    assert!(features(0.1).is_err());
    // Contacts are another relation, with the whole budget of its own.
    let edges = protect::Edges::dprr(4.0).unwrap();
    let noisy = edges.run(project.dataset_for(&[DataPart::Edges]).unwrap(), &run).unwrap();
    assert!(noisy.get().features().is_none(), "what else is private is left out");
}

#[test]
fn what_does_not_protect_what_the_project_protects_is_refused() {
    let tried = Tried::new();
    let project = tried.create(TEXT).unwrap();
    let run = tried.run(&project).unwrap();
    let edges = protect::Edges::dprr(1.0).unwrap();
    let told =
        edges.run(project.dataset_for(&[DataPart::Edges]).unwrap(), &run).unwrap_err().to_string();
    assert!(told.contains("record, label and all connections"), "{told}");
    assert!(project.choose(Some(Method::LdpGe)).is_err());
    assert!(tried.run(&project).is_err(), "one process at a time");
}

#[test]
fn a_second_project_about_the_same_people_is_noticed() {
    let tried = Tried::new();
    tried.create(TEXT).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    shop(elsewhere.path());
    // A later version of the same people: one is gone, one is new.
    let path = elsewhere.path().join("customers.csv");
    let text = std::fs::read_to_string(&path).unwrap().replace("c07,", "new,");
    std::fs::write(&path, text).unwrap();
    std::fs::write(elsewhere.path().join("payments.csv"), "payer,payee\nc01,c02\n").unwrap();
    let make = |second| {
        Project::create_known_to(elsewhere.path(), Some(TEXT), second, Some(&tried.outside()))
    };
    let told = make(SecondProject::Refuse).unwrap_err().to_string();
    assert!(told.contains("'shop'") && told.contains("most of the same people"), "{told}");
    assert!(!elsewhere.path().join(FILE).exists(), "nothing is half made");
    make(SecondProject::Allow).unwrap();
    // Other people are other people.
    let others = tempfile::tempdir().unwrap();
    shop(others.path());
    for file in ["customers.csv", "payments.csv"] {
        let path = others.path().join(file);
        let text =
            std::fs::read_to_string(&path).unwrap().replace(",c", ",d").replace("\nc", "\nd");
        std::fs::write(&path, text).unwrap();
    }
    Project::create_known_to(
        others.path(),
        Some(TEXT),
        SecondProject::Refuse,
        Some(&tried.outside()),
    )
    .unwrap();
}

/// A folder that was restored, and a copy of it, agree with themselves; what is known outside knows better.
#[test]
fn an_older_copy_cannot_be_spent_from() {
    let tried = Tried::new();
    let project = tried.create(TEXT).unwrap();
    let spend = |project: &Project| -> Result<()> {
        let run = tried.run(project)?;
        project.train(Some(Method::Features), Loss::new(0.5, 1e-4)?, &run).map(drop)
    };
    spend(&project).unwrap();
    let copy = tempfile::tempdir().unwrap();
    copy_all(tried.folder.path(), copy.path());
    let copied = Project::open(copy.path()).unwrap();
    spend(&project).unwrap();
    let told = spend(&copied).unwrap_err().to_string();
    assert!(told.contains("older copy"), "{told}");
    assert!(
        copied.balances_known_to(Some(&tried.outside())).is_err(),
        "nor is less shown as spent"
    );
    // Without any ledger it is no better.
    std::fs::remove_dir_all(copy.path().join(".privet/ledgers")).unwrap();
    let balances = copied.balances_known_to(Some(&tried.outside()));
    assert!(balances.is_err(), "an account that is gone is not shown as unspent");
    assert!(spend(&copied).is_err());
}

/// Another list in `privet.toml` is no way to a fresh budget, nor to a status that shows less.
#[test]
fn what_was_spent_cannot_be_edited_away() {
    let tried = Tried::new();
    let project = tried.create(TEXT).unwrap();
    let run = tried.run(&project).unwrap();
    project.train(Some(Method::Features), Loss::new(1.0, 1e-4).unwrap(), &run).unwrap();
    drop(run);
    let text = TEXT.replace("[\"people\"]", "[\"connections\"]");
    std::fs::write(tried.folder.path().join(FILE), text).unwrap();
    let edited = Project::open(tried.folder.path()).unwrap();
    let told = edited.balances_known_to(Some(&tried.outside())).unwrap_err().to_string();
    assert!(told.contains("1 charges") && told.contains("\"people\""), "{told}");
    let run = tried.run(&edited).unwrap();
    let spent = edited.train(Some(Method::Gap), Loss::new(1.0, 1e-4).unwrap(), &run);
    assert!(spent.is_err());
}

fn copy_all(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path: PathBuf = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copy_all(&path, &target),
            false => drop(std::fs::copy(&path, &target).unwrap()),
        }
    }
}

#[test]
fn who_is_removed_is_read_no_more_and_cards_say_so() {
    let tried = Tried::new();
    let project = tried.create(TEXT).unwrap();
    assert_eq!(project.dataset().unwrap().graph().node_count(), 60);
    project.forget(&["c07"]).unwrap();
    project.forget(&["c07", "c11"]).unwrap();
    let dataset = project.dataset().unwrap();
    assert_eq!(dataset.graph().node_count(), 58);
    assert!(!dataset.ids().iter().any(|id| id.to_string() == "c07"));
    let run = tried.run(&project).unwrap();
    let model = project.train(Some(Method::Features), Loss::new(1.0, 1e-4).unwrap(), &run).unwrap();
    assert!(
        model.card().unprotected.iter().any(|line| line.what.contains("2 people were removed"))
    );
}

#[test]
fn tuning_charges_every_training_and_every_look_and_no_more_than_was_said() {
    let tried = Tried::new();
    let project = tried.create(TEXT).unwrap();
    let run = tried.run(&project).unwrap();
    let target = Loss::new(3.0, 1e-4).unwrap();
    for trials in [0, 1, 9] {
        assert!(project.tune(trials, target, &run).is_err());
    }
    let tuned = project.tune(2, target, &run).unwrap();
    assert!(tuned.best < 2 && tuned.trials.len() == 2);
    assert!(tuned.training.epsilon.get() >= 1.2, "at least what basic composition affords");
    drop(run);
    let balances = project.balances_known_to(Some(&tried.outside())).unwrap();
    let spent = balances[0].spent.epsilon.get();
    assert_eq!(balances[0].contents.as_ref().unwrap().entries.len(), 4);
    assert!(spent <= 3.0 + 1e-9 && spent > 2.0, "{spent}");
}

#[test]
fn who_is_set_aside_stays_set_aside() {
    let tried = Tried::new();
    let project = tried.create(TEXT).unwrap();
    let aside = (0..10_000).filter(|at| project.is_test(&format!("c{at}"))).count();
    assert!((1_800..2_200).contains(&aside), "{aside}");
    let again = Project::find(&tried.folder.path().join("sub/folder")).unwrap().unwrap();
    assert_eq!(again.is_test("c17"), project.is_test("c17"));
    assert_eq!(again.id(), project.id());
}

/// While a process may spend from a project, none may spend from a copy of it, whatever the copy's own lock says.
#[test]
fn a4_one_copy_spends_at_a_time() {
    let tried = Tried::new();
    let project = tried.create(TEXT).unwrap();
    let copy = tempfile::tempdir().unwrap();
    copy_all(tried.folder.path(), copy.path());
    let copied = Project::open(copy.path()).unwrap();
    let run = tried.run(&project).unwrap();
    let told = tried.run(&copied).unwrap_err().to_string();
    assert!(told.contains("another process is spending from a copy of this project"), "{told}");
    drop(run);
    tried.run(&copied).unwrap();
}

/// The lock in the folder is enough where nothing is kept outside of it.
#[test]
fn a4_one_process_spends_where_nothing_is_kept_outside() {
    let tried = Tried::new();
    let make = Project::create_known_to;
    let project = make(tried.folder.path(), Some(TEXT), SecondProject::Refuse, None).unwrap();
    let first = project.ledgers_known_to(None).unwrap();
    let told = project.ledgers_known_to(None).err().unwrap().to_string();
    assert!(told.contains("another process is spending from this project"), "{told}");
    drop(first);
    project.ledgers_known_to(None).unwrap();
}

/// Only people of the project can be removed, and their ids stand nowhere.
#[test]
fn a7_who_is_removed_is_known_by_a_keyed_hash() {
    let tried = Tried::new();
    let project = tried.create(TEXT).unwrap();
    let told = project.forget(&["c07", "C9999"]).unwrap_err().to_string();
    assert!(told.contains("'C9999'") && told.contains("customers.csv"), "{told}");
    assert_eq!(project.removed().unwrap(), 0, "all or none");
    project.forget(&["c07"]).unwrap();
    project.forget(&["c07"]).unwrap();
    let path = tried.folder.path().join(".privet/forgotten");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("c07") && text.lines().count() == 2, "{text}");
    assert_eq!(
        (project.removed().unwrap(), project.dataset().unwrap().graph().node_count()),
        (1, 59)
    );
    // The record goes from the table, too, and comes back with a restored one.
    let people = tried.folder.path().join("customers.csv");
    let whole = std::fs::read_to_string(&people).unwrap();
    let without: String = whole
        .lines()
        .filter(|line| !line.starts_with("c07"))
        .map(|line| format!("{line}\n"))
        .collect();
    std::fs::write(&people, without).unwrap();
    project.forget(&["c07"]).unwrap();
    assert_eq!(project.removed().unwrap(), 1);
    std::fs::write(&people, whole).unwrap();
    assert_eq!(project.dataset().unwrap().graph().node_count(), 59);
    // Without the key none would be left out, so nothing is read.
    let key = tried.outside().counts(project.id()).unwrap().join("forgotten.key");
    std::fs::remove_file(&key).unwrap();
    let told = project.dataset().unwrap_err().to_string();
    assert!(told.contains("forgotten.key") && told.contains("copy it"), "{told}");
    assert!(project.forget(&["c08"]).is_err(), "another key would not recognise c07");
}

/// A list of an earlier version is understood, and hashed when the project spends.
#[test]
fn a7_ids_in_plain_text_are_replaced() {
    let tried = Tried::new();
    let project = tried.create(TEXT).unwrap();
    let path = tried.folder.path().join(".privet/forgotten");
    std::fs::write(&path, "c07\nc11\n").unwrap();
    let stays = || (project.removed().unwrap(), project.dataset().unwrap().graph().node_count());
    assert_eq!(stays(), (2, 58));
    drop(tried.run(&project).unwrap());
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("c07") && !text.contains("c11"), "{text}");
    assert_eq!(stays(), (2, 58));
    project.forget(&["c12"]).unwrap();
    assert_eq!(stays(), (3, 57));
}

/// An edited `privet.toml` does not change what the ledgers let through, and status shows what they do.
#[test]
fn a7_status_shows_the_limit_that_is_enforced() {
    let tried = Tried::new();
    let project = tried.create(TEXT).unwrap();
    let spend = |project: &Project| {
        let run = tried.run(project).unwrap();
        project.train(Some(Method::Features), Loss::new(1.0, 1e-4).unwrap(), &run).map(drop)
    };
    spend(&project).unwrap();
    let status = project.status_known_to(Some(&tried.outside())).unwrap();
    assert!(status.relations[0].stated.is_none());
    let text = TEXT.replace("epsilon = 4.0", "epsilon = 10.0");
    std::fs::write(tried.folder.path().join(FILE), text).unwrap();
    let edited = Project::open(tried.folder.path()).unwrap();
    let status = edited.status_known_to(Some(&tried.outside())).unwrap();
    let line = &status.relations[0];
    assert_eq!(line.limit, Loss::new(4.0, 1e-4).unwrap());
    assert_eq!(line.stated, Some(Loss::new(10.0, 1e-4).unwrap()));
    assert!((line.left_epsilon - 3.0).abs() < 0.01, "{}", line.left_epsilon);
    assert!(spend(&edited).unwrap_err().to_string().contains("its limit is (epsilon 4"));
}

/// Where accounts of one person share delta, their limits are shown as the one that the project has.
#[test]
fn a7_the_limit_of_several_accounts_is_the_projects() {
    let tried = Tried::new();
    everybody_has_a_label(tried.folder.path());
    let project = tried.create(&devices()).unwrap();
    let run = tried.run(&project).unwrap();
    let labels = protect::Labels { terms: protect::Terms::alike(1.0) };
    labels.run(project.dataset_for(&[DataPart::Labels]).unwrap(), &run).unwrap();
    drop(run);
    let status = project.status_known_to(Some(&tried.outside())).unwrap();
    for line in &status.relations {
        assert_eq!((line.limit, line.stated), (Loss::new(4.0, 1e-4).unwrap(), None));
    }
}
