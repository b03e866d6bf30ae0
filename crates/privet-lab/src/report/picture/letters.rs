//! How wide a text will be, on a machine whose fonts are not known.
//!
//! The widths are those of DejaVu Sans, one of the widest fonts in common use: what fits in it fits
//! in whatever a reader's machine has instead. PNG files are drawn with it.

/// Widths of the letters from space to tilde, in thousandths of the font's size.
const ASCII: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
];

/// Width of a text in a size, in pixels.
pub fn width(text: &str, size: f64) -> f64 {
    text.chars().map(letter).sum::<f64>() * size
}

/// Width of a letter as a share of the size.
fn letter(letter: char) -> f64 {
    let code = u32::from(letter);
    match code {
        0x20..=0x7e => f64::from(ASCII[code as usize - 0x20]) / 1000.0,
        // Superscript digits, then scripts that fill a square.
        0x2070..=0x2079 => 0.401,
        0x2e80.. => 1.0,
        _ => 0.84,
    }
}

/// The text, cut short with an ellipsis if it is wider than `limit`.
pub fn shortened(text: &str, size: f64, limit: f64) -> String {
    if width(text, size) <= limit {
        return text.into();
    }
    let mut left = limit - width("…", size);
    let fits = |&c: &char| {
        left -= letter(c) * size;
        left >= 0.0
    };
    let kept: String = text.chars().take_while(fits).collect();
    format!("{}…", kept.trim_end())
}

/// The text in at most `lines` lines of at most `limit` pixels, broken between words.
pub fn wrapped(text: &str, size: f64, limit: f64, lines: usize) -> Vec<String> {
    let mut done: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        // When no line is left, the last one takes the rest, and is cut.
        let full = done.len() == lines;
        match done.last_mut() {
            Some(line) if full || width(&format!("{line} {word}"), size) <= limit => {
                line.push(' ');
                line.push_str(word);
            }
            _ => done.push(word.into()),
        }
    }
    done.iter().map(|line| shortened(line, size, limit)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_fits() {
        assert_eq!(shortened("short", 12.0, 100.0), "short");
        let long = "a name that goes on and on and on";
        let cut = shortened(long, 12.0, 100.0);
        assert!(cut.ends_with('…') && cut.len() < long.len() && width(&cut, 12.0) <= 100.0);
        assert_eq!(shortened(long, 12.0, 0.0), "…");
        let lines = wrapped(long, 12.0, 100.0, 2);
        assert_eq!(lines, ["a name that", "goes on and o…"]);
        assert_eq!(wrapped("", 12.0, 100.0, 2), Vec::<String>::new());
    }
}
