//! Commands that this build was made without: absent from help, and answered by how to get them.

use std::ffi::OsString;

/// Whatever follows the name of a command that is not there.
#[derive(Debug, clap::Args)]
pub struct MissingCommand {
    /// Words that are not read
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<OsString>,
}

/// The steps of `privet collect` that need the collector.
#[cfg(not(feature = "collector"))]
#[derive(Debug, clap::Subcommand)]
pub enum MissingService {
    /// Not in this build
    #[command(name = "serve", aliases = ["invite", "status", "close", "export", "demo"])]
    #[command(hide = true, disable_help_flag = true)]
    Service(MissingCommand),
}
