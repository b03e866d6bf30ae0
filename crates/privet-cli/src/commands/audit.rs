//! `privet audit`: try to break every claim, and show that a broken one would be noticed.

use privet_graph::Error;
use privet_lab::audit::mechanisms::{self, Audit};
use privet_lab::audit::mutants;

use crate::audited::{Audited, Claim, Twin};
use crate::console::Console;
use crate::failure::{Failure, Result};
use crate::style::counted;

/// What to try.
#[derive(Debug)]
pub enum Plan {
    /// The claims of these mechanisms.
    Claims(Vec<Audit>),
    /// The audits themselves, on mechanisms that are broken on purpose.
    Mutants,
}

impl Plan {
    /// The audits of a name, or all.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn of(name: Option<&str>) -> Result<Self> {
        let all = mechanisms::all();
        let Some(name) = name else { return Ok(Self::Claims(all)) };
        match all.iter().find(|audit| audit.name == name) {
            Some(audit) => Ok(Self::Claims(vec![*audit])),
            None => {
                let known = all.iter().map(|audit| audit.name);
                Err(Error::unknown_name("audit", name, known).into())
            }
        }
    }

    /// Runs the audits and shows what they found.
    ///
    /// # Errors
    /// If an audit cannot be carried out, a claim is broken, or a mutant slips through.
    pub fn run(self, console: &Console) -> Result<()> {
        let found = match self {
            Self::Claims(audits) => try_claims(&audits, console)?,
            Self::Mutants => try_mutants(console)?,
        };
        console.answer(&found)?;
        match found.failures() {
            0 => Ok(()),
            count => Err(Failure::data(match found {
                Audited::Claims { .. } => counted(count, "claim is broken", "claims are broken"),
                Audited::Mutants { .. } => {
                    counted(count, "mutant slipped through", "mutants slipped through")
                }
            })),
        }
    }
}

fn try_claims(audits: &[Audit], console: &Console) -> Result<Audited> {
    let mut claims = Vec::new();
    for audit in audits {
        let _alive = console.spinner(format!("auditing {}", audit.name));
        let findings = (audit.run)()?;
        claims.extend(findings.into_iter().map(|finding| Claim::of(audit.name, finding)));
    }
    Ok(Audited::Claims { claims })
}

fn try_mutants(console: &Console) -> Result<Audited> {
    let mut twins = Vec::new();
    for mutant in mutants::all() {
        let _alive = console.spinner(format!("auditing mutant {}", mutant.number));
        twins.push(Twin::of(mutant.number, mutant.mutation, (mutant.run)()?));
    }
    Ok(Audited::Mutants { mutants: twins })
}
