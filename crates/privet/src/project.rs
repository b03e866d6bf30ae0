//! [`Project`]: data about people, and one budget that belongs to them.
//!
//! A ledger beside an output knows what that output cost. A custodian who makes two outputs from the same people has two ledgers,
//! and neither knows of the other. A project is a folder around data that stay where they are:
//!
//! ```text
//! privet.toml            what is what: tables, declared ranges, who is protected, the whole budget   [`config`]
//! .privet/id             the project's name for itself
//! .privet/ledgers/       one account a unit, all under one limit                                     [`accounts`]
//! .privet/releases.jsonl what came of each charge: when, by which command, where it went             [`history`]
//! .privet/forgotten      keyed hashes of people whose records are no longer read (`forgotten.rs`)
//! ```
//! Every command inside (as git finds its folder) spends from it. What is known outside of the folder ([`outside`])
//! notices a folder that was restored from an older copy, and a second project about the same people.
//!
//! ```text
//! Project::find --> Project --dataset--> Dataset          as declared, without people who were removed
//!                           --spend----> LedgerStore      for a Run: the project's lock is held
//!                           --status---> Status           what was spent, what is left, what came of it
//! ```

pub mod accounts;
pub mod config;
pub mod draft;
pub mod evaluate;
mod forgotten;
pub mod guard;
pub mod history;
pub mod outside;
mod predict;
pub mod status;
pub mod train;
pub mod tune;

use std::path::{Path, PathBuf};

pub use accounts::{Balance, Entries, ProjectLedgers};
pub use config::{Config, Protects, TrustModel};
pub use draft::{Draft, DraftColumn, DraftGraphs};
pub use evaluate::Evaluation;
pub use guard::InputGuard;
pub use history::Past;
use outside::Outside;
pub use outside::elsewhere;
pub use status::ProjectStatus;
pub use train::{ChosenMethod, PreparedTraining};
pub use tune::TuningOutcome;

use crate::data::formats::Limits;
use crate::graph::{Dataset, Graph, NodeId};
use crate::privacy::fault::{self, Fault};
use crate::privacy::unit::DataPart;
use crate::{Error, LedgerStore, Result};

/// A project on disk.
#[derive(Debug, Clone)]
pub struct Project {
    root: PathBuf,
    id: String,
    config: Config,
    /// What is known outside, if there is a place for it.
    outside: Option<PathBuf>,
}

/// What is written down about data.
pub const FILE: &str = "privet.toml";
/// What a project keeps for itself.
const FOLDER: &str = ".privet";

impl Project {
    /// The project that a folder is in: its own, or that of the nearest folder above.
    ///
    /// # Errors
    /// If there is one that cannot be read.
    pub fn find(from: &Path) -> Result<Option<Self>> {
        let from = std::path::absolute(from).map_err(|error| Error::file(from, error))?;
        let root = from.ancestors().find(|folder| folder.join(FILE).is_file());
        root.map(Self::open).transpose()
    }

