//! `privet tune ldp-ge -o DIR`: better settings, found on validation data.

use privet::request::RequestFields;
use privet::settings::name;
use privet::words::shell_word;
use privet_lab::experiments::trial::NamedData;
use privet_lab::experiments::tune::SearchFindings;

use super::reproduce::{check_folder, in_folder, reading_options};
use crate::args::TuneLdpGe;
use crate::commands::source::Source;
use crate::failure::Result;
use crate::output::console::Console;

/// Runs what is missing of a search, writes the report and the best settings.
///
/// # Errors
/// If something is in the way, data cannot be read, a run fails, or something cannot be written.
pub(super) fn run(typed: TuneLdpGe, console: &Console) -> Result<()> {
    // Refused now, not after a minute of reading.
    typed.request.validate()?;
    let command = command(&typed);
    let reading = reading_options(&typed.reading);
    let named = format!("--dataset {} {reading}", shell_word(&typed.dataset));
    let named = named.trim_end();
    let folder = &typed.output;
    check_folder(folder)?;
    super::project::refuse_table(&typed.dataset)?;
    let source = Source::find(&typed.dataset, typed.reading.clone(), console)?;
    source.keep_apart(&[folder])?;
    let dataset = source.load(console)?.0.into_nodes()?;
    let search = typed.request.search(NamedData::new(&typed.dataset, &dataset))?;
    let best = in_folder(console, "searching", folder, "ldp-ge/tune", typed.threads, |sweep| {
        SearchFindings::of(&search, named, command, sweep)
    })?;
    console.answer(&best.write(folder)?)
}

/// The command that makes the report again.
fn command(typed: &TuneLdpGe) -> String {
    let request = &typed.request;
    let reports = if request.tune_reports { " --tune-reports" } else { "" };
    let ceiling = if request.ceiling { " --ceiling" } else { "" };
    format!(
        "privet tune ldp-ge --dataset {} --task {} --epsilon {} --mechanism {} --decoding {} --trials {} \
         --runs {} --seed {} --first-seed {}{ceiling}{reports} {}-o DIR",
        shell_word(&typed.dataset),
        name(&request.task),
        request.epsilon,
        request.mechanism,
        name(&request.decoding),
        request.trials,
        request.runs,
        request.seed,
        request.first_seed,
        reading_options(&typed.reading)
    )
}
