//! Which format is this? Every format is asked, the telling ones first.

use super::*;

/// The format of a bundle.
///
/// # Errors
/// If no format recognises it.
pub fn detect(bundle: &Bundle) -> Result<Format> {
    let found = Format::ALL.into_iter().find(|&format| recognises(format, bundle));
    found.ok_or_else(|| {
        let names: Vec<_> = Format::ALL.iter().map(|format| format.name()).collect();
        let expected =
            format!("one of the known formats ({}); name one with --format", names.join(", "));
        bundle.place().malformed("content in no known format", expected)
    })
}

fn recognises(format: Format, bundle: &Bundle) -> bool {
    match format {
        Format::CsrFolder => csr_folder::recognises(bundle),
        Format::EdgeList => edge_list::recognises(bundle),
        Format::Csv => csv_folder::recognises(bundle),
        Format::Npz => npz::recognises(bundle),
        // Read as npz, which was asked before.
        Format::EdgeIndex => false,
        Format::Planetoid => planetoid::recognises(bundle),
        Format::Linqs => linqs::recognises(bundle),
        Format::Musae => musae::recognises(bundle),
        Format::GinText => gin_text::recognises(bundle),
        Format::Tu => tu::recognises(bundle),
        Format::GraphJson => graph_json::recognises(bundle),
        Format::Jlg => jlg::recognises(bundle),
        Format::Pairs => pairs::recognises(bundle),
        Format::GraphMl => graphml::recognises(bundle),
        #[cfg(feature = "tables")]
        Format::Parquet => parquet_table::recognises(bundle),
        #[cfg(feature = "tables")]
        Format::Arrow => arrow_table::recognises(bundle),
        // Recognised so that the error can say what is missing.
        #[cfg(not(feature = "tables"))]
        Format::Parquet => bundle.members().first().is_some_and(|name| name.ends_with(".parquet")),
        #[cfg(not(feature = "tables"))]
        Format::Arrow => bundle.members().first().is_some_and(|name| name.ends_with(".arrow")),
    }
}
