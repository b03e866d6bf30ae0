//! Checkpoints: everything a run needs to go on, in one safetensors file that is replaced in one go.
//!
//! Randomness needs no state of its own: the order of examples is a function of (seed, epoch), dropout
//! one of (seed, step), so "where the generator is" are the numbers of the epoch, the batch and the step.

use std::borrow::Cow;
use std::path::Path;

use privet_graph::Found;
use serde::{Deserialize, Serialize};

use super::early_stopping::Best;
use super::fit::{EpochRecord, FitConfig, State};
use super::{Optimizer, Trainable};
use crate::parameters::Snapshot;
use crate::tensor_file::{self, TensorFile};
use crate::{Error, Result};

/// Floats are kept by their bits: a decimal might come back as its neighbour.
#[derive(Serialize, Deserialize)]
struct Header {
    checkpoint: u32,
    config: serde_json::Value,
    epoch: usize,
    batch: usize,
    step: u64,
    optimizer_steps: u64,
    loss_bits: u64,
    stopped: bool,
    /// Epoch and bits of the metric.
    best: Option<(usize, u64)>,
    /// Bits of the loss and of the metric of every epoch done.
    history: Vec<(u64, Option<u64>)>,
}

const VERSION: u32 = 1;

/// Writes the state of a run.
pub(super) fn save(
    path: &Path,
    config: &FitConfig,
    state: &State,
    task: &dyn Trainable,
) -> Result<()> {
    let record = |r: &EpochRecord| (r.loss.to_bits(), r.validation.map(f64::to_bits));
    let header = Header {
        checkpoint: VERSION,
        config: as_json(config)?,
        epoch: state.epoch,
        batch: state.batch,
        step: state.step,
        optimizer_steps: state.optimizer.steps(),
        loss_bits: state.loss_sum.to_bits(),
        stopped: state.stopped,
        best: state.best.as_ref().map(|best| (best.epoch, best.metric.to_bits())),
        history: state.history.iter().map(record).collect(),
    };
    let mut tensors = Vec::new();
    let mut trained = Vec::new();
    task.parameters().visit(&mut |p| {
        tensors.push((Cow::from(format!("parameter/{}", p.name())), &p.value));
        if p.is_trained() {
            trained.push(p.name());
        }
    });
    for (kind, moments) in state.optimizer.moments() {
        for (name, moment) in trained.iter().zip(moments) {
            tensors.push((format!("optimizer/{kind}/{name}").into(), moment));
        }
    }
    for (name, value) in state.best.iter().flat_map(|best| &best.snapshot.values) {
        tensors.push((format!("best/{name}").into(), value));
    }
    tensor_file::write(path, &header, &tensors)
}

/// Reads the state of a run of the same configuration, and gives the model its parameters.
pub(super) fn resume(path: &Path, config: &FitConfig, task: &mut dyn Trainable) -> Result<State> {
    let mut file = TensorFile::read(path)?;
    let header: Header = file.header()?;
    if header.checkpoint != VERSION {
        let found = Found::words(format!("version {} of checkpoints", header.checkpoint));
        return Err(file.place().malformed(found, format!("version {VERSION}")).into());
    }
    let expected = as_json(config)?;
    if header.config != expected {
        let reason = format!(
            "it is of a run with other settings ({}, not {expected}); remove it, or name another file",
            header.config
        );
        return Err(file.place().refused(reason).into());
    }
    let (mut names, mut trained) = (Vec::new(), Vec::new());
    task.parameters().visit(&mut |p| {
        names.push(p.name().to_owned());
        if p.is_trained() {
            trained.push((p.name().to_owned(), p.value.rows(), p.value.columns()));
        }
    });
    let parameters = take_snapshot(&mut file, "parameter", &names)?;
    let mut optimizer = config.optimizer.build()?;
    let moments = take_moments(&mut file, &*optimizer, header.optimizer_steps, &trained)?;
    optimizer.restore(header.optimizer_steps, moments);
    let best = match header.best {
        None => None,
        Some((epoch, bits)) => {
            let snapshot = take_snapshot(&mut file, "best", &names)?;
            Some(Best { metric: f64::from_bits(bits), epoch, snapshot })
        }
    };
    task.parameters_mut().restore(&parameters)?;
    let record = |(loss, metric): &(u64, Option<u64>)| EpochRecord {
        loss: f64::from_bits(*loss),
        validation: metric.map(f64::from_bits),
    };
    Ok(State {
        epoch: header.epoch,
        batch: header.batch,
        step: header.step,
        loss_sum: f64::from_bits(header.loss_bits),
        stopped: header.stopped,
        optimizer,
        best,
        history: header.history.iter().map(record).collect(),
    })
}

fn as_json(config: &FitConfig) -> Result<serde_json::Value> {
    serde_json::to_value(config)
        .map_err(|error| Error::invalid("settings of training", error, "finite numbers"))
}

fn take_snapshot(file: &mut TensorFile, group: &str, names: &[String]) -> Result<Snapshot> {
    let mut values = Vec::with_capacity(names.len());
    for name in names {
        values.push((name.clone(), file.take(&format!("{group}/{name}"))?));
    }
    Ok(Snapshot { values })
}

fn take_moments(
    file: &mut TensorFile,
    optimizer: &dyn Optimizer,
    steps: u64,
    trained: &[(String, usize, usize)],
) -> Result<Vec<Vec<privet_graph::DenseMatrix>>> {
    if steps == 0 {
        return Ok(Vec::new());
    }
    let mut moments = Vec::new();
    for kind in optimizer.moment_names() {
        let mut of_kind = Vec::with_capacity(trained.len());
        for &(ref name, rows, columns) in trained {
            let moment = file.take(&format!("optimizer/{kind}/{name}"))?;
            if (moment.rows(), moment.columns()) != (rows, columns) {
                let size = format!("{} x {}", moment.rows(), moment.columns());
                let found = Found::words(format!("moments of '{name}' of {size}"));
                return Err(file.place().malformed(found, format!("{rows} x {columns}")).into());
            }
            of_kind.push(moment);
        }
        moments.push(of_kind);
    }
    Ok(moments)
}
