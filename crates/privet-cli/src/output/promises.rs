//! What a card promises, on the screen: first who has no protection at all, then what one person pays in
//! all, then every guarantee with all its groups.

use std::io::{self, Write};

use privet::privacy::Card;
use privet::privacy::card::Guarantee;

use crate::output::style::{BAD, STRONG, printable};

/// Writes the promises of a card; `after` adds a line to each guarantee, by its position.
///
/// # Errors
/// If the stream fails.
pub fn write_promises(
    out: &mut dyn Write,
    card: &Card,
    mut after: impl FnMut(&mut dyn Write, usize, &Guarantee) -> io::Result<()>,
) -> io::Result<()> {
    for warning in card.warnings() {
        writeln!(out, "\n{BAD}{}{BAD:#}", printable(&warning))?;
    }
    for total in &card.totals {
        writeln!(
            out,
            "\n{STRONG}in all, for one person{STRONG:#}: {}",
            printable(&total.protects)
        )?;
        writeln!(out, "  {}", printable(&card.stated_total(total).to_string()))?;
    }
    for (at, guarantee) in card.guarantees.iter().enumerate() {
        writeln!(out, "\n{STRONG}protected{STRONG:#}: {}", printable(&guarantee.protects))?;
        let losses = guarantee.also.iter().map(|other| guarantee.stated_as(other));
        let (infinite, finite): (Vec<_>, Vec<_>) =
            losses.partition(|stated| !stated.loss.epsilon.is_finite());
        // What is not protected at all is read before any number that is small.
        for stated in infinite.iter().chain([&guarantee.stated()]) {
            writeln!(out, "  {}", printable(&stated.to_string()))?;
        }
        for group in &guarantee.groups {
            writeln!(out, "    {group}")?;
        }
        for stated in &finite {
            writeln!(out, "  {}", printable(&stated.to_string()))?;
        }
        after(out, at, guarantee)?;
    }
    Ok(())
}

/// The line that names what is not protected.
///
/// # Errors
/// If the stream fails.
pub fn write_unprotected(out: &mut dyn Write, card: &Card) -> io::Result<()> {
    writeln!(out, "{STRONG}NOT protected{STRONG:#}:")?;
    for what in &card.unprotected {
        writeln!(out, "  {}", printable(&what.what))?;
    }
    Ok(())
}
