//! An attack, with and without defences, beside no attack, over the same seeds.

use privet::dprr::{Attack, Defence, Poisoning};
use privet::learn::metrics::{PairedComparison, Summary};
use serde::Serialize;

use super::{DprrTrial, HONEST_FLAGGED, Lists, MALICIOUS_FLAGGED};
use crate::error::Error;
use crate::experiments::cells::Sweep;
use crate::experiments::trial::compare::{Arm, measure};
use crate::experiments::trial::{TEST, Variant};
use crate::report::summary::fixed;
use crate::report::{
    Axis, Block, Cell, MeasuredValue, Plot, Reference, Report, Section, Series, Style, Table,
};

/// What happened in a row of the comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PoisonedRow {
    /// What was done.
    pub name: String,
    /// Accuracy on test graphs.
    pub test: Summary,
    /// Minus that without attack and defence, seed by seed.
    pub lost: PairedComparison,
    /// The share of honest users flagged.
    pub honest_flagged: Summary,
    /// The share of malicious users flagged.
    pub malicious_flagged: Summary,
}

/// No attack, and the attack under every defence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PoisoningTrial {
    /// What malicious users do.
    pub attack: Attack,
    /// How many of the users they are.
    pub share: f64,
    /// The rows: no attack, noise only, no attack under every defence, then the attack under every defence.
    pub outcomes: Vec<PoisonedRow>,
    /// The accuracy of the largest class.
    pub majority: Summary,
}

