//! Lists that somebody wrote down: of ids, of classes, of columns.

use std::path::Path;

use privet_graph::files::{LIST_BYTES, read_text};

use super::csv_problem;
use crate::{Result, SourceLocation};

/// A list that somebody wrote down: the first column of a csv, or one entry a line. Blank lines, lines that
/// begin with `#`, and a first line `id`, `node`, `class` or `column` are skipped.
///
/// # Errors
/// If the file cannot be read, holds nothing, or something twice.
pub fn read_list(path: &Path) -> Result<Vec<String>> {
    const HEADERS: [&str; 6] = ["id", "node", "class", "label", "column", "name"];
    let place = SourceLocation::file(path.display().to_string());
    let text = read_text(path, LIST_BYTES)?;
    let mut rows = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let mut seen = rustc_hash::FxHashSet::default();
    let mut entries = Vec::new();
    for (at, row) in rows.records().enumerate() {
        let row = row.map_err(|error| csv_problem(&place, error))?;
        let line = row.position().map_or(0, csv::Position::line);
        let entry = row.get(0).unwrap_or_default();
        if entry.is_empty() || (at == 0 && HEADERS.contains(&entry.to_lowercase().as_str())) {
            continue;
        }
        if !seen.insert(entry.to_owned()) {
            return Err(place.line(line).malformed(format!("'{entry}' again"), "every entry once"));
        }
        entries.push(entry.to_owned());
    }
    if entries.is_empty() {
        return Err(place.malformed("nothing", "one entry a line"));
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_with_care() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ids.csv");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            read_list(&path)
        };
        assert_eq!(read("id,age\nann,3\n\n# no\n\"Cy, jr.\"\n").unwrap(), ["ann", "Cy, jr."]);
        assert!(read("a\na\n").unwrap_err().to_string().contains("line 2"));
        assert!(read("id\n").is_err());
        assert!(
            read_list(&folder.path().join("none"))
                .unwrap_err()
                .to_string()
                .contains("no such file")
        );
    }
}
