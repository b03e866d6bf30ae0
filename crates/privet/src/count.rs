//! Questions about who is connected to whom, answered with noise: how many connections, how unequal, how clustered, who
//! mixes with whom. Every answer has an interval that follows from the noise alone.
//!
//! One release answers all questions ([`GraphCounts`]); their epsilons add up to the one that is asked for. Every single
//! connection is protected; who there is, and for `mixing` everyone's class, is public.
//!
//! ```
//! use privet::count::{Count, GraphQuestion};
//! use privet::data::synthetic::karate_club;
//! use privet::system::{Facts, System};
//! use privet::Run;
//! let asked = Count::new(vec![GraphQuestion::Connections, GraphQuestion::Triangles], 2.0);
//! let club = karate_club()?;
//! println!("{}", asked.promise(&Facts::of(&club))?.explain());
//! let told = asked.run(club, &Run::simulation(1))?;
//! let connections = &told.get().answers[0].estimates[0];
//! assert!(connections.low <= 78.0 && 78.0 <= connections.high);
//! assert_eq!(told.card().guarantees[0].loss.epsilon.get(), 2.0);
//! # Ok::<(), privet::Error>(())
//! ```

use serde::{Deserialize, Serialize};

use crate::graph::Dataset;
use crate::graph::subgraph_counts::choose;
use crate::labels::one_each;
pub use crate::privacy::edges::central::GraphQuestion;
use crate::privacy::edges::central::graph_counts::cell;
use crate::privacy::edges::central::{
    GraphAnswers, GraphCounts, GraphScales, Ladder, LadderNoise, NodeClasses,
};
use crate::privacy::noise::DiscreteLaplace;
use crate::privacy::public::Public;
use crate::privacy::unit::{DataPart, Edge};
use crate::privacy::{Budget, Card, Secret};
use crate::protect::{Job, Terms};
use crate::stage::Stage;
use crate::{Error, Facts, Protected, Result, Run, System};

/// Questions, and what all of them together may cost.
#[derive(Debug, Clone)]
pub struct Count {
    /// What is asked; each once.
    pub questions: Vec<GraphQuestion>,
    /// How strongly every connection is protected.
    pub terms: Terms,
}

/// What each question may cost.
#[derive(Debug, Clone, PartialEq)]
pub struct CountShares {
    /// In the order of the questions.
    pub questions: Vec<(GraphQuestion, Budget)>,
    /// The part for the size of the noise, where it follows the graph.
    pub scales: Option<Budget>,
}

/// How sure an interval is.
pub const CONFIDENCE: f64 = 0.95;

/// What the size of the noise may cost, of every hundred parts, where it follows the graph.
const SCALES_OF_100: u64 = 10;

/// A number with an interval: 95 of 100 such intervals hold the true number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// What is counted.
    pub name: String,
    /// The estimate.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The answer to one question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CountAnswer {
    /// What was asked.
    pub question: GraphQuestion,
    /// Its part of epsilon.
    pub epsilon: f64,
    /// One number; for degrees and mixing several.
    pub estimates: Vec<Estimate>,
}

/// All answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CountAnswers {
    /// The version of this form.
    pub schema: String,
    /// How many people or things there are, which is public.
    pub nodes: usize,
    /// In the order of the questions.
    pub answers: Vec<CountAnswer>,
    /// What follows from the answers: no further price.
    pub derived: Vec<Estimate>,
}

impl CountAnswers {
    /// The version of the form that this program writes.
    pub const SCHEMA: &'static str = "privet.count/1";
}

impl Count {
    /// Questions for `epsilon` in all.
    pub fn new(questions: Vec<GraphQuestion>, epsilon: f64) -> Self {
        Self { questions, terms: Terms::alike(epsilon) }
    }

