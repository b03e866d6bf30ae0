//! Every way a file can be wrong: a documented exit code and a line that says where and what.

use crate::made::{cut, evil_pickle, f32s, gzip, i32s, npy, npz, zip};
use crate::ran::Folder;

const PATH: &[u8] = b"a,b\nb,c\n";

#[test]
fn a_missing_file() {
    let folder = Folder::new();
    folder.fails("data info nothing.csv", 1, &["error: nothing.csv: no such file"]);
    folder.fails("data info no/such/folder/", 1, &["no/such/folder", "there is no folder no"]);
}

#[test]
fn a_folder_without_data() {
    let folder = Folder::with(&[("photos/cat.jpg", b"\xff\xd8\xff\xe0 not a graph \x00\x01")]);
    folder.fails("data info ./photos", 1, &["photos", "known formats", "--format"]);
    std::fs::create_dir(folder.path("empty")).unwrap();
    folder.fails("data info ./empty", 1, &["empty"]);
}

#[test]
fn a_folder_in_place_of_a_file() {
    let folder = Folder::with(&[("edges.csv", PATH), ("folder/x", b"1")]);
    folder.fails("data info edges.csv --labels folder", 1, &["folder: found a folder"]);
    folder.fails("data info edges.csv --features folder", 1, &["folder: found a folder"]);
}

#[test]
fn an_empty_file() {
    let folder = Folder::with(&[("edges.csv", b""), ("edges.csv.gz", &gzip(b""))]);
    folder.fails("data info edges.csv", 1, &["edges.csv: found an empty file"]);
    folder.fails("data info edges.csv.gz", 1, &["edges.csv.gz"]);
}

#[test]
fn a_download_cut_off() {
    let text: String =
        (0..5000).map(|i| format!("{},{}\n", i * 7919 % 5003, i * 104729 % 5009)).collect();
    let folder = Folder::with(&[
        ("edges.csv.gz", cut(&gzip(text.as_bytes()), 60)),
        ("set.zip", cut(&zip(&[("edges.csv", text.as_bytes())]), 60)),
        ("graph.npz", cut(&npz(&[]), 60)),
        ("edges.csv", text.as_bytes()),
    ]);
    assert!(folder.ok("data info edges.csv").contains("edges"));
    folder.fails("data info edges.csv.gz", 1, &["edges.csv.gz", "truncated"]);
    folder.fails("data info set.zip", 1, &["set.zip", "zip"]);
    folder.fails("data info graph.npz", 1, &["graph.npz"]);
}

#[test]
fn an_array_cut_off_inside_a_whole_archive() {
    let short = npy("<i4", "(4,)", &i32s(&[1, 0, 2]));
    let folder = Folder::with(&[("graph.npz", &npz(&[("adj_indices.npy", short)]))]);
    folder.fails("data info graph.npz", 1, &["graph.npz", "adj_indices"]);
}

#[test]
fn text_that_is_not_utf8() {
    let folder = Folder::with(&[("edges.csv", b"a,b\nb,\xff\xfe\n")]);
    folder.fails("data info edges.csv", 1, &["edges.csv, line 2", "UTF-8"]);
}

#[test]
fn a_feature_row_of_the_wrong_length() {
    let folder = Folder::with(&[
        ("edges.csv", PATH),
        ("rows.csv", b"id,x,y\na,1,2\nb,1\nc,0,1\n"),
        ("c.content", b"a\t1\t0\tred\nb\t1\tred\n"),
        ("c.cites", b"a\tb\n"),
    ]);
    folder.fails("data info edges.csv --features rows.csv", 1, &["rows.csv", "line 3"]);
    folder.fails("data info c.content", 1, &["c.content", "line 2"]);
}

#[test]
fn values_that_are_not_numbers() {
    let folder = Folder::with(&[("edges.csv", PATH)]);
    for value in ["NaN", "inf", "-inf", "1e999", "much"] {
        folder.write("rows.csv", format!("id,x\na,1\nb,{value}\nc,0\n").as_bytes());
        let line = "data info edges.csv --features rows.csv";
        folder.fails(line, 1, &["rows.csv", "line 3", "finite"]);
    }
    for value in [f32::NAN, f32::INFINITY] {
        let data = npy("<f4", "(3,)", &f32s(&[1.0, value, 2.0]));
        folder.write("graph.npz", &npz(&[("attr_data.npy", data)]));
        folder.fails("data info graph.npz", 1, &["graph.npz", "finite"]);
    }
}

