//! [`DeviceRecord`]: what a person holds, and whether it is what is asked.

use privet_graph::NodeId;
use serde::Deserialize;

use crate::{CheckedTask, Error, Result};

/// What the person holds. It never leaves as it is.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceRecord {
    /// A number for every column that is asked.
    #[serde(default)]
    pub features: Option<Vec<f32>>,
    /// The number of the right class.
    #[serde(default)]
    pub label: Option<u32>,
    /// The places of contacts among those who can take part.
    #[serde(default)]
    pub contacts: Option<Vec<NodeId>>,
}

impl DeviceRecord {
    /// Whether it is what is asked: no more, no less. The error does not show what it holds.
    ///
    /// # Errors
    /// Which part is not.
    pub fn check(&self, asked: &CheckedTask, participant: u32) -> Result<()> {
        let task = &asked.task;
        let count = task.people.count;
        Error::unless(participant < count, "participant", participant, format!("below {count}"))?;
        for (what, asked, held) in [
            ("features", asked.features.is_some(), self.features.is_some()),
            ("label", asked.label.is_some(), self.label.is_some()),
            ("contacts", asked.contacts.is_some(), self.contacts.is_some()),
        ] {
            let word = |there| if there { "some" } else { "none" };
            Error::unless(asked == held, what, word(held), word(asked))?;
        }
        if let (Some(row), Some(asked)) = (&self.features, &task.asks.features) {
            let (found, wanted) = (row.len(), asked.columns.len());
            Error::unless(found == wanted, "features", found, format!("{wanted} numbers"))?;
            let finite = row.iter().all(|value| value.is_finite());
            Error::unless(finite, "features", "something else", "finite numbers")?;
        }
        if let (Some(class), Some(asked)) = (self.label, &task.asks.label) {
            let fits = (class as usize) < asked.classes.len();
            Error::unless(fits, "label", "another one", "one of the answers there are")?;
        }
        if let Some(list) = &self.contacts {
            let ascends = list.windows(2).all(|pair| pair[0] < pair[1]);
            let others = list.iter().all(|&other| other < count && other != participant);
            let expected =
                "other people who can take part, each once, in the order of their places";
            Error::unless(ascends && others, "contacts", "something else", expected)?;
        }
        Ok(())
    }
}
