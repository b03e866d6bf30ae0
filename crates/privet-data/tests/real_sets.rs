//! The published MUSAE, GIN, TU and json sets, read whole: counts are those their publishers state.

#![expect(clippy::unwrap_used, reason = "clippy knows no test outside a function marked #[test]")]

use std::collections::BTreeSet;
use std::path::PathBuf;

use privet_data::formats::{self, Bundle, Format, Limits, ReadOptions, detect, gin_text, musae};
use privet_graph::{BoundsOrigin, Dataset, Graph, GraphSet, NodeId};

/// The folder with the published files, or `None` (and a line saying why) if it is not there.
fn data(path: &str) -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let root = std::env::var_os("PRIVET_DATA_DIR").map_or(beside.into(), PathBuf::from);
    let path = root.join(path);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: {} is not there (set PRIVET_DATA_DIR)", path.display());
    None
}

fn options(member: Option<&str>) -> ReadOptions {
    ReadOptions { member: member.map(Into::into), ..ReadOptions::default() }
}

fn nodes(path: &str, format: Format, member: Option<&str>) -> Option<Dataset> {
    let bundle = Bundle::from_path(&data(path)?, Limits::default()).unwrap();
    assert_eq!(detect(&bundle).unwrap(), format);
    Some(formats::read_bundle(&bundle, &options(member)).unwrap().into_nodes().unwrap())
}

fn graphs(path: &str, format: Format) -> Option<GraphSet> {
    let bundle = Bundle::from_path(&data(path)?, Limits::default()).unwrap();
    assert_eq!(detect(&bundle).unwrap(), format);
    Some(formats::read_bundle(&bundle, &options(None)).unwrap().into_graphs().unwrap())
}

/// Nodes, edges, feature columns, feature values.
fn counts(data: &Dataset) -> (usize, usize, usize, usize) {
    let (columns, nonzeros) = data.features().map_or((0, 0), |f| (f.columns(), f.nonzeros()));
    (data.graph().node_count(), data.graph().edge_count(), columns, nonzeros)
}

fn set_counts(set: &GraphSet) -> (usize, usize, usize) {
    (set.len(), set.node_count(), set.edge_count())
}

fn class_sizes(labels: &privet_graph::Labels) -> Vec<(&str, usize)> {
    labels.class_names().iter().map(String::as_str).zip(labels.class_sizes()).collect()
}

fn notices(notices: &[privet_graph::Notice]) -> String {
    notices.iter().map(|notice| format!("{}\n", notice.text)).collect()
}

fn size_range(set: &GraphSet) -> (usize, usize) {
    let sizes = || set.graphs().iter().map(Graph::node_count);
    (sizes().min().unwrap(), sizes().max().unwrap())
}

#[test]
fn facebook() {
    let Some(data) = nodes("facebook_page_page", Format::Musae, None) else { return };
    assert_eq!((data.name(), counts(&data)), ("facebook", (22_470, 170_823, 4_714, 314_583)));
    assert!(data.ids().is_sequential());
    let bounds = data.features().unwrap().bounds().unwrap();
    assert_eq!((bounds.column(0), bounds.origin()), ((0.0, 1.0), &BoundsOrigin::Format));
    assert_eq!(
        class_sizes(data.labels().unwrap()),
        [("company", 6_495), ("government", 6_880), ("politician", 5_768), ("tvshow", 3_327)]
    );
    assert_eq!(notices(data.notices()), "179 self-loops dropped\n");
}

#[test]
fn facebook_labels_agree_with_the_copy_by_karateclub() {
    let Some(folder) = data("facebook_page_page") else { return };
    let Some(data) = nodes("facebook_page_page", Format::Musae, None) else { return };
    let other = std::fs::read_to_string(folder.join("karateclub_target.csv")).unwrap();
    // company 0, tvshow 1, politician 2, government 3; ours are by name.
    let ours = [0, 3, 2, 1];
    for (node, line) in other.lines().skip(1).enumerate() {
        let class: usize = line.rsplit(',').next().unwrap().parse().unwrap();
        assert_eq!(data.labels().unwrap().class(node as NodeId), Some(ours[class]), "{line}");
    }
}

#[test]
fn an_edge_file_alone_is_not_claimed() {
    let Some(path) = data("facebook_page_page/facebook_edges.csv") else { return };
    let bundle = Bundle::from_path(&path, Limits::default()).unwrap();
    assert_ne!(detect(&bundle).ok(), Some(Format::Musae));
}

