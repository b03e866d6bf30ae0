//! [`WindowSampler`]: one mechanism on a lattice that is the square wave, the piecewise mechanism and
//! PM-SUB, depending only on how wide its window is.
//!
//! # Equation
//! Inputs `i ∈ {-n..n}` stand for `x = i/n`, outputs `j ∈ {-(n+h)..n+h}`. The weight of `j` is 1 inside
//! the window, `|j - i| ≤ h`, and λ outside, with `λ = ⌈e^-ε⌉` (see [`Decay`]). The window always lies
//! inside the alphabet, so the total `Z = (2h+1) + 2nλ` is the same for every input.
//!
//! # Guarantee
//! ε-LDP, exactly: equal totals and weights 1 and λ give the ratio `1/λ ≤ e^ε`. The width `h` must come
//! from public parameters.
//!
//! # One word
//! The coin for the window is a word below a threshold. A word that says "inside" is itself uniform on
//! those that do, so it also names the place: the `w` words of a branch are dealt out to its `m` places
//! in runs of `⌊w/m⌋`, and the fewer than `m` words that are left over (and the one word that leaves the
//! coin open) draw the place anew. Every place of a branch has as many words as any other and an equal
//! share of the rest, and the coin is exact: so is the law.
//!
//! # Cost
//! One word per draw, two multiplications and no division, for every input and outcome (a second word
//! has probability of at most 2⁻³²).
//! Moments, with `S(m) = m(m+1)(2m+1)/3`:
//! `E[j/n | i] = κ i/n`, `κ = (1-λ)(2h+1)/Z`, and
//! `E[(j/n)² | i] = (λ S(n+h) + (1-λ) S(h)) / (n² Z) + κ (i/n)²`.

use super::bernoulli::Bernoulli;
use super::decay::Decay;
use super::random_words::RandomWords;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::fault::{self, Fault};

/// The finest lattice and the widest window: 2³⁰ steps.
const LARGEST: u32 = 1 << 30;

/// The window mechanism with `n` steps on either side of zero and half width `h`.
///
/// ```
/// use privet_privacy::{Budget, noise::{NoiseRng, WindowSampler}};
/// // The square wave at epsilon 1 has half width b = 0.512 of the range.
/// let law = WindowSampler::new(1000, 512, Budget::from_epsilon(1.0)?)?;
/// let mut noise = NoiseRng::replay(1).next_release().into_stream();
/// let report = law.draw(-250, &mut noise); // x = -0.25
/// assert!(report.abs() <= 1512);
/// assert!((law.shrinkage() - 0.368).abs() < 1e-3);
/// # Ok::<(), privet_privacy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct WindowSampler {
    steps: i64,
    half_width: i64,
    outside: Decay,
    /// Inside or outside, and where.
    inside: PlacedCoin,
}

/// A coin each outcome of which has places, drawn uniformly from the word that tossed the coin.
#[derive(Debug, Clone)]
pub struct PlacedCoin {
    coin: Bernoulli,
    /// How the words of either outcome of the coin are dealt out: false, true.
    deals: [Deal; 2],
}

/// Consecutive words, dealt out to places in runs of equal length.
#[derive(Debug, Clone, Copy)]
struct Deal {
    first: u64,
    places: u64,
    run: u64,
    /// `run · places`; the words beyond are left over.
    dealt: u64,
    /// `⌊(2⁶⁴ - 1) / run⌋`
    reciprocal: u64,
}

impl Deal {
    /// Deals out `count` words from `first` on.
    fn new(first: u64, count: u64, places: u64) -> Self {
        let run = count / places;
        let reciprocal = u64::MAX.checked_div(run).unwrap_or(0);
        Self { first, places, run, dealt: run * places, reciprocal }
    }

    /// The place of a word; `None` if it is left over, or lies before the first.
    #[inline]
    fn place(&self, word: u64) -> Option<u64> {
        let word = word.wrapping_sub(self.first);
        // With r = ⌊(2⁶⁴-1)/run⌋ ≥ 2⁶⁴/run - 1 and word < 2⁶⁴, ⌊word r / 2⁶⁴⌋ is the quotient
        // word/run rounded down, or one less.
        let low = ((u128::from(word) * u128::from(self.reciprocal)) >> 64) as u64;
        let rest = word.wrapping_sub(low.wrapping_mul(self.run));
        let place = low + u64::from(rest >= self.run);
        (word < self.dealt).then_some(place)
    }
}

impl PlacedCoin {
    /// A coin with so many places for false and for true.
    fn new(coin: Bernoulli, places: [u64; 2]) -> Self {
        let threshold = coin.threshold();
        let deals = [
            Deal::new(threshold.saturating_add(1), u64::MAX - threshold, places[0]),
            Deal::new(0, threshold, places[1]),
        ];
        Self { coin, deals }
    }

    /// The coin.
    pub fn coin(&self) -> &Bernoulli {
        &self.coin
    }

    /// How many places an outcome has.
    pub fn places(&self, outcome: bool) -> u64 {
        self.deals[usize::from(outcome)].places
    }

