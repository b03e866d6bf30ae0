//! `cargo xtask browser`: the pages of the collector and reports in a real browser, headless. The module that runs there
//! is the one that users load.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// What drives a browser, and what Debian calls both.
const PROGRAMS: [&str; 2] = ["chromium", "chromedriver"];
const PACKAGES: [&str; 2] = ["chromium", "chromium-driver"];

/// Builds a service with the module and looks at its pages.
///
/// # Errors
/// If a test fails; not if there is no browser and none can be installed, which is said.
pub fn run() -> Result<()> {
    let missing = |program: &&str| !answers(Command::new(program).arg("--version"));
    if PROGRAMS.iter().any(missing) && !install() {
        println!(
            "skipped: pages in a browser (there is no chromium with chromedriver, and none can be installed)"
        );
        return Ok(());
    }
    if !super::installed("wasm32-unknown-unknown")
        && !answers(Command::new("rustup").args(["target", "add", "wasm32-unknown-unknown"]))
    {
        println!(
            "skipped: pages in a browser (the target wasm32-unknown-unknown is not installed)"
        );
        return Ok(());
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    let mut cargo = Command::new("cargo");
    // The features that tests are built with, so that what they built is used again.
    cargo.args(["build", "--quiet", "--workspace", "--all-features", "--example", "service"]);
    step("a service", cargo.env("PRIVET_BROWSER", "1").current_dir(&root))?;
    let service = target.join("debug/examples/service");
    let tests = root.join("crates/privet-collector/browser/run.py");
    step("the collector", Command::new("python3").arg("-B").arg(tests).arg(&service))?;
    let mut cargo = Command::new("cargo");
    cargo.args(["build", "--quiet", "--workspace", "--all-features", "--bin", "privet"]);
    step("the command", cargo.current_dir(&root))?;
    let tests = root.join("crates/privet-lab/browser/test_reports.py");
    step("reports", Command::new("python3").arg("-B").arg(tests).arg(target.join("debug/privet")))
}

/// From the distribution, where that is possible.
fn install() -> bool {
    let apt = |arguments: &[&str]| {
        answers(Command::new("apt-get").args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
    };
    let install = ["install", "-y", "--no-install-recommends", PACKAGES[0], PACKAGES[1]];
    apt(&install) || (apt(&["update"]) && apt(&install))
}

fn answers(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

fn step(name: &str, command: &mut Command) -> Result<()> {
    let begun = std::time::Instant::now();
    let status = command.status().with_context(|| format!("cannot start {name}"))?;
    if !status.success() {
        bail!("{name} failed: {command:?}");
    }
    println!("== browser: {name}: fine, {:.1} s", begun.elapsed().as_secs_f64());
    Ok(())
}
