//! Runs `privet` in a folder of its own, where nothing of the machine shows through.

use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;

/// A folder to run in, gone at the end of the test.
pub struct Folder(tempfile::TempDir);

impl Folder {
    /// An empty folder.
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A folder with files in it.
    pub fn with(files: &[(&str, &[u8])]) -> Self {
        let folder = Self::new();
        for (name, bytes) in files {
            folder.write(name, bytes);
        }
        folder
    }

    pub fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// The names of all files and folders directly inside, sorted.
    pub fn names(&self) -> Vec<String> {
        names_in(self.0.path())
    }

    /// A command line, run in this folder, with nothing from the environment.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::cargo_bin("privet").unwrap();
        command.env_clear().current_dir(self.0.path()).env("HOME", self.0.path());
        // A fault that is switched on for the test is switched on for what it tries.
        for name in ["PRIVET_FAULT", "PRIVET_FAULT_REHEARSAL"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command.args(line.split_whitespace());
        command
    }

    /// Runs a command line.
    pub fn run(&self, line: &str) -> Ran {
        Ran::from(self.command(line).output().unwrap())
    }

    /// Runs a command line that must succeed, and gives its standard output.
    pub fn ok(&self, line: &str) -> String {
        let ran = self.run(line);
        assert_eq!(ran.code, 0, "privet {line}\n{}{}", ran.stdout, ran.stderr);
        ran.stdout
    }

    /// Runs a command line that must succeed and print JSON.
    pub fn json(&self, line: &str) -> serde_json::Value {
        let text = self.ok(&format!("{line} --json"));
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    /// Runs a command line that must fail as documented: with this code, nothing on standard
    /// output, and one `error:` line that says all of `parts` (and perhaps a hint after it).
    pub fn fails(&self, line: &str, code: i32, parts: &[&str]) -> String {
        let ran = self.run(line);
        let told = format!("privet {line}\nexit code {}\n{}{}", ran.code, ran.stdout, ran.stderr);
        assert_eq!(ran.code, code, "{told}");
        assert_eq!(ran.stdout, "", "{told}");
        let errors = ran.stderr.lines().filter(|line| line.starts_with("error: ")).count();
        assert_eq!(errors, 1, "{told}");
        for leak in ["panicked", "backtrace", "Error {", "Os {"] {
            assert!(!ran.stderr.contains(leak), "{leak}: {told}");
        }
        for part in parts {
            assert!(ran.stderr.contains(part), "'{part}' is missing: {told}");
        }
        ran.stderr
    }
}

pub fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// What a run came to.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}
