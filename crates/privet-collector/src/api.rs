//! What programs ask: tasks, people, reports. The shape of each request and answer stands in `openapi.json`, which is
//! served too; a test holds the two together.

use std::time::Instant;

use axum::body::Body;
use axum::extract::rejection::JsonRejection;
use axum::extract::{DefaultBodyLimit, Path, Query, Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use axum::{Json, Router};
use bytes::Bytes;
use privet_protocol::{SealedTask, wire};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::client::{ForwardingResult, RefusedReport};
use crate::collector::Collector;
use crate::export::{self, ExportFormat};
use crate::intake::ReportOutcome;
use crate::metrics::ReportEvent;
use crate::pages::{TaskAccess, TaskProgress};
use crate::refusal::Refusal;
use crate::store::TaskAddition;

/// The most bytes of a task with its people.
const LARGEST_TASK: usize = 256 << 20;
/// The most bytes and reports of a request that passes many on.
const LARGEST_MANY: usize = 8 << 20;
const MOST_REPORTS: usize = 2000;
/// What every request and answer looks like.
pub const OPENAPI: &str = include_str!("openapi.json");
/// What a report is sent as: a browser asks before it sends this from another site.
const BYTES: &str = "application/octet-stream";
const ANOTHER: &str = "this participant has sent another report";
const CLOSED: &str = "this task is closed";

/// All routes.
pub fn routes() -> Router<Collector> {
    let tasks = at_most(LARGEST_TASK, get(tasks).post(add_task));
    Router::new()
        .route("/api/v1/tasks", tasks)
        .route("/api/v1/tasks/{name}", get(task))
        .route("/api/v1/tasks/{name}/people", get(people))
        .route("/api/v1/tasks/{name}/reports", get(all_reports).post(report))
        .route("/api/v1/tasks/{name}/reports/many", post(many_reports))
        .route("/api/v1/tasks/{name}/invitations", at_most(LARGEST_TASK, post(invite)))
        .route("/api/v1/tasks/{name}/close", post(close))
        .route("/api/v1/tasks/{name}/export", get(export))
        .route("/healthz", get(health))
        .route("/metrics", get(metrics))
        .route("/openapi.json", get(|| async { ([(CONTENT_TYPE, "application/json")], OPENAPI) }))
}

/// Refuses longer bodies: at once if the request declares its length, otherwise where the limit is reached.
fn at_most(bytes: usize, route: MethodRouter<Collector>) -> MethodRouter<Collector> {
    route
        .layer(DefaultBodyLimit::max(bytes))
        .layer(from_fn_with_state(bytes, check_declared_length))
}

async fn check_declared_length(
    State(most): State<usize>,
    request: Request,
    next: Next,
) -> Response {
    match refuse_declared_length(request.headers(), most) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    }
}

fn refuse_declared_length(headers: &HeaderMap, most: usize) -> Result<(), Refusal> {
    let declared = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    match declared.map(str::parse::<usize>) {
        Some(Ok(length)) if length > most => Err(too_long(format!("a body of {length} bytes"))),
        _ => Ok(()),
    }
}

fn too_long(error: String) -> Refusal {
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, error, "a shorter one")
}

/// A task and how far it has come.
#[derive(Debug, Serialize)]
struct TaskAnswer<'a> {
    sealed: &'a SealedTask,
    open: bool,
    entry: TaskAccess,
}

async fn task(
    State(collector): State<Collector>,
    Path(name): Path<String>,
) -> Result<Response, Refusal> {
    let task = collector.task(&name).await?;
    let open = collector.progress(&task).await?.open;
    Ok(Json(TaskAnswer { sealed: &task.sealed, open, entry: task.entry }).into_response())
}

async fn people(
    State(collector): State<Collector>,
    Path(name): Path<String>,
) -> Result<Response, Refusal> {
    let task = collector.task(&name).await?;
    Ok(([(CONTENT_TYPE, "text/plain; charset=utf-8")], task.people.clone()).into_response())
}

