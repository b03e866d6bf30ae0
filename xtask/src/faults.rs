//! `cargo xtask faults`: every fault is switched on in the shipped code, one at a time, and must be caught.
//!
//! A fault is caught if each audit it names finds a broken claim, or each test it names fails; with nothing
//! switched on the same audits and tests must pass. `--write` writes what was seen to `docs/faults.md`;
//! without it, that page must name the same faults and catchers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};
use serde_json::Value;

const PAGE: &str = "docs/faults.md";

/// A fault as `privet audit --faults --json` lists it.
struct Fault {
    id: String,
    of: String,
    wrong: String,
    seen: String,
    catchers: Vec<Catcher>,
}

/// Who must notice.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Catcher {
    Audit(String),
    Test { binary: String, name: String },
}

/// What a catcher said.
enum Verdict {
    Passed,
    /// Why it did not; for an audit what was measured against what was claimed.
    Failed(String),
    /// Neither: it could not run at all.
    Stuck(String),
}

/// The programs that were built with faults in them.
struct Built {
    privet: PathBuf,
    /// Test programs, and where they run, by `package` or `package::file`.
    tests: BTreeMap<String, (PathBuf, PathBuf)>,
}

/// Switches on every fault (or one), and fails unless all are caught.
pub fn run(options: &[String]) -> Result<()> {
    let write = options.iter().any(|option| option == "--write");
    let only = options.iter().find(|option| !option.starts_with("--"));
    let built = build()?;
    let all = list(&built)?;
    let faults: Vec<&Fault> =
        all.iter().filter(|fault| only.is_none_or(|only| fault.id == *only)).collect();
    if faults.is_empty() {
        bail!("there is no such fault; `privet audit --faults` lists them");
    }
    let mut escaped = healthy(&built, &faults)?;
    let rows = each(&faults, |fault| (*fault, built.caught(fault)));
    for (fault, row) in &rows {
        match row {
            Ok(seen) => println!("caught   {:<32} {seen}", fault.id),
            Err(why) => {
                println!("ESCAPED  {:<32} {why}", fault.id);
                escaped += 1;
            }
        }
    }
    println!("{} of {} faults caught", rows.iter().filter(|row| row.1.is_ok()).count(), rows.len());
    if escaped > 0 {
        bail!("{escaped} slipped through, or would be \"caught\" by what fails anyway");
    }
    let page = page(rows.iter().map(|(fault, seen)| (*fault, seen.as_deref().unwrap_or_default())));
    match (write, only) {
        (true, None) => std::fs::write(PAGE, page).with_context(|| PAGE.to_owned()),
        (false, None) => check_page(&all),
        _ => Ok(()),
    }
}

/// Without a fault every catcher must pass; says how many do not.
fn healthy(built: &Built, faults: &[&Fault]) -> Result<usize> {
    let catchers: BTreeSet<&Catcher> = faults.iter().flat_map(|fault| &fault.catchers).collect();
    let catchers: Vec<&Catcher> = catchers.into_iter().collect();
    let mut ill = 0;
    for (catcher, verdict) in each(&catchers, |catcher| (*catcher, built.ask(catcher, None))) {
        if let Verdict::Failed(why) | Verdict::Stuck(why) = verdict? {
            println!("BROKEN   {catcher:?} fails with no fault switched on: {why}");
            ill += 1;
        }
    }
    Ok(ill)
}

impl Built {
    /// What the catchers of a fault saw, or which of them saw nothing.
    fn caught(&self, fault: &Fault) -> Result<String, String> {
        let mut seen = Vec::new();
        for catcher in &fault.catchers {
            match self.ask(catcher, Some(&fault.id)).map_err(|error| error.to_string())? {
                Verdict::Failed(what) => seen.push(what),
                Verdict::Passed => return Err(format!("{catcher:?} noticed nothing")),
                Verdict::Stuck(why) => return Err(format!("{catcher:?} could not run: {why}")),
            }
        }
        seen.dedup();
        Ok(seen.join("; "))
    }

    fn ask(&self, catcher: &Catcher, fault: Option<&str>) -> Result<Verdict> {
        match catcher {
            Catcher::Audit(name) => {
                let mut privet = Command::new(&self.privet);
                Ok(audited(&output(privet.args(["audit", name, "--json"]), fault)?))
            }
            Catcher::Test { binary, name } => {
                let Some((program, folder)) = self.tests.get(binary) else {
                    bail!("there is no test program {binary}");
                };
                let mut test = Command::new(program);
                let test = test.args([name, "--exact"]).current_dir(folder);
                Ok(tested(name, &output(test, fault)?))
            }
        }
    }
}

fn output(command: &mut Command, fault: Option<&str>) -> Result<Output> {
    match fault {
        Some(fault) => command.env("PRIVET_FAULT", fault),
        None => command.env_remove("PRIVET_FAULT"),
    };
    // Keys and whole commands are tried with real noise, on made-up people.
    command.env("PRIVET_FAULT_REHEARSAL", "1");
    command.output().with_context(|| format!("cannot start {command:?}"))
}

