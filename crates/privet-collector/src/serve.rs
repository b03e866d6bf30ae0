//! Connections: accepted, limited, answered, and closed in order.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, HttpBody as _, to_bytes};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, oneshot};
use tower::ServiceExt as _;

use crate::collector::{Clock, Collector, system_clock};
use crate::error::{Error, Result};
use crate::metrics::ReportEvent;
use crate::refusal::Refusal;
use crate::settings::CollectorSettings;
use crate::{admin, api};

/// Seconds that connections have to end when the service stops.
const LAST: Duration = Duration::from_secs(10);

/// Headers of every answer: nothing is loaded from elsewhere, no frames, no guessed content types.
const HEADERS_OF_ALL: [(HeaderName, HeaderValue); 6] = [
    (
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; \
             img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        ),
    ),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    (
        HeaderName::from_static("permissions-policy"),
        HeaderValue::from_static("camera=(), geolocation=(), microphone=()"),
    ),
];

/// Everything that can be asked, and what holds for all of it. Written as one function and not as layers of a router: each
/// layer boxes a future and copies the service for every request.
#[derive(Clone)]
struct RequestHandler {
    collector: Collector,
    router: Router,
    patience: Duration,
}

impl RequestHandler {
    fn new(collector: Collector) -> Self {
        let router = api::routes().merge(admin::routes());
        let patience = Duration::from_secs(collector.settings().seconds);
        Self { router: router.with_state(collector.clone()), collector, patience }
    }

    /// Applies the rate limit and the time limit, answers, and adds the headers for browsers.
    async fn answer(self, peer: IpAddr, request: hyper::Request<Incoming>) -> Response {
        let mut response = if self.collector.rate().allows(peer, Instant::now()) {
            let answered = async {
                match received(request).await {
                    Ok(request) => self.router.oneshot(request).await,
                    Err(_) => Ok(StatusCode::BAD_REQUEST.into_response()),
                }
            };
            // A device that sends a byte a minute would hold its connection for ever.
            match tokio::time::timeout(self.patience, answered).await {
                Ok(Ok(response)) => response,
                Ok(Err(never)) => match never {},
                Err(_) => StatusCode::REQUEST_TIMEOUT.into_response(),
            }
        } else {
            self.collector.metrics().report(ReportEvent::Limited, Duration::ZERO);
            let status = StatusCode::TOO_MANY_REQUESTS;
            Refusal::new(status, "too many requests", "the same again, later").into_response()
        };
        let headers = response.headers_mut();
        headers.reserve(HEADERS_OF_ALL.len() + 1);
        headers.extend(HEADERS_OF_ALL);
        // Nothing is kept, unless a page says so of itself.
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
        response
    }
}

/// Bodies of at most so many bytes are read before the request is answered: a sender that is refused while it still sends
/// finds the connection closed and never gets the reason.
const SMALL: u64 = 64 << 10;

/// The request, its body read if it is small.
async fn received(
    request: hyper::Request<Incoming>,
) -> std::result::Result<hyper::Request<Body>, axum::Error> {
    let (parts, body) = request.into_parts();
    // A declared length; chunked bodies are read by their handler, within its limit.
    let small = body.size_hint().exact().filter(|bytes| *bytes <= SMALL);
    let mut body = Body::new(body);
    if let Some(bytes) = small {
        body = to_bytes(body, bytes as usize).await?.into();
    }
    Ok(hyper::Request::from_parts(parts, body))
}

/// A service that runs in a thread of its own until it is stopped.
#[derive(Debug)]
pub struct RunningService {
    /// Where it listens.
    pub address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<Result<()>>>,
}

impl RunningService {
    /// Starts a service whose administrators have this token. It listens when this returns.
    ///
    /// # Errors
    /// If the store or the address cannot be had.
    pub fn start(settings: CollectorSettings, token: &str) -> Result<Self> {
        Self::start_at(settings, token, system_clock)
    }

    /// The same with a clock of one's own.
    ///
    /// # Errors
    /// As for [`start`](Self::start).
    pub fn start_at(settings: CollectorSettings, token: &str, now: Clock) -> Result<Self> {
        crate::log::set_quiet(!settings.log);
        let (stop, stopped) = oneshot::channel();
        let (ready, started) = std::sync::mpsc::channel();
        let token = token.to_owned();
        // A runtime of its own: the caller need not be asynchronous.
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .enable_all()
                .build()
                .map_err(|error| Error::io("threads", error))?;
            runtime.block_on(async move {
                let (collector, writer) = Collector::open(settings, now).await?;
                collector.add_administrator(&token).await?;
                let listen = collector.settings().listen.clone();
                let tls = tls::TlsAcceptor::new(collector.settings())?;
                let listener =
                    TcpListener::bind(&listen).await.map_err(|error| Error::io(listen, error))?;
                let address = listener.local_addr().map_err(|error| Error::io("address", error))?;
                let writer = tokio::spawn(writer);
                // A receiver that is gone stops the service below.
                let _ = ready.send(address);
                serve(collector, tls, listener, async { drop(stopped.await) }).await?;
                // Every accepted report is written before the store is closed.
                writer.await.map_err(|_| Error::Stopping)?.shut().await;
                Ok(())
            })
        });
        match started.recv() {
            Ok(address) => Ok(Self { address, stop: Some(stop), thread: Some(thread) }),
            Err(_) => Err(join(thread).err().unwrap_or(Error::Stopping)),
        }
    }

    /// Waits until the service has ended.
    ///
    /// # Errors
    /// If it failed.
    pub fn wait(mut self) -> Result<()> {
        self.thread.take().map_or(Ok(()), join)
    }

    /// A function that stops it, for a signal handler.
    pub fn stopper(&mut self) -> impl FnOnce() + Send + use<> {
        let stop = self.stop.take();
        move || drop(stop)
    }

    /// Takes no more, finishes what was begun, and ends.
    ///
    /// # Errors
    /// If it failed.
    pub fn stop(mut self) -> Result<()> {
        self.stopper()();
        self.wait()
    }
}

