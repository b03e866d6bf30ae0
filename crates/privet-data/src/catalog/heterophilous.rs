//! Graphs in which neighbours differ: those of a critical look at graph learning under heterophily, and Twitch streamers.
//!
//! Bounds. Features are words, pages, games or attributes that are present or absent, except for the workers of
//! Toloka, whose numbers the publisher scaled to 0..1.
//!
//! The ten published splits are not read: experiments here draw their own.

use super::{
    BenchmarkCounts, BenchmarkFile, BenchmarkVariant, CatalogBenchmark, PublicBounds, Recipe,
};
use crate::formats::Format;

const CHAMELEON_FILTERED: &[BenchmarkFile] = published! {
    "heterophilous/" from "yandex-research/heterophilous-graphs/HEAD/data/" {
        "chameleon_filtered.npz" 58_924 "bf46f07e1fb5249280447e5fe3100f3e82fc4b93ad1e13ffcfdec924b6ac0bb5";
    }
};

const SQUIRREL_FILTERED: &[BenchmarkFile] = published! {
    "heterophilous/" from "yandex-research/heterophilous-graphs/HEAD/data/" {
        "squirrel_filtered.npz" 208_215 "f06370ffb3116c5de8b7a600005400b2293c025e0ce2f6916d8201a825505ac7";
    }
};

const CHAMELEON: &[BenchmarkFile] = published! {
    "heterophilous/" from "yandex-research/heterophilous-graphs/HEAD/data/" {
        "chameleon.npz" 177_840 "4c640bd2877fc4f9f101531e2f977bc16445a54e09a5cb01178df608e552f3fd";
    }
};

const SQUIRREL: &[BenchmarkFile] = published! {
    "heterophilous/" from "yandex-research/heterophilous-graphs/HEAD/data/" {
        "squirrel.npz" 704_277 "d436e3b42c0546b105241c0ab0766097074e68e55f67b133eeb9b0162e55cbd9";
    }
};

const ACTOR: &[BenchmarkFile] = published! {
    "heterophilous/" from "yandex-research/heterophilous-graphs/HEAD/data/" {
        "actor.npz" 252_956 "c350eef06b2c2a9bf8218be2b57cac6d4003d0922eb597a039e9123f75817816";
    }
};

const TOLOKERS: &[BenchmarkFile] = published! {
    "heterophilous/" from "yandex-research/heterophilous-graphs/HEAD/data/" {
        "tolokers.npz" 1_329_769 "dacf3ac94cec53d03cd2adb5255c08b33dee1656c33ca8164a464bd9450a1667";
    }
};

const MINESWEEPER: &[BenchmarkFile] = published! {
    "heterophilous/" from "yandex-research/heterophilous-graphs/HEAD/data/" {
        "minesweeper.npz" 135_045 "e664c8dacf1e8ac466c2c09ed4b237bd2c5541f47a6eae9c6092cb87f16412b3";
    }
};

const TEXAS: &[BenchmarkFile] = published! {
    "heterophilous/" from "yandex-research/heterophilous-graphs/HEAD/data/" {
        "texas.npz" 28_586 "b164b99e6c3d43e4ab07488ec59bd8c815f90cbc1bd4cf425ce587d2b534d844";
    }
};

const WISCONSIN: &[BenchmarkFile] = published! {
    "heterophilous/" from "yandex-research/heterophilous-graphs/HEAD/data/" {
        "wisconsin.npz" 41_672 "2543c89838cfc75f737f7c4664cc1d097f8268602c20b2d1bd4f21407df9c074";
    }
};

const CORNELL: &[BenchmarkFile] = published! {
    "heterophilous/" from "yandex-research/heterophilous-graphs/HEAD/data/" {
        "cornell.npz" 30_515 "684c54ba3daa13b0ba1f04a3d6dd1b1175c1ae9bdeb982851fd4ff96d3aac298";
    }
};

