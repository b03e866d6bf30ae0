//! The example programs run, and are short. They are built with the tests.

use std::path::Path;
use std::process::Command;

const PROGRAMS: [&str; 6] = [
    "hds_on_my_features",
    "dprr_on_my_edges",
    "everything_local",
    "publish_a_graph",
    "node_private",
    "price_a_plan",
];

#[test]
fn they_run() {
    // target/debug/deps/examples-HASH is this test, target/debug/examples/NAME the programs.
    let this = std::env::current_exe().unwrap();
    let folder = this.ancestors().nth(2).unwrap().join("examples");
    for program in PROGRAMS {
        let told = Command::new(folder.join(program)).output();
        let told = told.unwrap_or_else(|error| panic!("{program}: {error}"));
        let errors = String::from_utf8_lossy(&told.stderr);
        assert!(told.status.success() && !told.stdout.is_empty(), "{program}: {errors}");
    }
}

#[test]
fn they_are_read_at_a_glance() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    for program in PROGRAMS {
        let text = std::fs::read_to_string(folder.join(program).with_extension("rs")).unwrap();
        assert!(text.lines().count() < 25, "{program}: {}", text.lines().count());
    }
}
