//! `cargo xtask picture`: what `privet demo` and `privet plan` print, as pictures for the README.
//!
//! Understands the few colours the command uses; everything else is text.

use std::fmt::Write as _;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Commands, and where their pictures go.
const PICTURES: [(&str, &str); 2] = [
    ("demo", "docs/demo.svg"),
    (
        "plan --people 20000 --mean-degree 8 --columns 30 --classes 4 --protects people",
        "docs/plan.svg",
    ),
];
/// Height of a line, width of a letter, and the frame, in pixels.
const LINE: usize = 20;
const LETTER: f64 = 8.4;
const MARGIN: usize = 20;

/// Runs the commands and draws what they print.
pub fn draw() -> Result<()> {
    for (line, file) in PICTURES {
        let output = program()
            .args(line.split(' '))
            .args(["--quiet", "--color", "always"])
            .output()
            .with_context(|| format!("cannot start privet {line}"))?;
        if !output.status.success() {
            bail!("privet {line} failed: {}", String::from_utf8_lossy(&output.stderr));
        }
        let text = format!("$ privet {line}\n\n{}", String::from_utf8(output.stdout)?);
        std::fs::write(file, svg(&text)?).with_context(|| file.to_owned())?;
        println!("{file}");
    }
    Ok(())
}

/// The command as users get it, or one that is built already.
fn program() -> Command {
    if let Some(program) = std::env::var_os("PRIVET_PROGRAM") {
        return Command::new(program);
    }
    let mut cargo = Command::new("cargo");
    cargo.args(["run", "--release", "--quiet", "--"]);
    cargo
}

fn svg(text: &str) -> Result<String> {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let longest = lines.iter().map(|line| visible(line)).max().unwrap_or(0);
    let width = (longest as f64 * LETTER) as usize + 2 * MARGIN;
    let height = lines.len() * LINE + 2 * MARGIN;
    let mut svg = String::new();
    writeln!(
        svg,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">"#
    )?;
    writeln!(svg, r##"<rect width="{width}" height="{height}" rx="8" fill="#1c2128"/>"##)?;
    writeln!(
        svg,
        r##"<g font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#d1d7e0">"##
    )?;
    for (at, line) in lines.iter().enumerate() {
        let y = MARGIN + (at + 1) * LINE - 5;
        writeln!(svg, r#"<text y="{y}">{}</text>"#, spans(line)?)?;
    }
    svg.push_str("</g>\n</svg>\n");
    Ok(svg)
}

/// How many letters of a line are seen.
fn visible(line: &str) -> usize {
    line.split('\u{1b}').map(|part| after_code(part).1.chars().count()).sum()
}

/// Splits `[32mtext` into its code and the text; text without a code has none.
fn after_code(part: &str) -> (&str, &str) {
    match part.strip_prefix('[').and_then(|rest| rest.split_once('m')) {
        Some((code, text)) if code.bytes().all(|b| b.is_ascii_digit() || b == b';') => (code, text),
        _ => ("", part),
    }
}

/// A line with its codes turned into styled spans. Every word after two spaces has a place of its own:
/// columns hold whichever font a reader has, and whatever a viewer does to spaces.
fn spans(line: &str) -> Result<String> {
    let (mut out, mut style, mut column) = (String::new(), String::new(), 0);
    for part in line.split('\u{1b}') {
        let (code, text) = after_code(part);
        match code {
            "" => {}
            "0" => style.clear(),
            "1" => style.push_str(r#" font-weight="bold""#),
            "2" => style.push_str(r#" opacity="0.6""#),
            code => write!(style, r#" fill="{}""#, colour(code))?,
        }
        for (at, words) in apart(text) {
            let x = MARGIN as f64 + (column + at) as f64 * LETTER;
            let words = words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            write!(out, r#"<tspan x="{x:.1}"{style}>{words}</tspan>"#)?;
        }
        column += text.chars().count();
    }
    Ok(out)
}

/// The parts of a text between two spaces or more, and where each begins, in letters.
fn apart(text: &str) -> Vec<(usize, String)> {
    let mut parts: Vec<(usize, String)> = Vec::new();
    let mut spaces = 2;
    for (at, letter) in text.chars().enumerate() {
        match parts.last_mut() {
            _ if letter == ' ' => {
                spaces += 1;
                continue;
            }
            Some((_, part)) if spaces < 2 => {
                part.extend(std::iter::repeat_n(' ', spaces).chain([letter]));
            }
            _ => parts.push((at, letter.into())),
        }
        spaces = 0;
    }
    parts
}

fn colour(code: &str) -> &'static str {
    match code {
        "31" => "#f47067",
        "32" => "#6bc46d",
        "33" => "#daaa3f",
        "36" => "#56d4dd",
        _ => "#d1d7e0",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_become_styles_and_text_is_escaped() {
        let line = "\u{1b}[1ma<b\u{1b}[0m c";
        assert_eq!(visible(line), 5);
        assert_eq!(
            spans(line).unwrap(),
            r#"<tspan x="20.0" font-weight="bold">a&lt;b</tspan><tspan x="53.6">c</tspan>"#
        );
        let parts = apart("  one two   three");
        assert_eq!(parts, [(2, "one two".to_owned()), (12, "three".to_owned())]);
    }
}
