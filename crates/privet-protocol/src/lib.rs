//! What a collector asks and what a person's device answers, in bytes. Small enough for a browser: no files, no network, no
//! clock.
//!
//! ```text
//! Task    public and immutable: what is asked of whom, by which mechanism, at which epsilon      [`task`]
//!   |     its name is the SHA-256 of its bytes; the collector signs them ([`sealed`])
//!   v
//! Report  the task's name, the participant's place, randomised values, and nothing else           [`report`]
//!         one encoding each: what decodes is what would be encoded, byte for byte                  [`wire`]
//! Person  their own account for life, the draw, the same bytes on every retry; over anything
//!         that keeps lines and bytes: a folder, a browser                                          [`device`]
//! ```
//! Both sides make the mechanisms from the task ([`CheckedTask`]), so neither can mean another one. Decoding checks everything
//! against the task, and refuses what no honest device could have sent.
//!
//! ```
//! use privet_protocol::{CheckedTask, LabelAsked, Report, Task, TaskQuestions, Universe};
//! let people = ["ann", "bob", "eve"];
//! let label = LabelAsked { question: "Have you been ill?".into(), classes: vec!["no".into(), "yes".into()], epsilon: 1.0 };
//! let task = Task {
//!     title: "Winter".into(),
//!     purpose: "How many people were ill".into(),
//!     contact: "study@example.org".into(),
//!     people: Universe::of(people),
//!     asks: TaskQuestions { label: Some(label), ..TaskQuestions::default() },
//!     until: None,
//! };
//! let asked = CheckedTask::from_bytes(&task.to_bytes()?)?;
//! let report = Report { task: asked.name, participant: 1, features: None, label: Some(0), contacts: None };
//! let sent = report.encode();
//! assert_eq!(sent.len(), 1 + 32 + 1 + 1);
//! assert_eq!(Report::decode(&asked, &sent)?, report);
//! # Ok::<(), privet_protocol::Error>(())
//! ```

pub mod device;
mod error;
pub mod report;
pub mod sealed;
pub mod task;
pub mod wire;

pub use error::{Error, Result};
pub use report::Report;
pub use sealed::{PublicKey, SealedTask, SigningKey};
pub use task::{
    CheckedTask, ContactsAsked, FeatureColumn, FeaturesAsked, LabelAsked, Task, TaskName,
    TaskQuestions, Universe,
};