async fn report(
    State(collector): State<Collector>,
    Path(name): Path<String>,
    request: Request,
) -> Response {
    let start = Instant::now();
    // Measured from here: the body is read inside.
    let taken = take(&collector, &name, request).await;
    let (event, response) = match taken {
        Ok(ReportOutcome::New) => {
            (ReportEvent::New, answer(StatusCode::CREATED, r#"{"report":"new"}"#))
        }
        Ok(ReportOutcome::Again) => {
            (ReportEvent::Again, answer(StatusCode::OK, r#"{"report":"again"}"#))
        }
        Ok(ReportOutcome::Other) => {
            let expected = "the same bytes again, or none";
            (
                ReportEvent::Refused,
                Refusal::new(StatusCode::CONFLICT, ANOTHER, expected).into_response(),
            )
        }
        Ok(ReportOutcome::Closed) => {
            let expected = "a report before the task was closed";
            let refusal = Refusal::new(StatusCode::GONE, CLOSED, expected);
            (ReportEvent::Refused, refusal.into_response())
        }
        Err(refusal) if refusal.status == StatusCode::SERVICE_UNAVAILABLE => {
            (ReportEvent::Busy, refusal.into_response())
        }
        Err(refusal) => (ReportEvent::Refused, refusal.into_response()),
    };
    collector.metrics().report(event, start.elapsed());
    response
}

async fn take(
    collector: &Collector,
    name: &str,
    request: Request,
) -> Result<ReportOutcome, Refusal> {
    let (about, body) = request.into_parts();
    let headers = &about.headers;
    let bytes = bytes_of(headers, body, collector.settings().largest_report).await?;
    let task = collector.task(name).await?;
    let code = headers.get("privet-invitation").and_then(|code| code.to_str().ok());
    collector.take(&task, bytes, code).await
}

/// A body of bytes, from where one may come, and no more of them than are taken.
async fn bytes_of(headers: &HeaderMap, body: Body, most: usize) -> Result<Bytes, Refusal> {
    refuse_other_sites(headers)?;
    // A page of another site can send forms and text without asking the browser first, but not this type.
    if headers.get(CONTENT_TYPE).is_none_or(|kind| kind != BYTES) {
        let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        return Err(Refusal::new(
            status,
            "a report is bytes",
            "Content-Type: application/octet-stream",
        ));
    }
    refuse_declared_length(headers, most)?;
    axum::body::to_bytes(body, most).await.map_err(|error| {
        // axum wraps the error of the limit: only its source tells a long body from a broken one.
        let source = std::error::Error::source(&error);
        match source.is_some_and(|cause| cause.is::<http_body_util::LengthLimitError>()) {
            true => too_long(format!("a body of more than {most} bytes")),
            false => Refusal::new(StatusCode::BAD_REQUEST, error, "the whole body"),
        }
    })
}

/// Reports that an app's own server passes on, as [`put_report`](privet::collected::stream::put_report) frames them.
async fn many_reports(
    State(collector): State<Collector>,
    Path(name): Path<String>,
    request: Request,
) -> Result<Json<ForwardingResult>, Refusal> {
    let start = Instant::now();
    let (about, body) = request.into_parts();
    let bytes = bytes_of(&about.headers, body, LARGEST_MANY).await?;
    let reports = framed(&bytes)?;
    let task = collector.task(&name).await?;
    let mut many = ForwardingResult::default();
    // Outcomes come in the order of the reports.
    for (at, taken) in collector.take_all(&task, reports).await?.into_iter().enumerate() {
        let (event, error) = match taken {
            Ok(ReportOutcome::New) => (ReportEvent::New, None),
            Ok(ReportOutcome::Again) => (ReportEvent::Again, None),
            Ok(ReportOutcome::Other) => (ReportEvent::Refused, Some(ANOTHER.to_owned())),
            Ok(ReportOutcome::Closed) => (ReportEvent::Refused, Some(CLOSED.to_owned())),
            Err(refusal) => (ReportEvent::Refused, Some(refusal.error)),
        };
        collector.metrics().report(event, start.elapsed());
        match event {
            ReportEvent::New => many.new += 1,
            ReportEvent::Again => many.again += 1,
            _ => many.refused.push(RefusedReport { at, error: error.unwrap_or_default() }),
        }
    }
    Ok(Json(many))
}

/// Reports, each with its length before it.
fn framed(bytes: &Bytes) -> Result<Vec<Bytes>, Refusal> {
    let wrong = |error: &dyn std::fmt::Display| {
        let expected = "reports, each with its length before it, at most 2000";
        Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, error, expected)
    };
    let mut reader = wire::Reader::new(bytes);
    let mut reports = Vec::new();
    while reader.left() > 0 {
        let length = reader.number("length").map_err(|error| wrong(&error))?;
        let length = usize::try_from(length).map_err(|error| wrong(&error))?;
        let report = reader.take(length, "report").map_err(|error| wrong(&error))?;
        if reports.len() == MOST_REPORTS {
            return Err(wrong(&"more reports than are taken at once"));
        }
        // A view of the request's buffer: reports are not copied.
        reports.push(bytes.slice_ref(report));
    }
    Ok(reports)
}

/// Refuses requests of another site's page: a browser names the origin of a request, and such a page could send a report
/// in a visitor's name.
pub fn refuse_other_sites(headers: &HeaderMap) -> Result<(), Refusal> {
    match headers.get("sec-fetch-site").map(|site| site.as_bytes()) {
        // Programs send no such header; `none` is an address typed by the user.
        None | Some(b"same-origin" | b"none") => Ok(()),
        Some(_) => {
            let expected = "a page of this service, or a program";
            Err(Refusal::new(StatusCode::FORBIDDEN, "sent by another site's page", expected))
        }
    }
}

fn answer(status: StatusCode, json: &'static str) -> Response {
    (status, [(CONTENT_TYPE, "application/json")], json).into_response()
}

/// Refuses requests without the token of an administrator.
pub async fn administrator(collector: &Collector, headers: &HeaderMap) -> Result<(), Refusal> {
    let token = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = token.and_then(|value| value.strip_prefix("Bearer "));
    match token {
        Some(token) if collector.is_administrator(token).await? => Ok(()),
        _ => Err(Refusal::not_administrator()),
    }
}

async fn tasks(
    State(collector): State<Collector>,
    headers: HeaderMap,
) -> Result<Json<Vec<TaskProgress>>, Refusal> {
    administrator(&collector, &headers).await?;
    Ok(Json(all_progress(&collector).await?))
}

/// How far all tasks have come.
pub async fn all_progress(collector: &Collector) -> Result<Vec<TaskProgress>, Refusal> {
    let mut all = Vec::new();
    for name in collector.store().names().await? {
        let task = collector.task(&name).await?;
        all.push(collector.progress(&task).await?);
    }
    Ok(all)
}

/// A task that is handed in.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NewTask {
    sealed: SealedTask,
    /// An id a line.
    people: String,
    entry: TaskAccess,
}

async fn add_task(
    State(collector): State<Collector>,
    headers: HeaderMap,
    body: Result<Json<NewTask>, JsonRejection>,
) -> Result<Response, Refusal> {
    administrator(&collector, &headers).await?;
    let Json(NewTask { sealed, people, entry }) = body.map_err(wrong_json)?;
    let (name, added) = collector.add_task(sealed, &people, entry).await?;
    let status = if added == TaskAddition::New { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Json(json!({ "name": name.to_string() }))).into_response())
}

fn wrong_json(rejection: JsonRejection) -> Refusal {
    Refusal::new(rejection.status(), rejection.body_text(), "JSON as /openapi.json describes it")
}

/// A request for invitations.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct InviteRequest {
    /// The invited ids; all participants if absent.
    ids: Option<Vec<String>>,
}

