//! Words of a text, hashed into columns.
//!
//! A word is a run of ASCII letters, digits and bytes of other letters; ASCII letters are taken in lower case. Nothing
//! here depends on tables of Unicode, which grow: the same text has the same columns for ever.
//!
//! The hash of a word is FNV-1a in 64 bits, stirred by MurmurHash3's finalizer; the column is the hash times the
//! number of columns, divided by 2^64. It has no key: with the number of columns, an attacker can compute which words share
//! one. That is no secret, and hides nothing: what hides a text is the mechanism that reads its columns.

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

/// Calls `each` with the hash of every word, in order.
pub(super) fn for_each_word(text: &str, mut each: impl FnMut(u64)) {
    let belongs = |byte: u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    for word in text.as_bytes().split(|&byte| !belongs(byte)).filter(|word| !word.is_empty()) {
        each(hash(word));
    }
}

/// The column of a word among `columns`.
pub(super) fn column(hash: u64, columns: u32) -> usize {
    ((u128::from(hash) * u128::from(columns)) >> 64) as usize
}

fn hash(word: &[u8]) -> u64 {
    let mut hash = word.iter().fold(FNV_OFFSET, |hash, byte| {
        (hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(FNV_PRIME)
    });
    // FNV leaves the upper bits of short words alike.
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(text: &str, count: u32) -> Vec<usize> {
        let mut found = Vec::new();
        for_each_word(text, |hash| found.push(column(hash, count)));
        found
    }

    #[test]
    fn words_are_what_lies_between_blanks_and_punctuation() {
        let words = |text| columns(text, 1 << 20);
        assert_eq!(words("Late, again: LATE!"), words("late again late"));
        assert_eq!(words("naïve"), words("NAïVE"));
        assert_ne!(words("naïve"), words("naive"));
        assert!(words(" .,-\n\0").is_empty());
        assert_eq!(words("don't"), words("don t"));
    }

    /// Models are saved with nothing but the number of columns: these must never change.
    #[test]
    fn the_hash_is_what_it_always_was() {
        for (word, expected) in [
            ("late", 0x332e_dfca_91f5_183d),
            ("again", 0x8d95_e8ee_a345_5e3c),
            ("payment", 0x6b37_fcbf_95dd_c86e),
            ("naïve", 0x1b21_a798_c5ab_1dcf),
        ] {
            assert_eq!(hash(word.as_bytes()), expected, "{word}");
        }
        assert_eq!(columns("late again payment naïve", 32), [6, 17, 13, 3]);
    }

    #[test]
    fn many_words_spread_over_all_columns() {
        let text: String = (0..6400).map(|number| format!("w{number} ")).collect();
        let mut counts = vec![0; 64];
        columns(&text, 64).into_iter().for_each(|column| counts[column] += 1);
        // 100 each; five standard deviations.
        assert!(counts.iter().all(|count| (50..150).contains(count)), "{counts:?}");
    }
}
