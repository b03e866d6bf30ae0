//! What is charged, counted and shown: each test notices a fault that can be switched on.

use super::*;

/// A folder that is restored would agree with itself: only the count outside of it knows better.
#[test]
fn c11_charges_are_counted_outside_of_the_folder() {
    let tried = Tried::new();
    let project = tried.create(TEXT).unwrap();
    let run = tried.run(&project).unwrap();
    let counts = tried.outside().counts(project.id()).unwrap();
    let count = counts.join(format!("{}.count", Protects::People.unit()));
    for charges in [1, 2] {
        project.train(Some(Method::Features), Loss::new(0.5, 1e-4).unwrap(), &run).unwrap();
        assert_eq!(crate::privacy::ledger::counted_elsewhere(&count).unwrap(), charges);
    }
}

#[test]
fn c11_who_is_set_aside_is_not_trained_on() {
    let tried = Tried::new();
    let project = tried.create(TEXT).unwrap();
    let dataset = project.dataset().unwrap();
    let id = |node: &NodeId| dataset.ids().get(*node).to_string();
    let learners = project.to_train_on(&dataset);
    let aside = dataset.graph().nodes().filter(|node| project.is_test(&id(node))).count();
    assert!(aside > 0 && learners.len() + aside == 60, "{aside}");
    assert!(learners.iter().all(|node| !project.is_test(&id(node))));
}

/// Where labels are private on devices, an evaluation asks for them through randomised response, and charges it.
#[test]
fn c11_private_labels_are_asked_through_noise_and_charged() {
    let tried = Tried::new();
    everybody_has_a_label(tried.folder.path());
    let text = devices().replace("[\"features\", \"labels\", \"contacts\"]", "[\"labels\"]");
    let project = tried.create(&text).unwrap();
    let run = tried.run(&project).unwrap();
    let entries = || {
        let balances = project.balances_known_to(Some(&tried.outside())).unwrap();
        balances[0].contents.as_ref().map_or(0, |contents| contents.entries.len())
    };
    let model = project.train(None, Loss::new(2.0, 1e-4).unwrap(), &run).unwrap();
    let (model, _) = model.into_parts();
    let before = entries();
    assert!(!project.evaluation_is_free(&model));
    let evaluation = project.evaluate(&model, 0.5, &run).unwrap();
    assert_eq!(entries(), before + 1);
    assert_eq!(evaluation.card.unwrap().guarantees.len(), 1);
}

#[test]
fn c11_status_adds_the_accounts_of_one_record() {
    let tried = Tried::new();
    everybody_has_a_label(tried.folder.path());
    let project = tried.create(&devices()).unwrap();
    let run = tried.run(&project).unwrap();
    let features = project.dataset_for(&[DataPart::Features]).unwrap();
    protect::Features::hds(1.0).run(features, &run).unwrap();
    let labels = project.dataset_for(&[DataPart::Labels]).unwrap();
    protect::Labels::randomized_response(0.5).run(labels, &run).unwrap();
    drop(run);
    let status = project.status_known_to(Some(&tried.outside())).unwrap();
    let record = status.relations.iter().find(|line| line.hides.len() == 2).unwrap();
    // A budget is a number of steps of the mechanism's grid: a little less than asked may be spent, never more.
    assert!((1.49..=1.5).contains(&record.spent_epsilon), "{}", record.spent_epsilon);
    assert!((record.left_epsilon + record.spent_epsilon - 4.0).abs() < 1e-9);
}
