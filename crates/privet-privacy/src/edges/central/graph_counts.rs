//! What a curator may say about the connections of a graph: how many there are, how unequal, how clustered, who mixes
//! with whom, `graph-counts`.
//!
//! # Idea
//! Some counts move by one or two with an edge, whatever the graph: integer noise of that size is added. Others can move
//! by very much in some graph, and by little in this one: they get the noise of a [`Ladder`], whose widths follow
//! three numbers of the graph that no edge moves by more than one. Those three are released too, with a small share of the
//! budget, so that the size of the noise is known.
//!
//! # Equation
//! d1 and d2 are the two largest degrees, a the most neighbours that any two nodes have in common, connected or not.
//!
//! | question | count | noise |
//! |---|---|---|
//! | connections | pairs that are connected | `DLap(eps)` |
//! | degrees | for every stated k, nodes with at least k neighbours | `DLap(eps / 2)` each |
//! | mixing | connected pairs by the two classes | `DLap(eps)` each |
//! | two-stars | `Σ C(deg, 2)` | ladder d1 + d2 + 2s |
//! | three-stars | `Σ C(deg, 3)` | ladder C(d1 + s, 2) + C(d2 + s, 2) |
//! | triangles | triangles | ladder a + s |
//! | four-cycles | cycles of four nodes | ladder (d2 + s)(a + s) |
//! | two-steps | pairs that are connected or have a neighbour in common | ladder d1 + d2 + 1 + 2s |
//! | scales | those of d1, d2, a that a ladder above needs, m of them | `DLap(eps / m)` each |
//!
//! # Guarantee
//! Unit [`Edge`], the sum of all parts' epsilons.
//! *Proof.* Parts are drawn independently from one graph, so epsilons add. An edge is one pair in one cell of the mixing
//! table. It moves the degrees of two nodes from some d to d + 1, which moves the count of one k for each of them, by one.
//! It moves each degree, and each number of common neighbours, by at most one, hence each of d1, d2 and a: order
//! statistics move no further than what they order. So [`DiscreteLaplace`] of sensitivity 1, 2, 1 and m costs
//! eps for each part.
//!
//! Ladders need (a) and (b) of [`ladder`](super::ladder). (b): each width is a growing polynomial of some of d1, d2, a, plus
//! s in place of every step; these are at most one larger in a neighbouring graph, which is what one more s adds.
//! (a), for the pair {u, v} with degrees du, dv and `a_uv` common neighbours without the edge, which are at most those of g:
//! * two-stars and three-stars change by `C(du, k-1) + C(dv, k-1)`, at most with d1 and d2 in place of du and dv;
//! * triangles change by `a_uv <= a`: the pair need not be connected;
//! * four-cycles change by the paths u, x, y, v. For every neighbour x of u other than v there are at most `a_xv <= a` of them,
//!   and the same from v: at most `min(du, dv) a <= d2 a`;
//! * within two steps are at most the pair itself, u with neighbours of v, and v with neighbours of u more: `1 + du + dv`. ∎
//!
//! A directed graph counts as its pairs; an arc more or less is at most one pair.
//!
//! # Paper
//! Ladders and local sensitivities: Zhang and others, SIGMOD 2015. Degrees: the counts are the dual of the sorted degrees of
//! Hay, Li, Miklau, Jensen, "Accurate Estimation of the Degree Distribution of Private Networks", 2009.
//!
//! # Differs from paper
//! The paper's triangles have the ladder of exact local sensitivity at distance s, which needs all pairs; a + s is at
//! most a few percent wider where a is not small. Four-cycles, three-stars and pairs within two steps are ours.
//!
//! # Cost
//! `O(edges^1.5)` for triangles, `O(Σ degree²)` for a, four-cycles and two-steps, `O(edges)` for the others.
//!
//! # Numerics
//! Exact.

use privet_graph::subgraph_counts::{PlainGraph, TwoStepCounts};
use privet_graph::{Graph, NodeId};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::ladder::{Ladder, LadderNoise};
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::loss::Epsilon;
use crate::mechanism::{Central, Mechanism, MechanismParameters, Permit, Theorem};
use crate::noise::{DiscreteLaplace, NoiseSource, Numerics, RandomWords};
use crate::origin::shipped;
use crate::population::GraphShape;
use crate::public::Public;
use crate::unit::Edge;

