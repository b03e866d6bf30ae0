//! Which pages there are, and whether their links lead somewhere.

use std::path::Path;

use anyhow::{Context, Result, bail};

/// The pages that SUMMARY.md lists, in its order.
///
/// # Errors
/// If it lists a page that is not there, or a page is there that it does not list.
pub fn listed(source: &Path) -> Result<Vec<String>> {
    let summary = source.join("SUMMARY.md");
    let text = std::fs::read_to_string(&summary).with_context(|| summary.display().to_string())?;
    let pages: Vec<String> = targets(&text)
        .into_iter()
        .map(|(_, target)| target)
        .filter(|target| target.ends_with(".md"))
        .collect();
    for page in &pages {
        if !source.join(page).is_file() {
            bail!("SUMMARY.md lists {page}, which is not there");
        }
    }
    let mut there = Vec::new();
    collect(source, source, &mut there)?;
    if let Some(forgotten) =
        there.iter().find(|name| *name != "SUMMARY.md" && !pages.contains(name))
    {
        bail!("{forgotten} is not in SUMMARY.md");
    }
    Ok(pages)
}

/// Pages in a folder and below; folders that are links belong to others.
fn collect(root: &Path, folder: &Path, found: &mut Vec<String>) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && !path.is_symlink() {
            collect(root, &path, found)?;
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path.strip_prefix(root)?.to_string_lossy().replace('\\', "/"));
        }
    }
    Ok(())
}

/// Checks all links of all pages: files that are there, headings that are there.
///
/// # Errors
/// If one leads nowhere.
pub fn check(source: &Path, pages: &[String]) -> Result<()> {
    let mut lost = Vec::new();
    for page in pages {
        let path = source.join(page);
        let text = std::fs::read_to_string(&path).with_context(|| page.clone())?;
        for (line, target) in targets(&text) {
            if let Some(why) = broken(&path, &text, &target) {
                lost.push(format!("{page}, line {line}: {target}: {why}"));
            }
        }
    }
    match lost.as_slice() {
        [] => Ok(()),
        lost => bail!("links that lead nowhere:\n{}", lost.join("\n")),
    }
}

fn broken(page: &Path, text: &str, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, heading) = target.split_once('#').unwrap_or((target, ""));
    let folder = page.parent().unwrap_or(page);
    let path = if file.is_empty() { page.to_path_buf() } else { folder.join(file) };
    if !path.exists() {
        return Some("there is no such file".into());
    }
    if heading.is_empty() || path.extension().is_none_or(|ending| ending != "md") {
        return None;
    }
    let other =
        if file.is_empty() { text.to_owned() } else { std::fs::read_to_string(&path).ok()? };
    let known =
        other.lines().filter_map(|line| line.strip_prefix('#')).any(|line| slug(line) == heading);
    (!known).then(|| "there is no such heading".into())
}

/// A heading as browsers are told of it.
fn slug(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept =
        text.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

/// What `[...](...)` leads to, by line; code is left out.
fn targets(text: &str) -> Vec<(usize, String)> {
    let (mut found, mut inside) = (Vec::new(), false);
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        }
        if inside {
            continue;
        }
        // Every second piece between backticks is code.
        let words: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        for part in words.split("](").skip(1) {
            if let Some((target, _)) = part.split_once(')') {
                found.push((number, target.to_owned()));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_and_code_is_not() {
        let text =
            "a [b](c.md) and [d](e/f.md#g)\n`[x](y)`\n```text\n[no](no.md)\n```\n![p](q.svg)\n";
        let found: Vec<String> = targets(text).into_iter().map(|(_, target)| target).collect();
        assert_eq!(found, ["c.md", "e/f.md#g", "q.svg"]);
        assert_eq!(slug("## What is noticed, and what is not"), "what-is-noticed-and-what-is-not");
    }
}
