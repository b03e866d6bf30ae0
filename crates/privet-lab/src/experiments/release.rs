//! [`Releases`]: what a trial measures, made once for real: what it must ask before anything is charged, and the files
//! that may be shared afterwards. [`ReleaseFolder`] keeps those apart from what was measured on raw data.

mod folder;

use std::path::Path;

use privet::data::formats::write::{Overwrite, write, write_rows};
use privet::doubts::{Doubt, PromisedPrice, ReleaseAsks};
use privet::dpar::{Dpar, Mode};
use privet::dprr::DprrMethod;
use privet::graph::{Fact, Features, LoadedData};
use privet::hetero_rr::EdgeUse;
use privet::ldp_ge::Protection;
use privet::privacy::{Card, Loss};
use privet::protect::public_scale;
use privet::words::csv_cell;
use privet::{Error, Result, Run};

use super::dpar::{DparTrial, Hidden};
use super::dprr::DprrTrial;
use super::hetero_rr::HeteroRrTrial;
use super::ldp_ge::{LdpGeTrial, Task};
use super::trial::{Trial, Variant};

pub use folder::{ReleaseFolder, Shared};

/// The file of a model, whichever it is.
const MODEL: &str = "model.safetensors";

/// A trial whose system can be run once for real.
pub trait Releases: Trial {
    /// What a release may cost, and what it shows beside what is randomised.
    ///
    /// # Errors
    /// If a number makes no sense, or the range of what is randomised was not declared.
    fn asks(&self) -> Result<ReleaseAsks>;

    /// What the card of a release must repeat, because only the operator's word supports it.
    ///
    /// # Errors
    /// If the release would show what the records happen to contain, or give no protection.
    fn settle(&self, accepted: &[Doubt]) -> Result<Vec<String>>;

    /// Runs the system once: ledgers go where `run` says, everything else that may be shared to a folder. The card is
    /// that of all of it.
    ///
    /// # Errors
    /// Those of the system, and what the disk says.
    fn make(&self, run: &Run<'_>, folder: &Path) -> Result<Card>;
}

impl Releases for LdpGeTrial<'_> {
    fn asks(&self) -> Result<ReleaseAsks> {
        let Protection { features, label_epsilon, edges } = &self.system.protection;
        if let (true, Some(rows)) = (self.private.features, self.data.dataset.features()) {
            features.mechanism(public_scale(rows)?)?;
        }
        let (mut parts, mut shown) = (Vec::new(), vec![Fact::Ids, Fact::Columns]);
        if self.asks_for_features() {
            parts.push(features.limit()?);
        }
        if self.private.labels {
            parts.push(Loss::new(*label_epsilon, 0.0)?);
            shown.push(Fact::Classes);
        }
        if self.private.edges {
            parts.push(Loss::new(edges.epsilon, 0.0)?);
        }
        Ok(ReleaseAsks::once(self.data.dataset.graph().node_count(), parts, shown))
    }

    fn settle(&self, accepted: &[Doubt]) -> Result<Vec<String>> {
        self.asks()?.settle(self.data.dataset, accepted)
    }

    /// Ledgers, embedding and model.
    fn make(&self, run: &Run<'_>, folder: &Path) -> Result<Card> {
        let run = run.clone().within(self.spill.clone());
        let (system, private, model) = (&self.system, self.private, folder.join(MODEL));
        let (embedding, mut card) = match self.task {
            Task::Nodes => {
                let made = self.classify(Variant::Private, system, private, &run)?;
                let (made, card) = made.into_parts();
                made.model.save(&model)?;
                (made.embedding, card)
            }
            Task::Links => {
                let (made, card) = self.link(Variant::Private, system, private, &run)?.into_parts();
                made.scorer.save(&model)?;
                if let Some(known) = &made.known {
                    known.save(folder)?;
                }
                (made.embedding, card)
            }
        };
        let rows = self.data.dataset.clone().with_features(Features::dense(embedding))?;
        write_rows(&rows, &folder.join("embedding.npz"), Overwrite::Refuse)?;
        card.subject = format!("an embedding and a model made from: {}", card.subject);
        card = card.with_unprotected("the ids of all nodes");
        Ok(match private.labels {
            true => card.with_unprotected("which nodes have a label"),
            false => card,
        })
    }
}

