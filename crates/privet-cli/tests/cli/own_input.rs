//! Raw data is never replaced by what was made from it, under whatever name it is called.

use crate::ran::Folder;

const EDGES: &[u8] = b"source,target\na,b\nb,c\nc,a\n";
const NODES: &[u8] = b"id,label\na,x\nb,y\nc,x\n";
const ROWS: &[u8] = b"id,u,v\na,0,1\nb,1,0\nc,1,1\n";

fn people() -> Folder {
    Folder::with(&[
        ("d/edges.csv", EDGES),
        ("d/nodes.csv", NODES),
        ("d/features.csv", ROWS),
        ("rows.npz/keep", b""),
        ("f.csv", ROWS),
        ("everyone.txt", b"a\nb\nc\n"),
        ("secret.csv", b"a,b\n"),
        ("wishes.csv", b"a,1\n"),
    ])
}

/// All files and what is in them.
fn everything(folder: &Folder) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![folder.path(".")];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() && !path.is_symlink() {
                true => open.push(path),
                false => found
                    .push((path.display().to_string(), std::fs::read(&path).unwrap_or_default())),
            }
        }
    }
    found.sort();
    found
}

#[test]
fn an_output_that_is_an_input_is_refused_and_nothing_is_touched() {
    let folder = people();
    #[cfg(unix)]
    std::os::unix::fs::symlink("d", folder.path("link")).unwrap();
    let before = everything(&folder);
    let refused = |line: &str, why: &str| {
        folder.fails(line, 3, &["refused", why, "name another place"]);
        assert_eq!(everything(&folder), before, "privet {line}");
    };
    let (own, within) = ("it is what is read", "it lies in the folder that is read");
    refused("protect edges ./d -o d --overwrite --epsilon 1", own);
    refused("protect edges d/../d -o ./d/ --overwrite --epsilon 1", own);
    refused("protect labels ./d -o d --overwrite --epsilon 1", own);
    refused("protect features ./d -o d --overwrite --epsilon 1 --mechanism hds", own);
    refused("publish ./d -o d --overwrite --epsilon-edges 1 --all-private", own);
    refused("data convert ./d d --overwrite", own);
    refused("data convert ./d d/edges.csv --overwrite", within);
    refused("data convert ./d d/new.npz", within);
    refused("data convert d/edges.csv d --overwrite", "what is read lies in it");
    refused("embed ./d -o d/features.npz", within);
    refused(
        "protect edges d/edges.csv -o everyone.txt --to npz --overwrite --epsilon 1 --nodes everyone.txt",
        own,
    );
    refused("data convert d/edges.csv f.csv --overwrite --features f.csv", own);
    refused("data convert d/edges.csv f.csv --overwrite --labels ./f.csv", own);
    refused(
        "protect edges d/edges.csv -o wishes.csv --to npz --overwrite --epsilon 1 --budgets wishes.csv",
        own,
    );
    refused(
        "publish ./d -o secret.csv --to npz --overwrite --epsilon-edges 1 --private-edges secret.csv",
        own,
    );
    refused(
        "publish ./d -o out.npz --overwrite --utility-report d/edges.csv --epsilon-edges 1 --all-private",
        within,
    );
    #[cfg(unix)]
    {
        refused("protect edges ./d -o link --overwrite --epsilon 1", own);
        refused("protect edges ./link -o d --overwrite --epsilon 1", own);
        refused("data convert link/edges.csv d/edges.csv --overwrite", own);
    }
}

#[test]
fn a_release_does_not_go_into_its_own_input() {
    let folder = people();
    let before = everything(&folder);
    let line = "run ldp-ge --dataset ./d --epsilon 1 --runs 1 --bounds 0,1 -o d/release.v1";
    folder.fails(line, 3, &["it lies in the folder that is read"]);
    assert_eq!(everything(&folder), before);
}

#[test]
fn what_is_read_may_lie_beside_what_is_written() {
    let folder = people();
    folder.ok("data convert ./d d.npz");
    folder.ok("data convert d/edges.csv e.csv");
    folder.ok("data convert d/edges.csv e.csv --overwrite");
}
