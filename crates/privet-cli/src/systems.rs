//! What `privet run SYSTEM` means on data that is in memory: the system that was typed, beside what it is compared with,
//! and what a release of it must ask before anything is charged. For the commands, and for other languages.

use clap::{Args as _, Command, CommandFactory, Parser};
use privet::doubts::{Doubt, Price};
use privet::dpar::{Dpar, Held, Mode};
use privet::dprr::{GraphLearner, Reporting};
use privet::graph::{Dataset, Fact, GraphSet};
use privet::hetero_rr::{EdgeProtection, EdgeUse, FeatureProtection, PrivateEdges};
use privet::ldp_ge::Protection;
use privet::privacy::Loss;
use privet::protect::public_scale;
use privet::publish::listed_edges;
use privet_lab::experiments::dpar::{DparTrial, Hidden};
use privet_lab::experiments::dprr::DprrTrial;
use privet_lab::experiments::hetero_rr::{CalledPrivate, HeteroRrTrial};
use privet_lab::experiments::ldp_ge::LdpGeTrial;
use privet_lab::experiments::trial::{Data, Variant};

use crate::args::{
    self, Args, Reading, RunDpar, RunDprr, RunHeteroRr, RunLdpGe, TrialOptions, for_people,
};
use crate::failure::{Failure, Result};

/// What a release asks before it charges.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// What it may cost, by part.
    pub prices: Vec<Price>,
    /// What it shows beside what is randomised.
    pub shown: Vec<Fact>,
}

impl Asked {
    /// What the card must repeat.
    ///
    /// # Errors
    /// If a fact was read off the records, or a number would protect nobody.
    pub fn settle(&self, dataset: &Dataset, accepted: &[Doubt]) -> privet::Result<Vec<String>> {
        let mut lines = dataset.require_public(&self.shown)?;
        for price in &self.prices {
            lines.extend(price.settle(accepted)?);
        }
        Ok(lines)
    }
}

/// `privet` and these words, from a program of another language.
///
/// # Errors
/// If they make no sense.
pub fn command(words: &[String]) -> Result<args::Command> {
    let start = std::iter::once("privet".to_owned());
    match Args::try_parse_from(start.chain(words.iter().cloned())) {
        Ok(typed) => Ok(typed.command),
        Err(error) => Err(Failure::usage(in_one_line(&error.to_string()))),
    }
}

/// `privet run` and these words.
///
/// # Errors
/// If they make no sense.
pub fn typed(words: &[String]) -> Result<args::Run> {
    let words: Vec<String> =
        std::iter::once("run".to_owned()).chain(words.iter().cloned()).collect();
    match command(&words)? {
        args::Command::Run(run) => Ok(run),
        _ => Err(Failure::usage("not a system")),
    }
}

/// What clap says, without the usage of a command that nobody typed.
pub(crate) fn in_one_line(told: &str) -> String {
    let said = told.lines().take_while(|line| {
        !line.starts_with("Usage:") && !line.starts_with("For more information")
    });
    let words: Vec<&str> = said.flat_map(str::split_whitespace).collect();
    words.join(" ").trim_start_matches("error: ").to_owned()
}

/// A setting of a system: its name, its default if that does not depend on the rest, and its words.
pub type SettingLine = (String, Option<String>, String);

/// Everything that can be set about a command (`run ldp-ge`, `attack poison`, ...), but for its data, reports and files,
/// and for seeds where a system is run with several.
pub fn settings(command: &str) -> Vec<SettingLine> {
    let mut all = Args::command();
    all.build();
    let found = command.split(' ').try_fold(&all, |found, word| found.find_subcommand(word));
    let mut others = vec![args::Releasing::augment_args(Command::new(""))];
    // A plan reads nothing, and has columns and classes of its own.
    if command != "plan" {
        others.push(Reading::augment_args(Command::new("")));
    }
    if command.starts_with("run ") {
        others.push(TrialOptions::augment_args(Command::new("")));
    }
    let other = |id: &clap::Id| {
        let mut of_others = others.iter().flat_map(|command| command.get_arguments());
        of_others.any(|argument| argument.get_id() == id) || NOT_SETTINGS.contains(&id.as_str())
    };
    let line = |argument: &clap::Arg| {
        let name = argument.get_long()?.replace('-', "_");
        let default = argument.get_default_values().first().map(|v| v.to_string_lossy().into());
        let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
        Some((name, default, help))
    };
    let all = found.into_iter().flat_map(|command| command.get_arguments());
    all.filter(|argument| !argument.is_global_set() && !other(argument.get_id()))
        .filter_map(line)
        .collect()
}

/// Options that say what to do rather than how.
const NOT_SETTINGS: [&str; 11] = [
    "dataset", "task", "explain", "contrast", "help", "settings", "html", "cells", "output",
    "check", "threads",
];

