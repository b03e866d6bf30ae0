//! Evidence: attacks, audits, experiments and reports.
//!
//! Nothing here is trusted. The audits take the mechanisms of the trusted base apart from outside:
//! by enumerating their laws, by sampling them, and by showing that the same tests catch a gallery of
//! deliberately broken twins.
//!
//! ```
//! let caught = privet_lab::audit::mutants::all().iter().filter(|m| m.number == 4).all(|mutant| {
//!     (mutant.run)().is_ok_and(|finding| !finding.holds())
//! });
//! assert!(caught);
//! ```

pub mod attacks;
pub mod audit;
pub mod error;
pub mod experiments;
pub mod report;

pub use error::Error;

/// The result of an audit that could not be carried out.
pub type Result<T, E = privet::privacy::Error> = std::result::Result<T, E>;
