//! Who may depend on whom, and under which licences: read from `cargo metadata`, so it works
//! without a network.

use std::collections::{HashMap, HashSet};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// Our crates from the bottom up, each with those of ours that it may use. Tests may also use `privet-data`.
const LAYERS: [(&str, &[&str]); 13] = [
    ("privet-graph", &[]),
    ("privet-data", &["privet-graph"]),
    ("privet-privacy", &["privet-graph"]),
    ("privet-learn", &["privet-graph", "privet-privacy"]),
    ("privet-protocol", &["privet-graph", "privet-privacy"]),
    (
        "privet",
        &["privet-graph", "privet-data", "privet-privacy", "privet-learn", "privet-protocol"],
    ),
    ("privet-wasm", &["privet-graph", "privet-privacy", "privet-protocol"]),
    ("privet-collector", &["privet", "privet-protocol"]),
    ("privet-cluster", &["privet"]),
    ("privet-lab", &["privet"]),
    ("privet-papers", &["privet", "privet-lab"]),
    (
        "privet-cli",
        &["privet", "privet-lab", "privet-papers", "privet-collector", "privet-cluster"],
    ),
    ("privet-py", &["privet", "privet-lab"]),
];

/// The crates that are published, each after those that it uses. What browsers and Python load is packed otherwise.
pub fn order() -> impl Iterator<Item = &'static str> {
    let names = LAYERS.iter().map(|(name, _)| *name);
    names.filter(|name| !["privet-wasm", "privet-py"].contains(name))
}

/// What opens secrets, and what it is made of: neither may link a parser, not even through others.
const TRUSTED: [&str; 2] = ["privet-graph", "privet-privacy"];

/// What the trusted base is made of beside itself: numbers, randomness, hashes, threads, memory, errors, and JSON for
/// ledgers and cards, which are its own. Whatever is added is added here too, by a developer who knows that it reads no data.
const TRUSTED_USES: [&str; 19] = [
    "bytemuck",
    "chacha20",
    "dashu",
    "getrandom",
    "libm",
    "memmap2",
    "pulp",
    "rand",
    "rand_chacha",
    "rand_core",
    "rayon",
    "rustc-hash",
    "rustfft",
    "serde",
    "serde_json",
    "sha2",
    "strsim",
    "thiserror",
    "zeroize",
];

/// Crates that read what others wrote: tables, archives, markup, compression. A name that ends in `-`
/// stands for all that begin with it.
const PARSERS: [&str; 16] = [
    "arrow-",
    "bzip2",
    "calamine",
    "csv",
    "csv-core",
    "flate2",
    "hdf5",
    "miniz_oxide",
    "parquet",
    "quick-xml",
    "safetensors",
    "serde_yaml",
    "tar",
    "zip",
    "zlib-rs",
    "zstd",
];

/// Licences that ask no more of a user than ours do. A choice (`A OR B`) is fine if one part is.
const LICENCES: [&str; 12] = [
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "Unicode-3.0",
    "0BSD",
    "CC0-1.0",
    "Unlicense",
    "CDLA-Permissive-2.0",
];

/// Fails if one of our crates uses one that it may not, or if the trusted base links a parser.
pub fn check_layers() -> Result<()> {
    let metadata = metadata()?;
    for package in list(&metadata["packages"]) {
        let name = text(&package["name"]);
        let Some((_, allowed)) = LAYERS.iter().find(|(layer, _)| *layer == name) else { continue };
        for dependency in list(&package["dependencies"]) {
            let used = text(&dependency["name"]);
            let ours = LAYERS.iter().any(|(layer, _)| *layer == used);
            let for_tests = text(&dependency["kind"]) == "dev" && used == "privet-data";
            if ours && !allowed.contains(&used) && !for_tests {
                bail!("{name} depends on {used}; it may use {}", allowed.join(", "));
            }
        }
    }
    TRUSTED.iter().try_for_each(|name| check_trusted(&metadata, name))
}

/// Fails if a crate links a parser, itself or through others; says by which way.
fn check_trusted(metadata: &Value, name: &str) -> Result<()> {
    let package = list(&metadata["packages"]).find(|package| text(&package["name"]) == name);
    let package = package.with_context(|| format!("no crate is called {name}"))?;
    for dependency in list(&package["dependencies"]).filter(|used| used["kind"].is_null()) {
        let used = text(&dependency["name"]);
        if !TRUSTED.contains(&used) && !TRUSTED_USES.contains(&used) {
            bail!(
                "{name} depends on {used}, which is none of TRUSTED_USES in xtask/src/packages.rs"
            );
        }
    }
    for way in linked(metadata, name)? {
        let last = way.last().map_or("", String::as_str);
        if is_parser(last) {
            bail!("the trusted base links the parser {last}: {}", way.join(" -> "));
        }
    }
    Ok(())
}

fn is_parser(name: &str) -> bool {
    let known = |parser: &&str| match parser.strip_suffix('-') {
        Some(_) => name.starts_with(*parser),
        None => name == *parser,
    };
    PARSERS.iter().any(known)
}

