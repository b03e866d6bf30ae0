//! `cargo xtask release`: what users get, in the order in which one part needs another, into `target/release-files`.
//!
//! `--dry-run` builds nothing: it checks that versions agree, that crates can be packed in their order, and says what would
//! be done. That is cheap enough for every check of the project.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::packages;

/// What a browser's module is built for, and as.
const WASM: [&str; 8] = [
    "build",
    "--profile",
    "browser",
    "--target",
    "wasm32-unknown-unknown",
    "--locked",
    "-p",
    "privet-wasm",
];

/// Makes everything, or with `--dry-run` says how.
///
/// # Errors
/// If versions differ, a crate cannot be packed, or a step fails.
pub fn run(options: &[String]) -> Result<()> {
    let dry = options.iter().any(|option| option == "--dry-run");
    if let Some(other) = options.iter().find(|option| *option != "--dry-run") {
        bail!("'{other}' is not known; there is --dry-run");
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    let version = version(&root)?;
    println!("== release: privet {version}{}", if dry { " (dry run)" } else { "" });
    for name in packages::order() {
        pack(&root, name, dry)?;
    }
    let files = target.join("release-files");
    let steps: [(&str, Command); 4] = [
        ("the binary", cargo(&["build", "--release", "--locked", "--bin", "privet"])),
        ("the manual", self_man(&target, &files)),
        ("the module of the npm package", cargo(&WASM)),
        ("the wheel", wheel(&files)),
    ];
    for (name, mut command) in steps {
        println!("== release: {name}: {}", shown(&command));
        if !dry && !command.current_dir(&root).status().with_context(|| name.to_owned())?.success()
        {
            bail!("{name} failed");
        }
    }
    let package = package_json(&version);
    println!("== release: package.json of the npm package: {} bytes", package.len());
    if !dry {
        collect(&root, &target, &files, &package)?;
        println!("== release: all of it is in {}", files.display());
    }
    println!(
        "== release: then `cargo publish -p NAME` in the order above, `npm publish`, `twine upload`"
    );
    Ok(())
}

/// The one version; everything that names another is found.
fn version(root: &Path) -> Result<String> {
    let text = std::fs::read_to_string(root.join("Cargo.toml"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("version = \""));
    let version =
        line.and_then(|rest| rest.strip_suffix('"')).context("Cargo.toml has no version")?;
    let mut others = text.lines().filter(|line| line.contains("path = \"crates/"));
    let same = format!("version = \"{version}\"");
    if let Some(line) = others.find(|line| !line.contains(&same)) {
        bail!("Cargo.toml: another version than {version}: {line}");
    }
    for (file, spelled) in
        [("CITATION.cff", format!("version: {version}")), ("CHANGELOG.md", "## ".to_owned())]
    {
        let text = std::fs::read_to_string(root.join(file)).with_context(|| file.to_owned())?;
        if !text.contains(&spelled) {
            bail!("{file} does not say '{spelled}'");
        }
    }
    Ok(version.to_owned())
}

/// What would be in a crate: its licence, no file that is enormous.
fn pack(root: &Path, name: &str, dry: bool) -> Result<()> {
    let listed = cargo(&["package", "--list", "--allow-dirty", "--offline", "-p", name])
        .current_dir(root)
        .output()
        .context("cannot start cargo")?;
    if !listed.status.success() {
        bail!("{name} cannot be packed: {}", String::from_utf8_lossy(&listed.stderr));
    }
    let files = String::from_utf8_lossy(&listed.stdout).lines().count();
    println!("== release: crate {name}: {files} files");
    if dry {
        return Ok(());
    }
    let mut package = cargo(&["package", "--no-verify", "--allow-dirty", "-p", name]);
    match package.current_dir(root).status().context("cannot start cargo")?.success() {
        true => Ok(()),
        false => bail!("{name} cannot be packed"),
    }
}

fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    command.args(arguments);
    command
}

fn self_man(target: &Path, files: &Path) -> Command {
    let mut command = Command::new(target.join("release/privet"));
    command.args(["self", "man", "--quiet"]).arg(files.join("man1"));
    command
}

fn wheel(files: &Path) -> Command {
    let mut command = Command::new("python3");
    command.args(["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir"]).arg(files).arg(".");
    command
}

fn shown(command: &Command) -> String {
    let words = [command.get_program()].into_iter().chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

/// The package that an app's builder adds: the module, and what drives it in a worker.
fn package_json(version: &str) -> String {
    format!(
        "{{\n  \"name\": \"privet-device\",\n  \"version\": \"{version}\",\n  \
         \"description\": \"A person's own half of Privet: noise is added before data leaves the browser\",\n  \
         \"license\": \"MIT OR Apache-2.0\",\n  \"type\": \"module\",\n  \
         \"files\": [\"privet_wasm.wasm\", \"worker.js\"]\n}}\n"
    )
}

/// Everything in one folder.
fn collect(root: &Path, target: &Path, files: &Path, package: &str) -> Result<()> {
    let npm = files.join("npm");
    std::fs::create_dir_all(&npm)?;
    std::fs::write(npm.join("package.json"), package)?;
    let copies = [
        (target.join("release/privet"), files.join("privet")),
        (
            target.join("wasm32-unknown-unknown/browser/privet_wasm.wasm"),
            npm.join("privet_wasm.wasm"),
        ),
        (root.join("crates/privet-collector/assets/worker.js"), npm.join("worker.js")),
    ];
    for (from, to) in copies {
        std::fs::copy(&from, &to).with_context(|| from.display().to_string())?;
    }
    for shell in ["bash", "zsh", "fish"] {
        let script = Command::new(files.join("privet")).args(["completions", shell]).output()?;
        std::fs::write(files.join(format!("privet.{shell}")), script.stdout)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_npm_package_names_the_version() {
        let package: serde_json::Value = serde_json::from_str(&package_json("1.2.3")).unwrap();
        assert_eq!(package["version"], "1.2.3");
        assert_eq!(package["files"][0], "privet_wasm.wasm");
    }
}
