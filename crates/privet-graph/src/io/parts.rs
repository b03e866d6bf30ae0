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

/// How a format splits a member's name: what the dataset's members begin with, the dataset's name,
/// and which part of it this is. `None` if the member is not of this format.
pub(crate) type SplitName = fn(&str) -> Option<(&str, &str, &str)>;

/// The datasets whose members a format recognises.
pub(crate) fn candidates(bundle: &Bundle, split: SplitName) -> Vec<Candidate> {
    let parts = bundle.members().iter().filter_map(|member| split(member));
    parts.map(|(prefix, name, _)| Candidate { name: name.into(), prefix: prefix.into() }).collect()
}

/// The member that is this part of the chosen dataset; `expected` says what a dataset consists of.
pub(crate) fn part_of<'b>(
    bundle: &'b Bundle,
    chosen: &Candidate,
    part: &str,
    split: SplitName,
    expected: &str,
) -> Result<&'b str> {
    let wanted = |member: &&String| {
        split(member).is_some_and(|(prefix, _, found)| prefix == chosen.prefix && found == part)
    };
    bundle.members().iter().find(wanted).map(String::as_str).ok_or_else(|| {
        bundle.place().malformed(format!("no member {}{part}", chosen.prefix), expected)
    })
}

/// A member's name without its compression ending.
pub(crate) fn plain_name(member: &str) -> &str {
    member.trim_end_matches(".gz").trim_end_matches(".zst")
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
