//! `cargo xtask shape`: how large the code is and how it reads, counted from the tree. `cargo xtask shape FOLDER` counts
//! another checkout, so that a figure before and after a change comes from the same program.
//!
//! Counted are the files of Rust in `crates/`. Test code is what stands under `#[cfg(test)]`, in files named `tests.rs`,
//! and in the folders `tests/`, `benches/` and `examples/`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use syn::spanned::Spanned;
use syn::{Attribute, Item, Visibility};

/// Words that leave open who acts.
const VAGUE_ACTORS: [&str; 5] = ["whoever", "somebody", "nobody", "everybody", "anybody"];

/// Endings and words that make a lone participle, which does not say what a type holds.
const PARTICIPLES: [&str; 33] = [
    "Told", "Said", "Taught", "Sought", "Meant", "Known", "Held", "Kept", "Made", "Given", "Taken",
    "Drawn", "Written", "Sent", "Found", "Left", "Chosen", "Shown", "Seen", "Read", "Built",
    "Begun", "Done", "Met", "Bound", "Set", "Spent", "Lent", "Cut", "Split", "Put", "Grown", "Won",
];

/// Nouns that fit any type.
const VAGUE_NOUNS: [&str; 26] = [
    "Ground", "Mine", "Way", "Ways", "Alone", "Apart", "Stick", "Thing", "Things", "Case", "Kind",
    "Part", "Parts", "Piece", "Place", "Point", "Side", "Sides", "Spot", "Where", "What", "Who",
    "How", "Own", "Beside", "Speech",
];

/// Words that look like participles and are nouns, a verb, the usual name of a trait that closes another, or the name that
/// the design gives to a value with its card.
const NOUNS: [&str; 8] = ["Seed", "Feed", "Speed", "Bed", "Split", "Embed", "Sealed", "Protected"];

/// Packages that a person who installs the wheel does not expect in it.
const SERVICES: [&str; 3] = ["axum", "sqlx", "timely"];

/// Prints the table for this checkout, or for another.
pub fn run(arguments: &[String]) -> Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("");
    let root = arguments.first().map_or(here, PathBuf::from);
    let shape = Shape::of(&root)?;
    if arguments.iter().any(|argument| argument == "--names") {
        shape.print_names();
        return Ok(());
    }
    print!("{}", shape.table());
    match services_in_the_wheel(&root) {
        Some(found) if found.is_empty() => println!("| services linked by the wheel | none |"),
        Some(found) => println!("| services linked by the wheel | {} |", found.join(", ")),
        None => println!("| services linked by the wheel | unknown: cargo tree failed |"),
    }
    Ok(())
}

/// What is counted.
#[derive(Debug, Default, PartialEq)]
struct Shape {
    files: usize,
    code_lines: usize,
    plain_comments: usize,
    vague_actor_lines: usize,
    /// Types outside test code: where each name is declared, and whether any of them is public.
    types: BTreeMap<String, Vec<TypeSite>>,
}

#[derive(Debug, PartialEq)]
struct TypeSite {
    file: String,
    public: bool,
}

impl Shape {
    fn of(root: &Path) -> Result<Self> {
        let mut shape = Self::default();
        for file in tracked_files(root)? {
            let Ok(text) = fs::read_to_string(root.join(&file)) else { continue };
            shape.vague_actor_lines += text.lines().filter(|line| has_vague_actor(line)).count();
            if file.ends_with(".rs") {
                shape.files += 1;
                if !is_test_file(&file) {
                    shape.count_code(&file, &text)?;
                }
            }
        }
        Ok(shape)
    }

    fn count_code(&mut self, path: &str, text: &str) -> Result<()> {
        let file = syn::parse_file(text).with_context(|| path.to_owned())?;
        let tests = test_lines(&file.items);
        for (number, line) in (1..).zip(text.lines().map(str::trim_start)) {
            if tests.contains(&number) || line.is_empty() {
                continue;
            }
            let documentation = line.starts_with("///") || line.starts_with("//!");
            match (line.starts_with("//"), documentation) {
                (true, false) => self.plain_comments += 1,
                (true, true) => {}
                (false, _) => self.code_lines += 1,
            }
        }
        self.add_types(path, &file.items);
        Ok(())
    }

    fn add_types(&mut self, path: &str, items: &[Item]) {
        for item in items.iter().filter(|item| !is_test(attributes(item))) {
            if let Item::Mod(module) = item
                && let Some((_, inner)) = &module.content
            {
                self.add_types(path, inner);
            }
            if let Some((name, visibility)) = declared_type(item) {
                let public = matches!(visibility, Visibility::Public(_));
                let site = TypeSite { file: path.to_owned(), public };
                self.types.entry(name).or_default().push(site);
            }
        }
    }

    fn type_count(&self) -> usize {
        self.types.values().map(Vec::len).sum()
    }

    fn repeated(&self) -> impl Iterator<Item = (&String, &Vec<TypeSite>)> {
        self.types.iter().filter(|(_, sites)| sites.len() > 1)
    }

    fn vague_public(&self) -> impl Iterator<Item = &String> {
        let public = self.types.iter().filter(|(_, sites)| sites.iter().any(|site| site.public));
        public.map(|(name, _)| name).filter(|name| is_vague(name))
    }