#[test]
fn crocodile_from_the_folder_and_from_the_zip() {
    let Some(folder) = nodes("wikipedia_crocodile", Format::Musae, None) else { return };
    assert_eq!(counts(&folder), (11_631, 170_773, 13_183, 874_200));
    assert!(folder.ids().is_sequential() && folder.labels().is_none());
    let message = notices(folder.notices());
    for part in ["145 self-loops", "9102 pairs that repeat", "looks like a quantity", "threshold"] {
        assert!(message.contains(part), "{message}");
    }
    let zip = "wikipedia_crocodile/wikipedia.zip";
    let zipped = nodes(zip, Format::Musae, Some("crocodile")).unwrap();
    assert_eq!(zipped.name(), folder.name());
    assert_eq!(zipped.graph(), folder.graph());
    assert_eq!(zipped.features(), folder.features());
}

#[test]
fn crocodile_classes_are_the_split_at_the_median() {
    let Some(path) = data("wikipedia_crocodile") else { return };
    let bundle = Bundle::from_path(&path, Limits::default()).unwrap();
    let traffic = musae::read_target(&bundle, &options(None)).unwrap();
    let mut sorted: Vec<f64> = traffic.iter().map(|&(_, value)| value).collect();
    sorted.sort_by(f64::total_cmp);
    assert_eq!((sorted.len(), sorted[0], sorted[11_630]), (11_631, 11.0, 710_081.0));
    let median = sorted[sorted.len() / 2];
    assert_eq!((median, sorted.iter().filter(|&&v| v == median).count()), (1_226.0, 2));
    let data = formats::read_bundle(&bundle, &options(None)).unwrap().into_nodes().unwrap();
    let labels = musae::threshold_labels(data.ids(), &traffic, median).unwrap();
    assert_eq!(labels.class_sizes(), [5_814 + 2, 5_815]);
}

#[test]
fn the_other_wikipedia_graphs() {
    let zip = "wikipedia_crocodile/wikipedia.zip";
    let Some(chameleon) = nodes(zip, Format::Musae, Some("chameleon")) else { return };
    let (nodes_, edges, columns, _) = counts(&chameleon);
    assert_eq!((nodes_, edges, columns), (2_277, 31_371, 3_132));
    let squirrel = nodes(zip, Format::Musae, Some("squirrel")).unwrap();
    let (nodes_, edges, columns, _) = counts(&squirrel);
    assert_eq!((nodes_, edges, columns), (5_201, 198_353, 3_148));
    let message = formats::read(data(zip).unwrap(), &options(None)).unwrap_err().with_values();
    assert!(
        message.ends_with(
            "found 3 datasets (chameleon, crocodile, squirrel); \
             expected one; choose it with --member NAME"
        ),
        "{message}"
    );
    let message =
        formats::read(data(zip).unwrap(), &options(Some("squirel"))).unwrap_err().with_values();
    assert!(message.contains("did you mean 'squirrel'"), "{message}");
}

#[test]
fn lastfm_and_its_ten_largest_classes() {
    let Some(data) = nodes("lastfm_asia", Format::Musae, None) else { return };
    assert_eq!((data.name(), counts(&data)), ("lastfm_asia", (7_624, 27_806, 0, 0)));
    assert!(data.ids().is_sequential() && data.notices().is_empty());
    let labels = data.labels().unwrap();
    let names: Vec<String> = (0..18).map(|class| class.to_string()).collect();
    assert_eq!(labels.class_names(), names);
    let sizes = labels.class_sizes();
    assert_eq!(
        sizes,
        [1098, 54, 73, 515, 16, 391, 655, 82, 468, 58, 1303, 138, 57, 63, 570, 257, 254, 1572]
    );
    let mut by_size: Vec<u32> = (0..18).collect();
    by_size.sort_by_key(|&class| std::cmp::Reverse(sizes[class as usize]));
    let largest = &by_size[..10];
    assert_eq!(largest, [17, 10, 0, 6, 14, 3, 8, 5, 15, 16]);
    let kept: Vec<NodeId> = data
        .graph()
        .nodes()
        .filter(|&node| labels.class(node).is_some_and(|class| largest.contains(&class)))
        .collect();
    assert_eq!(counts(&data.induced(&kept).unwrap()), (7_083, 25_814, 0, 0));
}

#[test]
fn reddit_binary_in_both_line_ends_and_written_again() {
    let gz = "reddit_binary/REDDITBINARY.txt.gz";
    let Some(set) = graphs(gz, Format::GinText) else { return };
    assert_eq!((set.name(), set_counts(&set)), ("REDDITBINARY", (2_000, 859_254, 995_508)));
    assert_eq!(size_range(&set), (6, 3_782));
    assert_eq!(class_sizes(set.labels().unwrap()), [("0", 1_000), ("1", 1_000)]);
    assert!(set.node_tags().unwrap().iter().flatten().all(|&tag| tag == 0));
    assert!(set.node_attributes().is_none() && set.notices().is_empty());
    let crlf = graphs("reddit_binary/REDDITBINARY.crlf.zip", Format::GinText).unwrap();
    assert_eq!(crlf, set);
    let mut text = Vec::new();
    gin_text::write(&set, &mut text).unwrap();
    // The published neighbours are not sorted, ours are; nothing else differs.
    assert_eq!(text.len(), 11_365_655);
    let written = Bundle::from_memory("", [("REDDITBINARY.txt", text)], Limits::default());
    let again = gin_text::read(&written, &options(None)).unwrap().into_graphs().unwrap();
    assert_eq!(again, set);
}

