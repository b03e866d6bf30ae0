//! Every mechanism and accountant has an audit and a fault: read from the sources, so that none can be forgotten.
//!
//! What needs them: every type of the trusted base for which there is an `impl` of one of [`TRAITS`]. Who has
//! them: the types named after `of:` in the audits, and those named first in the list of faults. Both lists are
//! the ones that run; there is no other.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

const TRUSTED: &str = "crates/privet-privacy/src";
const AUDITS: &str = "crates/privet-lab/src/audit";
const FAULTS: &str = "crates/privet-privacy/src/fault/list.rs";

/// An `impl` of one of these makes a claim. `ListWrapper` gives a claim to what wraps another mechanism.
const TRAITS: [&str; 5] = ["Mechanism", "Local", "Central", "ListWrapper", "Accountant"];

/// Fails on a mechanism or accountant without an audit or a fault, and on an audit of something that is not there.
pub fn check() -> Result<()> {
    let trusted = sources(Path::new(TRUSTED))?;
    let audits = sources(Path::new(AUDITS))?;
    let faults = std::fs::read_to_string(FAULTS).context(FAULTS)?;
    let problems = problems(&trusted, &audits, &faults);
    match problems.is_empty() {
        true => Ok(()),
        false => bail!("{}", problems.join("\n")),
    }
}

/// What is missing, in sentences.
fn problems(trusted: &[String], audits: &[String], faults: &str) -> Vec<String> {
    let claims: BTreeSet<String> = trusted.iter().flat_map(|text| implementors(text)).collect();
    let audited: BTreeSet<String> = audits.iter().flat_map(|text| audited(text)).collect();
    let faulted: BTreeSet<String> = faulted(faults).collect();
    let mut problems = Vec::new();
    for name in &claims {
        if !audited.contains(name) {
            problems.push(format!("no audit of `{name}`: name it after `of:` in {AUDITS}"));
        }
        if !faulted.contains(name) {
            problems.push(format!("no fault of `{name}`: switch one on in it, see {FAULTS}"));
        }
    }
    let unknown = audited.difference(&claims);
    problems.extend(unknown.map(|name| format!("an audit of `{name}`, which makes no claim")));
    problems
}

/// The types of a source for which one of the traits is implemented; tests and comments do not count.
fn implementors(source: &str) -> Vec<String> {
    let shipped = source.split("#[cfg(test)]").next().unwrap_or_default();
    let code: Vec<&str> =
        shipped.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join("\n");
    let starts = code.match_indices("impl").filter(|(at, _)| {
        let before = code[..*at].chars().next_back();
        before.is_none_or(|c| c == '\n') && !code[at + 4..].starts_with(char::is_alphanumeric)
    });
    starts.filter_map(|(at, _)| implementor(code[at + 4..].split('{').next()?)).collect()
}

/// The type in `<F: Fn(T) -> U> path::Trait<A> for Type<F> where ...`, if the trait is one of ours.
fn implementor(header: &str) -> Option<String> {
    let (parameters, rest) = generics(header.trim_start());
    let (implemented, of) = rest.split_once(" for ")?;
    if !TRAITS.contains(&last_name(implemented)?.as_str()) {
        return None;
    }
    let name = last_name(of.split_whitespace().next()?)?;
    // An impl for all types with another trait: those are found by that trait.
    let is_parameter = parameters.split([',', '<', '>', ' ', ':']).any(|word| word == name);
    (!is_parameter).then_some(name)
}

/// Splits `<...>` off the front; `->` does not close it.
fn generics(text: &str) -> (&str, &str) {
    let (mut depth, mut before) = (0, ' ');
    for (at, letter) in text.char_indices() {
        match letter {
            '<' => depth += 1,
            '>' if before != '-' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return if text.starts_with('<') { text.split_at(at + 1) } else { ("", text) };
        }
        before = letter;
    }
    ("", text)
}

