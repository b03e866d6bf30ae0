//! Other people's words inside our markup.

use std::fmt::Write as _;

/// For HTML and SVG, in text and in quoted attributes. Letters that XML cannot hold are replaced.
pub fn markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(letter),
            _ if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => {
                out.push('\u{fffd}');
            }
            _ => out.push(letter),
        }
    }
    out
}

/// For Markdown, within a line: nothing in the text starts a tag, a link, emphasis or a new cell.
pub fn markdown(text: &str) -> String {
    let text = one_line(text);
    let letters: Vec<char> = text.chars().collect();
    let inside_a_word = |at: usize| {
        let word = |at: Option<&char>| at.is_some_and(|letter| letter.is_alphanumeric());
        at > 0 && word(letters.get(at - 1)) && word(letters.get(at + 1))
    };
    let digit_at = |at: usize| letters.get(at).is_some_and(char::is_ascii_digit);
    let numbered = |at: usize| {
        let ends = letters.get(at + 1).is_none_or(|letter| letter.is_whitespace());
        ends && at > 0 && letters[..at].iter().all(char::is_ascii_digit)
    };
    let mut out = String::with_capacity(text.len());
    for (at, &letter) in letters.iter().enumerate() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '`' | '*' | '[' | ']' | '|' | '~' | '$' => {
                out.push('\\');
                out.push(letter);
            }
            '_' if !inside_a_word(at) => out.push_str("\\_"),
            // What would start a heading, a list or a rule.
            '#' | '=' | '+' | '-' if at == 0 && !digit_at(1) => {
                out.push('\\');
                out.push(letter);
            }
            '.' | ')' if numbered(at) => {
                out.push('\\');
                out.push(letter);
            }
            _ => out.push(letter),
        }
    }
    out
}

/// For a terminal: no letter moves the cursor or changes a colour.
pub fn terminal(text: &str) -> String {
    text.chars()
        .map(|letter| match letter {
            '\n' => '\n',
            '\t' => ' ',
            letter if letter.is_control() => '\u{fffd}',
            letter => letter,
        })
        .collect()
}

/// A fenced block of Markdown; the fence is longer than any in the text.
pub fn fenced(text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{}\n{fence}\n", terminal(text).trim_end())
}

/// A name for a file: lower-case letters and digits of the title, joined by dashes.
pub fn file_stem(number: usize, title: &str) -> String {
    let lower = title.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_ascii_alphanumeric());
    let mut stem = String::new();
    let _ = write!(stem, "{number:02}");
    for word in words.filter(|word| !word.is_empty()) {
        if stem.len() + word.len() > 60 {
            break;
        }
        stem.push('-');
        stem.push_str(word);
    }
    stem
}

fn one_line(text: &str) -> String {
    terminal(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "<script>alert('x' & \"y\")</script>";

    #[test]
    fn nothing_becomes_a_tag() {
        let safe = "&lt;script&gt;alert(&#39;x&#39; &amp; &quot;y&quot;)&lt;/script&gt;";
        assert_eq!(markup(HOSTILE), safe);
        assert_eq!(markup("a\u{0}b\u{1b}[31m"), "a\u{fffd}b\u{fffd}[31m");
        assert_eq!(markdown("<b>"), "&lt;b&gt;");
    }

    #[test]
    fn markdown_keeps_its_cells_and_lines() {
        assert_eq!(markdown("a|b\n# c"), "a\\|b # c");
        assert_eq!(markdown("![x](javascript:y)"), "!\\[x\\](javascript:y)");
        assert_eq!(markdown("hetero_rr and _this_"), "hetero_rr and \\_this\\_");
        assert_eq!(markdown("# not a heading"), "\\# not a heading");
        assert_eq!(markdown("12. not a list"), "12\\. not a list");
        assert_eq!(markdown("0.5 and then"), "0.5 and then");
        assert_eq!(markdown("-0.5"), "-0.5");
        assert_eq!(markdown("- item"), "\\- item");
    }

    #[test]
    fn fences_hold() {
        assert_eq!(fenced("a\n```\nb"), "````text\na\n```\nb\n````\n");
        assert_eq!(terminal("\u{1b}[2Jgone"), "\u{fffd}[2Jgone");
    }

    #[test]
    fn file_names_are_tame() {
        assert_eq!(file_stem(3, "../../etc/Passwd: α & β"), "03-etc-passwd");
        assert_eq!(file_stem(1, "∞"), "01");
        assert!(file_stem(1, &"word ".repeat(50)).len() <= 60);
    }
}
