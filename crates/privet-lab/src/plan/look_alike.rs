//! [`LookAlike`]: generated people, made from public facts and from what public benchmarks have in common.
//!
//! # What makes one realistic
//! Blocks of a textbook model are far too easy: with fifteen connections each, of which 88 % stay within the class, any
//! method is right about all people, and on Facebook's pages no method passes 88 %. What real graphs have and blocks have
//! not, in the order in which it matters to accuracy:
//!
//! * **Misplaced people.** Homophily is a mean. Most people know nearly only their like, and some know
//!   random others; nothing that looks at connections gets those right. Their share is about `1 - homophily`
//!   ([`Level::misplaced`] times that).
//! * **Unreadable people.** Likewise some records speak of another class; the share of those that speak of their own is
//!   what a model without noise could reach. How much each column says is the second unknown: a model with noise needs
//!   more of it. Both are [`Level`]s, from benchmarks whose columns say little to those whose columns say nearly all.
//! * **Circles.** People of a class know each other in circles, so that friends of friends are friends.
//! * **Skew.** Degrees follow a power law, but hardly anyone is isolated; classes have different sizes; a few columns
//!   are filled by many and most by few.
//!
//! What is not modelled: classes that are alike, columns that depend on each other, and people whose connections
//! and records tell the same lie.

use privet::Result;
use privet::graph::{
    Bounds, BoundsOrigin, Dataset, DenseMatrix, Direction, Features, GraphBuilder, Labels, NodeId,
    NodeIds, SimRng, SparseBuilder,
};
use rand::RngExt;
use rand::seq::SliceRandom;

use super::facts::FALL;

/// How much columns and connections say: what facts do not tell.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Level {
    /// The share of the people whose record speaks of their class.
    pub readable: f64,
    /// How much of such a record does.
    pub signal: f64,
    /// How many people are misplaced, as a multiple of `1 - homophily`.
    pub misplaced: f64,
}

/// Exponent of the power law of degrees.
const DEGREES: f64 = 2.8;
/// How fast columns become rarer.
const COLUMNS: f64 = 0.8;
/// How often a connection within a class stays within the circle.
const WITHIN_CIRCLE: f64 = 0.6;
/// Up to so many columns, all of them are filled unless stated otherwise.
const ALL_FILLED: usize = 40;
/// So many of many columns are filled unless stated otherwise.
const USUALLY_FILLED: f64 = 20.0;
/// Deviation of a filled column among people of the same class.
const SPREAD: f64 = 0.25;

/// People to be made up.
#[derive(Debug, Clone, PartialEq)]
pub struct LookAlike {
    /// How many.
    pub people: usize,
    /// How many connections each has, on average.
    pub mean_degree: f64,
    /// How many columns their records have.
    pub columns: usize,
    /// In how many of them a person has something, if not in all.
    pub filled: Option<f64>,
    /// How many classes there are.
    pub classes: usize,
    /// The share of each, where it is known.
    pub shares: Option<Vec<f64>>,
    /// How often connected people have the same class.
    pub homophily: f64,
    /// The share whose class is known, for training and choosing.
    pub labelled: f64,
    /// How much columns and connections say.
    pub level: Level,
}

/// One person.
#[derive(Debug, Clone, Copy)]
struct SimulatedPerson {
    class: usize,
    /// Who finds this person among people of the same class, and among all.
    like: f64,
    unlike: f64,
}

impl LookAlike {
    /// Makes them up.
    ///
    /// # Errors
    /// If there are too many connections for so few people.
    pub fn generate(&self, seed: u64) -> Result<Dataset> {
        // A stream for each step: another number of columns does not change the graph.
        let people = self.cast(&mut SimRng::stream(seed, 1));
        let pairs = self.connect(&people, &mut SimRng::stream(seed, 2));
        let (graph, _) =
            GraphBuilder::from_pairs(self.people, Direction::Undirected, pairs).build()?;
        let features = self.records(&people, &mut SimRng::stream(seed, 3))?;
        let labels = self.labels(&people, &mut SimRng::stream(seed, 4))?;
        let dataset = Dataset::new("look-alike", graph, NodeIds::sequential(self.people))?;
        Ok(dataset.with_labels(labels)?.with_features(features)?)
    }

