//! Writing the rows of nodes alone, each with its id: embeddings, to be learned from elsewhere.
//!
//! | ending | holds |
//! |---|---|
//! | `.npz` | `attr_matrix`, and `node_ids` or `node_names` unless ids are 0, 1, 2, ... |
//! | `.csv` | `id`, then a column per dimension |
//! | `.parquet` | `id`, then a list per row |
//! | `.vec`, `.txt` | word2vec's text: the counts of rows and dimensions, then an id and its numbers a line |

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::staged::{Staged, StagedKind};
use super::{Overwrite, parquet};
use crate::formats::number_text::Shortest;
use crate::formats::{csv_folder, npz};
use crate::{Dataset, FeatureMatrix, Features, FoundValue, Result, SourceLocation};

/// In which form to write rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowForm {
    Npz,
    Csv,
    Parquet,
    Word2Vec,
}

/// Writes the features of a dataset, and its ids, but nothing else of it; returns the files written.
///
/// # Errors
/// If the dataset has no features, the target exists, its ending tells no form, an id has white
/// space in it and the form is word2vec's, or the disk refuses. Then nothing has changed.
///
/// ```
/// use privet_data::formats::write::{Overwrite, write_rows};
/// use privet_graph::{Dataset, DenseMatrix, Direction, Features, Graph, NodeIds};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("people.vec");
/// let people = Dataset::new("people", Graph::empty(2, Direction::Undirected)?, NodeIds::texts(["ada", "bob"])?)?;
/// let rows = DenseMatrix::new(2, 2, vec![0.5, 1.0, -2.0, 0.0])?;
/// write_rows(&people.with_features(Features::dense(rows))?, &path, Overwrite::Refuse)?;
/// assert_eq!(std::fs::read_to_string(&path).unwrap(), "2 2\nada 0.5 1\nbob -2 0\n");
/// # Ok::<(), privet_graph::Error>(())
/// ```
pub fn write_rows(dataset: &Dataset, path: &Path, overwrite: Overwrite) -> Result<Vec<PathBuf>> {
    let place = SourceLocation::file(path.display().to_string());
    let form = form_of(path, &place)?;
    let missing = || place.refused("there are no rows to write: the dataset has no features");
    let features = dataset.features().ok_or_else(missing)?;
    // Checked before the file is created.
    if form == RowForm::Word2Vec {
        refuse_spaces(dataset, &place)?;
    }
    let staged = Staged::new(path, StagedKind::File, overwrite)?;
    let mut out = staged.create_file(None)?;
    match form {
        RowForm::Npz => npz::write_rows(dataset, features, &mut out)?,
        RowForm::Csv => {
            csv_folder::write_features(dataset, features, &mut out).map_err(staged.failed())?;
        }
        RowForm::Parquet => parquet::write_rows(dataset, features, &mut out, staged.place())?,
        RowForm::Word2Vec => {
            write_word2vec(dataset, features, &mut out).map_err(staged.failed())?;
        }
    }
    staged.finish_file(out)?;
    staged.commit()
}

/// Checks that `path` names a form that rows can be written in, before there are any.
///
/// # Errors
/// If its ending tells none.
pub fn check_rows(path: &Path) -> Result<()> {
    form_of(path, &SourceLocation::file(path.display().to_string())).map(drop)
}

fn form_of(path: &Path, place: &SourceLocation) -> Result<RowForm> {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    match &*ending {
        "npz" => Ok(RowForm::Npz),
        "csv" => Ok(RowForm::Csv),
        "parquet" => Ok(RowForm::Parquet),
        "vec" | "txt" => Ok(RowForm::Word2Vec),
        "" => Err(place.malformed("a name without an ending", EXPECTED)),
        ending => {
            Err(place.malformed(FoundValue::words(format!("the ending .{ending}")), EXPECTED))
        }
    }
}

const EXPECTED: &str = "one of .npz, .csv, .parquet, .vec, .txt";

