//! [`ReleaseFolder`]: a release and everything made from it, in a new folder of two parts.
//!
//! `share/` may be shared: card, ledgers, and what was made from releases alone. `private/` may not:
//! scores that were measured on the raw data. Each part says so in a file of its own.
//!
//! Ledgers are there first: charged and on disk before noise is drawn, and whatever happens afterwards, a
//! charge that was written stays, as it does where data are protected. Everything else is made in a folder of
//! another name and moved when all is done, the card last: without a card a folder is only an account.

use std::path::{Path, PathBuf};

use super::{Releasable, SplitData};
use crate::cardfile::issue_for_folder;
use crate::data::formats::write::temporary;
use crate::privacy::Card;
use crate::privacy::card::CardKey;
use crate::saved::{TemporaryFolder, move_in};
use crate::{Error, LedgerStore, Result, Run};

/// What may be shared, and what may not.
const SHARE: &str = "share";
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
pub struct ReleaseFolder {
    path: PathBuf,
    unfinished: PathBuf,
}

/// A release that was made.
#[derive(Debug)]
pub struct FilledFolder {
    /// The folder that may be shared.
    pub share: PathBuf,
    /// The folder with what was measured on the raw data: not to be shared.
    pub private: PathBuf,
    /// The card, issued for all of the first.
    pub card: Card,
}

impl ReleaseFolder {
    /// A folder that a release will fill.
    ///
    /// # Errors
    /// If something is in the way.
    pub fn new(path: &Path) -> Result<Self> {
        let refused = |what: &str| Error::Refused {
            message: format!("{}: refused: {what}", path.display()),
            remedy: "name a new folder",
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
            return Err(Error::file(parent, "there is no such folder"));
        }
        let unfinished =
            temporary(path).ok_or_else(|| refused("it has no name to be made under"))?;
        Ok(Self { path: path.into(), unfinished })
    }

    /// Where it will be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is there meanwhile: a program that is stopped takes it away.
    pub fn unfinished(&self) -> &Path {
        &self.unfinished
    }

    /// Makes the release of a system, all of it, or only what was charged. The card repeats what is true on the user's
    /// word, and is signed with the key; `run` says where noise comes from, and ledgers are in the part to share.
    /// `measured` writes what was measured on the raw data into the other part.
    ///
    /// # Errors
    /// Those of the release, and what the disk says; what was charged is named.
    pub fn fill<R: Releasable>(
        &self,
        release: &R,
        input: SplitData<'_, R::Data>,
        run: &Run<'_>,
        on_whose_word: &[String],
        key: Option<&CardKey>,
        measured: impl FnOnce(&Card, &Path) -> Result<()>,
    ) -> Result<FilledFolder> {
        let failed = |error: std::io::Error| Error::file(&self.path, error);
        let _failed = TemporaryFolder(&self.unfinished);
        let [share, private] = [SHARE, PRIVATE].map(|part| self.unfinished.join(part));
        for folder in [&share, &private, &self.share()] {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let ledgers = LedgerStore::Folder(self.share());
        let run = Run { ledgers, ..run.clone() };
        let accounts = run.ledgers.accounts();
        let make = || -> Result<Card> {
            let card = release.write(input, &run, &share)?;
            let card = on_whose_word.iter().cloned().fold(card, Card::with_unprotected);
            measured(&card, &private)?;
            std::fs::write(share.join(NOTE), SHARE_NOTE).map_err(failed)?;
            std::fs::write(private.join(NOTE), PRIVATE_NOTE).map_err(failed)?;
            let card = issue_for_folder(&share, card, key)?;
            std::fs::rename(&private, self.path.join(PRIVATE)).map_err(failed)?;
            move_in(&share, &self.share()).map_err(failed)?;
            Ok(card)
        };
        let card = make().map_err(|error| match accounts.charged() {
            // An account without charges goes; what was charged stays and is told.
            ledgers if ledgers.is_empty() => {
                let _ = std::fs::remove_dir(self.share());
                let _ = std::fs::remove_dir(&self.path);
                error
            }
            ledgers => Error::Charged { error: Box::new(error), ledgers },
        })?;
        Ok(FilledFolder { share: self.share(), private: self.path.join(PRIVATE), card })
    }

    fn share(&self) -> PathBuf {
        self.path.join(SHARE)
    }
}
