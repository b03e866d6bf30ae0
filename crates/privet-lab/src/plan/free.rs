//! What costs nothing: the largest class, and known classes spread over public connections.

use privet::graph::{Dataset, Labels};
use privet::plain::{LearnerInputs, PlainLearner};
use privet::{Result, Run};

use crate::experiments::baselines::nodes::learned;
use crate::experiments::ldp_ge::node_split;

/// The share of the largest class.
pub(super) fn largest_share(labels: Option<&Labels>) -> f64 {
    let sizes = labels.map_or_else(Vec::new, Labels::class_sizes);
    let all: usize = sizes.iter().sum();
    sizes.into_iter().max().unwrap_or(0) as f64 / all.max(1) as f64
}

/// Label propagation, as every comparison has it beside its scores.
pub(super) fn spread_labels(people: &Dataset, seed: u64) -> Result<f64> {
    let Some(labels) = people.labels() else { return Ok(0.0) };
    let (split, graph) = (&node_split(people, seed)?, Some(people.graph()));
    let known = LearnerInputs { graph, features: None, labels, split };
    Ok(learned(PlainLearner::LabelPropagation, known, &Run::simulation(seed))?.test())
}

#[cfg(test)]
mod tests {
    use privet::data::synthetic::StochasticBlocks;

    use super::*;

    #[test]
    fn friends_of_one_class_tell_each_others() {
        let people = StochasticBlocks { homophily: 0.9, ..StochasticBlocks::default() };
        let people = people.generate(1).unwrap();
        assert_eq!(largest_share(people.labels()), 0.25);
        let found = spread_labels(&people, 1).unwrap();
        assert!(found > 0.8, "{found}");
    }
}
