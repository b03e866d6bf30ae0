//! Several processes against one: the same bytes, and clear words when something breaks.
#![expect(clippy::unwrap_used, reason = "clippy knows no test outside a function marked #[test]")]

mod data_check;
mod pagerank;
mod randomize;
mod support;
mod team;
mod train;