    /// People, class by class and circle by circle: who they are, and how many connections they are due.
    fn cast(&self, rng: &mut SimRng) -> Vec<SimulatedPerson> {
        let usual = || (1..=self.classes).map(|n| (n as f64).powf(-FALL)).collect();
        let sizes: Vec<f64> = self.shares.clone().unwrap_or_else(usual);
        let all: f64 = sizes.iter().sum();
        let mut weights: Vec<f64> =
            // Ranks to the power -1/(a-1) give a power law of exponent a.
            (1..=self.people).map(|rank| (rank as f64).powf(-1.0 / (DEGREES - 1.0))).collect();
        // A hub may be of any class.
        weights.shuffle(rng);
        // Above sqrt(n) times the mean a pair of hubs would expect more than one connection.
        let mean = weights.iter().sum::<f64>() / self.people as f64;
        let cut = mean * (self.people as f64 / self.mean_degree.max(1.0)).sqrt();
        let misplaced = (self.level.misplaced * (1.0 - self.homophily)).clamp(0.0, 0.9);
        // Misplaced people are connected at random, of their own class as often as chance has it.
        let by_chance = match &self.shares {
            Some(shares) => shares.iter().map(|share| share * share).sum(),
            None => 1.0 / self.classes as f64,
        };
        // What the others must do for the mean to be what was asked.
        let settled = (self.homophily - misplaced * by_chance) / (1.0 - misplaced);
        let settled = settled.clamp(0.02, 0.98);
        let (mut class, mut end) = (0, sizes[0] / all);
        let mut cast = Vec::with_capacity(self.people);
        for (at, weight) in weights.into_iter().enumerate() {
            // People of one class are neighbours in the list: a class is a range.
            while at as f64 >= end * self.people as f64 && class + 1 < self.classes {
                class += 1;
                end += sizes[class] / all;
            }
            let misplaced = rng.random::<f64>() < misplaced;
            let own = match &self.shares {
                // Chance differs from class to class: people of a small one find their like rarely.
                Some(shares) => {
                    let drawn = (settled - by_chance) / (1.0 - by_chance).max(1e-9);
                    let drawn = if misplaced { 0.0 } else { drawn.max(0.0) };
                    (shares[class] + drawn * (1.0 - shares[class])).clamp(0.02, 0.98)
                }
                None if misplaced => by_chance,
                None => settled,
            };
            let weight = weight.min(cut);
            cast.push(SimulatedPerson { class, like: weight * own, unlike: weight * (1.0 - own) });
        }
        cast
    }

    /// Each person gets one connection first; those with a larger degree get more.
    fn connect(&self, people: &[SimulatedPerson], rng: &mut SimRng) -> Vec<[NodeId; 2]> {
        let town = Town::new(people, self.classes, circle(self.mean_degree));
        let wanted = (self.people as f64 * self.mean_degree / 2.0).round() as usize;
        // Each person is first once, so nearly all people have a connection.
        let mut order: Vec<usize> = (0..self.people).collect();
        order.shuffle(rng);
        let mut first = order.into_iter();
        let mut seen = std::collections::HashSet::with_capacity(wanted);
        let mut pairs = Vec::with_capacity(wanted);
        // Hubs repeat: the last few are given up rather than redrawn for ever.
        for _ in 0..wanted.saturating_mul(20) {
            if pairs.len() == wanted {
                break;
            }
            let one = first.next().unwrap_or_else(|| town.any_person(rng));
            let other = town.acquaintance(people, one, rng);
            let pair = [one.min(other) as NodeId, one.max(other) as NodeId];
            // No loops, and each pair once.
            if one != other && seen.insert(pair) {
                pairs.push(pair);
            }
        }
        pairs
    }

