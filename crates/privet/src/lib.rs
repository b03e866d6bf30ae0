//! Private graph learning: what a user adds to a program.
//!
//! Re-exports graphs and datasets as [`graph`], files of them, benchmarks and generators as [`data`] (say
//! `privet::data::read("friends.csv")`), the trusted base as [`privacy`] and propagation, models and
//! metrics as [`learn`]; the systems are one module each.
//!
//! ```
//! use privet::data::synthetic::karate_club;
//! use privet::privacy::{Ledger, Loss, Secret, noise::NoiseRng, template::CoinFlip};
//!
//! let club = karate_club()?;
//! let sides = (0..34).map(|m| club.labels().and_then(|l| l.class(m)).unwrap_or(0) as f32).collect();
//! let mut ledger = Ledger::in_memory(Loss::new(1.0, 0.0)?, NoiseRng::from_operating_system()?)?;
//! let reports = ledger.release_each(&Secret::new(sides), &CoinFlip::new(1.0)?)?;
//! assert_eq!(reports.get().len(), 34);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod carded;
pub mod doubts;
pub mod dpar;
pub mod dprr;
pub mod error;
pub mod hetero_rr;
pub mod ldp_ge;
pub mod run;

pub use carded::Carded;
pub use error::{Error, Result};
pub use privet_data as data;
pub use privet_graph as graph;
pub use privet_learn as learn;
pub use privet_privacy as privacy;
pub use run::{Books, Noise, Run};
