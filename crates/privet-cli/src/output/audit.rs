//! [`AuditOutput`]: what the audits found, beside what was claimed.

use std::io::{self, Write};

use privet::privacy::fault;
use privet_lab::audit::Finding;
use privet_lab::audit::repeat::AuditTally;
use serde::Serialize;

use crate::output::console::Answer;
use crate::output::style::{BAD, FAINT, GOOD, STRONG, counted, real};
use crate::output::table::{Align, TextCell, TextTable};

/// What the audits found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum AuditOutput {
    /// About the mechanisms that ship.
    Claims {
        /// One line per setting tried.
        claims: Vec<AuditedClaim>,
        /// The probability that a true claim is called broken.
        false_alarm: f64,
    },
    /// About the audits themselves, with many seeds.
    Repeated {
        /// What the seeds follow from.
        seed: u64,
        /// One line each.
        audits: Vec<AuditTally>,
        /// The probability that a true claim is called broken in any of the runs.
        false_alarm: f64,
    },
    /// About what papers print.
    Printed {
        /// One line each.
        printed: Vec<Statement>,
    },
}

/// A claim that was tried.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AuditedClaim {
    /// The mechanism or accountant.
    pub name: &'static str,
    /// Whether it held.
    pub holds: bool,
    /// What was measured.
    #[serde(flatten)]
    pub finding: Finding,
}

/// What a paper prints, beside what is true.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Statement {
    /// Its number in the catalogue of claims.
    pub number: u32,
    /// What is printed.
    pub claim: &'static str,
    /// Whether it is true; none should be.
    pub holds: bool,
    /// What was measured.
    #[serde(flatten)]
    pub finding: Finding,
}

impl AuditedClaim {
    /// What was found about a mechanism.
    pub fn of(name: &'static str, finding: Finding) -> Self {
        Self { name, holds: finding.holds(), finding }
    }
}

impl Statement {
    /// What was found about a printed claim.
    pub fn of(number: u32, claim: &'static str, finding: Finding) -> Self {
        Self { number, claim, holds: finding.holds(), finding }
    }
}

impl AuditOutput {
    /// What one run found.
    pub fn claims(claims: Vec<AuditedClaim>) -> Self {
        let false_alarm = claims.iter().map(|claim| claim.finding.false_alarm()).sum();
        Self::Claims { claims, false_alarm }
    }

    /// What many runs found.
    pub fn repeated(seed: u64, audits: Vec<AuditTally>) -> Self {
        let false_alarm = audits.iter().map(|tally| tally.false_alarm).sum();
        Self::Repeated { seed, audits, false_alarm }
    }

    /// Broken claims of ours, or printed ones that hold after all.
    pub fn failures(&self) -> usize {
        match self {
            Self::Claims { claims, .. } => claims.iter().filter(|claim| !claim.holds).count(),
            Self::Repeated { audits, .. } => audits.iter().map(|tally| tally.alarms).sum(),
            Self::Printed { printed } => printed.iter().filter(|line| line.holds).count(),
        }
    }
}

impl Answer for AuditOutput {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let (heading, rows): (_, Vec<_>) = match self {
            Self::Claims { claims, .. } => {
                let heading = ["mechanism", "setting", "claimed", "measured", "verdict"];
                (heading, claims.iter().map(AuditedClaim::cells).collect())
            }
            Self::Repeated { audits, .. } => {
                let heading = ["audit", "runs", "settings", "false alarms", "closest to a claim"];
                (heading, audits.iter().map(tallied).collect())
            }
            Self::Printed { printed } => {
                let heading = ["claim", "as printed", "printed", "true", "verdict"];
                (heading, printed.iter().map(Statement::cells).collect())
            }
        };
        let [name, setting, number] = [Align::Left, Align::Left, Align::Right];
        let mut table = TextTable::new([name, setting, number, number, Align::Left]);
        table.row(heading.map(|name| TextCell::styled(name, FAINT)));
        let total = rows.len();
        rows.into_iter().for_each(|row| table.row(row));
        table.write(out, 0)?;
        let well = total.saturating_sub(self.failures());
        match self {
            Self::Claims { false_alarm, .. } => {
                let settings = counted(total, "setting", "settings");
                writeln!(out, "\n{STRONG}{well}{STRONG:#} of {settings} within the claim")?;
                writeln!(out, "{FAINT}{}{FAINT:#}", chance_of_alarm(*false_alarm))?;
                writeln!(out, "{FAINT}An audit can refute a claim. It cannot prove one.{FAINT:#}")
            }
            Self::Repeated { seed, audits, false_alarm } => {
                let runs = audits.iter().map(|tally| tally.runs).max().unwrap_or(0);
                let alarms = counted(self.failures(), "false alarm", "false alarms");
                writeln!(out, "\n{STRONG}{alarms}{STRONG:#} in {runs} runs from seed {seed}")?;
                writeln!(out, "{FAINT}{}{FAINT:#}", chance_of_alarm(*false_alarm))?;
                writeln!(
                    out,
                    "{FAINT}Exact audits run once: they do not depend on a seed.{FAINT:#}"
                )
            }
            Self::Printed { .. } => {
                writeln!(out, "\n{STRONG}{well}{STRONG:#} of {total} printed claims are not true")
            }
        }
    }
}

