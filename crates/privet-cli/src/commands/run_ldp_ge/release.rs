//! One real collection, and everything made from it, in a new folder.
//!
//! Ledgers are there first: charged and on disk before noise is drawn, and whatever happens afterwards, a
//! charge that was written stays, as it does under `privet protect`. Everything else is made in a folder of
//! another name and moved when all is done, the card last: without a card a folder is only an account.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use privet::ldp_ge::{Books, Noise, People, Private, Run};
use privet::privacy::Card;
use privet_graph::io::write::{Overwrite, temporary, write_rows};
use privet_graph::{Dataset, DenseMatrix, Features};
use privet_lab::experiments::ldp_ge::{Experiment, Task, Variant, link_split};
use privet_lab::report::Report;

use crate::compared::Released;
use crate::failure::{Failure, Kind, Result};
use crate::interrupt::HalfWritten;
use crate::output::write_whole;

/// The file that says what is promised.
const CARD: &str = "card.json";

/// A release to make.
pub(super) struct Release<'a> {
    pub experiment: &'a Experiment<'a>,
    pub noise: Noise,
    /// Decides the split and the learner.
    pub seed: u64,
}

/// A folder that is not there yet, or is empty.
#[derive(Debug)]
pub(in crate::commands) struct Folder {
    path: PathBuf,
    unfinished: PathBuf,
}

impl Folder {
    pub(in crate::commands) fn new(path: &Path) -> Result<Self> {
        let refused = |what: &str| {
            let message = format!("{}: refused: {what}", path.display());
            Failure::new(Kind::Refused, message).hint("name a new folder")
        };
        if path.symlink_metadata().is_ok() {
            let entries = std::fs::read_dir(path).map_err(|_| refused("it exists already"))?;
            if entries.count() > 0 {
                return Err(refused("it exists already and is not empty"));
            }
        }
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty())
            && !parent.is_dir()
        {
            return Err(Failure::data(format!("{}: there is no such folder", parent.display())));
        }
        let unfinished =
            temporary(path).ok_or_else(|| refused("it has no name to be made under"))?;
        Ok(Self { path: path.into(), unfinished })
    }

    /// Makes the release and its report in the folder: all of it, or only what was charged. `make`
    /// gets the folder for ledgers and the one for everything else.
    pub(in crate::commands) fn fill(
        &self,
        make: impl FnOnce(&Path, &Path) -> Result<Card>,
        write_up: impl FnOnce(Card) -> Report,
    ) -> Result<(Released, Report)> {
        let failed =
            |error: std::io::Error| Failure::data(format!("{}: {error}", self.path.display()));
        let _interrupted = HalfWritten::new(&self.unfinished);
        let _failed = Discarded(&self.unfinished);
        std::fs::create_dir(&self.unfinished).map_err(failed)?;
        if !self.path.is_dir() {
            std::fs::create_dir(&self.path).map_err(failed)?;
        }
        let made = make(&self.path, &self.unfinished).and_then(|card| {
            let report = write_up(card.clone());
            report.write(&self.unfinished)?;
            self.move_in().map_err(failed)?;
            Ok((card, report))
        });
        let (card, report) = made.map_err(|failure| self.account_for(failure))?;
        let released = Released::new(&self.path, card).map_err(failed)?;
        Ok((released, report))
    }

    /// Moves what is finished to the ledgers; the card last.
    fn move_in(&self) -> std::io::Result<()> {
        let entries = std::fs::read_dir(&self.unfinished)?;
        let mut names: Vec<_> =
            entries.map(|entry| Ok(entry?.file_name())).collect::<std::io::Result<_>>()?;
        names.sort_by_key(|name| name == CARD);
        let move_one = |name| std::fs::rename(self.unfinished.join(name), self.path.join(name));
        names.iter().try_for_each(move_one)
    }

    /// After a failure: what was charged stays and is told; an account without charges goes.
    fn account_for(&self, failure: Failure) -> Failure {
        let mut charged = Vec::new();
        let entries = std::fs::read_dir(&self.path).into_iter().flatten();
        let mut ledgers: Vec<PathBuf> =
            entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        ledgers.retain(|path| path.extension().is_some_and(|ending| ending == "ledger"));
        ledgers.sort();
        for path in ledgers {
            // The first line opens the account; every other one is a charge.
            match std::fs::read(&path) {
                Ok(bytes) if bytes.split_inclusive(|b| *b == b'\n').count() > 1 => {
                    charged.push(path.display().to_string());
                }
                _ => drop(std::fs::remove_file(&path)),
            }
        }
        if charged.is_empty() {
            let _ = std::fs::remove_dir(&self.path);
            return failure;
        }
        failure.hint(format!(
            "noise was drawn already, so the charge in {} stays, although nothing else was written",
            charged.join(" and ")
        ))
    }
}

