//! [`Device`]: a person's own side of local privacy. It holds what the person alone knows, shows what is asked and what it
//! costs, keeps the person's own account, and lets one report per task leave.
//!
//! ```text
//! .privet-device/
//!   device.json         what all answers together may cost, over a lifetime
//!   features.ledger     one account a kind of answer: charged and on disk before noise is drawn
//!   label.ledger        (features and label are parts of one record, and share the budget)
//!   contacts.ledger
//!   answers/NAME.report the bytes that were sent, or will be: any retry sends the same bytes
//! ```
//! A report that was drawn is remembered before it can leave, and the same bytes are sent whenever the task is answered
//! again: whoever asks a hundred times gets one report a hundred times, and cannot average noise away.
//!
//! ```
//! use privet::device::{Device, Mine};
//! use privet::protocol::{Asks, LabelAsked, SigningKey, Task, Universe};
//! # let place = tempfile::tempdir()?;
//! let label = LabelAsked { question: "Ill?".into(), classes: vec!["no".into(), "yes".into()], epsilon: 1.0 };
//! let task = Task {
//!     title: "Winter".into(),
//!     purpose: "How many people were ill".into(),
//!     contact: "study@example.org".into(),
//!     people: Universe::of(["ann", "bob", "eve"]),
//!     asks: Asks { label: Some(label), ..Asks::default() },
//!     until: None,
//! };
//! let sealed = SigningKey::from_bytes(&[7; 32]).seal(&task)?; // the collector's side
//!
//! let device = Device::create(&place.path().join("mine"), 2.0)?; // epsilon 2 in all, for everything, for ever
//! let mine = Mine { label: Some(1), ..Mine::default() };
//! let first = device.answer(&sealed, 1, &mine)?;
//! let again = device.answer(&sealed, 1, &mine)?;
//! assert_eq!((first.report == again.report, again.again), (true, true));
//! assert_eq!(device.spent()?.record, 1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::graph::{DenseMatrix, Features, Graph, Labels, NodeId};
use crate::privacy::ledger::{Contents, spent};
use crate::privacy::noise::NoiseRng;
use crate::privacy::{Epsilon, Ledger, Loss, Secret, Unit};
use crate::protocol::{Asked, Report, SealedTask, TaskName};
use crate::{Error, Noise, Result};

/// A person's device.
#[derive(Debug)]
pub struct Device {
    folder: PathBuf,
    about: AboutDevice,
}

/// What a device knows about itself.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AboutDevice {
    /// What all answers together may cost.
    lifetime_epsilon: f64,
}

/// What the person holds. It never leaves as it is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mine {
    /// A number for every column that is asked.
    pub features: Option<Vec<f32>>,
    /// The number of the right class.
    pub label: Option<u32>,
    /// The places of contacts among those who can take part.
    pub contacts: Option<Vec<NodeId>>,
}

/// What is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The task it is for.
    pub task: TaskName,
    /// The bytes.
    pub report: Vec<u8>,
    /// Whether they were drawn before, and remembered.
    pub again: bool,
}

/// What answers have cost the person so far.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spent {
    /// What the person's record lost: features and label together.
    pub record: f64,
    /// What each entry of the person's list of contacts lost.
    pub contacts: f64,
    /// What each of the two may lose.
    pub lifetime: f64,
}

const ABOUT: &str = "device.json";
const FEATURES: &str = "features";
const LABEL: &str = "label";
const CONTACTS: &str = "contacts";

impl Device {
    /// A new device in a folder, whose answers may cost so much in all.
    ///
    /// # Errors
    /// If there is one already, or the budget is none.
    pub fn create(folder: &Path, lifetime_epsilon: f64) -> Result<Self> {
        Error::unless(
            lifetime_epsilon > 0.0 && lifetime_epsilon <= crate::doubts::LARGEST_EPSILON,
            "lifetime budget",
            lifetime_epsilon,
            "an epsilon above 0, up to 20",
        )?;
        let path = folder.join(ABOUT);
        if path.exists() {
            let message = format!("{}: refused: there is a device already", folder.display());
            return Err(Error::Refused { message, remedy: "open it, or name another folder" });
        }
        let answers = folder.join("answers");
        std::fs::create_dir_all(&answers).map_err(|error| Error::file(&answers, error))?;
        let about = AboutDevice { lifetime_epsilon };
        let text = serde_json::to_vec(&about).map_err(|error| Error::file(&path, error))?;
        write_whole(&path, &text)?;
        Ok(Self { folder: folder.into(), about })
    }

