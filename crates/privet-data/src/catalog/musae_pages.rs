//! Social and page graphs published with MUSAE, FEATHER and karateclub.
//!
//! Bounds. The feature files list which features are present, so every value is 0 or 1.
//!
//! Classes of Wikipedia. The target is a page's average monthly traffic, and LDP-GE speaks of two
//! classes without saying where it cuts. Here the cut is the median of the file: above it or not.
//! The karateclub package publishes two classes as well, but cuts at 4,728, far above the median.

use super::{
    BenchmarkCounts, BenchmarkFile, BenchmarkVariant, CatalogBenchmark, Paper, PublicBounds, Recipe,
};
use crate::formats::Format;

const FACEBOOK_EDGES: BenchmarkFile = BenchmarkFile::published(
    "facebook_page_page/facebook_edges.csv",
    1_882_610,
    "7c50d8f02a75cc0829577814a1fc14535164daa38d79c3612340c9e9cdbd4022",
    github!("benedekrozemberczki/MUSAE/master/input/edges/facebook_edges.csv"),
);

const FACEBOOK_FEATURES: BenchmarkFile = BenchmarkFile::published(
    "facebook_page_page/facebook_features.json",
    2_088_766,
    "ea870537646a93642a0008d38aa9bfeff02018070ba97b1f3f469d9622626436",
    github!("benedekrozemberczki/MUSAE/master/input/features/facebook.json"),
);

const FACEBOOK_TARGET: BenchmarkFile = BenchmarkFile::published(
    "facebook_page_page/facebook_target.csv",
    1_177_912,
    "7bd96eafea3c2ca40f44bfa9e73642194696c21e38c7b29ed409c32ad14075cd",
    github!("benedekrozemberczki/MUSAE/master/input/target/facebook_target.csv"),
);

const FACEBOOK_KARATECLUB: BenchmarkFile = BenchmarkFile::published(
    "facebook_page_page/karateclub_target.csv",
    168_660,
    "95987f6c9246f461511673041c88aa20cbd8596bc52b9688fdaab7bd5a720000",
    github!(
        "benedekrozemberczki/karateclub/efbd6505472b0a94ea659ccfe42f28a9dbcff95f/dataset/node_level/facebook/target.csv"
    ),
);

const LASTFM_EDGES: BenchmarkFile = BenchmarkFile::published(
    "lastfm_asia/lastfm_asia_edges.csv",
    270_447,
    "548eacff61bff564ab5007831fa4a7a30e1a3956075ffd24e43310ed33555842",
    github!(
        "benedekrozemberczki/FEATHER/master/new_node_level_dataset/edges/lastfm_asia_edges.csv"
    ),
);

const LASTFM_TARGET: BenchmarkFile = BenchmarkFile::published(
    "lastfm_asia/lastfm_asia_target.csv",
    56_482,
    "91f19215f6eca8321feec038bd32900cf13fd4f7e041a9976cf202807c72ac16",
    github!(
        "benedekrozemberczki/FEATHER/master/new_node_level_dataset/target/lastfm_asia_target.csv"
    ),
);

const CROCODILE_EDGES: BenchmarkFile = BenchmarkFile::published(
    "wikipedia_crocodile/musae_crocodile_edges.csv",
    1_873_093,
    "92f4fe840f5ef79f85364e3678bbc909d0c151e0ff8d8328854b602d998f2d22",
    github!("benedekrozemberczki/MUSAE/master/input/edges/crocodile_edges.csv"),
);

const CROCODILE_FEATURES: BenchmarkFile = BenchmarkFile::published(
    "wikipedia_crocodile/musae_crocodile_features.json",
    5_505_863,
    "361952b2be1a8b8286f3ca78fc4037a3014bf7d7d7417d8a56266d80df3972da",
    github!("benedekrozemberczki/MUSAE/master/input/features/crocodile.json"),
);

const CROCODILE_TARGET: BenchmarkFile = BenchmarkFile::published(
    "wikipedia_crocodile/musae_crocodile_target.csv",
    111_218,
    "f83d79b3c6979639475d90fb5e2c969d2c21b64b068abc19e57f93c8fedfef1d",
    github!("benedekrozemberczki/MUSAE/master/input/target/crocodile_target.csv"),
);

const CROCODILE_KARATECLUB: BenchmarkFile = BenchmarkFile::published(
    "wikipedia_crocodile/karateclub_target.csv",
    81_948,
    "19d61f7d5093b5bd1f3a0cb61fa6375a78f5d675a6f0e59bc38cd8350a00a958",
    github!(
        "benedekrozemberczki/karateclub/2d7d208f03fc959cd7ea3b5c6eacd34f45f34501/dataset/node_level/wikipedia/target.csv"
    ),
);

const WIKIPEDIA_ZIP: BenchmarkFile = BenchmarkFile::published(
    "wikipedia_crocodile/wikipedia.zip",
    3_784_155,
    "aeef409fca6b08abe9e3751bf41839b2544d499f0eca174701f87c9f93c71b86",
    github!("williewheeler/gnn-demos/6fc914b39d621915262b46bb13a3a6bc527c7fbb/wikipedia.zip"),
);

const LASTFM_FEATURES: BenchmarkFile = BenchmarkFile::unseen(
    "lastfm_asia/lastfm_asia_features.json",
    "benedekrozemberczki/FEATHER: new_node_level_dataset/features/lastfm_asia_features.json, \
     git object id e8606ab45b45f53ab763c6c57e9da0b6f7e5ab01",
)
.optional();

const PAGES_LICENCE: &str = "not stated for the data, terms of the publisher (SNAP) not checked; \
    the repositories that serve the files are GPL-3.0, and none is stated for wikipedia.zip";

