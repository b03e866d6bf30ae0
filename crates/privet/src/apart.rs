//! What is written is kept apart from what is read: raw data is never replaced by what was made from it.
//!
//! A name is not a file: `d`, `./d`, a link to it and a second name of the same file are one, so paths are
//! resolved before they are compared, and files by what the disk calls them.

use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// Refuses to write over, around or into what is read.
///
/// Written into a folder that is read, a new file would be taken for a part of the data next time; a new folder
/// would not, because readers do not descend.
///
/// ```
/// # use std::path::{Path, PathBuf};
/// let read = [PathBuf::from("people/edges.csv"), PathBuf::from("wishes.csv")];
/// assert!(privet::apart::keep_apart(&read, &[Path::new("./people/../wishes.csv")]).is_err());
/// assert!(privet::apart::keep_apart(&read, &[Path::new("noisy.npz")]).is_ok());
/// ```
///
/// # Errors
/// If an output is an input, holds one, or lies in one.
pub fn keep_apart(inputs: &[PathBuf], outputs: &[&Path]) -> Result<()> {
    let read: Vec<PathBuf> = inputs.iter().map(|path| resolved(path)).collect();
    for output in outputs {
        let written = resolved(output);
        for (named, read) in inputs.iter().zip(&read) {
            let why = match () {
                () if written == *read || is_same_file(&written, read) => "it is what is read",
                () if read.starts_with(&written) => "what is read lies in it",
                () if written.starts_with(read) && becomes_part(&written, read) => {
                    "it lies in the folder that is read"
                }
                () => continue,
            };
            let (output, named) = (output.display(), named.display());
            let message = format!("{output}: refused: {why} ({named})");
            let remedy = "name another place: raw data stays as it is";
            return Err(Error::Refused { message, remedy });
        }
    }
    Ok(())
}

/// Whether what is written inside a folder replaces something, or would be read with it.
fn becomes_part(written: &Path, folder: &Path) -> bool {
    written.symlink_metadata().is_ok() || written.parent() == Some(folder) && has_ending(written)
}

/// Outputs without an ending are folders.
fn has_ending(path: &Path) -> bool {
    path.extension().is_some()
}

/// The path without links and detours, as far as it exists; what does not is taken by its name.
fn resolved(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => {
            let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
            resolved(parent).join(name)
        }
        // `..` of a folder that is not there, or nothing at all.
        (Some(parent), None) => {
            resolved(parent).parent().map_or_else(|| path.into(), Path::to_path_buf)
        }
        (None, _) => path.into(),
    }
}

/// Whether two names are of one file: a hard link has a path of its own.
#[cfg(unix)]
pub(crate) fn is_same_file(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let file = |path: &Path| {
        let found = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
        Some((found.dev(), found.ino()))
    };
    file(one).is_some_and(|found| Some(found) == file(other))
}

#[cfg(not(unix))]
pub(crate) fn is_same_file(_: &Path, _: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(input: &Path, output: &Path) -> bool {
        keep_apart(&[input.into()], &[output]).is_err()
    }

    #[test]
    fn names_of_one_thing_are_one() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        std::fs::create_dir(at("d")).unwrap();
        std::fs::write(at("d/edges.csv"), "a,b\n").unwrap();
        std::fs::write(at("e.csv"), "a,b\n").unwrap();
        for output in ["d", "d/.", "d/../d", "missing/../d"] {
            assert!(refused(&at("d"), &at(output)), "{output}");
        }
        assert!(refused(&at("d"), &at("d/edges.csv")), "it would be replaced");
        assert!(refused(&at("d"), &at("d/noisy.npz")), "it would be read next time");
        assert!(!refused(&at("d"), &at("d/release")), "folders in a folder are not read");
        assert!(!refused(&at("d"), &at("d2")) && !refused(&at("d"), &at("d.npz")));
        assert!(refused(&at("d/edges.csv"), &at("d")), "all of it would be replaced");
        assert!(!refused(&at("e.csv"), &at("d/e.csv")), "only the names are alike");
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_to_what_they_name() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        std::fs::create_dir(at("d")).unwrap();
        std::fs::write(at("d/edges.csv"), "a,b\n").unwrap();
        std::os::unix::fs::symlink(at("d"), at("link")).unwrap();
        std::fs::hard_link(at("d/edges.csv"), at("again.csv")).unwrap();
        assert!(refused(&at("d"), &at("link")) && refused(&at("link"), &at("d")));
        assert!(refused(&at("link"), &at("d/edges.csv")));
        assert!(refused(&at("link/edges.csv"), &at("d/edges.csv")));
        assert!(refused(&at("d/edges.csv"), &at("again.csv")), "a second name of the same file");
    }
}
