//! `privet audit`: quick ones by name, the gallery as a whole.

use crate::ran::Folder;

#[test]
fn an_audit_by_name() {
    let found = Folder::new().json("audit rr");
    let claims = found["claims"].as_array().unwrap();
    assert_eq!(claims.len(), 3);
    assert!(claims.iter().all(|claim| claim["holds"] == true && claim["name"] == "rr"), "{found}");
    let text = Folder::new().ok("audit label-rr");
    assert!(text.contains("tight") && text.contains("10 of 10 settings"), "{text}");
}

#[test]
fn every_mutant_is_caught() {
    let found = Folder::new().json("audit --mutants");
    let mutants = found["mutants"].as_array().unwrap();
    assert!(mutants.len() >= 20, "{}", mutants.len());
    assert!(mutants.iter().all(|mutant| mutant["caught"] == true), "{found}");
}

#[test]
fn unknown_names_get_a_suggestion() {
    Folder::new().fails("audit dprrr", 2, &["unknown audit 'dprrr'", "dprr"]);
}
