use super::*;

fn gaussian(noise_multiplier: f64) -> Event {
    Event::Gaussian { noise_multiplier }
}

fn pure(epsilon: f64) -> Event {
    Event::Pure { epsilon: Epsilon::new(epsilon).unwrap() }
}

fn releases(event: &Event) -> ReleasePairs {
    ReleasePairs::new(&super::super::leaves::leaves(event).unwrap(), ALL_OF_IT).unwrap()
}

/// Without any delta only losses that are bounded have a bound: the largest one.
#[test]
fn without_a_delta_the_largest_loss_counts() {
    let epsilon = |event: &Event| Pld::default().epsilon(event, Delta::ZERO).unwrap().get();
    let laplace = Event::Laplace { noise_multiplier: 4.0 };
    assert_eq!(epsilon(&pure(0.5).repeated(3).then(pure(0.25))), 1.75);
    assert!((epsilon(&pure(0.5).then(laplace)) - 0.75).abs() < 1e-15);
    assert_eq!(epsilon(&pure(0.5).then(gaussian(1.0))), f64::INFINITY);
    let failing = Event::Approximate {
        epsilon: Epsilon::new(0.5).unwrap(),
        delta: Delta::new(1e-9).unwrap(),
    };
    assert_eq!(epsilon(&failing), f64::INFINITY);
}

/// A step is a positive number, and only a grid that is chosen for the event has a coarser cousin, which is too high.
#[test]
fn grids_are_chosen_or_given() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Pld::with_step(bad).is_err(), "{bad}");
    }
    assert!(Pld::with_step(1e-3).unwrap().coarser().is_none());
    let coarse = Pld::default().coarser().unwrap();
    let event = gaussian(1.0).poisson_sampled(0.2).repeated(9);
    let at = Delta::new(1e-5).unwrap();
    let (fine, rough) =
        (Pld::default().epsilon(&event, at).unwrap(), coarse.epsilon(&event, at).unwrap());
    assert!(rough > fine && rough.get() < 1.1 * fine.get(), "{fine} {rough}");
    assert_eq!(Pld::default().within(0.5).share, 0.5);
}

/// Deltas of all sizes are found, wherever the first guess of their size was.
#[test]
fn deltas_of_all_sizes_are_found() {
    for sigma in [0.7, 2.0] {
        for target in [0.15, 1e-3, 1e-9, 1e-16, 1e-40, 1e-120] {
            let at = super::super::AnalyticGaussian
                .epsilon(&gaussian(sigma), Delta::new(target).unwrap())
                .unwrap();
            let found = Pld::default().delta(&gaussian(sigma), at).unwrap().get();
            assert!(found >= target * (1.0 - 1e-9) && found < 1.02 * target, "{target}: {found}");
        }
    }
    // At most 1, and nothing beyond the largest loss but what the window costs.
    assert_eq!(Pld::default().delta(&gaussian(1e-4), Epsilon::ZERO).unwrap(), Delta::VACUOUS);
    let beyond = Pld::default().delta(&pure(0.5), Epsilon::new(0.6).unwrap()).unwrap().get();
    assert!(beyond < 1e-60, "{beyond}");
}

/// Cells and bins for a given work: the most that memory allows, fewer for many releases, and none for too many.
#[test]
fn work_is_shared_among_releases() {
    let limits = |count: usize, work: f64| {
        let sources: Vec<(LossSource, u64)> =
            (0..count).map(|_| (LossSource::new(&pure(1.0)).unwrap(), 7)).collect();
        GridLimits::new(&sources, work)
    };
    let known = |cells, bins| Ok(GridLimits { cells, bins });
    assert_eq!(limits(1, effort::GRID), known(131_072.0, 1_048_576.0));
    // Twenty for a cell and twenty for a bin of each.
    assert_eq!(limits(1, 2e5), known(10_000.0, 8_192.0));
    assert_eq!(limits(5, 1e6), known(10_000.0, 8_192.0));
    assert_eq!(limits(1, 20.0 * 1_024.0), known(1_024.0, 1_024.0));
    let Err(Error::TooCostly { needs, .. }) = limits(5, 100.0 * 1_023.0) else { panic!() };
    assert_eq!(needs, "0.0 s for 5 different releases");
    let Err(Error::TooCostly { needs, .. }) = limits(1_000_000, 1e6) else { panic!() };
    assert_eq!(needs, "204.8 s for 1000000 different releases");
}

