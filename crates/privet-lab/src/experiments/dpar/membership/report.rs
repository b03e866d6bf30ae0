//! An attack on several systems as a [`Report`]: every rate beside its ceiling.

use privet::dpar::Mode;

use super::{AttackTarget, MembershipAttack, MembershipOutcome, RATES};
use crate::attacks::Ceiling;
use crate::attacks::roc::RateEstimate;
use crate::report::summary::{fixed, plain};
use crate::report::{
    Axis, Block, Cell, Plot, PlotPoint, Reference, Report, Section, Series, Style, Table,
};

const MEANING: &str = "The attacker knows the features, classes and connections of all people and all settings, trains shadow \
    models of the same kind, and is asked of each target whether it was in the training graph. TPR is the share \
    of those inside that are recognised while so many of those outside are mistaken for them (FPR). In brackets: the \
    95 % interval over models; then the ceiling, the most that any attack can reach by the true guarantee (of the card, \
    and of the same noise at smaller epsilons with larger deltas).";

const HUMBLE: &str = "An attack that finds nothing proves nothing: the ceilings hold for every attack, this one is \
    one of them, on targets drawn at random.";

/// What was found, in a sentence.
pub fn verdict(sought: AttackTarget, outcomes: &[MembershipOutcome]) -> String {
    let what = match sought {
        AttackTarget::People => "a person",
        AttackTarget::Connections => "a connection",
    };
    let named = |shows: bool| {
        let chosen = outcomes.iter().filter(|outcome| (outcome.auc.low > 0.5) == shows);
        chosen.map(|outcome| outcome.method).collect::<Vec<_>>().join(", ")
    };
    let parts = [("It shows in", named(true)), ("It does not show in", named(false))];
    let parts = parts.iter().filter(|(_, names)| !names.is_empty());
    let told: Vec<String> = parts.map(|(words, names)| format!(" {words}: {names}.")).collect();
    format!("Does it show whether {what} was in the training graph?{}", told.concat())
}

/// All outcomes as a table.
pub fn table(outcomes: &[MembershipOutcome]) -> Table {
    let told: Vec<f64> = RATES
        .into_iter()
        .filter(|rate| outcomes.iter().any(|row| at(row, *rate).is_some()))
        .collect();
    let heads = ["method", "accuracy", "true epsilon", "AUC"].map(String::from).into_iter();
    let heads = heads.chain(told.iter().map(|rate| format!("TPR at FPR {rate}")));
    let mut table =
        Table::new("Membership inference, by likelihood ratios of shadow models", heads);
    for row in outcomes {
        let mut cells: Vec<Cell> = vec![
            row.method.into(),
            Cell::percent(row.accuracy),
            epsilon(row).into(),
            cell(row.auc, row.ceilings.auc(), row.printed.map(Ceiling::auc)).into(),
        ];
        for &rate in &told {
            cells.push(match at(row, rate) {
                Some(found) => {
                    let printed = row.printed.map(|printed| printed.true_positive_rate(rate));
                    cell(found, row.ceilings.true_positive_rate(rate), printed).into()
                }
                None => Cell::missing("too few trials"),
            });
        }
        table.push(cells);
    }
    table
}

fn at(row: &MembershipOutcome, rate: f64) -> Option<RateEstimate> {
    row.rates.iter().find(|(of, _)| *of == rate).map(|(_, found)| *found)
}

fn epsilon(row: &MembershipOutcome) -> String {
    let of = |ceiling: Ceiling| match ceiling.epsilon.is_finite() {
        true => plain((1e3 * ceiling.epsilon).ceil() / 1e3),
        false => "none".into(),
    };
    match row.printed {
        None => match &row.condition {
            None => of(row.ceiling),
            Some(on) => format!("{} if {on}", of(row.ceiling)),
        },
        Some(printed) => format!("{} (printed {})", of(row.ceiling), of(printed)),
    }
}

/// `0.512 [0.490, 0.530], at most 0.731`.
fn cell(found: RateEstimate, most: f64, printed: Option<f64>) -> String {
    let [value, low, high, most] =
        [found.value, found.low, found.high, most].map(|number| fixed(number, 3));
    let printed =
        printed.map_or_else(String::new, |most| format!(" (printed: {})", fixed(most, 3)));
    format!("{value} [{low}, {high}], at most {most}{printed}")
}

/// What the attack finds, beside the most that any can find.
fn picture(outcomes: &[MembershipOutcome]) -> Plot {
    let names = outcomes.iter().map(|outcome| outcome.method);
    let found = (0..).zip(outcomes).map(|(at, outcome)| {
        let RateEstimate { value, low, high } = outcome.auc;
        PlotPoint { x: f64::from(at), y: value, low: Some(low), high: Some(high) }
    });
    let most = (0..).zip(outcomes).map(|(at, outcome)| (f64::from(at), outcome.ceilings.auc()));
    let found = Series {
        name: "found".into(),
        points: found.collect::<Vec<PlotPoint>>(),
        style: Style::Bars,
    };
    let guessing = Reference { name: "guessing".into(), y: 0.5, low: None, high: None };
    Plot::new("What the attack finds", Axis::categories("", names), Axis::share("AUC"))
        .with(found)
        .with(Series::new("the most that the guarantee leaves", Style::Scatter, most))
        .with_line(guessing)
}

