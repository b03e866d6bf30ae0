//! The command `privet`, as modules that tests can reach.

pub mod fetch;
