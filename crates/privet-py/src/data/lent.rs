//! [`lent`]: a matrix that reads its rows where a numpy array holds them.
//!
//! A copy of all features would double the memory of the callers with the most data. The array is kept alive as long as the
//! matrix, its clones and any release that reads it. What was validated must be what is used, so an array is lent only where
//! nothing writes to it: `python/privet/_features.py` lends arrays that it made itself and holds no longer, and those that the
//! caller has made read-only; all others are copied first.

#![expect(unsafe_code, reason = "memory of another language has no lifetime that Rust could check")]

use std::sync::Arc;

use numpy::{PyArray2, PyReadonlyArray2, PyUntypedArrayMethods};
use privet::graph::DenseMatrix;
use pyo3::prelude::*;

use crate::error::Failure;

/// Numbers of an array.
struct Lent {
    /// Keeps the memory: numpy frees and moves nothing that is still referred to.
    _array: Py<PyArray2<f32>>,
    /// Where the first is; an address, because pointers do not travel between threads.
    start: usize,
    length: usize,
}

impl AsRef<[f32]> for Lent {
    fn as_ref(&self) -> &[f32] {
        // SAFETY: `start` and `length` are those of a contiguous slice that numpy gave out for this very array, which
        // is alive as long as `self` is. Any bits are a number.
        unsafe { std::slice::from_raw_parts(self.start as *const f32, self.length) }
    }
}

/// The matrix of an array that is contiguous, row by row.
///
/// # Errors
/// If it is not, or a value is not finite.
pub(super) fn lent(rows: &PyReadonlyArray2<'_, f32>) -> PyResult<DenseMatrix> {
    let (values, shape) = (rows.as_slice()?, rows.shape());
    let array: &Bound<'_, PyArray2<f32>> = rows;
    let (start, length) = (values.as_ptr() as usize, values.len());
    if length == 0 {
        // Numpy's pointer to nothing may be no pointer at all.
        return Ok(DenseMatrix::zeros(shape[0], shape[1]));
    }
    let held = Arc::new(Lent { _array: array.clone().unbind(), start, length });
    Ok(DenseMatrix::shared(shape[0], shape[1], held).map_err(Failure::from)?)
}
