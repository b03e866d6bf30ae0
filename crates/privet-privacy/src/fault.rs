//! [`Fault`]: mistakes that can be switched on in the shipped code, to show that they would be noticed.
//!
//! An audit that has never caught anything proves nothing, and one that is tried on a copy proves
//! something about the copy. So every mistake stands in the code path that ships, on one line:
//!
//! ```text
//! let flips = if fault::on(Fault::LastBitKept) { flips & !last } else { flips };
//! ```
//!
//! [`on`] is the constant `false` in every build without debug assertions, whatever features are asked
//! for, so that a release build has no such branch and nothing in it can switch one on. In a development
//! build with the feature `faults`, the variable `PRIVET_FAULT` names the one fault that is on for the
//! whole process; such a process draws no noise from the operating system, so it gives no protection and
//! releases nothing real. Tests of keys and of whole commands need that noise, so a second variable,
//! `PRIVET_FAULT_REHEARSAL=1`, allows it: for tests on made-up people alone. `cargo xtask faults` sets both.
//!
//! Every crate above asks the same way, `privet::privacy::fault::on(..)`: a release build has the constant
//! `false` there, too.
//!
//! [`ALL`] says for every fault what is wrong, where it was seen, and which audit or test notices it.
//! `cargo xtask faults` switches them on one by one and fails if one slips through; the list with what was
//! measured is `docs/faults.md`.

mod list;

pub use list::{ALL, Fault};

/// A fault and its description.
#[derive(Debug, Clone, Copy)]
pub struct FaultEntry {
    /// The fault.
    pub fault: Fault,
    /// Its name in the code.
    name: &'static str,
    wrong: &'static str,
    /// The type (or the step) it is a fault of.
    pub of: &'static str,
    /// Where it was seen, or how near it lies.
    pub seen: &'static str,
    /// Who must notice it.
    pub caught_by: Catchers,
}

/// Who must notice a fault: all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Catchers {
    /// Audits by the names that `privet audit` knows, separated by spaces.
    pub audits: &'static str,
    /// Tests: the package (and `::` its file under `tests/`), a space, and their paths there, separated by
    /// commas.
    pub tests: &'static str,
}

impl Catchers {
    const NONE: Self = Self { audits: "", tests: "" };

    const fn audits(self, audits: &'static str) -> Self {
        Self { audits, ..self }
    }

    const fn tests(self, tests: &'static str) -> Self {
        Self { tests, ..self }
    }
}

impl FaultEntry {
    /// The name that `PRIVET_FAULT` knows it by: `LastBitKept` is `last-bit-kept`.
    pub fn id(&self) -> String {
        let mut id = String::new();
        for letter in self.name.chars() {
            if letter.is_uppercase() && !id.is_empty() {
                id.push('-');
            }
            id.extend(letter.to_lowercase());
        }
        id
    }

    /// What is wrong, in a sentence.
    pub fn wrong(&self) -> &'static str {
        self.wrong.trim()
    }
}

/// Whether this build can switch faults on at all.
pub const POSSIBLE: bool = cfg!(all(feature = "faults", debug_assertions));

/// Whether this fault is switched on.
#[cfg(not(all(feature = "faults", debug_assertions)))]
#[inline(always)]
pub const fn on(_: Fault) -> bool {
    false
}

/// Whether this fault is switched on.
#[cfg(all(feature = "faults", debug_assertions))]
#[inline]
pub fn on(fault: Fault) -> bool {
    active() == Some(fault)
}

/// The fault that is on in this process.
#[cfg(not(all(feature = "faults", debug_assertions)))]
pub const fn active() -> Option<Fault> {
    None
}

/// The fault that is on in this process.
///
/// # Panics
/// If the environment names a fault that does not exist.
#[cfg(all(feature = "faults", debug_assertions))]
#[expect(clippy::panic, reason = "a misspelled fault must not pass for one that no test notices")]
pub fn active() -> Option<Fault> {
    static ACTIVE: std::sync::OnceLock<Option<Fault>> = std::sync::OnceLock::new();
    *ACTIVE.get_or_init(|| {
        let wanted = std::env::var("PRIVET_FAULT").ok()?;
        match ALL.iter().find(|declared| declared.id() == wanted) {
            Some(declared) => Some(declared.fault),
            None => panic!("PRIVET_FAULT: there is no fault '{wanted}'"),
        }
    })
}

/// Whether a process with a fault in it may draw real noise: the data are made up, and nothing is released.
#[cfg(not(all(feature = "faults", debug_assertions)))]
pub const fn is_rehearsal() -> bool {
    false
}

/// Whether a process with a fault in it may draw real noise: the data are made up, and nothing is released.
#[cfg(all(feature = "faults", debug_assertions))]
pub fn is_rehearsal() -> bool {
    std::env::var_os("PRIVET_FAULT_REHEARSAL").is_some_and(|value| value == "1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_says_what_is_wrong_and_who_notices() {
        let mut ids: Vec<String> = ALL.iter().map(FaultEntry::id).collect();
        ids.sort_unstable();
        assert!(ids.windows(2).all(|pair| pair[0] != pair[1]));
        for declared in ALL {
            assert!(declared.wrong().ends_with('.'), "{declared:?}");
            assert!(!declared.of.is_empty() && !declared.seen.is_empty(), "{declared:?}");
            let Catchers { audits, tests } = declared.caught_by;
            assert!(!audits.is_empty() || !tests.is_empty(), "{declared:?}");
            assert!(tests.is_empty() || tests.split(' ').count() == 2, "{declared:?}");
        }
    }

    #[test]
    fn ids_are_spelled_like_options() {
        let declared = ALL.iter().find(|d| d.fault == Fault::EntryAfterDraw).unwrap();
        assert_eq!(declared.id(), "entry-after-draw");
    }

    #[test]
    fn nothing_is_broken_unless_a_fault_is_named() {
        if std::env::var_os("PRIVET_FAULT").is_none() {
            assert!(active().is_none() && ALL.iter().all(|declared| !on(declared.fault)));
        }
    }
}
