//! [`Task`]: what is asked of whom, and what it costs them. Everything in it is public.

use privet_graph::{Bounds, BoundsOrigin};
use privet_privacy::edges::local::{Dprr, DprrWithDegree};
use privet_privacy::features::{Decoding, FeatureMechanism, FeatureSettings, LabelRr, Scale};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{Error, Result};

/// A question to many people, which never changes: another one has another name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// What it is called.
    pub title: String,
    /// What it is for, in plain words.
    pub purpose: String,
    /// Who can be asked about it.
    pub contact: String,
    /// Who can take part.
    pub people: Universe,
    /// What is asked.
    pub asks: TaskQuestions,
    /// The last moment that reports are taken, in seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<u64>,
}

/// All people who can take part: a public list of ids, whose order gives each person a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Universe {
    /// How many.
    pub count: u32,
    /// The SHA-256 of their ids, each followed by a line's end, in hexadecimal digits.
    pub sha256: String,
}

/// What is asked: any of these together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskQuestions {
    /// Numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub features: Option<FeaturesAsked>,
    /// One of several answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<LabelAsked>,
    /// Whom one knows, among those who can take part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contacts: Option<ContactsAsked>,
}

/// Numbers in declared ranges.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeaturesAsked {
    /// What they are.
    pub columns: Vec<FeatureColumn>,
    /// What randomises them: `hds` and its like, whose reports have an end.
    pub mechanism: String,
    /// What the whole row costs.
    pub epsilon: f64,
    /// How many of the columns a report is about; by default what the mechanism recommends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k: Option<u32>,
}

/// A number in a range.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeatureColumn {
    /// What it is called.
    pub name: String,
    /// The least; what is below counts as that.
    pub low: f32,
    /// The most.
    pub high: f32,
}

/// One of several answers, by randomised response.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelAsked {
    /// The question.
    pub question: String,
    /// The answers there are.
    pub classes: Vec<String>,
    /// What it costs.
    pub epsilon: f64,
}

/// A list of contacts, by DPRR with a noisy degree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContactsAsked {
    /// Which contacts are meant.
    pub question: String,
    /// What each entry of the list costs; a contact whom both name costs twice that.
    pub epsilon: f64,
}

/// The name of a task: the SHA-256 of its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskName(pub [u8; 32]);

/// The most bytes of a task.
pub const MOST_BYTES: usize = 1 << 22;
/// The most columns, classes and epsilon, and the longest text.
const MOST_COLUMNS: usize = 1 << 16;
const MOST_CLASSES: usize = 1 << 12;
const MOST_EPSILON: f64 = 20.0;
const LONGEST: usize = 4096;

impl Universe {
    /// These people, in this order.
    pub fn of<S: AsRef<str>>(ids: impl IntoIterator<Item = S>) -> Self {
        let (mut hash, mut count) = (Sha256::new(), 0);
        for id in ids {
            hash.update(id.as_ref());
            // One id a line: ("ab", "c") and ("a", "bc") are different people.
            hash.update("\n");
            count += 1;
        }
        Self { count, sha256: hex(&hash.finalize()) }
    }
}

impl TaskName {
    /// The name of these bytes.
    pub fn of(task: &[u8]) -> Self {
        Self(Sha256::digest(task).into())
    }

    /// The name that hexadecimal digits say.
    pub fn from_hex(digits: &str) -> Option<Self> {
        from_hex(digits).map(Self)
    }
}

