//! Which members of a bundle belong together, and which dataset of several the user means.

use std::path::Path;

use super::{Bundle, ReadOptions};
use crate::{Error, FoundValue, Result};

/// A dataset found in a bundle, by the member that shows it is there.
pub(crate) struct Candidate<'a> {
    /// What users call it: `chameleon`.
    pub name: String,
    /// Its main member: `wikipedia/chameleon/musae_chameleon_edges.csv`.
    pub member: &'a str,
}

/// The one candidate there is, or the one that `--member` names.
///
/// # Errors
/// If there is none, several and no choice among them, or none of the name chosen.
pub(crate) fn one_of<'a>(
    bundle: &Bundle,
    options: &ReadOptions,
    mut candidates: Vec<Candidate<'a>>,
    expected: &str,
) -> Result<Candidate<'a>> {
    candidates.sort_by(|a, b| (&a.name, a.member).cmp(&(&b.name, b.member)));
    if candidates.windows(2).any(|pair| pair[0].name == pair[1].name) {
        // Equal names in different folders: only the whole path tells them apart.
        candidates.iter_mut().for_each(|candidate| candidate.name = candidate.member.to_owned());
    }
    let names: Vec<String> = candidates.iter().map(|candidate| candidate.name.clone()).collect();
    if let Some(wanted) = &options.member {
        let is_wanted = |c: &Candidate<'_>| c.name == *wanted || c.member == wanted.as_str();
        let unknown = || Error::unknown_name("dataset", wanted, names.iter().map(String::as_str));
        return candidates.into_iter().find(is_wanted).ok_or_else(unknown);
    }
    if candidates.len() > 1 {
        let found = FoundValue::words(format!("{} datasets ({})", names.len(), names.join(", ")));
        return Err(bundle.place().malformed(found, "one; choose it with --member NAME"));
    }
    let none = || bundle.place().malformed("no such member", expected);
    candidates.pop().ok_or_else(none)
}

/// The member a single-file bundle was opened as; `None` for folders and archives.
pub(crate) fn single_file(bundle: &Bundle) -> Option<&str> {
    let first = bundle.members().first()?;
    let (whole, part) = (bundle.place().to_string(), bundle.member_place(first).to_string());
    (Path::new(&whole) == Path::new(&part)).then_some(first)
}

/// The members that end with `suffix` (compression aside) and are not a desktop's droppings.
pub(crate) fn ending_with<'a>(bundle: &'a Bundle, suffix: &str) -> Vec<&'a str> {
    let hidden = |name: &&str| base_name(name).starts_with('.') || name.starts_with("__MACOSX/");
    bundle.find(suffix).into_iter().filter(|name| !hidden(name)).collect()
}

/// The member called `name`, compressed or not.
pub(crate) fn named<'a>(bundle: &'a Bundle, name: &str) -> Option<&'a str> {
    bundle.members().iter().map(String::as_str).find(|member| uncompressed(member) == name)
}

/// A member's name without `.gz` or `.zst`.
pub(crate) fn uncompressed(member: &str) -> &str {
    member.strip_suffix(".gz").or_else(|| member.strip_suffix(".zst")).unwrap_or(member)
}

/// A member's name without its folders.
pub(crate) fn base_name(member: &str) -> &str {
    member.rsplit_once('/').map_or(member, |(_, base)| base)
}

/// A member's folders, with the last slash; empty at the top.
pub(crate) fn folder(member: &str) -> &str {
    &member[..member.len() - base_name(member).len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::Limits;

    fn candidates(members: &[&'static str]) -> Vec<Candidate<'static>> {
        let candidate = |&member| Candidate { name: base_name(member).into(), member };
        members.iter().map(candidate).collect()
    }

    fn choose(members: &[&'static str], member: Option<&str>) -> Result<&'static str> {
        let bundle = Bundle::from_memory("z.zip", [("a", vec![])], Limits::default());
        let options = ReadOptions { member: member.map(Into::into), ..ReadOptions::default() };
        one_of(&bundle, &options, candidates(members), "a member").map(|found| found.member)
    }

    #[test]
    fn several_datasets_need_a_choice() {
        assert_eq!(choose(&["d/x"], None).unwrap(), "d/x");
        assert_eq!(choose(&["y", "x"], Some("y")).unwrap(), "y");
        assert_eq!(
            choose(&["y", "x"], None).unwrap_err().with_values(),
            "z.zip: found 2 datasets (x, y); expected one; choose it with --member NAME"
        );
        assert!(choose(&["y"], Some("x")).unwrap_err().with_values().contains("known: y"));
        assert!(choose(&[], None).unwrap_err().with_values().contains("expected a member"));
    }

    #[test]
    fn equal_names_are_told_apart_by_their_folders() {
        let told = choose(&["b/x", "a/x"], None).unwrap_err().with_values();
        assert!(told.contains("(a/x, b/x)"), "{told}");
        assert_eq!(choose(&["b/x", "a/x"], Some("b/x")).unwrap(), "b/x");
    }

    #[test]
    fn a_single_file_is_told_from_a_folder_with_one_file() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("x.txt"), "1").unwrap();
        let file = Bundle::from_path(&folder.path().join("x.txt"), Limits::default()).unwrap();
        assert_eq!(single_file(&file), Some("x.txt"));
        let whole = Bundle::from_path(folder.path(), Limits::default()).unwrap();
        assert_eq!(single_file(&whole), None);
    }
}
