//! The same people in another table, folder or account.

use super::super::outside::elsewhere::{refuse_file, refuse_people};
use super::*;

/// People called 1, 2, 3 and so on, with three columns, of whom these are there.
fn numbered(folder: &Path, people: std::ops::Range<u64>, seed: u64) {
    let mut text = String::from("number,age,income,segment\n");
    for at in people {
        let word = (at * 2 + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
        let segment = ["retail", "business"][(word % 2) as usize];
        text += &format!("{at},{},{},{segment}\n", 18 + word % 70, word / 7 % 150);
    }
    std::fs::write(folder.join("numbers.csv"), text).unwrap();
}

const NUMBERED: &str = r#"[project]
name = "numbers"
trust = "curator"
protects = ["people"]

[budget]
epsilon = 4.0
delta = 1e-6

[people]
file = "numbers.csv"
id = "number"
label = "segment"
classes = ["retail", "business"]

[people.columns.age]
kind = "number"
low = 18
high = 100
"#;

struct Elsewhere(tempfile::TempDir);

impl Elsewhere {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn create(&self, text: &str, outside: &Outside) -> Result<Project> {
        Project::create_known_to(self.0.path(), Some(text), SecondProject::Refuse, Some(outside))
    }
}

fn spend(project: &Project, outside: &Outside) -> Result<()> {
    let ledgers = LedgerStore::Project(Box::new(project.ledgers_known_to(Some(outside))?));
    let run = Run { noise: Noise::Replay(1), ledgers, ..Run::simulation(1) };
    project.train(Some(Method::Features), Loss::new(0.5, 1e-6)?, &run).map(drop)
}

fn told(result: Result<impl Sized>) -> String {
    result.err().expect("it is refused").to_string()
}

#[test]
fn a5_numbered_people_without_connections_are_recognised() {
    let (tried, other) = (Tried::new(), Elsewhere::new());
    let outside = tried.outside();
    numbered(tried.folder.path(), 1..300, 0);
    Project::create_known_to(
        tried.folder.path(),
        Some(NUMBERED),
        SecondProject::Refuse,
        Some(&outside),
    )
    .unwrap();
    // Other people under the same numbers are other people.
    numbered(other.0.path(), 1..300, 1);
    other.create(NUMBERED, &outside).unwrap();
    // The same people, declared in another way.
    let same = Elsewhere::new();
    numbered(same.0.path(), 1..300, 0);
    let declared = NUMBERED
        .replace("[people.columns.age]", "[people.columns.income]")
        .replace("high = 100", "high = 150");
    let told = told(same.create(&declared, &outside));
    assert!(told.contains("'numbers'") && told.contains("most of the same people"), "{told}");
}

#[test]
fn a5_numbered_people_are_recognised_by_connections_alone() {
    let (tried, other) = (Tried::new(), Elsewhere::new());
    let outside = tried.outside();
    let make = |folder: &Path, step: u32| {
        let people: String = (0..200).map(|at| format!("{at}\n")).collect();
        let edges: String =
            (0..200).map(|at| format!("{at},{}\n", (at * step + 5) % 200)).collect();
        std::fs::write(folder.join("numbers.csv"), format!("number\n{people}")).unwrap();
        std::fs::write(folder.join("edges.csv"), format!("a,b\n{edges}")).unwrap();
    };
    let text = NUMBERED.split("label =").next().unwrap().to_owned()
        + "\n[[edges]]\nfile = \"edges.csv\"\nsource = \"a\"\ntarget = \"b\"\n";
    make(tried.folder.path(), 7);
    Project::create_known_to(
        tried.folder.path(),
        Some(&text),
        SecondProject::Refuse,
        Some(&outside),
    )
    .unwrap();
    make(other.0.path(), 7);
    let path = other.0.path().join("edges.csv");
    // A later version: some connections are new.
    let edges = std::fs::read_to_string(&path).unwrap() + "3,99\n8,120\n";
    std::fs::write(&path, edges).unwrap();
    assert!(told(other.create(&text, &outside)).contains("the same people"));
    make(other.0.path(), 11);
    other.create(&text, &outside).unwrap();
}

#[test]
fn a5_a_tenth_of_the_people_is_recognised() {
    let (tried, part) = (Tried::new(), Elsewhere::new());
    let outside = tried.outside();
    numbered(tried.folder.path(), 1..1501, 0);
    Project::create_known_to(
        tried.folder.path(),
        Some(NUMBERED),
        SecondProject::Refuse,
        Some(&outside),
    )
    .unwrap();
    numbered(part.0.path(), 400..580, 0);
    assert!(told(part.create(NUMBERED, &outside)).contains("most of the same people"));
    // The same of people with names, among as many others.
    let (named, few) = (Elsewhere::new(), Elsewhere::new());
    shop(named.0.path());
    named.create(TEXT, &outside).unwrap();
    let people: String = (0..60)
        .map(|at| {
            if at < 6 {
                format!("c{at:02},30,north,retail\n")
            } else {
                format!("d{at:02},30,north,retail\n")
            }
        })
        .collect();
    std::fs::write(
        few.0.path().join("customers.csv"),
        format!("customer,age,region,segment\n{people}"),
    )
    .unwrap();
    std::fs::write(few.0.path().join("payments.csv"), "payer,payee\n").unwrap();
    assert!(told(few.create(TEXT, &outside)).contains("some of the same people"));
}

/// `file =` in privet.toml may be changed to another project's table after `init`.
#[test]
fn a5_every_spend_looks_at_other_projects() {
    let (tried, second) = (Tried::new(), Elsewhere::new());
    let outside = tried.outside();
    let first = tried.create(TEXT).unwrap();
    spend(&first, &outside).unwrap();
    let people = "customer,age,region,segment\nx1,30,north,retail\nx2,40,south,business\n";
    std::fs::write(second.0.path().join("customers.csv"), people).unwrap();
    std::fs::write(second.0.path().join("payments.csv"), "payer,payee\n").unwrap();
    second.create(TEXT, &outside).unwrap();
    // Now the declaration names the first project's table.
    let table = tried.folder.path().join("customers.csv");
    let text = TEXT.replace("customers.csv", &table.display().to_string());
    std::fs::write(second.0.path().join(FILE), text).unwrap();
    let edited = Project::open(second.0.path()).unwrap();
    let told = told(spend(&edited, &outside));
    assert!(told.contains("'shop'") && told.contains("a second project would spend"), "{told}");
    assert!(!second.0.path().join(".privet/ledgers/node.ledger").exists(), "nothing is charged");
    // The first goes on.
    spend(&first, &outside).unwrap();
}

/// New people in the tables are remembered when the project spends, and those who left are not forgotten.
#[test]
fn a5_changed_tables_are_remembered() {
    let (tried, other) = (Tried::new(), Elsewhere::new());
    let outside = tried.outside();
    let project = tried.create(TEXT).unwrap();
    let table = |folder: &Path, letter: &str| {
        shop(folder);
        for file in ["customers.csv", "payments.csv"] {
            let text = std::fs::read_to_string(folder.join(file)).unwrap();
            let text =
                text.replace(",c", &format!(",{letter}")).replace("\nc", &format!("\n{letter}"));
            std::fs::write(folder.join(file), text).unwrap();
        }
    };
    table(tried.folder.path(), "n");
    spend(&project, &outside).unwrap();
    for letter in ["n", "c"] {
        table(other.0.path(), letter);
        assert!(told(other.create(TEXT, &outside)).contains("the same people"), "{letter}");
    }
    table(other.0.path(), "o");
    other.create(TEXT, &outside).unwrap();
}

/// Another id in `.privet`, and ledgers that are gone, are no fresh budget.
#[test]
fn a5_a_fresh_id_does_not_bring_a_fresh_budget() {
    let tried = Tried::new();
    let outside = tried.outside();
    spend(&tried.create(TEXT).unwrap(), &outside).unwrap();
    let folder = tried.folder.path().join(".privet");
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("id"), "0123456789abcdef0123456789abcdef\n").unwrap();
    let fresh = Project::open(tried.folder.path()).unwrap();
    let told = told(spend(&fresh, &outside));
    assert!(told.contains("restore .privet"), "{told}");
    assert!(!folder.join("ledgers/node.ledger").exists());
}