/// The worst broken claim of an audit.
fn audited(output: &Output) -> Verdict {
    let answer: Result<Value, _> = serde_json::from_slice(&output.stdout);
    let claims = answer.ok().and_then(|answer| answer["claims"].as_array().cloned());
    let Some(claims) = claims else {
        return Verdict::Stuck(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    };
    let number = |value: &Value| value.as_f64().unwrap_or(f64::INFINITY);
    let excess = |claim: &&Value| number(&claim["measured"]) - number(&claim["claimed"]);
    let broken = claims.iter().filter(|claim| claim["holds"] == false);
    match broken.max_by(|a, b| excess(a).total_cmp(&excess(b))) {
        None => Verdict::Passed,
        Some(worst) => {
            let [claimed, measured] =
                ["claimed", "measured"].map(|key| rounded(number(&worst[key])));
            Verdict::Failed(format!("{measured} for {claimed}"))
        }
    }
}

/// Four digits say enough.
fn rounded(value: f64) -> String {
    if !value.is_finite() {
        return "infinite".into();
    }
    let places = (3 - value.abs().max(1e-9).log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{value:.places$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// Whether a test ran, and how it ended. One that asks for real noise cannot run while a fault is on.
fn tested(name: &str, output: &Output) -> Verdict {
    let text = String::from_utf8_lossy(&output.stdout);
    let said = |word: &str| text.lines().any(|line| line == format!("test {name} ... {word}"));
    if text.contains("is switched on") {
        Verdict::Stuck("it asks for real noise".into())
    } else if said("ok") && output.status.success() {
        Verdict::Passed
    } else if said("FAILED") {
        Verdict::Failed("fails".into())
    } else {
        Verdict::Stuck(text.lines().last().unwrap_or("no such test").to_owned())
    }
}

/// Builds everything with all features, as the tests are built, and finds the programs.
fn build() -> Result<Built> {
    let arguments = "test --workspace --all-features --no-run --message-format=json";
    let built = Command::new("cargo").args(arguments.split(' ')).output()?;
    if !built.status.success() {
        bail!("`cargo {arguments}` failed:\n{}", String::from_utf8_lossy(&built.stderr));
    }
    let (mut privet, mut tests) = (None, BTreeMap::new());
    let lines = String::from_utf8_lossy(&built.stdout).into_owned();
    for message in lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let Some(program) = message["executable"].as_str() else { continue };
        let manifest = Path::new(message["manifest_path"].as_str().unwrap_or_default());
        let folder = manifest.parent().unwrap_or(Path::new("."));
        let package = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (kind, name) = (&message["target"]["kind"][0], &message["target"]["name"]);
        let is_test = message["profile"]["test"] == true;
        let id = match kind.as_str() {
            Some("lib") if is_test => package,
            Some("test") => format!("{package}::{}", name.as_str().unwrap_or_default()),
            Some("bin") if !is_test && name == "privet" => {
                privet = Some(program.into());
                continue;
            }
            _ => continue,
        };
        tests.insert(id, (program.into(), folder.to_path_buf()));
    }
    Ok(Built { privet: privet.context("the program `privet` was not built")?, tests })
}

fn list(built: &Built) -> Result<Vec<Fault>> {
    let said = output(Command::new(&built.privet).args(["audit", "--faults", "--json"]), None)?;
    let answer: Value = serde_json::from_slice(&said.stdout).context("the list of faults")?;
    if answer["possible"] != true {
        bail!("this build cannot switch faults on");
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let fault = |listed: &Value| Fault {
        id: text(&listed["id"]),
        of: text(&listed["of"]),
        wrong: text(&listed["wrong"]),
        seen: text(&listed["seen"]),
        catchers: catchers(&text(&listed["audits"]), &text(&listed["tests"])),
    };
    Ok(answer["faults"].as_array().into_iter().flatten().map(fault).collect())
}

/// `"rr dprr"` are two audits, `"privet-privacy::ledger one,two"` two tests of one program.
fn catchers(audits: &str, tests: &str) -> Vec<Catcher> {
    let (binary, names) = tests.split_once(' ').unwrap_or_default();
    let audits = audits.split_whitespace().map(|name| Catcher::Audit(name.into()));
    let tests = names.split(',').filter(|name| !name.is_empty());
    let test = |name: &str| Catcher::Test { binary: binary.into(), name: name.into() };
    audits.chain(tests.map(test)).collect()
}

impl std::fmt::Display for Catcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Audit(name) => write!(f, "`privet audit {name}`"),
            Self::Test { binary, name } => write!(f, "test `{binary} {name}`"),
        }
    }
}

/// What the page says about a fault before what was seen.
fn line(fault: &Fault) -> String {
    let catchers: Vec<String> = fault.catchers.iter().map(Catcher::to_string).collect();
    format!("| `{}` | {} | {} | {} |", fault.id, fault.wrong, fault.seen, catchers.join(", "))
}

const INTRODUCTION: &str = "\
# Faults, and what catches them

Every line is a mistake that can be switched on in the code that ships, in a development build with the
feature `faults`; a release build has no such switch. `cargo xtask faults` switches them on one at a time, runs
exactly the audit or test named beside each, and fails if one slips through; with nothing switched on, all of
them pass. *Seen* is what the audit measured for what was claimed. This page is written by
`cargo xtask faults --write`.

What papers print that is not true without any mistake in code is another list: `privet audit --printed`.
";

fn page<'a>(rows: impl Iterator<Item = (&'a Fault, &'a str)>) -> String {
    let mut by_owner: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (fault, seen) in rows {
        by_owner.entry(&fault.of).or_default().push(format!("{} {seen} |", line(fault)));
    }
    let count: usize = by_owner.values().map(Vec::len).sum();
    let mut page = format!("{INTRODUCTION}\n{count} faults, all caught.\n");
    for (owner, lines) in by_owner {
        page += &format!(
            "\n## {owner}\n\n| fault | what is wrong | where it was seen | caught by | seen |\n"
        );
        page += &format!("|---|---|---|---|---|\n{}\n", lines.join("\n"));
    }
    page
}

