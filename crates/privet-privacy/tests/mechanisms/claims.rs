//! What every mechanism says about itself, word for word: names and numbers of ledgers and cards.
//!
//! A claim that changes must change here, where a reviewer sees it. `BLESS=1` writes the file anew.

use std::path::Path;

use privet_graph::{Bounds, BoundsOrigin, DenseMatrix, Direction, Graph};
use privet_privacy::aggregation::{self, NoisySums};
use privet_privacy::edges::comparison::hrg::{Dendrogram, PrivateNodes, PublicGraph};
use privet_privacy::edges::comparison::{EdgeRand, EdgeRr, LapGraph};
use privet_privacy::edges::local::{
    Dprr, DprrWithDegree, EachGraph, LocalLap, NoisyDegree, OneSided, PackedRr, Rr, Silent,
};
use privet_privacy::features::{
    AnswerRr, FeatureMechanism, FeatureSettings, LabelRr, LinearModel, Scale, Theta,
};
use privet_privacy::neighbour_votes::NeighbourVotes;
use privet_privacy::public::Public;
use privet_privacy::template::CoinFlip;
use privet_privacy::unit::{Edge, Node, ReplacedNode, Unit};
use privet_privacy::{AsPrinted, Epsilon, Mechanism};
use serde_json::json;

fn claim<M: Mechanism>(mechanism: &M) -> String {
    let text = json!({
        "unit": M::Unit::NAME,
        "event": mechanism.event(),
        "numerics": mechanism.numerics(),
        "parameters": mechanism.parameters(),
        "status": mechanism.status(),
        "takes for public": mechanism.assumes_public(),
        "proof": mechanism.theorem().proof,
    });
    let text = serde_json::to_string_pretty(&text).unwrap();
    format!("{}: {text}\n\n", mechanism.name())
}

fn features() -> String {
    let bounds = Bounds::uniform(-1.0, 3.0, BoundsOrigin::Declared).unwrap();
    let mut text = String::new();
    for &name in FeatureMechanism::NAMES {
        let settings = FeatureSettings {
            delta: (name == "gaussian").then_some(1e-5),
            k: ["hds", "piecewise", "hybrid", "multi-bit"].contains(&name).then_some(3),
            bins: (name == "feature-rr").then_some(5),
            theta: (name == "feature-rr")
                .then(|| Public::declared(Theta::new(vec![0.1, 0.2, 0.3, 0.4]).unwrap())),
        };
        let scale = Scale::new(4, Some(&bounds)).unwrap();
        text += &claim(&FeatureMechanism::build(name, 1.5, scale, &settings).unwrap());
    }
    let format = Bounds::uniform(0.0, 1.0, BoundsOrigin::Format).unwrap();
    let scale = Scale::new(7, Some(&format)).unwrap();
    text += &claim(
        &FeatureMechanism::build("laplace", 0.5, scale, &FeatureSettings::default()).unwrap(),
    );
    text += &claim(&LabelRr::new(1.5, 7).unwrap());
    let model = LinearModel::new(DenseMatrix::zeros(3, 2), vec![0.0, 1.0]).unwrap();
    text + &claim(&AnswerRr::new(0.5, Public::declared(model)).unwrap())
}

fn edges() -> String {
    let ground = || {
        let public = Graph::empty(4, Direction::Undirected).unwrap();
        PublicGraph::new(public, PrivateNodes::All).unwrap()
    };
    let tree = || Public::declared(Dendrogram::random(4, 1).unwrap());
    [
        claim(&Rr::new(1.5).unwrap()),
        claim(&PackedRr(Rr::new(0.5).unwrap())),
        claim(&Dprr::new(1.5, 100).unwrap()),
        claim(&Dprr::from_parts(0.25, 1.0).unwrap()),
        claim(&DprrWithDegree(Dprr::new(2.0, 100).unwrap())),
        claim(&NoisyDegree::new(1.5).unwrap()),
        claim(&LocalLap::new(1.5).unwrap()),
        claim(&Silent),
        claim(&OneSided(Rr::new(1.5).unwrap())),
        claim(&EachGraph(Dprr::new(1.5, 100).unwrap())),
        claim(&EdgeRand::new(1.5).unwrap()),
        claim(&LapGraph::new(1.5).unwrap()),
        claim(&EdgeRr::public_tree(1.5, ground(), tree()).unwrap()),
        claim(&EdgeRr::private_tree(0.01, 20, 1.5, ground(), tree()).unwrap()),
    ]
    .concat()
}

fn curators() -> String {
    let settings =
        aggregation::SumSettings { hops: 2, max_degree: 3, clip: 1.5, noise_multiplier: 0.7 };
    let printed = Epsilon::new(0.125).unwrap();
    [
        claim(&NoisySums::<Edge>::new(settings, 5).unwrap()),
        claim(&NoisySums::<Node>::new(settings, 5).unwrap()),
        claim(&NoisySums::<ReplacedNode>::new(settings, 5).unwrap()),
        claim(&AsPrinted::new(
            NoisySums::<Edge>::new(settings, 5).unwrap(),
            printed,
            "one hop is charged",
        )),
        claim(&CoinFlip::new(1.0).unwrap()),
        claim(&NeighbourVotes::<Node>::new(7, 3, 1.25).unwrap()),
        claim(&NeighbourVotes::<ReplacedNode>::new(7, 3, 1.25).unwrap()),
    ]
    .concat()
}

#[test]
fn claims_are_what_was_read() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mechanisms/claims.txt");
    let found = features() + &edges() + &curators();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    for (found, expected) in found.split("\n\n").zip(expected.split("\n\n")) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.len(), expected.len());
}
