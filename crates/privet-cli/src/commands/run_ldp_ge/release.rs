//! One real collection, and everything made from it, in a folder that is there whole or not at all.
//!
//! Ledgers are charged and on disk before noise is drawn, in a folder of another name that is renamed
//! when all is done. If anything fails before, that folder goes: no report left this process, so nobody
//! lost anything.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use privet::ldp_ge::{Books, Noise, People, Private, Run};
use privet::privacy::Card;
use privet_graph::io::write::{Overwrite, temporary, write_rows};
use privet_graph::{Dataset, DenseMatrix, Features};
use privet_lab::experiments::ldp_ge::{Experiment, Task, link_split, node_split};
use privet_lab::report::Report;

use crate::compared::Released;
use crate::failure::{Failure, Kind, Result};
use crate::interrupt::HalfWritten;
use crate::output::write_whole;

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

    /// Makes the release and its report in the folder; all of it or nothing.
    pub(in crate::commands) fn fill(
        &self,
        make: impl FnOnce(&Path) -> Result<Card>,
        write_up: impl FnOnce(Card) -> Report,
    ) -> Result<(Released, Report)> {
        let failed =
            |error: std::io::Error| Failure::data(format!("{}: {error}", self.path.display()));
        let _interrupted = HalfWritten::new(&self.unfinished);
        let _failed = Discarded(&self.unfinished);
        std::fs::create_dir(&self.unfinished).map_err(failed)?;
        let card = make(&self.unfinished)?;
        let report = write_up(card.clone());
        report.write(&self.unfinished)?;
        if self.path.symlink_metadata().is_ok() {
            std::fs::remove_dir(&self.path).map_err(failed)?;
        }
        std::fs::rename(&self.unfinished, &self.path).map_err(failed)?;
        let released = Released::new(&self.path, card).map_err(failed)?;
        Ok((released, report))
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
    /// Collects once, learns, and writes ledgers, embedding, model and card.
    pub(super) fn make(&self, folder: &Path) -> Result<Card> {
        let Experiment { dataset, task, system, private } = *self.experiment;
        let never = AtomicBool::new(false);
        let books = Books::Folder(folder.into());
        let run = Run { noise: self.noise, books, seed: self.seed, interrupt: &never };
        let model = folder.join("model.safetensors");
        let (embedding, mut card) = match task {
            Task::Nodes => {
                let people = People::new(dataset, private)?;
                let made = system.classify(&people, &node_split(dataset, self.seed)?, &run)?;
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
        write_whole(&folder.join("card.json"), &text)?;
        Ok(card)
    }
}

fn write_embedding(dataset: &Dataset, embedding: DenseMatrix, path: &Path) -> Result<()> {
    let rows = dataset.clone().with_features(Features::dense(embedding))?;
    write_rows(&rows, path, Overwrite::Refuse)?;
    Ok(())
}
