//! [`Device`]: a person's own side of local privacy, in a folder. It keeps the person's own account and lets one report per
//! task leave; what it checks, prices and draws is [`protocol::device`](crate::protocol::device), which a browser
//! runs as well.
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
//! again: a collector that asks a hundred times gets one report a hundred times, and cannot average noise away.
//!
//! ```
//! use privet::device::{Device, DeviceRecord};
//! use privet::protocol::{TaskQuestions, LabelAsked, SigningKey, Task, Universe};
//! # let place = tempfile::tempdir()?;
//! let label = LabelAsked { question: "Ill?".into(), classes: vec!["no".into(), "yes".into()], epsilon: 1.0 };
//! let task = Task {
//!     title: "Winter".into(),
//!     purpose: "How many people were ill".into(),
//!     contact: "study@example.org".into(),
//!     people: Universe::of(["ann", "bob", "eve"]),
//!     asks: TaskQuestions { label: Some(label), ..TaskQuestions::default() },
//!     until: None,
//! };
//! let sealed = SigningKey::from_bytes(&[7; 32]).seal(&task)?; // the collector's side
//!
//! let device = Device::create(&place.path().join("mine"), 2.0)?; // epsilon 2 in all, for everything, for ever
//! let mine = DeviceRecord { label: Some(1), ..DeviceRecord::default() };
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

use crate::privacy::ledger::Contents;
use crate::privacy::noise::NoiseRng;
use crate::privacy::{Ledger, Loss, Unit};
use crate::protocol::device::{AccountKind, DeviceStorage, PersonalDevice};
pub use crate::protocol::device::{DeviceAnswer, DeviceRecord, DeviceSpending};
use crate::protocol::{SealedTask, TaskName};
use crate::{Error, Noise, Result};

/// A person's device.
#[derive(Debug)]
pub struct Device {
    folder: Folder,
    about: AboutDevice,
}

/// What a device knows about itself.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AboutDevice {
    /// What all answers together may cost.
    lifetime_epsilon: f64,
}

const ABOUT: &str = "device.json";

impl Device {
    /// A new device in a folder, whose answers may cost so much in all.
    ///
    /// # Errors
    /// If there is one already, or the budget is none.
    pub fn create(folder: &Path, lifetime_epsilon: f64) -> Result<Self> {
        let device =
            Self { folder: Folder(folder.into()), about: AboutDevice { lifetime_epsilon } };
        // Checks the budget before anything is written.
        device.person()?;
        let path = folder.join(ABOUT);
        if path.exists() {
            let message = format!("{}: refused: there is a device already", folder.display());
            return Err(Error::Refused { message, remedy: "open it, or name another folder" });
        }
        let answers = folder.join("answers");
        std::fs::create_dir_all(&answers).map_err(|error| Error::file(&answers, error))?;
        let text = serde_json::to_vec(&device.about).map_err(|error| Error::file(&path, error))?;
        // Written last: a folder without this file is no device.
        write_whole(&path, &text)?;
        Ok(device)
    }

    /// The device of a folder.
    ///
    /// # Errors
    /// If there is none.
    pub fn open(folder: &Path) -> Result<Self> {
        let path = folder.join(ABOUT);
        let text = std::fs::read(&path).map_err(|error| Error::file(&path, error))?;
        let about = serde_json::from_slice(&text).map_err(|error| Error::file(&path, error))?;
        Ok(Self { folder: Folder(folder.into()), about })
    }

    /// The person's report for a task: drawn once, charged before that, remembered, and the same bytes ever after.
    ///
    /// # Errors
    /// If the task is not what its collector signed, something else is held than what is asked, the lifetime budget has no
    /// room for it (then nothing is drawn), or the disk refuses.
    pub fn answer(
        &self,
        task: &SealedTask,
        participant: u32,
        mine: &DeviceRecord,
    ) -> Result<DeviceAnswer> {
        self.answer_with(task, participant, mine, Noise::OperatingSystem)
    }

    /// The same with noise from a seed, for rehearsals: it gives no protection, and is charged all the same.
    ///
    /// # Errors
    /// As for [`answer`](Self::answer).
    pub fn answer_with(
        &self,
        task: &SealedTask,
        participant: u32,
        mine: &DeviceRecord,
        noise: Noise,
    ) -> Result<DeviceAnswer> {
        // Two processes of one person must not draw two reports.
        let _lock = self.folder.lock()?;
        self.person()?.answer(task, participant, mine, || match noise {
            Noise::OperatingSystem => Ok(NoiseRng::from_operating_system()?),
            Noise::Replay(seed) => Ok(NoiseRng::replay(seed)),
        })
    }

    /// What answers have cost so far.
    ///
    /// # Errors
    /// If an account cannot be read.
    pub fn spent(&self) -> Result<DeviceSpending> {
        self.person()?.spent()
    }

    fn person(&self) -> Result<PersonalDevice<'_, Folder>> {
        Ok(PersonalDevice::new(&self.folder, self.about.lifetime_epsilon)?)
    }
}

/// Where a device keeps things.
#[derive(Debug)]
struct Folder(PathBuf);