async fn invite(
    State(collector): State<Collector>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Result<Json<InviteRequest>, JsonRejection>,
) -> Result<Json<Vec<Value>>, Refusal> {
    administrator(&collector, &headers).await?;
    let Json(InviteRequest { ids }) = body.map_err(wrong_json)?;
    let task = collector.task(&name).await?;
    let codes = collector.invite(&task, ids.as_deref()).await?;
    crate::log::event("invitations", json!({ "task": name, "codes": codes.len() }));
    Ok(Json(codes.into_iter().map(|(id, code)| json!({ "id": id, "code": code })).collect()))
}

async fn close(
    State(collector): State<Collector>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Json<TaskProgress>, Refusal> {
    administrator(&collector, &headers).await?;
    let task = collector.task(&name).await?;
    collector.store().close(task.number).await?;
    crate::log::event("closed", json!({ "task": name }));
    Ok(Json(collector.progress(&task).await?))
}

async fn all_reports(
    State(collector): State<Collector>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    administrator(&collector, &headers).await?;
    let task = collector.task(&name).await?;
    let body = Body::new(export::stream(collector.store().clone(), task.number));
    Ok(([(CONTENT_TYPE, BYTES)], body).into_response())
}

/// As what reports are exported.
#[derive(Debug, Deserialize)]
pub struct ExportQuery {
    /// The format.
    #[serde(default)]
    pub format: ExportFormat,
}

async fn export(
    State(collector): State<Collector>,
    Path(name): Path<String>,
    headers: HeaderMap,
    Query(wanted): Query<ExportQuery>,
) -> Result<Response, Refusal> {
    administrator(&collector, &headers).await?;
    exported(&collector, &name, wanted.format).await
}

/// A dataset and its card, as an archive.
pub async fn exported(
    collector: &Collector,
    name: &str,
    format: ExportFormat,
) -> Result<Response, Refusal> {
    let task = collector.task(name).await?;
    let archive = export::archive(collector, &task, format).await?;
    // The name is a hash in hexadecimal digits, so it needs no escaping.
    let name = format!("attachment; filename=\"privet-{}.zip\"", &name[..12.min(name.len())]);
    Ok(([(CONTENT_TYPE, "application/zip".to_owned()), (CONTENT_DISPOSITION, name)], archive)
        .into_response())
}

async fn health(State(collector): State<Collector>) -> Result<Json<Value>, Refusal> {
    collector.store().check().await?;
    Ok(Json(json!({ "status": "ok" })))
}

async fn metrics(State(collector): State<Collector>) -> Result<Response, Refusal> {
    let text = collector.metrics().text()?;
    Ok(([(CONTENT_TYPE, prometheus::TEXT_FORMAT)], text).into_response())
}
