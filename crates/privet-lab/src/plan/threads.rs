//! Look-alikes of sets of graphs: discussions that gather round few people, to a degree that depends on their class.

use privet::Result;
use privet::graph::{Direction, Graph, GraphBuilder, GraphSet, Labels, SimRng};
use rand::RngExt;

use super::facts::PublicFacts;
use super::look_alike::Level;

/// So many graphs at most, and so many people in each.
pub const MOST_GRAPHS: usize = 240;
/// Lists of larger graphs take too long.
pub const MOST_EACH: usize = 120;

/// Makes up graphs. How often people of a graph turn to its few hubs depends on its class, and the classes of
/// unreadable graphs say nothing.
///
/// # Errors
/// Never in practice.
pub fn generate(facts: &PublicFacts, level: Level, seed: u64) -> Result<GraphSet> {
    let mut rng = SimRng::new(seed);
    let count = facts.graphs.min(MOST_GRAPHS);
    let each = (facts.people as f64 / facts.graphs as f64).clamp(4.0, MOST_EACH as f64);
    let mut graphs = Vec::with_capacity(count);
    let of: Vec<usize> = match facts.class_shares() {
        // As many of each as its share, in order: splits are random.
        Some(shares) => {
            let sizes = shares.iter().enumerate().flat_map(|(class, share)| {
                std::iter::repeat_n(class, (share * count as f64).round() as usize)
            });
            sizes.chain(std::iter::repeat(0)).take(count).collect()
        }
        None => (0..count).map(|at| at % facts.classes).collect(),
    };
    for &class in &of {
        let class = match rng.random::<f64>() < level.readable {
            true => class,
            false => rng.random_range(0..facts.classes),
        };
        let share = class as f64 / (facts.classes - 1).max(1) as f64;
        // From half minus to half plus half of the signal.
        let gathers = 0.5 + (share - 0.5) * level.signal;
        let size = (each * (0.6 + 0.8 * rng.random::<f64>())) as u32;
        graphs.push(discussion(size.max(4), facts.mean_degree(), gathers, &mut rng)?);
    }
    let names = (0..facts.classes).map(|class| format!("class {class}")).collect();
    let classes = of.into_iter().map(|class| Some(class as u32)).collect();
    Ok(GraphSet::new("look-alike", graphs).with_labels(Labels::single(classes, names)?)?)
}

fn discussion(size: u32, mean_degree: f64, gathers: f64, rng: &mut SimRng) -> Result<Graph> {
    let hubs = 1 + size / 60;
    let most = (f64::from(size) - 1.0) / 2.0;
    let per_person = (mean_degree / 2.0).min(most);
    let mut edges = Vec::new();
    for user in 1..size {
        let count = per_person.floor() as u32 + u32::from(rng.random::<f64>() < per_person.fract());
        for _ in 0..count.max(1) {
            let whom = match rng.random::<f64>() < gathers {
                true => rng.random_range(0..hubs.min(user)),
                false => rng.random_range(0..user),
            };
            edges.push((user, whom));
        }
    }
    Ok(GraphBuilder::new(size as usize, Direction::Undirected).edges(edges).build()?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> PublicFacts {
        PublicFacts { graphs: 40, ..PublicFacts::new(800, 1_200, 0, 2) }
    }

    fn level(readable: f64, signal: f64) -> Level {
        Level { readable, signal, misplaced: 0.0 }
    }

    /// How much of a graph's connections its first person has, on average over the graphs of a class.
    fn gathered(set: &GraphSet, class: u32) -> f64 {
        let labels = set.labels().unwrap();
        let of_class = (0..).zip(set.graphs()).filter(|(at, _)| labels.class(*at) == Some(class));
        let shares: Vec<f64> = of_class
            .map(|(_, graph)| graph.degree(0) as f64 / graph.edge_count().max(1) as f64)
            .collect();
        shares.iter().sum::<f64>() / shares.len() as f64
    }

    #[test]
    fn there_are_as_many_as_facts_say_of_the_size_they_say() {
        let set = generate(&facts(), level(1.0, 0.5), 1).unwrap();
        assert_eq!(set.len(), 40);
        let mean = set.node_count() as f64 / 40.0;
        assert!((mean - 20.0).abs() < 2.0, "{mean}");
        assert_eq!(set.labels().unwrap().class_sizes(), [20, 20]);
        assert_eq!(set, generate(&facts(), level(1.0, 0.5), 1).unwrap(), "a seed decides all");
        let huge = PublicFacts { graphs: 2_000, ..PublicFacts::new(2_000_000, 4_000_000, 0, 2) };
        let shown = generate(&huge, level(1.0, 0.5), 1).unwrap();
        assert_eq!(shown.len(), MOST_GRAPHS);
        assert!(
            shown.graphs().iter().all(|graph| graph.node_count() as f64 <= 1.4 * MOST_EACH as f64)
        );
    }

    /// Where graphs are readable, those of the second class gather round few people; otherwise classes look alike.
    #[test]
    fn classes_show_as_far_as_they_are_readable() {
        let differ = |readable, signal| {
            let set = generate(&facts(), level(readable, signal), 3).unwrap();
            gathered(&set, 1) - gathered(&set, 0)
        };
        assert!(differ(1.0, 0.9) > 0.3);
        assert!(differ(0.0, 0.9).abs() < 0.2 && differ(1.0, 0.0).abs() < 0.1);
    }
}