    /// What records say: of the person's class, or of another for those who are unreadable.
    fn records(&self, people: &[SimulatedPerson], rng: &mut SimRng) -> Result<Features> {
        let bounds = Bounds::uniform(0.0, 1.0, BoundsOrigin::Declared)?;
        let spoken = |person: &SimulatedPerson, rng: &mut SimRng| match rng.random::<f64>()
            < self.level.readable
        {
            true => person.class,
            false => rng.random_range(0..self.classes),
        };
        let filled = self.filled.unwrap_or(USUALLY_FILLED.min(self.columns as f64));
        if self.columns <= ALL_FILLED && self.filled.is_none() || filled > self.columns as f64 / 2.0
        {
            // Each class has its own mean in each column, up or down by a share of the range.
            let means = |rng: &mut SimRng| -> Vec<f64> {
                let each = |_| 0.5 + (rng.random::<f64>() - 0.5) * 0.8 * self.level.signal;
                (0..self.columns).map(each).collect()
            };
            let of_class: Vec<Vec<f64>> = (0..self.classes).map(|_| means(rng)).collect();
            let mut values = Vec::with_capacity(people.len() * self.columns);
            for person in people {
                let said = spoken(person, rng);
                // Clamped to the declared range, as real data would be.
                let entry = |mean: &f64| (mean + SPREAD * about_normal(rng)).clamp(0.0, 1.0) as f32;
                values.extend(of_class[said].iter().map(entry));
            }
            let rows = DenseMatrix::new(people.len(), self.columns, values)?;
            return Ok(Features::dense(rows).with_bounds(bounds)?);
        }
        let words = ColumnPools::new(self.columns, self.classes);
        let mut rows = SparseBuilder::new(self.columns);
        for person in people {
            let said = spoken(person, rng);
            // A whole number of cells, right on average.
            let count = filled.floor() + f64::from(u8::from(rng.random::<f64>() < filled.fract()));
            let draw = |_| match rng.random::<f64>() < self.level.signal {
                true => words.of_class(said, rng),
                false => words.any(rng),
            };
            let mut row: Vec<(u32, f32)> =
                (0..count as usize).map(draw).map(|word| (word, 1.0)).collect();
            row.sort_unstable_by_key(|&(word, _)| word);
            // A column is filled or not: twice the same word is one cell.
            row.dedup();
            rows.push_row(&mut row)?;
        }
        Ok(Features::sparse(rows.finish()).with_bounds(bounds)?)
    }

    /// A quarter of those with a class are tested on, so that so many of all people teach.
    fn labels(&self, people: &[SimulatedPerson], rng: &mut SimRng) -> Result<Labels> {
        // LABELLED is the share of labels that benchmarks use; more labels do not help here.
        let shown = (self.labelled / super::facts::LABELLED).min(1.0);
        let class =
            |person: &SimulatedPerson| (rng.random::<f64>() < shown).then_some(person.class as u32);
        let classes = people.iter().map(class).collect();
        let names = (0..self.classes).map(|class| format!("class {class}")).collect();
        Ok(Labels::single(classes, names)?)
    }
}

/// How many people are in a circle: a few more than any person knows.
fn circle(mean_degree: f64) -> usize {
    (2.0 * mean_degree).clamp(8.0, 60.0) as usize
}

