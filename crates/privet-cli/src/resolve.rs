//! [`Plan`]: what is meant. Names have been looked up, contradictions found; nothing is read yet.

use std::path::Path;

use clap::CommandFactory;
use privet::data::catalog::{self, Entry};

use crate::args::{
    Args, Attack, Audit, Command, Convert, Data, Fetch, GenerateOutput, List, Model, Run, Verify,
};
use crate::catalog_facts::Detail;
use crate::commands::{
    account, attack_hetero_rr, attack_membership, attack_poison, audit, data_convert, data_fetch,
    data_generate, data_info, data_list, demo, embed, protect, publish, reproduce, run_dpar,
    run_dprr, run_hetero_rr, run_ldp_ge, tune, verify,
};
use crate::console::Console;
use crate::failure::Result;
use crate::fetch::Existing;
use crate::output::Target;
use crate::source::Source;

/// A command, ready to run.
#[derive(Debug)]
pub enum Plan {
    /// Take the tour.
    Demo(demo::Plan),
    /// Show the catalog.
    List(data_list::Plan),
    /// Show what is in something.
    Info(data_info::Plan),
    /// Download benchmarks.
    Fetch(data_fetch::Plan),
    /// Make a graph.
    Generate(data_generate::Plan),
    /// Read one format, write another.
    Convert(data_convert::Conversion),
    /// Randomise something.
    Protect(Box<protect::Plan>),
    /// Publish a graph.
    Publish(Box<publish::Plan>),
    /// Propagate features.
    Embed(Box<embed::Plan>),
    /// Run LDP-GE.
    RunLdpGe(Box<run_ldp_ge::Plan>),
    /// Run DPAR.
    RunDpar(Box<run_dpar::Plan>),
    /// Run DPRR.
    RunDprr(Box<run_dprr::Plan>),
    /// Poison it.
    AttackPoison(Box<attack_poison::Plan>),
    /// Attack DPAR's models.
    AttackMembership(Box<attack_membership::Plan>),
    /// Attack HeteroRR.
    AttackHeteroRr(Box<attack_hetero_rr::Plan>),
    /// Run HeteroRR.
    RunHeteroRr(Box<run_hetero_rr::Plan>),
    /// Price something.
    Account(account::Plan),
    /// Check a card.
    Verify(verify::Plan),
    /// Try to break claims.
    Audit(audit::Plan),
    /// Search settings.
    Tune(Box<tune::Plan>),
    /// Measure a figure again.
    Reproduce(reproduce::Plan),
    /// Print a completion script.
    Completions(clap_complete::Shell),
}

/// Finds out what is meant.
///
/// # Errors
/// If a name is unknown, or something is in the way.
pub fn resolve(command: Command, console: &Console) -> Result<Plan> {
    let data = match command {
        Command::Demo(typed) => return Ok(Plan::Demo(demo::Plan { seed: typed.seed })),
        Command::Completions { shell } => return Ok(Plan::Completions(shell)),
        Command::Account(typed) => return account::Plan::new(typed).map(Plan::Account),
        Command::Verify(typed) => return verify(typed).map(Plan::Verify),
        Command::Audit(typed) => return audit(&typed).map(Plan::Audit),
        Command::Protect(typed) => {
            return protect::Plan::new(*typed, console).map(Box::new).map(Plan::Protect);
        }
        Command::Publish(typed) => {
            return publish::Plan::new(*typed, console).map(Box::new).map(Plan::Publish);
        }
        Command::Embed(typed) => {
            return embed::Plan::new(*typed, console).map(Box::new).map(Plan::Embed);
        }
        Command::Run(Run::HeteroRr(typed)) => {
            let plan = run_hetero_rr::Plan::new(*typed, console);
            return plan.map(Box::new).map(Plan::RunHeteroRr);
        }
        Command::Run(Run::LdpGe(typed)) => {
            return run_ldp_ge::Plan::new(*typed, console).map(Box::new).map(Plan::RunLdpGe);
        }
        Command::Run(Run::Dpar(typed)) => {
            return run_dpar::Plan::new(*typed, console).map(Box::new).map(Plan::RunDpar);
        }
        Command::Run(Run::Dprr(typed)) => {
            return run_dprr::Plan::new(*typed, console).map(Box::new).map(Plan::RunDprr);
        }
        Command::Attack(typed) => {
            return attack(typed, console);
        }
        Command::Tune(typed) => {
            return tune::Plan::new(typed, console).map(Box::new).map(Plan::Tune);
        }
        Command::Reproduce(typed) => {
            return reproduce::Plan::new(*typed, console).map(Plan::Reproduce);
        }
        Command::Data(data) => data,
    };
    match *data {
        Data::List(typed) => list(typed).map(Plan::List),
        Data::Info(typed) => {
            let source = Source::find(&typed.input, typed.reading, console)?;
            Ok(Plan::Info(data_info::Plan { source }))
        }
        Data::Fetch(typed) => fetch(typed).map(Plan::Fetch),
        Data::Generate(typed) => {
            let (model, output) = typed.split();
            generate(model, &output).map(Plan::Generate)
        }
        Data::Convert(typed) => convert(typed, console).map(Plan::Convert),
    }
}

