//! [`CollectorClient`]: a service, seen from a device or an administrator's desk. What it sends is a report that the device has
//! already remembered, so that it can be sent again until it is known to be kept.

use std::io::Read;
use std::time::Duration;

use privet::collected::stream::put_report;
use privet::words::csv_cell;
use privet_protocol::{CheckedTask, SealedTask, TaskName, Universe};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;
use ureq::http::{Response, StatusCode};
use ureq::{Agent, Body};

use crate::pages::{TaskAccess, TaskProgress};

/// The most bytes of an answer that is read whole: a list of people is the longest.
const LONGEST: u64 = 1 << 30;

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The service refused, with its reason.
    #[error("{error}; expected {expected}")]
    Refused {
        /// The kind of refusal.
        status: u16,
        /// What is wrong.
        error: String,
        /// What would be right.
        expected: String,
    },
    /// No answer, or a broken connection. A report may have been kept, so it is sent again.
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

impl ClientError {
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
pub struct ServedTask {
    /// As it was signed.
    pub sealed: SealedTask,
    /// Opened.
    pub asked: CheckedTask,
    /// Who can take part.
    pub people: Vec<String>,
    /// Whether reports are taken.
    pub open: bool,
    /// Who may send one.
    pub entry: TaskAccess,
}

/// What became of many reports, as the service answers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForwardingResult {
    /// How many are kept now.
    pub new: u64,
    /// How many were kept before.
    pub again: u64,
    /// Those that are not taken.
    pub refused: Vec<RefusedReport>,
}

/// A report that is not taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedReport {
    /// Which of them, from 0.
    pub at: usize,
    /// Why.
    pub error: String,
}

/// A service.
#[derive(Debug, Clone)]
pub struct CollectorClient {
    agent: Agent,
    service: String,
    token: Option<String>,
}

impl CollectorClient {
    /// A client without a token.
    pub fn new(address: &ServiceAddress) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // The name of the program would set its users apart.
            .user_agent("")
            .timeout_connect(Some(Duration::from_secs(10)))
            // Longer than the service takes for a request, so that its refusal arrives.
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
    pub fn task(&self, name: TaskName) -> Result<ServedTask, ClientError> {
        #[derive(Deserialize)]
        struct Answer {
            sealed: SealedTask,
            open: bool,
            entry: TaskAccess,
        }
        let path = format!("/api/v1/tasks/{name}");
        let Answer { sealed, open, entry } = self.get(&path)?;
        let strange = |found: String| ClientError::Strange { place: self.service.clone(), found };
        let (asked, _) = sealed.open().map_err(|error| strange(error.to_string()))?;
        // The name is the hash of the task: a service that hands out another task is noticed.
        if asked.name != name {
            return Err(strange("another task than the one that was asked for".into()));
        }
        let text = self.text(self.send_get(&format!("{path}/people"))?)?;
        let people: Vec<String> = text.lines().map(str::to_owned).collect();
        // The list's hash is signed with the task; a report names its sender by position in it.
        match Universe::of(&people) == asked.task.people {
            true => Ok(ServedTask { sealed, asked, people, open, entry }),
            false => Err(strange("other people than those whose hash is in the task".into())),
        }
    }

    /// Sends a report; whether the same bytes were there already.
    ///
    /// # Errors
    /// If it is refused, or the service does not confirm that it is kept.
    pub fn send(
        &self,
        task: TaskName,
        report: &[u8],
        code: Option<&str>,
    ) -> Result<bool, ClientError> {
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
    ) -> Result<bool, ClientError> {
        let mut pause = Duration::from_millis(50);
        for _ in 1..tries {
            match self.send(task, report, code) {
                // The same bytes each time: sending twice costs no privacy and changes nothing.
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
    /// If all are refused, or the service does not confirm that they are kept: then all are to be sent again.
    pub fn send_many(
        &self,
        task: TaskName,
        reports: &[Vec<u8>],
    ) -> Result<ForwardingResult, ClientError> {
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
        entry: TaskAccess,
    ) -> Result<TaskName, ClientError> {
        #[derive(Deserialize)]
        struct Named {
            name: String,
        }
        let mut text = people.join("\n");
        text.push('\n');
        let body = json!({ "sealed": sealed, "people": text, "entry": entry });
        let Named { name } = self.post("/api/v1/tasks", &body)?;
        TaskName::from_hex(&name)
            .ok_or_else(|| ClientError::Strange { place: self.service.clone(), found: name })
    }

    /// Makes codes for some participants, or for all.
    ///
    /// # Errors
    /// If it is refused.
    pub fn invite(
        &self,
        task: TaskName,
        ids: Option<&[String]>,
    ) -> Result<Vec<Invitation>, ClientError> {
        self.post(&format!("/api/v1/tasks/{task}/invitations"), &json!({ "ids": ids }))
    }

    /// How far all tasks have come.
    ///
    /// # Errors
    /// If it is refused.
    pub fn status(&self) -> Result<Vec<TaskProgress>, ClientError> {
        self.get("/api/v1/tasks")
    }

    /// Closes a task.
    ///
    /// # Errors
    /// If it is refused.
    pub fn close(&self, task: TaskName) -> Result<TaskProgress, ClientError> {
        self.post(&format!("/api/v1/tasks/{task}/close"), &json!({}))
    }

    /// All reports of a task, as [`Collection::add_stream`](privet::collected::Collection::add_stream) reads them.
    ///
    /// # Errors
    /// If it is refused.
    pub fn reports(&self, task: TaskName) -> Result<impl Read + use<>, ClientError> {
        let response = self.send_get(&format!("/api/v1/tasks/{task}/reports"))?;
        Ok(std::io::BufReader::new(response.into_body().into_reader()))
    }

    fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        self.json(self.send_get(path)?)
    }

    fn send_get(&self, path: &str) -> Result<Response<Body>, ClientError> {
        let mut request = self.agent.get(format!("{}{path}", self.service));
        if let Some(token) = &self.token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        self.answered(request.call())
    }

    fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &serde_json::Value,
    ) -> Result<T, ClientError> {
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
    ) -> Result<Response<Body>, ClientError> {
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
            Ok(Refusal { error, expected }) => ClientError::Refused { status, error, expected },
            Err(_) if status == 408 => ClientError::Unreachable {
                place: self.service.clone(),
                reason: "the request took too long".into(),
            },
            Err(_) => ClientError::Strange {
                place: self.service.clone(),
                found: format!("status {status}"),
            },
        })
    }

    fn json<T: DeserializeOwned>(&self, response: Response<Body>) -> Result<T, ClientError> {
        let text = self.text(response)?;
        serde_json::from_str(&text).map_err(|error| ClientError::Strange {
            place: self.service.clone(),
            found: error.to_string(),
        })
    }

    fn text(&self, response: Response<Body>) -> Result<String, ClientError> {
        let mut body = response.into_body();
        let read = body.with_config().limit(LONGEST).read_to_string();
        read.map_err(|error| self.unreachable(error))
    }

    fn unreachable(&self, error: ureq::Error) -> ClientError {
        ClientError::Unreachable { place: self.service.clone(), reason: error.to_string() }
    }
}

