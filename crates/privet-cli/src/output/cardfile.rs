//! Cards beside files, as the library writes them; what is half-written goes on Ctrl-C.

use std::path::Path;

use privet::privacy::Card;
use privet::privacy::card::CardKey;

pub use privet::cardfile::{
    OF_FOLDER, RetiredCard, beside, card_of, folder_of, issue_for_folder, of_input,
    refuse_part_of_release, retire,
};

use crate::failure::Result;
use crate::interrupt::HalfWritten;

/// Writes data by `write`, then the card, issued for exactly the files that were written.
///
/// # Errors
/// If either cannot be written; then there is no card.
pub fn issue(
    path: &Path,
    card: Card,
    key: Option<&CardKey>,
    write: impl FnOnce() -> Result<Vec<String>>,
) -> Result<(Card, Vec<String>)> {
    let _unfinished = HalfWritten::new(privet::cardfile::draft_of(path));
    privet::cardfile::issue(path, card, key, write)
}
