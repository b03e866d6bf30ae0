//! Evidence: attacks, audits, experiments and reports.
//!
//! Nothing here is trusted. The audits take the mechanisms of the trusted base apart from outside:
//! by enumerating their laws, by sampling them, and by showing that the same audits notice mistakes that are
//! switched on in the code they audit.
//!
//! ```
//! let printed = privet_lab::audit::printed::all();
//! let split = printed.iter().find(|claim| claim.number == 1).map(|claim| (claim.run)());
//! assert!(split.is_some_and(|found| found.is_ok_and(|finding| !finding.holds())));
//! ```

pub mod attacks;
pub mod audit;
pub mod error;
pub mod experiments;
pub mod plan;
pub mod report;
pub mod tour;

pub use error::Error;

/// The result of an audit that could not be carried out.
pub type Result<T, E = privet::privacy::Error> = std::result::Result<T, E>;
