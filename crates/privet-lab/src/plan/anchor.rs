//! [`Anchors`]: accuracies that are known already, between which a private one is expected.
//!
//! How much columns and connections say about classes is what facts do not tell, and what makes intervals wide. Two numbers
//! tell most of it, and neither needs a private record: what public data alone reach, and what a model in the clear is known to
//! reach. A simulated score is then read as a position between the look-alike's own two: `t = (private - free) / (ceiling -
//! free)`, and expected at `public + t (clear - public)`.

use super::facts::PublicFacts;

/// Below this much between a look-alike's free score and its ceiling, a position between them says nothing.
const APART: f64 = 0.02;

/// What is known of accuracies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Anchors {
    public: Option<f64>,
    clear: Option<f64>,
}

/// What one look-alike scored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LookAlikeScores {
    /// With noise.
    pub private: f64,
    /// Without anything private.
    pub free: f64,
    /// Without noise.
    pub ceiling: f64,
}

impl Anchors {
    /// Those that were stated; none if neither was.
    pub fn of(facts: &PublicFacts) -> Option<Self> {
        let PublicFacts { public_accuracy: public, clear_accuracy: clear, .. } = *facts;
        (public.is_some() || clear.is_some()).then_some(Self { public, clear })
    }

    /// What costs nothing: as far below what public data reach as in the look-alike.
    pub(super) fn bring_free(&self, scores: &[f64], best: &[f64]) -> Vec<f64> {
        let bring = |(score, best): (&f64, &f64)| match self.public {
            Some(public) => (public + score - best).clamp(0.0, 1.0),
            None => *score,
        };
        scores.iter().zip(best).map(bring).collect()
    }

    /// What a model in the clear reaches, if it is known; what public data reach is within its reach.
    pub(super) fn ceiling(&self) -> Option<f64> {
        self.clear.map(|clear| clear.max(self.public.unwrap_or(0.0)))
    }

    /// A simulated score, brought between what is known.
    pub fn bring(&self, scores: LookAlikeScores) -> f64 {
        let LookAlikeScores { private, free, ceiling } = scores;
        // What is not known is as simulated, but a ceiling is above what is free.
        let low = self.public.unwrap_or_else(|| self.clear.map_or(free, |clear| free.min(clear)));
        let high = self.clear.unwrap_or(ceiling).max(low);
        let position = match ceiling - free > APART {
            true => ((private - free) / (ceiling - free)).clamp(0.0, 1.0),
            // The look-alike tells nothing: half-way.
            false => 0.5,
        };
        low + position * (high - low)
    }
}

/// All simulated scores, brought between what is known. A ceiling that was not simulated is the score itself.
pub(super) fn brought(
    anchors: Anchors,
    scores: &[f64],
    free: &[f64],
    ceilings: &[f64],
) -> Vec<f64> {
    let at = |all: &[f64], place: usize, usual: f64| all.get(place).copied().unwrap_or(usual);
    let each = scores.iter().enumerate().map(|(place, &private)| {
        let (free, ceiling) = (at(free, place, 0.0), at(ceilings, place, private));
        anchors.bring(LookAlikeScores { private, free, ceiling })
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn anchors(public: Option<f64>, clear: Option<f64>) -> Option<Anchors> {
        let facts = PublicFacts::new(1000, 2000, 10, 4);
        Anchors::of(&PublicFacts { public_accuracy: public, clear_accuracy: clear, ..facts })
    }

    #[test]
    fn a_score_keeps_its_place_between_what_is_free_and_the_ceiling() {
        let half = LookAlikeScores { private: 0.7, free: 0.6, ceiling: 0.8 };
        let brought = |public, clear| anchors(public, clear).unwrap().bring(half);
        assert!((brought(Some(0.4), Some(0.9)) - 0.65).abs() < 1e-12);
        assert!((brought(Some(0.4), None) - 0.6).abs() < 1e-12, "its own ceiling");
        assert!((brought(None, Some(0.9)) - 0.75).abs() < 1e-12, "its own free score");
        assert!((brought(Some(0.9), Some(0.7)) - 0.9).abs() < 1e-12, "nothing to gain");
        assert_eq!(anchors(None, None), None);
    }

    /// Worse than nothing, better than everything, or no room between: never beyond what is known.
    #[test]
    fn odd_look_alikes_stay_between() {
        let all = [(0.1, 0.5, 0.9), (0.99, 0.5, 0.9), (0.5, 0.5, 0.5), (0.7, 0.9, 0.8)];
        let known = anchors(Some(0.4), Some(0.8)).unwrap();
        for (private, free, ceiling) in all {
            let brought = known.bring(LookAlikeScores { private, free, ceiling });
            assert!((0.4..=0.8).contains(&brought), "{private} {free} {ceiling}: {brought}");
        }
    }
}
