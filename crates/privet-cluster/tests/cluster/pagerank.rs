//! Personalised PageRank and hops: the bytes of one process.

use std::ops::ControlFlow;

use privet::graph::{FeatureMatrix, SparseMatrix};
use privet::learn::propagate::{AddedLoops, Aggregation, Hops, Power, Propagation, Rounds};
use privet_cluster::Exchange;
use privet_cluster::jobs::hops::HopSums;
use privet_cluster::jobs::pagerank::{OwnRows, PageRank};

use crate::support::run_well;
use crate::support::{Sample, few_columns, made_up, real};

/// Every process's rows, put together, and what else they must agree on.
fn by_processes(count: usize, job: PageRank, sample: &Sample) -> (Vec<f32>, usize, f64) {
    let sample = sample.clone();
    let parts = run_well(count, move |exchange: &mut Exchange| {
        let data = (&*sample.graph, &*sample.x);
        job.run(data, exchange, None, |_| ControlFlow::Continue(()))
    });
    let OwnRows { rounds, error_bound, .. } = parts[0];
    assert!(parts.iter().all(|part| (part.rounds, part.error_bound) == (rounds, error_bound)));
    let rows = |part: &OwnRows| part.rows.whole_rows(0..part.rows.rows());
    (parts.iter().flat_map(rows).collect(), rounds, error_bound)
}

fn check(sample: &Sample, propagation: Propagation, rounds: Rounds, counts: &[usize]) {
    let power = Power { rounds, ..Power::default() };
    let operator = propagation.on(&sample.graph).unwrap();
    let whole = power.run(&operator, (*sample.x).clone()).unwrap();
    for &count in counts {
        let job = PageRank::new(propagation, power);
        let (rows, rounds, error_bound) = by_processes(count, job, sample);
        assert!(rows == whole.embedding.values(), "{} by {count}", sample.name);
        assert_eq!(rounds, whole.rounds, "{} by {count}", sample.name);
        let near = (error_bound - whole.error_bound).abs() <= 1e-12 * whole.error_bound;
        assert!(near, "{error_bound} is not {}", whole.error_bound);
    }
}

#[test]
fn one_two_and_four_processes_give_the_bytes_of_one() {
    for sample in made_up() {
        for exponent in [0.0, 0.5, 0.8] {
            let propagation = Propagation { exponent, ..Propagation::default() };
            check(&sample, propagation, Rounds::Exactly(4), &[1, 2, 4]);
        }
        let propagation = Propagation { alpha: 0.3, ..Propagation::default() };
        check(&sample, propagation, Rounds::Residual(1e-3), &[1, 2, 3, 4]);
        check(&sample, propagation, Rounds::Exactly(0), &[2]);
    }
}

#[test]
fn threads_change_nothing() {
    let sample = &made_up()[1];
    let job = PageRank::new(
        Propagation::default(),
        Power { rounds: Rounds::Exactly(3), ..Power::default() },
    );
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| by_processes(1, job, sample))
    };
    assert_eq!(on(1), on(2));
}

#[test]
fn sparse_features_make_the_first_hop_as_they_are() {
    for mut sample in made_up() {
        let FeatureMatrix::Dense(x) = &*sample.x else { unreachable!() };
        let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in 0..x.rows() {
            let entry = row % x.columns();
            columns.push(entry as u32);
            values.push(x.row(row)[entry] + 4.0);
            offsets.push(columns.len());
        }
        let sparse = SparseMatrix::new(x.columns(), offsets, columns, values).unwrap();
        sample.x = FeatureMatrix::Sparse(sparse).into();
        for rounds in
            [Rounds::Exactly(0), Rounds::Exactly(1), Rounds::Exactly(3), Rounds::Residual(1e-2)]
        {
            check(&sample, Propagation::default(), rounds, &[1, 2, 4]);
        }
    }
}

#[test]
fn real_graphs_give_the_bytes_of_one_process() {
    for sample in real() {
        let sample = few_columns(&sample, 20);
        check(&sample, Propagation::default(), Rounds::Exactly(3), &[2, 4]);
    }
}

fn check_hops(sample: &Sample, steps: &[usize], counts: &[usize]) {
    let FeatureMatrix::Dense(x) = &*sample.x else { unreachable!() };
    for aggregation in [Aggregation::Sum, Aggregation::Mean, Aggregation::Symmetric] {
        let hops = Hops::new(&sample.graph, aggregation, AddedLoops::None).unwrap();
        for &steps in steps {
            let whole = hops.last(x, steps).unwrap();
            for &count in counts {
                let (job, sample) = (HopSums { aggregation, steps, panel: None }, sample.clone());
                let parts = run_well(count, move |exchange: &mut Exchange| {
                    job.run((&*sample.graph, &*sample.x), exchange, None, |_| ())
                });
                let rows = parts.iter().flat_map(|part| part.rows.whole_rows(0..part.rows.rows()));
                let rows: Vec<f32> = rows.collect();
                assert!(rows == whole.values(), "{aggregation:?} {count}");
            }
        }
    }
}

#[test]
fn hops_give_the_bytes_of_one_process() {
    made_up().iter().for_each(|sample| check_hops(sample, &[0, 1, 3], &[1, 2, 4]));
}

#[test]
fn hops_on_real_graphs_give_the_bytes_of_one_process() {
    for sample in real() {
        check_hops(&few_columns(&sample, 20), &[2], &[2, 4]);
    }
}

/// However many columns travel at a time, and whatever the others have room for.
#[test]
fn panels_change_nothing() {
    let sample = &made_up()[1];
    let power = Power { rounds: Rounds::Exactly(3), ..Power::default() };
    let job = |panel| PageRank { panel, ..PageRank::new(Propagation::default(), power) };
    let whole = by_processes(3, job(None), sample);
    for columns in [1, 16, 20, 100] {
        assert!(by_processes(3, job(Some(columns)), sample) == whole, "{columns}");
    }
}