/// All that is linked into a crate, each with a way that leads to it. Tests and build scripts are not.
fn linked(metadata: &Value, name: &str) -> Result<Vec<Vec<String>>> {
    let packages = list(&metadata["packages"]);
    let names: HashMap<&str, &str> =
        packages.map(|package| (text(&package["id"]), text(&package["name"]))).collect();
    let nodes: HashMap<&str, &Value> =
        list(&metadata["resolve"]["nodes"]).map(|node| (text(&node["id"]), node)).collect();
    let root = names.iter().find(|(_, known)| **known == name).map(|(id, _)| *id);
    let root = root.with_context(|| format!("no crate is called {name}"))?;
    let mut seen = HashSet::from([root]);
    let mut open = vec![(root, vec![name.to_owned()])];
    let mut ways = Vec::new();
    while let Some((id, way)) = open.pop() {
        for dependency in list(&nodes[id]["deps"]) {
            let used = text(&dependency["pkg"]);
            let is_linked = list(&dependency["dep_kinds"]).any(|kind| kind["kind"].is_null());
            if is_linked && seen.insert(used) {
                let mut longer = way.clone();
                longer.push(names.get(used).copied().unwrap_or_default().to_owned());
                open.push((used, longer));
            }
        }
        ways.push(way);
    }
    Ok(ways)
}

/// What the binary links only with its features `collector`, `cluster` and `tables`.
const SERVICES: [&str; 9] = [
    "arrow-array",
    "axum",
    "hyper",
    "parquet",
    "privet-cluster",
    "privet-collector",
    "sqlx",
    "timely",
    "tokio",
];

/// Fails if the binary without its features links what they are for, or the wheel a service or the command line. Resolves
/// only, builds nothing.
pub fn check_features() -> Result<()> {
    if let Some(name) = service_in("privet-cli", &["--no-default-features"], &SERVICES)? {
        bail!("privet-cli --no-default-features links {name}; put it behind a feature");
    }
    // The wheel reads Parquet and Arrow tables.
    let tables = |name: &&str| *name == "parquet" || name.starts_with("arrow");
    let services = SERVICES.into_iter().filter(|name| !tables(name));
    let others: Vec<&str> = services.chain(["privet-cli", "clap"]).collect();
    match service_in("privet-py", &[], &others)? {
        Some(name) => {
            bail!("privet-py links {name}; the wheel is the library and the laboratory alone")
        }
        None => Ok(()),
    }
}

/// The first of these crates that a package links.
fn service_in(package: &str, options: &[&str], crates: &[&str]) -> Result<Option<String>> {
    let arguments = ["tree", "-p", package, "-e", "normal", "--prefix", "none"];
    let output = Command::new("cargo").args(arguments).args(options).output();
    let output = output.context("cannot start cargo")?;
    if !output.status.success() {
        bail!("cargo tree failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let tree = String::from_utf8_lossy(&output.stdout);
    Ok(tree.lines().filter_map(first_word).find(|name| crates.contains(name)).map(str::to_owned))
}

fn first_word(line: &str) -> Option<&str> {
    line.split_whitespace().next()
}

/// Fails if a dependency's licence is none we may pass on.
pub fn check_licences() -> Result<()> {
    let metadata = metadata()?;
    for package in list(&metadata["packages"]) {
        let (name, licence) = (text(&package["name"]), text(&package["license"]));
        if !acceptable(licence) {
            bail!("{name} is under '{licence}'; acceptable are {}", LICENCES.join(", "));
        }
    }
    Ok(())
}

/// Understands the expressions crates really use: `A OR B`, `A AND B`, `(A OR B) AND C`, `A/B`.
fn acceptable(expression: &str) -> bool {
    expression.split(" AND ").all(|part| {
        part.trim_matches(['(', ')', ' '])
            .split(" OR ")
            .flat_map(|choice| choice.split('/'))
            .any(|choice| LICENCES.contains(&choice.trim_matches(['(', ')', ' '])))
    })
}

fn metadata() -> Result<Value> {
    let output = Command::new("cargo")
        .args(["metadata", "--format-version", "1", "--all-features", "--locked"])
        .output()
        .context("cannot start `cargo metadata`")?;
    if !output.status.success() {
        bail!("`cargo metadata` failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licence_expressions() {
        for good in
            ["MIT", "MIT OR GPL-3.0", "MIT/Apache-2.0", "(MIT OR Apache-2.0) AND Unicode-3.0"]
        {
            assert!(acceptable(good), "{good}");
        }
        for bad in ["GPL-3.0", "MIT AND GPL-3.0", "", "LGPL-3.0 OR MPL-2.0"] {
            assert!(!acceptable(bad), "{bad}");
        }
    }

    #[test]
    fn layers_hold_and_the_trusted_base_links_no_parser() {
        check_layers().unwrap();
    }

    #[test]
    fn a_parser_is_found_through_others_but_not_in_tests() {
        let node = |id: &str, deps: Value| serde_json::json!({ "id": id, "deps": deps });
        let dependency = |pkg: &str, kind: Value| serde_json::json!({ "pkg": pkg, "dep_kinds": [{ "kind": kind }] });
        let metadata = |kind: Value| {
            serde_json::json!({
                "packages": [
                    { "id": "1", "name": "privet-graph" },
                    { "id": "2", "name": "harmless" },
                    { "id": "3", "name": "arrow-ipc" },
                ],
                "resolve": { "nodes": [
                    node("1", serde_json::json!([dependency("2", Value::Null)])),
                    node("2", serde_json::json!([dependency("3", kind)])),
                    node("3", serde_json::json!([])),
                ] },
            })
        };
        let told = check_trusted(&metadata(Value::Null), "privet-graph").unwrap_err().to_string();
        assert!(told.contains("privet-graph -> harmless -> arrow-ipc"), "{told}");
        check_trusted(&metadata("dev".into()), "privet-graph").unwrap();
        let mut direct = metadata("dev".into());
        direct["packages"][0]["dependencies"] =
            serde_json::json!([{ "name": "a_new_parser", "kind": null }]);
        let told = check_trusted(&direct, "privet-graph").unwrap_err().to_string();
        assert!(told.contains("a_new_parser"), "an unknown parser: {told}");
        assert!(is_parser("csv") && !is_parser("csvish") && !is_parser("serde_json"));
    }
}
