//! Which dataset of a folder or archive that holds several.

use super::{Bundle, ReadOptions};
use crate::{Error, Result};

/// A dataset found by the names of its members.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Candidate {
    /// What users call it: `cora`.
    pub name: String,
    /// What its members' names begin with: `planetoid/ind.cora.`
    pub prefix: String,
}

/// The candidate that `options.member` names, or the only one.
pub(crate) fn choose(
    bundle: &Bundle,
    options: &ReadOptions,
    mut candidates: Vec<Candidate>,
) -> Result<Candidate> {
    candidates.sort();
    candidates.dedup();
    let names: Vec<&str> = candidates.iter().map(|c| c.name.as_str()).collect();
    let found = match (&options.member, &candidates[..]) {
        (Some(wanted), _) => candidates.iter().find(|c| c.name == *wanted || c.prefix == *wanted),
        (None, [only]) => Some(only),
        (None, _) => {
            let found = format!("{} datasets ({})", names.len(), names.join(", "));
            return Err(bundle.place().malformed(found, "one; choose it with --member NAME"));
        }
    };
    let unknown = || {
        let wanted = options.member.as_deref().unwrap_or_default();
        Error::unknown_name("member", wanted, names.iter().copied())
    };
    found.cloned().ok_or_else(unknown)
}

/// The last part of a member's name, unless it is one of the `._` companions that macOS adds.
pub(crate) fn file_part(member: &str) -> Option<&str> {
    let name = member.rsplit('/').next().unwrap_or(member);
    (!name.starts_with("._")).then_some(name)
}
