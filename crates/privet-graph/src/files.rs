//! Where a file is written until it is complete: one place, so that every writer and whoever cleans up
//! after an interruption agree.

use std::path::{Path, PathBuf};

/// Where this process keeps what it writes for `path` until it is complete: for whoever has to leave
/// in the middle and wants to leave nothing behind.
pub fn temporary(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_string_lossy();
    let folder = path.parent().unwrap_or(Path::new(""));
    Some(folder.join(format!(".{name}.tmp-{}", std::process::id())))
}