impl Folder {
    fn account(&self, account: AccountKind) -> PathBuf {
        self.0.join(format!("{}.ledger", account.name()))
    }

    fn report(&self, task: TaskName) -> PathBuf {
        self.0.join("answers").join(format!("{task}.report"))
    }

    /// One answer at a time: two programs cannot spend the same budget, nor draw twice.
    fn lock(&self) -> Result<File> {
        let path = self.0.join("lock");
        let failed = |error: std::io::Error| Error::file(&path, error);
        let file =
            File::options().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
        file.lock().map_err(failed)?;
        Ok(file)
    }
}

impl DeviceStorage for Folder {
    type Error = Error;

    fn contents(&self, account: AccountKind) -> Result<Option<Contents>> {
        let path = self.account(account);
        // A truncated ledger is noticed by the count beside it.
        if !path.exists() {
            return Ok(None);
        }
        let contents = Contents::read(&path)?;
        contents.check_count(&path)?;
        Ok(Some(contents))
    }

    fn open<U: Unit>(
        &self,
        account: AccountKind,
        limit: Loss,
        noise: NoiseRng,
    ) -> Result<Ledger<U>> {
        let path = self.account(account);
        Ok(match path.exists() {
            true => Ledger::open(&path, noise)?,
            false => Ledger::create(&path, limit, noise)?,
        })
    }

    fn answered(&self, task: TaskName) -> Result<Option<Vec<u8>>> {
        let path = self.report(task);
        match std::fs::read(&path) {
            Ok(report) => Ok(Some(report)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::file(&path, error)),
        }
    }

    fn remember(&self, task: TaskName, report: &[u8]) -> Result<()> {
        write_whole(&self.report(task), report)
    }
}

