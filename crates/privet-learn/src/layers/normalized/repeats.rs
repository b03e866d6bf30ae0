//! [`Repeats`]: rows that stand for several equal ones.

/// How many equal rows each row stands for.
#[derive(Debug, Clone, Copy)]
pub enum Repeats<'a> {
    /// One.
    Once,
    /// A number for every row.
    Counts(&'a [f32]),
}

impl<'a> Repeats<'a> {
    /// Those of some rows.
    pub(super) fn rows(self, first: usize, count: usize) -> Self {
        match self {
            Self::Once => Self::Once,
            Self::Counts(counts) => Self::Counts(&counts[first..first + count]),
        }
    }

    #[inline(always)]
    pub(super) fn of(self, row: usize) -> f32 {
        match self {
            Self::Once => 1.0,
            Self::Counts(counts) => counts[row],
        }
    }
}
