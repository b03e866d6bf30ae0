//! The papers: their figures and tables, measured again, ours beside theirs; and claims that they print.
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
//! | [`ldp_ge`], [`dprr`], [`hetero_rr`], [`dpar`] | the items of each paper |
//! | [`battery`] | defaults on graphs that no preset names |
//! | [`leaderboard`] | Privet beside other papers' methods, one protocol for all |
//! | `trust_order` | custodian, devices and no private data at the same epsilon |
//! | [`printed`] | numbers and claims that no correct code could keep, and what is true |
//!
//! ```
//! let item = privet_papers::Item::find("ldp-ge/fig2")?;
//! assert!(item.cells(&item.wanted(true)).is_ok_and(|cells| cells > 0));
//!
//! let claims = privet_papers::printed::all();
//! let split = claims.iter().find(|claim| claim.number == 1).map(|claim| (claim.run)());
//! assert!(split.is_some_and(|found| found.is_ok_and(|finding| !finding.holds())));
//! # Ok::<(), privet::graph::Error>(())
//! ```

pub mod battery;
pub mod dpar;
pub mod dprr;
pub mod hetero_rr;
pub mod item;
pub mod ldp_ge;
pub mod leaderboard;
pub mod panel;
pub mod printed;
mod render;
mod trust_order;

pub use item::{Inputs, Item, ItemData, MeasureRequest, Places, Work};