    /// Each question's part, and that of the size of the noise where it follows the graph: known before anything is spent.
    ///
    /// # Errors
    /// If epsilon is out of range, or nothing is asked.
    pub fn shares(&self) -> Result<CountShares> {
        if !self.terms.budgets.are_alike() {
            let expected = "one for all: a curator's noise is the same for every connection";
            return Err(Error::invalid("budgets", "several", expected));
        }
        Error::unless(!self.questions.is_empty(), "questions", "none", "at least one")?;
        let whole = Budget::from_epsilon(self.terms.budgets.otherwise())?;
        let follows = |question: &GraphQuestion| GraphScales::default().ladder(*question).is_some();
        let scales = match self.questions.iter().any(follows) {
            true => Some(whole.share(SCALES_OF_100, 100)?),
            false => None,
        };
        let mut left = scales.map_or(Ok(whole), |scales| whole.checked_sub(scales))?;
        let each = left.divided_by(self.questions.len() as u64)?;
        let mut shares: Vec<_> = self.questions.iter().map(|&question| (question, each)).collect();
        // What rounding left over goes to the last question: all parts together are epsilon, to the last digit.
        if let Some((_, last)) = shares.last_mut() {
            for _ in 1..self.questions.len() {
                left = left.checked_sub(each)?;
            }
            *last = left;
        }
        Ok(CountShares { questions: shares, scales })
    }

    /// The one description that [`promise`](System::promise) prices and [`run`](System::run) walks.
    fn stage(&self, nodes: usize, classes: Option<NodeClasses>) -> Result<Stage<GraphCounts>> {
        let CountShares { questions, scales } = self.shares()?;
        let classes = classes.map(Public::from_public_data);
        let mechanism = GraphCounts::new(&questions, scales, thresholds(nodes), classes)?;
        Stage::pure(DataPart::Edges, self.terms.budgets.otherwise(), mechanism)
    }

    fn asks(&self, question: GraphQuestion) -> bool {
        self.questions.contains(&question)
    }

    /// What is public about classes, for `mixing`.
    fn classes(&self, dataset: &Dataset) -> Result<Option<(NodeClasses, Vec<String>)>> {
        if !self.asks(GraphQuestion::Mixing) {
            return Ok(None);
        }
        let remedy = "mixing counts connections by the classes of both ends";
        let labels = one_each(dataset.labels(), dataset.name(), remedy)?;
        let of_node = dataset.graph().nodes().map(|node| labels.class(node)).collect();
        let classes = NodeClasses { count: labels.class_count() as u32, of_node };
        Ok(Some((classes, labels.class_names().to_vec())))
    }
}

impl System for Count {
    type Input = Dataset;
    type Output = CountAnswers;

    fn name(&self) -> &'static str {
        "count"
    }

    fn protects(&self) -> Vec<DataPart> {
        vec![DataPart::Edges]
    }

    fn promise(&self, facts: &Facts) -> Result<Card> {
        // A price does not depend on who has which class.
        let unknown = || NodeClasses { count: 1, of_node: vec![None; facts.total()] };
        let classes = self.asks(GraphQuestion::Mixing).then(unknown);
        let stage = self.stage(facts.total(), classes)?;
        let card = Card::new(subject(&facts.name)).foreseeing(&stage.foreseen_once()?)?;
        Ok(unprotected(self, facts.total()).into_iter().fold(card, Card::with_unprotected))
    }

    fn run(&self, dataset: Dataset, run: &Run<'_>) -> Result<Protected<CountAnswers>> {
        let job = Job::new(&dataset, &self.terms, run, DataPart::Edges, 0.0)?;
        let nodes = dataset.graph().node_count();
        let classes = self.classes(&dataset)?;
        let names = classes.as_ref().map(|(_, names)| names.clone()).unwrap_or_default();
        let stage = self.stage(nodes, classes.map(|(classes, _)| classes))?;
        let secret = Secret::new(dataset.graph().clone());
        let released = job.charge::<_, Edge>(subject(dataset.name()), |ledger| {
            Ok(ledger.release(&secret, &stage.mechanism)?)
        })?;
        let released = unprotected(self, nodes)
            .into_iter()
            .fold(job.finish(released), Protected::with_unprotected);
        released.try_map(|answers| read(&stage.mechanism, &answers, nodes, &names))
    }
}

fn subject(name: &str) -> String {
    format!("{name}: counts of connections, with noise")
}

fn unprotected(asked: &Count, nodes: usize) -> Vec<String> {
    let nodes = crate::words::count(nodes as u64);
    let ids = format!("who there is: the ids of all {nodes} nodes");
    let classes = "the class of every node, which the table of mixing is about".to_owned();
    let several =
        "several connections of one person together: each costs its own epsilon".to_owned();
    let classes = asked.asks(GraphQuestion::Mixing).then_some(classes);
    [ids].into_iter().chain(classes).chain([several]).collect()
}

