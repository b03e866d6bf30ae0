//! How many of a node's rows a batch holds: binomial or hypergeometric.
//!
//! **Numerics.** Weights by their ratios from the mode outwards, normalised by their sum: no factorials, whose
//! logarithms have lost all digits for a population of 10^15. A weight is a product of at most as many rounded
//! ratios as there are rows, so its relative error is at most [`RowCounts::rounding`]. Counts that are less
//! likely than [`UNLIKELY`] are left out; who needs them pays for that probability.

/// Counts that are rarer than this, relative to the most likely one, do not happen.
pub(crate) const UNLIKELY: f64 = 1e-300;

/// The law of a number of rows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RowCounts {
    /// `(k, P(k))`, `k` increasing.
    pub(crate) masses: Vec<(f64, f64)>,
    /// The relative error of each probability.
    pub(crate) rounding: f64,
}

impl RowCounts {
    /// Each of `rows` rows is drawn with probability `rate`.
    pub(crate) fn binomial(rows: u32, rate: f64) -> Self {
        let n = f64::from(rows);
        if rate == 1.0 {
            return Self { masses: vec![(n, 1.0)], rounding: 0.0 };
        }
        // Bin(k+1)/Bin(k) = (n-k)/(k+1) q/(1-q): ratios from the mode outwards never overflow and lose one rounding a
        // step.
        let odds = rate / (1.0 - rate);
        let mode = ((n + 1.0) * rate).floor().min(n);
        Self::walked(mode, |k| (n - k) / (k + 1.0) * odds)
    }

    /// `size` of `population` rows are drawn, of which `rows` are the node's.
    pub(crate) fn hypergeometric(rows: u32, size: u64, population: u64) -> Self {
        let rows = u64::from(rows).min(population);
        let (n, drawn) = (rows as f64, size as f64);
        // The rows of others that are not drawn; fewer than the node has if almost all are drawn.
        let left = i128::from(population) - i128::from(size) - i128::from(rows);
        let fewest = (-left).max(0) as f64;
        let mode = ((n + 1.0) * (drawn + 1.0) / (population as f64 + 2.0)).floor();
        // H(k+1)/H(k) = (n-k)(s-k) / ((k+1)(N-s-n+k+1)).
        let ratio = |k: f64| (n - k) * (drawn - k) / ((k + 1.0) * (left as f64 + k + 1.0));
        Self::walked(mode.clamp(fewest, n.min(drawn)), ratio)
    }

    /// From the ratios `P(k + 1)/P(k)`, which vanish (or have a pole) where the counts end.
    fn walked(mode: f64, ratio: impl Fn(f64) -> f64) -> Self {
        let mut masses = vec![(mode, 1.0)];
        let (mut k, mut weight) = (mode, 1.0);
        while k > 0.0 {
            weight /= ratio(k - 1.0);
            k -= 1.0;
            if weight.is_nan() || weight <= UNLIKELY {
                break;
            }
            masses.push((k, weight));
        }
        masses.reverse();
        (k, weight) = (mode, 1.0);
        loop {
            weight *= ratio(k);
            k += 1.0;
            if weight.is_nan() || weight <= UNLIKELY {
                break;
            }
            masses.push((k, weight));
        }
        let total: f64 = masses.iter().map(|(_, weight)| weight).sum();
        masses.iter_mut().for_each(|(_, weight)| *weight /= total);
        let rounding = 8.0 * f64::EPSILON * (masses.len() as f64 + 2.0);
        Self { masses, rounding }
    }

    /// At most `limit` counts: runs of neighbours become the largest of them, which costs more, not less.
    ///
    /// A run is short where it is likely; no rows at all stays what it is.
    pub(crate) fn grouped(self, limit: usize) -> Self {
        if self.masses.len() <= limit {
            return self;
        }
        let share = 2.0 / (limit - 2) as f64;
        let longest = 2 * self.masses.len() / (limit - 2) + 1;
        let mut masses: Vec<(f64, f64)> = Vec::with_capacity(limit);
        let mut length = 0;
        // From the largest count down: a group keeps the count it began with, so rows are only ever counted up. Zero
        // rows stay a group of their own, since `some` must stay exact.
        for &(k, mass) in self.masses.iter().rev() {
            match masses.last_mut() {
                Some(group) if k > 0.0 && length < longest && group.1 + mass <= share => {
                    group.1 += mass;
                    length += 1;
                }
                _ => {
                    masses.push((k, mass));
                    length = 1;
                }
            }
        }
        masses.reverse();
        Self { masses, rounding: self.rounding * 2.0 }
    }

