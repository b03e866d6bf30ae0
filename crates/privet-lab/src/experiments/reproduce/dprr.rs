//! The figures of the DPRR paper.
//!
//! | file | what it does |
//! |---|---|
//! | [`item`] | what can be reproduced |
//! | [`grid`] | figures 4, 5, 6 and 10: as panels |
//! | [`degrees`] | figure 7: true and reported degrees, beside what theory says |
//! | [`time`] | figures 8 and 9: seconds against the size of graphs |
//! | `render` | what was measured as a report |
//!
//! The paper prints its results as curves without numbers; what its text states is quoted in reports.

pub mod degrees;
pub mod grid;
pub mod item;
mod render;
pub mod time;

pub use grid::DprrPanel;
pub use item::DprrFigure;
