//! Reading and writing: one file per format, one entry point for all of them.
//!
//! A path is opened as a [`Bundle`] of members; [`detect`] asks each format whether it recognises
//! them; that format's `read` parses plain [`std::io::Read`] streams into a [`LoadedData`]. No reader
//! executes anything: pickles are parsed by a reader that knows a handful of harmless opcodes and
//! refuses the rest.

mod arcs;
#[cfg(feature = "tables")]
pub mod arrow_table;
pub(crate) mod assemble;
pub mod attach;
#[cfg(feature = "tables")]
pub(crate) mod batch_tables;
pub mod bundle;
mod choose;
mod csr_arrays;
pub mod csr_folder;
pub mod csv_folder;
pub(crate) mod csv_table;
pub mod detect;
pub mod edge_list;
pub(crate) mod external_sort;
pub(crate) mod fact_lines;
pub(crate) mod feature_rows;
mod fields;
pub mod format;
pub mod gin_text;
pub mod graph_json;
mod graph_lists;
pub mod graphml;
pub mod jlg;
mod json_entries;
pub(crate) mod label_cells;
pub(crate) mod label_text;
pub mod limits;
pub mod lines;
pub mod linqs;
mod list;
pub(crate) mod manifest;
pub(crate) mod mapped;
pub mod musae;
pub mod npy;
pub mod npz;
pub(crate) mod number_text;
pub mod options;
pub(crate) mod pair_lines;
pub(crate) mod pair_store;
pub mod pairs;
#[cfg(feature = "tables")]
pub mod parquet_table;
mod parts;
pub mod pickle;
pub mod planetoid;
#[cfg(feature = "tables")]
pub(crate) mod record_batch;
mod spill;
pub(crate) mod table_files;
mod target_table;
pub mod tu;
pub mod write;

pub use bundle::{Bundle, Input};
pub use csr_folder::VERSION as CSR_FOLDER_VERSION;
pub(crate) use fields::shown;
pub use format::Format;
pub use limits::Limits;
pub use lines::Lines;
pub use list::read_list;
pub use manifest::VERSION as DATASET_VERSION;
pub use options::{ColumnNames, Header, ReadOptions};
pub use spill::Spill;
pub(crate) use target_table::explain as csv_problem;

use std::path::Path;

use crate::{LoadedData, Result};

/// Reads whatever is at `path`: a file, a folder or an archive, in any format known here.
///
/// # Errors
/// If it cannot be read, is in no known format, or is damaged; the message says where.
pub fn read(path: impl AsRef<Path>, options: &ReadOptions) -> Result<LoadedData> {
    read_bundle(&Bundle::from_path(path.as_ref(), options.limits)?, options)
}

/// Reads a bundle in the format the options name, or else the one it shows.
///
/// # Errors
/// As [`read`].
pub fn read_bundle(bundle: &Bundle, options: &ReadOptions) -> Result<LoadedData> {
    let format = match options.format {
        Some(format) => format,
        None => detect::detect(bundle)?,
    };
    refuse_columns(format, bundle, options)?;
    match format {
        Format::CsrFolder => csr_folder::read(bundle, options),
        Format::EdgeList => edge_list::read(bundle, options),
        Format::Csv => csv_folder::read(bundle, options),
        Format::Npz | Format::EdgeIndex => npz::read(bundle, options),
        Format::Planetoid => planetoid::read(bundle, options),
        Format::Linqs => linqs::read(bundle, options),
        Format::Musae => musae::read(bundle, options),
        Format::GinText => gin_text::read(bundle, options),
        Format::Tu => tu::read(bundle, options),
        Format::GraphJson => graph_json::read(bundle, options),
        Format::Jlg => jlg::read(bundle, options),
        Format::Pairs => pairs::read(bundle, options),
        Format::GraphMl => graphml::read(bundle, options),
        #[cfg(feature = "tables")]
        Format::Parquet => parquet_table::read(bundle, options),
        #[cfg(feature = "tables")]
        Format::Arrow => arrow_table::read(bundle, options),
        #[cfg(not(feature = "tables"))]
        Format::Parquet | Format::Arrow => Err(bundle
            .place()
            .refused("Parquet and Arrow are not compiled in (cargo feature `tables`)")),
    }
}

/// Columns can be named where there are columns: elsewhere that is a mistake, not something to pass over.
fn refuse_columns(format: Format, bundle: &Bundle, options: &ReadOptions) -> Result<()> {
    let tables = matches!(format, Format::EdgeList | Format::Csv | Format::Parquet | Format::Arrow);
    if options.columns.name_edges() && !tables {
        let reason =
            format!("{format} has no columns that --source-column or --target-column could name");
        return Err(bundle.place().refused(reason));
    }
    let labelled =
        matches!(format, Format::Csv | Format::Parquet | Format::Arrow | Format::GraphMl);
    // Without a table of nodes, the name is for a file of labels; see `attach`.
    if options.columns.label.is_some() && !labelled && format != Format::EdgeList {
        let reason = format!("{format} has no column that --label-column could name");
        return Err(bundle.place().refused(reason));
    }
    Ok(())
}
