//! [`Refusal`]: the answer to a request that is refused, in JSON: what is wrong, and what would be right.

use axum::Json;
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::error::Error;
use crate::intake::Busy;

/// Why not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The kind of it.
    pub status: StatusCode,
    /// What is wrong.
    pub error: String,
    /// What would be right.
    pub expected: &'static str,
}

impl Refusal {
    /// A refusal of a kind.
    pub fn new(status: StatusCode, error: impl ToString, expected: &'static str) -> Self {
        Self { status, error: error.to_string(), expected }
    }

    /// There is no such task.
    pub fn unknown_task() -> Self {
        Self::new(StatusCode::NOT_FOUND, "there is no such task", "the name of a task, 64 digits")
    }

    /// No administrator speaks.
    pub fn not_administrator() -> Self {
        let expected = "Authorization: Bearer TOKEN, of an administrator";
        Self::new(StatusCode::UNAUTHORIZED, "this is for administrators", expected)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let later = match self.status {
            StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS => {
                Some([(RETRY_AFTER, "1")])
            }
            _ => None,
        };
        let body = Json(json!({ "error": self.error, "expected": self.expected }));
        (self.status, later, body).into_response()
    }
}

/// A failure of the store goes to the log; the sender is asked to try again.
impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        crate::log::failure("store", &error);
        Busy.into()
    }
}

impl From<Busy> for Refusal {
    fn from(Busy: Busy) -> Self {
        let status = StatusCode::SERVICE_UNAVAILABLE;
        Self::new(status, "this cannot be kept now", "the same bytes again, later")
    }
}
