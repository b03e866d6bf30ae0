//! Files are opened where it is known whose data they may hold: by the guard of inputs (`privet::project::guard`), by readers
//! that are called after it, and by modules that open nothing but what Privet wrote. Read from the sources, so that no
//! argument of a new command goes around the guard unnoticed.

use std::path::Path;

use anyhow::{Context, Result, bail};
use syn::visit::Visit;

use crate::subjects::named_sources;

/// Modules that open files, and why they may: a file, or a folder with everything in it.
const MAY_OPEN: &[(&str, &str)] = &[
    ("privet/src/project/guard.rs", "the guard"),
    ("privet/src/project/guard/", "the guard"),
    (
        "privet-data/src/",
        "readers of formats: their callers have asked the guard, or stands in this list",
    ),
    ("privet-graph/src/files.rs", "reads a text for its callers, within limits"),
    ("privet-graph/src/memory.rs", "what the system says about memory"),
    ("privet-privacy/src/card.rs", "cards"),
    ("privet-privacy/src/card/", "keys, and the files that a card was issued for"),
    ("privet-privacy/src/ledger/", "ledgers and their counts"),
    ("privet-learn/src/tensor_file.rs", "models"),
    ("privet/src/collected/draft.rs", "tasks of a collector: declarations"),
    ("privet/src/device.rs", "a device's own account"),
    ("privet/src/ldp_ge/known_links.rs", "part of a saved model, under its card"),
    ("privet/src/model.rs", "a saved model"),
    ("privet/src/model/question.rs", "what was released, which is refused without its card"),
    ("privet/src/out_of_core/finished.rs", "a run's own checkpoint"),
    ("privet/src/project.rs", "a project's own tables, for commands that charge"),
    ("privet/src/project/accounts.rs", "the lock of a project's accounts"),
    ("privet/src/project/config.rs", "privet.toml"),
    ("privet/src/project/forgotten.rs", "keyed hashes of people who were removed"),
    ("privet/src/project/history.rs", "releases.jsonl"),
    ("privet/src/project/outside.rs", "what is known outside of projects"),
    ("privet/src/project/outside/marks.rs", "keyed hashes of the people of projects"),
    ("privet/src/project/predict.rs", "a project's own list of volunteers"),
    ("privet/src/project/train/graphs.rs", "a project's own tables, for commands that charge"),
    (
        "privet/src/protect/budgets.rs",
        "people's own budgets: ids and epsilons, used with data that the guard saw",
    ),
    ("privet/src/publish/private.rs", "which edges of data that the guard saw are private"),
    ("privet/src/saved.rs", "releases in folders, under their cards"),
    ("privet/src/release/", "new folders of releases"),
    ("privet/src/ldp_ge/tuned.rs", "settings that a search found"),
    ("privet/src/request/dprr.rs", "epsilons that users chose, for data that the guard saw"),
    ("privet-cli/src/commands/account.rs", "events of an account that is planned"),
    (
        "privet-cli/src/commands/collect.rs",
        "tasks, reports, and what a person's own device reports",
    ),
    ("privet-cli/src/commands/collect/service.rs", "keys and invitations of a collector"),
    ("privet-cli/src/commands/reproduce.rs", "a report that it wrote"),
    ("privet-cli/src/fetch/transfer.rs", "benchmarks on their way from their publishers"),
    ("privet-cli/src/commands/source.rs", "data that an argument names, behind the guard"),
    ("privet-cluster/src/session.rs", "what a process used"),
    ("privet-cluster/src/checkpoint.rs", "a job's own checkpoint"),
    ("privet-cluster/src/hosts.rs", "addresses of machines"),
    ("privet-collector/src/", "the collector's own store, and what it exports"),
    ("privet-lab/src/experiments/", "stores and write-ups of finished runs"),
    ("privet-py/src/learned.rs", "a saved model, under its card"),
    ("privet-py/src/read.rs", "data that an argument names, behind the guard"),
];

/// Functions that open a file, by the end of their paths.
const FUNCTIONS: &[&str] = &[
    "File::open",
    "File::options",
    "OpenOptions::new",
    "fs::read",
    // Under either name: it is imported alone, too.
    "read_to_string",
    "MmapOptions::new",
    "Mmap::map",
    "formats::read",
    "data::read",
    "attach::features",
    "attach::labels",
    "Bundle::from_path",
    "Schema::read_new_graphs",
    "read_bundle",
    "read_list",
    "read_text",
];

/// Methods that open a table, and with how many arguments.
const METHODS: &[(&str, usize)] =
    &[("batches", 3), ("read_pairs", 3), ("read_graphs", 3), ("read", 2)];

/// Fails on a file that is opened elsewhere, and on an entry of the list that opens none.
pub fn check() -> Result<()> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("crates");
    let mut sources = named_sources(&crates)?;
    sources.retain(|(path, _)| is_shipped(path));
    let problems = problems(&sources)?;
    match problems.is_empty() {
        true => Ok(()),
        false => bail!("{}", problems.join("\n")),
    }
}

fn is_shipped(path: &str) -> bool {
    path.contains("/src/") && !path.ends_with("tests.rs") && !path.contains("/tests/")
}

