//! [`InputGuard`]: no command reads a protected person's record as if it were public.
//!
//! A project charges for what its own commands read. An argument that names a file goes around that: `privet evaluate
//! --public customers.csv` would count private people exactly and write nothing into a ledger. So every file and dataset
//! that an argument brings is compared here with the tables of every project that may hold the same people: the project
//! of the current folder, those that the model and the files lie in, and all others that this machine knows of
//! ([`outside`](super::outside)).
//!
//! | compared | protected if |
//! |---|---|
//! | the file | it is a table of a project by path (links followed), by device and inode, or byte for byte |
//! | an id that tells | one such id is in the tables. Texts tell, and numbers of which fewer than one in 1,000 is in use |
//! | other numbers | id and record agree more often than [chance] explains: 1, 2, 3 are in every table |
//! | a connection | an id that tells is at one end; of other numbers, pairs agree more often than chance explains |
//!
//! One person is enough for a refusal, because an exact count about one person is that person's truth. Only parts that a
//! project hides count ([`Project::hides`]): where features are public, answers may be made from them. People who agreed
//! that their own records may be looked at are declared in `privet.toml` (`project.volunteers`).
//!
//! **Not noticed:** records about numbered people whose values were edited or left out; people under other ids; a project
//! that this machine does not know, or whose tables moved away. The comparison keeps a custodian from mistakes; a custodian who
//! holds the raw tables and wants to go around it can.

pub mod chance;
mod file;
mod people;
mod read;
mod table;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use self::chance::ChanceTest;
use self::people::ProtectedPeople;
pub use self::table::GuardedBatches;
use self::table::PeopleCheck;
use super::Project;
use super::outside::Outside;
use crate::data::declared::{EdgeTable, PeopleReader, TableCell};
use crate::data::formats::Limits;
use crate::graph::files::is_standard;
use crate::graph::{Dataset, FeatureMatrix, Id, IdInterner, LoadedData, NodeId};
use crate::privacy::fault::{self, Fault};
use crate::privacy::unit::DataPart;
use crate::{Error, Result};

/// All parts of a record.
pub const ALL_PARTS: [DataPart; 3] = [DataPart::Features, DataPart::Labels, DataPart::Edges];

/// How many people are compared at a time.
const BATCH: usize = 8192;

/// The projects whose people must not be read without a charge.
#[derive(Debug, Default)]
pub struct InputGuard {
    projects: Vec<GuardedProject>,
}

/// A project, and its people once they were needed.
#[derive(Debug)]
struct GuardedProject {
    project: Project,
    /// Whether the current folder, the model or an input lies in it. Its tables must be readable; those of a project
    /// elsewhere may have moved away.
    is_near: bool,
    people: OnceLock<Option<ProtectedPeople>>,
}

