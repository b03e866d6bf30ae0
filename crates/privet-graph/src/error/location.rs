//! [`SourceLocation`]: where in the data something went wrong.

use std::path::Path;
use std::{fmt, io};

use super::{Error, FoundValue, LimitExceeded};

/// Where in the data something went wrong: a file, and inside it a member, a line, a field.
///
/// ```
/// use privet_graph::SourceLocation;
/// let place = SourceLocation::file("cora.zip").member("cora.cites").line(17).field("citing");
/// assert_eq!(place.to_string(), "cora.zip, member cora.cites, line 17, field citing");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLocation(Box<LocationParts>);

/// Boxed, so that an [`Error`] stays small enough to pass around by value.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LocationParts {
    file: String,
    member: Option<String>,
    line: Option<u64>,
    field: Option<String>,
}

impl SourceLocation {
    /// A whole file, or whatever the bytes are called.
    pub fn file(name: impl Into<String>) -> Self {
        Self(Box::new(LocationParts { file: name.into(), member: None, line: None, field: None }))
    }

    /// The same place, narrowed to a member of an archive.
    pub fn member(&self, name: impl Into<String>) -> Self {
        Self(Box::new(LocationParts { member: Some(name.into()), ..(*self.0).clone() }))
    }

    /// The same place, narrowed to a line (the first line is 1).
    pub fn line(&self, line: u64) -> Self {
        Self(Box::new(LocationParts { line: Some(line), ..(*self.0).clone() }))
    }

    /// The same place, narrowed to a column, key or array.
    pub fn field(&self, name: impl Into<String>) -> Self {
        Self(Box::new(LocationParts { field: Some(name.into()), ..(*self.0).clone() }))
    }

    /// The file's name, without the narrower parts.
    pub fn file_name(&self) -> &str {
        &self.0.file
    }

    /// An error at this place: `found` is what the data holds, `expected` what would be right. Text put
    /// together at run time is withheld, see [`FoundValue`].
    pub fn malformed(&self, found: impl Into<FoundValue>, expected: impl fmt::Display) -> Error {
        Error::Malformed {
            place: self.clone(),
            found: found.into(),
            expected: expected.to_string(),
        }
    }

    /// An error at this place: what is there could be read, but is refused on purpose.
    pub fn refused(&self, reason: impl fmt::Display) -> Error {
        Error::Refused { place: self.clone(), reason: reason.to_string() }
    }

    /// An error at this place: the operating system could not read or write it.
    /// A limit that a reader ran into on the way comes out as [`Error::OverLimit`].
    pub fn io(&self, source: io::Error) -> Error {
        match source.downcast::<LimitExceeded>() {
            Ok(exceeded) => exceeded.at(self),
            Err(source) => Error::Io { place: self.clone(), source: self.explained(source) },
        }
    }
}

impl SourceLocation {
    /// Where the folder is missing, not the file, says which.
    fn explained(&self, source: io::Error) -> io::Error {
        let folder = Path::new(&self.0.file).ancestors().skip(1).find(|folder| {
            let here = folder.as_os_str().is_empty();
            here || folder
                .parent()
                .is_none_or(|above| above.as_os_str().is_empty() || above.is_dir())
        });
        match folder {
            Some(folder)
                if source.kind() == io::ErrorKind::NotFound
                    && !folder.as_os_str().is_empty()
                    && !folder.exists() =>
            {
                let what = format!("there is no folder {}", folder.display());
                io::Error::new(io::ErrorKind::NotFound, what)
            }
            _ => source,
        }
    }
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.file)?;
        if let Some(member) = &self.0.member {
            write!(f, ", member {member}")?;
        }
        if let Some(line) = self.0.line {
            write!(f, ", line {line}")?;
        }
        if let Some(field) = &self.0.field {
            write!(f, ", field {field}")?;
        }
        Ok(())
    }
}