/// Near enough to a normal deviate: the sum of twelve uniforms has variance 1.
fn about_normal(rng: &mut SimRng) -> f64 {
    // The sum of twelve uniform numbers has variance 1 and mean 6.
    (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
}

/// Where to find people: sums of what they are due, in the order of classes and circles.
struct Town {
    like: Vec<f64>,
    unlike: Vec<f64>,
    /// Where each class begins; and the end.
    begins: Vec<usize>,
    circle: usize,
}

impl Town {
    fn new(people: &[SimulatedPerson], classes: usize, circle: usize) -> Self {
        let sums = |due: fn(&SimulatedPerson) -> f64| -> Vec<f64> {
            let mut sum = 0.0;
            let added = people.iter().map(|person| {
                sum += due(person);
                sum
            });
            // Running sums: a weighted draw is a search in them.
            std::iter::once(0.0).chain(added).collect()
        };
        let begins =
            (0..=classes).map(|class| people.partition_point(|p| p.class < class)).collect();
        Self { like: sums(|p| p.like), unlike: sums(|p| p.unlike), begins, circle }
    }

    fn any_person(&self, rng: &mut SimRng) -> usize {
        let (like, unlike) = (self.like.last().copied(), self.unlike.last().copied());
        let (like, unlike) = (like.unwrap_or(0.0), unlike.unwrap_or(0.0));
        // In proportion to all connections that are due, within the class and outside of it.
        let sums =
            if rng.random::<f64>() * (like + unlike) < like { &self.like } else { &self.unlike };
        pick(sums, 0, sums.len() - 1, rng)
    }

    /// A person connected to `one`: of the same class as often as this person does, in the same circle mostly.
    fn acquaintance(&self, people: &[SimulatedPerson], one: usize, rng: &mut SimRng) -> usize {
        let SimulatedPerson { class, like, unlike, .. } = people[one];
        let (from, to) = (self.begins[class], self.begins[class + 1]);
        if rng.random::<f64>() * (like + unlike) < like {
            if rng.random::<f64>() < WITHIN_CIRCLE {
                // Circles are consecutive people of the class.
                let start = from + (one - from) / self.circle * self.circle;
                return pick(&self.like, start, (start + self.circle).min(to), rng);
            }
            return pick(&self.like, from, to, rng);
        }
        // The others are before and after the class.
        let before = self.unlike[from];
        let after = self.unlike.last().copied().unwrap_or(0.0) - self.unlike[to];
        match rng.random::<f64>() * (before + after) < before {
            true => pick(&self.unlike, 0, from, rng),
            false => pick(&self.unlike, to, self.unlike.len() - 1, rng),
        }
    }
}

/// One of `from..to`, by what each adds to the sums.
fn pick(sums: &[f64], from: usize, to: usize, rng: &mut SimRng) -> usize {
    // A draw between the two ends of the range, by bisection in the running sums.
    let at = sums[from] + rng.random::<f64>() * (sums[to] - sums[from]);
    let found = sums[from..=to].partition_point(|&sum| sum <= at);
    (from + found).saturating_sub(1).clamp(from, to.saturating_sub(1).max(from))
}

/// Columns that many fill and columns that few do; every class has its own among both.
struct ColumnPools {
    sums: Vec<f64>,
    columns: usize,
    classes: usize,
}

impl ColumnPools {
    fn new(columns: usize, classes: usize) -> Self {
        let mut sum = 0.0;
        // Column weights fall with their rank, as frequencies of words do.
        let ranks = (0..columns.div_ceil(classes).max(1)).map(|rank| {
            sum += (rank as f64 + 3.0).powf(-COLUMNS);
            sum
        });
        Self { sums: std::iter::once(0.0).chain(ranks).collect(), columns, classes }
    }

    /// Column `rank * classes + class` is the class's own.
    fn of_class(&self, class: usize, rng: &mut SimRng) -> u32 {
        let rank = pick(&self.sums, 0, self.sums.len() - 1, rng);
        // Every class has each rank once: column = rank times classes plus class.
        (rank * self.classes + class).min(self.columns - 1) as u32
    }

    fn any(&self, rng: &mut SimRng) -> u32 {
        let class = rng.random_range(0..self.classes);
        self.of_class(class, rng)
    }
}

#[cfg(test)]
mod tests {
    use privet::graph::homophily::edge_homophily;

    use super::*;

    fn town() -> LookAlike {
        LookAlike {
            people: 2000,
            mean_degree: 6.0,
            columns: 200,
            filled: None,
            classes: 5,
            shares: None,
            homophily: 0.8,
            labelled: 0.75,
            level: Level { readable: 0.9, signal: 0.4, misplaced: 1.0 },
        }
    }

    #[test]
    fn it_follows_the_facts() {
        for homophily in [0.5, 0.8, 0.95] {
            let made = LookAlike { homophily, ..town() }.generate(1).unwrap();
            let labels = made.labels().unwrap();
            let found = edge_homophily(made.graph(), labels).unwrap();
            assert!((found - homophily).abs() < 0.06, "{homophily}: {found}");
            assert_eq!(made.graph().edge_count(), 6000);
            assert_eq!((made.features().unwrap().columns(), labels.class_count()), (200, 5));
            let alone = made.graph().nodes().filter(|&node| made.graph().degree(node) == 0).count();
            assert!(alone <= 20, "at most one in a hundred is isolated: {alone}");
            let filled = made.features().unwrap().nonzeros() as f64 / 2000.0;
            assert!((15.0..=20.0).contains(&filled), "{filled}");
        }
    }

    #[test]
    fn people_differ_in_whom_they_know() {
        let made = town().generate(2).unwrap();
        let (graph, labels) = (made.graph(), made.labels().unwrap());
        let among_others = |node: u32| {
            let friends = graph.neighbors(node);
            let like = friends.iter().filter(|&&f| labels.class(f) == labels.class(node)).count();
            friends.len() >= 3 && 2 * like < friends.len()
        };
        let known: Vec<u32> = graph.nodes().filter(|&node| graph.degree(node) >= 3).collect();
        let share =
            known.iter().filter(|&&node| among_others(node)).count() as f64 / known.len() as f64;
        assert!((0.1..0.3).contains(&share), "{share}");
    }

    #[test]
    fn few_columns_are_all_filled_and_fewer_labels_are_shown() {
        let made = LookAlike { columns: 6, labelled: 0.3, ..town() }.generate(3).unwrap();
        assert!(made.features().unwrap().nonzeros() > 11_000);
        let shown = 2000 - made.labels().unwrap().unlabelled_count();
        assert!((700..900).contains(&shown), "{shown}");
        assert_eq!(town().generate(4).unwrap(), town().generate(4).unwrap());
    }
}