/// Where a task is: a service, and a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceAddress {
    /// The service, without a slash at its end.
    pub service: String,
    /// The task, if one is named.
    pub task: Option<TaskName>,
}

impl ServiceAddress {
    /// What `https://HOST/t/NAME` or `https://HOST` says; whatever follows `#` is for people.
    ///
    /// # Errors
    /// If it is neither.
    pub fn parse(text: &str) -> Result<Self, ClientError> {
        let wrong = || ClientError::Address(text.split('#').next().unwrap_or_default().to_owned());
        let address = text.split('#').next().unwrap_or_default().trim_end_matches('/');
        let rest = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"));
        let rest =
            rest.filter(|rest| !rest.is_empty() && !rest.starts_with('/')).ok_or_else(wrong)?;
        match address.rsplit_once("/t/") {
            Some((service, name)) => {
                let task = TaskName::from_hex(name).ok_or_else(wrong)?;
                Ok(Self { service: service.to_owned(), task: Some(task) })
            }
            None if rest.contains(['/', '?']) => Err(wrong()),
            None => Ok(Self { service: address.to_owned(), task: None }),
        }
    }

    /// Where people see a task of this service.
    pub fn of(&self, task: TaskName) -> String {
        format!("{}/t/{task}", self.service)
    }
}

/// A participant's single-use code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invitation {
    /// The participant's id.
    pub id: String,
    /// The code.
    pub code: String,
}

impl Invitation {
    /// A line `id,code,link` for each. The part of a link behind `#` stays in the browser: no server sees a code in an
    /// address.
    pub fn table(all: &[Self], address: &ServiceAddress, task: TaskName) -> String {
        let mut text = String::from("id,code,link\n");
        for Self { id, code } in all {
            let link = format!("{}#code={code}&me={}", address.of(task), escaped(id));
            text.push_str(&format!("{},{code},{link}\n", csv_cell(id)));
        }
        text
    }
}

/// A part of an address: letters and digits as they are, others by their bytes.
fn escaped(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_service_and_perhaps_a_task() {
        let name = "ab".repeat(32);
        let task = TaskName::from_hex(&name);
        for (text, service, task) in [
            ("http://127.0.0.1:8420", "http://127.0.0.1:8420", None),
            ("https://a.org/", "https://a.org", None),
            (&*format!("https://a.org/t/{name}"), "https://a.org", task),
            (&*format!("https://a.org/t/{name}#code=x"), "https://a.org", task),
            (&*format!("https://a.org/under/t/{name}"), "https://a.org/under", task),
        ] {
            let expected = ServiceAddress { service: service.into(), task };
            assert_eq!(ServiceAddress::parse(text).unwrap(), expected, "{text}");
        }
        for wrong in
            ["", "ftp://a", "http://", "https:///t", "https://a/t/abc", "https://a/b", "a.org"]
        {
            assert!(ServiceAddress::parse(wrong).is_err(), "{wrong}");
        }
        let shown = ServiceAddress::parse("https://a/t/x#code=secret").unwrap_err().to_string();
        assert!(!shown.contains("secret"), "a code is not shown");
    }

    #[test]
    fn ids_survive_tables_and_links() {
        let all =
            ["ann", "a,\"b\"", "a b&ü"].map(|id| Invitation { id: id.into(), code: "c0de".into() });
        let address = ServiceAddress::parse("https://example.org").unwrap();
        let table = Invitation::table(&all, &address, TaskName([7; 32]));
        let cells: Vec<&str> =
            table.lines().skip(1).map(|line| line.split_once(",c0de,").unwrap().0).collect();
        assert_eq!(cells, ["ann", "\"a,\"\"b\"\"\"", "a b&ü"]);
        assert!(table.ends_with("#code=c0de&me=a%20b%26%C3%BC\n"), "{table}");
    }
}
