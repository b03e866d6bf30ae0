//! What all accountants share.

use super::*;

fn gaussian(noise_multiplier: f64) -> Event {
    Event::Gaussian { noise_multiplier }
}

fn pure(epsilon: f64) -> Event {
    Event::Pure { epsilon: Epsilon::new(epsilon).unwrap() }
}

/// The names that cards print, who is exact, and who has a quick cousin.
#[test]
fn every_accountant_has_its_name() {
    let found = all().map(|one| (one.name(), one.is_exact(), one.coarser().map(|c| c.name())));
    assert_eq!(
        found,
        [
            ("basic", false, None),
            ("analytic Gaussian", true, None),
            ("optimal composition", false, None),
            ("zCDP", false, None),
            ("Rényi DP", false, None),
            ("PLD", false, Some("PLD")),
        ]
    );
}

/// An event that cannot have happened has no price from any accountant, however deep it is.
#[test]
fn no_accountant_prices_what_cannot_be() {
    let impossible = [
        gaussian(-1.0),
        gaussian(1.0).then(gaussian(f64::NAN)),
        pure(1.0).subsampled_once(1.5),
        gaussian(0.0).repeated(3).subsampled_once(0.5),
    ];
    let (delta, epsilon) = (Delta::new(1e-5).unwrap(), Epsilon::new(1.0).unwrap());
    for event in impossible {
        for accountant in all() {
            let name = accountant.name();
            let range = |error| matches!(error, Some(Error::OutOfRange { .. }));
            assert!(range(accountant.epsilon(&event, delta).err()), "{name}: {event}");
            assert!(range(accountant.delta(&event, epsilon).err()), "{name}: {event}");
        }
        assert!(best(&event, delta).is_err() && best_delta(&event, epsilon).is_err(), "{event}");
        assert!(Renyi::default().divergence(&event, 2.0).is_err(), "{event}");
    }
    assert!(Renyi::default().divergence(&gaussian(1.0), 1.0).is_err());
}

/// One release without protection among protected ones is no protection, and an infinite epsilon holds always.
#[test]
fn one_open_door_is_enough() {
    let delta = Delta::new(1e-5).unwrap();
    for open in [Event::NonPrivate, pure(f64::INFINITY)] {
        let event = pure(0.5).then(open).then(pure(0.25));
        for accountant in all() {
            assert_eq!(accountant.epsilon(&event, delta), Ok(Epsilon::INFINITE));
            assert_eq!(accountant.delta(&event, Epsilon::ZERO), Ok(Delta::VACUOUS));
            assert_eq!(accountant.delta(&event, Epsilon::INFINITE), Ok(Delta::ZERO));
            assert_eq!(accountant.delta(&pure(0.5), Epsilon::INFINITE), Ok(Delta::ZERO));
        }
    }
}

/// An accountant with a fixed answer.
struct FixedAnswer(Result<f64>, bool);

impl Accountant for FixedAnswer {
    fn name(&self) -> &'static str {
        "stub"
    }

    fn epsilon(&self, _: &Event, _: Delta) -> Result<Epsilon> {
        self.0.clone().and_then(Epsilon::new)
    }

    fn delta(&self, _: &Event, _: Epsilon) -> Result<Delta> {
        self.0.clone().and_then(Delta::new)
    }

    fn is_exact(&self) -> bool {
        self.1
    }
}

fn best_of_all(answers: Vec<(Result<f64>, bool)>) -> Result<f64> {
    let boxed = |(answer, exact)| Box::new(FixedAnswer(answer, exact)) as Box<dyn Accountant>;
    let event = Event::Nothing;
    let asked = answers.into_iter().map(boxed);
    Ok(best_of(&event, asked, |one| one.epsilon(&event, Delta::ZERO))?.value.get())
}

/// The smallest number wins, an exact one ends the search, and of the refusals the one that says most is kept.
#[test]
fn the_best_answer_is_the_smallest_and_the_best_refusal_the_most_telling() {
    let unknown = || Err(no_theorem("stub", &Event::Nothing));
    let costly = || Err(Error::TooCostly { accountant: "stub", needs: "a year".to_owned() });
    let fatal = || Err(Error::range("rate", 2.0, "at most 1"));
    let open = |answer| (answer, false);
    assert_eq!(best_of_all(vec![open(Ok(3.0)), open(Ok(1.0)), open(Ok(2.0))]), Ok(1.0));
    assert_eq!(best_of_all(vec![open(Ok(3.0)), (Ok(2.0), true), open(Ok(1.0))]), Ok(2.0));
    assert_eq!(best_of_all(vec![(unknown(), true), open(costly()), open(Ok(1.0))]), Ok(1.0));
    assert_eq!(best_of_all(vec![open(Ok(1.0)), open(fatal())]), fatal());
    for refusals in [
        vec![unknown(), costly(), unknown()],
        vec![costly(), unknown()],
        vec![unknown(), unknown(), costly()],
    ] {
        assert_eq!(best_of_all(refusals.into_iter().map(open).collect()), costly());
    }
    assert_eq!(best_of_all(vec![open(unknown())]), unknown());
    let no_accountant = best_of_all(Vec::new());
    assert_eq!(no_accountant, Err(no_theorem("best", &Event::Nothing)));
}

/// Many questions at once share the time: their answers are never lower than that of a single one, and a release for
/// which only a whole share suffices is answered by another accountant.
#[test]
fn many_questions_share_the_time() {
    let delta = Delta::new(1e-6).unwrap();
    let event = gaussian(2.0).poisson_sampled(0.05).repeated(50);
    let alone = best(&event, delta).unwrap();
    assert_eq!(best_among(&event, delta, 1).unwrap(), alone);
    assert_eq!(best_among(&event, delta, 0).unwrap(), alone);
    let crowded = best_among(&event, delta, 2_000).unwrap();
    assert_eq!((alone.accountant, crowded.accountant), ("PLD", "Rényi DP"));
    assert!(crowded.value > alone.value);
}

/// What failures leave of a delta, and what sampling makes of it: rounded to the safe side.
#[test]
fn a_subsample_is_amplified_as_a_whole() {
    let event = pure(1.0).repeated(2).subsampled_once(0.25);
    let one = Event::Approximate {
        epsilon: Epsilon::new(1.0).unwrap(),
        delta: Delta::new(0.125).unwrap(),
    };
    // (2, 0) on a quarter: log(1 + (e^2 - 1)/4).
    let expected = (0.25 * 2f64.exp_m1()).ln_1p();
    let found = Basic.epsilon(&event, Delta::ZERO).unwrap().get();
    assert!((found / expected - 1.0).abs() < 1e-14);
    // Rounded down before sampling, so nothing is promised there, to a quarter.
    assert_eq!(Basic.delta(&event, Epsilon::new(found).unwrap()).unwrap().get(), 0.25);
    let larger = Epsilon::new(found * (1.0 + 1e-12)).unwrap();
    assert_eq!(Basic.delta(&event, larger), Ok(Delta::ZERO));
    assert_eq!(Basic.delta(&one.subsampled_once(0.25), larger).unwrap().get(), 0.031_25);
}
