//! The figures of the HeteroRR paper and its supplement, on public graphs (its images are not public).
//!
//! | file | what it does |
//! |---|---|
//! | [`item`] | what can be reproduced, and what stands in it |
//! | [`cell`] | what stands at a place, and measuring it |
//! | `render` | what was measured as a report |

pub mod cell;
pub mod item;
mod render;

use super::panel::measure;
use super::{Item, Wanted};
use crate::error::Error;
use crate::experiments::cells::Sweep;
use crate::experiments::trial::Data;
use crate::report::Report;

pub use cell::{Curve, edge_method};
pub use item::HeteroRrFigure;

/// Measures what is missing, and makes the report.
///
/// # Errors
/// Those of [`Sweep::measure`].
pub fn reproduce(
    item: &Item,
    figure: HeteroRrFigure,
    wanted: &Wanted,
    data: &[Data<'_>],
    sweep: &mut Sweep<'_>,
) -> Result<Report, Error> {
    let panels = figure.panels(wanted, data);
    let measured = measure(&panels, wanted.runs, sweep)?;
    Ok(render::report(item, figure, wanted, &panels, &measured))
}
