//! `privet publish`: one private graph, for whatever comes.
//!
//! The order is the guarantee: read, check all that can be checked, charge both ledgers and wait until that
//! is on disk, draw noise, write. What fails before the charge costs nothing.

mod accounts;
mod columns;
mod private;

use std::path::PathBuf;

use privet::doubts::{Doubt, Terms};
use privet::graph::{Dataset, Fact, Features, Loaded};
use privet::hetero_rr::publish::Chain;
use privet::hetero_rr::{
    Custody, EdgeProtection, FeatureProtection, Publication, Publishable, TreePlan, custody,
};
use privet::privacy::Loss;
use privet::privacy::card::{Key, Unprotected};
use privet::privacy::features::Settings;
use privet::privacy::unit::Part;
use privet_lab::experiments::structure::Utility;

use super::protect::{public_scale, target};
use crate::args::{EdgeOptions, FeatureOptions, PrivatePart, Publish};
use crate::cardfile;
use crate::console::Console;
use crate::failure::{Failure, Result};
use crate::output::{Target, refuse_existing, write_whole};
use crate::published::{Published as Answer, Report};
use crate::source::Source;
use crate::style::counted;
use accounts::Accounts;

/// A graph to publish, where it goes, and who pays.
#[derive(Debug)]
pub struct Plan {
    source: Source,
    sample: Option<Source>,
    target: Target,
    private: PrivatePart,
    edges: EdgeOptions,
    features: FeatureOptions,
    accounts: Accounts,
    utility_report: Option<PathBuf>,
    seed: Option<u64>,
    key: Option<Key>,
    accepted: Vec<Doubt>,
}

impl Plan {
    /// Finds out what is meant.
    ///
    /// # Errors
    /// If a name is unknown, numbers make no sense, or something is in the way.
    pub fn new(typed: Publish, console: &Console) -> Result<Self> {
        let target = target(&typed.output, typed.to, typed.overwrite)?;
        if let Some(path) = typed.utility_report.as_ref().filter(|_| !typed.overwrite) {
            refuse_existing(path, "replace it with --overwrite")?;
        }
        if let Some(path) = &typed.utility_report {
            cardfile::refuse_part_of_release(path)?;
        }
        let accounts = Accounts::new(&typed)?;
        let sample = typed.features.public_sample.as_deref();
        let sample = sample.map(|name| Source::find(name, typed.reading.clone(), console));
        Ok(Self {
            sample: sample.transpose()?,
            source: Source::find(&typed.input, typed.reading, console)?,
            target,
            private: typed.private,
            edges: typed.edges,
            features: typed.features,
            accounts,
            utility_report: typed.utility_report,
            seed: typed.seed,
            key: typed.signing.key()?,
            accepted: typed.releasing.accept,
        })
    }

    /// Reads, charges, randomises, writes.
    ///
    /// # Errors
    /// If the data cannot be read, a public fact is missing, a limit would be passed, or the result
    /// cannot be written.
    pub fn run(self, console: &Console) -> Result<()> {
        let (loaded, _) = self.source.load(console)?;
        console.private_notices(loaded.notices());
        let dataset = loaded.into_nodes()?;
        let publication = self.publication(&dataset, console)?;
        let on_whose_word = self.questions(&dataset, &publication)?;
        let custody = self.custody(&dataset, &publication)?;
        self.announce(&dataset, console);
        let (published, ledgers) = {
            let _alive = console.spinner("growing a tree of the public edges, and randomising");
            self.accounts.spend(&publication, &custody, self.seed)?
        };
        let utility = self.utility_report.as_ref().map(|path| {
            let _alive = console.spinner("comparing with the truth");
            let truth = custody::simple(dataset.graph())?;
            let seed = 1; // of walks and communities; it protects nobody
            Ok::<_, Failure>((path, Report::new(Utility::of(&truth, &published.get().graph, seed))))
        });
        let (Publishable { graph, features, grown }, mut card) = published.into_parts();
        let dataset = self.replace(dataset, graph, features)?;
        let on_whose_word = on_whose_word.into_iter().map(Unprotected::from);
        for line in self.published_as_it_is(&dataset).into_iter().chain(on_whose_word) {
            card = card.with_unprotected(line);
        }
        let (card, mut files) = cardfile::issue(&self.target.path, card, self.key.as_ref(), || {
            let written = self.target.write(&Loaded::Nodes(dataset))?;
            written.retired.iter().for_each(|retired| console.note(retired));
            Ok(written.files)
        })
        .map_err(|failure| self.accounts.lament(failure))?;
        let mut for_custodian = None;
        if let Some(utility) = utility {
            let (path, report) = utility?;
            write_whole(path, &report.bytes()?)?;
            for_custodian = Some(path.display().to_string());
        }
        // The card stands last: the answer points to it.
        files.dedup();
        console.answer(&Answer::new(card, files, ledgers, for_custodian, grown.map(|g| g.fit)))
    }