fn problems(sources: &[(String, String)]) -> Result<Vec<String>> {
    let mut used = vec![false; MAY_OPEN.len()];
    let mut problems = Vec::new();
    for (path, source) in sources {
        let file = syn::parse_file(source).with_context(|| path.clone())?;
        let mut opened = Opened::default();
        opened.visit_file(&file);
        if opened.calls.is_empty() {
            continue;
        }
        let listed = MAY_OPEN.iter().position(|(home, _)| is_at(path, home));
        match listed {
            Some(at) => used[at] = true,
            None => problems.push(format!(
                "{path}: `{}` opens a file; ask privet::project::guard for it, or say in xtask/src/opened.rs why this \
                 one holds no records",
                opened.calls.join("`, `")
            )),
        }
    }
    let unused = MAY_OPEN.iter().zip(used).filter(|(_, used)| !used);
    problems.extend(unused.map(|((home, _), _)| format!("{home}: listed, and opens no file")));
    Ok(problems)
}

/// Whether a source is this file, or lies in this folder.
fn is_at(path: &str, home: &str) -> bool {
    let from_crate = path.split_once("crates/").map_or(path, |(_, rest)| rest);
    if home.ends_with('/') { from_crate.starts_with(home) } else { from_crate == home }
}

/// Looks for calls that open files; what stands in a module of tests does not count.
#[derive(Default)]
struct Opened {
    calls: Vec<String>,
}

impl<'ast> Visit<'ast> for Opened {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        let for_tests = |attribute: &syn::Attribute| {
            let said = attribute.parse_args::<syn::Path>();
            attribute.path().is_ident("cfg") && said.is_ok_and(|said| said.is_ident("test"))
        };
        if !module.attrs.iter().any(for_tests) {
            syn::visit::visit_item_mod(self, module);
        }
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        let names: Vec<String> = path.path.segments.iter().map(|s| s.ident.to_string()).collect();
        let ends = |function: &&&str| {
            let wanted: Vec<&str> = function.split("::").collect();
            names.len() >= wanted.len()
                && names[names.len() - wanted.len()..].iter().zip(&wanted).all(|(a, b)| a == b)
        };
        self.calls.extend(FUNCTIONS.iter().find(ends).map(|name| (*name).to_owned()));
        syn::visit::visit_expr_path(self, path);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let opens = |&&(name, arguments): &&(&str, usize)| {
            call.method == name && call.args.len() == arguments
        };
        self.calls.extend(METHODS.iter().find(opens).map(|(name, _)| format!(".{name}")));
        syn::visit::visit_expr_method_call(self, call);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said about one source; entries of the list that are not in it do not matter here.
    fn said(path: &str, source: &str) -> Vec<String> {
        let sources = [(path.to_owned(), source.to_owned())];
        let mut problems = problems(&sources).unwrap();
        problems.retain(|problem| !problem.ends_with("listed, and opens no file"));
        problems
    }

    #[test]
    fn b10_a_file_that_is_opened_elsewhere_is_named() {
        let planted = [
            "fn a(p: &Path) { let _ = std::fs::File::open(p); }",
            "fn a(p: &Path) { let _ = fs::read_to_string(p); }",
            "fn a(p: &[PathBuf]) { p.iter().map(File::open).count(); }",
            "fn a(p: &Path) { let _ = crate::data::formats::read(p, &options); }",
            "fn a(people: &People, p: &Path) { people.batches(p, 1, &limits); }",
            "fn a(schema: &Schema, p: &Path) { schema.read(p, &limits); }",
            "fn a(table: &EdgeTable) { table.read_pairs(base, &known, &limits); }",
            // Behind a module of tests that stands first.
            "#[cfg(test)] mod tests; fn a(p: &Path) { let _ = read_list(p); }",
        ];
        for source in planted {
            let told = said("crates/privet/src/model/predict.rs", source);
            assert_eq!(told.len(), 1, "{source}: {told:?}");
            assert!(said("crates/privet/src/project/guard/read.rs", source).is_empty());
        }
        let told = said("/somewhere/crates/privet-cli/src/commands/new.rs", planted[0]);
        assert!(told[0].contains("`File::open`") && told[0].contains("guard"), "{told:?}");
    }

    #[test]
    fn b10_what_opens_nothing_passes() {
        let sources = [
            "fn a(p: &Path) { let _ = File::create(p); }",
            "fn a(input: &mut impl Read) { input.read(&mut buffer); }",
            "#[cfg(test)] mod tests { fn a(p: &Path) { File::open(p); } }",
            "/// `File::open` in words.\nfn a() {}",
        ];
        for source in sources {
            assert_eq!(said("crates/privet/src/x.rs", source), Vec::<String>::new(), "{source}");
        }
    }

    #[test]
    fn b10_every_file_of_the_sources_is_opened_where_it_may_be() {
        check().unwrap();
    }

    #[test]
    fn b10_an_entry_without_a_file_is_named() {
        let told = problems(&[]).unwrap();
        assert_eq!(told.len(), MAY_OPEN.len());
    }
}
