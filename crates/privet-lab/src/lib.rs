//! Evidence: attacks, audits, experiments and reports.
