//! Personalised PageRank by power iteration, as [`Power`] does it on the whole graph.
//!
//! # Why the bytes are the same
//! A row of a term is a sum over its arcs in their order ([`PropagationPart`]), whichever process computes it and however many columns are
//! summed at a time; the rows it reads are the same wherever they are held. When to stop is decided by the same number
//! in all processes: the largest of maxima is exact, and totals (of directed graphs) are added by blocks of nodes in a
//! fixed order, so they do not depend on the partition either.
//!
//! # Cost
//! Own rows of the term and of the sum; one panel of columns of the rows that are read (own and others'); 8 bytes an
//! own arc; 12 bytes a node. What travels in a round is every row that another process reads, once per reader.

use std::ops::{ControlFlow, Range};

use privet::graph::{DenseMatrix, Direction, FeatureMatrix, Graph, SparseMatrix};
use privet::learn::Error as LearnError;
use privet::learn::propagate::part::{NodeScales, PropagationPart, RowNorms};
use privet::learn::propagate::{ErrorNorm, IterationProgress, Power, Propagation};

use crate::checkpoint::{self, CheckpointState, CheckpointUse};
use crate::engine::Exchange;
use crate::halo::Halo;
use crate::halo::Panels;
use crate::partition::{BLOCK, Partition};
use crate::{Error, Result};

/// Rows that are copied before a file need not keep them in memory.
const AT_A_TIME: usize = 4096;

/// The job.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PageRank {
    /// Which matrix is applied; to the graph as it is.
    pub propagation: Propagation,
    /// When to stop.
    pub power: Power,
    /// Columns that travel at a time; those that [`Halo::panel`] finds room for, if none are given.
    pub panel: Option<usize>,
}

/// This process's rows of an embedding.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnRows {
    /// The rows.
    pub rows: Panels,
    /// How many rounds were run, those before a resumption included.
    pub rounds: usize,
    /// The round from which it was resumed; 0 if from the beginning.
    pub resumed: usize,
    /// How far the embedding is from the whole series at most, in `norm`.
    pub error_bound: f64,
    /// The norm.
    pub norm: ErrorNorm,
}

impl PageRank {
    /// A propagation, and when to stop.
    pub fn new(propagation: Propagation, power: Power) -> Self {
        Self { propagation, power, panel: None }
    }

    /// Runs this process's part. `watch` is called after every round, and may break it off.
    ///
    /// # Errors
    /// Those of [`Power::run_watched`]; if other processes have another graph; or if a checkpoint cannot be written.
    pub fn run(
        &self,
        (graph, x): (&Graph, &FeatureMatrix),
        exchange: &mut Exchange,
        keep: CheckpointUse<'_>,
        mut watch: impl FnMut(IterationProgress) -> ControlFlow<()>,
    ) -> Result<OwnRows> {
        self.power.check()?;
        check_rows(graph, x)?;
        // Degrees of all nodes: 8 bytes each, in every process.
        let scales = NodeScales::of(&self.propagation, graph)?;
        let partition = Partition::of(graph.offsets(), exchange.count())?;
        let halo = Halo::of(graph, &partition, exchange)?;
        let arcs = own_arcs(graph, &halo);
        let mut weights = Vec::new();
        scales.weigh(&graph.offsets()[halo.own().start..=halo.own().end], arcs, &mut weights);
        // What was needed of a graph in files is in `halo` now.
        graph.release(0..graph.node_count());
        let own = PageRankPart { halo: &halo, scales: &scales, weights: &weights, graph };
        let panel = match self.panel {
            Some(columns) => columns,
            None => halo.panel(columns(x), exchange)?,
        };
        let mut state = PageRankState::zeros(halo.own().len(), columns(x), panel);
        let resumed = checkpoint::begin(keep, &mut state, exchange)?;
        let mut done = resumed;
        if resumed == 0 {
            done = self.start(&own, x, &mut state, exchange)?;
        }
        // Arcs lead everywhere in it: a matrix lies on huge pages where there are any.
        let mut all = DenseMatrix::zeros(halo.rows(), panel.min(columns(x)));
        // All processes see the same error bound, so all stop in the same round.
        while !self.power.finished(state.round(done))? {
            own.round(&mut state, all.values_mut(), exchange)?;
            done += 1;
            checkpoint::after(keep, done, &state)?;
            if watch(state.round(done)).is_break() {
                return Err(LearnError::Interrupted.into());
            }
        }
        let (error_bound, norm) = (state.error_bound[0], scales.error_norm());
        Ok(OwnRows { rows: state.sum, rounds: done, resumed, error_bound, norm })
    }

