//! `privet data list`: the catalog, with and without files.

use crate::ran::Folder;

#[test]
fn lists_every_benchmark_without_any_data() {
    let folder = Folder::new();
    let shown = folder.ok("data list");
    for name in ["cora", "citeseer", "pubmed", "reddit_binary", "cora_ml"] {
        assert!(shown.lines().any(|line| line.starts_with(&format!("{name} "))), "{name}: {shown}");
    }
    assert!(shown.contains("0 of "), "{shown}");
    assert!(shown.contains("privet data fetch NAME"), "{shown}");
}

#[test]
fn a_name_shows_files_and_checksums() {
    let shown = Folder::new().ok("data list cora_ml");
    for part in
        ["cora_ml/cora_ml.npz", "e3439bfd32c4a962d5c56a4f313793baee39181c208c90a3915b61183d3e1cda"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    for part in ["licence", "published", "DPAR", "2,995 nodes", "not on this machine"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

#[test]
fn json_has_everything() {
    let listing = Folder::new().json("data list");
    let benchmarks = listing["benchmarks"].as_array().unwrap();
    assert!(benchmarks.len() > 15);
    for benchmark in benchmarks {
        for key in ["name", "title", "papers", "published", "licence", "present", "variants"] {
            assert!(!benchmark[key].is_null(), "{key}: {benchmark}");
        }
        assert_eq!(benchmark["present"], false);
        assert!(!benchmark["variants"][0]["files"].as_array().unwrap().is_empty(), "{benchmark}");
    }
    let cora = &benchmarks[0]["variants"][0]["counts"];
    assert_eq!((&cora["nodes"], &cora["edges"]), (&2708.into(), &5278.into()));
}

#[test]
fn what_lies_in_a_folder_is_found_there() {
    let folder = Folder::with(&[("graphs/cora_ml/cora_ml.npz", b"x")]);
    let listing = folder.json("data list cora_ml --data-dir graphs");
    assert_eq!(listing["benchmarks"][0]["present"], true);
    assert_eq!(listing["benchmarks"][0]["variants"][0]["folder"], "graphs");
    assert_eq!(listing["searched"][0], "graphs");
    let shown = folder.ok("data list --data-dir graphs");
    assert!(shown.contains("1 of "), "{shown}");
}
