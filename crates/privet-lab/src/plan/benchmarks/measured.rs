//! What was measured on the public benchmarks, and where that is written down or by which command it is made again.

use privet::project::{Protects, TrustModel};
use serde::Serialize;

use privet::Method;

/// An accuracy that was measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Measurement {
    /// On what.
    pub benchmark: &'static str,
    /// Who saw the raw data.
    pub trust: TrustModel,
    /// What was hidden.
    pub protects: &'static [Protects],
    /// By which method.
    pub method: Method,
    /// At which epsilon, of each part.
    pub epsilon: f64,
    /// The mean accuracy.
    pub accuracy: f64,
    /// Over so many seeds, from 0.
    pub runs: u32,
    /// The delta, where it is not what it would be by default.
    pub delta: Option<f64>,
    /// The share of the connections that was hidden.
    pub private_share: f64,
    /// What public data alone reached in the same runs, and the best learner in the clear, for whole people the best that reads
    /// each person's own row; not known of older measurements.
    pub between: Option<(f64, f64)>,
    /// Where it is written down, or the command that measures it.
    pub source: &'static str,
}

const FEATURES: &[Protects] = &[Protects::Features];
const EVERYTHING: &[Protects] = &[Protects::Features, Protects::Labels, Protects::Contacts];
const CONTACTS: &[Protects] = &[Protects::Contacts];
const CONNECTIONS: &[Protects] = &[Protects::Connections];
const PEOPLE: &[Protects] = &[Protects::People];

const fn reports(
    benchmark: &'static str,
    protects: &'static [Protects],
    (epsilon, accuracy, runs): (f64, f64, u32),
    source: &'static str,
) -> Measurement {
    let (trust, method) = (TrustModel::Devices, Method::LdpGe);
    let (delta, private_share) = (None, 1.0);
    Measurement {
        benchmark,
        trust,
        protects,
        method,
        epsilon,
        accuracy,
        runs,
        delta,
        private_share,
        between: None,
        source,
    }
}

impl Measurement {
    /// The same with what stood beside it: public data alone, and everything in the clear.
    const fn between(self, public: f64, clear: f64) -> Self {
        Self { between: Some((public, clear)), ..self }
    }
}

const fn graphs(
    benchmark: &'static str,
    (epsilon, accuracy, runs): (f64, f64, u32),
    source: &'static str,
) -> Measurement {
    let of = reports(benchmark, CONTACTS, (epsilon, accuracy, runs), source);
    Measurement { method: Method::Dprr, ..of }
}

const fn connections(
    benchmark: &'static str,
    method: Method,
    private_share: f64,
    (epsilon, accuracy, runs): (f64, f64, u32),
    source: &'static str,
) -> Measurement {
    let of = reports(benchmark, CONNECTIONS, (epsilon, accuracy, runs), source);
    Measurement { trust: TrustModel::Curator, method, private_share, ..of }
}

const fn people(
    benchmark: &'static str,
    method: Method,
    delta: Option<f64>,
    (epsilon, accuracy, runs): (f64, f64, u32),
    source: &'static str,
) -> Measurement {
    let of = reports(benchmark, PEOPLE, (epsilon, accuracy, runs), source);
    Measurement { trust: TrustModel::Curator, method, delta, ..of }
}

const NODES: &str = "docs/results/ldp-ge/nodes.md";
const LOCAL: &str = "docs/results/ldp-ge/local.md";
const VOTES: &str = "docs/results/heterorr/README.md, votes";
const FIG7: &str = "docs/results/heterorr/README.md, a fifth of the edges private";
const TABLE1: &str = "docs/results/dpar.md, table 1";
const CORA: &str = "privet run dpar --dataset cora --epsilon E --method smoothed-sgd --runs 3";
const CORA_EM0: &str = "privet run dpar --dataset cora --epsilon E --method em0 --runs 3";
/// Measured in November 2026, two seeds each.
const RUN_PEOPLE: &str = "privet run dpar --dataset NAME --epsilon E --runs 2";
const RUN_EDGES: &str = "privet run hetero-rr --dataset NAME --epsilon-edges E --edges-as votes --private-share 1 --runs 2";
const RUN_GRAPHS: &str = "privet run dprr --dataset NAME --epsilon E --runs 2";
const RUN_REPORTS: &str = "privet run ldp-ge --dataset NAME --epsilon E --runs 2";

