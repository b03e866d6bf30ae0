//! A plan as a page: the report, and before it a slider for epsilon. All numbers are in the page; the script only shows
//! those of one epsilon at a time, and without it the table below says the same.

use serde::Serialize;

use super::attacker::AtMost;
use super::write_up::range;
use super::{Interval, PrivacyPlan};
use crate::report::Report;

const PANEL: &str = include_str!("page/panel.html");
const SCRIPT: &str = include_str!("page/slider.js");
const STYLE: &str = include_str!("page/slider.css");
/// What a report's page says about scripts, and what this script sums up to, so that both run and no other does.
const SCRIPTS: &str = "script-src ";
const SCRIPT_SUM: &str = "Zd6MTOkRlFvXn7Ljedwt+Dw/RtgK+Mt/6m10r/TtWr8=";

/// What the slider shows.
#[derive(Serialize)]
struct SliderView<'a> {
    epsilons: &'a [f64],
    /// Where it stands at first.
    start: usize,
    methods: Vec<ShownMethod>,
}

#[derive(Serialize)]
struct ShownMethod {
    name: &'static str,
    free: bool,
    points: Vec<ShownPoint>,
}

#[derive(Serialize)]
struct ShownPoint {
    accuracy: Interval,
    words: String,
    /// Of a hundred, how many are found; nothing where nothing private is used.
    found: Option<u32>,
    about: String,
    curve: Vec<AtMost>,
}

/// The page as one HTML file.
pub fn html(planned: &PrivacyPlan, report: &Report) -> String {
    let page = report.html();
    let page = page.replacen(SCRIPTS, &format!("{SCRIPTS}'sha256-{SCRIPT_SUM}' "), 1);
    // Nothing in the numbers may end the script.
    let data = serde_json::to_string(&shown(planned)).unwrap_or_default().replace('<', "\\u003c");
    let panel = format!(
        "<main>\n<style>{STYLE}</style>\n{PANEL}<script type=\"application/json\" id=\"plan\">{data}</script>\n<script>{SCRIPT}</script>\n"
    );
    page.replacen("<main>\n", &panel, 1)
}

fn shown(planned: &PrivacyPlan) -> SliderView<'_> {
    let epsilons = planned.question.epsilons.as_slice();
    let chosen = planned.advice.choice.as_ref().map(|choice| choice.epsilon);
    let start = chosen.and_then(|chosen| epsilons.iter().position(|&epsilon| epsilon == chosen));
    let methods = planned.methods.iter().map(|plan| {
        let points = plan.points.iter().map(|point| {
            let exposure = point.exposure.as_ref();
            ShownPoint {
                accuracy: point.accuracy,
                words: range(point.accuracy),
                found: exposure.map(|exposure| exposure.found_of_100),
                about: exposure.map_or_else(String::new, |exposure| exposure.about.clone()),
                curve: exposure.map_or_else(Vec::new, |exposure| exposure.curve.clone()),
            }
        });
        ShownMethod { name: plan.method.name(), free: plan.free, points: points.collect() }
    });
    SliderView { epsilons, start: start.unwrap_or(epsilons.len() / 2), methods: methods.collect() }
}

#[cfg(test)]
mod tests {
    use sha2::Digest as _;

    use super::*;

    /// A browser runs what sums up to what the page says, and nothing else.
    #[test]
    fn the_script_is_the_one_that_is_named() {
        const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let digits =
            SCRIPT_SUM.trim_end_matches('=').chars().filter_map(|letter| LETTERS.find(letter));
        let bits: String = digits.map(|digit| format!("{digit:06b}")).collect();
        let byte = |at: usize| u8::from_str_radix(&bits[8 * at..8 * at + 8], 2).unwrap();
        let named: Vec<u8> = (0..32).map(byte).collect();
        assert_eq!(named, sha2::Sha256::digest(SCRIPT.as_bytes()).to_vec(), "slider.js changed");
    }
}