    fn table(&self) -> String {
        let share = 100.0 * self.plain_comments as f64 / self.code_lines.max(1) as f64;
        let rows = [
            ("non-test code lines", self.code_lines.to_string()),
            ("files", self.files.to_string()),
            ("types", self.type_count().to_string()),
            ("type names used more than once", self.repeated().count().to_string()),
            (
                "public types named by a participle or a vague noun",
                self.vague_public().count().to_string(),
            ),
            (
                "lines with whoever, somebody, nobody, everybody, anybody",
                self.vague_actor_lines.to_string(),
            ),
            ("plain comments per code line", format!("{share:.1} %")),
        ];
        let mut table = String::from("| measure | value |\n|---|---:|\n");
        for (name, value) in rows {
            table += &format!("| {name} | {value} |\n");
        }
        table
    }

    /// The names behind two of the counts, for whom mends them.
    fn print_names(&self) {
        println!("names used more than once:");
        for (name, sites) in self.repeated() {
            let files: Vec<&str> = sites.iter().map(|site| site.file.as_str()).collect();
            println!("  {name}: {}", files.join(", "));
        }
        println!("public types named by a participle or a vague noun:");
        for name in self.vague_public() {
            let files: Vec<&str> = self.types[name].iter().map(|site| site.file.as_str()).collect();
            println!("  {name}: {}", files.join(", "));
        }
    }
}

/// Files of `crates/` under version control, so that build products are never counted.
fn tracked_files(root: &Path) -> Result<Vec<String>> {
    let listed = Command::new("git").args(["ls-files", "crates"]).current_dir(root).output();
    let listed = listed.with_context(|| format!("git ls-files in {}", root.display()))?;
    Ok(String::from_utf8_lossy(&listed.stdout).lines().map(str::to_owned).collect())
}

fn is_test_file(path: &str) -> bool {
    let folder = |name: &str| path.split('/').any(|part| part == name);
    path.ends_with("/tests.rs") || folder("tests") || folder("benches") || folder("examples")
}

fn has_vague_actor(line: &str) -> bool {
    let lower = line.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    words.any(|word| VAGUE_ACTORS.contains(&word))
}

/// The lines that items under `#[cfg(test)]` cover.
fn test_lines(items: &[Item]) -> BTreeSet<usize> {
    let mut lines = BTreeSet::new();
    for item in items {
        if is_test(attributes(item)) {
            let span = item.span();
            lines.extend(span.start().line..=span.end().line);
        }
    }
    lines
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let condition = attribute.meta.require_list().map(|list| list.tokens.to_string());
        attribute.path().is_ident("cfg") && condition.is_ok_and(|condition| condition == "test")
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Mod(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Const(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        _ => &[],
    }
}

fn declared_type(item: &Item) -> Option<(String, &Visibility)> {
    Some(match item {
        Item::Struct(item) => (item.ident.to_string(), &item.vis),
        Item::Enum(item) => (item.ident.to_string(), &item.vis),
        Item::Trait(item) => (item.ident.to_string(), &item.vis),
        Item::Type(item) => (item.ident.to_string(), &item.vis),
        _ => return None,
    })
}

/// Whether a name is one word that says nothing about what the type holds.
fn is_vague(name: &str) -> bool {
    let one_word = name.chars().filter(|letter| letter.is_uppercase()).count() == 1;
    let participle = name.ends_with("ed") || PARTICIPLES.contains(&name);
    one_word && !NOUNS.contains(&name) && (participle || VAGUE_NOUNS.contains(&name))
}

/// Which servers the wheel links; `None` if cargo does not answer.
fn services_in_the_wheel(root: &Path) -> Option<Vec<&'static str>> {
    let arguments = ["tree", "-p", "privet-py", "-e", "normal", "--prefix", "none", "--offline"];
    let tree = Command::new("cargo").args(arguments).current_dir(root).output().ok()?;
    if !tree.status.success() {
        return None;
    }
    let tree = String::from_utf8_lossy(&tree.stdout).into_owned();
    let linked = |name: &&str| tree.lines().any(|line| line.split(' ').next() == Some(*name));
    Some(SERVICES.into_iter().filter(|name| linked(name)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_comments_and_tests_are_told_apart() {
        let text = "//! Module.\n\n/// Type.\npub struct Told;\n// Why.\nfn code() {}\n#[cfg(test)]\nmod tests {\n    struct Told;\n    // No.\n}\n";
        let mut shape = Shape::default();
        shape.count_code("a.rs", text).unwrap();
        assert_eq!((shape.code_lines, shape.plain_comments, shape.type_count()), (2, 1, 1));
        assert_eq!(shape.vague_public().collect::<Vec<_>>(), ["Told"]);
    }

    #[test]
    fn a_name_is_counted_once_however_often_it_is_used() {
        let mut shape = Shape::default();
        shape.count_code("a.rs", "struct Plan; mod inner { pub enum Plan {} }").unwrap();
        shape.count_code("b.rs", "trait Plan {} struct Own;").unwrap();
        assert_eq!((shape.type_count(), shape.repeated().count()), (4, 1));
    }

    #[test]
    fn vague_names_are_single_words() {
        let vague = ["Told", "Graded", "Ground"].map(is_vague);
        let plain = ["TrainingInputs", "Seed", "GradedAnswer", "Ledger"].map(is_vague);
        assert_eq!((vague, plain), ([true; 3], [false; 4]));
        assert!(has_vague_actor("// Nobody knows."));
        assert!(!has_vague_actor("// nobodys"));
    }
}
