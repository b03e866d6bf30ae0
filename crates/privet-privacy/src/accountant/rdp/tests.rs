use super::*;
use crate::accountant::exact::big;

fn sampled(sigma: f64, rate: f64, steps: u64) -> Event {
    Event::Gaussian { noise_multiplier: sigma }.poisson_sampled(rate).repeated(steps)
}

#[test]
fn orders_are_checked() {
    assert!(Renyi::with_orders([1.0]).is_err());
    assert!(Renyi::with_orders([f64::NAN]).is_err());
    assert!(Renyi::with_orders([]).is_err());
    assert!(Renyi::default().orders.iter().all(|order| *order > 1.0));
}

/// The list that the documentation describes: ascending, dense where it matters.
#[test]
fn the_default_orders() {
    let orders = Renyi::default().orders;
    assert_eq!(orders[..8], [1.001, 1.003, 1.01, 1.02, 1.05, 1.1, 1.2, 1.3]);
    assert_eq!(orders[102..106], [10.8, 10.9, 11.0, 12.0]);
    assert_eq!(orders[156..161], [63.0, 64.0, 74.0, 86.0, 100.0]);
    assert_eq!((orders.len(), orders.last()), (221, Some(&1_045_365.0)));
    assert!(orders.is_sorted());
}

/// `D + log(1 - 1/a) - log(a delta)/(a - 1)` and its inverse to many digits: never below, and by no more than a
/// share of the terms above.
#[test]
fn the_conversion_is_rounded_up() {
    for excess in [1e-6, 0.013, 0.7, 1.0, 9.3, 511.0, 1e7] {
        for divergence in [1e-30, 0.02, 1.7, 40.0] {
            let (d, s) = (big(divergence), big(excess));
            let (log_order, gain) = (s.ln_1p(), (big(1.0) / &s).ln_1p());
            for delta in [0.3, 1e-7, 1e-200] {
                let log_delta = big(delta).ln();
                let exact = &d - &gain - (&log_delta + &log_order) / &s;
                let terms = &d + &gain + (&log_order - &log_delta) / &s;
                let over = (big(epsilon_at(excess, divergence, delta)) - exact) / terms;
                let units = over.to_f64().value() / f64::EPSILON;
                assert!((4.0..12.0).contains(&units), "{excess} {divergence} {delta}: {units}");
            }
            for epsilon in [0.0, 0.3, 20.0] {
                let exact = &s * (&d - big(epsilon) - &gain) - &log_order;
                let terms = &s * (&d + big(epsilon) + &gain) + &log_order;
                let over = (big(log_delta_at(excess, divergence, epsilon)) - exact) / terms;
                let units = over.to_f64().value() / f64::EPSILON;
                assert!((4.0..12.0).contains(&units), "{excess} {divergence} {epsilon}: {units}");
            }
        }
    }
}

/// Failures and counts of rows that are never looked at are paid for, each time they may happen.
#[test]
fn what_is_left_out_is_paid_for() {
    let failing = Event::Approximate {
        epsilon: Epsilon::new(0.1).unwrap(),
        delta: Delta::new(1e-300).unwrap(),
    };
    let rows = Event::MixtureOfGaussians { noise_multiplier: 1.0, max_rows: 2, rate: 0.5 };
    let batch = crate::event::BatchSampling::Poisson { rate: 0.5 };
    let replaced = Event::ReplacedRows { noise_multiplier: 1.0, max_rows: 2, batch };
    let gaussian = Event::Gaussian { noise_multiplier: 1.0 };
    for (event, each) in [(failing, 1e-300), (rows, 1e-296), (replaced, 1e-296), (gaussian, 0.0)] {
        let found = failures(&[Leaf { event, times: 5 }]);
        assert!((found - 5.0 * each).abs() <= 1e-13 * each, "{found:e}");
    }
    let one = Event::MixtureOfGaussians { noise_multiplier: 9.0, max_rows: 1, rate: 0.5 };
    let (renyi, at) = (Renyi::default(), |delta| Delta::new(delta).unwrap());
    assert_eq!(renyi.epsilon(&one, at(1e-297)), Ok(Epsilon::INFINITE));
    assert!(renyi.epsilon(&one, at(1e-295)).unwrap().is_finite());
}

/// Divergences of a list of releases are never below the exact sum.
#[test]
fn divergences_add_up() {
    for step in 1..60 {
        let noises = [0.3 * f64::from(step), 0.7 + f64::from(step).sqrt()];
        let event = |noise_multiplier| Event::Gaussian { noise_multiplier }.repeated(3);
        let both = event(noises[0]).then(event(noises[1]));
        let found = Renyi::default().divergence(&both, 2.5).unwrap();
        let exact = |noise: f64| 3.75 / (noise * noise);
        let expected = exact(noises[0]) + exact(noises[1]);
        assert!((1.0..1.0 + 3e-12).contains(&(found / expected)), "{noises:?}: {found}");
    }
}

