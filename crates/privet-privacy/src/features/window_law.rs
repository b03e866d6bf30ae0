//! [`WindowLaw`]: the square wave, the piecewise mechanism and PM-SUB as laws of one coordinate.
//!
//! # Equation
//! All three report a point near the input with high weight and any other with low weight; after
//! scaling the report they differ only in the half width of the window, `h/n` on [-1, 1]: `b` for the
//! square wave, `e^(-eps/2)` for PM, `e^(-eps/3)` for PM-SUB. With κ the shrinkage of
//! [`WindowSampler`], `j / (n κ)` is an unbiased value of the level `j`.
//!
//! # Guarantee
//! ε-LDP exactly, for any width computed from public parameters: proved in [`WindowSampler`].

use super::coordinate::{CoordinateLaw, FiniteLaw};
use crate::budget::Budget;
use crate::error::Result;
use crate::fault::{self, Fault};
use crate::noise::{RandomWords, WindowSampler};
use crate::origin::shipped;

/// What the paper reports for a level `j`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PrintedFormula {
    /// `j/n`: biased towards zero, not corrected for sampling.
    Raw,
    /// `j / (n κ)`, divided by the sampling rate.
    Unbiased,
}

/// The window mechanism as a law of one coordinate.
#[derive(Debug, Clone)]
pub struct WindowLaw {
    window: WindowSampler,
    steps: f64,
    printed: PrintedFormula,
}

impl WindowLaw {
    /// A window whose half width is the given part of the half range (0 to 1).
    pub(crate) fn new(
        steps: u32,
        budget: Budget,
        half_width: f64,
        printed: PrintedFormula,
    ) -> Result<Self> {
        // The width is public and any width is private, so its rounding changes the utility and not the guarantee.
        let half_width = (half_width * f64::from(steps)).round() as u32;
        let window = WindowSampler::new(steps, half_width, budget)?;
        Ok(Self { window, steps: f64::from(steps), printed })
    }

    /// κ: the mean of a raw report `j/n` is κ times the input.
    pub fn shrinkage(&self) -> f64 {
        self.window.shrinkage()
    }

    /// The sum of the weights of all levels, the same for every input.
    pub(crate) fn total(&self) -> u128 {
        self.window.total()
    }

    /// The largest level.
    pub fn largest_level(&self) -> i64 {
        self.window.largest_output()
    }
}

shipped!(WindowLaw);

impl CoordinateLaw for WindowLaw {
    #[inline]
    fn draw<W: RandomWords>(&self, input: i64, noise: &mut W) -> i64 {
        self.window.draw(input, noise)
    }

    fn value(&self, level: i64) -> f64 {
        let shrinkage = if fault::on(Fault::ShrinkageForgotten) { 1.0 } else { self.shrinkage() };
        level as f64 / (self.steps * shrinkage)
    }

    fn largest(&self) -> f64 {
        self.value(self.largest_level())
    }

    fn variance(&self, input: i64) -> f64 {
        let place = input as f64 / self.steps;
        // Levels are divided by κ to be unbiased, which divides their variance by κ².
        self.window.second_moment(input) / self.shrinkage().powi(2) - place * place
    }

    fn paper_factor(&self, rate: f64) -> f64 {
        match self.printed {
            PrintedFormula::Raw => self.shrinkage(),
            PrintedFormula::Unbiased => 1.0 / rate,
        }
    }
}

impl FiniteLaw for WindowLaw {
    fn weights(&self, input: i64) -> Vec<(i64, u128)> {
        let end = self.largest_level();
        (-end..=end).map(|j| (j, u128::from(self.window.weight(input, j)))).collect()
    }
}
