//! `privet data convert IN OUT`.
//!
//! Another format of something released is post-processing: a card beside the input goes on to the output, issued
//! anew for its files.

use std::path::Path;

use privet::data::formats::Format;
use privet::data::formats::write::write_to;
use privet::graph::files::is_standard;
use privet::graph::{Error, LoadedData};
use privet::privacy::Card;

use crate::args::Convert;
use crate::cardfile;
use crate::console::Console;
use crate::failure::Result;
use crate::output::{Target, WrittenData};
use crate::source::Source;

/// Reads, then writes.
///
/// # Errors
/// If either fails, the format cannot hold everything that was read, or a card beside the input was issued for something
/// else.
pub(super) fn run(typed: Convert, console: &Console) -> Result<()> {
    let source = Source::find(&typed.input, typed.reading, console)?;
    if is_standard(&typed.output) || typed.output == Path::new("/dev/stdout") {
        return print(&source, typed.to, console);
    }
    let target = Target::new(&typed.output, typed.to, typed.overwrite)?;
    source.keep_apart(&[&target.path])?;
    let card = card(&source, console)?;
    let (loaded, _) = source.load(console)?;
    console.notices(loaded.notices());
    let written = {
        let _alive = console.spinner(format!("writing {}", target.path.display()));
        write(&target, &loaded, card)?
    };
    console.answer(&written)
}

/// Writes to standard output, where no card can stand beside it.
fn print(source: &Source, format: Option<Format>, console: &Console) -> Result<()> {
    if card(source, console)?.is_some() {
        console.note("standard output has no card: whoever reads it is not told what it protects");
    }
    let (loaded, _) = source.load(console)?;
    console.notices(loaded.notices());
    let mut out = std::io::BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    write_to(&loaded, format, &mut out).map_err(|error| match error {
        // Whoever read our output has seen enough.
        Error::Io { source, .. } if source.kind() == std::io::ErrorKind::BrokenPipe => {
            source.into()
        }
        error => error.into(),
    })
}

/// The card that holds for the output, if there is one.
fn card(source: &Source, console: &Console) -> Result<Option<Card>> {
    let found = source.path().map(cardfile::of_input).transpose()?.flatten();
    let Some((path, mut card)) = found else { return Ok(None) };
    if source.has_other_features() || source.has_other_labels() {
        console.note(&format!(
            "{} does not speak of the features or labels from files of their own: the output gets \
             no card",
            path.display()
        ));
        return Ok(None);
    }
    card.subject = format!("converted: {}", card.subject);
    Ok(Some(card))
}

fn write(target: &Target, loaded: &LoadedData, card: Option<Card>) -> Result<WrittenData> {
    let Some(card) = card else { return target.write(loaded) };
    let mut rest = None;
    let (_, files) = cardfile::issue(&target.path, card, None, || {
        let written = target.write(loaded)?;
        let files = written.files.clone();
        rest = Some(written);
        Ok(files)
    })?;
    let retired = rest.as_ref().and_then(|written| written.retired.clone());
    let name = rest.map(|written| written.name).unwrap_or_default();
    Ok(WrittenData { name, files, retired })
}
