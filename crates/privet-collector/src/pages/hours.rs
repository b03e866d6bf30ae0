//! Reports per hour, as a picture without a script.

use maud::{Markup, html};

use super::words;

const HEIGHT: u64 = 80;
const STEP: usize = 12;

/// A bar an hour, the latest at the right; the numbers are in titles, for screen readers.
pub fn hours(reports: &[u64]) -> Markup {
    let most = reports.iter().copied().max().unwrap_or(0);
    let all: u64 = reports.iter().sum();
    let width = reports.len().max(1) * STEP;
    let said = format!(
        "{} reports in the last {} hours, at most {} in an hour",
        words::count(all),
        reports.len(),
        words::count(most)
    );
    html! {
        figure class="hours" {
            svg viewBox=(format!("0 0 {width} {}", HEIGHT + 2)) role="img" aria-label=(said) preserveAspectRatio="none" {
                @for (at, &count) in reports.iter().enumerate() {
                    @let tall = bar(count, most);
                    rect x=(at * STEP + 1) y=(HEIGHT - tall) width=(STEP - 2) height=(tall + 2) {
                        title { (words::count(count)) }
                    }
                }
            }
            figcaption { (said) }
        }
    }
}

/// The height of a bar: something can be seen of a single report.
fn bar(count: u64, most: u64) -> u64 {
    match count {
        0 => 0,
        _ => (HEIGHT * count / most.max(1)).max(2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_high_as_their_hours() {
        assert_eq!([0, 1, 500, 1000].map(|count| bar(count, 1000)), [0, 2, 40, 80]);
        assert_eq!(bar(0, 0), 0);
        let drawn = hours(&[0, 3, 1]).into_string();
        assert_eq!(drawn.matches("<rect").count(), 3);
        assert!(drawn.contains("4 reports in the last 3 hours, at most 3 in an hour"), "{drawn}");
        assert!(hours(&[]).into_string().contains("0 reports"));
    }
}
