//! The figures and tables of the DPAR paper, with what each truly costs.
//!
//! | file | what it does |
//! |---|---|
//! | [`item`], [`lines`] | what can be reproduced: which systems on which axis |
//! | [`pictures`], `flatten` | what a model makes of people, as points of a plane |
//! | `render` | what was measured as a report |
//! | [`paper`] | the numbers the paper prints |
//!
//! Nothing stands alone: the majority class and features alone are beside every figure, and a printed epsilon
//! has the true one beside it.

mod flatten;
pub mod item;
pub mod lines;
pub mod paper;
pub mod pictures;
mod render;

pub use item::DparFigure;
pub use render::reproduce;
