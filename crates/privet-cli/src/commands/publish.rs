//! `privet publish`: one private graph, for whatever comes.
//!
//! The order is the guarantee: read, check all that can be checked, charge both ledgers and wait until that
//! is on disk, draw noise, write. What fails before the charge costs nothing.

use std::path::{Path, PathBuf};

use privet::graph::{Dataset, Loaded};
use privet::hetero_rr::publish::Chain;
use privet::hetero_rr::{EdgeProtection, FeatureProtection, PrivateEdges, TreePlan, custody};
use privet::privacy::card::Key;
use privet::privacy::edges::hrg::PrivateNodes;
use privet::privacy::features::Settings;
use privet::publish::{Columns, FeaturePolicy, Publish, PublishedData, listed_edges, listed_nodes};
use privet::run::LedgerFile;
use privet::{LedgerStore, Noise, Run};
use privet_lab::experiments::structure::Utility;

use super::protect::target;
use crate::args::{self, EdgeOptions, FeatureOptions, PrivatePart};
use crate::cardfile::{self, beside};
use crate::console::Console;
use crate::failure::{Failure, Result};
use crate::output::{Target, refuse_existing, write_whole};
use crate::published::{Published as Answer, Report};
use crate::source::Source;

/// A graph to publish, where it goes, and who pays.
#[derive(Debug)]
pub struct Plan {
    source: Source,
    sample: Option<Source>,
    target: Target,
    private: PrivatePart,
    edges: EdgeOptions,
    features: FeatureOptions,
    run: Run<'static>,
    ledgers: Vec<PathBuf>,
    utility_report: Option<PathBuf>,
    key: Option<Key>,
    accepted: Vec<privet::doubts::Doubt>,
}

