//! The command `privet`, as a library so that its parts can be tested.
//!
//! [`parse`] gives [`Args`] (what was typed), and [`commands::run`] does it and prints a [`console::Answer`] (what
//! was found). Anything that goes wrong is a [`failure::Failure`].

pub mod args;
pub mod audited;
pub mod cardfile;
pub mod catalog_facts;
pub mod commands;
pub mod compared;
pub mod console;
pub mod demo;
pub mod embedded;
pub mod evaluated;
pub mod facts;
pub mod failure;
pub mod faults;
pub mod fetch;
pub mod forecast;
pub mod heartbeat;
pub mod interrupt;
pub mod output;
pub mod priced;
pub mod promises;
pub mod protected;
pub mod published;
pub mod reproduced;
pub mod simulated;
pub mod source;
pub mod standing;
pub mod style;
pub mod table;
pub mod trained;
pub mod tuned;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

pub use args::Args;
use console::Console;
use failure::Failure;

/// Reads the command line; on nonsense, or a wish for help, says so and exits.
pub fn parse() -> Args {
    Args::parse()
}

/// Does what was typed.
pub fn run(typed: Args) -> ExitCode {
    std::panic::set_hook(Box::new(apologise));
    interrupt::listen();
    let console = Console::new(typed.speech);
    let done = commands::run(typed.command, &console);
    let told = |failure: Failure| failure.report(console.shows_values());
    done.map_or_else(told, |()| ExitCode::SUCCESS)
}

/// Rust's own words for a panic are for programmers; ours are for whoever met one.
fn apologise(panic: &std::panic::PanicHookInfo<'_>) {
    let at = panic.location().map(|at| format!(" ({}:{})", at.file(), at.line()));
    let _ = writeln!(
        anstream::stderr(),
        "error: this is a mistake in privet itself, not in your data; sorry{}\n\
         hint: please report it with the command you ran; `privet --version` tells the version",
        at.unwrap_or_default()
    );
}
