//! What a page can ask, and the replies.

use privet_privacy::noise::NoiseRng;
use privet_protocol::device::{DeviceRecord, PersonalDevice};
use privet_protocol::{Error, Report, Result, SealedTask, Universe};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::page::BrowserStorage;
use crate::{PageState, PageStorage, ReportView};

/// A question of the page.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase", deny_unknown_fields)]
pub enum PageQuestion {
    /// Whether a task is what its collector signed, about whom, what it costs, and whether there is room for it.
    Task {
        /// The task.
        sealed: SealedTask,
        /// Who can take part, an id a line; not checked if they are not given.
        #[serde(default)]
        people: Option<String>,
        /// What the person has kept; no spending is reported otherwise.
        #[serde(default)]
        kept: Option<PageState>,
    },
    /// What could be sent: an example whose noise gives no protection, so that it can be shown and thrown away.
    Example {
        /// The task.
        sealed: SealedTask,
        /// Whose place.
        participant: u32,
        /// What they hold.
        mine: DeviceRecord,
        /// Which example.
        seed: u64,
    },
    /// The report: charged, drawn and kept; or the one that was.
    Answer {
        /// The task.
        sealed: SealedTask,
        /// Whose place.
        participant: u32,
        /// What they hold.
        mine: DeviceRecord,
        /// What the person has kept.
        kept: PageState,
    },
    /// What a report says.
    Show {
        /// The task.
        sealed: SealedTask,
        /// The bytes.
        report: Vec<u8>,
    },
}

/// Answers a question: `{"ok": ...}`, or `{"error": ...}` with words for the person.
pub fn answer(question: &[u8], outside: &'static dyn PageStorage) -> String {
    let reply = serde_json::from_slice(question)
        // What a person typed may stand in it, so it is not quoted.
        .map_err(|_| {
            Error::Mechanism("the page asked something that this module does not know".into())
        })
        .and_then(|question| reply_to(question, outside));
    match reply {
        Ok(reply) => json!({ "ok": reply }),
        Err(error) => json!({ "error": error.to_string() }),
    }
    .to_string()
}

fn reply_to(question: PageQuestion, outside: &'static dyn PageStorage) -> Result<Value> {
    match question {
        PageQuestion::Task { sealed, people, kept } => {
            task(&sealed, people.as_deref(), kept, outside)
        }
        PageQuestion::Example { sealed, participant, mine, seed } => {
            // The largest lifetime budget there is: an example charges an account that is thrown away.
            let kept = PageState {
                lifetime: privet_protocol::device::MOST_LIFETIME,
                ..PageState::default()
            };
            let drawer = BrowserStorage::new(kept, &NoStorage);
            let person = PersonalDevice::new(&drawer, privet_protocol::device::MOST_LIFETIME)?;
            let noise = || Ok(NoiseRng::replay(seed));
            let answer = person.answer(&sealed, participant, &mine, noise)?;
            shown(&sealed, &answer.report)
        }
        PageQuestion::Answer { sealed, participant, mine, kept } => {
            let lifetime = kept.lifetime;
            let drawer = BrowserStorage::new(kept, outside);
            let person = PersonalDevice::new(&drawer, lifetime)?;
            let noise = || Ok(NoiseRng::from_operating_system()?);
            let answer = person.answer(&sealed, participant, &mine, noise)?;
            let mut reply = shown(&sealed, &answer.report)?;
            reply["again"] = answer.again.into();
            reply["spent"] = json!(person.spent()?);
            Ok(reply)
        }
        PageQuestion::Show { sealed, report } => shown(&sealed, &report),
    }
}

fn task(
    sealed: &SealedTask,
    people: Option<&str>,
    kept: Option<PageState>,
    outside: &'static dyn PageStorage,
) -> Result<Value> {
    let (asked, _) = sealed.open()?;
    if let Some(people) = people
        && Universe::of(people.lines()) != asked.task.people
    {
        let found = "others than those whom the task is about".into();
        let expected = "the list that the collector signed".into();
        return Err(Error::Refused { what: "people", found, expected });
    }
    let mut reply = json!({
        "name": asked.name.to_string(),
        "collector": sealed.collector,
        "task": asked.task,
        "columns": asked.features.as_ref().map(|mechanism| mechanism.k()),
    });
    if let Some(kept) = kept {
        let lifetime = kept.lifetime;
        let drawer = BrowserStorage::new(kept, outside);
        let spent = PersonalDevice::new(&drawer, lifetime)?.spent()?;
        reply["spent"] = json!(spent);
        reply["refused"] = json!(spent.allows(&asked).err().map(|error| error.to_string()));
    }
    Ok(reply)
}

/// What is in a report, and its receipt.
fn shown(sealed: &SealedTask, bytes: &[u8]) -> Result<Value> {
    let (asked, _) = sealed.open()?;
    let report = Report::decode(&asked, bytes)?;
    let receipt: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(
        json!({ "report": report.encode(), "receipt": receipt, "shown": ReportView::of(&asked, &report) }),
    )
}

/// An example is kept nowhere.
struct NoStorage;

impl PageStorage for NoStorage {
    fn keep(&self, _: &str, _: &str) -> bool {
        true
    }

    fn put(&self, _: &str, _: &[u8]) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
