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
    for at in 0..count {
        let class = match rng.random::<f64>() < level.readable {
            true => at % facts.classes,
            false => rng.random_range(0..facts.classes),
        };
        let share = class as f64 / (facts.classes - 1).max(1) as f64;
        // From half minus to half plus half of the signal.
        let gathers = 0.5 + (share - 0.5) * level.signal;
        let size = (each * (0.6 + 0.8 * rng.random::<f64>())) as u32;
        graphs.push(discussion(size.max(4), facts.mean_degree(), gathers, &mut rng)?);
    }
    let names = (0..facts.classes).map(|class| format!("class {class}")).collect();
    let classes = (0..count).map(|at| Some((at % facts.classes) as u32)).collect();
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
