//! Noise for a count whose sensitivity depends on the graph: a [`Ladder`] around the true count, `ladder`.
//!
//! # Idea
//! One edge can be in very many triangles of some graph, but in few of this one. Noise may be as small as this graph
//! needs, as long as its size does not change fast from graph to graph. A ladder has rungs of integers around the true
//! count: rung t reaches as far as t steps of so-called local sensitivity. Each integer is drawn with a weight that
//! falls by the same factor from rung to rung.
//!
//! # Equation
//! Widths `I_s(g) = c_0 + c_1 s + c_2 s(s-1)/2` with integers `c_j >= 0` that depend on the graph. Rung 0 is the true
//! count f(g) alone; rung t >= 1 are the `2 I_{t-1}` integers y with
//! `I_0 + ... + I_{t-2} < |y - f(g)| <= I_0 + ... + I_{t-1}`.
//! `P(y) = λ^t / Z(g)` for y on rung t, with `λ = ⌈e^(-eps/2)⌉` ([`Decay`]) and `Z(g) = 1 + 2 Σ_s I_s λ^(s+1)`.
//!
//! # Guarantee
//! `eps`, if for all neighbouring graphs g and g'
//! (a) `|f(g) - f(g')| <= I_0(g)`, and (b) `I_s(g) <= I_{s+1}(g')` for all s >= 0.
//! *Proof.* Let y be on a rung up to t of g. Then `|y - f(g')| <= |y - f(g)| + |f(g) - f(g')| <= Σ_{s<t} I_s(g) + I_0(g')
//! <= Σ_{s<t} I_{s+1}(g') + I_0(g') = Σ_{s<=t} I_s(g')`: y is on a rung up to t + 1 of g'. So rungs differ by at most one,
//! and weights by at most the factor 1/λ either way, summed over all y too: `Z(g') / Z(g) <= 1/λ`. Together
//! `P_g(y) / P_g'(y) <= λ^-2 <= e^eps`. Both sums are finite, as widths grow like a polynomial. ∎
//! (a) and (b) are shown where a ladder is made, in [`graph_counts`](super::graph_counts).
//!
//! # Paper
//! Zhang, Cormode, Procopiuc, Srivastava, Xiao, "Private Release of Graph Statistics using Ladder Functions", SIGMOD 2015.
//!
//! # Differs from paper
//! Widths are polynomials that need no largest value: the proof above does without. The law is exact: no weight is summed
//! up in floating point.
//!
//! # Cost
//! A draw takes about `(2/eps)^(J+1)` coins, J the degree of the widths (0 to 2).
//!
//! # Numerics
//! Exact. How many coins a draw takes depends on the graph's ladder and on eps.

use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::fault::{self, Fault};
use crate::noise::{Bernoulli, Decay, RandomWords};

/// Widths of rungs, which grow with their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ladder {
    /// c_0: how far one edge can move the count.
    pub start: u64,
    /// c_1: by how much that grows from rung to rung.
    pub slope: u64,
    /// c_2: by how much the growth grows.
    pub curvature: u64,
}

/// No coefficient is larger: their sum fits into a word. A graph of 2^31 nodes does not reach it.
const LARGEST: u64 = 1 << 61;

/// The least epsilon of a count: below it a draw would take too many coins.
const LEAST: f64 = 1e-3;

impl Ladder {
    /// I_s: how far rung s + 1 reaches beyond rung s.
    pub fn width(&self, rung: u64) -> u128 {
        let (s, two) =
            (u128::from(rung), u128::from(rung) * u128::from(rung.saturating_sub(1)) / 2);
        u128::from(self.start) + u128::from(self.slope) * s + u128::from(self.curvature) * two
    }

    /// How far the first so many rungs reach: `I_0 + ... + I_{rungs - 1}`.
    pub fn reach(&self, rungs: u64) -> u128 {
        let n = u128::from(rungs);
        // Σ_s C(s, j) = C(n, j + 1)
        let two = n * n.saturating_sub(1) / 2;
        let three = two * n.saturating_sub(2) / 3;
        u128::from(self.start) * n
            + u128::from(self.slope) * two
            + u128::from(self.curvature) * three
    }

    fn coefficients(&self) -> [u64; 3] {
        [self.start, self.slope, self.curvature].map(|coefficient| coefficient.min(LARGEST))
    }
}