/// LDP-GE.
///
/// # Errors
/// If the data lacks something, or a mechanism refuses its settings.
pub fn ldp_ge<'a>(typed: &RunLdpGe, dataset: &'a Dataset) -> Result<(LdpGeTrial<'a>, Asked)> {
    let RunLdpGe { dataset: name, task, epsilon, secrets, settings, volunteers, .. } = typed;
    let private = secrets.private(*task)?;
    let features = dataset.features().ok_or_else(|| {
        Failure::usage(format!("{name} has no features, which LDP-GE learns from"))
            .hint("give them with --features FILE")
    })?;
    let people = dataset.graph().node_count();
    let classes = dataset.labels().map_or(0, |labels| labels.class_count());
    let size = (people, features.columns(), classes);
    let system = settings.system(name, *task, *epsilon, secrets, size)?;
    if private.features {
        system.protection.features.mechanism(public_scale(features)?)?;
    }
    let (data, spill) = (Data::new(dataset.name(), dataset), typed.reading.spill());
    let trial = LdpGeTrial { data, task: *task, system, private, volunteers: *volunteers, spill };
    let Protection { features, label_epsilon, edges } = &trial.system.protection;
    let (mut asked, mut shown) = (Vec::new(), vec![Fact::Ids, Fact::Columns]);
    if trial.asks_for_features() {
        asked.push(features.limit()?);
    }
    if private.labels {
        asked.push(Loss::new(*label_epsilon, 0.0)?);
        shown.push(Fact::Classes);
    }
    if private.edges {
        asked.push(Loss::new(edges.epsilon, 0.0)?);
    }
    let prices = asked.into_iter().map(|asked| Price::once(people, asked)).collect();
    Ok((trial, Asked { prices, shown }))
}

/// DPAR, beside what it is compared with.
///
/// # Errors
/// If a number makes no sense, or the data lacks something.
pub fn dpar<'a>(typed: &RunDpar, dataset: &'a Dataset) -> Result<(DparTrial<'a>, Asked)> {
    let (system, asked) = dpar_alone(typed, dataset)?;
    let (data, hidden) = (Data::new(dataset.name(), dataset), typed.promise.relation);
    Ok((DparTrial::new(data, system, hidden, Held::Test)?, asked))
}

/// DPAR for these people. The model has a weight per column and class, so they show; where only connections are
/// hidden, features and classes are open anyway.
///
/// # Errors
/// If a number makes no sense.
pub fn dpar_alone(typed: &RunDpar, dataset: &Dataset) -> Result<(Dpar, Asked)> {
    let (promise, people) = (&typed.promise, dataset.graph().node_count());
    let columns = dataset.features().map_or(0, |features| features.columns());
    let method = typed.method(people, columns)?;
    let system = for_people(promise.system(method)?, promise.delta, people)?;
    let shown = match promise.relation {
        Hidden::NodeAbsent | Hidden::NodeReplace => vec![Fact::Columns, Fact::Classes],
        Hidden::EdgeDp => Vec::new(),
    };
    let limit = match system.mode {
        Mode::Rigorous => system.target,
        // The published noise has its own price, whatever was asked.
        Mode::Paper => Loss::new(f64::INFINITY, system.target.delta.get())?,
    };
    let prices = vec![Price { people, asked: system.target, limit }];
    Ok((system, Asked { prices, shown }))
}

/// How users of many graphs report.
///
/// # Errors
/// If a number makes no sense.
pub fn reporting(typed: &RunDprr) -> Result<Reporting> {
    let split = typed.split.over(typed.reports.split())?;
    let protection = Reporting { method: typed.mechanism, setting: typed.setting()?, split };
    protection.check()?;
    Ok(protection)
}

/// DPRR.
///
/// # Errors
/// If a number makes no sense.
pub fn dprr<'a>(typed: &'a RunDprr, set: &'a GraphSet) -> Result<(DprrTrial<'a>, Asked)> {
    let protection = reporting(typed)?;
    let (learner, asked) = (typed.learner.over(GraphLearner::default())?, typed.largest_epsilon());
    let data = Data::new(&typed.dataset, set);
    let trial = DprrTrial::new(data, protection.method, protection.setting.clone());
    let prices = vec![Price::once(set.node_count(), Loss::new(asked, 0.0)?)];
    let trial = DprrTrial { protection, reading: typed.reports, learner, ..trial };
    Ok((trial, Asked { prices, shown: vec![Fact::Ids] }))
}

/// HeteroRR.
///
/// # Errors
/// If a number makes no sense, or features are to be protected whose range was not declared.
pub fn hetero_rr<'a>(
    typed: &RunHeteroRr,
    dataset: &'a Dataset,
) -> Result<(HeteroRrTrial<'a>, Asked)> {
    let edges = typed.edges.over(EdgeProtection::new(typed.epsilon_edges))?;
    let graph = typed.edges_as == EdgeUse::Graph || typed.baselines;
    if !graph && edges != EdgeProtection::new(typed.epsilon_edges) {
        let message = "--method, --tree, --wiring, ... are about a published graph, and private edges are votes here";
        return Err(Failure::usage(message).hint("say --edges-as graph, or leave them out"));
    }
    let features = typed.epsilon_features.map(FeatureProtection::new);
    let baselines = match typed.baselines {
        true => vec![Variant::PrivHrg, Variant::EdgeRand, Variant::LapGraph],
        false => Vec::new(),
    };
    if let (Some(_), Some(features)) = (&features, dataset.features()) {
        public_scale(features)?;
    }
    let (mut asked, mut shown) = (vec![edges.limit()?], vec![Fact::Ids]);
    if let Some(how) = &features {
        asked.push(how.limit()?);
        shown.push(Fact::Columns);
    }
    let people = dataset.graph().node_count();
    let prices = asked.into_iter().map(|asked| Price::once(people, asked)).collect();
    let data = Data::new(dataset.name(), dataset);
    let trial = HeteroRrTrial::new(data, typed.private_share);
    let private = match &typed.private_edges {
        None => trial.private.clone(),
        Some(path) => match listed_edges(path, dataset)? {
            PrivateEdges::Listed(edges) => CalledPrivate::Listed(edges),
            PrivateEdges::All | PrivateEdges::Share { .. } => trial.private.clone(),
        },
    };
    let edges_as = typed.edges_as;
    let trial = HeteroRrTrial { private, edges_as, edges, features, baselines, ..trial };
    Ok((trial, Asked { prices, shown }))
}
