use super::*;

fn guesses(scores: &[(f64, bool)]) -> Vec<Guess> {
    let guess = |(model, &(score, inside))| Guess { model, inside, score };
    scores.iter().enumerate().map(guess).collect()
}

#[test]
fn rates_by_hand() {
    let few = guesses(&[
        (9.0, true),
        (8.0, false),
        (7.0, true),
        (7.0, false),
        (6.0, true),
        (5.0, false),
        (4.0, true),
        (3.0, false),
    ]);
    assert_eq!(true_positive_rate(&few, 0.0), 0.25);
    assert_eq!(true_positive_rate(&few, 0.24), 0.25);
    assert_eq!(true_positive_rate(&few, 0.25), 0.25);
    // The tied pair comes together: two mistakes, two hits.
    assert_eq!(true_positive_rate(&few, 0.5), 0.75);
    assert_eq!(true_positive_rate(&few, 1.0), 1.0);
    // 9 beats four, 7 two and a half, 6 two, 4 one.
    assert!((area(&few) - 9.5 / 16.0).abs() < 1e-12, "{}", area(&few));
    assert!(!can_tell(&few, 0.01));
}

#[test]
fn intervals_hold_their_value() {
    let mut rng = SimRng::stream(3, 1);
    let many: Vec<Guess> = (0..2_000)
        .map(|at| {
            let inside = rng.random_range(0..2) == 1;
            let score = rng.random_range(0.0..1.0) + if inside { 0.2 } else { 0.0 };
            Guess { model: at / 50, inside, score }
        })
        .collect();
    // The probability that one uniform number plus 0.2 is above another: 1 - 0.8^2 / 2.
    let found = estimate(&many, 1, area);
    assert!(found.low < 0.68 && found.high > 0.68, "{found:?}");
    assert!(found.high - found.low < 0.08 && found.low <= found.value, "{found:?}");
    assert!(can_tell(&many, 0.01) && !can_tell(&many, 0.001));
}

/// All insiders above all outsiders, the other way round, and both mixed.
#[test]
fn areas_at_their_ends() {
    let perfect = guesses(&[(3.0, true), (2.0, true), (1.0, false)]);
    assert_eq!((area(&perfect), true_positive_rate(&perfect, 0.0)), (1.0, 1.0));
    let wrong = guesses(&[(1.0, true), (2.0, false)]);
    assert_eq!((area(&wrong), true_positive_rate(&wrong, 0.0)), (0.0, 0.0));
    assert_eq!(area(&guesses(&[(1.0, true), (2.0, true)])), 0.5);
    assert_eq!(area(&[]), 0.5);
    assert_eq!(true_positive_rate(&[], 0.5), 0.0);
    // All scores are equal: a coin toss.
    let same = guesses(&[(1.0, true), (1.0, false), (1.0, true), (1.0, false)]);
    assert_eq!((area(&same), true_positive_rate(&same, 0.9)), (0.5, 0.0));
}

#[test]
fn one_model_has_no_interval() {
    let alone: Vec<Guess> = guesses(&[(2.0, true), (1.0, false)])
        .into_iter()
        .map(|g| Guess { model: 7, ..g })
        .collect();
    let found = estimate(&alone, 1, area);
    assert!(found.value == 1.0 && found.low.is_nan() && found.high.is_nan());
}

/// Models are resampled, not guesses: where each model is all right or all wrong, the interval is as wide as two
/// models allow, however many guesses they make.
#[test]
fn guesses_of_one_model_stand_or_fall_together() {
    let of_model = |model: usize, right: bool| {
        (0..50).flat_map(move |_| {
            let score = |inside: bool| f64::from(u8::from(inside == right));
            [true, false].map(|inside| Guess { model, inside, score: score(inside) })
        })
    };
    let mixed: Vec<Guess> = of_model(0, true).chain(of_model(1, false)).collect();
    let found = estimate(&mixed, 1, area);
    assert_eq!((found.low, found.value, found.high), (0.0, 0.5, 1.0));
    assert_eq!(found, estimate(&mixed, 1, area), "the same seed, the same interval");
}