/// The numbers of neighbours that `degrees` asks about: all up to 20, then about every eighth part more, below the number of
/// nodes. More of them cost nothing: an edge moves two of all counts.
fn thresholds(nodes: usize) -> Vec<u64> {
    let mut all: Vec<u64> = (1..=20).collect();
    let mut next = 20.0;
    while next < nodes as f64 {
        next *= 1.125;
        all.push(next as u64);
    }
    all.retain(|&threshold| threshold < nodes.max(2) as u64);
    all
}

/// Estimates with intervals, from what was released alone.
fn read(
    asked: &GraphCounts,
    told: &GraphAnswers,
    nodes: usize,
    classes: &[String],
) -> Result<CountAnswers> {
    let scale_noise = asked.scale_noise()?;
    let mut answers = Vec::new();
    for ((question, budget), counts) in asked.questions().iter().zip(&told.counts) {
        let half_width = match &scale_noise {
            Some(noise) if told.scales.ladder(*question).is_some() => {
                let ladders = likely_ladders(*question, told.scales, noise);
                half_width_over(&LadderNoise::new(*budget)?, &ladders)
            }
            _ => half_width(&GraphCounts::plain_noise(*question, *budget)?),
        };
        let (names, most) = (names(*question, asked.thresholds(), classes), most(*question, nodes));
        let mut estimates: Vec<Estimate> = names
            .into_iter()
            .zip(counts)
            .map(|(name, &count)| around(name, count, half_width, most))
            .collect();
        if *question == GraphQuestion::Degrees {
            fall(&mut estimates, nodes as f64);
        }
        answers.push(CountAnswer { question: *question, epsilon: budget.as_f64(), estimates });
    }
    let derived = derived(&answers, nodes);
    Ok(CountAnswers { schema: CountAnswers::SCHEMA.into(), nodes, answers, derived })
}

/// A count and as much on both sides, as far as so many nodes can have it.
fn around(name: String, count: i64, half_width: f64, most: f64) -> Estimate {
    let value = count as f64;
    let [low, value, high] =
        [value - half_width, value, value + half_width].map(|end| end.clamp(0.0, most));
    Estimate { name, value, low, high }
}

/// What a complete graph of so many nodes has.
fn most(question: GraphQuestion, nodes: usize) -> f64 {
    let nodes = nodes as u64;
    let of = |chosen| choose(nodes, chosen) as f64;
    match question {
        GraphQuestion::Connections | GraphQuestion::TwoSteps | GraphQuestion::Mixing => of(2),
        GraphQuestion::Degrees => nodes as f64,
        // Every node of the three or four can be the middle.
        GraphQuestion::TwoStars => 3.0 * of(3),
        GraphQuestion::ThreeStars => 4.0 * of(4),
        GraphQuestion::Triangles => of(3),
        GraphQuestion::FourCycles => 3.0 * of(4),
    }
}

fn names(question: GraphQuestion, thresholds: &[u64], classes: &[String]) -> Vec<String> {
    match question {
        GraphQuestion::Degrees => {
            thresholds.iter().map(|least| format!("at least {least}")).collect()
        }
        GraphQuestion::Mixing => {
            let mut all = vec![String::new(); classes.len() * (classes.len() + 1) / 2];
            for (high, second) in (0u32..).zip(classes) {
                for (low, first) in (0..=high).zip(classes) {
                    all[cell(low, high)] = format!("{first} - {second}");
                }
            }
            all
        }
        _ => vec![question.name().to_owned()],
    }
}

/// The smallest distance that noise of this law keeps 95 times in 100.
fn half_width(noise: &DiscreteLaplace) -> f64 {
    let (mut inside, mut distance) = (noise.probability(0), 0);
    while inside < CONFIDENCE {
        distance += 1;
        inside += 2.0 * noise.probability(distance);
    }
    distance as f64
}

/// The ladders that the true graph may have had, all about as likely given the noisy scales.
fn likely_ladders(
    question: GraphQuestion,
    noisy: GraphScales,
    noise: &DiscreteLaplace,
) -> Vec<Ladder> {
    let offsets = quantiles(noise);
    let mut ladders = Vec::new();
    for &first in &offsets {
        for &second in &offsets {
            for &third in &offsets {
                let scales = GraphScales {
                    largest_degree: noisy.largest_degree - first,
                    second_degree: noisy.second_degree - second,
                    most_shared: noisy.most_shared - third,
                };
                ladders.extend(scales.ladder(question));
            }
        }
    }
    // A question does not depend on all three.
    ladders.sort_unstable_by_key(|ladder| (ladder.start, ladder.slope, ladder.curvature));
    ladders
}

