//! Pairwise losses of link prediction: a link should score above a pair that is no link.
//!
//! LDP-GE (section IV) trains a logistic regression on Hadamard products with a "pairwise objective loss
//! function", refers to Wang et al. (2021, arXiv:2112.02936) and Lv et al. (2022, arXiv:2208.05781) for it,
//! and prints no formula. The two forms here are our reading of the words, not a quotation. With d the score
//! of the link less that of the pair that is none:
//!
//! ```text
//! Logistic: ln(1 + e^-d), gradient by d: -s(-d)        Squared: (1 - d)^2, gradient by d: -2 (1 - d)
//! ```

use super::binary::{sigmoid, softplus};

/// Which function of the difference of scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum Pairwise {
    /// ln(1 + e^-d): the logistic loss of a pair being ordered right.
    #[default]
    Logistic,
    /// (1 - d)^2: a surrogate of the area under the curve.
    Squared,
}

/// The mean loss over pairs of a link's score and a score of a pair that is none, and the gradients by
/// both.
///
/// # Panics
/// If there is not one negative per link.
pub fn pairwise(
    form: Pairwise,
    links: &[f32],
    others: &[f32],
    link_gradient: &mut [f32],
    other_gradient: &mut [f32],
) -> f64 {
    assert_eq!(links.len(), others.len(), "one negative pair per link");
    assert_eq!((link_gradient.len(), other_gradient.len()), (links.len(), links.len()));
    let share = 1.0 / links.len().max(1) as f32;
    let mut total = 0.0;
    for (at, (link, other)) in links.iter().zip(others).enumerate() {
        let difference = link - other;
        let (loss, slope) = match form {
            // -log sigmoid(link - other), written so that neither sign overflows.
            Pairwise::Logistic => (softplus(-difference), -sigmoid(-difference)),
            Pairwise::Squared => ((1.0 - difference).powi(2), -2.0 * (1.0 - difference)),
        };
        total += f64::from(loss);
        link_gradient[at] = slope * share;
        other_gradient[at] = -slope * share;
    }
    total * f64::from(share)
}

#[cfg(test)]
mod tests {
    use privet_graph::DenseMatrix;

    use super::*;
    use crate::finite_differences::{assert_gradient, filled};

    #[test]
    fn gradients_match_finite_differences() {
        // Links in the first row, the others in the second.
        let scores = filled(2, 5, 1);
        for form in [Pairwise::Logistic, Pairwise::Squared] {
            let loss = |scores: &DenseMatrix, gradient: &mut DenseMatrix| {
                let (links, others) = gradient.values_mut().split_at_mut(5);
                pairwise(form, scores.row(0), scores.row(1), links, others)
            };
            let mut gradient = DenseMatrix::zeros(2, 5);
            loss(&scores, &mut gradient);
            assert_gradient(&scores, &gradient, |s| loss(s, &mut DenseMatrix::zeros(2, 5)));
        }
    }

    #[test]
    fn known_values() {
        let (mut up, mut down) = ([0.0], [0.0]);
        let loss = pairwise(Pairwise::Logistic, &[2.0], &[2.0], &mut up, &mut down);
        assert!((loss - 2.0_f64.ln()).abs() < 1e-6);
        assert_eq!((up, down), ([-0.5], [0.5]));
        let loss = pairwise(Pairwise::Squared, &[3.0], &[2.0], &mut up, &mut down);
        assert_eq!((loss, up), (0.0, [0.0]));
        assert_eq!(pairwise(Pairwise::Logistic, &[], &[], &mut [], &mut []), 0.0);
    }
}