    /// The project of a folder.
    ///
    /// # Errors
    /// If it is none, or its file makes no sense.
    pub fn open(root: &Path) -> Result<Self> {
        let config = Config::read(&root.join(FILE))?;
        let path = root.join(FOLDER).join("id");
        let id = std::fs::read_to_string(&path).map_err(|error| {
            Error::file(
                &path,
                format!("{error}: `privet init --here` makes a project of a {FILE} that is there"),
            )
        })?;
        let id = id.trim().to_owned();
        if id.len() != 32 || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(Error::file(&path, "not the id of a project: 32 hexadecimal digits"));
        }
        Ok(Self { root: root.into(), id, config, outside: Outside::folder() })
    }

    /// Makes a project of a folder: `text` is what `privet.toml` shall say, or nothing if it is there already.
    /// The data are read once, to see that they are as declared and whether another project is about the same people.
    /// Without a text, [`SecondProject::Allow`] in a folder that is a project lets it spend beside the projects that
    /// hold some of its people now.
    ///
    /// # Errors
    /// If there is a project already, the text makes no sense, the data are not as declared, or another project is about
    /// the same people and the caller did not say to go on.
    pub fn create(root: &Path, text: Option<&str>, second: SecondProject) -> Result<Self> {
        Self::create_known_to(root, text, second, Outside::here()?.as_ref())
    }

    fn create_known_to(
        root: &Path,
        text: Option<&str>,
        second: SecondProject,
        outside: Option<&Outside>,
    ) -> Result<Self> {
        let (file, folder) = (root.join(FILE), root.join(FOLDER));
        if let (None, SecondProject::Allow, true) = (text, second, folder.join("id").exists()) {
            let outside_of = outside.map(|outside| outside.path().to_owned());
            let project = Self { outside: outside_of, ..Self::open(root)? };
            project.admit(outside, second)?;
            return Ok(project);
        }
        for (path, there) in [(&folder, folder.exists()), (&file, text.is_some() && file.exists())]
        {
            if there {
                let message = format!("{}: refused: there is a project already", path.display());
                return Err(Error::Refused {
                    message,
                    remedy: "spend from it, or name another folder",
                });
            }
        }
        if let Some(above) = root.ancestors().skip(1).find(|folder| folder.join(FILE).is_file()) {
            let message = format!(
                "{}: refused: it is inside of the project {}",
                root.display(),
                above.display()
            );
            return Err(Error::Refused { message, remedy: "name a folder outside of it" });
        }
        let config = match text {
            Some(text) => Config::parse(text, &file)?,
            None => Config::read(&file)?,
        };
        let mut id = [0u8; 16];
        getrandom::fill(&mut id).map_err(|error| Error::file(&folder, error))?;
        let id: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
        let outside_of = outside.map(|outside| outside.path().to_owned());
        let project = Self { root: root.into(), id, config, outside: outside_of };
        project.dataset()?;
        project.admit(outside, second)?;
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error| Error::file(&path, error)
        };
        std::fs::create_dir_all(folder.join("ledgers")).map_err(failed(&folder))?;
        if let Some(text) = text {
            std::fs::write(&file, text).map_err(failed(&file))?;
        }
        // The id last: without it the folder is no project.
        std::fs::write(folder.join("id"), format!("{}\n", project.id)).map_err(failed(&folder))?;
        Ok(project)
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The project's name for itself.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What `privet.toml` says.
    pub fn config(&self) -> &Config {
        &self.config
    }

    fn folder(&self) -> PathBuf {
        self.root.join(FOLDER)
    }

    fn ledgers(&self) -> PathBuf {
        self.folder().join("ledgers")
    }

    /// An account, by the name that cards have for it.
    pub fn ledger(&self, name: &str) -> PathBuf {
        self.ledgers().join(name)
    }

    /// The accounts, to spend from: no other process does while they are held.
    ///
    /// # Errors
    /// If another process does, or another project holds some of the same people.
    pub fn spend(&self) -> Result<LedgerStore> {
        Ok(LedgerStore::Project(Box::new(self.ledgers_known_to(Outside::here()?.as_ref())?)))
    }

    fn ledgers_known_to(&self, outside: Option<&Outside>) -> Result<ProjectLedgers> {
        self.admit(outside, SecondProject::Refuse)?;
        if let Some(outside) = outside {
            self.hash_forgotten(outside)?;
        }
        ProjectLedgers::lock(self.ledgers(), self.counts(outside)?, &self.config)
    }

    /// Compares the people in the tables as they are now with those of all other projects, and remembers them: tables
    /// change after a project was made.
    fn admit(&self, outside: Option<&Outside>, second: SecondProject) -> Result<()> {
        let Some(outside) = outside else { return Ok(()) };
        let people = self.marks(outside)?;
        outside.admit(&self.id, &self.config.project.name, &self.root, people, second)
    }

    /// Marks of everyone in the tables, whether or not their records are read.
    fn marks(&self, outside: &Outside) -> Result<outside::PeopleMarks> {
        let mut marker = outside.marker()?;
        let (people, schema) = (&self.config.people, self.config.schema());
        let mut declared: Vec<&str> = people.columns.iter().map(|(name, _)| name).collect();
        declared.extend(people.label.as_deref());
        declared.sort_unstable();
        declared.dedup();
        let path = self.root.join(&people.file);
        marker.table(&path, people.table.as_deref(), &people.id, &declared)?;
        // Connections tell apart what numbers do not.
        let tables = if marker.has_numbers() { &schema.edges[..] } else { &[] };
        for table in tables {
            let path = self.root.join(&table.file);
            marker.connections(&path, table.table.as_deref(), [&table.source, &table.target])?;
        }
        Ok(marker.finish())
    }

    /// What is known outside of the folder.
    fn outside(&self) -> Result<Option<Outside>> {
        self.outside.clone().map(Outside::at).transpose()
    }

    fn counts(&self, outside: Option<&Outside>) -> Result<Option<PathBuf>> {
        outside.map(|outside| outside.counts(&self.id)).transpose()
    }

    /// What every account says.
    ///
    /// # Errors
    /// If one cannot be read, or has lost charges that are known elsewhere.
    pub fn balances(&self) -> Result<Vec<Balance>> {
        self.balances_known_to(Outside::here()?.as_ref())
    }

    fn balances_known_to(&self, outside: Option<&Outside>) -> Result<Vec<Balance>> {
        accounts::balances(&self.config, &self.ledgers(), self.counts(outside)?.as_deref())
    }

    /// The data as declared, without people who were removed.
    ///
    /// # Errors
    /// If a table cannot be read, or is not as declared.
    pub fn dataset(&self) -> Result<Dataset> {
        let dataset = self.config.schema().read(&self.root, &Limits::default())?;
        let dataset = dataset.with_name(&self.config.project.name);
        let forgotten = self.forgotten()?;
        if forgotten.len() == 0 || fault::on(Fault::ForgottenRead) {
            return Ok(dataset);
        }
        let gone = |node: &NodeId| forgotten.has(&dataset.ids().get(*node).to_string());
        let stay: Vec<NodeId> = dataset.graph().nodes().filter(|node| !gone(node)).collect();
        Ok(dataset.induced(&stay)?)
    }

    /// The data with private parts that are about to be randomised, and whatever is public: other private parts are
    /// left out.
    ///
    /// # Errors
    /// As for [`dataset`](Self::dataset).
    pub fn dataset_for(&self, parts: &[DataPart]) -> Result<Dataset> {
        let whole = self.dataset()?;
        let all = fault::on(Fault::HiddenPartsHandedOut);
        let shown = |part: DataPart| all || parts.contains(&part) || !self.hides(part);
        let graph = match shown(DataPart::Edges) {
            true => whole.graph().clone(),
            false => Graph::empty(whole.graph().node_count(), whole.graph().direction())?,
        };
        let (origin, name) = (whole.ids_origin(), whole.name().to_owned());
        let mut dataset = Dataset::new(name, graph, whole.ids().clone())?.with_ids_origin(origin);
        if let Some(features) = whole.features().filter(|_| shown(DataPart::Features)) {
            dataset = dataset.with_features(features.clone())?;
        }
        if let Some(labels) = whole.labels().filter(|_| shown(DataPart::Labels)) {
            dataset = dataset.with_labels(labels.clone())?;
        }
        Ok(dataset)
    }

    /// Whether a part of the data is private here.
    pub fn hides(&self, part: DataPart) -> bool {
        let config = &self.config;
        let of_part = match part {
            DataPart::Features => config.protects(Protects::Features),
            DataPart::Labels => config.protects(Protects::Labels),
            DataPart::Edges => {
                config.protects(Protects::Connections) || config.protects(Protects::Contacts)
            }
        };
        of_part || config.protects(Protects::People)
    }

    /// Whether a file is one of the tables.
    pub fn reads(&self, path: &Path) -> bool {
        let same = |a: &Path, b: &Path| {
            a.canonicalize().ok().zip(b.canonicalize().ok()).is_some_and(|(a, b)| a == b)
        };
        let config = &self.config;
        let tables = config.edges.iter().map(|table| &table.file).chain([&config.people.file]);
        let tables = tables.chain(config.graphs.iter().map(|table| &table.file));
        tables.into_iter().any(|file| same(&self.root.join(file), path))
    }

    /// Whether an id is set aside for testing: a hash of it decides, so that it stays so in every version of the data.
    pub fn is_test(&self, id: &str) -> bool {
        hashed("privet test ", id) < self.config.test.share
    }

    /// Whether a link is, by the ids of its ends in their order.
    pub fn is_test_link(&self, ends: &[String; 2]) -> bool {
        hashed("privet test link ", &ends.join("\n")) < self.config.test.share
    }
}

/// A number from 0 to 1 that an id decides, for a purpose.
fn hashed(purpose: &str, id: &str) -> f64 {
    use sha2::{Digest, Sha256};
    let hash = Sha256::new().chain_update(purpose).chain_update(id).finalize();
    f64::from(u32::from_le_bytes([hash[0], hash[1], hash[2], hash[3]]))
        / (f64::from(u32::MAX) + 1.0)
}

/// What is done about another project on the same people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecondProject {
    /// None is made: their budgets would add up, and neither would know of the other.
    Refuse,
    /// It is made all the same.
    Allow,
}

#[cfg(test)]
mod tests;
