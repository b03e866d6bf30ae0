//! Draws how time grows with edges, from the table in `docs/results/scale.md` that `cargo bench -p privet --bench
//! out_of_core -- 100000000` fills: the picture shows what the page says.
//!
//! ```console
//! $ cargo run --example growth        # writes docs/results/growth.svg
//! ```

use std::path::Path;

use privet_lab::report::{Axis, Colours, Plot, Series, Style};

type AnyError = Box<dyn std::error::Error>;

/// Edges a node, where graphs of different sizes are alike.
const MEAN: f64 = 10.0;

fn main() -> Result<(), AnyError> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results");
    let page = std::fs::read_to_string(folder.join("scale.md"))?;
    let rows: Vec<(f64, String, f64)> = page.lines().filter_map(row).collect();
    let of = |how: &str| -> Vec<(f64, f64)> {
        let rows = rows.iter().filter(|(_, name, _)| name.starts_with(how));
        rows.map(|(edges, _, seconds)| (*edges, *seconds)).collect()
    };
    let largest = of("in memory").last().copied().ok_or("no such table")?;
    // What it would be if the largest were typical of all.
    let in_proportion = [1e6, 1e7, 1e8].map(|edges| (edges, largest.1 * edges / largest.0));
    let plot =
        Plot::new("Ten rounds on 16 columns", Axis::log("edges"), Axis::log("seconds, two cores"))
            .with(Series::new("in memory", Style::Line, of("in memory")))
            .with(Series::new("out of core, 4 GB", Style::Line, of("out of core, 4096")))
            .with(Series::new("in proportion to edges", Style::Line, in_proportion));
    std::fs::write(folder.join("growth.svg"), plot.picture().svg(Colours::Fixed))?;
    Ok(())
}

/// `| edges | nodes | how | wall s | ...`, for graphs of the usual density.
fn row(line: &str) -> Option<(f64, String, f64)> {
    let mut cells = line.strip_prefix('|')?.split('|').map(str::trim);
    let number = |cell: &str| cell.replace(',', "").parse::<f64>().ok();
    let (edges, nodes) = (number(cells.next()?)?, number(cells.next()?)?);
    let (how, seconds) = (cells.next()?.to_owned(), number(cells.next()?)?);
    (edges == MEAN * nodes).then_some((edges, how, seconds))
}
