//! [`Client`]: a service, seen from a device or an administrator's desk. What it sends is a report that the device has
//! already remembered, so that it can be sent again until it is known to be kept.

mod address;
mod invitation;

use std::io::Read;
use std::time::Duration;

use privet::collected::stream::put_report;
use privet_protocol::{CheckedTask, SealedTask, TaskName, Universe};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::json;
use ureq::http::{Response, StatusCode};
use ureq::{Agent, Body};

pub use address::Address;
pub use invitation::Invitation;

use crate::pages::{Entry, Progress};

/// The most bytes of an answer that is read whole: a list of people is the longest.
const LONGEST: u64 = 1 << 30;

/// Why something did not come about.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    /// The service refused, and said why.
    #[error("{error}; expected {expected}")]
    Refused {
        /// The kind of refusal.
        status: u16,
        /// What is wrong.
        error: String,
        /// What would be right.
        expected: String,
    },
    /// Nobody answered, or broke off. A report may have been kept: it is sent again.
    #[error("{place}: {reason}")]
    Unreachable {
        /// Where.
        place: String,
        /// What happened.
        reason: String,
    },
    /// The answer is not one that such a service gives.
    #[error("{place}: found {found}, expected the answer of a collector")]
    Strange {
        /// Where.
        place: String,
        /// What came.
        found: String,
    },
    /// The address is none.
    #[error("found '{0}', expected an address such as https://collect.example.org/t/NAME")]
    Address(String),
}

impl Failed {
    /// Whether the same may work later.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Refused { status, .. } => matches!(status, 408 | 429 | 503),
            Self::Unreachable { .. } => true,
            Self::Strange { .. } | Self::Address(_) => false,
        }
    }
}

/// A task that a service gave, checked: signed, named by its hash, with its people.
#[derive(Debug)]
pub struct Given {
    /// As it was signed.
    pub sealed: SealedTask,
    /// Opened.
    pub asked: CheckedTask,
    /// Who can take part.
    pub people: Vec<String>,
    /// Whether reports are taken.
    pub open: bool,
    /// Who may send one.
    pub entry: Entry,
}

/// What became of many reports.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Many {
    /// How many are kept now.
    pub new: u64,
    /// How many were kept before.
    pub again: u64,
    /// Those that are not taken.
    pub refused: Vec<Left>,
}

/// A report that is not taken.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Left {
    /// Which of them, from 0.
    pub at: usize,
    /// Why.
    pub error: String,
}

/// A service.
#[derive(Debug, Clone)]
pub struct Client {
    agent: Agent,
    service: String,
    token: Option<String>,
}

