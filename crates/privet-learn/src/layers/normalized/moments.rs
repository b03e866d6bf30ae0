//! Sums over rows, kept per range of rows and put together in order, so that they do not depend on
//! the number of threads.

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

/// A pair of numbers per column: the mean and the sum of squared deviations from it, or any two sums.
#[derive(Debug, Clone, Default)]
pub(super) struct ColumnMoments {
    pub count: f64,
    pub first: Vec<f64>,
    pub second: Vec<f64>,
    /// The same of one block, in single precision.
    block_first: Vec<f32>,
    block_second: Vec<f32>,
}

impl ColumnMoments {
    pub fn clear(&mut self, columns: usize) {
        self.count = 0.0;
        for sums in [&mut self.first, &mut self.second] {
            sums.clear();
            sums.resize(columns, 0.0);
        }
    }

    /// Takes in a block of rows.
    ///
    /// Squares are summed about the mean of the block, and blocks are put together by
    /// `M2 = M2a + M2b + (mean_b - mean_a)^2 na nb / n` (Chan, Golub and LeVeque): nothing cancels.
    #[inline(always)]
    pub fn measure(&mut self, values: &[f32], repeats: Repeats<'_>) {
        let columns = self.first.len();
        let (mean, squares) = self.block(columns);
        let mut count = 0.0;
        for (row, values) in values.chunks_exact(columns).enumerate() {
            // A row that stands for m equal rows counts m times.
            let m = repeats.of(row);
            count += f64::from(m);
            let mean = &mut mean[..values.len()];
            mean.iter_mut().zip(values).for_each(|(sum, value)| *sum += m * value);
        }
        // First the mean of this block, then squares around it: no difference of large sums.
        let inverse = (1.0 / count.max(1.0)) as f32;
        mean.iter_mut().for_each(|sum| *sum *= inverse);
        for (row, values) in values.chunks_exact(columns).enumerate() {
            let m = repeats.of(row);
            let n = values.len();
            let (squares, mean) = (&mut squares[..n], &mean[..n]);
            for c in 0..n {
                squares[c] += m * ((values[c] - mean[c]) * (values[c] - mean[c]));
            }
        }
        for column in 0..columns {
            let (mean, squares) = (self.block_first[column], self.block_second[column]);
            self.pool(column, count, f64::from(mean), f64::from(squares));
        }
        // Blocks are pooled in f64: f32 would lose digits over a million rows.
        self.count += count;
    }

    /// Takes in a block of rows by what `add` adds for each to two rows of sums.
    #[inline(always)]
    pub fn add<R>(
        &mut self,
        rows: impl Iterator<Item = R>,
        add: impl Fn(R, &mut [f32], &mut [f32]),
    ) {
        let columns = self.first.len();
        let (first, second) = self.block(columns);
        for row in rows {
            add(row, &mut *first, &mut *second);
        }
        for column in 0..columns {
            self.first[column] += f64::from(self.block_first[column]);
            self.second[column] += f64::from(self.block_second[column]);
        }
    }

    /// Puts means and squares of ranges together.
    pub fn pooled(ranges: &[Self], columns: usize) -> Self {
        let mut total = Self::default();
        total.clear(columns);
        for range in ranges {
            for column in 0..columns {
                total.pool(column, range.count, range.first[column], range.second[column]);
            }
            total.count += range.count;
        }
        total
    }

    /// Adds up the sums of ranges.
    pub fn added(ranges: &[Self], columns: usize) -> Self {
        let mut total = Self::default();
        total.clear(columns);
        for range in ranges {
            total.first.iter_mut().zip(&range.first).for_each(|(sum, part)| *sum += part);
            total.second.iter_mut().zip(&range.second).for_each(|(sum, part)| *sum += part);
        }
        total
    }

    /// Takes a column of other rows in; the count is raised by the caller, once for all columns.
    #[inline(always)]
    fn pool(&mut self, column: usize, count: f64, mean: f64, squares: f64) {
        // Chan, Golub and LeVeque 1979: M = M_a + M_b + d² n_a n_b/n, with d the distance of the
        // two means.
        let total = (self.count + count).max(1.0);
        let apart = mean - self.first[column];
        self.first[column] += apart * count / total;
        self.second[column] += squares + apart * apart * self.count * count / total;
    }

    #[inline(always)]
    fn block(&mut self, columns: usize) -> (&mut [f32], &mut [f32]) {
        for sums in [&mut self.block_first, &mut self.block_second] {
            sums.clear();
            sums.resize(columns, 0.0);
        }
        (&mut self.block_first, &mut self.block_second)
    }
}
