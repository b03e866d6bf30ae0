//! What mechanisms do and say, seen through the ledger as a user sees it.

mod features;
mod ledger_file;
mod noise;
mod sums;
