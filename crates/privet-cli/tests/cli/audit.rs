//! `privet audit`: quick ones by name, printed claims, and the list of faults.

use crate::ran::Folder;

#[test]
fn an_audit_by_name() {
    let found = Folder::new().json("audit rr");
    let claims = found["claims"].as_array().unwrap();
    assert!(!claims.is_empty());
    assert!(claims.iter().all(|claim| claim["holds"] == true && claim["name"] == "rr"), "{found}");
    let text = Folder::new().ok("audit label-rr");
    assert!(text.contains("tight") && text.contains("10 of 10 settings"), "{text}");
    assert!(text.contains("no false alarm is possible"), "{text}");
}

/// Each sampled finding may be wrong once in 10^9; a run of several sums that up.
#[test]
fn b10_the_probability_of_a_false_alarm_is_computed() {
    let found = Folder::new().json("audit noise-streams");
    let sampled = found["claims"].as_array().unwrap().len() as f64;
    assert_eq!(found["false_alarm"], 1e-9 * sampled, "{found}");
    let twice = Folder::new().json("audit noise-streams --repeat 2");
    assert_eq!(twice["false_alarm"], 2e-9 * sampled, "{twice}");
}

#[test]
fn what_is_printed_is_not_true() {
    let found = Folder::new().json("audit --printed");
    let printed = found["printed"].as_array().unwrap();
    assert!(printed.len() >= 20, "{}", printed.len());
    assert!(printed.iter().all(|line| line["holds"] == false), "{found}");
}

#[test]
fn faults_are_listed_with_who_notices_them() {
    let found = Folder::new().json("audit --faults");
    let faults = found["faults"].as_array().unwrap();
    assert!(faults.len() >= 60, "{}", faults.len());
    let noticed = |fault: &serde_json::Value| fault["audits"] != "" || fault["tests"] != "";
    assert!(faults.iter().all(noticed), "{found}");
    let text = Folder::new().ok("audit --faults");
    assert!(text.contains("docs/faults.md") && text.contains("drawn before the entry"), "{text}");
}

#[test]
fn unknown_names_get_a_suggestion() {
    Folder::new().fails("audit dprrr", 2, &["unknown audit 'dprrr'", "dprr"]);
}
