//! Links between people in one graph, by public links alone.

use privet::graph::{DenseMatrix, FeatureMatrix, Graph, LinkPairs, LinkSplit, NodeId, SimRng};
use privet::ldp_ge::{PairEvidence, PairModel, Preset, all_pairs};
use privet::learn::metrics::roc_auc;
use privet::{Result, Run};
use rand::RngExt;

use super::Named;
use crate::experiments::trial::{Scores, TEST, VALIDATION};

/// Columns of noise that carry the graph.
const COLUMNS: usize = 256;

/// The fixed set.
pub fn learners<'a>(links: &'a LinkSplit, run: &'a Run<'a>) -> Vec<Named<'a>> {
    let by = move |score: fn(&Graph, NodeId, NodeId) -> f32| {
        move || {
            let of = |&(one, other): &(NodeId, NodeId)| score(&links.graph, one, other);
            Ok(scored(links, &|pairs| pairs.iter().map(of).collect()))
        }
    };
    vec![
        ("degrees", Box::new(by(degrees))),
        ("common neighbours", Box::new(by(common))),
        ("public links", Box::new(move || public_links(links, run))),
        ("noise around", Box::new(move || noise_around(links, run))),
    ]
}

/// Preferential attachment: the product of two degrees.
fn degrees(graph: &Graph, one: NodeId, other: NodeId) -> f32 {
    graph.degree(one) as f32 * graph.degree(other) as f32
}

/// Adamic and Adar: common neighbours, each by `1 / ln degree`.
fn common(graph: &Graph, one: NodeId, other: NodeId) -> f32 {
    let (short, long) = (graph.neighbors(one), graph.neighbors(other));
    let shared = short.iter().filter(|node| long.binary_search(node).is_ok());
    shared.map(|&node| 1.0 / (graph.degree(node) as f32).max(2.0).ln()).sum()
}

/// What is known about two people from the links of both, weighed by validation links.
fn public_links(links: &LinkSplit, run: &Run<'_>) -> Result<Scores> {
    let evidence = PairEvidence::new(&links.graph)?;
    let rows = evidence.rows(&all_pairs(&links.validation), None);
    let model = PairModel::fit(&rows, links.validation.edges.len(), run.watch)?;
    Ok(scored(links, &|pairs| model.scores(&evidence.rows(pairs, None))))
}

/// Random columns spread over the graph: people who are near each other get similar rows.
fn noise_around(links: &LinkSplit, run: &Run<'_>) -> Result<Scores> {
    let preset = Preset::links("");
    let (people, mut rng) = (links.graph.node_count(), SimRng::stream(run.seed, 0xba5e));
    let signs = (0..people * COLUMNS).map(|_| if rng.random::<bool>() { 1.0 } else { -1.0 });
    let signs = FeatureMatrix::Dense(DenseMatrix::new(people, COLUMNS, signs.collect())?);
    let embedding = preset.embedding.run(&links.graph, &signs, run.seed)?;
    let scorer = preset.learner.link(&embedding, links, run.seed, run.watch)?;
    Ok(scored(links, &|pairs| scorer.scores((&embedding).into(), pairs)))
}

type Scoring<'a> = &'a dyn Fn(&[(NodeId, NodeId)]) -> Vec<f32>;

/// Areas under the ROC curve.
pub fn scored(links: &LinkSplit, scores: Scoring<'_>) -> Scores {
    let area = |pairs: &LinkPairs| {
        let mut all = scores(&pairs.edges);
        all.extend(scores(&pairs.non_edges));
        let linked: Vec<bool> = (0..all.len()).map(|at| at < pairs.edges.len()).collect();
        roc_auc(&all, &linked).unwrap_or(0.5)
    };
    Scores::new([(VALIDATION, area(&links.validation)), (TEST, area(&links.test))])
}
