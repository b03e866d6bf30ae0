//! Counts for Prometheus: how many reports came to which end, and how long they took. Nothing of whom.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// What happens to a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Kept now.
    New,
    /// Kept before.
    Again,
    /// Refused: no honest device, another report, no invitation, closed.
    Refused,
    /// Told to come again.
    Busy,
    /// More from one address than is taken.
    Limited,
}

const EVENTS: [(Event, &str); 5] = [
    (Event::New, "new"),
    (Event::Again, "again"),
    (Event::Refused, "refused"),
    (Event::Busy, "busy"),
    (Event::Limited, "limited"),
];
/// Upper ends of the times that are told apart, in milliseconds.
const MILLISECONDS: [u64; 10] = [1, 2, 5, 10, 20, 50, 100, 500, 2_000, 10_000];

/// The counts.
#[derive(Debug, Default)]
pub struct Metrics {
    events: [AtomicU64; EVENTS.len()],
    times: [AtomicU64; MILLISECONDS.len() + 1],
    microseconds: AtomicU64,
    store_failures: AtomicU64,
}

impl Metrics {
    /// A report came to an end, after so long.
    pub fn report(&self, event: Event, took: Duration) {
        self.events[event as usize].fetch_add(1, Relaxed);
        let within = |&end: &u64| took <= Duration::from_millis(end);
        let place = MILLISECONDS.iter().position(within).unwrap_or(MILLISECONDS.len());
        self.times[place].fetch_add(1, Relaxed);
        self.microseconds.fetch_add(took.as_micros() as u64, Relaxed);
    }

    /// A batch could not be kept.
    pub fn store_failed(&self) {
        self.store_failures.fetch_add(1, Relaxed);
    }

    /// All of them, as Prometheus reads them.
    pub fn text(&self) -> String {
        let mut text = String::from(
            "# HELP privet_reports_total Reports by what became of them.\n# TYPE privet_reports_total counter\n",
        );
        for (event, name) in EVENTS {
            let count = self.events[event as usize].load(Relaxed);
            let _ = writeln!(text, "privet_reports_total{{outcome=\"{name}\"}} {count}");
        }
        text.push_str(
            "# HELP privet_store_failures_total Batches that could not be kept.\n# TYPE privet_store_failures_total counter\n",
        );
        let _ = writeln!(text, "privet_store_failures_total {}", self.store_failures.load(Relaxed));
        text.push_str(
            "# HELP privet_report_seconds From the first byte of a report to its answer.\n# TYPE privet_report_seconds histogram\n",
        );
        let mut sum = 0;
        for (end, count) in MILLISECONDS.iter().zip(&self.times) {
            sum += count.load(Relaxed);
            let seconds = *end as f64 / 1000.0;
            let _ = writeln!(text, "privet_report_seconds_bucket{{le=\"{seconds}\"}} {sum}");
        }
        sum += self.times[MILLISECONDS.len()].load(Relaxed);
        let total = self.microseconds.load(Relaxed) as f64 / 1e6;
        let _ = writeln!(text, "privet_report_seconds_bucket{{le=\"+Inf\"}} {sum}");
        let _ =
            writeln!(text, "privet_report_seconds_sum {total}\nprivet_report_seconds_count {sum}");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_add_up() {
        let metrics = Metrics::default();
        metrics.report(Event::New, Duration::from_millis(1));
        metrics.report(Event::New, Duration::from_millis(3));
        metrics.report(Event::Busy, Duration::from_secs(99));
        let text = metrics.text();
        for line in [
            "privet_reports_total{outcome=\"new\"} 2",
            "privet_reports_total{outcome=\"busy\"} 1",
            "privet_reports_total{outcome=\"again\"} 0",
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