/// How far an alarm of these audits can be trusted.
fn chance_of_alarm(probability: f64) -> String {
    match probability {
        0.0 => "Everything was computed exactly: no false alarm is possible.".into(),
        _ => format!(
            "Probability of a false alarm if every claim is true: at most {probability:.1e}."
        ),
    }
}

impl AuditedClaim {
    fn cells(&self) -> [TextCell; 5] {
        let [claimed, measured] = numbers(&self.finding);
        let verdict = match (self.holds, self.finding.is_tight()) {
            (false, _) => TextCell::styled("BROKEN", BAD),
            (true, true) => TextCell::styled("tight", GOOD),
            (true, false) => TextCell::styled("holds", GOOD),
        };
        [TextCell::new(self.name), TextCell::new(&self.finding.subject), claimed, measured, verdict]
    }
}

fn tallied(tally: &AuditTally) -> [TextCell; 5] {
    let alarms = match tally.alarms {
        0 => TextCell::styled("0", GOOD),
        some => TextCell::styled(some.to_string(), BAD),
    };
    let [runs, settings] =
        [tally.runs.to_string(), tally.settings.to_string()].map(|count| TextCell::new(&count));
    [TextCell::new(tally.audit), runs, settings, alarms, TextCell::new(real(tally.closest))]
}

impl Statement {
    fn cells(&self) -> [TextCell; 5] {
        let [claimed, measured] = numbers(&self.finding);
        let verdict = match self.holds {
            true => TextCell::styled("HOLDS", BAD),
            false => TextCell::new("not true"),
        };
        let number = TextCell::styled(self.number.to_string(), FAINT);
        [number, TextCell::new(self.claim), claimed, measured, verdict]
    }
}

fn numbers(finding: &Finding) -> [TextCell; 2] {
    [finding.claimed, finding.measured].map(|number| TextCell::new(real(number)))
}

// `Faults`: the mistakes that can be switched on in a development build, and who notices each.

/// All faults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Faults {
    /// Whether this build can switch one on.
    pub possible: bool,
    /// One line each.
    pub faults: Vec<FaultResult>,
}

/// One fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FaultResult {
    /// What `PRIVET_FAULT` calls it.
    pub id: String,
    /// What it is a fault of.
    pub of: &'static str,
    /// What is wrong.
    pub wrong: &'static str,
    /// Where it was seen.
    pub seen: &'static str,
    /// The audits that notice it.
    pub audits: &'static str,
    /// The tests that notice it.
    pub tests: &'static str,
}

impl Faults {
    /// As they are declared.
    pub fn declared() -> Self {
        let line = |declared: &fault::FaultEntry| {
            let fault::Catchers { audits, tests } = declared.caught_by;
            let (id, wrong) = (declared.id(), declared.wrong());
            FaultResult { id, of: declared.of, wrong, seen: declared.seen, audits, tests }
        };
        Self { possible: fault::POSSIBLE, faults: fault::ALL.iter().map(line).collect() }
    }
}

impl Answer for Faults {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut table = TextTable::new([Align::Left, Align::Left, Align::Left]);
        table.row(["of", "fault", "noticed by"].map(|name| TextCell::styled(name, FAINT)));
        for line in &self.faults {
            let noticed = match line.audits {
                "" => format!("test {}", line.tests.replace(',', ", ")),
                audits => format!("audit {audits}"),
            };
            table.row([
                TextCell::styled(line.of, FAINT),
                TextCell::new(line.wrong),
                TextCell::new(&noticed),
            ]);
        }
        table.write(out, 0)?;
        writeln!(out, "\n{STRONG}{}{STRONG:#} faults", self.faults.len())?;
        let how = match self.possible {
            true => "PRIVET_FAULT=<id> switches one on here; `cargo xtask faults` tries them all",
            false => {
                "this build cannot break itself; `cargo xtask faults` makes one that can and tries them all"
            }
        };
        writeln!(out, "{FAINT}{how}; what each showed: docs/faults.md{FAINT:#}")
    }
}
