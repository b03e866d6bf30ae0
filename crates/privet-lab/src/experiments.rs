//! Experiments: many settings, each measured once and remembered.

pub mod cells;
