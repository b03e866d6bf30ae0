//! Training and evaluation: the same weights from any number of processes.

use std::sync::Arc;

use privet::data::synthetic::StochasticBlocks;
use privet::graph::{Dataset, Split, SplitShares};
use privet_cluster::jobs::evaluate::{Quality, evaluate};
use privet_cluster::jobs::train::Training;
use privet_cluster::{Error, Exchange};

use crate::support::{run, run_well};

fn people() -> Arc<Dataset> {
    let blocks = StochasticBlocks { nodes: 2000, classes: 3, features: 20, ..Default::default() };
    Arc::new(blocks.generate(5).unwrap())
}

fn learn(count: usize, training: &Training) -> (Vec<f32>, Quality) {
    let (people, training) = (people(), training.clone());
    let parts = run_well(count, move |exchange: &mut Exchange| {
        let (labels, features) = (people.labels().unwrap(), people.features().unwrap());
        let split = Split::stratified(labels, SplitShares::HALF_QUARTER_QUARTER, 1)?;
        let data = (people.graph(), features.matrix());
        let trained = training.run(data, labels, &split.train, exchange)?;
        let network = trained.head.network();
        let quality = evaluate(network, data, labels, &split.test, exchange)?;
        Ok((trained.head.weights(), quality))
    });
    assert!(parts.windows(2).all(|pair| pair[0] == pair[1]), "processes disagree");
    parts.into_iter().next().unwrap()
}

#[test]
fn weights_have_the_same_bytes_from_any_number_of_processes() {
    for hidden in [vec![], vec![8]] {
        let training = Training { hidden, epochs: 15, learning_rate: 0.05, ..Default::default() };
        let (weights, quality) = learn(1, &training);
        assert!(quality.accuracy.unwrap() > 0.6, "{quality:?}");
        assert!(weights.iter().any(|weight| *weight != 0.0));
        for count in [2, 4] {
            assert_eq!(learn(count, &training), (weights.clone(), quality));
        }
    }
}

#[test]
fn nonsense_is_refused() {
    let people = people();
    let results = run(1, move |exchange: &mut Exchange| {
        let (labels, features) = (people.labels().unwrap(), people.features().unwrap());
        let data = (people.graph(), features.matrix());
        let mut run = |training: Training, train: &[u32]| {
            training.run(data, labels, train, exchange).map(|_| ())
        };
        let told = [
            run(Training::default(), &[]),
            run(Training::default(), &[5000]),
            run(Training { learning_rate: 0.0, ..Default::default() }, &[1]),
            run(Training { weight_decay: f32::NAN, ..Default::default() }, &[1]),
        ];
        Ok(told.map(|result| matches!(result, Err(Error::Invalid { .. }))))
    });
    assert_eq!(results.into_iter().next().unwrap().unwrap(), [true; 4]);
}
