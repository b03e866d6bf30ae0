//! In place of the service, in a build without the feature `collector`.

use privet::protocol::{SealedTask, TaskName};

use super::TaskSource;
use crate::args::{CollectCreate, CollectService};
use crate::failure::{Failure, Result};
use crate::output::console::Console;

pub(super) fn run(_: CollectService, _: &Console) -> Result<()> {
    Err(Failure::missing_feature("collector"))
}

pub(super) fn hand_in(_: &CollectCreate, _: &str, _: &SealedTask) -> Result<String> {
    Err(Failure::missing_feature("collector"))
}

/// No service can be reached.
pub(super) enum ReportService {}

impl ReportService {
    pub(super) fn source(_: &str) -> Result<TaskSource> {
        Err(Failure::missing_feature("collector"))
    }

    pub(super) fn send(&self, _: TaskName, _: &[u8], _: Option<&str>) -> Result<()> {
        match *self {}
    }

    pub(super) fn into_address(self) -> String {
        match self {}
    }
}