/// The step adds a small share to the variance, is never longer than a share of the spread, nor so short that the losses
/// do not fit.
#[test]
fn the_step_suits_the_losses() {
    let chosen = Grid::AddedVariance(ADDED_VARIANCE);
    let one = releases(&gaussian(1.0));
    assert_eq!(one.step(Grid::Fixed(0.25), 1.0, 1e-18), 0.25);
    let near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 2e-3;
    // A thousandth of the spread, or sqrt(6 share/count) of it.
    assert!(near(one.step(chosen, 1.0, 1e-18), 1.0 / 1_024.0));
    assert!(near(one.step(chosen, 1e6, 1e-18), (6e-4 / 1e6_f64).sqrt().max(18.514_6 / 131_072.0)));
    let coarse = Grid::AddedVariance(ADDED_VARIANCE_COARSE);
    assert!(near(one.step(coarse, 1.0, 1e-18), 300.0_f64.sqrt() / 1_024.0));
    let many = releases(&pure(0.1).repeated(40_000));
    let variance = 4e4 * 0.01 / 3.0 / (1.0 + (-0.1_f64).exp());
    assert!(near(many.step(chosen, 4e4, 1e-18), variance.sqrt() * (6e-4 / 4e4_f64).sqrt()));
    // A fixed step that does not fit.
    let wide = releases(&pure(1e6));
    assert!(near(wide.step(Grid::Fixed(1e-3), 1.0, 1e-18), 2e6 / 131_072.0));
    let far = ReleasePairs { limits: GridLimits { cells: 1e15, bins: 1e6 }, ..wide };
    assert!(near(far.step(Grid::Fixed(1e-9), 1.0, 1e-18), 1e-6));
}

/// Gaussians are one Gaussian; what is not, stands beside it, each with its number.
#[test]
fn gaussians_are_united() {
    let event = gaussian(3.0).repeated(18).then(pure(0.5).repeated(4)).then(gaussian(0.5));
    let found = releases(&event).sources;
    assert_eq!(found.iter().map(|(_, times)| *times).collect::<Vec<_>>(), [4, 1]);
    let LossSource::Mixture(one) = &found[1].0 else { panic!() };
    assert!((one.sigma - (18.0 / 9.0 + 4.0_f64).sqrt().recip()).abs() < 1e-15);
    assert_eq!(releases(&pure(0.5)).sources.len(), 1);
    let too_many = pure(1e-6).repeated(1_000_000_001);
    let error = Pld::default().epsilon(&too_many, Delta::new(1e-5).unwrap()).unwrap_err();
    assert!(matches!(error, Error::Imprecise { .. }), "{error}");
    let most = pure(1e-6).repeated(1_000_000_000);
    assert!(Pld::default().epsilon(&most, Delta::new(1e-5).unwrap()).is_ok());
}

/// The worse of both directions is what is stated, and a grid that does not fit is coarsened until it does.
#[test]
fn both_directions_and_coarser_grids() {
    let event = gaussian(0.5).poisson_sampled(0.1).repeated(3);
    let all = releases(&event);
    let (step, tail) = (1e-3, 1e-15);
    let pairs = [(all.sources[0].0.pair(step, tail), 3)];
    let answer = |direction| {
        let parts = [pairs[0].0.losses(direction, 3, tail)];
        let outcome = compose(&parts, step, Query::DeltaAt(0.5), 1e6);
        let GridOutcome::Value(value) = outcome else { panic!("{outcome:?}") };
        value
    };
    let (remove, add) = (answer(LossDirection::Remove), answer(LossDirection::Add));
    assert!(remove > add);
    assert_eq!(all.worst(&pairs, step, tail, Query::DeltaAt(0.5)), GridOutcome::Value(remove));
    // Whichever of the two it is.
    let exchanged = [(pairs[0].0.exchanged(), 3)];
    assert_eq!(all.worst(&exchanged, step, tail, Query::DeltaAt(0.5)), GridOutcome::Value(remove));
    let narrow = ReleasePairs { limits: GridLimits { bins: 2_048.0, ..all.limits }, ..all };
    let at = Query::EpsilonAt(1e-5);
    let wide = releases(&event).solve(Grid::Fixed(1e-3), at, 1e-5).unwrap();
    let squeezed = narrow.solve(Grid::Fixed(1e-3), at, 1e-5).unwrap();
    assert!(squeezed > wide && squeezed < 1.05 * wide, "{wide} {squeezed}");
    let hopeless = ReleasePairs { limits: GridLimits { bins: 2.0, ..narrow.limits }, ..narrow };
    assert!(matches!(hopeless.solve(Grid::Fixed(1e-9), at, 1e-5), Err(Error::TooCostly { .. })));
}

/// One release that is the same in both directions says nothing about the others: both are looked at.
#[test]
fn both_directions_beside_a_symmetric_release() {
    let events = vec![pure(0.5), gaussian(0.5).poisson_sampled(0.1).repeated(3)];
    let all = releases(&Event::Sequence { events });
    let (step, tail, query) = (1e-3, 1e-15, Query::DeltaAt(0.5));
    let pairs: Vec<(Pair, u64)> =
        all.sources.iter().map(|(source, times)| (source.pair(step, tail), *times)).collect();
    let exchanged: Vec<(Pair, u64)> =
        pairs.iter().map(|(pair, times)| (pair.exchanged(), *times)).collect();
    let [GridOutcome::Value(one), GridOutcome::Value(other)] =
        [&pairs, &exchanged].map(|pairs| all.worst(pairs, step, tail, query))
    else {
        panic!("the grid fits")
    };
    assert!((one / other - 1.0).abs() < 1e-9, "{one} {other}");
}
