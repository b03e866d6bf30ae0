//! The figures and tables of the papers, measured again, ours beside theirs.
//!
//! What there is stands in one list ([`ITEMS`]), as data. A figure is a [`panel`]: lines along an axis, what
//! stands beside them, printed values; each paper has a module that says which systems stand where, and puts the
//! report together.

pub mod dpar;
pub mod dprr;
pub mod heterorr;
pub mod item;
pub mod ldp_ge;
pub mod panel;

pub use item::{Figure, ITEMS, Item, Wanted};
