use std::cell::Cell;
use std::rc::Rc;

use super::*;
use crate::accountant::{AnalyticGaussian, Basic, ZeroConcentrated};
use crate::loss::Delta;

#[test]
fn the_guarantee_holds_at_what_is_returned() {
    let family = |noise_multiplier| Event::Gaussian { noise_multiplier }.repeated(70);
    for (epsilon, delta) in [(0.5, 1e-3), (8.0, 1e-9), (100.0, 1e-5)] {
        let target = Loss::new(epsilon, delta).unwrap();
        let sigma = noise_multiplier(&AnalyticGaussian, target, family).unwrap();
        let cost = |s| AnalyticGaussian.epsilon(&family(s), target.delta).unwrap();
        assert!(cost(sigma) <= target.epsilon);
        assert!(cost(sigma * 0.999) > target.epsilon);
    }
}

/// 70 rows of sensitivity sqrt(2): sigma/C1 of the table.
#[test]
fn matches_the_table_for_matrix_releases() {
    for (epsilon, sigma) in [(0.5, 54.548), (1.0, 30.464), (2.0, 17.100), (4.0, 9.739)] {
        let family = |s: f64| Event::Gaussian { noise_multiplier: s / 2f64.sqrt() }.repeated(70);
        let target = Loss::new(epsilon, 1e-3).unwrap();
        let found = noise_multiplier(&AnalyticGaussian, target, family).unwrap();
        assert!((found - sigma).abs() < 1e-3, "{found} {sigma}");
    }
}

/// An accountant that reads the noise of a Laplace event and counts how often it is asked.
#[derive(Clone)]
struct Formula {
    epsilon: fn(f64) -> Result<f64>,
    asked: Rc<Cell<u32>>,
    /// How much higher the quick cousin answers, and how often it was asked.
    coarser: Option<(f64, Rc<Cell<u32>>)>,
}

impl Formula {
    fn new(epsilon: fn(f64) -> Result<f64>) -> Self {
        Self { epsilon, asked: Rc::default(), coarser: None }
    }
}

struct Coarse(Formula);

fn noise_of(event: &Event) -> f64 {
    let Event::Laplace { noise_multiplier } = event else { panic!("{event}") };
    *noise_multiplier
}

impl Accountant for Formula {
    fn name(&self) -> &'static str {
        "formula"
    }

    fn epsilon(&self, event: &Event, _: Delta) -> Result<Epsilon> {
        self.asked.set(self.asked.get() + 1);
        Epsilon::new((self.epsilon)(noise_of(event))?)
    }

    fn delta(&self, _: &Event, _: Epsilon) -> Result<Delta> {
        Ok(Delta::ZERO)
    }

    fn coarser(&self) -> Option<Box<dyn Accountant>> {
        self.coarser.is_some().then(|| Box::new(Coarse(self.clone())) as Box<dyn Accountant>)
    }
}

impl Accountant for Coarse {
    fn name(&self) -> &'static str {
        "coarse formula"
    }

    fn epsilon(&self, event: &Event, _: Delta) -> Result<Epsilon> {
        let (factor, asked) = self.0.coarser.as_ref().unwrap();
        asked.set(asked.get() + 1);
        Epsilon::new(factor * (self.0.epsilon)(noise_of(event))?)
    }

    fn delta(&self, _: &Event, _: Epsilon) -> Result<Delta> {
        Ok(Delta::ZERO)
    }
}

fn laplace(noise_multiplier: f64) -> Event {
    Event::Laplace { noise_multiplier }
}

fn target(epsilon: f64) -> Loss {
    Loss::new(epsilon, 0.0).unwrap()
}

/// An accountant whose answers are not quite a power of the noise.
fn bent(noise: f64) -> Result<f64> {
    Ok(3.0 / noise + 0.2 / (noise * noise))
}

