//! Evidence: attacks, audits, experiments and reports.
//!
//! Nothing here is trusted. The audits take the mechanisms of the trusted base apart from outside:
//! by enumerating their laws, by sampling them, and by showing that the same audits notice mistakes that are
//! switched on in the code they audit.
//!
//! ```
//! let audits = privet_lab::audit::mechanisms::named(Some("label-rr"))?;
//! let found = privet_lab::audit::repeat::once(&audits, privet_lab::audit::repeat::SEED)?;
//! assert!(found.iter().flatten().all(|finding| finding.holds()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod attacks;
pub mod audit;
pub mod error;
pub mod experiments;
pub mod plan;
pub mod report;
pub mod request;
pub mod tour;

pub use error::Error;

/// The result of an audit that could not be carried out.
pub type Result<T, E = privet::privacy::Error> = std::result::Result<T, E>;
