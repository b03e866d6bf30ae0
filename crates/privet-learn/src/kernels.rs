//! Matrix kernels: dense products on [`faer`], sparse products on vector registers of their own;
//! threads by blocks of rows.
//!
//! Blocks have a fixed size and sums over blocks run in a fixed order, so the result has the same
//! bytes for any number of threads.

mod dense;
mod elementwise;
mod gathered_rows;
mod row_sums;
mod sparse;
mod sparse_rows;

pub use dense::{Write, product, product_left_transposed, product_right_transposed};
pub(crate) use dense::{
    block_product, block_product_left_transposed, block_product_right_transposed,
};
pub(crate) use elementwise::vectorized;
pub use elementwise::{block_of_rows, column_sums, each_block, settle, sum_over_blocks};
pub use gathered_rows::{gathered_product, gathered_product_transposed};
pub use row_sums::RowSums;
pub use sparse::RowNorms;
pub use sparse::{ArcWeights, aggregate, aggregate_and_add};
pub(crate) use sparse::{CompressedRows, Finish, aggregate_rows, max_abs};
pub use sparse_rows::SparseInput;