/// Seven values of the noise that cut its law into equal parts.
fn quantiles(noise: &DiscreteLaplace) -> Vec<i64> {
    let parts = 7;
    let mut all = Vec::with_capacity(parts);
    // The law is symmetric: the magnitude that holds so much of it, with both signs, around 0.
    for at in 1..=parts / 2 {
        let wanted = 2.0 * at as f64 / parts as f64;
        let (mut inside, mut distance) = (noise.probability(0), 0);
        while inside < wanted {
            distance += 1;
            inside += 2.0 * noise.probability(distance);
        }
        all.extend([-distance, distance]);
    }
    all.push(0);
    all
}

/// The smallest distance that draws from any of these ladders keep 95 times in 100 on average.
fn half_width_over(noise: &LadderNoise, ladders: &[Ladder]) -> f64 {
    let mut weighed: Vec<(Ladder, f64)> = Vec::new();
    for ladder in ladders {
        match weighed.last_mut() {
            Some((last, weight)) if last == ladder => *weight += 1.0,
            _ => weighed.push((*ladder, 1.0)),
        }
    }
    let beyond = |distance: f64| {
        let all = weighed.iter().map(|(ladder, weight)| weight * noise.beyond(ladder, distance));
        all.sum::<f64>() / ladders.len().max(1) as f64
    };
    let (mut low, mut high) = (0.0, 1.0);
    while beyond(high) > 1.0 - CONFIDENCE {
        (low, high) = (high, 2.0 * high);
    }
    while high - low > 0.5_f64.max(high * 1e-3) {
        let middle = 0.5 * (low + high);
        if beyond(middle) > 1.0 - CONFIDENCE { low = middle } else { high = middle }
    }
    high.ceil()
}

/// Makes values fall as the true ones do, by averaging neighbours that do not (pool adjacent violators), and keeps them
/// within the number of nodes. Intervals stay: they are of the noise.
fn fall(estimates: &mut [Estimate], most: f64) {
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for estimate in estimates.iter() {
        pools.push((estimate.value.min(most), 1));
        while let [.., (before, many), (last, few)] = pools[..]
            && before < last
        {
            let both = (before * many as f64 + last * few as f64) / (many + few) as f64;
            pools.truncate(pools.len() - 2);
            pools.push((both, many + few));
        }
    }
    let values = pools.into_iter().flat_map(|(value, times)| std::iter::repeat_n(value, times));
    for (estimate, value) in estimates.iter_mut().zip(values) {
        (estimate.value, estimate.high) = (value, estimate.high.min(most));
    }
}

