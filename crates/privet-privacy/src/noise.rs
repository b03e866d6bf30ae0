//! Noise: exact samplers over integers, and the streams of random words they read.
//!
//! | file | draws | numerics |
//! |---|---|---|
//! | [`rng`] | [`NoiseRng`] → one [`ReleaseNoise`] per ledger entry → one [`NoiseStream`] per user | |
//! | [`source`] | [`NoiseSource`]: the noise of one release, real or enumerated by an audit | |
//! | [`random_words`] | [`RandomWords`]: the choices every sampler is made of, down to uniform integers and coins | exact |
//! | [`decay`] | [`Decay`]: e^-ε as a fraction rounded up, in certified integer arithmetic | exact |
//! | [`bernoulli`] | [`Bernoulli`] coins with rational probability; coins of probability e^-γ | exact |
//! | [`geometric`] | [`Geometric`]: weights falling by a factor, digit by digit | exact |
//! | [`window`] | [`WindowSampler`]: square wave, PM and PM-SUB on a lattice | exact |
//! | [`randomized_response`] | [`RandomizedResponse`], [`BitResponse`] | exact |
//! | [`graded`] | [`GradedResponse`]: nearer bins more often (FeatureRR) | exact |
//! | [`discrete_laplace`] | [`DiscreteLaplace`]: noise for counts | exact |
//! | [`discrete_gaussian`] | [`DiscreteGaussian`]: noise for counts, zCDP | exact |
//! | [`selection`] | [`ExponentialSelection`]: the exponential mechanism, top-K | exact |
//! | [`rounded_gaussian`] | [`RoundedGaussian`]: Gaussian noise for sums on a lattice | exact |
//!
//! "Exact" means: the law of the program is a law we can write down without rounding, and the
//! guarantee is proved for that law. There are two ways to be exact. The lattice mechanisms
//! (window, responses, graded, Laplace) run a *rational* law whose odds were rounded to the private
//! side, so that every draw is a uniform integer. The discrete Gaussian and the selection run the
//! real exponential law, by coins whose probability is e^-γ for a rational γ; the rounded Gaussian compares as many digits of
//! a uniform number with the real density as it takes.
//!
//! Per draw, budgets beyond 42.97 nats act as 42.97 in the lattice mechanisms: the safe direction.

use std::fmt;

pub mod bernoulli;
pub mod decay;
pub mod discrete_gaussian;
pub mod discrete_laplace;
mod fixed_point;
pub mod geometric;
pub mod graded;
pub mod random_words;
pub mod randomized_response;
pub mod rng;
pub mod rounded_gaussian;
pub mod selection;
pub mod source;
pub mod window;

#[cfg(test)]
pub(crate) mod testing;

pub use bernoulli::Bernoulli;
pub use decay::Decay;
pub use discrete_gaussian::DiscreteGaussian;
pub use discrete_laplace::DiscreteLaplace;
pub use geometric::Geometric;
pub use graded::GradedResponse;
pub use random_words::RandomWords;
pub use randomized_response::{BitResponse, RandomizedResponse};
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
pub use rng::{Entropy, entropy_from};
pub use rng::{NoiseOrigin, NoiseRng, NoiseStream, NoiseStreams, ReleaseNoise};
pub use rounded_gaussian::RoundedGaussian;
pub use selection::{ExponentialSelection, ScoreChange};
pub use source::NoiseSource;
pub use window::WindowSampler;

/// Whether a guarantee is proved for the program or for an idealisation of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Numerics {
    /// Integer arithmetic: the law of the program is the law in the theorem.
    Exact,
    /// The theorem speaks of real numbers, the program computes with floating point.
    Idealized,
}

impl fmt::Display for Numerics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exact => "exact",
            Self::Idealized => "idealized",
        })
    }
}