/// Writes it up.
pub fn report(
    attack: &MembershipAttack<'_>,
    mode: Mode,
    outcomes: &[MembershipOutcome],
    command: &str,
) -> Report {
    let what = match attack.sought {
        AttackTarget::People => "people",
        AttackTarget::Connections => "connections",
    };
    let title =
        format!("Membership of {what} in the training graph of {}", attack.data.dataset.name());
    let mut report = Report::new(title, verdict(attack.sought, outcomes));
    report.command = command.into();
    report.threat_model.secret.push("which of the targets were in the training graph".into());
    let public = ["everything else about all people", "all settings and the trained model"];
    report.threat_model.public.extend(public.map(String::from));
    let mut blocks = vec![
        Block::Plot(picture(outcomes)),
        Block::Table(table(outcomes)),
        Block::Text(MEANING.into()),
        Block::Text(HUMBLE.into()),
        Block::Warning(
            "A simulation: noise was replayed from seeds. It gives no protection.".into(),
        ),
    ];
    if mode == Mode::Paper {
        let warning =
            "Noise as printed: the ceiling of the printed epsilon is not one, the other is.";
        blocks.push(Block::Warning(warning.into()));
    }
    report.sections.push(Section::new("Results", blocks));
    report.settings = vec![
        ("targets".into(), attack.targets.to_string()),
        ("shadows".into(), attack.shadows.to_string()),
        ("seed".into(), attack.seed.to_string()),
    ];
    report
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attacks::Ceilings;

    fn outcome(method: &'static str, (low, value, high): (f64, f64, f64)) -> MembershipOutcome {
        let ceiling = Ceiling { epsilon: 1.0, delta: 0.0 };
        MembershipOutcome {
            method,
            ceiling,
            ceilings: Ceilings(vec![ceiling]),
            condition: None,
            printed: None,
            auc: RateEstimate { value, low, high },
            rates: vec![(0.1, RateEstimate { value: 0.12, low: 0.08, high: 0.16 })],
            accuracy: 0.75,
            targets: 10,
            trials: 80,
        }
    }

    /// A person shows if the whole interval is above one half, however high the estimate.
    #[test]
    fn what_shows_is_what_the_interval_says() {
        let found = outcome("em0", (0.55, 0.6, 0.65));
        let unclear = outcome("gap", (0.45, 0.6, 0.75));
        assert_eq!(
            verdict(AttackTarget::People, &[found, unclear]),
            "Does it show whether a person was in the training graph? It shows in: em0. It does not show in: gap."
        );
        let told = verdict(AttackTarget::Connections, &[]);
        assert_eq!(told, "Does it show whether a connection was in the training graph?");
    }

    fn texts(table: &Table, row: usize) -> Vec<String> {
        let text = |cell: &Cell| match cell {
            Cell::Text { text } => text.clone(),
            Cell::Number { value, .. } => value.to_string(),
            Cell::Missing { reason } => format!("none: {reason}"),
            other => panic!("{other:?}"),
        };
        table.rows[row].iter().map(text).collect()
    }

    /// The area under the ceiling of epsilon 1 is e / (1 + e) = 0.731; at a rate of 0.1 it leaves 0.1 e = 0.272.
    #[test]
    fn every_rate_stands_beside_its_ceiling() {
        let mut few = outcome("gap", (0.4, 0.5, 0.6));
        few.rates.clear();
        let table = table(&[outcome("em0", (0.55, 0.6, 0.65)), few]);
        // No method has enough guesses for the smaller rates, so these are no columns.
        assert_eq!(table.columns[4..], ["TPR at FPR 0.1"]);
        let cells = texts(&table, 0);
        assert_eq!(cells[..3], ["em0", "0.75", "1"]);
        assert_eq!(cells[3], "0.600 [0.550, 0.650], at most 0.731");
        assert_eq!(cells[4], "0.120 [0.080, 0.160], at most 0.272");
        assert_eq!(texts(&table, 1)[4], "none: too few trials");
    }

    #[test]
    fn a_printed_ceiling_stands_beside_the_true_one() {
        let mut row = outcome("gm", (0.5, 0.6, 0.7));
        row.ceiling.epsilon = 9.4561;
        row.printed = Some(Ceiling { epsilon: 0.0, delta: 0.0 });
        assert_eq!(epsilon(&row), "9.457 (printed 0)");
        let text = cell(row.auc, 0.9, row.printed.map(Ceiling::auc));
        assert_eq!(text, "0.600 [0.500, 0.700], at most 0.900 (printed: 0.500)");
        row.printed = None;
        row.condition = Some("no person has more than 3 friends".into());
        assert_eq!(epsilon(&row), "9.457 if no person has more than 3 friends");
        row.ceiling = Ceiling::NONE;
        row.condition = None;
        assert_eq!(epsilon(&row), "none");
    }
}
