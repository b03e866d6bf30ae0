//! [`Finding`]: what an audit measured, beside what was claimed.

use serde::Serialize;

/// How a number was obtained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The whole law was enumerated.
    Exact,
    /// A lower bound from samples, wrong with probability at most one in a million.
    Statistical,
    /// A number that the claim implies was computed by a theorem.
    Theorem,
}

/// What one test found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// What was tried.
    pub subject: String,
    /// How.
    pub method: Method,
    /// What is claimed.
    pub claimed: f64,
    /// What was measured; infinite if something is outright impossible on one side.
    #[serde(serialize_with = "finite_or_word")]
    pub measured: f64,
    /// How far the measurement may exceed the claim by rounding alone.
    pub tolerance: f64,
}

impl Finding {
    /// Whether the measurement is within the claim.
    pub fn holds(&self) -> bool {
        self.measured <= self.claimed + self.tolerance
    }

    /// Whether the claim is also no larger than it must be.
    pub fn is_tight(&self) -> bool {
        (self.measured - self.claimed).abs() <= self.tolerance
    }
}

/// JSON has no infinity.
fn finite_or_word<S: serde::Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.is_finite() {
        serializer.serialize_f64(*value)
    } else {
        serializer.serialize_str("inf")
    }
}
