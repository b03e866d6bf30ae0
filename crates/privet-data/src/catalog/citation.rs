//! Citation and co-author graphs: one node per paper or author, one feature per word.
//!
//! Bounds. LINQS describes the words of Cora and Citeseer as present or absent, so their features
//! are public knowledge to lie in [0, 1]. Pubmed holds TF-IDF weights and Cora-ML weights of an
//! unstated scheme; the Microsoft Academic graphs hold counts of keywords. No publisher states an upper
//! bound for these, and the largest value in the file is a fact about one record, so none is
//! declared.

use super::{
    BenchmarkCounts, BenchmarkFile, BenchmarkVariant, CatalogBenchmark, Paper, PublicBounds, Recipe,
};
use crate::formats::Format;

const CORA_PLANETOID: &[BenchmarkFile] = published! {
    "cora/planetoid/" from "kimiyoung/planetoid/master/data/" {
        "ind.cora.x" 22_119 "23cfa55d91c6f624233f5eb7b6e3f141f1bd2b2ae39608a63cf5d084bb27baab";
        "ind.cora.y" 4_054 "94465c14eb53e04ca262198dcbb2521ee8af60fb3f3d546cd6ca24a511b0e7d1";
        "ind.cora.tx" 148_025 "b9afbaa4a400df991f6f02ef677e1e44da55ffc04801fd02f9e673987829226a";
        "ind.cora.ty" 28_135 "41f5ac76596a1699cc33f53084a2419e92961c42bb75f36fc38e616d348532ad";
        "ind.cora.allx" 257_305 "9419ba2f26f5c35243db64aba110e0f35a04851609e0dc5433450676ca6b8543";
        "ind.cora.ally" 47_959 "2b998f5cc7fedc86e7f97ca2498f47a1ffc1462c29e2d578b23bf3f62b6e7d71";
        "ind.cora.graph" 59_847 "58f13302f39dde8852dad6fe6d15b89b077b6d7f837626bce671ef80344b383d";
        "ind.cora.test.index" 5_000 "297ce89af2b51a6a194181c7dbe1796c6a1cf9cd9349a88383b1b1e227867875";
    }
};

const CITESEER_PLANETOID: &[BenchmarkFile] = published! {
    "citeseer/planetoid/" from "kimiyoung/planetoid/master/data/" {
        "ind.citeseer.x" 31_087 "d20de19150741e555de0ed037195630fc194114ebc7fd72ced62810148aa22f6";
        "ind.citeseer.y" 3_014 "8ba87e515d8e3ee3cf52f6d2c5b86aa73f11ecad825a808455209ec26cd54924";
        "ind.citeseer.tx" 260_321 "539a8906a2da97628d212f2fdd668c109a8b3f0d36574b59e5d3fd5b5303da21";
        "ind.citeseer.ty" 24_135 "55e5bd1ba1e733a04598753ad1a8d57957f4b8f89e74519f41f4f4938767e4ce";
        "ind.citeseer.allx" 595_021 "2ac30345d95c9ec933a817ee0bdd6a5f077f8c184a20e696910192d534414668";
        "ind.citeseer.ally" 55_623 "f704b2d986dde6c2669934de1f3ae5696a6cf9455c0f6b2646a2d135ea0a1c95";
        "ind.citeseer.graph" 61_987 "d79a4ef9d3e7169aee8946145f6b7306e35bc79bffad26346cfb94e10e9912a7";
        "ind.citeseer.test.index" 5_000 "2af990671580b6b2df5d158d1038f8292e30c9cd821b5453f399659b25b723d4";
    }
};

const PUBMED_PLANETOID: &[BenchmarkFile] = published! {
    "pubmed/planetoid/" from "kimiyoung/planetoid/master/data/" {
        "ind.pubmed.x" 23_172 "fbe9cb5c47200d1b7769a26e579be3b7130b556831f9d850e77c4c74f2599b33";
        "ind.pubmed.y" 854 "e6c807633307a07ed659249006536a147c7999c797f11a2560752990181b41b3";
        "ind.pubmed.tx" 405_505 "4eb5f5d0f30f26497eb0ac6ac9719d09c67e284f1ed0385c93f3ef27a671da3d";
        "ind.pubmed.ty" 12_135 "ee2e0d4819d9fbcc403689c3bf2e49face401b605932f093bc58ab6461130fdd";
        "ind.pubmed.allx" 7_578_385 "508e538e2abdccdd54c4d3e9f49d638b4af7107d85845f66ddea5a5152658b7e";
        "ind.pubmed.ally" 224_739 "0c37bbe3b5014ec365e9d393cf4791925e5ed94fb194305d74f064a8d7b50f0e";
        "ind.pubmed.graph" 471_808 "5b89f0036ca22909471f1e6558eb42fa06e0c730a577bde5b058b40638f81dc9";
        "ind.pubmed.test.index" 6_000 "b101d421688bbaecbd82e8a18f1e282378d6830f3a37666f28ebc47f844341b5";
    }
};