/// What is asked of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GraphQuestion {
    /// Pairs that are connected.
    Connections,
    /// Nodes with at least so many neighbours, for each of the stated numbers.
    Degrees,
    /// Connected pairs by the classes of both.
    Mixing,
    /// Pairs of connections that meet in a node.
    TwoStars,
    /// Triples of connections that meet in a node.
    ThreeStars,
    /// Triples of nodes that are all connected.
    Triangles,
    /// Cycles of four nodes.
    FourCycles,
    /// Pairs that are connected or have a neighbour in common.
    TwoSteps,
}

impl GraphQuestion {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Connections,
        Self::Degrees,
        Self::Mixing,
        Self::TwoStars,
        Self::ThreeStars,
        Self::Triangles,
        Self::FourCycles,
        Self::TwoSteps,
    ];

    /// What commands and files call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Connections => "connections",
            Self::Degrees => "degrees",
            Self::Mixing => "mixing",
            Self::TwoStars => "two-stars",
            Self::ThreeStars => "three-stars",
            Self::Triangles => "triangles",
            Self::FourCycles => "four-cycles",
            Self::TwoSteps => "two-steps",
        }
    }

    /// The numbers of the graph that its noise follows.
    fn scales(self) -> &'static [Scale] {
        match self {
            Self::Connections | Self::Degrees | Self::Mixing => &[],
            Self::TwoStars | Self::ThreeStars | Self::TwoSteps => {
                &[Scale::LargestDegree, Scale::SecondDegree]
            }
            Self::Triangles => &[Scale::MostShared],
            Self::FourCycles => &[Scale::SecondDegree, Scale::MostShared],
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Scale {
    LargestDegree,
    SecondDegree,
    MostShared,
}

/// Numbers of a graph that say how far one edge can move its counts, or noisy ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct GraphScales {
    /// d1: the largest degree.
    pub largest_degree: i64,
    /// d2: the largest degree of the others.
    pub second_degree: i64,
    /// a: the most neighbours that two nodes have in common.
    pub most_shared: i64,
}

impl GraphScales {
    /// d1, d2 and a.
    pub fn to_array(self) -> [i64; 3] {
        [self.largest_degree, self.second_degree, self.most_shared]
    }

    /// The ladder of a question; none for those whose noise does not follow the graph. What is below 0 counts as 0.
    pub fn ladder(&self, question: GraphQuestion) -> Option<Ladder> {
        let [d1, d2, a] = [self.largest_degree, self.second_degree, self.most_shared]
            .map(|scale| u64::try_from(scale).unwrap_or(0).min(1 << 30));
        let pairs = |d: u64| d * d.saturating_sub(1) / 2;
        let flat = fault::on(Fault::LadderFlat);
        let ladder = match question {
            GraphQuestion::Connections | GraphQuestion::Degrees | GraphQuestion::Mixing => None,
            GraphQuestion::TwoStars => Some(Ladder { start: d1 + d2, slope: 2, curvature: 0 }),
            GraphQuestion::ThreeStars => {
                // C(d + s, 2) = C(d, 2) + d s + C(s, 2)
                Some(Ladder { start: pairs(d1) + pairs(d2), slope: d1 + d2, curvature: 2 })
            }
            GraphQuestion::Triangles => Some(Ladder { start: a, slope: 1, curvature: 0 }),
            GraphQuestion::FourCycles => {
                // (d2 + s)(a + s) = d2 a + (d2 + a + 1) s + 2 C(s, 2)
                Some(Ladder { start: d2 * a, slope: d2 + a + 1, curvature: 2 })
            }
            GraphQuestion::TwoSteps => Some(Ladder { start: d1 + d2 + 1, slope: 2, curvature: 0 }),
        };
        ladder.map(|ladder| if flat { Ladder { slope: 0, curvature: 0, ..ladder } } else { ladder })
    }
}

/// The classes of nodes, from public data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeClasses {
    /// How many classes there are.
    pub count: u32,
    /// The class of each node; edges of a node without one stand in no cell.
    pub of_node: Vec<Option<u32>>,
}

/// Questions, and what each of them may cost.
#[derive(Debug, Clone)]
pub struct GraphCounts {
    questions: Vec<(GraphQuestion, Budget)>,
    scales: Option<Budget>,
    thresholds: Vec<u64>,
    classes: Option<Public<NodeClasses>>,
    total: Budget,
}

/// Noisy answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphAnswers {
    /// In the order of the questions: one count; for degrees one for each stated number; for mixing one for each pair
    /// of classes, (0, 0), (0, 1), (1, 1), (0, 2) and so on. They may be below 0.
    pub counts: Vec<Vec<i64>>,
    /// The numbers that ladders followed, noisy; 0 where none was needed.
    pub scales: GraphScales,
}