    /// The device of a folder.
    ///
    /// # Errors
    /// If there is none.
    pub fn open(folder: &Path) -> Result<Self> {
        let path = folder.join(ABOUT);
        let text = std::fs::read(&path).map_err(|error| Error::file(&path, error))?;
        let about = serde_json::from_slice(&text).map_err(|error| Error::file(&path, error))?;
        Ok(Self { folder: folder.into(), about })
    }

    /// The person's report for a task: drawn once, charged before that, remembered, and the same bytes ever after.
    ///
    /// # Errors
    /// If the task is not what its collector signed, something else is held than what is asked, the lifetime budget has no
    /// room for it (then nothing is drawn), or the disk refuses.
    pub fn answer(&self, task: &SealedTask, participant: u32, mine: &Mine) -> Result<Answer> {
        self.answer_with(task, participant, mine, Noise::OperatingSystem)
    }

    /// The same with noise from a seed, for rehearsals: it protects nobody, and is charged all the same.
    ///
    /// # Errors
    /// As for [`answer`](Self::answer).
    pub fn answer_with(
        &self,
        task: &SealedTask,
        participant: u32,
        mine: &Mine,
        noise: Noise,
    ) -> Result<Answer> {
        let (asked, _) = task.open()?;
        mine.check(&asked, participant)?;
        let _lock = self.lock()?;
        let path = self.folder.join("answers").join(format!("{}.report", asked.name));
        match std::fs::read(&path) {
            Ok(report) => {
                // Another place would be another person: somebody else's answer is not sent in their name.
                let kept = Report::decode(&asked, &report)?.participant;
                Error::unless(
                    kept == participant,
                    "participant",
                    participant,
                    "the one who answered",
                )?;
                return Ok(Answer { task: asked.name, report, again: true });
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(Error::file(&path, error)),
        }
        self.check_budget(&asked)?;
        let report = self.draw(&asked, participant, mine, noise)?.encode();
        write_whole(&path, &report)?;
        Ok(Answer { task: asked.name, report, again: false })
    }

    /// What answers have cost so far.
    ///
    /// # Errors
    /// If an account cannot be read.
    pub fn spent(&self) -> Result<Spent> {
        let record = self.spent_on(FEATURES)? + self.spent_on(LABEL)?;
        let lifetime = self.about.lifetime_epsilon;
        Ok(Spent { record, contacts: self.spent_on(CONTACTS)?, lifetime })
    }

    /// All parts are priced before the first is drawn.
    fn check_budget(&self, asked: &Asked) -> Result<()> {
        let Spent { record, contacts, lifetime } = self.spent()?;
        let asks = &asked.task.asks;
        let features = asks.features.as_ref().map_or(0.0, |asked| asked.epsilon);
        let label = asks.label.as_ref().map_or(0.0, |asked| asked.epsilon);
        let list = asks.contacts.as_ref().map_or(0.0, |asked| asked.epsilon);
        for (what, before, more) in
            [("record", record, features + label), ("list of contacts", contacts, list)]
        {
            // Additions of a few numbers round in the last digit; ledgers are exact about each.
            if before + more > lifetime * (1.0 + 1e-12) {
                let message = format!(
                    "refused: this would bring what answers cost your {what} from epsilon {before} to {}, and you allowed \
                     {lifetime} in all",
                    before + more
                );
                return Err(Error::Refused { message, remedy: "do not take part" });
            }
        }
        Ok(())
    }

    fn draw(&self, asked: &Asked, participant: u32, mine: &Mine, noise: Noise) -> Result<Report> {
        let place = u64::from(participant);
        let features = match (&asked.features, &mine.features) {
            (Some(mechanism), Some(row)) => {
                let row = DenseMatrix::new(1, row.len(), row.clone())?;
                let secret = Secret::new(Features::dense(row));
                let mut ledger = self.account(FEATURES, LABEL, noise)?;
                Some(ledger.release_own(&secret, 0, mechanism, place)?.get().clone())
            }
            _ => None,
        };
        let label = match (&asked.label, &asked.task.asks.label, mine.label) {
            (Some(mechanism), Some(asked), Some(class)) => {
                let secret = Secret::new(Labels::single(vec![Some(class)], asked.classes.clone())?);
                let mut ledger = self.account(LABEL, FEATURES, noise)?;
                *ledger.release_own(&secret, 0, mechanism, place)?.get()
            }
            _ => None,
        };
        let contacts = match (&asked.contacts, &mine.contacts) {
            (Some(mechanism), Some(list)) => {
                let mut rows = vec![Vec::new(); asked.task.people.count as usize];
                rows[participant as usize] = list.clone();
                let secret = Secret::new(Graph::from_rows(rows)?);
                let mut ledger = self.account(CONTACTS, CONTACTS, noise)?;
                let record = participant as usize;
                Some(ledger.release_own(&secret, record, mechanism, place)?.get().clone())
            }
            _ => None,
        };
        Ok(Report { task: asked.name, participant, features, label, contacts })
    }

    /// The account of a kind of answer, held below the budget by what the other kind has spent.
    fn account<U: Unit>(&self, kind: &str, other: &str, noise: Noise) -> Result<Ledger<U>> {
        let lifetime = self.about.lifetime_epsilon;
        let noise = match noise {
            Noise::OperatingSystem => NoiseRng::from_operating_system()?,
            Noise::Replay(seed) => NoiseRng::replay(seed),
        };
        let path = self.path(kind);
        let ledger = match path.exists() {
            true => Ledger::open(&path, noise)?,
            false => Ledger::create(&path, Loss::new(lifetime, 0.0)?, noise)?,
        };
        let others = if other == kind { 0.0 } else { self.spent_on(other)? };
        Ok(ledger.at_most(Epsilon::new((lifetime - others).max(0.0))?))
    }

    fn path(&self, kind: &str) -> PathBuf {
        self.folder.join(format!("{kind}.ledger"))
    }

    fn spent_on(&self, kind: &str) -> Result<f64> {
        let path = self.path(kind);
        if !path.exists() {
            return Ok(0.0);
        }
        let contents = Contents::read(&path)?;
        contents.check_count(&path)?;
        let groups = spent(&contents.entries, contents.header.limit.delta)?;
        Ok(groups.iter().map(|group| group.loss.epsilon.get()).fold(0.0, f64::max))
    }

    /// One answer at a time: two programs cannot spend the same budget, nor draw twice.
    fn lock(&self) -> Result<File> {
        let path = self.folder.join("lock");
        let failed = |error: std::io::Error| Error::file(&path, error);
        let file =
            File::options().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
        file.lock().map_err(failed)?;
        Ok(file)
    }
}

impl Mine {
    /// Whether it is what is asked: no more, no less. What it holds is not said.
    fn check(&self, asked: &Asked, participant: u32) -> Result<()> {
        let task = &asked.task;
        let count = task.people.count;
        if participant >= count {
            return Err(Error::invalid("participant", participant, format!("below {count}")));
        }
        for (what, asked, held) in [
            ("features", asked.features.is_some(), self.features.is_some()),
            ("label", asked.label.is_some(), self.label.is_some()),
            ("contacts", asked.contacts.is_some(), self.contacts.is_some()),
        ] {
            let said = |there| if there { "some" } else { "none" };
            Error::unless(asked == held, what, said(held), said(asked))?;
        }
        if let (Some(row), Some(asked)) = (&self.features, &task.asks.features) {
            let (found, wanted) = (row.len(), asked.columns.len());
            if found != wanted {
                return Err(Error::invalid("features", found, format!("{wanted} numbers")));
            }
            let finite = row.iter().all(|value| value.is_finite());
            Error::unless(finite, "features", "something else", "finite numbers")?;
        }
        if let (Some(class), Some(asked)) = (self.label, &task.asks.label) {
            let fits = (class as usize) < asked.classes.len();
            Error::unless(fits, "label", "another one", "one of the answers there are")?;
        }
        if let Some(list) = &self.contacts {
            let ascends = list.windows(2).all(|pair| pair[0] < pair[1]);
            let others = list.iter().all(|&other| other < count && other != participant);
            let expected =
                "other people who can take part, each once, in the order of their places";
            Error::unless(ascends && others, "contacts", "something else", expected)?;
        }
        Ok(())
    }
}

/// All of it and on disk, or nothing.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let failed = |error: std::io::Error| Error::file(path, error);
    let draft = path.with_extension("part");
    let mut file = File::create(&draft).map_err(failed)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(failed)?;
    std::fs::rename(&draft, path).map_err(failed)
}

#[cfg(test)]
mod tests;
