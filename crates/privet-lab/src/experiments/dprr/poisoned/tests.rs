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
    assert!(matches!(table.rows[1][2], Cell::Measured(lost) if (lost.mean + 0.2).abs() < 1e-12));
}
