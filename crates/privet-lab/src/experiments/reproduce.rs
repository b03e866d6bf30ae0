//! The figures and tables of the papers, measured again, ours beside theirs.
//!
//! What there is stands in lists, one per paper, as data: an [`Item`] has a name, a title and the paper's settings.
//! Most are [`panel`]s: lines along an axis, what stands beside them, printed values. They are measured and written
//! up by the same code; what else there is (variances, degrees, seconds, pictures) has a file of its own.
//!
//! | file | what it does |
//! |---|---|
//! | [`item`] | what an item is, and finding one |
//! | [`panel`] | lines along an axis, measured |
//! | `render` | the same as a report |
//! | [`ldp_ge`], [`dprr`], [`heterorr`], [`dpar`] | the items of each paper |
//! | [`battery`] | defaults on graphs that no preset names |

pub mod battery;
pub mod dpar;
pub mod dprr;
pub mod heterorr;
pub mod item;
pub mod ldp_ge;
pub mod panel;
mod render;

pub use item::{Inputs, Item, Places, Reads, Wanted, Work};
pub(super) use render::simulation;
