use proptest::prelude::*;

use super::*;
use crate::graph::{Direction, GraphBuilder, SparseBuilder};

fn features(rows: usize, columns: usize, sparse: bool) -> FeatureMatrix {
    // Columns of very different sizes, so that blocks need different numbers of rounds.
    let value = |row: usize, column: usize| {
        ((row * 31 + column * 17) % 13) as f32 / 7.0 * 10f32.powi(-((column / 2) as i32))
    };
    if sparse {
        let mut builder = SparseBuilder::new(columns);
        for row in 0..rows {
            let mut entries = [(row % columns, 1), ((row * 3 + 1) % columns, 2)]
                .map(|(column, k)| (column as u32, value(row, column) + k as f32 * 1e-3));
            let entries =
                if entries[0].0 == entries[1].0 { &mut entries[..1] } else { &mut entries[..] };
            builder.push_row(entries).unwrap();
        }
        return FeatureMatrix::Sparse(builder.finish());
    }
    let values = (0..rows * columns).map(|at| value(at / columns, at % columns)).collect();
    FeatureMatrix::Dense(DenseMatrix::new(rows, columns, values).unwrap())
}

fn graph(directed: bool, seed: u32) -> Graph {
    let direction = if directed { Direction::Directed } else { Direction::Undirected };
    let edges = (0..60u32).flat_map(|u| (1..4).map(move |k| (u, (u * k + seed) % 60)));
    GraphBuilder::new(60, direction).edges(edges).build().unwrap().0
}