#[test]
fn negative_and_enormous_ids() {
    let folder = Folder::with(&[
        ("minus.txt", b"1\n2 0\n0 1 1\n0 1 -1\n"),
        ("beyond.txt", b"1\n2 0\n0 1 1\n0 1 7\n"),
        ("huge.txt", b"1\n99999999999999 0\n0 1 1\n"),
        ("huge.jlg", &gzip(b"99999999999999,1,u,huge\n1,2\n")),
        ("zero.jlg", &gzip(b"3,1,u,zero\n0,2\n")),
    ]);
    for (name, line) in [("minus.txt", "line 4"), ("beyond.txt", "line 4")] {
        folder.fails(&format!("data info {name} --format gin-text"), 1, &[name, line]);
    }
    folder.fails("data info huge.txt --format gin-text", 1, &["huge.txt", "line 2"]);
    folder.fails("data info zero.jlg", 1, &["zero.jlg", "line 2"]);
    let ran = folder.run("data info huge.jlg");
    assert!([1, 3].contains(&ran.code) && ran.stderr.contains("huge.jlg"), "{ran:?}");
    for index in [-1, 3, i32::MAX] {
        let indices = npy("<i4", "(4,)", &i32s(&[1, 0, index, 1]));
        folder.write("graph.npz", &npz(&[("adj_indices.npy", indices)]));
        folder.fails("data info graph.npz", 1, &["graph.npz"]);
    }
}

#[test]
fn enormous_ids_are_names_in_an_edge_list_and_negative_ones_are_mistakes() {
    let folder = Folder::with(&[
        ("edges.csv", b"18446744073709551616,b\n0017,b\n"),
        ("minus.csv", b"1,2\n2,-3\n"),
    ]);
    let facts = folder.json("data info edges.csv");
    assert_eq!((&facts["nodes"], &facts["ids"]), (&3.into(), &"text".into()));
    folder.fails("data info minus.csv", 1, &["minus.csv, line 2", "hidden"]);
    let shown = "data info minus.csv --show-values";
    folder.fails(shown, 1, &["minus.csv, line 2", "negative id '-3'"]);
}

#[test]
fn a_label_for_a_node_that_is_not_there() {
    let folder =
        Folder::with(&[("edges.csv", PATH), ("teams.csv", b"id,label\na,red\nb,blue\nzed,red\n")]);
    let line = "data info edges.csv --labels teams.csv";
    assert!(!folder.fails(line, 1, &["teams.csv", "line 4"]).contains("zed"));
    folder.fails(&format!("{line} --show-values"), 1, &["teams.csv", "line 4", "zed"]);
}

#[test]
fn a_pickle_hidden_in_an_array() {
    let hidden = npy("|O", "(3,)", &evil_pickle());
    let folder = Folder::with(&[("graph.npz", &npz(&[("labels.npy", hidden)]))]);
    folder.fails("data info graph.npz", 3, &["graph.npz", "labels", "refused", "pickle"]);
}

#[test]
fn a_pickle_in_an_array_that_nobody_needs_is_skipped() {
    let hidden = npy("|O", "()", &evil_pickle());
    let folder = Folder::with(&[("graph.npz", &npz(&[("metadata.npy", hidden)]))]);
    assert_eq!(folder.json("data info graph.npz")["nodes"], 3);
}

#[test]
fn a_pickle_that_names_a_foreign_function() {
    let folder = Folder::with(&[("ind.evil.test.index", b"0\n")]);
    for part in ["x", "y", "tx", "ty", "allx", "ally", "graph"] {
        folder.write(&format!("ind.evil.{part}"), &evil_pickle());
    }
    folder.fails("data info ind.evil.graph", 3, &["ind.evil.", "refused", "os", "system"]);
}

