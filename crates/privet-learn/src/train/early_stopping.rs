//! Early stopping: training ends when validation has not improved for some epochs, and the parameters
//! of the best epoch come back.

use serde::{Deserialize, Serialize};

use crate::parameters::{Parameters, Snapshot};

/// When to stop early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlyStopping {
    /// How many epochs without a better validation metric are one too many.
    pub patience: usize,
}

/// The best epoch so far.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BestEpoch {
    pub metric: f64,
    pub epoch: usize,
    pub snapshot: Snapshot,
}

impl BestEpoch {
    /// Keeps the parameters if they are better than the best so far; the first of equals counts.
    pub fn consider(best: &mut Option<Self>, metric: f64, epoch: usize, model: &dyn Parameters) {
        let better = best.as_ref().is_none_or(|best| metric > best.metric);
        if !better {
            return;
        }
        match best {
            Some(best) => {
                (best.metric, best.epoch) = (metric, epoch);
                let mut kept = best.snapshot.values.iter_mut();
                // The same tensors as before, so their memory is used again.
                model.visit(&mut |parameter| {
                    if let Some((_, value)) = kept.next() {
                        value.values_mut().copy_from_slice(parameter.value.values());
                    }
                });
            }
            None => *best = Some(Self { metric, epoch, snapshot: model.snapshot() }),
        }
    }

    /// Whether `epoch`, just done, was one too many.
    pub fn is_stale(&self, epoch: usize, stopping: EarlyStopping) -> bool {
        epoch - self.epoch >= stopping.patience.max(1)
    }
}
