//! Who may depend on whom, and under which licences: read from `cargo metadata`, so it works
//! without a network.

use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// Our crates from the bottom up. A crate may use those before it, and none after it.
const LAYERS: [&str; 6] =
    ["privet-graph", "privet-privacy", "privet-learn", "privet", "privet-lab", "privet-cli"];

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

/// Fails if one of our crates uses one that lies above it.
pub fn check_layers() -> Result<()> {
    for package in packages()? {
        let name = text(&package["name"]);
        let Some(layer) = LAYERS.iter().position(|&layer| layer == name) else { continue };
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let used = text(&dependency["name"]);
            if LAYERS[layer..].contains(&used) {
                bail!("{name} depends on {used}; the order is {}", LAYERS.join(" <- "));
            }
        }
    }
    Ok(())
}

/// Fails if a dependency's licence is none we may pass on.
pub fn check_licences() -> Result<()> {
    for package in packages()? {
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

fn packages() -> Result<Vec<Value>> {
    let output = Command::new("cargo")
        .args(["metadata", "--format-version", "1", "--all-features", "--locked"])
        .output()
        .context("cannot start `cargo metadata`")?;
    if !output.status.success() {
        bail!("`cargo metadata` failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    metadata["packages"].as_array().cloned().context("`cargo metadata` lists no packages")
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
    fn layers_hold() {
        check_layers().unwrap();
    }
}