/// A user who says so may go on, in a project that is there already too; both may spend then.
#[test]
fn a5_overlaps_that_are_declared_are_taken() {
    let (tried, second) = (Tried::new(), Elsewhere::new());
    let outside = tried.outside();
    let first = tried.create(TEXT).unwrap();
    shop(second.0.path());
    let create = |text, second_project| {
        Project::create_known_to(second.0.path(), text, second_project, Some(&outside))
    };
    assert!(create(Some(TEXT), SecondProject::Refuse).is_err());
    let project = create(Some(TEXT), SecondProject::Allow).unwrap();
    spend(&project, &outside).unwrap();
    spend(&first, &outside).unwrap();
    // A third project is not among those that were declared.
    let third = Elsewhere::new();
    shop(third.0.path());
    assert!(third.create(TEXT, &outside).is_err());
    let people = "customer,age,region,segment\nx1,30,north,retail\nx2,40,south,business\n";
    std::fs::write(third.0.path().join("customers.csv"), people).unwrap();
    std::fs::write(third.0.path().join("payments.csv"), "payer,payee\n").unwrap();
    let changed = third.create(TEXT, &outside).unwrap();
    shop(third.0.path());
    assert!(spend(&changed, &outside).is_err());
    Project::create_known_to(third.0.path(), None, SecondProject::Allow, Some(&outside)).unwrap();
    spend(&changed, &outside).unwrap();
}

