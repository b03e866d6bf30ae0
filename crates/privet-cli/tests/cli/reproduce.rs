//! `privet reproduce`: what there is, figure 1, a sweep over generated people, and mistakes.

use crate::ran::Folder;

#[test]
fn alone_it_lists_what_there_is() {
    let text = Folder::new().ok("reproduce");
    let head = "item shows runs quick time on two cores";
    let first = text.lines().next().unwrap_or_default().split_whitespace().collect::<Vec<_>>();
    assert_eq!(first.join(" "), head);
    for item in ["ldp-ge/fig1", "ldp-ge/table3", "dprr/fig4", "heterorr/fig11", "dpar/table1"] {
        assert!(text.lines().any(|line| line.starts_with(item)), "{item}: {text}");
    }
    assert!(text.ends_with("measures one; add --quick for a first look.\n"), "{text}");
    let told = Folder::new().json("reproduce");
    assert!(told["items"].as_array().unwrap().len() >= 13);
}

#[test]
fn figure_1_needs_no_data_and_is_made_again_from_its_cells() {
    let folder = Folder::new();
    let line = "reproduce ldp-ge/fig1 --quick --epsilons 1 --mechanisms laplace,square-wave -o out";
    let first = folder.json(line);
    assert_eq!(folder.names(), ["out"]);
    let cells = folder.read("out/cells.jsonl");
    assert_eq!(cells.iter().filter(|&&byte| byte == b'\n').count(), 4);
    for name in ["report.html", "report.md", "report.json"] {
        assert!(!folder.read(&format!("out/{name}")).is_empty(), "{name}");
    }
    let plots = crate::ran::names_in(&folder.path("out/plots"));
    assert!(plots.iter().any(|name| name.ends_with(".svg")) && plots.len() == 2, "{plots:?}");
    // The variance of Laplace noise for a range of 2 at epsilon 1 is 2 * 2^2.
    let row = &first["sections"][0]["blocks"][2]["table"]["rows"][0];
    let variance = row[4]["value"].as_f64().unwrap();
    assert!((variance - 8.0).abs() < 0.01, "{row}");
    assert_eq!(folder.json(line), first);
    assert_eq!(folder.read("out/cells.jsonl"), cells);
}

/// People who do not exist, with declared bounds.
fn people() -> Folder {
    let folder = Folder::new();
    folder.ok("data generate sbm --nodes 60 --classes 2 --mean-degree 2.5 --features 8 --seed 1 -o people.npz");
    folder
}

#[test]
fn a_sweep_over_a_file_continues_with_more_epsilons() {
    let folder = people();
    let line = "reproduce ldp-ge/fig2 --datasets people.npz --bounds 0,1 --mechanisms hds --runs 2";
    let told = folder.ok(&format!("{line} --epsilons 1 -o out"));
    for part in ["hds, noise only", "hds, features added", "ceiling: no noise", "SIMULATION"] {
        let found = told.to_lowercase().contains(&part.to_lowercase());
        assert!(found, "'{part}' is missing:\n{told}");
    }
    let lines = || folder.read("out/cells.jsonl").iter().filter(|&&byte| byte == b'\n').count();
    // A header; ceiling, private and control, two runs each.
    assert_eq!(lines(), 1 + 6);
    folder.ok(&format!("{line} --epsilons 1,2 -o out"));
    assert_eq!(lines(), 1 + 10);
    // Another experiment does not touch the cells of this one.
    let other = line.replace("fig2", "table3");
    folder.fails(&format!("{other} -o out"), 3, &["made for experiment 'ldp-ge/fig2'"]);
    assert_eq!(lines(), 1 + 10);
}

#[test]
fn mistakes_are_named_before_anything_is_made() {
    let folder = people();
    folder.fails(
        "reproduce ldp-ge/fig5 -o out",
        2,
        &["unknown item 'ldp-ge/fig5'", "did you mean"],
    );
    folder.fails("reproduce ldp-ge/fig1", 2, &["-o DIR"]);
    folder.fails("reproduce ldp-ge/fig1 -o out --datasets cora", 2, &["needs no data"]);
    folder.fails("reproduce ldp-ge/fig1 -o out --mechanisms hsd", 2, &["hsd"]);
    folder.fails("reproduce ldp-ge/fig1 -o out --epsilons 0", 2, &["epsilon"]);
    folder.fails("reproduce ldp-ge/fig2 -o out --epsilons inf", 2, &["no finite epsilon"]);
    folder.fails("reproduce ldp-ge/fig2 -o out --bounds 0,1", 2, &["one dataset"]);
    folder.fails("reproduce ldp-ge/fig2 -o out --datasets coral", 2, &["coral"]);
    folder.fails("reproduce ldp-ge/fig2 -o out --datasets cora", 1, &["privet data fetch cora"]);
    folder.fails("reproduce ldp-ge/fig2 -o out", 1, &["none of the paper's datasets"]);
    folder.fails("reproduce ldp-ge/fig1 -o people.npz", 3, &["it is a file"]);
    folder.write("mine/notes.txt", b"mine");
    folder.fails("reproduce ldp-ge/fig1 -o mine", 3, &["mine", "it holds other files"]);
    assert_eq!(folder.names(), ["mine", "people.npz"]);
}
