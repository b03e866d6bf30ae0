use super::*;
use crate::noise::NoiseRng;
use crate::noise::testing::{StrictWords, assert_fits, exp_minus_ball, rational};
use dashu::rational::RBig;

fn window(steps: u32, half_width: u32, epsilon: f64) -> WindowSampler {
    WindowSampler::new(steps, half_width, Budget::from_epsilon(epsilon).unwrap()).unwrap()
}

/// The words of each place, counted by their ends: as many for each place of a branch, and none
/// lost except fewer than there are places.
#[test]
fn words_are_dealt_out_evenly() {
    for (n, h, epsilon) in [(1, 0, 1.0), (16, 5, 0.1), (65_536, 33_566, 0.05), (7, 3, 42.0)] {
        let law = window(n, h, epsilon);
        let threshold = law.inside.coin.threshold();
        let counts = [u64::MAX - threshold, threshold];
        for (deal, count) in law.inside.deals.iter().zip(counts) {
            assert!(count - deal.dealt < deal.places);
            for place in [0, 1, deal.places / 2, deal.places - 1] {
                if deal.run == 0 || place >= deal.places {
                    continue;
                }
                let first = deal.first + place * deal.run;
                assert_eq!(deal.place(first), Some(place));
                assert_eq!(deal.place(first + (deal.run - 1)), Some(place));
            }
            let leftovers = (deal.first..=u64::MAX).skip(deal.dealt as usize);
            assert!(leftovers.take(3).all(|word| deal.place(word).is_none()));
        }
    }
}

proptest::proptest! {
    #[test]
    fn places_are_quotients(word in 0u64.., run in 1u64.., places in 1u64..1 << 31) {
        let run = run >> (run % 64);
        let run = (u64::MAX / places).min(run).max(1);
        let deal = Deal::new(0, run * places, places);
        let expected = (word / run < places).then_some(word / run);
        proptest::prop_assert_eq!(deal.place(word), expected);
    }
}

/// Every place of either branch, by feeding words that select it: the map from (branch, place)
/// to outputs is one to one onto the inside and the outside. Leftover words draw the place anew.
#[test]
fn each_output_is_one_place_of_the_right_branch() {
    for (n, h) in [(1i64, 0i64), (1, 1), (4, 2), (3, 7), (16, 5)] {
        let law = window(n as u32, h as u32, 1.0);
        for (input, inside) in (-n..=n).flat_map(|input| [(input, false), (input, true)]) {
            let deal = law.inside.deals[usize::from(inside)];
            let leftover = deal.first.wrapping_add(deal.dealt);
            let expected: Vec<i64> =
                (-(n + h)..=n + h).filter(|j| ((j - input).abs() <= h) == inside).collect();
            let mut direct: Vec<i64> = (0..deal.places)
                .map(|place| deal.first + place * deal.run + 99)
                .map(|word| law.draw(input, &mut StrictWords::new([word])))
                .collect();
            direct.sort_unstable();
            assert_eq!(direct, expected);
            if law.inside.coin.threshold() == leftover || leftover == 0 {
                continue; // nothing is left over, or the coin is open
            }
            let again = |place: u64| {
                ((u128::from(place) << 64).div_ceil(u128::from(deal.places))) as u64 + 99
            };
            let mut redrawn: Vec<i64> = (0..deal.places)
                .map(|place| law.draw(input, &mut StrictWords::new([leftover, again(place)])))
                .collect();
            redrawn.sort_unstable();
            assert_eq!(redrawn, expected);
        }
    }
}

/// The word at the threshold tosses the coin of the remainder.
#[test]
fn the_open_word_asks_the_coin() {
    let law = window(4, 2, 1.0);
    let open = law.inside.coin.threshold();
    let near = |words: [u64; 3]| (law.draw(4, &mut StrictWords::new(words)) - 4).abs() <= 2;
    // The second coin has a wide denominator, so it reads two words; zeros mean true.
    let mut words = StrictWords::new([open, 0, 0, 99]);
    assert!((law.draw(4, &mut words) - 4).abs() <= 2);
    assert_eq!(words.used(), 4);
    assert!(near([open - 1, 99, 99]) && !near([open + 1, 99, 99]));
}

