//! Scores of nodes as seen from one source, and the memory that computing them needs.

use std::collections::VecDeque;

/// How near a few nodes are to one source; all others score 0 within the stated error.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scores {
    /// The nodes, ascending.
    pub nodes: Vec<u32>,
    /// The score of each.
    pub values: Vec<f64>,
    /// What is left over: the residue that was not moved, summed over all nodes.
    pub residual: f64,
    /// How many arcs were walked.
    pub work: u64,
}

/// Memory for one source after the other: clearing it costs what the last source touched.
#[derive(Debug, Default)]
pub struct Workspace {
    pub(super) score: Vec<f64>,
    pub(super) residue: Vec<f64>,
    pub(super) change: Vec<f64>,
    pub(super) seen: Vec<bool>,
    pub(super) waits: Vec<bool>,
    pub(super) touched: Vec<u32>,
    pub(super) queue: VecDeque<u32>,
}

impl Workspace {
    /// Memory for graphs of this many nodes.
    pub fn new(nodes: usize) -> Self {
        let zeros = || vec![0.0; nodes];
        let flags = || vec![false; nodes];
        Self {
            score: zeros(),
            residue: zeros(),
            change: zeros(),
            seen: flags(),
            waits: flags(),
            touched: Vec::new(),
            queue: VecDeque::new(),
        }
    }

    pub(super) fn fits(&mut self, nodes: usize) {
        if self.score.len() != nodes {
            *self = Self::new(nodes);
        }
    }

    pub(super) fn touch(&mut self, node: u32) {
        if !std::mem::replace(&mut self.seen[node as usize], true) {
            self.touched.push(node);
        }
    }

    /// Takes out what was computed, scaled per node, and clears the memory that was touched.
    pub(super) fn take(&mut self, work: u64, scale: impl Fn(u32) -> f64) -> Scores {
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort_unstable();
        let mut scores = Scores { work, ..Default::default() };
        for &node in &touched {
            let at = node as usize;
            if self.score[at] != 0.0 {
                scores.nodes.push(node);
                scores.values.push(self.score[at] * scale(node));
            }
            scores.residual += self.residue[at];
            (self.score[at], self.residue[at], self.change[at]) = (0.0, 0.0, 0.0);
            (self.seen[at], self.waits[at]) = (false, false);
        }
        touched.clear();
        self.touched = touched;
        self.queue.clear();
        scores
    }
}