#[test]
fn a_bomb_in_a_zip_and_in_a_gzip() {
    let edges = b"10,11\n".repeat((3 << 20) / 6);
    let folder = Folder::with(&[
        ("bomb.zip", &zip(&[("edges.csv", &edges)])),
        ("bomb.csv.gz", &gzip(&edges)),
        ("line.csv.gz", &gzip(&[b'0'; 1 << 20])),
    ]);
    for name in ["bomb.zip", "bomb.csv.gz"] {
        let line = format!("data info {name} --max-expanded-bytes 1MiB");
        folder.fails(&line, 3, &[name, "1048576 bytes", "--max-expanded-bytes"]);
    }
    let line = "data info line.csv.gz --max-line-bytes 64KiB";
    folder.fails(line, 3, &["line.csv.gz, line 1", "65536 bytes", "--max-line-bytes"]);
}

#[test]
fn a_few_bytes_that_declare_a_billion_nodes() {
    let folder = Folder::with(&[("huge.jlg", &gzip(b"1000000000,1,u,graph\n1,2\n"))]);
    folder.fails("data info huge.jlg", 3, &["huge.jlg", "number of nodes", "--max-nodes"]);
    let small = Folder::with(&[("small.jlg", &gzip(b"5,1,u,graph\n1,2\n"))]);
    small.fails("data info small.jlg --max-nodes 4", 3, &["small.jlg", "--max-nodes"]);
    assert_eq!(small.json("data info small.jlg --max-nodes 5")["nodes"], 5);
}

#[test]
fn a_bomb_by_ratio() {
    // Long comments, because they are read quickest.
    let comment = [&b"#"[..], &[b' '; 1 << 20], b"\n"].concat();
    let lines = [PATH, &comment.repeat(70)].concat();
    let folder = Folder::with(&[("bomb.csv.gz", &gzip(&lines))]);
    let line = "data info bomb.csv.gz --max-expansion-ratio 20";
    folder.fails(line, 3, &["bomb.csv.gz", "20 times", "--max-expansion-ratio"]);
}

#[test]
fn two_datasets_in_one_zip() {
    let edges: &[u8] = b"id1,id2\n0,1\n1,2\n";
    let features: &[u8] = br#"{"0":[0],"1":[1],"2":[0]}"#;
    let target: &[u8] = b"id,target\n0,5\n1,6\n2,7\n";
    let archive = zip(&[
        ("w/cat/musae_cat_edges.csv", edges),
        ("w/cat/musae_cat_features.json", features),
        ("w/cat/musae_cat_target.csv", target),
        ("w/dog/musae_dog_edges.csv", edges),
        ("w/dog/musae_dog_features.json", features),
        ("w/dog/musae_dog_target.csv", target),
    ]);
    let folder = Folder::with(&[("both.zip", &archive)]);
    folder.fails("data info both.zip", 1, &["both.zip", "cat", "dog", "--member"]);
    assert_eq!(folder.json("data info both.zip --member dog")["nodes"], 3);
    folder.fails("data info both.zip --member dgo", 2, &["dgo", "did you mean 'dog'"]);
}

#[test]
fn misspelt_names() {
    let folder = Folder::with(&[("edges.csv", PATH)]);
    folder.fails("data info coraa", 2, &["unknown dataset 'coraa'", "did you mean 'cora'"]);
    folder.fails("data list pubmd", 2, &["unknown dataset 'pubmd'", "did you mean 'pubmed'"]);
    folder.fails("data fetch citeser", 2, &["unknown dataset 'citeser'", "'citeseer'"]);
    folder.fails("data info edges.csv --format graphm", 2, &["graphm", "'graphml'"]);
    folder.fails("data convert edges.csv out.x --to npzz", 2, &["npzz", "'npz'"]);
    folder.fails("data generate erdos-reny", 2, &["erdos-reny", "'erdos-renyi'"]);
    folder.fails("dta list", 2, &["dta", "'data'"]);
}

#[test]
fn escape_codes_in_a_file_do_not_reach_the_terminal() {
    let folder = Folder::with(&[
        ("edges.csv", PATH),
        ("teams.csv", b"id,label\na,\x1b[31mred\nb,blue\nc,blue\n"),
    ]);
    let shown = folder.ok("data info edges.csv --labels teams.csv --color always");
    assert!(!shown.contains("\x1b[31mred") && shown.contains("\\u{1b}[31mred"), "{shown}");
}
