//! Sets of many small graphs, each with a class: discussion threads, molecules, film casts.

use super::{
    BenchmarkCounts, BenchmarkFile, BenchmarkVariant, CatalogBenchmark, Paper, PublicBounds, Recipe,
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

pub(super) static REDDIT_BINARY: CatalogBenchmark = CatalogBenchmark {
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

pub(super) static REDDIT_MULTI_5K: CatalogBenchmark = CatalogBenchmark {
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

pub(super) static GITHUB_STARGAZERS: CatalogBenchmark = CatalogBenchmark {
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

pub(super) static MUTAG: CatalogBenchmark = CatalogBenchmark {
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

pub(super) static IMDB_BINARY: CatalogBenchmark = CatalogBenchmark {
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

pub(super) static REDDIT_THREADS: CatalogBenchmark = CatalogBenchmark {
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

const PAIRS: &[BenchmarkFile] = published! {
    "ppi/" from "khangtran2020/DPGNN/1ab31ec51fc843688f35b46968bfeedd3664e7c2/ERand/data/" {
        "ppi_0.pairs" 153_784 "e3bc08a9acf2d4bfb2b27e6ef9e92cb7efe40ce4aa364b68bd8e34be521390e1";
        "ppi_1.pairs" 135_393 "270b0b03f969e18ef0dd4fb474605910e8e417ce0854151209e59620263cfefb";
        "ppi_2.pairs" 288_593 "485e2d231a292428da013d3e8e04bbb01abaaf96e05dfdcf67c5b150ae284781";
        "ppi_3.pairs" 315_478 "bcffd2fdce5c4bccda5c9531a7984f04c36b85aa609c6d9ca90db0a393941a55";
        "ppi_5.pairs" 79_087 "01fdcfdefb4c6f07ce24e8e17d4b305fe747e5ac71b27698451333cee3df9462";
        "ppi_7.pairs" 341_969 "76f207085378b7efe3e81fde96ba975dc7429d62ccead1f8730612fe9a37f340";
        "ppi_14.pairs" 416_629 "60d3c23278b8c5ae538bbad60de0279892a47e16fd09d9ebd8c994d3e2605c02";
        "ppi_15.pairs" 289_281 "2105c392809a5b9420268a35ac77c4614289c9aef42a5d447fc895c95143df5b";
        "ppi_17.pairs" 418_152 "431d2efd7b723046b8801c19d70176787408abd6de5e3b0aabd41e7b81e03cf4";
        "ppi_0_test.pairs" 498_685 "4c09b6e7a62988886575e4b97a1c02b11e9cf56a06edef3eca01fc2d0f9d6dfd";
        "ppi_1_test.pairs" 295_929 "8b3e08344d71f297436f125c457a03857517d3528a2945b48e481ed4b1c20546";
        "ppi_1_val.pairs" 503_219 "7075947a3b4f17a9c7d1d297ad55e86928f7d2a1fe2cb81bcb1ce2e136f76866";
    }
    "ppi/" from "khangtran2020/DPGNN/f0aca290fdb77b17232e143770063f8875a9e8aa/ERand/data/" {
        "ppi_4.pairs" 168_642 "884a985576c7692c2e8f5d8cfe6591a0ff5ffc894ba39818d218ad9522ffde57";
        "ppi_6.pairs" 210_142 "e45047f2218c04cf5547e959e8bccb35424128808646d5ee2d72e74b46e554b7";
        "ppi_8.pairs" 33_995 "2d31b16acf1d136d738fd782e98b6670ccdf7b0890c6afa7d37f0785e07ef118";
        "ppi_9.pairs" 526_683 "89811a0344b98c60062d8c25bac9089ef396579d2345490a2b466559f2a3f51d";
        "ppi_10.pairs" 310_969 "4ea5445dde93f463d9e67f2b9956af84d2d37c5cd20da16a267ee07e91daf5c6";
        "ppi_11.pairs" 220_560 "79907b1fb6b38ecd7ed636a4b833465018acc876f1816c9f0295dc1e9f2df793";
        "ppi_12.pairs" 215_855 "fe7b09c3a5ac191d46bfac324359a4cbb85f70bdef35278ba4ea6219f3e9e0a2";
        "ppi_13.pairs" 531_609 "6b0e40c2d19eb01de81aeb791d77140e2edf0983abe2eb6eb76c75c541f648cf";
        "ppi_16.pairs" 376_638 "28a138c2f037e123be08e41f6eff14cba52a4b86970b0850984e3477188144a4";
        "ppi_18.pairs" 466_130 "6c3764984e393deb2cf7d526ef23d5b1333959ae1a7573814351c6fead2f9f35";
        "ppi_19.pairs" 450_543 "91782701940b467ca1a7804a8ea79577507a23aa7817131416d569c3b2ce272d";
        "ppi_0_val.pairs" 483_460 "d0165c790dedacf45098b52137e863ae0772bb59a9a7cb7cba9ee9596eae06a1";
    }
};

const PACKED: BenchmarkFile = BenchmarkFile::known(
    "ppi/ppi_pairs.tar.gz",
    2_483_725,
    "4d2edbc7da8182d4e44c8fe3f18a57080341c66fd1493522a507e09fc0f2eeb2",
    "packed; the published files are ppi_0.pairs and 23 more",
);

pub(super) static PPI: CatalogBenchmark = CatalogBenchmark {
    name: "ppi",
    aliases: &[],
    title: "PPI: proteins that interact, one graph per human tissue (structure alone)",
    papers: &[Paper::HeteroRr],
    published: "Hamilton, Ying and Leskovec (GraphSAGE); structure in the repository DPGNN",
    licence: "not stated for the data, terms of the publisher (SNAP) not checked; the repository \
        that serves the files is MIT",
    note: "the 50 features and 121 labels of GraphSAGE's ppi.zip have no verified download and are \
        left out; graphs 0..19 train, the *_val validate, the *_test test",
    variants: &[BenchmarkVariant {
        name: "pairs",
        about: "one edge list per graph",
        format: Format::Pairs,
        member: None,
        layouts: &[PAIRS, &[PACKED]],
        counts: BenchmarkCounts::of(56_944, 793_632).graphs(24),
        bounds: PublicBounds::Unstated,
        recipe: Recipe::AsRead,
    }],
};