/// All of it and on disk, or nothing.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let failed = |error: std::io::Error| Error::file(path, error);
    let draft = path.with_extension("part");
    // On disk before it gets its name.
    let mut file = File::create(&draft).map_err(failed)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(failed)?;
    std::fs::rename(&draft, path).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{DenseMatrix, Features, Graph, Labels};
    use crate::privacy::Secret;
    use crate::privacy::unit::{FeatureRow, Label, NeighborBit};
    use crate::protocol::{
        ContactsAsked, FeatureColumn, FeaturesAsked, LabelAsked, Report, SigningKey, Task,
        TaskQuestions, Universe,
    };

    const PEOPLE: u32 = 30;

    fn task(title: &str) -> Task {
        let column = |name: &str| FeatureColumn { name: name.into(), low: 0.0, high: 1.0 };
        let features = FeaturesAsked {
            columns: ["a", "b", "c", "d"].map(column).to_vec(),
            mechanism: "hds".into(),
            epsilon: 2.0,
            k: Some(1),
        };
        let classes = vec!["no".into(), "yes".into()];
        Task {
            title: title.into(),
            purpose: "a test".into(),
            contact: "none".into(),
            people: Universe::of((0..PEOPLE).map(|at| at.to_string())),
            asks: TaskQuestions {
                features: Some(features),
                label: Some(LabelAsked { question: "?".into(), classes, epsilon: 1.0 }),
                contacts: Some(ContactsAsked { question: "?".into(), epsilon: 2.5 }),
            },
            until: None,
        }
    }

    fn sealed(title: &str) -> SealedTask {
        SigningKey::from_bytes(&[1; 32]).seal(&task(title)).unwrap()
    }

    fn mine(at: u32) -> DeviceRecord {
        let row = (0..4).map(|column| f32::from(u8::from(at % 4 == column))).collect();
        let mut contacts = vec![(at + 1) % PEOPLE, (at + 5) % PEOPLE];
        contacts.sort_unstable();
        DeviceRecord { features: Some(row), label: Some(at % 2), contacts: Some(contacts) }
    }

    /// Thirty devices, each on its own, send what one process over the data of all users would have drawn.
    #[test]
    fn devices_send_what_one_process_would_have_drawn() {
        let place = tempfile::tempdir().unwrap();
        let sealed = sealed("together");
        let (asked, _) = sealed.open().unwrap();
        let all: Vec<DeviceRecord> = (0..PEOPLE).map(mine).collect();
        let limit = Loss::new(20.0, 0.0).unwrap();
        let rng = || NoiseRng::replay(9);
        let rows = all.iter().flat_map(|mine| mine.features.clone().unwrap()).collect();
        let rows = Secret::new(Features::dense(DenseMatrix::new(30, 4, rows).unwrap()));
        let mut ledger: Ledger<FeatureRow> = Ledger::in_memory(limit, rng()).unwrap();
        let features = ledger.release_each(&rows, asked.features.as_ref().unwrap()).unwrap();
        let classes = asked.task.asks.label.as_ref().unwrap().classes.clone();
        let labels = Labels::single(all.iter().map(|mine| mine.label).collect(), classes).unwrap();
        let mut ledger: Ledger<Label> = Ledger::in_memory(limit, rng()).unwrap();
        let labels =
            ledger.release_each(&Secret::new(labels), asked.label.as_ref().unwrap()).unwrap();
        let lists = all.iter().map(|mine| mine.contacts.clone().unwrap()).collect();
        let lists = Secret::new(Graph::from_rows(lists).unwrap());
        let mut ledger: Ledger<NeighborBit> = Ledger::in_memory(limit, rng()).unwrap();
        let contacts = ledger.release_each(&lists, asked.contacts.as_ref().unwrap()).unwrap();
        for at in 0..PEOPLE {
            let device = Device::create(&place.path().join(at.to_string()), 20.0).unwrap();
            let answer = device.answer_with(&sealed, at, &mine(at), Noise::Replay(9)).unwrap();
            let report = Report::decode(&asked, &answer.report).unwrap();
            let at = at as usize;
            assert_eq!(report.features.as_ref(), features.get().get(at));
            assert_eq!(
                (report.label, report.contacts.as_ref()),
                (labels.get()[at], contacts.get().get(at))
            );
        }
    }

    #[test]
    fn asking_again_gets_the_same_bytes_and_costs_nothing() {
        let place = tempfile::tempdir().unwrap();
        let device = Device::create(place.path(), 10.0).unwrap();
        let sealed = sealed("again");
        let first = device.answer(&sealed, 3, &mine(3)).unwrap();
        let spent = device.spent().unwrap();
        assert_eq!((first.again, spent.record, spent.contacts), (false, 3.0, 2.5));
        // Many at once, from devices that were opened anew.
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let device = Device::open(place.path()).unwrap();
                    let again = device.answer(&sealed, 3, &mine(3)).unwrap();
                    assert_eq!((again.again, &again.report), (true, &first.report));
                });
            }
        });
        assert_eq!(device.spent().unwrap(), spent);
        assert!(
            device.answer(&sealed, 4, &mine(4)).is_err(),
            "that would be in another user's name"
        );
    }

    /// Two programs at once: one draws, the other sends what was drawn.
    #[test]
    fn two_programs_draw_once() {
        let place = tempfile::tempdir().unwrap();
        Device::create(place.path(), 10.0).unwrap();
        let sealed = sealed("race");
        let answers: Vec<DeviceAnswer> = std::thread::scope(|scope| {
            let each = || Device::open(place.path()).unwrap().answer(&sealed, 3, &mine(3)).unwrap();
            let threads: Vec<_> = (0..6).map(|_| scope.spawn(each)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(answers.iter().all(|answer| answer.report == answers[0].report));
        assert_eq!(answers.iter().filter(|answer| !answer.again).count(), 1);
    }

    #[test]
    fn a_lifetime_is_a_lifetime_whoever_asks() {
        let place = tempfile::tempdir().unwrap();
        let device = Device::create(place.path(), 5.5).unwrap();
        device.answer(&sealed("first"), 3, &mine(3)).unwrap();
        // Features and label are one record: 3 and 3 more are above 5.5, though each account alone would have room.
        let told = device.answer(&sealed("second"), 3, &mine(3)).unwrap_err().to_string();
        assert!(told.contains("record") && told.contains("5.5"), "{told}");
        assert_eq!(device.spent().unwrap().record, 3.0);
        let mut less = task("third");
        less.asks = TaskQuestions { contacts: less.asks.contacts, ..TaskQuestions::default() };
        let less = SigningKey::from_bytes(&[2; 32]).seal(&less).unwrap();
        let list = DeviceRecord { contacts: mine(3).contacts, ..DeviceRecord::default() };
        device.answer(&less, 3, &list).unwrap();
        assert_eq!(device.spent().unwrap().contacts, 5.0);
    }

    #[test]
    fn what_is_held_must_be_what_is_asked() {
        let place = tempfile::tempdir().unwrap();
        let device = Device::create(place.path(), 20.0).unwrap();
        let sealed = sealed("shapes");
        let wrong = [
            DeviceRecord { features: None, ..mine(3) },
            DeviceRecord { features: Some(vec![1.0; 3]), ..mine(3) },
            DeviceRecord { features: Some(vec![f32::NAN; 4]), ..mine(3) },
            DeviceRecord { label: Some(2), ..mine(3) },
            DeviceRecord { contacts: Some(vec![3]), ..mine(3) },
            DeviceRecord { contacts: Some(vec![PEOPLE]), ..mine(3) },
            DeviceRecord { contacts: Some(vec![5, 4]), ..mine(3) },
        ];
        for mine in wrong {
            assert!(device.answer(&sealed, 3, &mine).is_err(), "{mine:?}");
        }
        assert!(device.answer(&sealed, PEOPLE, &mine(3)).is_err());
        let forged = SealedTask { task: sealed.task.replace("2.5", "0.5"), ..sealed };
        assert!(device.answer(&forged, 3, &mine(3)).is_err());
        assert_eq!(
            device.spent().unwrap(),
            DeviceSpending { record: 0.0, contacts: 0.0, lifetime: 20.0 }
        );
        assert!(Device::create(place.path(), 1.0).is_err(), "a device is not made anew");
        assert!(Device::create(&place.path().join("x"), 0.0).is_err());
    }
}
