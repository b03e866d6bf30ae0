//! All mutants in one text: every place becomes a choice that a switch makes while the program runs.
//!
//! `a < b` is written `(if on(17) {(a) <= (b)} else {(a < b)})`. One mutant lives at a time, so the
//! changed halves are copies of the original and only the last half holds further choices: the text
//! grows with the depth of expressions, not exponentially. One build then serves thousands of mutants.

use std::ops::Range;

use super::find::{Edit, Mutant};

/// The name of the module that holds the switch.
pub const SWITCH: &str = "mutant_switch";

/// A source file with its mutants in it, and where they stand.
#[derive(Debug)]
pub struct Schemata {
    /// The text.
    pub text: String,
    /// The bytes that only this mutant runs.
    changed: Vec<(usize, Range<usize>)>,
    /// The bytes of a choice, and the mutants it is between.
    choices: Vec<(Vec<usize>, Range<usize>)>,
}

impl Schemata {
    /// Writes the mutants, given with their numbers and ordered by place, into the text of their file.
    pub fn new(text: &str, mutants: &[(usize, &Mutant)]) -> Self {
        let mut sites: Vec<Site> = Vec::new();
        for &(number, mutant) in mutants {
            let (place, edit) = (mutant.place.clone(), &mutant.edit);
            let same = |site: &&mut Site| site.place == place && site.joins(edit);
            match sites.iter_mut().rev().find(same) {
                Some(site) => site.edits.push((number, edit)),
                None => sites.push(Site { place, edits: vec![(number, edit)] }),
            }
        }
        // What is inserted at a point comes before what begins there; the outer before the inner.
        sites.sort_by_key(|site| {
            let Range { start, end } = site.place;
            (start, !site.place.is_empty(), std::cmp::Reverse(end), !site.is_statement())
        });
        let result = Self { text: String::new(), changed: Vec::new(), choices: Vec::new() };
        let mut writer = Writer { original: text, sites: &sites, next: 0, result };
        writer.copy(0..text.len());
        writer.result
    }

    /// The mutants to blame for an error at these bytes: the one whose change it lies in, else all
    /// of the closest choice.
    pub fn blamed(&self, error: &Range<usize>) -> Vec<usize> {
        let contains = |range: &Range<usize>| range.start <= error.start && error.end <= range.end;
        let changed = self.changed.iter().filter(|(_, range)| contains(range));
        if let Some((number, _)) = changed.min_by_key(|(_, range)| range.len()) {
            return vec![*number];
        }
        let choices = self.choices.iter().filter(|(_, range)| contains(range));
        choices.min_by_key(|(_, range)| range.len()).map_or(Vec::new(), |(all, _)| all.clone())
    }

    /// The choices on these bytes, and of those near them: a borrow that lasts too long is reported
    /// far from the statement without which it does. `mutants` are those that were written.
    pub fn near(&self, bytes: &Range<usize>, mutants: &[(usize, &Mutant)]) -> Vec<usize> {
        let overlap = |range: &Range<usize>| range.start < bytes.end && bytes.start < range.end;
        let choices = self.choices.iter().filter(|(_, range)| overlap(range));
        let numbers: Vec<usize> = choices.flat_map(|(all, _)| all.clone()).collect();
        if !numbers.is_empty() {
            return numbers;
        }
        let closest =
            self.choices.iter().min_by_key(|(_, range)| range.start.abs_diff(bytes.start));
        let of = |number: &usize| mutants.iter().find(|(known, _)| known == number);
        let Some((_, closest)) = closest.and_then(|(all, _)| of(&all[0])) else {
            return Vec::new();
        };
        let same_function =
            mutants.iter().filter(|(_, mutant)| mutant.function == closest.function);
        let (skips, others): (Vec<_>, Vec<_>) =
            same_function.partition(|(_, mutant)| mutant.edit == Edit::Skip);
        let blamed = if skips.is_empty() { others } else { skips };
        blamed.into_iter().map(|(number, _)| number).collect()
    }
}

/// One place, and what it may become.
struct Site<'a> {
    place: Range<usize>,
    edits: Vec<(usize, &'a Edit)>,
}

impl Site<'_> {
    /// Alternatives for one expression are written as one choice.
    fn joins(&self, edit: &Edit) -> bool {
        std::mem::discriminant(self.edits[0].1) == std::mem::discriminant(edit)
    }

    fn is_statement(&self) -> bool {
        *self.edits[0].1 == Edit::Skip
    }
}

struct Writer<'a> {
    original: &'a str,
    sites: &'a [Site<'a>],
    next: usize,
    result: Schemata,
}