impl InputGuard {
    /// The guard of inputs in these places (models, files), and of the current folder.
    ///
    /// # Errors
    /// If a project that one of them lies in cannot be read.
    pub fn around<'a>(places: impl IntoIterator<Item = &'a Path>) -> Result<Self> {
        let mut guard = Self::default();
        let current =
            std::env::current_dir().map_err(|error| Error::file(Path::new("."), error))?;
        guard.add(Project::find(&current)?, true);
        for place in places.into_iter().filter(|place| !is_standard(place)) {
            // A link lies in one folder and leads to another: both may belong to a project.
            guard.add(Project::find(place)?, true);
            if let Ok(real) = place.canonicalize() {
                guard.add(Project::find(&real)?, true);
            }
        }
        // Projects elsewhere on this machine are asked as well: a copy of their tables may lie
        // anywhere.
        if let Some(folder) = Outside::folder().filter(|folder| folder.is_dir()) {
            for root in Outside::at(folder)?.roots().iter().filter(|root| root.is_absolute()) {
                guard.add(Project::open(root).ok(), false);
            }
        }
        Ok(guard)
    }

    /// The guard of some projects and no others.
    pub fn of(projects: impl IntoIterator<Item = Project>) -> Self {
        let mut guard = Self::default();
        projects.into_iter().for_each(|project| guard.add(Some(project), true));
        guard
    }

    fn add(&mut self, found: Option<Project>, is_near: bool) {
        let Some(project) = found else { return };
        // Links are resolved, so that one project is asked once.
        let place = |project: &Project| {
            project.root().canonicalize().unwrap_or_else(|_| project.root().into())
        };
        if !self.projects.iter().any(|known| place(&known.project) == place(&project)) {
            self.projects.push(GuardedProject { project, is_near, people: OnceLock::new() });
        }
    }

    /// Whether there is no project to compare with.
    pub fn is_empty(&self) -> bool {
        self.projects.is_empty()
    }

    /// Whether a project protects this part of the records.
    pub fn protects(&self, part: DataPart) -> bool {
        self.projects.iter().any(|guarded| guarded.project.hides(part))
    }

    /// Refuses files that are tables with hidden parts, or copies of them.
    ///
    /// # Errors
    /// If one is.
    pub fn check_tables<P: AsRef<Path>>(&self, files: &[P], parts: &[DataPart]) -> Result<()> {
        self.check_tables_of(files, parts, |_| true)
    }

    fn check_tables_of<P: AsRef<Path>>(
        &self,
        files: &[P],
        parts: &[DataPart],
        counts: impl Fn(&Project) -> bool,
    ) -> Result<()> {
        let all = self.pairs_of(files).filter(|(_, guarded)| counts(&guarded.project));
        for (path, GuardedProject { project, .. }) in all {
            for (table, held) in project.tables() {
                // A table whose parts are all public, or not read by this command, may be read.
                if !held.iter().any(|part| parts.contains(part) && project.hides(*part)) {
                    continue;
                }
                // The same file under another path, then another file with the same content.
                if file::is_same(&table, path) {
                    return Err(refused(path, project, "it is a table"));
                }
                if file::has_same_bytes(&table, path) {
                    return Err(refused(path, project, "it is a copy of a table"));
                }
            }
        }
        Ok(())
    }

    fn pairs_of<'a, P: AsRef<Path>>(
        &'a self,
        files: &'a [P],
    ) -> impl Iterator<Item = (&'a Path, &'a GuardedProject)> {
        let on = !fault::on(Fault::InputNotGuarded);
        let files = files.iter().map(AsRef::as_ref).filter(move |path| on && !is_standard(path));
        files.flat_map(|path| self.projects.iter().map(move |project| (path, project)))
    }

    /// Refuses files for commands that have no declaration of columns: tables and copies of them, and texts with the
    /// records of numbered people, whatever their columns are called and in whatever order they stand.
    ///
    /// # Errors
    /// If a file is or holds protected records, or cannot be read.
    pub fn check_files<P: AsRef<Path>>(&self, files: &[P]) -> Result<()> {
        self.check_tables(files, &ALL_PARTS)?;
        for people in self.hiding(&[DataPart::Features, DataPart::Labels])? {
            for path in files.iter().map(AsRef::as_ref).filter(|path| path.is_file()) {
                if file::holds_records(path, people)? {
                    return Err(people.refused(path, RECORDS));
                }
            }
        }
        Ok(())
    }

    /// The same for features and labels from files of their own, which are attached to people by their ids. The people may be
    /// known from something released, so that the ids in the file itself are compared.
    ///
    /// # Errors
    /// As for [`check_files`](Self::check_files).
    pub fn check_attached<P: AsRef<Path>>(&self, files: &[P]) -> Result<()> {
        self.check_files(files)?;
        for people in self.hiding(&[DataPart::Features, DataPart::Labels])? {
            for path in files.iter().map(AsRef::as_ref).filter(|path| path.is_file()) {
                if file::holds_ids(path, people)? {
                    return Err(people.refused(path, RECORDS));
                }
            }
        }
        Ok(())
    }

    /// Refuses data that was read, or is in memory: by its ids, by connections and by rows of numbers.
    ///
    /// # Errors
    /// If it holds protected records.
    pub fn check_loaded(&self, loaded: &LoadedData) -> Result<()> {
        match loaded {
            LoadedData::Nodes(dataset) => self.check_dataset(dataset),
            // Its ids are those of graphs; who is in them is not kept.
            LoadedData::Graphs(_) => Ok(()),
        }
    }

    /// The same for one graph.
    ///
    /// # Errors
    /// As for [`check_loaded`](Self::check_loaded).
    pub fn check_dataset(&self, dataset: &Dataset) -> Result<()> {
        let held = [
            (DataPart::Features, dataset.features().is_some()),
            (DataPart::Labels, dataset.labels().is_some()),
            (DataPart::Edges, dataset.graph().edge_count() > 0),
        ];
        let held: Vec<DataPart> = held.iter().filter(|part| part.1).map(|part| part.0).collect();
        let name = Path::new(dataset.name());
        for people in self.hiding(&held)? {
            if dataset.ids().iter().any(|id| people.is_told_by(id)) {
                return Err(people.refused(name, RECORDS));
            }
            if people.hides(DataPart::Edges) {
                let ends = |(u, v)| [dataset.ids().get(u), dataset.ids().get(v)];
                people.check_pairs(dataset.graph().edges().map(ends), name)?;
            }
            // Only dense rows are compared: sparse ones rarely have the shape of a declared table.
            let rows = dataset.features().map(|features| features.matrix());
            let Some(FeatureMatrix::Dense(rows)) = rows else { continue };
            if !(people.hides(DataPart::Features) && people.fits_width(rows.columns())) {
                continue;
            }
            let mut chance = ChanceTest::default();
            for node in dataset.graph().nodes() {
                let cells: Vec<u64> =
                    rows.row(node as usize).iter().map(|&x| TableCell::fingerprint_of(x)).collect();
                people.compare(dataset.ids().get(node), cells, &mut chance);
            }
            // Single equal records occur by chance; more than chance explains are a copy.
            if chance.is_beyond_chance(1) {
                return Err(people.refused(name, RECORDS));
            }
        }
        Ok(())
    }

    /// Opens a table of people of whom these parts are read. A file is compared as a whole before anything of it is handed
    /// out; standard input can be read once only, so each batch is compared before it is handed out.
    ///
    /// # Errors
    /// If the file holds protected people, cannot be read, or lacks a declared column; each batch may fail, too.
    pub fn open_people<'a>(
        &'a self,
        people: &'a PeopleReader,
        path: &Path,
        rows_per_batch: usize,
        parts: &[DataPart],
    ) -> Result<GuardedBatches<'a>> {
        let open = || people.batches(path, rows_per_batch, &Limits::default());
        match is_standard(path) {
            false => {
                self.check_people(people, path, parts)?;
                Ok(GuardedBatches::new(open()?, None))
            }
            // Standard input cannot be read twice: it is checked while it is used, and stopped if
            // it must be.
            true => {
                let check = PeopleCheck::new(self, path, parts)?;
                Ok(GuardedBatches::new(open()?.with_fingerprints(), Some(check)))
            }
        }
    }

    /// Compares a table of people with the protected ones, and hands nothing out.
    ///
    /// # Errors
    /// As for [`open_people`](Self::open_people).
    pub fn check_people(
        &self,
        people: &PeopleReader,
        path: &Path,
        parts: &[DataPart],
    ) -> Result<()> {
        self.check_tables(&[path], parts)?;
        let mut check = PeopleCheck::new(self, path, parts)?;
        if check.is_idle() {
            return Ok(());
        }
        let batches = people.batches(path, BATCH, &Limits::default())?.with_fingerprints();
        for batch in batches {
            check.see(&batch?)?;
        }
        check.decide()
    }

    /// Reads a table of connections among known people, whose ids these are. Records about any other person are not used, and
    /// not compared.
    ///
    /// # Errors
    /// If a record leads to a protected person, or the table cannot be read.
    pub fn read_connections(
        &self,
        table: &EdgeTable,
        known: &IdInterner,
        ids: &[String],
    ) -> Result<Vec<[NodeId; 2]>> {
        self.read_pairs(None, table, known, ids)
    }

    /// The same for connections that `paying` is charged for: its own people may be at their ends, and its own table of
    /// connections may be named. Those of all other projects are refused as before.
    ///
    /// # Errors
    /// As for [`read_connections`](Self::read_connections).
    pub(crate) fn read_charged_connections(
        &self,
        paying: &Project,
        table: &EdgeTable,
        known: &IdInterner,
        ids: &[String],
    ) -> Result<Vec<[NodeId; 2]>> {
        self.read_pairs(Some(paying), table, known, ids)
    }

    fn read_pairs(
        &self,
        paying: Option<&Project>,
        table: &EdgeTable,
        known: &IdInterner,
        ids: &[String],
    ) -> Result<Vec<[NodeId; 2]>> {
        let pays = |project: &Project| {
            let any = fault::on(Fault::OtherProjectsPaidFor);
            paying.is_some_and(|paying| any || paying.id() == project.id())
        };
        let path = Path::new(&table.file);
        self.check_tables_of(&[path], &[DataPart::Edges], |project| !pays(project))?;
        let pairs = table.read_pairs(Path::new(""), known, &Limits::default())?;
        for people in self.hiding_of(&[DataPart::Edges], |project| !pays(project))? {
            let ends = |pair: &[NodeId; 2]| pair.map(|node| Id::parse(&ids[node as usize]));
            people.check_pairs(pairs.iter().map(ends), path)?;
        }
        Ok(pairs)
    }

    /// The people of projects that hide one of these parts.
    fn hiding(&self, parts: &[DataPart]) -> Result<Vec<&ProtectedPeople>> {
        self.hiding_of(parts, |_| true)
    }

    fn hiding_of(
        &self,
        parts: &[DataPart],
        counts: impl Fn(&Project) -> bool,
    ) -> Result<Vec<&ProtectedPeople>> {
        let mut found = Vec::new();
        if fault::on(Fault::InputNotGuarded) {
            return Ok(found);
        }
        for guarded in self.projects.iter().filter(|guarded| counts(&guarded.project)) {
            if parts.iter().any(|&part| guarded.project.hides(part)) {
                found.extend(guarded.people()?);
            }
        }
        Ok(found)
    }
}