    /// What the card must repeat, because nothing but the word of whoever ran this speaks for it.
    fn questions(&self, dataset: &Dataset, publication: &Publication) -> Result<Vec<String>> {
        let shown: &[Fact] = match publication.features {
            Some(_) => &[Fact::Ids, Fact::Columns],
            None => &[Fact::Ids],
        };
        let mut lines = dataset.require_public(shown)?;
        let people = dataset.graph().node_count();
        let features = publication.features.as_ref();
        let features =
            features.map(|how| Loss::new(how.epsilon, how.settings.delta.unwrap_or(0.0)));
        for asked in [Some(publication.edges.limit()?), features.transpose()?].into_iter().flatten()
        {
            lines.extend(Terms::once(people, asked).settle(&self.accepted)?);
        }
        Ok(lines)
    }

    fn publication(&self, dataset: &Dataset, console: &Console) -> Result<Publication> {
        let options = &self.edges;
        let chain = Chain { share: options.tree_share, steps_per_node: options.private_steps };
        let edges = EdgeProtection {
            method: options.method.with(chain),
            delta: options.delta,
            tree: TreePlan {
                start: options.tree.into(),
                steps_per_node: options.public_steps,
                seed: 1,
            },
            wiring: options.wiring.into(),
            ..EdgeProtection::new(options.epsilon_edges)
        };
        let Some(epsilon) = self.features.epsilon_features else {
            return Ok(Publication { edges, features: None });
        };
        let features = dataset.features().ok_or_else(|| {
            Failure::usage("there are no features to protect")
                .hint("give them with --features FILE, or leave out --epsilon-features")
        })?;
        public_scale(features)?;
        let sample = self.sample.as_ref().map(|source| source.load(console));
        let sample = sample.transpose()?.map(|(loaded, _)| loaded.into_nodes()).transpose()?;
        let theta = columns::shares(&self.features, features, sample.as_ref())?;
        let FeatureOptions { mechanism, bins, decoding, .. } = &self.features;
        let features = FeatureProtection {
            mechanism: mechanism.clone(),
            epsilon,
            settings: Settings { bins: *bins, theta, ..Settings::default() },
            decoding: (*decoding).into(),
        };
        Ok(Publication { edges, features: Some(features) })
    }

    fn custody(&self, dataset: &Dataset, publication: &Publication) -> Result<Custody> {
        let edges = private::edges(&self.private, dataset)?;
        let nodes = private::nodes(&self.private, dataset)?;
        let without = match publication.features {
            Some(_) => dataset.clone(),
            None => Dataset::new(dataset.name(), dataset.graph().clone(), dataset.ids().clone())?,
        };
        let custody = Custody::new(&without, &edges, nodes)?;
        Ok(match dataset.features().filter(|_| self.features.public_features) {
            Some(features) => custody.with_public_attributes(features.matrix().clone()),
            None => custody,
        })
    }

    fn announce(&self, dataset: &Dataset, console: &Console) {
        if let Some(seed) = self.seed {
            console.note(&format!(
                "SIMULATION: noise replayed from seed {seed} protects nobody; the card says so"
            ));
        }
        let kept = self.features.epsilon_features.is_some() || self.features.public_features;
        if dataset.features().is_some() && !kept {
            console.note(
                "features are left out: protect them with --epsilon-features, or declare \
                 --public-features",
            );
        }
    }

    /// The dataset that may leave the house.
    fn replace(
        &self,
        dataset: Dataset,
        graph: privet::graph::Graph,
        features: Option<privet::graph::FeatureMatrix>,
    ) -> Result<Dataset> {
        let mut out = Dataset::new(dataset.name(), graph, dataset.ids().clone())?;
        if let Some(labels) = dataset.labels() {
            out = out.with_labels(labels.clone())?;
        }
        if let Some(split) = dataset.split() {
            out = out.with_split(split.clone())?;
        }
        let names = dataset.features().and_then(|features| features.names());
        match (features, dataset.features()) {
            (Some(matrix), _) => {
                let mut released = Features::new(matrix);
                if let Some(names) = names {
                    released = released.with_names(names.to_vec())?;
                }
                out = out.with_features(released)?;
            }
            (None, Some(raw)) if self.features.public_features => {
                out = out.with_features(raw.clone())?;
            }
            _ => {}
        }
        Ok(out)
    }

    fn published_as_it_is(&self, dataset: &Dataset) -> Vec<Unprotected> {
        let mut lines = Vec::new();
        if let Some(features) = dataset.features().filter(|_| self.features.public_features) {
            let columns = counted(features.columns(), "column", "columns");
            let what = format!("the features of every node: {columns}");
            lines.push(Unprotected::part(Part::Features, what));
        }
        if let Some(labels) = dataset.labels() {
            let classes = counted(labels.class_count(), "class", "classes");
            let what = format!("the labels of every node: {classes}");
            lines.push(Unprotected::part(Part::Labels, what));
        }
        if dataset.split().is_some() {
            lines.push("which nodes are for training, validation and testing".into());
        }
        lines
    }
}
