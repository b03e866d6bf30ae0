//! [`Classified`]: every metric of predicted classes, computed in one place for all systems and baselines.

use privet::graph::{DenseMatrix, Labels, Split};
use privet::learn::metrics::{ConfusionMatrix, accuracy, class_auc};

use super::data::accuracy_on;
use super::{AUC, BALANCED, MACRO_F1, TEST, TrialScores, VALIDATION};

/// Predicted classes beside the truth.
#[derive(Debug, Clone, Copy)]
pub struct Classified<'a> {
    /// The predicted class of every item.
    pub predicted: &'a [u32],
    /// How likely each class is for every item, if the model says so.
    pub scores: Option<&'a DenseMatrix>,
    /// The true classes.
    pub labels: &'a Labels,
}

impl Classified<'_> {
    /// Validation and test accuracy, and everything else about the test items.
    pub fn on(&self, split: &Split) -> TrialScores {
        let validation = accuracy_on(&split.validation, self.predicted, self.labels);
        self.on_test(&split.test).and([(VALIDATION, validation)])
    }

    /// Everything about the test items. Accuracy counts an item without a class as wrong; the other metrics leave it out.
    pub fn on_test(&self, test: &[u32]) -> TrialScores {
        let Self { predicted, scores, labels } = *self;
        let truth = |item: u32| labels.class(item).map(|class| (item as usize, class));
        let (items, truth): (Vec<usize>, Vec<u32>) =
            test.iter().filter_map(|&item| truth(item)).unzip();
        let said: Vec<u32> = items.iter().map(|&item| predicted[item]).collect();
        let rows = scores.map(|all| items.iter().map(|&item| all.row(item)).collect::<Vec<_>>());
        let found = of_classes(labels.class_count(), &said, rows.as_deref(), &truth);
        found.and([(TEST, accuracy_on(test, predicted, labels))])
    }

    /// The same where all items were tested; one without a class has a number that is none.
    pub fn of_all(
        classes: usize,
        predicted: &[u32],
        scores: Option<&DenseMatrix>,
        truth: &[u32],
    ) -> TrialScores {
        let has_class = |item: &usize| (truth[*item] as usize) < classes;
        let items: Vec<usize> = (0..truth.len()).filter(has_class).collect();
        let of = |all: &[u32]| -> Vec<u32> { items.iter().map(|&item| all[item]).collect() };
        let rows = scores.map(|all| items.iter().map(|&item| all.row(item)).collect::<Vec<_>>());
        let found = of_classes(classes, &of(predicted), rows.as_deref(), &of(truth));
        found.and([(TEST, accuracy(predicted, truth).unwrap_or(0.0))])
    }
}

fn of_classes(
    classes: usize,
    predicted: &[u32],
    rows: Option<&[&[f32]]>,
    truth: &[u32],
) -> TrialScores {
    let Ok(matrix) = ConfusionMatrix::new(classes, predicted, truth) else {
        return TrialScores::default();
    };
    let auc = match rows {
        Some(rows) => class_auc(rows, truth),
        // The same answer for all items ranks none of them.
        None => constant(predicted).then_some(0.5).filter(|_| !constant(truth)),
    };
    let named = [(BALANCED, matrix.balanced_accuracy()), (MACRO_F1, matrix.macro_f1()), (AUC, auc)];
    let mut scores: TrialScores =
        named.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
    let row = |class| (0..classes).map(|answer| matrix.count(class, answer)).collect();
    scores.confusion = (0..classes).map(row).collect();
    scores
}

fn constant(classes: &[u32]) -> bool {
    classes.windows(2).all(|pair| pair[0] == pair[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: three of class 0, of which one is taken for 1; one of class 1; one without a class.
    #[test]
    fn all_metrics_of_the_same_predictions() {
        let names = ["a", "b"].map(String::from).into();
        let labels = Labels::single(vec![Some(0), Some(0), Some(0), Some(1), None], names).unwrap();
        let scores = DenseMatrix::new(5, 2, vec![3., 1., 2., 1., 0., 1., 0., 2., 0., 9.]).unwrap();
        let predicted = [0, 0, 1, 1, 1];
        let classified =
            Classified { predicted: &predicted, scores: Some(&scores), labels: &labels };
        let split = Split { train: vec![], validation: vec![0], test: vec![0, 1, 2, 3, 4] };
        let found = classified.on(&split);
        assert_eq!((found.test(), found.validation()), (0.6, 1.0));
        assert_eq!(found.get(BALANCED), Some((2.0 / 3.0 + 1.0) / 2.0));
        assert_eq!(found.get(MACRO_F1), Some((0.8 + 2.0 / 3.0) / 2.0));
        assert_eq!(found.get(AUC), Some(1.0));
        assert_eq!(found.confusion, [[2, 1], [0, 1]]);
        let unscored = Classified { scores: None, ..classified }.on(&split);
        assert_eq!(unscored.get(AUC), None);
        let same = Classified { predicted: &[0; 5], scores: None, ..classified }.on(&split);
        assert_eq!(same.get(AUC), Some(0.5));
        let all = Classified::of_all(2, &predicted[..4], None, &[0, 0, 0, 1]);
        assert_eq!((all.test(), &all.confusion), (0.75, &found.confusion));
        let unknown = Classified::of_all(2, &predicted, None, &[0, 0, 0, 1, u32::MAX]);
        assert_eq!((unknown.test(), unknown.confusion), (0.6, found.confusion));
    }
}
