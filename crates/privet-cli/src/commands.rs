//! What each command does: finds out what is meant and what is in the way, then reads, works and answers.

mod account;
pub mod attack;
mod audit;
#[cfg(feature = "cluster")]
mod cluster;
mod collect;
mod count;
mod data;
mod demo;
pub(crate) mod embed;
mod own;
mod people;
mod plan;
mod project;
mod protect;
mod publish;
mod reproduce;
mod run_dpar;
mod run_dprr;
mod run_hetero_rr;
mod run_ldp_ge;
pub mod source;
mod trial;
mod tune;
mod verify;

use clap::CommandFactory;

#[cfg(feature = "cluster")]
use crate::args::Cluster;
use crate::args::{Args, Command, Run, Tune};
#[cfg(not(feature = "cluster"))]
use crate::failure::Failure;
use crate::failure::Result;
use crate::output::console::Console;

/// Does what was typed.
///
/// # Errors
/// If it cannot be done; see [`crate::failure`].
pub fn run(command: Command, console: &Console) -> Result<()> {
    match command {
        Command::Demo(typed) => demo::run(&typed, console),
        Command::Plan(typed) => plan::run(*typed, console),
        Command::Data(typed) => data::run(*typed, console),
        Command::Init(typed) => project::init(*typed, console),
        Command::Status(typed) => project::status(typed, console),
        Command::Train(typed) => project::train(*typed, console),
        Command::Predict(typed) => project::predict(*typed, console),
        Command::Evaluate(typed) => project::evaluate(*typed, console),
        Command::Count(typed) => count::run(*typed, console),
        Command::Forget(typed) => project::forget(typed, console),
        Command::Collect(typed) => collect::run(*typed, console),
        Command::Protect(typed) => protect::run(*typed, console),
        Command::Publish(typed) => publish::run(*typed, console),
        Command::Embed(typed) => embed::run(*typed, console),
        #[cfg(not(feature = "cluster"))]
        Command::Cluster(_) => Err(Failure::missing_feature("cluster")),
        #[cfg(feature = "cluster")]
        Command::Cluster(Cluster::Run(typed)) => cluster::run(*typed, console),
        Command::Run(Run::LdpGe(typed)) => run_ldp_ge::run(*typed, console),
        Command::Run(Run::Dpar(typed)) => run_dpar::run(*typed, console),
        Command::Run(Run::Dprr(typed)) => run_dprr::run(*typed, console),
        Command::Run(Run::HeteroRr(typed)) => run_hetero_rr::run(*typed, console),
        Command::Account(typed) => account::run(typed, console),
        Command::Verify(typed) => verify::run(typed, console),
        Command::Audit(typed) => audit::run(&typed, console),
        Command::Attack(typed) => attack::run(&typed, console),
        Command::Tune(Tune::LdpGe(typed)) => tune::run(*typed, console),
        Command::Tune(Tune::Project(typed)) => project::tune(*typed, console),
        Command::Reproduce(typed) => reproduce::run(*typed, console),
        Command::Own(typed) => own::run(typed, console),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Args::command(), "privet", &mut script);
            Ok(std::io::Write::write_all(&mut std::io::stdout(), &script)?)
        }
    }
}
