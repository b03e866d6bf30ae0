//! One pair of neighbouring laws per kind of release, as nodes: a loss and its probability under `Q`.
//!
//! A law on finitely many losses is exactly its nodes. A law with a density is given by the nodes of a quadrature
//! rule that is far finer than what is asked of it: the trapezoid rule for normal densities, Gauss-Legendre for
//! bounded ones.

use super::complex::Complex;

/// A pair of laws.
#[derive(Debug, Clone)]
pub enum Law {
    /// `N(mu, 1)` against `N(0, 1)`.
    Gaussian { mu: f64 },
    /// Losses and their probabilities under `Q`; those under `P` are `e^loss` times as large.
    Nodes { nodes: Vec<(f64, f64)>, kind: Kind },
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// Finitely many losses: two or three.
    Lattice,
    /// Atoms at both ends, and a density between them.
    Atoms,
    /// A density; one release of a mixture `sum w_k N(k, sigma^2)` has a closed form.
    Smooth,
}

impl Law {
    /// Two outcomes with these probabilities under `P` and `Q`.
    pub fn two_points(p: f64, q: f64) -> Self {
        let nodes = vec![((p / q).ln(), q), (((1.0 - p) / (1.0 - q)).ln(), 1.0 - q)];
        Self::Nodes { nodes, kind: Kind::Lattice }
    }

    /// Randomised response over so many categories: two of them are distinguished.
    pub fn response(epsilon: f64, categories: u32) -> Self {
        let other = 1.0 / (epsilon.exp() + f64::from(categories - 1));
        let mut nodes = vec![(epsilon, other), (-epsilon, epsilon.exp() * other)];
        if categories > 2 {
            nodes.push((0.0, f64::from(categories - 2) * other));
        }
        Self::Nodes { nodes, kind: Kind::Lattice }
    }

    /// Laplace noise of scale `1/epsilon` at distance 1.
    pub fn laplace(epsilon: f64) -> Self {
        const PANELS: u32 = 24;
        let mut nodes = vec![(-epsilon, 0.5), (epsilon, 0.5 * (-epsilon).exp())];
        let width = 2.0 * epsilon / f64::from(PANELS);
        for panel in 0..PANELS {
            for (x, weight) in legendre() {
                let loss = -epsilon + width * (f64::from(panel) + 0.5 * (1.0 + x));
                nodes.push((loss, 0.5 * width * weight * 0.25 * (-0.5 * (loss + epsilon)).exp()));
            }
        }
        Self::Nodes { nodes, kind: Kind::Atoms }
    }

    /// `sum w_k N(m_k, sigma^2)` against `sum v_k N(n_k, sigma^2)`.
    pub fn mixtures(sigma: f64, p: &[(f64, f64)], q: &[(f64, f64)]) -> Self {
        let log_density = |parts: &[(f64, f64)], x: f64| {
            let exponent = |mean: f64| -0.5 * ((x - mean) / sigma).powi(2);
            let top = parts.iter().map(|(mean, _)| exponent(*mean)).fold(f64::MIN, f64::max);
            let sum: f64 = parts.iter().map(|(mean, w)| w * (exponent(*mean) - top).exp()).sum();
            top + sum.ln()
        };
        let reach = p.iter().chain(q).map(|(mean, _)| mean.abs()).fold(0.0, f64::max);
        // Moments of order b live near b times the reach.
        let (low, high) = (-11.0 * sigma - 8.0 * reach, 11.0 * sigma + 8.0 * reach);
        // Losses grow by reach/sigma^2 at most: far up the line, nodes that are not close together act like a lattice.
        let step = (sigma / 4.0).min(sigma * sigma / (16.0 * reach));
        let count = ((high - low) / step).ceil().min(4_000.0) as u32;
        let step = (high - low) / f64::from(count);
        let norm = step / (sigma * (2.0 * std::f64::consts::PI).sqrt());
        let node = |index: u32| {
            let x = low + step * f64::from(index);
            let log_q = log_density(q, x);
            (ratio(sigma, p, q, x), norm * log_q.exp())
        };
        let nodes = (0..=count).map(node).filter(|(_, q)| *q > 0.0).collect();
        Self::Nodes { nodes, kind: Kind::Smooth }
    }

    /// The pair with its laws exchanged.
    pub fn reversed(&self) -> Self {
        match self {
            Self::Gaussian { mu } => Self::Gaussian { mu: *mu },
            Self::Nodes { nodes, kind } => {
                let node = |&(loss, q): &(f64, f64)| (-loss, q * loss.exp());
                Self::Nodes { nodes: nodes.iter().map(node).collect(), kind: *kind }
            }
        }
    }

    /// `log E_P[e^(z L)]`.
    pub fn log_moment(&self, z: Complex) -> Complex {
        let b = z + Complex::real(1.0);
        match self {
            Self::Gaussian { mu } => z * b * (0.5 * mu * mu),
            Self::Nodes { nodes, .. } => {
                let term = |&(loss, q): &(f64, f64)| {
                    ((b * loss).bend() - b * Complex::real(loss).bend()) * q
                };
                let zero = Complex::real(0.0);
                nodes.iter().map(term).fold(zero, |sum, term| sum + term).ln_1p()
            }
        }
    }