    /// The first term and its share of the sum; with sparse features the second term, too. Returns how many rounds
    /// that was.
    fn start(
        &self,
        own: &PageRankPart<'_>,
        x: &FeatureMatrix,
        state: &mut PageRankState,
        exchange: &mut Exchange,
    ) -> Result<usize> {
        match x {
            // The first hop of sparse rows reads the sparse matrix itself: a dense copy would be most of the
            // memory.
            FeatureMatrix::Sparse(x) if self.power.keeps_sparse(x) => {
                let measured = own.measure_sparse(x, exchange)?;
                state.error_bound = [own.scales.bound(measured)];
                if !self.power.finished(state.round(0))? {
                    own.first_hop(x, state);
                    state.error_bound = [own.scales.bound(own.measure(&state.term, exchange)?)];
                    return Ok(1);
                }
            }
            _ => {}
        }
        state.term = load(x, &own.halo.own(), state.term.width());
        state.error_bound = [own.scales.bound(own.measure(&state.term, exchange)?)];
        // alpha * x is the first term of the series; `start` scales it.
        state.sum = state.term.clone();
        let part = own.part();
        state.sum.panels_mut().iter_mut().for_each(|panel| part.start(panel.values_mut()));
        Ok(0)
    }
}

/// What a process needs beside the terms.
struct PageRankPart<'a> {
    halo: &'a Halo,
    scales: &'a NodeScales,
    weights: &'a [f32],
    graph: &'a Graph,
}

impl PageRankPart<'_> {
    fn part(&self) -> PropagationPart<'_> {
        let errors = self.scales.errors(self.halo.own());
        let arcs = (self.halo.targets(), self.weights);
        PropagationPart::new(self.scales.alpha(), self.halo.offsets(), arcs, errors)
    }

    fn is_directed(&self) -> bool {
        self.graph.direction() == Direction::Directed
    }

    /// One round: panel by panel, the next term takes the place of the last one, of which `all` holds a copy.
    fn round(
        &self,
        state: &mut PageRankState,
        all: &mut [f32],
        exchange: &mut Exchange,
    ) -> Result<()> {
        let part = self.part();
        let mut largest = 0f64;
        let sums = state.sum.panels_mut().iter_mut();
        for (term, sum) in state.term.panels_mut().iter_mut().zip(sums) {
            let columns = term.columns();
            let all = &mut all[..self.halo.rows() * columns];
            // `all` holds the last term's panel while its rows are replaced by the next.
            self.halo.swap(term.values(), columns, all, exchange)?;
            let measured = part.round(all, columns, term.values_mut(), sum.values_mut());
            largest = largest.max(measured.largest);
        }
        let totals = self.totals(&state.term);
        state.error_bound = [self.scales.bound(agree(largest, totals, exchange)?)];
        Ok(())
    }

    fn measure(&self, term: &Panels, exchange: &mut Exchange) -> Result<RowNorms> {
        let part = self.part();
        let measured = |panel: &DenseMatrix| part.measure(panel.values(), panel.columns()).largest;
        let largest = term.panels().iter().map(measured).fold(0.0, f64::max);
        agree(largest, self.totals(term), exchange)
    }

    fn measure_sparse(&self, x: &SparseMatrix, exchange: &mut Exchange) -> Result<RowNorms> {
        let first = self.halo.own().start;
        let largest = self.part().measure_sparse(x, first).largest;
        // In f64: a sum over millions of values in f32 would round the error bound below the error.
        let total = |row: usize| x.row(first + row).1.iter().map(|v| f64::from(v.abs())).sum();
        let totals = self.is_directed().then(|| by_block(self.halo.own().len(), total));
        agree(largest, totals, exchange)
    }

    /// The sum of magnitudes of every block of rows, if the norm asks for it.
    fn totals(&self, term: &Panels) -> Option<Vec<f64>> {
        let total = |row: usize| {
            let values = term.panels().iter().flat_map(|panel| panel.row(row));
            values.map(|value| f64::from(value.abs())).sum()
        };
        self.is_directed().then(|| by_block(term.rows(), total))
    }

    /// The second term from sparse features, a few rows at a time. Every process has the features, so nothing travels.
    fn first_hop(&self, x: &SparseMatrix, state: &mut PageRankState) {
        let (own, arcs) = (self.halo.own(), own_arcs(self.graph, self.halo));
        let columns = x.columns();
        let (mut next, mut sum) = (vec![0.0; BLOCK * columns], vec![0.0; BLOCK * columns]);
        for start in (0..own.len()).step_by(BLOCK) {
            let rows = start..(start + BLOCK).min(own.len());
            let offsets = &self.halo.offsets()[rows.start..=rows.end];
            let here = offsets[0]..offsets[rows.len()];
            let offsets: Vec<usize> = offsets.iter().map(|at| at - here.start).collect();
            let arcs = (&arcs[here.clone()], &self.weights[here]);
            let part = PropagationPart::new(self.scales.alpha(), &offsets, arcs, None);
            let (next, sum) = (&mut next[..rows.len() * columns], &mut sum[..rows.len() * columns]);
            next.fill(0.0);
            sum.fill(0.0);
            part.first_hop(x, own.start + start, next, sum);
            let whole = next.chunks(columns.max(1)).zip(sum.chunks(columns.max(1)));
            for (row, (next, sum)) in rows.zip(whole) {
                state.term.set_row(row, next);
                state.sum.set_row(row, sum);
            }
        }
    }
}

