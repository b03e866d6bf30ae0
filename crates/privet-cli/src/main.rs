//! The command `privet`.

use std::process::ExitCode;

fn main() -> ExitCode {
    privet_cli::run(privet_cli::parse())
}
