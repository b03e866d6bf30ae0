//! `privet self`: the program itself.

use std::path::PathBuf;

/// What can be done with the program itself.
#[derive(Debug, Clone, clap::Subcommand)]
pub enum ProgramCommand {
    /// Check that what it needs is here: randomness, folders, ledgers, room on the disk
    #[command(after_help = "Exit code 1 if something is broken. Nothing is written.\n\n\
        Example:\n  privet self check")]
    Check,
    /// Write a manual page for every command
    #[command(after_help = "Example:\n  privet self man ~/.local/share/man/man1")]
    Man {
        /// Folder to write to, created if absent
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Write the reference of the book
    #[command(hide = true)]
    Reference {
        /// Folder to write to, created if absent
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}
