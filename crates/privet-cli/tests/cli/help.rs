//! `--help`, `--version`, completions: the first things anybody sees.

use crate::ran::Folder;

#[test]
fn help_is_short_and_names_the_exit_codes() {
    insta::assert_snapshot!(Folder::new().ok("--help"), @"");
}

#[test]
fn no_arguments_show_the_help() {
    let ran = Folder::new().run("");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("privet demo"), "{}", ran.stderr);
}

#[test]
fn info_help_explains_names_and_options() {
    insta::assert_snapshot!(Folder::new().ok("data info -h"), @"");
}

#[test]
fn generate_help_shows_the_models() {
    insta::assert_snapshot!(Folder::new().ok("data generate --help"), @"");
}

#[test]
fn the_version_is_the_crate_version() {
    let folder = Folder::new();
    assert_eq!(folder.ok("--version"), format!("privet {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn every_command_has_help() {
    let folder = Folder::new();
    for command in ["demo", "data", "data list", "data info", "data fetch", "data generate sbm"] {
        assert!(folder.ok(&format!("{command} --help")).contains("Usage: privet"), "{command}");
    }
}

#[test]
fn completions_for_the_usual_shells() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(folder.ok(&format!("completions {shell}")).contains("privet"), "{shell}");
    }
    folder.fails("completions tcsh", 2, &["tcsh"]);
}
