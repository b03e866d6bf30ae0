//! [`Advice`]: one method and epsilon, or plainly none.
//!
//! Two methods that are compared on the same look-alike share what is unknown about it, so what one gains over the other
//! is known better than either. A method is worth a budget if it gains [`WORTH`] over the best that is free in the
//! middle, and something in [`NEARLY_ALL`] of the look-alikes. Of epsilons that are worth it, the smallest is taken that
//! keeps [`MOST_OF_IT`] of the largest gain. An epsilon at which an attacker who is wrong about one in a hundred may find
//! more than [`TOO_MANY`] of a hundred is not recommended, however much is gained.

use serde::Serialize;

use super::facts::PlanQuestion;
use super::interval::Interval;
use super::{MethodPlan, PointPlan};
use privet::Method;

/// The least gain that is worth anything, in shares.
pub const WORTH: f64 = 0.02;
/// The share of look-alikes in which something must be gained.
pub const NEARLY_ALL: f64 = 0.8;
/// The share of the largest gain that is enough.
pub const MOST_OF_IT: f64 = 0.8;
/// So many of a hundred found are too many.
pub const TOO_MANY: u32 = 50;

/// What to do.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Advice {
    /// The method and epsilon, if any are worth it.
    pub choice: Option<Choice>,
    /// Why, in a sentence or two.
    pub why: String,
}

/// What is recommended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Choice {
    /// The method.
    pub method: Method,
    /// The epsilon of each part that is hidden.
    pub epsilon: f64,
    /// What to expect.
    pub accuracy: Interval,
    /// How much more than the best that is free.
    pub gain: f64,
    /// The command that does it.
    pub command: Option<String>,
}

/// A method at an epsilon.
type Offer<'a> = (&'a MethodPlan, &'a PointPlan, f64);

impl Advice {
    /// What to do, given what all methods achieve.
    pub fn of(question: &PlanQuestion, methods: &[MethodPlan]) -> Self {
        let free = methods.iter().filter(|plan| plan.free);
        let middle = |plan: &MethodPlan| plan.points.first().map_or(0.0, |p| p.accuracy.expected);
        let free = free.max_by(|a, b| middle(a).total_cmp(&middle(b)));
        let (free_name, free_score) =
            free.map_or(("nothing", 0.0), |plan| (plan.method.name(), middle(plan)));
        let offers: Vec<Offer<'_>> = methods
            .iter()
            .filter(|plan| !plan.free)
            .flat_map(|plan| plan.points.iter().map(move |point| (plan, point, gain(point))))
            .collect();
        let worth: Vec<Offer<'_>> =
            offers.iter().filter(|(_, p, _)| is_worth(p)).copied().collect();
        let safe: Vec<Offer<'_>> =
            worth.iter().filter(|(_, p, _)| found(p) <= TOO_MANY).copied().collect();
        let beside = format!(
            "{free_name}, which costs nothing, is expected to reach {}",
            percent(free_score)
        );
        // First what is worth it and safe; then what is worth it; else nothing.
        match (pick(&safe), pick(&worth)) {
            (Some((plan, point, gain)), _) => {
                let epsilon = point.epsilon.unwrap_or(0.0);
                let why = format!(
                    "{} at epsilon {epsilon} is expected to reach {} ({} to {}); {beside}. That is {} points more, and {}.",
                    plan.method.name(),
                    percent(point.accuracy.expected),
                    percent(point.accuracy.low),
                    percent(point.accuracy.high),
                    points(gain),
                    point
                        .exposure
                        .as_ref()
                        .map_or_else(String::new, |exposure| exposure.sentence()),
                );
                let (method, accuracy) = (plan.method, point.accuracy);
                let command = super::method::command(method, question, epsilon);
                Self { choice: Some(Choice { method, epsilon, accuracy, gain, command }), why }
            }
            (None, Some((plan, point, gain))) => {
                let why = format!(
                    "No epsilon is recommended. {} gains {} points over {free_name} from epsilon {} on, but there {}; smaller \
                     epsilons gain too little.",
                    plan.method.name(),
                    points(gain),
                    point.epsilon.unwrap_or(0.0),
                    point
                        .exposure
                        .as_ref()
                        .map_or_else(String::new, |exposure| exposure.sentence()),
                );
                Self { choice: None, why }
            }
            (None, None) => {
                let best = offers.iter().max_by(|a, b| a.2.total_cmp(&b.2));
                let most = best.map_or_else(String::new, |(plan, point, gain)| {
                    format!(
                        " The most that any method here would change is {} points ({}, epsilon {}).",
                        signed(*gain),
                        plan.method.name(),
                        point.epsilon.unwrap_or(0.0)
                    )
                });
                Self {
                    choice: None,
                    why: format!("None of these is worth a budget: {beside}.{most}"),
                }
            }
        }
    }
}

/// The least epsilon that keeps most of the gain, and the best method there.
fn pick<'a>(offers: &[Offer<'a>]) -> Option<Offer<'a>> {
    let most = offers.iter().map(|offer| offer.2).fold(0.0, f64::max);
    let enough = offers.iter().filter(|offer| offer.2 >= MOST_OF_IT * most);
    let order = |a: &&Offer<'a>, b: &&Offer<'a>| {
        let epsilon = |offer: &Offer<'a>| offer.1.epsilon.unwrap_or(0.0);
        // The smallest epsilon that reaches most of the gain; of equal ones the better.
        epsilon(a).total_cmp(&epsilon(b)).then(b.2.total_cmp(&a.2))
    };
    enough.min_by(order).copied()
}

fn gain(point: &PointPlan) -> f64 {
    Interval::of(&point.gains).expected
}

fn is_worth(point: &PointPlan) -> bool {
    let above = point.gains.iter().filter(|gain| **gain > 0.0).count() as f64;
    // Not only on average: in nearly all simulated populations.
    gain(point) >= WORTH && above >= NEARLY_ALL * point.gains.len() as f64
}

fn found(point: &PointPlan) -> u32 {
    // Without a computed exposure the worst is assumed.
    point.exposure.as_ref().map_or(100, |exposure| exposure.found_of_100)
}

/// `84 %`.
pub(super) fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

fn points(share: f64) -> String {
    format!("{:.0}", 100.0 * share)
}

fn signed(share: f64) -> String {
    format!("{:+.1}", 100.0 * share).replace('-', "−")
}
