//! Names the code that figures come from, so that a finished cell of other code never passes for a new one.
//!
//! The version of the package does not change from one commit to the next, and a commit says nothing about
//! what is not committed. What decides a figure is the text of the library crates and the versions of what
//! they use: `PRIVET_CODE` is a checksum of exactly that, the same wherever and whenever it is built.

use std::path::{Path, PathBuf};

/// Crates whose code a figure can depend on.
const CRATES: [&str; 7] = [
    "privet-graph",
    "privet-data",
    "privet-privacy",
    "privet-learn",
    "privet",
    "privet-lab",
    "privet-papers",
];

fn main() -> std::io::Result<()> {
    let crates = PathBuf::from("..");
    let mut files = vec![crates.join("../Cargo.lock")];
    for name in CRATES {
        let folder = crates.join(name).join("src");
        if folder.is_dir() {
            println!("cargo:rerun-if-changed={}", folder.display());
            collect(&folder, &mut files)?;
        }
    }
    println!("cargo:rerun-if-changed=../../Cargo.lock");
    files.sort();
    let mut code = 0xcbf2_9ce4_8422_2325;
    for file in files.iter().filter(|file| file.is_file()) {
        // Line ends are those of the checkout, not of the code.
        let text = std::fs::read(file)?;
        let text = text.into_iter().filter(|&byte| byte != b'\r');
        code =
            file.display().to_string().bytes().chain([0]).chain(text).chain([0]).fold(code, step);
    }
    println!("cargo:rustc-env=PRIVET_CODE={code:016x}");
    Ok(())
}

/// FNV-1a.
fn step(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => collect(&path, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}