/// Everything that was measured with settings that a plan would use.
pub const MEASURED: &[Measurement] = &[
    reports("cora", FEATURES, (0.01, 0.846, 10), NODES),
    reports("pubmed", FEATURES, (1.0, 0.781, 3), NODES),
    reports("facebook_page_page", FEATURES, (1.0, 0.872, 10), NODES),
    reports("wikipedia_crocodile", FEATURES, (1.0, 0.796, 3), NODES),
    reports("cora", EVERYTHING, (3.0, 0.654, 10), LOCAL),
    reports("cora", EVERYTHING, (2.0, 0.386, 10), LOCAL),
    reports("cora", EVERYTHING, (1.0, 0.275, 10), LOCAL),
    reports("facebook_page_page", EVERYTHING, (3.0, 0.714, 3), LOCAL),
    reports("facebook_page_page", EVERYTHING, (2.0, 0.488, 3), LOCAL),
    reports("facebook_page_page", EVERYTHING, (1.0, 0.302, 3), LOCAL),
    connections("cora", Method::EdgeVotes, 1.0, (2.0, 0.842, 10), VOTES),
    connections("cora", Method::EdgeVotes, 0.5, (1.0, 0.836, 10), VOTES),
    connections("citeseer", Method::EdgeVotes, 0.5, (2.0, 0.753, 5), VOTES),
    connections("pubmed", Method::EdgeVotes, 1.0, (1.0, 0.876, 3), VOTES),
    connections("facebook_page_page", Method::EdgeVotes, 1.0, (1.0, 0.914, 3), VOTES),
    connections("wikipedia_crocodile", Method::EdgeVotes, 1.0, (1.0, 0.876, 3), VOTES),
    connections("cora", Method::HeteroRr, 0.2, (1.0, 0.837, 10), FIG7),
    connections("citeseer", Method::HeteroRr, 0.2, (1.0, 0.717, 10), FIG7),
    connections("facebook_page_page", Method::HeteroRr, 0.2, (1.0, 0.918, 5), FIG7),
    connections("wikipedia_crocodile", Method::HeteroRr, 0.2, (1.0, 0.862, 5), FIG7),
    connections(
        "cora_ml",
        Method::Gap,
        1.0,
        (1.0, 0.829, 10),
        "docs/results/dpar.md, membership attacks",
    ),
    people("cora_ml", Method::SmoothedSgd, Some(2e-3), (1.0, 0.621, 10), TABLE1),
    people("cora_ml", Method::SmoothedSgd, Some(2e-3), (8.0, 0.808, 10), TABLE1),
    people("cora_ml", Method::ClassSums, Some(2e-3), (1.0, 0.730, 10), TABLE1),
    people("cora_ml", Method::ClassSums, Some(2e-3), (8.0, 0.812, 10), TABLE1),
    people("cora_ml", Method::Features, Some(2e-3), (1.0, 0.592, 10), TABLE1),
    people("cora_ml", Method::Features, Some(2e-3), (8.0, 0.777, 10), TABLE1),
    people("cora_ml", Method::Em0, Some(2e-3), (1.0, 0.438, 10), TABLE1),
    people("cora_ml", Method::Em0, Some(2e-3), (8.0, 0.758, 10), TABLE1),
    people("cora", Method::SmoothedSgd, None, (1.0, 0.551, 3), CORA),
    people("cora", Method::SmoothedSgd, None, (8.0, 0.768, 3), CORA),
    people("cora", Method::Features, None, (1.0, 0.533, 3), CORA),
    people("cora", Method::Features, None, (8.0, 0.730, 3), CORA),
    people("cora", Method::Em0, None, (1.0, 0.416, 3), CORA_EM0),
    people("cora", Method::Em0, None, (8.0, 0.707, 3), CORA_EM0),
    people("ms_academic_cs", Method::SmoothedSgd, Some(8e-4), (1.0, 0.917, 10), TABLE1),
    people("ms_academic_cs", Method::SmoothedSgd, Some(8e-4), (8.0, 0.939, 10), TABLE1),
    people("ms_academic_cs", Method::ClassSums, Some(8e-4), (1.0, 0.852, 5), TABLE1),
    people("ms_academic_cs", Method::ClassSums, Some(8e-4), (8.0, 0.853, 5), TABLE1),
    people("ms_academic_cs", Method::Features, Some(8e-4), (1.0, 0.915, 10), TABLE1),
    people("ms_academic_cs", Method::Features, Some(8e-4), (8.0, 0.945, 10), TABLE1),
    people("ms_academic_cs", Method::Em0, Some(8e-4), (1.0, 0.891, 10), TABLE1),
    people("ms_academic_cs", Method::Em0, Some(8e-4), (8.0, 0.934, 10), TABLE1),
    people("ms_academic_phy", Method::SmoothedSgd, Some(1e-4), (1.0, 0.951, 5), TABLE1),
    people("ms_academic_phy", Method::SmoothedSgd, Some(1e-4), (8.0, 0.960, 5), TABLE1),
    people("ms_academic_phy", Method::Features, Some(1e-4), (1.0, 0.952, 5), TABLE1),
    people("ms_academic_phy", Method::Features, Some(1e-4), (8.0, 0.962, 5), TABLE1),
    people("ms_academic_phy", Method::Em0, Some(1e-4), (1.0, 0.944, 5), TABLE1),
    people("ms_academic_phy", Method::Em0, Some(1e-4), (8.0, 0.958, 5), TABLE1),
    connections("citeseer", Method::EdgeVotes, 1.0, (1.0, 0.734, 2), RUN_EDGES)
        .between(0.718, 0.766),
    connections("citeseer", Method::EdgeVotes, 1.0, (4.0, 0.775, 2), RUN_EDGES)
        .between(0.718, 0.766),
    connections("cora", Method::EdgeVotes, 1.0, (1.0, 0.818, 2), RUN_EDGES).between(0.769, 0.881),
    connections("cora", Method::EdgeVotes, 1.0, (4.0, 0.890, 2), RUN_EDGES).between(0.769, 0.881),
    connections("cora_ml", Method::EdgeVotes, 1.0, (1.0, 0.840, 2), RUN_EDGES)
        .between(0.806, 0.880),
    connections("cora_ml", Method::EdgeVotes, 1.0, (4.0, 0.888, 2), RUN_EDGES)
        .between(0.806, 0.880),
    connections("facebook100", Method::EdgeVotes, 1.0, (1.0, 0.920, 2), RUN_EDGES)
        .between(0.552, 0.928),
    connections("facebook100", Method::EdgeVotes, 1.0, (4.0, 0.929, 2), RUN_EDGES)
        .between(0.552, 0.928),
    connections("facebook100/hamilton46", Method::EdgeVotes, 1.0, (1.0, 0.934, 2), RUN_EDGES)
        .between(0.524, 0.945),
    connections("facebook100/hamilton46", Method::EdgeVotes, 1.0, (4.0, 0.951, 2), RUN_EDGES)
        .between(0.524, 0.945),
    connections("facebook100/rice31", Method::EdgeVotes, 1.0, (1.0, 0.862, 2), RUN_EDGES)
        .between(0.324, 0.860),
    connections("facebook100/rice31", Method::EdgeVotes, 1.0, (4.0, 0.870, 2), RUN_EDGES)
        .between(0.324, 0.860),
    connections("heterophilous/chameleon", Method::EdgeVotes, 1.0, (1.0, 0.515, 2), RUN_EDGES)
        .between(0.510, 0.636),
    connections("heterophilous/chameleon", Method::EdgeVotes, 1.0, (4.0, 0.511, 2), RUN_EDGES)
        .between(0.510, 0.636),
    connections("twitch/ptbr", Method::EdgeVotes, 1.0, (1.0, 0.662, 2), RUN_EDGES)
        .between(0.641, 0.682),
    connections("twitch/ptbr", Method::EdgeVotes, 1.0, (4.0, 0.641, 2), RUN_EDGES)
        .between(0.641, 0.682),
    graphs("imdb_binary", (1.0, 0.690, 2), RUN_GRAPHS).between(0.540, 0.747),
    graphs("imdb_binary", (4.0, 0.730, 2), RUN_GRAPHS).between(0.540, 0.747),
    graphs("mutag", (1.0, 0.857, 2), RUN_GRAPHS).between(0.911, 0.839),
    graphs("reddit_binary", (1.0, 0.883, 2), RUN_GRAPHS).between(0.768, 0.900),
    graphs("reddit_threads_10k", (1.0, 0.753, 2), RUN_GRAPHS).between(0.641, 0.778),
    people("citeseer", Method::ClassSums, None, (1.0, 0.673, 2), RUN_PEOPLE).between(0.225, 0.750),
    people("citeseer", Method::GradientDescent, None, (8.0, 0.711, 2), RUN_PEOPLE)
        .between(0.225, 0.750),
    people("cora", Method::GradientDescent, None, (1.0, 0.564, 2), RUN_PEOPLE)
        .between(0.314, 0.795),
    people("cora", Method::GradientDescent, None, (8.0, 0.778, 2), RUN_PEOPLE)
        .between(0.314, 0.795),
    people("cora_ml", Method::ClassSums, None, (1.0, 0.735, 2), RUN_PEOPLE).between(0.260, 0.834),
    people("cora_ml", Method::GradientDescent, None, (8.0, 0.808, 2), RUN_PEOPLE)
        .between(0.260, 0.834),
    people("facebook100", Method::GradientDescent, None, (1.0, 0.448, 2), RUN_PEOPLE)
        .between(0.225, 0.645),
    people("facebook100", Method::GradientDescent, None, (8.0, 0.616, 2), RUN_PEOPLE)
        .between(0.225, 0.645),
    people("facebook100/hamilton46", Method::GradientDescent, None, (1.0, 0.550, 2), RUN_PEOPLE)
        .between(0.215, 0.656),
    people("facebook100/hamilton46", Method::GradientDescent, None, (8.0, 0.607, 2), RUN_PEOPLE)
        .between(0.215, 0.656),
    people("facebook100/rice31", Method::GradientDescent, None, (1.0, 0.310, 2), RUN_PEOPLE)
        .between(0.207, 0.370),
    people("facebook100/rice31", Method::GradientDescent, None, (8.0, 0.334, 2), RUN_PEOPLE)
        .between(0.207, 0.370),
    people("heterophilous/chameleon", Method::ClassSums, None, (1.0, 0.286, 2), RUN_PEOPLE)
        .between(0.233, 0.506),
    people("heterophilous/chameleon", Method::GradientDescent, None, (8.0, 0.200, 2), RUN_PEOPLE)
        .between(0.233, 0.506),
    people("sklearn", Method::GradientDescent, None, (1.0, 0.969, 2), RUN_PEOPLE)
        .between(0.645, 0.982),
    people("sklearn", Method::GradientDescent, None, (8.0, 0.991, 2), RUN_PEOPLE)
        .between(0.645, 0.982),
    people("sklearn/digits", Method::GradientDescent, None, (1.0, 0.923, 2), RUN_PEOPLE)
        .between(0.114, 0.979),
    people("sklearn/digits", Method::GradientDescent, None, (8.0, 0.954, 2), RUN_PEOPLE)
        .between(0.114, 0.979),
    people("twitch", Method::GradientDescent, None, (1.0, 0.588, 2), RUN_PEOPLE)
        .between(0.544, 0.605),
    people("twitch", Method::GradientDescent, None, (8.0, 0.601, 2), RUN_PEOPLE)
        .between(0.544, 0.605),
    people("twitch/ptbr", Method::ClassSums, None, (1.0, 0.538, 2), RUN_PEOPLE)
        .between(0.645, 0.675),
    people("twitch/ptbr", Method::ClassSums, None, (8.0, 0.560, 2), RUN_PEOPLE)
        .between(0.645, 0.675),
    reports("citeseer", FEATURES, (1.0, 0.702, 2), RUN_REPORTS).between(0.717, 0.757),
    reports("cora", FEATURES, (1.0, 0.858, 2), RUN_REPORTS).between(0.851, 0.886),
    reports("facebook100", FEATURES, (1.0, 0.922, 2), RUN_REPORTS).between(0.922, 0.919),
    reports("heterophilous/chameleon", FEATURES, (1.0, 0.548, 2), RUN_REPORTS)
        .between(0.605, 0.567),
    reports("twitch/ptbr", FEATURES, (1.0, 0.683, 2), RUN_REPORTS).between(0.686, 0.682),
];