const MUSAE: BenchmarkVariant = BenchmarkVariant {
    name: "musae",
    about: "edges and targets as csv, features as json",
    format: Format::Musae,
    member: None,
    layouts: &[],
    counts: BenchmarkCounts::quoted(),
    bounds: PublicBounds::Binary,
    recipe: Recipe::AsRead,
};

const FACEBOOK_COUNTS: BenchmarkCounts =
    BenchmarkCounts::of(22_470, 170_823).features(4_714, Some(314_583)).classes(4);

pub(super) static FACEBOOK: CatalogBenchmark = CatalogBenchmark {
    name: "facebook_page_page",
    aliases: &["facebook"],
    title: "Facebook: verified pages that like each other",
    papers: &[Paper::LdpGe],
    published: "Rozemberczki, Allen and Sarkar (MUSAE); also SNAP",
    licence: PAGES_LICENCE,
    note: "LDP-GE's 170,912 edges count each of the 179 self-loops as half an edge",
    variants: &[
        BenchmarkVariant {
            layouts: &[&[FACEBOOK_EDGES, FACEBOOK_FEATURES, FACEBOOK_TARGET]],
            counts: FACEBOOK_COUNTS,
            ..MUSAE
        },
        BenchmarkVariant {
            name: "karateclub",
            about: "the same graph with karateclub's class numbers: company, tvshow, politician, \
                government",
            layouts: &[&[FACEBOOK_EDGES, FACEBOOK_FEATURES, FACEBOOK_KARATECLUB]],
            counts: FACEBOOK_COUNTS,
            ..MUSAE
        },
    ],
};

const LASTFM_FILES: &[BenchmarkFile] = &[LASTFM_EDGES, LASTFM_TARGET, LASTFM_FEATURES];

pub(super) static LASTFM: CatalogBenchmark = CatalogBenchmark {
    name: "lastfm_asia",
    aliases: &["lastfm"],
    title: "LastFM: listeners in Asia who follow each other, by country",
    papers: &[Paper::LdpGe],
    published: "Rozemberczki and Sarkar (FEATHER); also SNAP",
    licence: "not stated for the data, terms of the publisher (SNAP) not checked; the repository \
        that serves the files is MIT",
    note: "LDP-GE uses the 10 largest classes: lastfm_asia/top10. The features (artists liked) have \
        no verified download",
    variants: &[
        BenchmarkVariant {
            about: "all 18 classes; features only if their file was put there by hand",
            layouts: &[LASTFM_FILES],
            counts: BenchmarkCounts::of(7_624, 27_806).features(7_842, None).classes(18),
            ..MUSAE
        },
        BenchmarkVariant {
            name: "top10",
            about: "the nodes of the 10 largest classes and the edges among them, as in LDP-GE",
            layouts: &[LASTFM_FILES],
            counts: BenchmarkCounts::of(7_083, 25_814).features(7_842, None).classes(10),
            recipe: Recipe::LargestClasses(10),
            ..MUSAE
        },
    ],
};

const CROCODILE_COUNTS: BenchmarkCounts =
    BenchmarkCounts::of(11_631, 170_773).features(13_183, Some(874_200)).classes(2);

pub(super) static WIKIPEDIA: CatalogBenchmark = CatalogBenchmark {
    name: "wikipedia_crocodile",
    aliases: &["wikipedia", "crocodile"],
    title: "Wikipedia: English pages about crocodiles and the links between them",
    papers: &[Paper::LdpGe],
    published: "Rozemberczki, Allen and Sarkar (MUSAE); also SNAP",
    licence: PAGES_LICENCE,
    note: "LDP-GE's 170,845 edges count each of the 145 self-loops as half an edge. Classes: \
        monthly traffic above the median of 1,226, or not; karateclub's classes differ",
    variants: &[
        BenchmarkVariant {
            layouts: &[&[CROCODILE_EDGES, CROCODILE_FEATURES, CROCODILE_TARGET]],
            counts: CROCODILE_COUNTS,
            recipe: Recipe::SplitTargetAt(1_226.0),
            ..MUSAE
        },
        BenchmarkVariant {
            name: "karateclub",
            about: "the same graph with karateclub's two classes: traffic of 4,728 or more, or not",
            layouts: &[&[CROCODILE_EDGES, CROCODILE_FEATURES, CROCODILE_KARATECLUB]],
            counts: CROCODILE_COUNTS,
            ..MUSAE
        },
        BenchmarkVariant {
            name: "zip",
            about: "the same graph, from SNAP's archive of three",
            member: Some("crocodile"),
            layouts: &[&[WIKIPEDIA_ZIP]],
            counts: CROCODILE_COUNTS,
            recipe: Recipe::SplitTargetAt(1_226.0),
            ..MUSAE
        },
        BenchmarkVariant {
            name: "chameleon",
            about: "pages about chameleons; traffic above their median of 2,003, or not",
            member: Some("chameleon"),
            layouts: &[&[WIKIPEDIA_ZIP]],
            counts: BenchmarkCounts::of(2_277, 31_371).features(3_132, Some(49_057)).classes(2),
            recipe: Recipe::SplitTargetAt(2_003.0),
            ..MUSAE
        },
        BenchmarkVariant {
            name: "squirrel",
            about: "pages about squirrels; traffic above their median of 9,225, or not",
            member: Some("squirrel"),
            layouts: &[&[WIKIPEDIA_ZIP]],
            counts: BenchmarkCounts::of(5_201, 198_353).features(3_148, Some(137_689)).classes(2),
            recipe: Recipe::SplitTargetAt(9_225.0),
            ..MUSAE
        },
    ],
};