impl GraphCounts {
    /// Questions with their budgets, and one for the scales, which is needed if a question's noise follows the
    /// graph. `thresholds` are the numbers of neighbours that `degrees` asks about, ascending.
    ///
    /// ```
    /// use privet_graph::{Direction, GraphBuilder};
    /// use privet_privacy::edges::central::{GraphCounts, GraphQuestion};
    /// use privet_privacy::{Budget, Ledger, Loss, Secret, noise::NoiseRng};
    /// let edges = [(0, 1), (1, 2), (0, 2), (2, 3)];
    /// let graph = GraphBuilder::new(4, Direction::Undirected).edges(edges).build()?.0;
    /// let epsilon = Budget::from_epsilon(30.0)?;
    /// let asked = [(GraphQuestion::Connections, epsilon), (GraphQuestion::Triangles, epsilon)];
    /// let counts = GraphCounts::new(&asked, Some(epsilon), Vec::new(), None)?;
    /// let mut ledger = Ledger::in_memory(Loss::new(90.0, 0.0)?, NoiseRng::from_operating_system()?)?;
    /// let answers = ledger.release(&Secret::new(graph), &counts)?;
    /// assert_eq!(answers.get().counts, [[4], [1]]);   // at so large an epsilon, exactly
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If nothing is asked, a question stands there twice, a budget is missing or too small, thresholds do not ascend from 1, or
    /// mixing is asked without classes.
    pub fn new(
        questions: &[(GraphQuestion, Budget)],
        scales: Option<Budget>,
        thresholds: Vec<u64>,
        classes: Option<Public<NodeClasses>>,
    ) -> Result<Self> {
        let Some(((_, first), others)) = questions.split_first() else {
            return Err(Error::range("questions", 0, "at least one"));
        };
        let mut total = *first;
        for (_, budget) in others {
            total = total.checked_add(*budget)?;
        }
        for (at, (question, budget)) in questions.iter().enumerate() {
            if questions[..at].iter().any(|(other, _)| other == question) {
                return Err(Error::range("question", question.name(), "each once"));
            }
            if !question.scales().is_empty() {
                LadderNoise::new(*budget)?;
            }
        }
        let asks = |wanted| questions.iter().any(|(question, _)| *question == wanted);
        let follows = questions.iter().any(|(question, _)| !question.scales().is_empty());
        let scales = match (follows, scales) {
            (false, _) => None,
            (true, Some(budget)) => {
                total = total.checked_add(budget)?;
                Some(budget)
            }
            (true, None) => {
                return Err(Error::range("budget of scales", "none", "one: noise follows them"));
            }
        };
        if asks(GraphQuestion::Degrees) {
            let ascending = thresholds.first().is_some_and(|&first| first > 0)
                && thresholds.windows(2).all(|pair| pair[0] < pair[1]);
            if !ascending {
                let found = format!("{} numbers", thresholds.len());
                return Err(Error::range("numbers of neighbours", found, "ascending, from 1"));
            }
        }
        match classes.as_ref().map(Public::get) {
            None if asks(GraphQuestion::Mixing) => {
                return Err(Error::range("classes", "none", "the class of every node, for mixing"));
            }
            Some(NodeClasses { count, of_node })
                if *count == 0 || of_node.iter().flatten().any(|class| class >= count) =>
            {
                return Err(Error::range("class", "one beyond them", "one of the classes"));
            }
            _ => {}
        }
        Ok(Self { questions: questions.to_vec(), scales, thresholds, classes, total })
    }

    /// What is asked, in order, and what each question may cost.
    pub fn questions(&self) -> &[(GraphQuestion, Budget)] {
        &self.questions
    }

    /// The numbers of neighbours that `degrees` asks about.
    pub fn thresholds(&self) -> &[u64] {
        &self.thresholds
    }

    /// The noise of a question's counts that does not follow the graph.
    ///
    /// # Errors
    /// Never for a budget that was accepted.
    pub fn plain_noise(question: GraphQuestion, budget: Budget) -> Result<DiscreteLaplace> {
        let moves = match question {
            // An edge raises two nodes by one step each.
            GraphQuestion::Degrees if !fault::on(Fault::DegreesMoveOneCount) => 2,
            _ => 1,
        };
        DiscreteLaplace::new(budget, moves)
    }