/// `path::Name<T>` is `Name`.
fn last_name(path: &str) -> Option<String> {
    let name = path.trim().split('<').next()?.rsplit("::").next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

/// The names in every `of: &["One", "Other"]`.
fn audited(source: &str) -> Vec<String> {
    let lists = source.split("of: &[").skip(1).filter_map(|rest| rest.split(']').next());
    lists.flat_map(literals).collect()
}

/// The first literal of every `Name: "Type Other", "where it was seen",`.
fn faulted(source: &str) -> impl Iterator<Item = String> + '_ {
    let declared = |line: &str| {
        let (name, rest) = line.trim().split_once(": \"")?;
        let of = rest.split_once("\", \"")?.0;
        name.chars().all(char::is_alphanumeric).then(|| of.to_owned())
    };
    let of = source.lines().filter_map(declared);
    of.flat_map(|of| of.split(' ').map(str::to_owned).collect::<Vec<_>>())
}

fn literals(list: &str) -> Vec<String> {
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The texts of all `.rs` files below a folder, and of the file of the same name beside it; what stands in a `tests.rs` of its own is a test.
fn sources(folder: &Path) -> Result<Vec<String>> {
    let shipped =
        named_sources(folder)?.into_iter().filter(|(path, _)| !path.ends_with("tests.rs"));
    Ok(shipped.map(|(_, text)| text).collect())
}

/// The same with their paths.
pub fn named_sources(folder: &Path) -> Result<Vec<(String, String)>> {
    let (mut open, mut texts) = (vec![folder.to_path_buf()], Vec::new());
    open.extend(
        Some(PathBuf::from(format!("{}.rs", folder.display()))).filter(|file| file.is_file()),
    );
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).with_context(|| path.display().to_string())?;
            open.extend(entries.filter_map(Result::ok).map(|entry| entry.path()));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.display().to_string();
            let text = std::fs::read_to_string(&path).with_context(|| name.clone())?;
            texts.push((name, text));
        }
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRUSTED: &str = r#"
//! impl Mechanism for InAComment {
/// impl Mechanism for InADoc {}
impl Mechanism for Plain {
}
impl<L: Learner, U: TrainingUnit> crate::mechanism::Central for Trained<L, U> {}
impl<F: Fn(Record<'_>) -> Result<Theta> + Sync> Local
    for PerRecord<F>
where
    F: Send,
{
}
impl<W: ListWrapper + Sync> Mechanism for W {}
impl<M: Mechanism> ListWrapper for OneSided<M> {}
impl Accountant for Pld {}
impl std::fmt::Debug for Plain {}
impl Plain { fn for_nobody() {} }
#[cfg(test)]
mod tests {
    impl Mechanism for OnlyInATest {}
}
"#;

    #[test]
    fn claims_are_found_wherever_they_are_made() {
        assert_eq!(implementors(TRUSTED), ["Plain", "Trained", "PerRecord", "OneSided", "Pld"]);
    }

    #[test]
    fn a_mechanism_without_audit_or_fault_is_named() {
        let trusted = ["impl Mechanism for Known {}\nimpl Mechanism for Forgotten {}".to_owned()];
        let audits = [r#"Audit { name: "known", of: &["Known", "Gone"], run: known },"#.to_owned()];
        let faults = "    /// It is wrong.\n    KnownWrong: \"Known\", \"off by one\",\n        Audit \"known\";";
        let found = problems(&trusted, &audits, faults);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].starts_with("no audit of `Forgotten`"), "{found:?}");
        assert!(found[1].starts_with("no fault of `Forgotten`"), "{found:?}");
        assert!(found[2].starts_with("an audit of `Gone`"), "{found:?}");
        let audits = [r#"of: &["Known"]"#.to_owned(), r#"of: &["Forgotten"]"#.to_owned()];
        let more = format!("{faults}\n    Other: \"Known Forgotten\", \"seen\", Audit \"x\";");
        assert_eq!(problems(&trusted, &audits, &more), Vec::<String>::new());
    }
}
