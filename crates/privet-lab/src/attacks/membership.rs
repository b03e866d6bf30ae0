//! Who was trained on: likelihood ratios from shadow models (Carlini et al. 2022, "LiRA").
//!
//! # Equation
//! Many models are trained, each on a graph in which every target is or is not, by a coin of its own. For target t, what
//! models say about it is taken for Gaussian, `N(m_in, s_in²)` where it was inside and `N(m_out, s_out²)` where not, and
//! a model that says x is scored `ln N(x; m_in, s_in²) - ln N(x; m_out, s_out²)`; several things said are taken as
//! independent, so their scores add. The model that is judged has no part in the fit.
//!
//! What is said is the confidence in the target's own class, scaled so that it is nearly Gaussian
//! ([`scaled_confidence`]): `ln p / (1 - p)`.
//!
//! # What bounds it
//! Coins are independent, and shadow models know nothing of the model that is judged, so for each target this is a
//! test between two neighbouring graphs (mixed over the coins of others), and the ceiling of
//! [`Ceiling`](super::Ceiling) holds for it and for the rates over all targets.

use super::roc::Guess;

/// What models said about every target, and whether it was inside.
#[derive(Debug, Clone, Default)]
pub struct Shadows {
    /// By model, by target: one or more numbers.
    pub said: Vec<Vec<Vec<f64>>>,
    /// By model, by target.
    pub inside: Vec<Vec<bool>>,
}

/// A spread from fewer values than this is shared by all targets.
const OWN_SPREAD: usize = 16;
/// No spread is smaller: models that always say the same cannot be told apart by rounding.
const SMALLEST_SPREAD: f64 = 1e-6;

/// `ln p / (1 - p)` for the probability that a softmax of the scores gives to a class.
///
/// ```
/// use privet_lab::attacks::membership::scaled_confidence;
/// let scaled = scaled_confidence(&[2.0, 0.0, 0.0], 0);
/// assert!((scaled - (2.0 - 2f64.ln())).abs() < 1e-12);
/// ```
pub fn scaled_confidence(scores: &[f32], class: u32) -> f64 {
    let own = scores.get(class as usize).map_or(0.0, |&score| f64::from(score));
    let others = || {
        let all = scores.iter().enumerate().filter(|(at, _)| *at != class as usize);
        all.map(|(_, &score)| f64::from(score))
    };
    // Log-sum-exp of the other classes, with the largest taken out.
    let most = others().fold(f64::NEG_INFINITY, f64::max);
    if !most.is_finite() {
        return 0.0;
    }
    // ln(p / (1 - p)): the softmax's own normaliser cancels.
    own - most - others().map(|score| (score - most).exp()).sum::<f64>().ln()
}

/// Sums of values on one side: what a fit needs, so that one model can be taken out again.
#[derive(Debug, Clone, Copy, Default)]
struct Side {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Side {
    fn with(self, value: f64, times: f64) -> Self {
        Self {
            count: self.count + times,
            sum: self.sum + times * value,
            squares: self.squares + times * value * value,
        }
    }

    fn mean(self) -> f64 {
        self.sum / self.count
    }

    /// The sum of squares around the mean.
    fn scatter(self) -> f64 {
        (self.squares - self.sum * self.sum / self.count).max(0.0)
    }
}

/// `ln N(x; m, s²)` up to a constant.
fn log_density(value: f64, mean: f64, spread: f64) -> f64 {
    -0.5 * ((value - mean) / spread).powi(2) - spread.ln()
}

impl Shadows {
    /// The score of every model for every target, by the other models. A target with fewer than two other models on
    /// either side is left out of the model's guesses.
    pub fn guesses(&self) -> Vec<Guess> {
        let targets = self.inside.first().map_or(0, Vec::len);
        // One pass over all models gives every target's sums; leaving one model out is a
        // subtraction below.
        let fits: Vec<Vec<[Side; 2]>> = (0..targets).map(|target| self.sides(target)).collect();
        let shared = shared_spreads(&fits);
        let mut guesses = Vec::new();
        for (model, (said, inside)) in self.said.iter().zip(&self.inside).enumerate() {
            for (target, (values, &inside)) in said.iter().zip(inside).enumerate() {
                let parts = values.iter().zip(&fits[target]).zip(&shared);
                let score: Option<f64> = parts
                    .map(|((&value, &sides), &shared)| score(value, inside, sides, shared))
                    .sum();
                // A score that cannot be computed is no guess, instead of a guess of 0.
                guesses.extend(score.map(|score| Guess { model, inside, score }));
            }
        }
        guesses
    }

