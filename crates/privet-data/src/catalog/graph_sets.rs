//! Sets of many small graphs, each with a class: discussion threads, molecules, film casts.

use super::{
    Benchmark, BenchmarkCounts, BenchmarkFile, BenchmarkVariant, Paper, PublicBounds, Recipe,
};
use crate::formats::Format;

const REDDIT_BINARY_TEXT: BenchmarkFile = BenchmarkFile::published(
    "reddit_binary/REDDITBINARY.txt",
    11_365_655,
    "bcb6e72c03caf669a605ea6755644ae707d408aaeb5fe821a5474a953c63099a",
    github!("DPRR-GNN/DPRR-GNN/HEAD/dataset/REDDITBINARY/REDDITBINARY.txt"),
);

const REDDIT_BINARY_PACKED: BenchmarkFile = BenchmarkFile::known(
    "reddit_binary/REDDITBINARY.txt.gz",
    3_214_278,
    "850e6bef1f270c6e2a2719f6db6b48d244c9c46fdb86c818a8b476e9be621002",
    "packed; the published file is REDDITBINARY.txt",
);

const REDDIT_BINARY_CRLF: BenchmarkFile = BenchmarkFile::published(
    "reddit_binary/REDDITBINARY.crlf.zip",
    3_295_179,
    "e52d20a916eeb6e087fdfe1eb1b09c472d04c55a3e218c3128f6155f909f28fe",
    github!("Abrar2652/SpecCert/a5421bda8a1e9509ce928fee0a5eeadefe96d0e4/dataset/REDDITBINARY.zip"),
);

const MUTAG_TU: BenchmarkFile = BenchmarkFile::published(
    "mutag/MUTAG.tu.zip",
    24_422,
    "20f52db82d6d85d5f67d2fa42c3fb705d05934be44329314ab17b05d0c012f7e",
    github!("bknyaz/graph_nn/42424688d23f34f6b6e9b4c110f3381c02198312/data/MUTAG.zip"),
);

const MUTAG_GIN: BenchmarkFile = BenchmarkFile::published(
    "mutag/MUTAG.gin.zip",
    48_742,
    "79481e603e30db3b62db014a22ee0973741277b31ee199ed1663cc109f65fa38",
    github!("Abrar2652/SpecCert/34cb36ebf0e5d7fce30f85a4d2fafbe090814399/dataset/MUTAG.zip"),
);

const IMDB_TU: BenchmarkFile = BenchmarkFile::published(
    "imdb_binary/IMDB-BINARY.tu.zip",
    579_096,
    "2a4abb6431ec1ab025a6fbcd3b546607191f79a1e0aef0f42cd8bd4ec1546116",
    github!("bknyaz/graph_nn/42424688d23f34f6b6e9b4c110f3381c02198312/data/IMDB-BINARY.zip"),
);

const IMDB_GIN: BenchmarkFile = BenchmarkFile::published(
    "imdb_binary/IMDBBINARY.gin.zip",
    335_247,
    "690b68ccd278ddfc4ae94181865d4ee386ac319aa4128c7351e9b48db506d23c",
    github!("Abrar2652/SpecCert/8ebc33241ece7898393f119ffa7681201ce389b0/dataset/IMDBBINARY.zip"),
);

const REDDIT_THREADS_FILES: &[BenchmarkFile] = published! {
    "reddit_threads_10k/" from "benedekrozemberczki/karateclub/master/dataset/graph_level/reddit10k/" {
        "graphs.json" 2_371_386 "7639a22cdbbee2b45c1009eac3ef855be6c0a68d2bd3ece6ac8e13a48ff1f112";
    }
    "reddit_threads_10k/" from "benedekrozemberczki/karateclub/6f6fe5e3ca68ebd08cb3ebcad5276603b32a787d/dataset/graph_level/reddit10k/" {
        "target.csv" 68_900 "97bbd30f7daf30ceb8a42a953c2de1ffe95c17c74bf40df985c8059db6a77fe2";
    }
};

const GIN_TEXT: BenchmarkVariant = BenchmarkVariant {
    name: "gin",
    about: "integers, as the GIN and DPRR code read them",
    format: Format::GinText,
    member: None,
    layouts: &[],
    counts: BenchmarkCounts::quoted(),
    bounds: PublicBounds::Unstated,
    recipe: Recipe::AsRead,
};

const TU_TEXT: BenchmarkVariant = BenchmarkVariant {
    name: "tu",
    about: "zip of TU Dortmund's tables, as first published",
    format: Format::Tu,
    ..GIN_TEXT
};

const TU: &str = "TU Dortmund, benchmark data sets for graph kernels";
const TU_LICENCE: &str = "not stated for the data, terms of the publisher (TU Dortmund) not \
    checked; the repositories that serve the files are ECL-2.0 (tu) and MIT (gin)";
const DPRR_LICENCE: &str = "not stated for the data, terms of the publisher (TU Dortmund, SNAP) \
    not checked; the repository that serves the text is MIT";

const REDDIT_BINARY_COUNTS: BenchmarkCounts =
    BenchmarkCounts::of(859_254, 995_508).classes(2).graphs(2_000);

