//! `cargo xtask python`: the wheel in a fresh virtual environment, and everything that is checked from there.
//!
//! The library is the one that the tests of the workspace were built with, so this costs a link and an installation;
//! `--release` builds what users get, with maturin.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Packages that are used where they are there, and that are small enough to fetch every time.
const OPTIONAL: [&str; 9] =
    ["scipy", "pandas", "pyarrow", "polars", "networkx", "igraph", "scikit-learn", "mypy", "tqdm"];

/// Builds, installs, tests.
///
/// # Errors
/// If any of it fails; not if there is no Python, which is said.
pub fn run(options: &[String]) -> Result<()> {
    let release = options.iter().any(|option| option == "--release");
    let Some(python) = ["python3", "python"].into_iter().find(|name| answers(name)) else {
        println!("skipped: the Python package (there is no python3 with venv here)");
        return Ok(());
    };
    let root = &Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    let place = target.join("python");
    // What an earlier run installed must not be what is tested.
    if place.exists() {
        std::fs::remove_dir_all(&place).with_context(|| place.display().to_string())?;
    }
    step("a fresh virtual environment", Command::new(python).args(["-m", "venv"]).arg(&place))?;
    let inside = place.join("bin").join("python");
    let install = |packages: &[&str]| {
        let mut pip = Command::new(&inside);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        step(&packages.join(", "), pip.args(packages))
    };
    install(&["numpy", "pytest"])?;
    if install(&OPTIONAL).is_err() {
        for package in OPTIONAL {
            if install(&[package]).is_err() {
                println!("skipped: {package} cannot be installed here, nor what is tested with it");
            }
        }
    }
    let wheels = place.join("wheels");
    if release {
        let mut pip = Command::new(&inside);
        pip.args(["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir"])
            .arg(&wheels)
            .arg(root);
        step("the wheel that users get", &mut pip)?;
    } else {
        let build = ["build", "--workspace", "--all-features", "--lib", "--quiet"];
        step("the library", Command::new("cargo").args(build).current_dir(root))?;
        let tool = root.join("crates/privet-py/tools/pack.py");
        let (before, ending) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
        let library = target.join("debug").join(format!("{before}privet_native{ending}"));
        step("the wheel", Command::new(&inside).arg(tool).arg(library).arg(&wheels))?;
    }
    let mut pip = Command::new(&inside);
    pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--find-links"]);
    step("the package", pip.arg(&wheels).arg("privet"))?;
    // Away from the sources, so that what is imported is what was installed.
    let tests = root.join("crates/privet-py/tests");
    let mut pytest = Command::new(&inside);
    pytest.args(["-m", "pytest", "-q", "-ra", "-p", "no:cacheprovider", "-o", "addopts="]);
    // Benchmarks lie beside the checkout, which is not where the tests run.
    let data = root.join("../shared/data");
    if std::env::var_os("PRIVET_DATA_DIR").is_none() && data.is_dir() {
        pytest.env("PRIVET_DATA_DIR", data);
    }
    // The command line is compared with, and is no part of the wheel.
    pytest.env("PRIVET_PROGRAM", crate::book::build(root)?);
    crate::signatures::check()?;
    step("tests", pytest.arg(&tests).current_dir(&place))
}

fn answers(python: &str) -> bool {
    let asked = Command::new(python).args(["-c", "import venv, ensurepip"]).output();
    asked.is_ok_and(|output| output.status.success())
}

fn step(name: &str, command: &mut Command) -> Result<()> {
    let begun = std::time::Instant::now();
    let status = command.status().with_context(|| format!("cannot start {name}"))?;
    if !status.success() {
        bail!("{name} failed: {command:?}");
    }
    println!("== python: {name}: fine, {:.1} s", begun.elapsed().as_secs_f64());
    Ok(())
}
