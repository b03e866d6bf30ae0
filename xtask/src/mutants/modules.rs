//! The files of a crate that its users compile: what `lib.rs` declares, without tests.

use std::path::Path;

use anyhow::{Context, Result};
use syn::Item;

use super::find::{Mutant, mutants_of};

/// A source file, relative to `src`, and its mutants.
pub struct Source {
    /// The file, relative to `src`.
    pub file: String,
    /// Its text.
    pub text: String,
    /// Its mutants.
    pub mutants: Vec<Mutant>,
}

/// The files of the crate in this folder and their mutants.
///
/// # Errors
/// If a file cannot be read or is not Rust.
pub fn sources(folder: &Path) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    read(&folder.join("src"), "lib.rs", "", &mut sources)?;
    Ok(sources)
}

fn read(src: &Path, file: &str, children: &str, sources: &mut Vec<Source>) -> Result<()> {
    let path = src.join(file);
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let not_rust = || format!("{} is not Rust", path.display());
    let mutants = mutants_of(file, &text).with_context(not_rust)?;
    let tree = syn::parse_file(&text).with_context(not_rust)?;
    sources.push(Source { file: file.to_owned(), text, mutants });
    for item in tree.items {
        let Item::Mod(item) = item else { continue };
        let conditional = item.attrs.iter().any(|attribute| attribute.path().is_ident("cfg"));
        // The switches of declared faults are tests in disguise.
        if item.content.is_none() && !conditional && item.ident != "fault" {
            let name = format!("{children}{}", item.ident);
            read(src, &format!("{name}.rs"), &format!("{name}/"), sources)?;
        }
    }
    Ok(())
}
