//! Audits that try to break every claim.

use privet::graph::Error;
use privet_lab::audit::mechanisms;
use privet_lab::audit::repeat::{SEED, once};
use pyo3::prelude::*;

use crate::error::Failure;
use crate::work::working;

/// The mechanism, what was tried, what is claimed, what was measured, and whether the claim held.
type Claim = (&'static str, String, f64, f64, bool);

/// The audit of a name, or all.
#[pyfunction]
pub(crate) fn audit(py: Python<'_>, name: Option<String>) -> PyResult<Vec<Claim>> {
    working(py, None, move |_| {
        let audits = mechanisms::named(name.as_deref())?;
        let failed =
            |error| Failure::from(Error::invalid("audit", "a failure", format!("{error}")));
        let found = once(&audits, SEED).map_err(failed)?;
        let claims = audits.iter().zip(found).flat_map(|(audit, findings)| {
            findings.into_iter().map(|finding| {
                let holds = finding.holds();
                (audit.name, finding.subject, finding.claimed, finding.measured, holds)
            })
        });
        Ok(claims.collect())
    })
}

/// The names of all audits.
#[pyfunction]
pub(crate) fn audits() -> Vec<&'static str> {
    mechanisms::all().iter().map(|audit| audit.name).collect()
}