/// The page must have a line for every fault as it is declared, and no other.
fn check_page(all: &[Fault]) -> Result<()> {
    let page = std::fs::read_to_string(PAGE).with_context(|| PAGE.to_owned())?;
    let lines = page.lines().filter(|line| line.starts_with("| `")).count();
    let missing = all.iter().find(|fault| !page.contains(&line(fault)));
    match missing {
        Some(fault) => {
            bail!("{PAGE} does not have {} as declared: `cargo xtask faults --write`", fault.id)
        }
        None if lines != all.len() => {
            bail!(
                "{PAGE} has {lines} faults, {} are declared: `cargo xtask faults --write`",
                all.len()
            )
        }
        None => Ok(()),
    }
}

/// Work on all processors, results in order.
fn each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((at, item)) = Some(next.fetch_add(1, Ordering::Relaxed))
                    .and_then(|at| Some((at, items.get(at)?)))
                {
                    let result = work(item);
                    done.lock().unwrap_or_else(|broken| broken.into_inner()).push((at, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(|broken| broken.into_inner());
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault() -> Fault {
        let text = |text: &str| text.to_owned();
        Fault {
            id: text("last-bit-kept"),
            of: text("Rr"),
            wrong: text("The last bit is kept."),
            seen: text("off by one"),
            catchers: catchers("rr dprr", "privet-privacy::ledger one,two"),
        }
    }

    fn said(stdout: &str, code: i32) -> Output {
        use std::os::unix::process::ExitStatusExt;
        let status = std::process::ExitStatus::from_raw(code << 8);
        Output { status, stdout: stdout.into(), stderr: Vec::new() }
    }

    #[test]
    fn every_named_audit_and_test_is_asked() {
        let words: Vec<String> = fault().catchers.iter().map(Catcher::to_string).collect();
        assert_eq!(words.len(), 4);
        assert_eq!(words[0], "`privet audit rr`");
        assert_eq!(words[3], "test `privet-privacy::ledger two`");
    }

    #[test]
    fn only_a_failing_test_catches() {
        let verdict = |text: &str, code| match tested("a", &said(text, code)) {
            Verdict::Passed => 'p',
            Verdict::Failed(_) => 'f',
            Verdict::Stuck(_) => 's',
        };
        assert_eq!(verdict("test a ... ok\n", 0), 'p');
        assert_eq!(verdict("test a ... FAILED\n", 101), 'f');
        // A name that no test has, and a test that fails because real noise is refused.
        assert_eq!(verdict("running 0 tests\n", 0), 's');
        assert_eq!(verdict("the fault X is switched on\ntest a ... FAILED\n", 101), 's');
    }

    #[test]
    fn the_worst_broken_claim_is_shown() {
        let text = r#"{"claims":[{"holds":true,"claimed":1.0,"measured":1.0},
            {"holds":false,"claimed":1.0,"measured":1.5},{"holds":false,"claimed":2.0,"measured":"inf"}]}"#;
        let Verdict::Failed(seen) = audited(&said(text, 1)) else { panic!("not caught") };
        assert_eq!(seen, "infinite for 2");
        assert!(matches!(audited(&said("", 1)), Verdict::Stuck(_)));
        assert_eq!(rounded(8.703_316), "8.703");
        assert_eq!(rounded(0.010_707), "0.01071");
        assert_eq!(rounded(120.0), "120");
    }

    #[test]
    fn the_page_has_a_line_for_every_fault() {
        let page = page([(&fault(), "2 for 1")].into_iter());
        assert!(page.contains("## Rr") && page.contains("| 2 for 1 |"), "{page}");
        assert!(page.contains(&line(&fault())));
    }
}
