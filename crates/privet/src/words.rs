//! How numbers are written in the sentences of cards, reports and answers, and words where machines read them.

pub use crate::privacy::card::text::count;

/// `1 edge`, `5,069 edges`.
pub fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(number as u64), if number == 1 { one } else { many })
}

/// A word as a shell takes it: quoted where it must be.
pub fn shell_word(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_./,=:+@%".contains(letter);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// A cell of a csv table: quoted where it must be.
pub fn csv_cell(cell: &str) -> String {
    match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_the_word_that_was_meant() {
        assert_eq!(shell_word("data/in-1.npz"), "data/in-1.npz");
        assert_eq!(shell_word("two words"), "'two words'");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("it's $HOME"), r"'it'\''s $HOME'");
    }

    #[test]
    fn a_table_has_the_cell_that_was_meant() {
        assert_eq!(csv_cell("two words"), "two words");
        assert_eq!(csv_cell("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(csv_cell("two\nlines"), "\"two\nlines\"");
    }
}