#[test]
fn a5_a_release_outside_knows_the_files_of_projects() {
    let tried = Tried::new();
    let outside = tried.outside();
    tried.create(TEXT).unwrap();
    let (root, elsewhere) = (tried.folder.path(), tempfile::tempdir().unwrap());
    let told_of = |path: &Path| told(refuse_file(path, Some(&outside)));
    assert!(told_of(&root.join("customers.csv")).contains("is a table of the project 'shop'"));
    std::fs::write(root.join("other.csv"), "a,b\n").unwrap();
    assert!(told_of(&root.join("other.csv")).contains("lies in the folder of the project"));
    assert!(told_of(root).contains("lies in the folder"));
    #[cfg(unix)]
    {
        let link = elsewhere.path().join("link.csv");
        std::os::unix::fs::symlink(root.join("customers.csv"), &link).unwrap();
        assert!(told_of(&link).contains("is a table"));
    }
    let free = elsewhere.path().join("free.csv");
    std::fs::write(&free, "a,b\n").unwrap();
    refuse_file(&free, Some(&outside)).unwrap();
    // A table that a project declares outside of its folder.
    let second = tempfile::tempdir().unwrap();
    let text = TEXT.replace("customers.csv", &free.display().to_string());
    std::fs::write(&free, "customer,age,region,segment\nx1,30,north,retail\n").unwrap();
    std::fs::write(second.path().join("payments.csv"), "payer,payee\n").unwrap();
    Project::create_known_to(second.path(), Some(&text), SecondProject::Refuse, Some(&outside))
        .unwrap();
    assert!(told_of(&free).contains("is a table"));
}

#[test]
fn a5_a_release_outside_knows_the_people_of_projects() {
    let tried = Tried::new();
    let outside = tried.outside();
    tried.create(TEXT).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let read = |text: &str| {
        let path = elsewhere.path().join("friends.csv");
        std::fs::write(&path, text).unwrap();
        crate::data::read(&path).unwrap().into_nodes().unwrap()
    };
    let some = read("c01,c02\nc02,c03\nc04,x1\nx1,x2\nx2,x3\nx3,x4\nx4,x5\nx5,x6\nx6,x7\n");
    let told = told(refuse_people(&some, Some(&outside)));
    assert!(told.contains("'shop'") && told.contains("some of these people"), "{told}");
    refuse_people(&read("x1,x2\nx2,x3\n"), Some(&outside)).unwrap();
    refuse_people(&some, None).unwrap();
}

/// Sketches of earlier versions are understood, and replaced when the project spends.
#[test]
fn a5_projects_of_earlier_versions_are_recognised() {
    let (tried, other) = (Tried::new(), Elsewhere::new());
    let outside = tried.outside();
    let project = tried.create(TEXT).unwrap();
    let folder = outside.counts(project.id()).unwrap();
    let bytes = std::fs::read(folder.join("people.marks")).unwrap();
    let word = |at: usize| u64::from_le_bytes(bytes[8 * at..8 * at + 8].try_into().unwrap());
    let people: Vec<u64> = (5..5 + word(1) as usize).map(word).collect();
    let sketch = serde_json::json!({ "people": people, "connections": [], "numbered": false });
    let known =
        serde_json::json!({ "name": "shop", "root": tried.folder.path(), "sketch": sketch });
    std::fs::write(folder.join("about.json"), known.to_string()).unwrap();
    std::fs::remove_file(folder.join("people.marks")).unwrap();
    shop(other.0.path());
    assert!(told(other.create(TEXT, &outside)).contains("the same people"));
    spend(&project, &outside).unwrap();
    assert_eq!(std::fs::read(folder.join("people.marks")).unwrap(), bytes);
    assert!(!std::fs::read_to_string(folder.join("about.json")).unwrap().contains("sketch"));
}
