//! The law of DPRR on a handful of nodes, written out from its definition: an oracle that shares no
//! code with the sampler it judges.
//!
//! `P(s | a) = E_q[(pq)^x11 (1-pq)^x10 ((1-p)q)^x01 (1-(1-p)q)^x00]`, where `q` depends on the list
//! `a` through its noisy degree alone.

use super::law::FloatLaw;

/// What a toy DPRR does; each field is one way to get it wrong.
#[derive(Debug, Clone, Copy)]
pub struct ToyDprr {
    /// Budget of the noisy degree; infinite for none of the noise.
    pub degree: f64,
    /// Budget of the randomised bits.
    pub bits: f64,
}

impl ToyDprr {
    /// The keep probability of a noisy degree among `pairs` possible neighbours, clipped first.
    fn keep(&self, noisy: f64, pairs: usize) -> f64 {
        let (m, p) = (pairs as f64, 1.0 / (1.0 + (-self.bits).exp()));
        let d = noisy.clamp(0.0, m / 2.0);
        if d == 0.0 { 0.0 } else { d / (d * (2.0 * p - 1.0) + m * (1.0 - p)) }
    }

    /// The keep probabilities and how likely each is, for a true degree: the discrete Laplace law
    /// `(1-l)/(1+l) l^|z|` with everything beyond the clip lumped at its ends.
    fn keeps(&self, degree: usize, pairs: usize) -> Vec<(f64, f64)> {
        if self.degree.is_infinite() {
            return vec![(self.keep(degree as f64, pairs), 1.0)];
        }
        let l = (-self.degree).exp();
        let at = |z: i64| (1.0 - l) / (1.0 + l) * l.powi(z.unsigned_abs() as i32);
        // P(noise >= z).
        let from = |z: i64| {
            let tail = |z: i64| l.powi(z as i32) / (1.0 + l);
            if z >= 1 { tail(z) } else { 1.0 - tail(1 - z) }
        };
        let (d, top) = (degree as i64, pairs.div_ceil(2) as i64);
        let mut keeps = vec![(0.0, 1.0 - from(1 - d)), (1.0, from(top - d))];
        keeps.extend((1..top).map(|noisy| (self.keep(noisy as f64, pairs), at(noisy - d))));
        keeps
    }

    /// The probabilities of all reports (as bit masks over `list.len()` pairs) of a user whose list
    /// restricted to the reported pairs is `list` and whose degree, as the sampler sees it, is
    /// `degree` among `pairs` possible neighbours.
    pub fn row(&self, list: &[bool], degree: usize, pairs: usize) -> Vec<f64> {
        let p = 1.0 / (1.0 + (-self.bits).exp());
        let mut row = vec![0.0; 1 << list.len()];
        for (q, weight) in self.keeps(degree, pairs) {
            for (mask, total) in row.iter_mut().enumerate() {
                let each = list.iter().enumerate().map(|(at, &bit)| {
                    let one = q * if bit { p } else { 1.0 - p };
                    if mask >> at & 1 == 1 { one } else { 1.0 - one }
                });
                *total += weight * each.product::<f64>();
            }
        }
        row
    }

    /// The law of one user's report over all lists of `pairs` bits.
    pub fn law(&self, pairs: usize) -> FloatLaw {
        let row = |mask: usize| {
            let list: Vec<bool> = (0..pairs).map(|at| mask >> at & 1 == 1).collect();
            self.row(&list, mask.count_ones() as usize, pairs)
        };
        FloatLaw::new((0..1 << pairs).map(row).collect())
    }

    /// Edge LDP: lists that differ in one bit.
    pub fn edge_ldp(&self, pairs: usize) -> f64 {
        self.law(pairs).epsilon_between(|a, b| (a ^ b).count_ones() == 1)
    }
}

/// Which pairs each of three users reports, and which degree steers them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportedPairs {
    /// Every user reports both pairs.
    Both,
    /// The later user of each pair reports it; the full degree steers.
    LaterFullDegree,
    /// The later user of each pair reports it; the degree among owned pairs steers.
    LaterOwnDegree,
}

/// Relationship DP on three nodes: all reports together, graphs that differ in one edge.
pub fn relationship_dp(toy: ToyDprr, reports: ReportedPairs) -> f64 {
    let edge = |graph: usize, u: usize, v: usize| graph >> (u + v - 1) & 1 == 1;
    let row_of = |graph: usize, user: usize| {
        let all: Vec<usize> = (0..3).filter(|&v| v != user).collect();
        let owned: Vec<usize> = match reports {
            ReportedPairs::Both => all.clone(),
            _ => all.iter().copied().filter(|&v| v < user).collect(),
        };
        let degree = |pairs: &[usize]| pairs.iter().filter(|&&v| edge(graph, user, v)).count();
        let (degree, pairs) = match reports {
            ReportedPairs::LaterOwnDegree => (degree(&owned), owned.len()),
            _ => (degree(&all), all.len()),
        };
        let list: Vec<bool> = owned.iter().map(|&v| edge(graph, user, v)).collect();
        if list.is_empty() { vec![1.0] } else { toy.row(&list, degree, pairs) }
    };
    let product = |a: Vec<f64>, b: Vec<f64>| -> Vec<f64> {
        a.iter().flat_map(|x| b.iter().map(move |y| x * y)).collect()
    };
    let rows = (0..8)
        .map(|graph| (0..3).map(|user| row_of(graph, user)).fold(vec![1.0], product))
        .collect();
    FloatLaw::new(rows).epsilon_between(|a, b| (a ^ b).count_ones() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOY: ToyDprr = ToyDprr { degree: 0.1, bits: 0.9 };

    #[test]
    fn rows_are_distributions() {
        for pairs in 1..=6 {
            assert!(TOY.law(pairs).mass_error() < 1e-12);
        }
    }

    #[test]
    fn costs_exactly_the_sum_of_its_parts() {
        for nodes in [2, 3, 5, 9] {
            assert!((TOY.edge_ldp(nodes - 1) - 1.0).abs() < 1e-9, "{nodes}");
        }
    }

    #[test]
    fn relationships_cost_what_both_reports_say() {
        for (reports, expected) in [
            (ReportedPairs::Both, 2.0),
            (ReportedPairs::LaterFullDegree, 1.1),
            (ReportedPairs::LaterOwnDegree, 1.0),
        ] {
            let measured = relationship_dp(TOY, reports);
            assert!((measured - expected).abs() < 1e-9, "{reports:?}: {measured}");
        }
    }
}
