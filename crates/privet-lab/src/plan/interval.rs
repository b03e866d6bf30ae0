//! [`Interval`]: what to expect, and how far off it may be.
//!
//! Simulations differ between look-alikes and seeds: that is one reason for being off, and the interval of all of them
//! covers it. That look-alikes are not the truth is the other. How far benchmarks whose accuracy is known lie
//! outside of their own simulated intervals says how much wider to make it: the k-th smallest of `n` such distances, with
//! `k` the least from `(n + 1) 4/5` on, covers another benchmark like those at least four times in five (split
//! conformal prediction). "Like those" is an assumption: benchmarks are no random sample of anything.

use serde::{Deserialize, Serialize};

/// What to expect, from the least to the most.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The least to expect.
    pub low: f64,
    /// The middle one of all simulations.
    pub expected: f64,
    /// The most to expect.
    pub high: f64,
}

/// How often a new case shall lie within.
pub const COVERAGE: f64 = 0.8;

/// Simulations that agree are still off by about so much.
const FLOOR: f64 = 0.04;

impl Interval {
    /// All simulations: the middle one, and from the least to the largest.
    pub fn of(scores: &[f64]) -> Self {
        let mut sorted = scores.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |place: usize| sorted.get(place).copied().unwrap_or(0.0);
        let (last, middle) = (sorted.len().saturating_sub(1), sorted.len() / 2);
        let expected = match sorted.len() % 2 {
            1 => at(middle),
            _ => (at(middle.saturating_sub(1)) + at(middle)) / 2.0,
        };
        Self { low: at(0), expected, high: at(last) }
    }

    /// The same for shares that may be off by so much more; a share stays one.
    #[must_use]
    pub fn widened(self, margin: f64) -> Self {
        let (low, high) = (self.low - margin, self.high + margin);
        // A margin below zero narrows an interval, but never past its middle.
        let (low, high) = (low.min(self.expected), high.max(self.expected));
        Self { low: low.max(0.0), expected: self.expected, high: high.min(1.0) }
    }

    /// So many times its own scale on both sides of the middle: wide where simulations disagree.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        let expected = self.expected;
        Self { low: expected, expected, high: expected }.widened(factor * self.scale())
    }

    /// How far a value is from the middle, in units of the scale.
    pub fn scaled_distance(self, value: f64) -> f64 {
        (value - self.expected).abs() / self.scale()
    }

    /// Half of what simulations span, and what even those that agree are off.
    fn scale(self) -> f64 {
        FLOOR + self.width() / 2.0
    }

    /// Whether a value lies within.
    pub fn covers(self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// How far a value lies outside; below zero if it lies within.
    pub fn distance(self, value: f64) -> f64 {
        (self.low - value).max(value - self.high)
    }

    /// From end to end.
    pub fn width(self) -> f64 {
        self.high - self.low
    }
}

/// How much wider to make intervals, given how far known values lay outside of theirs. Of too few to say so, the farthest.
pub fn margin(distances: &[f64], coverage: f64) -> f64 {
    let mut sorted = distances.to_vec();
    sorted.sort_by(f64::total_cmp);
    let wanted = ((sorted.len() as f64 + 1.0) * coverage).ceil() as usize;
    let place = wanted.clamp(1, sorted.len().max(1)) - 1;
    sorted.get(place).copied().unwrap_or(0.0)
}

/// The same where several cases are of one benchmark: every benchmark counts once, and each of its cases for its share of that. The
/// level is raised as for so many independent cases as there are benchmarks.
pub fn margin_by_group(groups: &[Vec<f64>], coverage: f64) -> f64 {
    let count = groups.iter().filter(|group| !group.is_empty()).count() as f64;
    let level = (coverage * (count + 1.0) / count.max(1.0)).min(1.0);
    let weighed = |group: &Vec<f64>| {
        let weight = 1.0 / (group.len().max(1) as f64 * count.max(1.0));
        group.iter().map(move |&distance| (distance, weight)).collect::<Vec<_>>()
    };
    let mut all: Vec<(f64, f64)> = groups.iter().flat_map(weighed).collect();
    all.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut sum = 0.0;
    let found = all.iter().find(|(_, weight)| {
        sum += weight;
        // Sums of shares fall short of 1 by rounding.
        sum >= level - 1e-9
    });
    found.or(all.last()).map_or(0.0, |(distance, _)| *distance)
}