impl Plan {
    /// Does it.
    ///
    /// # Errors
    /// If it cannot be done; see [`crate::failure`].
    pub fn run(self, console: &Console) -> Result<()> {
        match self {
            Self::Demo(plan) => plan.run(console),
            Self::List(plan) => plan.run(console),
            Self::Info(plan) => plan.run(console),
            Self::Fetch(plan) => plan.run(console),
            Self::Generate(plan) => plan.run(console),
            Self::Convert(plan) => plan.run(console),
            Self::Protect(plan) => plan.run(console),
            Self::Publish(plan) => plan.run(console),
            Self::Embed(plan) => plan.run(console),
            Self::RunLdpGe(plan) => plan.run(console),
            Self::RunDpar(plan) => plan.run(console),
            Self::RunDprr(plan) => plan.run(console),
            Self::AttackPoison(plan) => plan.run(console),
            Self::AttackMembership(plan) => plan.run(console),
            Self::AttackHeteroRr(plan) => plan.run(console),
            Self::RunHeteroRr(plan) => plan.run(console),
            Self::Account(plan) => plan.run(console),
            Self::Verify(plan) => plan.run(console),
            Self::Audit(plan) => plan.run(console),
            Self::Tune(plan) => plan.run(console),
            Self::Reproduce(plan) => plan.run(console),
            Self::Completions(shell) => {
                let mut script = Vec::new();
                clap_complete::generate(shell, &mut Args::command(), "privet", &mut script);
                Ok(std::io::Write::write_all(&mut std::io::stdout(), &script)?)
            }
        }
    }
}

fn attack(typed: Attack, console: &Console) -> Result<Plan> {
    match typed {
        Attack::Poison(typed) => {
            attack_poison::Plan::new(*typed, console).map(Box::new).map(Plan::AttackPoison)
        }
        Attack::LinkTeller(typed) => attack_hetero_rr::Plan::link_teller(*typed, console)
            .map(Box::new)
            .map(Plan::AttackHeteroRr),
        Attack::Membership(typed) => {
            attack_membership::Plan::new(*typed, console).map(Box::new).map(Plan::AttackMembership)
        }
        Attack::Reconstruct(typed) => attack_hetero_rr::Plan::reconstruct(*typed, console)
            .map(Box::new)
            .map(Plan::AttackHeteroRr),
    }
}

fn verify(typed: Verify) -> Result<verify::Plan> {
    let words = if typed.explain { verify::Words::Explain } else { verify::Words::Verdict };
    let key = typed.signing.key()?;
    Ok(verify::Plan { card: typed.card, ledgers: typed.ledgers, key, words })
}

fn audit(typed: &Audit) -> Result<audit::Plan> {
    match (typed.printed, typed.faults) {
        (true, _) => Ok(audit::Plan::Printed),
        (_, true) => Ok(audit::Plan::Faults),
        _ => audit::Plan::of(typed.name.as_deref(), typed.repeat),
    }
}

fn list(typed: List) -> Result<data_list::Plan> {
    let long = typed.long || !typed.names.is_empty();
    let entries = match typed.names.as_slice() {
        [] => catalog::entries().collect(),
        names => find_all(names)?,
    };
    let folders = catalog::data_dirs(typed.data_dir.data_dir.as_deref());
    let detail = if long { Detail::Files } else { Detail::Summary };
    Ok(data_list::Plan { entries, folders, detail })
}

fn fetch(typed: Fetch) -> Result<data_fetch::Plan> {
    let select = |name: &String| Ok(catalog::select(name)?);
    let selections = typed.names.iter().map(select).collect::<Result<Vec<_>>>()?;
    let existing = if typed.force { Existing::Replace } else { Existing::Keep };
    Ok(data_fetch::Plan { selections, to: typed.to, mirror: typed.mirror, existing })
}

fn find_all(names: &[String]) -> Result<Vec<&'static Entry>> {
    let mut found: Vec<&'static Entry> = Vec::new();
    for name in names {
        let entry = catalog::find(name)?;
        if !found.iter().any(|other| other.name == entry.name) {
            found.push(entry);
        }
    }
    Ok(found)
}

fn generate(model: Model, output: &GenerateOutput) -> Result<data_generate::Plan> {
    let target = output.output.as_deref().filter(|path| *path != Path::new("-"));
    let target = target.map(|path| Target::new(path, output.to, output.overwrite)).transpose()?;
    Ok(data_generate::Plan { model, target })
}

fn convert(typed: Convert, console: &Console) -> Result<data_convert::Conversion> {
    let source = Source::find(&typed.input, typed.reading, console)?;
    let target = Target::new(&typed.output, typed.to, typed.overwrite)?;
    Ok(data_convert::Conversion { source, target })
}
