//! One public name, one thing: two types of the same name in a crate are told apart only by their paths, and readers
//! do not read paths.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use syn::{Item, Visibility};

use crate::subjects::named_sources;

/// Fails if a crate gives a public name to two types; names all of them and where they are.
pub fn check() -> Result<()> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("crates");
    let mut problems = Vec::new();
    for entry in std::fs::read_dir(&crates).with_context(|| crates.display().to_string())? {
        let sources = named_sources(&entry?.path().join("src"))?;
        for (name, places) in homes(&sources)? {
            if places.len() > 1 {
                problems.push(format!("{name}: {}", places.join(", ")));
            }
        }
    }
    match problems.is_empty() {
        true => Ok(()),
        false => bail!("public names of two types each:\n{}", problems.join("\n")),
    }
}

/// Every public type and trait of a crate, and the files that declare one of this name.
fn homes(sources: &[(String, String)]) -> Result<BTreeMap<String, Vec<&str>>> {
    let mut homes: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (path, text) in sources {
        let file = syn::parse_file(text).with_context(|| path.clone())?;
        // What is declared inside a module of a file (tests, seals) is not counted.
        for name in file.items.iter().filter_map(declared) {
            homes.entry(name).or_default().push(path);
        }
    }
    Ok(homes)
}

fn declared(item: &Item) -> Option<String> {
    let (visibility, name) = match item {
        Item::Struct(item) => (&item.vis, &item.ident),
        Item::Enum(item) => (&item.vis, &item.ident),
        Item::Trait(item) => (&item.vis, &item.ident),
        Item::Type(item) => (&item.vis, &item.ident),
        _ => return None,
    };
    matches!(visibility, Visibility::Public(_)).then(|| name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_home_is_found_and_private_names_are_free() {
        let source = |path: &str, text: &str| (path.to_owned(), text.to_owned());
        let sources = [
            source("a.rs", "pub struct Plan; struct Own; mod tests { pub struct Plan; }"),
            source("b.rs", "pub enum Plan {} pub(crate) struct Own;"),
        ];
        let homes = homes(&sources).unwrap();
        assert_eq!(homes.len(), 1);
        assert_eq!(homes["Plan"], ["a.rs", "b.rs"]);
    }
}
