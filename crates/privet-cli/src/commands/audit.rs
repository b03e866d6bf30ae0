//! `privet audit`: try to break every claim; what papers print; the faults that the audits must notice.

use privet_graph::Error;
use privet_lab::audit::mechanisms::{self, Audit};
use privet_lab::audit::printed;

use crate::audited::{Audited, Claim, Statement};
use crate::console::Console;
use crate::failure::{Failure, Result};
use crate::faults::Faults;
use crate::style::counted;

/// What to try.
#[derive(Debug)]
pub enum Plan {
    /// The claims of these mechanisms.
    Claims(Vec<Audit>),
    /// What papers print.
    Printed,
    /// Nothing: list the mistakes that can be switched on in a development build.
    Faults,
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
    /// If an audit cannot be carried out, a claim is broken, or a printed claim holds that should not.
    pub fn run(self, console: &Console) -> Result<()> {
        let found = match self {
            Self::Claims(audits) => try_claims(&audits, console)?,
            Self::Printed => try_printed(console)?,
            Self::Faults => return console.answer(&Faults::declared()),
        };
        console.answer(&found)?;
        match found.failures() {
            0 => Ok(()),
            count => Err(Failure::data(match found {
                Audited::Claims { .. } => counted(count, "claim is broken", "claims are broken"),
                Audited::Printed { .. } => {
                    counted(count, "printed claim holds", "printed claims hold")
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

fn try_printed(console: &Console) -> Result<Audited> {
    let mut statements = Vec::new();
    for printed in printed::all() {
        let _alive = console.spinner(format!("looking at printed claim {}", printed.number));
        statements.push(Statement::of(printed.number, printed.claim, (printed.run)()?));
    }
    Ok(Audited::Printed { printed: statements })
}
