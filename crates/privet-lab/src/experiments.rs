//! Experiments: many settings, each measured once and remembered.

pub mod cells;
pub mod dpar;
pub mod dprr;
pub mod ldp_ge;
pub mod measure;
pub mod reproduce;
pub mod tune;
