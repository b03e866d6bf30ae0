//! LDP-GE: locally private features, spread over a known graph by personalised PageRank.

pub mod collect;
pub mod people;
pub mod theory;