/// Fewer orders where time is short, fewer digits where it is shorter, and then a refusal.
#[test]
fn short_of_time_the_answer_is_looser() {
    let event = sampled(1.1, 0.011, 20)
        .then(sampled(1.3, 0.012, 20))
        .then(sampled(1.5, 0.013, 20))
        .then(sampled(1.7, 0.014, 20));
    let at = Delta::new(1e-6).unwrap();
    let list = super::super::leaves::leaves(&event).unwrap();
    let cost = Renyi::default().orders.len() as f64 * Curves::new(&list).unwrap().cost();
    let stride = |times: f64| {
        let share = cost / effort::RENYI / times;
        Renyi::default()
            .within(share)
            .affordable(&list)
            .map(|(curves, stride)| (curves.0.len(), stride))
    };
    assert_eq!(stride(0.999).unwrap(), (4, 1));
    assert_eq!(stride(1.001).unwrap(), (4, 2));
    assert_eq!(stride(17.999).unwrap(), (4, 18));
    // In the end all of them are one release of noise 1 and rate 1/64.
    assert!(stride(30.0).unwrap().0 < 4);
    assert!(stride(1e6).is_err());
    // Every second order is a bound as well, and so is a list of one.
    let epsilon = |renyi: Renyi| renyi.epsilon(&event, at).unwrap();
    let (all, some) = (Renyi::default(), Renyi::default().within(cost / effort::RENYI / 5.0));
    assert!(epsilon(all.clone()) <= epsilon(some));
    let one = Renyi::with_orders([8.0]).unwrap().within(cost / effort::RENYI / 300.0);
    assert!(epsilon(all) <= epsilon(one));
}

/// Published divergences of Poisson-sampled Gaussians.
#[test]
fn matches_published_divergences() {
    for (rate, sigma, steps, order, expected) in [
        (0.01, 1.0, 1000, 2.0, 0.171_813_422_074_534_3),
        (0.01, 1.0, 1000, 3.0, 0.264_637_574_584_660_64),
        (0.01, 1.0, 1000, 8.0, 0.893_643_907_606_028),
        (0.01, 1.0, 1000, 2.5, 0.217_575_332_330_851_47),
        (0.01, 1.0, 1000, 32.0, 11_246.275_937_048_073),
        (60.0 / 208.0, 1.301_439_478_589_665_5, 800, 2.0, 51.851_643_540_456_77),
        (60.0 / 208.0, 1.301_439_478_589_665_5, 800, 2.5, 70.372_370_207_418_61),
        (60.0 / 208.0, 1.301_439_478_589_665_5, 800, 3.0, 92.452_110_863_873_98),
        (0.1, 2.0, 500, 2.0, 1.418_114_133_131_859_6),
        (0.1, 2.0, 500, 8.0, 6.862_715_051_609_983),
        (0.1, 2.0, 500, 32.0, 813.601_150_509_718_1),
    ] {
        let found = Renyi::default().divergence(&sampled(sigma, rate, steps), order).unwrap();
        let error = (found / expected - 1.0).abs();
        assert!(error < 1e-6, "order {order}: {found} against {expected}, {error:e}");
    }
}

/// Published epsilons; the list of orders may only make ours smaller.
#[test]
fn matches_published_epsilons() {
    for (sigma, rate, steps, delta, expected) in [
        (1.0, 0.01, 1000, 1e-5, 2.101_365_271_643_056_4),
        (5.555_896_928_921_075, 60.0 / 208.0, 800, 1e-3 / 0.09, 4.567_121_998_891_862),
        (2.0, 0.1, 500, 1e-5, 6.034_322_441_891_099),
        (1.0, 1.0, 1, 1e-5, 4.728_507_067_217_624),
        (5.0, 1.0, 100, 1e-6, 11.688_626_799_166_35),
        (10.0, 0.5, 2000, 1e-5, 12.348_769_904_134_754),
        (3.0, 0.05, 3000, 1e-8, 5.767_837_060_087_42),
    ] {
        let event = sampled(sigma, rate, steps);
        let delta = Delta::new(delta).unwrap();
        let found = Renyi::default().epsilon(&event, delta).unwrap();
        assert!(
            found.get() <= expected * 1.003 && found.get() > expected * 0.9,
            "{found} {expected}"
        );
        let back = Renyi::default().delta(&event, found).unwrap();
        assert!((back.get() / delta.get() - 1.0).abs() < 1e-9, "{back} {delta}");
    }
}

/// A unit of rounding for every release, on top of the sum.
#[test]
fn sums_of_many_releases_are_raised() {
    let leaf = Leaf { event: Event::ZeroConcentrated { rho: 0.25 }, times: 1 };
    let curves = Curves::new(&vec![leaf; 50]).unwrap();
    let units = (curves.total(2.0) / 25.0 - 1.0) / ROUNDING;
    assert!((units - 50.0).abs() < 1.0, "{units}");
}
