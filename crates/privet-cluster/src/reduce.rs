//! What all processes agree on: the same number in every process.

use crate::engine::Exchange;
use crate::{Error, Result};

impl Exchange {
    /// The largest number that any process has.
    ///
    /// # Errors
    /// If a message is not what it should be.
    pub fn largest(&mut self, own: f64) -> Result<f64> {
        Ok(self.numbers(own)?.into_iter().fold(own, f64::max))
    }

    /// The smallest number that any process has.
    ///
    /// # Errors
    /// If a message is not what it should be.
    pub fn smallest(&mut self, own: f64) -> Result<f64> {
        Ok(self.numbers(own)?.into_iter().fold(own, f64::min))
    }

    /// The sum, added in the order of the processes.
    ///
    /// # Errors
    /// If a message is not what it should be.
    pub fn sum(&mut self, own: f64) -> Result<f64> {
        Ok(self.numbers(own)?.into_iter().sum())
    }

    /// The numbers of all processes, one process after the other.
    ///
    /// # Errors
    /// If a message is not what it should be.
    pub fn gather_numbers(&mut self, own: &[f64]) -> Result<Vec<f64>> {
        let mut all = Vec::new();
        for (from, bytes) in self.all_hear(bytemuck::cast_slice(own))?.into_iter().enumerate() {
            let (eights, rest) = bytes.as_chunks::<8>();
            if !rest.is_empty() {
                return Err(Error::message(from, "numbers of 8 bytes, and a part of one"));
            }
            all.extend(eights.iter().map(|eight| f64::from_le_bytes(*eight)));
        }
        Ok(all)
    }

    fn numbers(&mut self, own: f64) -> Result<Vec<f64>> {
        let all = self.gather_numbers(&[own])?;
        if all.len() != self.count() {
            return Err(Error::message(0, "one number from every process was expected"));
        }
        Ok(all)
    }
}
