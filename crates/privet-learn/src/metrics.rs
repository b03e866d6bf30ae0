//! How good a prediction is, and how sure one may be of it.
//!
//! [`ConfusionMatrix`] for classes, [`MultiLabelCounts`] for several classes per item, [`roc_auc`],
//! [`average_precision`] and [`hits_at_k`] for scores; [`Summary`] over runs and [`PairedComparison`] for two methods over the same runs.

mod classes;
mod ranking;
mod summary;

pub use classes::{ConfusionMatrix, MultiLabelCounts, accuracy};
pub use ranking::{average_precision, class_auc, hits_at_k, roc_auc};
pub use summary::{PairedComparison, Summary};
pub use summary::{incomplete_beta, two_sided_quantile, two_sided_tail};