#[cfg(test)]
mod tests {
    use privet::graph::SimRng;
    use rand::RngExt;

    use super::*;

    #[test]
    fn the_middle_and_the_ends() {
        let interval = Interval::of(&[0.5, 0.9, 0.6]);
        assert_eq!(interval, Interval { low: 0.5, expected: 0.6, high: 0.9 });
        assert_eq!(Interval::of(&[0.2, 0.4]).expected, 0.30000000000000004);
        assert!(interval.covers(0.5) && !interval.covers(0.49));
        assert!((interval.distance(0.4) - 0.1).abs() < 1e-12);
        assert!((interval.distance(0.55) + 0.05).abs() < 1e-12, "within, by five points");
    }

    #[test]
    fn widened_shares_stay_shares() {
        let interval = Interval { low: 0.05, expected: 0.5, high: 0.95 };
        assert_eq!(interval.widened(0.1), Interval { low: 0.0, expected: 0.5, high: 1.0 });
        assert_eq!(interval.widened(-0.9), Interval { low: 0.5, expected: 0.5, high: 0.5 });
    }

    #[test]
    fn the_margin_is_the_place_in_order() {
        let distances: Vec<f64> = (1..=19).map(f64::from).collect();
        assert_eq!(margin(&distances, 0.9), 18.0, "the eighteenth of nineteen");
        assert_eq!(margin(&[0.3, 0.1], 0.9), 0.3, "of too few, the farthest");
        assert_eq!(margin(&[], 0.9), 0.0);
    }

    /// Where simulations agree the interval is narrow, and a truth at its end is one factor away.
    #[test]
    fn scaled_intervals_follow_the_simulations() {
        let (agree, differ) = (Interval::of(&[0.5; 5]), Interval::of(&[0.3, 0.5, 0.7]));
        assert!((agree.times(2.0).width() - 0.16).abs() < 1e-12);
        assert!((differ.times(1.0).width() - 0.48).abs() < 1e-12);
        assert!((differ.scaled_distance(differ.times(1.5).high) - 1.5).abs() < 1e-12);
    }

    /// A benchmark of many cases weighs no more than one of a single case.
    #[test]
    fn benchmarks_count_once() {
        let many = vec![0.01; 50];
        let groups = [many.clone(), vec![0.2], vec![0.3], vec![0.4]];
        assert_eq!(margin_by_group(&groups, 0.5), 0.3, "0.625 of four benchmarks");
        assert_eq!(margin_by_group(&groups, 0.9), 0.4, "the farthest of too few");
        assert_eq!(margin_by_group(&[], 0.9), 0.0);
    }

    /// Simulations that are off by an unknown amount: after widening, four in five new cases are covered.
    #[test]
    fn widening_covers_what_it_says() {
        let mut rng = SimRng::new(1);
        let mut case = || {
            let truth = 0.3 + 0.4 * rng.random::<f64>();
            let off = 0.2 * (rng.random::<f64>() - 0.3);
            let runs: Vec<f64> = (0..5).map(|_| truth + off + 0.02 * rng.random::<f64>()).collect();
            (Interval::of(&runs), truth)
        };
        let known: Vec<f64> =
            (0..60).map(|_| case()).map(|(runs, truth)| runs.distance(truth)).collect();
        let margin = margin(&known, COVERAGE);
        let covered = (0..2000).filter(|_| {
            let (runs, truth) = case();
            runs.widened(margin).covers(truth)
        });
        let share = covered.count() as f64 / 2000.0;
        assert!((0.7..0.92).contains(&share), "{share}");
    }
}