/// Little enough for this many columns at a time.
fn memory_for(columns: u64) -> u64 {
    BASE + STRETCHES + 60 * (PER_NODE + PER_CELL * columns)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// However few columns fit: the bytes of all at once.
    #[test]
    fn blocks_are_the_whole(
        (directed, sparse, loops) in any::<(bool, bool, bool)>(),
        seed in 0u32..50,
        (at_a_time, columns) in (1u64..9, 1usize..20),
        rounds in prop::option::of(0usize..6),
    ) {
        let (graph, x) = (graph(directed, seed), features(60, columns, sparse));
        let self_loops = if loops { AddedLoops::All } else { AddedLoops::None };
        let propagation = Propagation { exponent: 0.3, self_loops, ..Propagation::default() };
        let rounds = rounds.map_or(Rounds::Residual(1e-4), Rounds::Exactly);
        let power = Power { rounds, ..Power::default() };
        let whole = power.run(&propagation.on(&graph).unwrap(), x.clone()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let spill = Spill { folder: folder.path().into(), memory: memory_for(at_a_time) };
        let bounded = MemoryBudget { spill: &spill, checkpoint: None };
        let found = propagate(&bounded, &propagation, &power, &graph, &x, |_| true).unwrap();
        prop_assert_eq!(&found.embedding, &whole.embedding);
        prop_assert_eq!(found.rounds, whole.rounds);
        prop_assert!((found.error_bound - whole.error_bound).abs() <= 1e-9 * whole.error_bound);
    }
}

/// On directed graphs the error of all columns together is larger than that of any block, and takes more rounds.
#[test]
fn directed_blocks_end_when_all_of_them_are_exact_enough() {
    let (graph, x) = (graph(true, 1), features(60, 16, false));
    let (propagation, power) = (Propagation::default(), Power::default());
    let rounds = |x: FeatureMatrix| power.run(&propagation.on(&graph).unwrap(), x).unwrap().rounds;
    let folder = tempfile::tempdir().unwrap();
    let spill = Spill { folder: folder.path().into(), memory: memory_for(1) };
    let bounded = MemoryBudget { spill: &spill, checkpoint: None };
    let found = propagate(&bounded, &propagation, &power, &graph, &x, |_| true).unwrap();
    let whole = power.run(&propagation.on(&graph).unwrap(), x.clone()).unwrap();
    assert_eq!((&found.embedding, found.rounds), (&whole.embedding, whole.rounds));
    let FeatureMatrix::Dense(x) = x else { unreachable!() };
    let column = |at: usize| (0..60).map(|row| x.row(row)[at]).collect();
    let alone = (0..16)
        .map(|at| rounds(FeatureMatrix::Dense(DenseMatrix::new(60, 1, column(at)).unwrap())));
    assert!(alone.max() < Some(whole.rounds), "no column alone takes so many");
}

/// Interrupted after every round in turn: a resumed run ends with the same bytes, and leaves nothing behind.
#[test]
fn interrupted_work_goes_on() {
    let (graph, x) = (graph(false, 7), features(60, 9, false));
    let (propagation, power) = (Propagation::default(), Power::default());
    let folder = tempfile::tempdir().unwrap();
    let spill = Spill { folder: folder.path().into(), memory: memory_for(2) };
    let plain = MemoryBudget { spill: &spill, checkpoint: None };
    let mut all = 0;
    let whole = propagate(&plain, &propagation, &power, &graph, &x, |_| {
        all += 1;
        true
    });
    let whole = whole.unwrap();
    for stop in (1..all).step_by(7) {
        let work = folder.path().join("work");
        let bounded = MemoryBudget { spill: &spill, checkpoint: Some(&work) };
        let mut left = stop;
        let ended = propagate(&bounded, &propagation, &power, &graph, &x, |_| {
            left -= 1;
            left > 0
        });
        assert!(ended.is_err());
        let mut again = 0;
        let found = propagate(&bounded, &propagation, &power, &graph, &x, |_| {
            again += 1;
            true
        });
        assert_eq!(found.unwrap(), whole);
        assert!(again <= all, "{stop}: {again} of {all}");
        // By then a block was finished, and is not made again.
        assert!(2 * stop < all || again < all, "{stop}: {again} of {all}");
        assert!(!work.exists());
    }
}

/// A finished block that was cut at any byte, or is of another job, is made again.
#[test]
fn damaged_blocks_are_made_again() {
    let (graph, x) = (graph(true, 3), features(60, 4, false));
    let power = Power { rounds: Rounds::Exactly(3), ..Power::default() };
    let folder = tempfile::tempdir().unwrap();
    let spill = Spill { folder: folder.path().into(), memory: memory_for(2) };
    let work = folder.path().join("work");
    let bounded = MemoryBudget { spill: &spill, checkpoint: Some(&work) };
    let propagation = Propagation::default();
    let run = |alpha: f64, last: usize| {
        let propagation = Propagation { alpha, ..propagation };
        let mut rounds = 0;
        let found = propagate(&bounded, &propagation, &power, &graph, &x, |_| {
            rounds += 1;
            rounds < last
        });
        (found, rounds)
    };
    let whole = run(0.15, usize::MAX).0.unwrap();
    assert!(run(0.15, 4).0.is_err());
    let block = work.join("block-00000");
    let bytes = std::fs::read(&block).unwrap();
    for length in (0..bytes.len()).step_by(97).chain([bytes.len() - 1]) {
        std::fs::write(&block, &bytes[..length]).unwrap();
        let (found, rounds) = run(0.15, usize::MAX);
        assert_eq!((found.unwrap(), rounds), (whole.clone(), 6), "cut at {length}");
        assert!(run(0.15, 4).0.is_err());
    }
    let mut changed = bytes.clone();
    changed[200] ^= 1;
    std::fs::write(&block, changed).unwrap();
    assert_eq!(run(0.15, usize::MAX).1, 6);
    assert!(run(0.15, 4).0.is_err());
    assert_eq!(run(0.2, usize::MAX).1, 6, "another alpha is another job");
    std::fs::create_dir_all(&work).unwrap();
    std::fs::write(&block, &bytes).unwrap();
    assert_eq!(run(0.15, usize::MAX).1, 3, "an undamaged block is not made again");
}

#[test]
fn too_little_memory_is_said_with_how_much_it_takes() {
    let told = columns_that_fit(1 << 20, 1_000_000, 8).unwrap_err().to_string();
    assert!(told.contains("at least 67M"), "{told}");
    assert_eq!(columns_that_fit(1 << 40, 1000, 500).unwrap(), 504);
    assert_eq!(columns_that_fit(memory_for(7), 60, 20).unwrap(), 7);
    assert_eq!(columns_that_fit(memory_for(16), 60, 20).unwrap(), 16);
}