    /// Outcome and place, from one word.
    #[inline]
    pub(super) fn draw_word<W: RandomWords + ?Sized>(&self, words: &mut W) -> (bool, u64) {
        let word = words.next_u64();
        let outcome = word < self.coin.threshold();
        match self.deals[usize::from(outcome)].place(word) {
            Some(place) => (outcome, place),
            None => self.draw_again(word, words), // the word at the threshold, too
        }
    }

    /// For a word that leaves the coin or the place open: the coin it tossed, and a new place.
    #[cold]
    fn draw_again<W: RandomWords + ?Sized>(&self, word: u64, words: &mut W) -> (bool, u64) {
        let outcome = self.coin.decide(word, words);
        (outcome, words.below(self.places(outcome)))
    }
}

impl WindowSampler {
    /// A lattice of `steps` on either side of zero, a window of `half_width` on either side of the
    /// input.
    pub fn new(steps: u32, half_width: u32, budget: Budget) -> Result<Self> {
        if !(1..=LARGEST).contains(&steps) {
            return Err(Error::range("lattice steps", steps, "1 to 2^30"));
        }
        if half_width > LARGEST {
            return Err(Error::range("half width of the window", half_width, "0 to 2^30"));
        }
        let outside = Decay::of(budget);
        let outside =
            if fault::on(Fault::WindowAtTwiceEpsilon) { outside.squared() } else { outside };
        let total = total_weight(steps, half_width, outside);
        // Every input has 2h + 1 places of weight 1 and 2n of weight λ: the total is the same for all, so ratios of
        // probabilities are ratios of weights.
        let coin = Bernoulli::new(window_weight(half_width), total)?;
        let places = [2 * u64::from(steps), 2 * u64::from(half_width) + 1];
        let inside = PlacedCoin::new(coin, places);
        let (steps, half_width) = (i64::from(steps), i64::from(half_width));
        Ok(Self { steps, half_width, outside, inside })
    }

    /// Randomizes an input; one outside `-n..n` is moved to the nearer end.
    #[inline]
    pub fn draw<W: RandomWords + ?Sized>(&self, input: i64, words: &mut W) -> i64 {
        let report = self.draw_once(input, words);
        match fault::on(Fault::DrawnAgainBeyondTheEnds) && report.abs() > self.steps {
            true => self.draw_once(input, words),
            false => report,
        }
    }

    #[inline]
    fn draw_once<W: RandomWords + ?Sized>(&self, input: i64, words: &mut W) -> i64 {
        // Clamping is per record and public: it cannot raise the loss.
        let input = input.clamp(-self.steps, self.steps);
        let window = 2 * self.half_width + 1;
        let (inside, place) = words.toss_and_place(&self.inside);
        let place = place as i64;
        // Outside, the places are numbered from the left end and jump over the window.
        let start = if inside { input - self.half_width } else { -(self.steps + self.half_width) };
        let jump = !inside & (place >= self.steps + input);
        start + place + if jump { window } else { 0 }
    }

    /// The exact integer weight of the output given the input: 0 outside the alphabet.
    pub fn weight(&self, input: i64, output: i64) -> u64 {
        if output.abs() > self.steps + self.half_width || input.abs() > self.steps {
            0
        } else if (output - input).abs() <= self.half_width {
            Decay::UNIT
        } else {
            self.outside.numerator()
        }
    }

    /// The sum of the weights of all outputs: the same for every input.
    pub fn total(&self) -> u128 {
        total_weight(self.steps as u32, self.half_width as u32, self.outside)
    }

    /// The largest output, `n + h`.
    pub fn largest_output(&self) -> i64 {
        self.steps + self.half_width
    }

    /// The probability that the report lies in the window.
    pub fn inside_probability(&self) -> f64 {
        self.inside.coin.probability()
    }

    /// κ: the mean of a report is κ times its input.
    pub fn shrinkage(&self) -> f64 {
        self.outside.complement_f64() * self.inside_probability()
    }

    /// `E[(j/n)² | i]`, in the units of `x = i/n`.
    pub fn second_moment(&self, input: i64) -> f64 {
        let squares = |m: i64| m as f64 * (m as f64 + 1.0) * (2.0 * m as f64 + 1.0) / 3.0;
        let (n, outside) = (self.steps as f64, self.outside.as_f64());
        let total = 2.0 * self.half_width as f64 + 1.0 + 2.0 * n * outside;
        let spread = outside * squares(self.steps + self.half_width)
            + self.outside.complement_f64() * squares(self.half_width);
        spread / (n * n * total) + self.shrinkage() * (input as f64 / n).powi(2)
    }
}

fn window_weight(half_width: u32) -> u128 {
    (2 * u128::from(half_width) + 1) * u128::from(Decay::UNIT)
}

fn total_weight(steps: u32, half_width: u32, outside: Decay) -> u128 {
    window_weight(half_width) + 2 * u128::from(steps) * u128::from(outside.numerator())
}

#[cfg(test)]
mod tests {
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
}