#[test]
fn mutag_has_the_same_graphs_in_tu_and_gin_in_another_order() {
    let Some(tu) = graphs("mutag/MUTAG.tu.zip", Format::Tu) else { return };
    let gin = graphs("mutag/MUTAG.gin.zip", Format::GinText).unwrap();
    for set in [&tu, &gin] {
        assert_eq!((set.name(), set_counts(set)), ("MUTAG", (188, 3_371, 3_721)));
        assert_eq!(size_range(set), (10, 28));
    }
    assert_eq!(class_sizes(tu.labels().unwrap()), [("-1", 63), ("1", 125)]);
    assert_eq!(class_sizes(gin.labels().unwrap()), [("0", 63), ("2", 125)]);
    assert_eq!(notices(tu.notices()), "ignored\n");
    assert_ne!(tu.graphs(), gin.graphs());
    // Nodes keep their numbers, classes their order, and GIN calls atom t of TU `renamed[t]`.
    let renamed = [2, 5, 6, 3, 4, 1, 0];
    let mut from_tu = described(&tu, |tag| renamed[tag as usize]);
    let mut from_gin = described(&gin, |tag| tag);
    from_tu.sort();
    from_gin.sort();
    assert_eq!(from_tu, from_gin);
}

/// Class, tags and edges of a graph.
type Described = (Option<u32>, Vec<u32>, Vec<(NodeId, NodeId)>);

fn described(set: &GraphSet, rename: impl Fn(u32) -> u32) -> Vec<Described> {
    let describe = |at: usize| {
        let tags = set.node_tags().unwrap()[at].iter().map(|&tag| rename(tag)).collect();
        (set.labels().unwrap().class(at as NodeId), tags, set.graphs()[at].edges().collect())
    };
    (0..set.len()).map(describe).collect()
}

#[test]
fn the_folds_of_mutag_test_180_graphs_once_and_8_never() {
    let Some(gin) = graphs("mutag/MUTAG.gin.zip", Format::GinText) else { return };
    assert_eq!(gin.splits().len(), 10);
    let sizes = |s: &privet_graph::Split| (s.train.len(), s.validation.len(), s.test.len());
    assert!(gin.splits().iter().all(|split| sizes(split) == (170, 0, 18)));
    let tested: BTreeSet<_> = gin.splits().iter().flat_map(|split| &split.test).collect();
    assert_eq!(tested.len(), 180);
}

#[test]
fn imdb_has_the_same_graphs_in_tu_and_gin_in_the_same_order() {
    let Some(tu) = graphs("imdb_binary/IMDB-BINARY.tu.zip", Format::Tu) else { return };
    let gin = graphs("imdb_binary/IMDBBINARY.gin.zip", Format::GinText).unwrap();
    assert_eq!((tu.name(), gin.name()), ("IMDB-BINARY", "IMDBBINARY"));
    assert_eq!(set_counts(&tu), (1_000, 19_773, 96_531));
    assert_eq!(size_range(&tu), (12, 136));
    assert_eq!(class_sizes(tu.labels().unwrap()), [("0", 500), ("1", 500)]);
    assert_eq!((tu.graphs(), tu.labels()), (gin.graphs(), gin.labels()));
    // Every arc is listed twice in TU.
    assert_eq!(notices(tu.notices()), "193062 pairs that repeat an earlier one folded away\n");
    let tested: BTreeSet<_> = gin.splits().iter().flat_map(|split| &split.test).collect();
    assert_eq!((gin.splits().len(), tested.len()), (10, 1_000));
}

#[test]
fn reddit_threads() {
    let Some(set) = graphs("reddit_threads_10k", Format::GraphJson) else { return };
    assert_eq!(set_counts(&set), (10_000, 237_390, 246_184));
    assert_eq!(size_range(&set), (11, 97));
    assert!(set.ids().is_sequential());
    assert_eq!(class_sizes(set.labels().unwrap()), [("0", 4_843), ("1", 5_157)]);
    assert_eq!(notices(set.notices()), "1365 self-loops dropped\n");
    let alone = graphs("reddit_threads_10k/graphs.json", Format::GraphJson).unwrap();
    assert_eq!((alone.graphs(), alone.labels()), (set.graphs(), None));
    assert!(notices(alone.notices()).contains("give the folder"));
}