    /// The noise of every scale, if some are released.
    ///
    /// # Errors
    /// Never for a budget that was accepted.
    pub fn scale_noise(&self) -> Result<Option<DiscreteLaplace>> {
        let count = self.scales_needed().len() as u64;
        self.scales.map(|budget| DiscreteLaplace::new(budget, count)).transpose()
    }

    fn scales_needed(&self) -> Vec<Scale> {
        let mut all: Vec<Scale> =
            self.questions.iter().flat_map(|(question, _)| question.scales()).copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The counts without noise, question by question.
    fn exact(&self, graph: &PlainGraph<'_>, paths: &TwoStepCounts) -> Vec<Vec<i64>> {
        let one = |count: u64| vec![i64::try_from(count).unwrap_or(i64::MAX)];
        let answer = |(question, _): &(GraphQuestion, Budget)| match question {
            GraphQuestion::Connections => one(graph.edges()),
            GraphQuestion::Degrees => at_least(&graph.degrees(), &self.thresholds),
            GraphQuestion::Mixing => self.mixing(graph),
            GraphQuestion::TwoStars => one(graph.stars(2)),
            GraphQuestion::ThreeStars => one(graph.stars(3)),
            GraphQuestion::Triangles => one(graph.triangles()),
            GraphQuestion::FourCycles => one(paths.four_cycles),
            GraphQuestion::TwoSteps => one(paths.pairs_within_two),
        };
        self.questions.iter().map(answer).collect()
    }

    fn mixing(&self, graph: &PlainGraph<'_>) -> Vec<i64> {
        let Some(NodeClasses { count, of_node }) = self.classes.as_ref().map(Public::get) else {
            return Vec::new();
        };
        let count = *count as usize;
        let class = |node: NodeId| of_node.get(node as usize).copied().flatten();
        let mut cells = vec![0i64; count * (count + 1) / 2];
        for node in 0..graph.node_count() as NodeId {
            let Some(own) = class(node) else { continue };
            for other in graph.neighbors(node).filter(|&other| other < node) {
                if let Some(theirs) = class(other) {
                    cells[cell(own, theirs)] += 1;
                }
            }
        }
        cells
    }

    /// d1, d2 and a of a graph.
    fn scales_of(&self, graph: &PlainGraph<'_>, paths: &TwoStepCounts) -> GraphScales {
        let (mut first, mut second) = (0, 0);
        for degree in graph.degrees() {
            if degree >= first {
                (first, second) = (degree, first);
            } else {
                second = second.max(degree);
            }
        }
        let whole = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        GraphScales {
            largest_degree: whole(first),
            second_degree: whole(second),
            most_shared: whole(paths.most_shared),
        }
    }
}

/// Where the count of a pair of classes stands.
pub fn cell(one: u32, other: u32) -> usize {
    let (low, high) = (one.min(other) as usize, one.max(other) as usize);
    high * (high + 1) / 2 + low
}

/// How many degrees are at least each threshold.
fn at_least(degrees: &[u64], thresholds: &[u64]) -> Vec<i64> {
    let mut counts = vec![0i64; thresholds.len() + 1];
    for degree in degrees {
        counts[thresholds.partition_point(|threshold| threshold <= degree)] += 1;
    }
    // A node that passes a threshold passes all before it.
    let mut passed = 0;
    let mut counts: Vec<i64> = counts
        .into_iter()
        .skip(1)
        .rev()
        .map(|count| {
            passed += count;
            passed
        })
        .collect();
    counts.reverse();
    counts
}

shipped!(GraphCounts);

impl Mechanism for GraphCounts {
    type Unit = Edge;

    fn name(&self) -> &'static str {
        "graph-counts"
    }

    fn event(&self) -> Event {
        Event::Pure { epsilon: Epsilon::from(self.total) }
    }

    fn theorem(&self) -> Theorem {
        Theorem {
            statement: "every count has noise for what one edge can move it by, in this graph and those near it".into(),
            proof: "privet_privacy::edges::central::graph_counts, Guarantee".into(),
        }
    }

    fn numerics(&self) -> Numerics {
        Numerics::Exact
    }

    fn parameters(&self) -> MechanismParameters {
        let asked: serde_json::Map<_, _> = self
            .questions
            .iter()
            .map(|(question, budget)| (question.name().to_owned(), json!(budget.as_f64())))
            .chain(self.scales.map(|budget| ("scales".to_owned(), json!(budget.as_f64()))))
            .collect();
        MechanismParameters::from([("epsilons".into(), json!(asked))])
    }

