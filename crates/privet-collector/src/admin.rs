//! Pages: for people who may take part, and for administrators. What they look like stands in [`pages`].

use axum::Router;
use axum::extract::{Form, Path, Query, State};
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, COOKIE, LOCATION, SET_COOKIE,
    VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;

use crate::api::{ExportQuery, all_progress, exported, refuse_other_sites};
use crate::collector::Collector;
use crate::pages::{self, PersonPage, TaskPage};
use crate::refusal::Refusal;

const NAME: &str = "privet_administrator";
/// How many hours a page shows.
const HOURS: u64 = 48;

/// All pages.
pub fn routes() -> Router<Collector> {
    Router::new()
        .route("/", get(front))
        .route("/t/{name}", get(person))
        .route("/assets/device.js", get(|| async { asset("text/javascript", pages::SCRIPT) }))
        .route("/assets/style.css", get(|| async { asset("text/css", pages::STYLE) }))
        .route("/assets/privet.wasm", get(wasm))
        .route("/admin", get(overview))
        .route("/admin/login", post(login))
        .route("/admin/logout", post(logout))
        .route("/admin/t/{name}", get(task))
        .route("/admin/t/{name}/close", post(close))
        .route("/admin/t/{name}/export", get(export))
        .fallback(|| async { (StatusCode::NOT_FOUND, html(pages::missing())) })
}

fn html(page: maud::Markup) -> Html<String> {
    Html(page.into_string())
}

fn asset(kind: &'static str, text: &'static str) -> Response {
    ([(CONTENT_TYPE, kind), (CACHE_CONTROL, "no-cache")], text).into_response()
}

async fn wasm(headers: HeaderMap) -> Response {
    let packed = |value: &HeaderValue| value.to_str().is_ok_and(|taken| taken.contains("gzip"));
    // The module is compressed at build time, so that no work is left here.
    let packed = headers.get(ACCEPT_ENCODING).is_some_and(packed);
    let about = [(CONTENT_TYPE, "application/wasm"), (CACHE_CONTROL, "no-cache")];
    match (pages::WASM, pages::WASM_GZIP) {
        (_, Some(module)) if packed => {
            (about, [(CONTENT_ENCODING, "gzip"), (VARY, "accept-encoding")], module).into_response()
        }
        (Some(module), _) => (about, [(VARY, "accept-encoding")], module).into_response(),
        (None, _) => (StatusCode::NOT_FOUND, html(pages::missing())).into_response(),
    }
}

/// A page's own words for a refusal: a browser shows no JSON.
struct ErrorPage(Refusal);

impl From<Refusal> for ErrorPage {
    fn from(refusal: Refusal) -> Self {
        Self(refusal)
    }
}

