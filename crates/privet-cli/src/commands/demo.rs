//! `privet demo`: the four trust models on generated people.

use privet_lab::experiments::cells::Cells;
use privet_lab::tour::tour;

use super::trial::{typed_command, with_progress, write_html};
use crate::args::Demo;
use crate::failure::Result;
use crate::output::console::Console;
use crate::output::demo::TourOutput;
use crate::output::refuse_existing;

/// Takes the tour and shows it.
///
/// # Errors
/// If the page is in the way of something or cannot be written.
pub(super) fn run(typed: &Demo, console: &Console) -> Result<()> {
    if let Some(path) = &typed.html {
        refuse_existing(path, "name another file")?;
    }
    let threads = std::thread::available_parallelism().unwrap_or(std::num::NonZeroUsize::MIN);
    let mut cells = Cells::in_memory();
    let tour =
        with_progress(console, "touring", &mut cells, threads, |sweep| tour(typed.seed, sweep))?;
    let page = typed.html.as_deref();
    let html = page.map(|path| write_html(path, &tour.report(&typed_command()))).transpose()?;
    console.answer(&TourOutput { tour, scores_are_simulated: true, html })
}