/// With a quick cousin that is five per cent off, the slow accountant is asked three or four times, whatever the
/// target is; the noise is within one part in ten thousand of the smallest.
#[test]
fn a_slow_accountant_is_asked_a_few_times() {
    let mut questions = (0, 0);
    for epsilon in [1e-3, 0.09, 0.7, 2.9, 11.0, 400.0] {
        let coarse = Rc::default();
        let slow = Formula { coarser: Some((1.05, Rc::clone(&coarse))), ..Formula::new(bent) };
        let found = noise_multiplier(&slow, target(epsilon), laplace).unwrap();
        assert!(bent(found).unwrap() <= epsilon, "{epsilon}: {found}");
        assert!(bent(found * (1.0 - 1.01e-4)).unwrap() > epsilon, "{epsilon}: {found}");
        println!("{epsilon}: {} and {}", slow.asked.get(), coarse.get());
        questions = (questions.0 + slow.asked.get(), questions.1 + coarse.get());
    }
    assert!(questions.0 <= 20 && questions.1 <= 73, "{questions:?}");
}

/// Without one, the line through both ends finds the place in some ten questions.
#[test]
fn any_accountant_is_asked_some_ten_times() {
    let mut questions = 0;
    for epsilon in [1e-3, 0.09, 0.7, 2.9, 11.0, 400.0] {
        let slow = Formula::new(bent);
        let search = |start: f64| {
            search(start, TOLERANCE, |noise| {
                let found = slow.epsilon(&laplace(noise), Delta::ZERO)?;
                let excess = (found.get() / epsilon).ln();
                Ok(NoiseCandidate { noise, excess, holds: found.get() <= epsilon })
            })
        };
        for start in [1e-3, 1.0, 30.0] {
            let found = search(start).unwrap().unwrap();
            assert!(bent(found).unwrap() <= epsilon);
            assert!(bent(found * (1.0 - 1.01e-4)).unwrap() > epsilon);
        }
        println!("{epsilon}: {}", slow.asked.get());
        questions += slow.asked.get();
    }
    assert!(questions <= 165, "{questions}");
}

/// Steps instead of a line, answers that cost too much, and a target that is met exactly.
#[test]
fn cliffs_are_found_by_halving() {
    let cliff = |noise: f64| Ok(if noise < 3.0 { 2.0 } else { 1.0 });
    let costly = |noise: f64| match noise < 3.0 {
        true => Err(Error::TooCostly { accountant: "formula", needs: String::new() }),
        false => Ok(1.0),
    };
    for formula in [Formula::new(cliff), Formula::new(costly)] {
        let found = noise_multiplier(&formula, target(1.0), laplace).unwrap();
        assert!((3.0..3.0 * (1.0 + 1.01e-4)).contains(&found), "{found}");
        assert!(formula.asked.get() < 60, "{}", formula.asked.get());
    }
}

/// From half a millionth to a thousand million, and no further.
#[test]
fn the_ends_of_the_search() {
    let search = |epsilon| {
        noise_multiplier(&Formula::new(|noise| Ok(noise.recip())), target(epsilon), laplace)
    };
    assert_eq!(search(1e8).unwrap(), 0.5e-6);
    let largest = search(1.5e-9).unwrap();
    assert!((1.0 / 1.5e-9..1.0001 / 1.5e-9).contains(&largest), "{largest}");
    assert_eq!(search(1.0 / 1e9).unwrap(), 1e9);
    let Err(Error::Unreachable { low, high, .. }) = search(0.5e-9) else { panic!() };
    assert_eq!((low, high), (1e-6, 1e9));
    // Nothing is asked for, and nothing is paid.
    let free = Formula::new(|noise| Ok(if noise < 7.0 { 1.0 } else { 0.0 }));
    let found = noise_multiplier(&free, target(0.0), laplace).unwrap();
    assert!((7.0..7.001).contains(&found), "{found}");
}

#[test]
fn says_when_no_noise_is_enough() {
    let target = Loss { epsilon: Epsilon::ZERO, delta: Delta::ZERO };
    let family = |noise_multiplier| Event::Laplace { noise_multiplier };
    assert!(matches!(noise_multiplier(&Basic, target, family), Err(Error::Unreachable { .. })));
    let unpriced = |noise_multiplier| Event::Gaussian { noise_multiplier }.poisson_sampled(0.5);
    let error = noise_multiplier(&ZeroConcentrated, Loss::new(1.0, 1e-5).unwrap(), unpriced);
    assert!(matches!(error, Err(Error::NoTheorem { .. })));
}