pub(super) static REDDIT_BINARY: Benchmark = Benchmark {
    name: "reddit_binary",
    aliases: &["redditbinary", "reddit_b"],
    title: "REDDIT-BINARY: discussion threads, question/answer or debate",
    papers: &[Paper::Dprr],
    published: TU,
    licence: DPRR_LICENCE,
    note: "DPRR gives 3,648 nodes for the largest graph and 3,782 for that of REDDIT-MULTI-5K; in \
        this file the largest has 3,782",
    variants: &[
        BenchmarkVariant {
            layouts: &[&[REDDIT_BINARY_TEXT], &[REDDIT_BINARY_PACKED]],
            counts: REDDIT_BINARY_COUNTS,
            ..GIN_TEXT
        },
        BenchmarkVariant {
            name: "crlf",
            about: "the same text with CR LF line ends, zipped",
            layouts: &[&[REDDIT_BINARY_CRLF]],
            counts: REDDIT_BINARY_COUNTS,
            ..GIN_TEXT
        },
    ],
};

pub(super) static REDDIT_MULTI_5K: Benchmark = Benchmark {
    name: "reddit_multi_5k",
    aliases: &["redditmulti5k", "reddit_multi5k", "reddit_5k"],
    title: "REDDIT-MULTI-5K: discussion threads of five communities",
    papers: &[Paper::Dprr],
    published: TU,
    licence: DPRR_LICENCE,
    note: "",
    variants: &[BenchmarkVariant {
        layouts: &[&[BenchmarkFile::unseen(
            "reddit_multi_5k/REDDITMULTI5K.txt",
            "DPRR-GNN/DPRR-GNN: dataset/REDDITMULTI5K/REDDITMULTI5K.txt, git object id \
             662674919b455abd85aed0a25406c59660072052; also in weihua916/powerful-gnns: dataset.zip",
        )]],
        counts: BenchmarkCounts::quoted().classes(5).graphs(4_999),
        ..GIN_TEXT
    }],
};

pub(super) static GITHUB_STARGAZERS: Benchmark = Benchmark {
    name: "github_stargazers",
    aliases: &["stargazers", "git_stargazers"],
    title: "GitHub StarGazers: followers among people who starred a repository, web or learning",
    papers: &[Paper::Dprr],
    published: "Rozemberczki and others (karateclub); also SNAP",
    licence: DPRR_LICENCE,
    note: "",
    variants: &[BenchmarkVariant {
        layouts: &[&[BenchmarkFile::unseen(
            "github_stargazers/github_stargazers.txt",
            "DPRR-GNN/DPRR-GNN: dataset/github_stargazers/github_stargazers.txt, git object id \
             7b0f8f91fb66f6f988c8cf1fd52ccadd66a8e76d",
        )]],
        counts: BenchmarkCounts::quoted().classes(2).graphs(12_725),
        ..GIN_TEXT
    }],
};

const MUTAG_COUNTS: BenchmarkCounts = BenchmarkCounts::of(3_371, 3_721).classes(2).graphs(188);

pub(super) static MUTAG: Benchmark = Benchmark {
    name: "mutag",
    aliases: &[],
    title: "MUTAG: molecules, mutagenic or not, atoms tagged by element",
    papers: &[],
    published: TU,
    licence: TU_LICENCE,
    note: "classes are -1 and 1 in tu, 0 and 2 in gin",
    variants: &[
        BenchmarkVariant { layouts: &[&[MUTAG_TU]], counts: MUTAG_COUNTS, ..TU_TEXT },
        BenchmarkVariant {
            about: "zip of GIN text, with ten shipped splits",
            layouts: &[&[MUTAG_GIN]],
            counts: MUTAG_COUNTS,
            ..GIN_TEXT
        },
    ],
};

const IMDB_COUNTS: BenchmarkCounts = BenchmarkCounts::of(19_773, 96_531).classes(2).graphs(1_000);

pub(super) static IMDB_BINARY: Benchmark = Benchmark {
    name: "imdb_binary",
    aliases: &["imdb", "imdbbinary", "imdb_b"],
    title: "IMDB-BINARY: who played in a film with whom, action or romance",
    papers: &[],
    published: TU,
    licence: TU_LICENCE,
    note: "",
    variants: &[
        BenchmarkVariant { layouts: &[&[IMDB_TU]], counts: IMDB_COUNTS, ..TU_TEXT },
        BenchmarkVariant {
            about: "zip of GIN text, with ten shipped splits",
            layouts: &[&[IMDB_GIN]],
            counts: IMDB_COUNTS,
            ..GIN_TEXT
        },
    ],
};

pub(super) static REDDIT_THREADS: Benchmark = Benchmark {
    name: "reddit_threads_10k",
    aliases: &["reddit_threads", "reddit10k", "reddit_10k"],
    title: "Reddit threads: the first 10,000, discussion or not",
    papers: &[],
    published: "Rozemberczki and others (karateclub)",
    licence: "not stated for the data, terms of the publisher (SNAP) not checked; the repository \
        that serves the files is GPL-3.0",
    note: "",
    variants: &[BenchmarkVariant {
        name: "json",
        about: "edges as json, classes as csv",
        format: Format::GraphJson,
        layouts: &[REDDIT_THREADS_FILES],
        counts: BenchmarkCounts::of(237_390, 246_184).classes(2).graphs(10_000),
        ..GIN_TEXT
    }],
};