impl std::fmt::Display for TaskName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl Task {
    /// The bytes that give it its name.
    ///
    /// # Errors
    /// If it makes no sense.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        // What a collector seals is checked by the same rules as what a device reads.
        self.check()?;
        serde_json::to_vec(self).map_err(|error| Error::Mechanism(error.to_string()))
    }

    /// Whether it makes sense: texts that can be shown, ranges, and mechanisms that take their epsilon.
    ///
    /// # Errors
    /// What does not.
    pub fn check(&self) -> Result<()> {
        for (what, text) in
            [("title", &self.title), ("purpose", &self.purpose), ("contact", &self.contact)]
        {
            shown(what, text)?;
        }
        // A hash of the right length and alphabet; which ids it is of, only the collector's list
        // tells.
        if self.people.count == 0 || from_hex::<32>(&self.people.sha256).is_none() {
            let expected = "some, and the hash of their ids";
            return Err(Error::refused("people", self.people.count, expected));
        }
        let TaskQuestions { features, label, contacts } = &self.asks;
        if features.is_none() && label.is_none() && contacts.is_none() {
            return Err(Error::refused("asks", "nothing", "features, a label or contacts"));
        }
        if let Some(asked) = label {
            shown("question", &asked.question)?;
            named("classes", asked.classes.iter(), MOST_CLASSES)?;
        }
        if let Some(asked) = contacts {
            shown("question", &asked.question)?;
        }
        if let Some(asked) = features {
            // Names are shown to people, so they obey the rules of texts.
            named("columns", asked.columns.iter().map(|column| &column.name), MOST_COLUMNS)?;
        }
        for epsilon in self.asks.epsilons() {
            if !(epsilon > 0.0 && epsilon <= MOST_EPSILON) {
                return Err(Error::refused("epsilon", epsilon, "above 0, up to 20"));
            }
        }
        // Built once: a mechanism that cannot be built is refused here and not on a device.
        self.asks.mechanisms(self.people.count).map(|_| ())
    }
}

/// What randomises each part.
type Mechanisms = (Option<FeatureMechanism>, Option<LabelRr>, Option<DprrWithDegree>);

impl TaskQuestions {
    /// What each part costs that is asked.
    pub fn epsilons(&self) -> impl Iterator<Item = f64> + use<> {
        let features = self.features.as_ref().map(|asked| asked.epsilon);
        let label = self.label.as_ref().map(|asked| asked.epsilon);
        let contacts = self.contacts.as_ref().map(|asked| asked.epsilon);
        [features, label, contacts].into_iter().flatten()
    }

    fn mechanisms(&self, people: u32) -> Result<Mechanisms> {
        let features = self.features.as_ref().map(FeaturesAsked::mechanism).transpose()?;
        let label = self.label.as_ref();
        let label = label.map(|asked| LabelRr::new(asked.epsilon, asked.classes.len()));
        let contacts = self.contacts.as_ref();
        let contacts = contacts.map(|asked| Dprr::new(asked.epsilon, people as usize));
        Ok((features, label.transpose()?, contacts.transpose()?.map(DprrWithDegree)))
    }
}

impl FeaturesAsked {
    fn mechanism(&self) -> Result<FeatureMechanism> {
        let Self { columns, mechanism, epsilon, k } = self;
        let ranges = columns.iter().map(|column| (column.low, column.high)).collect();
        let bounds = Bounds::per_column(ranges, BoundsOrigin::Declared)?;
        let scale = Scale::new(columns.len(), Some(&bounds))?;
        let settings = FeatureSettings { k: k.map(|k| k as usize), ..FeatureSettings::default() };
        let built = FeatureMechanism::build(mechanism, *epsilon, scale, &settings)?;
        // Reports need a largest entry, or their size on the wire would have no bound.
        match built.largest_entry(0, Decoding::Paper) {
            Some(largest) if largest.is_finite() => Ok(built),
            _ => {
                let expected = "one whose reports have an end, such as hds";
                Err(Error::refused("mechanism", mechanism, expected))
            }
        }
    }
}

/// A task as both sides use it: checked, with its name and the mechanisms it means.
#[derive(Debug)]
pub struct CheckedTask {
    /// The task.
    pub task: Task,
    /// Its name.
    pub name: TaskName,
    /// What randomises numbers.
    pub features: Option<FeatureMechanism>,
    /// What randomises an answer.
    pub label: Option<LabelRr>,
    /// What randomises a list.
    pub contacts: Option<DprrWithDegree>,
}

impl CheckedTask {
    /// The task that bytes say.
    ///
    /// # Errors
    /// If they say none, or one that makes no sense.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        // Before anything is parsed.
        if bytes.len() > MOST_BYTES {
            let expected = format!("at most {MOST_BYTES}");
            return Err(Error::refused("task", format!("{} bytes", bytes.len()), expected));
        }
        let task: Task = serde_json::from_slice(bytes)
            .map_err(|error| Error::refused("task", error, "what a collector writes"))?;
        task.check()?;
        let (features, label, contacts) = task.asks.mechanisms(task.people.count)?;
        Ok(Self { task, name: TaskName::of(bytes), features, label, contacts })
    }
}