    /// The probability of at least one row.
    pub(crate) fn some(&self) -> f64 {
        self.masses.iter().filter(|(k, _)| *k > 0.0).map(|(_, mass)| mass).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountant::exact::{above, big};
    use crate::special::log_binomial;

    fn mass(counts: &RowCounts, k: f64) -> f64 {
        counts.masses.iter().find(|(count, _)| *count == k).map_or(0.0, |(_, mass)| *mass)
    }

    #[test]
    fn both_laws_are_what_factorials_say() {
        let drawn = RowCounts::hypergeometric(5, 60, 216);
        let sampled = RowCounts::binomial(7, 0.3);
        for k in 0..=5 {
            let log = log_binomial(5, k) + log_binomial(211, 60 - k) - log_binomial(216, 60);
            assert!((mass(&drawn, k as f64) / log.exp() - 1.0).abs() < 1e-11, "{k}");
        }
        for k in 0..=7_u64 {
            let expected =
                log_binomial(7, k).exp() * 0.3_f64.powi(k as i32) * 0.7_f64.powi(7 - k as i32);
            assert!((mass(&sampled, k as f64) / expected - 1.0).abs() < 1e-13, "{k}");
        }
        assert_eq!(RowCounts::binomial(3, 1.0).masses, [(3.0, 1.0)]);
        assert_eq!(RowCounts::hypergeometric(3, 0, 10).masses, [(0.0, 1.0)]);
    }

    /// Almost everything drawn: at least two of the three rows. And populations beyond all factorials.
    #[test]
    fn ends_are_where_they_are() {
        let nearly_all = RowCounts::hypergeometric(3, 9, 10);
        assert_eq!(nearly_all.masses.iter().map(|(k, _)| *k).collect::<Vec<_>>(), [2.0, 3.0]);
        assert!((mass(&nearly_all, 2.0) - 0.3).abs() < 1e-15);
        let few = RowCounts::hypergeometric(4, 2, 5);
        assert_eq!(few.masses.last().map(|(k, _)| *k), Some(2.0));
        assert!((few.some() - 1.0 + 0.0).abs() < 1e-15, "one other row cannot fill a batch of two");
        let huge = RowCounts::hypergeometric(3, 1_000_000_000_000, 1_000_000_000_000_000);
        let binomial = RowCounts::binomial(3, 1e-3);
        assert!((huge.some() / binomial.some() - 1.0).abs() < 1e-12);
        assert!((binomial.some() / 2.997_001e-3 - 1.0).abs() < 1e-14);
    }

    /// Binomial and hypergeometric laws to many digits: every probability is within the error that is stated, and the
    /// stated error is a few units for each count.
    #[test]
    fn probabilities_are_within_their_error() {
        let choose = |n: u32, k: u32| {
            (0..k).fold(big(1.0), |c, i| c * big(f64::from(n - i)) / big(f64::from(i + 1)))
        };
        let mut worst = 0.0_f64;
        for (n, rate) in [(1, 0.3), (2, 0.7), (5, 1e-3), (40, 0.27), (300, 0.6), (9, 1e-200)] {
            let counts = RowCounts::binomial(n, rate);
            for &(k, found) in &counts.masses {
                let (taken, left) = (k as u32, n - k as u32);
                let others = (big(1.0) - big(rate)).powi(left.into());
                let exact = choose(n, taken) * big(rate).powi(taken.into()) * others;
                let error = above(found, &exact).abs() * f64::EPSILON;
                assert!(error <= counts.rounding, "{n} {rate} {k}: {error:e}");
                worst = worst.max(error / counts.rounding);
            }
            let units = counts.rounding / f64::EPSILON / (counts.masses.len() as f64 + 2.0);
            assert_eq!(units, 8.0);
        }
        // The error is not stated a hundred times too large either.
        assert!(worst > 0.01, "{worst}");
        for (rows, size, population) in [(3, 5, 20_u32), (7, 50, 60), (12, 30, 1000)] {
            let counts = RowCounts::hypergeometric(rows, size.into(), population.into());
            for &(k, found) in &counts.masses {
                let k = k as u32;
                let exact = choose(rows, k) * choose(population - rows, size - k)
                    / choose(population, size);
                let error = above(found, &exact).abs() * f64::EPSILON;
                assert!(error <= counts.rounding, "{rows} {size} {k}: {error:e}");
            }
        }
    }

    /// Counts end where they have to, or where they become too unlikely; the mode is where they begin.
    #[test]
    fn counts_cover_what_can_happen() {
        let ends = |counts: &RowCounts| {
            let k: Vec<f64> = counts.masses.iter().map(|(k, _)| *k).collect();
            assert!(k.windows(2).all(|pair| pair[1] == pair[0] + 1.0));
            (k[0] as u64, k[k.len() - 1] as u64)
        };
        assert_eq!(ends(&RowCounts::binomial(7, 0.9)), (0, 7));
        assert_eq!(ends(&RowCounts::binomial(1, 1e-9)), (0, 1));
        assert_eq!(ends(&RowCounts::hypergeometric(9, 4, 5)), (4, 4));
        assert_eq!(ends(&RowCounts::hypergeometric(4, 4, 5)), (3, 4));
        assert_eq!(ends(&RowCounts::hypergeometric(4, 3, 9)), (0, 3));
        // 1e-200 per row: a second one is below what is looked at.
        assert_eq!(ends(&RowCounts::binomial(9, 1e-200)), (0, 1));
        let (first, last) = ends(&RowCounts::binomial(10_000, 0.5));
        assert!((2_000..3_500).contains(&first) && first + last == 10_000, "{first} {last}");
    }

    /// Groups hold neighbours only, each with the largest of its counts, none of them heavier than its share or longer
    /// than its length; few counts stay as they are.
    #[test]
    fn groups_are_runs_of_neighbours() {
        let few = RowCounts::binomial(63, 0.3);
        assert_eq!(few.clone().grouped(64), few);
        for (rows, rate, limit) in [(64, 0.3, 64), (10_000, 0.01, 64), (3_000, 0.5, 20)] {
            let all = RowCounts::binomial(rows, rate);
            let groups = all.clone().grouped(limit);
            assert!(groups.masses.len() <= limit && groups.masses.len() >= limit / 4);
            assert_eq!(groups.rounding, 2.0 * all.rounding);
            let longest = 2 * all.masses.len() / (limit - 2) + 1;
            let mut rest = all.masses.iter().peekable();
            for &(k, mass) in &groups.masses {
                let (mut sum, mut length) = (0.0, 0);
                while let Some((_, part)) = rest.next_if(|(count, _)| *count <= k) {
                    sum += part;
                    length += 1;
                }
                assert!((mass / sum - 1.0).abs() < 1e-13, "{k}: {mass} {sum}");
                assert!(length <= longest && (length == 1 || mass <= 2.0 / (limit - 2) as f64));
            }
            assert!(rest.next().is_none());
        }
    }

    /// Half of a million: the law is symmetric around half of the rows, and begins there, not at an end that is as rare
    /// as 2^-3000.
    #[test]
    fn many_rows_of_a_large_batch() {
        let counts = RowCounts::hypergeometric(3_000, 500_000, 1_000_000);
        let total: f64 = counts.masses.iter().map(|(_, mass)| mass).sum();
        let mean: f64 = counts.masses.iter().map(|(k, mass)| k * mass).sum();
        assert!((total - 1.0).abs() < 1e-12 && (mean - 1_500.0).abs() < 1e-6, "{total} {mean}");
        assert!((mass(&counts, 1_400.0) / mass(&counts, 1_600.0) - 1.0).abs() < 1e-9);
    }

    /// By hand: shares of a half, no more than nine in a run, and no rows at all by themselves.
    #[test]
    fn groups_by_hand() {
        let even =
            RowCounts { masses: (0..16).map(|k| (f64::from(k), 0.0625)).collect(), rounding: 0.0 };
        assert_eq!(even.clone().grouped(6).masses, [(0.0, 0.0625), (7.0, 0.4375), (15.0, 0.5)]);
        // Where they are rare only the length counts.
        let mut rare = even;
        rare.masses.iter_mut().skip(1).for_each(|(_, mass)| *mass = 0.001_953_125);
        rare.masses[0].1 = 1.0 - 15.0 * 0.001_953_125;
        let counts: Vec<f64> = rare.grouped(6).masses.iter().map(|(k, _)| *k).collect();
        assert_eq!(counts, [0.0, 6.0, 15.0]);
    }

    #[test]
    fn groups_only_rise() {
        let all = RowCounts::binomial(10_000, 0.01);
        let few = all.clone().grouped(64);
        assert!(few.masses.len() <= 64, "{}", few.masses.len());
        let above = |counts: &RowCounts, k: f64| -> f64 {
            counts.masses.iter().filter(|(count, _)| *count >= k).map(|(_, mass)| mass).sum()
        };
        for &(k, _) in &all.masses {
            assert!(above(&few, k) >= above(&all, k) * (1.0 - 1e-12), "{k}");
        }
        let mean = |counts: &RowCounts| counts.masses.iter().map(|(k, mass)| k * mass).sum::<f64>();
        assert!((mean(&few) / mean(&all) - 1.0).abs() < 0.02);
        assert_eq!(mass(&few, 0.0), mass(&all, 0.0));
    }
}
