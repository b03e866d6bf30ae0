//! One real collection, and everything made from it.

use std::path::Path;

use privet::Run;
use privet::data::formats::write::{Overwrite, write_rows};
use privet::graph::{Dataset, DenseMatrix, Features};
use privet::privacy::Card;
use privet_lab::experiments::ldp_ge::{LdpGeTrial, Task};
use privet_lab::experiments::trial::Variant;

use crate::failure::Result;

/// Collects once, learns, and writes ledgers where `run` says, embedding and model to a folder.
pub(super) fn make(
    trial: &LdpGeTrial<'_>,
    run: &Run<'_>,
    on_whose_word: &[String],
    folder: &Path,
) -> Result<Card> {
    let LdpGeTrial { data, task, system, private, .. } = trial;
    let (dataset, private) = (data.dataset, *private);
    let model = folder.join("model.safetensors");
    let (embedding, mut card) = match task {
        Task::Nodes => {
            let made = trial.classify(Variant::Private, system, private, run)?;
            let (made, card) = made.into_parts();
            made.model.save(&model)?;
            (made.embedding, card)
        }
        Task::Links => {
            let made = trial.link(Variant::Private, system, private, run)?;
            let (made, card) = made.into_parts();
            made.scorer.save(&model)?;
            (made.embedding, card)
        }
    };
    write_embedding(dataset, embedding, &folder.join("embedding.npz"))?;
    card.subject = format!("an embedding and a model made from: {}", card.subject);
    card = card.with_unprotected("the ids of all nodes");
    if private.labels {
        card = card.with_unprotected("which nodes have a label");
    }
    card = on_whose_word.iter().cloned().fold(card, Card::with_unprotected);
    Ok(card)
}

fn write_embedding(dataset: &Dataset, embedding: DenseMatrix, path: &Path) -> Result<()> {
    let rows = dataset.clone().with_features(Features::dense(embedding))?;
    write_rows(&rows, path, Overwrite::Refuse)?;
    Ok(())
}

#[cfg(test)]
mod tests {

    use privet::LedgerStore;
    use privet::data::synthetic::StochasticBlocks;
    use privet::ldp_ge::{
        Embedding, FeatureProtection, LabelSpread, LdpGe, Learner, ListProtection, Private,
        Protection, Way,
    };
    use privet::privacy::features::{Decoding, Settings};
    use privet_lab::experiments::trial::Data;
    use privet_lab::report::Report;

    use super::*;
    use crate::commands::release_folder::ReleaseFolder;
    use crate::simulated::Released;

    fn fill(learner: Learner, epsilon: f64, folder: &ReleaseFolder) -> Result<(Released, Report)> {
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
        let edges = ListProtection::recommended(1.0, 60);
        let system = LdpGe {
            protection: Protection { features, label_epsilon: 1.0, edges },
            embedding: Embedding::default(),
            labels: LabelSpread::default(),
            ways: vec![Way::Features],
            learner: Learner { hidden: vec![4], epochs: 2, ..learner },
        };
        let (task, private) = (Task::Nodes, Private::FEATURES);
        let data = Data::new("people", &dataset);
        let trial = LdpGeTrial { data, task, system, private, volunteers: None, spill: None };
        let make = |account: &Path, draft: &Path| {
            let ledgers = LedgerStore::Folder(account.into());
            let run = Run { ledgers, ..Run::simulation(1) };
            make(&trial, &run, &[], draft)
        };
        folder.fill(None, make, |_| Report::new("", ""))
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
        let folder = ReleaseFolder::new(&path).unwrap();
        assert!(fill(Learner::default(), -1.0, &folder).is_err());
        assert!(names(place.path()).is_empty(), "nothing was charged, nothing stays");
        let diverges = Learner { learning_rate: -1.0, ..Learner::default() };
        let told = format!("{:?}", fill(diverges, 1.0, &folder).err());
        assert!(told.contains("features.ledger stays"), "{told}");
        assert_eq!(names(place.path()), ["out"]);
        assert_eq!(names(&path), ["share"]);
        assert_eq!(names(&path.join("share")), ["features.ledger", "features.ledger.count"]);
        assert!(ReleaseFolder::new(&path).is_err(), "a second try must not hide the first");
        let other = ReleaseFolder::new(&place.path().join("other")).unwrap();
        assert!(fill(Learner::default(), 1.0, &other).is_ok());
        assert!(names(&place.path().join("other/share")).contains(&"card.json".into()));
    }
}
