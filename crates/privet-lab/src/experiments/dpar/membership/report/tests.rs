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