/// What training DPAR on so many people asks. The model has a weight per column and class, so they show; noise, delta and,
/// where none was asked for, the method follow from how many people there are, so that shows too. Where only connections
/// are hidden, features and classes are open anyway, and who is there must not be read off those connections.
///
/// # Errors
/// Never in practice: a target has a delta.
pub fn asked_of_dpar(system: &Dpar, hidden: Hidden, people: usize) -> Result<ReleaseAsks> {
    let shown = match hidden {
        Hidden::NodeAbsent | Hidden::NodeReplace => vec![Fact::Ids, Fact::Columns, Fact::Classes],
        Hidden::EdgeDp => vec![Fact::Ids],
    };
    let limit = match system.mode {
        Mode::Rigorous => system.target,
        // The published noise has its own price, whatever was asked.
        Mode::Paper => Loss::new(f64::INFINITY, system.target.delta.get())?,
    };
    Ok(ReleaseAsks { prices: vec![PromisedPrice { people, asked: system.target, limit }], shown })
}

impl Releases for DparTrial<'_> {
    fn asks(&self) -> Result<ReleaseAsks> {
        asked_of_dpar(&self.system, self.hidden, self.data.dataset.graph().node_count())
    }

    fn settle(&self, accepted: &[Doubt]) -> Result<Vec<String>> {
        self.asks()?.settle(self.data.dataset, accepted)
    }

    /// A ledger and a model.
    fn make(&self, run: &Run<'_>, folder: &Path) -> Result<Card> {
        let (made, card) = self.release(run)?.into_parts();
        made.model.save(&folder.join(MODEL))?;
        if let Some(encoder) = &made.encoder {
            encoder.save(&folder.join("encoder.safetensors"))?;
        }
        Ok(card)
    }
}

impl Releases for DprrTrial<'_> {
    fn asks(&self) -> Result<ReleaseAsks> {
        let largest = match self.protection.method {
            // All people publish.
            DprrMethod::NonPrivFull => f64::INFINITY,
            _ => self.protection.setting.epsilon(),
        };
        let parts = [Loss::new(largest, 0.0)?];
        // Users show that they are there: that is settled for all graphs at once.
        Ok(ReleaseAsks::once(self.data.dataset.node_count(), parts, Vec::new()))
    }

    fn settle(&self, accepted: &[Doubt]) -> Result<Vec<String>> {
        self.asks()?.settle_users(self.data.dataset, accepted)
    }

    /// A ledger, a model, and what it says of every graph.
    fn make(&self, run: &Run<'_>, folder: &Path) -> Result<Card> {
        let (made, mut card) = self.run_as(run)?.1.into_parts();
        made.model.save(&folder.join(MODEL))?;
        let (set, mut lines) = (self.data.dataset, String::from("graph,predicted\n"));
        let names = set.labels().map_or(&[][..], |labels| labels.class_names());
        for (graph, &class) in (0..).zip(&made.predicted) {
            let id = set.ids().get(graph).to_string();
            let name = names.get(class as usize).map_or("", String::as_str);
            lines += &format!("{},{}\n", csv_cell(&id), csv_cell(name));
        }
        let file = folder.join("predicted.csv");
        std::fs::write(&file, lines).map_err(|error| Error::file(&file, error))?;
        card.subject = format!("a classifier and predictions made from: {}", card.subject);
        Ok(card.with_unprotected("the ids of all graphs"))
    }
}

impl Releases for HeteroRrTrial<'_> {
    fn asks(&self) -> Result<ReleaseAsks> {
        if let (Some(_), Some(rows)) = (&self.features, self.data.dataset.features()) {
            public_scale(rows)?;
        }
        let (mut parts, mut shown) = (vec![self.edges.limit()?], vec![Fact::Ids]);
        if let Some(how) = &self.features {
            parts.push(how.limit()?);
            shown.push(Fact::Columns);
        }
        Ok(ReleaseAsks::once(self.data.dataset.graph().node_count(), parts, shown))
    }

    fn settle(&self, accepted: &[Doubt]) -> Result<Vec<String>> {
        self.asks()?.settle(self.data.dataset, accepted)
    }

    /// Ledgers and a model, with votes and classes or with a graph.
    fn make(&self, run: &Run<'_>, folder: &Path) -> Result<Card> {
        let dataset = self.data.dataset;
        match self.edges_as {
            EdgeUse::Votes => {
                let (informed, card) = self.release_votes(run)?;
                let classes = dataset.labels().map_or(&[][..], |labels| labels.class_names());
                informed.save(folder, dataset.ids(), classes)?;
                Ok(card)
            }
            EdgeUse::Graph => {
                let (published, gcn, card) = self.release(run)?;
                let graph = folder.join("published.npz");
                write(&LoadedData::Nodes(published), &graph, None, Overwrite::Refuse)?;
                gcn.save(&folder.join(MODEL))?;
                Ok(card)
            }
        }
    }
}

#[cfg(test)]
mod tests;