    /// Whether so many of them have a moment that vanishes along a vertical line.
    pub fn decays(&self, times: f64) -> bool {
        match self {
            Self::Gaussian { .. } => true,
            Self::Nodes { kind: Kind::Lattice, .. } => false,
            // Two atoms alone are a lattice: all losses at once must hardly ever be atoms.
            Self::Nodes { nodes, kind: Kind::Atoms } => {
                let atoms: f64 = nodes[..2].iter().map(|(loss, q)| q * loss.exp()).sum();
                -times * atoms.ln() > 60.0
            }
            Self::Nodes { kind: Kind::Smooth, .. } => true,
        }
    }

    /// How far up a line the moment of its atoms comes back.
    pub fn period(&self) -> Option<f64> {
        let atoms = match self {
            Self::Nodes { nodes, kind: Kind::Lattice } => &nodes[..],
            Self::Nodes { nodes, kind: Kind::Atoms } => &nodes[..2],
            _ => return None,
        };
        let mut losses: Vec<f64> = atoms.iter().map(|(loss, _)| *loss).collect();
        losses.sort_by(f64::total_cmp);
        let gap = losses.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
        Some(2.0 * std::f64::consts::PI / gap)
    }

    /// How far up a line its nodes still stand for a density.
    pub fn reach(&self) -> f64 {
        let Self::Nodes { nodes, kind: Kind::Smooth } = self else { return f64::INFINITY };
        let gaps = nodes.windows(2).map(|pair| (pair[1].0 - pair[0].0).abs());
        1.5 / gaps.fold(0.0, f64::max)
    }

    /// The delta of one release where it is a finite sum.
    pub fn exact(&self, epsilon: f64) -> Option<f64> {
        match self {
            Self::Nodes { nodes, kind: Kind::Lattice } => {
                let term = |&(loss, q): &(f64, f64)| q * (loss.exp() - epsilon.exp()).max(0.0);
                Some(nodes.iter().map(term).sum())
            }
            // 1 - e^((epsilon - e)/2)
            Self::Nodes { nodes, kind: Kind::Atoms } => {
                Some(-(0.5 * (epsilon - nodes[1].0)).exp_m1().min(0.0))
            }
            _ => None,
        }
    }

    /// The delta of many releases with two losses: a binomial sum.
    pub fn lattice(&self, times: f64, epsilon: f64) -> Option<f64> {
        let Self::Nodes { nodes, kind: Kind::Lattice } = self else { return None };
        let [(high, q), (low, _)] = nodes[..] else { return None };
        if times > 2e4 {
            return None;
        }
        // Under P the higher loss has probability q e^high; logarithms of weights by their ratios.
        let p = q * high.exp();
        let (odds, rest) = ((p / (1.0 - p)).ln(), (-p).ln_1p());
        let (mut log_weight, mut delta) = (times * rest, 0.0);
        for ups in 0..=times as u64 {
            let ups = ups as f64;
            let loss = ups * high + (times - ups) * low;
            if loss > epsilon {
                delta += log_weight.exp() * -(epsilon - loss).exp_m1();
            }
            log_weight += ((times - ups) / (ups + 1.0)).ln() + odds;
        }
        Some(delta)
    }
}

/// `log(p(x)/q(x))` with its digits kept where the two are almost equal.
fn ratio(sigma: f64, p: &[(f64, f64)], q: &[(f64, f64)], x: f64) -> f64 {
    let gain = |mean: f64| mean * (x - 0.5 * mean) / (sigma * sigma);
    let excess = |parts: &[(f64, f64)]| -> f64 {
        parts.iter().map(|(mean, w)| w * gain(*mean).exp_m1()).sum()
    };
    let (of_p, of_q) = (excess(p), excess(q));
    if of_p.abs() < 0.5 && of_q.abs() < 0.5 {
        return of_p.ln_1p() - of_q.ln_1p();
    }
    let log = |parts: &[(f64, f64)]| {
        let top = parts.iter().map(|(mean, _)| gain(*mean)).fold(f64::MIN, f64::max);
        let sum: f64 = parts.iter().map(|(mean, w)| w * (gain(*mean) - top).exp()).sum();
        top + sum.ln()
    };
    log(p) - log(q)
}

/// Nodes and weights of the Gauss-Legendre rule with 16 nodes, by Newton's method.
fn legendre() -> Vec<(f64, f64)> {
    const N: usize = 16;
    let node = |index: usize| {
        let mut x = (std::f64::consts::PI * (index as f64 + 0.75) / (N as f64 + 0.5)).cos();
        let mut slope = 0.0;
        for _ in 0..50 {
            let (mut before, mut at) = (1.0, x);
            for k in 2..=N {
                let k = k as f64;
                (before, at) = (at, ((2.0 * k - 1.0) * x * at - (k - 1.0) * before) / k);
            }
            slope = N as f64 * (x * at - before) / (x * x - 1.0);
            x -= at / slope;
        }
        (x, 2.0 / ((1.0 - x * x) * slope * slope))
    };
    (0..N).map(node).collect()
}
