//! The manual: a page in the format of `man` for every command.

use clap::{Command, CommandFactory};

use crate::args::Args;

/// Pages by the names of their files, `privet.1` first.
///
/// # Errors
/// If a page cannot be rendered.
pub fn pages() -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut pages = Vec::new();
    collect(&crate::reference::whole(), "privet", &mut pages)?;
    Ok(pages)
}

fn collect(
    command: &Command,
    name: &str,
    pages: &mut Vec<(String, Vec<u8>)>,
) -> std::io::Result<()> {
    let mut page = Vec::new();
    // `man` has one word a page.
    let named = command.clone().name(name.to_owned()).display_name(name);
    clap_mangen::Man::new(named).title(name.to_uppercase()).render(&mut page)?;
    pages.push((format!("{name}.1"), page));
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        collect(below, &format!("{name}-{}", below.get_name()), pages)?;
    }
    Ok(())
}

/// The whole command line, as clap knows it.
pub fn command() -> Command {
    Args::command()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page() {
        let pages = pages().unwrap();
        let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
        for name in ["privet.1", "privet-protect-edges.1", "privet-self-check.1"] {
            assert!(names.contains(&name), "{names:?}");
        }
        assert!(!names.iter().any(|name| name.contains("reference")), "hidden");
        let edges = pages.iter().find(|(name, _)| name == "privet-protect-edges.1").unwrap();
        let text = String::from_utf8(edges.1.clone()).unwrap();
        assert!(text.contains(".TH") && text.contains("epsilon"), "{text}");
    }
}
