//! [`Shares`]: one budget, divided between a label and a list of neighbours by what each epsilon says about classes.
//!
//! # Equation
//! What one round of belief propagation (`beliefs.rs`) learns about a person's class is, to first order, the chi-square distance
//! between what is seen if that class is theirs and what is seen on average:
//! ```text
//! J = t a(eps_e) w(eps_e) h^2 X(eps_y)
//! a = p^2,   w = o / (1 + o),   o = t / (n - 1) e^(2 eps_e)
//! X = (1 / k) ((k p_y - 1)^2 + (k - 1) (k q_y - 1)^2)
//! ```
//! `t` friends are there, a share `a` of them arrive, each is believed with `w`, and says as much as a reported label says
//! about a true one (`X`, of `k` classes that are equally frequent, reported truly with `p_y` and as each other class with
//! `q_y`). Homophily `h` and `t` in front do not move the maximum; `t` in the odds does, but little, so a guess serves.
//! Everything in it is public: how many people and classes there are.
//!
//! # Features
//! get nothing. A row of d columns at epsilon 3 is a bit about one of them, and no graph measured here gains from it
//! (`docs/results/ldp-ge/local.md`).
//!
//! # What is promised
//! A label and a list are different things to protect, and the card states both: an edge is told by both of its ends, so
//! what a list costs counts twice for it.

/// A guess of how many friends people have.
const FRIENDS: f64 = 5.0;
/// Of so many divisions the best is taken.
const DIVISIONS: usize = 200;

/// What each part may cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shares {
    /// A label.
    pub labels: f64,
    /// A list of neighbours.
    pub edges: f64,
}

impl Shares {
    /// The division of a budget that says most about classes, among so many people and classes.
    ///
    /// ```
    /// use privet::ldp_ge::Shares;
    /// let shares = Shares::of(6.0, 2708, 7);
    /// assert!(shares.edges > shares.labels && (shares.edges + shares.labels - 6.0).abs() < 1e-9);
    /// ```
    pub fn of(budget: f64, people: usize, classes: usize) -> Self {
        let at = |step: usize| {
            let edges = budget * step as f64 / DIVISIONS as f64;
            Self { labels: budget - edges, edges }
        };
        let worth =
            |shares: &Self| friends_seen(shares.edges, people) * label_seen(shares.labels, classes);
        let all = (1..DIVISIONS).map(at);
        let best = all.max_by(|one, other| worth(one).total_cmp(&worth(other)));
        best.unwrap_or(Self { labels: budget / 2.0, edges: budget / 2.0 })
    }
}

/// `t a w`: how many friends arrive, each by how far it is believed.
fn friends_seen(epsilon: f64, people: usize) -> f64 {
    let keep = 1.0 / (1.0 + (-epsilon).exp());
    let odds = FRIENDS / people.saturating_sub(1).max(1) as f64 * (2.0 * epsilon).exp();
    FRIENDS * keep * keep * odds / (1.0 + odds)
}

/// `X`: how far reports of a class differ from reports of any.
fn label_seen(epsilon: f64, classes: usize) -> f64 {
    let classes = classes.max(2) as f64;
    let keep = epsilon.exp() / (epsilon.exp() + classes - 1.0);
    let other = (1.0 - keep) / (classes - 1.0);
    let off = |share: f64| (classes * share - 1.0).powi(2);
    (off(keep) + (classes - 1.0) * off(other)) / classes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a label says is the chi-square distance of its channel, added up by hand.
    #[test]
    fn a_label_says_what_its_channel_does() {
        assert!(label_seen(0.0, 4).abs() < 1e-12, "a coin says nothing");
        assert!((label_seen(40.0, 4) - 3.0).abs() < 1e-9, "the truth says k - 1");
        // Three classes at epsilon ln 4: true with 4/6, each other with 1/6; shares of 1/3 on average.
        let by_hand =
            ((2.0f64 / 3.0 - 1.0 / 3.0).powi(2) + 2.0 * (1.0f64 / 6.0 - 1.0 / 3.0).powi(2)) * 3.0;
        assert!((label_seen(4f64.ln(), 3) - by_hand).abs() < 1e-12);
    }

    /// The expected error does not fall by moving a little of the budget, and edges need more where there are more people.
    #[test]
    fn the_best_division_is_taken() {
        let worth = |labels: f64, edges: f64| friends_seen(edges, 3000) * label_seen(labels, 7);
        for budget in [1.0, 3.0, 6.0, 9.0, 20.0] {
            let Shares { labels, edges } = Shares::of(budget, 3000, 7);
            assert!(labels > 0.0 && edges > 0.0 && (labels + edges - budget).abs() < 1e-9);
            let step = budget / DIVISIONS as f64;
            for moved in [-step, step] {
                assert!(worth(labels, edges) >= worth(labels - moved, edges + moved), "{budget}");
            }
        }
        assert!(Shares::of(9.0, 1_000_000, 7).edges > Shares::of(9.0, 300, 7).edges);
    }
}
