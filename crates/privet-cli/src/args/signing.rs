//! Who issues a card, and who checks that.

use std::path::PathBuf;

use privet::privacy::card::CardKey;

use crate::failure::Result;

/// The key of the issuer of cards.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Signing {
    /// Key file that signs the card or checks its signature (at least 16 bytes)
    #[arg(long, value_name = "FILE", env = "PRIVET_KEY_FILE", hide_env_values = true)]
    pub key: Option<PathBuf>,
}

impl Signing {
    /// The key, if one was named.
    ///
    /// # Errors
    /// If it cannot be read, or is too short.
    pub fn key(&self) -> Result<Option<CardKey>> {
        Ok(self.key.as_deref().map(CardKey::read).transpose()?)
    }
}
