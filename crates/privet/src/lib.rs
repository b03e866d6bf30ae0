//! Private graph learning: what a user adds to a program.
//!
//! ```
//! use privet::{Facts, Run, System, data::synthetic::karate_club, protect};
//! let club = karate_club()?;
//! let edges = protect::Edges::dprr(1.0)?;                       // a setting
//! println!("{}", edges.promise(&Facts::of(&club))?.explain()); // the card, before any record is looked at
//! let noisy = edges.run(club, &Run::simulation(1))?;            // Run::in_folder("release") protects people
//! assert_eq!(noisy.get().graph().node_count(), 34);             // a value, and its card
//! # Ok::<(), privet::Error>(())
//! ```
//!
//! | what | where |
//! |---|---|
//! | one part of a dataset, randomised | [`protect`] |
//! | a whole graph, published once | [`publish`], by [`hetero_rr`] |
//! | classes of nodes or links, from private features | [`ldp_ge`] |
//! | classes of graphs, from private lists of contacts | [`dprr`] |
//! | classes of nodes, from whole people who stay private | [`dpar`] |
//! | every method by its name, and which fits | [`method`] |
//! | what is asked of a system, as the command line and Python fill it | [`request`] |
//! | one release of a system, in a folder | [`release`] |
//! | what all of them have in common | [`system`] |
//! | where noise comes from, where ledgers are kept | [`run`] |
//! | one budget for all releases about the same people | [`project`] |
//! | a classifier that can be used on the next person | [`model`] |
//! | a person's own side: an account, and one report a task | [`device`], by [`protocol`] |
//! | releases and cards in files | [`saved`], [`cardfile`] |
//! | what would it cost, without data | [`account`] |
//! | features spread over a graph, private or not | [`embed`] |
//! | labels that are one class each | [`labels`] |
//! | classes from what is public, without privacy | [`plain`] |
//! | raw data that stays as it is | [`apart`] |
//!
//! Graphs and datasets are [`graph`]; files of them, benchmarks and generators [`data`] (say
//! `privet::data::read("friends.csv")`); the trusted base is [`privacy`]; propagation, models and metrics are [`learn`].

pub mod account;
pub mod apart;
pub mod cardfile;
pub mod collected;
pub mod device;
pub mod doubts;
pub mod dpar;
pub mod dprr;
pub mod embed;
pub mod error;
pub mod hetero_rr;
pub mod labels;
pub mod ldp_ge;
mod lists;
pub mod method;
pub mod model;
#[cfg(feature = "clap")]
pub mod options;
pub mod out_of_core;
pub mod plain;
pub mod project;
pub mod protect;
pub mod publish;
pub mod release;
pub mod request;
pub mod run;
pub mod saved;
pub mod settings;
mod stage;
pub mod system;
pub mod words;

pub use error::{Error, Result};
pub use method::Method;
pub use privet_data as data;
pub use privet_graph as graph;
pub use privet_learn as learn;
pub use privet_privacy as privacy;
pub use privet_privacy::Protected;
pub use privet_protocol as protocol;
pub use project::Project;
pub use run::{LedgerStore, Noise, Run};
pub use saved::Save;
pub use system::{Facts, System};

/// What the README shows of the library compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
