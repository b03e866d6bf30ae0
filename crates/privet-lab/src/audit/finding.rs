//! [`Finding`]: what an audit measured, beside what was claimed.

use serde::Serialize;

/// The probability at which one statistical bound may exceed the truth. A finding that takes the best of several
/// bounds divides this by their number, so that the finding as a whole keeps it.
pub const FALSE_ALARM: f64 = 1e-9;

/// How a number was obtained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AuditMethod {
    /// The whole law was enumerated.
    Exact,
    /// A lower bound from samples, too high with probability at most [`FALSE_ALARM`].
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
    pub method: AuditMethod,
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

    /// The probability that this finding calls a true claim broken: none for what is computed and not sampled.
    pub fn false_alarm(&self) -> f64 {
        match self.method {
            AuditMethod::Statistical => FALSE_ALARM,
            AuditMethod::Exact | AuditMethod::Theorem => 0.0,
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(claimed: f64, measured: f64) -> Finding {
        let (subject, method, tolerance) = ("a toy".into(), AuditMethod::Exact, 1e-9);
        Finding { subject, method, claimed, measured, tolerance }
    }

    #[test]
    fn a_claim_holds_from_above_and_is_tight_from_both_sides() {
        assert!(finding(1.0, 1.0 + 1e-10).holds() && finding(1.0, 1.0 + 1e-10).is_tight());
        assert!(!finding(1.0, 1.1).holds() && !finding(1.0, 1.1).is_tight());
        assert!(finding(1.0, 0.5).holds() && !finding(1.0, 0.5).is_tight());
        assert!(!finding(1.0, f64::INFINITY).holds());
        assert!(!finding(1.0, f64::NAN).holds(), "what is no number proves nothing");
    }

    #[test]
    fn infinity_is_a_word_in_json() {
        let json = |measured| serde_json::to_value(finding(1.0, measured)).unwrap();
        assert_eq!(json(0.5)["measured"], 0.5);
        assert_eq!(json(f64::INFINITY)["measured"], "inf");
        assert_eq!(json(0.5)["method"], "exact");
    }
}