const ENGB: &[BenchmarkFile] = published! {
    "twitch/ENGB/" from "CUAI/Non-Homophily-Large-Scale/HEAD/data/twitch/ENGB/" {
        "musae_ENGB_edges.csv" 342_162 "5ea4d7f7267454e9523577eb2a9b4dcb7a22dd660a548240f01b815d08e0e3cc";
        "musae_ENGB_features.json" 893_932 "efcd846f7b687d299c9c674f3cda43cd70de8307d2558895bddd3645eb38d500";
        "musae_ENGB_target.csv" 253_352 "e9d51399878216d2dd662b0a152b602cccde7b5cbb8452cb91d9379f64114443";
    }
};

const ES: &[BenchmarkFile] = published! {
    "twitch/ES/" from "CUAI/Non-Homophily-Large-Scale/HEAD/data/twitch/ES/" {
        "musae_ES_edges.csv" 563_757 "17801d2cc45fc4909a431ce7a190c0565d4af87b0548ca7705cf2bef7da4c884";
        "musae_ES_features.json" 545_028 "598a610ef7e0469c5ad800c11f7ad89797e6a27d7d66b670782a5516cc344725";
        "musae_ES_target.csv" 165_932 "f843427bae58289100e78c6c211fa4a1ae0d5fbf2c665841df9e390b00dcffb5";
    }
};

const PTBR: &[BenchmarkFile] = published! {
    "twitch/PTBR/" from "CUAI/Non-Homophily-Large-Scale/HEAD/data/twitch/PTBR/" {
        "musae_PTBR_edges.csv" 275_216 "b72d93a3c8a82883771a2f3822fce229885fa0d40367fb105c0535fb36c773b9";
        "musae_PTBR_features.json" 229_854 "12ba6c60ce009b1bec8fd5ad110539775d14a2b96011df19ba9f72ad1393a406";
        "musae_PTBR_target.csv" 67_878 "ecba7d1287e72ae7c3f42c922be475283288c0c67346245c72109690460444bd";
    }
};

const RU: &[BenchmarkFile] = published! {
    "twitch/RU/" from "CUAI/Non-Homophily-Large-Scale/HEAD/data/twitch/RU/" {
        "musae_RU_edges.csv" 351_398 "fd307587a550289f746056ea12a7336171ab2053c9e08c42dba77499126ca5b2";
        "musae_RU_features.json" 545_944 "c5357468471545a6169de463ef706f321446dc667d9d62d49e68c0b3feef9675";
        "musae_RU_target.csv" 158_570 "db7617528355be994352e491e7b25d060fed466d0d81c09cadd90fa10f15c071";
    }
};

const NPZ: BenchmarkVariant = BenchmarkVariant {
    name: "",
    about: "",
    format: Format::Npz,
    member: None,
    layouts: &[],
    counts: BenchmarkCounts::quoted(),
    bounds: PublicBounds::Binary,
    recipe: Recipe::AsRead,
};

const MUSAE: BenchmarkVariant = BenchmarkVariant { format: Format::Musae, ..NPZ };