fn shown(what: &'static str, text: &str) -> Result<()> {
    // Control characters could rewrite a terminal; a text is one line.
    match text.trim().is_empty() || text.len() > LONGEST || text.chars().any(char::is_control) {
        true => Err(Error::refused(what, "a text that cannot be shown", "plain words, one line")),
        false => Ok(()),
    }
}

/// Names that are distinct.
fn named<'a>(
    what: &'static str,
    names: impl ExactSizeIterator<Item = &'a String>,
    most: usize,
) -> Result<()> {
    if names.len() == 0 || names.len() > most {
        return Err(Error::refused(what, names.len(), format!("1 to {most}")));
    }
    let mut seen = std::collections::BTreeSet::new();
    for name in names {
        shown(what, name)?;
        if !seen.insert(name) {
            return Err(Error::refused(what, "a name that comes twice", "each once"));
        }
    }
    Ok(())
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Bytes of an exact number of lower-case digits.
pub(crate) fn from_hex<const N: usize>(digits: &str) -> Option<[u8; N]> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        // Lower-case digits alone: one name has one spelling.
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; N];
    if digits.len() != 2 * N {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(digits.as_bytes().chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Everything is asked.
    pub(crate) fn survey() -> Task {
        let column = |name: &str| FeatureColumn { name: name.into(), low: 0.0, high: 10.0 };
        Task {
            title: "Winter".into(),
            purpose: "How an illness spreads".into(),
            contact: "study@example.org".into(),
            people: Universe::of((0..50).map(|at| format!("p{at}"))),
            asks: TaskQuestions {
                features: Some(FeaturesAsked {
                    columns: ["days", "visits", "age"].map(column).to_vec(),
                    mechanism: "hds".into(),
                    epsilon: 2.0,
                    k: Some(2),
                }),
                label: Some(LabelAsked {
                    question: "Have you been ill?".into(),
                    classes: vec!["no".into(), "yes".into(), "twice".into()],
                    epsilon: 1.0,
                }),
                contacts: Some(ContactsAsked {
                    question: "Whom did you meet?".into(),
                    epsilon: 3.0,
                }),
            },
            until: Some(1_800_000_000),
        }
    }

    #[test]
    fn a_task_is_named_by_its_bytes() {
        let bytes = survey().to_bytes().unwrap();
        let CheckedTask { task, name, .. } = CheckedTask::from_bytes(&bytes).unwrap();
        assert_eq!(task, survey());
        assert_eq!(TaskName::from_hex(&name.to_string()), Some(name));
        let other = Task { title: "Summer".into(), ..survey() };
        assert_ne!(TaskName::of(&other.to_bytes().unwrap()), name);
    }

    #[test]
    fn tasks_that_make_no_sense_are_refused() {
        let mut wrong = Vec::new();
        let mut with = |change: &dyn Fn(&mut Task)| {
            let mut task = survey();
            change(&mut task);
            wrong.push(task);
        };
        with(&|task| task.title = "\u{1b}[2J".into());
        with(&|task| task.purpose = " ".into());
        with(&|task| task.people.count = 0);
        with(&|task| task.people.sha256 = "ABC".into());
        with(&|task| task.asks = TaskQuestions::default());
        with(&|task| task.asks.label.as_mut().unwrap().classes.truncate(1));
        with(&|task| task.asks.label.as_mut().unwrap().classes[1] = "no".into());
        with(&|task| task.asks.label.as_mut().unwrap().epsilon = -1.0);
        with(&|task| task.asks.contacts.as_mut().unwrap().epsilon = 21.0);
        with(&|task| task.asks.features.as_mut().unwrap().columns.clear());
        with(&|task| task.asks.features.as_mut().unwrap().columns[0].high = -1.0);
        with(&|task| task.asks.features.as_mut().unwrap().mechanism = "laplace".into());
        with(&|task| task.asks.features.as_mut().unwrap().mechanism = "none".into());
        with(&|task| task.asks.features.as_mut().unwrap().k = Some(4));
        for task in wrong {
            assert!(task.to_bytes().is_err(), "{task:?}");
            let bytes = serde_json::to_vec(&task).unwrap();
            assert!(CheckedTask::from_bytes(&bytes).is_err(), "{task:?}");
        }
        assert!(
            CheckedTask::from_bytes(b"{}").is_err() && CheckedTask::from_bytes(&[0xff; 9]).is_err()
        );
        let nested = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(CheckedTask::from_bytes(nested.as_bytes()).is_err());
    }
}
