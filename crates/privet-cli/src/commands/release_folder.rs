//! [`ReleaseFolder`]: a release and everything made from it, in a new folder of two parts.
//!
//! `share/` may leave the house: card, ledgers, and what was made from releases alone. `private/` may not:
//! the report, whose scores were measured on the raw data. Each part says so in a file of its own.
//!
//! Ledgers are there first: charged and on disk before noise is drawn, and whatever happens afterwards, a
//! charge that was written stays, as it does under `privet protect`. Everything else is made in a folder of
//! another name and moved when all is done, the card last: without a card a folder is only an account.

use std::path::{Path, PathBuf};

use privet::LedgerStore;
use privet::data::formats::write::temporary;
use privet::privacy::Card;
use privet::privacy::card::Key;
use privet::run::Accounts;
use privet::saved::{Discarded, move_in};
use privet_lab::report::Report;

use crate::cardfile::issue_for_folder;
use crate::failure::{Failure, Kind, Result};
use crate::interrupt::HalfWritten;
use crate::simulated::Released;

/// What may be shared, and what may not.
pub(super) const SHARE: &str = "share";
const PRIVATE: &str = "private";

/// The file in each part that says what the part is.
const NOTE: &str = "README.txt";
const SHARE_NOTE: &str = "\
May be shared: everything here was made from releases that the ledgers beside it were charged for, and
card.json says what that protects and what not. Check it: privet verify card.json --explain
";
const PRIVATE_NOTE: &str = "\
For the custodian alone: scores and pictures here were computed from the raw data. Do not share this folder.
";

/// A folder that is not there yet, or is empty.
#[derive(Debug)]
pub(super) struct ReleaseFolder {
    path: PathBuf,
    unfinished: PathBuf,
}

impl ReleaseFolder {
    pub(super) fn new(path: &Path) -> Result<Self> {
        let refused = |what: &str| {
            let message = format!("{}: refused: {what}", path.display());
            Failure::new(Kind::Refused, message).hint("name a new folder")
        };
        if path.symlink_metadata().is_ok() {
            let entries = std::fs::read_dir(path).map_err(|_| refused("it exists already"))?;
            if entries.count() > 0 {
                return Err(refused("it exists already and is not empty"));
            }
        }
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty())
            && !parent.is_dir()
        {
            return Err(Failure::data(format!("{}: there is no such folder", parent.display())));
        }
        let unfinished =
            temporary(path).ok_or_else(|| refused("it has no name to be made under"))?;
        Ok(Self { path: path.into(), unfinished })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the release and its report in the folder: all of it, or only what was charged. `make`
    /// gets the folder for ledgers and the one for everything else that may be shared; the card is
    /// issued for all of that.
    pub(super) fn fill(
        &self,
        key: Option<&Key>,
        make: impl FnOnce(&Path, &Path) -> Result<Card>,
        write_up: impl FnOnce(Card) -> Report,
    ) -> Result<(Released, Report)> {
        let failed =
            |error: std::io::Error| Failure::data(format!("{}: {error}", self.path.display()));
        let _interrupted = HalfWritten::new(&self.unfinished);
        let _failed = Discarded(&self.unfinished);
        let [share, private] = [SHARE, PRIVATE].map(|part| self.unfinished.join(part));
        for folder in [&share, &private, &self.share()] {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let store = LedgerStore::Folder(self.share());
        let accounts = store.accounts();
        let made = make(&self.share(), &share).and_then(|card| {
            let report = write_up(card.clone());
            report.write(&private)?;
            std::fs::write(share.join(NOTE), SHARE_NOTE).map_err(failed)?;
            std::fs::write(private.join(NOTE), PRIVATE_NOTE).map_err(failed)?;
            let card = issue_for_folder(&share, card, key)?;
            std::fs::rename(&private, self.path.join(PRIVATE)).map_err(failed)?;
            move_in(&share, &self.share()).map_err(failed)?;
            Ok((card, report))
        });
        let (card, report) = made.map_err(|failure| self.account_for(failure, accounts))?;
        let released =
            Released::new(&self.share(), &self.path.join(PRIVATE), card).map_err(failed)?;
        Ok((released, report))
    }

    fn share(&self) -> PathBuf {
        self.path.join(SHARE)
    }

    /// After a failure: what was charged stays and is told; an account without charges goes.
    fn account_for(&self, failure: Failure, accounts: Accounts<'_>) -> Failure {
        let charged = accounts.charged();
        if !charged.is_empty() {
            return failure.charged(&charged);
        }
        let _ = std::fs::remove_dir(self.share());
        let _ = std::fs::remove_dir(&self.path);
        failure
    }
}
