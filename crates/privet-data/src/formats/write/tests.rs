use super::*;
use crate::GraphSet;
use crate::formats::{ReadOptions, read};
use crate::{Direction, Graph, GraphBuilder, Labels, NodeIds};

fn pair() -> Dataset {
    let (graph, _) = GraphBuilder::new(2, Direction::Undirected).edges([(0, 1)]).build().unwrap();
    Dataset::new("pair", graph, NodeIds::texts(["a", "b"]).unwrap()).unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn endings_and_names_tell_the_format() {
    let place = SourceLocation::file("x");
    let of = |path: &str, format| Target::of(Path::new(path), format, &place);
    let told = |path: &str, format| of(path, format).unwrap().0;
    assert_eq!(told("out", None), Target::Folder(Tables::Csv));
    assert_eq!(told("out.csv/", None), Target::Folder(Tables::Csv));
    assert_eq!(told("out.CSV", None), Target::EdgeText(b','));
    assert_eq!(told("out.parquet", None), Target::EdgeParquet);
    assert_eq!(told("out", Some(Format::Parquet)), Target::Folder(Tables::Parquet));
    assert_eq!(told("a/out.npz", None), Target::Npz);
    assert_eq!(told("out.graphml", None), Target::GraphMl);
    assert_eq!(told("out.txt", None), Target::GinText);
    assert_eq!(told("out.txt", Some(Format::Npz)), Target::Npz);
    let error = of("out.xlsx", None).unwrap_err().with_values();
    assert!(error.contains("the ending .xlsx"), "{error}");
    let error = of("out", Some(Format::Jlg)).unwrap_err().with_values();
    assert!(error.contains("jlg can be read but not written"), "{error}");
}

#[test]
fn a_file_of_edges_refuses_to_lose_anything() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("edges_only.csv");
    let labels = Labels::from_names(&["x", "y"]).unwrap();
    let labelled = LoadedData::Nodes(pair().with_labels(labels).unwrap());
    let told = write(&labelled, &path, None, Overwrite::Refuse).unwrap_err().with_values();
    assert!(told.contains("would lose 2 classes; name a folder"), "{told}");
    let graph = Graph::empty(2, Direction::Directed).unwrap();
    let lonely = LoadedData::Nodes(Dataset::new("l", graph, NodeIds::sequential(2)).unwrap());
    let told = write(&lonely, &path, None, Overwrite::Refuse).unwrap_err().with_values();
    assert!(told.contains("would lose 2 isolated nodes"), "{told}");
    let plain = LoadedData::Nodes(pair());
    assert_eq!(write(&plain, &path, None, Overwrite::Refuse).unwrap(), [&*path]);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "source,target\na,b\n");
    assert_eq!(names(folder.path()), ["edges_only.csv"]);
}

#[test]
fn sets_and_single_graphs_keep_apart() {
    let set = LoadedData::Graphs(GraphSet::new("s", vec![]));
    let told = write(&set, Path::new("x.npz"), None, Overwrite::Refuse).unwrap_err().with_values();
    assert!(told.contains("gin-text only"), "{told}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("set.txt");
    let labels = Labels::from_names(&["0", "1"]).unwrap();
    let pairs = GraphSet::new("set", vec![pair().graph().clone(); 2]).with_labels(labels).unwrap();
    write(&LoadedData::Graphs(pairs.clone()), &path, None, Overwrite::Refuse).unwrap();
    let back = read(&path, &ReadOptions::default()).unwrap().into_graphs().unwrap();
    assert_eq!(back.graphs(), pairs.graphs());
    let single = LoadedData::Nodes(pair());
    let told =
        write(&single, Path::new("x.txt"), None, Overwrite::Refuse).unwrap_err().with_values();
    assert!(told.contains("this is a single one"), "{told}");
}

#[test]
fn existing_targets_are_refused_or_replaced_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let data = LoadedData::Nodes(pair());
    write(&data, &path, None, Overwrite::Refuse).unwrap();
    let told = write(&data, &path, None, Overwrite::Refuse).unwrap_err().with_values();
    assert!(told.contains("it exists already"), "{told}");
    // Replacing is whole: a table that the new dataset lacks is gone.
    std::fs::write(path.join("features.csv"), "id,x\n").unwrap();
    write(&data, &path.join(""), None, Overwrite::Replace).unwrap();
    assert_eq!(names(&path), ["dataset.json", "edges.csv", "nodes.csv"]);
    assert_eq!(names(folder.path()), ["out"]);
    let back = read(&path, &ReadOptions::default()).unwrap().into_nodes().unwrap();
    assert_eq!(back.ids(), pair().ids());
    // Somebody's own files are not ours to delete.
    std::fs::write(path.join("thesis.tex"), "").unwrap();
    let told = write(&data, &path, None, Overwrite::Replace).unwrap_err().with_values();
    assert!(told.contains("also holds 'thesis.tex'"), "{told}");
    assert_eq!(names(&path).len(), 4);
    let told = write(&data, &path, Some(Format::GraphMl), Overwrite::Replace).unwrap_err();
    assert!(told.to_string().contains("a folder of that name exists"), "{told}");
}

#[test]
fn a_failure_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let bad = Dataset::new(
        "bad",
        Graph::empty(1, Direction::Undirected).unwrap(),
        NodeIds::texts(["\u{1}"]).unwrap(),
    );
    let path = folder.path().join("bad.graphml");
    let told = write(&LoadedData::Nodes(bad.unwrap()), &path, None, Overwrite::Refuse);
    let told = told.unwrap_err().with_values();
    assert!(told.contains("U+0001"), "{told}");
    assert!(names(folder.path()).is_empty());
    let missing = folder.path().join("no/such/folder.csv");
    let told = write(&LoadedData::Nodes(pair()), &missing, None, Overwrite::Refuse).unwrap_err();
    assert!(told.to_string().contains("folder.csv: there is no folder"), "{told}");
}

#[test]
fn a_target_can_be_checked_before_there_is_anything_to_write() {
    assert!(check(Path::new("people"), None).is_ok());
    assert!(check(Path::new("people.xyz"), Some(Format::Npz)).is_ok());
    let told = check(Path::new("people.xyz"), None).unwrap_err().with_values();
    assert!(told.contains("people.xyz: found the ending .xyz"), "{told}");
    let told = check(Path::new("people"), Some(Format::Jlg)).unwrap_err().with_values();
    assert!(told.contains("can be read but not written"), "{told}");
}

#[test]
fn the_temporary_stands_beside_its_target() {
    let name = |path: &str| temporary(Path::new(path)).unwrap();
    let number = std::process::id();
    assert_eq!(name("a/b.npz"), Path::new("a").join(format!(".b.npz.tmp-{number}")));
    assert_eq!(name("a/folder/"), Path::new("a").join(format!(".folder.tmp-{number}")));
    assert_eq!(temporary(Path::new("/")), None);
}
