//! Columns by their names: which are the ends of an edge, which is the label.

use crate::ran::Folder;

const PAYMENTS: &[u8] = b"date,amount,payer,payee\n1,9,ada,bob\n2,8,bob,cy\n3,7,ada,cy\n";

#[test]
fn the_ends_of_an_edge_are_named() {
    let folder = Folder::with(&[("p.csv", PAYMENTS)]);
    let read = "--source-column payer --target-column payee";
    let found = folder.json(&format!("data info p.csv {read}"));
    assert_eq!((&found["nodes"], &found["edges"]), (&3.into(), &3.into()));
    folder.ok(&format!("data convert p.csv q.tsv --directed {read}"));
    let swapped = "--source-column payee --target-column PAYER --directed";
    assert!(folder.ok(&format!("data convert p.csv - {swapped}")).contains("\nbob,ada\n"));
    folder.ok(&format!("data convert p.csv p.parquet {read}"));
    let found = folder.json("data info p.parquet --source-column target --target-column source");
    assert_eq!(found["edges"], 3);
}

#[test]
fn numbers_in_the_first_columns_are_not_taken_for_ids() {
    let folder = Folder::with(&[("n.csv", b"week,from,to\n1,10,20\n2,20,30\n")]);
    let found = folder.json("data info n.csv --source-column from --target-column to");
    assert_eq!((&found["nodes"], &found["edges"]), (&3.into(), &2.into()));
}

#[test]
fn an_unknown_name_lists_the_columns_there_are() {
    let folder = Folder::with(&[("p.csv", PAYMENTS), ("d/edges.csv", PAYMENTS)]);
    for file in ["p.csv", "./d"] {
        let line = format!("data info {file} --source-column sender --target-column payee");
        let parts = ["no column 'sender'", "--source-column", "date, amount, payer, payee"];
        folder.fails(&line, 1, &parts);
    }
    let line = "data info p.csv --source-column payer --target-column payer";
    folder.fails(line, 1, &["for both ends"]);
    folder.ok("data generate karate -o k.npz");
    folder.fails("data info k.npz --source-column a", 3, &["npz has no columns"]);
}

#[test]
fn the_label_is_named() {
    let graphml: &[u8] = br#"<graphml><key id="d0" for="node" attr.name="club" attr.type="string"/>
<graph edgedefault="undirected"><node id="a"><data key="d0">Hi</data></node>
<node id="b"><data key="d0">Officer</data></node><edge source="a" target="b"/></graph></graphml>"#;
    let folder = Folder::with(&[
        ("k.graphml", graphml),
        ("d/edges.csv", b"source,target\na,b\n"),
        ("d/nodes.csv", b"id,label,club\na,1,Hi\nb,2,Officer\n"),
        ("l.csv", b"id,club,age\na,Hi,3\nb,Officer,4\n"),
    ]);
    for line in ["k.graphml", "./d", "d/edges.csv --labels l.csv"] {
        let found = folder.json(&format!("data info {line} --label-column club"));
        assert_eq!(found["labels"]["classes"][1]["name"], "Officer", "{line}");
        let line = format!("data info {line} --label-column team");
        folder.fails(&line, 1, &["'team'", "--label-column", "club"]);
    }
}
