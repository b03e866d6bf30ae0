//! A guarantee is said in another neighbouring relation in one place of the trusted base, which has the proof; a
//! system's output is made of releases. Read from the sources, so that no second home can grow unnoticed.

use std::path::Path;

use anyhow::{Context, Result, bail};
use syn::visit::Visit;

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

const HOMES: [Home; 6] = [
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
    Home {
        made_by: "Protected::public(",
        only_in: &[
            "privet/src/hetero_rr/reported.rs",
            "privet/src/ldp_ge/collect.rs",
            "privet/src/ldp_ge/edges.rs",
        ],
        what: "handed out without a release; only parts of a record that nobody calls secret are, where the record is read",
    },
];

/// What a guarantee is made of.
const GUARANTEES: [&str; 4] = ["Loss", "Epsilon", "Guarantee", "Conversion"];

/// Functions outside of the trusted base that make a guarantee of a guarantee and are no theorem: limits of accounts, shares of
/// a budget, and what an accountant says. Every other one is a conversion, and belongs to the trusted base.
const NO_THEOREMS: [(&str, &str); 5] = [
    ("privet/src/run.rs", "limit"),
    ("privet/src/run.rs", "limit_of_new"),
    ("privet/src/project/tune.rs", "affordable"),
    ("privet/src/dpar/paper.rs", "parts"),
    ("privet/src/dpar/plan.rs", "cost"),
];

/// Fails on a second home.
pub fn check() -> Result<()> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("crates");
    let sources = named_sources(&crates)?;
    let mut all = Vec::new();
    for (path, text) in sources.iter().filter(|(path, _)| path.contains("/src/")) {
        all.extend(problems(path, text));
        all.extend(theorems(path, text)?);
    }
    match all.is_empty() {
        true => Ok(()),
        false => bail!("{}", all.join("\n")),
    }
}

fn problems(path: &str, source: &str) -> Vec<String> {
    let shipped = source.split("#[cfg(test)]").next().unwrap_or_default();
    let code = || shipped.lines().filter(|line| !line.trim_start().starts_with("//"));
    let elsewhere = HOMES.iter().filter(|home| !home.only_in.iter().any(|end| path.ends_with(end)));
    let second = elsewhere.filter(|home| code().any(|line| makes(line, home.made_by)));
    second.map(|home| format!("{path}: `{}` is {}", home.made_by, home.what)).collect()
}

/// Functions of a file outside of the trusted base that make a guarantee of a guarantee; what tests compute for themselves is
/// promised to nobody.
fn theorems(path: &str, source: &str) -> Result<Vec<String>> {
    if path.contains("privet-privacy/src") || path.ends_with("tests.rs") {
        return Ok(Vec::new());
    }
    let mut found = Signatures::default();
    found.visit_file(&syn::parse_file(source).with_context(|| path.to_owned())?);
    let known =
        |name: &String| NO_THEOREMS.iter().any(|(end, no)| path.ends_with(end) && name == no);
    let theorems = found.converting.iter().filter(|name| !known(name));
    let told = |name: &String| {
        format!(
            "{path}: `{name}` makes a guarantee of a guarantee; conversions stand in the trusted base, with their proof"
        )
    };
    Ok(theorems.map(told).collect())
}

/// Names of functions that take a guarantee and give one.
#[derive(Default)]
struct Signatures {
    converting: Vec<String>,
}

impl<'ast> Visit<'ast> for Signatures {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        let for_tests = |attribute: &syn::Attribute| attribute.path().is_ident("cfg");
        if !module.attrs.iter().any(for_tests) {
            syn::visit::visit_item_mod(self, module);
        }
    }

    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        let mut typed = signature.inputs.iter().filter_map(|input| match input {
            syn::FnArg::Typed(input) => Some(&*input.ty),
            syn::FnArg::Receiver(_) => None,
        });
        let given = match &signature.output {
            syn::ReturnType::Type(_, given) => speaks_of_guarantees(given),
            syn::ReturnType::Default => false,
        };
        if given && typed.any(speaks_of_guarantees) {
            self.converting.push(signature.ident.to_string());
        }
    }
}

/// Whether a type is a guarantee, or holds one.
fn speaks_of_guarantees(found: &syn::Type) -> bool {
    struct Names(bool);
    impl<'ast> Visit<'ast> for Names {
        fn visit_path_segment(&mut self, segment: &'ast syn::PathSegment) {
            self.0 |= GUARANTEES.iter().any(|name| segment.ident == name);
            syn::visit::visit_path_segment(self, segment);
        }
    }
    let mut names = Names(false);
    names.visit_type(found);
    names.0
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
        let door = "Ok(Protected::public(Public::declared(secret)))";
        assert_eq!(problems("crates/privet/src/dpar/train.rs", door).len(), 1);
    }

    /// A theorem under any name, in any crate but the trusted base.
    #[test]
    fn a_conversion_elsewhere_is_named() {
        let source = "pub fn twice(one: &Loss) -> Result<Loss> { todo() }\nfn price(asked: Loss) -> f64 { 1.0 }\n\
                      #[cfg(test)]\nmod tests { fn both(a: Epsilon) -> Epsilon { a } }";
        let told = theorems("crates/privet-lab/src/x.rs", source).unwrap();
        assert_eq!(told.len(), 1);
        assert!(told[0].contains("`twice`"), "{told:?}");
        assert!(theorems("crates/privet-privacy/src/x.rs", source).unwrap().is_empty());
        let limit = "impl Run { fn limit(&self, asked: Loss) -> Result<Loss> { todo() } }";
        assert!(theorems("crates/privet/src/run.rs", limit).unwrap().is_empty());
        assert_eq!(theorems("crates/privet/src/saved.rs", limit).unwrap().len(), 1);
    }

    #[test]
    fn every_home_is_the_only_one() {
        check().unwrap();
    }
}
