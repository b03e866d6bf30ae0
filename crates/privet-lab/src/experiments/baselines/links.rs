//! Links between people in one graph, by public links alone, or by every person's features as well.

use privet::graph::{DenseMatrix, FeatureMatrix, Graph, LinkPairs, LinkSplit, NodeId, SimRng};
use privet::ldp_ge::{
    Embedding, KnownLinks, Learner, Linker, PairEvidence, PairModel, Preset, Task, all_pairs,
};
use privet::learn::metrics::roc_auc;
use privet::learn::models::ItemRows;
use privet::{Result, Run};
use rand::RngExt;

use super::NamedLearner;
use crate::experiments::trial::{TEST, TrialScores, VALIDATION};

/// Columns of noise that carry the graph.
const COLUMNS: usize = 256;
/// From more numbers than this in all rows together, they are projected to [`SKETCH`] columns: half a gigabyte is too much.
const MOST_NUMBERS: usize = 20_000_000;
const SKETCH: usize = 512;
/// From more links than this, training stops after fewer epochs without progress.
const MANY: usize = 20_000;

/// The fixed set; where features are known, one more.
pub fn learners<'a>(
    links: &'a LinkSplit,
    features: Option<&'a FeatureMatrix>,
    run: &'a Run<'a>,
) -> Vec<NamedLearner<'a>> {
    let by = move |score: fn(&Graph, NodeId, NodeId) -> f32| {
        move || {
            let of = |&(one, other): &(NodeId, NodeId)| score(&links.graph, one, other);
            scored(links, &|pairs| Ok(pairs.iter().map(of).collect()))
        }
    };
    let mut list: Vec<NamedLearner<'a>> = vec![
        ("degrees", Box::new(by(degrees))),
        ("common neighbours", Box::new(by(common))),
        ("noise around", Box::new(move || noise_around(links, run))),
    ];
    if links.validation.edges.len() >= KnownLinks::FEWEST {
        list.push(("public links", Box::new(move || public_links(links, run))));
    }
    if let Some(rows) = features {
        list.push(("features around", Box::new(move || features_around(links, rows, run))));
    }
    list
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
fn public_links(links: &LinkSplit, run: &Run<'_>) -> Result<TrialScores> {
    let evidence = PairEvidence::new(&links.graph)?;
    let rows = evidence.rows(&all_pairs(&links.validation), None);
    let model = PairModel::fit(&rows, links.validation.edges.len(), run.watch)?;
    scored(links, &|pairs| Ok(model.scores(&evidence.rows(pairs, None))))
}

/// Random columns spread over the graph, and public links: people who are near each other get similar rows.
fn noise_around(links: &LinkSplit, run: &Run<'_>) -> Result<TrialScores> {
    let preset = Preset::links("");
    let (people, mut rng) = (links.graph.node_count(), SimRng::stream(run.seed, 0xba5e));
    let signs = (0..people * COLUMNS).map(|_| if rng.random::<bool>() { 1.0 } else { -1.0 });
    let signs = FeatureMatrix::Dense(DenseMatrix::new(people, COLUMNS, signs.collect())?);
    let embedding = preset.embedding.run(&links.graph, &signs, run.seed)?;
    weighed(links, embedding, &preset.learner, run)
}

/// Embeddings, and what public links say beside them.
fn weighed(
    links: &LinkSplit,
    embedding: DenseMatrix,
    learner: &Learner,
    run: &Run<'_>,
) -> Result<TrialScores> {
    let scorer = learner.link(&embedding, links, run.seed, run.watch)?;
    let mut linker = Linker { embedding, scorer, known: None };
    linker.known = KnownLinks::learn(&linker, links, run.watch)?;
    scored(links, &|pairs| linker.scores(pairs))
}

/// Each person's row spread over the graph, weighed against what public links say, with what is best for clear rows.
fn features_around(links: &LinkSplit, rows: &FeatureMatrix, run: &Run<'_>) -> Result<TrialScores> {
    let Preset { embedding, learner, .. } = Preset::ceiling(Task::Links, "cora");
    let numbers = links.graph.node_count() * ItemRows::from(rows).columns();
    let sketch = if numbers > MOST_NUMBERS { SKETCH } else { 0 };
    let embedding = Embedding { sketch, ..embedding }.run(&links.graph, rows, run.seed)?;
    let learner = match links.train.edges.len() > MANY {
        true => Learner { batch: 512, patience: 5, ..learner },
        false => learner,
    };
    weighed(links, embedding, &learner, run)
}

