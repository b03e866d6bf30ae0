//! What is known about the public benchmarks: their facts, and what was measured on them.
//!
//! Every accuracy here was measured on the benchmark itself, and says where that is written down or by which
//! command it is made again. Those that are [`held out`](Benchmark::held_out) had no part in the calibration.

mod measured;

use serde::Serialize;

use super::facts::PublicFacts;

pub use measured::{MEASURED, Measurement};

/// A public dataset, and its facts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Benchmark {
    /// What the catalogue calls it.
    pub name: &'static str,
    /// Its facts; homophily as a custodian would state it: to two digits.
    pub facts: PublicFacts,
    /// Whether the calibration must not see it.
    pub held_out: bool,
}

const fn one(
    name: &'static str,
    (people, edges): (usize, u64),
    (columns, filled): (usize, f64),
    classes: usize,
    homophily: f64,
    held_out: bool,
) -> Benchmark {
    let facts = PublicFacts::new(people, edges, columns, classes);
    let (filled, homophily) = (Some(filled), Some(homophily));
    Benchmark { name, facts: PublicFacts { filled, homophily, ..facts }, held_out }
}

const fn table(
    name: &'static str,
    people: usize,
    (columns, filled): (usize, f64),
    classes: usize,
) -> Benchmark {
    let facts = PublicFacts::new(people, 0, columns, classes);
    Benchmark { name, facts: PublicFacts { filled: Some(filled), ..facts }, held_out: true }
}

const fn many(
    name: &'static str,
    (people, edges): (usize, u64),
    graphs: usize,
    held_out: bool,
) -> Benchmark {
    let facts = PublicFacts::new(people, edges, 0, 2);
    Benchmark { name, facts: PublicFacts { graphs, ..facts }, held_out }
}

/// From `privet data info NAME`.
pub const BENCHMARKS: [Benchmark; 20] = [
    one("cora", (2_708, 5_278), (1_433, 18.2), 7, 0.81, false),
    one("pubmed", (19_717, 44_324), (500, 50.1), 3, 0.80, false),
    one("cora_ml", (2_995, 8_158), (2_879, 50.5), 7, 0.79, false),
    many("reddit_binary", (859_254, 995_508), 2_000, false),
    one("citeseer", (3_327, 4_552), (3_703, 31.6), 6, 0.74, true),
    one("facebook_page_page", (22_470, 170_823), (4_714, 14.0), 4, 0.89, true),
    one("wikipedia_crocodile", (11_631, 170_773), (13_183, 75.2), 2, 0.60, true),
    one("ms_academic_cs", (18_333, 81_894), (6_805, 59.6), 15, 0.81, true),
    one("ms_academic_phy", (34_493, 247_962), (8_415, 33.0), 5, 0.93, true),
    many("imdb_binary", (19_773, 96_531), 1_000, true),
    one("facebook100", (1_934, 79_835), (105, 5.0), 6, 0.58, true),
    one("facebook100/rice31", (3_457, 161_809), (112, 5.0), 6, 0.45, true),
    one("facebook100/hamilton46", (2_072, 86_487), (135, 5.0), 6, 0.57, true),
    one("twitch", (7_126, 35_324), (3_170, 20.7), 2, 0.56, true),
    one("twitch/ptbr", (1_912, 31_299), (3_169, 19.9), 2, 0.57, true),
    one("heterophilous/chameleon", (2_277, 31_371), (2_325, 12.8), 5, 0.23, true),
    table("sklearn", 569, (30, 29.9), 2),
    table("sklearn/digits", 1_797, (64, 32.7), 10),
    many("mutag", (3_371, 3_721), 188, true),
    many("reddit_threads_10k", (237_390, 246_184), 10_000, true),
];

/// The facts of a benchmark, if they are known here.
pub fn find(name: &str) -> Option<&'static Benchmark> {
    BENCHMARKS.iter().find(|benchmark| benchmark.name == name)
}