    fn assumes_public(&self) -> Vec<String> {
        let nodes = std::iter::once("the nodes and their ids".to_owned());
        let classes = self.classes.as_ref().map(|_| "the class of every node".to_owned());
        nodes.chain(classes).collect()
    }
}

impl Central for GraphCounts {
    type Input = Graph;
    type Output = GraphAnswers;

    fn check(&self, shape: &GraphShape) -> Result<()> {
        // Widths of rungs are counted in words.
        if shape.nodes > 1 << 30 {
            return Err(Error::range("nodes", shape.nodes, "at most 2^30"));
        }
        match self.classes.as_ref().map(|classes| classes.get().of_node.len()) {
            Some(nodes) if nodes != shape.nodes => {
                Err(Error::range("nodes with a class", nodes, "as many as there are nodes"))
            }
            _ => Ok(()),
        }
    }

    fn sample<N: NoiseSource>(&self, graph: &Graph, noise: N, _permit: Permit<'_>) -> GraphAnswers {
        let graph = PlainGraph::of(graph);
        let needed = self.scales_needed();
        let asks = |wanted| self.questions.iter().any(|(question, _)| *question == wanted);
        let walks = needed.contains(&Scale::MostShared) || asks(GraphQuestion::TwoSteps);
        let paths = if walks { graph.two_step_counts() } else { TwoStepCounts::default() };
        let exact = self.exact(&graph, &paths);
        let scales = self.scales_of(&graph, &paths);
        // One stream a question, and one for the scales.
        let mut drawn =
            noise.map_users(self.questions.len() + 1, |at, words| match self.questions.get(at) {
                Some((question, budget)) => {
                    noisy(*question, *budget, &exact[at], scales.ladder(*question), words)
                }
                None => self.noisy_scales(&scales, &needed, words),
            });
        let found = drawn.pop().unwrap_or_default();
        let scale = |wanted| {
            let at = needed.iter().position(|scale| *scale == wanted);
            at.and_then(|at| found.get(at)).copied().unwrap_or(0)
        };
        let scales = GraphScales {
            largest_degree: scale(Scale::LargestDegree),
            second_degree: scale(Scale::SecondDegree),
            most_shared: scale(Scale::MostShared),
        };
        GraphAnswers { counts: drawn, scales }
    }
}

impl GraphCounts {
    fn noisy_scales<W: RandomWords>(
        &self,
        scales: &GraphScales,
        needed: &[Scale],
        words: &mut W,
    ) -> Vec<i64> {
        // A budget that was accepted makes a law.
        let Ok(Some(law)) = self.scale_noise() else { return Vec::new() };
        let exact = |scale: &Scale| match scale {
            Scale::LargestDegree => scales.largest_degree,
            Scale::SecondDegree => scales.second_degree,
            Scale::MostShared => scales.most_shared,
        };
        needed.iter().map(|scale| exact(scale).saturating_add(law.draw(words))).collect()
    }
}

