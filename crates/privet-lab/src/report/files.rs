//! A report as a folder of files: HTML, Markdown, JSON, and a folder of plots.

use std::fs;
use std::path::{Path, PathBuf};

use privet::data::formats::write::temporary;

use super::Report;
use super::picture::Colours;
use crate::error::Error;

/// Pixels of a PNG to a pixel of its SVG: sharp in print.
#[cfg(feature = "png")]
const SCALE: f64 = 2.0;

impl Report {
    /// The report as JSON; it reads back equal.
    ///
    /// # Errors
    /// If a card holds a value that JSON does not have.
    pub fn json(&self) -> Result<String, Error> {
        let failed = |error: serde_json::Error| Error::Write {
            path: "report.json".into(),
            source: error.into(),
        };
        Ok(serde_json::to_string(self).map_err(failed)? + "\n")
    }

    /// Writes `report.html`, `report.md`, `report.json` and `plots/` into a folder, which is made if
    /// it is missing. Files of these names are replaced, each once it is complete.
    ///
    /// # Errors
    /// If the folder or a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<Vec<PathBuf>, Error> {
        let plots = folder.join("plots");
        let made = if self.plots().is_empty() { folder } else { &plots };
        fs::create_dir_all(made).map_err(Error::write(made))?;
        let mut written = Vec::new();
        let mut put = |path: PathBuf, bytes: &[u8]| -> Result<(), Error> {
            replace(&path, bytes)?;
            written.push(path);
            Ok(())
        };
        for (name, plot) in self.plots() {
            let picture = plot.picture();
            let svg = picture.svg(Colours::Fixed);
            put(plots.join(format!("{name}.svg")), svg.as_bytes())?;
            #[cfg(feature = "png")]
            put(plots.join(format!("{name}.png")), &picture.png(SCALE)?)?;
        }
        put(folder.join("report.json"), self.json()?.as_bytes())?;
        put(folder.join("report.md"), self.markdown().as_bytes())?;
        put(folder.join("report.html"), self.html().as_bytes())?;
        Ok(written)
    }
}

/// Writes a file under a temporary name and moves it into place.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let unfinished = temporary(path).unwrap_or_else(|| path.into());
    let moved = fs::write(&unfinished, bytes).and_then(|()| fs::rename(&unfinished, path));
    moved.map_err(|error| {
        let _ = fs::remove_file(&unfinished);
        Error::write(path)(error)
    })
}