/// What follows from the answers: the mean degree, and the share of pairs of connections that close.
fn derived(answers: &[CountAnswer], nodes: usize) -> Vec<Estimate> {
    let one = |question| {
        let answer = answers.iter().find(|answer| answer.question == question)?;
        answer.estimates.first()
    };
    let mut all = Vec::new();
    if let Some(connections) = one(GraphQuestion::Connections)
        && nodes > 0
    {
        // Every connection is at two nodes.
        let mean = |count: f64| 2.0 * count / nodes as f64;
        let Estimate { value, low, high, .. } = connections;
        let (value, low, high) = (mean(*value), mean(*low), mean(*high));
        all.push(Estimate { name: "mean degree".into(), value, low, high });
    }
    if let (Some(triangles), Some(stars)) =
        (one(GraphQuestion::Triangles), one(GraphQuestion::TwoStars))
    {
        // A triangle closes three pairs of connections. The ends are those of both intervals: it is sure at least as often as both.
        let share = |triangles: f64, stars: f64| match stars > 0.0 {
            true => (3.0 * triangles / stars).min(1.0),
            false => {
                if triangles > 0.0 {
                    1.0
                } else {
                    0.0
                }
            }
        };
        let value = share(triangles.value, stars.value);
        let (low, high) = (share(triangles.low, stars.high), share(triangles.high, stars.low));
        all.push(Estimate { name: "clustering".into(), value, low, high });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synthetic::StochasticBlocks;
    use crate::graph::subgraph_counts::PlainGraph;

    fn people() -> Dataset {
        let blocks =
            StochasticBlocks { nodes: 400, classes: 3, mean_degree: 12.0, ..Default::default() };
        blocks.generate(5).unwrap()
    }

    /// The truth, as the answers name it.
    fn truth(dataset: &Dataset, question: GraphQuestion) -> f64 {
        let plain = PlainGraph::of(dataset.graph());
        let paths = plain.two_step_counts();
        (match question {
            GraphQuestion::Connections => plain.edges(),
            GraphQuestion::TwoStars => plain.stars(2),
            GraphQuestion::ThreeStars => plain.stars(3),
            GraphQuestion::Triangles => plain.triangles(),
            GraphQuestion::FourCycles => paths.four_cycles,
            GraphQuestion::TwoSteps => paths.pairs_within_two,
            GraphQuestion::Degrees | GraphQuestion::Mixing => panic!("several numbers"),
        }) as f64
    }

    #[test]
    fn intervals_hold_the_truth_as_often_as_they_say() {
        let dataset = people();
        let questions: Vec<_> = GraphQuestion::ALL
            .into_iter()
            .filter(|q| !matches!(q, GraphQuestion::Degrees | GraphQuestion::Mixing))
            .collect();
        let asked = Count::new(questions.clone(), 2.0);
        let mut held = vec![0; questions.len()];
        const DRAWS: u64 = 300;
        for seed in 0..DRAWS {
            let told = asked.run(dataset.clone(), &Run::simulation(seed)).unwrap();
            for (held, answer) in held.iter_mut().zip(&told.get().answers) {
                let (truth, told) = (truth(&dataset, answer.question), &answer.estimates[0]);
                *held += usize::from(told.low <= truth && truth <= told.high);
            }
        }
        // 95 % of 300 draws, give or take four deviations; a discrete law holds a little more than asked.
        for (question, held) in questions.iter().zip(held) {
            assert!((270..=300).contains(&held), "{question:?}: {held} of {DRAWS}");
        }
    }

    #[test]
    fn degrees_fall_and_cells_are_named_by_both_classes() {
        let asked = Count::new(vec![GraphQuestion::Degrees, GraphQuestion::Mixing], 1.0);
        let told = asked.run(people(), &Run::simulation(2)).unwrap();
        let [degrees, mixing] = &told.get().answers[..] else { panic!("two answers") };
        assert!(degrees.estimates.windows(2).all(|pair| pair[0].value >= pair[1].value));
        assert!(degrees.estimates.iter().all(|estimate| estimate.value <= 400.0));
        assert_eq!(mixing.estimates.len(), 6);
        assert!(mixing.estimates.iter().all(|estimate| estimate.name.contains(" - ")));
        let card = told.card().explain();
        assert!(card.contains("the class of every node"), "{card}");
    }

    #[test]
    fn a_promise_is_what_a_run_costs() {
        let asked = Count::new(GraphQuestion::ALL.to_vec(), 1.5);
        let dataset = people();
        let promise = asked.promise(&Facts::of(&dataset)).unwrap();
        let told = asked.run(dataset, &Run::simulation(1)).unwrap();
        assert_eq!(promise.guarantees[0].loss, told.card().guarantees[0].loss);
        let CountShares { questions, scales } = asked.shares().unwrap();
        let sum: f64 = questions.iter().map(|(_, budget)| budget.as_f64()).sum();
        assert!((sum + scales.unwrap().as_f64() - 1.5).abs() < 1e-9);
        assert!((told.card().guarantees[0].loss.epsilon.get() - 1.5).abs() < 1e-9);
    }

    #[test]
    fn nonsense_is_refused_before_anything_is_charged() {
        let run = Run::simulation(1);
        let refused = |asked: Count| asked.run(people(), &run).unwrap_err().to_string();
        assert!(refused(Count::new(vec![], 1.0)).contains("questions"));
        let twice = vec![GraphQuestion::Triangles; 2];
        assert!(refused(Count::new(twice, 1.0)).contains("each once"));
        let tiny = Count::new(vec![GraphQuestion::Triangles], 1e-5);
        assert!(refused(tiny).contains("0.001"));
        let pairs = people();
        let no_labels = Dataset::new("pairs", pairs.graph().clone(), pairs.ids().clone());
        let mixing = Count::new(vec![GraphQuestion::Mixing], 1.0);
        assert!(no_labels.map(|pairs| mixing.run(pairs, &run)).unwrap().is_err());
    }
}