/// The answers to one question with its noise.
fn noisy<W: RandomWords>(
    question: GraphQuestion,
    budget: Budget,
    exact: &[i64],
    ladder: Option<Ladder>,
    words: &mut W,
) -> Vec<i64> {
    match ladder {
        // Budgets were accepted when the mechanism was made, so that nothing is left out here.
        Some(ladder) => match LadderNoise::new(budget) {
            Ok(law) => exact.iter().map(|c| c.saturating_add(law.draw(&ladder, words))).collect(),
            Err(_) => Vec::new(),
        },
        None => match GraphCounts::plain_noise(question, budget) {
            Ok(law) => exact.iter().map(|c| c.saturating_add(law.draw(words))).collect(),
            Err(_) => Vec::new(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::NoiseRng;
    use crate::{Ledger, Loss, Secret};
    use privet_graph::{Direction, GraphBuilder};

    fn graph(nodes: u32, mask: u32) -> Graph {
        let pairs = (0..nodes).flat_map(|u| (0..u).map(move |v| (u, v)));
        let edges = pairs.enumerate().filter(|(at, _)| mask >> at & 1 == 1).map(|(_, pair)| pair);
        GraphBuilder::new(nodes as usize, Direction::Undirected).edges(edges).build().unwrap().0
    }

    fn asking(questions: &[GraphQuestion], epsilon: f64) -> GraphCounts {
        let budget = Budget::from_epsilon(epsilon).unwrap();
        let asked: Vec<_> = questions.iter().map(|&question| (question, budget)).collect();
        let classes =
            NodeClasses { count: 2, of_node: vec![Some(0), Some(1), Some(1), None, Some(0)] };
        let classes = Some(Public::declared(classes));
        GraphCounts::new(&asked, Some(budget), vec![1, 2, 4], classes).unwrap()
    }

    /// Conditions (a) and (b) of the ladder, and the sensitivities of everything else, for every graph and edge.
    #[test]
    fn ladders_hold_for_all_graphs_of_five_nodes() {
        let counts = asking(&GraphQuestion::ALL, 1.0);
        let all: Vec<_> = (0..1 << 10)
            .map(|mask| {
                let graph = graph(5, mask);
                let plain = PlainGraph::of(&graph);
                let paths = plain.two_step_counts();
                (counts.exact(&plain, &paths), counts.scales_of(&plain, &paths))
            })
            .collect();
        for (mask, (exact, scales)) in all.iter().enumerate() {
            for edge in 0..10 {
                let (others, other_scales) = &all[mask ^ (1 << edge)];
                for (at, &question) in GraphQuestion::ALL.iter().enumerate() {
                    let moved: u64 =
                        exact[at].iter().zip(&others[at]).map(|(a, b)| a.abs_diff(*b)).sum();
                    let Some(ladder) = scales.ladder(question) else {
                        let most = if question == GraphQuestion::Degrees { 2 } else { 1 };
                        assert!(moved <= most, "{question:?}: {moved}");
                        continue;
                    };
                    assert!(moved <= ladder.start, "(a), {question:?}: {moved}, {ladder:?}");
                    let other = other_scales.ladder(question).unwrap();
                    for rung in 0..12 {
                        assert!(ladder.width(rung) <= other.width(rung + 1), "(b), {question:?}");
                    }
                }
                let moves = [
                    scales.largest_degree.abs_diff(other_scales.largest_degree),
                    scales.second_degree.abs_diff(other_scales.second_degree),
                    scales.most_shared.abs_diff(other_scales.most_shared),
                ];
                assert!(moves.iter().all(|&by| by <= 1), "{moves:?}");
            }
        }
    }

    #[test]
    fn at_a_large_epsilon_answers_are_the_truth() {
        // Two triangles with a common edge, and a node that knows one other.
        let edges = [(0, 1), (1, 2), (0, 2), (1, 3), (2, 3), (3, 4)];
        let builder = GraphBuilder::new(5, Direction::Undirected);
        let graph = Secret::new(builder.edges(edges).build().unwrap().0);
        let counts = asking(&GraphQuestion::ALL, 40.0);
        let mut ledger =
            Ledger::<Edge>::in_memory(Loss::new(400.0, 0.0).unwrap(), NoiseRng::replay(1)).unwrap();
        let found = ledger.release(&graph, &counts).unwrap();
        let expected: [&[i64]; 8] = [&[6], &[5, 4, 0], &[0, 2, 1], &[10], &[3], &[2], &[1], &[9]];
        assert_eq!(found.get().counts, expected);
        let scales = GraphScales { largest_degree: 3, second_degree: 3, most_shared: 2 };
        assert_eq!(found.get().scales, scales);
        assert_eq!(counts.event(), Event::Pure { epsilon: Epsilon::new(9.0 * 40.0).unwrap() });
    }

    #[test]
    fn nonsense_is_refused() {
        let budget = Budget::from_epsilon(1.0).unwrap();
        let small = Budget::from_epsilon(1e-4).unwrap();
        let new = |asked: &[(GraphQuestion, Budget)], scales, thresholds| {
            GraphCounts::new(asked, scales, thresholds, None).map(|_| ()).unwrap_err().to_string()
        };
        let twice = [(GraphQuestion::Connections, budget), (GraphQuestion::Connections, budget)];
        assert!(new(&[], None, vec![]).contains("at least one"));
        assert!(new(&twice, None, vec![]).contains("each once"));
        assert!(new(&[(GraphQuestion::Triangles, budget)], None, vec![]).contains("scales"));
        assert!(new(&[(GraphQuestion::Triangles, small)], Some(budget), vec![]).contains("0.001"));
        assert!(new(&[(GraphQuestion::Degrees, budget)], None, vec![2, 2]).contains("ascending"));
        assert!(new(&[(GraphQuestion::Mixing, budget)], None, vec![]).contains("class"));
    }
}
