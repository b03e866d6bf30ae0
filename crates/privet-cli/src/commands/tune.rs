//! `privet tune ldp-ge -o DIR`: better settings, found on validation data.

use privet::settings::name;
use privet_lab::experiments::ldp_ge::reports::Reports;
use privet_lab::experiments::trial::{Data, Variant};
use privet_lab::experiments::tune::{self, Search, Tuned};

use super::reproduce::{check_folder, in_folder, reading_options};
use super::trial::shell_word;
use crate::args::TuneLdpGe;
use crate::console::Console;
use crate::failure::Result;
use crate::source::Source;
use crate::tuned::Best;

/// Runs what is missing of a search, writes the report and the best settings.
///
/// # Errors
/// If something is in the way, data cannot be read, a run fails, or something cannot be written.
pub(super) fn run(typed: TuneLdpGe, console: &Console) -> Result<()> {
    let command = command(&typed);
    let reading = reading_options(&typed.reading);
    let named = format!("--dataset {} {reading}", shell_word(&typed.dataset));
    let named = named.trim_end();
    let TuneLdpGe { dataset: name, epsilon, output: folder, mechanism, decoding, .. } = typed;
    check_folder(&folder)?;
    super::project::refuse_table(&name)?;
    let source = Source::find(&name, typed.reading, console)?;
    source.keep_apart(&[&folder])?;
    let dataset = source.load(console)?.0.into_nodes()?;
    let reports = Reports { mechanism, epsilon, k: None, decoding };
    let search = Search {
        trials: typed.trials as usize,
        runs: typed.runs,
        tuned: if typed.tune_reports { Tuned::CollectorAndReports } else { Tuned::Collector },
        seed: typed.seed,
        first_seed: typed.first_seed,
        variant: if typed.ceiling { Variant::Clear } else { Variant::Private },
        ..Search::new(Data::new(&name, &dataset), typed.task, reports)
    };
    search.check()?;
    let found = in_folder(console, "searching", &folder, "ldp-ge/tune", typed.threads, |sweep| {
        search.run(sweep)
    })?;
    let mut report = tune::report(&search, &found, named);
    report.command = command;
    let best = Best::new(&search, &found, report, named);
    console.answer(&best.write(&folder)?)
}

/// The command that makes the report again.
fn command(typed: &TuneLdpGe) -> String {
    let reports = if typed.tune_reports { " --tune-reports" } else { "" };
    let ceiling = if typed.ceiling { " --ceiling" } else { "" };
    format!(
        "privet tune ldp-ge --dataset {} --task {} --epsilon {} --mechanism {} --decoding {} --trials {} \
         --runs {} --seed {} --first-seed {}{ceiling}{reports} {}-o DIR",
        shell_word(&typed.dataset),
        name(&typed.task),
        typed.epsilon,
        typed.mechanism,
        name(&typed.decoding),
        typed.trials,
        typed.runs,
        typed.seed,
        typed.first_seed,
        reading_options(&typed.reading)
    )
}
