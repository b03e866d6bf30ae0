//! The command `privet`, as a library so that its parts can be tested.
//!
//! [`parse`] gives [`Args`] (what was typed), and [`commands::run`] does it and prints a [`output::Answer`] (what
//! was found). Anything that goes wrong is a [`failure::Failure`].

pub mod args;
pub mod commands;
pub mod failure;
pub mod fetch;
pub mod hints;
pub mod interrupt;
pub mod output;
pub mod reference;
pub mod requests;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::sync::OnceLock;

use clap::Parser;

pub use args::Args;
use failure::Failure;
use output::Console;

/// Reads the command line; on nonsense, or a wish for help, says so and exits.
pub fn parse() -> Args {
    Args::parse()
}

/// Does what was typed.
pub fn run(typed: Args) -> ExitCode {
    ExitCode::from(done(typed))
}

/// Does what a program of another language was called with, its own name first, and gives the exit code. Nothing
/// exits before the caller can.
pub fn main_from(words: Vec<OsString>) -> u8 {
    let parsed = Args::try_parse_from(&words);
    // For reports; a second call keeps the first command.
    let _ = CALLED_WITH.set(words);
    let code = match parsed {
        Ok(typed) => done(typed),
        Err(told) => {
            // If even this cannot be written there is no channel left for messages.
            let _ = told.print();
            u8::try_from(told.exit_code()).unwrap_or(2)
        }
    };
    // An exit elsewhere does not flush what is still here.
    let _ = std::io::stdout().flush();
    code
}

/// What a caller of [`main_from`] was called with: the words of the process are those of another program.
static CALLED_WITH: OnceLock<Vec<OsString>> = OnceLock::new();

/// What was typed, the name of the program first.
pub fn typed_words() -> Vec<OsString> {
    CALLED_WITH.get().cloned().unwrap_or_else(|| std::env::args_os().collect())
}

fn done(typed: Args) -> u8 {
    std::panic::set_hook(Box::new(apologise));
    interrupt::listen();
    let console = Console::new(typed.speech);
    let done = commands::run(typed.command, &console);
    let told = |failure: Failure| {
        let failure = match hints::RunningCommand::of(&typed_words()) {
            Some(command) => failure.for_command(&command),
            None => failure,
        };
        failure.report(console.shows_values())
    };
    done.map_or_else(told, |()| 0)
}

/// Rust's own message for a panic is for programmers; this one is for users.
fn apologise(panic: &std::panic::PanicHookInfo<'_>) {
    let at = panic.location().map(|at| format!(" ({}:{})", at.file(), at.line()));
    let _ = writeln!(
        anstream::stderr(),
        "error: this is a mistake in privet itself, not in your data; sorry{}\n\
         hint: please report it with the command you ran; `privet --version` tells the version",
        at.unwrap_or_default()
    );
}