const CORA_CONTENT: BenchmarkFile = BenchmarkFile::published(
    "cora/linqs/cora.content",
    7_823_427,
    "b8ebed0fd45e53995abafd1b70cf6a9fcc8f86abc5826d69b97fe6ca46e9c8ee",
    github!("tkipf/pygcn/master/data/cora/cora.content"),
);

const CORA_CONTENT_PACKED: BenchmarkFile = BenchmarkFile::known(
    "cora/linqs/cora.content.gz",
    109_653,
    "f952664ed42f333bef3af425568affb25b31bfd0aba522293280c946d7b12c94",
    "packed; the published file is cora.content",
);

const CORA_CITES: BenchmarkFile = BenchmarkFile::published(
    "cora/linqs/cora.cites",
    69_928,
    "ec1a372391b7f0f60a6aff0084e8abd8f19f0faa7e1f2441a41c492042d5945e",
    github!("tkipf/pygcn/master/data/cora/cora.cites"),
);

const CORA_NPZ: &[BenchmarkFile] = published! {
    "cora/npz/" from "shchur/gnn-benchmark/master/data/npz/" {
        "cora.npz" 540_580 "068e22d90c3849b4057dfb05851741428992af058efcd4e7ebb4186f3d581de2";
    }
};

const CITESEER_NPZ: &[BenchmarkFile] = published! {
    "citeseer/npz/" from "shchur/gnn-benchmark/99356931fd6158a05de41632669d5ab69e6e105e/data/npz/" {
        "citeseer.npz" 1_348_784 "280278b21b434c047922e8389518861416fb3ad39389c27865ff0e6bbb0aaab7";
    }
};

const CORA_ML_NPZ: &[BenchmarkFile] = published! {
    "cora_ml/" from "Emory-AIMS/DPAR/HEAD/data/" {
        "cora_ml.npz" 1_622_234 "e3439bfd32c4a962d5c56a4f313793baee39181c208c90a3915b61183d3e1cda";
    }
};

const MS_ACADEMIC_CS_NPZ: &[BenchmarkFile] = published! {
    "ms_academic_cs/" from "shchur/gnn-benchmark/master/data/npz/" {
        "ms_academic_cs.npz" 12_835_626 "933c745734e78908c7eb77172a673fee0503f30e26e5a99b36814d88534c42e3";
    }
};

const COAUTHOR_CS_NPZ: &[BenchmarkFile] = published! {
    "ms_academic_cs/" from "EdisonLeeeee/GraphData/e766147ccf09e2e29ea449a4029482c21a93aa7d/datasets/" {
        "coauthor_cs.npz" 2_796_277 "48e79e9e838aab635ca8fff852d25cb804c0d8ed79e5bae0f1a8f2d147b2188d";
    }
};

const COAUTHOR_PHY_NPZ: &[BenchmarkFile] = published! {
    "ms_academic_phy/" from "EdisonLeeeee/GraphData/e766147ccf09e2e29ea449a4029482c21a93aa7d/datasets/" {
        "coauthor_phy.npz" 3_767_567 "121a85ee9fac9859693e649d3e9f3561e3a23a9aa4d8e8951e9e3eec8e9b52ef";
    }
};

const LINQS: &str = "LINQS, University of Maryland (now UC Santa Cruz)";
const LINQS_LICENCE: &str = "not stated for the data, terms of the publisher (LINQS) not checked; \
    the repositories that serve the files are MIT or MIT-style";
const ACADEMIC_LICENCE: &str = "not stated for the data, terms of the publisher (Microsoft \
    Academic Graph, KDD Cup 2016) not checked; the repositories that serve the files are MIT";

const PLANETOID: BenchmarkVariant = BenchmarkVariant {
    name: "planetoid",
    about: "the eight ind.* files, with the customary split",
    format: Format::Planetoid,
    member: None,
    layouts: &[],
    counts: BenchmarkCounts::quoted(),
    bounds: PublicBounds::Binary,
    recipe: Recipe::AsRead,
};

const NPZ: BenchmarkVariant = BenchmarkVariant {
    name: "npz",
    about: "a CSR adjacency in numpy arrays",
    format: Format::Npz,
    ..PLANETOID
};

const CORA_COUNTS: BenchmarkCounts =
    BenchmarkCounts::of(2_708, 5_278).features(1_433, Some(49_216)).classes(7);

pub(super) static CORA: CatalogBenchmark = CatalogBenchmark {
    name: "cora",
    aliases: &[],
    title: "Cora: machine-learning papers and their citations",
    papers: &[Paper::LdpGe],
    published: LINQS,
    licence: LINQS_LICENCE,
    note: "5,429, the number often quoted, counts 151 mutual citations twice",
    variants: &[
        BenchmarkVariant { layouts: &[CORA_PLANETOID], counts: CORA_COUNTS, ..PLANETOID },
        BenchmarkVariant {
            name: "linqs",
            about: "the original text, with the publisher's paper ids and class names",
            format: Format::Linqs,
            layouts: &[&[CORA_CONTENT, CORA_CITES], &[CORA_CONTENT_PACKED, CORA_CITES]],
            counts: CORA_COUNTS,
            ..PLANETOID
        },
        BenchmarkVariant { layouts: &[CORA_NPZ], counts: CORA_COUNTS, ..NPZ },
    ],
};

