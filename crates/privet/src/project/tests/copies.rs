//! Copies of a project's folder, which share what is known outside of it.

use super::*;

fn copied(tried: &Tried) -> (tempfile::TempDir, Project) {
    let copy = tempfile::tempdir().unwrap();
    copy_all(tried.folder.path(), copy.path());
    let project = Project::open(copy.path()).unwrap();
    (copy, project)
}

fn limit_of_one(tried: &Tried) -> Project {
    tried.create(&TEXT.replace("epsilon = 4.0", "epsilon = 1.0")).unwrap()
}

/// `init`, `cp -r`, and both at once, twenty times: never more than one release of epsilon 1 from a limit of one.
#[test]
fn a4_copies_that_race_release_once() {
    for round in 0..20 {
        let tried = Tried::new();
        let project = limit_of_one(&tried);
        let (_copy, copy) = copied(&tried);
        let gate = std::sync::Barrier::new(2);
        let train = |project: &Project| -> Result<()> {
            gate.wait();
            let run = tried.run(project)?;
            project.train(Some(Method::ClassSums), Loss::new(1.0, 1e-4)?, &run).map(drop)
        };
        let done = std::thread::scope(|scope| {
            let racers = [&project, &copy].map(|project| scope.spawn(|| train(project)));
            racers.map(|racer| racer.join().unwrap())
        });
        let released = done.iter().filter(|done| done.is_ok()).count();
        assert!(released <= 1, "round {round}: {released} released");
    }
}

/// After a crash between an entry and its count the charge is spent and the project goes on.
#[test]
fn a4_a_crash_leaves_the_charge_and_the_project() {
    let tried = Tried::new();
    let project = tried.create(TEXT).unwrap();
    let spend = || {
        let run = tried.run(&project).unwrap();
        project.train(Some(Method::Features), Loss::new(0.5, 1e-4).unwrap(), &run).map(drop)
    };
    spend().unwrap();
    let count = tried.outside().counts(project.id()).unwrap().join("node.count");
    let before = std::fs::read(&count).unwrap();
    spend().unwrap();
    std::fs::write(&count, before).unwrap();
    let entries = || {
        let balances = project.balances_known_to(Some(&tried.outside())).unwrap();
        balances[0].contents.as_ref().unwrap().entries.len()
    };
    assert_eq!(entries(), 2);
    spend().unwrap();
    assert_eq!(entries(), 3);
}
