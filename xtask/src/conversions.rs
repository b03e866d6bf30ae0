//! A guarantee is said in another neighbouring relation in one place of the trusted base, which has the proof; a
//! system's output is made of releases. Read from the sources, so that no second home can grow unnoticed.

use std::collections::BTreeSet;
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
        only_in: &["privet-privacy/src/ledger/pairs.rs"],
        what: "a guarantee said in another relation; ledger/pairs.rs computes it from the entries alone",
    },
    Home {
        made_by: "Relation::RelationshipDp",
        only_in: &["privet-privacy/src/ledger/pairs.rs"],
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
        what: "handed out without a release; only parts of a record that are not declared secret are, where the record is read",
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
    let mut sources = named_sources(&crates)?;
    sources.retain(|(path, _)| path.contains("/src/"));
    let mut all: Vec<String> =
        sources.iter().flat_map(|(path, text)| problems(path, text)).collect();
    all.extend(theorems(&sources)?);
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

/// Functions of files outside of the trusted base that make a guarantee of a guarantee; what tests compute for themselves is
/// promised to no one.
fn theorems(sources: &[(String, String)]) -> Result<Vec<String>> {
    let mut files = Vec::new();
    for (path, source) in sources {
        if !path.contains("privet-privacy/src") && !path.ends_with("tests.rs") {
            files.push((path, syn::parse_file(source).with_context(|| path.clone())?));
        }
    }
    let mut found = Signatures::default();
    // Twice: a trait may be implemented for a guarantee in a file that is read after the trait.
    files.iter().for_each(|(_, file)| found.visit_file(file));
    let mut theorems = Vec::new();
    for (path, file) in &files {
        found.converting.clear();
        found.visit_file(file);
        let known =
            |name: &str| NO_THEOREMS.iter().any(|&(end, no)| path.ends_with(end) && name == no);
        theorems.extend(found.converting.iter().filter(|name| !known(name)).map(|name| {
            format!(
                "{path}: `{name}` makes a guarantee of a guarantee; conversions stand in the trusted base, with their proof"
            )
        }));
    }
    Ok(theorems)
}

/// Names of functions that take a guarantee and give one.
#[derive(Default)]
struct Signatures {
    converting: Vec<String>,
    /// Whether `Self` is a guarantee here.
    of_guarantee: bool,
    /// Traits that a guarantee has.
    traits: BTreeSet<String>,
}

impl Signatures {
    /// Whether something is a guarantee, or holds one.
    fn speak(&self, visit: impl FnOnce(&mut Names)) -> bool {
        let mut names = Names { of_guarantee: self.of_guarantee, found: false };
        visit(&mut names);
        names.found
    }

    fn within(&mut self, of_guarantee: bool, visit: impl FnOnce(&mut Self)) {
        let around = std::mem::replace(&mut self.of_guarantee, of_guarantee);
        visit(self);
        self.of_guarantee = around;
    }
}

impl<'ast> Visit<'ast> for Signatures {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        // Behind a feature it is shipped all the same.
        let for_tests = |attribute: &syn::Attribute| {
            let said = attribute.parse_args::<syn::Path>();
            attribute.path().is_ident("cfg") && said.is_ok_and(|said| said.is_ident("test"))
        };
        if !module.attrs.iter().any(for_tests) {
            syn::visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let of_guarantee = self.speak(|names| names.visit_type(&item.self_ty));
        let name = item.trait_.as_ref().and_then(|(_, path, _)| path.segments.last());
        if let Some(name) = name.filter(|_| of_guarantee) {
            self.traits.insert(name.ident.to_string());
        }
        self.within(of_guarantee, |here| syn::visit::visit_item_impl(here, item));
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        let of_guarantee = self.traits.contains(&item.ident.to_string());
        self.within(of_guarantee, |here| syn::visit::visit_item_trait(here, item));
    }

    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        let is_guarantee = |input: &syn::FnArg| match input {
            syn::FnArg::Typed(input) => self.speak(|names| names.visit_type(&input.ty)),
            syn::FnArg::Receiver(_) => self.of_guarantee,
        };
        let taken = signature.inputs.iter().any(is_guarantee)
            || self.speak(|names| names.visit_generics(&signature.generics));
        if taken && self.speak(|names| names.visit_return_type(&signature.output)) {
            self.converting.push(signature.ident.to_string());
        }
    }
}

/// Looks for guarantees by their names.
struct Names {
    of_guarantee: bool,
    found: bool,
}

impl<'ast> Visit<'ast> for Names {
    fn visit_path_segment(&mut self, segment: &'ast syn::PathSegment) {
        self.found |= GUARANTEES.iter().any(|name| segment.ident == name);
        self.found |= self.of_guarantee && segment.ident == "Self";
        syn::visit::visit_path_segment(self, segment);
    }
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
        let told = found("crates/privet-lab/src/x.rs", source);
        assert_eq!(told.len(), 1);
        assert!(told[0].contains("`twice`"), "{told:?}");
        assert!(found("crates/privet-privacy/src/x.rs", source).is_empty());
        let limit = "impl Run { fn limit(&self, asked: Loss) -> Result<Loss> { todo() } }";
        assert!(found("crates/privet/src/run.rs", limit).is_empty());
        assert_eq!(found("crates/privet/src/saved.rs", limit).len(), 1);
    }

    fn found(path: &str, source: &str) -> Vec<String> {
        theorems(&[(path.to_owned(), source.to_owned())]).unwrap()
    }

    /// Nor does it hide behind a feature, a receiver, `Self`, a bound, or the trait that has the body.
    #[test]
    fn a_conversion_in_disguise_is_named() {
        let planted = [
            "#[cfg(feature = \"tables\")] mod x { fn twice(one: Loss) -> Loss { one } }",
            "trait Twice { fn twice(&self) -> Loss; } impl Twice for Loss { fn twice(&self) -> Loss { *self } }",
            "trait Twice { fn twice(self) -> Self; } impl Twice for Epsilon { fn twice(self) -> Self { self } }",
            "impl Twice for Loss { fn twice(one: &Self) -> Option<Self> { None } }",
            "impl Twice for Vec<Loss> { fn twice(self: Box<Self>) -> Loss { self[0] } }",
            "trait Twice { fn twice(&self) -> Guarantee { todo() } } impl Twice for Loss {}",
            "fn twice<T: Into<Loss>>(one: T) -> Loss { one.into() }",
            "fn twice<T>(one: T) -> Loss where T: Into<Loss> { one.into() }",
        ];
        for source in planted {
            let told = found("crates/privet-lab/src/x.rs", source);
            assert!(told.iter().any(|told| told.contains("`twice`")), "{source}: {told:?}");
        }
        let two = [
            ("a.rs", "trait Twice { fn twice(&self) -> Loss { todo() } }"),
            ("b.rs", "impl Twice for Loss {}"),
        ];
        for order in [[0, 1], [1, 0]] {
            let files = order.map(|at| (two[at].0.to_owned(), two[at].1.to_owned()));
            assert_eq!(theorems(&files).unwrap().len(), 1);
        }
        let prices = [
            "trait Priced { fn price(&self) -> Loss; } impl Priced for Plan { fn price(&self) -> Loss { todo() } }",
            "impl Shown for Loss { fn shown(&self) -> String { todo() } }",
            "impl From<Loss> for Price { fn from(asked: Loss) -> Self { todo() } }",
            "impl Plan { fn best(self) -> Self { self } }",
        ];
        for source in prices {
            assert!(found("crates/privet-lab/src/x.rs", source).is_empty(), "{source}");
        }
    }

    #[test]
    fn every_home_is_the_only_one() {
        check().unwrap();
    }
}
