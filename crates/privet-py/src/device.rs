//! A person's own device: what it holds stays here, and one report a task leaves.

use std::path::PathBuf;

use privet::device::DeviceRecord;
use privet::protocol::SealedTask;
use privet::{Error, Noise};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::Failure;

/// A device in a folder.
#[pyclass(frozen, module = "privet._native")]
pub(crate) struct Device(privet::device::Device);

#[pymethods]
impl Device {
    /// A new device, whose answers may cost so much in all.
    #[staticmethod]
    fn create(folder: PathBuf, lifetime: f64) -> PyResult<Self> {
        Ok(Self(privet::device::Device::create(&folder, lifetime).map_err(Failure::from)?))
    }

    /// The device of a folder.
    #[staticmethod]
    fn open(folder: PathBuf) -> PyResult<Self> {
        Ok(Self(privet::device::Device::open(&folder).map_err(Failure::from)?))
    }

    /// The report for a task, as it was signed (JSON); and whether it was drawn before.
    #[expect(clippy::too_many_arguments, reason = "what one Python call says")]
    fn answer<'py>(
        &self,
        py: Python<'py>,
        task: &str,
        participant: u32,
        features: Option<Vec<f32>>,
        label: Option<u32>,
        contacts: Option<Vec<u32>>,
        seed: Option<u64>,
    ) -> PyResult<(Bound<'py, PyBytes>, bool)> {
        let sealed: SealedTask = serde_json::from_str(task).map_err(|error| {
            let expected = "what `privet collect create` writes";
            Failure::from(Error::invalid("task", error, expected))
        })?;
        let mine = DeviceRecord { features, label, contacts };
        let noise = seed.map_or(Noise::OperatingSystem, Noise::Replay);
        let answer = py
            .detach(|| self.0.answer_with(&sealed, participant, &mine, noise))
            .map_err(Failure::from)?;
        Ok((PyBytes::new(py, &answer.report), answer.again))
    }

    /// What answers have cost so far: the record, each contact, and what each of the two may cost.
    fn spent(&self) -> PyResult<(f64, f64, f64)> {
        let spent = self.0.spent().map_err(Failure::from)?;
        Ok((spent.record, spent.contacts, spent.lifetime))
    }
}