/// Draws from ladders at one epsilon.
///
/// ```
/// use privet_privacy::Budget;
/// use privet_privacy::edges::central::{Ladder, LadderNoise};
/// use privet_privacy::noise::NoiseRng;
/// let noise = LadderNoise::new(Budget::from_epsilon(1.0)?)?;
/// let ladder = Ladder { start: 3, slope: 1, curvature: 0 };
/// let mut words = NoiseRng::replay(1).next_release().into_stream();
/// let offset = noise.draw(&ladder, &mut words);
/// assert!(offset.unsigned_abs() < 10_000);
/// // 95 of 100 draws are no further away than this.
/// assert!((45.0..60.0).contains(&noise.half_width(&ladder, 0.95)));
/// # Ok::<(), privet_privacy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LadderNoise {
    decay: Decay,
    /// True with probability λ.
    onwards: Bernoulli,
}

impl LadderNoise {
    /// Draws that cost a budget.
    ///
    /// # Errors
    /// If it is below 0.001: a draw would take too long.
    pub fn new(budget: Budget) -> Result<Self> {
        if budget.as_f64() < LEAST {
            return Err(Error::range("epsilon of a count", budget, "at least 0.001"));
        }
        // Both the weight and the normaliser change with a neighbour: half the budget each.
        let halves = if fault::on(Fault::LadderNormaliserFree) { 1 } else { 2 };
        let decay = Decay::of_part(budget, halves);
        let onwards = Bernoulli::new(decay.numerator().into(), Decay::UNIT.into())?;
        Ok(Self { decay, onwards })
    }

    /// How far the drawn count is from the true one.
    ///
    /// Rung t has the weight `2 I_{t-1} λ^t`, a sum over the coefficients. With J the last of them that is not 0 and
    /// `Σ_s C(s, j) λ^s = λ^j / (1 - λ)^(j + 1)`, all weights times `(1 - λ)^(J + 1)` are
    /// `(1 - λ)^(J + 1)` for rung 0 and `2 c_j λ^(j + 1) (1 - λ)^(J - j)` for coefficient j: a choice among
    /// `1 + 2 (c_0 + c_1 + c_2)` equal ones, kept if J + 1 coins come up as the choice wants.
    pub fn draw<W: RandomWords + ?Sized>(&self, ladder: &Ladder, words: &mut W) -> i64 {
        let coefficients = ladder.coefficients();
        let last = coefficients.iter().rposition(|&c| c > 0).unwrap_or(0);
        let total = 1 + 2 * coefficients.iter().sum::<u64>();
        words.until(|words| {
            let chosen = words.below(total);
            // The first choice is rung 0; then come 2 c_0, 2 c_1 and 2 c_2 choices.
            let mut left = chosen.checked_sub(1);
            let mut which = None;
            for (at, coefficient) in coefficients.iter().enumerate() {
                match left {
                    Some(place) if place < 2 * coefficient => {
                        which = Some(at);
                        break;
                    }
                    Some(place) => left = Some(place - 2 * coefficient),
                    None => break,
                }
            }
            let heads = which.map_or(0, |at| at + 1);
            let kept = (0..=last).all(|at| words.toss(&self.onwards) == (at < heads));
            if !kept {
                return None;
            }
            Some(which.map_or(0, |at| self.place(ladder, at, words)))
        })
    }

    /// A place on the rungs of coefficient `at`: rung s + 1 with probability in proportion to `C(s, at) λ^s`, which is
    /// `at` plus as many heads as come before the tail of `at + 1` rows of coins.
    fn place<W: RandomWords + ?Sized>(&self, ladder: &Ladder, at: usize, words: &mut W) -> i64 {
        let mut rung = at as u64;
        for _ in 0..=at {
            while words.toss(&self.onwards) {
                rung += 1;
            }
        }
        let width = u64::try_from(ladder.width(rung)).unwrap_or(u64::MAX);
        // All integers of a rung alike, on both sides of the true count.
        let place = u128::from(words.below(width)) + 1 + ladder.reach(rung);
        let magnitude = i64::try_from(place).unwrap_or(i64::MAX);
        if words.below(2) == 1 { -magnitude } else { magnitude }
    }