    /// Outside and inside, for each thing said about a target.
    fn sides(&self, target: usize) -> Vec<[Side; 2]> {
        let things = self.said.first().map_or(0, |said| said[target].len());
        let mut sides = vec![[Side::default(); 2]; things];
        for (said, inside) in self.said.iter().zip(&self.inside) {
            for (side, &value) in sides.iter_mut().zip(&said[target]) {
                // Index 1 holds the models that were trained with the target.
                let side = &mut side[usize::from(inside[target])];
                *side = side.with(value, 1.0);
            }
        }
        sides
    }
}

/// The spread within sides, over all targets, for each thing said.
fn shared_spreads(fits: &[Vec<[Side; 2]>]) -> Vec<f64> {
    let things = fits.first().map_or(0, Vec::len);
    (0..things)
        .map(|thing| {
            let sides = || fits.iter().flat_map(|fit| fit[thing]).filter(|side| side.count >= 2.0);
            let scatter: f64 = sides().map(Side::scatter).sum();
            // Each side has one mean of its own, which costs one degree of freedom.
            let freedom: f64 = sides().map(|side| side.count - 1.0).sum();
            (scatter / freedom.max(1.0)).sqrt().max(SMALLEST_SPREAD)
        })
        .collect()
}

/// The log-likelihood ratio of one value, its own part in the fit taken out.
fn score(value: f64, inside: bool, mut sides: [Side; 2], shared: f64) -> Option<f64> {
    let own = &mut sides[usize::from(inside)];
    // The judged model is taken out of its own fit.
    *own = own.with(value, -1.0);
    if sides.iter().any(|side| side.count < 2.0) {
        return None;
    }
    // A spread from fewer models is worse than one pooled over all targets.
    let spread = |side: Side| match side.count as usize >= OWN_SPREAD {
        true => (side.scatter() / (side.count - 1.0)).sqrt().max(SMALLEST_SPREAD),
        false => shared,
    };
    let [outside, within] = sides;
    Some(
        log_density(value, within.mean(), spread(within))
            - log_density(value, outside.mean(), spread(outside)),
    )
}

#[cfg(test)]
mod tests {
    use privet::graph::SimRng;
    use rand::RngExt;

    use super::super::Ceiling;
    use super::super::roc::{area, estimate, true_positive_rate};
    use super::*;

    /// From the definition, for one target: fit on the others, then two densities.
    #[test]
    fn scores_are_log_likelihood_ratios_of_the_others() {
        let values = [1.0, 2.0, 4.0, 0.5, 0.0, -1.0, 3.0];
        let inside = [true, true, true, true, false, false, false];
        let shadows = Shadows {
            said: values.iter().map(|&value| vec![vec![value]]).collect(),
            inside: inside.iter().map(|&inside| vec![inside]).collect(),
        };
        let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len() as f64;
        let of = |side: bool, without: usize| -> Vec<f64> {
            let all = (0..7).filter(|&at| inside[at] == side && at != without);
            all.map(|at| values[at]).collect()
        };
        // Few values: one spread for both sides, from all values, pooled within sides.
        let scatter = |list: &[f64]| list.iter().map(|x| (x - mean(list)).powi(2)).sum::<f64>();
        let spread = ((scatter(&of(true, 9)) + scatter(&of(false, 9))) / 5.0).sqrt();
        for (at, guess) in shadows.guesses().into_iter().enumerate() {
            let part = |side| -0.5 * ((values[at] - mean(&of(side, at))) / spread).powi(2);
            assert!((guess.score - (part(true) - part(false))).abs() < 1e-9, "{at}");
            assert_eq!((guess.model, guess.inside), (at, inside[at]));
        }
        assert!((scaled_confidence(&[1000.0, 0.0], 0) - 1000.0).abs() < 1e-9);
        assert_eq!(scaled_confidence(&[1.0], 0), 0.0);
    }

    /// A mechanism whose guarantee is known: every target's bit is told through randomised response. No attack is
    /// above the ceiling, and this one reaches it.
    #[test]
    fn the_ceiling_of_a_known_mechanism_holds_and_is_reached() {
        let (epsilon, mut rng) = (1.0f64, SimRng::stream(7, 1));
        let keep = 1.0 / (1.0 + (-epsilon).exp());
        let (models, targets) = (60, 150);
        let mut shadows = Shadows::default();
        for _ in 0..models {
            let inside: Vec<bool> = (0..targets).map(|_| rng.random_range(0..2) == 1).collect();
            let mut say = |&inside: &bool| {
                let told = inside == (rng.random_range(0.0..1.0) < keep);
                vec![f64::from(u8::from(told)) + rng.random_range(0.0..1e-3)]
            };
            shadows.said.push(inside.iter().map(&mut say).collect());
            shadows.inside.push(inside);
        }
        let (guesses, ceiling) = (shadows.guesses(), Ceiling { epsilon, delta: 0.0 });
        let found = estimate(&guesses, 1, area);
        assert!(found.low <= ceiling.auc() && found.value > ceiling.auc() - 0.02, "{found:?}");
        for rate in [0.01, 0.05, 0.2] {
            let found = estimate(&guesses, 1, |guesses| true_positive_rate(guesses, rate));
            assert!(found.low <= ceiling.true_positive_rate(rate), "{rate}: {found:?}");
        }
        // Nothing told, nothing found.
        for said in shadows.said.iter_mut().flatten() {
            said[0] = rng.random_range(0.0..1.0);
        }
        let found = estimate(&shadows.guesses(), 1, area);
        assert!((found.value - 0.5).abs() < 0.025, "{found:?}");
    }
}