fn own_arcs<'a>(graph: &'a Graph, halo: &Halo) -> &'a [u32] {
    let own = halo.own();
    &graph.targets()[graph.offsets()[own.start]..graph.offsets()[own.end]]
}

fn by_block(rows: usize, total: impl Fn(usize) -> f64) -> Vec<f64> {
    let blocks = (0..rows).step_by(BLOCK);
    // One number per block of nodes: they are added in one order, however nodes are divided.
    blocks.map(|start| (start..(start + BLOCK).min(rows)).map(&total).sum()).collect()
}

/// The size of the whole term, from the sizes of all parts.
fn agree(largest: f64, totals: Option<Vec<f64>>, exchange: &mut Exchange) -> Result<RowNorms> {
    let largest = exchange.largest(largest)?;
    // Either all processes have totals or none has: it depends on whether the graph is directed.
    let total = match totals {
        Some(totals) => exchange.gather_numbers(&totals)?.into_iter().sum(),
        None => 0.0,
    };
    Ok(RowNorms { largest, total })
}

/// The features of own nodes.
pub(super) fn load(x: &FeatureMatrix, own: &Range<usize>, panel: usize) -> Panels {
    let mut rows = Panels::zeros(own.len(), columns(x), panel);
    match x {
        FeatureMatrix::Dense(x) => {
            for start in own.clone().step_by(AT_A_TIME) {
                let nodes = start..(start + AT_A_TIME).min(own.end);
                nodes.clone().for_each(|node| rows.set_row(node - own.start, x.row(node)));
                // Rows of a mapped file are copied once; its pages need not stay in memory.
                x.release(nodes);
            }
        }
        FeatureMatrix::Sparse(x) => {
            let mut whole = vec![0.0; x.columns()];
            for (row, node) in own.clone().enumerate() {
                whole.fill(0.0);
                let (columns, values) = x.row(node);
                let entries = columns.iter().zip(values);
                entries.for_each(|(&column, &value)| whole[column as usize] = value);
                rows.set_row(row, &whole);
            }
        }
    }
    rows
}

pub(super) fn columns(x: &FeatureMatrix) -> usize {
    match x {
        FeatureMatrix::Dense(x) => x.columns(),
        FeatureMatrix::Sparse(x) => x.columns(),
    }
}

pub(super) fn check_rows(graph: &Graph, x: &FeatureMatrix) -> Result<()> {
    let rows = match x {
        FeatureMatrix::Dense(x) => x.rows(),
        FeatureMatrix::Sparse(x) => x.rows(),
    };
    if rows == graph.node_count() {
        return Ok(());
    }
    let expected = format!("{} (one per node)", graph.node_count());
    Err(Error::invalid("rows of features", rows, expected))
}

/// The state of the iteration.
struct PageRankState {
    term: Panels,
    sum: Panels,
    error_bound: [f64; 1],
}

impl PageRankState {
    fn zeros(rows: usize, columns: usize, panel: usize) -> Self {
        let zeros = || Panels::zeros(rows, columns, panel);
        Self { term: zeros(), sum: zeros(), error_bound: [0.0] }
    }

    fn round(&self, done: usize) -> IterationProgress {
        IterationProgress { done, error_bound: self.error_bound[0] }
    }
}

impl CheckpointState for PageRankState {
    fn parts(&self) -> Vec<&[u8]> {
        let rows = self.term.parts().into_iter().chain(self.sum.parts());
        rows.chain([bytemuck::cast_slice(&self.error_bound)]).collect()
    }

    fn parts_mut(&mut self) -> Vec<&mut [u8]> {
        let rows = self.term.parts_mut().into_iter().chain(self.sum.parts_mut());
        rows.chain([bytemuck::cast_slice_mut(&mut self.error_bound)]).collect()
    }
}
