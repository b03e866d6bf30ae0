//! Builds what a browser loads, `privet-wasm`, by a cargo of its own, so that the server carries it in one file.
//!
//! Only where it can be built (the target `wasm32-unknown-unknown` is installed) and is wanted: in a release, or if
//! `PRIVET_BROWSER=1`. A development build would wait a minute for it at every change of the trusted base; without it
//! the page says where else to answer.

use std::error::Error;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;

const TARGET: &str = "wasm32-unknown-unknown";
/// What the module is made of.
const SOURCES: [&str; 4] = ["privet-wasm", "privet-protocol", "privet-privacy", "privet-graph"];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rustc-check-cfg=cfg(browser)");
    println!("cargo::rerun-if-env-changed=PRIVET_BROWSER");
    println!("cargo::rerun-if-changed=build.rs");
    let wanted = match std::env::var("PRIVET_BROWSER") {
        Ok(said) => said == "1",
        Err(_) => std::env::var("PROFILE").is_ok_and(|profile| profile == "release"),
    };
    if !wanted {
        return Ok(());
    }
    if !installed() {
        println!(
            "cargo::warning=pages without what runs in a browser: `rustup target add {TARGET}`"
        );
        return Ok(());
    }
    let crates = PathBuf::from(given("CARGO_MANIFEST_DIR")?).join("..");
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", crates.join(source).join("src").display());
        println!("cargo::rerun-if-changed={}", crates.join(source).join("Cargo.toml").display());
    }
    // The profile stands there.
    println!("cargo::rerun-if-changed={}", crates.join("../Cargo.toml").display());
    let module =
        build(&crates.join("privet-wasm"), &PathBuf::from(given("OUT_DIR")?).join("wasm"))?;
    let packed = module.with_extension("wasm.gz");
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(&std::fs::read(&module)?)?;
    std::fs::write(&packed, gzip.finish()?)?;
    println!("cargo::rustc-env=PRIVET_WASM={}", module.display());
    println!("cargo::rustc-env=PRIVET_WASM_GZIP={}", packed.display());
    println!("cargo::rustc-cfg=browser");
    Ok(())
}

fn build(manifest: &Path, target: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let mut cargo = Command::new(given("CARGO")?);
    cargo.args([
        "build",
        "--profile",
        "browser",
        "--target",
        TARGET,
        "--locked",
        "--manifest-path",
    ]);
    cargo.arg(manifest.join("Cargo.toml")).arg("--target-dir").arg(target);
    // What is said to the outer cargo (flags for another target, its features, its wrapper's state) is not for this one.
    for (name, _) in std::env::vars_os() {
        let said = name.to_string_lossy();
        let kept = ["CARGO", "CARGO_HOME", "CARGO_NET_OFFLINE"].contains(&&*said);
        if said.ends_with("RUSTFLAGS") || (said.starts_with("CARGO") && !kept) {
            cargo.env_remove(&name);
        }
    }
    let status = cargo.status()?;
    if !status.success() {
        return Err(format!("privet-wasm does not build: {cargo:?}").into());
    }
    Ok(target.join(TARGET).join("browser").join("privet_wasm.wasm"))
}

/// Whether the compiler has the libraries of the target.
fn installed() -> bool {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let asked = Command::new(rustc).args(["--print", "target-libdir", "--target", TARGET]).output();
    asked.is_ok_and(|output| {
        let folder = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        output.status.success() && Path::new(&folder).is_dir()
    })
}

fn given(name: &str) -> Result<OsString, Box<dyn Error>> {
    std::env::var_os(name).ok_or_else(|| format!("cargo gives no {name}").into())
}