type Scoring<'a> = &'a dyn Fn(&[(NodeId, NodeId)]) -> Result<Vec<f32>>;

/// Areas under the ROC curve.
///
/// # Errors
/// Those of the scoring.
pub fn scored(links: &LinkSplit, scores: Scoring<'_>) -> Result<TrialScores> {
    let area = |pairs: &LinkPairs| -> Result<f64> {
        let all = scores(&all_pairs(pairs))?;
        let linked: Vec<bool> = (0..all.len()).map(|at| at < pairs.edges.len()).collect();
        Ok(roc_auc(&all, &linked).unwrap_or(0.5))
    };
    Ok(TrialScores::new([(VALIDATION, area(&links.validation)?), (TEST, area(&links.test)?)]))
}

#[cfg(test)]
mod tests {
    use privet::graph::{Direction, GraphBuilder};

    use super::*;
    use crate::experiments::baselines::best_of;
    use privet::data::synthetic::StochasticBlocks;

    /// Two friends (2 and 3) in common for 0 and 1, one (3) for 0 and 4.
    fn square() -> Graph {
        let edges = [(0, 2), (0, 3), (1, 2), (1, 3), (3, 4)];
        GraphBuilder::new(5, Direction::Undirected).edges(edges).build().unwrap().0
    }

    #[test]
    fn friends_in_common_count_by_how_few_friends_they_have() {
        let graph = square();
        let expected = 1.0 / 2f32.ln() + 1.0 / 3f32.ln();
        assert!((common(&graph, 0, 1) - expected).abs() < 1e-6);
        assert_eq!(common(&graph, 0, 1), common(&graph, 1, 0));
        assert_eq!(common(&graph, 0, 4), 1.0 / 3f32.ln());
        assert_eq!(common(&graph, 0, 2), 0.0);
        assert_eq!((degrees(&graph, 3, 4), degrees(&graph, 0, 1)), (3.0, 4.0));
    }

    /// Where rows of the same group are alike, they tell which of its members are friends better than links alone.
    #[test]
    fn features_tell_what_links_do_not() {
        let blocks = StochasticBlocks { nodes: 300, mean_degree: 6.0, ..Default::default() };
        let people = blocks.generate(1).unwrap();
        let links = LinkSplit::random(people.graph(), 0.1, 0.1, 1).unwrap();
        let run = Run::simulation(1);
        let test = |features: Option<&FeatureMatrix>| {
            best_of(learners(&links, features, &run)).unwrap().test()
        };
        let (alone, all) = (test(None), test(Some(people.features().unwrap().matrix())));
        assert!(all > alone + 0.02, "{all} {alone}");
    }

    /// Areas count how often a link is scored above a pair that is none; ties are half.
    #[test]
    fn scores_are_areas_under_the_curve() {
        let pairs = |edges: &[(u32, u32)], non_edges: &[(u32, u32)]| LinkPairs {
            edges: edges.to_vec(),
            non_edges: non_edges.to_vec(),
        };
        let links = LinkSplit {
            graph: square(),
            train: pairs(&[], &[]),
            validation: pairs(&[(0, 1)], &[(2, 4)]),
            test: pairs(&[(0, 1), (0, 4)], &[(0, 2), (0, 4)]),
        };
        let by = |pairs: &[(NodeId, NodeId)]| {
            Ok(pairs.iter().map(|&(one, other)| common(&links.graph, one, other)).collect())
        };
        let scores = scored(&links, &by).unwrap();
        assert_eq!((scores.validation(), scores.test()), (1.0, 0.875));
        let nothing = scored(&links, &|pairs| Ok(vec![0.0; pairs.len()])).unwrap();
        assert_eq!((nothing.validation(), nothing.test()), (0.5, 0.5));
    }
}