/// Removes the folder, if it still has this name in the end.
struct Discarded<'a>(&'a Path);

impl Drop for Discarded<'_> {
    fn drop(&mut self) {
        // After a success it is not there; after a failure what stays is only litter.
        let _ = std::fs::remove_dir_all(self.0);
    }
}

impl Release<'_> {
    /// Collects once, learns, and writes ledgers to one folder, embedding, model and card to another.
    pub(super) fn make(&self, account: &Path, folder: &Path) -> Result<Card> {
        let Experiment { dataset, task, system, private, .. } = *self.experiment;
        let never = AtomicBool::new(false);
        let books = Books::Folder(account.into());
        let run = Run { noise: self.noise, books, seed: self.seed, interrupt: &never };
        let model = folder.join("model.safetensors");
        let (embedding, mut card) = match task {
            Task::Nodes => {
                let made = self.experiment.classify(Variant::Private, system, private, &run)?;
                made.model.save(&model)?;
                (made.embedding, made.card)
            }
            Task::Links => {
                let links = link_split(dataset, self.seed)?;
                let known = dataset.clone().with_graph(links.graph.clone())?;
                let people = People::new(&known, Private { edges: false, ..private })?;
                let made = system.link(&people, &links, &run)?;
                made.scorer.save(&model)?;
                (made.embedding, made.card)
            }
        };
        write_embedding(dataset, embedding, &folder.join("embedding.npz"))?;
        card.subject = format!("an embedding and a model made from: {}", card.subject);
        card.unprotected.push("the ids of all nodes".into());
        let mut text = serde_json::to_vec_pretty(&card)?;
        text.push(b'\n');
        write_whole(&folder.join(CARD), &text)?;
        Ok(card)
    }
}

fn write_embedding(dataset: &Dataset, embedding: DenseMatrix, path: &Path) -> Result<()> {
    let rows = dataset.clone().with_features(Features::dense(embedding))?;
    write_rows(&rows, path, Overwrite::Refuse)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use privet::ldp_ge::{
        EdgeProtection, Embedding, FeatureProtection, LdpGe, Learner, Protection,
    };
    use privet::privacy::features::{Decoding, Settings};
    use privet_graph::synthetic::StochasticBlocks;

    use super::*;

    fn fill(learner: Learner, epsilon: f64, folder: &Folder) -> Result<(Released, Report)> {
        let (nodes, classes, features) = (60, 2, 4);
        let blocks =
            StochasticBlocks { nodes, classes, features, mean_degree: 2.0, ..Default::default() };
        let dataset = blocks.generate(1)?;
        let features = FeatureProtection {
            mechanism: "hds".into(),
            epsilon,
            settings: Settings::default(),
            decoding: Decoding::Unbiased,
        };
        let edges = EdgeProtection::recommended(1.0, 60);
        let system = LdpGe {
            protection: Protection { features, label_epsilon: 1.0, edges },
            embedding: Embedding::default(),
            labels: None,
            learner: Learner { hidden: vec![4], epochs: 2, ..learner },
        };
        let (task, private) = (Task::Nodes, Private::FEATURES);
        let experiment =
            Experiment { dataset: &dataset, task, system: &system, private, volunteers: None };
        let release = Release { experiment: &experiment, noise: Noise::Replay(1), seed: 1 };
        folder.fill(|account, draft| release.make(account, draft), |_| Report::new("", ""))
    }

    /// The rule of `privet protect`: what fails before the charge costs nothing, what fails after it
    /// stays spent, and the message says so.
    #[test]
    fn a_charge_outlives_the_failure() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("out");
        let names = |path: &Path| {
            let entries = std::fs::read_dir(path).unwrap();
            let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        let folder = Folder::new(&path).unwrap();
        assert!(fill(Learner::default(), -1.0, &folder).is_err());
        assert!(names(place.path()).is_empty(), "nothing was charged, nothing stays");
        let diverges = Learner { learning_rate: -1.0, ..Learner::default() };
        let told = format!("{:?}", fill(diverges, 1.0, &folder).err());
        assert!(told.contains("features.ledger stays"), "{told}");
        assert_eq!(names(place.path()), ["out"]);
        assert_eq!(names(&path), ["features.ledger"]);
        assert!(Folder::new(&path).is_err(), "a second try must not hide the first");
        let other = Folder::new(&place.path().join("other")).unwrap();
        assert!(fill(Learner::default(), 1.0, &other).is_ok());
        assert!(names(&place.path().join("other")).contains(&"card.json".into()));
    }
}
