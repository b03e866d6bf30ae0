//! A card in a file, checked against everything that it speaks of: its files, its ledgers, and what else lies beside them.

use std::path::{Path, PathBuf};

use super::{OF_FOLDER, beside, folder_of};
use crate::privacy::Card;
use crate::privacy::card::{CardCheck, CardKey};
use crate::privacy::fault::{self, Fault};
use crate::privacy::ledger::Contents;
use crate::{Project, Result};

/// Computes everything again that the card in a file promises, from ledgers and from the files that it was issued for.
///
/// # Errors
/// If a file cannot be read or was edited.
pub fn check(
    path: &Path,
    card: &Card,
    ledgers: &[PathBuf],
    key: Option<&CardKey>,
) -> Result<CardCheck> {
    let contents =
        ledgers.iter().map(|path| Ok(Contents::read(path)?)).collect::<Result<Vec<_>>>()?;
    let mut checked = card.check(folder_of(path), &contents, key)?;
    checked.differences.extend(misplaced(path, card));
    for (path, ledger) in ledgers.iter().zip(&contents) {
        checked.differences.extend(ledger.check_count(path).err().map(|e| e.to_string()));
    }
    if path.file_name().is_some_and(|name| name == OF_FOLDER) {
        checked.unchecked.extend(bystanders(folder_of(path), card));
    }
    Ok(checked)
}

/// What is wrong with the place of a card, if it lies beside a file that it was not issued for: `a.csv.card.json` beside
/// `a.csv`. The files that it names may lie in the same folder and be as they were; they are not the file that a reader
/// takes it for.
pub fn misplaced(path: &Path, card: &Card) -> Option<String> {
    let name = path.file_name()?.to_string_lossy();
    let beside = name.strip_suffix(".card.json")?;
    let there = path.with_file_name(beside).exists();
    if !there || card.is_issued_for(beside) || fault::on(Fault::CardOfAnotherFile) {
        return None;
    }
    let issued: Vec<&str> = card.files.iter().map(|file| file.name.as_str()).collect();
    let issued = if issued.is_empty() { "no file".into() } else { issued.join(", ") };
    Some(format!("the card lies beside {beside} but was issued for {issued}"))
}

/// The ledgers a card names, beside it; if it names none, the one that is called like it.
pub fn ledgers_of(path: &Path, card: &Card) -> Vec<PathBuf> {
    let names = card.guarantees.iter().filter_map(|guarantee| guarantee.ledger.file.as_deref());
    // A name is a name: a card must not send us elsewhere.
    let plain = names.filter(|name| Path::new(name).file_name().is_some_and(|file| file == *name));
    let mut paths: Vec<PathBuf> = plain.map(|name| folder_of(path).join(name)).collect();
    paths.sort();
    paths.dedup();
    if paths.is_empty() { vec![ledger_of(path)] } else { paths }
}

/// The same, where what is not beside the card is an account of a project.
pub fn in_project(paths: Vec<PathBuf>, project: &Project) -> Vec<PathBuf> {
    let of_project = |path: PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let account = project.ledger(&name);
        if !path.exists() && account.exists() { account } else { path }
    };
    paths.into_iter().map(of_project).collect()
}

/// `people.npz.card.json` was made from `people.npz.ledger`.
fn ledger_of(card: &Path) -> PathBuf {
    let name = card.file_name().unwrap_or_default().to_string_lossy();
    let plain = name.strip_suffix(".card.json").or(name.strip_suffix(".json")).unwrap_or(&name);
    beside(&card.with_file_name(plain), "ledger")
}

/// What lies in the folder of a release and is no part of it.
fn bystanders(folder: &Path, card: &Card) -> Vec<String> {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = std::fs::read_dir(here).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let known = |name: &String| {
        let own = name == OF_FOLDER || name.ends_with(".ledger") || name.ends_with(".ledger.count");
        let below = format!("{name}/");
        own || card.files.iter().any(|f| f.name == *name || f.name.starts_with(&below))
    };
    let mut names: Vec<String> = names.filter(|name| !known(name)).collect();
    names.sort();
    names
        .into_iter()
        .map(|name| format!("{name}, which is in the folder but not on the card"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ledger_lies_beside_its_card() {
        assert_eq!(ledger_of(Path::new("a/b.npz.card.json")), Path::new("a/b.npz.ledger"));
        assert_eq!(ledger_of(Path::new("b.json")), Path::new("b.ledger"));
        assert_eq!(ledger_of(Path::new("b")), Path::new("b.ledger"));
    }

    /// Both files are there and unchanged, so only the name tells that the card is that of the other one.
    #[test]
    fn a7_a_card_beside_another_file_is_refused() {
        use super::super::{card_of, of_input};
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["raw.csv", "shared.csv"] {
            std::fs::write(path(name), name).unwrap();
        }
        let card = Card::new("x").for_files(folder.path(), &[path("shared.csv")]).unwrap();
        for name in ["raw.csv", "shared.csv", "elsewhere.csv"] {
            std::fs::write(card_of(&path(name)), card.to_json().unwrap()).unwrap();
        }
        let told = misplaced(&card_of(&path("raw.csv")), &card).unwrap();
        assert_eq!(told, "the card lies beside raw.csv but was issued for shared.csv");
        assert_eq!(misplaced(&card_of(&path("shared.csv")), &card), None);
        // A copy under a name that no file has is taken for nothing's card.
        assert_eq!(misplaced(&card_of(&path("elsewhere.csv")), &card), None);
        // Raw data must not be read as what was released, either.
        assert!(of_input(&path("shared.csv")).unwrap().is_some());
        let refused = of_input(&path("raw.csv")).unwrap_err().to_string();
        assert!(refused.contains("was issued for shared.csv"), "{refused}");
    }

    #[test]
    fn a_card_names_ledgers_beside_it_and_nowhere_else() {
        let path = Path::new("a/b.npz.card.json");
        let named = |file: &str| {
            let ledger = crate::privacy::Ledger::<crate::privacy::unit::Label>::in_memory(
                crate::privacy::Loss::new(1.0, 0.0).unwrap(),
                crate::privacy::noise::NoiseRng::replay(1),
            )
            .unwrap();
            let mut card = Card::new("x").with_ledger(&ledger).unwrap();
            card.guarantees[0].ledger.file = Some(file.into());
            ledgers_of(path, &card)
        };
        assert_eq!(named("year.ledger"), [Path::new("a/year.ledger")]);
        for elsewhere in ["../year.ledger", "/dev/zero", "..", ""] {
            assert_eq!(named(elsewhere), [Path::new("a/b.npz.ledger")]);
        }
    }
}