pub(super) static HETEROPHILOUS: CatalogBenchmark = CatalogBenchmark {
    name: "heterophilous",
    aliases: &[],
    title: "Ten graphs in which neighbours differ",
    papers: &[],
    published: "Platonov and others, \"A critical look at the evaluation of GNNs under heterophily\"",
    licence: "not stated for the data; the repository that serves the files is MIT",
    note: "chameleon and squirrel in five classes; those of wikipedia/ are cut at their median",
    variants: &[
        BenchmarkVariant {
            name: "chameleon_filtered",
            about: "the same without duplicates",
            layouts: &[CHAMELEON_FILTERED],
            counts: BenchmarkCounts::of(890, 8_854).features(2_325, Some(9_903)).classes(5),
            ..NPZ
        },
        BenchmarkVariant {
            name: "squirrel_filtered",
            about: "the same without duplicates",
            layouts: &[SQUIRREL_FILTERED],
            counts: BenchmarkCounts::of(2_223, 46_998).features(2_089, Some(32_481)).classes(5),
            ..NPZ
        },
        BenchmarkVariant {
            name: "chameleon",
            about: "pages about chameleons, by traffic; many stand twice",
            layouts: &[CHAMELEON],
            counts: BenchmarkCounts::of(2_277, 31_371).features(2_325, Some(29_157)).classes(5),
            ..NPZ
        },
        BenchmarkVariant {
            name: "squirrel",
            about: "pages about squirrels, by traffic; many stand twice",
            layouts: &[SQUIRREL],
            counts: BenchmarkCounts::of(5_201, 198_353).features(2_089, Some(93_477)).classes(5),
            ..NPZ
        },
        BenchmarkVariant {
            name: "actor",
            about: "actors on the same Wikipedia pages, by five kinds",
            layouts: &[ACTOR],
            counts: BenchmarkCounts::of(7_600, 26_659).features(932, Some(40_977)).classes(5),
            ..NPZ
        },
        BenchmarkVariant {
            name: "tolokers",
            about: "workers of Toloka who shared tasks; banned, or not",
            layouts: &[TOLOKERS],
            counts: BenchmarkCounts::of(11_758, 519_000).features(10, Some(61_101)).classes(2),
            bounds: PublicBounds::UnitRange,
            ..NPZ
        },
        BenchmarkVariant {
            name: "minesweeper",
            about: "cells of a board of 100 by 100; mines, or not",
            layouts: &[MINESWEEPER],
            counts: BenchmarkCounts::of(10_000, 39_402).features(7, Some(10_000)).classes(2),
            ..NPZ
        },
        BenchmarkVariant {
            name: "texas",
            about: "web pages of the University of Texas",
            layouts: &[TEXAS],
            counts: BenchmarkCounts::of(183, 279).features(1_703, Some(15_266)).classes(5),
            ..NPZ
        },
        BenchmarkVariant {
            name: "wisconsin",
            about: "web pages of the University of Wisconsin",
            layouts: &[WISCONSIN],
            counts: BenchmarkCounts::of(251, 450).features(1_703, Some(24_057)).classes(5),
            ..NPZ
        },
        BenchmarkVariant {
            name: "cornell",
            about: "web pages of Cornell University",
            layouts: &[CORNELL],
            counts: BenchmarkCounts::of(183, 277).features(1_703, Some(17_240)).classes(5),
            ..NPZ
        },
    ],
};

pub(super) static TWITCH: CatalogBenchmark = CatalogBenchmark {
    name: "twitch",
    aliases: &[],
    title: "Twitch: streamers who follow each other; mature content, or not",
    papers: &[],
    published: "Rozemberczki, Allen and Sarkar (MUSAE); Lim and others serve the files",
    licence: "not stated for the data, terms of the publisher (SNAP) not checked",
    note: "",
    variants: &[
        BenchmarkVariant {
            name: "engb",
            about: "streams in English",
            layouts: &[ENGB],
            counts: BenchmarkCounts::of(7_126, 35_324).features(3_170, Some(147_683)).classes(2),
            ..MUSAE
        },
        BenchmarkVariant {
            name: "es",
            about: "streams in Spanish",
            layouts: &[ES],
            counts: BenchmarkCounts::of(4_648, 59_382).features(3_170, Some(89_798)).classes(2),
            ..MUSAE
        },
        BenchmarkVariant {
            name: "ptbr",
            about: "streams in Portuguese",
            layouts: &[PTBR],
            counts: BenchmarkCounts::of(1_912, 31_299).features(3_169, Some(38_019)).classes(2),
            ..MUSAE
        },
        BenchmarkVariant {
            name: "ru",
            about: "streams in Russian",
            layouts: &[RU],
            counts: BenchmarkCounts::of(4_385, 37_304).features(3_170, Some(90_285)).classes(2),
            ..MUSAE
        },
    ],
};
