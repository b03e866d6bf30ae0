//! The figures and tables of the LDP-GE paper.
//!
//! | file | what it does |
//! |---|---|
//! | [`item`] | what can be reproduced |
//! | [`variance`] | figure 1: variances in closed form, checked by drawing |
//! | [`utility`] | figures 2 to 4 and table III as panels |
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

pub use item::LdpGeFigure;
pub use utility::LdpGePanel;
