//! PPI: 24 protein interaction graphs, as edge lists in 24 files or packed into one.

use super::{
    Benchmark, BenchmarkCounts, BenchmarkFile, BenchmarkVariant, Paper, PublicBounds, Recipe,
};
use crate::formats::Format;

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

pub(super) static PPI: Benchmark = Benchmark {
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