fn refuse_spaces(dataset: &Dataset, place: &SourceLocation) -> Result<()> {
    for id in dataset.ids().iter() {
        let text = id.to_string();
        if text.is_empty() || text.contains(char::is_whitespace) {
            return Err(place.refused(format!(
                "the id '{text}' has white space in it or is empty, which word2vec's text cannot \
                 keep; name a .csv, .npz or .parquet file"
            )));
        }
    }
    Ok(())
}

fn write_word2vec(dataset: &Dataset, features: &Features, out: &mut impl Write) -> io::Result<()> {
    // The first line of word2vec's text: rows and columns.
    writeln!(out, "{} {}", features.rows(), features.columns())?;
    let mut dense = vec![0f32; features.columns()];
    for node in dataset.graph().nodes() {
        let row = match features.matrix() {
            FeatureMatrix::Dense(matrix) => matrix.row(node as usize),
            FeatureMatrix::Sparse(_) => {
                dense.fill(0.0);
                let entries = features.nonzero_entries(node as usize);
                entries.for_each(|(column, value)| dense[column as usize] = value);
                &dense
            }
        };
        write!(out, "{}", dataset.ids().get(node))?;
        row.iter().try_for_each(|&value| write!(out, " {}", Shortest(value)))?;
        writeln!(out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{ReadOptions, attach};
    use crate::{DenseMatrix, Direction, Graph, NodeIds, SparseMatrix};

    fn people(ids: NodeIds) -> Dataset {
        Dataset::new("people", Graph::empty(3, Direction::Undirected).unwrap(), ids).unwrap()
    }

    fn embedded(ids: NodeIds) -> Dataset {
        let rows = DenseMatrix::new(3, 2, vec![0.1, -1e-9, 3.0, 0.0, f32::MIN_POSITIVE, 7e20]);
        people(ids).with_features(Features::dense(rows.unwrap())).unwrap()
    }

    #[test]
    fn rows_come_back_with_their_ids() {
        let folder = tempfile::tempdir().unwrap();
        for ids in [NodeIds::sequential(3), NodeIds::texts(["cy", "ada", "bo b"]).unwrap()] {
            let dataset = embedded(ids.clone());
            for name in ["rows.npz", "rows.csv"] {
                let path = folder.path().join(name);
                assert_eq!(write_rows(&dataset, &path, Overwrite::Replace).unwrap(), [&*path]);
                let back = attach::features(people(ids.clone()), &path, &ReadOptions::default());
                let back = back.unwrap();
                assert!(
                    back.features().unwrap().same_values(dataset.features().unwrap()),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn word2vec_holds_sparse_rows_too_and_refuses_ids_with_spaces() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.vec");
        let rows = SparseMatrix::new(2, vec![0, 1, 1, 2], vec![1, 0], vec![1.5, -2.0]).unwrap();
        let dataset = people(NodeIds::integers(vec![7, 5, 6]).unwrap());
        let dataset = dataset.with_features(Features::sparse(rows)).unwrap();
        write_rows(&dataset, &path, Overwrite::Refuse).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, "3 2\n7 0 1.5\n5 0 0\n6 -2 0\n");
        let spaced = embedded(NodeIds::texts(["a", "b c", "d"]).unwrap());
        let error = write_rows(&spaced, &path, Overwrite::Replace).unwrap_err().with_values();
        assert!(error.contains("'b c'") && error.contains(".csv"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }

    #[test]
    fn what_cannot_be_written_is_refused_beforehand() {
        for name in ["rows", "rows.graphml"] {
            let error = check_rows(Path::new(name)).unwrap_err().with_values();
            assert!(error.contains(".parquet"), "{error}");
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        let dataset = people(NodeIds::sequential(3));
        assert!(write_rows(&dataset, &path, Overwrite::Refuse).is_err());
        assert!(!path.exists());
    }
}
