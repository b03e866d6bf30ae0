//! What mechanisms do and say, seen through the ledger as a user sees it.
#![expect(clippy::unwrap_used, reason = "clippy knows no test outside a function marked #[test]")]

mod claims;
mod features;
mod ledger_file;
mod noise;
mod sums;