fn join(thread: std::thread::JoinHandle<Result<()>>) -> Result<()> {
    thread.join().unwrap_or(Err(Error::Stopping))
}

/// Answers requests until `stop` is there, then finishes those that were begun.
async fn serve(
    collector: Collector,
    tls: Option<tls::TlsAcceptor>,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
) -> Result<()> {
    let room = Arc::new(Semaphore::new(collector.settings().connections));
    let answers = RequestHandler::new(collector);
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let place = tokio::select! {
            // Waits before accepting: further connections queue in the kernel.
            place = room.clone().acquire_owned() => place.map_err(|_| Error::Stopping)?,
            () = &mut stop => break,
        };
        let (stream, peer) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Too many open files, most likely: those that are open end some time.
                    crate::log::failure("accept", &error);
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            },
            () = &mut stop => break,
        };
        let (answers, tls, watcher) = (answers.clone(), tls.clone(), graceful.watcher());
        tokio::spawn(async move {
            // Small answers leave at once.
            let _ = stream.set_nodelay(true);
            match tls {
                None => converse(stream, peer, answers, watcher).await,
                Some(tls) => {
                    if let Some(stream) = tls.accept(stream, answers.patience).await {
                        converse(stream, peer, answers, watcher).await;
                    }
                }
            }
            drop(place);
        });
    }
    // New connections are refused while the open ones end.
    drop(listener);
    if tokio::time::timeout(LAST, graceful.shutdown()).await.is_err() {
        crate::log::event("stopping", serde_json::json!("connections that did not end were cut"));
    }
    Ok(())
}

async fn converse(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: SocketAddr,
    answers: RequestHandler,
    watcher: hyper_util::server::graceful::Watcher,
) {
    let mut builder = hyper::server::conn::http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(answers.patience);
    let service = hyper::service::service_fn(move |request| {
        let answers = answers.clone();
        async move { Ok::<_, Infallible>(answers.answer(peer.ip(), request).await) }
    });
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    // A sender whose connection breaks had no answer, and sends again.
    let _ = watcher.watch(connection).await;
}

/// HTTPS, where there is a certificate.
#[cfg(feature = "tls")]
mod tls {
    use super::*;
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::pki_types::pem::PemObject as _;
    use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
    use tokio_rustls::server::TlsStream;

    #[derive(Clone)]
    pub struct TlsAcceptor(tokio_rustls::TlsAcceptor);

    impl TlsAcceptor {
        pub fn new(settings: &CollectorSettings) -> Result<Option<Self>> {
            let Some(tls) = &settings.tls else { return Ok(None) };
            let wrong =
                |place: &std::path::Path, reason: &dyn std::fmt::Display| Error::Certificate {
                    place: place.display().to_string(),
                    reason: reason.to_string(),
                };
            let certificates = CertificateDer::pem_file_iter(&tls.certificate)
                .and_then(Iterator::collect::<Result<Vec<_>, _>>)
                .map_err(|error| wrong(&tls.certificate, &error))?;
            let key =
                PrivateKeyDer::from_pem_file(&tls.key).map_err(|error| wrong(&tls.key, &error))?;
            let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
            let config = ServerConfig::builder_with_provider(provider)
                .with_safe_default_protocol_versions()
                .map_err(|error| wrong(&tls.certificate, &error))?
                .with_no_client_auth()
                .with_single_cert(certificates, key)
                .map_err(|error| wrong(&tls.certificate, &error))?;
            Ok(Some(Self(Arc::new(config).into())))
        }

        pub async fn accept(
            &self,
            stream: TcpStream,
            patience: Duration,
        ) -> Option<TlsStream<TcpStream>> {
            tokio::time::timeout(patience, self.0.accept(stream)).await.ok()?.ok()
        }
    }
}

#[cfg(not(feature = "tls"))]
mod tls {
    pub use NoTls as TlsAcceptor;

    use super::*;

    /// In place of the acceptor, in a build without TLS.
    #[derive(Clone)]
    pub struct NoTls;

    impl NoTls {
        pub fn new(settings: &CollectorSettings) -> Result<Option<Self>> {
            match &settings.tls {
                None => Ok(None),
                Some(tls) => Err(Error::Certificate {
                    place: tls.certificate.display().to_string(),
                    reason: "HTTPS is not compiled in (cargo feature `tls`)".into(),
                }),
            }
        }

        pub async fn accept(&self, _: TcpStream, _: Duration) -> Option<TcpStream> {
            None
        }
    }
}
