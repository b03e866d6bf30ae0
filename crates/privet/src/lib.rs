//! Private graph learning: the four systems, and what a user needs from the crates below.
pub use privet_graph as graph;
