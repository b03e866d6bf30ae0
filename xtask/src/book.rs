//! `cargo xtask book`: the book in docs/book. Every page is reachable, every link leads somewhere, every command runs and
//! prints what the page shows; the reference is what the program says. `--write` brings shown output and reference up to date.

mod links;
mod page;
mod played;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

/// Checks the book, or writes what can be written; with the name of a page, that page alone.
///
/// # Errors
/// If a page, a link or a command is not what it should be.
pub fn run(arguments: &[String]) -> Result<()> {
    let write = arguments.iter().any(|word| word == "--write");
    let only = arguments.iter().find(|word| !word.starts_with("--"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("");
    let source = root.join("docs/book/src");
    let program = build(&root)?;
    if write {
        let reference = source.join("reference");
        let mut command = Command::new(&program);
        command.args(["self", "reference"]).arg(&reference).stdout(std::process::Stdio::null());
        if !command.status().context("cannot start privet")?.success() {
            bail!("the reference cannot be written");
        }
    }
    let pages = links::listed(&source)?;
    links::check(&source, &pages)?;
    println!("== book: {} pages, and every link in them", pages.len());
    let begun = Instant::now();
    let (mut commands, mut failed) = (0, Vec::new());
    for name in pages.iter().filter(|name| only.is_none_or(|only| name.contains(only.as_str()))) {
        match played::play(&source.join(name), &program, write && name.ends_with(".md")) {
            Ok(count) => commands += count,
            Err(error) => failed.push(format!("{name}: {error:#}")),
        }
    }
    if !failed.is_empty() {
        bail!("{}", failed.join("\n\n"));
    }
    println!("== book: {commands} commands, {:.1} s", begun.elapsed().as_secs_f64());
    render(&root)
}

/// The command, with the features that tests are built with, so that what they built is used again.
pub fn build(root: &Path) -> Result<PathBuf> {
    let mut cargo = Command::new("cargo");
    cargo.args(["build", "--quiet", "--workspace", "--all-features", "--bin", "privet"]);
    if let Some(program) = std::env::var_os("PRIVET_PROGRAM") {
        return Ok(program.into());
    }
    if !cargo.current_dir(root).status().context("cannot start cargo")?.success() {
        bail!("the command does not build");
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    Ok(target.join("debug/privet"))
}

/// As a web site, where mdBook is installed: the checks above need nothing of it.
fn render(root: &Path) -> Result<()> {
    let there = Command::new("mdbook").arg("--version").output();
    if !there.is_ok_and(|output| output.status.success()) {
        println!("skipped: the book as a web site (`cargo install mdbook` for that)");
        return Ok(());
    }
    let site = root.join("target/book");
    let status = Command::new("mdbook")
        .arg("build")
        .arg(root.join("docs/book"))
        .arg("-d")
        .arg(site)
        .status();
    match status.context("cannot start mdbook")?.success() {
        true => Ok(()),
        false => bail!("mdbook failed"),
    }
}
