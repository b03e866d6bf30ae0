//! Tokens of administrators and codes of invitations: random, shown once, and kept as a hash.

use sha2::{Digest as _, Sha256};

use crate::error::{Error, Result};

/// 32 letters and digits that cannot be guessed: 160 random bits, without letters that look alike.
///
/// # Errors
/// If the operating system has no randomness.
pub fn random() -> Result<String> {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::io("randomness", std::io::Error::other(error.to_string())))?;
    Ok(bytes.iter().map(|byte| char::from(LETTERS[usize::from(byte & 31)])).collect())
}

/// What is kept of it. A guess takes 2^159 tries, so that a slow hash would add nothing.
pub fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// Whether two hashes are the same, in a time that does not depend on where they differ.
pub fn same(one: &[u8], other: &[u8]) -> bool {
    let differ = one.iter().zip(other).fold(0, |differ, (a, b)| differ | (a ^ b));
    one.len() == other.len() && std::hint::black_box(differ) == 0
}

/// Whether a token is one of those whose hashes are known. All are looked at, whichever it is.
pub fn is_one_of(token: &str, known: &[Vec<u8>]) -> bool {
    let hash = hash(token);
    known.iter().fold(false, |found, known| found | same(&hash, known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ_and_are_recognised_by_their_hash_alone() {
        let (one, other) = (random().unwrap(), random().unwrap());
        assert_ne!(one, other);
        assert_eq!(one.len(), 32);
        let known = vec![hash(&other).to_vec(), hash(&one).to_vec()];
        assert!(is_one_of(&one, &known) && is_one_of(&other, &known));
        assert!(!is_one_of("", &known) && !is_one_of(&one[1..], &known) && !is_one_of(&one, &[]));
        assert!(!same(&hash(&one), &hash(&one)[..31]) && !same(b"", b"a"));
    }

    /// All 32 letters come, so that no bit of a byte is lost.
    #[test]
    fn all_letters_come() {
        let letters: std::collections::BTreeSet<char> =
            (0..40).flat_map(|_| random().unwrap().chars().collect::<Vec<_>>()).collect();
        assert_eq!(letters.len(), 32);
    }

    /// A right beginning must not be distinguishable from a wrong one by time. The last byte and the first make no difference that
    /// a thousand repetitions of a million bytes would show.
    #[test]
    fn comparing_takes_as_long_wherever_the_difference_is() {
        let right = vec![7u8; 1 << 20];
        let (mut early, mut late) = (right.clone(), right.clone());
        (early[0], late[(1 << 20) - 1]) = (8, 8);
        let time = |other: &[u8]| {
            let mut times: Vec<_> = (0..9)
                .map(|_| {
                    let start = std::time::Instant::now();
                    assert!(!same(&right, std::hint::black_box(other)));
                    start.elapsed()
                })
                .collect();
            times.sort();
            times[0].as_secs_f64()
        };
        let ratio = time(&early) / time(&late);
        assert!((0.2..5.0).contains(&ratio), "{ratio}");
    }
}
