//! Scores of nodes as seen from one source, and the memory that computing them needs.

/// How near a few nodes are to one source; all others score 0 within the stated error.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ProximityScores {
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
pub struct ScoreWorkspace {
    pub(super) score: Vec<f64>,
    pub(super) residue: Vec<f64>,
    pub(super) change: Vec<f64>,
    pub(super) seen: Vec<bool>,
    pub(super) touched: Vec<u32>,
}

impl ScoreWorkspace {
    /// Memory for graphs of this many nodes.
    pub fn new(nodes: usize) -> Self {
        let zeros = || vec![0.0; nodes];
        Self {
            score: zeros(),
            residue: zeros(),
            change: zeros(),
            seen: vec![false; nodes],
            touched: Vec::new(),
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

    /// Takes out what was computed, and clears the memory that was touched.
    pub(super) fn take(&mut self, work: u64) -> ProximityScores {
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort_unstable();
        let mut scores = ProximityScores { work, ..Default::default() };
        for &node in &touched {
            let at = node as usize;
            if self.score[at] != 0.0 {
                scores.nodes.push(node);
                scores.values.push(self.score[at]);
            }
            scores.residual += self.residue[at];
            (self.score[at], self.residue[at], self.change[at]) = (0.0, 0.0, 0.0);
            self.seen[at] = false;
        }
        touched.clear();
        self.touched = touched;
        scores
    }
}
