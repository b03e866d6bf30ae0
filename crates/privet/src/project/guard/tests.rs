//! The guard, tried on projects in folders.

use std::path::PathBuf;

use super::super::SecondProject;
use super::super::tests::{TEXT, shop};
use super::*;
use crate::graph::{Direction, FeatureMatrix, Features, GraphBuilder, NodeIds};

/// A project in a folder that is gone at the end of the test.
struct GuardedShop {
    folder: tempfile::TempDir,
    guard: InputGuard,
    people: PeopleReader,
}

impl GuardedShop {
    /// The shop of the other tests; `change` edits its tables and `privet.toml`.
    fn new(text: &str, change: impl Fn(&str) -> String) -> Self {
        let folder = tempfile::tempdir().unwrap();
        shop(folder.path());
        for name in ["customers.csv", "payments.csv"] {
            let path = folder.path().join(name);
            let table = change(&std::fs::read_to_string(&path).unwrap());
            std::fs::write(&path, table).unwrap();
        }
        std::fs::write(folder.path().join("volunteers.csv"), "c05\nc06\n").unwrap();
        let root = folder.path();
        let project =
            Project::create_known_to(root, Some(text), SecondProject::Allow, None).unwrap();
        let people = PeopleReader::new(&project.config().preprocessing()).unwrap();
        Self { guard: InputGuard::of([project]), folder, people }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        std::fs::write(self.path(name), text).unwrap();
        self.path(name)
    }

    fn lines(&self, name: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.path(name)).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    fn is_refused(&self, path: &Path) -> bool {
        let found = self.guard.check_people(&self.people, path, &[Part::Features]);
        assert!(matches!(found, Ok(()) | Err(Error::Refused { .. })), "{found:?}");
        found.is_err()
    }

    /// Whether connections are refused, where these people are known.
    fn refuses_edges(&self, known: &[&str], edges: &str) -> bool {
        let path = self.write("edges.csv", edges);
        let mut interner = IdInterner::default();
        let ids: Vec<String> = known.iter().map(|id| (*id).to_owned()).collect();
        for id in &ids {
            interner.intern(id);
        }
        let table = EdgeTable {
            strangers: crate::data::declared::Strangers::LeaveOut,
            ..EdgeTable::new(path.to_string_lossy(), "a", "b")
        };
        self.guard.read_connections(&table, &interner, &ids).is_err()
    }
}

/// PeopleReader and payments by numbers from 1, as in most tables.
fn numbered(table: &str) -> String {
    let cells = |line: &str| {
        let cell = |cell: &str| match cell.strip_prefix('c').map(str::parse::<u32>) {
            Some(Ok(number)) => (number + 1).to_string(),
            _ => cell.to_owned(),
        };
        line.split(',').map(cell).collect::<Vec<_>>().join(",")
    };
    table.lines().map(|line| cells(line) + "\n").collect()
}

#[test]
fn a1_every_name_of_a_table_is_refused() {
    let shop = GuardedShop::new(TEXT, str::to_owned);
    let [customers, payments] = ["customers.csv", "payments.csv"].map(|name| shop.path(name));
    let elsewhere = tempfile::tempdir().unwrap();
    let copy = elsewhere.path().join("public.csv");
    std::fs::copy(&payments, &copy).unwrap();
    let mut names = vec![customers.clone(), shop.path("../").join(&customers), copy];
    #[cfg(unix)]
    {
        let [link, second] = ["link.csv", "second.csv"].map(|name| elsewhere.path().join(name));
        std::os::unix::fs::symlink(&customers, &link).unwrap();
        std::fs::hard_link(&payments, &second).unwrap();
        names.extend([link, second]);
    }
    for name in names {
        let told = shop.guard.check_tables(&[&name], &ALL_PARTS).unwrap_err().to_string();
        assert!(
            told.contains("a table of the project 'shop'") || told.contains("a copy"),
            "{told}"
        );
    }
    let other = shop.write("other.csv", "payer,payee,amount\nx,y,1\n");
    shop.guard.check_tables(&[other], &ALL_PARTS).unwrap();
}

#[test]
fn a1_one_protected_person_is_enough() {
    let shop = GuardedShop::new(TEXT, str::to_owned);
    let customers = shop.lines("customers.csv");
    let one = shop.write("one.csv", &format!("customer,age,region\nc07,{}\n", "99,south"));
    assert!(shop.is_refused(&one), "an id tells, whatever the record says");
    let last =
        shop.write("last.csv", &format!("{}\nn1,30,north,\n{}\n", customers[0], customers[9]));
    assert!(shop.is_refused(&last));
    let new = shop.write("new.csv", "customer,age,region\nn1,30,north\nn2,40,south\n");
    assert!(!shop.is_refused(&new));
    // Numbers say nothing alone: with their records they do.
    let shop = GuardedShop::new(TEXT, numbered);
    let customers = shop.lines("customers.csv");
    let one = shop.write("one.csv", &format!("{}\n{}\n", customers[0], customers[8]));
    assert!(shop.is_refused(&one));
    let half: Vec<String> = customers.iter().take(30).cloned().collect();
    assert!(shop.is_refused(&shop.write("half.csv", &half.join("\n"))));
}