impl Client {
    /// The service at an address, asked by anybody.
    pub fn new(address: &Address) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // Which program sends it is nobody's business.
            .user_agent("")
            .timeout_connect(Some(Duration::from_secs(10)))
            .timeout_recv_response(Some(Duration::from_secs(60)))
            .build();
        Self { agent: config.into(), service: address.service.clone(), token: None }
    }

    /// The same, asked by an administrator.
    #[must_use]
    pub fn with_token(mut self, token: &str) -> Self {
        self.token = Some(token.trim().to_owned());
        self
    }

    /// A task and its people, checked as a device checks them.
    ///
    /// # Errors
    /// If there is none, or it is not what its collector signed.
    pub fn task(&self, name: TaskName) -> Result<Given, Failed> {
        #[derive(Deserialize)]
        struct Answer {
            sealed: SealedTask,
            open: bool,
            entry: Entry,
        }
        let path = format!("/api/v1/tasks/{name}");
        let Answer { sealed, open, entry } = self.get(&path)?;
        let strange = |found: String| Failed::Strange { place: self.service.clone(), found };
        let (asked, _) = sealed.open().map_err(|error| strange(error.to_string()))?;
        if asked.name != name {
            return Err(strange("another task than the one that was asked for".into()));
        }
        let text = self.text(self.send_get(&format!("{path}/people"))?)?;
        let people: Vec<String> = text.lines().map(str::to_owned).collect();
        match Universe::of(&people) == asked.task.people {
            true => Ok(Given { sealed, asked, people, open, entry }),
            false => Err(strange("other people than those whose hash is in the task".into())),
        }
    }

    /// Sends a report; whether the same bytes were there already.
    ///
    /// # Errors
    /// If it is refused, or nobody says that it is kept.
    pub fn send(&self, task: TaskName, report: &[u8], code: Option<&str>) -> Result<bool, Failed> {
        let url = format!("{}/api/v1/tasks/{task}/reports", self.service);
        let mut request = self.agent.post(url).content_type("application/octet-stream");
        if let Some(code) = code {
            request = request.header("Privet-Invitation", code);
        }
        let response = self.answered(request.send(report))?;
        let again = response.status() == StatusCode::OK;
        // Read to its end, so that the connection serves the next one.
        self.text(response)?;
        Ok(again)
    }

    /// Sends a report until it is known to be kept, for so many tries, each twice as long after the last.
    ///
    /// # Errors
    /// If it is refused, or no try succeeds.
    pub fn send_patiently(
        &self,
        task: TaskName,
        report: &[u8],
        code: Option<&str>,
        tries: u32,
    ) -> Result<bool, Failed> {
        let mut pause = Duration::from_millis(50);
        for _ in 1..tries {
            match self.send(task, report, code) {
                Err(failed) if failed.may_pass() => std::thread::sleep(pause),
                done => return done,
            }
            pause = (2 * pause).min(Duration::from_secs(30));
        }
        self.send(task, report, code)
    }

    /// Passes many reports on at once; how many are kept now, and of those that are not taken which and why.
    ///
    /// # Errors
    /// If all are refused, or nobody says that they are kept: then all are to be sent again.
    pub fn send_many(&self, task: TaskName, reports: &[Vec<u8>]) -> Result<Many, Failed> {
        let mut body = Vec::new();
        reports.iter().for_each(|report| put_report(&mut body, report));
        let url = format!("{}/api/v1/tasks/{task}/reports/many", self.service);
        let request = self.agent.post(url).content_type("application/octet-stream");
        self.json(self.answered(request.send(&body[..]))?)
    }

    /// Adds a task.
    ///
    /// # Errors
    /// If it is refused.
    pub fn create(
        &self,
        sealed: &SealedTask,
        people: &[String],
        entry: Entry,
    ) -> Result<TaskName, Failed> {
        #[derive(Deserialize)]
        struct Named {
            name: String,
        }
        let mut text = people.join("\n");
        text.push('\n');
        let body = json!({ "sealed": sealed, "people": text, "entry": entry });
        let Named { name } = self.post("/api/v1/tasks", &body)?;
        TaskName::from_hex(&name)
            .ok_or_else(|| Failed::Strange { place: self.service.clone(), found: name })
    }

    /// Codes for some, or for everybody.
    ///
    /// # Errors
    /// If it is refused.
    pub fn invite(
        &self,
        task: TaskName,
        ids: Option<&[String]>,
    ) -> Result<Vec<Invitation>, Failed> {
        self.post(&format!("/api/v1/tasks/{task}/invitations"), &json!({ "ids": ids }))
    }

    /// How far all tasks have come.
    ///
    /// # Errors
    /// If it is refused.
    pub fn status(&self) -> Result<Vec<Progress>, Failed> {
        self.get("/api/v1/tasks")
    }

    /// Closes a task.
    ///
    /// # Errors
    /// If it is refused.
    pub fn close(&self, task: TaskName) -> Result<Progress, Failed> {
        self.post(&format!("/api/v1/tasks/{task}/close"), &json!({}))
    }

    /// All reports of a task, as [`Collected::add_stream`](privet::collected::Collected::add_stream) reads them.
    ///
    /// # Errors
    /// If it is refused.
    pub fn reports(&self, task: TaskName) -> Result<impl Read + use<>, Failed> {
        let response = self.send_get(&format!("/api/v1/tasks/{task}/reports"))?;
        Ok(std::io::BufReader::new(response.into_body().into_reader()))
    }

    fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Failed> {
        self.json(self.send_get(path)?)
    }

    fn send_get(&self, path: &str) -> Result<Response<Body>, Failed> {
        let mut request = self.agent.get(format!("{}{path}", self.service));
        if let Some(token) = &self.token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        self.answered(request.call())
    }

    fn post<T: DeserializeOwned>(&self, path: &str, body: &serde_json::Value) -> Result<T, Failed> {
        let mut request = self.agent.post(format!("{}{path}", self.service));
        if let Some(token) = &self.token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        let request = request.content_type("application/json");
        self.json(self.answered(request.send(body.to_string()))?)
    }

    /// An answer that is a success, or the refusal it says.
    fn answered(
        &self,
        sent: Result<Response<Body>, ureq::Error>,
    ) -> Result<Response<Body>, Failed> {
        #[derive(Deserialize)]
        struct Refusal {
            error: String,
            expected: String,
        }
        let response = sent.map_err(|error| self.unreachable(error))?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let text = self.text(response)?;
        let status = status.as_u16();
        Err(match serde_json::from_str(&text) {
            Ok(Refusal { error, expected }) => Failed::Refused { status, error, expected },
            Err(_) if status == 408 => Failed::Unreachable {
                place: self.service.clone(),
                reason: "the request took too long".into(),
            },
            Err(_) => {
                Failed::Strange { place: self.service.clone(), found: format!("status {status}") }
            }
        })
    }

    fn json<T: DeserializeOwned>(&self, response: Response<Body>) -> Result<T, Failed> {
        let text = self.text(response)?;
        serde_json::from_str(&text).map_err(|error| Failed::Strange {
            place: self.service.clone(),
            found: error.to_string(),
        })
    }

    fn text(&self, response: Response<Body>) -> Result<String, Failed> {
        let mut body = response.into_body();
        let read = body.with_config().limit(LONGEST).read_to_string();
        read.map_err(|error| self.unreachable(error))
    }

    fn unreachable(&self, error: ureq::Error) -> Failed {
        Failed::Unreachable { place: self.service.clone(), reason: error.to_string() }
    }
}