pub(super) static CITESEER: CatalogBenchmark = CatalogBenchmark {
    name: "citeseer",
    aliases: &[],
    title: "Citeseer: computer-science papers and their citations",
    papers: &[Paper::LdpGe],
    published: LINQS,
    licence: LINQS_LICENCE,
    note: "15 nodes of the planetoid files have edges, but neither words nor a class",
    variants: &[
        BenchmarkVariant {
            layouts: &[CITESEER_PLANETOID],
            counts: BenchmarkCounts::of(3_327, 4_552).features(3_703, Some(105_165)).classes(6),
            ..PLANETOID
        },
        BenchmarkVariant {
            about: "a CSR adjacency in numpy arrays, without the 15 nodes that have no words",
            layouts: &[CITESEER_NPZ],
            counts: BenchmarkCounts::of(3_312, 4_536).features(3_703, Some(105_165)).classes(6),
            ..NPZ
        },
    ],
};

pub(super) static PUBMED: CatalogBenchmark = CatalogBenchmark {
    name: "pubmed",
    aliases: &[],
    title: "Pubmed: papers on diabetes and their citations",
    papers: &[Paper::LdpGe],
    published: LINQS,
    licence: LINQS_LICENCE,
    note: "features are TF-IDF weights without a stated bound",
    variants: &[BenchmarkVariant {
        layouts: &[PUBMED_PLANETOID],
        counts: BenchmarkCounts::of(19_717, 44_324).features(500, Some(988_031)).classes(3),
        bounds: PublicBounds::Unstated,
        ..PLANETOID
    }],
};

pub(super) static CORA_ML: CatalogBenchmark = CatalogBenchmark {
    name: "cora_ml",
    aliases: &["coraml"],
    title: "Cora-ML: machine-learning papers and their citations, with text weights",
    papers: &[Paper::Dpar],
    published: "Bojchevski and Günnemann, in the repositories of PPNP and DPAR",
    licence: "none stated, neither for the data nor for the repository that serves the file",
    note: "DPAR's 8,416 edges are directed arcs; 258 pairs cite each other",
    variants: &[BenchmarkVariant {
        layouts: &[CORA_ML_NPZ],
        counts: BenchmarkCounts::of(2_995, 8_158).features(2_879, Some(151_171)).classes(7),
        bounds: PublicBounds::Unstated,
        ..NPZ
    }],
};

const CS_COUNTS: BenchmarkCounts =
    BenchmarkCounts::of(18_333, 81_894).features(6_805, Some(1_092_079)).classes(15);

pub(super) static MS_ACADEMIC_CS: CatalogBenchmark = CatalogBenchmark {
    name: "ms_academic_cs",
    aliases: &["cs", "ms_academic", "coauthor_cs", "msacademic"],
    title: "Microsoft Academic, computer science: authors and who wrote with whom",
    papers: &[Paper::Dpar],
    published: "Shchur and others, from the Microsoft Academic Graph of the KDD Cup 2016",
    licence: ACADEMIC_LICENCE,
    note: "DPAR lists it twice, as MS Academic (81,894 edges) and as CS (327,576 edges, which is \
        four times that); nodes and features are the same",
    variants: &[
        BenchmarkVariant {
            layouts: &[MS_ACADEMIC_CS_NPZ],
            counts: CS_COUNTS,
            bounds: PublicBounds::Unstated,
            ..NPZ
        },
        BenchmarkVariant {
            name: "coauthor_cs",
            about: "the same arrays, compressed: a fifth of the size",
            layouts: &[COAUTHOR_CS_NPZ],
            counts: CS_COUNTS,
            bounds: PublicBounds::Unstated,
            ..NPZ
        },
    ],
};

pub(super) static MS_ACADEMIC_PHY: CatalogBenchmark = CatalogBenchmark {
    name: "ms_academic_phy",
    aliases: &["physics", "phy", "coauthor_phy", "coauthor_physics"],
    title: "Microsoft Academic, physics: authors and who wrote with whom",
    papers: &[Paper::Dpar],
    published: "Shchur and others, from the Microsoft Academic Graph of the KDD Cup 2016",
    licence: ACADEMIC_LICENCE,
    note: "DPAR gives 495,924 edges (every edge twice) and 8 classes; the file has 5",
    variants: &[BenchmarkVariant {
        layouts: &[COAUTHOR_PHY_NPZ],
        counts: BenchmarkCounts::of(34_493, 247_962).features(8_415, Some(1_137_311)).classes(5),
        bounds: PublicBounds::Unstated,
        ..NPZ
    }],
};