/// Runs everything with every seed.
///
/// # Errors
/// The first that a run met, or that there are no seeds.
pub fn compare(
    honest: &DprrTrial<'_>,
    poisoning: Poisoning,
    defences: &[Defence],
    seeds: &[u64],
    sweep: &mut Sweep<'_>,
) -> Result<PoisoningTrial, Error> {
    let none = || privet::Error::invalid("runs", seeds.len(), "at least 1");
    let mut rows = vec![
        ("no attack".to_owned(), honest.clone()),
        ("no attack, noise only".to_owned(), DprrTrial { lists: Lists::Empty, ..honest.clone() }),
    ];
    // What a defence costs where all users are honest.
    for &defence in defences.iter().filter(|&&defence| defence != Defence::None) {
        let name = format!("no attack, defence {}", defence.name());
        rows.push((name, DprrTrial { defence, ..honest.clone() }));
    }
    for &defence in defences {
        let name = format!("attack, defence {}", defence.name());
        rows.push((name, DprrTrial { poisoning: Some(poisoning), defence, ..honest.clone() }));
    }
    let points: Vec<Arm<'_, DprrTrial<'_>>> =
        rows.iter().map(|(_, trial)| (trial, Variant::Private)).collect();
    let scores = measure(&points, seeds, sweep).map_err(Error::of_system)?;
    let values = |row: usize, name: &str| -> Vec<f64> {
        scores[row].iter().filter_map(|scores| scores.get(name)).collect()
    };
    let outcome = |(row, (name, _)): (usize, &(String, DprrTrial<'_>))| {
        Some(PoisonedRow {
            name: name.clone(),
            test: Summary::of(&values(row, TEST))?,
            lost: PairedComparison::of(&values(row, TEST), &values(0, TEST))?,
            honest_flagged: Summary::of(&values(row, HONEST_FLAGGED))?,
            malicious_flagged: Summary::of(&values(row, MALICIOUS_FLAGGED))?,
        })
    };
    let outcomes: Option<Vec<PoisonedRow>> = rows.iter().enumerate().map(outcome).collect();
    let majority: Vec<f64> =
        seeds.iter().map(|&seed| honest.majority(seed)).collect::<privet::Result<_>>()?;
    Ok(PoisoningTrial {
        attack: poisoning.attack,
        share: poisoning.share,
        outcomes: outcomes.ok_or_else(none)?,
        majority: Summary::of(&majority).ok_or_else(none)?,
    })
}

impl PoisoningTrial {
    fn mean(&self, name: &str) -> Option<f64> {
        self.outcomes.iter().find(|row| row.name == name).map(|row| row.test.mean)
    }

    /// How much of what the attack cost a defence wins back, in words.
    pub fn verdict(&self) -> String {
        let points = |share: f64| fixed(100.0 * share, 1);
        let (Some(before), Some(after)) =
            (self.mean("no attack"), self.mean("attack, defence none"))
        else {
            return "Nothing to compare with.".into();
        };
        let lost = before - after;
        let mut told = format!("The attack costs {} points of accuracy.", points(lost));
        let defended = self.outcomes.iter().filter(|row| row.name.starts_with("attack, defence"));
        for row in defended.filter(|row| row.name != "attack, defence none") {
            let name = row.name.trim_start_matches("attack, defence ");
            let back = row.test.mean - after;
            let share = if lost > 0.0 {
                format!(" ({} % of it)", fixed(100.0 * back / lost, 0))
            } else {
                String::new()
            };
            told += &format!(
                " {name} wins back {} points{share}, flagging {} % of the honest and {} % of the \
                 malicious users.",
                points(back),
                points(row.honest_flagged.mean),
                points(row.malicious_flagged.mean)
            );
        }
        told
    }

    /// All rows as a table.
    pub fn table(&self) -> Table {
        let columns =
            ["", "test accuracy", "minus no attack", "honest flagged", "malicious flagged"];
        let mut table = Table::new("Mean ± deviation over seeds", columns);
        for row in &self.outcomes {
            let cells: [Cell; 5] = [
                row.name.as_str().into(),
                MeasuredValue::share(&row.test).into(),
                MeasuredValue::percent(&row.lost.difference).into(),
                MeasuredValue::share(&row.honest_flagged).into(),
                MeasuredValue::share(&row.malicious_flagged).into(),
            ];
            table.push(cells);
        }
        let missing = || Cell::missing("none were judged");
        let largest: [Cell; 5] = [
            "largest class".into(),
            MeasuredValue::share(&self.majority).into(),
            missing(),
            missing(),
            missing(),
        ];
        table.push(largest);
        table
    }

    /// What is left of the accuracy, with and without the attack.
    fn picture(&self) -> Plot {
        let names = self.outcomes.iter().map(|row| row.name.clone());
        let tests: Vec<MeasuredValue> =
            self.outcomes.iter().map(|row| MeasuredValue::share(&row.test)).collect();
        let (names, tests) =
            (Axis::categories("", names), Series::measured("test accuracy", Style::Bars, &tests));
        Plot::new("What is left of the accuracy", names, Axis::percent("test accuracy"))
            .with(tests)
            .with_line(Reference::measured("largest class", &MeasuredValue::share(&self.majority)))
    }

    /// The same as a report.
    pub fn report(&self, trial: &DprrTrial<'_>, command: &str) -> Report {
        let title =
            format!("{} by {} of the users of {}", self.attack, self.share, trial.data.name);
        let mut report = Report::new(title, self.verdict());
        report.command = command.into();
        report.threat_model.secret.push("the neighbour list of every user".into());
        let public = ["who is in which graph", "the class of each graph"];
        report.threat_model.public.extend(public.map(String::from));
        report.threat_model.not_protected.push("the classes of graphs".into());
        report.sections.push(Section::new(
            "Results",
            [
                Block::Plot(self.picture()),
                Block::Table(self.table()),
                Block::Warning(
                    "A simulation: noise was replayed from seeds. It gives no protection.".into(),
                ),
            ],
        ));
        report.settings = super::settings(trial);
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, test: f64, honest: f64, malicious: f64) -> PoisonedRow {
        let twice = |value: f64| Summary::of(&[value, value]).unwrap();
        PoisonedRow {
            name: name.into(),
            test: twice(test),
            lost: PairedComparison::of(&[test, test], &[0.8, 0.8]).unwrap(),
            honest_flagged: twice(honest),
            malicious_flagged: twice(malicious),
        }
    }

    fn poisoned(attacked: f64, defended: f64) -> PoisoningTrial {
        PoisoningTrial {
            attack: Attack::ALL_ONES,
            share: 0.3,
            outcomes: vec![
                row("no attack", 0.8, 0.0, 0.0),
                row("attack, defence none", attacked, 0.0, 0.0),
                row("attack, defence threshold", defended, 0.05, 0.9),
            ],
            majority: Summary::of(&[0.5, 0.5]).unwrap(),
        }
    }

    /// 20 points lost, 15 won back: three quarters.
    #[test]
    fn what_a_defence_wins_back_is_a_share_of_what_was_lost() {
        assert_eq!(
            poisoned(0.6, 0.75).verdict(),
            "The attack costs 20.0 points of accuracy. threshold wins back 15.0 points (75 % of it), \
         flagging 5.0 % of the honest and 90.0 % of the malicious users."
        );
        let harmless = poisoned(0.8, 0.8).verdict();
        assert!(!harmless.contains("% of it"), "nothing was lost: {harmless}");
        let nothing = PoisoningTrial { outcomes: Vec::new(), ..poisoned(0.6, 0.7) };
        assert_eq!(nothing.verdict(), "Nothing to compare with.");
    }

    #[test]
    fn the_largest_class_stands_below_all_rows() {
        let table = poisoned(0.6, 0.75).table();
        assert_eq!(table.rows.len(), 4);
        assert!(table.rows.iter().all(|row| row.len() == table.columns.len()));
        assert_eq!(table.rows[3][0], Cell::from("largest class"));
        assert_eq!(table.rows[3][4], Cell::missing("none were judged"));
        assert!(
            matches!(table.rows[1][2], Cell::Measured(lost) if (lost.mean + 0.2).abs() < 1e-12)
        );
    }
}