impl Writer<'_> {
    fn put(&mut self, text: &str) {
        self.result.text += text;
    }

    /// Copies the original, with the choices inside it.
    fn copy(&mut self, range: Range<usize>) {
        let mut at = range.start;
        while let Some(site) = self.sites.get(self.next).filter(|site| site.place.start < range.end)
        {
            self.next += 1;
            self.put(&self.original[at..site.place.start]);
            self.choose(site);
            at = site.place.end;
        }
        self.put(&self.original[at..range.end]);
    }

    fn choose(&mut self, site: &Site) {
        let start = self.result.text.len();
        let mut inner = ("", "");
        for (index, (number, edit)) in site.edits.iter().enumerate() {
            let on = format!("crate::{SWITCH}::on({number})");
            let from = self.result.text.len();
            match edit {
                Edit::Expression(other) => {
                    let open = if index == 0 { "(" } else { " else " };
                    self.put(&format!("{open}if {on} {{"));
                    let from = self.result.text.len();
                    self.put(other);
                    self.result.changed.push((*number, from..self.result.text.len()));
                    self.put("}");
                    inner = (" else {(", ")})");
                    continue;
                }
                Edit::Skip => {
                    self.put(&format!("if !{on} {{"));
                    inner = ("", "}");
                }
                Edit::Return(value) => self.put(&format!("if {on} {{ return {value}; }}")),
                Edit::NoMatch => self.put(&format!(" if !{on}")),
            }
            self.result.changed.push((*number, from..self.result.text.len()));
        }
        self.put(inner.0);
        self.copy(site.place.clone());
        self.put(inner.1);
        let numbers = site.edits.iter().map(|(number, _)| *number).collect();
        self.result.choices.push((numbers, start..self.result.text.len()));
    }
}

/// The switch: which mutant lives is read from the environment once. Asked to watch, it appends the
/// number of every mutant whose place is reached to a file instead.
pub fn switch(mutants: usize) -> String {
    format!(
        r#"//! Which mutant lives in this process.

use std::io::Write;
use std::sync::atomic::{{AtomicBool, AtomicU32, Ordering::Relaxed}};

const UNREAD: u32 = u32::MAX;
const WATCH: u32 = u32::MAX - 1;
const NOBODY: u32 = u32::MAX - 2;
static LIVES: AtomicU32 = AtomicU32::new(UNREAD);
static SEEN: [AtomicBool; {mutants}] = [const {{ AtomicBool::new(false) }}; {mutants}];

/// Whether this mutant lives.
#[inline(always)]
pub fn on(number: u32) -> bool {{
    let lives = LIVES.load(Relaxed);
    if lives >= WATCH {{ first_time(number) }} else {{ lives == number }}
}}

#[cold]
#[inline(never)]
fn first_time(number: u32) -> bool {{
    if SEEN[number as usize].load(Relaxed) {{
        return false;
    }}
    let reached = std::env::var_os("MUTANTS_REACHED");
    if LIVES.load(Relaxed) == UNREAD {{
        let chosen = std::env::var("MUTANT_ALIVE").ok().and_then(|text| text.parse().ok());
        LIVES.store(if reached.is_some() {{ WATCH }} else {{ chosen.unwrap_or(NOBODY) }}, Relaxed);
    }}
    if let Some(path) = reached && !SEEN[number as usize].swap(true, Relaxed) {{
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        let _ = file.and_then(|mut file| writeln!(file, "{{number}}"));
    }}
    LIVES.load(Relaxed) == number
}}
"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutants::find::mutants_of;

    fn schemata(text: &str) -> Schemata {
        let mutants = mutants_of("a.rs", text).unwrap();
        Schemata::new(text, &mutants.iter().enumerate().collect::<Vec<_>>())
    }

    #[test]
    fn a_choice_holds_the_choices_inside_it() {
        let written = schemata("fn f(a: T, b: T) -> &T { g(-a < b) }").text;
        let inner = "(if crate::mutant_switch::on(0) {a} else {(-a)})";
        let outer = "(if crate::mutant_switch::on(1) {(-a) <= (b)} else \
                     if crate::mutant_switch::on(2) {(-a) >= (b)} else {(INNER < b)})";
        let outer = outer.replace("INNER", inner);
        assert_eq!(written, format!("fn f(a: T, b: T) -> &T {{ g({outer}) }}"));
        assert!(syn::parse_file(&written).is_ok());
    }

    #[test]
    fn an_error_is_blamed_on_the_change_it_lies_in() {
        let written = schemata("fn f() -> &T { g(a < b) }");
        let at = written.text.find("(a) >= (b)").unwrap();
        assert_eq!(written.blamed(&(at..at + 3)), [1]);
        let at = written.text.find("a < b").unwrap();
        assert_eq!(written.blamed(&(at..at + 1)), [0, 1]);
        assert!(written.blamed(&(0..2)).is_empty());
    }

    #[test]
    fn statements_bodies_and_arms_stay_rust() {
        let text = "fn f(x: u8) { g(1)?; match x { 0 => h(), 1 if x > 2 => {} _ => {} } }";
        let written = schemata(text).text;
        assert!(syn::parse_file(&written).is_ok(), "{written}");
        for part in ["return ();", "0 if !crate", "if !crate::mutant_switch::on(1) {g("] {
            assert!(written.contains(part), "{part}: {written}");
        }
    }
}
