//! The law of a choice by the random words it is made of: a walk takes a coin's weight for granted, this
//! checks it.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use dashu::rational::RBig;

use super::law::OutcomeLaw;
use super::weights::runs;
use crate::noise::RandomWords;

/// Hands out given words, and leaves what asks for more.
#[derive(Debug)]
pub struct ScriptedWords {
    words: std::vec::IntoIter<u64>,
}

/// Thrown where a script has no more words.
struct ScriptEnd;

impl RandomWords for ScriptedWords {
    fn next_u64(&mut self) -> u64 {
        self.words.next().unwrap_or_else(|| resume_unwind(Box::new(ScriptEnd)))
    }
}

/// The law of a choice from the words `script(x)`, for `x` uniform on `0..2^bits` (64 at most). Equal
/// outcomes must belong to consecutive `x`. What asks for more words than it was given is lost: its
/// outcome is open.
pub fn word_law<K: Ord>(
    bits: u32,
    script: impl Fn(u64) -> Vec<u64>,
    choice: impl Fn(&mut ScriptedWords) -> K,
) -> OutcomeLaw<K> {
    let outcome = |x: u64| {
        let mut words = ScriptedWords { words: script(x).into_iter() };
        match catch_unwind(AssertUnwindSafe(|| choice(&mut words))) {
            Ok(value) => Some(value),
            Err(thrown) if thrown.is::<ScriptEnd>() => None,
            Err(thrown) => resume_unwind(thrown),
        }
    };
    let mut found = BTreeMap::new();
    for (first, weight) in runs(1 << bits, outcome) {
        if let Some(value) = outcome(first) {
            *found.entry(value).or_insert(RBig::ZERO) += weight;
        }
    }
    OutcomeLaw::new(found)
}