/// Equal totals for all inputs; the ratio of weights is at most e^ε, in exact rationals.
#[test]
fn the_ratio_is_bounded_by_the_budget() {
    for epsilon in [2f64.powi(-40), 1e-6, 0.1, 1.0, 3.0, 10.0, 42.0, 64.0, 1000.0] {
        let (n, h) = (16, 8);
        let law = window(n as u32, h as u32, epsilon);
        for input in -n..=n {
            let weights = (-(n + h)..=n + h).map(|j| u128::from(law.weight(input, j)));
            assert_eq!(weights.clone().sum::<u128>(), law.total());
            assert!(weights.clone().min().unwrap() > 0);
        }
        let smallest = rational(law.outside.numerator().into(), Decay::UNIT.into());
        let x = RBig::try_from(Budget::from_epsilon(epsilon).unwrap().as_f64()).unwrap();
        assert!(smallest >= exp_minus_ball(&x).1);
    }
}

/// The coin for the window, exactly: `(2h+1)/Z` of the integer weights.
#[test]
fn moments_equal_the_sums_over_the_law() {
    for (n, h, epsilon) in [(16, 5, 0.1), (16, 8, 1.0), (40, 3, 3.0), (7, 20, 5.0)] {
        let law = window(n as u32, h as u32, epsilon);
        let total = law.total() as f64;
        for input in [-n, -n / 2, 0, 1, n] {
            let moment = |power| -> f64 {
                (-(n + h)..=n + h)
                    .map(|j| law.weight(input, j) as f64 / total * (j as f64).powi(power))
                    .sum()
            };
            let x = input as f64 / n as f64;
            assert!((moment(1) / n as f64 - law.shrinkage() * x).abs() < 1e-12);
            assert!((moment(2) / (n * n) as f64 - law.second_moment(input)).abs() < 1e-12);
        }
    }
}

/// The continuous values of the square wave, reached on a fine lattice.
#[test]
fn a_fine_lattice_is_the_square_wave() {
    let n = 1u32 << 16;
    for (epsilon, b, kappa, variance) in [
        (1.0, 0.512165875003, 0.367879441171, 3.797816),
        (2.0, 0.258674133492, 0.567667641618, 0.747783),
    ] {
        let law = window(n, (b * f64::from(n)).round() as u32, epsilon);
        assert!((law.shrinkage() - kappa).abs() < 1e-5);
        let unbiased = law.second_moment(0) / law.shrinkage().powi(2);
        assert!((unbiased / variance - 1.0).abs() < 1e-4);
    }
}

#[test]
fn drawn_reports_fit() {
    let mut noise = NoiseRng::replay(31).next_release().into_stream();
    let (n, h) = (5i64, 3i64);
    let law = window(5, 3, 1.5);
    for input in [-5, -1, 2, 5, 9] {
        let mut counts = vec![0u64; 17];
        for _ in 0..300_000 {
            counts[(law.draw(input, &mut noise) + n + h) as usize] += 1;
        }
        let weight = |j| law.weight(input.min(5), j) as f64 / law.total() as f64;
        let expected: Vec<f64> = (-8..=8).map(weight).collect();
        assert_fits(&counts, &expected);
    }
}

#[test]
fn the_ends_of_the_domain() {
    let budget = Budget::SMALLEST;
    assert!(WindowSampler::new(0, 1, budget).is_err());
    assert!(WindowSampler::new(1 << 31, 1, budget).is_err());
    assert!(WindowSampler::new(1, 1 << 31, budget).is_err());
    let mut noise = NoiseRng::replay(32).next_release().into_stream();
    for budget in [Budget::SMALLEST, Budget::LARGEST] {
        let law = WindowSampler::new(1 << 30, 1 << 30, budget).unwrap();
        assert!(law.draw(i64::MAX, &mut noise).abs() <= 1 << 31);
        assert!(law.draw(i64::MIN, &mut noise).abs() <= 1 << 31);
    }
    assert!(window(1, 0, 2f64.powi(-40)).shrinkage() > 0.0);
}

/// Inputs from -7 to 7, reports from -10 to 10, and nothing else.
#[test]
fn what_lies_outside_has_no_weight() {
    let law = window(7, 3, 1.0);
    for side in [-1, 1] {
        assert!(law.weight(7 * side, 10 * side) > 0 && law.weight(7 * side, -10 * side) > 0);
        assert_eq!(law.weight(0, 11 * side), 0);
        assert_eq!(law.weight(8 * side, 0), 0);
        assert_eq!(law.weight(8 * side, 11 * side), 0);
    }
}
