//! A card of collected reports, computed again. There is no ledger to compute it from: each device keeps its own. What was
//! promised follows from the task alone.

use std::path::Path;

use serde::Serialize;

use super::promise;
use crate::cardfile::folder_of;
use crate::cardfile::verify::misplaced;
use crate::privacy::Card;
use crate::privacy::card::CardCheck;
use crate::protocol::SealedTask;
use crate::{Error, Result};

/// Whether a card at `path` says what its task promises, and the files beside it are those it was issued for.
///
/// # Errors
/// If the task is not what its collector signed.
pub fn check_card(card: &Card, task: &SealedTask, path: &Path) -> Result<CardCheck> {
    let (asked, _) = task.open()?;
    let follows = promise(&asked)?;
    let mut differences = card.changed_files(folder_of(path));
    differences.extend(misplaced(path, card));
    let mut compare = |what: &str, said: Result<bool>| {
        if !said? {
            differences.push(format!("{what}: not what follows from the task"));
        }
        Ok::<(), Error>(())
    };
    compare("subject", Ok(card.subject == follows.subject))?;
    compare("totals", same(&card.totals, &follows.totals))?;
    compare("guarantees", same(&card.guarantees, &follows.guarantees))?;
    compare("what is not protected", same(&card.unprotected, &follows.unprotected))?;
    let unchecked =
        vec!["that devices drew noise as the task says: each keeps its own account".into()];
    Ok(CardCheck { differences, unchecked, ..CardCheck::default() })
}

fn same(one: &impl Serialize, other: &impl Serialize) -> Result<bool> {
    let value = |error| Error::invalid("card", error, "what `privet` writes");
    let one = serde_json::to_value(one).map_err(value)?;
    Ok(one == serde_json::to_value(other).map_err(value)?)
}
