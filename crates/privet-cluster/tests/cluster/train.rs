//! Training and evaluation: the same weights from any number of processes.

use std::sync::Arc;

use privet::data::synthetic::StochasticBlocks;
use privet::graph::{Dataset, FeatureMatrix, Features, Labels, NodeIds, Split, SplitShares};
use privet_cluster::checkpoint::{Checkpoints, Resume};
use privet_cluster::jobs::train::ClusterTraining;
use privet_cluster::jobs::train::{PartQuality, evaluate};
use privet_cluster::{Error, Exchange};

use crate::support::{few_columns, real};
use crate::support::{run, run_well};

fn people() -> Arc<Dataset> {
    let blocks = StochasticBlocks { nodes: 2000, classes: 3, features: 20, ..Default::default() };
    Arc::new(blocks.generate(5).unwrap())
}

fn learn(
    count: usize,
    training: &ClusterTraining,
    people: &Arc<Dataset>,
) -> (Vec<f32>, PartQuality) {
    let (people, training) = (people.clone(), training.clone());
    let parts = run_well(count, move |exchange: &mut Exchange| {
        let (labels, features) = (people.labels().unwrap(), people.features().unwrap());
        let split = Split::stratified(labels, SplitShares::HALF_QUARTER_QUARTER, 1)?;
        let data = (people.graph(), features.matrix());
        let trained = training.run(data, (labels, &split.train), exchange, None, |_| ())?;
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
        let training =
            ClusterTraining { hidden, epochs: 15, learning_rate: 0.05, ..Default::default() };
        let people = people();
        let (weights, quality) = learn(1, &training, &people);
        assert!(quality.accuracy.unwrap() > 0.6, "{quality:?}");
        assert!(weights.iter().any(|weight| *weight != 0.0));
        for count in [2, 4] {
            assert_eq!(learn(count, &training, &people), (weights.clone(), quality));
        }
    }
}

#[test]
fn real_graphs_give_the_weights_of_one_process() {
    for sample in real() {
        let nodes = sample.graph.node_count();
        let sample = few_columns(&sample, 20);
        // A question that the columns can answer: nothing else is needed of it here.
        let FeatureMatrix::Dense(x) = &*sample.x else { unreachable!() };
        let class = |row: usize| Some(u32::from(x.row(row)[0] > 0.0));
        let names = vec!["low".to_owned(), "high".to_owned()];
        let labels = Labels::single((0..nodes).map(class).collect(), names).unwrap();
        let people =
            Dataset::new(&*sample.name, (*sample.graph).clone(), NodeIds::sequential(nodes));
        let people = people.unwrap().with_features(Features::dense(x.clone())).unwrap();
        let people = Arc::new(people.with_labels(labels).unwrap());
        let training = ClusterTraining { epochs: 8, learning_rate: 0.05, ..Default::default() };
        let one = learn(1, &training, &people);
        for count in [2, 4] {
            assert_eq!(learn(count, &training, &people), one, "{} by {count}", sample.name);
        }
    }
}

/// Whatever the epoch at which it was broken off, what is learned in the end is the same.
#[test]
fn training_goes_on_from_a_checkpoint() {
    let training = ClusterTraining { hidden: vec![8], epochs: 7, ..Default::default() };
    let people = people();
    let whole = learn(1, &training, &people).0;
    for broken_off in [1, 4, 6] {
        let folder = tempfile::tempdir().unwrap();
        let (path, training, people) = (folder.path().to_owned(), training.clone(), people.clone());
        let parts = run_well(2, move |exchange: &mut Exchange| {
            let kept = Checkpoints::new(&path, 1, &[1; 32], &[2; 32], exchange)?;
            let (labels, features) = (people.labels().unwrap(), people.features().unwrap());
            let split = Split::stratified(labels, SplitShares::HALF_QUARTER_QUARTER, 1)?;
            let (data, lessons) = ((people.graph(), features.matrix()), (labels, &split.train[..]));
            let first = ClusterTraining { epochs: broken_off, ..training.clone() };
            first.run(data, lessons, exchange, Some((&kept, Resume::No)), |_| ())?;
            let again =
                training.run(data, lessons, exchange, Some((&kept, Resume::Yes)), |_| ())?;
            Ok((again.head.weights(), again.resumed))
        });
        assert!(parts.iter().all(|part| *part == (whole.clone(), broken_off)), "{broken_off}");
    }
}

#[test]
fn nonsense_is_refused() {
    let people = people();
    let results = run(1, move |exchange: &mut Exchange| {
        let (labels, features) = (people.labels().unwrap(), people.features().unwrap());
        let data = (people.graph(), features.matrix());
        let mut run = |training: ClusterTraining, train: &[u32]| {
            training.run(data, (labels, train), exchange, None, |_| ()).map(|_| ())
        };
        let message = [
            run(ClusterTraining::default(), &[]),
            run(ClusterTraining::default(), &[5000]),
            run(ClusterTraining { learning_rate: 0.0, ..Default::default() }, &[1]),
            run(ClusterTraining { weight_decay: f32::NAN, ..Default::default() }, &[1]),
        ];
        Ok(message.map(|result| matches!(result, Err(Error::Invalid { .. }))))
    });
    assert_eq!(results.into_iter().next().unwrap().unwrap(), [true; 4]);
}
