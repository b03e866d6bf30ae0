//! What `privet run SYSTEM` means on data that is in memory: the system that was typed, beside what it is compared with.
//! For the commands, and for other languages.

use clap::{Args as _, Command, CommandFactory, Parser};
use privet::Facts;
use privet::dpar::HeldOut;
use privet::dprr::Dprr;
use privet::graph::GraphSet;
use privet::release::{DparRelease, HeteroRrRelease, LdpGeRelease, Releasable};
use privet::request::Request;
use privet_lab::experiments::dpar::DparTrial;
use privet_lab::experiments::dprr::DprrTrial;
use privet_lab::experiments::hetero_rr::HeteroRrTrial;
use privet_lab::experiments::ldp_ge::LdpGeTrial;
use privet_lab::experiments::trial::NamedData;

use crate::args::{self, Args, ReadingArgs, RunDpar, RunDprr, RunHeteroRr, RunLdpGe, TrialOptions};
use crate::failure::{Failure, Result};

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

/// What clap says, without the usage of a command that was not typed.
fn in_one_line(told: &str) -> String {
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
    let mut others = vec![args::ReleaseArgs::augment_args(Command::new(""))];
    // A plan reads nothing, and has columns and classes of its own.
    if command != "plan" {
        others.push(ReadingArgs::augment_args(Command::new("")));
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
pub fn ldp_ge<'a>(typed: &RunLdpGe, data: impl Into<NamedData<'a>>) -> Result<LdpGeTrial<'a>> {
    let data = data.into();
    let dataset = data.dataset;
    // Presets go by the name that was typed.
    let facts = Facts { name: typed.dataset.to_string(), ..Facts::of(dataset) };
    let release = typed.request.resolve(&facts)?;
    release.asks(dataset)?;
    let LdpGeRelease { task, system, private, volunteers } = release;
    let spill = typed.reading.spill();
    Ok(LdpGeTrial { data, task, system, private, volunteers, spill })
}

/// DPAR, beside what it is compared with.
///
/// # Errors
/// If a number makes no sense, or the data lacks something.
pub fn dpar<'a>(typed: &RunDpar, data: impl Into<NamedData<'a>>) -> Result<DparTrial<'a>> {
    let data = data.into();
    let facts = DparRelease::facts_to_run(data.input())?;
    let DparRelease { system, relation } = typed.request.resolve(&facts)?;
    let learners = facts.learner_count();
    Ok(DparTrial::with_people(data, system, relation, HeldOut::Test, learners))
}

/// DPRR.
///
/// # Errors
/// If a number makes no sense.
pub fn dprr<'a>(typed: &'a RunDprr, set: &'a GraphSet) -> Result<DprrTrial<'a>> {
    let Dprr { protection, reading, learner } = typed.request.system()?;
    let data = NamedData::new(&typed.dataset, set);
    let trial = DprrTrial::new(data, protection.method, protection.setting.clone());
    Ok(DprrTrial { protection, reading, learner, ..trial })
}

/// HeteroRR.
///
/// # Errors
/// If a number makes no sense, or features are to be protected whose range was not declared.
pub fn hetero_rr<'a>(
    typed: &RunHeteroRr,
    data: impl Into<NamedData<'a>>,
) -> Result<HeteroRrTrial<'a>> {
    let data = data.into();
    let release = typed.request.resolve_on(data.dataset)?;
    release.asks(data.dataset)?;
    let HeteroRrRelease { private, edges_as, edges, features, learner } = release;
    let baselines = match typed.request.baselines {
        true => HeteroRrTrial::BASELINES.to_vec(),
        false => Vec::new(),
    };
    Ok(HeteroRrTrial { data, private, edges_as, edges, features, learner, baselines })
}