impl From<crate::Error> for ErrorPage {
    fn from(error: crate::Error) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for ErrorPage {
    fn into_response(self) -> Response {
        match self.0.status {
            StatusCode::NOT_FOUND => {
                (StatusCode::NOT_FOUND, html(pages::missing())).into_response()
            }
            _ => self.0.into_response(),
        }
    }
}

async fn front(State(collector): State<Collector>) -> Result<Html<String>, ErrorPage> {
    let mut open = all_progress(&collector).await?;
    open.retain(|task| task.open);
    Ok(html(pages::front(&open)))
}

async fn person(
    State(collector): State<Collector>,
    Path(name): Path<String>,
) -> Result<Html<String>, ErrorPage> {
    let task = collector.task(&name).await?;
    let progress = collector.progress(&task).await?;
    let page = PersonPage {
        sealed: &task.sealed,
        asked: &task.asked,
        card: &task.card,
        progress: &progress,
    };
    Ok(html(pages::person(&page)))
}

/// The cookie of an administrator's browser.
fn cookie(headers: &HeaderMap) -> Option<&str> {
    let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    // Several cookies may travel in one header, and in several headers.
    let mut pairs =
        all.flat_map(|all| all.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == NAME).map(|(_, value)| value)
}

/// What forms of this browser send, if an administrator sits there.
fn form_token(collector: &Collector, headers: &HeaderMap) -> Option<String> {
    collector.sessions().form_token(cookie(headers)?, collector.now())
}

async fn overview(
    State(collector): State<Collector>,
    headers: HeaderMap,
) -> Result<Html<String>, ErrorPage> {
    let Some(form_token) = form_token(&collector, &headers) else {
        return Ok(html(pages::login(false)));
    };
    Ok(html(pages::overview(&all_progress(&collector).await?, &form_token)))
}

/// The login form.
#[derive(Deserialize)]
struct Login {
    token: String,
}

async fn login(
    State(collector): State<Collector>,
    headers: HeaderMap,
    Form(typed): Form<Login>,
) -> Result<Response, ErrorPage> {
    refuse_other_sites(&headers)?;
    if !collector.is_administrator(typed.token.trim()).await? {
        return Ok((StatusCode::FORBIDDEN, html(pages::login(true))).into_response());
    }
    // The cookie is a new secret, not the token: a stolen cookie ends with its session.
    let value = collector.sessions().begin(collector.now())?;
    Ok(to("/admin", Some(set_cookie(&collector, &value, ""))))
}

/// No script reads it, no other site sends it, and where there is HTTPS nothing else carries it.
fn set_cookie(collector: &Collector, value: &str, more: &str) -> String {
    let secure = if collector.settings().tls.is_some() { "; Secure" } else { "" };
    format!("{NAME}={value}; Path=/admin; HttpOnly; SameSite=Strict{secure}{more}")
}

fn to(place: &str, cookie: Option<String>) -> Response {
    let location = [(LOCATION, place.to_owned())];
    let cookie = cookie.map(|cookie| [(SET_COOKIE, cookie)]);
    (StatusCode::SEE_OTHER, location, cookie, ()).into_response()
}

/// A form of one of our own pages.
#[derive(Deserialize)]
struct AdminForm {
    form_token: String,
}

/// Whether a form was sent from a page of ours by an administrator.
fn check(collector: &Collector, headers: &HeaderMap, sent: &AdminForm) -> Result<(), Refusal> {
    refuse_other_sites(headers)?;
    let cookie = cookie(headers).unwrap_or_default();
    // SameSite alone depends on the browser: the form's own secret does not.
    match collector.sessions().is_ours(cookie, &sent.form_token, collector.now()) {
        true => Ok(()),
        false => Err(Refusal::not_administrator()),
    }
}

async fn logout(
    State(collector): State<Collector>,
    headers: HeaderMap,
    Form(sent): Form<AdminForm>,
) -> Result<Response, ErrorPage> {
    check(&collector, &headers, &sent)?;
    collector.sessions().end(cookie(&headers).unwrap_or_default());
    Ok(to("/admin", Some(set_cookie(&collector, "", "; Max-Age=0"))))
}

async fn task(
    State(collector): State<Collector>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ErrorPage> {
    let Some(form_token) = form_token(&collector, &headers) else { return Ok(to("/admin", None)) };
    let task = collector.task(&name).await?;
    let progress = collector.progress(&task).await?;
    let counted = collector.store().hours(task.number).await?;
    let hour = collector.now() / 3600;
    // Hours without a report have no row.
    let hours: Vec<u64> = (hour.saturating_sub(HOURS - 1)..=hour)
        .map(|hour| counted.get(&hour).copied().unwrap_or(0))
        .collect();
    let page = TaskPage {
        asked: &task.asked,
        card: &task.card,
        progress: &progress,
        hours: &hours,
        form_token: &form_token,
    };
    Ok(html(pages::task(&page)).into_response())
}

async fn close(
    State(collector): State<Collector>,
    Path(name): Path<String>,
    headers: HeaderMap,
    Form(sent): Form<AdminForm>,
) -> Result<Response, ErrorPage> {
    check(&collector, &headers, &sent)?;
    let task = collector.task(&name).await?;
    collector.store().close(task.number).await?;
    crate::log::event("closed", serde_json::json!({ "task": name }));
    Ok(to(&format!("/admin/t/{}", task.asked.name), None))
}

async fn export(
    State(collector): State<Collector>,
    Path(name): Path<String>,
    headers: HeaderMap,
    Query(wanted): Query<ExportQuery>,
) -> Result<Response, ErrorPage> {
    if form_token(&collector, &headers).is_none() {
        return Ok(to("/admin", None));
    }
    Ok(exported(&collector, &name, wanted.format).await?)
}
