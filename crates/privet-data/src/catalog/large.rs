//! Graphs for measuring speed, and the two of the papers that no server offers ready to read.

use super::{
    BenchmarkCounts, BenchmarkFile, BenchmarkVariant, CatalogBenchmark, Paper, PublicBounds, Recipe,
};
use crate::formats::Format;

const TWITTER_FILES: &[BenchmarkFile] = published! {
    "large/" from "JuliaGraphs/SNAPDatasets.jl/cc0f402d7b44a58b4bba4e03d324aa7c33af872d/data/ego-twitter/" {
        "ego-twitter-undirected.jlg" 3_366_507 "7f81dda501ad839152246ff328db8108d84b9646534a7236726e8f7e62ef6d11";
    }
};

const SLASHDOT_FILES: &[BenchmarkFile] = published! {
    "large/" from "JuliaGraphs/SNAPDatasets.jl/cc0f402d7b44a58b4bba4e03d324aa7c33af872d/data/soc-slashdot0902/" {
        "soc-slashdot0902-undirected.jlg" 1_976_497 "5e9d06049c187f07833739edc9f6b538b39724f4a80d4504659c54ec1ada21ca";
    }
};

const EPINIONS_FILE: BenchmarkFile = BenchmarkFile::known(
    "large/soc-Epinions1.txt.gz",
    1_629_277,
    "6d48a82599c44d03c3827915b818bc55378d5b029a07301b0cb9f260599250f7",
    "the SNAP edge list soc-Epinions1, gzipped; SkBlaz/py3plex 0.78 ships the text as datasets/soc-Epinions1.edgelist",
);

const CNR_FILE: BenchmarkFile = BenchmarkFile::known(
    "large/cnr-2000.arcs.tsv.gz",
    8_036_816,
    "270044945d1811ffe08fbc0efbfd913ed2e6336cbffb28a8b26b814f0efc02ff",
    "decoded from the BVGraph file of LAW Milano, vigna/webgraph-rs: data/cnr-2000.graph, into lines of tab-separated arcs",
);

const EDGES: BenchmarkVariant = BenchmarkVariant {
    name: "edges",
    about: "structure alone",
    format: Format::EdgeList,
    member: None,
    layouts: &[],
    counts: BenchmarkCounts::quoted(),
    bounds: PublicBounds::Unstated,
    recipe: Recipe::AsRead,
};

const SNAP_LICENCE: &str = "not stated for the data, terms of the publisher (SNAP) not checked; \
    the repository that serves the file is MIT-style";

pub(super) static EGO_TWITTER: CatalogBenchmark = CatalogBenchmark {
    name: "ego_twitter",
    aliases: &["twitter"],
    title: "Twitter circles, taken as undirected",
    papers: &[],
    published: "SNAP, converted by SNAPDatasets.jl",
    licence: SNAP_LICENCE,
    note: "",
    variants: &[BenchmarkVariant {
        name: "jlg",
        format: Format::Jlg,
        layouts: &[TWITTER_FILES],
        counts: BenchmarkCounts::of(81_306, 1_342_296),
        ..EDGES
    }],
};

pub(super) static SOC_SLASHDOT: CatalogBenchmark = CatalogBenchmark {
    name: "soc_slashdot",
    aliases: &["slashdot", "soc_slashdot0902"],
    title: "Slashdot users of February 2009, taken as undirected",
    papers: &[],
    published: "SNAP, converted by SNAPDatasets.jl",
    licence: SNAP_LICENCE,
    note: "the file also holds 78,303 self-loops",
    variants: &[BenchmarkVariant {
        name: "jlg",
        format: Format::Jlg,
        layouts: &[SLASHDOT_FILES],
        counts: BenchmarkCounts::of(82_168, 504_230),
        ..EDGES
    }],
};

pub(super) static SOC_EPINIONS: CatalogBenchmark = CatalogBenchmark {
    name: "soc_epinions",
    aliases: &["epinions", "soc_epinions1"],
    title: "Epinions: who trusts whose reviews",
    papers: &[],
    published: "SNAP",
    licence: "not stated for the data, terms of the publisher (SNAP) not checked",
    note: "the file holds 508,837 directed arcs",
    variants: &[BenchmarkVariant {
        layouts: &[&[EPINIONS_FILE]],
        counts: BenchmarkCounts::of(75_879, 405_740),
        ..EDGES
    }],
};

pub(super) static CNR_2000: CatalogBenchmark = CatalogBenchmark {
    name: "cnr_2000",
    aliases: &["cnr"],
    title: "Web pages of the Italian CNR domain and their links",
    papers: &[],
    published: "LAW, Università degli Studi di Milano",
    licence: "not stated for the data, terms of the publisher (LAW) not checked; the repository \
        that ships the BVGraph file is Apache-2.0 among others",
    note: "the file holds 3,216,152 directed arcs; it was decoded from a BVGraph file, and no \
        reference text exists to compare it with",
    variants: &[BenchmarkVariant {
        layouts: &[&[CNR_FILE]],
        counts: BenchmarkCounts::of(325_557, 2_738_969),
        ..EDGES
    }],
};

pub(super) static FLICKR_MIR: CatalogBenchmark = CatalogBenchmark {
    name: "flickr_mir",
    aliases: &["flickr", "mir_flickr"],
    title: "Flickr-MIR: photos that share friends, groups or places (structure alone)",
    papers: &[Paper::HeteroRr],
    published: "MIR-Flickr; edges in the repository DPGNN",
    licence: "not stated for the data, terms of the publisher not checked; the repository that \
        holds the edges is MIT",
    note: "the features (embeddings of the photos) are not published",
    variants: &[BenchmarkVariant {
        layouts: &[&[BenchmarkFile::unseen(
            "flickr_mir/mir_priv.pairs",
            "khangtran2020/DPGNN: ERand/data/mir_priv.pairs, over 4 MB",
        )]],
        ..EDGES
    }],
};

pub(super) static REDDIT: CatalogBenchmark = CatalogBenchmark {
    name: "reddit",
    aliases: &["reddit_graphsage"],
    title: "Reddit posts commented on by the same people, by community",
    papers: &[Paper::Dpar],
    published: "Hamilton, Ying and Leskovec (GraphSAGE); also DGL",
    licence: "not stated for the data, terms of the publisher (SNAP) not checked",
    note: "DPAR uses 116,713 of the 232,965 nodes and 8 of the 41 classes; which is not published",
    variants: &[BenchmarkVariant {
        name: "npz",
        about: "converted by you: arrays adj_* and attr_* (CSR) and labels",
        format: Format::Npz,
        layouts: &[&[BenchmarkFile::unseen(
            "reddit/reddit.npz",
            "GraphSAGE and DGL publish reddit.zip, over 1 GB, in layouts of their own; save its \
             arrays under the keys adj_data, adj_indices, adj_indptr, adj_shape, the same with \
             attr_, and labels",
        )]],
        counts: BenchmarkCounts {
            nodes: Some(232_965),
            ..BenchmarkCounts::quoted().features(602, None).classes(41)
        },
        ..EDGES
    }],
};
