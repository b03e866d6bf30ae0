//! A guarantee is said in another neighbouring relation in one place of the trusted base, which has the proof; a
//! system's output is made of releases. Read from the sources, so that no second home can grow unnoticed.

use std::path::Path;

use anyhow::{Result, bail};

use crate::subjects::named_sources;

/// Something that is written in some files and nowhere else.
struct Home {
    /// What the source says where it is made.
    made_by: &'static str,
    /// Ends of the paths that may.
    only_in: &'static [&'static str],
    /// What it is, and where it belongs.
    what: &'static str,
}

const HOMES: [Home; 5] = [
    Home {
        made_by: "Conversion {",
        // A forged one is what a check of cards must find out.
        only_in: &["privet-privacy/src/ledger/pairs.rs", "privet-privacy/src/card/tests.rs"],
        what: "a guarantee said in another relation; ledger/pairs.rs computes it from the entries alone",
    },
    Home {
        made_by: "Relation::RelationshipDp",
        only_in: &["privet-privacy/src/ledger/pairs.rs", "privet-privacy/src/card/tests.rs"],
        what: "from edge-LDP to relationship-DP; the card of every ledger has it from ledger/pairs.rs",
    },
    Home {
        made_by: "fn group(",
        only_in: &["privet-privacy/src/accountant/convert.rs"],
        what: "from one record to a group; accountant/convert.rs has the theorem",
    },
    Home {
        made_by: "Release {",
        only_in: &["privet-privacy/src/release.rs"],
        what: "a release; only a ledger hands one out",
    },
    Home {
        made_by: "Protected {",
        only_in: &["privet-privacy/src/release.rs"],
        what: "what a system hands out; it is made of releases",
    },
];

/// Fails on a second home.
pub fn check() -> Result<()> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("crates");
    let problems: Vec<String> = named_sources(&crates)?
        .iter()
        .filter(|(path, _)| path.contains("/src/"))
        .flat_map(|(path, text)| problems(path, text))
        .collect();
    match problems.is_empty() {
        true => Ok(()),
        false => bail!("{}", problems.join("\n")),
    }
}

fn problems(path: &str, source: &str) -> Vec<String> {
    let shipped = source.split("#[cfg(test)]").next().unwrap_or_default();
    let code = || shipped.lines().filter(|line| !line.trim_start().starts_with("//"));
    let elsewhere = HOMES.iter().filter(|home| !home.only_in.iter().any(|end| path.ends_with(end)));
    let second = elsewhere.filter(|home| code().any(|line| makes(line, home.made_by)));
    second.map(|home| format!("{path}: `{}` is {}", home.made_by, home.what)).collect()
}

/// Whether a line has the words, not as the end of a longer name, and not where the type itself is declared.
fn makes(line: &str, words: &str) -> bool {
    let declares = |word: &str| line.trim_start().trim_start_matches("pub ").starts_with(word);
    if ["impl", "struct", "enum"].into_iter().any(declares) {
        return false;
    }
    line.match_indices(words).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        before.is_none_or(|letter| !letter.is_alphanumeric() && letter != '_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_home_is_named() {
        let twice = "fn card() {\n    Conversion { relation: Relation::RelationshipDp, loss }\n}";
        assert_eq!(problems("crates/privet/src/edges.rs", twice).len(), 2);
        assert!(problems("crates/privet-privacy/src/ledger/pairs.rs", twice).is_empty());
        let told = "/// A `Conversion {` in words.\n#[cfg(test)]\nmod tests { Conversion { x } }";
        assert!(problems("crates/privet/src/edges.rs", told).is_empty());
        assert!(problems("crates/privet/src/x.rs", "let x = NotAProtected {").is_empty());
    }

    #[test]
    fn every_home_is_the_only_one() {
        check().unwrap();
    }
}