impl GuardedProject {
    fn people(&self) -> Result<Option<&ProtectedPeople>> {
        if let Some(known) = self.people.get() {
            return Ok(known.as_ref());
        }
        // Tables are read once for all checks of a command.
        let read = match (ProtectedPeople::read(&self.project), self.is_near) {
            (Ok(people), _) => Some(people),
            (Err(error), true) => return Err(error),
            // A project elsewhere whose tables are gone has nothing to compare with.
            (Err(_), false) => None,
        };
        Ok(self.people.get_or_init(|| read).as_ref())
    }
}

impl Project {
    /// Its tables, and which parts of people they hold. Classes of graphs are about no person.
    fn tables(&self) -> Vec<(PathBuf, &'static [DataPart])> {
        let at = |file: &str| self.root().join(file);
        let people = (at(&self.config().people.file), &[DataPart::Features, DataPart::Labels][..]);
        let edges =
            self.config().edges.iter().map(|table| (at(&table.file), &[DataPart::Edges][..]));
        std::iter::once(people).chain(edges).collect()
    }
}

/// What a refused input holds.
const RECORDS: &str = "it holds records of people";
const CONNECTIONS: &str = "it holds connections of people";

/// A refusal that names no person and no value.
fn refused(path: &Path, project: &Project, what: &str) -> Error {
    refused_by_name(path, &project.config().project.name, what)
}

fn refused_by_name(path: &Path, project: &str, what: &str) -> Error {
    let message = format!(
        "{}: refused: {what} of the project '{project}', and this command would read them without a charge",
        path.display()
    );
    Error::Refused {
        message,
        remedy: "name data about other people, or use a command of the project that charges its budget (privet train, \
                 evaluate or predict with an epsilon, protect or publish without an input); people who agreed to be looked at are \
                 declared by volunteers in privet.toml",
    }
}

#[cfg(test)]
mod tests {
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
            let found = self.guard.check_people(&self.people, path, &[DataPart::Features]);
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
        let new: String =
            (1..=60).map(|at| format!("{at},{},south\n", 18 + (at * 31) % 80)).collect();
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
        assert!(
            !shop.refuses_edges(&["n1", "n2"], "a,b\nn1,n2\nn1,c07\n"),
            "not used, so not read"
        );
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
        assert!(shop.guard.protects(DataPart::Edges) && !shop.guard.protects(DataPart::Labels));
    }

    #[test]
    fn a1_volunteers_are_declared() {
        let text =
            TEXT.replace("name = \"shop\"", "name = \"shop\"\nvolunteers = \"volunteers.csv\"");
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
}
