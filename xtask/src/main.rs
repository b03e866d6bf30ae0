//! The commands a developer repeats: `cargo xtask test`, `cargo xtask check`, `cargo xtask ci`.

mod book;
mod browser;
mod conversions;
mod faults;
mod figures;
mod lengths;
mod losses;
mod mutants;
mod names;
mod opened;
mod packages;
mod picture;
mod python;
mod release;
mod shape;
mod signatures;
mod subjects;

use std::iter;
use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Context, Result, bail};

const HELP: &str = "\
cargo xtask COMMAND

  test     all tests: cargo nextest where it is installed, else cargo test; then the examples in the docs
  check    what needs no test: format, lints, docs, crate dependencies, licences, that
           every mechanism has an audit and a fault, one home for conversions, no bare
           epsilon in a result, files opened behind the guard of inputs, one thing for every public name, lengths of files, the wasm build
  sources  the part of `check` that compiles nothing: seconds
  ci       check and test, with the time each step took
  faults   switch on every mistake in `privet_privacy::fault`, one at a time; each must be caught
             faults ID: that one;  faults --write: and write docs/faults.md
  bench    every benchmark that needs nothing but this repository
  figures  the figures on pages of results, recomputed from the stored runs beside them
  mutants  break the trusted base in one place after the other; which tests notice? (`mutants --help`)
  browser  the pages of the collector and of reports in headless Chromium, which is installed where it is missing
  book     docs/book: pages, links, and every command in it; --write brings shown output and reference up to date
  python   the wheel in a fresh virtual environment, and its tests; --release builds it as users get it
  signatures  the signatures of the Python package are the settings of requests; --write writes them
  picture  draw what `privet demo` and `privet plan` print, for the README
  release  binary, manual, completions, wheel, npm package and crates, in order; --dry-run says and checks, cheaply
  shape    size of the code and how it reads: lines, files, types, repeated and vague names, comments;
             shape FOLDER counts another checkout, shape . --names lists the names";

fn main() -> ExitCode {
    let command = std::env::args().nth(1).unwrap_or_default();
    let outcome = match command.as_str() {
        "test" => test(),
        "check" => check(),
        "sources" => check_sources(),
        "faults" => faults::run(&std::env::args().skip(2).collect::<Vec<_>>()),
        "ci" => check().and_then(|()| test()),
        "figures" => figures::check(),
        "bench" => run("benchmarks", "cargo bench --workspace --all-features"),
        "mutants" => mutants::run(&std::env::args().skip(2).collect::<Vec<_>>()),
        "book" => book::run(&std::env::args().skip(2).collect::<Vec<_>>()),
        "browser" => browser::run(),
        "python" => python::run(&std::env::args().skip(2).collect::<Vec<_>>()),
        "picture" => picture::draw(),
        "release" => release::run(&std::env::args().skip(2).collect::<Vec<_>>()),
        "signatures" => signatures::run(&std::env::args().skip(2).collect::<Vec<_>>()),
        "shape" => shape::run(&std::env::args().skip(2).collect::<Vec<_>>()),
        _ => {
            println!("{HELP}");
            return ExitCode::from(u8::from(command != "help") * 2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn test() -> Result<()> {
    let nextest = quiet("cargo nextest --version");
    // nextest runs every test in a process of its own and all of them in parallel; cargo's own
    // runner does the same work more slowly.
    let runner = if nextest { "nextest run" } else { "test --lib --bins --tests --examples" };
    run("tests", &format!("cargo {runner} --workspace --all-features --no-fail-fast"))?;
    run("documentation examples", "cargo test --workspace --all-features --doc --quiet")
}

/// What a look at the sources tells. All of it runs before the result is reported: every mistake shows at once.
fn check_sources() -> Result<()> {
    type Check = fn() -> Result<()>;
    let steps: [(&str, Check); 11] = [
        ("crate dependencies", packages::check_layers),
        ("the binary without its features", packages::check_features),
        ("an audit and a fault for every mechanism", subjects::check),
        ("one home for every conversion", conversions::check),
        ("no bare epsilon in a result", losses::check),
        ("files are opened behind the guard of inputs", opened::check),
        ("one thing for every public name", names::check),
        ("Python's signatures are those of requests", signatures::check),
        ("licences", packages::check_licences),
        ("no file of over 800 lines", lengths::check),
        ("a fifth of the laboratory is tests", lengths::check_tests),
    ];
    let failures: Vec<String> = iter::once(run("format", "cargo fmt --all --check"))
        .chain(steps.map(|(name, work)| step(name, work)))
        .filter_map(|outcome| outcome.err().map(|error| format!("{error:#}")))
        .collect();
    match failures.is_empty() {
        true => Ok(()),
        false => bail!("{}", failures.join("\n")),
    }
}

fn check() -> Result<()> {
    check_sources()?;
    run("lints", "cargo clippy --workspace --all-targets --all-features --quiet -- -D warnings")?;
    let docs = "cargo doc --workspace --all-features --no-deps --quiet";
    run_with("documentation", docs, &[("RUSTDOCFLAGS", "-D warnings")])?;
    step("printed figures agree with stored runs", figures::check)?;
    if !quiet("rustup target list --installed") || !installed("wasm32-unknown-unknown") {
        println!("skipped: wasm build (the target wasm32-unknown-unknown is not installed)");
        return Ok(());
    }
    let target = "--target wasm32-unknown-unknown";
    let packages = "-p privet-wasm";
    run("wasm build of a person's own half", &format!("cargo check --quiet {target} {packages}"))
}

fn installed(target: &str) -> bool {
    let listed = Command::new("rustup").args(["target", "list", "--installed"]).output();
    listed.is_ok_and(|out| String::from_utf8_lossy(&out.stdout).lines().any(|line| line == target))
}

fn quiet(command: &str) -> bool {
    shell(command).output().is_ok_and(|output| output.status.success())
}

fn run(name: &str, command: &str) -> Result<()> {
    run_with(name, command, &[])
}

fn run_with(name: &str, command: &str, environment: &[(&str, &str)]) -> Result<()> {
    step(name, || {
        let status = shell(command)
            .envs(environment.iter().copied())
            .status()
            .with_context(|| format!("cannot start `{command}`"))?;
        if !status.success() {
            bail!("`{command}` failed");
        }
        Ok(())
    })
}

fn step(name: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
    println!("== {name}");
    let start = Instant::now();
    work().with_context(|| name.to_owned())?;
    println!("== {name}: fine, {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}

fn shell(command: &str) -> Command {
    let mut words = command.split(' ');
    let mut process = Command::new(words.next().unwrap_or_default());
    process.args(words);
    process
}
