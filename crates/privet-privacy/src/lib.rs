//! The trusted base: the only crate that opens a secret or draws privacy noise.
//!
//! Raw data enters as a [`Secret`]. The only door out is a [`Ledger`], which writes down the cost
//! before it draws noise and hands back a [`Release`]. Everything after that is post-processing.
//! What this crate is not: it does not learn, plot, download or parse files.
//!
//! ```
//! use privet_privacy::{Card, Ledger, Loss, Secret, noise::NoiseRng, template::CoinFlip};
//! let answers = Secret::new(vec![1.0, 0.0, 1.0, 1.0]);
//! let mut ledger = Ledger::in_memory(Loss::new(2.0, 0.0)?, NoiseRng::from_operating_system()?)?;
//! let reports = ledger.release_each(&answers, &CoinFlip::new(1.0)?)?;
//! let yes = reports.map(|reports| reports.into_iter().filter(|&yes| yes).count());
//! let card = Card::new("a survey").with_ledger(&ledger)?.with_unprotected("who took part");
//! assert!(*yes.get() <= 4 && card.explain().contains("epsilon 1"));
//! # Ok::<(), privet_privacy::Error>(())
//! ```
//!
//! | to find | look in |
//! |---|---|
//! | the door: secrets, permits, entries, releases | [`secret`], [`mechanism`], [`prepared`], [`ledger`], [`release`] |
//! | who is protected, what is public | [`mod@unit`], [`population`], [`public`] |
//! | what travels with the output | [`card`] |
//! | numbers: epsilon, delta, integer budgets | [`loss`], [`budget`] |
//! | what happened, and what it costs | [`event`], [`accountant`] |
//! | randomizers for features and labels | [`features`] |
//! | mechanisms for edges | [`edges`] |
//! | who is near whom, and sums over neighbours | [`appr`], [`aggregation`] |
//! | training by noisy gradients | [`sgd`] |
//! | samplers | [`noise`] |
//! | exact laws of samplers and mechanisms, on toys | `audit` (feature `audit`) |
//! | mistakes that can be switched on, and who notices | [`fault`] |
//! | a mechanism to copy | [`template`] |
//! | what an attacker can find at most | [`tradeoff`] |

pub mod accountant;
pub mod aggregation;
pub mod appr;
mod as_printed;
#[cfg(any(test, feature = "audit"))]
pub mod audit;
pub mod budget;
pub mod card;
pub mod edges;
pub mod error;
pub mod event;
pub mod fault;
pub mod features;
mod lattice;
pub mod ledger;
pub mod loss;
pub mod mechanism;
pub mod noise;
mod origin;
pub mod population;
pub mod prepared;
pub mod public;
pub mod release;
pub mod secret;
pub mod sgd;
mod special;
pub mod tally;
pub mod template;
pub mod tradeoff;
pub mod unit;

pub use as_printed::AsPrinted;
pub use budget::Budget;
pub use card::Card;
pub use error::{Error, Result};
pub use event::Event;
pub use ledger::{Ledger, UserChoice, UserChoices};
pub use loss::{Delta, Epsilon, Loss};
pub use mechanism::{Central, Disclose, Local, Mechanism, Permit};
#[doc(hidden)]
pub use origin::FirstParty;
#[cfg(feature = "unaudited")]
pub use origin::UnauditedMechanism;
pub use population::{Population, PublicShape};
pub use prepared::PreparedMechanism;
pub use release::{Protected, Release};
pub use secret::Secret;
pub use unit::Unit;
