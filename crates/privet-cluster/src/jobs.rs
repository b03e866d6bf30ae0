//! What several processes can do together, one job per file. Each gives the bytes that one process gives.

pub mod hops;
pub mod pagerank;
pub mod randomize;
pub mod train;
