//! The little complex arithmetic the oracle needs, with small numbers kept small.

use std::ops::{Add, Mul, Sub};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Complex {
    pub re: f64,
    pub im: f64,
}

impl Complex {
    pub fn new(re: f64, im: f64) -> Self {
        Self { re, im }
    }

    pub fn real(re: f64) -> Self {
        Self { re, im: 0.0 }
    }

    pub fn norm(self) -> f64 {
        self.re.hypot(self.im)
    }

    pub fn exp(self) -> Self {
        let (sine, cosine) = self.im.sin_cos();
        Self { re: cosine, im: sine } * self.re.exp()
    }

    pub fn ln(self) -> Self {
        Self { re: self.norm().ln(), im: self.im.atan2(self.re) }
    }

    /// `log(1 + w)`.
    pub fn ln_1p(self) -> Self {
        let re = if self.norm() < 0.5 {
            0.5 * (2.0 * self.re + self.re * self.re + self.im * self.im).ln_1p()
        } else {
            (1.0 + self.re).hypot(self.im).ln()
        };
        Self { re, im: self.im.atan2(1.0 + self.re) }
    }

    /// `e^w - 1 - w`.
    pub fn bend(self) -> Self {
        if self.norm() > 0.5 {
            return self.exp() - Self::real(1.0) - self;
        }
        let term = |rest: Self, k: i32| Self::real(1.0) + self * rest * f64::from(k).recip();
        self * self * 0.5 * (3..=20).rev().fold(Self::real(1.0), term)
    }
}

impl Add for Complex {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Complex {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { re: self.re - other.re, im: self.im - other.im }
    }
}

impl Mul for Complex {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
        }
    }
}

impl Mul<f64> for Complex {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self { re: self.re * factor, im: self.im * factor }
    }
}