#[test]
fn a1_numbered_newcomers_are_told_from_protected_people() {
    let shop = GuardedShop::new(TEXT, numbered);
    let new: String = (1..=60).map(|at| format!("{at},{},south\n", 18 + (at * 31) % 80)).collect();
    let new = shop.write("new.csv", &format!("customer,age,region\n{new}"));
    assert!(!shop.is_refused(&new));
}

/// A table without declared columns: names, order and further columns do not matter.
#[test]
fn a1_renamed_and_reordered_columns_are_recognised() {
    let shop = GuardedShop::new(TEXT, numbered);
    let turned: String = shop
        .lines("customers.csv")
        .iter()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            format!("{};x;\"{}\";{}\n", cells[2], cells[1], cells[0])
        })
        .collect();
    let turned = shop.write("turned.txt", &format!("where;more;years;no\n{turned}"));
    assert!(shop.guard.check_files(&[&turned]).is_err());
    let other: String = (1..=60).map(|at| format!("north;x;{};{at}\n", 101 + at)).collect();
    shop.guard.check_files(&[shop.write("other.txt", &other)]).unwrap();
}

#[test]
fn a1_connections_to_protected_people_are_refused() {
    let shop = GuardedShop::new(TEXT, str::to_owned);
    assert!(!shop.refuses_edges(&["n1", "n2"], "a,b\nn1,n2\n"));
    assert!(!shop.refuses_edges(&["n1", "n2"], "a,b\nn1,n2\nn1,c07\n"), "not used, so not read");
    assert!(shop.refuses_edges(&["n1", "n2", "c07"], "a,b\nn1,n2\nn1,c07\n"));
    // Of numbered people, pairs are compared.
    let shop = GuardedShop::new(TEXT, numbered);
    let known = ["1", "2", "9", "10", "23"];
    assert!(shop.refuses_edges(&known, "a,b\n2,9\n"), "the second pays the ninth");
    assert!(!shop.refuses_edges(&known, "a,b\n9,10\n10,23\n1,9\n"));
}

#[test]
fn a1_only_hidden_parts_are_guarded() {
    let text = TEXT.replace("[\"people\"]", "[\"connections\"]");
    let shop = GuardedShop::new(&text, str::to_owned);
    let customers = shop.path("customers.csv");
    assert!(!shop.is_refused(&customers), "features are public here");
    assert!(shop.refuses_edges(&["c01", "c02"], "a,b\nc01,c02\n"));
    assert!(shop.guard.check_files(&[shop.path("payments.csv")]).is_err());
    assert!(shop.guard.protects(Part::Edges) && !shop.guard.protects(Part::Labels));
}

#[test]
fn a1_volunteers_are_declared() {
    let text = TEXT.replace("name = \"shop\"", "name = \"shop\"\nvolunteers = \"volunteers.csv\"");
    let shop = GuardedShop::new(&text, str::to_owned);
    let both = shop.write("both.csv", "customer,age,region\nc05,30,north\nc06,40,south\n");
    assert!(!shop.is_refused(&both));
    let more = shop.write("more.csv", "customer,age,region\nc05,30,north\nc07,40,south\n");
    assert!(shop.is_refused(&more));
    assert!(!shop.refuses_edges(&["c05", "c06"], "a,b\nc05,c06\n"));
    assert!(shop.refuses_edges(&["c05", "c07"], "a,b\nc05,c07\n"), "it is about both");
}

/// Data in memory, as Python has it.
#[test]
fn a1_data_in_memory_is_compared() {
    let shop = GuardedShop::new(TEXT, numbered);
    let of = |ids: NodeIds, pairs: &[(u32, u32)]| {
        let builder = GraphBuilder::new(ids.len(), Direction::Undirected);
        let graph = builder.edges(pairs.iter().copied()).build().unwrap().0;
        Dataset::new("lent", graph, ids).unwrap()
    };
    let sequential = || NodeIds::sequential(60);
    assert!(shop.guard.check_dataset(&of(sequential(), &[(2, 9)])).is_err());
    shop.guard.check_dataset(&of(sequential(), &[(2, 10), (3, 11)])).unwrap();
    let shop = GuardedShop::new(TEXT, str::to_owned);
    let ids = || NodeIds::texts(["n1", "c07"]).unwrap();
    shop.guard.check_dataset(&of(ids(), &[])).unwrap();
    let rows = FeatureMatrix::Dense(crate::graph::DenseMatrix::zeros(2, 1));
    let data = of(ids(), &[]).with_features(Features::new(rows)).unwrap();
    assert!(shop.guard.check_dataset(&data).is_err());
}
