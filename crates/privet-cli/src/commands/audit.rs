//! `privet audit`: try to break every claim; what papers print; the faults that the audits must notice.

use privet::privacy::noise::{NoiseRng, RandomWords};
use privet_lab::audit::mechanisms::{self, Audit};
use privet_lab::audit::repeat;
use privet_papers::printed;

use crate::args;
use crate::failure::{Failure, Result};
use crate::output::audit::Faults;
use crate::output::audit::{AuditOutput, AuditedClaim, Statement};
use crate::output::console::Console;
use crate::output::style::counted;

/// Runs what was asked for and shows what it found.
///
/// # Errors
/// If an audit cannot be carried out, a claim is broken, or a printed claim holds that should not.
pub(super) fn run(typed: &args::AuditArgs, console: &Console) -> Result<()> {
    if typed.faults {
        return console.answer(&Faults::declared());
    }
    let found = match (typed.printed, typed.repeat) {
        (true, _) => try_printed(console)?,
        (_, Some(runs)) => try_again(&mechanisms::named(typed.name.as_deref())?, runs, console)?,
        (_, None) => try_claims(&mechanisms::named(typed.name.as_deref())?, console)?,
    };
    console.answer(&found)?;
    match found.failures() {
        0 => Ok(()),
        count => Err(Failure::data(match found {
            AuditOutput::Claims { .. } => counted(count, "claim is broken", "claims are broken"),
            AuditOutput::Repeated { .. } => counted(count, "false alarm", "false alarms"),
            AuditOutput::Printed { .. } => {
                counted(count, "printed claim holds", "printed claims hold")
            }
        })),
    }
}

fn try_claims(audits: &[Audit], console: &Console) -> Result<AuditOutput> {
    let _alive = console.spinner(counted(audits.len(), "audit", "audits"));
    let found = repeat::once(audits, repeat::SEED)?;
    let claims = audits.iter().zip(found).flat_map(|(audit, findings)| {
        findings.into_iter().map(|finding| AuditedClaim::of(audit.name, finding))
    });
    Ok(AuditOutput::claims(claims.collect()))
}

fn try_again(audits: &[Audit], runs: u64, console: &Console) -> Result<AuditOutput> {
    let _alive =
        console.spinner(counted(runs as usize, "run of every audit", "runs of every audit"));
    let seed = NoiseRng::from_operating_system()?.next_release().into_stream().next_u64();
    Ok(AuditOutput::repeated(seed, repeat::repeat(audits, runs, seed)?))
}

fn try_printed(console: &Console) -> Result<AuditOutput> {
    let mut statements = Vec::new();
    for printed in printed::all() {
        let _alive = console.spinner(format!("looking at printed claim {}", printed.number));
        statements.push(Statement::of(printed.number, printed.claim, (printed.run)()?));
    }
    Ok(AuditOutput::Printed { printed: statements })
}
