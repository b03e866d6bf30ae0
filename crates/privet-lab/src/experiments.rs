//! Experiments: many settings, each measured once and remembered.

pub mod attack;
pub mod baselines;
pub mod cells;
pub mod dpar;
pub mod dprr;
pub mod hetero_rr;
pub mod ldp_ge;
pub mod peers;
pub mod structure;
pub mod trial;
pub mod trust_order;
pub mod tune;
