//! Counts for Prometheus: how many reports had which outcome, and how long they took. Nothing about any participant.

use std::time::Duration;

use prometheus::core::Collector as _;
use prometheus::{Histogram, HistogramOpts, IntCounter, IntCounterVec, Opts, TextEncoder};

use crate::error::{Error, Result};

/// What became of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportEvent {
    /// Kept now.
    New,
    /// Kept before.
    Again,
    /// Refused: an impossible report, a second one, no invitation, a closed task.
    Refused,
    /// The service was busy: the device was asked to send it later.
    Busy,
    /// Over the rate limit of one address.
    Limited,
}

impl ReportEvent {
    const ALL: [Self; 5] = [Self::New, Self::Again, Self::Refused, Self::Busy, Self::Limited];

    /// The value of the label `outcome`.
    fn outcome(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Again => "again",
            Self::Refused => "refused",
            Self::Busy => "busy",
            Self::Limited => "limited",
        }
    }
}

/// Upper ends of the histogram's buckets, in seconds.
const BUCKETS: [f64; 10] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2.0, 10.0];

/// The counts.
#[derive(Debug)]
pub struct Metrics {
    reports: IntCounterVec,
    seconds: Histogram,
    store_failures: IntCounter,
}

impl Metrics {
    /// All counts at zero.
    ///
    /// # Errors
    /// Never with the names that stand here: the library checks them when it is called.
    pub fn new() -> Result<Self> {
        let reports = Opts::new("privet_reports_total", "Reports by what became of them.");
        let reports = IntCounterVec::new(reports, &["outcome"])?;
        // A counter that was never increased is shown too: an alert on it must not wait for the first event.
        for event in ReportEvent::ALL {
            reports.with_label_values(&[event.outcome()]);
        }
        let help = "From the first byte of a report to its answer.";
        let seconds = HistogramOpts::new("privet_report_seconds", help).buckets(BUCKETS.into());
        let help = "Batches that could not be kept.";
        Ok(Self {
            reports,
            seconds: Histogram::with_opts(seconds)?,
            store_failures: IntCounter::new("privet_store_failures_total", help)?,
        })
    }

    /// Counts a report that was answered after so long.
    pub fn report(&self, event: ReportEvent, took: Duration) {
        self.reports.with_label_values(&[event.outcome()]).inc();
        self.seconds.observe(took.as_secs_f64());
    }

    /// Counts a batch that could not be kept.
    pub fn store_failed(&self) {
        self.store_failures.inc();
    }

    /// All counts in the text format of Prometheus.
    ///
    /// # Errors
    /// If they cannot be written as text.
    pub fn text(&self) -> Result<String> {
        // Without a registry: one would be shared by all collectors of a process.
        let parts = [self.reports.collect(), self.store_failures.collect(), self.seconds.collect()];
        Ok(TextEncoder::new().encode_to_string(&parts.concat())?)
    }
}

impl From<prometheus::Error> for Error {
    fn from(error: prometheus::Error) -> Self {
        Self::io("metrics", std::io::Error::other(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_add_up() {
        let metrics = Metrics::new().unwrap();
        metrics.report(ReportEvent::New, Duration::from_millis(1));
        metrics.report(ReportEvent::New, Duration::from_millis(3));
        metrics.report(ReportEvent::Busy, Duration::from_secs(99));
        let text = metrics.text().unwrap();
        for line in [
            "# TYPE privet_reports_total counter",
            "privet_reports_total{outcome=\"new\"} 2",
            "privet_reports_total{outcome=\"busy\"} 1",
            "privet_reports_total{outcome=\"again\"} 0",
            "privet_store_failures_total 0",
            "# TYPE privet_report_seconds histogram",
            "privet_report_seconds_bucket{le=\"0.001\"} 1",
            "privet_report_seconds_bucket{le=\"0.005\"} 2",
            "privet_report_seconds_bucket{le=\"10\"} 2",
            "privet_report_seconds_bucket{le=\"+Inf\"} 3",
            "privet_report_seconds_sum 99.004",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }
}
