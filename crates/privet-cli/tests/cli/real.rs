//! The published files, where they are: `PRIVET_DATA_DIR`, or beside the workspace.

use std::path::PathBuf;

use crate::ran::Folder;

pub fn data() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let folder = std::env::var_os("PRIVET_DATA_DIR").map_or_else(|| beside.into(), PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no benchmark files at {} (set PRIVET_DATA_DIR)", folder.display());
    None
}

fn info(folder: &Folder, name: &str) -> Option<serde_json::Value> {
    let data = data()?;
    let mut command = folder.command(&format!("data info {name} --json"));
    let output = command.env("PRIVET_DATA_DIR", data).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn cora_is_as_published() {
    let Some(facts) = info(&Folder::new(), "cora") else { return };
    assert_eq!((&facts["nodes"], &facts["edges"]), (&2708.into(), &5278.into()));
    assert_eq!(facts["components"]["largest"], 2485);
    assert_eq!(facts["features"]["columns"], 1433);
    assert_eq!(facts["features"]["nonzeros"], 49216);
    let sizes: Vec<_> = facts["labels"]["classes"].as_array().unwrap().iter().collect();
    assert_eq!(sizes.len(), 7);
    assert_eq!(facts["split"], serde_json::json!({"train": 140, "validation": 500, "test": 1000}));
}

#[test]
fn variants_are_named_after_a_slash() {
    let Some(facts) = info(&Folder::new(), "cora/linqs") else { return };
    assert_eq!((&facts["nodes"], &facts["origin"]["format"]), (&2708.into(), &"linqs".into()));
}

#[test]
fn a_set_of_graphs_is_as_published() {
    let Some(facts) = info(&Folder::new(), "mutag") else { return };
    assert_eq!((&facts["graphs"], &facts["nodes"]), (&188.into(), &3371.into()));
    assert_eq!(facts["graph_nodes"]["max"], 28);
}