impl Plan {
    /// Finds out what is meant.
    ///
    /// # Errors
    /// If a name is unknown, numbers make no sense, or something is in the way.
    pub fn new(typed: args::Publish, console: &Console) -> Result<Self> {
        let target = target(&typed.output, typed.to, typed.overwrite)?;
        if let Some(path) = typed.utility_report.as_ref().filter(|_| !typed.overwrite) {
            refuse_existing(path, "replace it with --overwrite")?;
        }
        if let Some(path) = &typed.utility_report {
            cardfile::refuse_part_of_release(path)?;
        }
        let (run, ledgers) = run_of(&typed)?;
        let sample = typed.features.public_sample.as_deref();
        let sample = sample.map(|name| Source::find(name, typed.reading.clone(), console));
        Ok(Self {
            sample: sample.transpose()?,
            source: Source::find(&typed.input, typed.reading, console)?,
            target,
            private: typed.private,
            edges: typed.edges,
            features: typed.features,
            run,
            ledgers,
            utility_report: typed.utility_report,
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
        let publish = self.publish(&dataset, console)?;
        let (private, may_have) = (self.private_edges(&dataset)?, self.private_nodes(&dataset)?);
        self.announce(&dataset, console);
        let published = {
            let _alive = console.spinner("growing a tree of the public edges, and randomising");
            publish.run(&dataset, &private, may_have, &self.run)?
        };
        let utility = self.utility_report.as_ref().map(|path| {
            let _alive = console.spinner("comparing with the truth");
            let truth = custody::simple(dataset.graph())?;
            let seed = 1; // of walks and communities; it protects nobody
            let drawn = published.get().dataset.graph();
            Ok::<_, Failure>((path, Report::new(Utility::of(&truth, drawn, seed))))
        });
        let (PublishedData { dataset, grown }, card) = published.into_parts();
        let ledgers: Vec<String> =
            self.ledgers.iter().map(|path| path.display().to_string()).collect();
        let (card, mut files) = cardfile::issue(&self.target.path, card, self.key.as_ref(), || {
            let written = self.target.write(&Loaded::Nodes(dataset))?;
            written.retired.iter().for_each(|retired| console.note(retired));
            Ok(written.files)
        })
        .map_err(|failure| failure.charged(&ledgers))?;
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

    fn publish(&self, dataset: &Dataset, console: &Console) -> Result<Publish> {
        let options = &self.edges;
        let chain = Chain { share: options.tree_share, steps_per_node: options.private_steps };
        let tree =
            TreePlan { start: options.tree.into(), steps_per_node: options.public_steps, seed: 1 };
        let edges = EdgeProtection {
            method: options.method.with(chain),
            delta: options.delta,
            tree,
            wiring: options.wiring.into(),
            ..EdgeProtection::new(options.epsilon_edges)
        };
        let features = match (self.features.epsilon_features, self.features.public_features) {
            (Some(epsilon), _) => FeaturePolicy::Protected(self.rows(epsilon, dataset, console)?),
            (None, true) => FeaturePolicy::Public,
            (None, false) => FeaturePolicy::LeftOut,
        };
        Ok(Publish { edges, features, accepted: self.accepted.clone() })
    }

    fn rows(
        &self,
        epsilon: f64,
        dataset: &Dataset,
        console: &Console,
    ) -> Result<FeatureProtection> {
        let features = dataset.features().ok_or_else(|| {
            Failure::usage("there are no features to protect")
                .hint("give them with --features FILE, or leave out --epsilon-features")
        })?;
        let FeatureOptions { mechanism, bins, decoding, sensitive_columns, gamma, .. } =
            &self.features;
        let shared = !sensitive_columns.is_empty() || self.sample.is_some();
        if shared && mechanism != "feature-rr" {
            let message =
                "shares of the budget are for feature-rr: other mechanisms treat all alike";
            let hint = "leave out --sensitive-columns and --public-sample";
            return Err(Failure::usage(message).hint(hint));
        }
        let sample = self.sample.as_ref().map(|source| source.load(console));
        let sample = sample.transpose()?.map(|(loaded, _)| loaded.into_nodes()).transpose()?;
        let columns = Columns { sensitive: sensitive_columns.clone(), sample, gamma: *gamma };
        let theta = columns.shares(features)?;
        Ok(FeatureProtection {
            mechanism: mechanism.clone(),
            epsilon,
            settings: Settings { bins: *bins, theta, ..Settings::default() },
            decoding: (*decoding).into(),
        })
    }

    fn private_edges(&self, dataset: &Dataset) -> Result<PrivateEdges> {
        let PrivatePart { all_private, private_share, share_seed, private_edges, .. } =
            &self.private;
        match (all_private, private_share, private_edges) {
            (true, ..) => Ok(PrivateEdges::All),
            (_, Some(share), _) => Ok(PrivateEdges::Share { share: *share, seed: *share_seed }),
            (_, _, Some(path)) => Ok(listed_edges(path, dataset)?),
            _ => Err(Failure::usage("which edges are private is not known")
                .hint("list them with --private-edges FILE")),
        }
    }

    fn private_nodes(&self, dataset: &Dataset) -> Result<PrivateNodes> {
        match &self.private.private_nodes {
            Some(path) => Ok(listed_nodes(path, dataset)?),
            None => Ok(PrivateNodes::All),
        }
    }

    fn announce(&self, dataset: &Dataset, console: &Console) {
        console.announce(self.run.noise);
        let kept = self.features.epsilon_features.is_some() || self.features.public_features;
        if dataset.features().is_some() && !kept {
            console.note(
                "features are left out: protect them with --epsilon-features, or declare \
                 --public-features",
            );
        }
    }
}

/// The run, and the ledgers it charges; those that were not named must not be there yet.
fn run_of(typed: &args::Publish) -> Result<(Run<'static>, Vec<PathBuf>)> {
    let place = |given: Option<&Path>, kind: &str| {
        let path = given.map_or_else(|| beside(&typed.output, kind), Path::to_path_buf);
        if given.is_none() {
            let hint = format!("name it to charge it again: {}", path.display());
            refuse_existing(&path, &hint)?;
        }
        Ok::<_, Failure>(path)
    };
    let mut ledgers = Vec::new();
    let edges = place(typed.edges.edges_ledger.as_deref(), "edges.ledger")?;
    ledgers.push(edges.clone());
    let mut features = beside(&typed.output, "features.ledger");
    if typed.features.epsilon_features.is_some() {
        features = place(typed.features.features_ledger.as_deref(), "features.ledger")?;
        ledgers.push(features.clone());
    }
    let files = [("edges", edges), ("features", features)];
    let files = files.map(|(kind, path)| LedgerFile { kind, path, limit: None });
    let noise = typed.seed.map_or(Noise::OperatingSystem, Noise::Replay);
    let store = LedgerStore::Files(files.into());
    Ok((Run { noise, ledgers: store, ..Run::simulation(0) }, ledgers))
}