    /// The probability that a draw is further than `distance` from the true count.
    pub fn beyond(&self, ladder: &Ladder, distance: f64) -> f64 {
        let (mut inside, mut total) = (1.0, 1.0);
        let mut weight = 1.0;
        for rung in 0..self.rungs(ladder) {
            weight *= self.decay.as_f64();
            let (width, start) = (ladder.width(rung) as f64, ladder.reach(rung) as f64);
            total += 2.0 * width * weight;
            inside += 2.0 * weight * (distance - start).clamp(0.0, width).floor();
        }
        1.0 - inside / total
    }

    /// The smallest distance within which draws are with at least this probability.
    pub fn half_width(&self, ladder: &Ladder, confidence: f64) -> f64 {
        let mut high = 1.0;
        while self.beyond(ladder, high) > 1.0 - confidence {
            high *= 2.0;
        }
        let mut low = 0.0;
        while high - low > 0.5_f64.max(high * 1e-4) {
            let middle = 0.5 * (low + high);
            match self.beyond(ladder, middle) > 1.0 - confidence {
                true => low = middle,
                false => high = middle,
            }
        }
        high.ceil()
    }

    /// Rungs after which less than 10^-9 of the weight is left.
    fn rungs(&self, ladder: &Ladder) -> u64 {
        let degree = ladder.coefficients().iter().rposition(|&c| c > 0).unwrap_or(0) as f64;
        // λ^t t^degree below 10^-12 of its sum, generously.
        ((28.0 + 8.0 * degree) / self.decay.complement_f64()).ceil() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit;
    use crate::noise::NoiseRng;
    use std::collections::BTreeMap;

    fn noise(epsilon: f64) -> LadderNoise {
        LadderNoise::new(Budget::from_epsilon(epsilon).unwrap()).unwrap()
    }

    /// The probabilities of the header's equation, rung by rung.
    fn law(ladder: &Ladder, ratio: f64, to: i64) -> BTreeMap<i64, f64> {
        let weight = |y: i64| {
            let far = u128::from(y.unsigned_abs());
            let rung = (0..).find(|&rung| far <= ladder.reach(rung)).unwrap();
            ratio.powi(rung as i32)
        };
        let total = 1.0
            + (0..400)
                .map(|s| 2.0 * ladder.width(s) as f64 * ratio.powi(s as i32 + 1))
                .sum::<f64>();
        (-to..=to).map(|y| (y, weight(y) / total)).collect()
    }

    #[test]
    fn the_sampler_has_the_law_of_the_equation() {
        let noise = noise(6.0);
        for ladder in [
            Ladder { start: 0, slope: 1, curvature: 0 },
            Ladder { start: 2, slope: 1, curvature: 0 },
            Ladder { start: 1, slope: 0, curvature: 0 },
            Ladder { start: 2, slope: 3, curvature: 2 },
        ] {
            let found = audit::drawn(44, |words| noise.draw(&ladder, words)).unwrap();
            for (y, expected) in law(&ladder, noise.decay.as_f64(), 12) {
                let found = found.at_least(&y);
                assert!((found - expected).abs() < 1e-7, "{ladder:?} at {y}: {found}, {expected}");
            }
        }
    }

    #[test]
    fn half_widths_are_those_of_draws() {
        let noise = noise(0.5);
        let mut words = NoiseRng::replay(3).next_release().into_stream();
        for ladder in [
            Ladder { start: 40, slope: 1, curvature: 0 },
            Ladder { start: 900, slope: 60, curvature: 2 },
        ] {
            let far = noise.half_width(&ladder, 0.9);
            let draws = (0..20_000).map(|_| noise.draw(&ladder, &mut words).unsigned_abs() as f64);
            let within = draws.filter(|&draw| draw <= far).count() as f64 / 20_000.0;
            assert!((within - 0.9).abs() < 0.008, "{within}");
        }
    }

    #[test]
    fn reaches_are_sums_of_widths() {
        let ladder = Ladder { start: 5, slope: 3, curvature: 2 };
        let mut sum = 0;
        for rung in 0..40 {
            assert_eq!(ladder.reach(rung), sum);
            sum += ladder.width(rung);
        }
        assert!(LadderNoise::new(Budget::from_epsilon(1e-4).unwrap()).is_err());
    }
}
