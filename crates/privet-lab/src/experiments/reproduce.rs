//! The figures and tables of the LDP-GE paper, measured again, ours beside the paper's.
//!
//! | file | what it does |
//! |---|---|
//! | [`item`] | what can be reproduced, and with which settings by default |
//! | [`variance`] | figure 1: variances in closed form, checked by drawing |
//! | [`utility`] | figures 2 to 4 and table III: which cells there are, and measuring them |
//! | `render` | what was measured as a report |
//! | [`paper`] | the numbers the paper prints |
//!
//! No private figure stands alone: beside it are the ceiling (the same learner on features in the
//! clear) and the control (people who all hold the same row, randomised alike).

pub mod item;
pub mod paper;
mod render;
pub mod utility;
pub mod variance;

pub use item::{Item, Wanted};
pub(crate) use render::in_percent;
pub use utility::Grid;
